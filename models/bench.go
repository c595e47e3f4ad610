package models

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

// Rate is what a benchmark measured.
type Rate struct {
	Documents  int           `json:"documents"`
	Characters int           `json:"characters"` // code points
	Words      int           `json:"words"`      // parted by white space
	Tokens     int           `json:"tokens"`     // that one tagger scored, overlaps included
	Took       time.Duration `json:"took"`
	Bare       time.Duration `json:"bare"` // for the models alone, on the same windows
	// Processor is the time that all cores together spent on Took: what counts on a machine with other work.
	Processor time.Duration `json:"processor"`
}

// Sentences is the rate in sentences of 20 words a second.
func (r Rate) Sentences() float64 { return float64(r.Words) / 20 / r.Took.Seconds() }

// CharactersPerSecond is the rate in code points.
func (r Rate) CharactersPerSecond() float64 { return float64(r.Characters) / r.Took.Seconds() }

// OfBare is the share of the bare models' rate that remains with everything around them.
func (r Rate) OfBare() float64 { return r.Bare.Seconds() / r.Took.Seconds() }

// Bench reads the texts once with all that Detect does, workers at a time, and scores the same windows once with the
// models alone.
func (p *Pack) Bench(ctx context.Context, texts []string, workers int) (Rate, error) {
	if len(texts) == 0 || workers < 1 {
		return Rate{}, errors.New("nothing to measure")
	}
	r := Rate{Documents: len(texts)}
	var windows [][]int64
	for _, text := range texts {
		list, err := p.ensemble.Windows(text)
		if err != nil {
			return Rate{}, err
		}
		windows = append(windows, list...)
		for _, w := range list {
			r.Tokens += len(w)
		}
		c, w := measure(text)
		r.Characters += c
		r.Words += w
	}
	// The second reading of capitals would score windows that the bare run does not.
	d, err := p.Detector(ner.Options{Pool: ner.NewPool(workers, len(texts)), NoSecondReading: true})
	if err != nil {
		return Rate{}, err
	}
	// The first runs of a model allocate what later ones use again.
	for _, ids := range windows[:min(len(windows), 2*workers)] {
		if err := p.score(ctx, ids); err != nil {
			return Rate{}, err
		}
	}
	start, spent := time.Now(), processor()
	if err := each(ctx, workers, texts, func(ctx context.Context, text string) error {
		_, err := d.Detect(ctx, &pipeline.Document{Text: text, Language: p.Manifest.Languages[0]})
		return err
	}); err != nil {
		return Rate{}, err
	}
	r.Took, r.Processor = time.Since(start), processor()-spent
	start = time.Now()
	err = each(ctx, workers, windows, p.score)
	r.Bare = time.Since(start)
	return r, err
}

// score runs the models of the pack on one window and throws the scores away.
func (p *Pack) score(ctx context.Context, ids []int64) error {
	for _, role := range []string{Superclass, Subclass} {
		if s := p.sessions[role]; s != nil {
			if _, err := s.Tag(ctx, ids); err != nil {
				return err
			}
		}
	}
	return nil
}

// Windows gives the ids that the models see when they read a text, with the marks around each window.
func (p *Pack) Windows(text string) ([][]int64, error) {
	windows, err := p.ensemble.Windows(text)
	if err != nil {
		return nil, err
	}
	before, behind, err := p.frame()
	for i, w := range windows {
		windows[i] = slices.Concat(before, w, behind)
	}
	return windows, err
}

// processor is the time that the process has used of all cores, or 0 where it cannot be known.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func each[T any](ctx context.Context, workers int, items []T, do func(context.Context, T) error) error {
	group, shared := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, item := range items {
		group.Go(func() error { return do(shared, item) })
	}
	return group.Wait()
}

func measure(text string) (characters, words int) {
	inside := false
	for _, r := range text {
		characters++
		space := r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\u00a0'
		if !space && !inside {
			words++
		}
		inside = !space
	}
	return characters, words
}

// Languages lists the languages of the packs, each once, in their order.
func Languages(packs ...*Pack) []phi.Language {
	var list []phi.Language
	seen := map[phi.Language]bool{}
	for _, p := range packs {
		for _, l := range p.Manifest.Languages {
			if !seen[l] {
				seen[l] = true
				list = append(list, l)
			}
		}
	}
	return list
}
