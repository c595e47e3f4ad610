package deidentify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// canaries builds resources in which every string-like element of R4 holds a secret of its own.
type canaries struct {
	n     int
	valid bool // codes are those of their binding, so that what stands beside them survives
}

// next gives a secret: an address that any reader finds in text, and no form of anything else.
func (c *canaries) next() string {
	c.n++
	return fmt.Sprintf("s%dcanary@canary.example", c.n)
}

func (c *canaries) word() string {
	c.n++
	return fmt.Sprintf("s%dcanary", c.n)
}

func (c *canaries) resource(typ string, depth int) *fhir.Node {
	n := fhir.NewResource(typ)
	c.fill(n, fhir.FieldsOf(typ), depth)
	return n
}

func (c *canaries) fill(n *fhir.Node, fields *fhir.Fields, depth int) {
	for _, el := range fields.Elements {
		if el.Name == "modifierExtension" || depth == 0 && !el.Required && !el.Primitive() {
			continue
		}
		v := c.value(el, fields.Name, depth)
		if v == nil {
			continue
		}
		if el.List {
			v = fhir.NewArray(v)
		}
		n.Set(el.Name, v)
	}
}

func (c *canaries) value(el *fhir.Element, parent string, depth int) *fhir.Node {
	switch el.Type {
	case fhir.TypeString, fhir.TypeMarkdown:
		return fhir.NewString(c.next())
	case fhir.TypeCode:
		if codes := el.Codes.Codes(); c.valid && len(codes) > 0 {
			return fhir.NewString(codes[0])
		}
		if strings.HasSuffix(el.Path, ".contentType") {
			return fhir.NewString("text/plain")
		}
		return fhir.NewString(c.word())
	case fhir.TypeID:
		return fhir.NewString(c.word())
	case fhir.TypeURI, fhir.TypeURL, fhir.TypeCanonical:
		return fhir.NewString("https://canary.example/" + c.word())
	case fhir.TypeOID:
		return fhir.NewString("urn:oid:1.2.3." + c.word())
	case fhir.TypeUUID:
		return fhir.NewString("urn:uuid:" + c.word())
	case fhir.TypeXHTML:
		return fhir.NewString(`<div xmlns="http://www.w3.org/1999/xhtml" title="` + c.next() + `"><!-- ` + c.next() + ` --><p>` + c.next() + `</p></div>`)
	case fhir.TypeBase64:
		if el.Name == "data" {
			return fhir.NewString(b64("Bitte an " + c.next() + " schreiben."))
		}
		if el.Name == "hash" {
			return nil
		}
		return fhir.NewString(b64(c.next()))
	case fhir.TypeDate:
		return fhir.NewString("2020-02-29")
	case fhir.TypeDateTime, fhir.TypeInstant:
		return fhir.NewString("2020-02-29T10:00:00Z")
	case fhir.TypeTime:
		return fhir.NewString("10:00:00")
	case fhir.TypeBoolean:
		return fhir.NewBool(true)
	case fhir.TypeInteger:
		if el.Path == "Attachment.size" {
			return nil
		}
		return fhir.NewNumber("1")
	case fhir.TypeDecimal:
		return fhir.NewNumber("1.0")
	case fhir.TypeResource:
		return fhir.NewResource("Basic", "id", fhir.NewString(c.word()), "code", fhir.NewObject("text", fhir.NewString(c.next())))
	case fhir.TypeReference:
		return fhir.NewObject("reference", fhir.NewString("Patient/"+c.word()), "display", fhir.NewString(c.next()), "type", fhir.NewString(c.word()),
			"identifier", fhir.NewObject("system", fhir.NewString("https://canary.example/"+c.word()), "value", fhir.NewString(c.word())))
	case fhir.TypeExtension:
		if parent == "Extension" {
			return nil
		}
		return fhir.NewObject("url", fhir.NewString("http://hl7.org/fhir/StructureDefinition/patient-birthPlace"), "valueAddress",
			fhir.NewObject("text", fhir.NewString(c.next()), "city", fhir.NewString(c.word())))
	}
	if el.Fields == nil || depth < -2 {
		return nil
	}
	n := fhir.NewObject()
	c.fill(n, el.Fields, depth-1)
	if len(n.Members()) == 0 {
		return nil
	}
	return n
}

func TestNoCanarySurvives(t *testing.T) {
	s := newService(t, nil)
	secrets := 0
	for i, typ := range fhir.ResourceTypes() {
		for _, valid := range []bool{true, false} {
			policy := fhir.PolicyNames()[i%len(fhir.PolicyNames())]
			if valid {
				policy = "all"
			}
			c := &canaries{valid: valid}
			in := c.resource(typ, 3)
			if typ == "Bundle" && valid {
				in.Set("type", fhir.NewString("collection"))
			}
			before := everything(in)
			if strings.Count(before, "canary") < 2 {
				t.Fatalf("%s: the input holds no secret", typ)
			}
			for _, isRaw := range []bool{true, false} {
				result, err := s.Deidentify(t.Context(), deidentify.Request{Resource: in, Policy: policy, Raw: isRaw, IncludeProvenance: true, IncludeRisk: true, Trusted: true, OnUnsupported: "remove"})
				if err != nil {
					if strings.Contains(err.Error(), "canary") {
						t.Errorf("%s: the error holds a secret", typ)
					}
					if typ != "Subscription" { // which the policy removes
						t.Errorf("%s: %v", typ, err)
					}
					continue
				}
				secrets += c.n
				out := everything(result.Resource) + everything(result.Outcome)
				for _, n := range append(result.Observations, result.Provenance...) {
					out += everything(n)
				}
				if at := strings.Index(out, "canary"); at >= 0 {
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
