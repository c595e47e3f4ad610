package store

import (
	"context"
	"database/sql"
	"strings"

	"fhirdeid/fhir/deidentify"
)

// Resource gives one stored result; ErrNotFound where there is none.
func (d *DB) Resource(ctx context.Context, typ, id string) (deidentify.StoredResource, error) {
	r := deidentify.StoredResource{Type: typ, ID: id}
	err := d.row(ctx, "SELECT subject_hash, body FROM results WHERE type = ? AND id = ?", typ, id).Scan(&r.Hash, &r.JSON)
	if err != nil {
		return deidentify.StoredResource{}, hide(d.dialect, "read", err)
	}
	return r, nil
}

// Query asks for results of one type. Every field that is not empty must match.
type Query struct {
	Type                   string
	ID                     string
	Subject, Focus, Target string // pseudonymous references such as Patient/ab…
	Request                string
	After                  int64 // number of the last result seen; for the next page
	Limit                  int   // 0: 50
}

// Page is one page of results, oldest first.
type Page struct {
	Resources []deidentify.StoredResource
	Total     int   // of all pages
	Next      int64 // After of the next page; 0 where this is the last
}

const defaultPage = 50

// Search gives a page of results.
func (d *DB) Search(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	where, args := q.where()
	var p Page
	if err := d.row(ctx, "SELECT count(*) FROM results r WHERE "+where, args...).Scan(&p.Total); err != nil {
		return Page{}, hide(d.dialect, "search", err)
	}
	rows, err := d.query(ctx, "SELECT r.seq, r.type, r.id, r.subject_hash, r.body FROM results r WHERE "+where+" AND r.seq > ? ORDER BY r.seq LIMIT ?",
		append(args, q.After, q.Limit+1)...)
	last, n := int64(0), 0
	p.Resources, err = all(rows, err, func(rows *sql.Rows) (s deidentify.StoredResource, err error) {
		var seq int64
		err = rows.Scan(&seq, &s.Type, &s.ID, &s.Hash, &s.JSON)
		if n++; n <= q.Limit {
			last = seq
		}
		return s, err
	})
	if err != nil {
		return Page{}, hide(d.dialect, "search", err)
	}
	if len(p.Resources) > q.Limit {
		p.Resources = p.Resources[:q.Limit]
		p.Next = last
	}
	return p, nil
}

func (q Query) where() (string, []any) {
	parts, args := []string{"r.type = ?"}, []any{q.Type}
	for _, c := range []struct{ column, value string }{{"r.id", q.ID}, {"r.request", q.Request}} {
		if c.value != "" {
			parts = append(parts, c.column+" = ?")
			args = append(args, c.value)
		}
	}
	for _, c := range []struct{ param, value string }{{"subject", q.Subject}, {"focus", q.Focus}, {"target", q.Target}} {
		if c.value != "" {
			parts = append(parts, "EXISTS (SELECT 1 FROM result_references f WHERE f.result = r.seq AND f.param = ? AND f.reference = ?)")
			args = append(args, c.param, c.value)
		}
	}
	return strings.Join(parts, " AND "), args
}

// Lineage gives what is known about an input (by its keyed hash) or an output; one of the two may be empty.
func (d *DB) Lineage(ctx context.Context, source, target string) ([]deidentify.Lineage, error) {
	rows, err := d.query(ctx, "SELECT DISTINCT source, subject, target FROM lineage WHERE (? = '' OR source = ?) AND (? = '' OR target = ?) AND (? <> '' OR ? <> '') ORDER BY source, target",
		source, source, target, target, source, target)
	list, err := all(rows, err, func(r *sql.Rows) (l deidentify.Lineage, err error) {
		err = r.Scan(&l.Source, &l.Subject, &l.Target)
		return l, err
	})
	return list, hide(d.dialect, "lineage", err)
}

// Policy gives the very policy that the hash names.
func (d *DB) Policy(ctx context.Context, hash string) (deidentify.PolicyVersion, error) {
	p := deidentify.PolicyVersion{Hash: hash}
	err := d.row(ctx, "SELECT name, body FROM policies WHERE hash = ?", hash).Scan(&p.Name, &p.Text)
	if err != nil {
		return deidentify.PolicyVersion{}, hide(d.dialect, "policy", err)
	}
	return p, nil
}

// Profile gives the documents of the project's own reference corpus, newest first.
func (d *DB) Profile(ctx context.Context, project, method string, limit int) ([]deidentify.ProfileDocument, error) {
	rows, err := d.query(ctx, "SELECT document, subject, method, vectors FROM profile WHERE context = ? AND method = ? ORDER BY made_at DESC, document LIMIT ?",
		project, method, limit)
	list, err := all(rows, err, func(r *sql.Rows) (p deidentify.ProfileDocument, err error) {
		err = r.Scan(&p.Document, &p.Subject, &p.Method, &p.Vectors)
		return p, err
	})
	return list, hide(d.dialect, "profile", err)
}
