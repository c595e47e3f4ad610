package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// reader makes a request of a body, and says in whose name it is pulled.
type reader func(r *http.Request, who Principal, body []byte) (deidentify.Request, Principal, error)

// byValue answers an operation whose input stands in the body, or is named there.
func (s *Server) byValue(operation, resourceType string, raw bool) handler {
	op, _ := fhir.OperationOf(operation)
	if resourceType != "" {
		op.Resources = []string{resourceType}
	}
	return s.operate(func(r *http.Request, who Principal, body []byte) (deidentify.Request, Principal, error) {
		if len(bytes.TrimSpace(body)) == 0 {
			return deidentify.Request{}, who, problemEmpty
		}
		req, err := s.request(r, op, body)
		req.Raw = raw
		if err != nil {
			return req, who, err
		}
		who, err = permit(who, req)
		return req, who, err
	})
}

// byID answers an operation on a resource of the upstream server. Its body, if any, is a Parameters without resource.
func (s *Server) byID(operation, resourceType string) handler {
	op, _ := fhir.OperationOf(operation)
	return s.operate(func(r *http.Request, who Principal, body []byte) (deidentify.Request, Principal, error) {
		id := r.PathValue("id")
		if !fhir.ValidID(id) {
			return deidentify.Request{}, who, problemNotFound
		}
		req, err := s.request(r, op, body)
		if err != nil {
			return req, who, err
		}
		if req.Resource != nil || len(req.References) > 0 || len(req.Patients) > 0 {
			return req, who, badParameter("resource", "the resource is named by the URL already")
		}
		if resourceType == "Patient" {
			req.Patients = []string{"Patient/" + id}
		} else {
			req.References = []string{resourceType + "/" + id}
		}
		who, err = permit(who, req)
		return req, who, err
	})
}

// operate is what all forms of the operation share: token, limits, and the answer.
func (s *Server) operate(read reader) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := s.caller(r)
		if err != nil {
			return err
		}
		if !acceptable(r) {
			return problemAccept
		}
		if !s.rates.allow(who.Client, s.o.Clock()) {
			s.o.Metrics.refused.WithLabelValues("rate").Inc()
			return problemBusy
		}
		if err := s.gate.sit(); err != nil {
			s.o.Metrics.refused.WithLabelValues("queue").Inc()
			return err
		}
		defer s.gate.stand()
		result, err := s.work(w, r, who, read)
		s.countOutcome(err)
		if err != nil {
			return err
		}
		for _, c := range result.Changed {
			s.o.Metrics.entities.WithLabelValues(c.Action.String()).Inc()
		}
		return s.writeNode(w, r, http.StatusOK, result.Resource)
	}
}

// work reads the body, waits for a place, and has the operation done.
func (s *Server) work(w http.ResponseWriter, r *http.Request, who Principal, read reader) (*deidentify.Result, error) {
	held := &share{pool: s.pool}
	defer held.giveBack()
	body, err := s.body(r, held)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if err := s.gate.enter(ctx); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	req, bound, err := read(r, who, body)
	if err != nil {
		if toProblem(err).status == http.StatusForbidden {
			s.auditRefusal(ctx, who.Client)
		}
		return nil, err
	}
	if s.o.Pulling == nil && len(req.References)+len(req.Patients) > 0 {
		return nil, problemNoUpstream
	}
	req.Client = who.Client
	give, err := s.claim(w, r, who.Client, body, &req)
	if err != nil {
		return nil, err
	}
	if s.o.Pulling != nil {
		ctx = s.o.Pulling(ctx, bound)
	}
	result, err := s.o.Operation.Deidentify(ctx, req)
	if err != nil {
		give(ctx)
		if errors.Is(err, deidentify.ErrNotFound) && bound.Patient != "" {
			return nil, problemForbidden // for a patient-level token, absent and foreign are one
		}
		var d *deidentify.Error
		if errors.As(err, &d) && errors.Is(d.Kind, deidentify.ErrForbidden) && d.Expression == "" {
			return nil, problemForbidden // nor does it matter who forbids the target
		}
	}
	return result, err
}

// maxKey bounds an idempotency key.
const maxKey = 255

// claim binds the request to its idempotency key, if it has one. A repetition is worked on again, since no answer is kept,
// under the id and the time of the first, so that it gives the same and leaves nothing more behind. What comes back gives
// the key back where the request fails.
func (s *Server) claim(w http.ResponseWriter, r *http.Request, client string, body []byte, req *deidentify.Request) (giveBack func(context.Context), err error) {
	giveBack = func(context.Context) {}
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) == 0 || s.o.Claims == nil {
		return giveBack, nil
	}
	key := keys[0]
	if len(keys) > 1 || key == "" || len(key) > maxKey {
		return giveBack, problemKey
	}
	request := append([]byte(r.URL.Path+"\n"+r.URL.RawQuery+"\n"), body...)
	c, err := s.o.Claims.Claim(r.Context(), client, key, request, s.o.Clock())
	if errors.Is(err, ErrKeyReused) {
		return giveBack, problemKeyReused
	}
	if err != nil {
		return giveBack, err
	}
	req.ID, req.Time = c.ID, c.Time
	if c.Repeat {
		w.Header().Set("Idempotency-Replayed", "true")
		return giveBack, nil
	}
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
		defer cancel()
		_ = s.o.Claims.Release(ctx, client, key, c) // the request has failed already; the key then only runs out
	}, nil
}

// noteTime bounds what is written about a request that has failed.
const noteTime = 5 * time.Second

// auditRefusal notes what the token did not permit. The refusal stands whether or not that succeeds.
func (s *Server) auditRefusal(ctx context.Context, client string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	_ = s.audit(ctx, client, "refuse", string(fhir.IssueForbidden))
}

func (s *Server) audit(ctx context.Context, client, action, outcome string) error {
	if s.o.Auditor == nil {
		return nil
	}
	return s.o.Auditor.Audit(ctx, deidentify.Event{
		Request: requestID(ctx), Time: s.o.Clock(), Client: client, Action: action, Outcome: outcome,
	})
}

func (s *Server) countOutcome(err error) {
	outcome := "success"
	if err != nil {
		outcome = problemCode(err)
	}
	s.o.Metrics.documents.WithLabelValues(outcome).Inc()
}

// caller tells who asks; without authentication everyone is nobody in particular and may do everything.
func (s *Server) caller(r *http.Request) (Principal, error) {
	if s.o.Auth == nil {
		return Principal{Scopes: Scopes{{Context: "system", Type: "*", Permissions: "cruds"}}}, nil
	}
	return s.o.Auth.Authenticate(r)
}

// body reads the body, if there is one.
func (s *Server) body(r *http.Request, held *share) ([]byte, error) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := readBody(r, s.o.Limits.Body, held)
	switch {
	case errors.Is(err, errBody) && r.Context().Err() != nil:
		return nil, problemSlowBody
	case errors.Is(err, errBusy):
		s.o.Metrics.refused.WithLabelValues("memory").Inc()
	}
	return body, err
}

// request reads a body: a Parameters is always the envelope, anything else the resource itself. Simple parameters may
// stand in the URL beside a resource.
func (s *Server) request(r *http.Request, op fhir.Operation, body []byte) (deidentify.Request, error) {
	var node *fhir.Node
	if len(bytes.TrimSpace(body)) > 0 {
		var err error
		if node, err = fhir.Decode(body, fhir.Limits{Depth: s.o.Limits.Depth, Bytes: int(s.o.Limits.Body)}); err != nil {
			return deidentify.Request{}, err
		}
	}
	p, err := fhir.ReadParameters(op, node, lenient(r))
	if err != nil {
		return deidentify.Request{}, err
	}
	req := deidentify.Request{
		Resource: p.Resource, References: p.References, Patients: p.Patients, Policy: p.Policy, Context: p.Context,
		Method: p.Method, Language: p.Language, OnUnsupported: p.OnUnsupported,
		IncludeProvenance: p.IncludeProvenance, IncludeRisk: p.IncludeRisk,
	}
	return req, queryParameters(r, &req)
}

// lenient says whether the client asked to have unknown parameters ignored.
func lenient(r *http.Request) bool {
	for _, header := range r.Header.Values("Prefer") {
		for part := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.ReplaceAll(strings.TrimSpace(part), " ", ""), "handling=lenient") {
				return true
			}
		}
	}
	return false
}

// queryParameters reads the simple parameters from the URL, as FHIR allows beside a raw body.
func queryParameters(r *http.Request, req *deidentify.Request) error {
	for name, values := range r.URL.Query() {
		if name == "_format" || name == "_outputFormat" || name == "_pretty" {
			continue
		}
		known, err := setParameter(req, name, values[0])
		if err != nil {
			return err
		}
		if len(values) > 1 && known {
			return badParameter(name, "must not repeat")
		}
		if !known && !lenient(r) {
			return problem{status: http.StatusBadRequest, code: fhir.IssueNotSupported, text: "the URL has a parameter that is not known"}
		}
	}
	return nil
}

// setParameter sets a simple parameter from text; known is false for a name that is none.
func setParameter(req *deidentify.Request, name, value string) (known bool, err error) {
	oneOf := func(target *string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return badParameter(name, "must be one of "+strings.Join(allowed, ", "))
		}
		*target = value
		return nil
	}
	truth := func(target *bool) error {
		b, err := strconv.ParseBool(value)
		if err != nil || value != "true" && value != "false" {
			return badParameter(name, "must be true or false")
		}
		*target = b
		return nil
	}
	switch name {
	case "policy":
		req.Policy = value
	case "context":
		req.Context = value
	case "method":
		err = oneOf(&req.Method, "surrogate", "tag", "redact", "mask", "category", "keep-category")
	case "language":
		err = oneOf(&req.Language, "de", "en", "auto")
	case "onUnsupported":
		err = oneOf(&req.OnUnsupported, "error", "remove")
	case "includeProvenance":
		err = truth(&req.IncludeProvenance)
	case "includeRisk":
		err = truth(&req.IncludeRisk)
	default:
		return false, nil
	}
	return true, err
}
