package ner

import (
	"slices"

	"fhirdeid/pipeline/phi"
)

// opinion is what the taggers of one ensemble think about a word.
type opinion struct {
	super, sub vote
	hasSuper   bool // the ensemble has such a tagger
	hasSub     bool
	kinds      []phi.Type // that the subclass tagger knows
}

// verdict is a decision about a word.
type verdict struct {
	kind  phi.Type
	begin bool
	loose bool // the type is a makeshift: the models disagree, or only a category is known
	// rival is the category that the less sure tagger named; none where nobody contradicted.
	rival phi.Category
	score float64
	votes int
	from  sources
	roles phi.Roles
}

// sources is a set of taggers: two bits for each ensemble, superclass and subclass.
type sources uint64

// maxEnsembles is how many packs sources has room for.
const maxEnsembles = 32

// bestScore caps the score of a verdict: a model is never as certain as a checksum or a known identifier.
const bestScore = 0.96

// hint is the least probability that makes a type of the subclass tagger worth more than a bare category.
const hint = 0.01

// agree settles what two taggers say. A superclass that contains the subclass confirms it; one tagger alone is
// believed if it is sure enough; of two that contradict each other the decision's Agreement tells who is right.
func (d Decision) agree(o opinion, ensemble int) verdict {
	super, sub := o.hasSuper && d.decided(o.super), o.hasSub && d.decided(o.sub)
	if super && !sub && o.hasSub && float64(o.super.mass) < d.superclassThreshold(o.super.kind.Category()) {
		super = false
	}
	v := verdict{score: o.score(), roles: o.sub.roles(o.kinds)}
	superBit, subBit := sources(1)<<(2*ensemble), sources(2)<<(2*ensemble)
	switch {
	case super && sub:
		v.kind, v.begin, v.votes, v.from = o.sub.kind, o.sub.begin, 2, superBit|subBit
		if o.super.kind.Category() == o.sub.kind.Category() {
			break
		}
		switch {
		case d.Agreement == ByTable:
			v.kind, v.loose = phi.Other, true
		case o.super.p > o.sub.p:
			v.kind, v.begin, v.rival = o.category(d), o.super.begin, o.sub.kind.Category()
			v.loose = v.kind.Bare()
		default:
			v.rival = o.super.kind.Category()
		}
	case super:
		v.kind, v.begin, v.votes, v.from = o.category(d), o.super.begin, 1, superBit
		v.loose = v.kind.Bare()
	case sub:
		v.kind, v.begin, v.votes, v.from = o.sub.kind, o.sub.begin, 1, subBit
	}
	if v.votes > 0 && max(massIf(super, o.super), massIf(sub, o.sub)) < d.least(v.kind) {
		return verdict{}
	}
	return v
}

func massIf(spoke bool, v vote) float64 {
	if !spoke {
		return 0
	}
	return float64(v.mass)
}

// least is the threshold of a type: its own, or that of its category.
func (d Decision) least(t phi.Type) float64 {
	if least, ok := d.Types[t]; ok {
		return least
	}
	return d.Types[t.Category().Type()]
}

// category is what the superclass tagger says, as a type if the subclass tagger has one in mind.
func (o opinion) category(d Decision) phi.Type {
	c := o.super.kind.Category()
	if d.Agreement == ByConfidence {
		if kind, weight := o.sub.within(c, o.kinds); weight >= hint {
			return kind
		}
	}
	return c.Type()
}

// score is the mean probability of being PHI over the taggers, so that one tagger's silence counts.
func (o opinion) score() float64 {
	sum, n := 0.0, 0.0
	if o.hasSuper {
		sum, n = sum+float64(o.super.mass), n+1
	}
	if o.hasSub {
		sum, n = sum+float64(o.sub.mass), n+1
	}
	if n == 0 {
		return 0
	}
	return min(sum/n, bestScore)
}

// loudest is the highest probability of being PHI that any tagger gave.
func (o opinion) loudest() float64 { return float64(max(o.super.mass, o.sub.mass)) }

// settle lets several ensembles decide: one voice is enough, unless it is the only one and stays below the threshold.
// decisions holds one for each ensemble.
func settle(opinions []opinion, decisions []Decision) verdict {
	var all verdict
	loudest, threshold := 0.0, 0.0
	for i, o := range opinions {
		v := decisions[i].agree(o, i)
		if v.votes == 0 {
			continue
		}
		loudest, threshold = max(loudest, o.loudest()), max(threshold, decisions[i].Threshold)
		all = all.join(v)
	}
	if all.votes == 1 && loudest < threshold {
		return verdict{}
	}
	return all
}

// join unites the verdicts of two ensembles on one word. The type is that of higher priority; a type goes before a
// bare category of the same kind, and a makeshift type after all others.
func (v verdict) join(o verdict) verdict {
	if v.votes == 0 {
		return o
	}
	best := v
	if o.before(v) {
		best = o
	}
	best.score = max(v.score, o.score)
	best.votes = v.votes + o.votes
	best.from = v.from | o.from
	return best
}

func (v verdict) before(o verdict) bool {
	if v.loose != o.loose && (v.kind == phi.Other || o.kind == phi.Other || v.kind.Category() == o.kind.Category()) {
		return o.loose
	}
	return v.kind < o.kind
}

// names writes the set as a source: the ensemble's name, with the tagger where only one of two spoke.
func (s sources) names(ensembles []*Ensemble) string {
	name := ""
	for i, e := range ensembles {
		bits := s >> (2 * i) & 3
		if bits == 0 {
			continue
		}
		if name != "" {
			name += "+"
		}
		name += e.Name
		switch bits {
		case 1:
			name += ".superclass"
		case 2:
			name += ".subclass"
		}
	}
	return name
}

// covers says whether the language is one of the ensemble's.
func (e *Ensemble) covers(language phi.Language) bool { return slices.Contains(e.Languages, language) }
