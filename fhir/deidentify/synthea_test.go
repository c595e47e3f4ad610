package deidentify_test

import (
	"path/filepath"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

func TestSyntheaBundles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(data(t, "fhir/synthea_r4"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Skip("SKIP synthea: no files")
	}
	s := newService(t, nil)
	for _, file := range files {
		in, err := fhir.DecodeResource(readGzip(t, file), fhir.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Deidentify(t.Context(), deidentify.Request{Resource: in, Raw: true, IncludeRisk: true, IncludeProvenance: true, Trusted: true})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		t.Log(len(in.Encode()), len(r.Resource.Encode()), len(r.Warnings), len(r.Changed), len(r.Reports))
	}
}
