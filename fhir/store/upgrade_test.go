package store_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"fhirdeid/fhir/store"
)

// first makes the first schema and puts in what the first version of the program kept of three requests.
func first(t *testing.T, db *sql.DB, dialect goose.Dialect, dir string) {
	t.Helper()
	p, err := goose.NewProvider(dialect, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/first.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var l struct {
			Table string
			Row   map[string]any
		}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		columns := slices.Sorted(maps.Keys(l.Row))
		var marks []string
		var values []any
		for i, c := range columns {
			marks = append(marks, fmt.Sprintf("$%d", i+1)) // which SQLite knows as well
			values = append(values, value(t, l.Row[c]))
		}
		insert := "INSERT INTO " + l.Table + " (" + strings.Join(columns, ", ") + ")"
		if l.Table == "results" && dialect == goose.DialectPostgres {
			insert += " OVERRIDING SYSTEM VALUE"
		}
		if _, err := db.ExecContext(t.Context(), insert+" VALUES ("+strings.Join(marks, ", ")+")", values...); err != nil {
			t.Fatalf("%s: %v", l.Table, err)
		}
	}
	if dialect == goose.DialectPostgres {
		if _, err := db.ExecContext(t.Context(), "SELECT setval(pg_get_serial_sequence('results', 'seq'), (SELECT max(seq) FROM results))"); err != nil {
			t.Fatal(err)
		}
	}
}

func value(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	case map[string]any:
		b, err := base64.StdEncoding.DecodeString(v["base64"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return v
}

// upgraded checks that all that was kept is found, and that work goes on.
func upgraded(t *testing.T, db *store.DB) {
	t.Helper()
	if n, _, err := db.VerifyAudit(t.Context()); n != 3 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	p, err := db.Search(t.Context(), store.Query{Type: "Observation", Subject: "Patient/subject-1"})
	if err != nil || ids(p) != "o0001 o0004" {
		t.Errorf("observations %q, %v", ids(p), err)
	}
	if l, err := db.Lineage(t.Context(), "source-0002", ""); err != nil || len(l) != 1 || l[0] != record(2).Lineage[0] {
		t.Errorf("lineage %v, %v", l, err)
	}
	if p, err := db.Policy(t.Context(), "hash-1"); err != nil || string(p.Text) != "elements: {}\n" {
		t.Errorf("policy %v, %v", p, err)
	}
	if earlier, at, err := db.Claim(t.Context(), "client", "key-1", "body-1", "other", epoch.AddDate(1, 0, 0)); earlier != "request-0001" || !at.Equal(epoch) || err != nil {
		t.Errorf("claim %q %v, %v", earlier, at, err)
	}
	if err := db.Pin(t.Context(), "master-key", []byte{1}); err != nil {
		t.Error(err)
	}
	commit(t, db, 5)
	if e, err := db.Erase(t.Context(), "subject-1", "admin", epoch); err != nil || e.Results != 4 || e.Lineage != 2 || e.Profile != 2 {
		t.Errorf("erased %+v, %v", e, err)
	}
	if n, _, err := db.VerifyAudit(t.Context()); n != 5 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestSQLiteFromTheFirstSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fhirdeid.db")
	db := raw(t, path)
	db.SetMaxOpenConns(1)
	first(t, db, goose.DialectSQLite3, "migrations/sqlite")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	upgraded(t, openSQLite(t, path))
	upgradedAgain := openSQLite(t, path)
	if p, err := upgradedAgain.Search(t.Context(), store.Query{Type: "Observation"}); err != nil || ids(p) != "o0002 o0005" {
		t.Errorf("opened again: %q, %v", ids(p), err)
	}
}

func mustNotQuote(t *testing.T, err error, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if err != nil && strings.Contains(err.Error(), s) {
			t.Errorf("the error quotes %q", s)
		}
	}
}
