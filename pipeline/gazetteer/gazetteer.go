// Package gazetteer finds names of people, places, hospitals and organisations by lists, and marks the terms of
// medicine that look like names and must stay. A word of a list is a name only where nothing speaks for another
// reading: everyday words, terms and eponyms need a context.
package gazetteer

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

//go:embed data/phrases.gz
var phraseData []byte

// Values of the trie's nodes for what is built in.
const (
	isHospital uint32 = 1 << iota
	isOrganisation
	isProtected
	isStreet
	isCity
	isState
	isCountry
)

// Set is the lists that a detector reads: those built in, and dictionaries of users. It does not change once made.
type Set struct {
	phrases *trie
	users   []*Dictionary
}

var builtIn = sync.OnceValues(readPhrases)

// readPhrases builds the trie of what is built in.
func readPhrases() (*trie, error) {
	z, err := gzip.NewReader(bytes.NewReader(phraseData))
	if err != nil {
		return nil, fmt.Errorf("gazetteer: built-in phrases: %w", err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("gazetteer: built-in phrases: %w", err)
	}
	sections := map[string]uint32{"hospital": isHospital, "organisation": isOrganisation, "protected": isProtected, "street": isStreet}
	t := newTrie()
	value := uint32(0)
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "#"); ok {
			value = sections[name]
			continue
		}
		t.add(line, value)
	}
	for phrase, w := range lists.Phrases() {
		value := uint32(0)
		if w.City() > 0 {
			value |= isCity
		}
		if w.State() {
			value |= isState
		}
		if w.Country() {
			value |= isCountry
		}
		if value != 0 && strings.ContainsAny(phrase, " -/.") {
			t.add(phrase, value)
		}
	}
	return t, nil
}

// Load gives the built-in lists, which are read once.
func Load() (*Set, error) {
	t, err := builtIn()
	if err != nil {
		return nil, err
	}
	return &Set{phrases: t}, nil
}

// With gives the set with dictionaries of users added. Where entries of several name the same words, the later
// dictionary decides.
func (s *Set) With(users ...*Dictionary) *Set {
	return &Set{phrases: s.phrases, users: append(append([]*Dictionary(nil), s.users...), users...)}
}

// Detector finds what the set lists.
func (s *Set) Detector() pipeline.Detector { return detector{s} }

type detector struct{ set *Set }

// Name is gazetteer; the spans say which list spoke.
func (detector) Name() string { return "gazetteer" }

// Detect reads the text piece by piece, so that its working memory does not grow with the text.
func (d detector) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.set, r.lang, r.spans = d.set, doc.Language, r.spans[:0]
	for base := 0; base < len(doc.Text); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := base + fold.Cut(doc.Text[base:], pieceSize)
		r.read(doc.Text[base:end], base)
		base = end
	}
	spans := slices.Clone(r.spans)
	clear(r.spans)
	r.text, r.folded = "", ""
	return spans, nil
}

// pieceSize is how much text is read at a time, in bytes.
const pieceSize = 64 << 10

var readers = sync.Pool{New: func() any { return new(reader) }}

// reader holds one piece of text while it is read.
type reader struct {
	set    *Set
	lang   phi.Language
	text   string // the piece
	folded string
	base   int // where it begins in the document
	tokens []token
	words  lists.Batch
	fold   fold.Buffer
	spans  []phi.Span
}

func (r *reader) read(text string, base int) {
	f := r.fold.Fold(text)
	r.text, r.folded, r.base = text, f.Text, base
	r.tokens = tokens(text, f, r.tokens, &r.words)
	for i := 0; i < len(r.tokens); {
		next := i + 1
		t := &r.tokens[i]
		if t.capital() {
			if n := r.protect(i); n > i {
				next = n
			} else if n := r.place(i); n > i {
				next = n
			} else if n := r.person(i); n > i {
				next = n
			}
		}
		i = next
	}
	for _, u := range r.set.users {
		r.user(u)
	}
}

// word gives the folded word of token i.
func (r *reader) word(i int) string { return r.folded[r.tokens[i].start:r.tokens[i].end] }

// hash gives the hash of the folded word of token i.
func (r *reader) hash(i int) uint32 {
	t := &r.tokens[i]
	if t.hash == 0 {
		t.hash = lists.Hash(r.folded[t.start:t.end])
	}
	return t.hash
}

// emit adds a span over tokens i to j, j not included.
func (r *reader) emit(i, j int, t phi.Type, score float64, source string) {
	r.spans = append(r.spans, phi.Span{
		Start: r.base + r.tokens[i].source, End: r.base + r.tokens[j-1].stop, Type: t, Score: score, Source: source,
	})
}

// match follows the trie from token i as far as it goes; end is i where nothing is found.
func (r *reader) match(t *trie, i int) (end int, value uint32) {
	node, end := uint32(0), i
	h := r.hash(i)
	if !t.begins(h) {
		return i, 0
	}
	for j := i; j < len(r.tokens) && j-i < t.depth; j++ {
		if j > i && (r.tokens[j].gap == far || r.tokens[j].gap == dot && r.tokens[j-1].end-r.tokens[j-1].start > 4) {
			break
		}
		if j > i {
			h = r.hash(j)
		}
		next, ok := t.step(node, r.word(j), h)
		if !ok {
			break
		}
		node = next
		if v := t.ends[node]; v != 0 {
			end, value = j+1, v
		}
	}
	return end, value
}

// startsSentence says whether token i stands where a capital says nothing.
func (r *reader) startsSentence(i int) bool {
	if i == 0 {
		return true
	}
	for at := r.tokens[i].start - 1; at >= 0; at-- {
		switch r.folded[at] {
		case ' ', '\t', '\r', '"', '\'', '(', '*', '-':
			continue
		case '.', '!', '?', ':', ';', '\n', '|', '>':
			return true
		}
		return false
	}
	return true
}
