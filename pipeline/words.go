package pipeline

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Word is one \w+ match (Unicode) of a text, as byte offsets.
type Word struct{ Start, End int }

// Words walks over the words of a text: runs of letters, digits, combining marks and underscores. All word scores count
// these.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for w, ok := nextWord(text, 0); ok; w, ok = nextWord(text, w.End) {
			if !yield(w) {
				return
			}
		}
	}
}

// nextWord gives the first word that begins at or after a border of words; ok is false where there is none.
func nextWord(text string, at int) (w Word, ok bool) {
	i := at
	for i < len(text) {
		n, in := wordRuneAt(text, i)
		if in {
			break
		}
		i += n
	}
	if i >= len(text) {
		return Word{}, false
	}
	w.Start = i
	for i < len(text) {
		n, in := wordRuneAt(text, i)
		if !in {
			break
		}
		i += n
	}
	w.End = i
	return w, true
}

// wordRuneAt gives the length of the rune at i, and whether it belongs to a word.
func wordRuneAt(text string, i int) (size int, in bool) {
	if c := text[i]; c < utf8.RuneSelf {
		return 1, wordBytes[c]
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return n, isWordRune(r)
}

var wordBytes = func() (table [utf8.RuneSelf]bool) {
	for c := range rune(utf8.RuneSelf) {
		table[c] = isWordRune(c)
	}
	return table
}()

// appendLower appends the lower case of s to dst, without allocating where dst has room.
func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c-'A' < 26 {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		i += n
	}
	return dst
}
