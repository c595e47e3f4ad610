package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
	"fhirdeid/fhir/store"
)

// claims keeps idempotency keys in the store, as keyed hashes: clients make such keys of anything.
type claims struct {
	db  *store.DB
	key []byte

	mu        sync.Mutex
	forgotten time.Time
}

// claimLife is how long an idempotency key is remembered.
const claimLife = 24 * time.Hour

func newClaims(rt *program) (*claims, error) {
	key, err := storageKey(rt.master, "idempotency", sha256.Size)
	if err != nil {
		return nil, err
	}
	return &claims{db: rt.db, key: key}, nil
}

func (c *claims) hash(what string, data []byte) string {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte(what + "\x00"))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func (c *claims) Claim(ctx context.Context, client, key string, request []byte, now time.Time) (server.Claim, error) {
	if err := c.forget(ctx, now); err != nil {
		return server.Claim{}, fmt.Errorf("%w: %w", deidentify.ErrStore, err)
	}
	now = now.UTC().Truncate(time.Microsecond) // as it is kept
	own := deidentify.NewID()
	earlier, at, err := c.db.Claim(ctx, client, c.hash("key", []byte(key)), c.hash("request", request), own, now)
	switch {
	case errors.Is(err, store.ErrConflict):
		return server.Claim{}, server.ErrKeyReused
	case err != nil:
		return server.Claim{}, fmt.Errorf("%w: %w", deidentify.ErrStore, err)
	case earlier != "":
		return server.Claim{ID: earlier, Time: at, Repeat: true}, nil
	}
	return server.Claim{ID: own, Time: now}, nil
}

func (c *claims) Release(ctx context.Context, client, key string, claim server.Claim) error {
	return c.db.Release(ctx, client, c.hash("key", []byte(key)), claim.ID)
}

// forget drops old keys, now and then.
func (c *claims) forget(ctx context.Context, now time.Time) error {
	c.mu.Lock()
	since := now.Sub(c.forgotten)
	due := since > time.Hour || since < 0
	if due {
		c.forgotten = now
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.db.Forget(ctx, now.Add(-claimLife))
}
