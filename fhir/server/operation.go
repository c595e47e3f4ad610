package server

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// byValue answers an operation whose input stands in the body, or is named there.
func (s *Server) byValue(operation string, raw bool) handler {
	op, _ := fhir.OperationOf(operation)
	return func(w http.ResponseWriter, r *http.Request) error {
		return s.operate(w, r, func(who Principal) (deidentify.Request, Principal, error) {
			body, err := s.body(r)
			if err != nil {
				return deidentify.Request{}, who, err
			}
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
}

// byID answers an operation on a resource of the upstream server. Its body, if any, is a Parameters without resource.
func (s *Server) byID(operation, resourceType string) handler {
	op, _ := fhir.OperationOf(operation)
	return func(w http.ResponseWriter, r *http.Request) error {
		return s.operate(w, r, func(who Principal) (deidentify.Request, Principal, error) {
			id := r.PathValue("id")
			if !fhir.ValidID(id) {
				return deidentify.Request{}, who, problemNotFound
			}
			var body []byte
			if r.ContentLength != 0 && r.Body != http.NoBody {
				var err error
				if body, err = s.body(r); err != nil {
					return deidentify.Request{}, who, err
				}
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
}

// operate is what all forms of the operation share: token, limits, and the answer.
func (s *Server) operate(w http.ResponseWriter, r *http.Request, read func(Principal) (deidentify.Request, Principal, error)) error {
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
	ctx := r.Context()
	if err := s.gate.enter(ctx); err != nil {
		s.o.Metrics.refused.WithLabelValues("queue").Inc()
		return err
	}
	defer s.gate.leave()
	req, who, err := read(who)
	if err != nil {
		s.countOutcome(err)
		return err
	}
	req.Client = who.Client
	if s.o.Pulling != nil {
		ctx = s.o.Pulling(ctx, who)
	}
	result, err := s.o.Operation.Deidentify(ctx, req)
	s.countOutcome(err)
	if err != nil {
		if errors.Is(err, deidentify.ErrNotFound) && who.Patient != "" {
			return problemForbidden // for a patient-level token, absent and foreign are one
		}
		return err
	}
	for _, c := range result.Changed {
		s.o.Metrics.entities.WithLabelValues(c.Action.String()).Inc()
	}
	return s.writeNode(w, r, http.StatusOK, result.Resource)
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

func (s *Server) body(r *http.Request) ([]byte, error) {
	body, err := readBody(r, s.o.Limits.Body)
	if errors.Is(err, errBody) && r.Context().Err() != nil {
		return nil, problemSlowBody
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
