package store

import (
	"context"
	"database/sql"
	"time"
)

// DB is the store. It is safe for concurrent use.
type DB struct {
	db       *sql.DB
	dialect  dialect
	auditKey []byte
}

// minAuditKey is the least length of the key of the audit trail, in bytes.
const minAuditKey = 32

func start(ctx context.Context, d dialect, db *sql.DB, auditKey []byte) (*DB, error) {
	if err := migrate(ctx, d, db); err != nil {
		_ = db.Close()
		return nil, hide(d, "open", err)
	}
	return &DB{db: db, dialect: d, auditKey: append([]byte(nil), auditKey...)}, nil
}

// Close ends all connections.
func (d *DB) Close() error { return hide(d.dialect, "close", d.db.Close()) }

// Ready says whether the database answers.
func (d *DB) Ready(ctx context.Context) error {
	var one int
	return hide(d.dialect, "ready", d.db.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// within runs f in one transaction, which stands when f succeeds and is undone otherwise.
func (d *DB) within(ctx context.Context, op string, f func(t tx) error) error {
	sqlTx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return hide(d.dialect, op, err)
	}
	defer func() { _ = sqlTx.Rollback() }() // does nothing after Commit
	if err := f(tx{ctx, sqlTx, d}); err != nil {
		return hide(d.dialect, op, err)
	}
	return hide(d.dialect, op, sqlTx.Commit())
}

// tx is a running transaction.
type tx struct {
	ctx context.Context // of the one call that the transaction lives in
	*sql.Tx
	db *DB
}

func (t tx) exec(query string, args ...any) (int64, error) {
	r, err := t.ExecContext(t.ctx, t.db.dialect.bind(query), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t tx) row(query string, args ...any) *sql.Row {
	return t.QueryRowContext(t.ctx, t.db.dialect.bind(query), args...)
}

func (d *DB) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return d.db.QueryContext(ctx, d.dialect.bind(query), args...)
}

func (d *DB) row(ctx context.Context, query string, args ...any) *sql.Row {
	return d.db.QueryRowContext(ctx, d.dialect.bind(query), args...)
}

// all reads every row by scan.
func all[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

func stamp(t time.Time) int64 { return t.UnixMicro() }
