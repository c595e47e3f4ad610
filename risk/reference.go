package risk

import (
	"math"
	"slices"
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
	return r.Nearest(v, document) < r.Threshold
}

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
	sums := make([]float64, len(r.vectors))
	for i, f := range v.Index {
		x := float64(v.Value[i])
		for _, p := range r.postings[f] {
			sums[p.vector] += x * float64(p.weight)
		}
	}
	best := 0.0
	for i, x := range sums {
		if x > best && r.document[i] != own {
			best = x
		}
	}
	return best
}
