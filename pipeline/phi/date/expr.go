package date

import (
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi/fold"
)

// unit says what a field of an expression prints.
type unit uint8

const (
	textUnit unit = iota
	dayUnit
	dayOrdinalUnit // 5th
	dayWordUnit    // fünften, fifth
	monthUnit
	monthRomanUnit
	monthNameUnit
	monthWordUnit // zwölften
	yearUnit
	yearShortUnit // 21
	yearWordUnit  // zweitausendneunzehn
	nextYearUnit  // the second year of 2018/19
	nextYearShortUnit
	weekdayUnit
	weekUnit
	quarterUnit
	quarterRomanUnit
	halfUnit
	halfRomanUnit
	seasonUnit
	holidayUnit
	thirdUnit
	decadeUnit
)

// field is one piece of an expression: literal text or a part of one of its dates.
type field struct {
	unit     unit
	point    uint8
	width    uint8 // digits, with leading zeros
	letters  letterCase
	table    int8
	dot      bool // an abbreviation with its full stop
	from, to int32
}

// grain is the size of a date.
type grain uint8

const (
	dayGrain grain = iota
	weekGrain
	thirdGrain // a third of a month or, without a month, of a year
	monthGrain
	quarterGrain
	seasonGrain
	halfGrain
	yearGrain
	seasonYearGrain // 2018/19
	decadeGrain
	holidayGrain
)

// point is one date of an expression. Year 0, month 0: not stated.
type point struct {
	grain            grain
	year, month, day int16
	n                int16 // week, third, quarter, half, season, holiday
}

// shape is the form of an expression; the scanner's demands on the context depend on it.
type shape uint8

const (
	noShape        shape = iota
	fullShape            // day, month, year
	dayMonthShape        // 12.03.
	dayMonthOpen         // 12.03
	slashShape           // 3/14
	dashShape            // 3-14
	monthYearShape       // 12/2019, 12.2019
	yearShape            // 2017
	shortYearShape       // '98
	yearPairShape        // 2018/19
	yearMonthShape       // 2021-03
	dayShape             // 12.
	ordinalShape         // 14th
	theShape             // the 14th
	monthShape           // March, im Mai
	monthDayShape        // March 5, 5. März
	monthNameYear        // Mai 2019
	compactShape         // 20210927
	stampShape           // 202109270814, 2021-09-27T08:14
	sixShape             // 060747
	spacedShape          // 22 04 1958
	weekShape
	quarterShape
	halfShape
	seasonShape
	holidayShape
	thirdShape
	decadeShape
	wordsShape
)

const maxFields, maxPoints = 28, 6

// expr is a parsed expression. It lives on the stack of the parser; nothing is allocated until a Layout is made.
type expr struct {
	fields  [maxFields]field
	points  [maxPoints]point
	n       int
	dates   int
	shape   shape
	ranged  bool // several dates that share month or year
	word    bool // the dates are joined by a word (bis, und, to)
	german  bool
	english bool
	swapped bool             // slash date whose order is not certain
	noisy   bool             // letters stand for digits, as optical recognition leaves them
	year    bool             // a year is stated
	prefix  bool             // begins with a weekday
	splitAt [maxPoints]int32 // where a date begins that is joined to the one before it; 0: nowhere
}

func (e *expr) reset() {
	e.n, e.dates, e.shape = 0, 0, noShape
	e.ranged, e.word, e.german, e.english, e.swapped, e.noisy, e.year, e.prefix = false, false, false, false, false, false, false, false
	e.points, e.splitAt = [maxPoints]point{}, [maxPoints]int32{}
}

func (e *expr) add(f field) {
	if e.n < maxFields {
		e.fields[e.n] = f
	}
	e.n++
}

func (e *expr) text(from, to int) {
	if from < to {
		e.add(field{unit: textUnit, from: int32(from), to: int32(to)})
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// wordEnd gives the end of the letters that begin at p.
func wordEnd(s string, p int) int { return fold.LettersEnd(s, p) }

// isWordAt says whether a letter or digit stands at p.
func isWordAt(s string, p int) bool {
	if p >= len(s) {
		return false
	}
	c := s[p]
	if c < utf8.RuneSelf {
		return isLetter(c) || isDigit(c) || c == '_'
	}
	r, _ := utf8.DecodeRuneInString(s[p:])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isWordBefore says whether a letter or digit ends at p.
func isWordBefore(s string, p int) bool {
	if p <= 0 {
		return false
	}
	c := s[p-1]
	if c < utf8.RuneSelf {
		return isLetter(c) || isDigit(c) || c == '_'
	}
	r, _ := utf8.DecodeLastRuneInString(s[:p])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// skipSpace passes blanks and at most one line end, eight bytes at the most.
func skipSpace(s string, p int) int {
	lines := 0
	for q := p; q < len(s) && q < p+8; {
		switch {
		case s[q] == ' ' || s[q] == '\t' || s[q] == '\r':
			q++
		case s[q] == '\n':
			if lines++; lines > 1 {
				return p
			}
			q++
		case s[q] == 0xc2 && q+1 < len(s) && s[q+1] == 0xa0: // no-break space
			q += 2
		case s[q] == 0xe2 && q+2 < len(s) && s[q+1] == 0x80 && (s[q+2] == 0xaf || s[q+2] == 0x89 || s[q+2] == 0x87): // thin spaces
			q += 3
		default:
			return q
		}
		if q >= len(s) {
			return q
		}
	}
	if p < len(s) && (s[p] == ' ' || s[p] == '\t' || s[p] == '\r' || s[p] == '\n') {
		q := p
		for q < len(s) && q < p+8 && (s[q] == ' ' || s[q] == '\t') {
			q++
		}
		return q
	}
	return p
}

// blank passes at most two blanks on the same line.
func blank(s string, p int) int {
	for i := 0; i < 2 && p < len(s) && s[p] == ' '; i++ {
		p++
	}
	if p+1 < len(s) && s[p] == 0xc2 && s[p+1] == 0xa0 {
		p += 2
	}
	return p
}

// dash passes one hyphen, minus or dash.
func dash(s string, p int) int {
	if p >= len(s) {
		return p
	}
	if s[p] == '-' || s[p] == '~' {
		return p + 1
	}
	if s[p] == 0xe2 && p+2 < len(s) && s[p+1] == 0x80 && s[p+2] >= 0x90 && s[p+2] <= 0x95 {
		return p + 3
	}
	return p
}

// apostrophe passes one apostrophe in any form.
func apostrophe(s string, p int) int {
	if p >= len(s) {
		return p
	}
	if s[p] == '\'' || s[p] == '`' {
		return p + 1
	}
	if s[p] == 0xe2 && p+2 < len(s) && s[p+1] == 0x80 && (s[p+2] == 0x98 || s[p+2] == 0x99) {
		return p + 3
	}
	if s[p] == 0xc2 && p+1 < len(s) && s[p+1] == 0xb4 {
		return p + 2
	}
	return p
}

// number is a run of digits.
type number struct {
	value, width, end int
	real              int // true digits, the others are look-alikes
}

// digits reads a run of at most 14 digits. With noise, the letters that optical recognition writes for digits count
// as such, provided that what stands there could not be a word.
func digits(s string, p int, noise bool) number {
	n := number{end: p}
	for n.end < len(s) {
		c := s[n.end]
		d := -1
		switch {
		case isDigit(c):
			d = int(c - '0')
			n.real++
		case !noise:
		case c == 'O' || c == 'o':
			d = 0
		case c == 'l' || c == 'I' || c == '|':
			d = 1
		case c == 'Z':
			d = 2
		case c == 'S':
			d = 5
		case c == 'B':
			d = 8
		}
		if d < 0 {
			break
		}
		n.end++
		n.width++
		if n.width > 14 {
			return number{end: p}
		}
		n.value = n.value*10 + d
	}
	return n
}
