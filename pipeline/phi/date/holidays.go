package date

import "strings"

// holiday is a named day or season of the year. first gives its first day in a year and is nil where the calendar
// is not computed here; such a name is found but cannot be interpreted.
type holiday struct {
	name   string // lower case, straight apostrophe
	german bool
	days   int // length
	first  func(year int) int32
	alone  bool // counts without a year, preposition or other context
}

func fixed(month, day int) func(int) int32 {
	return func(year int) int32 { return serial(year, month, day) }
}

func fromEaster(offset int32) func(int) int32 {
	return func(year int) int32 { return easter(year) + offset }
}

func weekday(month, weekday, n int) func(int) int32 {
	return func(year int) int32 { return nthWeekday(year, month, weekday, n) }
}

// advent gives the n-th Sunday of Advent.
func advent(n int) func(int) int32 {
	return func(year int) int32 {
		christmas := serial(year, 12, 25)
		fourth := christmas - int32(weekdayOf(christmas)) - 1
		return fourth - int32(4-n)*7
	}
}

// orthodoxEaster is the Easter of the eastern churches, in the Gregorian calendar (1900 to 2099).
func orthodoxEaster(year int) int32 {
	a, b, c := year%4, year%7, year%19
	d := (19*c + 15) % 30
	e := (2*a + 4*b - d + 34) % 7
	month := (d + e + 114) / 31
	day := (d+e+114)%31 + 1
	return serial(year, month, day) + 13
}

// lunarNewYear holds the first day of the Chinese and Vietnamese year from 1990 as days after 20 January.
var lunarNewYear = [...]int8{
	7, 26, 15, 3, 21, 11, 30, 18, 8, 27, // 1990-1999
	16, 4, 23, 12, 2, 20, 9, 29, 18, 6, // 2000-2009
	25, 14, 3, 21, 11, 30, 19, 8, 27, 16, // 2010-2019
	5, 23, 12, 2, 21, 9, 28, 17, 6, 24, // 2020-2029
	14, 3, 22, 11, 30, // 2030-2034
}

func lunar(year int) int32 {
	if year < 1990 || year >= 1990+len(lunarNewYear) {
		return noDay
	}
	return serial(year, 1, 20) + int32(lunarNewYear[year-1990])
}

// ramadan gives the first day of Ramadan, by the arithmetic Islamic calendar (± 1 day against sightings), in the
// given Gregorian year.
func ramadan(year int) int32 { return islamic(year, 9, 1) }

func islamic(year, month, day int) int32 {
	for hijri := (year-622)*33/32 - 1; hijri < (year-622)*33/32+3; hijri++ {
		d := int32(day) + int32((59*(month-1)+1)/2) + int32((hijri-1)*354) + int32((3+11*hijri)/30) + islamicEpoch - 1
		if y, _, _ := civil(d); y == year {
			return d
		}
	}
	return noDay
}

const (
	islamicEpoch = -492148 // 16 July 622 (Julian), in days from 1970-01-01
	noDay        = -1 << 31
)

var holidays = []holiday{
	{"neujahr", true, 1, fixed(1, 1), true},
	{"neujahrstag", true, 1, fixed(1, 1), true},
	{"dreikönig", true, 1, fixed(1, 6), true},
	{"dreikönige", true, 1, fixed(1, 6), true},
	{"dreikönigstag", true, 1, fixed(1, 6), true},
	{"heilige drei könige", true, 1, fixed(1, 6), true},
	{"hl. drei könige", true, 1, fixed(1, 6), true},
	{"3 könige", true, 1, fixed(1, 6), true},
	{"peter und paul", true, 1, fixed(6, 29), true},
	{"lichtmess", true, 1, fixed(2, 2), true},
	{"mariä lichtmess", true, 1, fixed(2, 2), true},
	{"maria lichtmess", true, 1, fixed(2, 2), true},
	{"valentinstag", true, 1, fixed(2, 14), true},
	{"weiberfastnacht", true, 1, fromEaster(-52), true},
	{"rosenmontag", true, 1, fromEaster(-48), true},
	{"faschingsdienstag", true, 1, fromEaster(-47), true},
	{"fastnachtsdienstag", true, 1, fromEaster(-47), true},
	{"veilchendienstag", true, 1, fromEaster(-47), true},
	{"fasching", true, 6, fromEaster(-52), true},
	{"fasnacht", true, 6, fromEaster(-52), true},
	{"fastnacht", true, 6, fromEaster(-52), true},
	{"fasnet", true, 6, fromEaster(-52), true},
	{"karneval", true, 6, fromEaster(-52), true},
	{"aschermittwoch", true, 1, fromEaster(-46), true},
	{"josefi", true, 1, fixed(3, 19), true},
	{"josefitag", true, 1, fixed(3, 19), true},
	{"josefstag", true, 1, fixed(3, 19), true},
	{"palmsonntag", true, 1, fromEaster(-7), true},
	{"karwoche", true, 6, fromEaster(-6), true},
	{"gründonnerstag", true, 1, fromEaster(-3), true},
	{"gruendonnerstag", true, 1, fromEaster(-3), true},
	{"karfreitag", true, 1, fromEaster(-2), true},
	{"karsamstag", true, 1, fromEaster(-1), true},
	{"ostern", true, 4, fromEaster(-2), true},
	{"ostersamstag", true, 1, fromEaster(-1), true},
	{"ostersonntag", true, 1, fromEaster(0), true},
	{"ostermontag", true, 1, fromEaster(1), true},
	{"osterdienstag", true, 1, fromEaster(2), true},
	{"osterwochenende", true, 4, fromEaster(-2), true},
	{"weißer sonntag", true, 1, fromEaster(7), true},
	{"walpurgisnacht", true, 1, fixed(4, 30), true},
	{"tag der arbeit", true, 1, fixed(5, 1), true},
	{"maifeiertag", true, 1, fixed(5, 1), true},
	{"muttertag", true, 1, weekday(5, 6, 2), true},
	{"vatertag", true, 1, fromEaster(39), true},
	{"himmelfahrt", true, 1, fromEaster(39), true},
	{"christi himmelfahrt", true, 1, fromEaster(39), true},
	{"auffahrt", true, 1, fromEaster(39), false},
	{"pfingsten", true, 3, fromEaster(48), true},
	{"pfingstsamstag", true, 1, fromEaster(48), true},
	{"pfingstsonntag", true, 1, fromEaster(49), true},
	{"pfingstmontag", true, 1, fromEaster(50), true},
	{"pfingstdienstag", true, 1, fromEaster(51), true},
	{"pfingstwochenende", true, 3, fromEaster(48), true},
	{"fronleichnam", true, 1, fromEaster(60), true},
	{"johanni", true, 1, fixed(6, 24), true},
	{"siebenschläfer", true, 1, fixed(6, 27), true},
	{"bundesfeiertag", true, 1, fixed(8, 1), true},
	{"bundesfeier", true, 1, fixed(8, 1), true},
	{"mariä himmelfahrt", true, 1, fixed(8, 15), true},
	{"maria himmelfahrt", true, 1, fixed(8, 15), true},
	{"michaeli", true, 1, fixed(9, 29), true},
	{"oktoberfest", true, 16, func(y int) int32 { return nthWeekday(y, 10, 6, 1) - 15 }, true},
	{"wiesn", true, 16, func(y int) int32 { return nthWeekday(y, 10, 6, 1) - 15 }, false},
	{"erntedank", true, 1, weekday(10, 6, 1), true},
	{"tag der deutschen einheit", true, 1, fixed(10, 3), true},
	{"nationalfeiertag", true, 1, fixed(10, 26), true},
	{"reformationstag", true, 1, fixed(10, 31), true},
	{"allerheiligen", true, 1, fixed(11, 1), true},
	{"allerheiligentag", true, 1, fixed(11, 1), true},
	{"allerseelen", true, 1, fixed(11, 2), true},
	{"martini", true, 1, fixed(11, 11), false},
	{"martinstag", true, 1, fixed(11, 11), true},
	{"st. martin", true, 1, fixed(11, 11), false},
	{"buß- und bettag", true, 1, func(y int) int32 { return advent(1)(y) - 11 }, true},
	{"volkstrauertag", true, 1, func(y int) int32 { return advent(1)(y) - 14 }, true},
	{"totensonntag", true, 1, func(y int) int32 { return advent(1)(y) - 7 }, true},
	{"ewigkeitssonntag", true, 1, func(y int) int32 { return advent(1)(y) - 7 }, true},
	{"advent", true, 24, advent(1), true},
	{"1. advent", true, 1, advent(1), true},
	{"2. advent", true, 1, advent(2), true},
	{"3. advent", true, 1, advent(3), true},
	{"4. advent", true, 1, advent(4), true},
	{"erster advent", true, 1, advent(1), true},
	{"ersten advent", true, 1, advent(1), true},
	{"zweiten advent", true, 1, advent(2), true},
	{"dritten advent", true, 1, advent(3), true},
	{"vierten advent", true, 1, advent(4), true},
	{"erster adventssonntag", true, 1, advent(1), true},
	{"ersten adventssonntag", true, 1, advent(1), true},
	{"barbaratag", true, 1, fixed(12, 4), true},
	{"nikolaus", true, 1, fixed(12, 6), false},
	{"samichlaus", true, 1, fixed(12, 6), true},
	{"nikolo", true, 1, fixed(12, 6), true},
	{"nikolaustag", true, 1, fixed(12, 6), true},
	{"nikolo", true, 1, fixed(12, 6), true},
	{"mariä empfängnis", true, 1, fixed(12, 8), true},
	{"maria empfängnis", true, 1, fixed(12, 8), true},
	{"heiligabend", true, 1, fixed(12, 24), true},
	{"heiliger abend", true, 1, fixed(12, 24), true},
	{"heiligen abend", true, 1, fixed(12, 24), true},
	{"hl. abend", true, 1, fixed(12, 24), true},
	{"weihnachten", true, 3, fixed(12, 24), true},
	{"weihnachtstag", true, 1, fixed(12, 25), true},
	{"weihnachtsfeiertag", true, 1, fixed(12, 25), true},
	{"1. weihnachtstag", true, 1, fixed(12, 25), true},
	{"2. weihnachtstag", true, 1, fixed(12, 26), true},
	{"1. weihnachtsfeiertag", true, 1, fixed(12, 25), true},
	{"2. weihnachtsfeiertag", true, 1, fixed(12, 26), true},
	{"erster weihnachtstag", true, 1, fixed(12, 25), true},
	{"ersten weihnachtstag", true, 1, fixed(12, 25), true},
	{"ersten weihnachtsfeiertag", true, 1, fixed(12, 25), true},
	{"zweiter weihnachtstag", true, 1, fixed(12, 26), true},
	{"zweiten weihnachtstag", true, 1, fixed(12, 26), true},
	{"zweiter weihnachtsfeiertag", true, 1, fixed(12, 26), true},
	{"zweiten weihnachtsfeiertag", true, 1, fixed(12, 26), true},
	{"stephanitag", true, 1, fixed(12, 26), true},
	{"stefanitag", true, 1, fixed(12, 26), true},
	{"stephanstag", true, 1, fixed(12, 26), true},
	{"stefanstag", true, 1, fixed(12, 26), true},
	{"silvester", true, 1, fixed(12, 31), true},
	{"sylvester", true, 1, fixed(12, 31), true},
	{"silvesternacht", true, 1, fixed(12, 31), true},
	{"jahreswechsel", true, 2, fixed(12, 31), true},
	{"kirmes", true, 1, nil, false},
	{"kirchweih", true, 1, nil, false},
	{"kirtag", true, 1, nil, false},
	{"zuckerfest", true, 3, func(y int) int32 { return islamic(y, 10, 1) }, true},
	{"opferfest", true, 4, func(y int) int32 { return islamic(y, 12, 10) }, true},
	{"jom kippur", true, 1, nil, true},

	{"new year", false, 1, fixed(1, 1), false},
	{"new year's", false, 1, fixed(1, 1), true},
	{"new years", false, 1, fixed(1, 1), true},
	{"new year's day", false, 1, fixed(1, 1), true},
	{"new years day", false, 1, fixed(1, 1), true},
	{"new year's eve", false, 1, fixed(12, 31), true},
	{"new years eve", false, 1, fixed(12, 31), true},
	{"epiphany", false, 1, fixed(1, 6), false},
	{"little christmas", false, 1, fixed(1, 6), true},
	{"twelfth night", false, 1, fixed(1, 5), true},
	{"burns night", false, 1, fixed(1, 25), true},
	{"australia day", false, 1, fixed(1, 26), true},
	{"republic day", false, 1, fixed(1, 26), true},
	{"waitangi day", false, 1, fixed(2, 6), true},
	{"waitangi weekend", false, 3, fixed(2, 6), true},
	{"mlk day", false, 1, weekday(1, 0, 3), true},
	{"mlk weekend", false, 3, func(y int) int32 { return nthWeekday(y, 1, 0, 3) - 2 }, true},
	{"martin luther king day", false, 1, weekday(1, 0, 3), true},
	{"groundhog day", false, 1, fixed(2, 2), true},
	{"candlemas", false, 1, fixed(2, 2), true},
	{"super bowl sunday", false, 1, weekday(2, 6, 1), true},
	{"superbowl sunday", false, 1, weekday(2, 6, 1), true},
	{"valentine's day", false, 1, fixed(2, 14), true},
	{"valentines day", false, 1, fixed(2, 14), true},
	{"valentine's", false, 1, fixed(2, 14), true},
	{"presidents day", false, 1, weekday(2, 0, 3), true},
	{"presidents' day", false, 1, weekday(2, 0, 3), true},
	{"president's day", false, 1, weekday(2, 0, 3), true},
	{"family day", false, 1, weekday(2, 0, 3), false},
	{"leap day", false, 1, func(y int) int32 { return serial(y, 2, 29) }, true},
	{"mardi gras", false, 1, fromEaster(-47), true},
	{"shrove tuesday", false, 1, fromEaster(-47), true},
	{"pancake day", false, 1, fromEaster(-47), true},
	{"ash wednesday", false, 1, fromEaster(-46), true},
	{"mothering sunday", false, 1, fromEaster(-21), true},
	{"st david's day", false, 1, fixed(3, 1), true},
	{"st. david's day", false, 1, fixed(3, 1), true},
	{"st patrick's day", false, 1, fixed(3, 17), true},
	{"st. patrick's day", false, 1, fixed(3, 17), true},
	{"st patricks day", false, 1, fixed(3, 17), true},
	{"st paddy's day", false, 1, fixed(3, 17), true},
	{"paddy's day", false, 1, fixed(3, 17), true},
	{"palm sunday", false, 1, fromEaster(-7), true},
	{"holy week", false, 7, fromEaster(-7), true},
	{"maundy thursday", false, 1, fromEaster(-3), true},
	{"good friday", false, 1, fromEaster(-2), true},
	{"holy saturday", false, 1, fromEaster(-1), true},
	{"easter", false, 1, fromEaster(0), true},
	{"easter sunday", false, 1, fromEaster(0), true},
	{"easter monday", false, 1, fromEaster(1), true},
	{"easter weekend", false, 4, fromEaster(-2), true},
	{"twelfth fortnight", false, 14, fixed(7, 1), true},
	{"trades fortnight", false, 14, nil, true},
	{"wakes week", false, 7, nil, true},
	{"easter break", false, 14, fromEaster(-7), true},
	{"easter holidays", false, 14, fromEaster(-7), true},
	{"april fool's day", false, 1, fixed(4, 1), true},
	{"april fools' day", false, 1, fixed(4, 1), true},
	{"april fools day", false, 1, fixed(4, 1), true},
	{"april fools", false, 1, fixed(4, 1), true},
	{"tax day", false, 1, fixed(4, 15), true},
	{"patriots' day", false, 1, weekday(4, 0, 3), true},
	{"st george's day", false, 1, fixed(4, 23), true},
	{"anzac day", false, 1, fixed(4, 25), true},
	{"derby day", false, 1, weekday(5, 5, 1), false},
	{"may day", false, 1, fixed(5, 1), true},
	{"cinco de mayo", false, 1, fixed(5, 5), true},
	{"mother's day", false, 1, weekday(5, 6, 2), true},
	{"mothers day", false, 1, weekday(5, 6, 2), true},
	{"ascension day", false, 1, fromEaster(39), true},
	{"whitsun", false, 3, fromEaster(48), true},
	{"whit monday", false, 1, fromEaster(50), true},
	{"pentecost", false, 1, fromEaster(49), true},
	{"corpus christi", false, 1, fromEaster(60), false},
	{"victoria day", false, 1, func(y int) int32 { d := serial(y, 5, 24); return d - int32(weekdayOf(d)) }, true},
	{"memorial day", false, 1, weekday(5, 0, -1), true},
	{"mem day", false, 1, weekday(5, 0, -1), true},
	{"memorial day weekend", false, 3, func(y int) int32 { return nthWeekday(y, 5, 0, -1) - 2 }, true},
	{"bank holiday monday", false, 1, nil, true},
	{"may bank holiday", false, 1, weekday(5, 0, 1), true},
	{"august bank holiday", false, 1, weekday(8, 0, -1), true},
	{"democracy day", false, 1, fixed(6, 12), true},
	{"juneteenth", false, 1, fixed(6, 19), true},
	{"father's day", false, 1, weekday(6, 6, 3), true},
	{"fathers day", false, 1, weekday(6, 6, 3), true},
	{"midsummer's day", false, 1, fixed(6, 24), true},
	{"canada day", false, 1, fixed(7, 1), true},
	{"fourth of july", false, 1, fixed(7, 4), true},
	{"4th of july", false, 1, fixed(7, 4), true},
	{"july 4th", false, 1, fixed(7, 4), true},
	{"independence day", false, 1, fixed(7, 4), true},
	{"twelfth of july", false, 1, fixed(7, 12), true},
	{"bastille day", false, 1, fixed(7, 14), true},
	{"labor day", false, 1, weekday(9, 0, 1), true},
	{"labour day", false, 1, weekday(9, 0, 1), true},
	{"labor day weekend", false, 3, func(y int) int32 { return nthWeekday(y, 9, 0, 1) - 2 }, true},
	{"heritage day", false, 1, fixed(9, 24), true},
	{"michaelmas", false, 1, fixed(9, 29), true},
	{"gandhi jayanti", false, 1, fixed(10, 2), true},
	{"columbus day", false, 1, weekday(10, 0, 2), true},
	{"indigenous peoples' day", false, 1, weekday(10, 0, 2), true},
	{"canadian thanksgiving", false, 1, weekday(10, 0, 2), true},
	{"halloween", false, 1, fixed(10, 31), true},
	{"hallowe'en", false, 1, fixed(10, 31), true},
	{"all saints' day", false, 1, fixed(11, 1), true},
	{"all saints day", false, 1, fixed(11, 1), true},
	{"all souls' day", false, 1, fixed(11, 2), true},
	{"all souls day", false, 1, fixed(11, 2), true},
	{"todos los santos", false, 1, fixed(11, 1), true},
	{"día de los muertos", false, 1, fixed(11, 2), true},
	{"dia de los muertos", false, 1, fixed(11, 2), true},
	{"melbourne cup day", false, 1, weekday(11, 1, 1), true},
	{"election day", false, 1, func(y int) int32 { return nthWeekday(y, 11, 0, 1) + 1 }, true},
	{"guy fawkes", false, 1, fixed(11, 5), true},
	{"guy fawkes night", false, 1, fixed(11, 5), true},
	{"bonfire night", false, 1, fixed(11, 5), true},
	{"veterans day", false, 1, fixed(11, 11), true},
	{"veteran's day", false, 1, fixed(11, 11), true},
	{"veterans' day", false, 1, fixed(11, 11), true},
	{"armistice day", false, 1, fixed(11, 11), true},
	{"remembrance day", false, 1, fixed(11, 11), true},
	{"remembrance sunday", false, 1, weekday(11, 6, 2), true},
	// School holidays differ by state and year.
	{"sommerferien", true, 42, nil, false},
	{"herbstferien", true, 14, nil, false},
	{"weihnachtsferien", true, 14, nil, false},
	{"winterferien", true, 7, nil, false},
	{"sportferien", true, 7, nil, false},
	{"faschingsferien", true, 7, nil, false},
	{"osterferien", true, 14, nil, false},
	{"pfingstferien", true, 14, nil, false},
	{"schulferien", true, 14, nil, false},
	{"semesterferien", true, 60, nil, false},
	{"half term", false, 7, nil, false},
	{"half-term", false, 7, nil, false},

	{"lichtmeß", true, 1, fixed(2, 2), true},
	{"funkensonntag", true, 1, fromEaster(-42), true},
	{"fasenacht", true, 6, fromEaster(-52), true},
	{"fasnachtsmontag", true, 1, fromEaster(-48), true},
	{"fasnachtsdienstag", true, 1, fromEaster(-47), true},
	{"ostermittwoch", true, 1, fromEaster(3), true},
	{"herz-jesu-sonntag", true, 1, fromEaster(70), true},
	{"staatsfeiertag", true, 1, fixed(5, 1), false},
	{"bettag", true, 1, nil, false},
	{"samichlaustag", true, 1, fixed(12, 6), true},
	{"samichlaus", true, 1, fixed(12, 6), false},
	{"berchtoldstag", true, 1, fixed(1, 2), true},
	{"neujahrsmorgen", true, 1, fixed(1, 1), true},
	{"zwischen den jahren", true, 7, fixed(12, 25), true},
	{"heilig drei könig", true, 1, fixed(1, 6), true},
	{"kurban bayramı", true, 4, func(y int) int32 { return islamic(y, 12, 10) }, true},

	{"valentines", false, 1, fixed(2, 14), false},
	{"valentine's weekend", false, 3, fixed(2, 13), true},
	{"ash wed", false, 1, fromEaster(-46), true},
	{"easter mon", false, 1, fromEaster(1), true},
	{"whit week", false, 7, fromEaster(49), true},
	{"cinco de mayo", false, 1, fixed(5, 5), true},
	{"columbus day weekend", false, 3, func(y int) int32 { return nthWeekday(y, 10, 0, 2) - 2 }, true},
	{"mem day", false, 1, weekday(5, 0, -1), false},
	{"decoration day", false, 1, weekday(5, 0, -1), true},
	{"vets day", false, 1, fixed(11, 11), true},
	{"youth day", false, 1, fixed(6, 16), false},
	{"workers day", false, 1, fixed(5, 1), false},
	{"workers' day", false, 1, fixed(5, 1), false},
	{"stephen's day", false, 1, fixed(12, 26), true},
	{"spring bank holiday", false, 1, weekday(5, 0, -1), true},
	{"thanksgiving week", false, 7, func(y int) int32 { return nthWeekday(y, 11, 3, 4) - 3 }, true},
	{"shavuot", false, 2, nil, true},
	{"armistice", false, 1, fixed(11, 11), false},

	{"thanksgiving", false, 1, weekday(11, 3, 4), true},
	{"turkey day", false, 1, weekday(11, 3, 4), true},
	{"thanksgiving day", false, 1, weekday(11, 3, 4), true},
	{"thanksgiving weekend", false, 4, weekday(11, 3, 4), true},
	{"thanksgiving break", false, 5, func(y int) int32 { return nthWeekday(y, 11, 3, 4) - 1 }, true},
	{"black friday", false, 1, func(y int) int32 { return nthWeekday(y, 11, 3, 4) + 1 }, true},
	{"cyber monday", false, 1, func(y int) int32 { return nthWeekday(y, 11, 3, 4) + 4 }, true},
	{"st andrew's day", false, 1, fixed(11, 30), true},
	{"advent sunday", false, 1, advent(1), true},
	{"advent", false, 24, advent(1), false},
	{"christmas", false, 1, fixed(12, 25), true},
	{"christmas day", false, 1, fixed(12, 25), true},
	{"christmas eve", false, 1, fixed(12, 24), true},
	{"christmas week", false, 7, fixed(12, 24), true},
	{"christmas break", false, 14, fixed(12, 22), true},
	{"christmas holidays", false, 14, fixed(12, 22), true},
	{"xmas", false, 1, fixed(12, 25), true},
	{"xmas eve", false, 1, fixed(12, 24), true},
	{"xmas day", false, 1, fixed(12, 25), true},
	{"chrissy", false, 1, fixed(12, 25), false},
	{"boxing day", false, 1, fixed(12, 26), true},
	{"st stephen's day", false, 1, fixed(12, 26), true},
	{"st. stephen's day", false, 1, fixed(12, 26), true},
	{"st stephen's", false, 1, fixed(12, 26), false},
	{"hogmanay", false, 1, fixed(12, 31), true},
	{"kwanzaa", false, 7, fixed(12, 26), true},
	{"ramadan", false, 30, ramadan, true},
	{"ramazan", false, 30, ramadan, true},
	{"eid", false, 3, nil, false},
	{"eid al-fitr", false, 3, func(y int) int32 { return islamic(y, 10, 1) }, true},
	{"eid al-adha", false, 4, func(y int) int32 { return islamic(y, 12, 10) }, true},
	{"hari raya", false, 3, nil, true},
	{"hari raya haji", false, 3, func(y int) int32 { return islamic(y, 12, 10) }, true},
	{"hari raya puasa", false, 3, func(y int) int32 { return islamic(y, 10, 1) }, true},
	{"tet", false, 3, lunar, false},
	{"lunar new year", false, 3, lunar, true},
	{"chinese new year", false, 3, lunar, true},
	{"cny", false, 3, lunar, false},
	{"cny week", false, 7, lunar, true},
	{"qingming", false, 1, fixed(4, 5), true},
	{"qing ming", false, 1, fixed(4, 5), true},
	{"mid-autumn festival", false, 1, nil, true},
	{"diwali", false, 1, nil, true},
	{"deepavali", false, 1, nil, true},
	{"holi", false, 1, nil, false},
	{"navratri", false, 9, nil, true},
	{"dussehra", false, 1, nil, true},
	{"durga puja", false, 5, nil, true},
	{"kali puja", false, 1, nil, true},
	{"ganesh chaturthi", false, 1, nil, true},
	{"raksha bandhan", false, 1, nil, true},
	{"pongal", false, 4, fixed(1, 14), true},
	{"onam", false, 1, nil, true},
	{"vaisakhi", false, 1, fixed(4, 14), true},
	{"losar", false, 3, nil, true},
	{"vesak", false, 1, nil, true},
	{"songkran", false, 3, fixed(4, 13), true},
	{"matariki", false, 1, nil, true},
	{"nowruz", false, 1, fixed(3, 20), true},
	{"rosh hashanah", false, 2, nil, true},
	{"rosh hashana", false, 2, nil, true},
	{"yom kippur", false, 1, nil, true},
	{"sukkot", false, 7, nil, true},
	{"pesach", false, 8, nil, true},
	{"passover", false, 8, nil, true},
	{"hanukkah", false, 8, nil, true},
	{"chanukah", false, 8, nil, true},
	{"purim", false, 1, nil, true},
	{"orthodox easter", false, 1, orthodoxEaster, true},
	{"orthodoxe ostern", true, 1, orthodoxEaster, true},
	{"greek easter", false, 1, orthodoxEaster, true},
	{"three kings day", false, 1, fixed(1, 6), true},
	{"lá fhéile bríde", false, 1, fixed(2, 1), true},
	{"spring break", false, 7, nil, false},
}

// holidayWords maps the first word of every name to its group, longest names first.
var holidayWords, holidayGroups = groupHolidays()

func groupHolidays() (map[string]int, [][]int) {
	words := make(map[string]int)
	var groups [][]int
	for i, h := range holidays {
		first := h.name
		if n := wordEnd(first, 0); n > 0 {
			first = first[:n]
		}
		g, ok := words[first]
		if !ok {
			g = len(groups)
			groups = append(groups, nil)
			words[first] = g
		}
		groups[g] = append(groups[g], i)
	}
	return words, groups
}

// holidayAt finds the longest holiday name at p.
func holidayAt(s string, p, group int) (index, end int) {
	best, bestEnd := -1, p
	for _, i := range holidayGroups[group] {
		if e := phraseAt(s, p, holidays[i].name); e > bestEnd {
			best, bestEnd = i, e
		}
	}
	return best, bestEnd
}

// phraseAt compares s at p with a lower-case phrase; a space stands for any run of blanks with at most one line end,
// a straight apostrophe for a curly one too. It gives the end or -1, and never ends inside a word.
func phraseAt(s string, p int, phrase string) int {
	for i := 0; i < len(phrase); i++ {
		if p >= len(s) {
			return -1
		}
		c := phrase[i]
		switch {
		case c == ' ':
			q := skipSpace(s, p)
			if q == p {
				return -1
			}
			p = q
			continue
		case c == '\'' && strings.HasPrefix(s[p:], "’"):
			p += len("’")
			continue
		}
		d := s[p]
		if 'A' <= d && d <= 'Z' {
			d |= 0x20
		} else if d >= 0x80 && d <= 0x9e && d != 0x97 && p > 0 && s[p-1] == 0xc3 {
			d |= 0x20
		}
		if c != d {
			return -1
		}
		p++
	}
	if isWordAt(s, p) {
		return -1
	}
	return p
}
