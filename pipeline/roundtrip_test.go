package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
	"fhirdeid/surrogate"
)

// subject is an invented patient with what a record holds of it.
type subject struct {
	given, family, doctor string
	gender                byte
	birth                 time.Time
	street, zip, city     string
	phone, mobile, mail   string
	number, insurance     string
	language              phi.Language
}

// invent draws a patient.
func invent(r *rand.Rand) subject {
	s := subject{language: phi.German, gender: "fm"[r.IntN(2)]}
	locale, country := "de", "de"
	if r.IntN(2) == 0 {
		s.language, locale, country = phi.English, "en", "us"
	}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	s.given, s.family = pick(lists.FirstNames(locale, s.gender)), pick(lists.Surnames(locale))
	if r.IntN(5) == 0 {
		s.family += "-" + pick(lists.Surnames(locale))
	}
	for s.doctor = pick(lists.Surnames(locale)); s.doctor == s.family; {
		s.doctor = pick(lists.Surnames(locale))
	}
	s.birth = time.Date(1930+r.IntN(80), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
	place := lists.Cities(country)[r.IntN(len(lists.Cities(country)))]
	s.zip, s.city = place.ZIP, place.Name
	s.street = fmt.Sprintf("%s %d", pick(lists.Streets(country)), 1+r.IntN(180))
	s.phone = fmt.Sprintf("0%d / %d-%d", 2000+r.IntN(7000), 10+r.IntN(89), 100+r.IntN(899))
	s.mobile = fmt.Sprintf("0171 %07d", 1000000+r.IntN(8999999))
	if s.language == phi.English {
		s.street = fmt.Sprintf("%d %s", 1+r.IntN(1800), pick(lists.Streets(country)))
		s.phone = fmt.Sprintf("(%d) %d-%04d", 201+r.IntN(700), 200+r.IntN(700), r.IntN(10000))
		s.mobile = fmt.Sprintf("%d-%d-%04d", 201+r.IntN(700), 200+r.IntN(700), r.IntN(10000))
	}
	s.mail = strings.ToLower(fold.Key(s.given[:1]+"."+strings.ReplaceAll(s.family, " ", ""))) + "@mail.example.org"
	s.number = fmt.Sprintf("%08d", 10000000+r.IntN(89999999))
	s.insurance = fmt.Sprintf("%c%09d", 'A'+rune(r.IntN(26)), 100000000+r.IntN(899999999))
	return s
}

func (s subject) identity() known.Identity {
	return known.Identity{Key: "p", Entities: []known.Entity{
		{
			Key: "patient", Role: known.Patient, Gender: s.gender, Given: []string{s.given}, Family: []string{s.family},
			Birth: s.birth.Format(time.DateOnly), Phones: []string{s.phone, s.mobile}, Emails: []string{s.mail},
			IDs: []string{s.number, s.insurance}, ZIPs: []string{s.zip}, Cities: []string{s.city}, Streets: []string{s.street},
		},
		{Key: "doctor", Role: known.Staff, Family: []string{s.doctor}},
	}}
}

// values lists what must not be left of the patient anywhere.
func (s subject) values() []string {
	return []string{s.given + " " + s.family, s.family, s.street, s.phone, s.mobile, s.mail, s.number, s.insurance, s.birth.Format("02.01.2006"), s.birth.Format("01/02/2006")}
}

// letter writes a letter and gives the days it names, in their order, the birth date first.
func (s subject) letter(r *rand.Rand) (text string, days []time.Time) {
	admitted := time.Date(2015+r.IntN(8), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
	days = []time.Time{s.birth, admitted, admitted.AddDate(0, 0, 2+r.IntN(9)), admitted.AddDate(0, 0, 20+r.IntN(60))}
	german := [][2]string{
		{"Frau", "Herr"},
		{"Die Patientin", "Der Patient"},
	}
	title, subject := german[0][0], german[1][0]
	if s.gender == 'm' {
		title, subject = german[0][1], german[1][1]
	}
	if s.language == phi.German {
		return fmt.Sprintf("%s %s %s, geb. am %s\n%s, %s %s\nTel. %s, mobil %s, %s\nFall-Nr. %s, KV-Nr. %s\n\nSehr geehrte Frau Kollegin,\n\n"+
			"%s wurde am %s stationär aufgenommen und am %s entlassen. %s %s klagte über Thoraxschmerzen, RR 140/90 mmHg, Troponin 0,02.\n"+
			"Wiedervorstellung am %s bei Dr. %s. Bitte an %s denken.\n\nMit freundlichen Grüßen\nDr. med. %s\n",
			title, s.given, s.family, days[0].Format("02.01.2006"), s.street, s.zip, s.city, s.phone, s.mobile, s.mail, s.number, s.insurance,
			subject, days[1].Format("2.1.2006"), days[2].Format("02.01.2006"), title, s.family,
			days[3].Format("02.01.2006"), s.doctor, strings.ToUpper(s.family), s.doctor), days
	}
	title = "Mrs."
	if s.gender == 'm' {
		title = "Mr."
	}
	return fmt.Sprintf("RE: %s, %s\nDOB: %s   MRN: %s   Member ID: %s\n%s, %s %s\nPhone %s, cell %s, %s\n\n"+
		"%s %s was admitted on %s and discharged on %s. BP 140/90, EF 55%%.\nFollow up on %s with Dr. %s. %s %s understands.\n\nSincerely,\n%s, MD\n",
		strings.ToUpper(s.family), s.given, days[0].Format("01/02/2006"), s.number, s.insurance, s.street, s.city, s.zip, s.phone, s.mobile, s.mail,
		title, s.family, days[1].Format("January 2, 2006"), days[2].Format("01/02/2006"), days[3].Format("01/02/2006"), s.doctor, s.given, s.family, s.doctor), days
}

// squeezed leaves the letters and digits of a folded text.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, fold.Key(s))
}

// left says whether a value still stands in a text, whatever its case, accents and separators; a short one only as words of
// its own, since it may be a part of any other word.
func left(text, bare, value string) bool {
	want := squeezed(value)
	if len(want) >= 9 {
		return strings.Contains(bare, want)
	}
	var words []string
	for w := range pipeline.Words(text) {
		words = append(words, squeezed(text[w.Start:w.End]))
	}
	for i := range words {
		for j := i + 1; j <= len(words) && j <= i+4; j++ {
			if strings.Join(words[i:j], "") == want {
				return true
			}
		}
	}
	return false
}

// TestRoundTrip de-identifies generated letters with surrogates and reads them again: no original value is left, letters
// and structure have the same intervals, and one person has one stand-in in all documents. FHIRDEID_FULL=1 takes 1,000
// letters instead of 90.
func TestRoundTrip(t *testing.T) {
	patients := 30
	if os.Getenv("FHIRDEID_FULL") != "" {
		patients = 334
	}
	const documents = 3
	p := withoutModels(t)
	r := rand.New(rand.NewPCG(4, 8))
	others := map[string]string{} // surrogate of a name and the shift: whose
	letters := 0
	for n := range patients {
		s := invent(r)
		id := s.identity()
		detector := known.New(id)
		texts, stays := make([]string, documents), make([][]time.Time, documents)
		for d := range documents {
			texts[d], stays[d] = s.letter(r)
		}
		g := surrogate.New(surrogate.Config{
			Master: []byte("round trip of thirty-two bytes!!"), Context: "test", Patient: fmt.Sprint("patient ", n), Lang: s.language,
			Known: []surrogate.Person{
				{Key: "patient", Role: surrogate.Patient, Gender: s.gender, Given: []string{s.given}, Family: []string{s.family}},
				{Key: "doctor", Role: surrogate.Staff, Family: []string{s.doctor}},
			},
			Forbidden: append(s.values(), s.given, s.doctor),
		})
		g.Avoid(texts...)
		given, family := g.HumanName("official", []string{s.given}, s.family, s.gender, surrogate.Patient)
		born, err := g.Date(s.birth.Format(time.DateOnly))
		if err != nil {
			t.Fatal(err)
		}
		whose := fmt.Sprint(given[0], " ", family, " ", g.Days())
		if old, ok := others[whose]; ok {
			t.Errorf("patients %s and %d share a stand-in and a shift", old, n)
		}
		others[whose] = fmt.Sprint(n)
		for d, text := range texts {
			letters++
			spans := detect(t, p, text, pipeline.Options{Language: s.language, Extra: []pipeline.Detector{detector}})
			doc := &pipeline.Document{Text: text, Language: s.language}
			edits, err := pipeline.Edits(doc, spans, g)
			if err != nil {
				t.Fatal(err)
			}
			out, err := pipeline.Apply(text, edits)
			if err != nil {
				t.Fatal(err)
			}
			bare := squeezed(out)
			for _, v := range s.values() {
				if left(out, bare, v) {
					t.Errorf("letter %d of patient %d: an original value is left: %q\n%s\n--\n%s", d, n, v, text, out)
				}
			}
			for _, leak := range detector.Leaks(out, nil) {
				t.Errorf("letter %d of patient %d: %s %q was found again\n%s", d, n, leak.Type, out[leak.Start:leak.End], out)
			}
			if c := strings.Count(out, family); c+strings.Count(out, strings.ToUpper(family)) < 3 {
				t.Errorf("letter %d of patient %d: %q stands %d times for %q\n%s\n--\n%s", d, n, family, c, s.family, text, out)
			}
			if got, want := datesOf(out, s.language), shifted(stays[d], g.Days()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("letter %d of patient %d: days %v, want %v\n%s", d, n, got, want, out)
			} else if got[0] != born {
				t.Errorf("letter %d of patient %d: born %s in the text, %s in the structure", d, n, got[0], born)
			}
		}
	}
	t.Logf("%d letters of %d patients", letters, patients)
}

// datesOf lists the days that a text names.
func datesOf(text string, lang phi.Language) (days []string) {
	for _, m := range date.Scan(text, lang) {
		if m.HasInterval && m.Interval.Precision == phi.ToDay {
			days = append(days, time.Unix(int64(m.Interval.From)*24*60*60, 0).UTC().Format(time.DateOnly))
		}
	}
	return days
}

func shifted(days []time.Time, by int) (out []string) {
	for _, d := range days {
		out = append(out, d.AddDate(0, 0, by).Format(time.DateOnly))
	}
	return out
}
