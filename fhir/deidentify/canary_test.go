package deidentify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/testdata/canary"
)

func TestNoCanarySurvives(t *testing.T) {
	s := newService(t, nil)
	secrets := 0
	for i, typ := range fhir.ResourceTypes() {
		for _, valid := range []bool{true, false} {
			policy := fhir.PolicyNames()[i%len(fhir.PolicyNames())]
			if valid {
				policy = "all"
			}
			c := &canary.Generator{Valid: valid}
			in := c.Resource(typ, 3)
			if typ == "Bundle" && valid {
				in.Set("type", fhir.NewString("collection"))
			}
			before := everything(in)
			if strings.Count(before, canary.Mark) < 2 {
				t.Fatalf("%s: the input holds no secret", typ)
			}
			for _, isRaw := range []bool{true, false} {
				result, err := s.Deidentify(t.Context(), deidentify.Request{Resource: in, Policy: policy, Raw: isRaw, IncludeProvenance: true, IncludeRisk: true, Trusted: true, OnUnsupported: "remove"})
				if err != nil {
					if strings.Contains(err.Error(), canary.Mark) {
						t.Errorf("%s: the error holds a secret", typ)
					}
					if typ != "Subscription" { // which the policy removes
						t.Errorf("%s: %v", typ, err)
					}
					continue
				}
				secrets += c.Secrets
				out := everything(result.Resource) + everything(result.Outcome)
				for _, n := range append(result.Observations, result.Provenance...) {
					out += everything(n)
				}
				if at := strings.Index(out, canary.Mark); at >= 0 {
					t.Errorf("%s (valid codes: %v): a secret survives: …%s…", typ, valid, out[max(0, at-120):min(len(out), at+60)])
				}
				if !json.Valid(result.Resource.Encode()) {
					t.Errorf("%s: no JSON", typ)
				}
			}
		}
	}
	if secrets < 10000 {
		t.Errorf("only %d secrets were tried", secrets)
	}
	t.Logf("%d secrets", secrets)
}
