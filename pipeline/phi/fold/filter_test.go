package fold_test

import (
	"strings"
	"testing"

	"fhirdeid/pipeline/phi/fold"
)

func TestFilter(t *testing.T) {
	var f fold.Filter
	words := []string{"januar", "märz", "übermorgen", "ab", strings.Repeat("lang", 30)}
	for _, w := range words {
		f.Add(w)
	}
	for _, w := range words {
		if !f.May(w) || !f.May(strings.ToUpper(w)) {
			t.Errorf("%q is not held", w)
		}
	}
	for _, w := range []string{"", "a", "januare", "februar", "mai"} {
		if f.May(w) {
			t.Errorf("%q is held", w)
		}
	}
}
