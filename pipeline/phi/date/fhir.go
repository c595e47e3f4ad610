package date

import (
	"errors"
	"strconv"
)

// ErrFHIR says that a value is no FHIR date, dateTime or instant, or that it leaves the years 0001 to 9999.
var ErrFHIR = errors.New("not a FHIR date")

// ShiftFHIR moves a FHIR date, dateTime or instant by days. Precision, time of day and time zone stay as they are.
// A year or a year and month goes where its middle goes, and at least to the next one in that direction.
func ShiftFHIR(value string, days int) (string, error) {
	p, rest, ok := readFHIR(value)
	if !ok {
		return "", ErrFHIR
	}
	if days == 0 {
		return value, nil
	}
	switch p.grain {
	case dayGrain:
		y, m, d := civil(serial(int(p.year), int(p.month), int(p.day)) + int32(days))
		p.year, p.month, p.day = int16(y), int16(m), int16(d)
	default:
		from, to := p.bounds(p.index())
		j := p.indexAt(from + (to-from)/2 + int32(days))
		if j == p.index() {
			if days > 0 {
				j++
			} else {
				j--
			}
		}
		p = p.at(j)
	}
	if p.year < 1 || p.year > 9999 {
		return "", ErrFHIR
	}
	return p.fhir() + rest, nil
}

// IntervalFHIR gives the days that a FHIR date means; the time of day is passed over.
func IntervalFHIR(value string) (from, to int32, err error) {
	p, _, ok := readFHIR(value)
	if !ok {
		return 0, 0, ErrFHIR
	}
	from, to, _, _ = p.span()
	return from, to, nil
}

// YearFHIR gives the year alone.
func YearFHIR(value string) (string, error) {
	if _, _, ok := readFHIR(value); !ok {
		return "", ErrFHIR
	}
	return value[:4], nil
}

func (p point) fhir() string {
	var buf [10]byte
	b := buf[:0]
	year := strconv.Itoa(int(p.year))
	for range 4 - len(year) {
		b = append(b, '0')
	}
	b = append(b, year...)
	two := func(n int16) { b = append(b, '-', byte('0'+n/10), byte('0'+n%10)) }
	if p.grain != yearGrain {
		two(p.month)
	}
	if p.grain == dayGrain {
		two(p.day)
	}
	return string(b)
}

// readFHIR takes a FHIR date or dateTime apart; rest is the time with its zone.
func readFHIR(v string) (p point, rest string, ok bool) {
	number := func(from, to int) (int16, bool) {
		n := 0
		for i := from; i < to; i++ {
			if !isDigit(v[i]) {
				return 0, false
			}
			n = n*10 + int(v[i]-'0')
		}
		return int16(n), true
	}
	if len(v) < 4 {
		return p, "", false
	}
	if p.year, ok = number(0, 4); !ok || p.year < 1 {
		return p, "", false
	}
	p.grain = yearGrain
	if len(v) == 4 {
		return p, "", true
	}
	if len(v) < 7 || v[4] != '-' {
		return p, "", false
	}
	if p.month, ok = number(5, 7); !ok || p.month < 1 || p.month > 12 {
		return p, "", false
	}
	p.grain = monthGrain
	if len(v) == 7 {
		return p, "", true
	}
	if len(v) < 10 || v[7] != '-' {
		return p, "", false
	}
	if p.day, ok = number(8, 10); !ok || p.day < 1 || int(p.day) > monthDays(int(p.year), int(p.month)) {
		return p, "", false
	}
	p.grain = dayGrain
	if len(v) == 10 {
		return p, "", true
	}
	return p, v[10:], fhirTime(v[10:])
}

// fhirTime checks Thh:mm:ss[.fff](Z|±hh:mm); seconds and zone may be missing, as some servers leave them out.
func fhirTime(t string) bool {
	if len(t) < 6 || t[0] != 'T' {
		return false
	}
	two := func(i, most int) bool {
		return i+2 <= len(t) && isDigit(t[i]) && isDigit(t[i+1]) && int(t[i]-'0')*10+int(t[i+1]-'0') <= most
	}
	if !two(1, 24) || t[3] != ':' || !two(4, 59) {
		return false
	}
	i := 6
	if i < len(t) && t[i] == ':' {
		if !two(i+1, 60) {
			return false
		}
		i += 3
		if i < len(t) && t[i] == '.' {
			start := i + 1
			for i++; i < len(t) && isDigit(t[i]); i++ {
			}
			if i == start {
				return false
			}
		}
	}
	if i == len(t) {
		return true
	}
	if t[i] == 'Z' {
		return i+1 == len(t)
	}
	return (t[i] == '+' || t[i] == '-') && len(t) == i+6 && two(i+1, 14) && t[i+3] == ':' && two(i+4, 59)
}
