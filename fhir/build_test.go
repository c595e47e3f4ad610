package fhir

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// sample is one of each resource that the package builds.
func sample() map[string]*Node {
	const base = "https://deid.klinik.test/fhir"
	server := ServerInfo{
		Version: "1.2.3", Date: "2026-11-21", URL: base,
		Security: SecurityInfo{SMART: true, AuthorizeURL: "https://login.klinik.test/authorize", TokenURL: "https://login.klinik.test/token", Description: "SMART backend services"},
		Resources: []ResourceInfo{
			{"Observation", []string{"read", "search-type"}, []SearchParam{{"subject", "reference", ""}, {"focus", "reference", ""}}},
			{"Provenance", []string{"read", "search-type"}, []SearchParam{{"target", "reference", "what came out"}}},
		},
	}
	m := map[string]*Node{
		"outcome": Outcome(
			Issue{Severity: SeverityWarning, Code: IssueNotSupported, Diagnostics: "the attachment cannot be read and was removed", Expression: []string{"DocumentReference.content[0].attachment"}},
			Issue{Severity: SeverityInformation, Code: IssueInformation, Expression: []string{"Patient.name[0]", "Patient.birthDate"}},
		),
		"outcome-empty": Outcome(),
		"capability":    NewCapabilityStatement(server),
		"device":        NewDevice(DeviceInfo{ID: "d1", Version: "1.2.3", Packs: []Pack{{"de", "3"}}, Policies: []Pack{{"all", "1"}}}),
		"provenance": NewProvenance(ProvenanceInfo{
			ID: "p1", Targets: []string{"DocumentReference/a1"}, Recorded: noon, Device: "Device/d1",
			Policies: []string{PolicyBase + "all"}, Sources: []string{"6fd1f1f4"},
		}),
		"provenance-deidentified": NewProvenance(ProvenanceInfo{Targets: []string{"Patient/a"}, Recorded: noon, Activity: ActivityDeidentify, Device: "Device/d1"}),
		"provenance-anonymised":   NewProvenance(ProvenanceInfo{Targets: []string{"Patient/a"}, Recorded: noon, Activity: ActivityAnonymise, Device: "Device/d1"}),
		"risk": NewRiskObservation(RiskInfo{
			ID: "o1", Subject: "Patient/pat1", Focus: []string{"DocumentReference/a1"}, DerivedFrom: []string{"DocumentReference/a1"}, Device: "Device/d1",
			Effective: noon, Method: "unique contexts, lexical similarity 1", Value: Percent(12.5), Level: "low", Note: "supports expert review, is not a determination",
			Components: []Component{
				{"entities", "Entities replaced", Count(42)},
				{"k-anonymity", "Smallest group", Absent("not-performed")},
				{"unicity", "Unicity", Ratio(0.25)},
				{"leak-gate", "Known identifiers found in the output", Flag(false)},
				{"method-version", "Version", Value{Text: "1"}},
			},
		}),
		"risk-absent": NewRiskObservation(RiskInfo{Effective: noon, Value: Absent("")}),
		"bundle":      nil,
	}
	document := decode(nil, `{"resourceType":"DocumentReference","id":"a1","status":"current","subject":{"reference":"Patient/pat1"},"content":[{"attachment":{"contentType":"text/plain","data":"SGVyciBYIA=="}}]}`)
	AddLabels(document, Pseudonymised, Redacted, Pseudonymised)
	patient := NewResource("Patient", "id", NewString("pat1"))
	el, _ := Lookup("Patient.birthDate")
	SetAbsent(patient, el, "masked")
	AddLabels(patient, Pseudonymised, Masked)
	bundle := NewBundle(BundleInfo{ID: "b1", Timestamp: noon}, document, patient, m["risk"].Clone(), m["provenance"].Clone(), m["device"].Clone(), m["outcome"].Clone())
	AddLabels(bundle, Pseudonymised)
	m["bundle"] = bundle
	for _, d := range OperationDefinitions(base) {
		m["operation-"+d.Text("id")] = d
	}
	m["parameters"] = Parameters{
		Resource: patient.Clone(), References: []string{"DocumentReference/1"}, Patients: []string{"Patient/1"}, Policy: "all",
		Context: "study", Method: "tag", Language: "de", OnUnsupported: "remove", IncludeProvenance: true,
	}.Node()
	return m
}

func TestGoldenResources(t *testing.T) {
	for name, n := range sample() {
		golden(t, name, n)
		// All that is built stands in the table of R4.
		w := Walker{Policy: policy(t, "all"), Visit: func(*Place) error { return nil }, Note: func(p *Place, note Note) {
			if note == NoteUnknownElement || note == NoteEmpty {
				t.Errorf("%s: %s at %s", name, note, p.Path())
			}
		}}
		if err := w.Walk(n); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOperationNamesCarryNoDollar(t *testing.T) {
	statement := NewCapabilityStatement(ServerInfo{URL: "https://h.test/fhir", Date: "2026"})
	if strings.Contains(string(statement.Encode()), "$") {
		t.Error("a $ in the CapabilityStatement")
	}
	if statement.Get("kind").text == "instance" && statement.Get("implementation") == nil {
		t.Error("cpb-14: kind=instance needs implementation")
	}
	for _, d := range OperationDefinitions("https://h.test/fhir") {
		if strings.Contains(d.Text("code")+d.Text("name"), "$") {
			t.Error("a $ in an OperationDefinition")
		}
	}
}

func TestLabelsStandOnce(t *testing.T) {
	n := decode(t, `{"resourceType":"Patient","id":"1","meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"PSEUDED"}]},"active":true}`)
	AddLabels(n, Pseudonymised, Anonymised)
	AddLabels(n, Anonymised)
	if got := n.At("meta").Get("security").Len(); got != 2 {
		t.Errorf("%d labels, want 2", got)
	}
	bare := decode(t, `{"resourceType":"Patient","active":true}`)
	AddLabels(bare, Masked)
	if bare.Members()[1].Key != "meta" {
		t.Error("meta stands in the wrong place")
	}
	AddLabels(bare)
}

func TestAbsent(t *testing.T) {
	for _, c := range []struct{ path, in, want string }{
		{"Patient.birthDate", `{"birthDate":"1957-03-02","gender":"male"}`, `{"_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"gender":"male"}`},
		{"Patient.name", `{"name":[{"family":"A"}]}`, `{"name":[{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}]}`},
		{"HumanName.given", `{"given":["A","B"],"_given":[null,{"id":"1"}]}`, `{"_given":[{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}]}`},
		{"Observation.code", `{}`, `{"code":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}}`},
	} {
		el, _ := Lookup(c.path)
		n := decode(t, c.in)
		SetAbsent(n, el, "masked")
		if got := string(n.Encode()); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}
