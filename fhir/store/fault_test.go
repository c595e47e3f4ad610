package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"fhirdeid/fhir/store"
	"fhirdeid/fhir/store/storetest"
)

// TestFullDisk lets the disk be full from each write of a commit on, in turn. The commit fails, or it succeeds and all of
// it is there; nothing lies between, and once there is room again work goes on.
func TestFullDisk(t *testing.T) {
	armed, left := false, 0
	storetest.OnFileSteps(func(what string) error {
		if armed && what == "write" {
			if left--; left < 0 {
				return sqlite3.FULL
			}
		}
		return nil
	})
	defer storetest.OnFileSteps(nil)
	path := filepath.Join(t.TempDir(), "fhirdeid.db")
	db := openSQLite(t, path)
	commit(t, db, 0)
	failed, stored := 0, 1
	for n := 1; n < 60; n++ {
		armed, left = true, n-1
		err := db.Commit(t.Context(), record(n))
		armed = false
		_, readErr := db.Resource(t.Context(), "Observation", record(n).Results[0].ID)
		switch {
		case err == nil && readErr == nil:
			stored++
		case errors.Is(err, store.ErrUnavailable) && errors.Is(readErr, store.ErrNotFound):
			failed++
			commit(t, db, n) // the same one, now that there is room
			stored++
		default:
			t.Fatalf("%d writes: commit %v, read %v", n-1, err, readErr)
		}
		if entries, _, err := db.VerifyAudit(t.Context()); entries != int64(stored) || err != nil {
			t.Fatalf("%d writes: %d entries, want %d, %v", n-1, entries, stored, err)
		}
	}
	if failed < 5 {
		t.Errorf("only %d commits failed", failed)
	}
}

// claimed: a request that came again leaves nothing more.
func claimed(t *testing.T, db *store.DB) {
	t.Helper()
	r := record(1)
	r.Claimed = true
	for range 3 {
		if err := db.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	r.Claimed = false
	if err := db.Commit(t.Context(), r); !errors.Is(err, store.ErrConflict) {
		t.Errorf("without a claim: %v", err)
	}
	if n, _, err := db.VerifyAudit(t.Context()); n != 1 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}
