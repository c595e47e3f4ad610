package store_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"fhirdeid/fhir/store"
	"fhirdeid/fhir/store/storetest"
)

func openPostgres(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := store.OpenPostgres(t.Context(), store.Postgres{URL: url, AuditKey: auditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestPostgres runs the suite on a PostgreSQL of its own.
func TestPostgres(t *testing.T) {
	server := storetest.StartPostgres(t, "")
	suite(t, func(t *testing.T) *store.DB { return openPostgres(t, server.Database(t)) })

	t.Run("from the first schema", func(t *testing.T) {
		url := server.Database(t)
		db, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		first(t, db, goose.DialectPostgres, "migrations/postgres")
		db.Close()
		upgraded(t, openPostgres(t, url))
	})

	t.Run("two programs start at once", func(t *testing.T) {
		url := server.Database(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := store.OpenPostgres(t.Context(), store.Postgres{URL: url, AuditKey: auditKey})
				if err != nil {
					t.Error(err)
					return
				}
				db.Close()
			})
		}
		wg.Wait()
	})

	t.Run("two programs write at once", func(t *testing.T) {
		url := server.Database(t)
		dbs := []*store.DB{openPostgres(t, url), openPostgres(t, url)}
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				if err := dbs[n%2].Commit(t.Context(), record(n)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, db := range dbs {
			if n, _, err := db.VerifyAudit(t.Context()); n != 20 || err != nil {
				t.Errorf("%d entries, %v", n, err)
			}
		}
	})

	// Last, since it stops the server.
	t.Run("gone and back", func(t *testing.T) {
		db := openPostgres(t, server.Database(t))
		commit(t, db, 1)
		server.Stop()
		for name, err := range map[string]error{
			"commit": db.Commit(t.Context(), record(2)), "ready": db.Ready(t.Context()), "audit": db.Audit(t.Context(), record(2).Audit),
			"read": second(db.Resource(t.Context(), "Observation", "o0001")),
		} {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := store.OpenPostgres(t.Context(), store.Postgres{URL: server.URL("d1"), AuditKey: auditKey}); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("open: %v", err)
		}
		server.Start(t)
		commit(t, db, 2)
		if n, _, err := db.VerifyAudit(t.Context()); n != 2 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
	})
}

func TestPostgresOptions(t *testing.T) {
	for _, o := range []store.Postgres{
		{URL: "postgres://user:Geheimnis@127.0.0.1:1/x", AuditKey: []byte("short")},
		{URL: "postgres://user:Geheimnis@127.0.0.1:no/x", AuditKey: auditKey},
		{URL: "postgres://user:Geheimnis@127.0.0.1:1/x?connect_timeout=1&sslmode=disable", AuditKey: auditKey},
	} {
		_, err := store.OpenPostgres(context.Background(), o)
		if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrKey) {
			t.Errorf("err = %v", err)
		}
		mustNotQuote(t, err, "Geheimnis", "127.0.0.1")
	}
}
