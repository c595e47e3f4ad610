package eval

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"fhirdeid/pipeline/phi"
)

// Point is what one value of lambda brings.
type Point struct {
	Lambda       float64 `json:"lambda"`
	Word         Count   `json:"word"`
	StrictTyped  Count   `json:"strictTyped"`
	RecallMerged float64 `json:"recallMerged"`
	Leaky        int     `json:"leaky"` // documents with a word missed
}

// Sweep is a series of points of one model or pipeline over one corpus.
type Sweep struct {
	Name   string  `json:"name"`
	Corpus string  `json:"corpus"`
	Points []Point `json:"points"`
}

// RunSweep scores the spans that predict gives for each lambda from one reading of each document.
func RunSweep(ctx context.Context, corpus *Corpus, lambdas []float64,
	predict func(ctx context.Context, doc *Document, lambdas []float64) ([][]phi.Span, error), options Options,
) (*Sweep, error) {
	found := make([][][]phi.Span, len(corpus.Documents))
	index := make(map[*Document]int, len(corpus.Documents))
	for i := range corpus.Documents {
		index[&corpus.Documents[i]] = i
	}
	_, err := Run(ctx, corpus, func(ctx context.Context, doc *Document) ([]phi.Span, error) {
		spans, err := predict(ctx, doc, lambdas)
		if err == nil && len(spans) != len(lambdas) {
			err = fmt.Errorf("%d answers for %d values of lambda", len(spans), len(lambdas))
		}
		found[index[doc]] = spans
		return nil, err
	}, options)
	if err != nil {
		return nil, err
	}
	sweep := &Sweep{Name: options.Name, Corpus: corpus.Name}
	for k, lambda := range lambdas {
		r, err := Run(ctx, corpus, func(_ context.Context, doc *Document) ([]phi.Span, error) { return found[index[doc]][k], nil }, options)
		if err != nil {
			return nil, err
		}
		sweep.Points = append(sweep.Points, Point{lambda, r.Word, r.StrictTyped, r.RecallMerged, r.Leaks.Leaky})
	}
	return sweep, nil
}

// Table writes one line for each lambda.
func (s *Sweep) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "lambda\tword R\tP\tF1\tstrict typed F1\trecall_merged\tleaky\t")
	for _, p := range s.Points {
		fmt.Fprintf(t, "%g\t%s\t%s\t%s\t%s\t%s\t%d\t\n", p.Lambda, share(p.Word.Recall()), share(p.Word.Precision()),
			share(p.Word.F1()), share(p.StrictTyped.F1()), share(p.RecallMerged), p.Leaky)
	}
	return t.Flush()
}
