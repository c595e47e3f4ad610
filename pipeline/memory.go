package pipeline

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// Memory remembers names, ids and places that were found with confidence, so that the same text is masked wherever else
// it stands in the document, or, for the same patient, in the request. It is safe for concurrent use.
type Memory struct {
	mu      sync.RWMutex
	entries map[string]entry // by the words of what was learnt, in lower case
	phrases []phrase
	heads   heads
	recent  [128]learnt     // while a text is learnt, each at the place that the hash of its surface gives
	text    strings.Builder // holds the keys, so that they are not allocated one by one
	fold    fold.Buffer
}

// entry is what was learnt under one key, and under keys that begin with it.
type entry struct {
	first int32 // index + 1 of the first phrase of the key; 0: none
	// counts of a single word are the numbers of words of the phrases that begin with it, as bits: phrases of any number
	// are found in a step each, however many begin with the same word.
	counts uint16
}

// learnt is a finding of a text: what was learnt just now need not be learnt again.
type learnt struct {
	surface, entity string
	kind            phi.Type
}

// heads say of what was learnt what can be told of a word before it is looked up.
type heads struct {
	words  fold.Filter // the first words
	begins [256]bool   // the bytes of ASCII that one of them may begin with in a text
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
	initials // capitals, each with a stop behind it: of all the words, not the first alone
)

// learnScore is the confidence from which something is remembered; rememberedScore caps what a memory is worth.
const (
	learnScore      = 0.85
	rememberedScore = 0.75 // below that of protected terms: "Mr. Parkinson" does not unmask the disease
)

// NewMemory makes an empty memory.
func NewMemory() *Memory {
	return &Memory{entries: map[string]entry{}}
}

// memories are those of single documents.
var memories = sync.Pool{New: func() any { return NewMemory() }}

// release forgets everything and gives the memory's room to the next document, unless a long text made it large.
func (m *Memory) release() {
	if len(m.phrases) > 1<<10 {
		memories.Put(NewMemory())
		return
	}
	clear(m.entries)
	clear(m.phrases)
	m.phrases = m.phrases[:0]
	m.text.Reset()
	m.heads = heads{}
	memories.Put(m)
}

// Learn adds the confident findings of a text.
func (m *Memory) Learn(text string, spans []phi.Span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer clear(m.recent[:])
	for _, s := range spans {
		if s.Score < learnScore || !memorable(s.Type) {
			continue
		}
		surface := text[s.Start:s.End]
		k, last := learnt{surface, s.Entity, s.Type}, &m.recent[lists.Hash(surface)%uint32(len(m.recent))]
		if *last != k {
			*last = k
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

// spacedOut is a word with a blank behind each letter, as typewriters set names off: "L a n g e n o h l".
var spacedOut = regexp.MustCompile(`\b\p{L}(?: \p{L}){3,}\b`)

func (m *Memory) learn(surface string, s phi.Span) {
	if s.Type.Category() == phi.CategoryName {
		surface = spacedOut.ReplaceAllStringFunc(surface, func(word string) string { return strings.ReplaceAll(word, " ", "") })
	}
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
		if n > 1 || !m.ordinary(words[0]) {
			m.add(phrase{key: whole, shape: shapes[0], span: s})
		}
	}
	if s.Type.Category() != phi.CategoryName || s.Type == phi.NameUsername || n == 1 {
		return
	}
	if s.Type == phi.NamePatient {
		m.learnInitials(surface, s)
	}
	for i, w := range words[:n] {
		// A part of a name stands for the person only if it can hardly be anything else.
		if utf8.RuneCountInString(w) >= 4 && (shapes[i] == titleCase || shapes[i] == upperCase) && !m.ordinary(w) {
			m.add(phrase{key: w, shape: shapes[i], span: s})
		}
	}
}

// learnInitials adds what a patient's name is cut down to, "U.L." and "U.K.L." for "Uwe Karl Langenohl" and for
// "Langenohl, Uwe Karl".
func (m *Memory) learnInitials(surface string, s phi.Span) {
	if family, given, ok := strings.Cut(surface, ","); ok {
		surface = given + " " + family
	}
	var buf [2 * maxWords]byte
	letters := buf[:0]
	for w, ok := nextWord(surface, 0); ok; w, ok = nextWord(surface, w.End) {
		if c := surface[w.Start]; c-'A' < 26 {
			letters = append(letters, c-'A'+'a', ' ')
		} else if c-'a' >= 26 || w.End-w.Start == 1 {
			return // a letter that is written in more than one way, a digit
		}
	}
	if len(letters) < 4 {
		return
	}
	all := m.keep(letters[:len(letters)-1])
	short := all[:1] + all[len(all)-2:]
	for _, key := range []string{all, short} {
		if letters := strings.ReplaceAll(key, " ", ""); len(letters) <= 4 && !abbreviations[letters] {
			m.add(phrase{key: key, shape: initials, span: s})
		}
	}
}

// abbreviations that are written with stops in clinical texts: they are nobody's initials.
var abbreviations = lists.Set(`am ap bc bd bs cc cm cp ct cv dc do dr ed ek er ga gi gp hs id im iv la lv lp lr ma md mi mg ml mr ms
	nb ng np or pa pc pe ph pl pm po pr ps pt qd rn rv sc so st tb tv uk us va vs ads dds mba mph np phd prn usa`)

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
	m.heads.add(word, p.shape)
	e := m.entries[p.key]
	before, link := int32(0), e.first
	for link != 0 {
		order := comparePhrases(&m.phrases[link-1], &p)
		if order == 0 {
			return
		}
		if order > 0 {
			break
		}
		before, link = link, m.phrases[link-1].next
	}
	p.next = link
	m.phrases = append(m.phrases, p)
	added := int32(len(m.phrases))
	if before == 0 {
		e.first = added
	} else {
		m.phrases[before-1].next = added
	}
	if len(word) == len(p.key) {
		e.counts |= 1
		m.entries[p.key] = e
		return
	}
	m.entries[p.key] = e
	first := m.entries[word]
	first.counts |= 1 << strings.Count(p.key, " ")
	m.entries[word] = first
}

// comparePhrases orders the phrases of one key so that learning in another order gives the same answers.
func comparePhrases(a, b *phrase) int {
	switch {
	case a.shape != b.shape:
		return cmp.Compare(a.shape, b.shape)
	case a.span.Type != b.span.Type:
		return cmp.Compare(a.span.Type, b.span.Type)
	}
	return strings.Compare(a.span.Entity, b.span.Entity)
}

// Find gives every whole-word occurrence of what was learnt.
func (m *Memory) Find(text string, _ phi.Language) []phi.Span { return m.find(nil, text) }

// find appends them.
func (m *Memory) find(found []phi.Span, text string) []phi.Span {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.phrases) == 0 {
		return found
	}
	var buf [128]byte
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < utf8.RuneSelf && !m.heads.begins[c] || !wordBegins(text, i) {
			continue
		}
		w := Word{i, wordEnd(text, i)}
		i = w.End - 1
		if !m.heads.mayBegin(text[w.Start:w.End]) {
			continue
		}
		key := appendLower(buf[:0], text[w.Start:w.End])
		if e := m.entries[string(key)]; e.counts != 0 {
			if s, ok := m.longest(text, w, key, e); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// longest gives the longest phrase that begins with the word w, of which key is the small form and e the entry. The words must stand
// together: nothing but up to three separators, at most one of them a line end, between two of them.
func (m *Memory) longest(text string, w Word, key []byte, e entry) (phi.Span, bool) {
	var best phi.Span
	seen := shapeOf(text[w.Start:w.End])
	start := w.Start
	stopped := true // capitals so far, each with a stop behind it
	for counts, begun := e.counts, false; counts != 0; counts, begun = counts>>1, true {
		stopped = stopped && w.End-w.Start == 1 && text[w.Start]-'A' < 26 && w.End < len(text) && text[w.End] == '.'
		if counts&1 != 0 {
			if begun {
				e = m.entries[string(key)]
			}
			for link := e.first; link != 0; link = m.phrases[link-1].next {
				p := &m.phrases[link-1]
				if p.shape == initials && stopped || sameClass(p.shape, seen) {
					best = p.span
					best.Start, best.End = start, w.End
					if p.shape == initials {
						best.End++ // the last stop
					}
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

// add enters the first word, in lower case, of a phrase.
func (h *heads) add(word string, s shape) {
	h.words.Add(word)
	switch c := word[0]; {
	case c-'a' < 26:
		h.begins[c-'a'+'A'] = true
		h.begins[c] = h.begins[c] || s == lowerCase
	default:
		h.begins[c] = true
	}
}

// mayBegin says whether something that was learnt can begin with the word, of which the first byte is known to begin
// one, without looking it up. It says so of every word that begins beyond ASCII, and of every other that is not ASCII,
// since its small form may have another length.
func (h *heads) mayBegin(word string) bool {
	return len(word) == 1 || word[0] >= utf8.RuneSelf || h.words.May(word) || !isASCII(word)
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
	if rest := word[n:]; rest != "" && capitals(rest) {
		return upperCase
	}
	return titleCase
}

// capitals says whether no letter of s has another form in upper case.
func capitals(s string) bool {
	for _, r := range s {
		if r < utf8.RuneSelf {
			if 'a' <= r && r <= 'z' {
				return false
			}
		} else if unicode.ToUpper(r) != r {
			return false
		}
	}
	return true
}
