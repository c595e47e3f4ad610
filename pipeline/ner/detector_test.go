package ner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// show writes spans as TYPE:text@source without the ensemble's name.
func show(text string, spans []phi.Span) []string {
	var list []string
	for _, s := range spans {
		list = append(list, fmt.Sprintf("%s:%s@%s", s.Type, text[s.Start:s.End], strings.TrimPrefix(s.Source, "ner.")))
	}
	return list
}

// The table of the agreement between superclass and subclass, word by word and over spans.
func TestAgreementByTable(t *testing.T) {
	for _, c := range []struct {
		name, text, super, sub string
		want                   []string
	}{
		{"both agree", "Patientin Karla kommt", "Karla=B-NAME", "Karla=B-NAME_PATIENT", []string{"NAME_PATIENT:Karla@de"}},
		{"superclass only", "Patientin Karla kommt", "Karla=B-NAME", "", []string{"NAME:Karla@de.superclass"}},
		{"subclass only", "Patientin Karla kommt", "", "Karla=B-NAME_STAFF", []string{"NAME_STAFF:Karla@de.subclass"}},
		{"contradiction", "Patientin Karla kommt", "Karla=B-LOCATION", "Karla=B-NAME_STAFF", []string{"OTHER:Karla@de"}},
		{"nobody", "Patientin Karla kommt", "", "", nil},
		{"category with one type", "Sie ist 77 Jahre", "77=B-AGE", "", []string{"AGE:77@de.superclass"}},
		{"two words", "Herr Karl Meier kommt", "Karl=B-NAME Meier=I-NAME", "Karl=B-NAME_STAFF Meier=I-NAME_STAFF", []string{"NAME_STAFF:Karl Meier@de"}},
		{"two persons", "Karl Meier kommt", "Karl=B-NAME Meier=B-NAME", "Karl=B-NAME_STAFF Meier=B-NAME_STAFF", []string{"NAME_STAFF:Karl@de", "NAME_STAFF:Meier@de"}},
		{"subclass lost on the way", "Karl Meier kommt", "Karl=B-NAME Meier=I-NAME", "Karl=B-NAME_PATIENT", []string{"NAME_PATIENT:Karl Meier@de"}},
		{"superclass lost on the way", "Karl Meier kommt", "Karl=B-NAME", "Karl=B-NAME_PATIENT Meier=I-NAME_PATIENT", []string{"NAME_PATIENT:Karl Meier@de"}},
		{
			"contradiction inside a span", "Karl Meier Schmitz", "Karl=B-NAME Meier=I-LOCATION Schmitz=I-NAME",
			"Karl=B-NAME_PATIENT Meier=I-NAME_PATIENT Schmitz=I-NAME_PATIENT",
			[]string{"NAME_PATIENT:Karl Meier Schmitz@de"},
		},
		{
			"hyphen unmarked", "Frau Müller-Lüdenscheidt ging", "Müller=B-NAME Lüdenscheidt=I-NAME", "Müller=B-NAME_STAFF Lüdenscheidt=I-NAME_STAFF",
			[]string{"NAME_STAFF:Müller-Lüdenscheidt@de"},
		},
		{"a new beginning behind a hyphen", "Müller-Lüdenscheidt", "", "Müller=B-NAME_STAFF Lüdenscheidt=B-NAME_STAFF", []string{"NAME_STAFF:Müller-Lüdenscheidt@de.subclass"}},
		{"slash parts persons", "Müller/Schmidt", "", "Müller=B-NAME_STAFF Schmidt=B-NAME_STAFF", []string{"NAME_STAFF:Müller@de.subclass", "NAME_STAFF:Schmidt@de.subclass"}},
		{"date of numbers", "am 12.03.2021 um", "12=B-DATE .=I-DATE 03=I-DATE 2021=I-DATE", "12=B-DATE_DATE 03=I-DATE_DATE 2021=I-DATE_DATE", []string{"DATE_DATE:12.03.2021@de"}},
		{"over a line", "Eleanor\nVance kam", "Eleanor=B-NAME Vance=I-NAME", "", []string{"NAME:Eleanor\nVance@de.superclass"}},
		{"not over a paragraph", "Eleanor\n\nVance kam", "Eleanor=B-NAME Vance=I-NAME", "", []string{"NAME:Eleanor@de.superclass", "NAME:Vance@de.superclass"}},
		{"an unmarked word parts", "Karl und Meier", "Karl=B-NAME Meier=I-NAME", "", []string{"NAME:Karl@de.superclass", "NAME:Meier@de.superclass"}},
		{"kinds side by side", "Bonn 2021", "Bonn=B-LOCATION 2021=I-DATE", "Bonn=B-LOCATION_CITY 2021=I-DATE_DATE", []string{"LOCATION_CITY:Bonn@de", "DATE_DATE:2021@de"}},
		{"punctuation alone", "a , b", ",=B-NAME", "", nil},
		{
			"full stop of a day", "am 02.03. und 4.5.21. Am 3.–4.8. auch", "", "02=B-DATE_DATE .=I-DATE_DATE 03=I-DATE_DATE 4=B-DATE_DATE 5=I-DATE_DATE 21=I-DATE_DATE 3=B-DATE_DATE 8=I-DATE_DATE",
			[]string{"DATE_DATE:02.03.@de.subclass", "DATE_DATE:4.5.21.@de.subclass", "DATE_DATE:3.@de.subclass", "DATE_DATE:4.8.@de.subclass"},
		},
		{"initial", "gez. O. W. am", "", "O=B-NAME_STAFF W=I-NAME_STAFF", []string{"NAME_STAFF:O. W.@de.subclass"}},
		{"not the full stop of the sentence", "bei Dr. Meier. Dann", "", "Meier=B-NAME_STAFF", []string{"NAME_STAFF:Meier@de.subclass"}},
		{"signs at the border", "Bett , Meier: da", "", ",=B-NAME_STAFF Meier=I-NAME_STAFF :=I-NAME_STAFF", []string{"NAME_STAFF:Meier@de.subclass"}},
		{"signs without width", "\u200b04103 Leipzig\u200b", "04103=B-LOCATION \u200b=I-LOCATION Leipzig=I-LOCATION", "", []string{"LOCATION:04103 Leipzig@de.superclass"}},
		{"articles", "on the 8th at The Forge and the Bluff", "the=B-LOCATION 8th=I-LOCATION The=B-LOCATION Forge=I-LOCATION Bluff=I-LOCATION", "", []string{"LOCATION:8th@de.superclass", "LOCATION:The Forge@de.superclass", "LOCATION:Bluff@de.superclass"}},
		{"bracket", "Station (Ost) und", "Station=B-LOCATION (=I-LOCATION Ost=I-LOCATION", "", []string{"LOCATION:Station (Ost)@de.superclass"}},
		{
			"quotation marks go in pairs", "\"Doc\" Embree, ROY \"PETE\" there", "", "Doc=B-NAME_PATIENT \"=I-NAME_PATIENT Embree=I-NAME_PATIENT ROY=B-NAME_STAFF PETE=I-NAME_STAFF",
			[]string{"NAME_PATIENT:\"Doc\" Embree@de.subclass", "NAME_STAFF:ROY \"PETE\"@de.subclass"},
		},
		{
			"a bracket goes with its partner", "(Roux) und Adler (Graz) dort", "", "Roux=B-NAME_STAFF )=I-NAME_STAFF Adler=B-NAME_PATIENT (=I-NAME_PATIENT Graz=I-NAME_PATIENT",
			[]string{"NAME_STAFF:Roux@de.subclass", "NAME_PATIENT:Adler (Graz)@de.subclass"},
		},
		{"columns of a table", "Stolle   Olbrich", "Stolle=B-NAME Olbrich=I-NAME", "", []string{"NAME:Stolle@de.superclass", "NAME:Olbrich@de.superclass"}},
		{"year with apostrophe", "seit '98 da", "98=B-DATE", "", []string{"DATE:'98@de.superclass"}},
		{"age with its unit", "Die 44jährige und 58M kamen", "", "44jährige=B-AGE 58M=B-AGE", []string{"AGE:44@de.subclass", "AGE:58@de.subclass"}},
		{"extension and pager", "call x4711 or p7714 now", "", "x4711=B-CONTACT_PHONE p7714=B-CONTACT_PHONE", []string{"CONTACT_PHONE:4711@de.subclass", "CONTACT_PHONE:7714@de.subclass"}},
		{"age in words", "Sie ist siebzig und", "", "siebzig=B-AGE", []string{"AGE:siebzig@de.subclass"}},
		{"brackets belong", "Tel (0228) 12", "(=B-DATE 0228=I-DATE )=I-DATE 12=I-DATE", "", []string{"DATE:(0228) 12@de.superclass"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDetector(t, ner.Options{Decision: &ner.Decision{Agreement: ner.ByTable}}, ensemble("ner.de", c.super, c.sub))
			if got := show(c.text, detect(t, d, c.text)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// The surer tagger gives the type, and a category becomes the type that the subclass tagger leans to.
func TestAgreementByConfidence(t *testing.T) {
	for _, c := range []struct {
		name, text, super, sub string
		want                   []string
	}{
		{"both agree", "Patientin Karla kommt", "Karla=B-NAME", "Karla=B-NAME_PATIENT", []string{"NAME_PATIENT:Karla@de"}},
		{"the subclass is surer", "Patientin Karla kommt", "Karla=B-LOCATION:4", "Karla=B-NAME_STAFF", []string{"NAME_STAFF:Karla@de"}},
		{"the superclass is surer", "Patientin Karla kommt", "Karla=B-LOCATION:9", "Karla=B-NAME_STAFF:4,B-LOCATION_CITY:3", []string{"LOCATION_CITY:Karla@de"}},
		{"the subclass has no idea of it", "Patientin Karla kommt", "Karla=B-LOCATION:9", "Karla=B-NAME_STAFF:5,B-LOCATION_CITY:-9,I-LOCATION_CITY:-9", []string{"LOCATION:Karla@de"}},
		{"superclass only, subclass leans", "Patientin Karla kommt", "Karla=B-NAME", "Karla=O:4,B-NAME_STAFF:3", []string{"NAME_STAFF:Karla@de.superclass"}},
		{"superclass only, subclass silent", "Patientin Karla kommt", "Karla=B-NAME", "", []string{"NAME:Karla@de.superclass"}},
		{"subclass only", "Patientin Karla kommt", "", "Karla=B-NAME_STAFF", []string{"NAME_STAFF:Karla@de.subclass"}},
		{"surer about a word in the middle", "Karl Meier Schmitz", "Karl=B-NAME Meier=I-LOCATION:9 Schmitz=I-NAME", "Karl=B-NAME_STAFF Meier=I-NAME_STAFF Schmitz=I-NAME_STAFF", []string{"NAME_STAFF:Karl Meier Schmitz@de"}},
		{"surer about the first word", "Karl Meier Schmitz", "Karl=B-LOCATION:9 Meier=I-NAME Schmitz=I-NAME", "Karl=B-NAME_STAFF Meier=I-NAME_STAFF Schmitz=I-NAME_STAFF", []string{"NAME_STAFF:Karl Meier Schmitz@de"}},
		{"a span takes the type of most of its words", "Karl Meier Schmitz", "Karl=B-NAME Meier=I-NAME Schmitz=I-NAME", "Karl=B-NAME_STAFF Meier=I-NAME_STAFF Schmitz=I-NAME_PATIENT:3", []string{"NAME_STAFF:Karl Meier Schmitz@de"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDetector(t, ner.Options{}, ensemble("ner.de", c.super, c.sub))
			if got := show(c.text, detect(t, d, c.text)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Several packs: one vote is enough, the type goes by priority, sources are joined.
func TestSeveralPacks(t *testing.T) {
	text := "Frau Berlin aus Rose"
	de := ensemble("ner.de", "Berlin=B-LOCATION", "Berlin=B-LOCATION_CITY")
	en := ensemble("ner.en", "Berlin=B-NAME Rose=B-LOCATION", "Berlin=B-NAME_PATIENT")
	en.Languages = []phi.Language{phi.English}
	own := ensemble("ner.klinik", "", "Rose=B-LOCATION_CITY")
	own.Superclass = nil
	d := newDetector(t, ner.Options{}, de, en, own)
	for _, c := range []struct {
		language phi.Language
		want     []string
	}{
		{"", []string{"NAME_PATIENT:Berlin@de+ner.en", "LOCATION_CITY:Rose@en.superclass+ner.klinik.subclass"}},
		{"fr", []string{"NAME_PATIENT:Berlin@de+ner.en", "LOCATION_CITY:Rose@en.superclass+ner.klinik.subclass"}},
		{phi.German, []string{"LOCATION_CITY:Berlin@de", "LOCATION_CITY:Rose@klinik.subclass"}},
		{phi.English, []string{"NAME_PATIENT:Berlin@en", "LOCATION:Rose@en.superclass"}},
	} {
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: c.language})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(text, spans); !slices.Equal(got, c.want) {
			t.Errorf("language %q: %q, want %q", c.language, got, c.want)
		}
	}
}

// A name carries what the subclass tagger thinks of its role, all words together; other spans carry nothing.
func TestRolesOfNames(t *testing.T) {
	text := "Karl Meier aus Aach"
	d := newDetector(t, ner.Options{}, ensemble("ner.de", "Karl=B-NAME Meier=I-NAME Aach=B-LOCATION",
		"Karl=B-NAME_PATIENT:3,B-NAME_STAFF:4 Meier=I-NAME_STAFF Aach=B-LOCATION_CITY"))
	spans := detect(t, d, text)
	if got := show(text, spans); !slices.Equal(got, []string{"NAME_STAFF:Karl Meier@de", "LOCATION_CITY:Aach@de"}) {
		t.Fatalf("%q", got)
	}
	if r := spans[0].Roles; !(r.Staff > 1.5 && r.Staff < 2 && r.Patient > 0.1 && r.Patient < 0.5 && r.Other == 0) {
		t.Errorf("%+v", r)
	}
	if spans[1].Roles != (phi.Roles{}) {
		t.Errorf("a town has roles: %+v", spans[1].Roles)
	}
}

func TestDecisions(t *testing.T) {
	text := "Karl sah Meier"
	e := ensemble("ner.de", "Karl=B-NAME? Meier=B-NAME", "Meier=B-NAME_STAFF")
	for _, c := range []struct {
		name     string
		decision ner.Decision
		want     []string
	}{
		{"plain", ner.Decision{}, []string{"NAME_STAFF:Meier@de"}},
		{"lambda too small", ner.Decision{Lambda: 0.5}, []string{"NAME_STAFF:Meier@de"}},
		{"lambda", ner.Decision{Lambda: 0.6}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"lambda with threshold", ner.Decision{Lambda: 0.6, Threshold: 0.5}, []string{"NAME_STAFF:Meier@de"}},
		{"target recall", ner.Decision{Recall: 0.25}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"target recall not reached", ner.Decision{Recall: 0.35}, []string{"NAME_STAFF:Meier@de"}},
		{"threshold of the superclass", ner.Decision{Lambda: 0.6, SuperclassThreshold: 0.5}, []string{"NAME_STAFF:Meier@de"}},
		{"threshold of the superclass met", ner.Decision{Lambda: 0.6, SuperclassThreshold: 0.2}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"lambda of the category", ner.Decision{Lambdas: map[phi.Category]float64{phi.CategoryName: 0.6}}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"lambda of another category", ner.Decision{Lambda: 0.6, Lambdas: map[phi.Category]float64{phi.CategoryName: 0}}, []string{"NAME_STAFF:Meier@de"}},
		{"superclass threshold of the category", ner.Decision{
			Lambda: 0.6, SuperclassThreshold: 0.5, SuperclassThresholds: map[phi.Category]float64{phi.CategoryName: 0.2},
		}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"threshold of a category", ner.Decision{Lambda: 0.6, Types: map[phi.Type]float64{phi.Name: 0.5}}, []string{"NAME_STAFF:Meier@de"}},
		{"threshold of another type", ner.Decision{Lambda: 0.6, Types: map[phi.Type]float64{phi.NamePatient: 1}}, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}},
		{"a type goes before its category", ner.Decision{Types: map[phi.Type]float64{phi.Name: 0.5, phi.NameStaff: 1}}, nil},
	} {
		d := newDetector(t, ner.Options{Decision: &c.decision}, e)
		if got := show(text, detect(t, d, text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		// The same from the pack's side, and in one sweep with others.
		own := *e
		own.Decision = c.decision
		if got := show(text, detect(t, newDetector(t, ner.Options{}, &own), text)); !slices.Equal(got, c.want) {
			t.Errorf("%s, by the pack: %q", c.name, got)
		}
		swept, err := newDetector(t, ner.Options{}, e).Sweep(context.Background(), &pipeline.Document{Text: text},
			[]ner.Decision{{Lambda: 0.9}, c.decision, {}})
		if err != nil || !slices.Equal(show(text, swept[1]), c.want) {
			t.Errorf("%s, in a sweep: %q, %v", c.name, show(text, swept[1]), err)
		}
		if with, err := newDetector(t, ner.Options{}, e).With(c.decision); err != nil || !slices.Equal(show(text, detect(t, with, text)), c.want) {
			t.Errorf("%s, by With: %v", c.name, err)
		}
	}
	lambda := 0.6
	biased := newDetector(t, ner.Options{Lambda: &lambda}, e)
	if got := show(text, detect(t, biased, text)); !slices.Equal(got, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}) {
		t.Errorf("lambda of the options: %q", got)
	}
	whole := 0.0
	spans, err := biased.Detect(context.Background(), &pipeline.Document{Text: text, Lambda: &whole})
	if err != nil || !slices.Equal(show(text, spans), []string{"NAME_STAFF:Meier@de"}) {
		t.Errorf("lambda of the document: %q, %v", show(text, spans), err)
	}
	whole = 7
	if _, err := biased.Detect(context.Background(), &pipeline.Document{Text: text, Lambda: &whole}); err == nil {
		t.Error("read a document with a lambda of 7")
	}
	// The thresholds of the pack stay when lambda is changed.
	strict := *e
	strict.Decision = ner.Decision{SuperclassThreshold: 0.5}
	swept, err := newDetector(t, ner.Options{}, &strict).SweepLambda(context.Background(), &pipeline.Document{Text: text}, []float64{0, 0.6, 1})
	if err != nil || len(swept) != 3 || !slices.Equal(show(text, swept[1]), []string{"NAME_STAFF:Meier@de"}) {
		t.Errorf("sweep of lambda: %v, %v", swept, err)
	}
	// A lambda that is asked for stands in place of those of the categories.
	strict.Decision = ner.Decision{Lambdas: map[phi.Category]float64{phi.CategoryName: 0.6}}
	if got := show(text, detect(t, newDetector(t, ner.Options{}, &strict), text)); len(got) != 2 {
		t.Errorf("lambda of a category: %q", got)
	}
	whole = 0
	spans, err = newDetector(t, ner.Options{}, &strict).Detect(context.Background(), &pipeline.Document{Text: text, Lambda: &whole})
	if err != nil || !slices.Equal(show(text, spans), []string{"NAME_STAFF:Meier@de"}) {
		t.Errorf("lambda of the document against that of a category: %q, %v", show(text, spans), err)
	}
	lambda = 2
	if _, err := ner.NewDetector(ner.Options{Lambda: &lambda}, e); err == nil {
		t.Error("accepted a lambda of 2")
	}
	if _, err := biased.SweepLambda(context.Background(), &pipeline.Document{Text: text}, []float64{-1}); err == nil {
		t.Error("swept a lambda of -1")
	}
	for _, bad := range []ner.Decision{
		{Lambda: -0.1},
		{Lambda: 1.1},
		{Recall: 2},
		{Threshold: -1},
		{Lambda: math.NaN()},
		{SuperclassThreshold: 2},
		{Quiet: -0.1},
		{Lambdas: map[phi.Category]float64{phi.CategoryName: 1.1}},
		{Lambdas: map[phi.Category]float64{phi.NoCategory: 0.5}},
		{SuperclassThresholds: map[phi.Category]float64{phi.CategoryName: -1}},
		{SuperclassThresholds: map[phi.Category]float64{phi.NoCategory: 0.5}},
		{Word: 9},
		{Agreement: 9},
		{Types: map[phi.Type]float64{phi.Name: 2}},
		{Types: map[phi.Type]float64{phi.NoType: 0.5}},
	} {
		if _, err := ner.NewDetector(ner.Options{Decision: &bad}, e); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

// What no tagger finds may still be possible; of what is neither, the models are sure.
func TestTestify(t *testing.T) {
	text := "Karl sah Meier"
	d := newDetector(t, ner.Options{}, ensemble("ner.de", "Karl=B-NAME? Meier=B-NAME", "Meier=B-NAME_STAFF"))
	found, possible, err := d.Testify(context.Background(), &pipeline.Document{Text: text})
	if err != nil || !slices.Equal(show(text, found), show(text, detect(t, d, text))) {
		t.Errorf("found %q, %v", show(text, found), err)
	}
	if got := show(text, possible); !slices.Equal(got, []string{"NAME:Karl@de.superclass", "NAME_STAFF:Meier@de"}) {
		t.Errorf("possible %q", got)
	}
	bad := 7.0
	if _, _, err := d.Testify(context.Background(), &pipeline.Document{Text: text, Lambda: &bad}); err == nil {
		t.Error("read a document with a lambda of 7")
	}
}

// A word takes the strongest decision of its subwords, or that of the first.
func TestSubwords(t *testing.T) {
	e := ensemble("ner.de", "", "meier=I-NAME_STAFF Nie=B-NAME_STAFF derm=I-NAME_STAFF")
	e.Tokenizer.(*pieces).every = 5
	e.Superclass = nil
	text := "Obermeier und Niedermair" // Oberm|eier, Niede|rmair: unknown to the book
	if got := detect(t, newDetector(t, ner.Options{}, e), text); got != nil {
		t.Fatalf("%v", got)
	}
	e.Tokenizer.(*pieces).every = 3 // Obe|rme|ier, Nie|der|mai|r
	if got := show(text, detect(t, newDetector(t, ner.Options{}, e), text)); !slices.Equal(got, []string{"NAME_STAFF:Niedermair@de.subclass"}) {
		t.Errorf("%q", got)
	}
	e = ensemble("ner.de", "", "rme=I-NAME_STAFF Nie=B-NAME_STAFF")
	e.Tokenizer.(*pieces).every = 3
	if got := show(text, detect(t, newDetector(t, ner.Options{}, e), text)); !slices.Equal(got, []string{"NAME_STAFF:Obermeier@de.subclass", "NAME_STAFF:Niedermair@de.subclass"}) {
		t.Errorf("any subword: %q", got)
	}
	first := newDetector(t, ner.Options{Decision: &ner.Decision{Word: ner.First}}, e)
	if got := show(text, detect(t, first, text)); !slices.Equal(got, []string{"NAME_STAFF:Niedermair@de.subclass"}) {
		t.Errorf("first subword: %q", got)
	}
	// One token of three says PHI: enough for the mean only with a bias.
	mean := newDetector(t, ner.Options{Decision: &ner.Decision{Word: ner.Mean}}, e)
	if got := show(text, detect(t, mean, text)); got != nil {
		t.Errorf("mean: %q", got)
	}
	mean = newDetector(t, ner.Options{Decision: &ner.Decision{Word: ner.Mean, Lambda: 0.8}}, e)
	if got := show(text, detect(t, mean, text)); !slices.Equal(got, []string{"NAME_STAFF:Obermeier@de.subclass", "NAME_STAFF:Niedermair@de.subclass"}) {
		t.Errorf("mean with a bias: %q", got)
	}
}

// Lines in capitals are read a second time in title case; the rest of the text is not.
func TestCapitals(t *testing.T) {
	e := ensemble("ner.de", "", "Meier=B-NAME_PATIENT Müller=B-NAME_STAFF Rose=B-NAME_STAFF")
	d := newDetector(t, ner.Options{}, e)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"PATIENTIN: MEIER, ÜBERWIESEN VON DR. MÜLLER\n", []string{"NAME_PATIENT:MEIER@de.subclass", "NAME_STAFF:MÜLLER@de.subclass"}},
		{"Befund:\nDR. ROSE GEZ.\nmit ROSE besprochen", []string{"NAME_STAFF:ROSE@de.subclass"}},
		{"Patientin MEIER kommt heute zur Kontrolle", nil},
		{"CRP 12, BSG 3, HB 9\n", nil},
		{"İROSE ROSE ẞROSE ALLES GROSS", []string{"NAME_STAFF:ROSE@de.subclass"}},
	} {
		if got := show(c.text, detect(t, d, c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	off := newDetector(t, ner.Options{NoSecondReading: true}, e)
	if got := detect(t, off, "PATIENTIN: MEIER, ÜBERWIESEN\n"); got != nil {
		t.Errorf("%v", got)
	}
}

// What is known to hold no PHI is not read, if it fills a window, and never marked.
func TestSkip(t *testing.T) {
	e := ensemble("ner.de", "", "Meier=B-NAME_PATIENT")
	e.Superclass = nil
	var windows atomic.Int64
	e.Subclass.(*book).windows = func([]int64) { windows.Add(1) }
	text := strings.Repeat("Herr Meier kam zur Kontrolle. ", 20) + "Frau Meier auch."
	from := len(text) - len("Frau Meier auch.")
	d := newDetector(t, ner.Options{Skip: func(*pipeline.Document) []ner.Stretch { return []ner.Stretch{{0, from}} }}, e)
	if got := show(text, detect(t, d, text)); !slices.Equal(got, []string{"NAME_PATIENT:Meier@de.subclass"}) {
		t.Errorf("%q", got)
	}
	if n := windows.Load(); n != 1 {
		t.Errorf("%d windows were read", n)
	}
}

func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	fail := func(change func(super *book, e *ner.Ensemble)) error {
		e := ensemble("ner.de", "Karl=B-NAME", "")
		change(e.Superclass.(*book), e)
		spans, err := newDetector(t, ner.Options{}, e).Detect(context.Background(), &pipeline.Document{Text: "Karl kommt heim"})
		if spans != nil {
			t.Error("spans beside an error")
		}
		return err
	}
	if err := fail(func(b *book, _ *ner.Ensemble) { b.err = broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if err := fail(func(b *book, _ *ner.Ensemble) { b.wrong = true }); !errors.Is(err, ner.ErrScores) {
		t.Errorf("%v", err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if err := fail(func(b *book, _ *ner.Ensemble) { b.entries["heim"] = map[string]float32{"I-AGE": float32(x)} }); !errors.Is(err, ner.ErrScores) {
			t.Errorf("%v", err)
		}
	}
	if err := fail(func(_ *book, e *ner.Ensemble) { e.Tokenizer = backwards{} }); !errors.Is(err, ner.ErrTokens) {
		t.Errorf("%v", err)
	}
	if err := fail(func(b *book, _ *ner.Ensemble) { b.windows = func([]int64) { panic("Karl") } }); !errors.Is(err, ner.ErrBroken) || strings.Contains(err.Error(), "Karl") {
		t.Errorf("a model that panics: %v", err)
	}
	if err := fail(func(_ *book, e *ner.Ensemble) { e.Tokenizer = panicking{} }); !errors.Is(err, ner.ErrBroken) {
		t.Errorf("a tokenizer that panics: %v", err)
	}
	e := ensemble("ner.de", "", "")
	if _, err := newDetector(t, ner.Options{}, e).Detect(context.Background(), &pipeline.Document{Text: "a\xffb"}); !errors.Is(err, ner.ErrText) {
		t.Errorf("%v", err)
	}
	if _, err := ner.NewDetector(ner.Options{}); err == nil {
		t.Error("a detector without packs")
	}
	if _, err := ner.NewDetector(ner.Options{}, e, e); err == nil {
		t.Error("a pack twice")
	}
}

// panicking is a tokenizer that breaks down.
type panicking struct{}

func (panicking) Tokenize(text string) ([]ner.Token, error) { panic("cannot read " + text) }

type backwards struct{}

func (backwards) Tokenize(string) ([]ner.Token, error) {
	return []ner.Token{{Start: 5, End: 6}, {Start: 0, End: 3}}, nil
}

// Cancelling ends a long reading at once, and readings that wait.
func TestCancel(t *testing.T) {
	e := ensemble("ner.de", "", "")
	started := make(chan struct{}, 1<<16)
	e.Superclass.(*book).windows = func([]int64) {
		started <- struct{}{}
		time.Sleep(time.Millisecond)
	}
	pool := ner.NewPool(1, 1)
	d := newDetector(t, ner.Options{Pool: pool}, e)
	ctx, cancel := context.WithCancel(context.Background())
	long := &pipeline.Document{Text: strings.Repeat("ohne Namen ", 1<<16)}
	results := make(chan error, 8)
	for range 8 { // two are read, one waits, the others are refused
		go func() {
			_, err := d.Detect(ctx, long)
			results <- err
		}()
	}
	busy := 0
	for range 5 {
		if err := <-results; !errors.Is(err, ner.ErrBusy) {
			t.Fatalf("%v", err)
		}
		busy++
	}
	<-started
	cancel()
	begin := time.Now()
	for range 8 - busy {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("took %v to stop", took)
	}
	if got := detect(t, newDetector(t, ner.Options{Pool: pool}, ensemble("ner.de", "Karl=B-NAME", "")), "Karl"); len(got) != 1 {
		t.Error("the pool is spoilt")
	}
}

// The same text gives the same spans whatever the number of workers and the load.
func TestDeterministic(t *testing.T) {
	e := ensemble("ner.de", "Karl=B-NAME Meier=I-NAME Bonn=B-LOCATION", "Karl=B-NAME_PATIENT Bonn=B-LOCATION_CITY Meier=B-LOCATION_CITY")
	text := strings.Repeat("Karl Meier aus Bonn, Karl allein. MEIER IN GROSSEN BUCHSTABEN\n", 700)
	want := detect(t, newDetector(t, ner.Options{Pool: ner.NewPool(1, 0)}, e), text)
	if len(want) < 2000 {
		t.Fatalf("%d spans", len(want))
	}
	pool := ner.NewPool(7, 0)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if got := detect(t, newDetector(t, ner.Options{Pool: pool}, e), text); !slices.EqualFunc(got, want, func(a, b phi.Span) bool { return phi.Compare(a, b) == 0 }) {
				t.Error("another answer under load")
			}
		})
	}
	wg.Wait()
}

// A window in which the superclass tagger finds next to nothing is spared the subclass tagger, unless somebody asks for
// another bias or shares the tagger and wants it read.
func TestQuietWindows(t *testing.T) {
	text := "Karl sah Meier." + strings.Repeat(" und", 60) + " Bonn."
	read := 0
	quiet := func(least float64) *ner.Ensemble {
		e := ensemble("ner.de", "Meier=B-NAME", "Meier=B-NAME_STAFF Bonn=B-LOCATION_CITY")
		e.Subclass.(*book).windows = func([]int64) { read++ }
		e.Decision.Quiet = least
		return e
	}
	lambda := 0.0
	loud := quiet(0.01)
	loud.Languages = []phi.Language{phi.English}
	shared := *loud
	shared.Name, shared.Decision.Quiet = "ner.at", 0
	for _, c := range []struct {
		name     string
		language phi.Language
		options  ner.Options
		packs    []*ner.Ensemble
		want     []string
		fewer    bool
	}{
		{"none is", phi.German, ner.Options{}, []*ner.Ensemble{quiet(0)}, []string{"NAME_STAFF:Meier@de", "LOCATION_CITY:Bonn@de.subclass"}, false},
		{"some are", phi.German, ner.Options{}, []*ner.Ensemble{quiet(0.01)}, []string{"NAME_STAFF:Meier@de"}, true},
		{"too loud", phi.German, ner.Options{}, []*ner.Ensemble{quiet(0.001)}, []string{"NAME_STAFF:Meier@de", "LOCATION_CITY:Bonn@de.subclass"}, false},
		{"a bias", phi.German, ner.Options{Lambda: &lambda}, []*ner.Ensemble{quiet(0.01)}, []string{"NAME_STAFF:Meier@de", "LOCATION_CITY:Bonn@de.subclass"}, false},
		{"one alone", phi.German, ner.Options{Only: ner.SubclassOnly}, []*ner.Ensemble{quiet(0.01)}, []string{"NAME_STAFF:Meier@de.subclass", "LOCATION_CITY:Bonn@de.subclass"}, false},
		{"shared", "", ner.Options{}, []*ner.Ensemble{loud, &shared}, []string{"NAME_STAFF:Meier@de+ner.at", "LOCATION_CITY:Bonn@de.subclass+ner.at.subclass"}, false},
	} {
		read = 0
		d := newDetector(t, c.options, c.packs...)
		spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: c.language})
		if err != nil || !slices.Equal(show(text, spans), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, show(text, spans), err, c.want)
		}
		if c.fewer != (read == 1) {
			t.Errorf("%s: %d windows read by the subclass tagger", c.name, read)
		}
	}
}

// Packs of two languages that share their taggers read a text of no known language once, and each decides by itself.
func TestSharedTaggersReadOnce(t *testing.T) {
	text := "Karl sah Meier\nUND AUCH MEIER IN BONN\n" + strings.Repeat("ging fort. ", 40)
	super, sub := "Karl=B-NAME? Meier=B-NAME", "Meier=B-NAME_STAFF Bonn=B-LOCATION_CITY"
	decisions := []ner.Decision{{SuperclassThreshold: 0.5}, {Lambda: 0.6}}
	var apart []*ner.Ensemble
	for i, name := range []string{"ner.de", "ner.en"} {
		e := ensemble(name, super, sub)
		e.Decision = decisions[i]
		apart = append(apart, e)
	}
	one := ensemble("ner.de", super, sub)
	other := *one
	other.Name, other.Languages = "ner.en", []phi.Language{phi.English}
	one.Decision, other.Decision = decisions[0], decisions[1]
	var windows atomic.Int64
	for _, tagger := range []ner.Tagger{one.Superclass, one.Subclass} {
		tagger.(*book).windows = func([]int64) { windows.Add(1) }
	}
	read := func(language phi.Language, ensembles ...*ner.Ensemble) ([]string, int64) {
		windows.Store(0)
		spans, err := newDetector(t, ner.Options{}, ensembles...).Detect(context.Background(), &pipeline.Document{Text: text, Language: language})
		if err != nil {
			t.Fatal(err)
		}
		return show(text, spans), windows.Load()
	}
	got, both := read("", one, &other)
	if want, _ := read("", apart...); !slices.Equal(got, want) || !slices.Contains(got, "LOCATION_CITY:BONN@de.subclass+ner.en.subclass") {
		t.Errorf("%q, want %q", got, want)
	}
	_, alone := read(phi.German, one, &other)
	if both != alone || alone == 0 {
		t.Errorf("%d windows for two packs, %d for one", both, alone)
	}
	// Two packs that cut their windows in another way do not share.
	other.Window = 20
	if _, n := read("", one, &other); n <= alone {
		t.Errorf("%d windows where one pack reads shorter ones", n)
	}
}

// From one reading the witness gives for each lambda what it would give for that lambda alone.
func TestTestifyLambda(t *testing.T) {
	text := "Karl sah Meier"
	d := newDetector(t, ner.Options{}, ensemble("ner.de", "Karl=B-NAME? Meier=B-NAME", "Meier=B-NAME_STAFF"))
	lambdas := []float64{0, 0.6, 0.99}
	found, possible, err := d.TestifyLambda(context.Background(), &pipeline.Document{Text: text}, lambdas)
	if err != nil || len(found) != 3 || len(possible) != 3 {
		t.Fatal(found, possible, err)
	}
	for i := range lambdas {
		f, p, err := d.Testify(context.Background(), &pipeline.Document{Text: text, Lambda: &lambdas[i]})
		if err != nil || !slices.Equal(show(text, f), show(text, found[i])) || !slices.Equal(show(text, p), show(text, possible[i])) {
			t.Errorf("lambda %g: %q and %q, alone %q and %q (%v)", lambdas[i], show(text, found[i]), show(text, possible[i]), show(text, f), show(text, p), err)
		}
	}
	if slices.Equal(show(text, found[0]), show(text, found[1])) {
		t.Error("lambda changes nothing")
	}
	if _, _, err := d.TestifyLambda(context.Background(), &pipeline.Document{Text: text}, []float64{2}); err == nil {
		t.Error("swept a lambda of 2")
	}
}
