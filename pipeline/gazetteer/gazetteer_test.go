package gazetteer

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

func TestGermanNames(t *testing.T) {
	pipetest.Accept(t, load(t), phi.German,
		"Am Aufnahmetag berichtete [NAME:Katharina Schmidt] über Luftnot.",
		"Ansprechpartner: [NAME:Karl-Heinz Müller-Lüdenscheidt], dienstags.",
		"Gegengelesen von [NAME:Ayşe Yılmaz] und [NAME:Jürgen von der Heyde].",
		"[NAME:Schäfer, Jürgen], Zimmerwechsel erbeten",
		"Mit einem Bruder, [NAME_OTHER:Jürgen], der in der Nähe wohnt.",
		"Die Tochter [NAME_OTHER:Lena] wurde informiert.",
		"Mit dem Ehemann ([NAME:Thorsten]) besprochen.",
		"Erstbefund durch [NAME:M. Fahrenkamp], Gegenbefund [NAME:H.-P. Kowalski].",
		"Vorstellung in Begleitung von [NAME:Agnieszka Nowak]-fachlich unauffällig"[:53],
	)
}

func TestEnglishNames(t *testing.T) {
	pipetest.Accept(t, load(t), phi.English,
		"Yesterday [NAME:John Whitlock] returned to clinic.",
		"The consent was signed by [NAME:Maria Elena Rodriguez] at noon.",
		"She was seen with her daughter [NAME_OTHER:Kimberly] today.",
		"[NAME:Smith, Jennifer A]. was transferred",
		"Discussed with [NAME:R. Kowalczyk] by phone.",
	)
}

func TestPlaces(t *testing.T) {
	d := load(t)
	pipetest.Accept(t, d, phi.German,
		"Der Patient lebt in [LOCATION_CITY:Frankfurt am Main] bei der Tochter.",
		"Geboren in [LOCATION_CITY:Istanbul], [LOCATION_COUNTRY:Türkei].",
		"Nach dem Umzug aus [LOCATION_STATE:Niedersachsen] lebt sie in [LOCATION_CITY:Garmisch-Partenkirchen].",
		"Versichert bei der [LOCATION_ORGANIZATION:Techniker Krankenkasse].",
	)
	pipetest.Accept(t, d, phi.English,
		"He drove from [LOCATION_CITY:Worcester], [LOCATION_STATE:MA] with his dog.",
		"She was born in [LOCATION_COUNTRY:Brazil] and moved to [LOCATION_CITY:Seattle].",
		"LA mildly enlarged, OR time 2 h, pt is from [LOCATION_STATE:LA] and sees a PA.",
		"She works for [LOCATION_ORGANIZATION:Blue Cross Blue Shield] in claims.",
	)
}

// TestNothingToFind holds strings that look like names and are none.
func TestNothingToFind(t *testing.T) {
	d := load(t)
	pipetest.Accept(t, d, phi.German,
		"Morbus Parkinson seit 2010, M. Bechterew, Morbus Crohn, Hashimoto-Thyreoiditis.",
		"Babinski negativ, Lachman negativ, Lasègue beidseits negativ, Romberg unauffällig.",
		"Naht nach Donati, OP nach Billroth II, Lagerung nach Trendelenburg.",
		"Nach Schulz et al. und S3-Leitlinie; Foley-Katheter gewechselt; Kirschner-Draht entfernt.",
		"Gleason 3+4=7, Child-Pugh A, Forrest IIb, Weber B Fraktur, Tanner III.",
		"Sehr geehrter Herr Kollege, wir berichten über den stationären Aufenthalt.",
		"Herz: Töne rein. Lunge: vesikuläres Atemgeräusch. Haut: warm und trocken. Klein, lang, schwarz.",
		"Aspirin 100 mg, Ramipril 5 mg, Torasemid 10 mg, Yasmin 1-0-0.",
		"Im Sommer deutlich besser, im Winter Raynaud-Symptomatik.",
		"Los-Angeles-Klassifikation Grad B, Barrett Prag C2M5, Ottawa negativ.",
	)
	pipetest.Accept(t, d, phi.English,
		"Parkinson disease; Glasgow Coma Scale 15; Foley catheter in place; Mayo scissors used.",
		"Crohn's disease, Babinski sign absent, Braden score normal, Kaplan-Meier curve, Gleason 7.",
		"left hand numbness, a long-term plan, may bill, will hope, young man with brown hair",
		"The patient was placed in Trendelenburg position. An 18-French Robinson catheter was used.",
		"A Bence Jones protein was detected. No Marcus Gunn pupil. Charles Bonnet syndrome.",
		"Dr. May or may not agree."[4:],
		"Allegra 60 mg twice a day, Celesta 40 mg, Lantus 10 units.",
		"PAST MEDICAL HISTORY: Diabetes Mellitus, Hypertension. SOCIAL HISTORY: Denies Tobacco.",
		"Rocky Mountain spotted fever; St. Louis encephalitis; West Nile virus.",
	)
}

// TestProtectedAgainstNames shows that what must stay is marked, and what a title makes a name is not.
func TestProtectedAgainstNames(t *testing.T) {
	d := load(t)
	tests := []struct {
		lang       phi.Language
		text       string
		stay, free []string
	}{
		{phi.English, "Mr. Parkinson was started on levodopa for Parkinson disease; Glasgow Coma Scale 15.", []string{"Parkinson disease", "Glasgow Coma Scale"}, []string{"Parkinson was"}},
		{phi.English, "Dr. Foley removed the Foley catheter.", []string{"Foley catheter"}, []string{"Foley removed"}},
		{phi.English, "Transferred from Mount Sinai to Mayo; Mayo scissors used.", []string{"Mayo scissors"}, nil},
		{phi.German, "Herr Parkinson, Frau Basedow und Hr. Kaiser; Z. n. Kaiserschnitt.", nil, []string{"Parkinson,", "Basedow"}},
		{phi.German, "Nach Schulz et al. und S3-Leitlinie 2021; Naht nach Donati.", []string{"Schulz", "Donati"}, nil},
		{phi.German, "V. a. Morbus Bechterew; M. Parkinson; Wolff-Parkinson-White-Syndrom", []string{"Bechterew", "Parkinson", "Wolff-Parkinson-White-Syndrom"}, nil},
		{phi.German, "NIHSS 7, Labor: CRP 12; Patient: XXXXX, geb. XX.XX.XXXX, Prof. Dr. X, Dr. Z", []string{"NIHSS", "CRP", "XXXXX", "XX.XX.XXXX", "X,", "Z"}, nil},
		{phi.English, "SIADH; SSN XXX-XX-4471, card XXXX XXXX 4471; GRACE LEE; Dr. Y. Feng, Dr. Zed", []string{"SIADH"}, []string{"XXX-XX", "XXXX", "GRACE", "Y.", "Zed"}},
		{phi.English, "POD 6 Hartmann, PS 1, ECOG 2; Grace 7, PMA 12-4471, ASA 118", []string{"POD 6", "PS 1", "ECOG 2"}, []string{"Grace", "12-4471", "118"}},
		{phi.English, "Perforation, Hinchey Ib, seen with Dr. Hinchey; some Braxton Hicks; miami J collar", []string{"Hinchey Ib", "Braxton Hicks"}, []string{"Hinchey;"}},
		{phi.English, "EGD 2/27: Forrest Ib clipped; recovery room Bromage 2. Forrest Ibsen", []string{"Forrest Ib", "Bromage 2"}, []string{"Ibsen"}},
		{phi.English, "two or more signs. Bizer et al. (1981), seen with Dr. Stewardson et al.", []string{"Bizer et al."}, []string{"Stewardson"}},
		{phi.German, "Therapie mit Ramipril und Metoprolol", []string{"Ramipril", "Metoprolol"}, nil},
	}
	for _, tt := range tests {
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: tt.text, Language: tt.lang})
		if err != nil {
			t.Fatal(err)
		}
		covered := func(s string) bool {
			at := strings.Index(tt.text, s)
			for _, p := range spans {
				if p.Type == phi.Protected && p.Start <= at && at+len(strings.TrimRight(s, ",")) <= p.End {
					return true
				}
			}
			return false
		}
		for _, s := range tt.stay {
			if !covered(s) {
				t.Errorf("%s: %q is not protected", tt.text, s)
			}
		}
		for _, s := range tt.free {
			if covered(strings.Fields(s)[0]) {
				t.Errorf("%s: %q is protected", tt.text, s)
			}
		}
	}
}

func TestUserDictionaries(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := LoadUser(strings.NewReader("# our house\nHaus Sonnenschein\tLOCATION_HOSPITAL\nKlein\tNAME_STAFF\nqx7\tID_OTHER\nProfessor-Bauer-Stift\tLOCATION_HOSPITAL\nKneipp-Guss\tPROTECTED\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	y, err := LoadUserFile("x.yaml", strings.NewReader("NAME_STAFF:\n  - Xaverl\n  - '0815'\nPROTECTED: [Zeus-Matte]\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := LoadUserFile("x.csv", strings.NewReader("\"Zwirbelbart, 9\",NAME_OTHER\n"))
	if err != nil {
		t.Fatal(err)
	}
	pipetest.Accept(t, set.With(d, y, c).Detector(), phi.German,
		"Verlegt ins [LOCATION_HOSPITAL:Haus\nSonnenschein], Dr. [NAME_STAFF:Klein]. Der Befund ist klein. [ID_OTHER:QX7]",
		"im [LOCATION_HOSPITAL:Professor Bauer Stift] Kneipp-Guss und Zeus-Matte",
		"[NAME_STAFF:Xaverl] und [NAME_OTHER:Zwirbelbart 9], [NAME_STAFF:0815]",
		"Xaverls Sonnenscheinhaus, qx77",
	)
}

func TestUserDictionaryErrors(t *testing.T) {
	tests := []struct {
		name, data string
		want       error
		line       string
	}{
		{"a.txt", "Gut\tNAME\nGeheimnis", ErrNoLabel, "line 2"},
		{"a.txt", "Geheimnis\tNONSENSE\n", ErrLabel, "line 1"},
		{"a.txt", "\n\n--\tNAME", ErrNoText, "line 3"},
		{"a.txt", "Geheimnis\xff\tNAME", ErrEncoding, "line 1"},
		{"a.txt", strings.Repeat("Geheimnis ", 100) + "\tNAME", ErrTooLong, "line 1"},
		{"a.csv", "Geheimnis\n", ErrNoLabel, "line 1"},
		{"a.csv", "Gut,NAME\nGeheimnis,NAME,x\n", ErrShape, "line 2"},
		{"a.csv", "Gut,NAME\n\"Geheimnis\"x,NAME\n", nil, "line 2"},
		{"a.yaml", "NAME:\n  - Gut\n  - [Geheimnis]\n", ErrShape, "line 3"},
		{"a.yaml", "NAME: Geheimnis\n", ErrShape, "line 1"},
		{"a.yaml", "- Geheimnis\n", ErrShape, "line 1"},
		{"a.yaml", "NAME: [Geheimnis\n", ErrShape, ""},
		{"a.yaml", "NONSENSE:\n  - Geheimnis\n", ErrLabel, "line 2"},
	}
	for _, tt := range tests {
		_, err := LoadUserFile(tt.name, strings.NewReader(tt.data))
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.line) {
			t.Errorf("%s %q: %v", tt.name, tt.data, err)
			continue
		}
		if strings.Contains(err.Error(), "Geheimnis") {
			t.Errorf("%q is in the error %v", "Geheimnis", err)
		}
	}
}

func TestAnyTextKeepsTheContract(t *testing.T) {
	d := load(t)
	words := rapid.SampledFrom([]string{
		"Müller", "Anna", "von", "der", "Berlin", "Parkinson", "disease", "-", ",", ".", "\n", " ", "M", "Dr", "Hospital", "St", "LA", "MA", "'s", "\u00AD",
		"\xff", "😀", "et al", "II", "12", "Straße", "é", "e\u0301", "Morbus", "\t", "|", "NEW YORK", "0",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, w := range rapid.SliceOf(words).Draw(t, "words") {
			b.WriteString(w)
			if rapid.Bool().Draw(t, "space") {
				b.WriteByte(' ')
			}
		}
		lang := rapid.SampledFrom([]phi.Language{"", phi.German, phi.English}).Draw(t, "lang")
		if _, err := pipetest.Check(d, b.String(), lang); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"Anna Müller aus Berlin", "M. Parkinson\xff", "Smith, John A.\nO'Hara", "St.-Josef-Hospital Bochum 12"} {
		f.Add(s)
	}
	set, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	d := set.Detector()
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := pipetest.Check(d, text, ""); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPiecesDoNotShow reads a text longer than one piece: every copy of a paragraph gives the same spans.
func TestPiecesDoNotShow(t *testing.T) {
	const paragraph = "Frau Katharina Schmidt lebt in Frankfurt am Main.\n\n"
	const n = 5000
	spans, err := load(t).Detect(context.Background(), &pipeline.Document{Text: strings.Repeat(paragraph, n), Language: phi.German})
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) != 2*n {
		t.Errorf("%d spans in %d paragraphs", len(spans), n)
	}
	for i, s := range spans {
		if s.Start/len(paragraph) != i/2 {
			t.Fatalf("span %d begins at %d", i, s.Start)
		}
	}
}

func TestDetectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := load(t).Detect(ctx, &pipeline.Document{Text: "Anna Müller"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestHostileTextIsLinear reads texts that would make a careless search quadratic: it would not come to an end.
func TestHostileTextIsLinear(t *testing.T) {
	d := load(t)
	for _, s := range []string{"Anna ", "Anna-", "A. ", "von ", "St. ", "Parkinson-", "New ", "A", "'", "é", "O'", "Bad Bad ", "Müller, "} {
		text := strings.Repeat(s, 1<<20/len(s))
		if _, err := d.Detect(context.Background(), &pipeline.Document{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResidentSize(t *testing.T) {
	load(t)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 120<<20 {
		t.Errorf("%d MB in use", m.HeapAlloc>>20)
	}
}

func BenchmarkDetect(b *testing.B) {
	d := load(b)
	for _, c := range []struct {
		name, file string
		lang       phi.Language
	}{{"letters", "letters/letters.jsonl", ""}, {"mtsamples", "carriers/en_mtsamples_dev.jsonl.gz", phi.English}} {
		b.Run(c.name, func(b *testing.B) {
			var text strings.Builder
			for _, r := range corpus(b, c.file) {
				text.WriteString(r.Text)
				text.WriteString("\n\n")
			}
			doc := &pipeline.Document{Text: text.String(), Language: c.lang}
			b.SetBytes(int64(len(doc.Text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Detect(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := readPhrases(); err != nil {
			b.Fatal(err)
		}
	}
}
