package lists

import (
	"strconv"
	"strings"
	"testing"
)

func TestTableFindsWhatItHolds(t *testing.T) {
	m := map[string]int{"": -1, "a": -2, "ab": -3, "aba": -4}
	for i := range 5000 {
		m[strings.Repeat("x", i%23)+strconv.Itoa(i)] = i + 1
	}
	table := NewTable(m)
	for word, want := range m {
		if got := table.Find(word, Hash(word)); got != want {
			t.Fatalf("%q: %d, want %d", word, got, want)
		}
		if got := table.FindBytes([]byte(word), Hash([]byte(word))); got != want {
			t.Fatalf("%q as bytes: %d, want %d", word, got, want)
		}
		if other := word + "y"; table.Find(other, Hash(other)) != 0 {
			t.Fatalf("%q is found", other)
		}
	}
}
