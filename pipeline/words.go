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
seek:
	for i < len(text) {
		switch wordBytes[text[i]] {
		case noWordByte:
			i++
			continue
		case partOfRune:
			if n, in := wordRuneAt(text, i); !in {
				i += n
				continue
			}
		}
		break seek
	}
	if i >= len(text) {
		return Word{}, false
	}
	w.Start = i
read:
	for i < len(text) {
		switch wordBytes[text[i]] {
		case wordByte:
			i++
			continue
		case partOfRune:
			if n, in := wordRuneAt(text, i); in {
				i += n
				continue
			}
		}
		break read
	}
	w.End = i
	return w, true
}

// wordRuneAt gives the length of the rune at i, which is not ASCII, and whether it belongs to a word.
func wordRuneAt(text string, i int) (size int, in bool) {
	if text[i] == 0xc3 && i+1 < len(text) && text[i+1]&0xc0 == 0x80 { // Latin-1: letters but for two signs
		return 2, text[i+1] != 0x97 && text[i+1] != 0xb7
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return n, isWordRune(r)
}

// What a byte says of words.
const (
	noWordByte uint8 = iota
	wordByte
	partOfRune
)

var wordBytes = func() (table [256]uint8) {
	for c := range rune(len(table)) {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = partOfRune
		case isWordRune(c):
			table[c] = wordByte
		}
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
