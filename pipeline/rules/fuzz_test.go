package rules_test

import (
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

var seeds = []string{
	"Herrn\nDr. med. Anna-Lena von der Heydte, geb. 04.11.1948, wohnhaft Am Anger 3, 37441 Bad Rodenfels\nTel. (0 55 23) 88-22 10\n",
	"Name|DOB|MRN\nWhitlock E|07/05/44|48-29-13\nNa|138|mmol/L\n",
	"SSN 078 05 1120, acct #A-77812/03, 12 Elm St., Apt 3B, Worcester, MA 01604-1234, SW1A 1AA",
	"WhitlockE0048291admitted12Mar2021stable wi/im\r\n\tgez. Kr",
	"x@y (at) a.b http:// www. ::1 1.2.3.4 D- 1234 +49 ( -1 #",
	"Frau Schnarren-\nberger, S/N 217 448 303, IBAN DE89 3704 0044 0532 0130 00",
}

// FuzzContext holds the contract of Detector for any text.
func FuzzContext(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "de")
		f.Add(s, "en")
	}
	f.Fuzz(func(t *testing.T, text, lang string) {
		if _, err := pipetest.Check(rules.Context, text, phi.Language(lang)); err != nil {
			t.Error(err)
		}
	})
}

// TestCutTexts reads every text of the letters' kind from and to every place, so that nothing relies on a neighbour.
func TestCutTexts(t *testing.T) {
	for _, s := range seeds {
		for i := range len(s) + 1 {
			for _, cut := range []string{s[:i], s[i:], s[:i] + "\xff" + s[i:]} {
				for _, lang := range []phi.Language{phi.German, phi.English, ""} {
					if _, err := pipetest.Check(rules.Context, cut, lang); err != nil {
						t.Fatalf("%q: %v", cut, err)
					}
				}
			}
		}
	}
}

// TestHostileTextsAreLinear reads texts made of one trigger over and over: in time that is not linear it would not come to
// an end.
func TestHostileTextsAreLinear(t *testing.T) {
	for _, unit := range []string{
		"a.", "@", "1-", "1 ", "1/1 ", "Dr. ", "Herr Dr. med. ", "A-", "St. ", "Nr.: ", "Tel. ", "(0", "+1 ", "www.a", "- ", "| ", "0l0l", "null ", "call me ", "X, 12-34 ", "(0123-456 ", "12 Elm, ", "\n", "Frau ", "von der ",
		"Am ", "Klinik für ", "Universitätsklinikum ", "Müller, ", "A. ", "gez. ", "AB 1", "ab/cd\n", "Sincerely,\n\n", "geb. ", "GmbH ", "&", "Name\tMRN\tDOB\n", "x1 ",
		"und ", "Anna ", "IBAN DE", "12 Elm St., ", "Main Street ", ": ", "....", "\"", "als ", "retired ", "1.2.", "::", "Station ", "#1", "é", "\xff", "mit freundlichen Grüßen\n",
	} {
		text := strings.Repeat(unit, 1<<18/len(unit))
		for _, f := range run(t, rules.All()[2:], text, "de") {
			if f.Start < 0 || f.End > len(text) || f.Start >= f.End {
				t.Fatalf("%q: a finding at %d to %d of %d bytes", unit, f.Start, f.End, len(text))
			}
		}
	}
}

func BenchmarkContext(b *testing.B) {
	var text strings.Builder
	for _, l := range data(b, "letters/letters.jsonl") {
		if l.Split == "train" {
			text.WriteString(l.Text)
			text.WriteString("\n\n")
		}
	}
	doc := text.String()
	for name, list := range map[string]int{"context": 2, "all": 0} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			spans := 0
			for b.Loop() {
				spans = len(run(b, rules.All()[list:], doc, "de"))
			}
			b.ReportMetric(float64(spans), "spans")
		})
	}
}
