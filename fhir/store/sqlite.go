package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/vfs/xts" // registers the encrypting file system
	"github.com/pressly/goose/v3"
)

// SQLiteKeySize is the length of the key of an encrypted file: AES-256 in XTS mode takes two.
const SQLiteKeySize = 64

// SQLite says where the embedded database lies.
type SQLite struct {
	Path string
	Key  []byte // SQLiteKeySize bytes
	// AuditKey seals the audit trail; 32 bytes or more.
	AuditKey []byte
}

// sqliteConnections bounds the pool: one writer at a time, and some readers beside it.
const sqliteConnections = 4

// OpenSQLite opens or makes the database, readable by its owner only, and brings its schema up to date.
func OpenSQLite(ctx context.Context, o SQLite) (*DB, error) {
	if len(o.Key) != SQLiteKeySize || len(o.AuditKey) < minAuditKey {
		return nil, fmt.Errorf("open: %w", ErrKey)
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", ErrUnavailable)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open: %w", ErrUnavailable)
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "vfs=xts&_txlock=immediate&_pragma=busy_timeout(10000)"}
	key := "PRAGMA hexkey='" + hex.EncodeToString(o.Key) + "'"
	db, err := driver.Open(name.String(), func(c *sqlite3.Conn) error {
		for _, suffix := range []string{"-wal", "-shm"} {
			if err := private(path + suffix); err != nil {
				return err
			}
		}
		for _, pragma := range []string{
			key, "PRAGMA busy_timeout=10000", "PRAGMA journal_mode=wal", "PRAGMA synchronous=full",
			"PRAGMA foreign_keys=on", "PRAGMA temp_store=memory", "PRAGMA secure_delete=on", "PRAGMA trusted_schema=off",
		} {
			if err := c.Exec(pragma); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, hide(sqlite{}, "open", err)
	}
	db.SetMaxOpenConns(sqliteConnections)
	db.SetMaxIdleConns(sqliteConnections)
	d, err := start(ctx, sqlite{}, db, o.AuditKey)
	if err != nil {
		return nil, err
	}
	// A new database throws away the log that was made for it and makes its own, with the process's mode.
	if err := private(path + "-wal"); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("open: %w", ErrUnavailable)
	}
	return d, nil
}

// private makes the file with mode 0600 before SQLite would make it with another, and narrows one that exists.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(0o600)
}

type sqlite struct{}

func (sqlite) name() string { return "sqlite" }

func (sqlite) migrator(db *sql.DB, files fs.FS) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, files)
}

func (sqlite) bind(query string) string { return query }

// lockAudit has nothing to do: transactions begin as the only writer.
func (sqlite) lockAudit(context.Context, *sql.Tx) error { return nil }

func (sqlite) classify(err error) error {
	switch {
	case errors.Is(err, sqlite3.NOTADB), errors.Is(err, sqlite3.CORRUPT):
		return ErrKey
	case errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY), errors.Is(err, sqlite3.CONSTRAINT_UNIQUE):
		return ErrConflict
	}
	return ErrUnavailable
}
