package surrogate_test

import (
	"encoding/hex"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/surrogate"
)

var master = []byte("a test key of thirty-two bytes!!")

func generator(patient string) *surrogate.Generator {
	return surrogate.New(surrogate.Config{
		Master: master, Context: "project", Patient: patient, Locale: "de", Lang: phi.German,
		Known: []surrogate.Person{
			{Key: "patient", Role: surrogate.Patient, Gender: 'f', Given: []string{"Katharina", "Maria"}, Family: []string{"Schmidt-Böhm"}},
			{Key: "doctor", Role: surrogate.Staff, Gender: 'm', Given: []string{"Ansgar"}, Family: []string{"Wittkopp"}},
		},
		Forbidden: []string{"Katharina Maria Schmidt-Böhm", "Ansgar Wittkopp", "05523 88-2210", "22-0014987"},
	})
}

// stand replaces a surface in a text of its own.
func stand(t testing.TB, g *surrogate.Generator, typ phi.Type, before, surface string, lang phi.Language) string {
	t.Helper()
	doc := &pipeline.Document{Text: before + surface + " und weiter", Language: lang}
	out, err := g.Replace(doc, phi.Span{Start: len(before), End: len(before) + len(surface), Type: typ})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDerive is vector 1 of a reckoning by hand: HMAC-SHA-256 with an empty salt, then one block over the info.
func TestDerive(t *testing.T) {
	a := surrogate.Derive(master, "one", "x")
	if len(a) != 32 || hex.EncodeToString(a) == hex.EncodeToString(surrogate.Derive(master, "two", "x")) ||
		hex.EncodeToString(a) == hex.EncodeToString(surrogate.Derive(master, "one", "y")) ||
		hex.EncodeToString(a) != hex.EncodeToString(surrogate.Derive(master, "one", "x")) {
		t.Error("keys are not told apart by context and purpose, or not repeatable")
	}
	if a.PRF("ab", "c") == a.PRF("a", "bc") {
		t.Error("parts run together")
	}
	if len(a.Bytes(100, "x")) != 100 {
		t.Error("length")
	}
}

func TestDateShift(t *testing.T) {
	k := surrogate.Derive(master, "p", "date-shift")
	seen := map[int]int{}
	for i := range 20000 {
		n := surrogate.DateShift(k, fmtInt(i), surrogate.ShiftRange{})
		if n == 0 || n < -365 || n > 365 || n != surrogate.DateShift(k, fmtInt(i), surrogate.ShiftRange{}) {
			t.Fatalf("shift %d", n)
		}
		seen[n]++
		w := surrogate.DateShift(k, fmtInt(i), surrogate.ShiftRange{Days: 100, Weeks: true})
		if w == 0 || w%7 != 0 || w < -100 || w > 100 {
			t.Fatalf("weeks %d", w)
		}
	}
	if len(seen) != 730 {
		t.Errorf("%d of 730 shifts occur in 20,000 patients", len(seen))
	}
}

func fmtInt(i int) string {
	const digits = "0123456789"
	out := ""
	for ; i > 0 || out == ""; i /= 10 {
		out = string(digits[i%10]) + out
	}
	return "Patient/" + out
}

// TestPatients: over 10,000 patients with one name, shift and name together come about as often as chance has it.
func TestPatients(t *testing.T) {
	pairs := map[string]int{}
	names := map[string]int{}
	const n = 10000
	for i := range n {
		g := surrogate.New(surrogate.Config{Master: master, Context: "p", Patient: fmtInt(i), Locale: "de", Lang: phi.German})
		given, family := g.HumanName("official", []string{"Katharina"}, "Schmidt", 'f', surrogate.Patient)
		born, err := g.Date("1948-11-04")
		if err != nil || family == "" || len(given) != 1 {
			t.Fatal(err)
		}
		pairs[given[0]+" "+family+" "+born]++
		names[given[0]+" "+family]++
	}
	twice, namesakes := 0, 0
	for _, c := range pairs {
		twice += c * (c - 1) / 2
	}
	for _, c := range names {
		namesakes += c * (c - 1) / 2
	}
	// Of two namesakes one in 730 has the other's shift; four deviations above that is no chance any more.
	const shifts = 730
	chance := float64(namesakes) / shifts
	if limit := chance + 4*math.Sqrt(chance); float64(twice) > limit {
		t.Errorf("%d pairs of %d patients share shift and name, chance has %.1f and hardly more than %.1f", twice, n, chance, limit)
	}
	if len(names) < n/2 {
		t.Errorf("only %d names for %d patients", len(names), n)
	}
}

// TestOneEntity: all variants of a name have one surrogate, in the variant's shape, in text and structure.
func TestOneEntity(t *testing.T) {
	g := generator("p1")
	given, family := g.HumanName("official", []string{"Katharina", "Maria"}, "Schmidt-Böhm", 'f', surrogate.Patient)
	full := given[0] + " " + family
	parts := strings.Split(family, "-")
	if len(parts) != 2 {
		t.Fatalf("double name lost its hyphen: %d parts", len(parts))
	}
	for _, c := range []struct{ before, surface, want string }{
		{"Frau ", "Katharina Schmidt-Böhm", full},
		{"Frau ", "Schmidt-Böhm", family},
		{"Frau ", "Schmidt-Boehm", family},
		{"Frau ", "SCHMIDT-BÖHM", strings.ToUpper(family)},
		{"", "Schmidt-Böhm, Katharina", family + ", " + given[0]},
		{"", "SCHMIDT-BÖHM, Katharina", strings.ToUpper(family) + ", " + given[0]},
		{"", "Katharina", given[0]},
		{"", "Kathy Schmidt Böhm", given[0] + " " + parts[0] + " " + parts[1]},
		{"", "Katharina\nSchmidt-Böhm", given[0] + "\n" + family},
		{"Frau ", "Katharnia Schmidt-Böhm", full},
		{"", "katharina schmidt-böhm", strings.ToLower(full)},
		{"", "Katharina Maria Schmidt-Böhm", given[0] + " " + given[1] + " " + family},
		{"", "K. Schmidt-Böhm", given[0][:1] + ". " + family},
	} {
		if got := stand(t, g, phi.NamePatient, c.before, c.surface, phi.German); got != c.want {
			t.Errorf("%s: %s, want %s", c.surface, got, c.want)
		}
	}
	// The line of the name is broken inside a word.
	if got := stand(t, g, phi.NamePatient, "Frau ", "Katha-\nrina Schmidt-Böhm", phi.German); got != full {
		t.Errorf("broken word: %q, want %q", got, full)
	}
	// One doctor of two patients is one surrogate; two patients of one name are two.
	other := generator("p2")
	if a, b := stand(t, g, phi.NameStaff, "Dr. ", "Wittkopp", phi.German), stand(t, other, phi.NameStaff, "Dr. ", "Wittkopp", phi.German); a != b {
		t.Errorf("the doctor is %s and %s", a, b)
	}
	if a, b := stand(t, g, phi.NamePatient, "", "Katharina Schmidt-Böhm", phi.German), stand(t, other, phi.NamePatient, "", "Katharina Schmidt-Böhm", phi.German); a == b {
		t.Error("two patients share a surrogate")
	}
}

// TestUnknownName: without a known person the parts of a name agree all the same.
func TestUnknownName(t *testing.T) {
	g := surrogate.New(surrogate.Config{Master: master, Context: "p", Patient: "x", Lang: phi.English, Locale: "en"})
	full := stand(t, g, phi.NameOther, "her son ", "Thomas Miller", phi.English)
	surname := stand(t, g, phi.NameOther, "Mr. ", "Miller", phi.English)
	if !strings.HasSuffix(full, " "+surname) {
		t.Errorf("%q and %q", full, surname)
	}
	if swapped := stand(t, g, phi.NameOther, "", "MILLER, Thomas", phi.English); !strings.EqualFold(swapped, surname+", "+strings.Fields(full)[0]) {
		t.Errorf("%q, want %q turned round", swapped, full)
	}
	if van := stand(t, g, phi.NameStaff, "Dr ", "van der Berg", phi.English); !strings.HasPrefix(van, "van der ") {
		t.Errorf("particles: %q", van)
	}
}

// TestNickname: a form of the first name that the known detector recognised.
func TestNickname(t *testing.T) {
	g := surrogate.New(surrogate.Config{
		Master: master, Context: "p", Patient: "x", Locale: "en", Lang: phi.English,
		Known: []surrogate.Person{{Key: "pat", Gender: 'm', Given: []string{"William"}, Family: []string{"Brandt"}}},
	})
	given, _ := g.HumanName("", []string{"William"}, "Brandt", 'm', surrogate.Patient)
	doc := &pipeline.Document{Text: "I saw Bill today", Language: phi.English}
	if got, err := g.Replace(doc, phi.Span{Start: 6, End: 10, Type: phi.NamePatient, Entity: "pat"}); err != nil || got != given[0] {
		t.Errorf("Bill became %s, William %s", got, given[0])
	}
}

// TestAvoid: no name that stands in the texts is drawn.
func TestAvoid(t *testing.T) {
	c := surrogate.Config{Master: master, Context: "p", Patient: "x", Locale: "de", Lang: phi.German}
	before := stand(t, surrogate.New(c), phi.NameOther, "Frau ", "Tannhäuser", phi.German)
	g := surrogate.New(c)
	g.Avoid("Frau Tannhäuser traf " + before + ".")
	after := stand(t, g, phi.NameOther, "Frau ", "Tannhäuser", phi.German)
	if after == before || after == "" || after[0] != before[0] {
		t.Errorf("%s, then %s", before, after)
	}
}

func TestDates(t *testing.T) {
	g := generator("p1")
	born, err := g.Date("1948-11-04")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := stand(t, g, phi.DateBirthdate, "geb. ", "04.11.1948", phi.German), born[8:10]+"."+born[5:7]+"."+born[:4]; got != want {
		t.Errorf("letter %s, structure %s", got, want)
	}
	for _, s := range []string{"1980er", "gestern", "Diwali 2022", "32.13.2020"} {
		if got := stand(t, g, phi.DateDate, "", s, phi.German); strings.Contains(got, s) {
			t.Errorf("%q stayed", s)
		}
	}
}

// TestDateContext: what a bare day lacks comes with the span.
func TestDateContext(t *testing.T) {
	g := generator("p1")
	text := "vom 12. bis 14.03.2021"
	doc := &pipeline.Document{Text: text, Language: phi.German}
	var days []int32
	for _, m := range date.Scan(text, phi.German) {
		interval := m.Interval
		out, err := g.Replace(doc, phi.Span{Start: m.Start, End: m.End, Type: phi.DateDate, Interval: &interval})
		if err != nil {
			t.Fatal(err)
		}
		l, ok := date.Parse(out, phi.German)
		if !ok {
			t.Fatalf("%q became %q", text[m.Start:m.End], out)
		}
		days = append(days, l.Interval().From)
	}
	if len(days) != 2 {
		t.Fatal("dates not found")
	}
}

// TestIntervals: the days between two dates of a patient stay, in text and structure and between them.
func TestIntervals(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := generator(rapid.StringN(1, 20, 40).Draw(r, "patient"))
		a, b := rapid.IntRange(-20000, 20000).Draw(r, "a"), rapid.IntRange(-20000, 20000).Draw(r, "b")
		read := func(s string) int {
			from, _, err := date.IntervalFHIR(s)
			if err != nil {
				r.Fatal(err)
			}
			return int(from)
		}
		iso := func(days int) string {
			s, err := date.ShiftFHIR("1970-01-01", days)
			if err != nil {
				r.Fatal(err)
			}
			return s
		}
		x, err1 := g.Date(iso(a))
		y, err2 := g.Date(iso(b))
		if err1 != nil || err2 != nil || read(y)-read(x) != b-a {
			r.Fatalf("%d days became %d", b-a, read(y)-read(x))
		}
		s := iso(a)
		if got := stand(t, g, phi.DateDate, "am ", s[8:10]+"."+s[5:7]+"."+s[:4], phi.German); got != x[8:10]+"."+x[5:7]+"."+x[:4] {
			r.Fatalf("text %s, structure %s", got, x)
		}
	})
}

func TestAges(t *testing.T) {
	g := generator("p1")
	for _, c := range []struct {
		in   string
		lang phi.Language
		want string
	}{
		{"67", phi.German, "67"},
		{"89", phi.German, "89"},
		{"90", phi.German, "90+"},
		{"104", phi.English, "90+"},
		{"siebzig", phi.German, "siebzig"},
		{"einundneunzig", phi.German, "über neunzig"},
		{"ninety-one", phi.English, "over ninety"},
		{"sixty-one", phi.English, "sixty-one"},
		{"Achtundachtzig", phi.German, "Achtundachtzig"},
		{"thirties", phi.English, "thirties"},
		{"nineties", phi.English, "nineties or later"},
	} {
		if got := stand(t, g, phi.Age, "", c.in, c.lang); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '9'
		case r >= 'a' && r <= 'z':
			return 'a'
		case r >= 'A' && r <= 'Z':
			return 'A'
		}
		return r
	}, s)
}

func TestShapes(t *testing.T) {
	g := generator("p1")
	for _, id := range []string{"22-0014987", "A123456780", "MRN00482913", "E 15/22871", "078-05-1120", "DE02 1203 0000 0000 2020 51", "943 476 5919", "2207201067"} {
		got := stand(t, g, phi.IDPatient, "Nr. ", id, phi.German)
		if shape(got) != shape(id) || got == id {
			t.Errorf("%s became %s", id, got)
		}
	}
	for in, want := range map[string]string{"(617) 555-0142": "(", "+44 7700 900123": "+44 ", "05523 / 88-2210": "0", "+49 30 1234567": "+49 ", "-4711": "-"} {
		got := stand(t, g, phi.ContactPhone, "Tel. ", in, phi.English)
		if shape(got) != shape(in) || got == in || !strings.HasPrefix(got, want) {
			t.Errorf("%s became %s", in, got)
		}
	}
	if got := stand(t, g, phi.ContactPhone, "", "617-281-3344", phi.English); !strings.Contains(got, "-555-01") {
		t.Errorf("American number outside the reserved range: %s", got)
	}
	if got := stand(t, g, phi.ContactPhone, "", "07911 123456", phi.English); !strings.HasPrefix(strings.ReplaceAll(got, " ", ""), "07700900") {
		t.Errorf("British mobile number outside the reserved range: %s", got)
	}
	for _, mail := range []string{"k.schmidt-boehm@klinik.de", "praxis.weiss@arzt.kim.telematik", "x@y.z"} {
		got := stand(t, g, phi.ContactEmail, "", mail, phi.German)
		_, host, _ := strings.Cut(got, "@")
		if !strings.HasPrefix(host, "example.") || strings.Contains(got, "schmidt") || strings.Contains(got, "weiss") {
			t.Errorf("%s became %s", mail, got)
		}
	}
	if got := stand(t, g, phi.ContactIP, "", "172.20.81.4", phi.German); !strings.HasPrefix(got, "192.0.2.") {
		t.Errorf("address %s", got)
	}
}

// TestAddress: city and code belong together, in structure and text.
func TestAddress(t *testing.T) {
	g := generator("p1")
	lines, city, _, zip, country := g.Address([]string{"Harzburger Weg 77b"}, "Walkenried", "", "37445", "DE")
	if len(lines) != 1 || lines[0] == "Harzburger Weg 77b" || city == "Walkenried" || zip == "37445" || country != "DE" {
		t.Fatalf("%v %s %s %s", lines, city, zip, country)
	}
	if got := stand(t, g, phi.LocationZIP, "", "37445", phi.German); got != zip {
		t.Errorf("code %s in the text, %s in the address", got, zip)
	}
	if got := stand(t, g, phi.LocationCity, "in ", "Walkenried", phi.German); got != city {
		t.Errorf("city %s in the text, %s in the address", got, city)
	}
	if got := stand(t, g, phi.LocationCity, "in ", "WALKENRIED", phi.German); got != strings.ToUpper(city) {
		t.Errorf("capitals: %s", got)
	}
	if got := stand(t, g, phi.LocationStreet, "", "Harzburger Weg 77b", phi.German); got != lines[0] {
		t.Errorf("street %s in the text, %s in the address", got, lines[0])
	}
}

// TestMethods: every action of the policy, and none gives the original.
func TestMethods(t *testing.T) {
	for action, want := range map[phi.Action]string{
		phi.Tag: "Name_Patient", phi.Redact: "XXX-Name", phi.Mask: "██████", phi.ToCategory: "NAME", phi.Remove: "", phi.Keep: "Müller", phi.Generalise: "Name_Patient", phi.Action(99): "",
	} {
		g := surrogate.New(surrogate.Config{Master: master, Context: "p", Patient: "x", Actions: func(phi.Type) phi.Action { return action }})
		if got := stand(t, g, phi.NamePatient, "Herr ", "Müller", phi.German); got != want {
			t.Errorf("%v: %q, want %q", action, got, want)
		}
	}
	safe := surrogate.New(surrogate.Config{Master: master, Context: "p", Patient: "x", Locale: "en", Actions: func(phi.Type) phi.Action { return phi.Generalise }})
	for in, want := range map[string]string{"02139": "021", "03601-1234": "000", "9999": "000"} {
		if got := stand(t, safe, phi.LocationZIP, "", in, phi.English); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"March 5th, 2021": "2021", "04.11.1948": "1948", "3/14": "Date_Date"} {
		if got := stand(t, safe, phi.DateDate, "", in, phi.English); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestNeverTheOriginal: whatever the type and value, folded the stand-in differs, unless it is an age below 90.
func TestNeverTheOriginal(t *testing.T) {
	g := generator("p1")
	rapid.Check(t, func(r *rapid.T) {
		typ := rapid.SampledFrom(phi.Types()).Filter(func(t phi.Type) bool { return t != phi.Age }).Draw(r, "type")
		s := rapid.SampledFrom([]string{
			rapid.StringMatching(`[A-ZÄÖÜ][a-zäöüß]{2,9}( [A-ZÄÖÜ][a-zäöüß]{2,9})?`).Draw(r, "name"),
			rapid.StringMatching(`[A-Z0-9]{1,4}[-/ ]?[0-9]{3,9}`).Draw(r, "id"),
			rapid.String().Draw(r, "any"),
		}).Draw(r, "surface")
		if s == "" || fold.Key(s) == "" {
			return
		}
		if got := stand(t, g, typ, "x ", s, phi.German); fold.Key(got) == fold.Key(s) && fold.Key(got) != fold.Key(typ.String()) {
			r.Fatalf("%s: %q stayed", typ, s)
		}
	})
}

func TestConcurrent(t *testing.T) {
	g := generator("p1")
	want := stand(t, g, phi.NamePatient, "Frau ", "Katharina Schmidt-Böhm", phi.German)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if got := stand(t, g, phi.NamePatient, "Frau ", "Katharina Schmidt-Böhm", phi.German); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	wait.Wait()
}

// FuzzReplace: any bytes, any type: no panic, no error, valid text out of valid text, the same answer twice.
func FuzzReplace(f *testing.F) {
	for i, s := range []string{"Müller-\nLüdenscheidt", "O'Hara", "\xff\xfeä", "12.-14.03.2021", "90", "ß", "+49 (0) 30", "@", "://", "Straße 5", "'s", "😀", "A\u00ad", "-", "0", "DE02"} {
		f.Add("Herr ", s, uint8(i))
	}
	types := phi.Types()
	g := generator("fuzz")
	f.Fuzz(func(t *testing.T, before, s string, n uint8) {
		if s == "" {
			return
		}
		typ := types[int(n)%len(types)]
		a, b := stand(t, g, typ, before, s, phi.German), stand(t, g, typ, before, s, phi.German)
		if a != b {
			t.Fatalf("%q, then %q", a, b)
		}
		if utf8.ValidString(s) && !utf8.ValidString(a) {
			t.Fatalf("%q became invalid", s)
		}
	})
}

// A ward becomes another ward of its kind, and the house beside it keeps the stand-in that it has alone.
func TestWards(t *testing.T) {
	g := generator("p1")
	hospital := func(surface string) string {
		return stand(t, g, phi.LocationHospital, "Verlegt auf ", surface, phi.German)
	}
	replaced := regexp.MustCompile(`(?i)\d+|\b(north|south|east|west|nord|süd|ost|[a-z]|i{1,3}|iv)\b`)
	for _, surface := range []string{
		"Ward 6 West", "Bed 12", "4 North", "Theatre 3", "Bay C", "Clinic B",
		"Medizinische Klinik II", "Station 17", "ZIMMER 214", "station 3 ost",
	} {
		out := hospital(surface)
		if fold.Key(out) == fold.Key(surface) || replaced.ReplaceAllString(out, "#") != replaced.ReplaceAllString(surface, "#") {
			t.Errorf("%q became %q", surface, out)
		}
	}
	for surface, house := range map[string]string{"Ward 12, Royal Infirmary": "Royal Infirmary", "Inselspital, Schockraum": "Inselspital"} {
		if out := hospital(surface); !strings.Contains(out, hospital(house)) || strings.Contains(out, house) {
			t.Errorf("%q became %q, but %q alone %q", surface, out, house, hospital(house))
		}
	}
	for surface, own := range map[string]string{"Ward Whitlock 6": "Whitlock", "St. Elisabeth": "Elisabeth", "Klinik Seeblick": "Seeblick"} {
		if out := hospital(surface); strings.Contains(out, own) {
			t.Errorf("%q became %q", surface, out)
		}
	}
}
