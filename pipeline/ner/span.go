package ner

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// builder joins decided words to spans. Words come in the order of the text.
type builder struct {
	text      string
	language  phi.Language
	credulous bool // takes all that the taggers say
	ensembles []*Ensemble
	spans     []phi.Span
	open      draft
}

// draft is a span that may go on.
type draft struct {
	start, end int
	category   phi.Category // none while all its words are contradictions
	rival      phi.Category // of its only word, as long as there is no other
	last       unit
	words      bool // there is more than punctuation in it
	score      float64
	from       sources
	roles      phi.Roles // the sum of its words
	// The sum of the scores of its words by type: makeshift types apart, which count where there is nothing else.
	firm, loose map[phi.Type]float64
}

// add takes the next decided word.
func (b *builder) add(u unit, v verdict) {
	if b.open.end > 0 && !b.continues(u, v) {
		b.close()
	}
	d := &b.open
	if d.end == 0 {
		*d = draft{start: u.start, firm: map[phi.Type]float64{}, loose: map[phi.Type]float64{}}
	}
	d.end, d.last = u.end, u
	d.words = d.words || u.word
	d.score = max(d.score, v.score)
	d.from |= v.from
	if u.word {
		d.roles.Patient += v.roles.Patient
		d.roles.Staff += v.roles.Staff
		d.roles.Other += v.roles.Other
	}
	first := d.category == phi.NoCategory
	weight := v.score
	if !u.word {
		weight /= 8
	}
	switch {
	case v.contradiction():
	case first:
		d.category, d.rival = v.kind.Category(), v.rival
	case v.kind.Category() == d.category:
		d.rival = phi.NoCategory
	case v.rival == d.category: // the surer tagger is alone with its view of a word in the middle of something else
		v.loose = true
	default: // what follows the first word shows that the less sure tagger was right about it
		d.category, d.rival = v.kind.Category(), phi.NoCategory
		clear(d.firm)
		clear(d.loose)
	}
	if v.loose {
		d.loose[v.kind] += weight
	} else {
		d.firm[v.kind] += weight
	}
}

// contradiction says that superclass and subclass named different things.
func (v verdict) contradiction() bool { return v.loose && v.kind == phi.Other }

// continues says whether the word belongs to the open span: the taggers say that it goes on, or it is glued to the
// word before by a hyphen or the like, and both are of one kind.
func (b *builder) continues(u unit, v verdict) bool {
	gap := b.text[b.open.end:u.start]
	if len(gap) > 8 || !b.open.fits(v) {
		return false
	}
	if strings.ContainsFunc(gap, wordRune) {
		return false // a word that nobody marked lies between
	}
	if !v.begin {
		newlines := strings.Count(gap, "\n")
		column := newlines == 0 && (strings.Contains(gap, "\t") || strings.Contains(gap, "   ")) // of a table
		return newlines <= 1 && !column
	}
	// A new beginning in the middle of something written in one piece is a slip of the tagger.
	return !strings.ContainsFunc(gap, unicode.IsSpace) && strings.Trim(gap, "-‐‑.'’_") == "" &&
		b.open.kind() == v.kind && (gap != "" || !b.open.last.word || !u.word)
}

// fits says whether the word is of the kind of the span, as one tagger at least sees it.
func (d *draft) fits(v verdict) bool {
	c := v.kind.Category()
	return d.category == phi.NoCategory || v.contradiction() || c == d.category || v.rival == d.category || v.rival == phi.NoCategory && c == d.rival
}

// kind is the type with the highest sum of scores.
func (d *draft) kind() phi.Type {
	sums := d.firm
	if len(sums) == 0 {
		sums = d.loose
	}
	best, most := phi.NoType, -1.0
	for kind, sum := range sums {
		if sum > most || sum == most && kind < best {
			best, most = kind, sum
		}
	}
	return best
}

func (b *builder) close() {
	d := &b.open
	if d.end > 0 && d.words { // a lone comma is no PHI
		s := phi.Span{Start: d.start, End: d.end, Type: d.kind(), Score: d.score, Source: d.from.names(b.ensembles)}
		if s.Type.Category() == phi.CategoryName && s.Type != phi.NameUsername {
			s.Roles = d.roles
		}
		if b.credulous || !doubtful(b.text, s, b.language) {
			b.spans = append(b.spans, s)
		}
	}
	d.end = 0
}

// finish closes the last span and grows all to whole words: a word longer than what was read at once may have been
// decided in parts.
func (b *builder) finish() []phi.Span {
	b.close()
	out := b.spans[:0]
	for _, s := range b.spans {
		low := 0
		if len(out) > 0 {
			low = out[len(out)-1].End
		}
		if s.Start < low { // in the word to whose end the span before has grown
			if s.End > low {
				s.Start = low
			} else {
				continue
			}
		}
		for s.Start > low && !border(b.text, s.Start) {
			_, n := utf8.DecodeLastRuneInString(b.text[:s.Start])
			s.Start -= n
		}
		if s.Start == low && len(out) > 0 && !border(b.text, s.Start) {
			last := &out[len(out)-1]
			last.End = s.End
			last.Score = max(last.Score, s.Score)
			growEnd(b.text, last)
			continue
		}
		growEnd(b.text, &s)
		out = append(out, s)
	}
	low := 0
	for i := range out {
		out[i] = trim(b.text, out[i], low, b.language)
		low = out[i].End
		if i+1 < len(out) && low > out[i+1].Start {
			low = out[i+1].Start // the sign between is the neighbour's
			out[i].End = low
		}
	}
	out = slices.DeleteFunc(out, func(s phi.Span) bool { return s.Start >= s.End }) // signs without width alone
	slices.SortFunc(out, func(a, c phi.Span) int { return cmp.Or(cmp.Compare(a.Start, c.Start), phi.Compare(a, c)) })
	return out
}

func growEnd(text string, s *phi.Span) {
	for s.End < len(text) && !border(text, s.End) {
		_, n := utf8.DecodeRuneInString(text[s.End:])
		s.End += n
	}
}
