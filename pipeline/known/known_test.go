package known

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

var boehm = Identity{Key: "p1", Entities: []Entity{
	{
		Key: "patient", Role: Patient, Gender: 'f', Given: []string{"Katharina"}, Family: []string{"Schmidt-Böhm"}, Birth: "1948-11-04",
		Phones: []string{"+49 30 4455-6677", "0171 2345678"}, Emails: []string{"k.boehm@post.example"}, IDs: []string{"A123456780", "0004711815"},
		ZIPs: []string{"10623"}, Cities: []string{"Berlin"}, Streets: []string{"Straße des 17. Juni 135", "Lindenblütenstraße 12a"},
		Organizations: []string{"Bäckerei Zwirbel"},
	},
	{Key: "husband", Role: Relative, Gender: 'm', Given: []string{"Jürgen"}, Family: []string{"Böhm"}},
	{Key: "doctor", Role: Staff, Given: []string{"Wilhelm Otto"}, Family: []string{"von der Heyde"}},
}}

func TestGermanVariants(t *testing.T) {
	pipetest.Accept(t, New(boehm), phi.German,
		"Frau [NAME_PATIENT:Schmidt-Böhm], Frau [NAME_PATIENT:Katharina Schmidt Boehm], [NAME_PATIENT:SCHMIDT-BÖHM, KATHARINA]",
		"In der alten Akte steht [NAME_PATIENT:Katharnia Schmitd]; die Kurve führt sie als [NAME_PATIENT:K. Schmidt-Bohm].",
		"[NAME_PATIENT:Käthe Schmidt-Böhm] war in Begleitung.",
		"Frau [NAME_PATIENT:Schmidt-\nBöhm] klagt über Schwindel.",
		"gescannt: [NAME_PATIENT:Schm1dt-Böhm]",
		"[NAME_PATIENT:Katharina]s Befund",
		"Der Ehemann, Herr [NAME_OTHER:Jürgen Böhm], bestätigt. Herr [NAME_OTHER:Böhm] ist erreichbar.",
		"Dr. [NAME_STAFF:von der Heyde], Dr. [NAME_STAFF:W. O. von der Heyde], [NAME_STAFF:Willi von der Heyde]",
		"Frau [NAME_PATIENT:S.] ist wach. Pat. [NAME_PATIENT:K. S.] schläft.",
		"Prof. Dr. S. Rautenstrauch und OA Dr. B. Weber haben sie gesehen.",
	)
}

func TestDates(t *testing.T) {
	pipetest.Accept(t, New(boehm), phi.German,
		"geb. [DATE_BIRTHDATE:04.11.1948], *[DATE_BIRTHDATE:4.11.48], geboren am [DATE_BIRTHDATE:4. November 1948]",
		"GebDat [DATE_BIRTHDATE:1948-11-04], [DATE_BIRTHDATE:19481104], [DATE_BIRTHDATE:04111948], [DATE_BIRTHDATE:04-Nov-1948]",
		"am 04.12.1948, 11.04.1948, 4.11.49, 04.11.19480, 14.11.1948, Wert 3.04.11.48",
	)
	pipetest.Accept(t, New(boehm), phi.English,
		"DOB [DATE_BIRTHDATE:11/04/1948], born [DATE_BIRTHDATE:November 4th, 1948], [DATE_BIRTHDATE:4 Nov 48]",
	)
}

func TestNumbers(t *testing.T) {
	pipetest.Accept(t, New(boehm), phi.German,
		"Tel. [CONTACT_PHONE:030 / 44 55 66 77], mobil [CONTACT_PHONE:+49 171 234 56 78]",
		"[CONTACT_PHONE:0049 30 44556677] und [CONTACT_PHONE:(030) 4455-6677]",
		"Mail [CONTACT_EMAIL:K.Boehm@post.example], KV-Nr. [ID_PATIENT:A 123 456 780], Fall-Nr.:[ID_PATIENT:4711815], [ID_PATIENT:0004711-815]",
		"Charge 47118155, Wert 1.4711815, Telefon 030 4455 6678, A123456789",
	)
}

func TestAddresses(t *testing.T) {
	pipetest.Accept(t, New(boehm), phi.German,
		"wohnt [LOCATION_STREET:Str. des 17. Juni 135], D-[LOCATION_ZIP:10623] [LOCATION_CITY:Berlin]",
		"zuletzt [LOCATION_STREET:Lindenblütenstr. 12 a], auch [LOCATION_STREET:LINDENBLUETENSTRASSE]",
		"10623 Zellen/µl, 10623 CFU/mL, am 17. Juni",
		"arbeitet bei [LOCATION_ORGANIZATION:Bäckerei Zwirbel] im Verkauf",
		"Code\n[LOCATION_ZIP:10623]\n",
	)
	pipetest.Accept(t, New(Identity{Entities: []Entity{{
		Key: "p", Family: []string{"Whitlock"}, ZIPs: []string{"02139"}, Cities: []string{"Reading"}, Streets: []string{"12 Elm Street"},
	}}}), phi.English,
		"Urine culture 02139 CFU/mL. She is reading in bed.",
		"[LOCATION_STREET:12 Elm St]., Cambridge MA [LOCATION_ZIP:02139-1234]; she lives in [LOCATION_CITY:Reading].",
		"[NAME_PATIENT:Whitlock]E0048291admitted",
	)
}

// TestEverydayNames holds what is a name only where it stands as one.
func TestEverydayNames(t *testing.T) {
	german := New(Identity{Entities: []Entity{{Key: "p", Gender: 'm', Given: []string{"Peter"}, Family: []string{"Sommer"}}}})
	pipetest.Accept(t, german, phi.German,
		"Herr [NAME_PATIENT:Sommer] kam im Sommer, [NAME_PATIENT:Peter Sommer] ging.",
		"der Sommer, im Sommer, sommerlich, sommer",
	)
	english := New(Identity{Entities: []Entity{{Key: "p", Gender: 'f', Given: []string{"Rose"}, Family: []string{"Hand"}}, {Key: "d", Role: Staff, Family: []string{"Foley"}}}})
	pipetest.Accept(t, english, phi.English,
		"Ms. [NAME_PATIENT:Rose Hand] hurt her left hand; ferritin rose; the Hand; Ms. [NAME_PATIENT:Hand] left.",
		"Dr. [NAME_STAFF:Foley] removed the Foley catheter.",
	)
	short := New(Identity{Entities: []Entity{{Key: "p", Given: []string{"Na"}, Family: []string{"Li"}}}})
	pipetest.Accept(t, short, phi.English, "Na 138, li, NA, LI. Mr. [NAME_PATIENT:Li], [NAME_PATIENT:Na Li]")
}

func TestSpansCarryTheirEntity(t *testing.T) {
	spans, err := New(boehm).Detect(context.Background(), &pipeline.Document{Text: "Herr Böhm und Frau Böhm, Dr. von der Heyde", Language: phi.German})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range spans {
		keys = append(keys, s.Entity)
		if s.Score < likely || !strings.HasPrefix(s.Source, "known.") {
			t.Errorf("span %+v", s)
		}
	}
	if got := strings.Join(keys, " "); got != "husband patient doctor" {
		t.Errorf("entities %q", got)
	}
}

func TestLeaks(t *testing.T) {
	id := boehm
	tests := []struct {
		text string
		want int
	}{
		{"Frau Tannert wohnt in Ulm.", 0},
		{"Frau Schmidt-Böhm wohnt in Ulm.", 1},
		{"schmidt boehm, geb. 4.11.1948, A-123-456-780", 3},
		{"Kati war da; Schmitd auch.", 0}, // guesses do not stop an answer
		{"10623 Zellen", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := id.Leaks(tt.text, nil); len(got) != tt.want {
			t.Errorf("%q: %d leaks, want %d", tt.text, len(got), tt.want)
		}
	}
	text := "Frau Böhm (Surrogat), Frau Schmidt"
	only := id.Leaks(text, func(start, end int) bool { return start == strings.Index(text, "Böhm") })
	if len(only) != 1 || text[only[0].Start:only[0].End] != "Schmidt" {
		t.Errorf("ignoring one: %v", only)
	}
	if leaks := (Identity{}).Leaks("Anna 12345", nil); len(leaks) != 0 {
		t.Errorf("an empty identity leaks %v", leaks)
	}
}

func TestPoorIdentities(t *testing.T) {
	for _, e := range []Entity{
		{},
		{Given: []string{"", " ", "."}, Family: []string{"-", "\xff"}, Birth: "1948", Death: "x", Phones: []string{"", "+", "12"}, Emails: []string{"@", "x"}},
		{IDs: []string{"", "0", "000", "1", "ab", strings.Repeat("9", 500)}, ZIPs: []string{"", "1"}, Cities: []string{"", "."}, Streets: []string{"", "1", "1 2 3"}},
		{Role: Organization, Given: []string{""}, Organizations: []string{"", "--"}, Others: []string{"\u00ad"}, URLs: []string{"http://", ""}},
	} {
		spans, err := New(Identity{Entities: []Entity{e}}).Detect(context.Background(), &pipeline.Document{Text: "Herr X. 1 2 3, 000 am 1.1.1948, - . ab"})
		if err != nil || len(spans) != 0 {
			t.Errorf("%+v: %v %v", e, spans, err)
		}
	}
}

func TestAnyTextKeepsTheContract(t *testing.T) {
	d := New(boehm)
	words := rapid.SampledFrom([]string{
		"Schmidt", "Böhm", "Katharina", "K", "S", "von", "der", "Heyde", "030", "4455", "6677", "A123456780", "10623", "Berlin", "4", "11", "1948", "Nov",
		"-", ".", ",", "\n", "^", "/", "\u00AD", "\xff", "😀", "Schm1dt", "Lindenblütenstr", "12a", "0", "@", "Herr", "e\u0301", "K.Boehm@post.example",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, w := range rapid.SliceOf(words).Draw(t, "words") {
			b.WriteString(w)
			if rapid.Bool().Draw(t, "space") {
				b.WriteByte(' ')
			}
		}
		if _, err := pipetest.Check(d, b.String(), rapid.SampledFrom([]phi.Language{"", phi.German, phi.English}).Draw(t, "lang")); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEndingsOfSeveralBytes shows that no letter is cut where a name's ending stays outside.
func TestEndingsOfSeveralBytes(t *testing.T) {
	d := New(boehm)
	for text, want := range map[string]string{
		"Schmidte\u0301030": "Schmidte\u0301", "Schmidt\u00e9030": "Schmidt\u00e9", "SchmidtE030": "Schmidt", "Schmidts Hof": "Schmidt",
		"Schmidt\u017f Hof": "Schmidt\u017f",
	} {
		spans, err := pipetest.Check(d, text, phi.German)
		if err != nil || len(spans) != 1 || text[spans[0].Start:spans[0].End] != want {
			t.Errorf("%q: %+v, %v; want %q", text, spans, err, want)
		}
	}
}

// TestNamesAreFoundInEverySpelling writes listed names in ways that letters have and looks for them whole.
func TestNamesAreFoundInEverySpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SampledFrom([]string{"Katharina", "Jürgen", "Mehmet", "Siobhán", "Bartholomäus"}).Draw(t, "given")
		family := rapid.SampledFrom([]string{"Wißkirchen", "Öztürk", "Kowalczyk", "MacGillivray", "Grünwald-Ebner"}).Draw(t, "family")
		name := rapid.SampledFrom([]func() string{
			func() string { return given + " " + family },
			func() string { return family + ", " + given },
			func() string { return family + " " + given },
			func() string { return strings.ToUpper(given + " " + family) },
			func() string { return strings.ToLower(given + " " + family) },
			func() string { return given[:1] + ". " + family },
			func() string { return given + "\n" + family },
			func() string {
				return strings.NewReplacer("ü", "ue", "ö", "oe", "ß", "ss", "Ö", "Oe", "ä", "ae").Replace(given + " " + family)
			},
			func() string {
				return strings.NewReplacer("ü", "u", "ö", "o", "Ö", "O", "ä", "a", "á", "a").Replace(given + " " + family)
			},
			func() string { return strings.ReplaceAll(given+" "+family, "r", "\u00ADr") },
			func() string { return family + "^" + given },
		}).Draw(t, "form")()
		text := "Heute " + name + " 3x1"
		spans, err := New(Identity{Entities: []Entity{{Given: []string{given}, Family: []string{family}}}}).Detect(context.Background(), &pipeline.Document{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			if s.Start <= len("Heute ") && s.End >= len("Heute ")+len(name) {
				return
			}
		}
		t.Fatalf("%q: %v", text, spans)
	})
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"Schmidt-Böhm, K.", "030/4455-6677", "4.11.48", "D-10623 Berlin", "Schm1dt\xff"} {
		f.Add(s)
	}
	d := New(boehm)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := pipetest.Check(d, text, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHostileTextIsLinear(t *testing.T) {
	d := New(boehm)
	for _, s := range []string{"Schmidt ", "Schmidt-", "K. ", "von ", "030 ", "0 ", "0", "4.", "4.11.", "A1", "Böhm, ", "Lindenblütenstraße ", "K.", "1 2 ", "x1"} {
		text := strings.Repeat(s, 1<<19/len(s))
		if _, err := d.Detect(context.Background(), &pipeline.Document{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDetectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(boehm).Detect(ctx, &pipeline.Document{Text: "Böhm"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"schmidt", "schmitd", 1}, {"schmidt", "schmidt", 0}, {"katharina", "katharnia", 1}, {"abcde", "abfgh", 2}, {"", "a", 1}, {"abc", "abcd", 1}} {
		if got := distance(tt.a, tt.b, 1); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func BenchmarkDetect(b *testing.B) {
	var text strings.Builder
	for _, r := range letterRecords(b) {
		text.WriteString(r.Text)
		text.WriteString("\n\n")
	}
	doc := &pipeline.Document{Text: text.String()}
	d := New(boehm)
	b.SetBytes(int64(len(doc.Text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Detect(context.Background(), doc); err != nil {
			b.Fatal(err)
		}
	}
}
