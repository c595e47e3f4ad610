package models

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

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
	TextTokens int           `json:"textTokens"` // of the texts, each counted once
	Tokens     int           `json:"tokens"`     // that one tagger scored, overlaps included
	Took       time.Duration `json:"took"`
	Bare       time.Duration `json:"bare"` // for the models alone, on the same windows
	// Processor and BareProcessor are the times that all cores together spent on Took and Bare: what counts on a machine
	// with other work.
	Processor     time.Duration `json:"processor"`
	BareProcessor time.Duration `json:"bareProcessor"`
}

// Sentences is the rate in sentences of 20 words a second.
func (r Rate) Sentences() float64 { return float64(r.Words) / 20 / r.Took.Seconds() }

// TokenSentences is the rate in sentences of 20 tokens a second.
func (r Rate) TokenSentences() float64 { return float64(r.TextTokens) / 20 / r.Took.Seconds() }

// CharactersPerSecond is the rate in code points.
func (r Rate) CharactersPerSecond() float64 { return float64(r.Characters) / r.Took.Seconds() }

// OfBare is the share of the bare models' rate that remains with everything around them.
func (r Rate) OfBare() float64 { return r.Bare.Seconds() / r.Took.Seconds() }

// OfBareProcessor is the same by the time of the processor.
func (r Rate) OfBareProcessor() float64 { return r.BareProcessor.Seconds() / r.Processor.Seconds() }

// Bench reads the texts once with all that Detect does, workers at a time, and scores the same windows once with the
// models alone, which are not spared the quiet ones. Several short texts compare better than a long one.
func (p *Pack) Bench(ctx context.Context, texts []string, workers int) (Rate, error) {
	if len(texts) == 0 || workers < 1 {
		return Rate{}, errors.New("nothing to measure")
	}
	r := Rate{Documents: len(texts)}
	windows := make([][][]int64, len(texts))
	for i, text := range texts {
		list, err := p.ensemble.Windows(text)
		if err != nil {
			return Rate{}, err
		}
		tokens, err := p.tokenizer.Tokenize(text)
		if err != nil {
			return Rate{}, err
		}
		r.TextTokens += len(tokens)
		windows[i] = list
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
	for _, list := range windows[:min(len(windows), 2*workers)] {
		if err := each(ctx, workers, list, p.score); err != nil {
			return Rate{}, err
		}
	}
	// Both ways take turns, so that what else the machine does falls on both.
	read := func(ctx context.Context, text string) error {
		_, err := d.Detect(ctx, &pipeline.Document{Text: text, Language: p.Manifest.Languages[0]})
		return err
	}
	done := 0
	for turn, group := range slices.Collect(slices.Chunk(texts, 4*workers)) {
		var mine [][]int64
		for range group {
			mine = append(mine, windows[done]...)
			done++
		}
		whole := func() error {
			start, spent := time.Now(), processor()
			err := each(ctx, workers, group, read)
			r.Took, r.Processor = r.Took+time.Since(start), r.Processor+processor()-spent
			return err
		}
		bare := func() error {
			start, spent := time.Now(), processor()
			err := each(ctx, workers, mine, p.score)
			r.Bare, r.BareProcessor = r.Bare+time.Since(start), r.BareProcessor+processor()-spent
			return err
		}
		if turn%2 == 1 {
			whole, bare = bare, whole
		}
		if err := whole(); err != nil {
			return Rate{}, err
		}
		if err := bare(); err != nil {
			return Rate{}, err
		}
	}
	return r, nil
}

// Load is what many requests at once, or one long one, ask of a pack.
type Load struct {
	Bytes      int           `json:"bytes"`    // of one document
	Requests   int           `json:"requests"` // at once
	Documents  int           `json:"documents"`
	Characters int           `json:"characters"` // of all documents
	Took       time.Duration `json:"took"`
	Processor  time.Duration `json:"processor"`
	Mean       time.Duration `json:"mean"` // of one document
	Slowest    time.Duration `json:"slowest"`
	Resident   int64         `json:"resident"` // bytes of memory of the process, behind the run
	Peak       int64         `json:"peak"`     // and at most during it, where the system can tell
}

// CharactersPerSecond is the rate in code points.
func (l Load) CharactersPerSecond() float64 { return float64(l.Characters) / l.Took.Seconds() }

// BenchLoad lets so many requests at once read the text, each of them rounds times, with the pool that a server has.
func (p *Pack) BenchLoad(ctx context.Context, text string, requests, rounds, workers int) (Load, error) {
	if requests < 1 || rounds < 1 || workers < 1 {
		return Load{}, errors.New("nothing to measure")
	}
	d, err := p.Detector(ner.Options{Pool: ner.NewPool(workers, requests)})
	if err != nil {
		return Load{}, err
	}
	doc := &pipeline.Document{Text: text, Language: p.Manifest.Languages[0]}
	forgetPeak()
	l := Load{Bytes: len(text), Requests: requests, Documents: requests * rounds, Characters: requests * rounds * utf8.RuneCountInString(text)}
	took := make([]time.Duration, l.Documents)
	group, shared := errgroup.WithContext(ctx)
	start, spent := time.Now(), processor()
	for r := range requests {
		group.Go(func() error {
			for i := range rounds {
				begin := time.Now()
				if _, err := d.Detect(shared, doc); err != nil {
					return err
				}
				took[r*rounds+i] = time.Since(begin)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Load{}, err
	}
	l.Took, l.Processor = time.Since(start), processor()-spent
	for _, t := range took {
		l.Mean += t / time.Duration(len(took))
	}
	l.Slowest = slices.Max(took)
	l.Resident, l.Peak = Memory()
	return l, nil
}

// Memory gives the resident memory of the process in bytes, now and at most; 0 where the system does not tell.
func Memory() (now, peak int64) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			now = kb << 10
		case "VmHWM:":
			peak = kb << 10
		}
	}
	return now, peak
}

// forgetPeak lets the peak begin anew, where the system can.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// score runs the models of the pack on one window and throws the scores away.
func (p *Pack) score(ctx context.Context, ids []int64) error {
	super, sub := p.sessions[Superclass], p.sessions[Subclass]
	var states []float32
	if super != nil {
		var err error
		if _, states, err = super.TagTrunk(ctx, ids); err != nil {
			return err
		}
	}
	var err error
	switch {
	case sub == nil:
	case sub.trunk != nil:
		_, err = sub.TagFrom(ctx, states)
	default:
		_, err = sub.Tag(ctx, ids)
	}
	return err
}

// Windows gives the ids that the models see when they read a text, with the marks around each window.
func (p *Pack) Windows(text string) ([][]int64, error) {
	windows, err := p.ensemble.Windows(text)
	if err != nil {
		return nil, err
	}
	before, behind, err := p.frame(p.tokenizer)
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
