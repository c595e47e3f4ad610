package gazetteer

import (
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// shape is how a word is written in the text.
type shape uint8

const (
	small    shape = iota // begins with a small letter, or with one that has no case
	title                 // begins with a capital
	capitals              // two capitals or more and nothing else
	mixed                 // a capital, more of them later: McDonald, iPhone
	number                // holds a digit
)

// gap is what stands between a word and the one before it.
type gap uint8

const (
	far    gap = iota // a stop, a colon, a bracket …: another phrase begins
	space             // blanks only
	wrap              // one line break with blanks
	hyphen            // a hyphen and nothing else
	comma             // a comma, blanks or one line break
	dot               // a stop, blanks after it or not
	apostrophe
	slash
	broken // a hyphen at the line's end
)

// token is one word of the folded text.
type token struct {
	start, end   int        // in the folded text
	source, stop int        // in the chunk's text
	word         lists.Word // only of words that begin with a capital
	hash         uint32     // of the word, as lists.Hash gives it; 0: not computed yet
	shape        shape
	gap          gap
	initial      bool // one capital letter
	cued         bool // cue was looked up
	cue          cue
}

func (t token) capital() bool { return t.shape == title || t.shape == capitals || t.shape == mixed }

// tokens cuts the folded text into words and looks each up. The buffer is used again.
func tokens(text string, f fold.Folded, buf []token, words *lists.Batch) []token {
	buf = buf[:0]
	words.Reset()
	at, level, last := f.Cursor(), f.Level(), 0
	for start, end := nextWord(f.Text, 0); start < end; start, end = nextWord(f.Text, end) {
		n := len(buf)
		if n == cap(buf) {
			buf = slices.Grow(buf, n+64)
		}
		buf = buf[:n+1]
		source, stop := start, end
		if !level {
			source, stop = at.Source(start, end)
		}
		t := &buf[n]
		*t = token{start: start, end: end, source: source, stop: stop, shape: shapeOf(text[source:stop])}
		if t.capital() {
			t.hash = lists.Hash(f.Text[start:end])
			words.AddHashed(f.Text[start:end], t.hash)
			t.initial = end-start == 1
		}
		if n > 0 {
			t.gap = gapOf(f.Text[last:start])
		}
		last = end
	}
	known := words.Lookup()
	for i := range buf {
		if buf[i].capital() {
			buf[i].word, known = known[0], known[1:]
		}
	}
	return buf
}

// wordsOf gives the words of a folded text.
func wordsOf(folded string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start, end := nextWord(folded, 0); start < end; start, end = nextWord(folded, end) {
			if !yield(folded[start:end]) {
				return
			}
		}
	}
}

// nextWord gives the first word of a folded text at or behind i, an empty range where there is none: a run of letters
// and digits, with an apostrophe inside where it belongs to a name (O'Hara, D'Angelo).
func nextWord(folded string, i int) (start, end int) {
	for {
		for i < len(folded) && !wordBytes[folded[i]] && folded[i] < utf8.RuneSelf {
			i++
		}
		if i >= len(folded) || wordBytes[folded[i]] {
			break
		}
		size, ok := letterAt(folded, i)
		if ok {
			break
		}
		i += size
	}
	start = i
	for {
		for i < len(folded) && wordBytes[folded[i]] {
			i++
		}
		if i >= len(folded) {
			return start, i
		}
		switch c := folded[i]; {
		case c == '\'' && i-start <= 2 && folded[i-1] >= 'a' && twoLetters(folded[i+1:]):
			i++
		case c < utf8.RuneSelf:
			return start, i
		default:
			size, ok := letterAt(folded, i)
			if !ok {
				return start, i
			}
			i += size
		}
	}
}

// twoLetters says whether a name goes on after an apostrophe: 's and 't are no names.
func twoLetters(rest string) bool {
	return len(rest) > 2 && rest[0] >= 'a' && rest[0] <= 'z' && rest[1] >= 'a' && rest[1] <= 'z' && rest[2] >= 'a' && rest[2] <= 'z'
}

// wordBytes are the ASCII letters and digits of folded words.
var wordBytes = func() (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789") {
		table[c] = true
	}
	return table
}()

// letterAt gives the length of the rune at i, which is not ASCII, and whether it belongs to a word.
func letterAt(s string, i int) (int, bool) {
	r, size := utf8.DecodeRuneInString(s[i:])
	return size, r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Kinds of bytes in a word.
const (
	smallByte uint8 = 1 << iota
	digitByte
	runeByte    // part of a rune that is not ASCII
	capitalByte // the highest, so that a sum counts the capitals
)

var byteKinds = func() (table [256]uint8) {
	for c := range table {
		switch b := byte(c); {
		case b-'a' < 26:
			table[c] = smallByte
		case b-'A' < 26:
			table[c] = capitalByte
		case b-'0' < 10:
			table[c] = digitByte
		case b >= utf8.RuneSelf:
			table[c] = runeByte
		}
	}
	return table
}()

func shapeOf(s string) shape {
	all, capitals := uint8(0), 0
	for i := range len(s) {
		k := byteKinds[s[i]]
		all |= k
		capitals += int(k / capitalByte)
	}
	switch {
	case all&runeByte != 0:
		return shapeOfRunes(s)
	case all&digitByte != 0:
		return number
	}
	return shapeBy(capitals, all&smallByte != 0, s != "" && byteKinds[s[0]] == capitalByte)
}

// shapeOfRunes is shapeOf for words with letters beyond ASCII.
func shapeOfRunes(s string) shape {
	upper, lower, first := 0, false, false
	for i, r := range s {
		switch {
		case unicode.IsDigit(r):
			return number
		case unicode.IsUpper(r):
			upper++
			first = first || i == 0
		case unicode.IsLower(r):
			lower = true
		}
	}
	return shapeBy(upper, lower, first)
}

// shapeBy gives the shape by the number of capitals, whether there are small letters, and whether the first is a capital.
func shapeBy(upper int, lower, first bool) shape {
	switch {
	case upper > 1 && !lower:
		return capitals
	case upper > 1 || upper == 1 && !first:
		return mixed
	case first:
		return title
	}
	return small
}

func gapOf(s string) gap {
	kind, breaks := space, 0
	switch {
	case len(s) == 1:
		return signGaps[s[0]]
	case s == "" || len(s) > 80:
		return far
	case s == ".-":
		return hyphen // H.-P.
	}
	for i := range len(s) {
		switch next := signGaps[s[i]]; next {
		case space:
		case wrap:
			breaks++
		case far:
			return far
		default:
			if kind != space {
				return far
			}
			kind = next
		}
	}
	switch {
	case breaks > 1:
		return far
	case kind == hyphen && breaks == 1 && s[0] == '-':
		return broken
	case kind == comma && s[0] == ',':
		return comma
	case kind == dot && s[0] == '.' && breaks == 0:
		return dot
	case kind == space && breaks == 1:
		return wrap
	case kind == space:
		if len(s) > 3 {
			return far // a column of a table
		}
		return space
	}
	return far
}

// signGaps are the gaps of a single sign.
var signGaps = [256]gap{
	' ': space, '\t': space, '\r': space, '\n': wrap, '-': hyphen, ',': comma, '.': dot, '\'': apostrophe, '/': slash,
}
