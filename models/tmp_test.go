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

func TestTmp(t *testing.T) {
	corpus, _ := eval.Read(filepath.Join(lettersFolder(t), "letters.jsonl"), "")
	for _, name := range []string{"de", "en"} {
		dev := corpus.Split("dev").Select(func(d *eval.Document) bool { return string(d.Language) == name })
		d := detector(t, shipped(t, name), ner.Options{})
		r, err := eval.Run(context.Background(), dev, func(ctx context.Context, doc *eval.Document) ([]phi.Span, error) {
			return d.Detect(ctx, &pipeline.Document{Text: doc.Text, Language: doc.Language})
		}, eval.Options{Name: name, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		r.Table(os.Stderr)
	}
}
