package known

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi/fold"
)

// gap is what stands between a token and the one before it.
type gap uint8

const (
	far    gap = iota // the text's begin, or more than names and numbers have inside
	glued             // nothing: letters against digits
	space             // blanks, at most three
	line              // one line break with blanks
	hyphen            // a hyphen
	broken            // a hyphen and a line break
	comma             // a comma with blanks, or a line break behind it
	dot               // a stop, blanks behind it or not
	mark              // one or a few of the signs that numbers and addresses have inside
	caret             // ^ or an apostrophe
)

// token is a run of letters or a run of digits of the folded text.
type token struct {
	start, end   int // in the folded text
	source, stop int // in the text
	gap          gap
	digits       bool
	capital      bool // begins with a capital
	capitals     bool // has no small letter
}

// run is a run of letters or of digits.
type run struct{ start, end, kind int }

// runsOf cuts a folded text into them.
func runsOf(folded string) iter.Seq[run] {
	return func(yield func(run) bool) {
		for i := 0; i < len(folded); {
			kind, size := kindAt(folded, i)
			if kind == 0 {
				i += size
				continue
			}
			start := i
			for i < len(folded) {
				k, size := kindAt(folded, i)
				if k != kind {
					break
				}
				i += size
			}
			if !yield(run{start, i, kind}) {
				return
			}
		}
	}
}

// tokens cuts the folded text. The buffer is used again.
func tokens(text string, f fold.Folded, buf []token) []token {
	buf = buf[:0]
	cursor := f.Cursor()
	folded := f.Text
	last := 0
	for r := range runsOf(folded) {
		start, i := r.start, r.end
		t := token{start: start, end: i, digits: r.kind == digit}
		t.source, t.stop = cursor.Source(start, i)
		if !t.digits {
			t.capital, t.capitals = caseOf(text[t.source:t.stop])
		}
		if len(buf) > 0 {
			t.gap = gapOf(folded[last:start])
		}
		last = i
		buf = append(buf, t)
	}
	return buf
}

const (
	letter = 1
	digit  = 2
)

func kindAt(s string, i int) (kind, size int) {
	c := s[i]
	if c < utf8.RuneSelf {
		switch {
		case c-'a' < 26:
			return letter, 1
		case c-'0' < 10:
			return digit, 1
		}
		return 0, 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == utf8.RuneError:
		return 0, size
	case unicode.IsLetter(r):
		return letter, size
	}
	return 0, size
}

func caseOf(s string) (capital, capitals bool) {
	capitals = true
	for i, r := range s {
		switch {
		case unicode.IsUpper(r):
			capital = capital || i == 0
		case unicode.IsLower(r):
			capitals = false
		}
	}
	return capital, capital && capitals
}

func gapOf(s string) gap {
	switch s {
	case "":
		return glued
	case " ":
		return space
	case "-":
		return hyphen
	case ".", ". ":
		return dot
	}
	if len(s) > 24 {
		return far
	}
	kind, breaks, blanks, signs := space, 0, 0, 0
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r':
			blanks++
			continue
		case '\n':
			breaks++
			continue
		case '-':
			kind = hyphen
		case ',':
			kind = comma
		case '.':
			kind = dot
		case '^', '\'':
			kind = caret
		case '/', '(', ')', '+', ':', '#', '_', '@', ';', '|', '*', '"', '[', ']', '=', '&', '~', '\\', '?', '%':
			kind = mark
		default:
			return far
		}
		signs++
	}
	switch {
	case breaks > 1, signs > 4, blanks > 12:
		return far
	case signs == 0 && breaks == 1:
		return line
	case signs == 0:
		if blanks > 3 {
			return far
		}
		return space
	case signs == 1 && kind == hyphen && breaks == 1 && s[0] == '-':
		return broken
	case breaks == 1 && kind != comma && kind != mark:
		return far
	case signs > 1:
		return mark
	}
	return kind
}
