package surrogate_test

import (
	"strings"
	"testing"
)

// TestZIPWithMoreThanDigits: a postal code element that holds a name beside a real code keeps nothing of the name.
func TestZIPWithMoreThanDigits(t *testing.T) {
	g := generator("p1")
	for _, zip := range []string{"37445 Quittenbaum", "s37445quittenbaum@post.example", "Quittenbaum, 37445", "QUITTENBAUM-37445"} {
		if _, _, _, got, _ := g.Address(nil, "", "", zip, "DE"); got == "" || strings.Contains(strings.ToLower(got), "quittenbaum") {
			t.Errorf("%q became %q", zip, got)
		}
	}
	for _, zip := range []string{"37445", "D-37445", "DE 37445"} {
		_, _, _, got, _ := g.Address(nil, "", "", zip, "DE")
		if got == zip || strings.TrimRight(got, "0123456789") != strings.TrimRight(zip, "0123456789") {
			t.Errorf("%q became %q", zip, got)
		}
	}
}
