package fold

import (
	"unicode"
	"unicode/utf8"
)

// LettersEnd gives the end of the letters, with the marks on them, that stand at p.
func LettersEnd(s string, p int) int {
	for {
		for p < len(s) && letterBytes[s[p]] {
			p++
		}
		if p >= len(s) || s[p] < utf8.RuneSelf {
			return p
		}
		n, ok := letterAt(s, p)
		if !ok {
			return p
		}
		p += n
	}
}

// letterAt gives the length of the rune at p, which is not ASCII, and says whether it is a letter or a mark.
func letterAt(s string, p int) (size int, ok bool) {
	if s[p] == 0xc3 && p+1 < len(s) && s[p+1]&0xc0 == 0x80 { // Latin-1: letters but for two signs
		return 2, s[p+1] != 0x97 && s[p+1] != 0xb7
	}
	r, n := utf8.DecodeRuneInString(s[p:])
	return n, unicode.IsLetter(r) || unicode.IsMark(r)
}

// letterBytes are the letters of ASCII.
var letterBytes = func() (table [256]bool) {
	for c := 'a'; c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = true, true
	}
	return table
}()
