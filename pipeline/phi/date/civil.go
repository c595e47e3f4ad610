// Package date reads, interprets, moves and prints the date expressions of German and English clinical text.
package date

// epochShift is the number of days from 0000-03-01 to 1970-01-01 in the proleptic Gregorian calendar.
const epochShift = 719468

// serial gives the days from 1970-01-01 to the given day. Month and day may lie outside their range by a little;
// they then carry over.
func serial(year, month, day int) int32 {
	year += floorDiv(month-1, 12)
	month = floorMod(month-1, 12) + 1
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := (153*((month+9)%12)+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return int32(era*146097 + doe - epochShift)
}

// civil is the inverse of serial.
func civil(days int32) (year, month, day int) {
	z := int(days) + epochShift
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// weekdayOf gives 0 for Monday to 6 for Sunday.
func weekdayOf(days int32) int { return floorMod(int(days)+3, 7) }

// isoWeek gives the ISO 8601 week and the year it belongs to.
func isoWeek(days int32) (year, week int) {
	thursday := days - int32(weekdayOf(days)) + 3
	year, _, _ = civil(thursday)
	return year, int(thursday-serial(year, 1, 1))/7 + 1
}

// weekStart gives the Monday of an ISO week.
func weekStart(year, week int) int32 {
	fourth := serial(year, 1, 4)
	return fourth - int32(weekdayOf(fourth)) + int32(week-1)*7
}

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func monthDays(year, month int) int {
	switch month {
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}

// easter gives Easter Sunday of the western churches (Meeus, Jones, Butcher).
func easter(year int) int32 {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	month := (h + l - 7*m + 114) / 31
	day := (h+l-7*m+114)%31 + 1
	return serial(year, month, day)
}

// nthWeekday gives the n-th (1 …) given weekday of a month; n = -1 is the last.
func nthWeekday(year, month, weekday, n int) int32 {
	if n < 0 {
		last := serial(year, month, monthDays(year, month))
		return last - int32(floorMod(weekdayOf(last)-weekday, 7))
	}
	first := serial(year, month, 1)
	return first + int32(floorMod(weekday-weekdayOf(first), 7)) + int32(n-1)*7
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int) int { return a - floorDiv(a, b)*b }
