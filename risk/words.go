package risk

import (
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// contextWords is how many words on either side belong to the context of an entity.
const contextWords = 5

// token is a word of the text, or a whole entity.
type token struct {
	start, end int
	entity     int // index of the span it belongs to, or -1
}

// tokens splits a text into its words; a span is one token. The spans must be sorted and disjoint.
func tokens(text string, spans []phi.Span) []token {
	var list []token
	at := 0
	for i, s := range spans {
		list = appendWords(list, text, at, s.Start)
		list = append(list, token{s.Start, s.End, i})
		at = s.End
	}
	return appendWords(list, text, at, len(text))
}

func appendWords(list []token, text string, from, to int) []token {
	start := -1
	for i := from; i < to; {
		r, n := utf8.DecodeRuneInString(text[i:to])
		if inWord(r) {
			if start < 0 {
				start = i
			}
		} else if start >= 0 {
			list = append(list, token{start, i, -1})
			start = -1
		}
		i += n
	}
	if start >= 0 {
		list = append(list, token{start, to, -1})
	}
	return list
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// window is the context of one entity as token indexes, half open.
type window struct{ from, at, to int }

// windows gives the context of every entity, in the order of the spans.
func windows(list []token) []window {
	var ws []window
	for i, t := range list {
		if t.entity >= 0 {
			ws = append(ws, window{max(0, i-contextWords), i, min(len(list), i+contextWords+1)})
		}
	}
	return ws
}

// Windows gives the byte borders of the contexts of the spans, which must be sorted and disjoint.
func Windows(text string, spans []phi.Span) [][2]int {
	list := tokens(text, spans)
	borders := make([][2]int, 0, len(spans))
	for _, w := range windows(list) {
		borders = append(borders, [2]int{list[w.from].start, list[w.to-1].end})
	}
	return borders
}
