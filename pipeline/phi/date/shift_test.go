package date

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline/phi"
)

func day(y, m, d int) int32 { return serial(y, m, d) }

func TestCivil(t *testing.T) {
	for d := day(1850, 1, 1); d <= day(2150, 12, 31); d++ {
		y, m, dd := civil(d)
		if serial(y, m, dd) != d || m < 1 || m > 12 || dd < 1 || dd > monthDays(y, m) {
			t.Fatalf("day %d: %d-%d-%d", d, y, m, dd)
		}
	}
	if day(1970, 1, 1) != 0 || weekdayOf(day(2021, 3, 12)) != 4 {
		t.Error("epoch or weekday")
	}
	for year, want := range map[int][2]int{1961: {4, 2}, 2000: {4, 23}, 2019: {4, 21}, 2024: {3, 31}, 2038: {4, 25}} {
		if easter(year) != day(year, want[0], want[1]) {
			t.Errorf("easter %d", year)
		}
	}
	for _, c := range []struct{ y, m, d, wy, w int }{{2020, 12, 31, 2020, 53}, {2021, 1, 3, 2020, 53}, {2021, 1, 4, 2021, 1}, {2019, 12, 30, 2020, 1}} {
		if y, w := isoWeek(day(c.y, c.m, c.d)); y != c.wy || w != c.w {
			t.Errorf("week of %d-%d-%d: %d/%d", c.y, c.m, c.d, w, y)
		}
	}
	if got := ramadan(2021); got < day(2021, 4, 12) || got > day(2021, 4, 14) {
		t.Errorf("ramadan 2021: %d", got-day(2021, 4, 13))
	}
	if lunar(2019) != day(2019, 2, 5) || lunar(2020) != day(2020, 1, 25) || lunar(2033) != day(2033, 1, 31) {
		t.Error("lunar new year")
	}
}

// TestShift prints every form in its own style.
func TestShift(t *testing.T) {
	for _, c := range []struct {
		lang phi.Language
		in   string
		days int
		want string
	}{
		{"de", "12.03.2021", 10, "22.03.2021"},
		{"de", "2.3.21", 10, "12.3.21"},
		{"de", "12.3.21", -9, "3.3.21"},
		{"de", "28.02.2020", 1, "29.02.2020"},
		{"de", "29.02.2020", 366, "01.03.2021"},
		{"de", "29.02.", 1, "01.03."},
		{"de", "31.12.1999", 1, "01.01.2000"},
		{"de", "31.12.99", 1, "01.01.00"},
		{"de", "15.05.", 20, "04.06."},
		{"de", "12.-14.03.2021", 10, "22.-24.03.2021"},
		{"de", "12.-14.03.2021", 18, "30.03.-01.04.2021"},
		{"de", "29.-30.12.2020", 2, "31.12.2020-01.01.2021"},
		{"de", "3./4./5.01.", 1, "4./5./6.01."},
		{"de", "12. bis 14. März 2021", 18, "30. März bis 1. April 2021"},
		{"de", "5. März 2021", 5, "10. März 2021"},
		{"de", "05. März 2021", 30, "04. April 2021"},
		{"de", "5. Jänner 2021", 31, "5. Februar 2021"},
		{"de", "8. Feber 2022", -31, "8. Jänner 2022"},
		{"de", "2. Nov. 2016", 31, "3. Dez. 2016"},
		{"de", "2. Nov. 2016", -180, "6. Mai 2016"},
		{"de", "12 März 2021", 1, "13 März 2021"},
		{"de", "03-DEZ-2008", 31, "03-JAN-2009"},
		{"de", "23.IX.2025", 10, "3.X.2025"},
		{"de", "13-XI-55", 30, "13-XII-55"},
		{"de", "Mai 2019", 100, "August 2019"},
		{"de", "Mai 2019", 3, "Juni 2019"},
		{"de", "08/2021", -40, "07/2021"},
		{"de", "8/2021", 150, "1/2022"},
		{"de", "2017", 300, "2018"},
		{"de", "2017", -5, "2016"},
		{"de", "'98", 300, "'99"},
		{"de", "2018/19", 365, "2019/20"},
		{"de", "KW 14", 14, "KW 16"},
		{"de", "KW 37/2022", -7, "KW 36/2022"},
		{"de", "KW 52/2021", 14, "KW 2/2022"},
		{"de", "Frühjahr 2020", 90, "Sommer 2020"},
		{"de", "Winter 2018/19", 365, "Winter 2019/20"},
		{"de", "Herbst 2020", -300, "Winter 2019"},
		{"de", "4. Quartal 2020", 90, "1. Quartal 2021"},
		{"de", "II. Quartal 2020", 90, "III. Quartal 2020"},
		{"de", "1. Halbjahr 2012", 180, "2. Halbjahr 2012"},
		{"de", "Ostern 2020", 10, "21. April 2020"},
		{"de", "Silvester", 2, "2. Januar"},
		{"de", "Karfreitag 2023", 1, "8. April 2023"},
		{"de", "1. Advent 2020", 7, "6. Dezember 2020"},
		{"de", "Mitte März", 10, "Ende März"},
		{"de", "Anfang Mai 2020", -10, "Ende April 2020"},
		{"de", "Ende 2016", 30, "Anfang 2017"},
		{"de", "Montag, den 3. Mai 2021", 1, "Dienstag, den 4. Mai 2021"},
		{"de", "Mo 25.01.2021", 7, "Mo 01.02.2021"},
		{"de", "Do, 06.10.", 1, "Fr, 07.10."},
		{"de", "dritter Mai zweitausendneunzehn", 1, "vierter Mai zweitausendneunzehn"},
		{"de", "zwölfter elfter neunundsiebzig", 20, "zweiter zwölfter neunundsiebzig"},
		{"de", "fünften zwölften", 1, "sechsten zwölften"},
		{"de", "19480411", 1, "19480412"},
		{"de", "2022-11-04T14:22:09+01:00", 30, "2022-12-04T14:22:09+01:00"},
		{"de", "20210927081422", 4, "20211001081422"},
		{"de", "O4.11.l939", 1, "05.11.1939"},
		{"de", "26.feb.2018", 5, "3.mär.2018"},
		{"en", "3/14/2021", 1, "3/15/2021"},
		{"en", "03/14/21", 20, "04/03/21"},
		{"en", "12/28", 10, "01/07"},
		{"en", "2/28", 1, "3/1"},
		{"en", "23/10/2018", 10, "02/11/2018"},
		{"en", "March 5th, 2021", 10, "March 15th, 2021"},
		{"en", "March 21st", 1, "March 22nd"},
		{"en", "5th of March", 6, "11th of March"},
		{"en", "the 5th of March, 2021", 27, "the 1st of April, 2021"},
		{"en", "JULY 1ST", 1, "JULY 2ND"},
		{"en", "March 5-7, 2021", 25, "March 30-April 1, 2021"},
		{"en", "5-7 March 2021", 25, "30 March-1 April 2021"},
		{"en", "Dec. 30-31, 2020", 1, "Dec. 31, 2020-Jan. 1, 2021"},
		{"en", "12Mar2021", -10, "02Mar2021"},
		{"en", "12-MAR-2021", 31, "12-APR-2021"},
		{"en", "Mar-27-2014", 5, "Apr-01-2014"},
		{"en", "2024-Sep-05", 30, "2024-Oct-05"},
		{"en", "2 October", 1, "3 October"},
		{"en", "October 3", 30, "November 2"},
		{"en", "Sept '22", 30, "Oct '22"},
		{"en", "fall of 2019", 90, "winter of 2019"},
		{"en", "fall '82", 365, "fall '83"},
		{"en", "Q3 2019", 90, "Q4 2019"},
		{"en", "mid-March", 31, "mid-April"},
		{"en", "mid-March", -10, "early March"},
		{"en", "early 2019", 150, "mid 2019"},
		{"en", "Christmas 2018", 7, "January 1, 2019"},
		{"en", "Thanksgiving", 1, "November 23"},
		{"en", "Fourth of July", 1, "July 5"},
		{"en", "Mother's Day 2020", 1, "May 11, 2020"},
		{"en", "Tuesday, June 5, 2018", 30, "Thursday, July 5, 2018"},
		{"en", "Weds 6th", 1, ""},
		{"en", "1980s", 100, ""},
		{"en", "Diwali 2022", 100, ""},
		{"en", "second of October", 2, "fourth of October"},
		{"en", "july fourth nineteen seventy", 1, "july fifth nineteen seventy"},
		{"en", "fourth of July two thousand five", 366, "fifth of July two thousand six"},
		{"de", "18., 19., 21., 22., 24.4.", 1, "19., 20., 22., 23., 25.4."},
		{"de", "01.MAR2018", 1, "02.MAR2018"},
		{"en", "April 1st", 0, "April 1st"},
	} {
		l, ok := Parse(c.in, c.lang)
		if !ok {
			t.Errorf("%q: not read", c.in)
			continue
		}
		got, ok := l.Shift(c.days)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q by %d: %q, want %q", c.in, c.days, got, c.want)
		}
	}
}

// TestNoDate: what looks like a date and is none must not be read even when it is all there is.
func TestNoDate(t *testing.T) {
	for _, s := range []string{"", "x", "31.02.2020", "29.02.2021", "30/30", "13/13/2020", "120/80", "7.35", "99.99.9999", "2.13.2020 ", "KW 54", "1-0-1", "00.00.2000", "Mai-Tai", "5. Quartal", "III. Halbjahr", "2021-13-01"} {
		if l, ok := Parse(s, phi.German); ok {
			t.Errorf("%q read as %v", s, l.Interval())
		}
	}
}

func TestAt(t *testing.T) {
	at := func(y, m, d int) phi.Interval {
		return phi.Interval{From: day(y, m, d), To: day(y, m, d), Precision: phi.ToDay}
	}
	for _, c := range []struct {
		lang phi.Language
		in   string
		i    phi.Interval
		days int
		want string
	}{
		{"de", "28.02.", at(2020, 2, 28), 2, "01.03."},
		{"de", "28.02.", at(2021, 2, 28), 2, "02.03."},
		{"de", "12.", at(2021, 3, 12), 20, "01.04."},
		{"en", "the 14th", at(2021, 3, 14), 1, "the 15th of March"},
		{"en", "16th", at(2021, 8, 16), 1, "17th August"},
		{"en", "Fri 8th", at(2021, 10, 8), 1, "Sat 9th October"},
		{"en", "3/4/2021", at(2021, 4, 3), 30, "3/5/2021"},
		{"en", "3/4/2021", at(2021, 3, 4), 30, "4/3/2021"},
		{"de", "12.", at(2021, 3, 13), 20, ""},
	} {
		l, ok := Parse(c.in, c.lang)
		if !ok {
			t.Errorf("%q: not read", c.in)
			continue
		}
		got, _ := l.At(c.i).Shift(c.days)
		if got != c.want {
			t.Errorf("%q by %d: %q, want %q", c.in, c.days, got, c.want)
		}
	}
}

// TestIntervalProperty: shifting and reading again gives the interval shifted, for every form of a day; coarser forms
// still touch the shifted interval and never stay as they were.
func TestIntervalProperty(t *testing.T) {
	exact := []func(y, m, d int) (string, phi.Language){
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%02d.%02d.%d", d, m, y), "de" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d.%d.%d", d, m, y), "de" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d.%d.%02d", d, m, y%100), "de" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d-%02d-%02d", y, m, d), "" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%02d/%02d/%d", m, d, y), "en" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d/%d/%02d", m, d, y%100), "en" },
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%d. %s %d", d, monthNames[monthsDE][m-1], y), "de"
		},
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%02d%s%d", d, monthNames[monthsENShort][m-1], y), "en"
		},
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%s %d%s, %d", monthNames[monthsEN][m-1], d, suffixOf(d), y), "en"
		},
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%d %s %d", d, monthNames[monthsEN][m-1], y), "en"
		},
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d.%s.%d", d, romanMonths[m], y), "de" },
		func(y, m, d int) (string, phi.Language) { return fmt.Sprintf("%d%02d%02d", y, m, d), "" },
		func(y, m, d int) (string, phi.Language) {
			return germanOrdinalWord(d, "er") + " " + germanOrdinalWord(m, "er") + " " + germanWord(y), "de"
		},
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%s, %02d.%02d.%d", weekdayNames[weekdaysDE][weekdayOf(serial(y, m, d))], d, m, y), "de"
		},
	}
	coarse := []func(y, m, d int) (string, phi.Language){
		func(y, m, _ int) (string, phi.Language) {
			return fmt.Sprintf("%s %d", monthNames[monthsDE][m-1], y), "de"
		},
		func(y, m, _ int) (string, phi.Language) { return fmt.Sprintf("%02d/%d", m, y), "de" },
		func(y, _, _ int) (string, phi.Language) { return fmt.Sprint(y), "de" },
		func(y, m, _ int) (string, phi.Language) { return fmt.Sprintf("Q%d %d", (m-1)/3+1, y), "en" },
		func(y, m, _ int) (string, phi.Language) { return fmt.Sprintf("%s %d", seasonNames[6][m%4], y), "en" },
		func(y, m, _ int) (string, phi.Language) { return fmt.Sprintf("KW %d/%d", m*4, y), "de" },
		func(y, m, d int) (string, phi.Language) {
			return fmt.Sprintf("%s %s %d", thirdNames[0][d%3], monthNames[monthsDE][m-1], y), "de"
		},
		func(y, m, _ int) (string, phi.Language) { return fmt.Sprintf("%d. Halbjahr %d", m%2+1, y), "de" },
	}
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.IntRange(1945, 2034).Draw(t, "year")
		m := rapid.IntRange(1, 12).Draw(t, "month")
		d := rapid.IntRange(1, monthDays(y, m)).Draw(t, "day")
		days := rapid.IntRange(-800, 800).Filter(func(n int) bool { return n != 0 }).Draw(t, "days")
		in, lang := rapid.SampledFrom(exact).Draw(t, "form")(y, m, d)
		l, ok := Parse(in, lang)
		if !ok || l.Interval() != (phi.Interval{From: serial(y, m, d), To: serial(y, m, d), Precision: phi.ToDay}) {
			t.Fatalf("%q: %v %v", in, ok, l.Interval())
		}
		out, ok := l.Shift(days)
		if !ok || out == in {
			t.Fatalf("%q by %d: %q %v", in, days, out, ok)
		}
		again, ok := Parse(out, lang)
		want := phi.Interval{From: l.Interval().From + int32(days), To: l.Interval().To + int32(days), Precision: phi.ToDay}
		if !ok || again.Interval() != want {
			t.Fatalf("%q by %d: %q reads %v, want %v", in, days, out, again.Interval(), want)
		}
		in, lang = rapid.SampledFrom(coarse).Draw(t, "coarse")(y, m, d)
		l, ok = Parse(in, lang)
		if !ok {
			t.Fatalf("%q not read", in)
		}
		out, ok = l.Shift(days)
		if !ok || out == in {
			t.Fatalf("%q by %d: %q %v", in, days, out, ok)
		}
		again, ok = Parse(out, lang)
		if !ok || again.Interval().To < l.Interval().From+int32(days) || again.Interval().From > l.Interval().To+int32(days) {
			t.Fatalf("%q by %d: %q reads %v", in, days, out, again.Interval())
		}
	})
}

func TestShiftFHIR(t *testing.T) {
	for _, c := range []struct {
		in   string
		days int
		want string
	}{
		{"2021-03-12", 20, "2021-04-01"},
		{"2020-02-28", 1, "2020-02-29"},
		{"2021-03", 40, "2021-04"},
		{"2021-03", 2, "2021-04"},
		{"2021", -2, "2020"},
		{"2021-03-12T23:59:59.123+01:00", 1, "2021-03-13T23:59:59.123+01:00"},
		{"2021-03-12T10:00:00Z", -12, "2021-02-28T10:00:00Z"},
		{"1948-11-04", 0, "1948-11-04"},
	} {
		if got, err := ShiftFHIR(c.in, c.days); err != nil || got != c.want {
			t.Errorf("%s by %d: %s %v, want %s", c.in, c.days, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "21", "2021-13", "2021-02-30", "2021-3-1", "12.03.2021", "2021-03-12T", "2021-03-12T25:00:00Z", "2021-03-12T10:00:00+1", "0000", "2021-03-12 10:00", "20210312", "2021-03-12T10:00:00Zx"} {
		if got, err := ShiftFHIR(bad, 5); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
	if _, err := ShiftFHIR("9999-12-31", 1); err == nil {
		t.Error("year 10000")
	}
}

// A bare number of a range moves by what the range says of it.
func TestShiftNumber(t *testing.T) {
	day := func(y, m, d int) phi.Interval {
		return phi.Interval{From: serial(y, m, d), To: serial(y, m, d), Precision: phi.ToDay}
	}
	year := phi.Interval{From: serial(1979, 1, 1), To: serial(1979, 12, 31), Precision: phi.ToYear}
	for _, c := range []struct {
		surface string
		means   phi.Interval
		days    int
		want    string // empty: it cannot be moved
	}{
		{"10", day(2019, 12, 10), 18, "28 Dec"},
		{"30", day(2019, 12, 30), 3, "02 Jan"},
		{"2", day(2019, 12, 2), 9, "11 Dec"},
		{"79", year, -700, "77"},
		{"79", year, 3, "80"},
		{"11", day(2019, 12, 10), 18, ""},
		{"10", day(2019, 12, 10), 0, ""},
		{"1979", year, -700, ""},
		{"x", day(2019, 12, 10), 18, ""},
	} {
		if got, ok := ShiftNumber(c.surface, phi.English, c.means, c.days); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s by %d: %q, %v, want %q", c.surface, c.days, got, ok, c.want)
		}
	}
	if got, _ := ShiftNumber("10", phi.German, day(2019, 12, 10), 30); got != "09.1." {
		t.Error(got)
	}
}
