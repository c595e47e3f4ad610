// Package pipeline runs detectors over a document, settles what they found, and splices replacements in.
package pipeline

import (
	"context"

	"fhirdeid/pipeline/phi"
)

// Document is one text to be read.
type Document struct {
	Text     string       // valid UTF-8; never normalised in place
	Language phi.Language // empty: not known, detectors read it in both languages
	// Lambda overrides the negative-class bias of the models for this document, 0 to 1; nil: as they are set.
	Lambda *float64
}

// Detector finds PHI. It must be safe for concurrent use, must give the same spans for the same document, and must
// return byte offsets inside the text that lie on rune borders. A span of type phi.Protected says that what it
// covers must stay unless something stronger (a higher score) speaks against it.
type Detector interface {
	// Name is the detector's path, such as rules.date.
	Name() string
	// Detect returns what it found, in any order. An error fails the document: there is no answer without it.
	Detect(ctx context.Context, doc *Document) ([]phi.Span, error)
}

// Witness is a detector that has read the whole text and can also say where PHI is out of the question. A rule or a
// dictionary that is not sure of a finding is believed only where no witness contradicts.
type Witness interface {
	Detector
	// Testify gives what Detect gives, and beside it the stretches in which PHI is at least possible; outside of them
	// the witness is sure that there is none.
	Testify(ctx context.Context, doc *Document) (found, possible []phi.Span, err error)
}

// Replacer gives the stand-in for one span of a text. An error fails the document.
type Replacer interface {
	Replace(doc *Document, span phi.Span) (string, error)
}
