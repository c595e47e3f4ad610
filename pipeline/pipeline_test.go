package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fhirdeid/pipeline/phi"
)

// finder finds every occurrence of a word.
type finder struct {
	word string
	span phi.Span
}

func (f finder) Name() string { return "test.finder" }

func (f finder) Detect(_ context.Context, doc *Document) ([]phi.Span, error) {
	var out []phi.Span
	for at := 0; ; {
		n := strings.Index(doc.Text[at:], f.word)
		if n < 0 {
			return out, nil
		}
		s := f.span
		s.Start, s.End = at+n, at+n+len(f.word)
		out = append(out, s)
		at += n + len(f.word)
	}
}

func named(word string, t phi.Type, score float64) finder {
	return finder{word, phi.Span{Type: t, Score: score, Source: "test"}}
}

func TestDetectSettlesOverlapsProtectionAndMemory(t *testing.T) {
	p := &Pipeline{Detectors: []Detector{
		named("Mr. Parkinson", phi.NamePatient, 0.95),
		named("Parkinson", phi.NamePatient, 0.5),
		named("Parkinson disease", phi.Protected, 0.8),
		named("Elm Street 4", phi.LocationStreet, 0.9),
		named("Street", phi.LocationStreet, 0.5),
	}}
	text := "Mr. Parkinson has Parkinson disease, lives in Elm Street 4. Today Parkinson was calm."
	spans, language, err := p.Detect(context.Background(), text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spans {
		got = append(got, s.Type.String()+":"+text[s.Start:s.End])
	}
	want := []string{"NAME_PATIENT:Parkinson", "LOCATION_STREET:Elm Street 4", "NAME_PATIENT:Parkinson"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if language != phi.English {
		t.Errorf("language %q, want en", language)
	}
}

// reader is a witness: it finds one word, holds another for possible, and denies the rest.
type reader struct {
	finder
	possible finder
}

func (r reader) Testify(ctx context.Context, doc *Document) (found, possible []phi.Span, err error) {
	found, _ = r.Detect(ctx, doc)
	possible, err = r.possible.Detect(ctx, doc)
	return found, possible, err
}

func TestWitnessContradictsWhatIsNotSure(t *testing.T) {
	from := func(source, word string, score float64) finder {
		return finder{word, phi.Span{Type: phi.NameOther, Score: score, Source: source}}
	}
	detectors := []Detector{
		from("gazetteer.firstname", "Delle", 0.6), from("rules.name.pair", "Camila", 0.7), from("gazetteer.surname", "Rose", 0.5),
		from("rules.name.title", "Miller", 0.97), from("known.name", "Hope", 0.6), from("template", "Berg", 0.7),
	}
	text := "Delle Camila Rose Miller Hope Berg Kent"
	names := func(p *Pipeline, o Options) (words []string) {
		o.NoMemory, o.Language = true, phi.English
		spans, _, err := p.Detect(context.Background(), text, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			words = append(words, strings.Fields(text[s.Start:s.End])...)
		}
		return words
	}
	alone := &Pipeline{Detectors: detectors}
	if got := names(alone, Options{}); !slices.Equal(got, strings.Fields("Delle Camila Rose Miller Hope Berg")) {
		t.Errorf("without a witness: %q", got)
	}
	witness := reader{from("ner.en", "Kent", 0.8), from("ner.en", "Rose", 0.1)}
	heard := &Pipeline{Detectors: append(slices.Clone(detectors), witness)}
	want := strings.Fields("Rose Miller Hope Berg Kent")
	if got := names(heard, Options{}); !slices.Equal(got, want) {
		t.Errorf("with a witness: %q, want %q", got, want)
	}
	first := &Pipeline{Detectors: append([]Detector{witness}, detectors...)}
	if got := names(first, Options{}); !slices.Equal(got, want) {
		t.Errorf("with the witness before the others: %q, want %q", got, want)
	}
}

// Words at the ends of an uncertain place that no tagger holds for PHI are left; numbers stay whole, and so does a known
// surname before a known first name.
func TestWitnessTrimsPlaces(t *testing.T) {
	text := "bei Versicherung Visana Karte 80756 0028, Zschunke, Renate"
	found := []phi.Span{
		{Start: 4, End: 23, Type: phi.LocationOrganization, Score: 0.9, Source: "rules.organization.name"},
		{Start: 30, End: 40, Type: phi.IDHealthplan, Score: 0.9, Source: "rules.id.healthplan"},
		{Start: 42, End: 58, Type: phi.Name, Score: 0.9, Source: "gazetteer.name"},
	}
	possible := []phi.Span{{Start: 17, End: 23}, {Start: 30, End: 35}, {Start: 52, End: 58}}
	var got []string
	for _, s := range contradict(text, found, possible) {
		got = append(got, text[s.Start:s.End])
	}
	if want := []string{"Visana", "80756 0028", "Zschunke, Renate"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHospitalIsNoCity(t *testing.T) {
	p := &Pipeline{Detectors: []Detector{
		named("Leipzig", phi.LocationCity, 1), named("Klinikum Wiesengrund Leipzig", phi.LocationHospital, 0.9),
	}}
	text := "Klinikum Wiesengrund Leipzig, 04177 Leipzig"
	spans, _, err := p.Detect(context.Background(), text, Options{Language: phi.German})
	if err != nil || len(spans) != 2 || spans[0].Type != phi.LocationHospital || spans[0].End != 28 || spans[1].Type != phi.LocationCity {
		t.Errorf("got %v, %v", spans, err)
	}
}

// What kind of organisation or whose title it is stays in the text; what tells a town from others goes with it.
func TestResolveLeavesKindsOutside(t *testing.T) {
	text := "Kita Sternschnuppe, Fa. B. Braun, Mallam Sanusi, The Mission, Langnau i.E. BE, Freiburg i. V., Kita"
	spans := []phi.Span{}
	for _, s := range []struct {
		of string
		t  phi.Type
	}{{"Kita Sternschnuppe", phi.LocationOrganization}, {"Fa. B. Braun", phi.LocationOrganization}, {"Mallam Sanusi", phi.NamePatient}, {"The Mission", phi.LocationOrganization}, {"Langnau", phi.LocationCity}, {"Freiburg", phi.LocationCity}} {
		at := strings.Index(text, s.of)
		spans = append(spans, phi.Span{Start: at, End: at + len(s.of), Type: s.t, Score: 0.9})
	}
	spans = append(spans, phi.Span{Start: len(text) - 4, End: len(text), Type: phi.LocationOrganization, Score: 0.9})
	var got []string
	for _, s := range Resolve(text, spans) {
		got = append(got, text[s.Start:s.End])
	}
	if want := []string{"Sternschnuppe", "B. Braun", "Sanusi", "The Mission", "Langnau i.E.", "Freiburg", "Kita"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestResolveTidiesAgesPhonesAndNicknames(t *testing.T) {
	for _, c := range []struct {
		text, of string
		t        phi.Type
		want     string
	}{
		{"in her 40s, well", "40", phi.Age, "40s"},
		{"mit 6O J.", "6", phi.Age, "6O"},
		{"is 40 some", "40", phi.Age, "40"},
		{"aged 40sth", "40", phi.Age, "40"},
		{"Tel 0157 3382 9014 lg", "0157 3382 9014 lg", phi.ContactPhone, "0157 3382 9014"},
		{"call two one six", "two one six", phi.ContactPhone, "two one six"},
		{"by Big Mama Ernestine, and", "Ernestine", phi.NameOther, "Big Mama Ernestine"},
		{"by Big Ed, and", "Ed", phi.NameOther, "Big Ed"},
		{"The BigShop Ed, and", "Ed", phi.NameOther, "Ed"},
	} {
		at := strings.Index(c.text, c.of)
		got := Resolve(c.text, []phi.Span{{Start: at, End: at + len(c.of), Type: c.t, Score: 0.9}})
		if len(got) != 1 || c.text[got[0].Start:got[0].End] != c.want {
			t.Errorf("%q: got %v, want %q", c.text, got, c.want)
		}
	}
}

// A short line of an address or a list ends what stands on it, a full one does not; a sentence's full stop stays outside.
func TestResolveEndsAtLinesAndSentences(t *testing.T) {
	long := strings.Repeat("Seit Tagen müde. ", 4)
	letter := "Dr. Marko Petrović\nBregenzer Straße 5a\n\n" + long + "Vermittelt von Corrib\nGas. Kam mit Ruth\n" +
		"Am Kreiswehrersatzamt\n- Musterung, Wuerz-\nburg\nMr Eamon Mc\nAleavey\nLebt bei Anja. Mit Bas\nVerhoeven. Verena L. zog nach Ulm. Herr Jun. ging zur Acme Corp. am Lilienweg 4."
	var spans []phi.Span
	for _, s := range []struct {
		of    string
		kind  phi.Type
		score float64
	}{
		{"Marko Petrović\nBregenzer", phi.NameStaff, 0.9},
		{"Bregenzer Straße 5a", phi.LocationStreet, 0.9},
		{"Corrib\nGas", phi.LocationOrganization, 0.9},
		{"Ruth\nAm", phi.NamePatient, certain},
		{"Kreiswehrersatzamt\n- Musterung", phi.LocationOrganization, 0.9},
		{"Wuerz-\nburg", phi.LocationCity, 0.9},
		{"Eamon Mc\nAleavey", phi.NamePatient, 0.9},
		{"Anja.", phi.NameOther, 0.9},
		{"Bas\nVerhoeven", phi.NameOther, 0.9},
		{"Verena L.", phi.NameOther, 0.9},
		{"Ulm.", phi.LocationCity, 0.9},
		{"Jun.", phi.NameOther, 0.9},
		{"Acme Corp.", phi.LocationOrganization, 0.9},
		{"Lilienweg 4.", phi.LocationStreet, 0.9},
	} {
		at := strings.Index(letter, s.of)
		spans = append(spans, phi.Span{Start: at, End: at + len(s.of), Type: s.kind, Score: s.score})
	}
	var got []string
	for _, s := range Resolve(letter, spans) {
		got = append(got, letter[s.Start:s.End])
	}
	want := []string{
		"Marko Petrović", "Bregenzer Straße 5a", "Corrib\nGas", "Ruth\nAm", "Kreiswehrersatzamt", "Musterung", "Wuerz-\nburg",
		"Eamon Mc\nAleavey", "Anja", "Bas\nVerhoeven", "Verena L.", "Ulm", "Jun.", "Acme Corp.", "Lilienweg 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// One name has one role in a text, that of most of its mentions; what the patient's resources say stands.
func TestResolveGivesANameOneRole(t *testing.T) {
	text := "Simone called; SIMONE will come, says simone. Lang, Lang."
	types := func(entity string) (out []phi.Type) {
		for _, s := range Resolve(text, []phi.Span{
			{Start: 0, End: 6, Type: phi.NameOther, Score: 0.9},
			{Start: 15, End: 21, Type: phi.NamePatient, Score: 0.95, Entity: entity},
			{Start: 38, End: 44, Type: phi.NameOther, Score: 0.9},
			{Start: 46, End: 50, Type: phi.NameStaff, Score: 0.8},
			{Start: 52, End: 56, Type: phi.NamePatient, Score: 0.9},
		}) {
			out = append(out, s.Type)
		}
		return out
	}
	if got, want := types(""), []phi.Type{phi.NameOther, phi.NameOther, phi.NameOther, phi.NamePatient, phi.NamePatient}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got, want := types("patient"), []phi.Type{phi.NamePatient, phi.NamePatient, phi.NamePatient, phi.NamePatient, phi.NamePatient}; !slices.Equal(got, want) {
		t.Errorf("with a known patient: got %v", got)
	}
}

// Where models have a view of the roles, the likeliest one over all mentions of a person wins: many doubtful ones do not
// outvote a sure one. First names count for whom they alone can mean, surnames follow the patient and the staff.
func TestResolveSumsRolesOverMentions(t *testing.T) {
	for _, c := range []struct {
		text  string
		names []string
		roles []phi.Roles
		want  []phi.Type
	}{
		{
			"Name KAYA  Vorname Ayla",
			[]string{"KAYA", "Ayla"},
			[]phi.Roles{{Patient: 0.4, Other: 0.6}, {Patient: 1}},
			[]phi.Type{phi.NamePatient, phi.NamePatient},
		},
		{
			"Gruß\ni. A. Ayla Kaya",
			[]string{"Ayla Kaya"},
			[]phi.Roles{{Other: 1}},
			[]phi.Type{phi.NameStaff},
		},
		{
			"Ayla Demir, RN. Ayla left. Ayla rang.",
			[]string{"Ayla Demir", "Ayla", "Ayla"},
			[]phi.Roles{{Staff: 1}, {Patient: 0.4, Other: 0.6}, {Staff: 0.4, Other: 0.6}},
			[]phi.Type{phi.NameStaff, phi.NameStaff, phi.NameStaff},
		},
		{
			"Ayla Demir, Ayla Kaya. Ayla rang.",
			[]string{"Ayla Demir", "Ayla Kaya", "Ayla"},
			[]phi.Roles{{Staff: 1}, {Patient: 1}, {Other: 0.9}},
			[]phi.Type{phi.NameStaff, phi.NamePatient, phi.NameOther},
		},
		{
			"Baby Mia Buchan. Unborn Buchan.",
			[]string{"Mia Buchan", "Buchan"},
			[]phi.Roles{{Patient: 1}, {Other: 0.9}},
			[]phi.Type{phi.NamePatient, phi.NamePatient},
		},
		{
			"Mother: Niamh Burke (Mrs Padden on the card). Niamh slept.",
			[]string{"Niamh Burke", "Padden", "Niamh"},
			[]phi.Roles{{Patient: 1}, {Other: 1}, {Patient: 0.4, Other: 0.6}},
			[]phi.Type{phi.NamePatient, phi.NamePatient, phi.NamePatient},
		},
		{
			"Erika Trautmann geb. Luther",
			[]string{"Erika Trautmann", "Luther"},
			[]phi.Roles{{Patient: 1}, {Other: 1}},
			[]phi.Type{phi.NamePatient, phi.NamePatient},
		},
		{
			"Schwester von Sandra (Anita)", // whose relative follows
			[]string{"Sandra", "Anita"},
			[]phi.Roles{{Patient: 1}, {Other: 1}},
			[]phi.Type{phi.NamePatient, phi.NameOther},
		},
		{
			"Sandra (Anita's niece)",
			[]string{"Sandra", "Anita"},
			[]phi.Roles{{Patient: 1}, {Other: 1}},
			[]phi.Type{phi.NamePatient, phi.NameOther},
		},
		{
			"Nana Ada Snr. Twin Ada slept.", // one of the same first name
			[]string{"Ada Snr", "Ada"},
			[]phi.Roles{{Other: 1}, {Patient: 1}},
			[]phi.Type{phi.NameOther, phi.NamePatient},
		},
		{
			"left word for Olu (Trauma), Ngozi E. (support worker, Mill Lane), Jon Purdy, Band 6",
			[]string{"Olu", "Ngozi E.", "Jon Purdy"},
			[]phi.Roles{{Patient: 1}, {Other: 1}, {Other: 1}},
			[]phi.Type{phi.NameStaff, phi.NameStaff, phi.NameStaff},
		},
		{
			"Son Ian Buchan. Later Buchan fell.",
			[]string{"Ian Buchan", "Buchan"},
			[]phi.Roles{{Other: 1}, {Patient: 0.9}},
			[]phi.Type{phi.NameOther, phi.NamePatient},
		},
	} {
		var spans []phi.Span
		from := 0
		for i, name := range c.names {
			start := from + strings.Index(c.text[from:], name)
			from = start + len(name)
			likeliest := phi.NameOther
			if r := c.roles[i]; r.Staff > r.Other && r.Staff > r.Patient {
				likeliest = phi.NameStaff
			} else if r.Patient > r.Other {
				likeliest = phi.NamePatient
			}
			spans = append(spans, phi.Span{Start: start, End: from, Type: likeliest, Score: 0.9, Source: "test", Roles: c.roles[i]})
		}
		var got []phi.Type
		for _, s := range Resolve(c.text, spans) {
			got = append(got, s.Type)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestDetectRefusesSpansOutsideTheText(t *testing.T) {
	bad := finder{"ü", phi.Span{Type: phi.Name}}
	p := &Pipeline{Detectors: []Detector{shifted{bad}}}
	if _, _, err := p.Detect(context.Background(), "für", Options{}); !errors.Is(err, ErrSpan) {
		t.Errorf("got %v, want ErrSpan", err)
	}
}

// shifted moves the spans of a finder by one byte, into the middle of a rune.
type shifted struct{ finder }

func (s shifted) Detect(ctx context.Context, doc *Document) ([]phi.Span, error) {
	spans, err := s.finder.Detect(ctx, doc)
	for i := range spans {
		spans[i].Start++
	}
	return spans, err
}

func TestDetectKeepsOffsetsOverBrokenBytes(t *testing.T) {
	text := "a\x00\xff\xfeMüller\xc3 b"
	p := &Pipeline{Detectors: []Detector{named("Müller", phi.NameStaff, 1)}}
	spans, _, err := p.Detect(context.Background(), text, Options{})
	if err != nil || len(spans) != 1 || text[spans[0].Start:spans[0].End] != "Müller" {
		t.Errorf("got %v, %v", spans, err)
	}
}

func TestDetectReadsLongTextsInWindowsAsInOne(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		b.WriteString("The wound is dry and closed without any sign of infection today. ")
		if i%7 == 0 {
			b.WriteString("Wilhelmine ")
		}
		if i%5 == 0 {
			b.WriteByte('\n')
		}
	}
	text := b.String()
	detectors := []Detector{named("Wilhelmine", phi.NamePatient, 0.95)}
	whole, _, err := (&Pipeline{Detectors: detectors, Window: len(text)}).Detect(context.Background(), text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts, _, err := (&Pipeline{Detectors: detectors, Window: 20_000}).Detect(context.Background(), text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) != 429 || !slices.Equal(whole, parts) {
		t.Errorf("whole %d spans, in windows %d", len(whole), len(parts))
	}
}

func TestMemoryTakesCareOfWordClass(t *testing.T) {
	cases := []struct {
		learnt, text string
		want         []string
	}{
		{"Anna-Lena Stegmüller", "STEGMÜLLER kam. Stegmüllers Mann. stegmüller", []string{"STEGMÜLLER"}},
		{"Ortrud Wiesenthal", "Ortrud\nWiesenthal, Wiesenthal", []string{"Ortrud\nWiesenthal", "Wiesenthal"}},
		{"Li", "Li, Licht", nil},
		{"Uwe Karl Langenohl", "des U.L. und U. K. L., u.l. UL U-L U.L nach 5 U. Lampe", []string{"U.L.", "U. K. L."}},
		{"L a n g e n o h l , Uwe", "U.L. liegt bei, L.U. nicht", []string{"U.L."}},
		{"Langenohl, Uwe", "U.L. liegt bei, L.U. nicht", []string{"U.L."}},
		{"Anna Peters", "Thorax A.P. vom Vortag, 8 A.M. mit A.P.", nil},
		{"Özlem Yıldız", "O.Y. Ö.Y.", nil},
	}
	for _, c := range cases {
		m := NewMemory()
		m.Learn(c.learnt, []phi.Span{{End: len(c.learnt), Type: phi.NamePatient, Score: 1}})
		var got []string
		for _, s := range Resolve(c.text, m.Find(c.text, phi.German)) {
			got = append(got, c.text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("learnt %q in %q: got %q, want %q", c.learnt, c.text, got, c.want)
		}
	}
}

func TestDetectLanguage(t *testing.T) {
	cases := map[string]phi.Language{
		"Die Patientin wurde am 3. Mai mit Fieber aufgenommen und in gutem Zustand entlassen.": phi.German,
		"The patient was admitted with fever and discharged in good condition.":                phi.English,
		"K 4.2, Na 138":   "",
		"":                "",
		"Wo ist der Arzt": phi.German,
	}
	for text, want := range cases {
		if got := DetectLanguage(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

var someTypes = []phi.Type{phi.NamePatient, phi.NameStaff, phi.Name, phi.DateDate, phi.LocationCity, phi.IDPatient, phi.Age, phi.Other}

// drawSpans draws a text and spans on its rune borders.
func drawSpans(t *rapid.T) (string, []phi.Span) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("abÄß 1.-\n's\U0001f600\u0301\u00ad\u05d0")), 1, 60, -1).Draw(t, "text")
	var borders []int
	for i := range text {
		borders = append(borders, i)
	}
	borders = append(borders, len(text))
	var spans []phi.Span
	for range rapid.IntRange(0, 8).Draw(t, "n") {
		i := rapid.IntRange(0, len(borders)-2).Draw(t, "i")
		j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "j")
		spans = append(spans, phi.Span{
			Start: borders[i], End: borders[j], Type: rapid.SampledFrom(someTypes).Draw(t, "type"),
			Score: rapid.SampledFrom([]float64{0.5, 0.9, 1}).Draw(t, "score"), Source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"),
		})
	}
	return text, spans
}

func TestResolveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, spans := drawSpans(t)
		out := Resolve(text, spans)
		covered := make([]bool, len(text))
		for i, s := range out {
			if !fits(text, s) || i > 0 && s.Start < out[i-1].End {
				t.Fatalf("span %v of %q does not fit or overlaps", s, text)
			}
			accents := func(r rune) bool { return unicode.Is(unicode.Mn, r) } // which may stand on a blank
			if inside := text[s.Start:s.End]; !strings.ContainsFunc(inside, accents) && strings.Trim(inside, " \t\n") != inside {
				t.Fatalf("span %q of %q begins or ends with a blank", inside, text)
			}
			for b := s.Start; b < s.End; b++ {
				covered[b] = true
			}
		}
		for _, s := range spans {
			if s = unblanked(text, s); s.Start == s.End {
				continue
			}
			s.Start, s.End = growToWords(text, s.Start, s.End)
			for _, p := range []prefix{titles, kinds} {
				s.Start += wordsBefore(text[s.Start:s.End], p)
			}
			for b := s.Start; b < s.End; b++ {
				possessive := text[b] == 's' && b > 0 && text[b-1] == '\'' // also in front of a full stop or at the end of a line
				if !covered[b] && !possessive && !strings.ContainsRune(bullets+" \t\n.,()\"'", rune(text[b])) {
					t.Fatalf("byte %d of %q was covered by %v, is not by %v", b, text, s, out)
				}
			}
		}
		shuffled := slices.Clone(spans)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := Resolve(text, shuffled); !slices.Equal(out, again) {
			t.Fatalf("order matters: %v, %v", out, again)
		}
		edits := make([]phi.Edit, len(out))
		for i, s := range out {
			edits[i] = phi.Edit{Start: s.Start, End: s.End, New: "█"}
		}
		replaced, err := Apply(text, edits)
		if err != nil {
			t.Fatal(err)
		}
		at, rest := 0, replaced
		for _, e := range edits {
			if !strings.HasPrefix(rest, text[at:e.Start]+"█") {
				t.Fatalf("text outside spans changed: %q to %q", text, replaced)
			}
			rest = rest[len(text[at:e.Start]+"█"):]
			at = e.End
		}
		if rest != text[at:] {
			t.Fatalf("tail changed: %q to %q", text, replaced)
		}
	})
}

func FuzzDetect(f *testing.F) {
	f.Add("Frau Müller\r\nkam am 3.5.", 100)
	f.Add("\xff\xfe\x00", 1)
	f.Fuzz(func(t *testing.T, text string, window int) {
		p := &Pipeline{Detectors: []Detector{named("M", phi.NameStaff, 0.9), named(".", phi.DateDate, 0.4)}, Window: window%4096 + 64}
		spans, _, err := p.Detect(context.Background(), text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, s := range spans {
			if s.Start < end || s.End > len(text) || s.Start >= s.End {
				t.Fatalf("span %v", s)
			}
			end = s.End
		}
		if got := readable(text); len(got) != len(text) || !utf8.ValidString(got) {
			t.Fatal("the view has another length or is invalid")
		}
	})
}

// What a model sees as one range is cut into the dates that others know one by one, and neighbours that read as one place
// or occupation are joined.
func TestResolveCutsRangesAndJoinsPlaces(t *testing.T) {
	day := func(n int32) *phi.Interval { return &phi.Interval{From: n, To: n, Precision: phi.ToDay} }
	at := func(text, part string, kind phi.Type, i *phi.Interval) phi.Span {
		start := strings.Index(text, part)
		if start < 0 {
			t.Fatalf("%q is not in %q", part, text)
		}
		return phi.Span{Start: start, End: start + len(part), Type: kind, Score: 0.9, Source: "test", Interval: i}
	}
	ranged, list, two := "vom 2.–23.3.2016 hier", "Dienst 10./11.11., EK", "Mai 2019 8.6.2020"
	ward, jobs, towns := "Station 4, Klinikum Aach", "BEST bus driver", "Ulm, Aach"
	county, dialled, alone := "Crook, County Durham", "call 757.555.0143 ext. 12 now", "School ext 204"
	trainee, firm, trades := "Lehrling zum Tischler", "Müller & Aach", "Koch und Kellner"
	for _, c := range []struct {
		text  string
		spans []phi.Span
		want  []string
	}{
		{ranged, []phi.Span{at(ranged, "2.–23.3.2016", phi.DateDate, nil), at(ranged, "2.", phi.DateDate, day(1)), at(ranged, "23.3.2016", phi.DateDate, day(22))}, []string{"2.", "23.3.2016"}},
		{list, []phi.Span{at(list, "10./11.11", phi.DateDate, nil), at(list, "10.", phi.DateDate, day(1)), at(list, "11.11.", phi.DateDate, day(2))}, []string{"10.", "11.11."}},
		{ranged, []phi.Span{at(ranged, "2.–23.3.2016", phi.DateDate, nil), at(ranged, "23.3.2016", phi.DateDate, day(22))}, []string{"2.–23.3.2016"}},
		{two, []phi.Span{at(two, two, phi.DateDate, nil), at(two, "Mai 2019", phi.DateDate, day(1)), at(two, "8.6.2020", phi.DateDate, day(2))}, []string{two}},
		{ward, []phi.Span{at(ward, "Station 4", phi.LocationHospital, nil), at(ward, "Klinikum Aach", phi.LocationHospital, nil)}, []string{ward}},
		{jobs, []phi.Span{at(jobs, "BEST", phi.ProfessionProfession, nil), at(jobs, "bus driver", phi.ProfessionProfession, nil)}, []string{jobs}},
		{trainee, []phi.Span{at(trainee, "Lehrling", phi.ProfessionProfession, nil), at(trainee, "Tischler", phi.ProfessionProfession, nil)}, []string{trainee}},
		{firm, []phi.Span{at(firm, "Müller", phi.LocationOrganization, nil), at(firm, "Aach", phi.LocationOrganization, nil)}, []string{firm}},
		{trades, []phi.Span{at(trades, "Koch", phi.ProfessionProfession, nil), at(trades, "Kellner", phi.ProfessionProfession, nil)}, []string{"Koch", "Kellner"}},
		{county, []phi.Span{at(county, "County", phi.LocationState, nil), at(county, "Durham", phi.LocationState, nil)}, []string{"County Durham"}},
		{dialled, []phi.Span{at(dialled, "757.555.0143", phi.ContactPhone, nil), at(dialled, "ext.", phi.ContactPhone, nil), at(dialled, "12", phi.ContactPhone, nil)}, []string{"757.555.0143 ext. 12"}},
		{alone, []phi.Span{at(alone, "ext", phi.ContactPhone, nil), at(alone, "204", phi.ContactPhone, nil)}, []string{"ext", "204"}},
		{towns, []phi.Span{at(towns, "Ulm", phi.LocationCity, nil), at(towns, "Aach", phi.LocationCity, nil)}, []string{"Ulm", "Aach"}},
	} {
		var got []string
		for _, s := range Resolve(c.text, c.spans) {
			got = append(got, c.text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A first name alone is the patient's where the patient is called so in full, and a title of the other gender tells that
// somebody else of the surname is meant.
func TestResolveFollowsFullNames(t *testing.T) {
	for _, c := range []struct {
		text string
		want map[string]phi.Type // of the names in braces, which are the patient's in full (=) or somebody else's
	}{
		{"Patient {=Valentin Schöpflin}; {Valentin} kam mit Bruder {Egon}.", map[string]phi.Type{"Valentin": phi.NamePatient, "Egon": phi.NameOther}},
		{"{=Egon Huber}, Vater {Egon Maier}, und {Egon} schlief.", map[string]phi.Type{"Egon": phi.NameOther}},
		{"{=Quast, Ferdinand}: Ehering an Frau {=Quast}.", map[string]phi.Type{"Quast": phi.NameOther}},
		{"{=Quast, Ferdinand}: Herr {Quast} schlief.", map[string]phi.Type{"Quast": phi.NamePatient}},
		{"{=Quast, Ferdinand}, Vater {Otto Quast}: Herr {Quast} schlief.", map[string]phi.Type{"Quast": phi.NameOther}},
		{"{=Quast, F.}: Frau {=Quast} schlief.", map[string]phi.Type{"Quast": phi.NamePatient}},
		{"{=Quast, Ferdinand}, Frau Dr. {=Quast} schrieb.", map[string]phi.Type{"Quast": phi.NamePatient}},
	} {
		var text strings.Builder
		var spans []phi.Span
		for part := range strings.SplitSeq(c.text, "{") {
			name, rest, marked := strings.Cut(part, "}")
			if !marked {
				text.WriteString(part)
				continue
			}
			s := phi.Span{Start: text.Len(), Type: phi.NameOther, Score: 0.9, Source: "test"}
			if patient, found := strings.CutPrefix(name, "="); found {
				s.Type, name = phi.NamePatient, patient
			}
			text.WriteString(name)
			s.End = text.Len()
			text.WriteString(rest)
			spans = append(spans, s)
		}
		for _, s := range Resolve(text.String(), spans) {
			name := text.String()[s.Start:s.End]
			if want, asked := c.want[name]; asked && s.Type != want {
				t.Errorf("%q: %s is %s, want %s", text.String(), name, s.Type, want)
			}
		}
	}
}

// A number of a patient beside a name tells whose it is, but beside initials, which sign a line, or in the next sentence.
func TestResolveReadsNumbersBesideNames(t *testing.T) {
	for _, c := range []struct {
		text, name, id string
		want           phi.Type
	}{
		{"son Matiu NHI PWL2190 fed", "Matiu", "PWL2190", phi.NamePatient},
		{"000774120   Papadimitriou", "Papadimitriou", "000774120", phi.NamePatient},
		{"checked KL 0419925", "KL", "0419925", phi.NameOther},
		{"NHI HQT4471. Shona", "Shona", "HQT4471", phi.NameOther},
		{"son Matiu\nNHI PWL2190", "Matiu", "PWL2190", phi.NameOther},
	} {
		at := func(part string, kind phi.Type) phi.Span {
			start := strings.Index(c.text, part)
			return phi.Span{Start: start, End: start + len(part), Type: kind, Score: 0.9, Source: "test", Roles: phi.Roles{Patient: 0.2, Other: 0.8}}
		}
		for _, s := range Resolve(c.text, []phi.Span{at(c.name, phi.NameOther), at(c.id, phi.IDPatient)}) {
			if c.text[s.Start:s.End] == c.name && s.Type != c.want {
				t.Errorf("%q: %s, want %s", c.text, s.Type, c.want)
			}
		}
	}
}

// A whole date directly behind the patient's full name is the date of birth.
func TestResolveFindsBirthdates(t *testing.T) {
	for _, c := range []struct {
		name, gap, date string
		role, want      phi.Type
	}{
		{"Emmerich Skopnik", ", ", "12. Jänner 1950", phi.NamePatient, phi.DateBirthdate},
		{"Wolny, Lena", " (", "02.12.2016", phi.NamePatient, phi.DateBirthdate},
		{"Lena Wolny", ", ", "December 2, 2016", phi.NamePatient, phi.DateBirthdate},
		{"Lena Wolny", ", ", "2.12.", phi.NamePatient, phi.DateDate},
		{"Lena Wolny", " kam am ", "02.12.2016", phi.NamePatient, phi.DateDate},
		{"Lena", ", ", "02.12.2016", phi.NamePatient, phi.DateDate},
		{"Lena Wolny", ", ", "02.12.2016", phi.NameStaff, phi.DateDate},
		{"Lena Wolny", " (", "2016-12-02", phi.NamePatient, phi.DateBirthdate},
		{"Wolny", ",", "2016-12-02", phi.NamePatient, phi.DateDate},
	} {
		text := c.name + c.gap + c.date
		spans := Resolve(text, []phi.Span{
			{Start: 0, End: len(c.name), Type: c.role, Score: 0.9, Source: "test"},
			{Start: len(text) - len(c.date), End: len(text), Type: phi.DateDate, Score: 0.9, Source: "test"},
		})
		if last := spans[len(spans)-1]; last.Type != c.want {
			t.Errorf("%q: %s, want %s", text, last.Type, c.want)
		}
	}
}

// Surname and first name in two cells of a row are two spans, as the guidelines hold them, and a date in the next cell is the
// date of birth; outside of a row a comma without a space is one as well.
func TestResolveCutsAtCells(t *testing.T) {
	const birth = "1938-03-19"
	for _, c := range []struct {
		before, name, after string
		want                []string
	}{
		{"7008831962,", "SHORT,BILL", ",", []string{"SHORT", "BILL", birth}},
		{"a,b\n", "De Souza,Kevin Ray", ",", []string{"De Souza", "Kevin Ray", birth}},
		{"7008831962,", "Short, Bill", ",", []string{"Short, Bill", birth}},
		{"Pt ", "short,bill", ", born ", []string{"short,bill", birth}},
	} {
		text := c.before + c.name + c.after + birth
		spans := Resolve(text, []phi.Span{
			{Start: len(c.before), End: len(c.before) + len(c.name), Type: phi.NamePatient, Score: 0.9, Source: "test"},
			{Start: len(text) - len(birth), End: len(text), Type: phi.DateDate, Score: 0.9, Source: "test"},
		})
		var got []string
		for _, s := range spans {
			got = append(got, text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", text, got, c.want)
		}
		if last := spans[len(spans)-1]; (last.Type == phi.DateBirthdate) != (len(c.want) == 3) {
			t.Errorf("%q: %s", text, last.Type)
		}
	}
}

// Brackets and the short form of a state part what the guidelines hold for two; a bracket within a name does not.
func TestResolveCutsAtBrackets(t *testing.T) {
	for _, c := range []struct {
		text string
		kind phi.Type
		want []string
	}{
		{"HUBER, Johann (Hansi)", phi.NamePatient, []string{"HUBER, Johann", "Hansi"}},
		{"Klinik Roseneck, Prien", phi.LocationHospital, []string{"Klinik Roseneck", "Prien"}},
		{"Klinik Roseneck, Haus Süd", phi.LocationHospital, []string{"Klinik Roseneck, Haus Süd"}},
		{"Yvonne Comeau (\"Vonnie\")", phi.NamePatient, []string{"Yvonne Comeau", "Vonnie"}},
		{"Wirth, Anna (Anni", phi.NameOther, []string{"Wirth, Anna", "Anni"}},
		{"Stanley (Stas) Nowak", phi.NamePatient, []string{"Stanley (Stas) Nowak"}},
		{"LKH Aach (MKG", phi.LocationHospital, []string{"LKH Aach", "MKG"}},
		{"Schachklub Aach (1888)", phi.LocationOrganization, []string{"Schachklub Aach (1888)"}},
		{"(Aach", phi.LocationCity, []string{"Aach"}},
		{"(", phi.LocationOther, []string{"("}},
		{"Langnau i.E. BE", phi.LocationCity, []string{"Langnau i.E.", "BE"}},
		{"Plains, KS", phi.LocationCity, []string{"Plains", "KS"}},
		{"BAD AACH", phi.LocationCity, []string{"BAD AACH"}},
		{"(+43 7612 6649-33)", phi.ContactPhone, []string{"+43 7612 6649-33"}},
		{"(07612) 6649", phi.ContactPhone, []string{"(07612) 6649"}},
	} {
		var got []string
		for _, s := range Resolve(c.text, []phi.Span{{End: len(c.text), Type: c.kind, Score: 0.9, Source: "test"}}) {
			got = append(got, c.text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
