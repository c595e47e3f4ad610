package eval_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
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

// The letters as they were written, with tags around the words, are those that letters.jsonl holds.
func TestInlineLettersAreTheSame(t *testing.T) {
	dir := filepath.Join(dataDir(t), "letters")
	want, err := eval.Read(filepath.Join(dir, "letters.jsonl"), "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.ReadWith(dir, eval.ReadOptions{Format: eval.Inline})
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]*eval.Document{}
	for i := range want.Documents {
		documents[want.Documents[i].ID] = &want.Documents[i]
	}
	if len(got.Documents) != len(want.Documents) {
		t.Errorf("%d documents, want %d", len(got.Documents), len(want.Documents))
	}
	for i := range got.Documents {
		g := &got.Documents[i]
		w := documents[g.ID]
		switch {
		case w == nil:
			t.Errorf("document %s is not in letters.jsonl", g.ID)
		case strings.Trim(w.Text, "\n") != g.Text || g.Language != w.Language || g.Genre != w.Genre:
			t.Errorf("document %s differs", g.ID)
		case !slices.EqualFunc(g.Gold, w.Gold, func(a, b eval.Gold) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type }):
			t.Errorf("document %s has other marks", g.ID)
		}
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
