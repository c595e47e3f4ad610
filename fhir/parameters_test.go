package fhir

import (
	"errors"
	"strings"
	"testing"
)

func TestReadParameters(t *testing.T) {
	op, _ := OperationOf("deidentify")
	p, err := ReadParameters(op, decode(t, `{"resourceType":"Parameters","parameter":[
		{"name":"reference","valueReference":{"reference":"DocumentReference/1"}},{"name":"reference","valueReference":{"reference":"Binary/2"}},
		{"name":"patient","valueReference":{"reference":"Patient/1"}},{"name":"policy","valueString":"all"},{"name":"context","valueString":"study"},
		{"name":"method","valueCode":"keep-category"},{"name":"language","valueCode":"de"},{"name":"onUnsupported","valueCode":"remove"},
		{"name":"includeRisk","valueBoolean":false},{"name":"resource","resource":{"resourceType":"Patient"}}]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.References) != 2 || len(p.Patients) != 1 || p.Policy != "all" || p.Context != "study" || p.Method != "keep-category" ||
		p.Language != "de" || p.OnUnsupported != "remove" || p.IncludeRisk || !p.IncludeProvenance || p.Resource.ResourceType() != "Patient" {
		t.Errorf("%+v", p)
	}
	again, err := ReadParameters(op, p.Node(), false)
	if err != nil || again.Policy != p.Policy || len(again.References) != 2 || again.IncludeRisk {
		t.Errorf("%+v, %v", again, err)
	}
	raw, err := ReadParameters(op, decode(t, `{"resourceType":"Patient"}`), false)
	if err != nil || raw.Resource == nil || !raw.IncludeRisk {
		t.Error("a resource without Parameters around it:", err)
	}
	lenient, err := ReadParameters(op, decode(t, `{"resourceType":"Parameters","parameter":[{"name":"Geheim","valueString":"x"},{"name":"patient","valueReference":{"reference":"Patient/1"}}]}`), true)
	if err != nil || lenient.Ignored != 1 {
		t.Error("lenient handling:", err)
	}
}

func TestReadParametersRefuses(t *testing.T) {
	for _, c := range []struct {
		op, in string
		code   IssueType
	}{
		{"deidentify", `{"resourceType":"Parameters"}`, IssueRequired},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"policy","valueString":"all"}]}`, IssueRequired},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"Geheim","valueString":"x"}]}`, IssueNotSupported},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"return","resource":{"resourceType":"Patient"}}]}`, IssueNotSupported},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"policy","valueString":"a"},{"name":"policy","valueString":"b"}]}`, IssueStructure},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"policy","valueInteger":1}]}`, IssueStructure},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"policy"}]}`, IssueRequired},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"method","valueCode":"keep"}]}`, IssueValue},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"includeRisk","valueBoolean":"Geheim"}]}`, IssueValue},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"patient","valueReference":{"reference":"Geheim"}}]}`, IssueValue},
		{"deidentify", `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":{"resourceType":"Geheim"}}]}`, IssueNotSupported},
		{"deidentify", `{"resourceType":"Parameters","parameter":["Geheim"]}`, IssueStructure},
		{"deidentify", `{"resourceType":"Parameters","parameter":{"name":"Geheim"}}`, IssueStructure},
		{"deidentify", `{"resourceType":"Parameters","Geheim":1}`, IssueStructure},
		{"deidentify", `{"resourceType":"Geheim"}`, IssueNotSupported},
		{"deidentify-document", `{"resourceType":"Patient"}`, IssueInvalid},
		{"deidentify-bundle", `{"resourceType":"Parameters","parameter":[{"name":"inputBundle","resource":{"resourceType":"Patient"}}]}`, IssueValue},
	} {
		op, ok := OperationOf(c.op)
		if !ok {
			t.Fatal(c.op)
		}
		_, err := ReadParameters(op, decode(t, c.in), false)
		if !errors.Is(err, &Error{Code: c.code}) {
			t.Errorf("%s: %v, want %s", c.in, err, c.code)
		}
		if err != nil && strings.Contains(err.Error(), "Geheim") {
			t.Error("the error quotes the input")
		}
	}
}
