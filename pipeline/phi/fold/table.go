package fold

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	diaeresis = '\u0308'
	smallE    = '\u0364' // combining small e, the old umlaut
)

// tableSize covers Latin, Greek, Cyrillic and the marks: what European text is made of.
const tableSize = 0x600

// special holds the forms that no decomposition gives, for runes after lower-casing.
var special = map[rune]string{
	'ß': "ss", 'ä': "ae", 'ö': "oe", 'ü': "ue",
	'æ': "ae", 'œ': "oe", 'ø': "oe", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n", 'ŧ': "t",
	'ſ': "s", 'ƒ': "f",

	// apostrophes, hyphens, spaces, slashes
	'\u2018': "'", '\u2019': "'", '\u201A': "'", '\u201B': "'", '\u02BC': "'", '\u02B9': "'", '\u00B4': "'",
	'\u2032': "'", '\u02BB': "'", '\u02C8': "'", '\u055A': "'", '\uA78C': "'",
	'\u2010': "-", '\u2011': "-", '\u2012': "-", '\u2013': "-", '\u2014': "-", '\u2015': "-", '\u2212': "-",
	'\u2043': "-", '\uFE58': "-", '\u02D7': "-",
	'\u2028': "\n", '\u2029': "\n", '\u0085': "\n",
	'\u2044': "/", '\u2215': "/",

	// Cyrillic look-alikes
	'а': "a", 'в': "b", 'е': "e", 'ѕ': "s", 'і': "i", 'ј': "j", 'к': "k", 'м': "m", 'н': "h", 'о': "o", 'р': "p",
	'с': "c", 'т': "t", 'у': "y", 'х': "x", 'ԁ': "d", 'ԛ': "q", 'ԝ': "w", 'һ': "h", 'ӏ': "l", 'ґ': "r",

	// Greek look-alikes; small ones only where the small letter is one, and never μ, which is a unit.
	'ο': "o", 'α': "a", 'ι': "i", 'ν': "v", 'ρ': "p", 'υ': "u", 'κ': "k", 'χ': "x",
	'Α': "a", 'Β': "b", 'Ε': "e", 'Ζ': "z", 'Η': "h", 'Ι': "i", 'Κ': "k", 'Μ': "m", 'Ν': "n", 'Ο': "o", 'Ρ': "p",
	'Τ': "t", 'Υ': "y", 'Χ': "x",
}

// form is what a rune folds to; known is false where it stays or must be decomposed.
type form struct {
	text  string
	known bool
}

var table = func() (t [tableSize]form) {
	for r := rune(utf8.RuneSelf); r < tableSize; r++ {
		t[r] = single(r)
	}
	return t
}()

// lookup gives the folded form of a rune that is not ASCII where it needs no decomposition.
func lookup(r rune) (string, bool) {
	if r < tableSize {
		return table[r].text, table[r].known
	}
	f := single(r)
	return f.text, f.known
}

func single(r rune) form {
	if s, ok := special[r]; ok {
		return form{s, true}
	}
	switch {
	case r == utf8.RuneError:
		return form{"\uFFFD", true}
	case mark(r), unicode.Is(unicode.Cf, r), r == '\u034F', r == '\u115F', r == '\u1160', r == '\u3164', r == '\uFFA0':
		return form{"", true}
	case unicode.Is(unicode.Zs, r):
		return form{" ", true}
	}
	l := unicode.ToLower(r)
	if l == r {
		return form{}
	}
	if l < utf8.RuneSelf {
		return form{string(rune(plain(byte(l)))), true}
	}
	if s, ok := special[l]; ok {
		return form{s, true}
	}
	if norm.NFKD.PropertiesString(string(l)).Decomposition() == nil {
		return form{string(l), true}
	}
	return form{}
}

// decompose writes the parts of a rune, accents left out; false says that it has none.
func (w *writer) decompose(r rune) bool {
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	parts := norm.NFKD.Properties(b[:n]).Decomposition()
	if hangul(r) {
		parts = norm.NFKD.Bytes(b[:n])
	}
	if len(parts) == 0 {
		return false
	}
	for len(parts) > 0 {
		p, size := utf8.DecodeRune(parts)
		parts = parts[size:]
		if p < utf8.RuneSelf {
			c := plain(byte(p))
			w.buf = append(w.buf, c)
			w.vowel = c == 'a' || c == 'o' || c == 'u'
			continue
		}
		if p == r {
			w.buf = utf8.AppendRune(w.buf, p)
			continue
		}
		w.rune(p)
	}
	return true
}

// hangul says whether the rune is a syllable that is put together by computation, not by table.
func hangul(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }

// plain folds one ASCII byte.
func plain(c byte) byte {
	if c == '`' {
		return '\''
	}
	return lower(c)
}

// mark says whether the rune is an accent or another sign that rides on the letter before it.
func mark(r rune) bool { return r >= 0x300 && unicode.Is(unicode.Mn, r) }

// plainTable holds what plain answers.
var plainTable = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = plain(byte(i))
	}
	return t
}()
