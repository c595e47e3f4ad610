package pipeline

import (
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// agreeOnRoles gives a name that is written several times the role of most of its mentions, weighed by their scores;
// what the patient's own resources say goes before all. A person with two roles would have two surrogates.
func (r *resolver) agreeOnRoles(spans []phi.Span) {
	r.keys = r.keys[:0]
	var buf [48]byte
	for i := range spans {
		if ofRole(spans[i].Type) {
			hash := lists.Hash(appendLower(buf[:0], r.text[spans[i].Start:spans[i].End]))
			r.keys = append(r.keys, uint64(hash)<<32|uint64(i))
		}
	}
	slices.Sort(r.keys)
	for from := 0; from < len(r.keys); {
		to := from + 1
		for to < len(r.keys) && r.keys[to]>>32 == r.keys[from]>>32 {
			to++
		}
		if to-from > 1 {
			r.agree(spans, r.keys[from:to])
		}
		from = to
	}
}

// agree does so for the mentions with one hash; keys hold their indices.
func (r *resolver) agree(spans []phi.Span, keys []uint64) {
	const known = 1e6
	var weights [phi.NameOther + 1]float64
	first := &spans[uint32(keys[0])]
	name := r.text[first.Start:first.End]
	for _, k := range keys {
		s := &spans[uint32(k)]
		if !strings.EqualFold(r.text[s.Start:s.End], name) {
			return // two names with one hash
		}
		weights[s.Type] += s.Score
		if s.Entity != "" {
			weights[s.Type] += known
		}
	}
	role := first.Type
	for _, t := range [...]phi.Type{phi.NamePatient, phi.NameStaff, phi.NameOther} {
		if weights[t] > weights[role] {
			role = t
		}
	}
	for _, k := range keys {
		if s := &spans[uint32(k)]; s.Entity == "" {
			s.Type = role
		}
	}
}

// ofRole says whether a type is that of a person with a role.
func ofRole(t phi.Type) bool {
	return t == phi.NamePatient || t == phi.NameStaff || t == phi.NameOther
}
