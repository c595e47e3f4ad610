package risk_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"fhirdeid/risk"
)

func TestMeasureByHand(t *testing.T) {
	rows := []risk.Row{
		{Group: "p1", Quasi: []string{"40-49", "f", "101"}, Sensitive: "teacher"},
		{Group: "p2", Quasi: []string{"40-49", "f", "101"}, Sensitive: "nurse"},
		{Group: "p2", Quasi: []string{"40-49", "f", "101"}, Sensitive: "nurse"}, // one person twice
		{Group: "p3", Quasi: []string{"80-89", "m", "990"}, Sensitive: "nurse"},
	}
	m, err := risk.Measure(rows)
	if err != nil {
		t.Fatal(err)
	}
	if m.K != 1 || m.L != 1 || m.Classes != 2 {
		t.Errorf("k %d, l %d, classes %d; want 1, 1, 2", m.K, m.L, m.Classes)
	}
	near(t, "unicity", m.Unicity, 0.5)
	near(t, "likelihood", m.Likelihood, (1.0/3+1.0/3+1.0/3+1)/4)
	// Smoothed by 0.5: corpus nurse 3.5/5, teacher 1.5/5; class of p3 nurse 1.5/2, teacher 0.5/2;
	// class of p1 and p2 nurse 2.5/4, teacher 1.5/4.
	p3 := 0.75*math.Log(0.75/0.7) + 0.25*math.Log(0.25/0.3)
	p12 := 0.625*math.Log(0.625/0.7) + 0.375*math.Log(0.375/0.3)
	near(t, "t", m.T, max(p3, p12))
	m, err = risk.Measure(rows[:3])
	if err != nil || m.K != 2 || m.L != 2 || m.Unicity != 0 || m.T != 0 {
		t.Errorf("one class: %+v, %v", m, err)
	}
	if _, err := risk.Measure(nil); !errors.Is(err, risk.ErrEmpty) {
		t.Errorf("err = %v", err)
	}
}

func TestClusters(t *testing.T) {
	got := risk.Clusters([]risk.Vector{dense(1, 0), dense(0, 1), dense(1, 0.1), dense(0.1, 1), dense(1, 1)}, 0.9)
	if !reflect.DeepEqual(got, []int{0, 1, 0, 1, 2}) {
		t.Errorf("clusters = %v", got)
	}
}

func TestCorpusScore(t *testing.T) {
	if got := risk.CorpusScore([]int{1, 0, 4}, 20); !reflect.DeepEqual(got, []float64{5, 0, 20}) {
		t.Errorf("scores = %v", got)
	}
}
