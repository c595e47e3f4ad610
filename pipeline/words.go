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
	for {
		for i < len(text) && wordBytes[text[i]] == noWordByte {
			i++
		}
		if i == len(text) || wordBytes[text[i]] == wordByte {
			break
		}
		n, in := wordRuneAt(text, i)
		if in {
			break
		}
		i += n
	}
	if i >= len(text) {
		return Word{}, false
	}
	return Word{i, wordEnd(text, i)}, true
}

// wordEnd gives the end of the word that begins at i.
func wordEnd(text string, i int) int {
	for {
		for i < len(text) && wordBytes[text[i]] == wordByte {
			i++
		}
		if i == len(text) || wordBytes[text[i]] == noWordByte {
			return i
		}
		n, in := wordRuneAt(text, i)
		if !in {
			return i
		}
		i += n
	}
}

// wordBegins says whether a word begins at i.
func wordBegins(text string, i int) bool {
	if i > 0 {
		switch wordBytes[text[i-1]] {
		case wordByte:
			return false
		case partOfRune:
			if r, _ := utf8.DecodeLastRuneInString(text[:i]); isWordRune(r) {
				return false
			}
		}
	}
	if wordBytes[text[i]] != partOfRune {
		return wordBytes[text[i]] == wordByte
	}
	_, in := wordRuneAt(text, i)
	return in
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
	from := len(dst)
	dst = append(dst, s...)
	added := dst[from:]
	for i, c := range added {
		switch {
		case c-'A' < 26:
			added[i] = c + 'a' - 'A'
		case c >= utf8.RuneSelf:
			return appendLowerRunes(dst[:from+i], s[i:])
		}
	}
	return dst
}

// appendLowerRunes does so rune by rune.
func appendLowerRunes(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}
