package pipeline

import (
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

func TestInitialsOfRows(t *testing.T) {
	const twins = "Boy Matiu, girl Lupe.\n"
	for _, c := range []struct {
		text  string
		names []string
		want  []string
	}{
		{twins + "wt   birth  26/4\nM    2420   2290\nL    2205   2080\n", []string{"Matiu", "Lupe"}, []string{"M", "L"}},
		{twins + "| M. | 2420 | 2290 |\n| L. | 2205 | 2080 |", []string{"Matiu", "Lupe"}, []string{"M", "L"}},
		{twins + "L\t2205\t2080\nM\t2420\t2290\nL\t2206\t2081\n", []string{"Matiu", "Lupe"}, []string{"L", "M", "L"}},
		{twins + "M    2420   2290\n\nL    2205   2080\n", []string{"Matiu", "Lupe"}, nil},                    // not in a row
		{twins + "M    2420   2290\nK    4.1    4.3\n", []string{"Matiu", "Lupe"}, nil},                       // nobody is called K
		{twins + "M    2420   2290\nM    2205   2080\n", []string{"Matiu", "Lupe"}, nil},                      // one letter
		{twins + "Mia came.\nM    2420   2290\nL    2205   2080\n", []string{"Matiu", "Lupe", "Mia"}, nil},    // two are called M
		{twins + "M is well\nL    2205   2080\n", []string{"Matiu", "Lupe"}, nil},                             // no row of numbers
		{"Dr Lupe Marsh, Matiu.\nM    2420   2290\nL    2205   2080\n", []string{"Lupe Marsh", "Matiu"}, nil}, // not called Lupe alone
	} {
		var spans []phi.Span
		for _, n := range c.names {
			at := strings.Index(c.text, n)
			spans = append(spans, phi.Span{Start: at, End: at + len(n), Type: phi.NamePatient, Score: 0.9})
		}
		var got []string
		for _, s := range initialsOfRows(c.text, spans) {
			if got = append(got, c.text[s.Start:s.End]); s.Type != phi.NamePatient || s.Score > rememberedScore {
				t.Errorf("%q: %v of score %v", c.text, s.Type, s.Score)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}
