package fhir

import (
	"sync"
	"testing"
)

func TestTable(t *testing.T) {
	if n := len(ResourceTypes()); n != 146 {
		t.Errorf("%d resource types, R4 has 146", n)
	}
	for _, c := range []struct {
		path                 string
		typ                  Type
		list, required, code bool
		choice               string
	}{
		{"Patient.birthDate", TypeDate, false, false, false, ""},
		{"Patient.deceasedDateTime", TypeDateTime, false, false, false, "deceased"},
		{"Patient.deceasedBoolean", TypeBoolean, false, false, false, "deceased"},
		{"Patient.multipleBirthInteger", TypeInteger, false, false, false, "multipleBirth"},
		{"Patient.gender", TypeCode, false, false, true, ""},
		{"Patient.contact", TypeBackbone, true, false, false, ""},
		{"Patient.contact.name.family", TypeString, false, false, false, ""},
		{"Patient.contained", TypeResource, true, false, false, ""},
		{"Patient.text.div", TypeXHTML, false, true, false, ""},
		{"Patient.link.other", TypeReference, false, true, false, ""},
		{"Patient.id", TypeID, false, false, false, ""},
		{"Patient.language", TypeCode, false, false, true, ""},
		{"HumanName.given", TypeString, true, false, false, ""},
		{"Attachment.hash", TypeBase64, false, false, false, ""},
		{"Attachment.contentType", TypeCode, false, false, true, ""},
		{"Extension.url", TypeURI, false, true, false, ""},
		{"Extension.valueCode", TypeCode, false, false, false, "value"},
		{"Extension.valueOid", TypeOID, false, false, false, "value"},
		{"Observation.status", TypeCode, false, true, true, ""},
		{"Observation.valueQuantity", TypeQuantity, false, false, false, "value"},
		{"Observation.component.valueString", TypeString, false, false, false, "value"},
		{"MedicationRequest.medicationReference", TypeReference, false, true, false, "medication"},
		{"MedicationRequest.status", TypeCode, false, true, true, ""},
		{"Task.intent", TypeCode, false, true, true, ""},
		{"Bundle.entry.resource", TypeResource, false, false, false, ""},
		{"Bundle.entry.link", TypeBackbone, true, false, false, ""},
		{"Bundle.entry.fullUrl", TypeURI, false, false, false, ""},
		{"Binary.data", TypeBase64, false, false, false, ""},
		{"Questionnaire.item.item.item.text", TypeString, false, false, false, ""},
		{"Parameters.parameter.part.resource", TypeResource, false, false, false, ""},
		{"DocumentReference.content.attachment.data", TypeBase64, false, false, false, ""},
		{"DocumentReference.date", TypeInstant, false, false, false, ""},
		{"Condition.note.text", TypeMarkdown, false, true, false, ""},
		{"Timing.repeat.when", TypeCode, true, false, true, ""},
		{"MolecularSequence.referenceSeq.referenceSeqString", TypeString, false, false, false, ""},
		{"DeviceDefinition.url", TypeURI, false, false, false, ""},
	} {
		el, ok := Lookup(c.path)
		if !ok || el == nil {
			t.Errorf("%s is missing", c.path)
			continue
		}
		if el.Type != c.typ || el.List != c.list || el.Required != c.required || (el.Codes != nil) != c.code || el.Choice != c.choice {
			t.Errorf("%s: %+v", c.path, *el)
		}
	}
	for _, path := range []string{"Patient.birthdate", "Patient.name.nickname", "patient.name", "Patient.name[0]", "Bundle.contained", "Binary.contained", "Parameters.contained", "Patient.birthDate.x", ""} {
		if el, ok := Lookup(path); ok {
			t.Errorf("%s is no element, but %v", path, el)
		}
	}
}

func TestEveryElementHasItsTypeAndPath(t *testing.T) {
	known := map[Type]bool{TypeBackbone: true, TypeResource: true}
	for name := range schema().types {
		known[Type(name)] = true
	}
	for _, name := range furtherTypes {
		known[Type(name)] = true
	}
	for name, fields := range schema().types {
		for _, el := range fields.Elements {
			if el.Path != name+"."+el.Name || !known[el.Type] {
				t.Errorf("%s: %+v", name, *el)
			}
			if el.Primitive() != (el.Fields == nil && el.Type != TypeResource) {
				t.Errorf("%s is primitive and has fields, or neither", el.Path)
			}
			if at, ok := Lookup(el.Path); name == fields.Name && (!ok || at != el) {
				t.Errorf("%s cannot be looked up", el.Path)
			}
		}
	}
}

func TestHintsNameElements(t *testing.T) {
	for path := range readHints(primitivesTable).types {
		if _, ok := Lookup(path); !ok {
			t.Errorf("%s is no element", path)
		}
	}
}

func TestCodeSets(t *testing.T) {
	for _, c := range []struct {
		path, good, bad string
	}{
		{"Patient.gender", "female", "Geheim"},
		{"Patient.language", "de-AT", "Geheim"},
		{"Attachment.contentType", "text/plain; charset=ISO-8859-15", "text/geheim"},
		{"Attachment.contentType", "Text/HTML;charset=utf-8", "text/plain; charset=geheim"},
		{"Attachment.contentType", "application/pdf", "text/plain; name=geheim"},
		{"Money.currency", "EUR", "Geheim"},
		{"Timing.repeat.periodUnit", "wk", "week"},
		{"DataRequirement.type", "Patient", "Patient.contact"},
		{"HumanName.use", "maiden", "MAIDEN"},
		{"Observation.status", "final", "<unknown>"},
	} {
		el, _ := Lookup(c.path)
		if !el.Codes.Has(c.good) || el.Codes.Has(c.bad) || el.Codes.Has("") {
			t.Errorf("%s: %s %v, %s %v", c.path, c.good, el.Codes.Has(c.good), c.bad, el.Codes.Has(c.bad))
		}
	}
}

func TestUCUM(t *testing.T) {
	for _, s := range []string{
		"mg/dL", "mmol/L", "10*3/uL", "10*6/uL", "mm[Hg]", "%", "{score}", "kg/m2", "mL/min/{1.73_m2}", "/min", "/[HPF]", "Cel", "[degF]",
		"m[IU]/L", "ug/L", "1", "h", "a", "wk", "{T-score}", "ng/mL{FEU}", "U/L", "g.m/s2", "m/s-1", "[in_i]", "fL", "pg", "meq/L", "kU/L",
	} {
		if !isUCUM(s) {
			t.Errorf("%s is a unit", s)
		}
	}
	for _, s := range []string{"", "Müller", "Mueller", "mg/Mueller", "{Mueller}", "mg{Geheim}", "mg dL", "mg//dL", "{score", "0171234567", "mg12345", "10*12345", "Dr.", "Jana", "{}"} {
		if isUCUM(s) {
			t.Errorf("%s was taken for a unit", s)
		}
	}
}

func TestTableForManyAtOnce(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := LoadPolicy(""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
