package fhir

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/testdata/bad"
)

// walked takes JSON through a policy. What reaches the visitor is marked: strings become path@action, objects get a mark.
func walked(t *testing.T, policyName, text string) (string, []string, error) {
	t.Helper()
	n := decode(t, text)
	var notes []string
	w := Walker{Policy: policy(t, policyName), Visit: func(p *Place) error {
		if p.Node.Kind() == String {
			p.Node.SetString("<" + p.Action.String() + ">")
			return nil
		}
		p.Node.Set("mark", NewString("<"+p.Action.String()+">"))
		return nil
	}, Note: func(p *Place, n Note) { notes = append(notes, p.Path()+": "+n.String()) }}
	err := w.Walk(n)
	return string(n.Encode()), notes, err
}

func TestWalk(t *testing.T) {
	const masked = `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`
	for _, c := range []struct {
		name, policy, in, want string
		notes                  []string
	}{
		{
			"a patient", "all",
			`{"resourceType":"Patient","id":"1","active":true,"name":[{"use":"official","family":"Stein"}],"gender":"female","birthDate":"1957-03-02","multipleBirthInteger":2}`,
			`{"resourceType":"Patient","id":"<pseudonymise>","active":true,"name":[{"use":"official","family":"Stein","mark":"<surrogate>"}],"gender":"female","birthDate":"<shift>","multipleBirthInteger":2}`, nil,
		},
		{
			"a code outside of its binding", "all",
			`{"resourceType":"Patient","gender":"Geheim"}`, `{"resourceType":"Patient"}`,
			[]string{"Patient.gender: code outside of its binding removed"},
		},
		{
			"a required code outside of its binding", "all",
			`{"resourceType":"Observation","status":"Geheim","code":{"text":"x"}}`,
			`{"resourceType":"Observation","code":{"text":"<scan>"},"_status":` + masked + `}`,
			[]string{"Observation.status: code outside of its binding removed"},
		},
		{
			"unknown elements", "all",
			`{"resourceType":"Patient","Geheim":1,"name":[{"family":"S","nickname":"Geheim"}],"_active":{"x":1}}`,
			`{"resourceType":"Patient","name":[{"family":"S","mark":"<surrogate>"}]}`,
			[]string{"Patient: unknown element removed", "Patient.name[0]: unknown element removed", "Patient.active: unknown element removed"},
		},
		{
			"companions", "all",
			`{"resourceType":"Patient","_birthDate":` + masked + `,"name":[{"given":["A",null],"_given":[{"id":"Geheim"},` + masked + `]}]}`,
			`{"resourceType":"Patient","_birthDate":` + masked + `,"name":[{"given":["A",null],"_given":[null,` + masked + `],"mark":"<surrogate>"}]}`, nil,
		},
		{
			"a companion that is removed with its value", "all",
			`{"resourceType":"Patient","gender":"Geheim","_gender":` + masked + `}`, `{"resourceType":"Patient"}`, nil,
		},
		{
			"extensions", "all",
			`{"resourceType":"Patient","extension":[{"url":"http://klinik.example/Geheim","valueString":"Geheim"},{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex","valueCode":"F"},` +
				`{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex","valueCode":"Geheim"},{"url":"http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName","valueString":"Geheim"},` +
				`{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-race","extension":[{"url":"text","valueString":"White"},{"url":"Geheim","valueString":"x"}]}]}`,
			`{"resourceType":"Patient","extension":[{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex","valueCode":"F"},` +
				`{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-race","extension":[{"url":"text","valueString":"<scan>"}]}]}`, nil,
		},
		{
			"codings", "all",
			`{"resourceType":"Observation","code":{"coding":[{"system":"http://loinc.org","version":"2.68","code":"8302-2","display":"Height"},{"system":"http://loinc.org","code":"Geheim"},` +
				`{"system":"http://klinik.example/Geheim","version":"Geheim","code":"G1","display":"Geheim"},{"code":"G2","userSelected":true},` +
				`{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"},{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"Geheim"}]}}`,
			`{"resourceType":"Observation","code":{"coding":[{"system":"http://loinc.org","version":"2.68","code":"8302-2","display":"<scan>"},{"system":"http://loinc.org"},` +
				`{"system":"<pseudonymise>","code":"<pseudonymise>","display":"<scan>"},{"code":"<pseudonymise>","userSelected":true},` +
				`{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"},{"system":"http://terminology.hl7.org/CodeSystem/observation-category"}]}}`, nil,
		},
		{
			"quantities", "all",
			`{"resourceType":"Observation","valueQuantity":{"value":1.50,"comparator":"<","unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"component":[{"valueQuantity":{"value":1,"unit":"Frau Stein","system":"http://klinik.example","code":"Geheim"}}]}`,
			`{"resourceType":"Observation","valueQuantity":{"value":1.50,"comparator":"<","unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"component":[{"valueQuantity":{"value":1,"unit":"<scan>"}}]}`, nil,
		},
		{
			"what belongs to an identifier", "all",
			`{"resourceType":"Patient","identifier":[{"use":"Geheim","value":"1","period":{"start":"2020"},"assigner":{"display":"Klinik"}}]}`,
			`{"resourceType":"Patient","identifier":[{"value":"1","period":{"start":"<shift>"},"assigner":{"display":"Klinik","mark":"<pseudonymise>"},"mark":"<pseudonymise>"}]}`, nil,
		},
		{
			"addresses on the web", "all",
			`{"resourceType":"Patient","meta":{"source":"http://klinik.example","versionId":"7","profile":["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient","http://klinik.example/Geheim"]},"implicitRules":"http://klinik.example/Geheim"}`,
			`{"resourceType":"Patient","meta":{"profile":["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]}}`, nil,
		},
		{
			"Bundle and contained", "all",
			`{"resourceType":"Bundle","type":"batch","link":[{"relation":"self","url":"http://x"}],"entry":[{"fullUrl":"urn:x","resource":{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o","name":"K"}]},"request":{"method":"PUT","url":"Patient/1"}},{"resource":{"resourceType":"Subscription","status":"active"}}]}`,
			`{"resourceType":"Bundle","type":"batch","entry":[{"fullUrl":"<pseudonymise>","resource":{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"<pseudonymise>","name":"<surrogate>"}]},"request":{"method":"PUT","url":"<pseudonymise>"}}]}`, nil,
		},
		{
			"a narrative without its text goes whole", "all",
			`{"resourceType":"Patient","text":{"status":"generated","div":""},"active":true}`, `{"resourceType":"Patient","active":true}`, nil,
		},
		{
			"Safe Harbor", "safe-harbor",
			`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"onsetAge":{"value":93,"unit":"a","system":"http://unitsofmeasure.org","code":"a"},"recordedDate":"2020-01-02","meta":{"lastUpdated":"2020-01-02T03:04:05Z"}}`,
			`{"resourceType":"Condition","subject":{"reference":"Patient/1","mark":"<pseudonymise>"},"onsetAge":{"value":90,"comparator":">=","unit":"a","system":"http://unitsofmeasure.org","code":"a"},"recordedDate":"<generalise>"}`, nil,
		},
		{
			"a younger age stays", "safe-harbor",
			`{"resourceType":"Condition","subject":{},"onsetAge":{"value":1079,"unit":"mo","system":"http://unitsofmeasure.org","code":"mo"}}`,
			`{"resourceType":"Condition","onsetAge":{"value":1079,"unit":"mo","system":"http://unitsofmeasure.org","code":"mo"},"subject":` + masked + `}`, nil,
		},
		{
			"a required instant", "safe-harbor",
			`{"resourceType":"Provenance","recorded":"2020-01-02T03:04:05Z"}`, `{"resourceType":"Provenance","_recorded":` + masked + `}`, nil,
		},
	} {
		got, notes, err := walked(t, c.policy, c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
		if c.notes != nil && !slices.Equal(notes, c.notes) {
			t.Errorf("%s: notes %q, want %q", c.name, notes, c.notes)
		}
		for _, n := range notes {
			if strings.Contains(n, "Geheim") {
				t.Errorf("%s: a note quotes the input: %s", c.name, n)
			}
		}
	}
}

func TestWalkRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in string
		code     IssueType
		path     string
	}{
		{"a string for a boolean", `{"resourceType":"Patient","active":"Geheim"}`, IssueStructure, "Patient.active"},
		{"a number for a string", `{"resourceType":"Patient","name":[{"family":7}]}`, IssueStructure, "Patient.name[0].family"},
		{"a string for a decimal", `{"resourceType":"Observation","valueQuantity":{"value":"Geheim"}}`, IssueStructure, "Observation.valueQuantity.value"},
		{"a fraction for an integer", `{"resourceType":"Patient","multipleBirthInteger":1.5}`, IssueStructure, "Patient.multipleBirthInteger"},
		{"a string for an object", `{"resourceType":"Patient","name":["Geheim"]}`, IssueStructure, "Patient.name[0]"},
		{"an object for a list", `{"resourceType":"Patient","name":{"family":"Geheim"}}`, IssueStructure, "Patient.name"},
		{"a list for an object", `{"resourceType":"Patient","maritalStatus":[{"text":"Geheim"}]}`, IssueStructure, "Patient.maritalStatus"},
		{"an object for a string", `{"resourceType":"Patient","birthDate":{"Geheim":1}}`, IssueStructure, "Patient.birthDate"},
		{"null", `{"resourceType":"Patient","birthDate":null}`, IssueStructure, "Patient.birthDate"},
		{"null in a list", `{"resourceType":"Patient","name":[null]}`, IssueStructure, "Patient.name[0]"},
		{"null without a companion", `{"resourceType":"Patient","name":[{"given":["A",null]}]}`, IssueStructure, "Patient.name[0].given[1]"},
		{"a companion of another length", `{"resourceType":"Patient","name":[{"given":["A","B"],"_given":[null]}]}`, IssueStructure, "Patient.name[0].given"},
		{"a companion that is a string", `{"resourceType":"Patient","birthDate":"1957","_birthDate":"Geheim"}`, IssueStructure, "Patient.birthDate"},
		{"a key in the wrong case", `{"resourceType":"Patient","BIRTHDATE":"Geheim"}`, IssueStructure, "Patient"},
		{"a companion in the wrong case", `{"resourceType":"Patient","_birthdate":{}}`, IssueStructure, "Patient"},
		{"an entry of an unknown type", `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Geheim"}}]}`, IssueNotSupported, "Bundle.entry[0].resource"},
		{"a contained string", `{"resourceType":"Patient","contained":["Geheim"]}`, IssueStructure, "Patient.contained[0]"},
		{"a type that the policy removes", `{"resourceType":"Subscription"}`, IssueBusinessRule, "Subscription"},
	} {
		_, _, err := walked(t, "all", c.in)
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path {
			t.Errorf("%s: %v, want %s at %s", c.name, err, c.code, c.path)
			continue
		}
		if strings.Contains(err.Error(), "Geheim") {
			t.Errorf("%s: the error quotes the input", c.name)
		}
	}
}

func TestVisitorEndsTheWalk(t *testing.T) {
	stop := errors.New("stop")
	w := Walker{Policy: policy(t, "all"), Visit: func(*Place) error { return stop }}
	if err := w.Walk(decode(t, `{"resourceType":"Patient","id":"1"}`)); !errors.Is(err, stop) {
		t.Error(err)
	}
	w.Visit = func(p *Place) error { p.Remove(); return nil }
	n := decode(t, `{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}`)
	if err := w.Walk(n); err != nil {
		t.Fatal(err)
	}
	if got := string(n.Encode()); !strings.HasPrefix(got, `{"resourceType":"Observation","status":"final","code":{"extension"`) {
		t.Error(got)
	}
}

func TestPlace(t *testing.T) {
	n := decode(t, `{"resourceType":"Bundle","type":"batch","entry":[{"resource":{"resourceType":"Patient","name":[{"family":"S"}],"communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47","code":"de","display":"Deutsch"}]}}]}}]}`)
	var paths []string
	w := Walker{Policy: policy(t, "all"), Visit: func(p *Place) error {
		paths = append(paths, p.Path())
		if p.Resource.ResourceType() != "Patient" || p.Parent == nil {
			t.Error("a place without its surroundings")
		}
		if p.Element.Path == "Coding.display" && (!p.KnownCode || p.Action != phi.Scan) {
			t.Error("the display of a known code is not marked")
		}
		return nil
	}}
	if err := w.Walk(n); err != nil {
		t.Fatal(err)
	}
	want := []string{"Bundle.entry[0].resource.name[0]", "Bundle.entry[0].resource.communication[0].language.coding[0].display"}
	if !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}

// FuzzWalk walks whatever decodes: no panic, and the output decodes and walks again.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{
		`{"resourceType":"Patient","_birthDate":{"extension":[{"url":"x"}]},"name":[{"given":["A",null],"_given":[null,{"id":"a"}]}]}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Observation","status":"final","valueQuantity":{"value":1,"unit":"x"}}}]}`,
	} {
		f.Add([]byte(s))
	}
	for _, c := range bad.Cases() {
		if len(c.Body) < maxSeed {
			f.Add(c.Body)
		}
	}
	p, err := LoadPolicy("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := DecodeResource(data, Limits{})
		if err != nil {
			return
		}
		w := Walker{Policy: p, Visit: func(*Place) error { return nil }}
		if err := w.Walk(n); err != nil {
			return
		}
		again, err := DecodeResource(n.Encode(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Walk(again); err != nil {
			t.Fatalf("the output is refused: %v in %s", err, n.Encode())
		}
	})
}
