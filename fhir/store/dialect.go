package store

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// dialect is what differs between the databases.
type dialect interface {
	name() string
	migrator(db *sql.DB, files fs.FS) (*goose.Provider, error)
	// bind writes the placeholders of a query, given as ?, in the dialect's form.
	bind(query string) string
	// lockAudit makes writers of the audit trail wait for each other until the transaction ends.
	lockAudit(ctx context.Context, tx *sql.Tx) error
	// classify gives one of the package's errors for one of the driver's.
	classify(err error) error
}

// numbered turns ? into $1, $2 …; the package's queries hold no ? elsewhere.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}

// migrate brings the schema up to date, and refuses one that is ahead of this program.
func migrate(ctx context.Context, d dialect, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations/"+d.name())
	if err != nil {
		return err
	}
	p, err := d.migrator(db, files)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return ErrNewer
	}
	_, err = p.Up(ctx)
	return err
}
