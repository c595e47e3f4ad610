package deidentify_test

import (
	"strings"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/testdata/bad"
)

const quandt = `{"resource":{"resourceType":"Patient","id":"1","name":[{"family":"Quandt","given":["Berta"]}],"birthDate":"1950-01-10","telecom":[{"system":"phone","value":"040 7654321"}]}}`

func TestEveryKindOfAttachment(t *testing.T) {
	cda := `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><title>Brief</title><effectiveTime value="20230512"/>` +
		`<recordTarget><patientRole><id extension="4711-X" root="1.2.3"/><patient><name><given>Berta</given><family>Quandt</family></name><birthTime value="19500110"/></patient></patientRole></recordTarget>` +
		`<component><structuredBody><component><section><title>Verlauf</title><text>Frau <content>Qu</content>andt, geb. 10.01.1950, Tel. 040 7654321, ist wohlauf.</text></section></component></structuredBody></component></ClinicalDocument>`
	for name, c := range map[string]struct{ contentType, data, stays string }{
		"plain":    {"text/plain", "Frau Quandt, geb. 10.01.1950, Tel. 040 7654321, ist wohlauf.", "ist wohlauf"},
		"latin 1":  {"text/plain; charset=iso-8859-1", "Frau Quandt \xfcbersiedelte am 10.01.2020 und ist wohlauf.", "ist wohlauf"},
		"broken":   {"text/plain", "Die Patientin Qu-\nandt ist wohlauf, BERTA QUANDT auch.", "ist wohlauf"},
		"html":     {"text/html", "<html><!-- Quandt --><body title='Berta Quandt'><p>Frau Qu<b>andt</b>, geb. 10.01.1950, ist wohlauf.</p></body></html>", "ist wohlauf"},
		"rtf":      {"application/rtf", `{\rtf1\ansi{\info{\author Berta Quandt}}Frau Qu{\b andt}, geb. 10.01.1950, ist wohlauf.\par}`, "ist wohlauf"},
		"json":     {"application/json", `{"patient":"Berta Quandt","befund":"geb. 10.01.1950, ist wohlauf"}`, "ist wohlauf"},
		"cda":      {"application/xml", cda, "ist wohlauf"},
		"markdown": {"text/markdown", "# Brief\n\nFrau **Quandt** ist wohlauf.", "ist wohlauf"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, holder := range []string{
				`{"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"contentType":"` + c.contentType + `","data":"` + b64(c.data) + `"}}]}`,
				`{"resourceType":"DiagnosticReport","id":"d","status":"final","code":{"text":"Brief"},"subject":{"reference":"Patient/1"},"presentedForm":[{"contentType":"` + c.contentType + `","data":"` + b64(c.data) + `"}]}`,
				`{"resourceType":"Communication","id":"d","status":"completed","subject":{"reference":"Patient/1"},"payload":[{"contentAttachment":{"contentType":"` + c.contentType + `","data":"` + b64(c.data) + `"}}]}`,
				`{"resourceType":"QuestionnaireResponse","id":"d","status":"completed","subject":{"reference":"Patient/1"},"item":[{"linkId":"1","answer":[{"valueAttachment":{"contentType":"` + c.contentType + `","data":"` + b64(c.data) + `"}}]}]}`,
				`{"resourceType":"Binary","id":"d","contentType":"` + c.contentType + `","securityContext":{"reference":"Patient/1"},"data":"` + b64(c.data) + `"}`,
			} {
				in := decode(t, `{"resourceType":"Bundle","type":"collection","entry":[`+quandt+`,{"resource":`+holder+`}]}`)
				out := everything(run(t, newService(t, nil), raw(in)).Resource)
				mustNotHold(t, name, out, "Quandt", "QUANDT", "Qu-", "Berta", "BERTA", "10.01.1950", "19500110", "7654321", "4711-X")
				mustHold(t, name, out, c.stays)
			}
		})
	}
}

func TestLocalCodesAndDisplays(t *testing.T) {
	in := decode(t, `{"resourceType":"Bundle","type":"collection","entry":[`+quandt+`,{"resource":{"resourceType":"Observation","id":"o","status":"final","subject":{"reference":"Patient/1"},
"code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"},{"system":"https://klinik.example/codes","code":"PULS-QUANDT","display":"Puls Quandt"}],"text":"Heart rate"},
"valueQuantity":{"value":1.50,"unit":"Schläge von Quandt"}}}]}`)
	o := find(t, run(t, newService(t, nil), raw(in)).Resource, "Observation")
	s := string(o.Encode())
	mustNotHold(t, "observation", s, "Quandt", "QUANDT", "klinik.example")
	mustHold(t, "observation", s, "8867-4", "Heart rate", "1.50", "Schläge von ")
}

func TestGeneralising(t *testing.T) {
	in := decode(t, `{"resourceType":"Bundle","type":"collection","entry":[
{"resource":{"resourceType":"Patient","id":"1","birthDate":"1930-05-01","address":[{"line":["Main St 5"],"city":"Lincoln","state":"NE","postalCode":"68508","country":"US"}]}},
{"resource":{"resourceType":"Patient","id":"2","birthDate":"1990-05-01","address":[{"state":"Quandtland","postalCode":"03601","country":"Quandt"}]}},
{"resource":{"resourceType":"Condition","id":"c","subject":{"reference":"Patient/1"},"onsetAge":{"value":93,"unit":"a","system":"http://unitsofmeasure.org","code":"a"},"recordedDate":"2020-02-03"}}]}`)
	r := raw(in)
	r.Policy = "safe-harbor"
	list := fhir.Resources(run(t, newService(t, nil), r).Resource)
	if list[0].Get("birthDate") != nil || list[1].Text("birthDate") != "1990" {
		t.Errorf("birth dates %q, %q", list[0].Text("birthDate"), list[1].Text("birthDate"))
	}
	a, b := list[0].Get("address").Item(0), list[1].Get("address").Item(0)
	if a.Text("postalCode") != "685" || a.Text("state") != "NE" || a.Get("city") != nil || b.Text("postalCode") != "000" || b.Get("state") != nil || b.Get("country") != nil {
		t.Errorf("addresses %s %s", a.Encode(), b.Encode())
	}
	if age, _ := list[2].At("onsetAge", "value").Num(); age != "90" {
		t.Errorf("age %s", age)
	}
	if list[2].Text("recordedDate") != "2020" {
		t.Errorf("date %q", list[2].Text("recordedDate"))
	}
}

// FuzzDeidentify changes a Bundle byte by byte: whatever comes out must be an error without secrets or an answer
// without those that the test's own detectors are sure to find.
func FuzzDeidentify(f *testing.F) {
	f.Add(germanBundle("collection"))
	f.Add(twoPatients)
	f.Add(docOf("text/html", b64("<p>an s1canary@canary.example</p>"), `,"title":"s2canary@canary.example"`))
	f.Add(`{"resourceType":"Parameters","parameter":[{"name":"x","valueString":"s1canary@canary.example","part":[{"name":"y","resource":{"resourceType":"Patient"}}]}]}`)
	for _, c := range bad.Cases() {
		if len(c.Body) < 16<<10 {
			f.Add(string(c.Body))
		}
	}
	s := newService(f, nil)
	f.Fuzz(func(t *testing.T, body string) {
		n, err := fhir.DecodeResource([]byte(body), fhir.Limits{Bytes: 1 << 20})
		if err != nil {
			return
		}
		result, err := s.Deidentify(t.Context(), raw(n))
		if err != nil {
			if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), bad.Secret) {
				t.Error("the error holds a secret")
			}
			return
		}
		if _, err := fhir.DecodeResource(result.Resource.Encode(), fhir.Limits{Bytes: 1 << 24}); err != nil {
			t.Errorf("the answer is no resource: %v", err)
		}
	})
}
