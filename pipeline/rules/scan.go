// Package rules finds what patterns, check digits and context tell for certain: dates, ages, contacts, ids,
// addresses, hospitals, organisations, names and professions in German and English clinical text.
//
// A text is cut into tokens once; each token is looked up once in a small lexicon; hand-written scanners start from
// the tokens whose class concerns them. All of it is linear in the length of the text.
package rules

import (
	"context"
	"slices"
	"strings"
	"sync"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// The detectors of this file's scan. Each of them reads the whole text and gives its own part of the findings, so
// that a phone number is no id whoever asks; All asks once for all of them.
var (
	Contacts      pipeline.Detector = &detector{"rules.contact"}
	IDs           pipeline.Detector = &detector{"rules.id"}
	Addresses     pipeline.Detector = &detector{"rules.address"}
	Hospitals     pipeline.Detector = &detector{"rules.hospital"}
	Organizations pipeline.Detector = &detector{"rules.organization"}
	Names         pipeline.Detector = &detector{"rules.name"}
	Professions   pipeline.Detector = &detector{"rules.profession"}
	// Context is all of the above in one pass.
	Context pipeline.Detector = &detector{"rules"}
)

// All lists the detectors that together find everything this package can find, each thing once.
func All() []pipeline.Detector { return []pipeline.Detector{Dates, Ages, Context} }

// detector gives those findings of the scan whose source starts with its name.
type detector struct{ name string }

func (d *detector) Name() string { return d.name }

// Detect implements pipeline.Detector.
func (d *detector) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := scans.Get().(*scan)
	defer s.release()
	s.read(doc)
	found := make([]phi.Span, 0, len(s.spans))
	for _, f := range s.spans {
		if len(d.name) == len("rules") || strings.HasPrefix(f.Source, d.name) {
			found = append(found, f)
		}
	}
	return found, nil
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// scan is the reading of one text. It is used by one goroutine and then reused.
type scan struct {
	text   string
	lang   phi.Language
	toks   []token
	taken  []phi.Category // per token: what it was found to be part of
	spans  []phi.Span
	blocks []block // of the tokens: the scanners that each concerns
	heads  []int   // the first tokens of lines that can be the head of a table
	marks  []int   // of staff at the ends of entries
	cells  []cell
	names  nameState
	words  tokenizer
}

// read finds what is in a document.
func (s *scan) read(doc *pipeline.Document) {
	s.prepare(doc)
	s.find()
}

// prepare cuts the text into tokens and marks which scanners each of them concerns.
func (s *scan) prepare(doc *pipeline.Document) {
	s.text, s.lang = misread(doc.Text), doc.Language
	s.toks = s.words.tokens(s.toks[:0], s.text)
	s.taken = slices.Grow(s.taken[:0], len(s.toks))[:len(s.toks)]
	clear(s.taken)
	s.spans = s.spans[:0]
	s.mark()
}

// find runs the scanners. Their order is part of the rules: what a label or a check digit says comes before what a
// form alone says, and a token that one of them took is closed to the later ones.
func (s *scan) find() {
	s.electronic()
	s.checked()
	s.courtFiles()
	s.tables()
	s.labelled()
	s.phones()
	s.spoken()
	s.calledNumbers()
	s.repeatedExchange()
	s.vehicles()
	s.registrations()
	s.addresses()
	s.codes()
	s.studies()
	s.hospitals()
	s.organizations()
	s.professions()
	s.people()
	s.lateExtensions()
	s.behindNames()
	s.extend()
	s.enumerators()
	s.measurements()
}

// release forgets the text and keeps the memory, unless a long text made it large.
func (s *scan) release() {
	const keep = 1 << 17
	if cap(s.toks) > keep {
		*s = scan{}
	}
	s.text = ""
	for i := range s.spans {
		s.spans[i] = phi.Span{}
	}
	clear(s.cells[:cap(s.cells)])
	s.spans = s.spans[:0]
	s.names.reset()
	scans.Put(s)
}

// add records tokens i to j (half open) as one finding, unless one of them is taken.
func (s *scan) add(i, j int, t phi.Type, score float64, source string) bool {
	if i < 0 || i >= j || j > len(s.toks) || !s.free(i, j) {
		return false
	}
	for k := i; k < j; k++ {
		s.taken[k] = t.Category()
	}
	s.spans = append(s.spans, phi.Span{
		Start: s.toks[i].start, End: s.toks[j-1].end, Type: t, Score: score, Source: source,
	})
	return true
}

// free says whether no token of i to j (half open) is part of a finding.
func (s *scan) free(i, j int) bool {
	for k := max(i, 0); k < min(j, len(s.taken)); k++ {
		if s.taken[k] != phi.NoCategory {
			return false
		}
	}
	return true
}

// at gives the token i, or one that is nothing where there is none.
func (s *scan) at(i int) *token {
	if i < 0 || i >= len(s.toks) {
		return &noToken
	}
	return &s.toks[i]
}

// takenAs says what token i was found to be part of; what lies outside the text is part of nothing.
func (s *scan) takenAs(i int) phi.Category {
	if i < 0 || i >= len(s.taken) {
		return phi.NoCategory
	}
	return s.taken[i]
}

var noToken = token{lines: 255}

func (s *scan) has(i int, c class) bool { return i >= 0 && i < len(s.toks) && s.toks[i].class&c != 0 }

func (s *scan) isSign(i int, c byte) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].sign == c && s.toks[i].kind == sign
}

func (s *scan) isNumber(i int) bool { return i >= 0 && i < len(s.toks) && s.toks[i].kind == number }

func (s *scan) isWord(i int) bool { return i >= 0 && i < len(s.toks) && s.toks[i].kind == word }

// surface gives the text of one token.
func (s *scan) surface(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return s.text[s.toks[i].start:s.toks[i].end]
}

// is compares a token with an ASCII word without regard to case.
func (s *scan) is(i int, w string) bool { return alike(s.surface(i), w) }

// alike compares without regard to case. What is of another length or begins with another letter needs no reading: the
// letters that are written here have the same length in both cases.
func alike(surface, w string) bool {
	return len(surface) == len(w) && (surface[0]^w[0])&^0x20 == 0 && strings.EqualFold(surface, w)
}

// oneOf compares a token with several ASCII words.
func (s *scan) oneOf(i int, words ...string) bool {
	surface := s.surface(i)
	if surface == "" {
		return false
	}
	for _, w := range words {
		if alike(surface, w) {
			return true
		}
	}
	return false
}

// glued says whether token i follows the one before without any space.
func (s *scan) glued(i int) bool {
	return i > 0 && i < len(s.toks) && s.toks[i].gap == 0 && s.toks[i].lines == 0
}

// near says whether token i follows the one before on the same line and in the same column.
func (s *scan) near(i int) bool {
	return i > 0 && i < len(s.toks) && s.toks[i].gap < 2 && s.toks[i].lines == 0
}

// sameLine says whether no line ends before token i.
func (s *scan) sameLine(i int) bool { return i > 0 && i < len(s.toks) && s.toks[i].lines == 0 }

// lineStart says whether token i is the first of its line.
func (s *scan) lineStart(i int) bool { return i == 0 || i < len(s.toks) && s.toks[i].lines > 0 }

// lineEnd says whether token i is the last of its line.
func (s *scan) lineEnd(i int) bool { return i+1 >= len(s.toks) || s.toks[i+1].lines > 0 }

// capital says whether token i is a word with a capital at its beginning.
func (s *scan) capital(i int) bool {
	if !s.isWord(i) {
		return false
	}
	switch s.toks[i].shape {
	case title, upper:
		return true
	case mixed:
		c := s.text[s.toks[i].start]
		return c >= 'A' && c <= 'Z' || c >= 0x80
	}
	return false
}
