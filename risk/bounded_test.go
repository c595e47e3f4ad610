package risk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/risk"
)

// randomVectors are sparse contexts of features that are common or rare as words are.
func randomVectors(r *rand.Rand, n int) []risk.Vector {
	vectors := make([]risk.Vector, n)
	for i := range vectors {
		for f, limit := uint32(0), 600; f < 400; f++ {
			if r.IntN(limit) < 600/(10+int(f)) {
				vectors[i].Index = append(vectors[i].Index, f)
				vectors[i].Value = append(vectors[i].Value, 0.1+r.Float32())
			}
		}
		if vectors[i].Index == nil {
			vectors[i].Index, vectors[i].Value = []uint32{0}, []float32{1}
		}
	}
	return vectors
}

// Nearest and Unique leave most of the corpus aside. They must say what a look at all of it says, at every threshold.
func TestNearestAndUniqueAgreeWithAFullSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var docs []risk.ReferenceDocument
	for i := range 30 {
		docs = append(docs, risk.ReferenceDocument{ID: fmt.Sprint(i), Vectors: randomVectors(r, 20)})
	}
	asked := randomVectors(r, 150)
	for _, d := range docs[:10] {
		asked = append(asked, d.Vectors...)
	}
	asked = append(asked, risk.Vector{Index: []uint32{}, Value: []float32{}}, risk.Vector{Index: []uint32{999}, Value: []float32{1}})
	for _, share := range []float64{0, 0.05, 0.3, 0.7, 0.99} {
		ref := risk.NewReference("test", "m", docs, share)
		unique := 0
		for i, v := range asked {
			own := fmt.Sprint(i % 40)
			nearest := 0.0
			for _, d := range docs {
				for _, w := range d.Vectors {
					if d.ID != own {
						nearest = max(nearest, risk.Cosine(v, w))
					}
				}
			}
			if got := ref.Nearest(v, own); math.Abs(got-nearest) > 1e-6 {
				t.Errorf("share %v, context %d: nearest is %v, want %v", share, i, got, nearest)
			}
			got, want := ref.Unique(v, own), ref.Nearest(v, own) < ref.Threshold
			if got != want {
				t.Errorf("share %v, context %d: unique is %v, nearest says %v", share, i, got, want)
			}
			if want {
				unique++
			}
		}
		if unique == 0 || unique == len(asked) {
			t.Errorf("share %v: %d of %d are unique, which tests nothing", share, unique, len(asked))
		}
	}
}

// A context counts for what stands in it: the same words elsewhere in the text change nothing.
func TestVectorsDependOnTheContextAlone(t *testing.T) {
	part := "Herr [NAME_PATIENT:Maier] wurde am [DATE:3.4.2020] bei Pneumonie aufgenommen, aufgenommen wurde Herr [NAME_PATIENT:Maier] am Abend noch einmal. "
	gap := strings.Repeat("und so weiter ", 10)
	for _, l := range []risk.Lexical{{}, {Key: []byte("0123456789abcdef")}} {
		text, spans := marked(t, gap+part+gap)
		alone, err := l.Vectors(t.Context(), text, spans)
		if err != nil {
			t.Fatal(err)
		}
		text, spans = marked(t, gap+part+gap+"Frau [NAME_PATIENT:Zwölfer] "+gap+part+gap)
		twice, err := l.Vectors(t.Context(), text, spans)
		if err != nil {
			t.Fatal(err)
		}
		if len(alone) != 3 || len(twice) != 7 || !reflect.DeepEqual(alone, twice[:3]) || !reflect.DeepEqual(alone, twice[4:]) {
			t.Errorf("%s: the same contexts have other vectors in a longer text", l.Method())
		}
	}
}

// Of more contexts than are compared the share of the unique ones stands for all.
func TestUniqueContextsOfALongDocumentAreEstimated(t *testing.T) {
	for _, n := range []int{2000, 10_000} {
		var v vectors
		var spans []phi.Span
		for i := range n {
			x := dense(1, 0)
			if i%4 == 0 {
				x = dense(0, 1) // unlike anything in the corpus
			}
			v = append(v, x)
			spans = append(spans, phi.Span{Start: 2 * i, End: 2*i + 1, Type: phi.NamePatient})
		}
		ref := risk.NewReference("test", "given-1", []risk.ReferenceDocument{
			{ID: "a", Vectors: []risk.Vector{dense(1, 0)}}, {ID: "b", Vectors: []risk.Vector{dense(1, 0)}},
		}, 0)
		r, err := risk.Assess(t.Context(), risk.Record{Text: strings.Repeat("A ", n), Spans: spans}, risk.Config{Similarity: v, Reference: ref})
		if err != nil {
			t.Fatal(err)
		}
		// Every fifth of 10,000 is compared: of those, one in four is unique too.
		if got, _ := r.Value("unique-contexts"); got.Number != float64(n/4) {
			t.Errorf("%d contexts: %v are unique, want %d", n, got.Number, n/4)
		}
	}
}
