package gazetteer

import (
	"iter"
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
	at := f.Cursor()
	for start, end := range spansOf(f.Text) {
		t := token{start: start, end: end}
		t.source, t.stop = at.Source(start, end)
		t.shape = shapeOf(text[t.source:t.stop])
		if t.capital() {
			words.AddString(f.Text[start:end])
		}
		t.initial = t.shape != small && t.shape != number && end-start == 1
		if n := len(buf); n > 0 {
			t.gap = gapOf(f.Text[buf[n-1].end:start])
		}
		buf = append(buf, t)
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
		for start, end := range spansOf(folded) {
			if !yield(folded[start:end]) {
				return
			}
		}
	}
}

// spansOf gives the words of a folded text as offsets: runs of letters and digits, with an apostrophe inside where
// it belongs to a name (O'Hara, D'Angelo).
func spansOf(folded string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(folded); {
			if folded[i] < utf8.RuneSelf && !wordBytes[folded[i]] {
				i++
				continue
			}
			size, ok := letterAt(folded, i)
			if !ok {
				i += size
				continue
			}
			start := i
			for i < len(folded) {
				if wordBytes[folded[i]] {
					i++
					continue
				}
				size, ok := letterAt(folded, i)
				if ok {
					i += size
					continue
				}
				if folded[i] != '\'' || i-start > 2 || folded[i-1] < 'a' || !twoLetters(folded[i+1:]) {
					break
				}
				i++
			}
			if !yield(start, i) {
				return
			}
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

// letterAt gives the length of the rune at i and whether it belongs to a word.
func letterAt(s string, i int) (int, bool) {
	c := s[i]
	if c < utf8.RuneSelf {
		return 1, c-'a' < 26 || c-'0' < 10
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return size, r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func shapeOf(s string) shape {
	upper, lower := 0, 0
	first := small
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c-'a' < 26:
			lower++
		case c-'A' < 26:
			upper++
			if i == 0 {
				first = title
			}
		case c-'0' < 10:
			return number
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case unicode.IsDigit(r):
				return number
			case unicode.IsUpper(r):
				upper++
				if i == 0 {
					first = title
				}
			case unicode.IsLower(r):
				lower++
			}
			i += size - 1
		}
	}
	switch {
	case upper > 1 && lower == 0:
		return capitals
	case upper > 1 || upper == 1 && first == small:
		return mixed
	}
	return first
}

func gapOf(s string) gap {
	kind, breaks := space, 0
	switch {
	case s == " ":
		return space
	case s == "" || len(s) > 80:
		return far
	case s == ".-":
		return hyphen // H.-P.
	}
	for i := range len(s) {
		var next gap
		switch s[i] {
		case ' ', '\t', '\r':
			continue
		case '\n':
			breaks++
			continue
		case '-':
			next = hyphen
		case ',':
			next = comma
		case '.':
			next = dot
		case '\'':
			next = apostrophe
		case '/':
			next = slash
		default:
			return far
		}
		if kind != space {
			return far
		}
		kind = next
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
	case len(s) == 1:
		return kind
	}
	return far
}
