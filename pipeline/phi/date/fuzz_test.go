package date

import (
	"testing"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// FuzzScan holds the contract of Scan for any bytes: places in order, on rune borders, and what it finds never panics
// when parsed, completed and shifted.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"vom 12.-14.03.2021 und 28.12.20 – 03.01.21", "March 5th, 2021 to the 14th", "KW 14, Frühjahr 2020, Q3 2019", "geb. O4.11.l939", "dritter Mai zweitausendneunzehn",
		"5/5 120/80 3/14", "Mo. 29. Jan", "1. Advent 2020", "20210927081422", "mid-March, early 2019", "\xff12.3.\xfe'98", "Winter 18/19 WS 2020/21", "Mai",
	} {
		f.Add(s, 17)
	}
	f.Fuzz(func(t *testing.T, s string, days int) {
		days %= 800
		for _, lang := range []phi.Language{phi.German, phi.English, ""} {
			last := 0
			for _, m := range Scan(s, lang) {
				if m.Start < last || m.End <= m.Start || m.End > len(s) {
					t.Fatalf("match %d-%d after %d in %q", m.Start, m.End, last, s)
				}
				if utf8.ValidString(s) && !utf8.ValidString(s[m.Start:m.End]) {
					t.Fatalf("match splits a character: %q", s[m.Start:m.End])
				}
				last = m.End
				l, ok := Parse(s[m.Start:m.End], lang)
				if !ok {
					continue
				}
				if out, ok := l.At(m.Interval).Shift(days); ok && days != 0 && out == s[m.Start:m.End] {
					t.Fatalf("%q stayed when shifted by %d", out, days)
				}
			}
		}
	})
}
