package fold

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutNeverSplitsARune(t *testing.T) {
	const size = 1000
	for _, s := range []string{"a", "ä", "世", "😀", "ab cd", "x\n", "Satz. Und noch einer.\n\n"} {
		text := "z" + strings.Repeat(s, 3*size/len(s))
		for len(text) > 0 {
			n := Cut(text, size)
			if n <= 0 || n > size || !utf8.ValidString(text[:n]) {
				t.Fatalf("%q is cut at %d", s, n)
			}
			text = text[n:]
		}
	}
}

func TestCutPrefersBorders(t *testing.T) {
	for _, border := range []string{"\n\n", ". ", "\n", " "} {
		text := strings.Repeat("x", 80) + border + strings.Repeat("y", 80)
		if n := Cut(text, 100); n != 80+len(border) {
			t.Errorf("%q: cut at %d", border, n)
		}
	}
	if n := Cut(strings.Repeat("\x80", 300), 100); n != 100 {
		t.Errorf("broken text is cut at %d", n)
	}
}
