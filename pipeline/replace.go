package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"fhirdeid/pipeline/phi"
)

// ErrEdits says that edits overlap, are unsorted or lie outside the text.
var ErrEdits = errors.New("edits do not fit the text")

// Edits asks the replacer for the stand-in of every span. The spans must be sorted and disjoint, as Detect returns them.
func Edits(doc *Document, spans []phi.Span, r Replacer) ([]phi.Edit, error) {
	edits := make([]phi.Edit, 0, len(spans))
	for _, s := range spans {
		if !fits(doc.Text, s) {
			return nil, ErrSpan
		}
		stand, err := r.Replace(doc, s)
		if err != nil {
			return nil, fmt.Errorf("replace %s: %w", s.Type, err)
		}
		edits = append(edits, phi.Edit{Start: s.Start, End: s.End, New: stand})
	}
	return edits, nil
}

// Apply splices edits into a text. Every byte outside them stays as it is.
func Apply(text string, edits []phi.Edit) (string, error) {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return "", ErrEdits
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String(), nil
}
