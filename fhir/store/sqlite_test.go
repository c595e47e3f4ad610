package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/store"
)

var (
	fileKey  = bytes.Repeat([]byte{7, 9}, store.SQLiteKeySize/2)
	auditKey = bytes.Repeat([]byte{3}, 32)
)

func openSQLite(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), store.SQLite{Path: path, Key: fileKey, AuditKey: auditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestSQLite(t *testing.T) {
	suite(t, func(t *testing.T) *store.DB { return openSQLite(t, filepath.Join(t.TempDir(), "fhirdeid.db")) })
}

func TestSQLiteFilesArePrivateAndUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "fhirdeid.db")
	db := openSQLite(t, path)
	r := record(1)
	r.Results[0].JSON = bytes.Repeat([]byte("marker-in-a-body "), 2000)
	if err := db.Commit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		files, err := os.ReadDir(dir)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", when, len(files), err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s has mode %v", when, f.Name(), info.Mode())
			}
			body, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, plain := range []string{"marker-in-a-body", "CREATE TABLE", "SQLite format", "source-0001"} {
				if bytes.Contains(body, []byte(plain)) {
					t.Errorf("%s: %s holds %q in clear", when, f.Name(), plain)
				}
			}
		}
	}
	check("open")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	check("closed")
}

func TestSQLiteOpensAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fhirdeid.db")
	db := openSQLite(t, path)
	commit(t, db, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openSQLite(t, path)
	commit(t, db, 2)
	if p, err := db.Search(t.Context(), store.Query{Type: "Observation"}); err != nil || p.Total != 2 {
		t.Errorf("%d observations, %v", p.Total, err)
	}
	if n, _, err := db.VerifyAudit(t.Context()); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestSQLiteRefusesAnotherKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fhirdeid.db")
	db := openSQLite(t, path)
	commit(t, db, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	other := bytes.Repeat([]byte{1}, store.SQLiteKeySize)
	for _, o := range []store.SQLite{
		{Path: path, Key: other, AuditKey: auditKey},
		{Path: path, Key: fileKey[:32], AuditKey: auditKey},
		{Path: path, Key: fileKey, AuditKey: nil},
	} {
		if _, err := store.OpenSQLite(t.Context(), o); !errors.Is(err, store.ErrKey) {
			t.Errorf("err = %v", err)
		}
	}
	if _, err := store.OpenSQLite(t.Context(), store.SQLite{Path: filepath.Join(path, "below"), Key: fileKey, AuditKey: auditKey}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a path below a file: %v", err)
	}
}

// raw opens the file beside the store, as a forger who has the key of the file would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := driver.Open("file:"+path+"?vfs=xts", func(c *sqlite3.Conn) error {
		return c.Exec("PRAGMA hexkey='" + hex.EncodeToString(fileKey) + "'")
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestChangedTrailIsSeen(t *testing.T) {
	for name, forge := range map[string]string{
		"changed": `UPDATE audit SET entry = replace(CAST(entry AS TEXT), 'success', 'failure') WHERE seq = 2`,
		"removed": `DELETE FROM audit WHERE seq = 2`,
		"first":   `DELETE FROM audit WHERE seq = 1`,
		"added":   `INSERT INTO audit SELECT 4, made_at, entry, hash FROM audit WHERE seq = 3`,
		"swapped": `UPDATE audit SET entry = (SELECT entry FROM audit WHERE seq = 1), hash = (SELECT hash FROM audit WHERE seq = 1) WHERE seq = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fhirdeid.db")
			db := openSQLite(t, path)
			commit(t, db, 1, 2, 3)
			forger := raw(t, path)
			r, err := forger.Exec(forge)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := r.RowsAffected(); n != 1 {
				t.Fatalf("forged %d rows", n)
			}
			forger.Close()
			if _, _, err := db.VerifyAudit(t.Context()); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fhirdeid.db")
	openSQLite(t, path).Close()
	forger := raw(t, path)
	if _, err := forger.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)"); err != nil {
		t.Fatal(err)
	}
	forger.Close()
	if _, err := store.OpenSQLite(t.Context(), store.SQLite{Path: path, Key: fileKey, AuditKey: auditKey}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("err = %v", err)
	}
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "fhirdeid.db"))
	db.Close()
	if err := db.Commit(context.Background(), record(1)); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("err = %v", err)
	}
}

var _ deidentify.Store = (*store.DB)(nil)

func BenchmarkCommit(b *testing.B) {
	db, err := store.OpenSQLite(b.Context(), store.SQLite{Path: filepath.Join(b.TempDir(), "x.db"), Key: fileKey, AuditKey: auditKey})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for n := 0; b.Loop(); n++ {
		if err := db.Commit(b.Context(), record(n)); err != nil {
			b.Fatal(err)
		}
	}
}
