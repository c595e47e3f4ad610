// Package ner finds PHI with neural taggers: it cuts texts into windows, reads the taggers' scores, lets a superclass
// and a subclass tagger agree, and turns their decisions into spans of whole words. It knows no model format and no
// runtime; package models brings the taggers.
//
// The answer to a text depends on the text and the settings alone. A window is scored by itself, never in a batch with
// others, because the scales of a model in eight bits depend on all that is scored together.
package ner

import (
	"context"
	"errors"

	"fhirdeid/pipeline/phi"
)

// Token is a piece of a text that a model knows, and the bytes it stands for.
type Token struct {
	ID         int64
	Start, End int
}

// Tokenizer cuts a text into tokens in the order of the text. It must be safe for concurrent use.
type Tokenizer interface {
	Tokenize(text string) ([]Token, error)
}

// Class is what one column of a tagger's scores means.
type Class struct {
	Type  phi.Type // NoType: no PHI
	Begin bool     // a new span begins here
}

// Tagger scores the tokens of one window. It must be safe for concurrent use, and must give the same scores for the
// same window at all times.
type Tagger interface {
	Classes() []Class
	// Tag gives one row for each id, and in it one logit for each class.
	Tag(ctx context.Context, ids []int64) ([]float32, error)
}

// Trunk is a tagger on whose lower layers another one goes on, so that a text passes them once.
type Trunk interface {
	Tagger
	// TagTrunk is Tag, and gives besides the states that the other one is to be given.
	TagTrunk(ctx context.Context, ids []int64) (logits, states []float32, err error)
}

// Branch is a tagger that goes on from the states of a trunk. Its Tag lets the trunk compute them.
type Branch interface {
	Tagger
	// Trunk is nil where the tagger stands by itself.
	Trunk() Trunk
	// TagFrom gives what Tag gives for the window that the states are of.
	TagFrom(ctx context.Context, states []float32) ([]float32, error)
}

// Ensemble is one pack at work: a tokenizer and one or two taggers that read the same tokens.
type Ensemble struct {
	Name      string // the first part of the spans' source, such as ner.de
	Languages []phi.Language
	Tokenizer Tokenizer
	// Superclass tells categories, Subclass types; either may be nil.
	Superclass, Subclass Tagger
	Window, Overlap      int      // tokens
	Decision             Decision // used where the options say nothing
}

// Decision says when scores become PHI.
type Decision struct {
	// Lambda takes the share Lambda from the probability of no PHI, 0 to 1: more is found, less of it is right.
	Lambda float64
	// Lambdas holds the Lambda of categories that have one of their own. Who asks for a lambda means all categories.
	Lambdas map[phi.Category]float64
	// Recall, if above 0, decides otherwise: PHI is what has at least this much probability of being any PHI.
	Recall float64
	// Threshold is the least probability of being any PHI that one tagger alone needs against the silence of all
	// others.
	Threshold float64
	// SuperclassThreshold is the same for a superclass tagger against the silence of its own pack's subclass tagger.
	SuperclassThreshold float64
	// SuperclassThresholds holds that of categories that have one of their own.
	SuperclassThresholds map[phi.Category]float64
	// Quiet, if above 0, spares the subclass tagger the windows in which its pack's superclass tagger gives every token
	// less probability of being any PHI than this. Who asks for a lambda or a recall has all windows read by both.
	Quiet float64
	// Types holds the least probability of being any PHI, from the taggers that spoke for it, that a type needs; a bare
	// category stands for its types unless they are named themselves.
	Types map[phi.Type]float64
	// Word says how the tokens of a word decide for it.
	Word Pooling
	// Agreement says what becomes of the type when superclass and subclass differ.
	Agreement Agreement
}

// Pooling makes one decision out of those about the tokens of a word.
type Pooling uint8

// The ways of pooling. The zero value misses least.
const (
	Strongest Pooling = iota // the token that speaks loudest for PHI
	First                    // the first token
	Mean                     // the mean of all
)

// Agreement makes one type out of what superclass and subclass say.
type Agreement uint8

// The ways of agreeing.
const (
	// ByConfidence gives the type to the surer tagger. Where that is the superclass, or it alone spoke, the subclass
	// tagger's best type within the category is taken, if it gives it any weight.
	ByConfidence Agreement = iota
	// ByTable makes a contradiction OTHER and leaves the superclass alone with its category.
	ByTable
)

// Biased is the decision with one Lambda for all categories.
func (d Decision) Biased(lambda float64) Decision {
	d.Lambda, d.Lambdas, d.Quiet = lambda, nil, 0
	return d
}

// quiet is the probability below which a window counts as quiet; 0: none does.
func (d Decision) quiet() float64 {
	if d.Recall > 0 {
		return 0
	}
	return d.Quiet
}

// lambda is the bias of a category.
func (d Decision) lambda(c phi.Category) float64 { return ownOr(d.Lambdas, c, d.Lambda) }

// largestLambda is the bias under which most is found.
func (d Decision) largestLambda() float64 {
	largest := d.Lambda
	for _, l := range d.Lambdas {
		largest = max(largest, l)
	}
	return largest
}

// superclassThreshold is what a superclass tagger needs alone to name a category.
func (d Decision) superclassThreshold(c phi.Category) float64 {
	return ownOr(d.SuperclassThresholds, c, d.SuperclassThreshold)
}

// ownOr is what a category has of its own, or what all have.
func ownOr(own map[phi.Category]float64, c phi.Category, all float64) float64 {
	if value, ok := own[c]; ok {
		return value
	}
	return all
}

// Check says what is wrong with a decision.
func (d Decision) Check() error {
	switch {
	case !(d.Lambda >= 0 && d.Lambda <= 1):
		return errors.New("lambda must lie between 0 and 1")
	case !(d.Recall >= 0 && d.Recall <= 1):
		return errors.New("the recall threshold must lie between 0 and 1")
	case !(d.Threshold >= 0 && d.Threshold <= 1):
		return errors.New("the threshold must lie between 0 and 1")
	case !(d.SuperclassThreshold >= 0 && d.SuperclassThreshold <= 1):
		return errors.New("the threshold of the superclass must lie between 0 and 1")
	case !(d.Quiet >= 0 && d.Quiet <= 1):
		return errors.New("the probability of a quiet window must lie between 0 and 1")
	case d.Word > Mean || d.Agreement > ByTable:
		return errors.New("unknown way of deciding")
	}
	switch {
	case !shares(d.Lambdas):
		return errors.New("the lambda of a category must lie between 0 and 1")
	case !shares(d.SuperclassThresholds):
		return errors.New("the superclass threshold of a category must lie between 0 and 1")
	}
	for t, least := range d.Types {
		if t == phi.NoType || t >= phi.Protected || !(least >= 0 && least <= 1) {
			return errors.New("the threshold of a type must lie between 0 and 1")
		}
	}
	return nil
}

// shares says whether all values belong to categories and lie between 0 and 1.
func shares(own map[phi.Category]float64) bool {
	for c, value := range own {
		if c == phi.NoCategory || !(value >= 0 && value <= 1) {
			return false
		}
	}
	return true
}

// Errors of reading. None of them quotes the text.
var (
	ErrBusy   = errors.New("too many documents wait for the models")
	ErrText   = errors.New("text is not valid UTF-8")
	ErrTokens = errors.New("tokenizer and text do not fit together")
	ErrScores = errors.New("model gave unusable scores")
	ErrBroken = errors.New("a model or tokenizer broke down")
)
