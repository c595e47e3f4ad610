package rules_test

import (
	"context"
	"strings"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/rules"
)

// FuzzAges: any bytes, in any language: spans in order, inside the text, and no panic.
func FuzzAges(f *testing.F) {
	for _, s := range []string{"81jähriger", "Lea (21", "44M", "aged 3, 5 and 7", "sixty-", "77. Lebens", "† 81", "F  24\n", "\xff12\xc3", "Age/Sex: 66", "mit 61 an Krebs", "5 y 2 m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []phi.Language{phi.German, phi.English, ""} {
			for _, d := range []pipeline.Detector{rules.Ages, rules.Dates} {
				spans, err := d.Detect(context.Background(), &pipeline.Document{Text: s, Language: lang})
				if err != nil {
					t.Fatal(err)
				}
				last := 0
				for _, sp := range spans {
					if sp.Start < last || sp.End <= sp.Start || sp.End > len(s) {
						t.Fatalf("span %d-%d after %d in %q", sp.Start, sp.End, last, s)
					}
					last = sp.End
				}
			}
		}
	})
}

// TestAgesLinear reads hostile texts: in time that is not linear it would not come to an end.
func TestAgesLinear(t *testing.T) {
	for _, unit := range []string{"1 ", "1, ", "(1) ", "mit 50 ", "Tochter ", "sixty-", "a", "at 44. ", "12 und ", "Alter: "} {
		if _, err := rules.Ages.Detect(context.Background(), &pipeline.Document{Text: strings.Repeat(unit, 1<<20/len(unit))}); err != nil {
			t.Fatal(err)
		}
	}
}
