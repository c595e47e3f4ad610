package lists

import (
	"strings"
	"testing"
)

// TestBatchAnswersAsLookup reads words that are listed, words that are not, and what is no word at all.
func TestBatchAnswersAsLookup(t *testing.T) {
	var asked []string
	d := words()
	for at, n := 0, 0; at < len(d.records); n++ {
		text, _, next := d.record(at)
		if n%97 == 0 {
			asked = append(asked, string(text), string(text)+"x", "q"+string(text))
		}
		at = next
	}
	asked = append(asked, "", "a", strings.Repeat("muster", 60), "\xff\xfe")
	var b Batch
	for range 2 { // the second time with the room of the first
		b.Reset()
		for i, w := range asked {
			if i%2 == 0 {
				b.Take(len(append(b.Room(len(w)), w...)))
			} else {
				b.AddHashed(w, Hash(w))
			}
		}
		known := 0
		for i, got := range b.Lookup() {
			if want := Lookup(asked[i]); got != want {
				t.Fatalf("word %d: %v, want %v", i, got, want)
			}
			if got != 0 {
				known++
			}
			if string(b.Key(i)) != asked[i] {
				t.Fatalf("key %d is another", i)
			}
		}
		if b.Len() != len(asked) || known < len(asked)/4 {
			t.Fatalf("%d of %d known", known, b.Len())
		}
	}
}
