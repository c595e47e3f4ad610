package ner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"fhirdeid/pipeline"
)

// lower is a trunk: chance, whose states are the ids. It counts the windows it reads.
type lower struct {
	chance
	windows *atomic.Int64
}

func (l lower) TagTrunk(ctx context.Context, ids []int64) (logits, states []float32, err error) {
	l.windows.Add(1)
	for _, id := range ids {
		states = append(states, float32(id>>16), float32(id&0xffff))
	}
	logits, err = l.Tag(ctx, ids)
	return logits, states, err
}

// upper is a branch on it, with scores of its own. It counts the windows that it must begin by itself.
type upper struct {
	chance
	on    Trunk
	alone *atomic.Int64
}

func (u upper) Trunk() Trunk { return u.on }

func (u upper) TagFrom(ctx context.Context, states []float32) ([]float32, error) {
	var ids []int64
	for i := 0; i < len(states); i += 2 {
		ids = append(ids, int64(states[i])<<16|int64(states[i+1]))
	}
	return u.chance.Tag(ctx, ids)
}

func (u upper) Tag(ctx context.Context, ids []int64) ([]float32, error) {
	u.alone.Add(1)
	_, states, err := u.on.TagTrunk(ctx, ids)
	if err != nil {
		return nil, err
	}
	return u.TagFrom(ctx, states)
}

// A branch finds what it would find if it read the ids, and its trunk reads no window twice, whether one pack is at work
// or two that share their taggers, in short texts and in those of many windows.
func TestBranchGoesOnFromTrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.SampledFrom(hostile).Draw(t, "piece"), rapid.IntRange(1, 400).Draw(t, "times")) +
			rapid.StringOfN(rapid.RuneFrom([]rune("ABab ü-\n.1")), 0, 60, -1).Draw(t, "end")
		seed, quiet := rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(t, "quiet")
		packs := rapid.IntRange(1, 2).Draw(t, "packs")
		var windows, alone atomic.Int64
		super, sub := chance{chanceClasses, seed, 3}, chance{chanceClasses, seed ^ 77, 3}
		trunk := &lower{super, &windows}
		branch := &upper{sub, trunk, &alone}
		detect := func(only Role, super, sub Tagger) []string {
			var ensembles []*Ensemble
			for i := range packs {
				ensembles = append(ensembles, &Ensemble{
					Name: fmt.Sprint("ner.", i), Tokenizer: every(3), Window: 20, Overlap: 6,
					Superclass: super, Subclass: sub, Decision: Decision{Quiet: quiet},
				})
			}
			d, err := NewDetector(Options{Pool: NewPool(2, 0), Only: only}, ensembles...)
			if err != nil {
				t.Fatal(err)
			}
			spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text})
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, s := range spans {
				list = append(list, fmt.Sprint(s.Start, s.End, s.Type, s.Score, s.Source))
			}
			return list
		}
		if got, want := detect(Both, trunk, branch), detect(Both, &super, &sub); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		if alone.Load() > 0 {
			t.Fatalf("%q: the branch began %d windows by itself", text, alone.Load())
		}
		both := windows.Swap(0)
		detect(SuperclassOnly, trunk, branch)
		if windows.Load() != 0 {
			t.Fatalf("%q: states of %d windows that nobody takes", text, windows.Load())
		}
		if got, want := detect(SubclassOnly, trunk, branch), detect(SubclassOnly, &super, &sub); !slices.Equal(got, want) {
			t.Fatalf("%q: alone %v, want %v", text, got, want)
		}
		if windows.Load() != both || alone.Load() != both {
			t.Fatalf("%q: %d windows with the trunk, %d without, %d of them begun", text, both, windows.Load(), alone.Load())
		}
	})
}
