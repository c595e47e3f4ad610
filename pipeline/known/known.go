// Package known finds what is known of a patient beforehand: the names, dates, numbers and addresses that the FHIR
// resources at hand hold, in the spellings that letters use.
package known

import (
	"context"
	"slices"
	"sync"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

// Role says who or what an entity is; it decides the type of its names.
type Role uint8

// The roles.
const (
	Patient Role = iota
	Relative
	Staff
	Organization
	Place
)

// Identity is what is known of a patient and of those around.
type Identity struct {
	Key      string // the patient's key; never printed
	Entities []Entity
}

// Entity is one person, organisation or place. All values are as the source writes them; empty ones and those
// shorter than three characters are left out, save for names, which also give initials.
type Entity struct {
	Key    string // the key of this entity; goes into the spans
	Role   Role
	Gender byte // 'f', 'm' or 0

	Given, Family, Prefix []string
	Birth, Death          string // FHIR dates: 1948-11-04; less precise ones are left out
	Phones, Emails, URLs  []string
	IDs, ZIPs             []string
	Cities, Streets       []string
	States, Countries     []string
	Organizations         []string
	Others                []string
}

// Scores. What is certain settles every doubt; a weak one gives way to a protected term.
const (
	sure   = 0.99 // several parts of a name, or a number of its own
	likely = 0.97 // one name that is no everyday word
	weak   = 0.75 // an everyday word written as a name is
)

// Detector finds one identity. It is safe for concurrent use.
type Detector struct {
	index *index
	exact bool // no misspellings, no nicknames: for the search of the verify step
}

var _ pipeline.Detector = (*Detector)(nil)

// New makes the detector of an identity. An identity without entities finds nothing.
func New(id Identity) *Detector { return &Detector{index: newIndex(id)} }

// Name is known.
func (*Detector) Name() string { return "known" }

// Detect reads the text piece by piece; time is linear in the text.
func (d *Detector) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	var spans []phi.Span
	r := readers.Get().(*reader)
	defer func() {
		r.reset()
		readers.Put(r)
	}()
	for base := 0; base < len(doc.Text); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := fold.Cut(doc.Text[base:], pieceSize)
		r.index, r.exact, r.lang = d.index, d.exact, doc.Language
		spans = r.read(doc.Text[base:base+n], base, spans)
		base += n
	}
	slices.SortFunc(spans, phi.Compare)
	return slices.Compact(spans), nil
}

// pieceSize is how much text is read at a time, in bytes.
const pieceSize = 64 << 10

var readers = sync.Pool{New: func() any { return new(reader) }}

// Leak is a known identifier that a text still holds.
type Leak struct {
	Start, End int // byte offsets, half open
	Type       phi.Type
}

// Leaks searches an output for what is known, with the guards of the detector: whole words, no everyday word
// without its context, no number inside another, nothing shorter than three characters, no guessed spellings.
// Places that ignore answers true for, such as surrogates just written, do not count; ignore may be nil.
func (id Identity) Leaks(output string, ignore func(start, end int) bool) []Leak {
	return New(id).Leaks(output, ignore)
}

// Leaks searches as Identity.Leaks does, with an index that is made already.
func (d *Detector) Leaks(output string, ignore func(start, end int) bool) []Leak {
	exact := &Detector{index: d.index, exact: true}
	spans, err := exact.Detect(context.Background(), &pipeline.Document{Text: output})
	if err != nil {
		// Only a context that ends gives an error, and this one does not: were it to, the whole output is suspect.
		return []Leak{{0, len(output), phi.Other}}
	}
	var leaks []Leak
	for _, s := range spans {
		if s.Score < likely || ignore != nil && ignore(s.Start, s.End) {
			continue
		}
		leaks = append(leaks, Leak{s.Start, s.End, s.Type})
	}
	return leaks
}
