package eval_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/phi"
)

// doc marks up a text: [TYPE:text] is gold, <TYPE:text> is found, and they may nest once: [TYPE:<TYPE:text>].
func doc(id, marked string) (eval.Document, []phi.Span) {
	d := eval.Document{ID: id}
	var found []phi.Span
	var text strings.Builder
	type open struct {
		gold  bool
		kind  phi.Type
		start int
	}
	var stack []open
	for i := 0; i < len(marked); {
		switch marked[i] {
		case '[', '<':
			colon := strings.IndexByte(marked[i:], ':') + i
			kind, ok := phi.ParseType(marked[i+1 : colon])
			if !ok {
				panic("unknown type in " + marked)
			}
			stack = append(stack, open{marked[i] == '[', kind, text.Len()})
			i = colon + 1
			continue
		case ']', '>':
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if o.gold {
				d.Gold = append(d.Gold, eval.Gold{Start: o.start, End: text.Len(), Type: o.kind})
			} else {
				found = append(found, phi.Span{Start: o.start, End: text.Len(), Type: o.kind, Score: 1, Source: "test"})
			}
		default:
			text.WriteByte(marked[i])
		}
		i++
	}
	d.Text = text.String()
	return d, found
}

// run scores marked-up texts.
func run(t testing.TB, texts ...string) *eval.Report {
	t.Helper()
	corpus := &eval.Corpus{Name: "test"}
	found := map[string][]phi.Span{}
	for i, text := range texts {
		id := string(rune('a' + i))
		d, spans := doc(id, text)
		corpus.Documents = append(corpus.Documents, d)
		found[id] = spans
	}
	r, err := eval.Run(context.Background(), corpus, func(_ context.Context, d *eval.Document) ([]phi.Span, error) { return found[d.ID], nil }, eval.Options{Name: "test", InsecureText: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScores(t *testing.T) {
	for _, c := range []struct {
		text                            string
		word, strict, typed, relaxed    eval.Count
		relaxedTyped, category, tokened eval.Count
	}{
		{
			"[NAME_PATIENT:<NAME_PATIENT:Karl Meier>] kommt",
			eval.Count{2, 2, 2, 2},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{2, 2, 2, 2},
		},
		{
			"[NAME_PATIENT:Karl <NAME_STAFF:Meier>] <AGE:kommt>",
			eval.Count{2, 1, 2, 1},
			eval.Count{1, 0, 2, 0},
			eval.Count{1, 0, 2, 0},
			eval.Count{1, 1, 2, 1},
			eval.Count{1, 0, 2, 0},
			eval.Count{1, 0, 2, 0},
			eval.Count{2, 1, 2, 1},
		},
		{
			"<NAME_STAFF:[NAME_PATIENT:Meier]> und [DATE_DATE:1.2.2020]",
			eval.Count{4, 1, 1, 1},
			eval.Count{2, 1, 1, 1},
			eval.Count{2, 0, 1, 0},
			eval.Count{2, 1, 1, 1},
			eval.Count{2, 0, 1, 0},
			eval.Count{2, 1, 1, 1},
			eval.Count{6, 1, 1, 1},
		},
		{ // a bare category is met by its types, but not the reverse
			"[NAME:<NAME_STAFF:A>] [NAME_STAFF:<NAME:B>]",
			eval.Count{2, 2, 2, 2},
			eval.Count{2, 2, 2, 2},
			eval.Count{2, 1, 2, 1},
			eval.Count{2, 2, 2, 2},
			eval.Count{2, 1, 2, 1},
			eval.Count{2, 2, 2, 2},
			eval.Count{2, 2, 2, 2},
		},
		{ // two dates of a range, one span over both
			"<DATE_DATE:[DATE_DATE:12.]-[DATE_DATE:14.03.2021]> x",
			eval.Count{4, 4, 4, 4},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{1, 1, 1, 1},
			eval.Count{8, 8, 8, 8},
		},
		{ // but not over anything else
			"<DATE_DATE:[DATE_DATE:2019] schlimmer [DATE_DATE:2021]>",
			eval.Count{2, 2, 3, 2},
			eval.Count{2, 0, 1, 0},
			eval.Count{2, 0, 1, 0},
			eval.Count{2, 2, 1, 1},
			eval.Count{2, 2, 1, 1},
			eval.Count{2, 0, 1, 0},
			eval.Count{2, 2, 3, 2},
		},
		{"nichts hier", eval.Count{}, eval.Count{}, eval.Count{}, eval.Count{}, eval.Count{}, eval.Count{}, eval.Count{}},
	} {
		r := run(t, c.text)
		for _, check := range []struct {
			name      string
			got, want eval.Count
		}{
			{"word", r.Word, c.word},
			{"strict", r.Strict, c.strict},
			{"strict typed", r.StrictTyped, c.typed},
			{"relaxed", r.Relaxed, c.relaxed},
			{"relaxed typed", r.RelaxedTyped, c.relaxedTyped},
			{"strict category", r.StrictCategory, c.category},
			{"token", r.Token, c.tokened},
		} {
			if check.got != check.want {
				t.Errorf("%s: %s %+v, want %+v", c.text, check.name, check.got, check.want)
			}
		}
	}
}

func TestLeaksAndErrors(t *testing.T) {
	r := run(t,
		"[NAME_PATIENT:<NAME_PATIENT:Karl> Meier] und [NAME_STAFF:KJO]\nmehr Text\nund mehr\n\n\n\n\n",
		"ohne <AGE:alles>", "ganz ohne", "[AGE:<AGE:77>] Jahre")
	if l := r.Leaks; l.Documents != 2 || l.Leaky != 1 || l.Missed != 2 || l.Worst != 2 || l.Empty != 2 || l.Touched != 1 || l.PatientNames != (eval.Count{Gold: 1}) {
		t.Errorf("%+v", l)
	}
	var kinds []string
	for _, n := range r.Notes {
		for _, e := range n.Errors {
			kinds = append(kinds, e.Kind+" "+e.Text)
			if len(e.Causes) == 0 {
				t.Errorf("%s: no cause", e.Text)
			}
		}
	}
	if want := []string{"partly Karl Meier", "missed KJO", "surplus alles"}; !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
	if causes := r.Causes(); causes["capitals"]["missed"] != 1 || causes["(all)"]["partly"] != 1 {
		t.Errorf("%v", causes)
	}
	if r.RecallMerged != 0.5 {
		t.Errorf("recall_merged %v", r.RecallMerged)
	}
}

// What nobody looked for is not held against a model: masked stretches, types that the source does not mark, weekdays.
func TestUnmarked(t *testing.T) {
	dir := write(t, map[string]string{
		"labels.json": `{"_mask":{"x.jsonl":["TITLE"]},"files":{"x.jsonl":{"PERSON":"NAME","TITLE":null,"SEX":null}}}`,
		"x.jsonl":     `{"id":"a","text":"Dr. Meier male Monday 2021","labels":["PERSON","TITLE","SEX"],"spans":[{"start":0,"end":3,"label":"TITLE"},{"start":4,"end":9,"label":"PERSON"},{"start":10,"end":14,"label":"SEX"}]}`,
	})
	corpus, err := eval.Read(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Run(context.Background(), corpus, func(_ context.Context, d *eval.Document) ([]phi.Span, error) {
		return []phi.Span{
			{Start: 0, End: 2, Type: phi.NameStaff},    // masked
			{Start: 4, End: 9, Type: phi.NameStaff},    // right
			{Start: 10, End: 14, Type: phi.NameStaff},  // wrong
			{Start: 22, End: 26, Type: phi.DateDate},   // not marked here
			{Start: 15, End: 21, Type: phi.Protected},  // no PHI
			{Start: 15, End: 15, Type: phi.NameStaff},  // nothing
			{Start: 4, End: 9, Type: phi.NameStaff},    // again
			{Start: 10, End: 14, Type: phi.NoType},     // no PHI
			{Start: 22, End: 26, Type: phi.ContactURL}, // not marked here
		}, nil
	}, eval.Options{})
	if err != nil || r.Word != (eval.Count{1, 1, 2, 1}) || r.StrictTyped != (eval.Count{1, 1, 2, 1}) {
		t.Errorf("%+v %+v %v", r.Word, r.StrictTyped, err)
	}
	for _, n := range r.Notes {
		for _, e := range n.Errors {
			if e.Text != "" {
				t.Error("text in the report, unasked")
			}
		}
	}
}

func TestRunFails(t *testing.T) {
	d, _ := doc("a", "[AGE:77]")
	corpus := &eval.Corpus{Documents: []eval.Document{d}}
	broken := errors.New("broken")
	if _, err := eval.Run(context.Background(), corpus, func(context.Context, *eval.Document) ([]phi.Span, error) { return nil, broken }, eval.Options{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := eval.Run(context.Background(), corpus, func(context.Context, *eval.Document) ([]phi.Span, error) {
		return []phi.Span{{Start: 0, End: 9, Type: phi.Age}}, nil
	}, eval.Options{}); err == nil {
		t.Error("a span outside of the text")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := eval.Run(ctx, corpus, marks, eval.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Scores are shares; finding all marks is perfect; taking one away costs recall, adding one that hits nothing costs
// precision; strict is never more than relaxed.
func TestScoreProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"Karl", "Meier", "geht", "heim", "1.2.", "-"}), 1, 30).Draw(t, "words")
		d := eval.Document{ID: "x", Text: strings.Join(words, " ")}
		draw := func(name string) (list []phi.Span) {
			at := 0
			for _, w := range words {
				if rapid.IntRange(0, 2).Draw(t, name) == 0 && w != "-" {
					kind := rapid.SampledFrom([]phi.Type{phi.NamePatient, phi.NameStaff, phi.Name, phi.DateDate}).Draw(t, "type")
					list = append(list, phi.Span{Start: at, End: at + len(w), Type: kind})
				}
				at += len(w) + 1
			}
			return list
		}
		for _, s := range draw("gold") {
			d.Gold = append(d.Gold, eval.Gold{Start: s.Start, End: s.End, Type: s.Type})
		}
		found := draw("found")
		report := func(spans []phi.Span) *eval.Report {
			r, err := eval.Run(context.Background(), &eval.Corpus{Documents: []eval.Document{d}},
				func(context.Context, *eval.Document) ([]phi.Span, error) { return spans, nil }, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := report(found)
		for _, c := range []eval.Count{r.Word, r.Token, r.TokenTyped, r.Strict, r.StrictTyped, r.Relaxed, r.RelaxedTyped} {
			if c.Hit > c.Gold || c.Right > c.Found || c.F1() < 0 || c.F1() > 1 {
				t.Fatalf("%+v", c)
			}
		}
		if r.Strict.Hit > r.Relaxed.Hit || r.StrictTyped.Hit > r.StrictCategory.Hit || r.StrictCategory.Hit > r.Strict.Hit || r.TokenTyped.Hit > r.Token.Hit {
			t.Fatalf("strict finds more than relaxed: %+v", r)
		}
		if perfect := report(spansOf(&d)); perfect.StrictTyped.F1() != 1 || perfect.Leaks.Leaky != 0 {
			t.Fatalf("%+v", perfect.StrictTyped)
		}
		if len(found) > 0 {
			if less := report(found[1:]); less.Word.Hit > r.Word.Hit || less.Word.Found >= r.Word.Found {
				t.Fatalf("less found, more hit: %+v, %+v", less.Word, r.Word)
			}
		}
		sum := 0
		for _, c := range r.Confusion {
			sum += c.Words
		}
		if sum != r.Word.Gold+r.Word.Found-r.Word.Right {
			t.Fatalf("confusion holds %d words of %+v", sum, r.Word)
		}
	})
}

func spansOf(d *eval.Document) []phi.Span {
	spans, _ := marks(context.Background(), d)
	return spans
}

func TestRendering(t *testing.T) {
	before := run(t, "[NAME_PATIENT:Karl <NAME_STAFF:Meier>] <AGE:kommt> [LOCATION_CITY:Bonn]")
	after := run(t, "[NAME_PATIENT:<NAME_PATIENT:Karl Meier>] kommt [LOCATION_CITY:<LOCATION_CITY:Bonn>]")
	before.Name, after.Name = "<before>", "after"
	var table, js, html, ablation strings.Builder
	sweep := &eval.Sweep{Name: "ner.de", Corpus: "test", Points: []eval.Point{{Lambda: 0, Word: before.Word}, {Lambda: 0.9, Word: after.Word}}}
	parts := []eval.Part{{Name: "<rules>", Without: before, Alone: after}, {Name: "one", Alone: before, Model: true}, {Name: "both", Alone: after, Model: true}}
	page := eval.Page{Runs: []*eval.Report{before, after}, Parts: parts, Sweeps: []*eval.Sweep{sweep, sweep}}
	var partsTable strings.Builder
	if err := errors.Join(before.Table(&table), before.JSON(&js), page.HTML(&html), eval.Compare(&ablation, before, after), eval.PartsTable(&partsTable, after, parts)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(partsTable.String(), "\n"); n != 5 || !strings.Contains(partsTable.String(), "-66.7") {
		t.Errorf("%d lines of parts\n%s", n, partsTable.String())
	}
	for _, want := range []string{"NAME_PATIENT", "recall_merged", "spans strict, type"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if n := strings.Count(ablation.String(), "\n"); n != 3 {
		t.Errorf("an ablation of %d lines", n)
	}
	var back eval.Report
	if err := json.Unmarshal([]byte(js.String()), &back); err != nil || back.Word != before.Word || len(back.Types) != len(before.Types) {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"<svg", "λ 0.9", "&lt;before&gt;", "LOCATION_CITY", "&#43;1.000", "NAME (all)", "hsl(120", "&lt;rules&gt;", "-66.7", "single models", "</circle>"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "http:", "https:", "ZgotmplZ", "NaN"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	d := xml.NewDecoder(strings.NewReader(strings.Replace(html.String(), "<!DOCTYPE html>", "", 1)))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
	}
	if err := (&eval.Page{}).HTML(io.Discard); err != nil {
		t.Errorf("an empty page: %v", err)
	}
}

func TestSweep(t *testing.T) {
	d, _ := doc("a", "[NAME_PATIENT:Karl] und Eva")
	corpus := &eval.Corpus{Documents: []eval.Document{d}}
	s, err := eval.RunSweep(context.Background(), corpus, []float64{0, 0.5, 1}, func(_ context.Context, _ *eval.Document, lambdas []float64) ([][]phi.Span, error) {
		karl, rest := phi.Span{End: 4, Type: phi.NamePatient}, phi.Span{Start: 5, End: 12, Type: phi.NameStaff}
		return [][]phi.Span{nil, {karl}, {karl, rest}}, nil
	}, eval.Options{Name: "x"})
	if err != nil || len(s.Points) != 3 {
		t.Fatal(err)
	}
	if s.Points[0].Leaky != 1 || s.Points[1].Word.F1() != 1 || s.Points[2].Word.Precision() != 1.0/3 || s.Points[2].RecallMerged != 1 {
		t.Errorf("%+v", s.Points)
	}
	if _, err := eval.RunSweep(context.Background(), corpus, []float64{0, 1}, func(context.Context, *eval.Document, []float64) ([][]phi.Span, error) { return nil, nil }, eval.Options{}); err == nil {
		t.Error("too few answers")
	}
}

func TestAgreement(t *testing.T) {
	corpus := func(name, text string) *eval.Corpus {
		d, _ := doc("1", text)
		return &eval.Corpus{Name: name, Documents: []eval.Document{d}}
	}
	a := corpus("a", "[NAME_PATIENT:Karl] aus [LOCATION_CITY:Bonn] ist [AGE:77]")
	b := corpus("b", "[NAME_STAFF:Karl] aus [LOCATION_CITY:Bonn] ist 77")
	same, err := eval.Agree(a, a)
	if err != nil || same.Alpha != 1 || same.F1Typed != 1 {
		t.Errorf("%+v, %v", same, err)
	}
	got, err := eval.Agree(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.F1-0.8) > 1e-9 || math.Abs(got.F1Typed-0.4) > 1e-9 || got.Alpha >= got.AlphaMerged || got.Alpha < 0 || got.Tokens != 5 {
		t.Errorf("%+v", got)
	}
	if back, err := eval.Agree(b, a); err != nil || back.F1 != got.F1 || back.Alpha != got.Alpha {
		t.Errorf("not symmetric: %+v", back)
	}
	if _, err := eval.Agree(a); err == nil {
		t.Error("one annotator")
	}
	if _, err := eval.Agree(a, corpus("c", "anderer Text")); err == nil {
		t.Error("two texts")
	}
}

// Points that lie on each other share a label; labels do not stand on each other.
func TestLabelsOfTheSweep(t *testing.T) {
	points := func(recall ...int) []eval.Point {
		var list []eval.Point
		for i, r := range recall {
			list = append(list, eval.Point{Lambda: float64(i) / 10, Word: eval.Count{Gold: 1000, Hit: r, Found: 1000, Right: 1900 - r}})
		}
		return list
	}
	var html strings.Builder
	page := eval.Page{Sweeps: []*eval.Sweep{{Name: "one", Points: points(950, 950, 950, 950, 950, 950, 990)}, {Name: "two", Points: points(1000)}}}
	if err := page.HTML(&html); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(html.String(), "<circle"); n != 8 {
		t.Errorf("%d points", n)
	}
	// Four labels find room around five points at one place.
	if n := strings.Count(html.String(), ">λ "); n != 6 {
		t.Errorf("%d labels", n)
	}
}

// What a source does not mark is not scored, OTHER neither; what lies in a slot is not, whatever its type.
func TestNotMarkedAndSlots(t *testing.T) {
	doc := eval.Document{
		ID: "1", Text: "Karl Meier aus Bonn sah Graz und Ulm",
		Gold: []eval.Gold{{Start: 0, End: 10, Type: phi.Name}}, Ignore: []eval.Range{{Start: 24, End: 28}},
		Marked: []phi.Type{phi.Name, phi.LocationCity},
	}
	found := []phi.Span{
		{Start: 0, End: 10, Type: phi.NamePatient},
		{Start: 15, End: 19, Type: phi.LocationCity},
		{Start: 20, End: 23, Type: phi.Other},
		{Start: 24, End: 28, Type: phi.LocationCity},
		{Start: 29, End: 32, Type: phi.Age},
		{Start: 33, End: 36, Type: phi.LocationCity},
	}
	r, err := eval.Run(context.Background(), &eval.Corpus{Documents: []eval.Document{doc, {ID: "2", Text: "Ulm und Bonn"}}},
		func(_ context.Context, d *eval.Document) ([]phi.Span, error) {
			if d.ID == "2" {
				return []phi.Span{{Start: 0, End: 3, Type: phi.LocationCity}, {Start: 8, End: 12, Type: phi.Other}}, nil
			}
			return found, nil
		}, eval.Options{InsecureText: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []eval.Finding{{Type: "LOCATION_CITY", Text: "Ulm", Count: 2}, {Type: "LOCATION_CITY", Text: "Bonn", Count: 1}, {Type: "OTHER", Text: "Bonn", Count: 1}}
	if got := r.Surplus(9); !slices.Equal(got, want) || len(r.Surplus(1)) != 1 {
		t.Errorf("%v, want %v", got, want)
	}
	if rate := r.SurplusRate(); math.Abs(rate-1000*4.0/11) > 1e-9 {
		t.Errorf("%v per 1,000 words", rate)
	}
	var table strings.Builder
	if err := eval.SurplusTable(&table, want, map[string]string{"LOCATION_CITY\tUlm": "phi"}); err != nil || !strings.Contains(table.String(), "not judged: 2 spans\nphi: 2 spans\n") {
		t.Errorf("%v\n%s", err, table.String())
	}
}
