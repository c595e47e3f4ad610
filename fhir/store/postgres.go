package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Postgres says which PostgreSQL database is used.
type Postgres struct {
	URL string // postgres://…; with the password, so it is never part of an error
	// AuditKey seals the audit trail; 32 bytes or more.
	AuditKey    []byte
	Connections int // 0: 10
}

// OpenPostgres connects and brings the schema up to date. Several programs may start at once.
func OpenPostgres(ctx context.Context, o Postgres) (*DB, error) {
	if len(o.AuditKey) < minAuditKey {
		return nil, fmt.Errorf("open: %w", ErrKey)
	}
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open: %w", ErrUnavailable)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	db := stdlib.OpenDB(*config)
	if o.Connections <= 0 {
		o.Connections = 10
	}
	db.SetMaxOpenConns(o.Connections)
	return start(ctx, postgres{}, db, o.AuditKey)
}

// connectTime bounds a connection's start unless the URL does: a server that is gone must not take a request's whole time.
const connectTime = 5 * time.Second

type postgres struct{}

func (postgres) name() string { return "postgres" }

func (postgres) migrator(db *sql.DB, files fs.FS) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
}

func (postgres) bind(query string) string { return numbered(query) }

// auditLock is the number of the advisory lock: "fhirdeid" as bytes.
const auditLock = 0x6668697264656964

func (postgres) lockAudit(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(auditLock))
	return err
}

// uniqueViolation is the SQLSTATE of a duplicate key.
const uniqueViolation = "23505"

func (postgres) classify(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == uniqueViolation {
		return ErrConflict
	}
	return ErrUnavailable
}
