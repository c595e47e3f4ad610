package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Claim binds a client's idempotency key to a request. Where the key was claimed before for the same body, it gives
// the id of that request and the time of its claim; for another body it fails with ErrConflict. Key and body are keyed
// hashes.
func (d *DB) Claim(ctx context.Context, client, key, body, request string, now time.Time) (earlier string, at time.Time, err error) {
	err = d.within(ctx, "claim", func(t tx) error {
		if key == "" || body == "" || request == "" {
			return ErrInvalid
		}
		n, err := t.exec("INSERT INTO idempotency (client, key, body, request, made_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (client, key) DO NOTHING",
			client, key, body, request, stamp(now))
		if err != nil || n == 1 {
			return err
		}
		var known string
		var micros int64
		if err := t.row("SELECT body, request, made_at FROM idempotency WHERE client = ? AND key = ?", client, key).Scan(&known, &earlier, &micros); err != nil {
			return err
		}
		at = time.UnixMicro(micros).UTC()
		if known != body {
			return ErrConflict
		}
		return nil
	})
	if err != nil {
		return "", time.Time{}, err
	}
	return earlier, at, nil
}

// Release gives a claim back after its request failed, so that the client may try again.
func (d *DB) Release(ctx context.Context, client, key, request string) error {
	return d.within(ctx, "release", func(t tx) error {
		_, err := t.exec("DELETE FROM idempotency WHERE client = ? AND key = ? AND request = ?", client, key, request)
		return err
	})
}

// Forget deletes claims made before the given time.
func (d *DB) Forget(ctx context.Context, before time.Time) error {
	return d.within(ctx, "forget", func(t tx) error {
		_, err := t.exec("DELETE FROM idempotency WHERE made_at < ?", stamp(before))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
}
