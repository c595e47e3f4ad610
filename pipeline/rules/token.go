package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi/lists"
)

// kind tells words, numbers and single signs apart.
type kind uint8

const (
	sign   kind = iota // one rune that is neither letter nor digit
	word               // letters with their marks, soft hyphens and joiners
	number             // ASCII digits
)

// shape is the case of a word.
type shape uint8

const (
	noShape shape = iota
	lower         // haus
	title         // Haus, also a single capital
	upper         // HAUS
	mixed         // McCoy, iPad
)

// token is one word, number or sign of a text. White space is no token; the token after it knows how much there was.
type token struct {
	start, end int
	class      class
	know       lists.Word // what the lists say of a word
	cue        cue
	kind       kind
	shape      shape
	sign       byte  // the sign itself if it is ASCII, '-' for every dash, '\'' for every apostrophe, 0 otherwise
	plain      uint8 // how common a word is: 0 for none of the language's words, to 3
	runes      uint8 // length in runes, at most 255
	gap        uint8 // white space before it: 0 none, 1 one space, 2 more (a column)
	lines      uint8 // line ends before it, at most 255
}

// tokenizer cuts texts into tokens; its room is used again.
type tokenizer struct {
	words  lists.Batch
	places []int32 // the token of each word
}

// tokens appends the tokens of a text. It reads any bytes; an invalid one is a sign of its own.
func (z *tokenizer) tokens(toks []token, text string) []token {
	z.words.Reset()
	z.places = z.places[:0]
	toks = z.cut(toks, text)
	for i, know := range z.words.Lookup() {
		t := &toks[z.places[i]]
		t.class, t.cue = classOf(z.words.Key(i), z.words.Hash(i))
		if t.runes > 1 {
			t.know = know
		}
	}
	return toks
}

// longestKey is the length at which the key of a word is cut, in bytes.
const longestKey = 64

// cut does so without looking the words up.
func (z *tokenizer) cut(toks []token, text string) []token {
	var (
		key        []byte
		gap, lines uint8
	)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			if lines < 255 {
				lines++
			}
			gap = 0
			i++
			continue
		case c == ' ':
			if gap < 2 {
				gap++
			}
			i++
			continue
		case c == '\t' || c == '\v' || c == '\f':
			gap = 2
			i++
			continue
		case c == '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
				continue
			}
			if lines < 255 {
				lines++
			}
			gap = 0
			i++
			continue
		}
		if len(toks) == cap(toks) {
			toks = slices.Grow(toks, len(toks)+64)
		}
		toks = toks[:len(toks)+1]
		t := &toks[len(toks)-1]
		*t = token{start: i, gap: gap, lines: lines}
		gap, lines = 0, 0
		switch {
		case c >= '0' && c <= '9':
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			t.kind = number
			t.runes = uint8(min(i-t.start, 255))
		case c < utf8.RuneSelf && !letter(c):
			t.sign = c
			if c == '`' {
				t.sign = '\''
			}
			t.runes = 1
			i++
		default:
			var n int
			key, n, t.shape, t.runes = readWord(z.words.Room(longestKey), text[i:])
			if n == 0 {
				r, size := utf8.DecodeRuneInString(text[i:])
				if unicode.IsSpace(r) {
					gap, lines = max(t.gap, 1), t.lines
					if r == '\u2028' || r == '\u2029' || r == '\u0085' {
						lines = max(lines, 1)
					}
					i += size
					toks = toks[:len(toks)-1]
					continue
				}
				if r == '\u200b' || r == '\ufeff' || r == '\u00ad' || unicode.Is(unicode.Cf, r) {
					gap, lines = t.gap, t.lines
					i += size
					toks = toks[:len(toks)-1]
					continue
				}
				t.sign = plainSign(r)
				t.runes = 1
				i += size
				break
			}
			i += n
			t.kind = word
			z.words.Take(len(key))
			z.places = append(z.places, int32(len(toks)-1))
		}
		t.end = i
	}
	return toks
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// plainSign maps typographic dashes and apostrophes to one sign each.
func plainSign(r rune) byte {
	switch r {
	case '‐', '‑', '‒', '–', '—', '−':
		return '-'
	case '’', '‘', '´', 'ʼ':
		return '\''
	case '„', '“', '”', '«', '»':
		return '"'
	case '·', '•', '●', '▪', '│', '¦':
		return '|'
	}
	return 0
}

// readWord reads the word at the beginning of s: its folded key (lower case, ä as ae, ß as ss, no soft hyphens; cut
// where it would outgrow dst), its length in bytes, its case, and its length in runes. Length 0: no word here.
func readWord(dst []byte, s string) (key []byte, n int, sh shape, runes uint8) {
	var ups, lows, count int
	// Most words are ASCII throughout; of these the rest of the function only finds the end.
	for most := min(len(s), cap(dst)); n < most; n++ {
		small := smallLetters[s[n]]
		if small == 0 {
			break
		}
		dst = append(dst, small)
		if small != s[n] {
			ups++
		}
	}
	count, lows = n, n-ups
	first := n > 0 && s[0] < 'a'
	for n < len(s) {
		c := s[n]
		if c < utf8.RuneSelf {
			switch {
			case c >= 'a' && c <= 'z':
				lows++
			case c >= 'A' && c <= 'Z':
				if count == 0 {
					first = true
				}
				ups++
				c += 'a' - 'A'
			default:
				goto done
			}
			count++
			n++
			if len(dst) < cap(dst) {
				dst = append(dst, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == utf8.RuneError && size == 1:
			goto done
		case unicode.IsLetter(r):
			if unicode.IsUpper(r) || unicode.IsTitle(r) {
				if count == 0 {
					first = true
				}
				ups++
				r = unicode.ToLower(r)
			} else {
				lows++
			}
			count++
			dst = appendFolded(dst, r)
		case count > 0 && unicode.IsMark(r):
			if r == '\u0308' && len(dst) > 0 && len(dst) < cap(dst) && strings.IndexByte("aou", dst[len(dst)-1]) >= 0 {
				dst = append(dst, 'e')
			}
		case count > 0 && (r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060'):
		default:
			goto done
		}
		n += size
	}
done:
	if count == 0 {
		return dst, 0, noShape, 0
	}
	switch {
	case ups == 0:
		sh = lower
	case first && ups == 1:
		sh = title
	case lows == 0:
		sh = upper
	case lows == 1 && ups > 3 && strings.Contains(s[:n], "ß"):
		sh = upper
	default:
		sh = mixed
	}
	return dst, n, sh, uint8(min(count, 255))
}

// smallLetters holds the small form of each letter of ASCII, 0 for all other bytes.
var smallLetters = func() (table [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = c, c
	}
	return table
}()

func appendFolded(dst []byte, r rune) []byte {
	if cap(dst)-len(dst) < utf8.UTFMax {
		return dst
	}
	switch r {
	case 'ä', 'æ':
		return append(dst, 'a', 'e')
	case 'ö', 'œ', 'ø':
		return append(dst, 'o', 'e')
	case 'ü':
		return append(dst, 'u', 'e')
	case 'ß', 'ẞ':
		return append(dst, 's', 's')
	case 'à', 'á', 'â', 'ã', 'å', 'ă', 'ą':
		return append(dst, 'a')
	case 'è', 'é', 'ê', 'ë', 'ę', 'ě':
		return append(dst, 'e')
	case 'ì', 'í', 'î', 'ï', 'ı', 'ī':
		return append(dst, 'i')
	case 'ò', 'ó', 'ô', 'õ', 'ő', 'ō':
		return append(dst, 'o')
	case 'ù', 'ú', 'û', 'ű', 'ů', 'ū':
		return append(dst, 'u')
	case 'ç', 'č', 'ć':
		return append(dst, 'c')
	case 'ñ', 'ń':
		return append(dst, 'n')
	case 'š', 'ś', 'ş', 'ș':
		return append(dst, 's')
	case 'ž', 'ź', 'ż':
		return append(dst, 'z')
	case 'ł':
		return append(dst, 'l')
	case 'ğ':
		return append(dst, 'g')
	}
	return utf8.AppendRune(dst, r)
}
