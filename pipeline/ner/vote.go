package ner

import (
	"fmt"
	"math"

	"fhirdeid/pipeline/phi"
)

// vote is what a tagger thinks about a token or a word: the strongest type and its probability, and the probability
// of being any PHI at all. The zero value has no opinion.
type vote struct {
	kind  phi.Type
	begin bool
	p     float32   // of the type
	mass  float32   // of any PHI
	row   []float32 // of each of the tagger's types, in the order of its reader; nil without an opinion
}

// decided says whether the vote is for PHI.
func (d Decision) decided(v vote) bool {
	switch {
	case v.kind == phi.NoType:
		return false
	case d.Recall > 0:
		return float64(v.mass) >= d.Recall
	}
	return float64(v.p) > (1-d.lambda(v.kind.Category()))*(1-float64(v.mass))
}

// stronger says whether a speaks louder for PHI than b: by the odds of its type against no PHI, which order votes in
// the same way whatever lambda is.
func (v vote) stronger(b vote) bool {
	if v.kind == phi.NoType || b.kind == phi.NoType {
		return b.kind == phi.NoType && v.kind != phi.NoType
	}
	return float64(v.p)*(1-float64(b.mass)) > float64(b.p)*(1-float64(v.mass))
}

// reader turns rows of scores into votes. Classes of one type (B- and I-) are summed.
type reader struct {
	slot  []int // of a class; -1: no PHI
	begin []bool
	kinds []phi.Type // of a slot
	floor float64    // a row whose best PHI class lies this far below no PHI cannot be decided for PHI
}

// silence is the distance at which a tagger is taken to be sure that there is no PHI, so that scores do not depend on
// which decisions are made from them.
const silence = -12

// newReader prepares for all decisions that will be made on the votes.
func newReader(classes []Class, decisions []Decision) *reader {
	r := &reader{}
	slots := map[phi.Type]int{}
	perSlot := map[phi.Type]int{}
	most := 1
	for _, c := range classes {
		slot := -1
		if c.Type != phi.NoType {
			var ok bool
			if slot, ok = slots[c.Type]; !ok {
				slot = len(r.kinds)
				slots[c.Type] = slot
				r.kinds = append(r.kinds, c.Type)
			}
			perSlot[c.Type]++
			most = max(most, perSlot[c.Type])
		}
		r.slot = append(r.slot, slot)
		r.begin = append(r.begin, c.Begin)
	}
	r.floor = silence
	for _, d := range decisions {
		least := (1 - d.largestLambda()) / float64(most)
		if d.Recall > 0 {
			least = d.Recall / float64(len(classes))
		}
		r.floor = min(r.floor, math.Log(least)-1e-3)
	}
	return r
}

// read gives the votes of rows of logits.
func (r *reader) read(logits []float32, votes []vote) error {
	columns := len(r.slot)
	if len(logits) != columns*len(votes) {
		return fmt.Errorf("%w: %d numbers for %d tokens of %d classes", ErrScores, len(logits), len(votes), columns)
	}
	mass := make([]float64, len(r.kinds))
	start := make([]float64, len(r.kinds))
	rows := make([]float32, len(r.kinds)*len(votes))
	for i := range votes {
		v, err := r.row(logits[i*columns:(i+1)*columns], mass, start)
		if err != nil {
			return err
		}
		if v.kind != phi.NoType {
			v.row = rows[i*len(r.kinds) : (i+1)*len(r.kinds)]
			total := float64(v.mass)
			for s, m := range mass {
				v.row[s] = float32(m * total)
			}
		}
		votes[i] = v
	}
	return nil
}

// row reads one row; start is room to work in, and mass gets the share of each type in all PHI.
func (r *reader) row(row []float32, mass, start []float64) (vote, error) {
	none, some := math.Inf(-1), math.Inf(-1)
	for c, x := range row {
		x := float64(x)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 1):
			return vote{}, ErrScores
		case r.slot[c] < 0:
			none = max(none, x)
		default:
			some = max(some, x)
		}
	}
	top := max(none, some)
	if math.IsInf(top, -1) {
		return vote{}, ErrScores
	}
	if some-none < r.floor {
		return vote{}, nil
	}
	clear(mass)
	clear(start)
	var outside, inside float64
	for c, x := range row {
		e := math.Exp(float64(x) - top)
		if s := r.slot[c]; s < 0 {
			outside += e
		} else {
			inside += e
			mass[s] += e
			if r.begin[c] {
				start[s] += e
			}
		}
	}
	if inside == 0 {
		return vote{}, nil
	}
	best := 0
	for s := range mass {
		if mass[s] > mass[best] || mass[s] == mass[best] && r.kinds[s] < r.kinds[best] {
			best = s
		}
	}
	total := inside + outside
	v := vote{
		kind: r.kinds[best], begin: 2*start[best] > mass[best],
		p: float32(mass[best] / total), mass: float32(inside / total),
	}
	for s := range mass {
		mass[s] /= inside
	}
	return v, nil
}

// mean is the mean of the votes of n tokens, of which those without an opinion need not be given.
func (r *reader) mean(votes []vote, n int) vote {
	if len(votes) == 0 {
		return vote{}
	}
	out := vote{row: make([]float32, len(r.kinds))}
	for _, v := range votes {
		out.mass += v.mass
		for s, p := range v.row {
			out.row[s] += p
		}
	}
	best := 0
	for s := range out.row {
		out.row[s] /= float32(n)
		if out.row[s] > out.row[best] || out.row[s] == out.row[best] && r.kinds[s] < r.kinds[best] {
			best = s
		}
	}
	out.kind, out.p, out.mass = r.kinds[best], out.row[best], out.mass/float32(n)
	for _, v := range votes {
		out.begin = out.begin || v.begin && v.kind == out.kind
	}
	return out
}

// within gives the type of the category that the vote of a tagger gives most weight, and that weight.
func (v vote) within(c phi.Category, kinds []phi.Type) (best phi.Type, weight float32) {
	for s, p := range v.row {
		if kinds[s].Category() == c && p > weight {
			best, weight = kinds[s], p
		}
	}
	return best, weight
}

// roles gives the weights of the roles that a name may have.
func (v vote) roles(kinds []phi.Type) (out phi.Roles) {
	for s, p := range v.row {
		switch kinds[s] {
		case phi.NamePatient:
			out.Patient = p
		case phi.NameStaff:
			out.Staff = p
		case phi.NameOther:
			out.Other = p
		}
	}
	return out
}
