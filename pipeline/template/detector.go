package template

import (
	"context"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// Set is a list of templates made ready for matching. It does not change once made.
type Set struct {
	templates []Template
	nodes     []node
}

// node is a state after some pieces of a sentence.
type node struct {
	literals map[string]int
	words    [3]int // next state for letters, digits, both; 0: none
	ends     []int  // templates that end here
}

func newSet(list []Template) *Set {
	s := &Set{templates: list, nodes: make([]node, 1)}
	for n, t := range list {
		at := 0
		for _, p := range t.slots {
			at = s.next(at, p)
		}
		s.nodes[at].ends = append(s.nodes[at].ends, n)
	}
	return s
}

// next gives the state behind a slot, made if it is not there.
func (s *Set) next(at int, p slot) int {
	if p.class != literal {
		i := wordIndex(p.class)
		if s.nodes[at].words[i] == 0 {
			s.nodes = append(s.nodes, node{})
			s.nodes[at].words[i] = len(s.nodes) - 1
		}
		return s.nodes[at].words[i]
	}
	if s.nodes[at].literals == nil {
		s.nodes[at].literals = map[string]int{}
	}
	if s.nodes[at].literals[p.text] == 0 {
		s.nodes = append(s.nodes, node{})
		s.nodes[at].literals[p.text] = len(s.nodes) - 1
	}
	return s.nodes[at].literals[p.text]
}

func wordIndex(c class) int {
	switch c {
	case letters:
		return 0
	case digits:
		return 1
	}
	return 2
}

// Len gives the number of templates.
func (s *Set) Len() int { return len(s.templates) }

// match gives the templates that a sentence follows from its first piece to its last. A place for both letters and
// digits takes each of them. Work is bounded by the sentence's length and the number of states that are alive.
func (s *Set) match(list []piece) []int {
	alive := []int{0}
	var next []int
	for _, p := range list {
		next = next[:0]
		for _, at := range alive {
			n := &s.nodes[at]
			if to := n.literals[p.text]; to != 0 {
				next = append(next, to)
			}
			if p.class == literal {
				continue
			}
			if to := n.words[wordIndex(p.class)]; to != 0 {
				next = append(next, to)
			}
			if to := n.words[2]; to != 0 && p.class != mixture {
				next = append(next, to)
			}
		}
		if len(next) == 0 {
			return nil
		}
		alive, next = next, alive
	}
	var found []int
	for _, at := range alive {
		found = append(found, s.nodes[at].ends...)
	}
	return found
}

// begins says whether a template may begin with the piece.
func (s *Set) begins(p piece) bool {
	n := &s.nodes[0]
	return n.literals[p.text] != 0 || p.class != literal && n.words != [3]int{}
}

// templateScore is what a finding of a reviewed template is worth.
const templateScore = 0.9

// Detector finds what stands in the places of the templates.
func (s *Set) Detector() pipeline.Detector { return detector{s} }

type detector struct{ set *Set }

// Name is template.
func (detector) Name() string { return "template" }

// Detect matches each sentence; time is linear in the text.
func (d detector) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	if err := ctx.Err(); err != nil || len(d.set.templates) == 0 {
		return nil, err
	}
	var spans []phi.Span
	for start, end := range Sentences(doc.Text) {
		if end-start > maxSentence {
			continue
		}
		var buf [1]piece
		if first := cut(doc.Text[start:end], buf[:0], 1); len(first) > 0 && !d.set.begins(first[0]) {
			continue
		}
		list := pieces(doc.Text[start:end])
		for _, n := range d.set.match(list) {
			for i, s := range d.set.templates[n].slots {
				switch p := list[i]; {
				case s.class == literal:
				case s.inside && len(spans) > 0:
					spans[len(spans)-1].End = start + p.end
				default:
					spans = append(spans, phi.Span{Start: start + p.start, End: start + p.end, Type: s.kind, Score: templateScore, Source: "template"})
				}
			}
		}
	}
	return spans, ctx.Err()
}
