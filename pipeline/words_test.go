package pipeline

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWordBegins(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "Z", "7", "_", " ", "-", "ä", "Ü", "ß", "×", "u\u0308", "„", "\u00a0", "Ж", "語", "😀", "\xc3", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := readable(strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), ""))
		var got []Word
		for i := range len(text) {
			if wordBegins(text, i) {
				got = append(got, Word{i, wordEnd(text, i)})
			}
		}
		if want := slices.Collect(Words(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: words at %v, want %v", text, got, want)
		}
	})
}
