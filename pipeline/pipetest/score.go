package pipetest

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Tally counts words (runs of letters, digits and marks) for one category. Whether a word is covered counts, by
// which type does not.
type Tally struct {
	Wanted int // words that the truth marks with this category
	Found  int // of those, covered by any span
	Marked int // words that the detector marks with this category
	Right  int // of those, PHI of any kind in truth
}

// Recall is the share of wanted words that were covered, 1 if none was wanted.
func (t Tally) Recall() float64 { return share(t.Found, t.Wanted) }

// Precision is the share of marked words that are PHI, 1 if none was marked.
func (t Tally) Precision() float64 { return share(t.Right, t.Marked) }

// Add sums two tallies.
func (t Tally) Add(o Tally) Tally {
	return Tally{t.Wanted + o.Wanted, t.Found + o.Found, t.Marked + o.Marked, t.Right + o.Right}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Score counts per type how the spans that a detector gave cover the wanted ones. Bare categories stand for
// themselves; sum the types of a category with Tally.Add.
func Score(text string, want, got []phi.Span) map[phi.Type]Tally {
	want, got = sorted(phiOnly(want)), sorted(phiOnly(got))
	out := map[phi.Type]Tally{}
	Words(text, func(start, end int) {
		w, g := typeAt(want, start, end), typeAt(got, start, end)
		if w != phi.NoType {
			t := out[w]
			t.Wanted++
			if g != phi.NoType {
				t.Found++
			}
			out[w] = t
		}
		if g != phi.NoType {
			t := out[g]
			t.Marked++
			if w != phi.NoType {
				t.Right++
			}
			out[g] = t
		}
	})
	return out
}

// typeAt gives the type of the first span that shares a byte with the word.
func typeAt(spans []phi.Span, start, end int) phi.Type {
	i, _ := slices.BinarySearchFunc(spans, end, func(s phi.Span, at int) int { return s.Start - at })
	for back := i - 1; back >= 0 && back >= i-8; back-- {
		if spans[back].End > start {
			return spans[back].Type
		}
	}
	return phi.NoType
}

// Words calls f for every word of the text: a run of letters, digits, marks and underscores.
func Words(text string, f func(start, end int)) {
	start := -1
	for i := 0; i <= len(text); {
		r, size := utf8.RuneError, 1
		if i < len(text) {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		word := i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
		if word && start < 0 {
			start = i
		}
		if !word && start >= 0 {
			f(start, i)
			start = -1
		}
		i += size
	}
}
