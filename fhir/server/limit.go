package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// errBusy says that more requests are waiting than may, or that one client asks too often.
var errBusy = errors.New("too many requests")

// gate lets a number of requests work at once and a number wait; the others are turned away at once, so that overload
// gives clear answers instead of slow ones.
type gate struct {
	working chan struct{}
	waiting atomic.Int64
	queue   int64
}

func newGate(concurrent, queue int) *gate {
	return &gate{working: make(chan struct{}, concurrent), queue: int64(queue)}
}

// enter waits for a place; leave must be called when it gives nil.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.working <- struct{}{}:
		return nil
	default:
	}
	if g.waiting.Add(1) > g.queue {
		g.waiting.Add(-1)
		return errBusy
	}
	defer g.waiting.Add(-1)
	select {
	case g.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.working }

// rates holds one limiter a client. Those that were not used for a while are forgotten.
type rates struct {
	limit rate.Limit
	burst int

	mu      sync.Mutex
	clients map[string]*clientRate
	swept   time.Time
}

type clientRate struct {
	limiter *rate.Limiter
	used    time.Time
}

const rateMemory = 10 * time.Minute

func newRates(perSecond float64, burst int) *rates {
	return &rates{limit: rate.Limit(perSecond), burst: max(1, burst), clients: map[string]*clientRate{}}
}

// allow says whether the client may ask now.
func (r *rates) allow(client string, now time.Time) bool {
	if r == nil || r.limit <= 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.swept) > rateMemory {
		for name, c := range r.clients {
			if now.Sub(c.used) > rateMemory {
				delete(r.clients, name)
			}
		}
		r.swept = now
	}
	c := r.clients[client]
	if c == nil {
		c = &clientRate{limiter: rate.NewLimiter(r.limit, r.burst)}
		r.clients[client] = c
	}
	c.used = now
	return c.limiter.AllowN(now, 1)
}
