package date

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

// word reads an expression that begins with a letter.
func (g *grammar) word(p int) int {
	s := g.s
	end := wordEnd(s, p)
	if end == p {
		return -1
	}
	text := s[p:end]
	g.e.dates = 1
	if w, ok := look(text); ok {
		switch w.class {
		case classMonth:
			return g.monthLed(p)
		case classWeekday:
			return g.weekdayLed(p, end, w)
		case classSeason:
			return g.season(p, end, w)
		case classThird:
			return g.third(p, end, w)
		case classHoliday:
			if e := g.holidayLed(p, int(w.number)); e > 0 {
				holiday := g.e
				g.e.reset()
				g.e.dates = 1
				if longer := g.worded(p, end, text); longer > e { // fourth of July two thousand five
					return longer
				}
				g.e = holiday
				return e
			}
			g.e.reset()
			g.e.dates = 1
		case classWeek:
			return g.week(p, end, w)
		case classQuarter, classHalf:
			return -1
		}
	}
	switch text {
	case "the", "The", "THE":
		return g.the(p, end)
	case "Q", "H":
		return g.quarterLed(p)
	case "I", "II", "III", "IV":
		return g.romanQuarter(p, end, text)
	case "WS", "SS", "SoSe", "WiSe", "Wintersemester", "Sommersemester":
		return g.semester(p, end)
	}
	if len(text) >= 5 {
		if end := g.worded(p, end, text); end > 0 {
			return end
		}
	}
	return -1
}

// monthLed reads March 5th, 2021; March 2021; March 5; Mar '21; März.
func (g *grammar) monthLed(p int) int {
	s := g.s
	end := g.monthNameAt(p, 0)
	if end < 0 {
		return -1
	}
	g.e.points[0].grain = monthGrain
	g.e.shape = monthShape
	bare := g.e
	german := g.lang == phi.German || g.e.german
	// Mar-27-2014
	if end+1 < len(s) && s[end] == '-' && isDigit(s[end+1]) {
		d := digits(s, end+1, false)
		if validDay(d) && d.end < len(s) && s[d.end] == '-' {
			g.e.text(end, end+1)
			g.addDay(d, 0)
			g.e.text(d.end, d.end+1)
			if y := g.yearAt(d.end+1, 0, true); y > 0 && !isWordAt(s, y) {
				g.e.points[0].grain = dayGrain
				g.e.shape = fullShape
				return y
			}
			g.e = bare
		}
		if d.width == 2 && !german && !isWordAt(s, d.end) || d.width == 4 && validYear(d) && !isWordAt(s, d.end) {
			g.e.text(end, end+1)
			g.addYear(d, 0)
			g.e.shape = monthNameYear
			return d.end
		}
	}
	// May2019, Mai/2019
	if end < len(s) && s[end] == '/' {
		if y := digits(s, end+1, false); validYear(y) && !isWordAt(s, y.end) || y.width == 2 && y.value > 12 && !isWordAt(s, y.end) {
			g.e.text(end, end+1)
			g.addYear(y, 0)
			g.e.shape = monthNameYear
			return y.end
		}
	}
	q := end
	if q < len(s) && s[q] == ',' {
		q++
	}
	r := skipSpace(s, q)
	if r >= len(s) {
		return end
	}
	if r == q {
		if y := digits(s, end, false); end == q && validYear(y) && !isWordAt(s, y.end) {
			g.addYear(y, 0)
			g.e.shape = monthNameYear
			return y.end
		}
		if end < len(s) && (isWordAt(s, end) || s[end] == '-' && isWordAt(s, end+1) && !monthAfterDash(s, end+1)) {
			return -1
		}
		return end
	}
	if g.e.fields[0].dot || q > end {
		if q > end { // a comma: only a year may follow
			g.e.text(end, r)
			if y := g.yearAt(r, 0, false); y > 0 && !isWordAt(s, y) && !joined(s, y) {
				g.e.shape = monthNameYear
				return y
			}
			g.e = bare
			return end
		}
	}
	// March the 5th
	if strings.HasPrefix(s[r:], "the ") {
		if d := digits(s, r+4, false); validDay(d) {
			if o := ordinalEnd(s, d.end); o > 0 {
				g.e.text(end, r+4)
				g.addOrdinal(d, o, 0)
				return g.monthDayYear(o)
			}
		}
		g.e = bare
		return end
	}
	if y := apostrophe(s, r); y > r {
		g.e.text(end, r)
		if e := g.yearAt(r, 0, true); e > 0 {
			g.e.shape = monthNameYear
			return e
		}
		g.e = bare
		return end
	}
	if isLetter(s[r]) && !german {
		w := wordEnd(s, r)
		of := w - r
		if s[r:w] == "of" || s[r:w] == "in" {
			t := skipSpace(s, w)
			if y := digits(s, t, false); t > w && validYear(y) && !isWordAt(s, y.end) {
				g.e.text(end, t)
				g.addYear(y, 0)
				g.e.shape = monthNameYear
				return y.end
			}
		}
		if of >= 5 {
			if w < len(s) && s[w] == '-' {
				if w2 := wordEnd(s, w+1); w2 > w+1 {
					if n, ok := englishOrdinal(s[r:w2]); ok {
						return g.monthWordDay(end, r, w2, n)
					}
				}
			}
			if n, ok := englishOrdinal(s[r:w]); ok {
				return g.monthWordDay(end, r, w, n)
			}
		}
		return end
	}
	n := g.num(r)
	switch {
	case validYear(n) && !isWordAt(s, n.end) && !(n.end < len(s) && s[n.end] == '-' && joined(s, n.end)):
		g.e.text(end, r)
		g.addYear(n, 0)
		g.e.shape = monthNameYear
		return n.end
	case n.real < n.width:
		return end
	case german && n.width == 2 && !isWordAt(s, n.end) && !joined(s, n.end) && !g.badAfterShortYear(n.end) && !(n.end < len(s) && s[n.end] == '.' && n.end+1 < len(s) && s[n.end+1] != '\n' && s[n.end+1] != ' '):
		g.e.text(end, r)
		g.addYear(n, 0)
		g.e.shape = monthNameYear
		return n.end
	case german:
		return end
	case validDay(n):
		if o := ordinalEnd(s, n.end); o > 0 {
			g.e.text(end, r)
			g.addOrdinal(n, o, 0)
			return g.monthDayYear(o)
		}
		if isWordAt(s, n.end) || n.end < len(s) && s[n.end] == '%' ||
			n.end+1 < len(s) && (s[n.end] == '.' || s[n.end] == ':' || s[n.end] == '/') && isDigit(s[n.end+1]) {
			return end
		}
		if t := blank(s, n.end); t > n.end {
			if w := wordEnd(s, t); w > t && isMeasure(s[t:w]) {
				return end
			}
		}
		g.e.text(end, r)
		g.addDay(n, 0)
		// March 5-7, March 5 to 7
		if d := dash(s, n.end); d > n.end {
			if b := digits(s, blank(s, d), false); validDay(b) && b.value > n.value && !isWordAt(s, b.end) && !(b.end < len(s) && s[b.end] == '-') {
				g.e.text(n.end, b.end-b.width)
				g.addDay(b, 1)
				g.e.dates, g.e.ranged = 2, true // and one span: "7, 2021" alone says too little
				g.e.points[1].month = g.e.points[0].month
				end := g.monthDayYear(b.end)
				g.e.points[0].grain, g.e.points[1].grain = dayGrain, dayGrain
				g.e.points[1].year = g.e.points[0].year
				return end
			}
		}
		return g.monthDayYear(n.end)
	case n.width == 2 && n.value > 31 && !isWordAt(s, n.end) && !g.badAfterShortYear(n.end):
		g.e.text(end, r)
		g.addYear(n, 0)
		g.e.shape = monthNameYear
		return n.end
	}
	return end
}

func monthAfterDash(s string, p int) bool {
	w, ok := look(s[p:wordEnd(s, p)])
	return ok && w.class == classMonth
}

// englishYear reads "nineteen seventy", "twenty twenty-one" or "two thousand five" behind a day in words.
func (g *grammar) englishYear(p int) int {
	s := g.s
	from := skipSpace(s, p)
	end := wordEnd(s, from)
	if from == p || end == from {
		return p
	}
	low := strings.ToLower(s[from:end])
	year := 0
	switch low {
	case "nineteen", "eighteen", "twenty":
		n, _ := EnglishNumber(low)
		r := skipSpace(s, end)
		e := wordEnd(s, r)
		if e < len(s) && s[e] == '-' {
			e = max(e, wordEnd(s, e+1))
		}
		rest, ok := EnglishNumber(s[r:e])
		if !ok || rest < 10 {
			return p
		}
		if rest%10 == 0 && rest >= 20 { // nineteen seventy four
			r2 := skipSpace(s, e)
			e2 := wordEnd(s, r2)
			if unit, ok := EnglishNumber(s[r2:e2]); ok && unit > 0 && unit < 10 {
				rest, e = rest+unit, e2
			}
		}
		year, end = n*100+rest, e
	case "two":
		r := skipSpace(s, end)
		e := wordEnd(s, r)
		if !strings.EqualFold(s[r:e], "thousand") {
			return p
		}
		year, end = 2000, e
		r = skipSpace(s, e)
		if strings.HasPrefix(s[r:], "and ") {
			r += 4
		}
		if unit, ok := EnglishNumber(s[r:wordEnd(s, r)]); ok && unit > 0 && unit < 20 {
			year, end = 2000+unit, wordEnd(s, r)
		}
	default:
		return p
	}
	g.e.text(p, from)
	g.e.points[0].year = int16(year)
	g.e.year = true
	g.e.add(field{unit: yearWordUnit, table: 1, letters: caseOf(s[from:end]), from: int32(from), to: int32(end)})
	g.e.shape = wordsShape
	return end
}

// monthDayYear ends March 5[, 2021].
func (g *grammar) monthDayYear(p int) int {
	g.e.points[0].grain = dayGrain
	g.e.shape = monthDayShape
	if last := g.e.fields[min(g.e.n, maxFields)-1].unit; last == dayWordUnit {
		if y := g.englishYear(p); y > p {
			return y
		}
	}
	if y := g.optionalYear(p, 0, false); y > p {
		g.e.shape = fullShape
		return y
	}
	return p
}

func (g *grammar) monthWordDay(end, from, to, n int) int {
	g.e.text(end, from)
	g.e.points[0].day = int16(n)
	g.e.english = true
	g.e.add(field{unit: dayWordUnit, table: 1, letters: caseOf(g.s[from:to]), from: int32(from), to: int32(to)})
	return g.monthDayYear(to)
}

// weekdayLed reads a weekday and the date after it: Mo 25.01., Montag, den 3. Mai, Tuesday, June 5.
func (g *grammar) weekdayLed(p, end int, w word) int {
	s := g.s
	if w.german && g.lang == phi.English || !w.german && !w.both && g.lang == phi.German && end-p < 4 {
		return -1 // do, so, Fr are words of the other language
	}
	q := end
	if q < len(s) && s[q] == '.' {
		q++
	}
	if q < len(s) && s[q] == ',' {
		q++
	}
	r := skipSpace(s, q)
	if r == q && !(r < len(s) && isDigit(s[r]) && q > end) {
		return -1
	}
	for _, article := range [...]string{"den ", "dem ", "der ", "am ", "d. ", "the ", "vom "} {
		if strings.HasPrefix(s[r:], article) {
			r = skipSpace(s, r+len(article)-1)
			break
		}
	}
	if r >= len(s) {
		return -1
	}
	f := field{unit: weekdayUnit, letters: caseOf(s[p:end]), table: w.table, from: int32(p), to: int32(end)}
	g.e.add(f)
	g.e.text(end, r)
	g.e.prefix = true
	before := g.e.n
	// The rest is read by a second grammar and appended, since every production begins at point 0.
	rest := grammar{s: s, lang: g.lang, order: g.order, noise: g.noise, loose: g.loose}
	if rest.lang == "" && w.german {
		rest.lang = phi.German
	}
	c := s[r]
	switch {
	case isDigit(c) || g.noise && (c == 'O' || c == 'l'):
		end = rest.number(r)
	case isLetter(c) || c >= 0x80:
		e2 := wordEnd(s, r)
		v, ok := look(s[r:e2])
		rest.e.dates = 1
		switch {
		case ok && v.class == classMonth:
			end = rest.monthLed(r)
		case !ok && e2-r >= 5:
			end = rest.worded(r, e2, s[r:e2])
		default:
			return -1
		}
	default:
		return -1
	}
	if end < 0 || rest.e.points[0].grain != dayGrain || rest.e.points[0].day == 0 || rest.e.dates > 1 && rest.e.word {
		return -1
	}
	if rest.e.n+before > maxFields {
		return -1
	}
	head := g.e
	g.e = rest.e
	copy(g.e.fields[before:], rest.e.fields[:rest.e.n])
	copy(g.e.fields[:before], head.fields[:before])
	g.e.n = rest.e.n + before
	g.e.prefix = true
	g.e.german = g.e.german || w.german
	return end
}

// season reads Frühjahr 2020, fall of 2019, Winter 2018/19.
func (g *grammar) season(p, end int, w word) int {
	s := g.s
	g.e.german, g.e.english = w.german, !w.german
	if w.both { // Winter, Sommer are told by their language
		g.e.german = g.lang != phi.English
		g.e.english = !g.e.german
	}
	g.e.points[0].grain = seasonGrain
	g.e.points[0].n = w.number
	g.e.add(field{unit: seasonUnit, letters: caseOf(s[p:end]), table: w.table, from: int32(p), to: int32(end)})
	g.e.shape = seasonShape
	if isWordAt(s, end) || end < len(s) && s[end] == '-' {
		return -1
	}
	y := g.optionalYear(end, 0, true)
	if y > end && w.number == 3 && y+1 < len(s) && (s[y] == '/' || dash(s, y) > y) {
		q := y + 1
		if s[y] != '/' {
			q = dash(s, y)
		}
		n := digits(s, q, false)
		year := int(g.e.points[0].year)
		if !isWordAt(s, n.end) && (n.width == 2 && n.value == (year+1)%100 || n.width == 4 && n.value == year+1) {
			g.e.text(y, q)
			u := nextYearUnit
			if n.width == 2 {
				u = nextYearShortUnit
			}
			g.e.add(field{unit: u, from: int32(q), to: int32(n.end)})
			return n.end
		}
	}
	if y == end {
		if n := digits(s, skipSpace(s, end), false); (n.width == 2 || validYear(n)) && n.end < len(s) && s[n.end] == '/' {
			if m := digits(s, n.end+1, false); m.width == 2 && m.value == (n.value+1)%100 && !isWordAt(s, m.end) {
				g.e.text(end, n.end-n.width)
				g.addYear(n, 0)
				g.e.text(n.end, n.end+1)
				g.e.add(field{unit: nextYearShortUnit, from: int32(n.end + 1), to: int32(m.end)})
				return m.end
			}
		}
	}
	return y
}

// third reads Anfang März 2020, Mitte 2016, early August, mid-March, end of May.
func (g *grammar) third(p, end int, w word) int {
	s := g.s
	g.e.german, g.e.english = w.german, !w.german
	q := end
	if !w.german && q < len(s) && s[q] == '-' {
		q++
	} else if dashed := q; dashed < len(s) && s[dashed] == '-' {
		return -1
	}
	r := skipSpace(s, q)
	if r == q && q == end {
		return -1
	}
	for _, of := range [...]string{"of ", "in ", "des Jahres ", "des Monats ", "the year "} {
		if strings.HasPrefix(s[r:], of) {
			r += len(of)
			break
		}
	}
	g.e.add(field{unit: thirdUnit, letters: caseOf(s[p:end]), table: w.table, from: int32(p), to: int32(end)})
	g.e.text(end, r)
	g.e.points[0].grain = thirdGrain
	g.e.points[0].n = w.number
	g.e.shape = thirdShape
	if r >= len(s) {
		return -1
	}
	if isDigit(s[r]) {
		if y := digits(s, r, false); validYear(y) && !isWordAt(s, y.end) && !joined(s, y.end) {
			g.addYear(y, 0)
			return y.end
		}
		// Mitte 8/2020
		if m := digits(s, r, false); validMonth(m) && m.end < len(s) && s[m.end] == '/' {
			if y := digits(s, m.end+1, false); (validYear(y) || y.width == 2) && !isWordAt(s, y.end) {
				g.addMonth(m, 0)
				g.e.text(m.end, m.end+1)
				g.addYear(y, 0)
				return y.end
			}
		}
		return -1
	}
	e2 := wordEnd(s, r)
	v, ok := look(s[r:e2])
	if !ok || v.class != classMonth {
		if ok && v.class == classSeason {
			rest := grammar{s: s, lang: g.lang}
			rest.e.dates = 1
			if end := rest.season(r, e2, v); end > 0 {
				g.e.points[0].grain, g.e.points[0].n = seasonGrain, rest.e.points[0].n
				g.e.points[0].year = rest.e.points[0].year
				for i := 0; i < rest.e.n; i++ {
					g.e.add(rest.e.fields[i])
				}
				g.e.year = rest.e.year
				g.e.shape = seasonShape
				return end
			}
		}
		return -1
	}
	e3 := g.monthNameAt(r, 0)
	if e3 < 0 || isWordAt(s, e3) {
		return -1
	}
	y := g.optionalYear(e3, 0, g.lang == phi.German || w.german)
	return y
}

func (g *grammar) holidayLed(p, group int) int {
	i, end := holidayAt(g.s, p, group)
	if i < 0 || end < len(g.s) && g.s[end] == '-' && isWordAt(g.s, end+1) {
		return -1
	}
	return g.holiday(p, end, i)
}

func (g *grammar) holiday(p, end, index int) int {
	h := holidays[index]
	g.e.german, g.e.english = h.german, !h.german
	g.e.points[0].grain = holidayGrain
	g.e.points[0].n = int16(index)
	g.e.add(field{unit: holidayUnit, letters: caseOf(g.s[p:end]), from: int32(p), to: int32(end)})
	g.e.shape = holidayShape
	if n := digits(g.s, end, false); validYear(n) {
		g.addYear(n, 0)
		return n.end
	}
	return g.optionalYear(end, 0, true)
}

// week reads KW 14, KW14/2021, KW 14 2021, week 14 of 2021.
func (g *grammar) week(p, end int, w word) int {
	s := g.s
	g.e.german, g.e.english = w.german, !w.german
	r := skipSpace(s, end)
	n := digits(s, r, false)
	if n.width < 1 || n.width > 2 || n.value < 1 || n.value > 53 || isWordAt(s, n.end) {
		return -1
	}
	g.e.text(p, r)
	g.addWeek(n)
	if w.german {
		if n.end < len(s) && s[n.end] == '/' {
			if y := digits(s, n.end+1, false); (validYear(y) || y.width == 2 && y.value > 9) && !isWordAt(s, y.end) {
				g.e.text(n.end, n.end+1)
				g.addYear(y, 0)
				return y.end
			}
			return n.end
		}
		return g.optionalYear(n.end, 0, false)
	}
	y := g.optionalYear(n.end, 0, false)
	if y == n.end {
		return -1 // week 14 alone counts weeks of a treatment or a pregnancy
	}
	return y
}

func (g *grammar) romanQuarter(p, end int, text string) int {
	s := g.s
	n, _ := romanNumber(text)
	q := end
	if q < len(s) && s[q] == '.' {
		q++
	}
	if q < len(s) && s[q] == '/' && n <= 4 {
		return g.quarterSlash(p, end, n, true)
	}
	r := skipSpace(s, q)
	if r == q {
		return -1
	}
	e2 := wordEnd(s, r)
	w, ok := look(s[r:e2])
	if !ok || w.class != classQuarter && w.class != classHalf || w.class == classHalf && n > 2 {
		return -1
	}
	g.quarter(p, end, n, w.class == classHalf, true)
	g.e.text(end, e2)
	g.e.german = true
	return g.optionalYear(e2, 0, true)
}

// quarterSlash reads the year of II/2020.
func (g *grammar) quarterSlash(p, end, n int, roman bool) int {
	s := g.s
	y := digits(s, end+1, false)
	if !validYear(y) || isWordAt(s, y.end) {
		return -1
	}
	g.quarter(p, end, n, false, roman)
	g.e.text(end, end+1)
	g.addYear(y, 0)
	return y.end
}

// quarterLed reads Q3 2019, Q3/19, Q3'19 and H1 2020; p is at the letter.
func (g *grammar) quarterLed(p int) int {
	s := g.s
	if p+2 > len(s) || !isDigit(s[p+1]) || p+2 < len(s) && isWordAt(s, p+2) {
		return -1
	}
	n := int(s[p+1] - '0')
	half := s[p] == 'H'
	if n < 1 || n > 4 || half && n > 2 {
		return -1
	}
	g.e.text(p, p+1)
	g.quarter(p+1, p+2, n, half, false)
	y := g.optionalYear(p+2, 0, s[min(p+2, len(s)-1)] == '/')
	if y == p+2 {
		return -1
	}
	return y
}

// semester reads WS 2020/21.
func (g *grammar) semester(p, end int) int {
	s := g.s
	r := skipSpace(s, end)
	y := digits(s, r, false)
	if r == end || !validYear(y) {
		return -1
	}
	g.e.text(p, r)
	q := g.yearNumber(r, y)
	if q < 0 || g.e.points[0].grain != seasonYearGrain && g.e.points[0].grain != yearGrain {
		return -1
	}
	g.e.german = true
	return q
}

// the reads "the 14th", "the 14th of March".
func (g *grammar) the(p, end int) int {
	s := g.s
	r := skipSpace(s, end)
	if r == end || r >= len(s) {
		return -1
	}
	g.e.text(p, r)
	if d := digits(s, r, false); validDay(d) {
		o := ordinalEnd(s, d.end)
		if o < 0 {
			return -1
		}
		g.addOrdinal(d, o, 0)
		q := g.afterOrdinal(o)
		if g.e.shape == ordinalShape {
			g.e.shape = theShape
		}
		return q
	}
	w := wordEnd(s, r)
	if w < len(s) && s[w] == '-' {
		if w2 := wordEnd(s, w+1); w2 > w+1 {
			if n, ok := englishOrdinal(s[r:w2]); ok {
				return g.englishWordDay(r, w2, n)
			}
		}
	}
	if n, ok := englishOrdinal(s[r:w]); ok {
		return g.englishWordDay(r, w, n)
	}
	return -1
}

// englishWordDay reads "second of October"; without a month it is no date.
func (g *grammar) englishWordDay(from, to, n int) int {
	g.e.points[0].day = int16(n)
	g.e.english = true
	g.e.add(field{unit: dayWordUnit, table: 1, letters: caseOf(g.s[from:to]), from: int32(from), to: int32(to)})
	end := g.afterOrdinal(to)
	if g.e.shape == ordinalShape {
		return -1
	}
	if !g.e.year {
		end = g.englishYear(end)
	}
	g.e.shape = wordsShape
	return end
}

// worded reads dates in words: dritter Mai zweitausendneunzehn, dritten Fünften vierundvierzig, fifth of March.
func (g *grammar) worded(p, end int, text string) int {
	s := g.s
	if g.lang != phi.English {
		if c := s[end-1] | 0x20; c == 'n' || c == 'r' || c == 'e' || c == 'm' {
			if day, ending, ok := germanOrdinal(text); ok && day <= 31 {
				return g.germanWordDay(p, end, day, ending)
			}
		}
		if len(text) >= 11 && hasHundreds(text) {
			if n, ok := GermanNumber(text); ok && n >= 1850 && n <= 2150 && !isWordAt(s, end) {
				g.e.points[0] = point{grain: yearGrain, year: int16(n)}
				g.e.year, g.e.german = true, true
				g.e.add(field{unit: yearWordUnit, letters: caseOf(text), from: int32(p), to: int32(end)})
				g.e.shape = wordsShape
				return end
			}
		}
	}
	if g.lang != phi.German {
		to := end
		if end < len(s) && s[end] == '-' {
			if e2 := wordEnd(s, end+1); e2 > end+1 {
				to = e2
			}
		}
		if n, ok := englishOrdinal(s[p:to]); ok {
			return g.englishWordDay(p, to, n)
		}
		var buf [10]byte
		if len(text) < 7 || len(text) > len(buf) {
			return -1
		}
		switch string(lower(buf[:0], text)) {
		case "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties":
			g.e.shape = decadeShape
			g.e.english = true
			g.e.points[0].grain = decadeGrain
			g.e.text(p, end)
			return end
		}
	}
	return -1
}

func hasHundreds(s string) bool {
	return strings.Contains(s, "undert") || strings.Contains(s, "ausend") || strings.Contains(s, "UNDERT") || strings.Contains(s, "AUSEND")
}

func (g *grammar) germanWordDay(p, end, day int, ending string) int {
	s := g.s
	g.e.points[0].day = int16(day)
	g.e.german = true
	g.e.add(field{unit: dayWordUnit, letters: caseOf(s[p:end]), from: int32(p), to: int32(end), width: endingIndex(ending)})
	r := skipSpace(s, end)
	e2 := wordEnd(s, r)
	if r == end || e2 == r {
		return -1
	}
	g.e.text(end, r)
	q := -1
	if w, ok := look(s[r:e2]); ok && w.class == classMonth {
		q = g.monthNameAt(r, 0)
	} else if m, me, ok := germanOrdinal(s[r:e2]); ok && m <= 12 && fits(day, m) {
		g.e.points[0].month = int16(m)
		g.e.add(field{unit: monthWordUnit, letters: caseOf(s[r:e2]), from: int32(r), to: int32(e2), width: endingIndex(me)})
		q = e2
	}
	if q < 0 {
		return -1
	}
	g.e.shape = wordsShape
	t := skipSpace(s, q)
	e3 := wordEnd(s, t)
	if t > q && e3 > t {
		if n, ok := GermanNumber(s[t:e3]); ok && (n >= 1850 && n <= 2150 || n >= 10 && n < 100) {
			g.e.text(q, t)
			u := field{unit: yearWordUnit, letters: caseOf(s[t:e3]), from: int32(t), to: int32(e3)}
			if n < 100 {
				u.width = 2
				n = century(n)
			}
			g.e.points[0].year = int16(n)
			g.e.year = true
			g.e.add(u)
			return e3
		}
	}
	return g.optionalYear(q, 0, false)
}

var endings = [...]string{"e", "er", "en", "em", "es"}

func endingIndex(e string) uint8 {
	for i, x := range endings {
		if x == e {
			return uint8(i)
		}
	}
	return 0
}

// isMeasure says whether a word after a number is a unit of measure, so that the number is no part of a date.
func isMeasure(s string) bool {
	if len(s) > 12 {
		return false
	}
	var buf [12]byte
	switch string(lower(buf[:0], s)) {
	case "mg", "g", "kg", "ml", "l", "dl", "cl", "mmol", "µmol", "umol", "ng", "pg", "fl", "mm", "cm", "m", "µg", "ug", "mcg", "ie", "iu", "units", "unit",
		"mmhg", "bpm", "hz", "khz", "kcal", "kj", "ma", "mv", "ms", "mev", "gy", "u", "e", "tbl", "tabl", "tabs", "tab", "tablets", "tabletten", "stk",
		"std", "stunden", "h", "min", "minuten", "minutes", "mins", "sec", "sek", "tage", "tagen", "days", "day", "wochen", "weeks", "week", "wks", "woche",
		"monate", "monaten", "months", "month", "jahre", "jahren", "years", "year", "yrs", "yr", "mal", "times", "x", "hours", "hrs", "hr", "ampullen", "amp",
		"hub", "tropfen", "gtt", "drops", "puffs", "packs", "pack", "cells", "prozent", "percent", "grad", "degrees", "fr", "ch", "gauge", "cc", "oz", "lb", "lbs",
		"kpa", "nm", "meq", "w", "kw", "watt", "patients", "patienten", "uhr":
		return true
	}
	return false
}
