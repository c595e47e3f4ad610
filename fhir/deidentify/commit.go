package deidentify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// commit stores what the request leaves behind, all or nothing.
func (s *Service) commit(ctx context.Context, w *writer, r Request, result *Result, event Event) error {
	if s.o.Store == nil {
		return nil
	}
	text := s.o.PolicyText(w.policyName)
	sum := sha256.Sum256(append([]byte(w.policy.String()+"\n"), text...))
	record := Record{
		Request: result.Request, Time: w.now, Claimed: r.ID != "", Client: r.Client, Context: w.project,
		Policy:  PolicyVersion{Name: w.policyName, Hash: hex.EncodeToString(sum[:]), Text: text},
		Lineage: result.lineage, Results: result.stored, Profile: result.profile, Audit: event,
	}
	record.Audit.Policy = w.policyName + " " + record.Policy.Hash
	if err := s.o.Store.Commit(ctx, record); err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		return fail(ErrStore, "", "nothing was stored, so nothing is answered")
	}
	return nil
}

// counts are the figures of the audit trail.
func (w *writer) counts(result *Result) map[string]int {
	replaced, bare := 0, 0
	for _, j := range w.jobs {
		replaced += len(j.edits)
		if j.bare {
			bare++
		}
	}
	return map[string]int{
		"resources": len(w.x.all), "patients": len(w.patients.list), "texts": len(w.jobs), "attachments": len(w.files),
		"unreadable": w.lost, "replaced": replaced, "warnings": len(result.Warnings), "without-models": bare,
	}
}
