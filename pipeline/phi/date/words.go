package date

import (
	"maps"
	"strings"

	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// class says what part a word plays in a date.
type class uint8

const (
	noClass class = iota
	classMonth
	classWeekday
	classSeason
	classHoliday
	classThird   // Anfang, Mitte, Ende, early, mid, late
	classWeek    // KW, Kalenderwoche, week
	classQuarter // Quartal, quarter
	classHalf    // Halbjahr
	classYear    // Jahr, year: what follows is a year
)

// word is an entry of the vocabulary: number is the month 1-12, weekday 0-6, season 0-3, third 0-2 or the index of the
// holiday; table is the row of names that the word was taken from, so that another one of the same row can be printed.
type word struct {
	class  class
	number int16
	table  int8
	german bool
	both   bool // the same in German and English
}

// Tables of month names. A word is printed from the row it was read from.
const (
	monthsDE = iota
	monthsAT
	monthsATFeber
	monthsASCII
	monthsATASCII
	monthsDEShort
	monthsDEShortMrz
	monthsDEShortSept
	monthsATShort
	monthsEN
	monthsENShort
	monthsENShortSept
	monthTables
)

var monthNames = [monthTables][12]string{
	monthsDE:          {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	monthsAT:          {"Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	monthsATFeber:     {"Jänner", "Feber", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	monthsASCII:       {"Januar", "Februar", "Maerz", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	monthsATASCII:     {"Jaenner", "Feber", "Maerz", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	monthsDEShort:     {"Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
	monthsDEShortMrz:  {"Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
	monthsDEShortSept: {"Jan", "Febr", "März", "Apr", "Mai", "Juni", "Juli", "Aug", "Sept", "Okt", "Nov", "Dez"},
	monthsATShort:     {"Jän", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
	monthsEN:          {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	monthsENShort:     {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	monthsENShortSept: {"Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec"},
}

// Tables of weekday names, Monday first.
const (
	weekdaysDE = iota
	weekdaysDESonnabend
	weekdaysDEShort
	weekdaysEN
	weekdaysENShort
	weekdaysENMid
	weekdaysCH
	weekdayTables
)

var weekdayNames = [weekdayTables][7]string{
	weekdaysDE:          {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"},
	weekdaysDESonnabend: {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Sonnabend", "Sonntag"},
	weekdaysDEShort:     {"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"},
	weekdaysEN:          {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	weekdaysENShort:     {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
	weekdaysENMid:       {"Mon", "Tues", "Weds", "Thurs", "Fri", "Sat", "Sun"},
	weekdaysCH:          {"Mäntig", "Zischtig", "Mittwuch", "Donnschtig", "Friitig", "Samschtig", "Sunntig"},
}

// Tables of season names: spring, summer, autumn, winter.
var seasonNames = [...][4]string{
	{"Frühling", "Sommer", "Herbst", "Winter"},
	{"Frühjahr", "Sommer", "Herbst", "Winter"},
	{"Fruehjahr", "Sommer", "Herbst", "Winter"},
	{"Frühjahr", "Frühsommer", "Frühherbst", "Frühwinter"},
	{"Spätfrühjahr", "Spätsommer", "Spätherbst", "Spätwinter"},
	{"Frühjahr", "Hochsommer", "Herbst", "Winter"},
	{"spring", "summer", "fall", "winter"},
	{"spring", "summer", "autumn", "winter"},
	{"springtime", "summer", "autumn", "winter"},
	{"spring", "midsummer", "autumn", "midwinter"},
}

const firstEnglishSeasons = 6

// Words for the beginning, middle and end of a month or year.
var thirdNames = [...][3]string{
	{"Anfang", "Mitte", "Ende"},
	{"early", "mid", "late"},
	{"beginning", "middle", "end"},
}

var vocabulary = func() map[string]word {
	m := make(map[string]word, 400)
	add := func(name string, w word) {
		key := strings.ToLower(name)
		if old, ok := m[key]; ok {
			if old.class == w.class && old.number == w.number && old.german != w.german {
				old.both = true
				m[key] = old
			}
			return
		}
		m[key] = w
	}
	// Full and common rows first: they own the names that several rows share.
	for _, t := range []int{monthsDE, monthsDEShort, monthsEN, monthsENShort, monthsATFeber, monthsAT, monthsASCII, monthsATASCII, monthsDEShortMrz, monthsDEShortSept, monthsATShort, monthsENShortSept} {
		for i, name := range monthNames[t] {
			add(name, word{class: classMonth, number: int16(i + 1), table: int8(t), german: t < monthsEN})
		}
	}
	jänner := m["jänner"]
	jänner.table = monthsAT
	m["jänner"] = jänner
	for name, w := range map[string]word{
		"jan": {class: classMonth, number: 1, table: monthsDEShort}, "jänn": {class: classMonth, number: 1, table: monthsATShort},
		"juno": {class: classMonth, number: 6, table: monthsDE}, "septbr": {class: classMonth, number: 9, table: monthsDEShortSept},
	} {
		w.german = true
		add(name, w)
	}
	for t := range weekdayNames {
		for i, name := range weekdayNames[t] {
			add(name, word{class: classWeekday, number: int16(i), table: int8(t), german: t <= weekdaysDEShort || t == weekdaysCH})
		}
	}
	add("wednes", word{class: classWeekday, number: 2, table: weekdaysENMid})
	add("thur", word{class: classWeekday, number: 3, table: weekdaysENMid})
	for t := range seasonNames {
		for i, name := range seasonNames[t] {
			add(name, word{class: classSeason, number: int16(i), table: int8(t), german: t < firstEnglishSeasons})
		}
	}
	for t := range thirdNames {
		for i, name := range thirdNames[t] {
			add(name, word{class: classThird, number: int16(i), table: int8(t), german: t == 0})
		}
	}
	add("kw", word{class: classWeek, german: true})
	add("kalenderwoche", word{class: classWeek, german: true})
	add("week", word{class: classWeek})
	add("quartal", word{class: classQuarter, german: true})
	add("quarter", word{class: classQuarter})
	add("halbjahr", word{class: classHalf, german: true})
	for name, i := range holidayWords {
		add(name, word{class: classHoliday, number: int16(i)})
	}
	return m
}()

var (
	vocabularyFilter = fold.FilterOf(maps.Keys(vocabulary))
	vocabularyTable  = lists.NewTable(vocabulary)
)

// look finds the word s in the vocabulary whatever its case, without allocating.
func look(s string) (word, bool) {
	var buf [24]byte
	if len(s) > len(buf) || !vocabularyFilter.May(s) {
		return word{}, false
	}
	key := lower(buf[:0], s)
	w := vocabularyTable.FindBytes(key, lists.Hash(key))
	return w, w.class != noClass
}

// lower appends s in lower case, as far as ASCII and the Latin-1 letters go.
func lower(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c >= 0x80 && c <= 0x9e && c != 0x97 && i > 0 && s[i-1] == 0xc3:
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// caseOf says how a word is written.
type letterCase uint8

const (
	caseLower letterCase = iota
	caseTitle
	caseUpper
)

func caseOf(s string) letterCase {
	upper, low := 0, 0
	for _, r := range s {
		switch {
		case r >= 'A' && r <= 'Z' || r == 'Ä' || r == 'Ö' || r == 'Ü':
			upper++
		case r >= 'a' && r <= 'z' || r == 'ä' || r == 'ö' || r == 'ü' || r == 'ß':
			low++
		}
	}
	switch {
	case upper == 0:
		return caseLower
	case low == 0 && upper > 1:
		return caseUpper
	default:
		return caseTitle
	}
}

// inCase writes a word of the tables in the given case; title case leaves it as the table has it.
func inCase(s string, c letterCase) string {
	switch c {
	case caseUpper:
		return strings.ToUpper(s)
	case caseLower:
		return strings.ToLower(s)
	default:
		if s != "" && s[0] >= 'a' && s[0] <= 'z' {
			return strings.ToUpper(s[:1]) + s[1:]
		}
		return s
	}
}
