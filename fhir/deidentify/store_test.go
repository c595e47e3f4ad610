package deidentify_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/store"
)

// TestWithTheStore sends requests into the database: results are found by their pseudonyms, a patient can be erased, and
// once enough documents were seen uniqueness is given against them.
func TestWithTheStore(t *testing.T) {
	db, err := store.OpenSQLite(t.Context(), store.SQLite{
		Path: filepath.Join(t.TempDir(), "x.db"), Key: bytes.Repeat([]byte{5}, store.SQLiteKeySize), AuditKey: bytes.Repeat([]byte{6}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := newService(t, func(o *deidentify.Options) { o.Store, o.Profiles, o.Auditor = db, db, db })
	result := run(t, s, raw(decode(t, germanBundle("collection"))))
	page, err := db.Search(t.Context(), store.Query{Type: "Observation", Subject: "Patient/" + result.Patients[0]})
	if err != nil || page.Total != 1 {
		t.Fatalf("%d observations, %v", page.Total, err)
	}
	doc := "DocumentReference/" + find(t, result.Resource, "DocumentReference").Text("id")
	if page, err = db.Search(t.Context(), store.Query{Type: "Provenance", Target: doc}); err != nil || page.Total != 1 {
		t.Fatalf("%d provenances of the document, %v", page.Total, err)
	}
	for range 2 {
		run(t, s, raw(decode(t, germanBundle("collection"))))
	}
	wantError(t, s, raw(decode(t, docOf("image/png", "iVBORw0KGgo=", ""))), deidentify.ErrUnsupported)
	if n, _, err := db.VerifyAudit(t.Context()); n != 4 || err != nil {
		t.Errorf("%d entries in the trail, %v", n, err)
	}
	hash := deidentify.SubjectHash(master, "study", deidentify.PatientByID("", "p-4711"))
	erased, err := db.Erase(t.Context(), hash, "admin", now)
	if err != nil || erased.Results < 6 || erased.Lineage == 0 || erased.Profile == 0 {
		t.Errorf("erased %+v, %v", erased, err)
	}
	if page, err = db.Search(t.Context(), store.Query{Type: "Observation"}); err != nil || page.Total != 0 {
		t.Errorf("%d observations are left, %v", page.Total, err)
	}
}

func TestUniquenessAgainstTheSitesOwnDocuments(t *testing.T) {
	m := &profileStore{}
	s := newService(t, func(o *deidentify.Options) { o.Store, o.Profiles = m, m })
	letter := func(i int, text string) deidentify.Request {
		return raw(decode(t, strings.Replace(docOf("text/plain", b64(text), ""), `"id":"d"`, `"id":"d`+strings.Repeat("x", i)+`"`, 1)))
	}
	const usual = "Wir berichten über Zacharias Wendland, der am 12.05.2023 stationär aufgenommen und behandelt wurde."
	for i := range 50 {
		r := run(t, s, letter(i, usual))
		if v, _ := r.Reports[0].Value("risk-score"); v.Absent == "" {
			t.Fatalf("uniqueness was given after %d documents", i)
		}
	}
	later := newService(t, func(o *deidentify.Options) { o.Store, o.Profiles = m, m })
	for text, want := range map[string]float64{
		usual: 0,
		"Kapitän des gesunkenen Dampfers Hirundo war Zacharias Wendland, dessen Papagei seither im Zoo lebt.": 100,
	} {
		r := run(t, later, letter(60, text))
		if v, _ := r.Reports[0].Value("risk-score"); v.Absent != "" || v.Number != want {
			t.Errorf("risk score %v %q, want %v", v.Number, v.Absent, want)
		}
	}
}

// profileStore keeps the profile in memory.
type profileStore struct {
	memoryStore
}

func (p *profileStore) Profile(_ context.Context, _, method string, limit int) ([]deidentify.ProfileDocument, error) {
	var list []deidentify.ProfileDocument
	for _, r := range p.records {
		for _, d := range r.Profile {
			if d.Method == method && len(list) < limit {
				list = append(list, d)
			}
		}
	}
	return list, nil
}
