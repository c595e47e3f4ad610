package template

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

func split(text string) []string {
	var list []string
	for start, end := range Sentences(text) {
		list = append(list, text[start:end])
	}
	return list
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"Dr. Meier sah den Pat. Er ist wach.":                              {"Dr. Meier sah den Pat. Er ist wach."},
		"Kein Fieber. Z. n. Appendektomie am 3. Mai 2019. pH 7.35 stabil.": {"Kein Fieber.", "Z. n. Appendektomie am 3. Mai 2019.", "pH 7.35 stabil."},
		"Mr. J. Smith was seen. He is well! Is he? Yes.":                   {"Mr. J. Smith was seen.", "He is well!", "Is he?", "Yes."},
		"Labor:\nHb 12,3\n\nCRP 5":                                         {"Labor:", "Hb 12,3", "CRP 5"},
		"1. Aspirin 100 mg\n2. Ramipril 5 mg":                              {"1. Aspirin 100 mg", "2. Ramipril 5 mg"},
		"The patient is a pleasant man who was admitted with chest pain\nand shortness of breath. Doing well.": {
			"The patient is a pleasant man who was admitted with chest pain\nand shortness of breath.", "Doing well.",
		},
		"ASSESSMENT: This is a long line of text which does not end with a stop\nPLAN: Home.": {
			"ASSESSMENT: This is a long line of text which does not end with a stop", "PLAN: Home.",
		},
		"(He left.) She stayed.": {"(He left.)", "She stayed."},
		"":                       nil,
		" \n \r\n":               nil,
		"...":                    {"..."},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// checkSentences holds the splitter to its contract: in order, disjoint, and nothing but blanks between them.
func checkSentences(t interface{ Fatalf(string, ...any) }, text string) {
	last := 0
	for start, end := range Sentences(text) {
		if start < last || end <= start || end > len(text) || strings.TrimFunc(text[last:start], unicode.IsSpace) != "" {
			t.Fatalf("%q: sentence %d-%d after %d", text, start, end, last)
		}
		last = end
	}
	if strings.TrimFunc(text[last:], unicode.IsSpace) != "" {
		t.Fatalf("%q: the end is lost", text)
	}
}

func TestSentencesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkSentences(t, strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{". ", "\n", "Dr.", "3.", "\xff", "\u00a0", ".)", strings.Repeat("x", 60)}))).Draw(t, "parts"), ""))
	})
}

func FuzzSentences(f *testing.F) {
	f.Add("Dr. X. Am 3. Mai.\n\n- a\n\xff")
	f.Fuzz(func(t *testing.T, text string) { checkSentences(t, text) })
}

// finder finds each word of a list.
type finder map[string]phi.Type

func (finder) Name() string { return "finder" }

func (f finder) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	var spans []phi.Span
	for w := range pipeline.Words(doc.Text) {
		if kind, ok := f[doc.Text[w.Start:w.End]]; ok {
			spans = append(spans, phi.Span{Start: w.Start, End: w.End, Type: kind, Score: 0.9, Source: "finder"})
		}
	}
	return spans, nil
}

func TestInclusionSkipsModels(t *testing.T) {
	list, err := LoadInclusion(strings.NewReader("version: 1\nsentences:\n  - 'Crohn: ja'\n  - 'HISTORY OF PRESENT ILLNESS:'\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := list.Skip(finder{"Crohn": phi.NamePatient})
	pipetest.Accept(t, d, phi.German, "CROHN:  ja\nCrohn: ja\n[NAME_PATIENT:Crohn] kommt", "crohn: ja")
	if !list.Holds("History  of present\nillness:") || list.Holds("History of present illness: pain") || list.Holds("") {
		t.Error("Holds is not exact")
	}
	if list, err = Default(); err != nil || !list.Holds("mit freundlichen gruessen") {
		t.Errorf("built-in list: %v", err)
	}
}

// oracle holds all that its finder finds for possible.
type oracle struct{ finder }

func (o oracle) Testify(ctx context.Context, doc *pipeline.Document) (found, possible []phi.Span, err error) {
	possible, err = o.Detect(ctx, doc)
	return nil, possible, err
}

func TestInclusionKeepsTheWitness(t *testing.T) {
	list := NewInclusion([]string{"Crohn: ja"})
	d, ok := list.Skip(oracle{finder{"Crohn": phi.NamePatient}}).(pipeline.Witness)
	if !ok {
		t.Fatal("a witness is none any more")
	}
	text := "Crohn: ja\nHerr Crohn kommt"
	found, possible, err := d.Testify(context.Background(), &pipeline.Document{Text: text})
	if err != nil || len(found) != 0 || len(possible) != 1 || possible[0].Start != strings.LastIndex(text, "Crohn") {
		t.Errorf("found %d, possible %d, %v", len(found), len(possible), err)
	}
	if _, ok := list.Skip(finder{}).(pipeline.Witness); ok {
		t.Error("a detector that is no witness became one")
	}
}

type failing struct{ finder }

func (failing) Detect(context.Context, *pipeline.Document) ([]phi.Span, error) {
	return nil, errors.New("called")
}

func TestInclusionDoesNotCallForNothing(t *testing.T) {
	d := NewInclusion([]string{"Labor:"}).Skip(failing{})
	if _, err := d.Detect(context.Background(), &pipeline.Document{Text: "Labor:\n\nLABOR:"}); err != nil {
		t.Error(err)
	}
	if _, err := d.Detect(context.Background(), &pipeline.Document{Text: "Labor:\n\nMeier"}); err == nil {
		t.Error("an error of the inner detector is lost")
	}
}

// corpus is signed by people of whom the finder knows all but one.
var corpus = []string{
	"Electronically signed by: SMITH, JOHN C on 01/02/1980 at noon. Pain is mild.",
	"Electronically signed by: MILLER, ANNA B on 03/04/1981 at noon.\n\nDr. Kay called today.",
	"Electronically signed by: BAKER, PAUL X on 05/06/1982 at noon. Dr. Low called today.",
	"Electronically signed by: DEWEY, JONES K on 07/08/1983 at noon. Dr. Kay called today.",
	"The nurse Kay is here. The nurse Kay is here. The nurse Kay is here.",
	"Ward Anna is calm. Ward Anna is calm. Ward Paul is calm. Ward clerk is calm. Ward round is calm. Ward music is calm. Ward staff is calm.",
}

var detectable = finder{
	"SMITH": phi.NameStaff, "JOHN": phi.NameStaff, "C": phi.NameStaff, "MILLER": phi.NameStaff, "ANNA": phi.NameStaff, "B": phi.NameStaff,
	"BAKER": phi.NameStaff, "PAUL": phi.NameStaff, "X": phi.NameStaff, "Kay": phi.NameStaff, "Anna": phi.NamePatient, "Paul": phi.NamePatient,
	"01": phi.DateDate, "02": phi.DateDate, "1980": phi.DateDate, "03": phi.DateDate, "04": phi.DateDate, "1981": phi.DateDate,
	"05": phi.DateDate, "06": phi.DateDate, "1982": phi.DateDate, "07": phi.DateDate, "08": phi.DateDate, "1983": phi.DateDate,
}

func harvest(t testing.TB) *Set {
	t.Helper()
	s, err := Harvest(context.Background(), &pipeline.Pipeline{Detectors: []pipeline.Detector{detectable}}, slices.Values(corpus), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHarvestFindsWhatTheDetectorMissed(t *testing.T) {
	s := harvest(t)
	if s.Len() != 1 {
		for _, k := range s.templates {
			t.Log(k)
		}
		t.Fatalf("%d templates", s.Len())
	}
	got := s.templates[0]
	if got.Count != 3 || got.Differing != 3 || got.Missed != 1 {
		t.Errorf("counts %+v", got)
	}
	spans, err := s.Detector().Detect(context.Background(), &pipeline.Document{Text: corpus[3]})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range spans {
		all.WriteString(corpus[3][p.Start:p.End] + "|")
	}
	for _, w := range []string{"DEWEY", "JONES", "K", "07", "1983"} {
		if !strings.Contains(all.String(), w) {
			t.Errorf("%q is not found in %q", w, all.String())
		}
	}
	for _, text := range []string{"Electronically signed by: nobody", "Electronically signed by: DEWEY, JONES K on 7/x/1983 at noon."} {
		if spans, _ := s.Detector().Detect(context.Background(), &pipeline.Document{Text: text}); len(spans) != 0 {
			t.Errorf("%q: %v", text, spans)
		}
	}
}

func TestOneSyntaxWithTwoReadingsIsDropped(t *testing.T) {
	h := NewHarvester(Options{MinFillings: 1})
	for i := range 6 {
		kind := phi.NameStaff
		if i == 3 {
			kind = phi.LocationCity
		}
		h.Add("He went to Boston today", []phi.Span{{Start: 11, End: 17, Type: kind}})
		h.Add("He is from Boston today", []phi.Span{{Start: 11, End: 17, Type: phi.LocationCity}})
	}
	if s := h.Set(); s.Len() != 1 || !strings.HasPrefix(s.templates[0].String(), "he is from {W LOCATION_CITY}") {
		t.Errorf("%v", s.templates)
	}
}

func TestTemplatesAreReadBack(t *testing.T) {
	s := harvest(t)
	var file bytes.Buffer
	if err := s.Write(&file); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"smith", "SMITH", "DEWEY", "1980"} {
		if strings.Contains(file.String(), value) {
			t.Errorf("%s is in the file", value)
		}
	}
	back, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.templates {
		if s.templates[i].String() != back.templates[i].String() || s.templates[i].Count != back.templates[i].Count {
			t.Errorf("%v is read as %v", s.templates[i], back.templates[i])
		}
	}
	written, err := Load(strings.NewReader("version: 1\ntemplates:\n  - match: 'Diktiert: {W NAME_STAFF}-{W +} {{{A ID_OTHER}'\n    count: 1\n    fillings: 1\n    missed: 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	pipetest.Accept(t, written.Detector(), phi.German, "DIKTIERT:  [NAME_STAFF:Meier-Böhm] {[ID_OTHER:qx7]\nDiktiert: Meier", "Diktiert: [NAME_STAFF:A-B] {[ID_OTHER:12]")
}

func TestBrokenFiles(t *testing.T) {
	for _, file := range []string{
		"", "version: 2\n", "version: 1\ntemplates:\n  - match: 'Geheimnis'\n", "version: 1\ntemplates:\n  - match: '{W NAME}'\n",
		"version: 1\ntemplates:\n  - match: 'x Geheimnis {W +}'\n", "version: 1\ntemplates:\n  - match: 'x {Q NAME}'\n",
		"version: 1\ntemplates:\n  - match: 'x {W GEHEIMNIS}'\n", "version: 1\ntemplates:\n  - match: 'x {W NAME'\n", "version: 1\nGeheimnis: 1\n", "version: [Geheimnis\n",
	} {
		if _, err := Load(strings.NewReader(file)); !errors.Is(err, ErrFormat) || strings.Contains(strings.ToLower(err.Error()), "geheimnis") {
			t.Errorf("%q: %v", file, err)
		}
	}
	for _, file := range []string{"version: 1\nsentence: [Geheimnis]\n", "version: 1\nsentences: Geheimnis: x\n", "sentences: [x]\n"} {
		if _, err := LoadInclusion(strings.NewReader(file)); !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "Geheimnis") {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestAnyTextKeepsTheContract(t *testing.T) {
	s := harvest(t)
	words := rapid.SampledFrom([]string{"Electronically", "signed", "by", ":", "SMITH", ",", "JOHN", "C", "on", "01", "/", "1980", "at", "noon", ".", " ", "\n", "\xff", "e\u0301", "\u00AD"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(words).Draw(t, "words"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		if _, err := pipetest.Check(s.Detector(), text, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	s := harvest(b)
	text := strings.Repeat(corpus[3]+"\n\n", 2000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Detector().Detect(context.Background(), &pipeline.Document{Text: text}); err != nil {
			b.Fatal(err)
		}
	}
}
