package risk_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/risk"
)

// marked reads a text with [TYPE:text] around entities.
func marked(t testing.TB, s string) (string, []phi.Span) {
	t.Helper()
	var b strings.Builder
	var spans []phi.Span
	for {
		open := strings.IndexByte(s, '[')
		if open < 0 {
			b.WriteString(s)
			return b.String(), spans
		}
		b.WriteString(s[:open])
		end := strings.IndexByte(s, ']')
		label, text, ok := strings.Cut(s[open+1:end], ":")
		typ, known := phi.ParseType(label)
		if !ok || !known {
			t.Fatalf("bad mark-up %q", s[open:end])
		}
		start := b.Len()
		b.WriteString(text)
		spans = append(spans, phi.Span{Start: start, End: b.Len(), Type: typ})
		s = s[end+1:]
	}
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-7 {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestWindowsTakeFiveWordsOnEachSide(t *testing.T) {
	text, spans := marked(t, "eins zwei drei vier fünf sechs [NAME_PATIENT:Anna Stein] a b c d e f, [DATE:1.2.2020].")
	got := risk.Windows(text, spans)
	want := []string{"zwei drei vier fünf sechs Anna Stein a b c d e", "b c d e f, 1.2.2020"}
	for i, w := range got {
		if text[w[0]:w[1]] != want[i] {
			t.Errorf("context %d = %q, want %q", i, text[w[0]:w[1]], want[i])
		}
	}
}

func TestCoOccurrenceAndRelationByHand(t *testing.T) {
	// Name-date (0.8) twice: the date stands between both names, each within five words; name-name (0.4) once,
	// because the second name is the fifth token behind the first.
	text, spans := marked(t, "[NAME_PATIENT:Anna] geboren am [DATE_BIRTHDATE:1.2.1960] wurde [NAME_STAFF:Koch] eins zwei drei vier fünf sechs [ID_PATIENT:4711]")
	pairs := risk.CoOccurrences(text, spans)
	want := map[risk.Pair]int{
		risk.PairOf(phi.NamePatient, phi.DateBirthdate): 1,
		risk.PairOf(phi.NameStaff, phi.DateBirthdate):   1,
		risk.PairOf(phi.NamePatient, phi.NameStaff):     1,
	}
	if len(pairs) != len(want) {
		t.Fatalf("pairs = %v", pairs)
	}
	for p, n := range want {
		if pairs[p] != n {
			t.Errorf("pair %v = %d, want %d", p, pairs[p], n)
		}
	}
	counts := map[phi.Type]int{phi.NamePatient: 1, phi.DateBirthdate: 1, phi.NameStaff: 1, phi.IDPatient: 1}
	near(t, "relation", risk.Relation(counts, pairs, risk.DefaultWeights()), 1+(0.8+0.8+0.4)/3)
	near(t, "relation without pairs", risk.Relation(counts, nil, nil), 1)
	near(t, "relation of nothing", risk.Relation(nil, nil, nil), 0)
	near(t, "weight by type wins", risk.Relation(counts, map[risk.Pair]int{risk.PairOf(phi.NameStaff, phi.NamePatient): 2},
		map[risk.Pair]float64{risk.PairOf(phi.NamePatient, phi.NameStaff): 0.25, risk.PairOf(phi.Name, phi.Name): 1}), 1.25)
}

func TestLeakProbabilityByHand(t *testing.T) {
	counts := map[phi.Type]int{phi.NamePatient: 8, phi.IDPatient: 1, phi.DateDate: 50}
	recall := map[phi.Type]float64{phi.NamePatient: 0.8, phi.ID: 0.5}
	// 8 x 0.2/0.8 + 1 x 0.5/0.5 = 3; dates are no direct identifiers.
	near(t, "leak", risk.LeakProbability(counts, recall, risk.Direct), 1-math.Exp(-3))
	near(t, "nothing found", risk.LeakProbability(nil, recall, risk.Direct), 0)
	near(t, "default", risk.LeakProbability(map[phi.Type]int{phi.ContactEmail: 19}, nil, risk.Direct), 1-math.Exp(-1))
}

func TestJointByHand(t *testing.T) {
	q := risk.Quasi{Age: true, Sex: true}
	near(t, "joint", risk.Joint(0.5, 0.7, q), 1-0.5*(1-0.2))
	near(t, "only leak", risk.Joint(0.25, 0, q), 0.25)
	near(t, "nothing", risk.Joint(0, 1, risk.Quasi{}), 0)
}

func TestAssessWithoutReferenceSaysSo(t *testing.T) {
	text, spans := marked(t, "Herr [NAME_PATIENT:Maier] wurde am [DATE:3.4.2020] aufgenommen.")
	r, err := risk.Assess(t.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"risk-score", "frs", "unique-contexts"} {
		if v, ok := r.Value(code); !ok || v.Absent != risk.NotPerformed {
			t.Errorf("%s = %+v, want not-performed", code, v)
		}
	}
	if v, _ := r.Value("count-NAME_PATIENT"); v.Number != 1 {
		t.Errorf("count = %+v", v)
	}
	if v, _ := r.Value("ef-coweight"); math.Abs(v.Number-1.8) > 1e-9 {
		t.Errorf("ef-coweight = %+v, want 1.8", v)
	}
}

// vectors is a Similarity with given vectors.
type vectors []risk.Vector

func (vectors) Method() string { return "given-1" }
func (v vectors) Vectors(context.Context, string, []phi.Span) ([]risk.Vector, error) {
	return v, nil
}

func dense(x ...float32) risk.Vector { return risk.Vector{Value: x} }

func TestAssessCountsUniqueContexts(t *testing.T) {
	text, spans := marked(t, "[NAME_PATIENT:A] [NAME_PATIENT:B] [DATE:C] [DATE:D]")
	ref := risk.NewReference("test", "given-1", []risk.ReferenceDocument{
		{ID: "own", Vectors: []risk.Vector{dense(0, 0, 1)}},
		{ID: "other", Vectors: []risk.Vector{dense(1, 0, 0)}},
	}, 0)
	given := vectors{dense(1, 0, 0), dense(1, 1, 0), dense(0, 1, 0), dense(0, 0, 1)} // 1, 0.71, 0 and 0 against "other"
	r, err := risk.Assess(t.Context(), risk.Record{ID: "own", Text: text, Spans: spans}, risk.Config{Similarity: given, Reference: ref})
	if err != nil {
		t.Fatal(err)
	}
	score, _ := r.Value("risk-score")
	near(t, "risk-score", score.Number, 50)
	// Pairs AB, AC, AD, BC, BD, CD: name-name 0.4, four name-date 0.8, date-date 0.1 -> 1 + 3.7/6.
	frs, _ := r.Value("frs")
	near(t, "frs", frs.Number, (1+3.7/6)*50)
	if r.Level != risk.Red {
		t.Errorf("level = %v, want red: frs is above 50", r.Level)
	}
	if len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0], "frs") {
		t.Errorf("reasons = %q", r.Reasons)
	}
}

func TestFRSIsCapped(t *testing.T) {
	text, spans := marked(t, "[NAME_PATIENT:A] [ID_PATIENT:B]")
	ref := risk.NewReference("test", "given-1", []risk.ReferenceDocument{{ID: "x", Vectors: []risk.Vector{dense(1, 0)}}, {ID: "y"}}, 0)
	r, err := risk.Assess(t.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{Similarity: vectors{dense(0, 1), dense(0, 1)}, Reference: ref})
	if err != nil {
		t.Fatal(err)
	}
	frs, _ := r.Value("frs")
	near(t, "frs", frs.Number, 100)
}

func TestGateIsRedWhateverTheNumbers(t *testing.T) {
	for name, gate := range map[string]risk.Gate{"leak": {Leaks: 1}, "unread": {Unread: 1}, "failed": {Failed: true}} {
		r, err := risk.Assess(t.Context(), risk.Record{Text: "ohne Befund", Gate: gate}, risk.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Level != risk.Red || len(r.Reasons) != 1 {
			t.Errorf("%s: level %v, reasons %q", name, r.Level, r.Reasons)
		}
	}
	r, err := risk.Assess(t.Context(), risk.Record{Text: "ohne Befund"}, risk.Config{})
	if err != nil || r.Level != risk.Green || len(r.Reasons) != 0 {
		t.Errorf("clean: %v %q %v", r.Level, r.Reasons, err)
	}
}

func TestThresholdBorders(t *testing.T) {
	// 25 and 50 percent are yellow; the joint score is the leak probability here.
	for _, c := range []struct {
		recall float64
		want   risk.Level
	}{{0.99, risk.Green}, {1 / (1 - math.Log(0.7)), risk.Yellow}, {0.5, risk.Red}} {
		text, spans := marked(t, "[ID_PATIENT:1]")
		r, err := risk.Assess(t.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{Recall: map[phi.Type]float64{phi.IDPatient: c.recall}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Level != c.want {
			v, _ := r.Value("joint-score")
			t.Errorf("recall %v: %v at %v, want %v", c.recall, r.Level, v.Number, c.want)
		}
	}
}

type broken struct{}

func (broken) Embed(context.Context, string, [][2]int) ([][]float32, error) { return nil, errBroken }

type short struct{}

func (short) Embed(context.Context, string, [][2]int) ([][]float32, error) {
	return [][]float32{{1}}, nil
}

var errBroken = errors.New("model gone")

func TestAssessFailsWithTheSimilarity(t *testing.T) {
	text, spans := marked(t, "[NAME_PATIENT:A] und [NAME_PATIENT:B]")
	for _, c := range []struct {
		e    risk.Encoder
		want error
	}{{broken{}, errBroken}, {short{}, risk.ErrEncoder}} {
		ref := risk.NewReference("test", "m-1", []risk.ReferenceDocument{{ID: "x"}, {ID: "y"}}, 0)
		_, err := risk.Assess(t.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{Similarity: risk.Embedding("m-1", c.e), Reference: ref})
		if !errors.Is(err, c.want) {
			t.Errorf("err = %v, want %v", err, c.want)
		}
	}
}

func TestReferenceOfAnotherMethodIsNotUsed(t *testing.T) {
	ref := risk.NewReference("test", "other-1", []risk.ReferenceDocument{{ID: "x"}, {ID: "y"}}, 0)
	text, spans := marked(t, "[NAME_PATIENT:A]")
	r, err := risk.Assess(t.Context(), risk.Record{Text: text, Spans: spans}, risk.Config{Reference: ref})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := r.Value("risk-score"); v.Absent != risk.NotPerformed {
		t.Errorf("risk-score = %+v", v)
	}
}
