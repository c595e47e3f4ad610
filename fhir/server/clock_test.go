package server_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
	"fhirdeid/fhir/store"
	"fhirdeid/pipeline"
)

// TestClockJumpOfTheWhole lets the clock of service, server and store jump years forward and back between requests: the
// patient keeps the pseudonym, all is kept in the order in which it came, and the trail holds.
func TestClockJumpOfTheWhole(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	db, err := store.OpenSQLite(t.Context(), store.SQLite{
		Path: filepath.Join(t.TempDir(), "x.db"), Key: bytes.Repeat([]byte{5}, store.SQLiteKeySize), AuditKey: bytes.Repeat([]byte{6}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	policy, err := fhir.LoadPolicy("all")
	if err != nil {
		t.Fatal(err)
	}
	service, err := deidentify.New(deidentify.Options{
		Pipeline: &pipeline.Pipeline{}, Policies: map[string]*fhir.Policy{"all": policy}, Master: bytes.Repeat([]byte{7}, 32),
		Context: "study", Store: db, Profiles: db, Auditor: db, Clock: clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *server.Options) { o.Operation, o.Auditor, o.Clock = service, db, clock })
	pseudonyms := map[string]int{}
	jumps := []time.Duration{0, 24 * time.Hour, 10 * 365 * 24 * time.Hour, -30 * 365 * 24 * time.Hour, -time.Hour, 20 * 365 * 24 * time.Hour}
	for n, jump := range jumps {
		mu.Lock()
		now = now.Add(jump)
		mu.Unlock()
		r := s.call(t, "POST", "/fhir/$deidentify", fmt.Sprintf(`{"resourceType":"Observation","id":"o%d","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}]},"subject":{"reference":"Patient/p1"}}`, n))
		if r.status != 200 {
			t.Fatalf("after %v: %d %s", jump, r.status, r.body)
		}
		_, rest, found := strings.Cut(r.body, `"subject":{"reference":"`)
		pseudonym, _, _ := strings.Cut(rest, `"`)
		if !found || !strings.Contains(pseudonym, "Patient/") {
			t.Fatalf("no subject: %s", r.body)
		}
		pseudonyms[pseudonym]++
	}
	if len(pseudonyms) != 1 {
		t.Errorf("pseudonyms %v", pseudonyms)
	}
	if n, _, err := db.VerifyAudit(context.Background()); n != int64(len(jumps)) || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	trail, err := db.Trail(context.Background(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n, e := range trail {
		if at = at.Add(jumps[n]); !e.Time.Equal(at) {
			t.Errorf("entry %d is of %v, want %v", n, e.Time, at)
		}
	}
	p, err := db.Search(context.Background(), store.Query{Type: "Provenance"})
	if err != nil || p.Total != len(jumps) {
		t.Errorf("%d Provenances, %v", p.Total, err)
	}
}
