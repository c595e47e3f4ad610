package pipeline

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Memory remembers names, ids and places that were found with confidence, so that the same text is masked wherever else
// it stands in the document, or, for the same patient, in the request. It is safe for concurrent use.
type Memory struct {
	mu sync.RWMutex
	// phrases maps the first word of what was learnt, in lower case, to what was learnt.
	phrases map[string][]phrase
}

// phrase is one remembered surface as its words.
type phrase struct {
	words  []string // lower case
	shape  shape
	single bool // part of a longer name, such as the surname alone
	span   phi.Span
}

// shape is the word class by case: a name seen in capitals or with a first capital is not looked for in lower case.
type shape uint8

const (
	lowerCase shape = iota
	titleCase
	upperCase
	digits
)

// learnScore is the confidence from which something is remembered; rememberedScore caps what a memory is worth.
const (
	learnScore      = 0.85
	rememberedScore = 0.75 // below that of protected terms: "Mr. Parkinson" does not unmask the disease
)

// NewMemory makes an empty memory.
func NewMemory() *Memory { return &Memory{phrases: map[string][]phrase{}} }

// Learn adds the confident findings of a text.
func (m *Memory) Learn(text string, spans []phi.Span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range spans {
		if s.Score < learnScore || !memorable(s.Type) {
			continue
		}
		m.learn(text[s.Start:s.End], s)
	}
}

// Merge adds all that another memory knows.
func (m *Memory) Merge(other *Memory) {
	other.mu.RLock()
	defer other.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, list := range other.phrases {
		for _, p := range list {
			m.add(p)
		}
	}
}

func memorable(t phi.Type) bool {
	switch t {
	case phi.LocationState, phi.LocationCountry, phi.LocationZIP, phi.Location:
		return false
	}
	switch t.Category() {
	case phi.CategoryName, phi.CategoryID, phi.CategoryContact, phi.CategoryLocation:
		return true
	}
	return false
}

func (m *Memory) learn(surface string, s phi.Span) {
	var words []string
	var shapes []shape
	for w := range Words(surface) {
		words = append(words, strings.ToLower(surface[w.Start:w.End]))
		shapes = append(shapes, shapeOf(surface[w.Start:w.End]))
	}
	if len(words) == 0 || len(words) > 12 {
		return
	}
	s.Score = min(s.Score, rememberedScore)
	s.Source = "memory"
	s.Interval = nil
	if whole := strings.Join(words, ""); utf8.RuneCountInString(whole) >= minLength(s.Type, shapes[0]) && !(len(words) == 1 && shapes[0] == lowerCase) {
		if len(words) > 1 || !ordinary(words[0]) {
			m.add(phrase{words: words, shape: shapes[0], span: s})
		}
	}
	if s.Type.Category() != phi.CategoryName || s.Type == phi.NameUsername || len(words) == 1 {
		return
	}
	for i, w := range words {
		// A part of a name stands for the person only if it can hardly be anything else.
		if utf8.RuneCountInString(w) >= 4 && (shapes[i] == titleCase || shapes[i] == upperCase) && !ordinary(w) {
			m.add(phrase{words: []string{w}, shape: shapes[i], single: true, span: s})
		}
	}
}

// minLength is the number of letters and digits below which a surface is no evidence: "Li" or "4" occur by chance.
func minLength(t phi.Type, first shape) int {
	switch t.Category() {
	case phi.CategoryName:
		return 3
	case phi.CategoryLocation:
		if first == digits {
			return 6
		}
		return 5
	}
	return 5
}

func (m *Memory) add(p phrase) {
	list := m.phrases[p.words[0]]
	for i, q := range list {
		if slices.Equal(q.words, p.words) && q.shape == p.shape && q.span.Type == p.span.Type && q.span.Entity == p.span.Entity {
			list[i].single = q.single && p.single
			list[i].span.Score = max(q.span.Score, p.span.Score)
			return
		}
	}
	list = append(list, p)
	slices.SortFunc(list, comparePhrases)
	m.phrases[p.words[0]] = list
}

// comparePhrases puts the longest first; ties are broken so that learning in another order gives the same answers.
func comparePhrases(a, b phrase) int {
	if len(a.words) != len(b.words) {
		return len(b.words) - len(a.words)
	}
	if c := slices.Compare(a.words, b.words); c != 0 {
		return c
	}
	if a.shape != b.shape {
		return int(a.shape) - int(b.shape)
	}
	if a.single != b.single {
		if b.single {
			return -1
		}
		return 1
	}
	return phi.Compare(a.span, b.span)
}

// Find gives every whole-word occurrence of what was learnt.
func (m *Memory) Find(text string, _ phi.Language) []phi.Span {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.phrases) == 0 {
		return nil
	}
	var found []phi.Span
	words := slices.Collect(Words(text))
	for i, w := range words {
		key := strings.ToLower(text[w.Start:w.End])
		for _, p := range m.phrases[key] {
			if n := matchPhrase(text, words[i:], p); n > 0 {
				s := p.span
				s.Start, s.End = w.Start, words[i+n-1].End
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// matchPhrase gives the number of words matched, 0 for none. The words must stand together: nothing but up to three
// separators, at most one of them a line end, between two of them.
func matchPhrase(text string, words []Word, p phrase) int {
	if len(words) < len(p.words) || !sameClass(p.shape, shapeOf(text[words[0].Start:words[0].End])) {
		return 0
	}
	for i, want := range p.words {
		if i > 0 {
			gap := text[words[i-1].End:words[i].Start]
			if len(gap) > 3 || strings.Count(gap, "\n") > 1 || !strings.EqualFold(text[words[i].Start:words[i].End], want) {
				return 0
			}
		}
	}
	return len(p.words)
}

// sameClass lets "STEIN" find "Stein" and the other way round, never "stein".
func sameClass(learnt, seen shape) bool {
	switch learnt {
	case titleCase, upperCase:
		return seen == titleCase || seen == upperCase
	}
	return learnt == seen
}

func shapeOf(word string) shape {
	r, n := utf8.DecodeRuneInString(word)
	switch {
	case unicode.IsDigit(r):
		return digits
	case !unicode.IsUpper(r):
		return lowerCase
	}
	if rest := word[n:]; rest != "" && rest == strings.ToUpper(rest) {
		return upperCase
	}
	return titleCase
}
