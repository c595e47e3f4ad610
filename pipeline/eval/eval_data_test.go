package eval_test

import (
	"context"
	"path/filepath"
	"testing"

	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/phi"
)

// TestDeveloperData reads every corpus of the developer data that carries marks. Predicting the marks themselves
// must score full marks.
func TestDeveloperData(t *testing.T) {
	dir := dataDir(t)
	for _, name := range []string{
		"letters/letters.jsonl", "dev/tricky_dev.jsonl", "phi/de_gemtex_docs.jsonl", "phi/en_presidio_v2.jsonl.gz",
		"phi/es_meddocan_dev.jsonl.gz", "ner/de_germeval_dev.jsonl.gz", "ner/en_wikigold.jsonl.gz",
	} {
		t.Run(name, func(t *testing.T) {
			corpus, err := eval.Read(filepath.Join(dir, name), "")
			if err != nil {
				t.Fatal(err)
			}
			report, err := eval.Run(context.Background(), corpus, marks, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report.Word.Gold == 0 || report.Word.F1() != 1 || report.StrictTyped.F1() != 1 || report.TokenTyped.F1() != 1 {
				t.Errorf("gold against itself: words %+v, strict %+v, tokens %+v", report.Word, report.StrictTyped, report.TokenTyped)
			}
			if report.Leaks.Leaky != 0 || report.Leaks.Touched != 0 {
				t.Errorf("leaks %+v", report.Leaks)
			}
			t.Log(report.Documents, "documents", report.Words, "words", report.Word.Gold, "marked", report.Leaks)
		})
	}
}

// marks predicts what is marked.
func marks(_ context.Context, doc *eval.Document) ([]phi.Span, error) {
	var spans []phi.Span
	for _, g := range doc.Gold {
		spans = append(spans, phi.Span{Start: g.Start, End: g.End, Type: g.Type, Score: 1, Source: "gold"})
	}
	return spans, nil
}
