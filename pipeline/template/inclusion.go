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
func (l *Inclusion) Skip(d pipeline.Detector) pipeline.Detector { return skipper{d, l} }

type skipper struct {
	pipeline.Detector
	list *Inclusion
}

// Detect gives what the inner detector finds outside the sentences of the list.
func (s skipper) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	var known [][2]int
	all := true
	for start, end := range Sentences(doc.Text) {
		if s.list.Holds(doc.Text[start:end]) {
			known = append(known, [2]int{start, end})
		} else {
			all = false
		}
	}
	if all {
		return nil, ctx.Err()
	}
	spans, err := s.Detector.Detect(ctx, doc)
	if err != nil || len(known) == 0 {
		return spans, err
	}
	return slices.DeleteFunc(slices.Clone(spans), func(p phi.Span) bool {
		at, _ := slices.BinarySearchFunc(known, p.Start, func(k [2]int, start int) int { return k[1] - start - 1 })
		return at < len(known) && known[at][0] <= p.Start && p.End <= known[at][1]
	}), nil
}
