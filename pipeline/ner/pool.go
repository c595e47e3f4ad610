package ner

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Pool shares the machine among all documents of all requests: so many windows are scored at a time, so many documents
// are read at a time, so many may wait. Windows are served in the order of their arrival. A Pool is safe for concurrent
// use; one serves all detectors of a process.
type Pool struct {
	workers   int
	windows   *semaphore.Weighted
	documents *semaphore.Weighted
	queue     int64
	inside    atomic.Int64
}

// NewPool makes a pool that scores workers windows at a time (0: one for each core) and lets at most queue documents
// wait (0: 1,024).
func NewPool(workers, queue int) *Pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if queue <= 0 {
		queue = 1024
	}
	reading := 2 * workers
	return &Pool{
		workers: workers, windows: semaphore.NewWeighted(int64(workers)),
		documents: semaphore.NewWeighted(int64(reading)), queue: int64(queue + reading),
	}
}

// Workers is how many windows are scored at a time.
func (p *Pool) Workers() int { return p.workers }

// enter waits until the document may be read; leave must follow. It fails at once when too many wait.
func (p *Pool) enter(ctx context.Context) error {
	if p.inside.Add(1) > p.queue {
		p.inside.Add(-1)
		return ErrBusy
	}
	if err := p.documents.Acquire(ctx, 1); err != nil {
		p.inside.Add(-1)
		return err
	}
	return nil
}

func (p *Pool) leave() {
	p.documents.Release(1)
	p.inside.Add(-1)
}

// do runs one piece of work when its turn comes. Work that panics fails with ErrBroken: it runs in goroutines of its own,
// where a panic would end the program and print what the text holds.
func (p *Pool) do(ctx context.Context, work func() error) (err error) {
	if err := p.windows.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.windows.Release(1)
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if recover() != nil {
			err = ErrBroken
		}
	}()
	return work()
}
