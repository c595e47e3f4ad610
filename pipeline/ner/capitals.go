package ner

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// stretch is a run of lines in capitals; offsets as in the text.
type stretch struct{ start, end int }

// capitals lists the lines of text[from:to] that are all, or nearly all, in capitals. Neighbouring lines are one
// stretch.
func capitals(text string, from, to int) []stretch {
	var list []stretch
	for start := from; start < to; {
		end, letters, upper, longest, run := start, 0, 0, 0, 0
		for end < to {
			r, n := utf8.DecodeRuneInString(text[end:to])
			end += n
			if r == '\n' {
				break
			}
			if !unicode.IsLetter(r) {
				run = 0
				continue
			}
			letters++
			if unicode.IsUpper(r) {
				upper++
				run++
				longest = max(longest, run)
			} else {
				run = 0
			}
		}
		// Four letters in a row keep lines of abbreviations and laboratory values out.
		if letters >= 4 && longest >= 4 && upper*10 >= letters*8 {
			if n := len(list); n > 0 && list[n-1].end == start {
				list[n-1].end = end
			} else {
				list = append(list, stretch{start, end})
			}
		}
		start = end
	}
	return list
}

// titleCase writes the words on the stretches with one capital each, and leaves everything else alone. No byte moves:
// a letter whose small form has another length stays as it is.
func titleCase(text string, from, to int, where []stretch) string {
	out := []byte(text[from:to])
	for _, s := range where {
		inside := false
		for i := s.start; i < s.end; {
			r, n := utf8.DecodeRuneInString(text[i:s.end])
			if inside && unicode.IsUpper(r) {
				if small := unicode.ToLower(r); utf8.RuneLen(small) == n {
					utf8.EncodeRune(out[i-from:], small)
				}
			}
			inside = wordRune(r)
			i += n
		}
	}
	return string(out)
}

// touches says whether any of the stretches, which are in order, shares a byte with start to end.
func touches(list []stretch, start, end int) bool {
	i, _ := slices.BinarySearchFunc(list, start, func(s stretch, at int) int {
		if s.end <= at {
			return -1
		}
		return 1
	})
	return i < len(list) && list[i].start < end
}
