package fhir

import (
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// fullPolicy are the types of resources for which the built-in policies promise rules for every element.
var fullPolicy = strings.Fields(`Patient RelatedPerson Practitioner PractitionerRole Organization Location Encounter EpisodeOfCare
	Condition Observation DiagnosticReport DocumentReference Binary Composition Procedure MedicationRequest MedicationStatement
	MedicationAdministration AllergyIntolerance Immunization CarePlan CareTeam Claim ExplanationOfBenefit Coverage ImagingStudy
	Device ServiceRequest Specimen FamilyMemberHistory Questionnaire QuestionnaireResponse Consent Communication Media List
	Provenance Bundle Parameters`)

func TestBuiltInPolicies(t *testing.T) {
	if names := PolicyNames(); !slices.Equal(names, []string{"all", "safe-harbor", "safe-harbor-plus-providers"}) {
		t.Error(names)
	}
	for _, name := range PolicyNames() {
		p := policy(t, name)
		if p.Name != name || p.Version == "" || p.Description == "" {
			t.Errorf("%s: %+v", name, p.Name)
		}
		for _, typ := range fullPolicy {
			if p.roots[typ] == nil || p.roots[typ].action != phi.Scan {
				t.Errorf("%s removes %s", name, typ)
			}
		}
		for typ, fields := range schema().types {
			for _, el := range fields.Elements {
				if _, named := p.types[el.Type]; !named && el.Type != "" {
					t.Errorf("%s: no rule for %s, the type of %s.%s", name, el.Type, typ, el.Name)
				}
			}
		}
	}
	if _, err := LoadPolicy("Geheim"); err == nil || strings.Contains(err.Error(), "Geheim") {
		t.Error(err)
	}
	if p := policy(t, ""); p.Name != DefaultPolicy {
		t.Error(p)
	}
}

func TestElementActions(t *testing.T) {
	for _, c := range []struct {
		policy, typ, path string
		of                Type
		want              phi.Action
	}{
		{"all", "Patient", "Patient.name[0]", TypeHumanName, phi.Surrogate},
		{"all", "Patient", "name", "", phi.Surrogate},
		{"all", "Patient", "Patient.birthDate", TypeDate, phi.Shift},
		{"safe-harbor", "Patient", "Patient.birthDate", TypeDate, phi.Generalise},
		{"all", "Patient", "Patient.id", TypeID, phi.Pseudonymise},
		{"all", "Patient", "Patient.gender", TypeCode, phi.Keep},
		{"all", "Patient", "Patient.nickname", TypeString, phi.Remove},
		{"all", "Patient", "Patient.birthDate", TypeString, phi.Remove},
		{"all", "Geheim", "Geheim.name", TypeString, phi.Remove},
		{"all", "Observation", "Observation.component[2].valueString", TypeString, phi.Scan},
		{"all", "DocumentReference", "DocumentReference.content[0].attachment", TypeAttachment, phi.Scan},
		{"all", "Contract", "Contract.signer.signature", TypeSignature, phi.Remove},
		{"safe-harbor", "Location", "Location.address", TypeAddress, phi.Generalise},
		{"safe-harbor-plus-providers", "Patient", "Patient.telecom", TypeContactPoint, phi.Remove},
	} {
		if got := policy(t, c.policy).Element(c.typ, c.path, c.of); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.policy, c.path, got, c.want)
		}
	}
}

// TestTextGroups holds the policies to the groups of types of the nference paper.
func TestTextGroups(t *testing.T) {
	all, harbor, providers := policy(t, "all"), policy(t, "safe-harbor"), policy(t, "safe-harbor-plus-providers")
	kept := map[phi.Type]bool{
		phi.NameStaff: true, phi.NameUsername: true, phi.LocationHospital: true, phi.LocationState: true, phi.LocationCountry: true,
		phi.Profession: true, phi.ProfessionProfession: true, phi.ProfessionStatus: true,
	}
	for _, typ := range phi.Types() {
		if !all.Text(typ).Detect || all.Text(typ).Action == phi.Keep {
			t.Errorf("all leaves %s", typ)
		}
		if got := harbor.Text(typ).Detect; got == kept[typ] {
			t.Errorf("safe-harbor, %s: %v", typ, got)
		}
		staff := typ == phi.NameStaff || typ == phi.NameUsername
		if got := providers.Text(typ).Detect; got != (harbor.Text(typ).Detect || staff) {
			t.Errorf("safe-harbor-plus-providers, %s: %v", typ, got)
		}
	}
	for typ, want := range map[phi.Type]phi.Action{phi.DateBirthdate: phi.Generalise, phi.Age: phi.Generalise, phi.LocationZIP: phi.Generalise, phi.NamePatient: phi.Surrogate} {
		if got := harbor.Text(typ).Action; got != want {
			t.Errorf("safe-harbor, %s: %s, want %s", typ, got, want)
		}
	}
}

func TestWithMethod(t *testing.T) {
	p := policy(t, "safe-harbor")
	tagged, err := p.WithMethod(phi.Tag)
	if err != nil {
		t.Fatal(err)
	}
	if tagged.Text(phi.NamePatient).Action != phi.Tag || tagged.Text(phi.DateDate).Action != phi.Tag || p.Text(phi.NamePatient).Action != phi.Surrogate {
		t.Error("the method does not hold, or changed the policy that it came from")
	}
	if tagged.Text(phi.NameStaff).Detect {
		t.Error("the method made the policy find what it leaves")
	}
	for _, a := range []phi.Action{phi.Keep, phi.Scan, phi.Pseudonymise, phi.Shift} {
		if _, err := p.WithMethod(a); err == nil {
			t.Errorf("%s was taken for a method", a)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                ``,
		"no name":                `version: "1"`,
		"unknown key":            "name: x\nelement: {}",
		"unknown key inside":     "name: x\ntext: {default: {detects: true}}",
		"key twice":              "name: x\nname: y",
		"unknown action":         "name: x\nelements: {types: {string: hide}}",
		"unknown datatype":       "name: x\nelements: {types: {Strang: keep}}",
		"resource as datatype":   "name: x\nelements: {types: {Patient: keep}}",
		"unknown path":           "name: x\nelements: {paths: {Patient.nickname: keep}}",
		"wrong case in a path":   "name: x\nelements: {paths: {Patient.birthdate: keep}}",
		"unknown choice":         "name: x\nelements: {paths: {'Patient.value[x]': keep}}",
		"unknown type of text":   "name: x\ntext: {types: {NAME_DOG: {detect: true}}}",
		"action not for text":    "name: x\ntext: {types: {NAME: {action: scan}}}",
		"threshold above one":    "name: x\ntext: {default: {threshold: 2}}",
		"threshold not a number": "name: x\ntext: {default: {threshold: .nan}}",
		"lambda above one":       "name: x\ntext: {lambda: 1.5}",
		"lambda not a number":    "name: x\ntext: {lambda: .nan}",
		"no coded element":       "name: x\ncodes: {Patient.birthDate: [a]}",
		"system's form":          "name: x\nsystems: {'http://x': '['}",
		"origin's form":          "name: x\norigins: ['(']",
		"local codes":            "name: x\nlocalCodes: shift",
		"extension's action":     "name: x\nextensions: {'http://x': {action: hide}}",
		"unknown base":           "name: x\nextends: y",
		"two documents":          "name: x\n---\nname: y",
	} {
		if p, err := ParsePolicy([]byte(text)); err == nil {
			t.Errorf("%s was taken: %v", name, p)
		}
	}
}

func TestEmptyPolicyRemovesAll(t *testing.T) {
	p, err := ParsePolicy([]byte("name: empty"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Element("Patient", "Patient.active", TypeBoolean); got != phi.Remove {
		t.Error(got)
	}
	if rule := p.Text(phi.NamePatient); !rule.Detect || rule.Action != phi.Redact {
		t.Error(rule)
	}
	w := Walker{Policy: p, Visit: func(*Place) error { return nil }}
	if err := w.Walk(decode(t, `{"resourceType":"Patient","active":true}`)); err == nil {
		t.Error("a policy without rules let a Patient pass")
	}
}

func TestNarrowerRulesGoFirst(t *testing.T) {
	p, err := ParsePolicy([]byte(`
name: mine
extends: all
elements:
  types: {HumanName: redact}
  paths:
    Practitioner.name: keep
    Practitioner.name.prefix: remove
    HumanName.suffix: remove
    'Observation.value[x]': remove
    Patient.address.city: keep
`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]phi.Action{
		"Patient.name": phi.Redact, "Practitioner.name": phi.Keep, "Practitioner.name.prefix": phi.Remove, "Patient.name.suffix": phi.Remove,
		"Observation.valueString": phi.Remove, "Observation.component.valueString": phi.Scan, "Patient.address.city": phi.Keep,
		"Organization.address.city": phi.Scan,
	} {
		typ, _, _ := strings.Cut(path, ".")
		if got := p.Element(typ, path, ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	n := decode(t, `{"resourceType":"Practitioner","name":[{"family":"Stein","prefix":["Dr."],"suffix":["jun."],"period":{"start":"2020-01-01"}}]}`)
	w := Walker{Policy: p, Visit: func(pl *Place) error { pl.Remove(); return nil }}
	if err := w.Walk(n); err != nil {
		t.Fatal(err)
	}
	if got := string(n.Encode()); got != `{"resourceType":"Practitioner","name":[{"family":"Stein","period":{"start":"2020-01-01"}}]}` {
		t.Error(got)
	}
}

func TestKnownCodesAndURIs(t *testing.T) {
	p := policy(t, "all")
	for _, c := range []struct{ system, good, bad string }{
		{"http://loinc.org", "8302-2", "Geheim"},
		{"http://snomed.info/sct", "162673000", "Stein"},
		{"http://fhir.de/CodeSystem/bfarm/icd-10-gm", "E11.90", "E11.90 Stein"},
		{"http://fhir.de/CodeSystem/bfarm/ops", "5-470.11", "Stein"},
		{"http://unitsofmeasure.org", "mmol/L", "Stein"},
		{"http://terminology.hl7.org/CodeSystem/v3-ActCode", "AMB", "STEIN"},
		{"http://terminology.hl7.org/CodeSystem/v2-0203", "MR", "Stein"},
		{"http://klinik.example/labor", "", "HB1"},
		{"", "", "HB1"},
	} {
		if c.good != "" && !p.KnownCode(c.system, c.good) || p.KnownCode(c.system, c.bad) || p.KnownCode(c.system, "") {
			t.Errorf("%s", c.system)
		}
	}
	for uri, want := range map[string]bool{
		"http://hl7.org/fhir/StructureDefinition/vitalsigns": true, "http://loinc.org": true,
		"https://www.medizininformatik-initiative.de/fhir/core/modul-person/StructureDefinition/Patient|2.0.0": true,
		"http://klinik.example/StructureDefinition/x":                                                          false, "http://hl7.org.evil.example/fhir/StructureDefinition/x": false,
		"http://hl7.org/fhir/StructureDefinition/Frau Stein": false, "http://hl7.org/fhir/StructureDefinition/x?name=Stein": false, "": false,
	} {
		if p.KnownURI(uri) != want {
			t.Errorf("%s: %v", uri, !want)
		}
	}
}

// A failure of the models fails a request unless the policy says otherwise, or the one that it extends.
func TestPolicyModels(t *testing.T) {
	for text, want := range map[string]bool{
		"name: x\nextends: all":                           false,
		"name: x\nextends: all\ntext: {models: required}": false,
		"name: x\nextends: all\ntext: {models: optional}": true,
	} {
		p, err := ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if p.ModelsOptional != want {
			t.Errorf("%q: %v, want %v", text, p.ModelsOptional, want)
		}
	}
	for _, text := range []string{"text: {models: maybe}", "text: {models: [optional]}", "text: {model: optional}", "text: {models: true}"} {
		if _, err := ParsePolicy([]byte("name: x\nextends: all\n" + text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if base := (&policyFile{Text: textRules{Models: "optional"}}); (&policyFile{}).over(base).Text.Models != "optional" ||
		(&policyFile{Text: textRules{Models: "required"}}).over(base).Text.Models != "required" {
		t.Error("what a policy does not say does not come from the one that it extends")
	}
}

// The bias of the models comes from the policy, or from the one that it extends.
func TestPolicyLambda(t *testing.T) {
	for text, want := range map[string]float64{
		"name: x\nextends: all\ntext: {lambda: 0.7}": 0.7,
		"name: x\nextends: all\ntext: {lambda: 0}":   0,
		"name: x\nextends: all":                      -1,
	} {
		p, err := ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := -1.0
		if p.Lambda != nil {
			got = *p.Lambda
		}
		if got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
