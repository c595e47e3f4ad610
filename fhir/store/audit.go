package store

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"fhirdeid/fhir/deidentify"
)

// Audit adds an entry to the trail by itself: a request that failed or only read.
func (d *DB) Audit(ctx context.Context, e deidentify.Event) error {
	return d.within(ctx, "audit", func(t tx) error { return t.addEvent(e) })
}

// entry is an event as it is stored; its order of fields is part of the chain.
type entry struct {
	Request string         `json:"request,omitempty"`
	Time    string         `json:"time"`
	Client  string         `json:"client,omitempty"`
	Action  string         `json:"action"`
	Outcome string         `json:"outcome"`
	Context string         `json:"context,omitempty"`
	Policy  string         `json:"policy,omitempty"`
	Subject []string       `json:"subject,omitempty"`
	Counts  map[string]int `json:"counts,omitempty"`
}

func (t tx) addEvent(e deidentify.Event) error {
	if err := t.db.dialect.lockAudit(t.ctx, t.Tx); err != nil {
		return err
	}
	var last int64
	var hash []byte
	err := t.row("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&last, &hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	body, err := json.Marshal(entry{
		e.Request, e.Time.UTC().Format(time.RFC3339Nano), e.Client, e.Action, e.Outcome, e.Context, e.Policy, e.Subject, e.Counts,
	})
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO audit (seq, made_at, entry, hash) VALUES (?, ?, ?, ?)",
		last+1, stamp(e.Time), body, t.db.seal(last+1, hash, body))
	return err
}

// seal chains an entry to the one before it.
func (d *DB) seal(seq int64, previous, entry []byte) []byte {
	h := hmac.New(sha256.New, d.auditKey)
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(seq))
	h.Write(n[:])
	binary.BigEndian.PutUint64(n[:], uint64(len(previous)))
	h.Write(n[:])
	h.Write(previous)
	h.Write(entry)
	return h.Sum(nil)
}

// Trail gives the entries after the given number, oldest first, at most limit of them.
func (d *DB) Trail(ctx context.Context, after int64, limit int) ([]deidentify.Event, error) {
	rows, err := d.query(ctx, "SELECT entry FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)
	events, err := all(rows, err, func(r *sql.Rows) (deidentify.Event, error) {
		var body []byte
		if err := r.Scan(&body); err != nil {
			return deidentify.Event{}, err
		}
		var e entry
		if err := json.Unmarshal(body, &e); err != nil {
			return deidentify.Event{}, ErrDamaged
		}
		at, err := time.Parse(time.RFC3339Nano, e.Time)
		if err != nil {
			return deidentify.Event{}, ErrDamaged
		}
		return deidentify.Event{
			Request: e.Request, Time: at, Client: e.Client, Action: e.Action, Outcome: e.Outcome,
			Context: e.Context, Policy: e.Policy, Subject: e.Subject, Counts: e.Counts,
		}, nil
	})
	return events, hide(d.dialect, "trail", err)
}

// VerifyAudit recomputes the chain and gives its length and last hash, which a caller may keep elsewhere to see later
// whether the end was cut off. ErrDamaged says that an entry was changed, added or taken out.
func (d *DB) VerifyAudit(ctx context.Context) (entries int64, head []byte, err error) {
	rows, err := d.query(ctx, "SELECT seq, entry, hash FROM audit ORDER BY seq")
	if err != nil {
		return 0, nil, hide(d.dialect, "verify", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var seq int64
		var body, hash []byte
		if err := rows.Scan(&seq, &body, &hash); err != nil {
			return entries, head, hide(d.dialect, "verify", err)
		}
		if seq != entries+1 || !hmac.Equal(hash, d.seal(seq, head, body)) {
			return entries, head, hide(d.dialect, "verify", ErrDamaged)
		}
		entries, head = seq, bytes.Clone(hash)
	}
	return entries, head, hide(d.dialect, "verify", rows.Err())
}
