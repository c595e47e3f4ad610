package known

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// hit is what a token may be of the names.
type hit struct {
	parts []part
	how   how
	end   int // token behind it: more than the next where a word is broken over lines or has digits in it
	cut   int // bytes of a genitive's ending that stay outside
}

// how is in which way a word is a name.
type how uint8

const (
	none     how = iota
	spelt        // as the source writes it
	misspelt     // nearly
)

// reader holds one piece of text while it is read.
type reader struct {
	index  *index
	exact  bool
	lang   phi.Language
	text   string
	folded string
	base   int
	tokens []token
	hits   []hit
	spans  []phi.Span
	buf    []byte // for the words as they are looked up
}

func (r *reader) reset() {
	r.index, r.text, r.folded, r.spans = nil, "", "", nil
	clear(r.hits)
}

// read adds what is found in one piece of text that begins at base.
func (r *reader) read(text string, base int, spans []phi.Span) []phi.Span {
	f := fold.Fold(text)
	r.text, r.folded, r.base, r.spans = text, f.Text, base, spans
	r.tokens = tokens(text, f, r.tokens)
	if cap(r.hits) < len(r.tokens) {
		r.hits = make([]hit, len(r.tokens))
	}
	r.hits = r.hits[:len(r.tokens)]
	for i := range r.tokens {
		r.hits[i] = r.look(i)
	}
	for i := 0; i < len(r.tokens); {
		i = max(r.at(i), i+1)
	}
	return r.spans
}

// at looks for anything that begins at token i and gives the token behind it, or i.
func (r *reader) at(i int) int {
	end := r.number(i)
	end = max(end, r.birth(i))
	end = max(end, r.phrase(i))
	if end > i {
		return end
	}
	if end = r.zip(i); end > i {
		return end
	}
	return r.person(i)
}

func (r *reader) word(i int) string { return r.folded[r.tokens[i].start:r.tokens[i].end] }

// emit adds a span over tokens i to j, j not included, without the last cut bytes of the text.
func (r *reader) emit(i, j, cut int, kind phi.Type, score float64, source string, entity int) {
	r.spans = append(r.spans, phi.Span{
		Start: r.base + r.tokens[i].source, End: r.base + r.tokens[j-1].stop - cut,
		Type: kind, Score: score, Source: source, Entity: r.index.entities[entity].Key,
	})
}

// look tells which names the word at token i may be.
func (r *reader) look(i int) hit {
	t := &r.tokens[i]
	if t.digits || t.end-t.start < 2 && !r.mixed(i) {
		return hit{}
	}
	word := r.word(i)
	if r.mixed(i) {
		return r.scanned(i)
	}
	if len(word) < 3 && !t.capital {
		return hit{}
	}
	if !r.index.letters[word[0]] {
		return hit{}
	}
	if parts := r.spelt(r.parts(word)); len(parts) > 0 {
		return hit{parts: parts, how: spelt, end: i + 1}
	}
	if len(word) > 4 && word[len(word)-1] == 's' {
		if parts := r.spelt(r.parts(word[:len(word)-1])); len(parts) > 0 && t.capital {
			return hit{parts: parts, how: spelt, end: i + 1, cut: r.lastByte(i)}
		}
	}
	if i+1 < len(r.tokens) && r.tokens[i+1].gap == broken && !r.tokens[i+1].capital {
		if parts := r.spelt(r.index.parts[squash(word+r.word(i+1))]); len(parts) > 0 {
			return hit{parts: parts, how: spelt, end: i + 2}
		}
	}
	if r.exact || !t.capital || len(word) < 5 {
		return hit{}
	}
	return hit{parts: r.near(word), how: misspelt, end: i + 1}
}

// parts gives the names that a word is, whatever its umlauts are written as.
func (r *reader) parts(word string) []part {
	r.buf = appendSquash(r.buf[:0], word)
	return r.index.parts[string(r.buf)]
}

// spelt leaves out nicknames where only what the source writes counts.
func (r *reader) spelt(parts []part) []part {
	if !r.exact || !slices.ContainsFunc(parts, func(p part) bool { return p.guess }) {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.guess })
}

// mixed says whether letters and digits are glued together from token i on.
func (r *reader) mixed(i int) bool {
	return i+1 < len(r.tokens) && r.tokens[i+1].gap == glued && r.tokens[i].gap != glued
}

// scanned reads a word with digits in it as a scanner may have misread it, or as a name with a number glued to it.
func (r *reader) scanned(i int) hit {
	j := i + 1
	for j < len(r.tokens) && r.tokens[j].gap == glued && j-i < 6 {
		j++
	}
	whole := r.folded[r.tokens[i].start:r.tokens[j-1].end]
	if !r.exact && len(whole) >= 4 && len(whole) < 40 {
		for _, reading := range readings {
			word := reading.Replace(whole)
			if parts := r.index.parts[squash(word)]; len(parts) > 0 {
				return hit{parts: parts, how: spelt, end: j}
			}
		}
	}
	word := r.word(i)
	if len(word) < 4 {
		return hit{}
	}
	if parts := r.spelt(r.parts(word)); len(parts) > 0 {
		return hit{parts: parts, how: spelt, end: i + 1}
	}
	if !r.exact && len(word) > 5 { // WhitlockE0048291: the number begins with a letter
		if parts := r.index.parts[squash(word[:len(word)-1])]; len(parts) > 0 {
			return hit{parts: parts, how: spelt, end: i + 1, cut: r.lastByte(i)}
		}
	}
	return hit{}
}

// lastByte is what the last letter of token i takes in the text if it is one byte there. A letter of several (é, ß) cannot
// be told from what folding made of it: then 0, and it stays with the name.
func (r *reader) lastByte(i int) int {
	if r.text[r.tokens[i].stop-1] < utf8.RuneSelf {
		return 1
	}
	return 0
}

// readings are what digits in a scanned name may have been.
var readings = []*strings.Replacer{
	strings.NewReplacer("1", "l", "0", "o", "5", "s", "8", "b"),
	strings.NewReplacer("1", "i", "0", "o", "5", "s", "8", "b"),
}

// near finds the names that a word is a misspelling of: one slip from five letters on, two from nine on, never in
// the first letter, and never where the word is one of the language.
func (r *reader) near(word string) []part {
	c := word[0] - 'a'
	if c >= 26 {
		return nil
	}
	var found []part
	for _, p := range r.index.byLetter[c] {
		if len(p.word) < 5 && len(word) < 6 {
			continue
		}
		slips := 1
		if len(p.word) >= 9 {
			slips = 2
		}
		d := len(p.word) - len(word)
		if d < -2 || d > 2 {
			continue
		}
		differ := letters(p.word) ^ letters(word)
		if len(p.word) >= 5 && d >= -slips && d <= slips && bits.OnesCount32(differ) <= 2*slips && distance(p.word, word, slips) <= slips ||
			bits.OnesCount32(differ&^misreadable) <= 2*slips-2 && distance(misread(p.word), misread(word), slips-1) < slips {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil
	}
	w := lists.Lookup(word)
	if w.Common("") > 0 || w.Medical() || w.Drug() || w.Eponym() || w.Country() || w.State() || w.City() >= 2 && w.Surname() < 2 || w.Job() {
		return nil
	}
	return found
}

// letters gives the set of letters of a word.
func letters(word string) uint32 {
	var set uint32
	for i := range len(word) {
		if c := word[i] - 'a'; c < 26 {
			set |= 1 << c
		}
	}
	return set
}

// misread makes one of the letters that scanners take for each other.
func misread(word string) string { return lookalikes.Replace(word) }

// misreadable are the letters that misread changes, or changes others into.
var misreadable = letters("rnmvwcldi")

var lookalikes = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d", "i", "l")

// distance counts the slips between two words: letters put in, left out, changed, or two swapped; more than limit
// is given as limit+1.
func distance(a, b string, limit int) int {
	if len(a) > 40 || len(b) > 40 {
		return limit + 1
	}
	var rows [3][41]int
	last, row, next := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, last[j-2]+1)
			}
			next[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		last, row, next = row, next, last
	}
	return row[len(b)]
}
