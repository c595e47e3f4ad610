package date

import (
	"strconv"
	"strings"

	"fhirdeid/pipeline/phi"
)

// print writes the points in the layout's style.
func (l Layout) print(points []point, days int) string {
	var b strings.Builder
	last := len(points) - 1
	apart := false // the dates no longer share a month
	for _, p := range points {
		if abs16(p.month) != abs16(points[last].month) || abs16(p.year) != abs16(points[last].year) {
			apart = true
		}
	}
	apart = apart && l.shared
	padAll, single := l.padding()
	for i := 0; i < len(l.fields); i++ {
		f := l.fields[i]
		p := points[min(int(f.point), last)]
		year := abs16(p.year)
		if l.shared && (f.unit == yearUnit || f.unit == yearShortUnit) && l.points[0].grain == dayGrain {
			year = abs16(points[last].year)
		}
		switch f.unit {
		case textUnit:
			t := l.text[f.from:f.to]
			if t == "-" && i > 0 && l.fields[i-1].unit == thirdUnit && p.n != 1 {
				t = " "
			}
			b.WriteString(t)
		case dayUnit, dayOrdinalUnit, dayWordUnit:
			if apart && l.monthLeads() && f.point > 0 {
				b.WriteString(l.monthText(points[f.point], padAll, single))
				b.WriteByte(' ')
			}
			l.printDay(&b, f, int(p.day), padAll, single)
			switch {
			case apart && l.monthLeads() && int(f.point) < last && year != abs16(points[last].year) && p.year > 0:
				b.WriteString(", " + strconv.Itoa(year))
			case apart && !l.monthLeads() && int(f.point) < last && (abs16(p.month) != abs16(points[last].month) || year != abs16(points[last].year)):
				if i+1 < len(l.fields) && l.fields[i+1].unit == textUnit && strings.HasPrefix(l.text[l.fields[i+1].from:], ".") {
					i++
					b.WriteByte('.')
					b.WriteString(l.monthText(p, padAll, single))
					if p.year > 0 && year != abs16(points[last].year) {
						b.WriteString(l.yearText(year))
					}
					b.WriteString(l.text[l.fields[i].from+1 : l.fields[i].to])
				} else {
					b.WriteByte(' ')
					b.WriteString(strings.TrimSpace(l.monthText(p, padAll, single)))
					if p.year > 0 && year != abs16(points[last].year) {
						b.WriteString(" " + strconv.Itoa(year))
					}
				}
			case p.month < 0: // a bare day: only its context knew the month
				l.printHiddenMonth(&b, f, i, -int(p.month))
			}
		case monthUnit:
			writeNumber(&b, abs16(p.month), pads(f, l.text, padAll, single))
		case monthRomanUnit:
			b.WriteString(inCase(romanMonths[abs16(p.month)], f.letters))
		case monthNameUnit:
			month := p
			if l.shared && l.monthLeads() {
				month = points[0]
			}
			b.WriteString(monthName(f, abs16(month.month)))
		case monthWordUnit:
			b.WriteString(inCase(germanOrdinalWord(abs16(p.month), endings[f.width]), f.letters))
		case yearUnit:
			b.WriteString(strconv.Itoa(year))
		case yearShortUnit:
			if century(year%100) != year {
				b.WriteString(strconv.Itoa(year))
			} else {
				writeNumber(&b, year%100, true)
			}
		case yearWordUnit:
			if f.table == 1 {
				b.WriteString(inCase(englishYearWords(year), f.letters))
			} else if f.width == 2 && century(year%100) == year && year%100 >= 10 {
				b.WriteString(inCase(germanWord(year%100), f.letters))
			} else {
				b.WriteString(inCase(germanWord(year), f.letters))
			}
		case nextYearUnit:
			b.WriteString(strconv.Itoa(year + 1))
		case nextYearShortUnit:
			writeNumber(&b, (year+1)%100, true)
		case weekdayUnit:
			day := floorMod(l.weekdayRead(f)+days, 7)
			b.WriteString(inCase(weekdayNames[f.table][day], f.letters))
		case weekUnit:
			writeNumber(&b, int(p.n), f.width == 2 && l.text[f.from] == '0')
		case quarterUnit, halfUnit:
			b.WriteString(strconv.Itoa(int(p.n)))
		case quarterRomanUnit, halfRomanUnit:
			b.WriteString(romanMonths[p.n])
		case seasonUnit:
			name := seasonNames[f.table][p.n]
			if l.lang == phi.English && int(f.table) < firstEnglishSeasons {
				name = seasonNames[firstEnglishSeasons][p.n]
			} else if l.lang == phi.German && int(f.table) >= firstEnglishSeasons {
				name = seasonNames[0][p.n]
			}
			b.WriteString(inCase(name, f.letters))
		case thirdUnit:
			b.WriteString(inCase(thirdNames[f.table][p.n], f.letters))
		case holidayUnit:
			l.printHoliday(&b, f, p)
			if p.year > 0 { // the year is printed with it
				return b.String()
			}
		case decadeUnit:
			b.WriteString(l.text[f.from:f.to])
		}
	}
	return b.String()
}

// weekdayRead gives the number of the weekday that stands in the text.
func (l Layout) weekdayRead(f field) int {
	w, _ := look(l.text[f.from:f.to])
	return int(w.number)
}

// padding says whether numbers are written with leading zeros throughout, and whether one of them has one digit only.
func (l Layout) padding() (all, single bool) {
	if l.shape == compactShape || l.shape == stampShape || l.shape == sixShape || l.shape == spacedShape {
		return true, false
	}
	for _, f := range l.fields {
		if f.unit == dayUnit || f.unit == monthUnit {
			if f.width == 1 {
				single = true
			}
		}
	}
	return false, single
}

func pads(f field, text string, all, single bool) bool {
	if all {
		return true
	}
	if f.width == 1 {
		return false
	}
	return text[f.from] == '0' || text[f.from] == 'O' || text[f.from] == 'o' || !single
}

func writeNumber(b *strings.Builder, n int, pad bool) {
	if pad && n < 10 {
		b.WriteByte('0')
	}
	b.WriteString(strconv.Itoa(n))
}

func (l Layout) printDay(b *strings.Builder, f field, day int, all, single bool) {
	switch f.unit {
	case dayOrdinalUnit:
		writeNumber(b, day, f.width == 2 && l.text[f.from] == '0')
		suffix := suffixOf(day)
		if f.letters == caseUpper {
			suffix = strings.ToUpper(suffix)
		}
		b.WriteString(suffix)
	case dayWordUnit:
		if f.table == 1 {
			b.WriteString(inCase(englishOrdinals[day], f.letters))
		} else {
			b.WriteString(inCase(germanOrdinalWord(day, endings[f.width]), f.letters))
		}
	default:
		pad := pads(f, l.text, all, single)
		if !all && l.hasMonthName() && f.width == 2 && l.text[f.from] != '0' { // 12 March: no zeros
			pad = false
		}
		writeNumber(b, day, pad)
	}
}

func (l Layout) hasMonthName() bool {
	for _, f := range l.fields {
		switch f.unit {
		case monthNameUnit:
			return !l.tight(f)
		case monthRomanUnit:
			return true
		}
	}
	return false
}

// tight says whether the month's name touches digits or hyphens: 12Mar2021, 12-MAR-2021 are written with zeros.
func (l Layout) tight(f field) bool {
	if int(f.to) < len(l.text) && (l.text[f.to] == '-' || isDigit(l.text[f.to])) && !(f.from > 0 && l.text[f.from-1] == '.') {
		return true
	}
	if f.from == 0 {
		return false
	}
	c := l.text[f.from-1]
	return c == '-' || isDigit(c)
}

// monthLeads says whether the month stands before the day.
func (l Layout) monthLeads() bool {
	for _, f := range l.fields {
		switch f.unit {
		case dayUnit, dayOrdinalUnit, dayWordUnit:
			return false
		case monthNameUnit, monthUnit:
			return true
		}
	}
	return false
}

// monthText writes the month of p as the layout writes its months, to stand behind a full stop.
func (l Layout) monthText(p point, all, single bool) string {
	var b strings.Builder
	for _, f := range l.fields {
		switch f.unit {
		case monthUnit:
			writeNumber(&b, abs16(p.month), pads(f, l.text, all, single))
			b.WriteByte('.')
			return b.String()
		case monthRomanUnit:
			return inCase(romanMonths[abs16(p.month)], f.letters) + "."
		case monthNameUnit:
			name := monthName(f, abs16(p.month))
			if l.monthLeads() {
				return name
			}
			return " " + name
		}
	}
	return ""
}

// yearText writes a year behind a month that monthText wrote.
func (l Layout) yearText(year int) string {
	named := false
	for _, f := range l.fields {
		switch f.unit {
		case monthNameUnit:
			named = true
		case yearShortUnit:
			if century(year%100) == year && !named {
				return strconv.Itoa(year)[2:]
			}
		}
	}
	if named {
		return " " + strconv.Itoa(year)
	}
	return strconv.Itoa(year)
}

func (l Layout) printHiddenMonth(b *strings.Builder, f field, i, month int) {
	if f.unit == dayUnit { // 12. becomes 28.02.
		if i+1 < len(l.fields) && l.fields[i+1].unit == textUnit && strings.HasPrefix(l.text[l.fields[i+1].from:], ".") {
			b.WriteByte('.')
			writeNumber(b, month, f.width == 2)
			return
		}
	}
	name := monthNames[monthsEN][month-1]
	if l.lang == phi.German {
		name = monthNames[monthsDE][month-1]
	}
	if strings.HasPrefix(l.text, "the ") || strings.HasPrefix(l.text, "The ") {
		b.WriteString(" of " + name)
		return
	}
	b.WriteString(" " + name)
}

func monthName(f field, month int) string {
	name := inCase(monthNames[f.table][month-1], f.letters)
	if f.dot && isAbbreviation(int(f.table), month) {
		name += "."
	}
	return name
}

// printHoliday writes the day that a holiday moved to. The day rarely is a holiday again, so it is given by its date.
func (l Layout) printHoliday(b *strings.Builder, f field, p point) {
	month := abs16(p.month)
	if holidays[l.points[0].n].german {
		b.WriteString(strconv.Itoa(int(p.day)) + ". " + inCase(monthNames[monthsDE][month-1], f.letters))
		if p.year > 0 {
			b.WriteString(" " + strconv.Itoa(int(p.year)))
		}
		return
	}
	b.WriteString(inCase(monthNames[monthsEN][month-1], f.letters) + " " + strconv.Itoa(int(p.day)))
	if p.year > 0 {
		b.WriteString(", " + strconv.Itoa(int(p.year)))
	}
}
