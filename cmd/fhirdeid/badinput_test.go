package main

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/testdata/bad"
)

// TestBadInputs sends every bad input to the server: each gets the status and the issue type that it must get, in an
// OperationOutcome, and nothing of it comes back or is logged.
func TestBadInputs(t *testing.T) {
	cases := bad.Cases()
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
	}
	if len(cases) < 300 {
		t.Fatalf("only %d cases", len(cases))
	}
	h := newHarness(t, map[string]any{"limits.concurrent": 1})
	byStatus := map[int]int{}
	for _, c := range cases {
		method, path := c.Method, c.Path
		if method == "" {
			method = http.MethodPost
		}
		if path == "" {
			path = "$deidentify"
		}
		if c.Query != "" {
			path += "?" + c.Query
		}
		w := h.do(t.Context(), method, path, c.Header, c.Body)
		byStatus[w.Code]++
		outcome, err := fhir.DecodeResource(w.Body.Bytes(), fhir.Limits{})
		if err != nil || outcome.ResourceType() != "OperationOutcome" {
			t.Errorf("%s: status %d, and the answer is no OperationOutcome: %.200s", c.Name, w.Code, w.Body)
			continue
		}
		issue := outcome.Get("issue").Item(0)
		if w.Code != c.Status || issue.Text("code") != c.Code {
			t.Errorf("%s: %d %s, want %d %s: %s", c.Name, w.Code, issue.Text("code"), c.Status, c.Code, issue.Text("diagnostics"))
		}
		if severity := issue.Text("severity"); severity != "error" && severity != "fatal" {
			t.Errorf("%s: severity %q", c.Name, severity)
		}
		if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/fhir+json") {
			t.Errorf("%s: content type %q", c.Name, got)
		}
		if strings.Contains(w.Body.String(), bad.Secret) {
			t.Errorf("%s: the answer quotes the input", c.Name)
		}
	}
	if strings.Contains(h.logs.String(), bad.Secret) || strings.Contains(h.logs.String(), "panic") {
		t.Errorf("the log quotes an input, or a request panicked")
	}
	if w := h.do(t.Context(), http.MethodPost, "$deidentify", nil, []byte(bad.Sound)); w.Code != http.StatusOK {
		t.Errorf("the Bundle that the cases break gives %d: %.300s", w.Code, w.Body)
	}
	t.Logf("%d bad inputs, answers by status: %v", len(cases), byStatus)
}

// TestBadInputsWithoutServer takes the same inputs through decoder and service, as the command line does.
func TestBadInputsWithoutServer(t *testing.T) {
	h := newHarness(t, nil)
	refused := 0
	for _, c := range bad.Cases() {
		if c.Header != nil || c.Query != "" || c.Path != "" || c.Method != "" || bytes.Contains(c.Body, []byte(`{"resourceType":"Parameters"`)) {
			continue // wrong by what is around the body
		}
		if len(c.Body) > 1<<20 {
			continue // only slower here
		}
		node, err := fhir.DecodeResource(c.Body, fhir.Limits{})
		if err == nil {
			_, err = h.rt.service.Deidentify(t.Context(), deidentify.Request{Resource: node, Raw: true, Trusted: true})
		}
		if err == nil {
			t.Errorf("%s: taken", c.Name)
			continue
		}
		refused++
		var own *deidentify.Error
		var tree *fhir.Error
		if !errors.As(err, &own) && !errors.As(err, &tree) {
			t.Errorf("%s: an error of type %T", c.Name, err)
		}
		if strings.Contains(err.Error(), bad.Secret) {
			t.Errorf("%s: the error quotes the input", c.Name)
		}
	}
	if refused < 250 {
		t.Errorf("only %d inputs were tried", refused)
	}
}
