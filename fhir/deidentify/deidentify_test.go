package deidentify_test

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

const letter = "Universitätsklinikum Musterstadt\n\nSehr geehrter Herr Kollege Ohlsen,\n\nwir berichten über Ihre Patientin Annegret Tiedemann, geb. 14.02.1951, " +
	"wohnhaft Lindenstraße 7, 24937 Flensburg, Tel. 0461 998877, die sich vom 03.05.2023 bis zum 12.05.2023 in unserer stationären Behandlung befand.\n" +
	"Frau Tiedemann kam mit Dyspnoe. Zur Begleitung war Zacharias Wendland anwesend. Fall-Nr. FN-4471123.\n"

const note = "Anruf bei Herrn Wendland am 20.05.2023: Der Patientin Tiedemann geht es gut. Rückfragen an a.tiedemann@post.example."

func germanBundle(kind string) string {
	return `{"resourceType":"Bundle","type":"` + kind + `","timestamp":"2023-06-01T10:00:00+02:00","entry":[
{"fullUrl":"https://kis.klinik.example/fhir/Patient/p-4711","resource":{"resourceType":"Patient","id":"p-4711",
 "identifier":[{"system":"http://fhir.de/sid/gkv/kvid-10","value":"T123456780"},{"system":"https://klinik.example/pid","value":"00447712"}],
 "name":[{"use":"official","family":"Tiedemann","given":["Annegret","Luise"],"prefix":["Dr."]},{"use":"maiden","family":"Brodersen"}],
 "telecom":[{"system":"phone","value":"0461 998877"},{"system":"email","value":"a.tiedemann@post.example"}],
 "gender":"female","birthDate":"1951-02-14","_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"1951-02-14T04:12:00+01:00"}]},
 "address":[{"line":["Lindenstraße 7"],"city":"Flensburg","postalCode":"24937","country":"DE"}],
 "contact":[{"name":{"family":"Wendland","given":["Zacharias"]},"telecom":[{"system":"phone","value":"0461 112233"}]}],
 "managingOrganization":{"reference":"Organization/o1","display":"Universitätsklinikum Musterstadt"}}},
{"fullUrl":"https://kis.klinik.example/fhir/Practitioner/d1","resource":{"resourceType":"Practitioner","id":"d1","name":[{"family":"Ohlsen","given":["Jens"],"prefix":["Dr. med."]}]}},
{"fullUrl":"https://kis.klinik.example/fhir/Organization/o1","resource":{"resourceType":"Organization","id":"o1","name":"Universitätsklinikum Musterstadt"}},
{"fullUrl":"https://kis.klinik.example/fhir/Encounter/e1","resource":{"resourceType":"Encounter","id":"e1","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"IMP"},
 "identifier":[{"system":"https://klinik.example/fall","value":"FN-4471123"}],
 "subject":{"reference":"Patient/p-4711","display":"Tiedemann, Annegret"},"period":{"start":"2023-05-03T08:15:00+02:00","end":"2023-05-12"},
 "participant":[{"individual":{"reference":"https://kis.klinik.example/fhir/Practitioner/d1/_history/3","display":"Dr. med. Jens Ohlsen"}}]}},
{"fullUrl":"https://kis.klinik.example/fhir/DocumentReference/doc1","resource":{"resourceType":"DocumentReference","id":"doc1","status":"current",
 "text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Brief über Annegret Tie<b>demann</b>, 12.05.2023</p></div>"},
 "subject":{"reference":"https://kis.klinik.example/fhir/Patient/p-4711"},"date":"2023-05-12T14:00:00+02:00",
 "author":[{"reference":"Practitioner/d1","display":"Jens Ohlsen"}],"description":"Entlassbrief Tiedemann",
 "content":[{"attachment":{"contentType":"text/plain; charset=utf-8","language":"de","title":"Brief Tiedemann.txt","creation":"2023-05-12","data":"` + b64(letter) + `","size":` + fmt.Sprint(len(letter)) + `,"hash":"` + sha(letter) + `"}},
  {"attachment":{"contentType":"text/plain","url":"Binary/b1","size":` + fmt.Sprint(len(note)) + `}}],
 "context":{"encounter":[{"reference":"Encounter/e1"}],"related":[{"identifier":{"system":"https://klinik.example/fall","value":"FN-4471123"}}]}}},
{"fullUrl":"https://kis.klinik.example/fhir/Binary/b1","resource":{"resourceType":"Binary","id":"b1","contentType":"text/plain","securityContext":{"reference":"DocumentReference/doc1"},"data":"` + b64(note) + `"}},
{"fullUrl":"urn:uuid:0d4b6d2e-6a6f-4f1f-9a75-6c8b1a5c0001","resource":{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"}],"text":"Puls von Frau Tiedemann"},
 "contained":[{"resourceType":"Device","id":"uhr-tiedemann","patient":{"reference":"Patient/p-4711"},"note":[{"text":"Gehört Annegret Tiedemann"}]}],
 "device":{"reference":"#uhr-tiedemann"},"subject":{"reference":"Patient/p-4711"},"effectiveDateTime":"2023-05-04","valueQuantity":{"value":72.50,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"},
 "hasMember":[{"reference":"Observation?identifier=https://klinik.example/lab|4711"},{"reference":"urn:uuid:0d4b6d2e-6a6f-4f1f-9a75-6c8b1a5c0009"},{"reference":"https://labor.example/fhir/Observation/77"}]}}
]}`
}

func sha(s string) string {
	sum := sha1.Sum([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// secrets are all that the Bundle says about persons and places.
var secrets = []string{
	"Tiedemann", "tiedemann", "Annegret", "Luise", "Brodersen", "T123456780", "00447712", "998877", "1951-02-14", "14.02.1951", "Lindenstraße 7", "Flensburg", "24937",
	"Wendland", "112233", "Ohlsen", "p-4711", "FN-4471123", "kis.klinik.example", "klinik.example", "Musterstadt", "labor.example", "0d4b6d2e", "2023-05-12", "03.05.2023", "post.example",
}

func find(t testing.TB, n *fhir.Node, typ string) *fhir.Node {
	t.Helper()
	for _, r := range fhir.Resources(n) {
		if r.ResourceType() == typ {
			return r
		}
	}
	t.Fatalf("no %s in the answer", typ)
	return nil
}

func TestBundleLosesEveryKnownIdentifier(t *testing.T) {
	for _, kind := range []string{"collection", "transaction", "document", "batch", "searchset"} {
		for _, isRaw := range []bool{true, false} {
			t.Run(fmt.Sprint(kind, isRaw), func(t *testing.T) {
				in := decode(t, germanBundle(kind))
				mustHold(t, "input", everything(in), secrets...)
				r := raw(in)
				r.Raw = isRaw
				result := run(t, newService(t, nil), r)
				out := everything(result.Resource)
				mustNotHold(t, kind, out, secrets...)
				mustNotHold(t, "outcome", everything(result.Outcome), secrets...)
				for _, o := range append(result.Observations, result.Provenance...) {
					mustNotHold(t, "results", everything(o), secrets...)
				}
				mustHold(t, kind, out, "PSEUDED", "8867-4", "72.50", "female", "Dyspnoe")
				if isRaw && result.Resource.Text("type") != kind {
					t.Errorf("type %q", result.Resource.Text("type"))
				}
				if !isRaw {
					inner := kind == "transaction" || kind == "batch" || kind == "document"
					if got := result.Resource.Get("entry").Item(0).Get("resource").ResourceType() == "Bundle"; got != inner {
						t.Errorf("a Bundle inside: %v, want %v", got, inner)
					}
				}
			})
		}
	}
}

func TestReferencesStayWhole(t *testing.T) {
	out := run(t, newService(t, nil), raw(decode(t, germanBundle("collection")))).Resource
	byURL, byID := map[string]*fhir.Node{}, map[string]*fhir.Node{}
	for _, e := range out.Get("entry").Items() {
		byURL[e.Text("fullUrl")] = e.Get("resource")
		byID[e.Get("resource").ResourceType()+"/"+e.Get("resource").Text("id")] = e.Get("resource")
	}
	is := func(ref, typ string) *fhir.Node {
		t.Helper()
		r := byURL[ref]
		if r == nil {
			r = byID[ref]
		}
		if r.ResourceType() != typ {
			t.Errorf("%q is a %q, want %s", ref, r.ResourceType(), typ)
		}
		return r
	}
	patient, doc, obs := find(t, out, "Patient"), find(t, out, "DocumentReference"), find(t, out, "Observation")
	enc := find(t, out, "Encounter")
	if is(enc.Text("subject", "reference"), "Patient") != patient || is(doc.Text("subject", "reference"), "Patient") != patient {
		t.Error("the subjects are two patients")
	}
	is(enc.Text("participant", "individual", "reference"), "Practitioner")
	is(patient.Text("managingOrganization", "reference"), "Organization")
	is(doc.Text("context", "encounter", "reference"), "Encounter")
	is(doc.Get("content").Item(1).Text("attachment", "url"), "Binary")
	is(find(t, out, "Binary").Text("securityContext", "reference"), "DocumentReference")
	if obs.Text("device", "reference") != "#"+obs.Text("contained", "id") {
		t.Errorf("contained: %q, %q", obs.Text("device", "reference"), obs.Text("contained", "id"))
	}
	if a, b := doc.Text("context", "related", "identifier", "value"), enc.Text("identifier", "value"); a != b || a == "" {
		t.Errorf("one case number became %q and %q", a, b)
	}
	members := obs.Get("hasMember")
	for i, prefix := range []string{"Observation/", "urn:uuid:", "Observation/"} {
		if got := members.Item(i).Text("reference"); !strings.HasPrefix(got, prefix) {
			t.Errorf("member %d: %q", i, got)
		}
	}
}

func TestStructureAndTextAgree(t *testing.T) {
	out := run(t, newService(t, nil), raw(decode(t, germanBundle("collection")))).Resource
	patient, doc := find(t, out, "Patient"), find(t, out, "DocumentReference")
	text := fromB64(t, doc.Text("content", "attachment", "data"))
	family, given := patient.Text("name", "family"), patient.Text("name", "given")
	mustHold(t, "letter", text, family, given, "Frau "+family)
	mustHold(t, "description", doc.Text("description"), family)
	mustHold(t, "title", doc.Text("content", "attachment", "title"), family)
	mustHold(t, "display", find(t, out, "Encounter").Text("subject", "display"), family)
	mustHold(t, "staff", text, find(t, out, "Practitioner").Text("name", "family"))
	mustHold(t, "relative", text, patient.Get("contact").Item(0).Text("name", "family"))
	mustHold(t, "binary", fromB64(t, find(t, out, "Binary").Text("data")), family)
	mustHold(t, "case number", text, find(t, out, "Encounter").Text("identifier", "value"))
	mustHold(t, "narrative", doc.Text("text", "div"), family[:2])
}

func TestIntervalsStay(t *testing.T) {
	in := decode(t, germanBundle("collection"))
	out := run(t, newService(t, nil), raw(in)).Resource
	day := func(n *fhir.Node, typ string, keys ...string) time.Time {
		s := find(t, n, typ).Text(keys...)
		d, err := time.Parse("2006-01-02", s[:10])
		if err != nil {
			t.Fatalf("%s %v: %v", typ, keys, err)
		}
		return d
	}
	shift := day(out, "Patient", "birthDate").Sub(day(in, "Patient", "birthDate"))
	if shift == 0 {
		t.Error("the birth date was not shifted")
	}
	for _, at := range [][]string{{"Encounter", "period", "start"}, {"Encounter", "period", "end"}, {"DocumentReference", "date"}, {"Observation", "effectiveDateTime"}, {"DocumentReference", "content", "attachment", "creation"}} {
		if got := day(out, at[0], at[1:]...).Sub(day(in, at[0], at[1:]...)); got != shift {
			t.Errorf("%v shifted by %v, the birth date by %v", at, got, shift)
		}
	}
	text := fromB64(t, find(t, out, "DocumentReference").Text("content", "attachment", "data"))
	mustHold(t, "letter", text, day(out, "Patient", "birthDate").Format("02.01.2006"), day(out, "Encounter", "period", "end").Format("02.01.2006"))
	if got := find(t, out, "Encounter").Text("period", "start"); !strings.HasSuffix(got, "T08:15:00+02:00") {
		t.Errorf("time of day or zone changed: %q", got)
	}
}

func TestAttachmentSizeAndHashAreThoseOfTheNewData(t *testing.T) {
	out := run(t, newService(t, nil), raw(decode(t, germanBundle("collection")))).Resource
	doc := find(t, out, "DocumentReference")
	a := doc.Get("content").Item(0).Get("attachment")
	text := fromB64(t, a.Text("data"))
	if n, _ := a.Get("size").Num(); n != fmt.Sprint(len(text)) {
		t.Errorf("size %s, want %d", n, len(text))
	}
	if a.Text("hash") != sha(text) {
		t.Error("the hash is not that of the data")
	}
	linked := doc.Get("content").Item(1).Get("attachment")
	if n, _ := linked.Get("size").Num(); n != fmt.Sprint(len(fromB64(t, find(t, out, "Binary").Text("data")))) {
		t.Errorf("size of the linked content: %s", n)
	}
}

func TestSameRequestSameAnswer(t *testing.T) {
	var first string
	for i := range 3 {
		result := run(t, newService(t, nil), deidentify.Request{Resource: decode(t, germanBundle("collection")), IncludeProvenance: true, IncludeRisk: true, Trusted: true})
		if got := string(result.Resource.Encode()); i == 0 {
			first = got
		} else if got != first {
			t.Fatal("the answers differ")
		}
	}
	other := run(t, newService(t, nil), deidentify.Request{Resource: decode(t, germanBundle("collection")), Context: "other", Trusted: true})
	if find(t, other.Resource, "Patient").Text("id") == find(t, decode(t, first), "Patient").Text("id") {
		t.Error("two projects share a pseudonym")
	}
}

func TestInputIsNotChanged(t *testing.T) {
	in := decode(t, germanBundle("collection"))
	before := string(in.Encode())
	run(t, newService(t, nil), raw(in))
	if string(in.Encode()) != before {
		t.Error("the caller's tree was changed")
	}
}

const twoPatients = `{"resourceType":"Bundle","type":"collection","entry":[
{"fullUrl":"urn:uuid:11111111-1111-4111-8111-111111111111","resource":{"resourceType":"Patient","id":"a","name":[{"family":"Quandt","given":["Berta"]}],"birthDate":"1950-01-10"}},
{"fullUrl":"urn:uuid:22222222-2222-4222-8222-222222222222","resource":{"resourceType":"Patient","id":"b","name":[{"family":"Rohwer","given":["Emil"]}],"birthDate":"1950-01-10"}},
{"resource":{"resourceType":"Condition","id":"c1","subject":{"reference":"urn:uuid:11111111-1111-4111-8111-111111111111"},"onsetDateTime":"2020-01-10","note":[{"text":"Frau Quandt war am 10.01.2020 hier."}]}},
{"resource":{"resourceType":"Condition","id":"c2","subject":{"reference":"Patient/b"},"onsetDateTime":"2020-01-10","note":[{"text":"Herr Rohwer war am 10.01.2020 hier."}]}},
{"resource":{"resourceType":"Location","id":"l1","name":"Station 4"}},
{"resource":{"resourceType":"Slot","id":"s1","schedule":{"reference":"Schedule/1"},"status":"free","start":"2020-01-10T08:00:00Z","end":"2020-01-10T09:00:00Z"}}]}`

func TestEachPatientHasAShift(t *testing.T) {
	result := run(t, newService(t, nil), raw(decode(t, twoPatients)))
	list := fhir.Resources(result.Resource)
	a, b, c1, c2, slot := list[0], list[1], list[2], list[3], list[5]
	if a.Text("birthDate") == b.Text("birthDate") {
		t.Error("both patients have one shift")
	}
	days := func(from, to string) int {
		f, _ := time.Parse("2006-01-02", from[:10])
		o, _ := time.Parse("2006-01-02", to[:10])
		return int(o.Sub(f).Hours() / 24)
	}
	for _, p := range []struct{ patient, condition *fhir.Node }{{a, c1}, {b, c2}} {
		if days("1950-01-10", p.patient.Text("birthDate")) != days("2020-01-10", p.condition.Text("onsetDateTime")) {
			t.Error("a condition has another shift than its patient")
		}
		d, _ := time.Parse("2006-01-02", p.condition.Text("onsetDateTime"))
		mustHold(t, "note", p.condition.Text("note", "text"), d.Format("02.01.2006"), p.patient.Text("name", "family"))
	}
	if slot.Text("start")[:10] == a.Text("birthDate") || len(result.Warnings) == 0 {
		t.Error("no warning about the resource that names no patient")
	}
	found := false
	for _, w := range result.Warnings {
		found = found || strings.Contains(w.Text, "project's own shift") && strings.HasPrefix(w.Expression, "Bundle.entry[5]")
	}
	if !found {
		t.Errorf("warnings: %v", result.Warnings)
	}
	if len(result.Patients) != 2 {
		t.Errorf("patients: %v", result.Patients)
	}
}

// TestMemoryReachesAcrossDocuments: only the letter says who Zacharias Pommerenke is; the other document uses the bare
// surname.
func TestMemoryReachesAcrossDocuments(t *testing.T) {
	first := "Der Nachbar Zacharias Pommerenke brachte die Patientin in die Notaufnahme und wartete dort bis zum Abend."
	second := "Pommerenke wurde telefonisch über den Verlauf unterrichtet und kommt am nächsten Tag wieder vorbei."
	doc := func(id, text string) string {
		return `{"resource":{"resourceType":"DocumentReference","id":"` + id + `","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"contentType":"text/plain","data":"` + b64(text) + `"}}]}}`
	}
	for _, order := range []string{doc("x", first) + "," + doc("y", second), doc("y", second) + "," + doc("x", first)} {
		out := run(t, newService(t, nil), raw(decode(t, `{"resourceType":"Bundle","type":"collection","entry":[`+order+`]}`)))
		mustNotHold(t, "documents", everything(out.Resource), "Pommerenke")
	}
	other := strings.Replace(doc("y", second), "Patient/1", "Patient/2", 1)
	out := run(t, newService(t, nil), raw(decode(t, `{"resourceType":"Bundle","type":"collection","entry":[`+doc("x", first)+","+other+`]}`)))
	mustHold(t, "another patient's document", everything(out.Resource), "Pommerenke")
}

func docOf(contentType, dataB64, more string) string {
	return `{"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"contentType":"` + contentType + `","data":"` + dataB64 + `"` + more + `}}]}`
}

func TestErrorsByKind(t *testing.T) {
	french := strings.Repeat("Le patient est venu dans le service avec une douleur et les examens sont normaux pour cette nuit. ", 4)
	cases := map[string]struct {
		resource   string
		kind       error
		code, path string
		change     func(*deidentify.Request)
	}{
		"image":               {docOf("image/png", "iVBORw0KGgo=", ""), deidentify.ErrUnsupported, "not-supported", "DocumentReference.content[0].attachment", nil},
		"no base64":           {docOf("text/plain", "%%%", ""), deidentify.ErrUndecodable, "processing", "DocumentReference.content[0].attachment.data", nil},
		"wrong size":          {docOf("text/plain", b64("Befund"), `,"size":3`), deidentify.ErrMismatch, "value", "DocumentReference.content[0].attachment.size", nil},
		"wrong hash":          {docOf("text/plain", b64("Befund"), `,"hash":"`+sha("anders")+`"`), deidentify.ErrMismatch, "value", "DocumentReference.content[0].attachment.hash", nil},
		"french":              {docOf("text/plain", b64(french), ""), deidentify.ErrLanguage, "not-supported", "DocumentReference.content[0].attachment", nil},
		"modifier extension":  {`{"resourceType":"Patient","modifierExtension":[{"url":"http://x.example/negated","valueBoolean":true}]}`, deidentify.ErrModifier, "extension", "Patient.modifierExtension[0]", nil},
		"wrong case":          {`{"resourceType":"Patient","BirthDate":"1950-01-01"}`, deidentify.ErrStructure, "structure", "Patient", nil},
		"wrong type":          {`{"resourceType":"Patient","birthDate":1950}`, deidentify.ErrStructure, "structure", "Patient.birthDate", nil},
		"no date":             {`{"resourceType":"Patient","birthDate":"14.02.1951"}`, deidentify.ErrDate, "value", "Patient.birthDate", nil},
		"unknown policy":      {`{"resourceType":"Patient"}`, deidentify.ErrInvalid, "invalid", "", func(r *deidentify.Request) { r.Policy = "nope" }},
		"unknown method":      {`{"resourceType":"Patient"}`, deidentify.ErrInvalid, "invalid", "", func(r *deidentify.Request) { r.Method = "keep" }},
		"unknown language":    {`{"resourceType":"Patient"}`, deidentify.ErrInvalid, "invalid", "", func(r *deidentify.Request) { r.Language = "fr" }},
		"unknown handling":    {`{"resourceType":"Patient"}`, deidentify.ErrInvalid, "invalid", "", func(r *deidentify.Request) { r.OnUnsupported = "ignore" }},
		"choice not allowed":  {`{"resourceType":"Patient"}`, deidentify.ErrForbidden, "forbidden", "", func(r *deidentify.Request) { r.Policy, r.Trusted = "safe-harbor", false }},
		"pulling without one": {``, deidentify.ErrForbidden, "forbidden", "", func(r *deidentify.Request) { r.References = []string{"Patient/1"} }},
		"nothing":             {``, deidentify.ErrRequired, "required", "", nil},
		"too much text":       {docOf("text/plain", b64(strings.Repeat("Befund ohne Besonderheiten. ", 100)), ""), deidentify.ErrTooLarge, "too-long", "", nil},
		"data and url disagree": {`{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + docOf("text/plain", b64("eins"), `,"url":"Binary/b"`) +
			`},{"resource":{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"` + b64("zwei") + `"}}]}`, deidentify.ErrMismatch, "value", "", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newService(t, func(o *deidentify.Options) {
				if errors.Is(c.kind, deidentify.ErrTooLarge) {
					o.Limits.Text = 1000
				}
			})
			r := deidentify.Request{Raw: true, Trusted: true}
			if c.resource != "" {
				r.Resource = decode(t, c.resource)
			}
			if c.change != nil {
				c.change(&r)
			}
			e := wantError(t, s, r, c.kind)
			if e.Code != c.code || c.path != "" && e.Expression != c.path {
				t.Errorf("code %q at %q, want %q at %q", e.Code, e.Expression, c.code, c.path)
			}
		})
	}
}

func TestUnsupportedMayBeRemoved(t *testing.T) {
	for name, resource := range map[string]string{
		"image":     docOf("image/png", "iVBORw0KGgo=", `,"size":8,"title":"Foto"`),
		"no base64": docOf("text/plain", "%%%", ""),
	} {
		r := raw(decode(t, resource))
		r.OnUnsupported = "remove"
		result := run(t, newService(t, nil), r)
		a := result.Resource.Get("content").Item(0).Get("attachment")
		if a.Get("data") != nil || a.Get("size") != nil || a.At("_data").Text("extension", "valueCode") != "masked" {
			t.Errorf("%s: %s", name, a.Encode())
		}
		if len(result.Warnings) == 0 || !strings.HasPrefix(result.Warnings[len(result.Warnings)-1].Expression, "DocumentReference.content[0].attachment") {
			t.Errorf("%s: warnings %v", name, result.Warnings)
		}
	}
	// A mismatch is a sign of tampering, not of a format that is not read.
	r := raw(decode(t, docOf("text/plain", b64("Befund"), `,"size":3`)))
	r.OnUnsupported = "remove"
	wantError(t, newService(t, nil), r, deidentify.ErrMismatch)
}

// blind takes back what others found: it protects everything.
type blind struct{}

func (blind) Name() string { return "rules.blind" }
func (blind) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	return []phi.Span{{Start: 0, End: len(doc.Text), Type: phi.Protected, Score: 2, Source: "rules.blind"}}, nil
}

func TestLeakFailsTheRequest(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) { o.Pipeline = &pipeline.Pipeline{Detectors: []pipeline.Detector{blind{}}} })
	e := wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrLeak)
	mustNotHold(t, "error", e.Error(), secrets...)
}

// failing fails with the text in its message, as careless libraries do.
type failing struct{}

func (failing) Name() string { return "ner.failing" }
func (failing) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	return nil, errors.New("cannot read " + doc.Text)
}

func TestDetectorErrorsAreHidden(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) {
		o.Pipeline = &pipeline.Pipeline{Detectors: []pipeline.Detector{failing{}}}
	})
	e := wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrDetect)
	mustNotHold(t, "error", e.Error(), secrets...)
}

// breaking panics with the text, as a slice out of range would end the program.
type breaking struct{}

func (breaking) Name() string { return "ner.breaking" }
func (breaking) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	panic("cannot read " + doc.Text)
}

func TestPanicsAreErrors(t *testing.T) {
	m := &memoryStore{}
	s := newService(t, func(o *deidentify.Options) {
		o.Pipeline, o.Store, o.Auditor = &pipeline.Pipeline{Detectors: []pipeline.Detector{breaking{}}}, m, m
	})
	e := wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrDetect)
	mustNotHold(t, "error", e.Error(), secrets...)
	if len(m.records) != 0 || len(m.events) != 1 || m.events[0].Outcome != "exception" || len(m.events[0].Subject) == 0 {
		t.Errorf("trail: %+v", m.events)
	}
}

func TestCancelledRequestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newService(t, nil).Deidentify(ctx, raw(decode(t, germanBundle("collection")))); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

type memoryStore struct {
	records []deidentify.Record
	events  []deidentify.Event
	err     error
}

func (m *memoryStore) Commit(_ context.Context, r deidentify.Record) error {
	if m.err == nil {
		m.records = append(m.records, r)
	}
	return m.err
}

func (m *memoryStore) Audit(_ context.Context, e deidentify.Event) error {
	m.events = append(m.events, e)
	return nil
}

func TestStoreGetsPseudonymsOnly(t *testing.T) {
	m := &memoryStore{}
	s := newService(t, func(o *deidentify.Options) { o.Store, o.Auditor = m, m })
	result := run(t, s, raw(decode(t, germanBundle("collection"))))
	if len(m.records) != 1 {
		t.Fatalf("%d records", len(m.records))
	}
	r := m.records[0]
	mustNotHold(t, "record", fmt.Sprintf("%+v", r.Lineage)+fmt.Sprintf("%+v", r.Audit)+fmt.Sprintf("%s", r.Results)+fmt.Sprintf("%s", r.Profile), secrets...)
	if len(r.Lineage) != 7 {
		t.Errorf("%d lineages", len(r.Lineage))
	}
	if want := deidentify.SubjectHash(master, "study", deidentify.PatientByID("", "p-4711")); r.Lineage[0].Subject != want || r.Audit.Subject[0] != want {
		t.Error("erase would not find the patient")
	}
	if r.Policy.Name != "all" || len(r.Policy.Text) == 0 || len(r.Policy.Hash) != 64 {
		t.Errorf("policy %q %d bytes", r.Policy.Name, len(r.Policy.Text))
	}
	types := map[string]int{}
	for _, x := range r.Results {
		types[x.Type]++
		if x.Type == "Observation" && (x.Subject != "Patient/"+result.Patients[0] || len(x.Focus) != 1) {
			t.Errorf("observation of %q about %v", x.Subject, x.Focus)
		}
	}
	if types["Observation"] != 1 || types["Provenance"] == 0 || types["Device"] != 1 {
		t.Errorf("stored: %v", types)
	}
	if r.Audit.Outcome != "success" || r.Audit.Counts["attachments"] == 0 {
		t.Errorf("audit: %+v", r.Audit)
	}
}

func TestFailingStoreFailsTheRequest(t *testing.T) {
	m := &memoryStore{err: errors.New("disk full at /var/lib/Tiedemann")}
	s := newService(t, func(o *deidentify.Options) { o.Store, o.Auditor = m, m })
	e := wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrStore)
	mustNotHold(t, "error", e.Error(), "Tiedemann")
	if len(m.events) != 1 || m.events[0].Outcome != "no-store" {
		t.Errorf("trail: %+v", m.events)
	}
}

func TestAnswerBundle(t *testing.T) {
	result := run(t, newService(t, nil), deidentify.Request{Resource: decode(t, germanBundle("collection")), IncludeProvenance: true, IncludeRisk: true, Trusted: true})
	out := result.Resource
	if out.ResourceType() != "Bundle" || out.Text("type") != "collection" {
		t.Fatalf("answer is a %s of type %s", out.ResourceType(), out.Text("type"))
	}
	urls := map[string]bool{}
	for _, e := range out.Get("entry").Items() {
		url := e.Text("fullUrl")
		if !strings.HasPrefix(url, "urn:uuid:") || urls[url] {
			t.Errorf("fullUrl %q", url)
		}
		urls[url] = true
		if typ := e.Get("resource").ResourceType(); typ != "OperationOutcome" && typ != "Device" && !strings.Contains(string(e.Get("resource").Encode()), "PSEUDED") {
			t.Errorf("a %s without label", typ)
		}
	}
	for _, typ := range []string{"Provenance", "Device", "OperationOutcome"} {
		find(t, out, typ)
	}
	prov := find(t, out, "Provenance")
	mustHold(t, "provenance", string(prov.Encode()), "PSEUD", "pseudonymize", "urn:uuid:"+find(t, out, "Device").Text("id"), "policy/all")
	for _, made := range append(append(result.Observations, result.Provenance...), result.Device) {
		for _, e := range out.Get("entry").Items() {
			if e.At("resource").Text("id") != made.Text("id") {
				continue
			}
			eachReference(e.Get("resource"), func(reference string) {
				if !urls[reference] {
					t.Errorf("a %s refers to %s, which is no entry", made.ResourceType(), reference)
				}
			})
		}
	}
	risk := result.Observations[0]
	mustHold(t, "risk", string(risk.Encode()), "joint-score", "not-performed", "leak-gate", "count-NAME_PATIENT")
	mustHold(t, "outcome", string(result.Outcome.Encode()), "Patient.birthDate", "shifted in time")
	without := run(t, newService(t, nil), deidentify.Request{Resource: decode(t, germanBundle("collection")), Trusted: true})
	for _, r := range fhir.Resources(without.Resource) {
		if r.ResourceType() == "Provenance" || r.Text("code", "coding", "code") == "reidentification-risk" {
			t.Errorf("a %s though none was asked for", r.ResourceType())
		}
	}
}

// eachReference calls f for every literal reference of a tree.
func eachReference(n *fhir.Node, f func(string)) {
	if s, ok := n.Get("reference").Str(); ok {
		f(s)
	}
	for _, m := range n.Members() {
		eachReference(m.Value, f)
	}
	for _, i := range n.Items() {
		eachReference(i, f)
	}
}

func TestDisplayIsTheNameOfItsPractitioner(t *testing.T) {
	result := run(t, newService(t, nil), raw(decode(t, `{"resourceType":"Bundle","type":"collection","entry":[
{"resource":{"resourceType":"Practitioner","id":"d","gender":"female","name":[{"family":"Murazik","given":["Keren"],"prefix":["Dr."]}]}},
{"resource":{"resourceType":"Practitioner","id":"e","gender":"male","name":[{"family":"Lesch","given":["Keren"],"prefix":["Dr."]}]}},
{"resource":{"resourceType":"Encounter","id":"x","status":"finished","class":{"code":"AMB"},"participant":[
 {"individual":{"reference":"Practitioner/d","display":"Dr. Keren Murazik"}},{"individual":{"reference":"Practitioner/e","display":"Dr. Keren Lesch"}},
 {"individual":{"display":"Dr. Keren Murazik","type":"Practitioner"}}]}}]}`)))
	entries := result.Resource.Get("entry")
	for i, who := range []int{0, 1, 0} {
		name := entries.Item(who).At("resource").Get("name").Item(0)
		given, _ := name.Get("given").Item(0).Str()
		want := "Dr. " + given + " " + name.Text("family")
		if got := entries.Item(2).At("resource").Get("participant").Item(i).Text("individual", "display"); got != want {
			t.Errorf("display %q beside a Practitioner %q", got, want)
		}
	}
}

func TestMethods(t *testing.T) {
	for method, want := range map[string]string{"tag": "Name_Patient", "redact": "XXX-Name", "mask": "█", "category": "NAME"} {
		r := raw(decode(t, germanBundle("collection")))
		r.Method = method
		out := run(t, newService(t, nil), r).Resource
		mustHold(t, method, fromB64(t, find(t, out, "DocumentReference").Text("content", "attachment", "data")), want)
		mustNotHold(t, method, everything(out), secrets...)
	}
}

func TestEveryPolicyHidesNames(t *testing.T) {
	for _, name := range fhir.PolicyNames() {
		r := raw(decode(t, germanBundle("collection")))
		r.Policy = name
		out := everything(run(t, newService(t, nil), r).Resource)
		mustNotHold(t, name, out, "Tiedemann", "Annegret", "T123456780", "998877", "1951-02-14", "Lindenstraße 7", "p-4711")
	}
}

func TestGrants(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) {
		o.Clients = map[string]deidentify.Grant{"lab": {Policies: []string{"safe-harbor"}, Contexts: []string{"*"}}, "": {Methods: []string{"tag"}}}
	})
	for _, c := range []struct {
		client, policy, method, context string
		allowed                         bool
	}{
		{"lab", "safe-harbor", "", "any", true},
		{"lab", "safe-harbor-plus-providers", "", "", false},
		{"lab", "", "tag", "", false},
		{"nobody", "", "tag", "", true},
		{"nobody", "", "", "other", false},
		{"nobody", "all", "", "study", true},
	} {
		_, err := s.Deidentify(t.Context(), deidentify.Request{
			Resource: decode(t, `{"resourceType":"Patient","id":"1"}`), Client: c.client, Policy: c.policy, Method: c.method, Context: c.context,
		})
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, deidentify.ErrForbidden) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCanonicalPatient(t *testing.T) {
	hash := func(o func(*deidentify.Options), resource string) string {
		m := &memoryStore{}
		s := newService(t, func(opt *deidentify.Options) {
			opt.Store = m
			if o != nil {
				o(opt)
			}
		})
		run(t, s, raw(decode(t, resource)))
		return strings.Join(m.records[0].Audit.Subject, " ")
	}
	system := func(o *deidentify.Options) { o.IdentifierSystem = "http://k/pid" }
	byID := deidentify.SubjectHash(master, "study", deidentify.PatientByID("", "1"))
	for name, c := range map[string]struct {
		o              func(*deidentify.Options)
		resource, want string
	}{
		"id":                       {nil, `{"resourceType":"Patient","id":"1"}`, byID},
		"subject alone":            {nil, `{"resourceType":"Condition","subject":{"reference":"Patient/1"}}`, byID},
		"versioned subject":        {nil, `{"resourceType":"Condition","subject":{"reference":"http://s/fhir/Patient/1/_history/2"}}`, byID},
		"identifier of a system":   {system, `{"resourceType":"Patient","id":"1","identifier":[{"system":"http://x","value":"8"},{"system":"http://k/pid","value":"77"}]}`, deidentify.SubjectHash(master, "study", deidentify.PatientByIdentifier("http://k/pid", "77"))},
		"logical subject":          {system, `{"resourceType":"Condition","subject":{"type":"Patient","identifier":{"system":"http://k/pid","value":"77"}}}`, deidentify.SubjectHash(master, "study", deidentify.PatientByIdentifier("http://k/pid", "77"))},
		"conditional subject":      {system, `{"resourceType":"Condition","subject":{"reference":"Patient?identifier=http://k/pid|77"}}`, deidentify.SubjectHash(master, "study", deidentify.PatientByIdentifier("http://k/pid", "77"))},
		"beneficiary":              {nil, `{"resourceType":"Coverage","status":"active","beneficiary":{"reference":"Patient/1"},"payor":[{"reference":"Organization/2"}]}`, byID},
		"another patient's letter": {nil, `{"resourceType":"Binary","id":"9","contentType":"text/plain","securityContext":{"reference":"Patient/1"}}`, byID},
	} {
		if got := hash(c.o, c.resource); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestPatientWithoutAnyIDIsWarnedOf(t *testing.T) {
	result := run(t, newService(t, nil), raw(decode(t, `{"resourceType":"Patient","name":[{"family":"Quandt"}],"birthDate":"1950-01-10"}`)))
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0].Text, "hash of the content") {
		t.Errorf("warnings: %v", result.Warnings)
	}
	result = run(t, newService(t, nil), raw(decode(t, `{"resourceType":"DocumentReference","id":"7","status":"current","date":"2020-01-01T00:00:00Z","content":[{"attachment":{"title":"x"}}]}`)))
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0].Text, "document's own id") {
		t.Errorf("warnings: %v", result.Warnings)
	}
}

// upstream is another server with three resources.
type upstream map[string]string

func (u upstream) Read(_ context.Context, reference string) (deidentify.Pulled, error) {
	reference = strings.TrimPrefix(reference, "https://up.example/fhir/")
	body, ok := u[reference]
	if !ok {
		return deidentify.Pulled{}, fmt.Errorf("GET %s: %w", reference, deidentify.ErrNotFound)
	}
	n, err := fhir.DecodeResource([]byte(body), fhir.Limits{})
	return deidentify.Pulled{Resource: n, Base: "https://up.example/fhir"}, err
}

func (u upstream) Documents(ctx context.Context, patient string) ([]deidentify.Pulled, error) {
	var list []deidentify.Pulled
	for _, ref := range []string{patient, "DocumentReference/d"} {
		p, err := u.Read(ctx, ref)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

var hospital = upstream{
	"Patient/1":           `{"resourceType":"Patient","id":"1","name":[{"family":"Quandt","given":["Berta"]}]}`,
	"DocumentReference/d": `{"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"contentType":"text/plain","url":"https://up.example/fhir/Binary/b"}}]}`,
	"Binary/b":            `{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"` + b64("Frau Quandt wurde entlassen.") + `"}`,
}

func TestPulling(t *testing.T) {
	m := &memoryStore{}
	s := newService(t, func(o *deidentify.Options) { o.Puller, o.Store = hospital, m })
	for name, r := range map[string]deidentify.Request{
		"document": {References: []string{"DocumentReference/d"}, Trusted: true},
		"patient":  {Patients: []string{"Patient/1"}, Trusted: true},
	} {
		result := run(t, s, r)
		out := everything(result.Resource)
		mustNotHold(t, name, out, "Quandt", "Berta", "up.example")
		mustHold(t, name, out, "wurde entlassen")
		doc := find(t, result.Resource, "DocumentReference")
		if doc.Text("content", "attachment", "url") != fhir.FullURL(find(t, result.Resource, "Binary").Text("id")) {
			t.Errorf("%s: url %q", name, doc.Text("content", "attachment", "url"))
		}
	}
	if got, want := m.records[0].Audit.Subject[0], deidentify.SubjectHash(master, "study", deidentify.PatientByID("https://up.example/fhir", "1")); got != want {
		t.Error("the server's base is no part of the key")
	}
	e := wantError(t, s, deidentify.Request{References: []string{"DocumentReference/geheim"}, Trusted: true}, deidentify.ErrNotFound)
	mustNotHold(t, "error", e.Error(), "geheim")
}

func TestLongTextLimitOfContentIsTooLarge(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) { o.Limits.Attachment.Bytes = 10 })
	wantError(t, s, raw(decode(t, docOf("text/plain", b64("Dies ist länger als zehn Zeichen."), ""))), deidentify.ErrTooLarge)
	s = newService(t, func(o *deidentify.Options) { o.Limits.Resources = 3 })
	wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrTooLarge)
}

func TestConcurrentRequests(t *testing.T) {
	s := newService(t, nil)
	want := string(run(t, s, raw(decode(t, germanBundle("collection")))).Resource.Encode())
	done := make(chan string)
	for range 8 {
		go func() {
			r, err := s.Deidentify(context.Background(), raw(decode(t, germanBundle("collection"))))
			if err != nil {
				done <- err.Error()
				return
			}
			done <- string(r.Resource.Encode())
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Errorf("another answer: %.200s", got)
		}
	}
}

func TestIdentitiesOfPatientsWithoutID(t *testing.T) {
	for _, text := range []string{
		`{"resourceType":"Patient","name":[{"family":"Quandt"}]}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","name":[{"family":"Quandt"}]}},{"resource":{"resourceType":"Observation","subject":{"reference":"Patient/1"}}}]}`,
		`{"resourceType":"RelatedPerson","name":[{"family":"Quandt"}],"contained":[{"resourceType":"Patient","id":"a"}]}`,
	} {
		found := false
		for _, id := range deidentify.Identities(decode(t, text)) {
			for _, e := range id.Entities {
				found = found || slices.Contains(e.Family, "Quandt")
			}
		}
		if !found {
			t.Errorf("%s: the name is not known", text)
		}
	}
}
