package template

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

// ErrFormat says that a file is not what it should be. It comes with a line, never with what stands there.
var ErrFormat = errors.New("not in the expected form")

// Inclusion is a list of sentences that are known to hold no PHI. It does not change once made.
type Inclusion struct{ sentences map[string]bool }

//go:embed inclusion.yaml
var builtIn string

// Default gives the built-in list: headings and phrases of letters.
func Default() (*Inclusion, error) { return LoadInclusion(strings.NewReader(builtIn)) }

// LoadInclusion reads a list as YAML: {version: 1, sentences: [ … ]}.
func LoadInclusion(r io.Reader) (*Inclusion, error) {
	var file struct {
		Version   int      `yaml:"version"`
		Sentences []string `yaml:"sentences"`
	}
	if err := decode(r, &file); err != nil {
		return nil, fmt.Errorf("inclusion list: %w", err)
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("inclusion list: version: %w", ErrFormat)
	}
	return NewInclusion(file.Sentences), nil
}

// NewInclusion makes a list of sentences.
func NewInclusion(sentences []string) *Inclusion {
	l := &Inclusion{sentences: make(map[string]bool, len(sentences))}
	for _, s := range sentences {
		if key := sentenceKey(s); key != "" {
			l.sentences[key] = true
		}
	}
	return l
}

// Holds says whether the list has the sentence: exact after folding, blanks made one.
func (l *Inclusion) Holds(sentence string) bool {
	return len(sentence) < maxSentence && l.sentences[sentenceKey(sentence)]
}

// maxSentence bounds the sentences that lists and templates look at, in bytes.
const maxSentence = 2000

func sentenceKey(s string) string { return strings.Join(strings.Fields(fold.Key(s)), " ") }

// decode reads strict YAML and keeps of an error the line alone.
func decode(r io.Reader, v any) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	err = yaml.UnmarshalWithOptions(data, v, yaml.Strict())
	if err == nil {
		return nil
	}
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		return fmt.Errorf("line %d: %w", e.GetToken().Position.Line, ErrFormat)
	}
	return ErrFormat
}

// Skip makes a detector, meant for models, whose findings inside sentences of the list do not count. A text that has
// no other sentences is not read at all.
func (l *Inclusion) Skip(d pipeline.Detector) pipeline.Detector {
	if w, ok := d.(pipeline.Witness); ok {
		return witness{skipper{d, l}, w}
	}
	return skipper{d, l}
}

type skipper struct {
	pipeline.Detector
	list *Inclusion
}

// Detect gives what the inner detector finds outside the sentences of the list.
func (s skipper) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	known, all := s.sentences(doc)
	if all {
		return nil, ctx.Err()
	}
	spans, err := s.Detector.Detect(ctx, doc)
	return known.outside(spans), err
}

// witness is a skipper around a detector that can testify.
type witness struct {
	skipper
	inner pipeline.Witness
}

// Testify gives what the inner detector says about the rest of the text; inside the sentences of the list nothing is
// possible.
func (w witness) Testify(ctx context.Context, doc *pipeline.Document) (found, possible []phi.Span, err error) {
	known, all := w.sentences(doc)
	if all {
		return nil, nil, ctx.Err()
	}
	found, possible, err = w.inner.Testify(ctx, doc)
	return known.outside(found), known.outside(possible), err
}

// stretches are sentences of the list in a text, in order.
type stretches [][2]int

// sentences finds those of the list; all says that there are no others.
func (s skipper) sentences(doc *pipeline.Document) (known stretches, all bool) {
	all = true
	for start, end := range Sentences(doc.Text) {
		if s.list.Holds(doc.Text[start:end]) {
			known = append(known, [2]int{start, end})
		} else {
			all = false
		}
	}
	return known, all
}

// outside gives the spans that do not lie wholly inside a stretch.
func (k stretches) outside(spans []phi.Span) []phi.Span {
	if len(k) == 0 {
		return spans
	}
	return slices.DeleteFunc(slices.Clone(spans), func(p phi.Span) bool {
		at, _ := slices.BinarySearchFunc(k, p.Start, func(s [2]int, start int) int { return s[1] - start - 1 })
		return at < len(k) && k[at][0] <= p.Start && p.End <= k[at][1]
	})
}
