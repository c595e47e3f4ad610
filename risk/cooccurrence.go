package risk

import (
	"maps"
	"slices"

	"fhirdeid/pipeline/phi"
)

// Pair is two types or bare categories that occur together, the lesser first.
type Pair struct{ A, B phi.Type }

// PairOf orders the two.
func PairOf(a, b phi.Type) Pair { return Pair{min(a, b), max(a, b)} }

// DefaultWeights says how much two entities in one context tell together, 0 to 1, by category.
func DefaultWeights() map[Pair]float64 {
	w := map[Pair]float64{}
	for _, x := range []struct {
		a, b   phi.Category
		weight float64
	}{
		{phi.CategoryName, phi.CategoryDate, 0.8},
		{phi.CategoryName, phi.CategoryLocation, 0.8},
		{phi.CategoryName, phi.CategoryID, 1},
		{phi.CategoryName, phi.CategoryContact, 1},
		{phi.CategoryName, phi.CategoryProfession, 0.7},
		{phi.CategoryName, phi.CategoryAge, 0.6},
		{phi.CategoryName, phi.CategoryName, 0.4},
		{phi.CategoryProfession, phi.CategoryLocation, 0.7},
		{phi.CategoryProfession, phi.CategoryAge, 0.5},
		{phi.CategoryProfession, phi.CategoryDate, 0.4},
		{phi.CategoryAge, phi.CategoryLocation, 0.5},
		{phi.CategoryDate, phi.CategoryLocation, 0.4},
		{phi.CategoryLocation, phi.CategoryLocation, 0.4},
		{phi.CategoryID, phi.CategoryDate, 0.6},
		{phi.CategoryID, phi.CategoryLocation, 0.6},
		{phi.CategoryID, phi.CategoryID, 0.5},
		{phi.CategoryContact, phi.CategoryLocation, 0.6},
		{phi.CategoryDate, phi.CategoryDate, 0.1},
	} {
		w[PairOf(x.a.Type(), x.b.Type())] = x.weight
	}
	return w
}

// unlisted is the weight of a pair that no table names.
const unlisted = 0.2

// weightOf looks the pair up by type, then by category.
func weightOf(weights map[Pair]float64, p Pair) float64 {
	if w, ok := weights[p]; ok {
		return w
	}
	if w, ok := weights[PairOf(p.A.Category().Type(), p.B.Category().Type())]; ok {
		return w
	}
	return unlisted
}

// CoOccurrences counts, by pair of types, the entities that stand in each other's context. The spans must be sorted
// and disjoint.
func CoOccurrences(text string, spans []phi.Span) map[Pair]int {
	pairs := map[Pair]int{}
	list := tokens(text, spans)
	for _, w := range windows(list) {
		for i := w.at + 1; i < w.to; i++ {
			if list[i].entity >= 0 {
				pairs[PairOf(spans[list[w.at].entity].Type, spans[list[i].entity].Type)]++
			}
		}
	}
	return pairs
}

// Relation gives the sum over all types of EF + CoWeight: 1 without co-occurrences, at most 2, and 0 without
// entities.
func Relation(counts map[phi.Type]int, pairs map[Pair]int, weights map[Pair]float64) float64 {
	entities, total, sum := 0, 0, 0.0
	for _, n := range counts {
		entities += n
	}
	if entities == 0 {
		return 0
	}
	keys := slices.SortedFunc(maps.Keys(pairs), func(a, b Pair) int { return int(a.A)*256 + int(a.B) - int(b.A)*256 - int(b.B) })
	for _, p := range keys {
		total += pairs[p]
		sum += float64(pairs[p]) * weightOf(weights, p)
	}
	if total == 0 {
		return 1
	}
	return 1 + sum/float64(total)
}
