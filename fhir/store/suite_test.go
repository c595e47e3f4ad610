package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/store"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// record is what a request about one document of one patient leaves behind.
func record(n int) deidentify.Record {
	id := fmt.Sprintf("%04d", n)
	subject := fmt.Sprintf("subject-%d", n%3)
	return deidentify.Record{
		Request: "request-" + id, Time: epoch.Add(time.Duration(n) * time.Minute), Client: "client", Context: "study",
		Policy:  deidentify.PolicyVersion{Name: "all", Hash: "hash-1", Text: []byte("elements: {}\n")},
		Lineage: []deidentify.Lineage{{Source: "source-" + id, Subject: subject, Target: "DocumentReference/" + id}},
		Results: []deidentify.StoredResource{
			{
				Type: "Observation", ID: "o" + id, Hash: subject, Subject: "Patient/" + subject,
				Focus: []string{"DocumentReference/" + id}, JSON: []byte(`{"resourceType":"Observation","id":"o` + id + `"}`),
			},
			{
				Type: "Provenance", ID: "p" + id, Hash: subject,
				Target: []string{"DocumentReference/" + id, "Binary/" + id}, JSON: []byte(`{"resourceType":"Provenance"}`),
			},
		},
		Profile: []deidentify.ProfileDocument{{Document: "DocumentReference/" + id, Subject: subject, Method: "lexical-1-keyed", Vectors: []byte{0}}},
		Audit:   deidentify.Event{Request: "request-" + id, Time: epoch, Client: "client", Action: "deidentify", Outcome: "success", Counts: map[string]int{"documents": 1}},
	}
}

func commit(t *testing.T, db *store.DB, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := db.Commit(t.Context(), record(n)); err != nil {
			t.Fatalf("commit %d: %v", n, err)
		}
	}
}

// suite is what every dialect must pass. open gives an empty database.
func suite(t *testing.T, open func(t *testing.T) *store.DB) {
	t.Run("what was committed is found", func(t *testing.T) {
		db := open(t)
		commit(t, db, 1, 2, 4)
		r, err := db.Resource(t.Context(), "Observation", "o0001")
		if err != nil || !bytes.Equal(r.JSON, record(1).Results[0].JSON) || r.Hash != "subject-1" {
			t.Errorf("%s, %v", r.JSON, err)
		}
		for _, c := range []struct {
			q    store.Query
			want string
		}{
			{store.Query{Type: "Observation", Subject: "Patient/subject-1"}, "o0001 o0004"},
			{store.Query{Type: "Observation", Focus: "DocumentReference/0002"}, "o0002"},
			{store.Query{Type: "Observation", Subject: "Patient/subject-1", Focus: "DocumentReference/0002"}, ""},
			{store.Query{Type: "Provenance", Target: "Binary/0004"}, "p0004"},
			{store.Query{Type: "Provenance", ID: "p0002"}, "p0002"},
			{store.Query{Type: "Provenance", Request: "request-0002"}, "p0002"},
			{store.Query{Type: "Provenance", Subject: "Patient/subject-1"}, ""},
			{store.Query{Type: "Observation", Subject: "' OR '1'='1"}, ""},
		} {
			p, err := db.Search(t.Context(), c.q)
			if err != nil || ids(p) != c.want || p.Total != len(strings.Fields(c.want)) {
				t.Errorf("%+v: %q of %d, %v; want %q", c.q, ids(p), p.Total, err, c.want)
			}
		}
		l, err := db.Lineage(t.Context(), "source-0002", "")
		if err != nil || len(l) != 1 || l[0] != record(2).Lineage[0] {
			t.Errorf("lineage by source: %v, %v", l, err)
		}
		if l, err = db.Lineage(t.Context(), "", "DocumentReference/0004"); err != nil || len(l) != 1 || l[0] != record(4).Lineage[0] {
			t.Errorf("lineage by target: %v, %v", l, err)
		}
		if l, err = db.Lineage(t.Context(), "", ""); err != nil || len(l) != 0 {
			t.Errorf("lineage of nothing: %v, %v", l, err)
		}
		p, err := db.Policy(t.Context(), "hash-1")
		if err != nil || p.Name != "all" || string(p.Text) != "elements: {}\n" {
			t.Errorf("policy: %+v, %v", p, err)
		}
		docs, err := db.Profile(t.Context(), "study", "lexical-1-keyed", 2)
		if err != nil || len(docs) != 2 || docs[0].Document != "DocumentReference/0004" || docs[1].Document != "DocumentReference/0002" {
			t.Errorf("profile: %v, %v", docs, err)
		}
	})

	t.Run("pages follow each other", func(t *testing.T) {
		db := open(t)
		for n := range 7 {
			commit(t, db, n)
		}
		var got []string
		for q := (store.Query{Type: "Observation", Limit: 3}); ; {
			p, err := db.Search(t.Context(), q)
			if err != nil || p.Total != 7 {
				t.Fatalf("total %d, %v", p.Total, err)
			}
			got = append(got, ids(p))
			if p.Next == 0 {
				break
			}
			q.After = p.Next
		}
		if want := "o0000 o0001 o0002|o0003 o0004 o0005|o0006"; strings.Join(got, "|") != want {
			t.Errorf("pages %q, want %q", got, want)
		}
	})

	t.Run("a failing record leaves nothing", func(t *testing.T) {
		db := open(t)
		commit(t, db, 1)
		for name, spoil := range map[string]func(*deidentify.Record){
			"same result again": func(r *deidentify.Record) { r.Results[1].ID = "p0001" },
			"no body":           func(r *deidentify.Record) { r.Results[1].JSON = nil },
			"no request":        func(r *deidentify.Record) { r.Request = "" },
			"same request":      func(r *deidentify.Record) { r.Request = "request-0001" },
			"no policy":         func(r *deidentify.Record) { r.Policy.Hash = "" },
			"no source":         func(r *deidentify.Record) { r.Lineage[0].Source = "" },
		} {
			r := record(2)
			spoil(&r)
			if err := db.Commit(t.Context(), r); !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%s: err = %v", name, err)
			}
			if p, err := db.Search(t.Context(), store.Query{Type: "Observation"}); err != nil || p.Total != 1 {
				t.Errorf("%s: %d observations left, %v", name, p.Total, err)
			}
			if l, _ := db.Lineage(t.Context(), "source-0002", ""); len(l) != 0 {
				t.Errorf("%s: lineage left", name)
			}
			if n, _, err := db.VerifyAudit(t.Context()); err != nil || n != 1 {
				t.Errorf("%s: %d entries in the trail, %v", name, n, err)
			}
		}
	})

	t.Run("the Device comes with every request", func(t *testing.T) {
		db := open(t)
		for n := range 2 {
			r := record(n)
			r.Results = append(r.Results, deidentify.StoredResource{Type: "Device", ID: "d", JSON: []byte(`{"resourceType":"Device","id":"d"}`)})
			if err := db.Commit(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := db.Search(t.Context(), store.Query{Type: "Device"}); err != nil || ids(p) != "d" {
			t.Errorf("devices %q, %v", ids(p), err)
		}
	})

	t.Run("errors do not quote values", func(t *testing.T) {
		db := open(t)
		secret := "Geheimnis-4711"
		r := record(1)
		r.Results[0].ID, r.Request = secret, secret
		if err := db.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{db.Commit(t.Context(), r), second(db.Resource(t.Context(), "Patient", secret)), second(db.Policy(t.Context(), secret))} {
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("err = %v", err)
			}
		}
	})

	t.Run("nothing is not found", func(t *testing.T) {
		db := open(t)
		if _, err := db.Resource(t.Context(), "Observation", "x"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("resource: %v", err)
		}
		if _, err := db.Policy(t.Context(), "x"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("policy: %v", err)
		}
		if n, head, err := db.VerifyAudit(t.Context()); n != 0 || head != nil || err != nil {
			t.Errorf("trail: %d %x %v", n, head, err)
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Errorf("ready: %v", err)
		}
	})

	t.Run("erase takes everything of one patient", func(t *testing.T) {
		db := open(t)
		commit(t, db, 1, 2, 4)
		e, err := db.Erase(t.Context(), "subject-1", "admin", epoch)
		if err != nil || e != (store.Erased{Lineage: 2, Results: 4, Profile: 2}) {
			t.Errorf("erased %+v, %v", e, err)
		}
		if p, _ := db.Search(t.Context(), store.Query{Type: "Observation"}); ids(p) != "o0002" {
			t.Errorf("left: %q", ids(p))
		}
		if p, _ := db.Search(t.Context(), store.Query{Type: "Provenance", Target: "Binary/0001"}); p.Total != 0 {
			t.Error("a search still finds what was erased")
		}
		if l, _ := db.Lineage(t.Context(), "source-0001", ""); len(l) != 0 {
			t.Error("lineage left")
		}
		trail, err := db.Trail(t.Context(), 3, 10)
		if err != nil || len(trail) != 1 || trail[0].Action != "erase" || trail[0].Counts["results"] != 4 {
			t.Errorf("trail %+v, %v", trail, err)
		}
		if _, err := db.Erase(t.Context(), "", "admin", epoch); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("erasing nobody: %v", err)
		}
	})

	t.Run("the audit trail is a chain", func(t *testing.T) {
		db := open(t)
		commit(t, db, 1)
		refused := deidentify.Event{Time: epoch.Add(time.Nanosecond), Client: "x", Action: "deidentify", Outcome: "forbidden", Subject: []string{"h"}}
		if err := db.Audit(t.Context(), refused); err != nil {
			t.Fatal(err)
		}
		n, head, err := db.VerifyAudit(t.Context())
		if n != 2 || len(head) != 32 || err != nil {
			t.Errorf("%d entries, head %x, %v", n, head, err)
		}
		trail, err := db.Trail(t.Context(), 1, 10)
		if err != nil || len(trail) != 1 || fmt.Sprint(trail[0]) != fmt.Sprint(refused) {
			t.Errorf("trail %+v, %v", trail, err)
		}
	})

	t.Run("writers at once keep the chain", func(t *testing.T) {
		db := open(t)
		var wg sync.WaitGroup
		for n := range 12 {
			wg.Go(func() {
				if err := db.Commit(t.Context(), record(n)); err != nil {
					t.Errorf("commit %d: %v", n, err)
				}
			})
		}
		wg.Wait()
		if n, _, err := db.VerifyAudit(t.Context()); n != 12 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
	})

	t.Run("a claim binds a key to one body", func(t *testing.T) {
		db := open(t)
		claim := func(key, body, request string) (string, error) {
			earlier, at, err := db.Claim(t.Context(), "c", key, body, request, epoch.Add(time.Duration(len(request))*time.Second))
			if earlier != "" && !at.Equal(epoch.Add(2*time.Second)) {
				t.Errorf("the first claim was at %v", at)
			}
			return earlier, err
		}
		if earlier, err := claim("k", "b", "r1"); earlier != "" || err != nil {
			t.Errorf("first: %q, %v", earlier, err)
		}
		if earlier, err := claim("k", "b", "r2"); earlier != "r1" || err != nil {
			t.Errorf("again: %q, %v", earlier, err)
		}
		if _, err := claim("k", "other", "r3"); !errors.Is(err, store.ErrConflict) {
			t.Errorf("other body: %v", err)
		}
		if err := db.Release(t.Context(), "c", "k", "r1"); err != nil {
			t.Fatal(err)
		}
		if earlier, err := claim("k", "other", "r4"); earlier != "" || err != nil {
			t.Errorf("after release: %q, %v", earlier, err)
		}
		if err := db.Forget(t.Context(), epoch.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if earlier, err := claim("k", "b", "r5"); earlier != "" || err != nil {
			t.Errorf("after forgetting: %q, %v", earlier, err)
		}
	})

	t.Run("a claimed record is stored once", func(t *testing.T) { claimed(t, open(t)) })

	t.Run("a pinned value stays", func(t *testing.T) {
		db := open(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := db.Pin(t.Context(), "key", []byte("one")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := db.Pin(t.Context(), "key", []byte("two")); !errors.Is(err, store.ErrConflict) {
			t.Errorf("another value: %v", err)
		}
		if err := db.Pin(t.Context(), "other", []byte("two")); err != nil {
			t.Errorf("another name: %v", err)
		}
		if err := db.Pin(t.Context(), "key", nil); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("no value: %v", err)
		}
	})

	t.Run("a request that was given up stores nothing", func(t *testing.T) {
		db := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Commit(ctx, record(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		if p, err := db.Search(t.Context(), store.Query{Type: "Observation"}); err != nil || p.Total != 0 {
			t.Errorf("%d observations, %v", p.Total, err)
		}
	})
}

func ids(p store.Page) string {
	var list []string
	for _, r := range p.Resources {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

func second[T any](_ T, err error) error { return err }
