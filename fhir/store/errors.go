package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// The ways in which the store fails. Errors of the drivers are never passed on, because they quote values.
var (
	ErrNotFound    = errors.New("store: not found")
	ErrConflict    = errors.New("store: conflict")                       // the same key with another content
	ErrKey         = errors.New("store: wrong key or no database")       // an encrypted file that the key does not open
	ErrDamaged     = errors.New("store: audit trail was changed")        // the chain does not hold
	ErrUnavailable = errors.New("store: unavailable")                    // locked, full, unreachable, closed …
	ErrNewer       = errors.New("store: made by a newer version")        // its schema is ahead of this program
	ErrInvalid     = errors.New("store: record lacks what it must have") // ids, hash or body missing
)

// hide replaces a driver's error by one of the package's own and the operation's name.
func hide(d dialect, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("store: %s: %w", op, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("store: %s: %w", op, context.DeadlineExceeded)
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", op, ErrNotFound)
	}
	for _, own := range []error{ErrNotFound, ErrConflict, ErrKey, ErrDamaged, ErrNewer, ErrInvalid} {
		if errors.Is(err, own) {
			return fmt.Errorf("%s: %w", op, own)
		}
	}
	return fmt.Errorf("%s: %w", op, d.classify(err))
}
