package store

import (
	"bytes"
	"context"
)

// Pin ties the database to a value under a name: the first one stays, and another one later fails with ErrConflict. So
// two programs that share a database notice when they do not share what their pseudonyms are made of.
func (d *DB) Pin(ctx context.Context, name string, value []byte) error {
	return d.within(ctx, "pin", func(t tx) error {
		if name == "" || len(value) == 0 {
			return ErrInvalid
		}
		if _, err := t.exec("INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value); err != nil {
			return err
		}
		var kept []byte
		if err := t.row("SELECT value FROM installation WHERE name = ?", name).Scan(&kept); err != nil {
			return err
		}
		if !bytes.Equal(kept, value) {
			return ErrConflict
		}
		return nil
	})
}
