package risk_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/risk"
)

func TestCosine(t *testing.T) {
	sparse := func(i []uint32, v ...float32) risk.Vector { return risk.Vector{Index: i, Value: v} }
	for _, c := range []struct {
		a, b risk.Vector
		want float64
	}{
		{dense(3, 4), dense(3, 4), 1},
		{dense(1, 0), dense(0, 1), 0},
		{dense(1, 0), dense(-2, 0), -1},
		{dense(3, 4), dense(4, 3), 0.96},
		{dense(0, 0), dense(1, 1), 0},
		{sparse([]uint32{1, 7}, 3, 4), sparse([]uint32{1, 9}, 3, 4), 0.36},
		{sparse([]uint32{1}, 1), dense(1), 0},
	} {
		near(t, "cosine", risk.Cosine(c.a, c.b), c.want)
		near(t, "cosine turned", risk.Cosine(c.b, c.a), c.want)
	}
}

func TestLexicalSeesMeaningAndNotTheSurrogate(t *testing.T) {
	vector := func(s string, key []byte) risk.Vector {
		text, spans := marked(t, s)
		v, err := risk.Lexical{Key: key}.Vectors(t.Context(), text, spans)
		if err != nil || len(v) != 1 {
			t.Fatalf("%d vectors, %v", len(v), err)
		}
		return v[0]
	}
	a := vector("Wir berichten über unseren Patienten Herrn [NAME_PATIENT:Kurt Maier], der sich vorstellte.", nil)
	b := vector("Wir berichten über unseren Patienten Herrn [NAME_PATIENT:Otto Wagner], der sich vorstellte.", nil)
	c := vector("Wir berichten über unsere Patientin Frau [NAME_PATIENT:Eva Wagner], die sich vorstellte.", nil)
	d := vector("CT abdomen shows hepatic cyst as described by [NAME_STAFF:Dr. Low] previously, stable size.", nil)
	near(t, "same words", risk.Cosine(a, b), 1)
	if x := risk.Cosine(a, c); x < 0.4 || x >= 1 {
		t.Errorf("inflected words: %v", x)
	}
	if x := risk.Cosine(a, d); x > 0.1 {
		t.Errorf("unrelated: %v", x)
	}
	one, two := vector("Herr [NAME_PATIENT:Maier] kam", []byte("1")), vector("Herr [NAME_PATIENT:Maier] kam", []byte("2"))
	if reflect.DeepEqual(one.Index, two.Index) {
		t.Error("the key does not matter")
	}
}

func TestCalibratedThresholdCallsTheShareUnique(t *testing.T) {
	// Nine documents share one context, the tenth has one of its own.
	var docs []risk.ReferenceDocument
	for i := range 9 {
		docs = append(docs, risk.ReferenceDocument{ID: fmt.Sprint(i), Vectors: []risk.Vector{{Index: []uint32{1, 2}, Value: []float32{1, 1}}}})
	}
	odd := risk.Vector{Index: []uint32{1, 5, 6, 7}, Value: []float32{1, 1, 1, 1}}
	docs = append(docs, risk.ReferenceDocument{ID: "odd", Vectors: []risk.Vector{odd}})
	r := risk.NewReference("test", "m", docs, 0.10)
	if r.Unique(docs[0].Vectors[0], "0") {
		t.Error("a shared context is unique")
	}
	if !r.Unique(odd, "odd") {
		t.Errorf("a lonely context is not unique: nearest %v threshold %v", r.Nearest(odd, "odd"), r.Threshold)
	}
	if r.Unique(odd, "elsewhere") {
		t.Error("the context of another document was not seen")
	}
}

func TestDenseReferenceIsCentred(t *testing.T) {
	// All vectors share a large component; raw cosines lie above 0.9 for unlike contexts too.
	docs := []risk.ReferenceDocument{
		{ID: "a", Vectors: []risk.Vector{dense(10, 1, 0)}},
		{ID: "b", Vectors: []risk.Vector{dense(10, -1, 0)}},
		{ID: "c", Vectors: []risk.Vector{dense(10, 1, 0.1), dense(10, -1, -0.1)}},
	}
	if risk.Cosine(docs[0].Vectors[0], docs[1].Vectors[0]) < 0.9 {
		t.Fatal("the test is not about close vectors")
	}
	r := risk.NewReference("test", "m", docs, 0.10)
	near(t, "opposite direction", r.Nearest(dense(10, 0, 3), "none"), risk.Cosine(dense(0, 0, 3), dense(0, 1, 0.1)))
	near(t, "plain variant", risk.NewReference("test", "m", docs, 0).Threshold, risk.PlainThreshold)
}

func TestTooFewDocumentsMakeNoReference(t *testing.T) {
	if risk.NewReference("test", "m", []risk.ReferenceDocument{{ID: "a"}}, 0.1) != nil {
		t.Error("one document became a corpus")
	}
}

func TestVectorsRoundTrip(t *testing.T) {
	in := []risk.Vector{dense(1, -2.5, 0), {Index: []uint32{0, 3, 1 << 31}, Value: []float32{0.5, 1, 2}}, {Index: []uint32{}, Value: []float32{}}}
	out, err := risk.ParseVectors(risk.AppendVectors(nil, in))
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Fatalf("%v, %v", out, err)
	}
}

func FuzzParseVectors(f *testing.F) {
	f.Add(risk.AppendVectors(nil, []risk.Vector{dense(1, 2), {Index: []uint32{3, 9}, Value: []float32{1, 1}}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := risk.ParseVectors(b)
		if err != nil {
			return
		}
		again, err := risk.ParseVectors(risk.AppendVectors(nil, v))
		if err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("not the same after a round: %v", err)
		}
	})
}

// BenchmarkAssess compares letters of several lengths with a corpus of 50 letters of 9 KB.
func BenchmarkAssess(b *testing.B) {
	letter := func(size int) (string, []phi.Span) {
		var s strings.Builder
		for i := 0; s.Len() < size; i++ {
			fmt.Fprintf(&s, "Herr [NAME_PATIENT:Maier] wurde am [DATE:3.4.2020] bei Pneumonie%d stationär aufgenommen und behandelt wegen w%d w%d w%d. ", i%97, i%313, i%211, i)
		}
		return marked(b, s.String())
	}
	text, spans := letter(9 << 10)
	v, err := risk.Lexical{}.Vectors(b.Context(), text, spans)
	if err != nil {
		b.Fatal(err)
	}
	var docs []risk.ReferenceDocument
	for i := range 50 {
		docs = append(docs, risk.ReferenceDocument{ID: fmt.Sprint(i), Vectors: v})
	}
	ref := risk.NewReference("bench", risk.Lexical{}.Method(), docs, 0.1)
	for _, size := range []int{9, 36, 90, 360} {
		b.Run(fmt.Sprintf("%dKB", size), func(b *testing.B) {
			text, spans := letter(size << 10)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := risk.Assess(b.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{Reference: ref}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzWindows(f *testing.F) {
	f.Add("Herr Maier kam am 3.4.", 5, 10)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		if start < 0 || end <= start || end > len(text) {
			return
		}
		spans := []phi.Span{{Start: start, End: end, Type: phi.Name}}
		w := risk.Windows(text, spans)
		if len(w) != 1 || w[0][0] > start || w[0][1] < end || w[0][0] < 0 || w[0][1] > len(text) {
			t.Fatalf("context %v does not hold the entity", w)
		}
	})
}
