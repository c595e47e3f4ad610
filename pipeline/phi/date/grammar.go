package date

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

// order is the order of the numbers in a date with slashes.
type order uint8

const (
	noOrder order = iota
	dayFirst
	monthFirst
)

// grammar reads one expression at a time.
type grammar struct {
	s     string
	lang  phi.Language
	order order
	noise bool // accept letters for digits
	loose bool // a whole expression is given: forms that need context in running text are allowed
	e     expr
}

// at reads the longest expression that begins at p and gives its end, or -1.
func (g *grammar) at(p int) int {
	g.e.reset()
	s := g.s
	if p >= len(s) {
		return -1
	}
	c := s[p]
	switch {
	case isDigit(c):
		return g.number(p)
	case apostrophe(s, p) > p:
		q := apostrophe(s, p)
		if n := digits(s, q, false); n.width == 2 && !isWordAt(s, n.end) {
			g.e.text(p, q)
			g.addYear(n, 0)
			g.e.shape = shortYearShape
			g.e.points[0].grain = yearGrain
			g.e.dates = 1
			return n.end
		}
		return -1
	case isLetter(c) || c >= 0x80:
		if g.noise && (c == 'O' || c == 'o' || c == 'l' || c == 'I') {
			if n := digits(s, p, true); n.width <= 2 && n.end < len(s) && s[n.end] == '.' {
				if end := g.number(p); end > 0 {
					return end
				}
				g.e.reset()
			}
			if n := digits(s, p, true); n.width == 4 && n.real == 3 && c == 'l' {
				if end := g.number(p); end > 0 {
					return end
				}
				g.e.reset()
			}
		}
		return g.word(p)
	}
	return -1
}

func (g *grammar) num(p int) number {
	n := digits(g.s, p, g.noise)
	if n.width > n.real && n.real == 0 && n.width != 2 && n.width != 1 {
		return number{end: p}
	}
	return n
}

func (g *grammar) addDay(n number, point int) {
	g.e.points[point].day = int16(n.value)
	g.e.add(field{unit: dayUnit, point: uint8(point), width: uint8(n.width), from: int32(n.end - n.width), to: int32(n.end)})
	if n.real < n.width {
		g.e.noisy = true
	}
}

func (g *grammar) addMonth(n number, point int) {
	g.e.points[point].month = int16(n.value)
	g.e.add(field{unit: monthUnit, point: uint8(point), width: uint8(n.width), from: int32(n.end - n.width), to: int32(n.end)})
	if n.real < n.width {
		g.e.noisy = true
	}
}

// addYear adds a year of two or four digits.
func (g *grammar) addYear(n number, point int) {
	u, y := yearUnit, n.value
	if n.width == 2 {
		u, y = yearShortUnit, century(n.value)
	}
	g.e.points[point].year = int16(y)
	g.e.year = true
	g.e.add(field{unit: u, point: uint8(point), width: uint8(n.width), from: int32(n.end - n.width), to: int32(n.end)})
	if n.real < n.width {
		g.e.noisy = true
	}
}

// century completes a year of two digits: up to 39 it is this century's.
func century(y int) int {
	if y < 40 {
		return 2000 + y
	}
	return 1900 + y
}

func validYear(n number) bool { return n.width == 4 && n.value >= 1850 && n.value <= 2150 }

func validMonth(n number) bool {
	return (n.width == 1 || n.width == 2) && n.value >= 1 && n.value <= 12
}

func validDay(n number) bool { return (n.width == 1 || n.width == 2) && n.value >= 1 && n.value <= 31 }

// fits says whether a month can have that day, in some year.
func fits(day, month int) bool { return day <= monthDays(2000, month) }

// yearAt reads a year of four digits, of two, or of two after an apostrophe; blank apostrophes are literal text.
func (g *grammar) yearAt(p, point int, short bool) int {
	s := g.s
	if q := apostrophe(s, p); q > p {
		if n := digits(s, q, false); n.width == 2 && !isWordAt(s, n.end) {
			g.e.text(p, q)
			g.addYear(n, point)
			return n.end
		}
		return -1
	}
	n := g.num(p)
	switch {
	case validYear(n) && n.real >= 1 && (n.end >= len(s) || !isDigit(s[n.end])):
		g.addYear(n, point)
		return n.end
	case short && n.width == 2 && n.real >= 1 && !isWordAt(s, n.end):
		g.addYear(n, point)
		return n.end
	}
	return -1
}

// monthNameAt reads the name of a month with its full stop, if it is an abbreviation.
func (g *grammar) monthNameAt(p, point int) int {
	s := g.s
	q := wordEnd(s, p)
	if q == p {
		return -1
	}
	text := s[p:q]
	w, ok := look(text)
	if ok && w.class != classMonth {
		ok = false
	}
	if !ok && g.noise && q-p <= 9 && strings.ContainsAny(text, "Il") {
		w, ok = look(strings.ReplaceAll(strings.ReplaceAll(text, "I", "l"), "ll", "l"))
		ok = ok && w.class == classMonth
	}
	if !ok {
		return -1
	}
	table := int(w.table)
	if w.both {
		english := g.lang == phi.English || g.lang == "" && !w.german
		switch {
		case english && table == monthsDE:
			table = monthsEN
		case english && table == monthsDEShort:
			table = monthsENShort
		case english && table == monthsDEShortSept:
			table = monthsENShortSept
		}
	} else if w.german {
		g.e.german = true
	} else {
		g.e.english = true
	}
	g.e.points[point].month = w.number
	f := field{unit: monthNameUnit, point: uint8(point), letters: caseOf(text), table: int8(table), from: int32(p), to: int32(q)}
	if q < len(s) && s[q] == '.' && isAbbreviation(table, int(w.number)) {
		f.dot = true
		q++
		f.to = int32(q)
	}
	g.e.add(f)
	return q
}

// isAbbreviation says whether the name of the month in that table is shorter than its full name.
func isAbbreviation(table, month int) bool {
	full := monthsDE
	if table >= monthsEN {
		full = monthsEN
	}
	name := monthNames[table][month-1]
	switch table {
	case monthsDEShort, monthsDEShortMrz, monthsDEShortSept, monthsATShort, monthsENShort, monthsENShortSept:
		return len(name) < len(monthNames[full][month-1])
	}
	return false
}

// number reads an expression that begins with a digit.
func (g *grammar) number(p int) int {
	n := g.num(p)
	if n.width == 0 {
		return -1
	}
	g.e.dates = 1
	switch n.width {
	case 1, 2:
		return g.smallNumber(p, n)
	case 4:
		if validYear(n) && n.real >= 1 {
			return g.yearNumber(p, n)
		}
	case 6:
		if n.real == 6 {
			return g.compactSix(p, n)
		}
	case 8, 12, 14:
		if n.real == n.width {
			return g.compact(p, n)
		}
	}
	return -1
}

// compact reads 20210927, also with a time (202109270814, 20210927081422).
func (g *grammar) compact(p int, n number) int {
	date := number{value: n.value, width: 8, end: p + 8, real: 8}
	for w := n.width; w > 8; w -= 2 {
		date.value /= 100
	}
	y := number{value: date.value / 10000, width: 4, end: p + 4, real: 4}
	m := number{value: date.value / 100 % 100, width: 2, end: p + 6, real: 2}
	d := number{value: date.value % 100, width: 2, end: p + 8, real: 2}
	if !validYear(y) || !validMonth(m) || !validDay(d) || !fits(d.value, m.value) {
		return g.compactBirth(p, n)
	}
	if n.width > 8 {
		clock := g.s[p+8 : n.end]
		if clock[0] > '2' || clock[:2] > "23" || clock[2] > '5' || len(clock) == 6 && clock[4] > '5' {
			return -1
		}
	}
	if isWordAt(g.s, n.end) {
		return -1
	}
	g.addYear(y, 0)
	g.addMonth(m, 0)
	g.addDay(d, 0)
	g.e.text(p+8, n.end)
	g.e.shape = compactShape
	if n.width > 8 {
		g.e.shape = stampShape
	}
	return n.end
}

// compactBirth reads ddmmyyyy or, in English, mmddyyyy, as they stand on labels.
func (g *grammar) compactBirth(p int, n number) int {
	if n.width != 8 || isWordAt(g.s, n.end) {
		return -1
	}
	a := number{value: n.value / 1000000, width: 2, end: p + 2, real: 2}
	b := number{value: n.value / 10000 % 100, width: 2, end: p + 4, real: 2}
	y := number{value: n.value % 10000, width: 4, end: n.end, real: 4}
	if !validYear(y) || y.value < 1900 || y.value > 2040 {
		return -1
	}
	return g.unsigned(a, b, y, n.end)
}

// unsigned takes two numbers without signs between them as day and month, in the order of the text, and a year.
func (g *grammar) unsigned(a, b, y number, end int) int {
	first := dayFirst
	if g.order == monthFirst || g.order == noOrder && g.lang == phi.English {
		first = monthFirst
	}
	if !g.pair(a, b, first) {
		return -1
	}
	g.addYear(y, 0)
	g.e.shape = sixShape
	return end
}

// compactSix reads ddmmyy or, in English, mmddyy.
func (g *grammar) compactSix(p int, n number) int {
	a := number{value: n.value / 10000, width: 2, end: p + 2, real: 2}
	b := number{value: n.value / 100 % 100, width: 2, end: p + 4, real: 2}
	y := number{value: n.value % 100, width: 2, end: p + 6, real: 2}
	if isWordAt(g.s, n.end) {
		return -1
	}
	return g.unsigned(a, b, y, n.end)
}

// pair adds day and month, in the given order if that is possible and in the other one if not.
func (g *grammar) pair(a, b number, first order) bool {
	dm := validDay(a) && validMonth(b) && fits(a.value, b.value)
	md := validMonth(a) && validDay(b) && fits(b.value, a.value)
	switch {
	case !dm && !md:
		return false
	case dm && (first == dayFirst || !md):
		g.addDay(a, 0)
		g.between(a, b)
		g.addMonth(b, 0)
	default:
		g.addMonth(a, 0)
		g.between(a, b)
		g.addDay(b, 0)
	}
	g.e.swapped = dm && md && a.value != b.value
	return true
}

func (g *grammar) between(a, b number) { g.e.text(a.end, b.end-b.width) }

// yearNumber reads what begins with a year of four digits.
func (g *grammar) yearNumber(p int, y number) int {
	s := g.s
	q := y.end
	if q < len(s) && (s[q] == '-' || s[q] == '/' || s[q] == '.') {
		sep := s[q]
		if n := g.num(q + 1); n.width > 0 {
			if validMonth(n) && n.end < len(s) && s[n.end] == sep {
				if d := g.num(n.end + 1); validDay(d) && fits(d.value, n.value) && (d.end >= len(s) || !isDigit(s[d.end])) {
					g.addYear(y, 0)
					g.e.text(q, q+1)
					g.addMonth(n, 0)
					g.e.text(n.end, n.end+1)
					g.addDay(d, 0)
					g.e.shape = fullShape
					if g.loose && sep == '-' && d.end < len(s) && s[d.end] == 'T' { // in running text the time stays
						if end := isoTime(s, d.end); end > d.end {
							g.e.text(d.end, end)
							g.e.shape = stampShape
							return end
						}
					}
					return d.end
				}
			}
			if sep != '.' && n.width == 2 && !isWordAt(s, n.end) && !joined(s, n.end) {
				next := (y.value + 1) % 100
				if sep == '-' && n.value >= 1 && n.value <= 12 && n.value != next {
					g.addYear(y, 0)
					g.e.text(q, q+1)
					g.addMonth(n, 0)
					g.e.points[0].grain = monthGrain
					g.e.shape = yearMonthShape
					return n.end
				}
				if last := y.value/100*100 + n.value; last > y.value && last-y.value <= 30 {
					g.addYear(y, 0)
					g.e.points[0].grain = yearGrain
					g.e.text(q, q+1)
					if last == y.value+1 {
						g.e.points[0].grain = seasonYearGrain
						g.e.add(field{unit: nextYearShortUnit, from: int32(q + 1), to: int32(n.end)})
					} else {
						g.e.dates, g.e.ranged = 2, true
						g.e.splitAt[1] = int32(q + 1)
						g.addYear(n, 1)
						g.e.points[1].year = int16(last)
						g.e.points[1].grain = yearGrain
					}
					g.e.shape = yearPairShape
					return n.end
				}
			}
			if sep == '/' && validYear(n) && n.value == y.value+1 && !isWordAt(s, n.end) && !joined(s, n.end) {
				g.addYear(y, 0)
				g.e.points[0].grain = seasonYearGrain
				g.e.text(q, q+1)
				g.e.add(field{unit: nextYearUnit, from: int32(q + 1), to: int32(n.end)})
				g.e.shape = yearPairShape
				return n.end
			}
		} else if sep == '-' {
			mark := g.e
			g.addYear(y, 0)
			g.e.text(q, q+1)
			if len(s) > q+3 && (s[q+1] == 'K' || s[q+1] == 'k') && (s[q+2]|0x20) == 'w' {
				if w := digits(s, q+3, false); w.width >= 1 && w.width <= 2 && w.value >= 1 && w.value <= 53 && !isWordAt(s, w.end) {
					g.e.text(q+1, q+3)
					g.addWeek(w)
					return w.end
				}
			}
			if r := g.monthNameAt(q+1, 0); r > 0 && r < len(s) && s[r] == '-' {
				g.e.text(r, r+1)
				if d := digits(s, r+1, false); validDay(d) && !isWordAt(s, d.end) {
					g.addDay(d, 0)
					g.e.shape = fullShape
					return d.end
				}
			}
			g.e = mark
		}
	}
	if q < len(s) && (s[q] == 's' || s[q] == '\'' && q+1 < len(s) && s[q+1] == 's') && y.value%10 == 0 {
		end := q + 1
		if s[q] == '\'' {
			end++
		}
		if !isWordAt(s, end) {
			g.addYear(y, 0)
			g.e.text(q, end)
			g.e.points[0].grain = decadeGrain
			g.e.shape = decadeShape
			return end
		}
	}
	if q+2 < len(s) && s[q] == 'e' && s[q+1] == 'r' && y.value%10 == 0 && !isWordAt(s, q+2) {
		g.addYear(y, 0)
		g.e.text(q, q+2)
		g.e.points[0].grain = decadeGrain
		g.e.shape = decadeShape
		return q + 2
	}
	if isWordAt(s, q) {
		return -1
	}
	g.addYear(y, 0)
	g.e.points[0].grain = yearGrain
	g.e.shape = yearShape
	return q
}

// joined says whether what follows ties the number at p to a longer one.
func joined(s string, p int) bool {
	return p+1 < len(s) && (s[p] == '-' || s[p] == '/' || s[p] == '.' || s[p] == ',') && isDigit(s[p+1])
}

// isoTime passes T14:22, T14:22:09.123+01:00 and the like.
func isoTime(s string, p int) int {
	q := p + 1
	h := digits(s, q, false)
	if h.width != 2 || h.value > 24 || h.end >= len(s) || s[h.end] != ':' {
		return p
	}
	m := digits(s, h.end+1, false)
	if m.width != 2 || m.value > 59 {
		return p
	}
	q = m.end
	if q < len(s) && s[q] == ':' {
		if sec := digits(s, q+1, false); sec.width == 2 && sec.value <= 60 {
			q = sec.end
			if q < len(s) && (s[q] == '.' || s[q] == ',') {
				if f := digits(s, q+1, false); f.width > 0 {
					q = f.end
				}
			}
		}
	}
	switch {
	case q < len(s) && s[q] == 'Z':
		q++
	case q < len(s) && (s[q] == '+' || s[q] == '-'):
		if z := digits(s, q+1, false); z.width == 4 {
			q = z.end
		} else if z.width == 2 && z.end < len(s) && s[z.end] == ':' {
			if zm := digits(s, z.end+1, false); zm.width == 2 {
				q = zm.end
			}
		}
	}
	return q
}

func (g *grammar) addWeek(w number) {
	g.e.points[0].grain = weekGrain
	g.e.points[0].n = int16(w.value)
	g.e.add(field{unit: weekUnit, width: uint8(w.width), from: int32(w.end - w.width), to: int32(w.end)})
	g.e.shape = weekShape
}

// smallNumber reads what begins with one or two digits.
func (g *grammar) smallNumber(p int, n number) int {
	s := g.s
	q := n.end
	if n.width == 2 && n.real == 2 && classYearBefore(s, p) && !isWordAt(s, q) && !joined(s, q) {
		g.addYear(n, 0)
		g.e.points[0].grain = yearGrain
		g.e.shape = shortYearShape
		return q
	}
	if q >= len(s) {
		return -1
	}
	switch c := s[q]; {
	case c == '.':
		return g.dotted(p, n)
	case c == '/':
		return g.slashed(n)
	case c == '-' || dash(s, q) > q:
		return g.dashed(n)
	case isLetter(c):
		return g.glued(n)
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xc2 || c == 0xe2:
		return g.spaced(n)
	}
	return -1
}

// classYearBefore says whether the word before p announces a year of birth: Jahrgang 44, Jg. 51.
func classYearBefore(s string, p int) bool {
	q := p
	for q > 0 && p-q < 3 && (s[q-1] == ' ' || s[q-1] == '.' || s[q-1] == ':') {
		q--
	}
	if q == p || q == 0 || s[q-1]|0x20 != 'g' {
		return false
	}
	w := s[wordStart(s, q):q]
	return strings.EqualFold(w, "jg") || strings.EqualFold(w, "jahrgang")
}

// dotted reads d.m.y, d.m., d. Month and lists of days such as 12.-14.03.2021.
func (g *grammar) dotted(p int, n number) int {
	s := g.s
	if n.value < 1 && n.real > 0 {
		return -1
	}
	dot := n.end
	// 1. Advent, 4. Quartal, II. Quartal and so on.
	if r := skipSpace(s, dot+1); r < len(s) && (isLetter(s[r]) || s[r] >= 0x80) && n.real == n.width {
		if end := g.countedGerman(p, n, r); end > 0 {
			return end
		}
	}
	if !validDay(n) {
		return -1
	}
	if end := g.dottedMonthFirst(n); end > 0 {
		return end
	}
	g.addDay(n, 0)
	g.e.text(dot, dot+1)
	mark := g.e
	if end := g.afterDay(dot+1, 0, false); end > 0 {
		return end
	}
	g.e = mark
	if end := g.dayList(dot + 1); end > 0 {
		return end
	}
	g.e = mark
	// 09.2019
	if m := g.num(dot + 1); validMonth(n) && validYear(m) && !isWordAt(s, m.end) && !joined(s, m.end) {
		g.e.reset()
		g.e.dates = 1
		g.addMonth(n, 0)
		g.e.text(dot, dot+1)
		g.addYear(m, 0)
		g.e.points[0].grain = monthGrain
		g.e.shape = monthYearShape
		return m.end
	}
	if r := blank(s, dot+1); strings.HasPrefix(s[r:], "ds.") { // this month's
		end := r + 3
		if m := blank(s, end); strings.HasPrefix(s[m:], "Mts.") || strings.HasPrefix(s[m:], "Js.") {
			end = m + strings.IndexByte(s[m:], '.') + 1
		}
		g.e.text(dot+1, end)
		g.e.shape = dayMonthShape
		return end
	}
	if isWordAt(s, dot+1) || n.real < n.width {
		return -1
	}
	g.e.shape = dayShape
	return dot + 1
}

// dottedMonthFirst reads 06.30.2015, as some write in English, and 11.91, a month and its year.
func (g *grammar) dottedMonthFirst(n number) int {
	s := g.s
	b := digits(s, n.end+1, false)
	if !validMonth(n) || b.width != 2 || b.value <= 12 || isWordAt(s, b.end) {
		return -1
	}
	if b.end < len(s) && s[b.end] == '.' && b.value <= 31 && g.lang != phi.German {
		mark := g.e
		g.addMonth(n, 0)
		g.e.text(n.end, n.end+1)
		g.addDay(b, 0)
		g.e.text(b.end, b.end+1)
		if end := g.yearAt(b.end+1, 0, true); end > 0 && !isWordAt(s, end) && !joined(s, end) {
			g.e.shape = fullShape
			return end
		}
		g.e = mark
		return -1
	}
	if n.width != 2 || joined(s, b.end) {
		return -1
	}
	g.addMonth(n, 0)
	g.e.text(n.end, n.end+1)
	g.addYear(b, 0)
	g.e.points[0].grain = monthGrain
	g.e.shape = dayMonthOpen
	return b.end
}

// countedGerman reads "1. Advent", "4. Quartal 2020", "2. Halbjahr 2021", "14. KW": n is the number, r the word after it.
func (g *grammar) countedGerman(p int, n number, r int) int {
	s := g.s
	end := wordEnd(s, r)
	w, ok := look(s[r:end])
	if !ok {
		return -1
	}
	switch w.class {
	case classHoliday:
		name := string(lower(nil, s[r:end]))
		if n.value < 1 || n.value > 4 || !strings.HasPrefix(name, "advent") && !strings.HasPrefix(name, "weihnacht") {
			return -1
		}
		for i := range holidays {
			if h := holidays[i].name; len(h) > 3 && h[0] == byte('0'+n.value) && h[1] == '.' && h[3:] == name {
				return g.holiday(p, end, i)
			}
		}
		return -1
	case classQuarter, classHalf:
		most := 4
		if w.class == classHalf {
			most = 2
		}
		if n.value < 1 || n.value > most {
			return -1
		}
		g.quarter(p, n.end, n.value, w.class == classHalf, false)
		g.e.text(n.end, end)
		return g.optionalYear(end, 0, true)
	case classWeek:
		if n.value < 1 || n.value > 53 || !w.german {
			return -1
		}
		g.addWeek(n)
		g.e.text(n.end, end)
		return g.optionalYear(end, 0, true)
	}
	return -1
}

func (g *grammar) quarter(from, to, value int, half, roman bool) {
	u, gr, sh := quarterUnit, quarterGrain, quarterShape
	if half {
		u, gr, sh = halfUnit, halfGrain, halfShape
	}
	if roman {
		u++
	}
	g.e.points[0].grain, g.e.points[0].n = gr, int16(value)
	g.e.add(field{unit: u, from: int32(from), to: int32(to)})
	g.e.shape = sh
}

// optionalYear reads " 2020", "/2020", ", 2020" or " '20" and gives its end, or p if there is none.
func (g *grammar) optionalYear(p, point int, short bool) int {
	s := g.s
	mark := g.e
	q := p
	if q < len(s) && (s[q] == '/' || s[q] == '-') {
		q++
	} else {
		if q < len(s) && s[q] == ',' {
			q++
			short = false
		}
		r := skipSpace(s, q)
		if r == q {
			return p
		}
		q = r
		for _, of := range [...]string{"of ", "des Jahres ", "im Jahr "} {
			if strings.HasPrefix(s[q:], of) {
				q += len(of)
				break
			}
		}
	}
	g.e.text(p, q)
	if end := g.yearAt(q, point, short); end > 0 && !isWordAt(s, end) && !joined(s, end) && !mark.year {
		if end-q == 2 && g.badAfterShortYear(end) {
			g.e = mark
			return p
		}
		return end
	}
	g.e = mark
	return p
}

// badAfterShortYear says that the two digits before p were a time, a measure or part of another number.
func (g *grammar) badAfterShortYear(p int) bool {
	s := g.s
	if p < len(s) && (s[p] == '%' || p+1 < len(s) && (s[p] == ':' || s[p] == '/' || s[p] == '-') && isDigit(s[p+1])) {
		return true
	}
	if p+1 < len(s) && (s[p] == '.' || s[p] == ',') && isDigit(s[p+1]) {
		return true
	}
	q := blank(s, p)
	if end := wordEnd(s, q); end > q {
		return isMeasure(s[q:end])
	}
	return q < len(s) && s[q] == '%'
}

// afterDay reads what follows "12.": a month as number, Roman number or name, and a year. p is behind the full stop.
func (g *grammar) afterDay(p, point int, listed bool) int {
	s := g.s
	r := blank(s, p)
	if r >= len(s) {
		return -1
	}
	if m := g.num(r); validMonth(m) && fits(int(g.e.points[point].day), m.value) {
		if m.end < len(s) && s[m.end] == '.' || m.end < len(s) && s[m.end] == ',' && yearFollows(s, m.end+1) && r == p {
			g.e.text(p, r)
			g.addMonth(m, point)
			after := m.end + 1
			y := blank(s, after)
			mark := g.e
			g.e.text(m.end, y)
			if end := g.yearAt(y, point, true); end > 0 && (end >= len(s) || !isDigit(s[end])) && !(end-y == 2 && (y > after && g.badAfterShortYear(end) || joined(s, end) && s[end] != '-' || y > after && r == p)) {
				if end-y == 2 && end < len(s) && isLetter(s[end]) {
					g.e = mark
				} else {
					g.e.shape = fullShape
					return end
				}
			}
			g.e = mark
			if s[m.end] == ',' {
				return -1
			}
			if after < len(s) && isDigit(s[after]) && !g.loose {
				return -1
			}
			if g.e.noisy && digitsIn(s[int(g.e.fields[0].from):m.end]) < 1 {
				return -1
			}
			g.e.text(m.end, after)
			g.e.shape = dayMonthShape
			return after
		}
		if r == p && m.real == m.width && !isWordAt(s, m.end) && !joined(s, m.end) && !listed {
			if m.end < len(s) && s[m.end] == '/' && yearFollows(s, m.end+1) {
				g.addMonth(m, point)
				g.e.text(m.end, m.end+1)
				if end := g.yearAt(m.end+1, point, true); end > 0 {
					g.e.shape = fullShape
					return end
				}
				return -1
			}
			if q := skipSpace(s, m.end); q > m.end && m.width == 2 {
				if y := digits(s, q, false); validYear(y) && !isWordAt(s, y.end) {
					g.addMonth(m, point)
					g.e.text(m.end, q)
					g.addYear(y, point)
					g.e.shape = fullShape
					return y.end
				}
			}
			g.addMonth(m, point)
			g.e.shape = dayMonthOpen
			return m.end
		}
	}
	before := g.e
	if end := g.romanMonth(r, point); end > 0 {
		g.e.shape = dayMonthShape
		mark := g.e
		y := blank(s, end)
		g.e.text(end, y)
		if yEnd := g.yearAt(y, point, true); yEnd > 0 && !isWordAt(s, yEnd) && (yEnd-y != 2 || y == end) {
			g.e.shape = fullShape
			return yEnd
		}
		g.e = mark
		if r == p {
			return end
		}
		g.e = before // 2. V. a. …: a Roman month stands close to its day
	}
	// 12. März 2021, 12.März, 9. \nAugust
	r = skipSpace(s, p)
	if r < len(s) && s[r] == '-' && g.loose {
		r++
	}
	mark := g.e
	g.e.text(p, r)
	if end := g.monthNameAt(r, point); end > 0 {
		if s[end-1] == '.' {
			if y := g.yearAt(end, point, true); y > 0 && !isWordAt(s, y) { // 09.JÄN.2016
				g.e.shape = fullShape
				return y
			}
		}
		if y := digits(s, end, false); validYear(y) && !isWordAt(s, y.end) { // 01.MAR2018
			g.addYear(y, point)
			g.e.shape = fullShape
			return y.end
		}
		if isWordAt(s, end) {
			g.e = mark
			return -1
		}
		g.e.shape = monthDayShape
		if y := g.optionalYear(end, point, true); y > end {
			g.e.shape = fullShape
			return y
		}
		if end < len(s) && (s[end] == '-' || s[end] == '/' || s[end] == '.') {
			m2 := g.e
			g.e.text(end, end+1)
			if y := g.yearAt(end+1, point, true); y > 0 && !isWordAt(s, y) && !joined(s, y) {
				g.e.shape = fullShape
				return y
			}
			g.e = m2
		}
		return end
	}
	g.e = mark
	return -1
}

func yearFollows(s string, p int) bool {
	n := digits(s, blank(s, p), false)
	return validYear(n)
}

func digitsIn(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// romanMonth reads IX. or IX- at p.
func (g *grammar) romanMonth(p, point int) int {
	s := g.s
	q := p
	for q < len(s) && q < p+4 && (s[q] == 'I' || s[q] == 'V' || s[q] == 'X' || s[q] == 'i' || s[q] == 'v' || s[q] == 'x') {
		q++
	}
	if q == p || q >= len(s) || s[q] != '.' && s[q] != '-' && s[q] != '/' {
		return -1
	}
	m, ok := romanNumber(s[p:q])
	low := !ok && q+1 < len(s) && isDigit(s[q+1])
	if low {
		m, ok = romanNumber(strings.ToUpper(s[p:q]))
	}
	if !ok || low && s[p] < 'a' {
		return -1
	}
	g.e.points[point].month = int16(m)
	f := field{unit: monthRomanUnit, point: uint8(point), letters: caseUpper, from: int32(p), to: int32(q)}
	if low {
		f.letters = caseLower
	}
	g.e.add(f)
	g.e.text(q, q+1)
	return q + 1
}

// dayList reads the rest of 12.-14.03.2021, 3./4./5.01., 12. bis 14. März, 5. und 12. Februar 2024: p is behind the
// first full stop.
func (g *grammar) dayList(p int) int {
	s := g.s
	first := g.e
	for point := 1; point < maxPoints; point++ {
		q := p
		joint, wordy := g.joint(q)
		if joint < 0 {
			return -1
		}
		n := g.num(joint)
		if !validDay(n) || n.end >= len(s) || s[n.end] != '.' {
			return -1
		}
		g.e.text(p, joint)
		g.e.splitAt[point] = int32(joint)
		g.e.dates = point + 1
		g.addDay(n, point)
		g.e.text(n.end, n.end+1)
		g.e.word = g.e.word || wordy
		mark := g.e
		if end := g.afterDay(n.end+1, point, true); end > 0 && g.e.shape != dayMonthOpen {
			last := g.e.points[point]
			for i := 0; i < point; i++ {
				g.e.points[i].month, g.e.points[i].year = last.month, last.year
				if !fits(int(g.e.points[i].day), int(last.month)) {
					return -1
				}
			}
			// 28. – 3.1. would mean two months
			if first.points[0].day > last.day {
				m, y := last.month-1, last.year
				if m == 0 {
					m = 12
					if y != 0 {
						y--
					}
				}
				g.e.points[0].month, g.e.points[0].year = m, y
			}
			g.e.ranged = true
			return end
		}
		g.e = mark
		p = n.end + 1
	}
	return -1
}

// joint passes what joins two days: a dash, a slash, a plus, an ampersand, or a word.
func (g *grammar) joint(p int) (end int, word bool) {
	s := g.s
	r := blank(s, p)
	if r >= len(s) {
		return -1, false
	}
	if q := dash(s, r); q > r {
		return blank(s, q), false
	}
	switch s[r] {
	case '/', '+', '&', ',':
		if s[r] == ',' && g.lang == phi.English {
			return -1, false
		}
		return blank(s, r+1), false
	}
	r = skipSpace(s, p)
	q := wordEnd(s, r)
	if q == r || q-r > 5 {
		return -1, false
	}
	switch s[r:q] {
	case "bis", "mit", "und", "to", "and", "through", "thru", "until", "till", "or", "oder":
	case "u":
		if q < len(s) && s[q] == '.' {
			q++
		}
	default:
		return -1, false
	}
	t := skipSpace(s, q)
	if t == q {
		return -1, false
	}
	for _, article := range [...]string{"zum ", "the ", "den "} {
		if strings.HasPrefix(s[t:], article) {
			t += len(article)
		}
	}
	return t, true
}

// slashed reads m/d/y, d/m/y, m/y, m/d and d/m.
func (g *grammar) slashed(a number) int {
	s := g.s
	p := a.end + 1
	b := g.num(p)
	first := g.order
	if first == noOrder {
		first = dayFirst
		if g.lang == phi.English {
			first = monthFirst
		}
	}
	switch {
	case b.width == 1 || b.width == 2:
		if b.end < len(s) && s[b.end] == '/' {
			mark := g.e
			if g.pair(a, b, first) {
				g.e.text(b.end, b.end+1)
				if end := g.yearAt(b.end+1, 0, true); end > 0 && (end >= len(s) || !isDigit(s[end]) && s[end] != '/') && !isWordAt(s, end) {
					g.e.shape = fullShape
					return end
				}
			}
			g.e = mark
			// 2021 stands first in yy/mm/dd only where a whole expression is given
			return -1
		}
		if isWordAt(s, b.end) || b.end < len(s) && (s[b.end] == '/' || s[b.end] == '%') {
			return -1
		}
		if b.end+1 < len(s) && (s[b.end] == '.' || s[b.end] == ',') && isDigit(s[b.end+1]) {
			return -1
		}
		if g.pair(a, b, first) {
			g.e.shape = slashShape
			return b.end
		}
		// 03/84: month and year
		if validMonth(a) && b.width == 2 {
			g.addMonth(a, 0)
			g.e.text(a.end, p)
			g.addYear(b, 0)
			g.e.points[0].grain = monthGrain
			g.e.shape = slashShape
			return b.end
		}
	case validMonth(a) && validYear(b) && !isWordAt(s, b.end) && (b.end >= len(s) || s[b.end] != '/'):
		g.addMonth(a, 0)
		g.e.text(a.end, p)
		g.addYear(b, 0)
		g.e.points[0].grain = monthGrain
		g.e.shape = monthYearShape
		return b.end
	}
	return -1
}

// dashed reads 12-03-2021, 12-MAR-2021, 13-XI-55, 5-7 March, 4-12.
func (g *grammar) dashed(a number) int {
	s := g.s
	p := dash(s, a.end)
	if p >= len(s) {
		return -1
	}
	hyphen := s[a.end] == '-'
	first := g.order
	if first == noOrder {
		first = dayFirst
		if g.lang == phi.English {
			first = monthFirst
		}
	}
	if isDigit(s[p]) {
		b := digits(s, p, false)
		if hyphen && (b.width == 1 || b.width == 2) && b.end < len(s) && s[b.end] == '-' {
			mark := g.e
			if g.pair(a, b, first) {
				g.e.text(b.end, b.end+1)
				if end := g.yearAt(b.end+1, 0, true); end > 0 && !isWordAt(s, end) && (end >= len(s) || s[end] != '-') {
					g.e.shape = fullShape
					return end
				}
			}
			g.e = mark
			// 23-08-23 with the year first
			if y := digits(s, b.end+1, false); a.width == 2 && validMonth(b) && validDay(y) && y.width == 2 && !isWordAt(s, y.end) && g.loose {
				g.addYear(a, 0)
				g.e.text(a.end, p)
				g.addMonth(b, 0)
				g.e.text(b.end, b.end+1)
				g.addDay(y, 0)
				g.e.shape = fullShape
				return y.end
			}
			return -1
		}
		// 5-7 March 2021
		if validDay(a) && validDay(b) && b.value > a.value {
			mark := g.e
			g.addDay(a, 0)
			g.e.text(a.end, p)
			g.e.splitAt[1] = int32(p)
			g.addDay(b, 1)
			q := b.end
			if r := ordinalEnd(s, q); r > 0 {
				q = r
				g.e.text(b.end, q)
			}
			r := skipSpace(s, q)
			g.e.text(q, r)
			if r > q {
				if end := g.sharedMonth(r); end > 0 {
					return end
				}
			}
			g.e = mark
		}
		if !hyphen || isWordAt(s, b.end) || joined(s, b.end) {
			return -1
		}
		if validMonth(a) && validYear(b) {
			g.addMonth(a, 0)
			g.e.text(a.end, p)
			g.addYear(b, 0)
			g.e.points[0].grain = monthGrain
			g.e.shape = monthYearShape
			return b.end
		}
		if (b.width == 1 || b.width == 2) && g.pair(a, b, first) {
			g.e.shape = dashShape
			return b.end
		}
		return -1
	}
	if !hyphen || !validDay(a) {
		return -1
	}
	g.addDay(a, 0)
	g.e.text(a.end, p)
	mark := g.e
	if end := g.romanMonth(p, 0); end > 0 && s[end-1] == '-' {
		if y := g.yearAt(end, 0, true); y > 0 && !isWordAt(s, y) {
			g.e.shape = fullShape
			return y
		}
		return -1
	}
	g.e = mark
	if end := g.monthNameAt(p, 0); end > 0 {
		g.e.shape = monthDayShape
		if end < len(s) && s[end] == '-' {
			m2 := g.e
			g.e.text(end, end+1)
			if y := g.yearAt(end+1, 0, true); y > 0 && !isWordAt(s, y) {
				g.e.shape = fullShape
				return y
			}
			g.e = m2
		}
		if isWordAt(s, end) {
			return -1
		}
		return end
	}
	return -1
}

// ordinalEnd passes st, nd, rd or th.
func ordinalEnd(s string, p int) int {
	if p+2 > len(s) || isWordAt(s, p+2) {
		return -1
	}
	switch s[p : p+2] {
	case "st", "nd", "rd", "th", "ST", "ND", "RD", "TH":
		return p + 2
	}
	return -1
}

// glued reads 12Mar2021, 12Mar and 5th, 5th of March 2021, 5th March.
func (g *grammar) glued(a number) int {
	s := g.s
	if !validDay(a) {
		return -1
	}
	if end := ordinalEnd(s, a.end); end > 0 {
		g.addOrdinal(a, end, 0)
		return g.afterOrdinal(end)
	}
	g.addDay(a, 0)
	end := wordEnd(s, a.end)
	if end-a.end < 3 {
		return -1
	}
	w, ok := look(s[a.end:end])
	if !ok || w.class != classMonth {
		// 12Mar2021stable: the word goes on after the year only
		return -1
	}
	if end = g.monthNameAt(a.end, 0); end < 0 {
		return -1
	}
	g.e.shape = monthDayShape
	if y := g.yearAt(end, 0, true); y > 0 {
		g.e.shape = fullShape
		return y
	}
	if y := g.optionalYear(end, 0, false); y > end {
		g.e.shape = fullShape
		return y
	}
	if isWordAt(s, end) {
		return -1
	}
	return end
}

func (g *grammar) addOrdinal(n number, end, point int) {
	g.e.points[point].day = int16(n.value)
	f := field{unit: dayOrdinalUnit, point: uint8(point), width: uint8(n.width), from: int32(n.end - n.width), to: int32(end)}
	if c := g.s[n.end]; c >= 'A' && c <= 'Z' {
		f.letters = caseUpper
	}
	g.e.add(f)
	g.e.english = true
}

// afterOrdinal reads what follows "5th" or "fifth": "of March 2021", "March", "day of March", or nothing.
func (g *grammar) afterOrdinal(p int) int {
	s := g.s
	mark := g.e
	r := skipSpace(s, p)
	for _, of := range [...]string{"of ", "day of "} {
		if len(s) > r+len(of) && strings.EqualFold(s[r:r+len(of)], of) {
			r = skipSpace(s, r+len(of)-1)
			break
		}
	}
	if r > p {
		g.e.text(p, r)
		if end := g.monthNameAt(r, 0); end > 0 && !isWordAt(s, end) {
			g.e.shape = monthDayShape
			if y := g.optionalYear(end, 0, true); y > end {
				g.e.shape = fullShape
				return y
			}
			return end
		}
		g.e = mark
	}
	g.e.shape = ordinalShape
	return p
}

// sharedMonth reads the month, and the year if there is one, that two days before it share; -1 without a month.
func (g *grammar) sharedMonth(p int) int {
	end := g.monthNameAt(p, 1)
	if end < 0 || isWordAt(g.s, end) {
		return -1
	}
	g.e.dates, g.e.ranged = 2, true
	g.e.shape = monthDayShape
	if y := g.optionalYear(end, 1, false); y > end {
		end = y
		g.e.shape = fullShape
	}
	g.e.points[0].month, g.e.points[0].year = g.e.points[1].month, g.e.points[1].year
	return end
}

// spaced reads 5 March 2021, 22 04 1958.
func (g *grammar) spaced(a number) int {
	s := g.s
	if !validDay(a) {
		return -1
	}
	r := skipSpace(s, a.end)
	if r >= len(s) {
		return -1
	}
	if isDigit(s[r]) {
		b := digits(s, r, false)
		if r != a.end+1 || b.width != 2 || a.width != 2 || b.end+1 >= len(s) || s[b.end] != ' ' || !isDigit(s[b.end+1]) {
			return -1
		}
		first := dayFirst
		if g.order == monthFirst {
			first = monthFirst
		}
		if !g.pair(a, b, first) {
			return -1
		}
		g.e.text(b.end, b.end+1)
		if end := g.yearAt(b.end+1, 0, true); end > 0 && !isWordAt(s, end) {
			g.e.shape = spacedShape
			return end
		}
		return -1
	}
	g.addDay(a, 0)
	g.e.text(a.end, r)
	mark := g.e
	// 5 and 7 March: the caller sees two dates
	if joint, wordy := g.joint(a.end); joint > 0 && wordy {
		if b := digits(s, joint, false); validDay(b) && b.value > a.value {
			q := skipSpace(s, b.end)
			if q > b.end {
				g.e = expr{}
				g.e.dates = 1
				g.addDay(a, 0)
				g.e.text(a.end, joint)
				g.e.splitAt[1] = int32(joint)
				g.addDay(b, 1)
				g.e.text(b.end, q)
				if end := g.sharedMonth(q); end > 0 {
					g.e.word = true
					return end
				}
			}
		}
		g.e = mark
	}
	end := g.monthNameAt(r, 0)
	if end < 0 || isWordAt(s, end) {
		return -1
	}
	g.e.shape = monthDayShape
	if y := g.optionalYear(end, 0, true); y > end {
		g.e.shape = fullShape
		return y
	}
	return end
}
