package risk

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// ReferenceDocument is one document of a reference corpus.
type ReferenceDocument struct {
	ID      string // pseudonymous; a document is never compared with itself
	Vectors []Vector
}

// Reference is a corpus of contexts that a document's contexts are compared with. It is safe for concurrent use.
type Reference struct {
	Name      string // of the corpus, for the report
	Method    string // of the vectors
	Threshold float64
	Documents int
	Contexts  int

	centre   []float32
	ids      []string
	vectors  []Vector // unit length, centred
	document []int32  // of each vector
	postings map[uint32][]posting
	scratch  sync.Pool // of *sums
}

type posting struct {
	vector int32
	weight float32
}

// PlainThreshold is the similarity below which the seed papers call a context unique.
const PlainThreshold = 0.5

// DefaultShare is the share of the reference corpus's own contexts that a calibrated threshold calls unique.
const DefaultShare = 0.10

// minReference is how many documents make a corpus: below, nearly every context would look unique.
const minReference = 2

// NewReference builds a corpus. Dense vectors are centred on the corpus, because raw encoder cosines lie close
// together. The threshold is calibrated: share of the corpus's own contexts have no context of another document that
// reaches it. With share 0 it is PlainThreshold and nothing is centred. It gives nil for fewer than two documents.
func NewReference(name, method string, documents []ReferenceDocument, share float64) *Reference {
	if len(documents) < minReference {
		return nil
	}
	r := &Reference{Name: name, Method: method, Threshold: PlainThreshold, Documents: len(documents)}
	if share > 0 {
		r.centre = centre(documents)
	}
	for i, d := range documents {
		r.ids = append(r.ids, d.ID)
		for _, v := range d.Vectors {
			r.add(int32(i), v)
		}
	}
	r.Contexts = len(r.vectors)
	if share > 0 {
		r.calibrate(share)
	}
	return r
}

func (r *Reference) add(document int32, v Vector) {
	v = v.minus(r.centre).unit()
	at := int32(len(r.vectors))
	r.vectors = append(r.vectors, v)
	r.document = append(r.document, document)
	if v.Index == nil {
		return
	}
	if r.postings == nil {
		r.postings = map[uint32][]posting{}
	}
	for i, f := range v.Index {
		r.postings[f] = append(r.postings[f], posting{at, v.Value[i]})
	}
}

func centre(documents []ReferenceDocument) []float32 {
	var sum []float64
	n := 0
	for _, d := range documents {
		for _, v := range d.Vectors {
			if v.Index != nil {
				return nil
			}
			if sum == nil {
				sum = make([]float64, len(v.Value))
			}
			if len(v.Value) != len(sum) {
				continue
			}
			n++
			for i, x := range v.Value {
				sum[i] += float64(x)
			}
		}
	}
	mean := make([]float32, len(sum))
	for i, x := range sum {
		mean[i] = float32(x / float64(max(1, n)))
	}
	return mean
}

// calibrateWith bounds how many of the corpus's contexts are compared with all others.
const calibrateWith = 2000

func (r *Reference) calibrate(share float64) {
	step := max(1, len(r.vectors)/calibrateWith)
	var best []float64
	for i := 0; i < len(r.vectors); i += step {
		best = append(best, r.nearest(r.vectors[i], r.document[i]))
	}
	if len(best) == 0 {
		return
	}
	slices.Sort(best)
	// Contexts strictly below the threshold are unique, so the value at the quantile itself is not.
	r.Threshold = best[min(len(best)-1, int(math.Floor(share*float64(len(best)))))]
}

// Nearest gives the greatest similarity of the context to a context of another document than the one named.
func (r *Reference) Nearest(v Vector, document string) float64 {
	own := int32(slices.Index(r.ids, document))
	return r.nearest(v.minus(r.centre).unit(), own)
}

// Unique says whether no context of another document is similar.
func (r *Reference) Unique(v Vector, document string) bool {
	return !r.reached(v.minus(r.centre).unit(), int32(slices.Index(r.ids, document)))
}

// reached says whether a context of another document than own is at least as similar as the threshold. It is nearest, but
// ends with the first such context.
func (r *Reference) reached(v Vector, own int32) bool {
	if v.Index == nil {
		return r.nearest(v, own) >= r.Threshold
	}
	if r.Threshold <= 0 {
		return true
	}
	order, aside := r.decisive(v, r.byRarity(v), r.Threshold)
	found := false
	r.compare(v, order, func(at int32) bool {
		found = r.document[at] != own && dot(v, r.vectors[at]) >= r.Threshold
		return !found
	}, func() float64 { return r.Threshold - aside })
	return found
}

// byRarity gives the places of the features of v, those that few contexts of the corpus have first.
func (r *Reference) byRarity(v Vector) []int {
	order := make([]int, len(v.Index))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(r.postings[v.Index[a]]), len(r.postings[v.Index[b]])), cmp.Compare(a, b))
	})
	return order
}

// decisive leaves out the commonest features as long as they alone cannot make a product of bound: all vectors are of length
// 1, so what a part of v adds to a product is at most the length of that part. It gives the length of what is left out.
func (r *Reference) decisive(v Vector, order []int, bound float64) (rest []int, aside float64) {
	square := 0.0
	for len(order) > 0 {
		x := float64(v.Value[order[len(order)-1]])
		if math.Sqrt(square+x*x)+rounding >= bound {
			break
		}
		square += x * x
		order = order[:len(order)-1]
	}
	return order, math.Sqrt(square)
}

// compare calls try with vectors of the corpus that have some of the features, until it answers false. The first ones are
// those with the rarest features; after some of them the products of these features are added up for all, and try gets only
// those of which they are at least least(). A vector may come twice.
func (r *Reference) compare(v Vector, order []int, try func(at int32) bool, least func() float64) {
	left := firstTries
	for _, i := range order {
		for _, p := range r.postings[v.Index[i]] {
			if left == 0 {
				break
			}
			if left--; !try(p.vector) {
				return
			}
		}
	}
	if left > 0 {
		return // those were all
	}
	s := r.sums()
	defer r.scratch.Put(s)
	defer s.clear()
	for _, i := range order {
		x := float64(v.Value[i])
		for _, p := range r.postings[v.Index[i]] {
			if s.sum[p.vector] == 0 {
				s.touched = append(s.touched, p.vector)
			}
			s.sum[p.vector] += x * float64(p.weight)
		}
	}
	for _, at := range s.touched {
		if s.sum[at] >= least()-rounding && !try(at) {
			return
		}
	}
}

// rounding is more than all errors of adding up a product of two vectors of length 1.
const rounding = 1e-5

// firstTries is how many vectors are compared one by one before the products with all are added up.
const firstTries = 64

// sums are the products with the vectors of the corpus while they are added up.
type sums struct {
	sum     []float64
	touched []int32
}

func (r *Reference) sums() *sums {
	if s, ok := r.scratch.Get().(*sums); ok {
		return s
	}
	return &sums{sum: make([]float64, len(r.vectors))}
}

func (s *sums) clear() {
	for _, at := range s.touched {
		s.sum[at] = 0
	}
	s.touched = s.touched[:0]
}

// nearest gives the greatest product of v with a context of another document than own, at least 0 for sparse vectors. It
// looks at as few contexts as it must: see decisive.
func (r *Reference) nearest(v Vector, own int32) float64 {
	if v.Index == nil {
		best := -1.0
		for i, w := range r.vectors {
			if r.document[i] != own && w.Index == nil {
				best = max(best, dot(v, w))
			}
		}
		return best
	}
	best := 0.0
	order := r.byRarity(v)
	try := func(at int32) bool {
		if r.document[at] != own {
			best = max(best, dot(v, r.vectors[at]))
		}
		return true
	}
	// What the rarest features lead to bounds what must be looked at.
	for _, i := range order {
		if list := r.postings[v.Index[i]]; len(list) > 0 {
			for _, p := range list[:min(len(list), firstTries)] {
				try(p.vector)
			}
			if best > 0 {
				break
			}
		}
	}
	order, aside := r.decisive(v, order, best)
	r.compare(v, order, try, func() float64 { return best - aside })
	return best
}
