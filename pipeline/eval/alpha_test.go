package eval

import (
	"math"
	"testing"
)

// The textbook example of four observers and twelve units, with missing values (0): nominal alpha is .743.
func TestAlpha(t *testing.T) {
	observers := [][]int{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3},
		{0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0},
	}
	units := make([][]int, 12)
	for _, values := range observers {
		for i, v := range values {
			if v > 0 {
				units[i] = append(units[i], v)
			}
		}
	}
	if got := alpha(units); math.Abs(got-0.743) > 5e-4 {
		t.Errorf("alpha %v", got)
	}
	if got := alpha([][]int{{1, 2}, {2, 1}}); got >= 0 {
		t.Errorf("systematic disagreement: %v", got)
	}
	if got := alpha([][]int{{1, 1}, {1, 1}}); got != 1 {
		t.Errorf("one value only: %v", got)
	}
}
