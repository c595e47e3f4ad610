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
// gives clear answers instead of slow ones. A request has a seat from its first to its last byte, and a place to work only
// while it works: a client that sends or reads slowly keeps nobody from working.
type gate struct {
	seats   atomic.Int64
	limit   int64
	working chan struct{}
}

func newGate(concurrent, queue int) *gate {
	return &gate{limit: int64(concurrent + queue), working: make(chan struct{}, concurrent)}
}

// sit takes a seat; stand gives it back.
func (g *gate) sit() error {
	if g.seats.Add(1) > g.limit {
		g.seats.Add(-1)
		return errBusy
	}
	return nil
}

func (g *gate) stand() { g.seats.Add(-1) }

// enter waits for a place to work; leave must be called when it gives nil.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.working }

// pool is the memory that the bodies of all requests share.
type pool struct {
	used  atomic.Int64
	limit int64 // 0: none
}

// share is what one request holds of a pool.
type share struct {
	pool  *pool
	bytes int64
}

// take adds to a share; errBusy says that the pool is used up.
func (s *share) take(bytes int64) error {
	s.bytes += bytes
	if used := s.pool.used.Add(bytes); s.pool.limit > 0 && used > s.pool.limit {
		return errBusy
	}
	return nil
}

func (s *share) giveBack() {
	s.pool.used.Add(-s.bytes)
	s.bytes = 0
}

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
	if since := now.Sub(r.swept); since > rateMemory || since < 0 { // the clock may be set back
		for name, c := range r.clients {
			if idle := now.Sub(c.used); idle > rateMemory || idle < -rateMemory {
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
