package date

import (
	"flag"
	"strings"
	"testing"
	"unicode"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

var (
	lettersSplit = flag.String("letters", "dev", "split of the letters to score: train or dev")
	lettersShow  = flag.Int("show", 0, "how many errors to print")
)

type letter = pipetest.Record

// loadLetters reads the letters of one split with byte offsets, or skips the test where the data is not at hand.
func loadLetters(t testing.TB, split string) []letter {
	var list []letter
	for _, l := range pipetest.Records(t, "letters/letters.jsonl") {
		if l.Split != split {
			continue
		}
		at := pipetest.ByteOffsets(l.Text)
		for i, s := range l.Spans {
			l.Spans[i].Start, l.Spans[i].End = at[s.Start], at[s.End]
		}
		list = append(list, l)
	}
	return list
}

// TestLetters scores Scan on the letters: spans wholly covered, and words (letters, digits and underscore) touched.
func TestLetters(t *testing.T) {
	shown := 0
	show := func(kind string, l letter, from, to int) {
		if shown++; shown <= *lettersShow {
			a, b := max(0, from-35), min(len(l.Text), to+25)
			t.Logf("%s %s …%s[%s]%s…", kind, l.ID, strings.ReplaceAll(strings.ToValidUTF8(l.Text[a:from], ""), "\n", "⏎"), l.Text[from:to],
				strings.ReplaceAll(strings.ToValidUTF8(l.Text[to:b], ""), "\n", "⏎"))
		}
	}
	var gold, covered, found, right, wordsGold, wordsHit, wordsFound, wordsRight int
	for _, l := range loadLetters(t, *lettersSplit) {
		truth := make([]bool, len(l.Text))
		for _, s := range l.Spans {
			if strings.HasPrefix(s.Label, "DATE") {
				for i := s.Start; i < s.End; i++ {
					truth[i] = true
				}
			}
		}
		got := make([]bool, len(l.Text))
		for _, m := range Scan(l.Text, phi.Language(l.Lang)) {
			found++
			ok := true
			for i := m.Start; i < m.End; i++ {
				got[i] = true
				if !truth[i] && isWordByte(l.Text, i) {
					ok = false
				}
			}
			if ok {
				right++
			} else {
				show("EXTRA", l, m.Start, m.End)
			}
		}
		for _, s := range l.Spans {
			if !strings.HasPrefix(s.Label, "DATE") {
				continue
			}
			gold++
			ok := true
			for i := s.Start; i < s.End; i++ {
				ok = ok && (got[i] || !isWordByte(l.Text, i))
			}
			if ok {
				covered++
			} else {
				show("MISSED", l, s.Start, s.End)
			}
		}
		eachWord(l.Text, func(from, to int) {
			isDate, isFound := false, false
			for i := from; i < to; i++ {
				isDate, isFound = isDate || truth[i], isFound || got[i]
			}
			if isDate {
				wordsGold++
				if isFound {
					wordsHit++
				}
			}
			if isFound {
				wordsFound++
				if isDate {
					wordsRight++
				}
			}
		})
	}
	recall, precision := float64(covered)/float64(gold), float64(right)/float64(found)
	t.Logf("%s: spans recall %.4f (%d/%d) precision %.4f (%d/%d); words recall %.4f precision %.4f", *lettersSplit, recall, covered, gold, precision, right, found,
		float64(wordsHit)/float64(wordsGold), float64(wordsRight)/float64(wordsFound))
	if recall < 0.97 || precision < 0.97 {
		t.Errorf("recall %.4f precision %.4f, want at least 0.97 each", recall, precision)
	}
}

func isWordByte(s string, i int) bool {
	c := s[i]
	return isLetter(c) || isDigit(c) || c == '_' || c >= 0xc3 && c < 0xe0
}

func eachWord(s string, f func(from, to int)) {
	start := -1
	for i, r := range s {
		w := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r)
		switch {
		case w && start < 0:
			start = i
		case !w && start >= 0:
			f(start, i)
			start = -1
		}
	}
	if start >= 0 {
		f(start, len(s))
	}
}
