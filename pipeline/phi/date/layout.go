package date

import (
	"strconv"
	"strings"
	"time"

	"fhirdeid/pipeline/phi"
)

// Layout is one interpreted date expression together with the way it was written.
type Layout struct {
	text   string
	lang   phi.Language
	fields []field
	points []point
	shape  shape
	kind   Kind
	shared bool // several dates share month or year
	order  order
	either bool // the other order of day and month is possible too
}

// Kind is the form of a date expression.
type Kind uint8

// The kinds.
const (
	Numeric   Kind = iota // 12.03.2021, 3/14, 2021-03-12
	MonthName             // 5. März, March 5th, Mai 2019
	Year                  // 2017, '98, 2018/19
	Week                  // KW 14
	Quarter               // Q3 2019, 1. Halbjahr 2012
	Season                // Frühjahr 2020
	Holiday               // Ostern 2020
	Partial               // 12., Mitte März
	Ordinal               // the 14th
	Decade                // 1990s
	Words                 // dritter Mai zweitausendneunzehn
	Stamp                 // 20210927081422
)

var kindOf = [...]Kind{
	noShape: Numeric, fullShape: Numeric, dayMonthShape: Numeric, dayMonthOpen: Numeric, slashShape: Numeric, dashShape: Numeric,
	monthYearShape: Numeric, yearShape: Year, shortYearShape: Year, yearPairShape: Year, yearMonthShape: Numeric, dayShape: Partial,
	ordinalShape: Ordinal, theShape: Ordinal, monthShape: MonthName, monthDayShape: MonthName, monthNameYear: MonthName, compactShape: Stamp,
	stampShape: Stamp, sixShape: Stamp, spacedShape: Numeric, weekShape: Week, quarterShape: Quarter, halfShape: Quarter,
	seasonShape: Season, holidayShape: Holiday, thirdShape: Partial, decadeShape: Decade, wordsShape: Words,
}

// Parse interprets one whole expression. Blanks around it are no part of it and make it fail. Language may be empty.
// What is ambiguous (3/4/2021) is read in the order that is usual in the language; Layout.At corrects it.
func Parse(surface string, lang phi.Language) (Layout, bool) {
	return parseIn(surface, lang, noOrder)
}

func parseIn(surface string, lang phi.Language, o order) (Layout, bool) {
	if len(surface) < 2 || len(surface) > 160 {
		return Layout{}, false
	}
	g := grammar{s: surface, lang: lang, order: o, loose: true}
	end := g.at(0)
	if end != len(surface) {
		g.noise = true
		if end = g.at(0); end != len(surface) {
			return Layout{}, false
		}
	}
	if g.e.n > maxFields {
		return Layout{}, false
	}
	l := Layout{
		text: surface, lang: lang, shape: g.e.shape, kind: kindOf[g.e.shape], shared: g.e.ranged, order: o, either: g.e.swapped,
		fields: append([]field(nil), g.e.fields[:g.e.n]...), points: append([]point(nil), g.e.points[:g.e.dates]...),
	}
	switch {
	case g.e.german:
		l.lang = phi.German
	case g.e.english:
		l.lang = phi.English
	}
	for _, p := range l.points {
		if !p.valid() {
			return Layout{}, false
		}
	}
	return l, true
}

// valid refuses days that do not exist, such as 30 February and 29 February of a common year.
func (p point) valid() bool {
	if p.grain != dayGrain || p.month == 0 {
		return true
	}
	year := int(p.year)
	if year == 0 {
		year = 2000
	}
	return p.day >= 1 && int(p.day) <= monthDays(year, int(p.month))
}

// baseYear stands for a year that is not stated.
const baseYear = 2001

func (p point) yearOrBase() int {
	if p.year != 0 {
		return abs16(p.year)
	}
	if p.month == 2 && p.day == 29 {
		return 2000
	}
	return baseYear
}

// span gives the first and last day that the point means; ok is false where that is not known.
func (p point) span() (from, to int32, precision phi.Precision, ok bool) {
	y := p.yearOrBase()
	switch p.grain {
	case dayGrain:
		if p.month == 0 {
			return 0, 0, 0, false
		}
		from = serial(y, abs16(p.month), int(p.day))
		to, precision = from, phi.ToDay
	case holidayGrain:
		h := holidays[p.n]
		if h.first == nil {
			return 0, 0, 0, false
		}
		if from = h.first(y); from == noDay {
			return 0, 0, 0, false
		}
		to, precision = from+int32(h.days)-1, phi.ToDay
		if h.days > 1 {
			precision = phi.ToWeek
		}
	case decadeGrain:
		if p.year <= 0 {
			return 0, 0, 0, false
		}
		from, to, precision = serial(y, 1, 1), serial(y+10, 1, 1)-1, phi.ToYear
	default:
		from, to = p.bounds(p.index())
		switch p.grain {
		case weekGrain:
			precision = phi.ToWeek
		case monthGrain:
			precision = phi.ToMonth
		case thirdGrain:
			precision = phi.ToMonth
			if p.month == 0 {
				precision = phi.ToSeason
			}
		case yearGrain, seasonYearGrain:
			precision = phi.ToYear
		default:
			precision = phi.ToSeason
		}
	}
	if p.year <= 0 {
		precision = phi.ToPart
	}
	return from, to, precision, true
}

// index numbers the units of a grain through, so that neighbours differ by one.
func (p point) index() int {
	y := p.yearOrBase()
	switch p.grain {
	case weekGrain:
		return floorDiv(int(weekStart(y, int(p.n)))+3, 7)
	case monthGrain:
		return y*12 + int(p.month) - 1
	case thirdGrain:
		if p.month != 0 {
			return (y*12+int(p.month)-1)*3 + int(p.n)
		}
		return y*3 + int(p.n)
	case quarterGrain:
		return y*4 + int(p.n) - 1
	case halfGrain:
		return y*2 + int(p.n) - 1
	case seasonGrain:
		return y*4 + int(p.n)
	default:
		return y
	}
}

// bounds gives the first and last day of the unit with that index.
func (p point) bounds(i int) (from, to int32) {
	switch p.grain {
	case weekGrain:
		return int32(i*7 - 3), int32(i*7 + 3)
	case monthGrain:
		return serial(0, i+1, 1), serial(0, i+2, 1) - 1
	case thirdGrain:
		if p.month != 0 {
			month := floorDiv(i, 3) + 1
			switch floorMod(i, 3) {
			case 0:
				return serial(0, month, 1), serial(0, month, 10)
			case 1:
				return serial(0, month, 11), serial(0, month, 20)
			default:
				return serial(0, month, 21), serial(0, month+1, 1) - 1
			}
		}
		return serial(0, i*4+1, 1), serial(0, i*4+5, 1) - 1
	case quarterGrain:
		return serial(0, i*3+1, 1), serial(0, i*3+4, 1) - 1
	case halfGrain:
		return serial(0, i*6+1, 1), serial(0, i*6+7, 1) - 1
	case seasonGrain:
		return serial(0, i*3+3, 1), serial(0, i*3+6, 1) - 1
	case seasonYearGrain:
		return serial(i, 1, 1), serial(i+2, 1, 1) - 1
	default:
		return serial(i, 1, 1), serial(i+1, 1, 1) - 1
	}
}

// indexAt gives the index of the unit that holds the day.
func (p point) indexAt(day int32) int {
	y, m, d := civil(day)
	switch p.grain {
	case weekGrain:
		return floorDiv(int(day)+3, 7)
	case monthGrain:
		return y*12 + m - 1
	case thirdGrain:
		if p.month != 0 {
			return (y*12+m-1)*3 + min((d-1)/10, 2)
		}
		return y*3 + (m-1)/4
	case quarterGrain:
		return y*4 + (m-1)/3
	case halfGrain:
		return y*2 + (m-1)/6
	case seasonGrain:
		return floorDiv(y*12+m-3, 3)
	case seasonYearGrain:
		if m <= 6 {
			y--
		}
		return y
	default:
		return y
	}
}

// at moves the point to the unit with that index.
func (p point) at(i int) point {
	from, _ := p.bounds(i)
	y, m, _ := civil(from)
	switch p.grain {
	case weekGrain:
		wy, w := isoWeek(from)
		p.year, p.n = int16(wy), int16(w)
	case monthGrain:
		p.year, p.month = int16(y), int16(m)
	case thirdGrain:
		p.year, p.n = int16(y), int16(floorMod(i, 3))
		if p.month != 0 {
			p.month = int16(m)
		}
	case quarterGrain:
		p.year, p.n = int16(y), int16(floorMod(i, 4)+1)
	case halfGrain:
		p.year, p.n = int16(y), int16(floorMod(i, 2)+1)
	case seasonGrain:
		p.year, p.n = int16(floorDiv(i, 4)), int16(floorMod(i, 4))
	default:
		p.year = int16(i)
	}
	return p
}

// shift moves the point by days. A unit longer than a day goes where its middle goes, and at least to the next unit
// in that direction, which the shifted interval always touches: the original never stays.
func (p point) shift(days int) (point, bool) {
	from, to, _, ok := p.span()
	if !ok || p.grain == decadeGrain {
		return p, false
	}
	stated := p.year != 0
	switch p.grain {
	case dayGrain, holidayGrain:
		y, m, d := civil(from + (to-from)/2 + int32(days))
		p.grain, p.year, p.month, p.day = dayGrain, int16(y), int16(m), int16(d)
	default:
		i := p.index()
		j := p.indexAt(from + (to-from)/2 + int32(days))
		if j == i && days > 0 {
			j++
		} else if j == i && days < 0 {
			j--
		}
		p = p.at(j)
	}
	if p.year < 1850 || p.year > 2150 {
		return p, false
	}
	if !stated {
		p.year = -p.year // known for the reckoning, not to be printed
	}
	return p, true
}

// Kind gives the form of the expression.
func (l Layout) Kind() Kind { return l.kind }

// Interval gives what the expression means. The precision is ToPart where no year is stated (the days are then
// those of a common year, or of 2000 for 29 February), and NoPrecision where it cannot be told.
func (l Layout) Interval() phi.Interval {
	if len(l.points) == 0 {
		return phi.Interval{}
	}
	from, to, precision, ok := l.points[0].span()
	if !ok {
		return phi.Interval{}
	}
	for _, p := range l.points[1:] {
		f, t, pr, ok := p.span()
		if !ok {
			return phi.Interval{}
		}
		from, to, precision = min(from, f), max(to, t), pr
	}
	return phi.Interval{From: from, To: to, Precision: precision}
}

// HasInterval says whether the expression can be interpreted.
func (l Layout) HasInterval() bool { return l.Interval().Precision != phi.NoPrecision }

// HasYear says whether a year is stated.
func (l Layout) HasYear() bool {
	return len(l.points) > 0 && l.points[0].year > 0
}

// At completes the expression by what its context says: the year or month that it lacks, and the order of day and
// month where both are possible. An interval that contradicts it is passed over.
func (l Layout) At(i phi.Interval) Layout {
	if i.Precision == phi.NoPrecision || len(l.points) == 0 {
		return l
	}
	y, m, d := civil(i.From)
	if l.either {
		if p := l.points[0]; p.month != int16(m) || p.day != int16(d) {
			other := dayFirst
			if l.dayIsFirst() {
				other = monthFirst
			}
			if swapped, ok := parseIn(l.text, l.lang, other); ok && swapped.points[0].month == int16(m) && swapped.points[0].day == int16(d) {
				l = swapped
			}
		}
	}
	points := append([]point(nil), l.points...)
	for k := range points {
		p := &points[k]
		if p.year != 0 {
			continue
		}
		switch {
		case p.grain == dayGrain && p.month == 0:
			if int(p.day) != d {
				return l
			}
			p.month, p.year = int16(-m), int16(-y)
		case p.grain == dayGrain && (int(p.month) != m || int(p.day) != d) && len(points) == 1:
			return l
		case p.grain == decadeGrain:
			return l
		default:
			p.year = int16(-y)
		}
	}
	l.points = points
	return l
}

func (l Layout) dayIsFirst() bool {
	for _, f := range l.fields {
		switch f.unit {
		case dayUnit:
			return true
		case monthUnit:
			return false
		}
	}
	return true
}

// Shift prints the expression moved by days in the same style, language and precision. It is false where the
// expression cannot be interpreted or printed; the original is never given back, unless days is 0.
func (l Layout) Shift(days int) (string, bool) {
	if len(l.points) == 0 {
		return "", false
	}
	moved := make([]point, len(l.points))
	for i, p := range l.points {
		hidden := p
		if p.year < 0 {
			hidden.year = -p.year
		}
		if p.month < 0 {
			hidden.month = -p.month
		}
		m, ok := hidden.shift(days)
		if !ok {
			return "", false
		}
		if p.year < 0 && m.year > 0 {
			m.year = -m.year
		}
		if p.month < 0 {
			m.month = -m.month
		}
		moved[i] = m
	}
	out := l.print(moved, days)
	if days != 0 && out == l.text {
		return "", false
	}
	return out, true
}

// ShiftNumber moves a bare number that means the interval, a part of a range: the day "10" of "10-24 Dec 2019", the year
// "79" of "1977-79". A day gets its month, since that need not be the one behind it any more. It is false where the
// number means something else, and where it would stay as it is.
func ShiftNumber(surface string, lang phi.Language, i phi.Interval, days int) (string, bool) {
	n, err := strconv.Atoi(surface)
	if err != nil || len(surface) > 2 {
		return "", false
	}
	year, month, day := civil(i.From)
	p := point{grain: dayGrain, year: int16(year), month: int16(month), day: int16(day)}
	switch {
	case i.Precision == phi.ToYear && n == year%100:
		p = point{grain: yearGrain, year: int16(year)}
	case i.Precision != phi.ToDay && i.Precision != phi.ToPart || n != day:
		return "", false
	}
	moved, ok := p.shift(days)
	if !ok {
		return "", false
	}
	n = int(moved.day)
	if p.grain == yearGrain {
		n = int(moved.year % 100)
	}
	var b strings.Builder
	writeNumber(&b, n, len(surface) == 2)
	switch {
	case b.String() == surface:
		return "", false
	case p.grain == yearGrain:
	case lang == phi.German:
		b.WriteString("." + strconv.Itoa(int(moved.month)) + ".")
	default:
		b.WriteString(" " + time.Month(moved.month).String()[:3])
	}
	return b.String(), true
}

// Generalise prints the year alone; false if none is stated.
func (l Layout) Generalise() (string, bool) {
	if len(l.points) == 0 || l.points[0].year <= 0 || l.points[0].grain == decadeGrain {
		return "", false
	}
	first, last := l.points[0].year, l.points[len(l.points)-1].year
	out := strconv.Itoa(int(first))
	if last > first {
		out += "-" + strconv.Itoa(int(last))
	}
	return out, true
}

func abs16(v int16) int {
	if v < 0 {
		return int(-v)
	}
	return int(v)
}
