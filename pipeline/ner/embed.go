package ner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// Encoder gives the last hidden states of a model: one row of Width numbers for each id.
type Encoder interface {
	Width() int
	Encode(ctx context.Context, ids []int64) ([]float32, error)
}

// Windows gives the ids of the windows in which the ensemble reads a text, in order.
func (e *Ensemble) Windows(text string) ([][]int64, error) {
	var list [][]int64
	for _, c := range chunks(text) {
		tokens, windows, err := e.plan(text, c)
		if err != nil {
			return nil, err
		}
		for _, w := range windows {
			ids := make([]int64, 0, w.to-w.from)
			for _, t := range tokens[w.from:w.to] {
				ids = append(ids, t.ID)
			}
			list = append(list, ids)
		}
	}
	return list, nil
}

// plan tokenizes a chunk and cuts it into windows. Offsets of the tokens are those of the text.
func (e *Ensemble) plan(text string, c chunk) ([]Token, []window, error) {
	part := text[c.from:c.to]
	tokens, err := e.Tokenizer.Tokenize(part)
	if err != nil {
		return nil, nil, err
	}
	if err := settleTokens(part, tokens); err != nil {
		return nil, nil, err
	}
	windows := cut(placesOf(part, tokens), e.Window, e.Overlap)
	for i := range tokens {
		tokens[i].Start += c.from
		tokens[i].End += c.from
	}
	return tokens, windows, nil
}

// Embed gives for each range of bytes the mean of the hidden states of its tokens, read in their context. A range
// without any token gets nil.
func (e *Ensemble) Embed(ctx context.Context, pool *Pool, encoder Encoder, text string, ranges []Stretch) ([][]float32, error) {
	if !utf8.ValidString(text) {
		return nil, ErrText
	}
	for _, r := range ranges {
		if r.Start < 0 || r.Start > r.End || r.End > len(text) {
			return nil, fmt.Errorf("%w: a range lies outside of the text", ErrText)
		}
	}
	if err := pool.enter(ctx); err != nil {
		return nil, err
	}
	defer pool.leave()
	m := newMeans(ranges, encoder.Width())
	for _, c := range chunks(text) {
		if err := e.embedChunk(ctx, pool, encoder, text, c, m); err != nil {
			return nil, err
		}
	}
	return m.finish(), nil
}

func (e *Ensemble) embedChunk(ctx context.Context, pool *Pool, encoder Encoder, text string, c chunk, m *means) error {
	if !m.within(c.start, c.end) {
		return nil
	}
	tokens, windows, err := e.plan(text, c)
	if err != nil {
		return err
	}
	rows := make([][]float32, len(windows))
	group, shared := errgroup.WithContext(ctx)
	group.SetLimit(pool.workers)
	for i, w := range windows {
		mine := tokens[w.first:w.last]
		if shared.Err() != nil || len(mine) == 0 || !m.within(mine[0].Start, mine[len(mine)-1].End) {
			continue
		}
		group.Go(func() error {
			return pool.do(shared, func() error {
				ids := make([]int64, 0, w.to-w.from)
				for _, t := range tokens[w.from:w.to] {
					ids = append(ids, t.ID)
				}
				hidden, err := encoder.Encode(shared, ids)
				if err == nil && len(hidden) != len(ids)*encoder.Width() {
					err = ErrScores
				}
				rows[i] = hidden
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, w := range windows {
		if rows[i] == nil {
			continue
		}
		for j := w.first; j < w.last; j++ {
			if t := tokens[j]; t.Start >= c.start && t.Start < c.end && t.End > t.Start {
				m.add(t, rows[i][(j-w.from)*m.width:(j-w.from+1)*m.width])
			}
		}
	}
	return nil
}

// means sums rows by range.
type means struct {
	width  int
	ranges []Stretch
	order  []int // of the ranges, by start
	ends   []int // ends[i]: the greatest end among the first i+1 in order
	sums   [][]float64
	counts []int
}

func newMeans(ranges []Stretch, width int) *means {
	m := &means{width: width, ranges: ranges, sums: make([][]float64, len(ranges)), counts: make([]int, len(ranges))}
	for i := range ranges {
		m.order = append(m.order, i)
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(ranges[a].Start, ranges[b].Start) })
	for i, r := range m.order {
		m.ends = append(m.ends, ranges[r].End)
		if i > 0 {
			m.ends[i] = max(m.ends[i], m.ends[i-1])
		}
	}
	return m
}

// touching gives the part of order whose ranges may share a byte with start to end.
func (m *means) touching(start, end int) []int {
	from, _ := slices.BinarySearchFunc(m.ends, start+1, cmp.Compare[int])
	to, _ := slices.BinarySearchFunc(m.order, end, func(r, at int) int { return cmp.Compare(m.ranges[r].Start, at) })
	if from >= to {
		return nil
	}
	return m.order[from:to]
}

func (m *means) within(start, end int) bool {
	return slices.ContainsFunc(m.touching(start, end), func(r int) bool {
		return m.ranges[r].Start < end && start < m.ranges[r].End
	})
}

func (m *means) add(t Token, row []float32) {
	for _, r := range m.touching(t.Start, t.End) {
		if m.ranges[r].End <= t.Start {
			continue
		}
		if m.sums[r] == nil {
			m.sums[r] = make([]float64, m.width)
		}
		for i, x := range row {
			m.sums[r][i] += float64(x)
		}
		m.counts[r]++
	}
}

func (m *means) finish() [][]float32 {
	out := make([][]float32, len(m.ranges))
	for r, sum := range m.sums {
		if m.counts[r] == 0 {
			continue
		}
		out[r] = make([]float32, m.width)
		for i, x := range sum {
			out[r][i] = float32(x / float64(m.counts[r]))
		}
	}
	return out
}
