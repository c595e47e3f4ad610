package pipeline

import (
	"iter"
	"unicode/utf8"
)

// Word is one \w+ match (Unicode) of a text, as byte offsets.
type Word struct{ Start, End int }

// Words walks over the words of a text: runs of letters, digits, combining marks and underscores. All word scores count
// these.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		start := -1
		for i := 0; i < len(text); {
			r, n := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(text[i:])
			}
			switch in := isWordRune(r); {
			case in && start < 0:
				start = i
			case !in && start >= 0:
				if !yield(Word{start, i}) {
					return
				}
				start = -1
			}
			i += n
		}
		if start >= 0 {
			yield(Word{start, len(text)})
		}
	}
}
