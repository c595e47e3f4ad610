package pipeline

import (
	"cmp"
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
	// counts maps the first word of what was learnt, in lower case, to the numbers of words of the phrases that begin
	// with it, as bits: phrases of any number are found in a step each, however many begin with the same word.
	counts  map[string]uint16
	keys    map[string]int32 // index + 1 of the first phrase of a key
	phrases []phrase
	heads   [256]head
	seen    map[learnt]bool // while a text is learnt
	text    strings.Builder // holds the keys, so that they are not allocated one by one
}

// learnt is a finding of a text: what was learnt once need not be learnt again.
type learnt struct {
	surface, entity string
	kind            phi.Type
}

// head says of what was learnt with one first byte what can be told of a word before it is looked up.
type head struct {
	lengths uint64 // bit n: a first word of n bytes; bit 0: one of 63 or more
	lower   bool   // one that begins with a small letter
}

// phrase is one remembered surface.
type phrase struct {
	key   string // its words in lower case, joined by spaces
	shape shape  // of the first word
	span  phi.Span
	next  int32 // index + 1 of the next phrase of the same key, in the order of comparePhrases; 0: none
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
func NewMemory() *Memory {
	return &Memory{counts: map[string]uint16{}, keys: map[string]int32{}, seen: map[learnt]bool{}}
}

// memories are those of single documents.
var memories = sync.Pool{New: func() any { return NewMemory() }}

// release forgets everything and gives the memory's room to the next document, unless a long text made it large.
func (m *Memory) release() {
	if len(m.phrases) > 1<<10 {
		memories.Put(NewMemory())
		return
	}
	clear(m.counts)
	clear(m.keys)
	clear(m.phrases)
	m.phrases = m.phrases[:0]
	m.text.Reset()
	m.heads = [256]head{}
	memories.Put(m)
}

// Learn adds the confident findings of a text.
func (m *Memory) Learn(text string, spans []phi.Span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer clear(m.seen)
	for _, s := range spans {
		if s.Score < learnScore || !memorable(s.Type) {
			continue
		}
		surface := text[s.Start:s.End]
		if k := (learnt{surface, s.Entity, s.Type}); !m.seen[k] {
			m.seen[k] = true
			m.learn(surface, s)
		}
	}
}

// Merge adds all that another memory knows.
func (m *Memory) Merge(other *Memory) {
	other.mu.RLock()
	defer other.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range other.phrases {
		m.add(p)
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

// maxWords is the number of words beyond which a surface is a sentence rather than a name.
const maxWords = 12

func (m *Memory) learn(surface string, s phi.Span) {
	var (
		shapes [maxWords]shape
		words  [maxWords]string // in lower case
		buf    [128]byte
	)
	n, letters := 0, 0
	key := buf[:0]
	for w, ok := nextWord(surface, 0); ok; w, ok = nextWord(surface, w.End) {
		if n == maxWords {
			return
		}
		shapes[n] = shapeOf(surface[w.Start:w.End])
		letters += utf8.RuneCountInString(surface[w.Start:w.End])
		if n++; n > 1 {
			key = append(key, ' ')
		}
		key = appendLower(key, surface[w.Start:w.End])
	}
	if n == 0 {
		return
	}
	whole := m.keep(key)
	rest := whole
	for i := range n {
		words[i], rest, _ = strings.Cut(rest, " ")
	}
	s.Score = min(s.Score, rememberedScore)
	s.Source = "memory"
	s.Interval = nil
	if letters >= minLength(s.Type, shapes[0]) && !(n == 1 && shapes[0] == lowerCase) {
		if n > 1 || !ordinary(words[0]) {
			m.add(phrase{key: whole, shape: shapes[0], span: s})
		}
	}
	if s.Type.Category() != phi.CategoryName || s.Type == phi.NameUsername || n == 1 {
		return
	}
	for i, w := range words[:n] {
		// A part of a name stands for the person only if it can hardly be anything else.
		if utf8.RuneCountInString(w) >= 4 && (shapes[i] == titleCase || shapes[i] == upperCase) && !ordinary(w) {
			m.add(phrase{key: w, shape: shapes[i], span: s})
		}
	}
}

// keep gives the key as a string. A request's memory may go on using what a document's memory kept.
func (m *Memory) keep(key []byte) string {
	if m.text.Cap()-m.text.Len() < len(key) {
		m.text = strings.Builder{}
		m.text.Grow(max(keptAtOnce, len(key)))
	}
	from := m.text.Len()
	m.text.Write(key)
	return m.text.String()[from:]
}

// keptAtOnce is the room for keys that is allocated together, in bytes.
const keptAtOnce = 512

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

// add enters a phrase at its place among those of its key; one that is there already is joined. They differ in type,
// entity or shape only, so there are few of a key.
func (m *Memory) add(p phrase) {
	word, _, _ := strings.Cut(p.key, " ")
	h := &m.heads[word[0]]
	h.lengths |= lengthBit(len(word))
	h.lower = h.lower || p.shape == lowerCase
	for link := m.keys[p.key]; link != 0; link = m.phrases[link-1].next {
		if comparePhrases(m.phrases[link-1], p) == 0 {
			return
		}
	}
	m.counts[word] |= 1 << strings.Count(p.key, " ")
	m.phrases = append(m.phrases, p)
	added := int32(len(m.phrases))
	before := int32(0)
	link := m.keys[p.key]
	for link != 0 && comparePhrases(m.phrases[link-1], p) < 0 {
		before, link = link, m.phrases[link-1].next
	}
	m.phrases[added-1].next = link
	if before == 0 {
		m.keys[p.key] = added
	} else {
		m.phrases[before-1].next = added
	}
}

func lengthBit(n int) uint64 {
	if n > 63 {
		return 1
	}
	return 1 << n
}

// comparePhrases orders the phrases of one key so that learning in another order gives the same answers.
func comparePhrases(a, b phrase) int {
	return cmp.Or(
		cmp.Compare(a.shape, b.shape),
		cmp.Compare(a.span.Type, b.span.Type),
		cmp.Compare(a.span.Entity, b.span.Entity),
	)
}

// Find gives every whole-word occurrence of what was learnt.
func (m *Memory) Find(text string, _ phi.Language) []phi.Span {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.phrases) == 0 {
		return nil
	}
	found := make([]phi.Span, 0, 16)
	var buf [128]byte
	for w, ok := nextWord(text, 0); ok; w, ok = nextWord(text, w.End) {
		if !m.mayBegin(text[w.Start:w.End]) {
			continue
		}
		key := appendLower(buf[:0], text[w.Start:w.End])
		if counts := m.counts[string(key)]; counts != 0 {
			if s, ok := m.longest(text, w, key, counts); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// longest gives the longest phrase that begins with the word w, of which key is the small form. The words must stand
// together: nothing but up to three separators, at most one of them a line end, between two of them.
func (m *Memory) longest(text string, w Word, key []byte, counts uint16) (phi.Span, bool) {
	var best phi.Span
	seen := shapeOf(text[w.Start:w.End])
	start := w.Start
	for ; counts != 0; counts >>= 1 {
		if counts&1 != 0 {
			for link := m.keys[string(key)]; link != 0; link = m.phrases[link-1].next {
				if p := &m.phrases[link-1]; sameClass(p.shape, seen) {
					best = p.span
					best.Start, best.End = start, w.End
					break
				}
			}
		}
		next, ok := nextWord(text, w.End)
		if !ok || next.Start-w.End > 3 || strings.Count(text[w.End:next.Start], "\n") > 1 {
			break
		}
		key = appendLower(append(key, ' '), text[next.Start:next.End])
		w = next
	}
	return best, best.Type != phi.NoType
}

// mayBegin says whether something that was learnt can begin with the word, without looking it up.
func (m *Memory) mayBegin(word string) bool {
	c := word[0]
	switch {
	case c >= utf8.RuneSelf:
		return true
	case c-'A' < 26:
		c += 'a' - 'A'
	case c-'a' < 26 && !m.heads[c].lower:
		return false
	}
	if m.heads[c].lengths&lengthBit(len(word)) != 0 {
		return true
	}
	if m.heads[c].lengths == 0 {
		return false
	}
	for i := 1; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			return true // the small form may have another length
		}
	}
	return false
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
