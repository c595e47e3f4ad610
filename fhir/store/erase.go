package store

import (
	"context"
	"time"

	"fhirdeid/fhir/deidentify"
)

// Erased counts what was deleted of a patient.
type Erased struct{ Lineage, Results, Profile int64 }

// Erase deletes everything kept about the patient whose keyed hash is given, and notes that in the audit trail. The
// trail itself keeps the keyed hash, as evidence of what was done; it does not lead back to the patient without the
// key.
func (d *DB) Erase(ctx context.Context, subject, client string, now time.Time) (Erased, error) {
	var e Erased
	err := d.within(ctx, "erase", func(t tx) (err error) {
		if subject == "" {
			return ErrInvalid
		}
		if e.Lineage, err = t.exec("DELETE FROM lineage WHERE subject = ?", subject); err != nil {
			return err
		}
		if _, err = t.exec("DELETE FROM result_references WHERE result IN (SELECT seq FROM results WHERE subject_hash = ?)", subject); err != nil {
			return err
		}
		if e.Results, err = t.exec("DELETE FROM results WHERE subject_hash = ?", subject); err != nil {
			return err
		}
		if e.Profile, err = t.exec("DELETE FROM profile WHERE subject = ?", subject); err != nil {
			return err
		}
		return t.addEvent(deidentify.Event{
			Time: now, Client: client, Action: "erase", Outcome: "success", Subject: []string{subject},
			Counts: map[string]int{"lineage": int(e.Lineage), "results": int(e.Results), "profile": int(e.Profile)},
		})
	})
	if err != nil {
		return Erased{}, err
	}
	return e, nil
}
