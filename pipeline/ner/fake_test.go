package ner_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// pieces is a tokenizer that gives words, cut after every so many runes, and other characters. Line feeds are tokens.
type pieces struct {
	every int // 0: words stay whole

	mu    sync.Mutex
	ids   map[string]int64
	words []string
}

func (p *pieces) Tokenize(text string) ([]ner.Token, error) {
	var tokens []ner.Token
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) && r != '\n' {
			i += n
			continue
		}
		j, runes := i+n, 1
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			for j < len(text) && (p.every == 0 || runes < p.every) {
				r, n := utf8.DecodeRuneInString(text[j:])
				if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
					break
				}
				j += n
				runes++
			}
		}
		tokens = append(tokens, ner.Token{ID: p.id(text[i:j]), Start: i, End: j})
		i = j
	}
	return tokens, nil
}

func (p *pieces) id(piece string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids == nil {
		p.ids = map[string]int64{}
	}
	id, ok := p.ids[piece]
	if !ok {
		id = int64(len(p.words))
		p.ids[piece] = id
		p.words = append(p.words, piece)
	}
	return id
}

func (p *pieces) piece(id int64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.words[id]
}

// book is a tagger that looks tokens up: logits by class for each piece it knows, all others are no PHI.
type book struct {
	pieces  *pieces
	labels  []string
	entries map[string]map[string]float32
	err     error
	windows func(ids []int64) // sees each window
	wrong   bool              // gives too few numbers
}

func (b *book) Classes() []ner.Class {
	var classes []ner.Class
	for _, label := range b.labels {
		c := ner.Class{Begin: strings.HasPrefix(label, "B-")}
		if label != "O" {
			c.Type, _ = phi.ParseType(label[2:])
		}
		classes = append(classes, c)
	}
	return classes
}

func (b *book) Tag(_ context.Context, ids []int64) ([]float32, error) {
	if b.err != nil {
		return nil, b.err
	}
	if b.windows != nil {
		b.windows(ids)
	}
	var logits []float32
	for _, id := range ids {
		entry, known := b.entries[b.pieces.piece(id)]
		for _, label := range b.labels {
			switch x, ok := entry[label]; {
			case ok:
				logits = append(logits, x)
			case label == "O" && !known:
				logits = append(logits, 8)
			default:
				logits = append(logits, 0)
			}
		}
	}
	if b.wrong {
		logits = logits[1:]
	}
	return logits, nil
}

var (
	superLabels = []string{"O", "B-NAME", "I-NAME", "B-LOCATION", "I-LOCATION", "B-DATE", "I-DATE", "B-AGE", "I-AGE"}
	subLabels   = []string{
		"O", "B-NAME_PATIENT", "I-NAME_PATIENT", "B-NAME_STAFF", "I-NAME_STAFF",
		"B-LOCATION_CITY", "I-LOCATION_CITY", "B-DATE_DATE", "I-DATE_DATE", "B-AGE", "I-AGE", "B-CONTACT_PHONE", "I-CONTACT_PHONE",
	}
)

// marks reads "Karl=B-NAME Meier=I-NAME:4,O:3": what a tagger says, with logit 6, or as given behind a colon.
func marks(s string) map[string]map[string]float32 {
	entries := map[string]map[string]float32{}
	for field := range strings.FieldsSeq(s) {
		i := strings.LastIndexByte(field, '=')
		piece, label := field[:i], field[i+1:]
		logit := float32(6)
		if label[len(label)-1] == '?' { // a weak voice: p(O) = .7
			label, logit = label[:len(label)-1], 0
			entries[piece] = map[string]float32{label: logit, "O": 0.85}
			for _, other := range append(append([]string{}, superLabels...), subLabels...) {
				if other != label && other != "O" {
					entries[piece][other] = -9
				}
			}
			continue
		}
		entries[piece] = map[string]float32{}
		for part := range strings.SplitSeq(label, ",") {
			name, value, given := strings.Cut(part, ":")
			entries[piece][name] = logit
			if given {
				x, err := strconv.ParseFloat(value, 32)
				if err != nil {
					panic(err)
				}
				entries[piece][name] = float32(x)
			}
		}
	}
	return entries
}

func ensemble(name, super, sub string) *ner.Ensemble {
	p := &pieces{}
	return &ner.Ensemble{
		Name: name, Languages: []phi.Language{phi.German}, Tokenizer: p, Window: 30, Overlap: 8,
		Superclass: &book{pieces: p, labels: superLabels, entries: marks(super)},
		Subclass:   &book{pieces: p, labels: subLabels, entries: marks(sub)},
	}
}

func detect(t testing.TB, d *ner.Detector, text string) []phi.Span {
	t.Helper()
	spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: phi.German})
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

func newDetector(t testing.TB, options ner.Options, ensembles ...*ner.Ensemble) *ner.Detector {
	t.Helper()
	d, err := ner.NewDetector(options, ensembles...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
