package store

import (
	"context"

	"fhirdeid/fhir/deidentify"
)

// Commit stores a request's record, with its entry in the audit trail, in one transaction. A claimed record that is
// stored already is left as it is.
func (d *DB) Commit(ctx context.Context, r deidentify.Record) error {
	return d.within(ctx, "commit", func(t tx) error {
		if r.Request == "" || r.Policy.Hash == "" {
			return ErrInvalid
		}
		at := stamp(r.Time)
		again := ""
		if r.Claimed {
			again = " ON CONFLICT (id) DO NOTHING"
		}
		n, err := t.exec("INSERT INTO requests (id, made_at, client, context, policy) VALUES (?, ?, ?, ?, ?)"+again,
			r.Request, at, r.Client, r.Context, r.Policy.Hash)
		if err != nil || n == 0 {
			return err // none: the request came again and was stored the first time, whole, as everything is
		}
		if _, err := t.exec("INSERT INTO policies (hash, name, body, first_used_at) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING",
			r.Policy.Hash, r.Policy.Name, r.Policy.Text, at); err != nil {
			return err
		}
		for _, l := range r.Lineage {
			if l.Source == "" || l.Target == "" {
				return ErrInvalid
			}
			if _, err := t.exec("INSERT INTO lineage (source, target, subject, request) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
				l.Source, l.Target, l.Subject, r.Request); err != nil {
				return err
			}
		}
		for _, s := range r.Results {
			if err := t.addResult(r.Request, s); err != nil {
				return err
			}
		}
		for _, p := range r.Profile {
			if _, err := t.exec(`INSERT INTO profile (document, method, context, subject, made_at, vectors) VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT (context, method, document) DO UPDATE SET subject = excluded.subject, made_at = excluded.made_at, vectors = excluded.vectors`,
				p.Document, p.Method, r.Context, p.Subject, at, p.Vectors); err != nil {
				return err
			}
		}
		return t.addEvent(r.Audit)
	})
}

func (t tx) addResult(request string, s deidentify.StoredResource) error {
	if s.Type == "" || s.ID == "" || len(s.JSON) == 0 {
		return ErrInvalid
	}
	const insert = "INSERT INTO results (type, id, request, subject_hash, body) VALUES (?, ?, ?, ?, ?)"
	if s.Type == "Device" {
		// The program under one policy is one Device; every request brings it again.
		_, err := t.exec(insert+" ON CONFLICT (type, id) DO NOTHING", s.Type, s.ID, request, s.Hash, s.JSON)
		return err
	}
	var seq int64
	if err := t.row(insert+" RETURNING seq", s.Type, s.ID, request, s.Hash, s.JSON).Scan(&seq); err != nil {
		return err
	}
	references := map[string][]string{"focus": s.Focus, "target": s.Target}
	if s.Subject != "" {
		references["subject"] = []string{s.Subject}
	}
	for param, list := range references {
		for _, ref := range list {
			if _, err := t.exec("INSERT INTO result_references (result, param, reference) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
				seq, param, ref); err != nil {
				return err
			}
		}
	}
	return nil
}
