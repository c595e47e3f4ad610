package models_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// TestShippedPacksOnDevLetters prints what the shipped packs find by themselves: each tagger, both, the second reading
// and a sweep of lambda. With FHIRDEID_EVAL naming a folder it also writes the report there.
func TestShippedPacksOnDevLetters(t *testing.T) {
	folder := os.Getenv("FHIRDEID_EVAL")
	if folder == "" {
		t.Skip("takes a minute: set FHIRDEID_EVAL to a folder for the report")
	}
	corpus, err := eval.Read(filepath.Join(lettersFolder(t), "letters.jsonl"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"de", "en"} {
		t.Run(name, func(t *testing.T) {
			p := shipped(t, name)
			pool := ner.NewPool(2, 0)
			dev := corpus.Split("dev").Select(func(d *eval.Document) bool { return string(d.Language) == name })
			page := eval.Page{Title: "Packs on the dev letters: " + name}
			for _, c := range []struct {
				name    string
				options ner.Options
			}{
				{"superclass", ner.Options{Only: ner.SuperclassOnly}},
				{"subclass", ner.Options{Only: ner.SubclassOnly}},
				{"first subword", ner.Options{Decision: &ner.Decision{Word: ner.First}}},
				{"no second reading", ner.Options{NoSecondReading: true}},
				{"ensemble", ner.Options{}},
			} {
				c.options.Pool = pool
				d := detector(t, p, c.options)
				report, err := eval.Run(context.Background(), dev, func(ctx context.Context, doc *eval.Document) ([]phi.Span, error) {
					return d.Detect(ctx, &pipeline.Document{Text: doc.Text, Language: doc.Language})
				}, eval.Options{Name: c.name, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				page.Runs = append(page.Runs, report)
			}
			var lambdas []float64
			var decisions []ner.Decision
			for _, l := range []float64{0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99} {
				lambdas = append(lambdas, l)
				decisions = append(decisions, ner.Decision{Lambda: l})
			}
			d := detector(t, p, ner.Options{Pool: pool})
			sweep, err := eval.RunSweep(context.Background(), dev, lambdas, func(ctx context.Context, doc *eval.Document, _ []float64) ([][]phi.Span, error) {
				return d.Sweep(ctx, &pipeline.Document{Text: doc.Text, Language: doc.Language}, decisions)
			}, eval.Options{Name: "ensemble", Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			page.Sweeps = append(page.Sweeps, sweep)
			ensemble := page.Runs[len(page.Runs)-1]
			if err := eval.Compare(os.Stderr, page.Runs...); err != nil {
				t.Fatal(err)
			}
			if err := ensemble.Table(os.Stderr); err != nil {
				t.Fatal(err)
			}
			for _, point := range sweep.Points {
				t.Logf("lambda %.2f: recall %.4f precision %.4f strict typed F1 %.4f, %d leak", point.Lambda, point.Word.Recall(), point.Word.Precision(), point.StrictTyped.F1(), point.Leaky)
			}
			out, err := os.Create(filepath.Join(folder, "packs-"+name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if err := page.HTML(out); err != nil {
				t.Fatal(err)
			}
		})
	}
}
