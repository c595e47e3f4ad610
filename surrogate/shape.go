package surrogate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mask puts a block for every letter and digit and leaves the rest, so that the shape stays.
func mask(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return '█'
		}
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, s)
}

// casing is how a word is written.
type casing uint8

const (
	asListed casing = iota
	lower
	upper
)

func casingOf(s string) casing {
	hasUpper, hasLower := false, false
	for _, r := range s {
		hasUpper = hasUpper || unicode.IsUpper(r)
		hasLower = hasLower || unicode.IsLower(r)
	}
	switch {
	case hasUpper && !hasLower && utf8.RuneCountInString(s) > 1:
		return upper
	case hasLower && !hasUpper:
		return lower
	}
	return asListed
}

func (c casing) apply(s string) string {
	switch c {
	case lower:
		return strings.ToLower(s)
	case upper:
		return strings.ToUpper(s)
	}
	return s
}

// reshape replaces every digit by a digit and every letter by a letter of the same case; the rest stays. A run of digits
// that begins with a zero begins with one again, others never do.
func reshape(s string, random []byte) string {
	var b strings.Builder
	i := 0
	next := func(n int) int {
		v := int(random[i%len(random)])
		i++
		return v % n
	}
	prevDigit := false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			d := byte('0' + next(10))
			if !prevDigit {
				if r == '0' {
					d = '0'
				} else {
					d = byte('1' + next(9))
				}
			}
			b.WriteByte(d)
		case r >= 'a' && r <= 'z':
			b.WriteByte(byte('a' + next(26)))
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte('A' + next(26)))
		case unicode.IsUpper(r):
			b.WriteByte(byte('A' + next(26)))
		case unicode.IsLetter(r):
			b.WriteByte(byte('a' + next(26)))
		case unicode.IsDigit(r):
			b.WriteByte(byte('0' + next(10)))
		default:
			b.WriteRune(r)
		}
		prevDigit = unicode.IsDigit(r)
	}
	return b.String()
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// putDigits writes digits into the places of those of s, from the first one on; s has at least as many.
func putDigits(s, digits string) string {
	i := 0
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' && i < len(digits) {
			r = rune(digits[i])
			i++
		}
		return r
	}, s)
}
