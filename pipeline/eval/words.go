package eval

import (
	"unicode"
	"unicode/utf8"
)

// wordRune says whether the rune belongs to a word, as \w does in a regular expression over Unicode text.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// Words lists the matches of \w+.
func Words(text string) []Range {
	var words []Range
	start := -1
	for i, r := range text {
		switch in := wordRune(r); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			words = append(words, Range{start, i})
			start = -1
		}
	}
	if start >= 0 {
		words = append(words, Range{start, len(text)})
	}
	return words
}

// Tokens lists words and, each for itself, all other characters that are no space.
func Tokens(text string) []Range {
	var tokens []Range
	start := -1
	for i, r := range text {
		if wordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			tokens = append(tokens, Range{start, i})
			start = -1
		}
		if !unicode.IsSpace(r) {
			tokens = append(tokens, Range{i, i + max(1, utf8.RuneLen(r))})
		}
	}
	if start >= 0 {
		tokens = append(tokens, Range{start, len(text)})
	}
	return tokens
}

// cover gives for each range the index of the first of the spans that touches it, or -1. The ranges are in order and
// do not overlap; the spans are in order of their starts but may overlap. Of several spans the one that covers most
// of the range is taken.
func cover[S any](ranges []Range, spans []S, at func(S) Range) []int {
	found := make([]int, len(ranges))
	// longest[i] is the greatest end among spans[:i+1]: how far back a span can still reach.
	first := 0
	longest := make([]int, len(spans))
	for i, s := range spans {
		longest[i] = at(s).End
		if i > 0 {
			longest[i] = max(longest[i], longest[i-1])
		}
	}
	for i, r := range ranges {
		for first < len(spans) && longest[first] <= r.Start {
			first++
		}
		best, most := -1, 0
		for j := first; j < len(spans); j++ {
			s := at(spans[j])
			if s.Start >= r.End {
				break
			}
			if n := min(s.End, r.End) - max(s.Start, r.Start); n > most {
				best, most = j, n
			}
		}
		found[i] = best
	}
	return found
}
