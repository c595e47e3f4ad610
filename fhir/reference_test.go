package fhir

import (
	"strings"
	"testing"
)

func TestParseReference(t *testing.T) {
	const uuid = "6fd1f1f4-0c1e-4f0c-9d5e-0123456789ab"
	for _, c := range []struct {
		text string
		want Ref
	}{
		{"Patient/1", Ref{Kind: RefRelative, Type: "Patient", ID: "1"}},
		{"Patient/1/_history/2", Ref{Kind: RefRelative, Type: "Patient", ID: "1", Version: "2"}},
		{"Patient/1#p2", Ref{Kind: RefRelative, Type: "Patient", ID: "1", Anchor: "p2"}},
		{"https://klinik.example/fhir/Patient/1", Ref{Kind: RefAbsolute, Base: "https://klinik.example/fhir/", Type: "Patient", ID: "1"}},
		{"http://klinik.example:8080/Patient/1/_history/3", Ref{Kind: RefAbsolute, Base: "http://klinik.example:8080/", Type: "Patient", ID: "1", Version: "3"}},
		{"urn:uuid:" + uuid, Ref{Kind: RefURN, Scheme: "uuid", ID: uuid}},
		{"URN:UUID:" + uuid, Ref{Kind: RefURN, Scheme: "uuid", ID: uuid}},
		{"urn:oid:1.2.276.0.76.4.1", Ref{Kind: RefURN, Scheme: "oid", ID: "1.2.276.0.76.4.1"}},
		{"Patient?identifier=http://klinik.example/mrn|123", Ref{Kind: RefConditional, Type: "Patient", Query: "identifier=http://klinik.example/mrn|123"}},
		{"#p1", Ref{Kind: RefContained, ID: "p1"}},
		{"#", Ref{Kind: RefContained}},
		{"Patient", Ref{Kind: RefType, Type: "Patient"}},
	} {
		got, err := ParseReference(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.text, got, err)
			continue
		}
		if s := got.String(); !strings.EqualFold(s, c.text) {
			t.Errorf("%s came back as %s", c.text, s)
		}
	}
	for _, text := range []string{
		"", "Geheim", "Geheim/1", "Patient/", "/Patient/1/", "patient/1", "Patient/1/2", "Patient/1 2", "Patient/1/_history/",
		"Patient/1/_history/2/3", "urn:uuid:Geheim", "urn:oid:3.1", "urn:isbn:1", "ftp://h/Patient/1", "javascript:Patient/1",
		"Patient?", "Geheim?identifier=1", "https://klinik.example/Geheim", "Patient/1\n", `Patient/"1"`, "//h/Patient/1",
		strings.Repeat("a", 3000),
	} {
		if ref, err := ParseReference(text); err == nil {
			t.Errorf("%q was taken for %+v", text, ref)
		} else if strings.Contains(err.Error(), "Geheim") {
			t.Error("the error quotes the input")
		}
	}
}

func TestConditionalIdentifier(t *testing.T) {
	for text, want := range map[string][2]string{
		"Patient?identifier=http://klinik.example/mrn|123":              {"http://klinik.example/mrn", "123"},
		"Patient?identifier=http%3A%2F%2Fklinik.example%2Fmrn%7C12%203": {"http://klinik.example/mrn", "12 3"},
		"Patient?identifier=123":                                        {"", "123"},
		"Patient?identifier=|123":                                       {"", "123"},
		"Patient?name=Stein":                                            {},
		"Patient?identifier=1&identifier=2":                             {},
		"Patient/1":                                                     {},
	} {
		ref, err := ParseReference(text)
		if err != nil {
			t.Fatal(err)
		}
		system, value, ok := ref.Identifier()
		if ok != (want[1] != "") || ok && [2]string{system, value} != want {
			t.Errorf("%s: %q, %q, %v", text, system, value, ok)
		}
	}
}

func TestUUIDOf(t *testing.T) {
	a, b := UUIDOf("abc"), UUIDOf("abd")
	if a == b || !isUUID(a) || UUIDOf("abc") != a || a[14] != '8' {
		t.Error("a UUID of a pseudonym is not its own, or not stable:", a, b)
	}
	if got := UUIDOf("6FD1F1F4-0C1E-4F0C-9D5E-0123456789AB"); got != "6fd1f1f4-0c1e-4f0c-9d5e-0123456789ab" {
		t.Error("a pseudonym that is a UUID changed:", got)
	}
}

func FuzzReference(f *testing.F) {
	for _, s := range []string{"Patient/1/_history/2#a", "urn:oid:1.2", "https://h/fhir/Patient?identifier=a|b", "#a", "Patient"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := ParseReference(s)
		if err != nil {
			return
		}
		again, err := ParseReference(ref.String())
		if err != nil || again != ref {
			t.Fatalf("%q became %q: %+v, %v", s, ref.String(), again, err)
		}
	})
}
