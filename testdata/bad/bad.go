// Package bad holds inputs that must be refused, each with the answer that it must get. The acceptance test of the server
// sends them all; the fuzz targets of the decoders start from them.
package bad

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Secret stands in many of the inputs. No answer, log or error may hold it.
const Secret = "Kanarienvogel"

// Case is one bad input.
type Case struct {
	Name   string
	Method string // POST if empty
	Path   string // below the base; $deidentify if empty
	Query  string
	Header map[string]string // Content-Type is application/fhir+json unless it stands here; an empty value leaves a header out
	Body   []byte

	Status int    // that the answer must have
	Code   string // issue type that its OperationOutcome must have
}

// Attachment is content that no decoder takes, or takes without a fault.
type Attachment struct {
	Name, ContentType string
	Data              []byte
	Status            int
	Code              string
}

// Sound is a Bundle without any fault, which the cases break.
const Sound = `{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"urn:uuid:0d4b6d2e-6a6f-4f1f-9a75-6c8b1a5c0001","resource":{"resourceType":"Patient","id":"p1",` +
	`"name":[{"family":"` + Secret + `","given":["Hans"]}],"birthDate":"1950-01-01"}},{"resource":{"resourceType":"Observation","id":"o1","status":"final",` +
	`"code":{"text":"Puls"},"subject":{"reference":"Patient/p1"},"effectiveDateTime":"2020-02-03","valueQuantity":{"value":72.50,"unit":"/min"}}}]}`

// Cases lists all bad inputs.
func Cases() []Case {
	var all []Case
	for _, group := range [][]Case{syntax(), truncated(), types(), keys(), versions(), limits(), modifiers(), dates(), parameters(), protocol(), contents(), attachments()} {
		all = append(all, group...)
	}
	slices.SortStableFunc(all, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func quote(s string) string { return `"` + s + `"` }

func structure(name, body string) Case {
	return Case{Name: name, Body: []byte(body), Status: http.StatusBadRequest, Code: "structure"}
}

// syntax breaks JSON itself.
func syntax() (list []Case) {
	for name, value := range map[string]string{
		"unfinished object":       `{"family":"` + Secret + `"`,
		"unfinished array":        `["` + Secret + `"`,
		"unfinished string":       `"` + Secret,
		"unfinished escape":       `"` + Secret + `\u00`,
		"comma at the end":        `{"family":"` + Secret + `",}`,
		"comma in an array":       `["` + Secret + `",]`,
		"comma at the beginning":  `[,"` + Secret + `"]`,
		"missing comma":           `["a" "` + Secret + `"]`,
		"missing colon":           `{"family" "` + Secret + `"}`,
		"two colons":              `{"family"::"` + Secret + `"}`,
		"single quotes":           `'` + Secret + `'`,
		"no quotes":               Secret,
		"key without quotes":      `{` + Secret + `:1}`,
		"comment":                 `{/* ` + Secret + ` */}`,
		"line comment":            "{// " + Secret + "\n}",
		"crossed brackets":        `[{"a":"` + Secret + `"]}`,
		"leading zero":            `01`,
		"plus":                    `+1`,
		"lone minus":              `-`,
		"point without digits":    `1.`,
		"point at the beginning":  `.5`,
		"exponent without digits": `1e`,
		"NaN":                     `NaN`,
		"Infinity":                `-Infinity`,
		"hexadecimal":             `0x1f`,
		"endless number":          strings.Repeat("1", 100),
		"True":                    `True`,
		"undefined":               `undefined`,
		"None":                    `None`,
		"half of true":            `tru`,
		"lone high surrogate":     `"` + Secret + `\ud83d"`,
		"lone low surrogate":      `"` + Secret + `\ude00"`,
		"surrogates exchanged":    `"\ude00\ud83d"`,
		"surrogate and letter":    `"\ud83d\u0041"`,
		"surrogate in a key":      `{"\ud83d":"` + Secret + `"}`,
		"NUL escape":              `"` + Secret + `\u0000"`,
		"NUL byte":                "\"" + Secret + "\x00\"",
		"control character":       "\"" + Secret + "\x01\"",
		"line end in a string":    "\"" + Secret + "\n\"",
		"tab in a string":         "\"" + Secret + "\t\"",
		"unknown escape":          `"` + Secret + `\x41"`,
		"malformed escape":        `"` + Secret + `\u00zz"`,
		"lone backslash":          `"` + Secret + `\"`,
		"Latin-1":                 "\"M\xfcller\"",
		"overlong UTF-8":          "\"\xc0\xaf\"",
		"surrogate in UTF-8":      "\"\xed\xa0\x80\"",
		"cut UTF-8":               "\"M\xc3\"",
		"beyond Unicode":          "\"\xf4\x90\x80\x80\"",
	} {
		list = append(list, structure("syntax: "+name, `{"resourceType":"Patient","name":[`+value+`]}`))
	}
	for name, body := range map[string]string{
		"text behind":          `{"resourceType":"Patient"} ` + Secret,
		"two resources":        `{"resourceType":"Patient"}{"resourceType":"Patient"}`,
		"a string":             quote(Secret),
		"a number":             `42`,
		"true":                 `true`,
		"an array":             `[{"resourceType":"Patient"}]`,
		"no resourceType":      `{"id":"` + Secret + `"}`,
		"empty object":         `{}`,
		"empty resourceType":   `{"resourceType":""}`,
		"number for a type":    `{"resourceType":7}`,
		"null for a type":      `{"resourceType":null}`,
		"array for a type":     `{"resourceType":["Patient"]}`,
		"object for a type":    `{"resourceType":{}}`,
		"UTF-16":               "\xff\xfe{\x00}\x00",
		"two byte order marks": "\ufeff\ufeff{}",
		"form data":            `resource=` + Secret,
		"HL7 version 2":        "MSH|^~\\&|KIS|" + Secret + "\r",
		"YAML":                 "resourceType: Patient\nname: " + Secret,
		"NDJSON":               "{\"resourceType\":\"Patient\"}\n{\"resourceType\":\"Patient\",\"id\":\"" + Secret + "\"}",
		"binary":               "\x00\x01\x02\x03",
		"gzip without saying":  string(packed([]byte(Sound))),
	} {
		list = append(list, structure("body: "+name, body))
	}
	return list
}

// truncated cuts a sound Bundle off in many places.
func truncated() (list []Case) {
	for i := 1; i <= 40; i++ {
		list = append(list, structure(fmt.Sprintf("cut off after %d/41", i), Sound[:len(Sound)*i/41]))
	}
	return list
}

// types puts values of wrong JSON types into elements.
func types() (list []Case) {
	for _, c := range []struct{ typ, element, values string }{
		{"Patient", "name", `7|"` + Secret + `"|true|{"family":"` + Secret + `"}|["` + Secret + `"]|[[{"family":"` + Secret + `"}]]|[1]`},
		{"Patient", "birthDate", `1950|true|["1950-01-01"]|{"value":"1950"}`},
		{"Patient", "active", `"true"|1|[true]|{}`},
		{"Patient", "gender", `1|["female"]|{"code":"female"}`},
		{"Patient", "identifier", `"` + Secret + `"|{"value":"` + Secret + `"}|[{"value":{"a":1}}]|[{"value":["` + Secret + `"]}]`},
		{"Patient", "contact", `[{"name":[{"family":"` + Secret + `"}]}]|"` + Secret + `"`},
		{"Patient", "text", `"<div>` + Secret + `</div>"|[{"status":"generated"}]|{"status":"generated","div":7}`},
		{"Patient", "extension", `"` + Secret + `"|{"url":"x"}|[{"url":7}]|["` + Secret + `"]`},
		{"Patient", "contained", `{"resourceType":"Basic"}|["` + Secret + `"]|7`},
		{"Patient", "meta", `"` + Secret + `"|[{}]|{"tag":"` + Secret + `"}`},
		{"Patient", "_birthDate", `"` + Secret + `"|[{"id":"a"}]|7`},
		{"Observation", "valueQuantity", `7|"7 mg"|[{"value":7}]|{"value":"7"}|{"value":true}`},
		{"Observation", "code", `"` + Secret + `"|[{"text":"` + Secret + `"}]`},
		{"Observation", "subject", `"Patient/` + Secret + `"|[{"reference":"Patient/1"}]|{"reference":7}`},
		{"Observation", "component", `{"code":{}}|["` + Secret + `"]`},
		{"DocumentReference", "content", `{"attachment":{}}|"` + Secret + `"|[{"attachment":"` + Secret + `"}]|[{"attachment":{"data":7}}]|[{"attachment":{"size":"7"}}]|[{"attachment":{"size":1.5}}]|[{"attachment":{"size":1e3}}]`},
		{"Bundle", "entry", `{"resource":{}}|"` + Secret + `"|[7]|[{"resource":"` + Secret + `"}]|[{"resource":[{}]}]`},
		{"Questionnaire", "item", `"` + Secret + `"|[{"linkId":7}]|{"linkId":"1"}`},
	} {
		for i, v := range strings.Split(c.values, "|") {
			list = append(list, structure(fmt.Sprintf("wrong type: %s.%s (%d)", c.typ, c.element, i+1), `{"resourceType":"`+c.typ+`","`+c.element+`":`+v+`}`))
		}
	}
	return list
}

// keys spells elements wrongly where another reader might take them, or gives them twice.
func keys() (list []Case) {
	for _, element := range []string{"BirthDate", "BIRTHDATE", "birthdate", "Name", "NAME", "Gender", "Identifier", "Contained", "Text", "multiplebirthBoolean"} {
		list = append(list, structure("wrong case: "+element, `{"resourceType":"Patient","`+element+`":"`+Secret+`"}`))
	}
	for name, body := range map[string]string{
		"resourceType":       `{"resourceType":"Patient","resourceType":"Basic"}`,
		"element":            `{"resourceType":"Patient","id":"a","id":"` + Secret + `"}`,
		"element by escape":  `{"resourceType":"Patient","id":"a","\u0069d":"` + Secret + `"}`,
		"far inside":         `{"resourceType":"Patient","name":[{"given":["a"]},{"family":"a","family":"` + Secret + `"}]}`,
		"in an extension":    `{"resourceType":"Patient","extension":[{"url":"a","url":"` + Secret + `"}]}`,
		"in a contained one": `{"resourceType":"Patient","contained":[{"resourceType":"Basic","id":"a","id":"` + Secret + `"}]}`,
		"in a Bundle entry":  `{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient"},"resource":{"resourceType":"Patient","id":"` + Secret + `"}}]}`,
		"companion":          `{"resourceType":"Patient","_birthDate":{"id":"a"},"_birthDate":{"id":"` + Secret + `"}}`,
		"unknown element":    `{"resourceType":"Patient","` + Secret + `":1,"` + Secret + `":2}`,
	} {
		list = append(list, structure("twice: "+name, body))
	}
	for name, body := range map[string]string{
		"value[x]":    `{"resourceType":"Observation","valueString":"` + Secret + `","valueBoolean":true}`,
		"deceased[x]": `{"resourceType":"Patient","deceasedBoolean":true,"deceasedDateTime":"2020-01-01"}`,
		"onset[x]":    `{"resourceType":"Condition","onsetString":"` + Secret + `","onsetDateTime":"2020"}`,
	} {
		list = append(list, structure("two of a choice: "+name, body))
	}
	return list
}

// versions sends resources of other FHIR versions, and of none.
func versions() (list []Case) {
	for _, typ := range []string{
		"MedicationOrder", "BodySite", "DeviceUseRequest", "DiagnosticOrder", "Conformance", // DSTU2
		"ProcedureRequest", "ReferralRequest", "DeviceComponent", "EligibilityRequest", "Sequence", // STU3
		"InventoryItem", "Transport", "ActorDefinition", "NutritionIntake", "ArtifactAssessment", // R5
		"patient", "PATIENT", "Resource", "DomainResource", "Element", "HumanName", "xhtml", Secret, "Patient ", "Patiënt",
	} {
		list = append(list, Case{
			Name: "no type of R4: " + typ, Body: []byte(`{"resourceType":"` + typ + `","id":"` + Secret + `"}`), Status: http.StatusBadRequest, Code: "not-supported",
		})
	}
	return list
}

// limits passes limits of size, nesting and expansion.
func limits() (list []Case) {
	large := func(name, body, code string) {
		list = append(list, Case{Name: "limit: " + name, Body: []byte(body), Status: http.StatusRequestEntityTooLarge, Code: code})
	}
	large("arrays 10,000 deep", `{"resourceType":"Patient","name":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`}`, "too-costly")
	large("arrays 10,000 deep and open", strings.Repeat("[", 10_000), "too-costly")
	large("objects 10,000 deep", strings.Repeat(`{"a":`, 10_000)+"1"+strings.Repeat("}", 10_000), "too-costly")
	large("extensions 100 deep", `{"resourceType":"Patient","extension":`+strings.Repeat(`[{"url":"a","extension":`, 100)+"[]"+strings.Repeat("}]", 100)+`}`, "too-costly")
	large("contained 40 deep", strings.Repeat(`{"resourceType":"Basic","contained":[`, 40)+strings.Repeat("]}", 40), "too-costly")
	large("a name of 10 MB", `{"resourceType":"Patient","name":[{"family":"`+strings.Repeat(Secret[:10], 1_000_000)+`"}]}`, "too-long")
	large("a note of 10 MB", `{"resourceType":"Observation","note":[{"text":"`+strings.Repeat(Secret[:9]+" ", 1_000_000)+`"}]}`, "too-long")
	large("a code of 2 MB", `{"resourceType":"Patient","gender":"`+strings.Repeat("a", 2<<20)+`"}`, "too-long")
	large("an id of 2 MB", `{"resourceType":"Patient","id":"`+strings.Repeat("a", 2<<20)+`"}`, "too-long")
	large("text of 33 MB", `{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain","data":"`+
		base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("Befund.\n"), 33<<17))+`"}}]}`, "too-long")
	large("five million values", `{"resourceType":"Patient","name":[`+strings.Repeat("1,", 5_000_000)+`1]}`, "too-costly")
	large("11,000 resources", `{"resourceType":"Bundle","type":"collection","entry":[`+strings.TrimSuffix(strings.Repeat(`{"resource":{"resourceType":"Basic"}},`, 11_000), ",")+`]}`, "too-long")
	list = append(list, Case{
		Name: "limit: 100 MB in 100 kB of gzip", Header: map[string]string{"Content-Encoding": "gzip"}, Body: packed(make([]byte, 100<<20)),
		Status: http.StatusRequestEntityTooLarge, Code: "too-long",
	})
	return list
}

// modifiers sends modifier extensions, which may turn the meaning of what they stand in around.
func modifiers() (list []Case) {
	const ext = `"modifierExtension":[{"url":"http://klinik.example/` + Secret + `","valueBoolean":true}]`
	for name, body := range map[string]string{
		"Patient":     `{"resourceType":"Patient",` + ext + `}`,
		"contact":     `{"resourceType":"Patient","contact":[{` + ext + `}]}`,
		"component":   `{"resourceType":"Observation","component":[{` + ext + `}]}`,
		"timing":      `{"resourceType":"MedicationRequest","dosageInstruction":[{` + ext + `}]}`,
		"contained":   `{"resourceType":"Observation","contained":[{"resourceType":"Basic",` + ext + `}]}`,
		"Bundle":      `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient",` + ext + `}}]}`,
		"entry":       `{"resourceType":"Bundle","entry":[{` + ext + `,"resource":{"resourceType":"Patient"}}]}`,
		"without url": `{"resourceType":"Patient","modifierExtension":[{"valueString":"` + Secret + `"}]}`,
	} {
		list = append(list, Case{Name: "modifierExtension: " + name, Body: []byte(body), Status: http.StatusUnprocessableEntity, Code: "extension"})
	}
	return list
}

// dates sends what looks like a date and is none of FHIR's.
func dates() (list []Case) {
	for _, d := range []string{
		"14.02.1951", "02/14/1951", "1951-2-14", "1951-02-30", "1951-13-01", "1951-00-10", "51-02-14", "19510214", "1951-02-14Z", Secret, "gestern",
		"1951-02-14T", "1951-W07", "0000-01-01", "1951/02/14", "1951-02-14T25:00:00Z", "-1951-02-14", "1951-02-29", "1951-02-14 10:00", "٢٠٢٠-٠١-٠١",
	} {
		list = append(list, Case{
			Name: "no date: " + d, Body: []byte(`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"onsetDateTime":"` + d + `"}`),
			Status: http.StatusUnprocessableEntity, Code: "value",
		})
	}
	return list
}

// parameters calls the operation wrongly.
func parameters() (list []Case) {
	const patient = `{"name":"resource","resource":{"resourceType":"Patient","id":"` + Secret + `"}}`
	envelope := func(name, list string, code string) Case {
		return Case{Name: "parameters: " + name, Body: []byte(`{"resourceType":"Parameters","parameter":[` + list + `]}`), Status: http.StatusBadRequest, Code: code}
	}
	list = append(list,
		envelope("none", "", "required"),
		envelope("only settings", `{"name":"policy","valueString":"all"}`, "required"),
		envelope("unknown name", patient+`,{"name":"`+Secret+`","valueString":"x"}`, "not-supported"),
		envelope("no name", patient+`,{"valueString":"x"}`, "not-supported"),
		envelope("wrong case", patient+`,{"name":"Policy","valueString":"all"}`, "not-supported"),
		envelope("resource twice", patient+`,`+patient, "structure"),
		envelope("policy twice", patient+`,{"name":"policy","valueString":"all"},{"name":"policy","valueString":"all"}`, "structure"),
		envelope("resource without value", `{"name":"resource"}`, "required"),
		envelope("resource as string", `{"name":"resource","valueString":"`+Secret+`"}`, "structure"),
		envelope("resource without type", `{"name":"resource","resource":{"id":"`+Secret+`"}}`, "structure"),
		envelope("resource of no type of R4", `{"name":"resource","resource":{"resourceType":"`+Secret+`"}}`, "not-supported"),
		envelope("policy as boolean", patient+`,{"name":"policy","valueBoolean":true}`, "structure"),
		envelope("policy with two values", patient+`,{"name":"policy","valueString":"all","valueCode":"all"}`, "structure"),
		envelope("policy empty", patient+`,{"name":"policy","valueString":""}`, "value"),
		envelope("policy as number", patient+`,{"name":"policy","valueString":7}`, "value"),
		envelope("policy very long", patient+`,{"name":"policy","valueString":"`+strings.Repeat("a", 10_000)+`"}`, "value"),
		envelope("method unknown", patient+`,{"name":"method","valueCode":"`+Secret+`"}`, "value"),
		envelope("method keep", patient+`,{"name":"method","valueCode":"keep"}`, "value"),
		envelope("language unknown", patient+`,{"name":"language","valueCode":"fr"}`, "value"),
		envelope("onUnsupported unknown", patient+`,{"name":"onUnsupported","valueCode":"keep"}`, "value"),
		envelope("includeRisk as string", patient+`,{"name":"includeRisk","valueString":"true"}`, "structure"),
		envelope("includeRisk as text", patient+`,{"name":"includeRisk","valueBoolean":"true"}`, "value"),
		envelope("reference without form", `{"name":"reference","valueReference":{"reference":"`+Secret+` und mehr"}}`, "value"),
		envelope("reference as number", `{"name":"reference","valueReference":{"reference":7}}`, "value"),
		envelope("patient without reference", `{"name":"patient","valueReference":{"display":"`+Secret+`"}}`, "value"),
		envelope("an item that is no object", `"`+Secret+`"`, "structure"),
		Case{Name: "parameters: no array", Body: []byte(`{"resourceType":"Parameters","parameter":{"name":"` + Secret + `"}}`), Status: http.StatusBadRequest, Code: "structure"},
		Case{Name: "parameters: unknown element", Body: []byte(`{"resourceType":"Parameters","` + Secret + `":1}`), Status: http.StatusBadRequest, Code: "structure"},
		Case{Name: "parameters: wrong type for the route", Path: "DocumentReference/$deidentify", Body: []byte(`{"resourceType":"Patient","id":"` + Secret + `"}`), Status: http.StatusBadRequest, Code: "invalid"},
		Case{Name: "parameters: no Bundle for the Bundle route", Path: "Bundle/$deidentify", Body: []byte(`{"resourceType":"Patient","id":"` + Secret + `"}`), Status: http.StatusBadRequest, Code: "invalid"},
	)
	query := func(name, query, code string) {
		list = append(list, Case{Name: "query: " + name, Query: query, Body: []byte(`{"resourceType":"Patient"}`), Status: http.StatusBadRequest, Code: code})
	}
	query("unknown name", Secret+"=1", "not-supported")
	query("unknown language", "language="+Secret, "invalid")
	query("twice", "language=de&language=en", "invalid")
	query("includeRisk", "includeRisk=ja", "invalid")
	query("unknown method", "method="+Secret, "invalid")
	return list
}

// protocol breaks what HTTP agrees on.
func protocol() []Case {
	patient := []byte(`{"resourceType":"Patient","id":"` + Secret + `"}`)
	list := []Case{
		{Name: "no body", Body: nil, Status: http.StatusBadRequest, Code: "required"},
		{Name: "null", Body: []byte("null"), Status: http.StatusBadRequest, Code: "required"},
		{Name: "white space", Body: []byte(" \r\n\t"), Status: http.StatusBadRequest, Code: "required"},
		{Name: "GET", Method: http.MethodGet, Path: "$deidentify", Status: http.StatusMethodNotAllowed, Code: "not-supported"},
		{Name: "PUT", Method: http.MethodPut, Body: patient, Status: http.StatusMethodNotAllowed, Code: "not-supported"},
		{Name: "unknown operation", Path: "$" + Secret, Body: patient, Status: http.StatusNotFound, Code: "not-found"},
		{Name: "unknown type", Path: Secret + "/$deidentify", Body: patient, Status: http.StatusNotFound, Code: "not-found"},
		{Name: "create", Path: "Patient", Body: patient, Status: http.StatusNotFound, Code: "not-found"},
		{Name: "broken gzip", Header: map[string]string{"Content-Encoding": "gzip"}, Body: patient, Status: http.StatusBadRequest, Code: "invalid"},
		{Name: "cut gzip", Header: map[string]string{"Content-Encoding": "gzip"}, Body: packed([]byte(Sound))[:60], Status: http.StatusBadRequest, Code: "invalid"},
		{Name: "brotli", Header: map[string]string{"Content-Encoding": "br"}, Body: patient, Status: http.StatusUnsupportedMediaType, Code: "not-supported"},
		{Name: "Accept of XML", Header: map[string]string{"Accept": "application/fhir+xml"}, Body: patient, Status: http.StatusNotAcceptable, Code: "not-supported"},
		{Name: "Accept of R5", Header: map[string]string{"Accept": "application/fhir+json; fhirVersion=5.0"}, Body: patient, Status: http.StatusNotAcceptable, Code: "not-supported"},
	}
	for _, media := range []string{
		"", "application/fhir+xml", "application/xml", "text/plain", "text/html", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/octet-stream",
		"application/fhir+ndjson", "application/fhir+json; fhirVersion=3.0", "application/fhir+json; fhirVersion=5.0", "application/fhir+json; fhirVersion=1.0",
		"application/json; charset=iso-8859-1", "application/json; charset=utf-16", "json", "image/" + Secret, ";;",
	} {
		list = append(list, Case{
			Name: "media type: " + media, Header: map[string]string{"Content-Type": media}, Body: patient,
			Status: http.StatusUnsupportedMediaType, Code: "not-supported",
		})
	}
	return list
}

// contents sends attachments whose frame is wrong: base64, size, hash, language.
func contents() (list []Case) {
	document := func(attachment string) []byte {
		return []byte(`{"resourceType":"DocumentReference","status":"current","content":[{"attachment":{` + attachment + `}}]}`)
	}
	unprocessable := func(name, code string, body []byte) {
		list = append(list, Case{Name: name, Body: body, Status: http.StatusUnprocessableEntity, Code: code})
	}
	text := base64.StdEncoding.EncodeToString([]byte("Herr " + Secret + " war hier."))
	for name, data := range map[string]string{
		"percent signs": "%%%", "cut": "SGFucw=", "one letter": "S", "padding inside": "SGF=ucw=", "URL alphabet": "8J-Ygw_-", "too much padding": "SGFucw====",
		"letters behind": "SGFucw==SGFu", "umlaut": "SGFucwä=", "plain text": Secret + "!", "data URL": "data:text/plain;base64,SGFucw==", "only padding": "====",
		"trailing bits": "SGFucx==x",
	} {
		unprocessable("base64: "+name, "processing", document(`"contentType":"text/plain","data":"`+data+`"`))
	}
	unprocessable("base64: Binary", "processing", []byte(`{"resourceType":"Binary","contentType":"text/plain","data":"%%%"}`))
	for _, size := range []string{"0", "3", "999999999999", "-1"} {
		unprocessable("size: "+size, "value", document(`"contentType":"text/plain","data":"`+text+`","size":`+size))
	}
	for name, hash := range map[string]string{
		"of something else": "2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "SHA-256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "hexadecimal": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"no base64": "%%%", "a word": Secret, "cut": "2jmj7l5rSw0",
	} {
		unprocessable("hash: "+name, "value", document(`"contentType":"text/plain","data":"`+text+`","hash":"`+hash+`"`))
	}
	unprocessable("hash: wrong though removal is asked for", "value", []byte(`{"resourceType":"Parameters","parameter":[{"name":"onUnsupported","valueCode":"remove"},{"name":"resource","resource":`+
		string(document(`"contentType":"text/plain","data":"`+text+`","hash":"2jmj7l5rSw0yVb/vlWAYkK/YBwk="`))+`}]}`))
	unprocessable("data and url differ", "value", []byte(`{"resourceType":"Bundle","type":"collection","entry":[{"resource":`+string(document(`"contentType":"text/plain","data":"`+text+`","url":"Binary/b"`))+
		`},{"resource":{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"SGFucw=="}}]}`))
	unprocessable("French", "not-supported", document(`"contentType":"text/plain","data":"`+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("Le patient est venu dans le service avec une douleur et les examens sont normaux pour cette nuit. ", 4)))+`"`))
	return list
}

// attachments wraps the contents that no decoder takes.
func attachments() (list []Case) {
	for _, a := range Attachments() {
		list = append(list, Case{
			Name: "attachment: " + a.Name, Status: a.Status, Code: a.Code,
			Body: []byte(`{"resourceType":"DocumentReference","status":"current","content":[{"attachment":{"contentType":"` + a.ContentType + `","data":"` + base64.StdEncoding.EncodeToString(a.Data) + `"}}]}`),
		})
	}
	return list
}

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// Attachments lists contents that are refused: kinds that are not read, others than they claim to be, malformed ones, and
// bombs.
func Attachments() (list []Attachment) {
	add := func(status int, code, name, contentType string, data string) {
		list = append(list, Attachment{name, contentType, []byte(data), status, code})
	}
	for _, media := range []string{
		"image/png", "image/jpeg", "image/gif", "image/tiff", "image/bmp", "image/webp", "image/heic", "image/svg+xml", "application/dicom", "application/zip", "application/gzip",
		"application/x-tar", "application/x-7z-compressed", "audio/mpeg", "audio/wav", "video/mp4", "application/octet-stream", "application/msword", "application/vnd.ms-excel",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.oasis.opendocument.text", "application/epub+zip", "application/pkcs7-mime", "application/x-" + Secret, "message/rfc822", "font/woff", "model/stl", "",
	} {
		add(422, "not-supported", "kind "+media, media, "Herr "+Secret)
	}
	for name, c := range map[string]struct{ media, data string }{
		"PNG as text":  {"text/plain", "\x89PNG\r\n\x1a\n...."},
		"JPEG as text": {"text/plain", "\xff\xd8\xff\xe0JFIF"},
		"RTF as text":  {"text/plain", `{\rtf1 ` + Secret + `}`},
		"HTML as text": {"text/plain", "<html><body>" + Secret},
		"PDF as text":  {"text/plain", "%PDF-1.4\n"},
		"text as PDF":  {"application/pdf", Secret},
		"text as RTF":  {"application/rtf", Secret},
		"text as DOCX": {docx, Secret},
		"zip as DOCX":  {docx, "PK\x03\x04...."},
		"other zip":    {docx, string(archive("a.txt", Secret))},
	} {
		add(422, "not-supported", name, c.media, c.data)
	}
	for name, c := range map[string]struct{ media, data string }{
		"text: NUL":                       {"text/plain", "Herr " + Secret + "\x00 kam"},
		"text: replacement character":     {"text/plain", "Herr M\ufffdller " + Secret},
		"text: odd UTF-16":                {"text/plain", "\xff\xfeM\x00\xfc"},
		"text: lone surrogate":            {"text/plain", "\xff\xfeM\x00\x00\xd8A\x00"},
		"text: byte of no character":      {"text/plain; charset=windows-1252", "M\xfc \x81"},
		"XML: crossed":                    {"application/xml", "<a><b>" + Secret + "</a></b>"},
		"XML: open":                       {"application/xml", "<a><b>" + Secret + "</b>"},
		"XML: two roots":                  {"application/xml", "<a/><b/>"},
		"XML: no root":                    {"application/xml", Secret},
		"XML: empty":                      {"application/xml", " "},
		"XML: unknown entity":             {"application/xml", "<l>&" + Secret + ";</l>"},
		"XML: attribute twice":            {"application/xml", `<a b="1" b="2"/>`},
		"XML: control character":          {"application/xml", "<a>\x01</a>"},
		"XHTML: crossed":                  {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><b><i>` + Secret + `</b></i></body></html>`},
		"JSON: open":                      {"application/json", `{"a":"` + Secret + `"`},
		"JSON: behind":                    {"application/json", `{"a":1}}`},
		"JSON: lone surrogate":            {"application/json", `["\ud800"]`},
		"JSON: no colon":                  {"application/json", `{"a" "` + Secret + `"}`},
		"RTF: open":                       {"application/rtf", `{\rtf1 {` + Secret + `}`},
		"RTF: lone surrogate":             {"application/rtf", `{\rtf1 \u-10179?` + Secret + `}`},
		"RTF: NUL":                        {"application/rtf", "{\\rtf1 " + Secret + "\x00}"},
		"RTF: bad hexadecimal":            {"application/rtf", `{\rtf1 M\'zzller}`},
		"PDF: cut":                        {"application/pdf", "%PDF-1.7\n1 0 obj\n<<"},
		"PDF: only a header":              {"application/pdf", "%PDF-1.7\n%%EOF\n"},
		"DOCX: two documents":             {docx, string(archive("[Content_Types].xml", "<Types/>", "word/document.xml", "<x/>", "word/document.xml", "<x/>"))},
		"DOCX: broken document":           {docx, string(archive("[Content_Types].xml", "<Types/>", "word/document.xml", "<w:document>"+Secret))},
		"DOCX: entity":                    {docx, string(archive("[Content_Types].xml", "<Types/>", "word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>&`+Secret+`;</w:body></w:document>`))},
		"CDA: embedded text is no base64": {"application/xml", `<ClinicalDocument xmlns="urn:hl7-org:v3"><component><nonXMLBody><text mediaType="text/plain" representation="B64">%%%` + Secret + `</text></nonXMLBody></component></ClinicalDocument>`},
	} {
		add(422, "processing", name, c.media, c.data)
	}
	for name, c := range map[string]struct{ media, data string }{
		"text: UTF-32":         {"text/plain; charset=utf-32", "\xff\xfe\x00\x00M\x00\x00\x00"},
		"text: EBCDIC":         {"text/plain; charset=cp500", Secret},
		"text: ISO-2022":       {"text/plain; charset=iso-2022-jp", Secret},
		"XML: billion laughs":  {"application/xml", laughs()},
		"XML: external entity": {"application/xml", `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>`},
		"XML: external DTD":    {"application/xml", `<!DOCTYPE l SYSTEM "http://127.0.0.1:1/` + Secret + `"><l/>`},
		"XML: encoding":        {"application/xml", `<?xml version="1.0" encoding="EBCDIC"?><a>` + Secret + `</a>`},
		"XML: SVG":             {"application/xml", `<svg xmlns="http://www.w3.org/2000/svg"><text>` + Secret + `</text></svg>`},
		"RTF: picture":         {"application/rtf", `{\rtf1 ` + Secret + `{\pict\pngblip 89504e47}}`},
		"RTF: object":          {"application/rtf", `{\rtf1 ` + Secret + `{\object\objemb{\*\objdata 00}}}`},
		"DOCX: macros":         {docx, string(archive("[Content_Types].xml", "<Types/>", "word/document.xml", "<x/>", "word/vbaProject.bin", Secret))},
		"DOCX: locked":         {docx, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...."},
	} {
		add(422, "not-supported", name, c.media, c.data)
	}
	for name, c := range map[string]struct{ media, data string }{
		"XML: deep":        {"application/xml", strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)},
		"XHTML: deep":      {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body>` + strings.Repeat("<b>", 10_000) + strings.Repeat("</b>", 10_000) + `</body></html>`},
		"RTF: deep":        {"application/rtf", `{\rtf1 ` + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + `}`},
		"JSON: deep":       {"application/json", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)},
		"DOCX: zip bomb":   {docx, string(archive("[Content_Types].xml", "<Types/>", "word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>`+strings.Repeat("a", 80<<20)+`</w:t></w:r></w:p></w:body></w:document>`))},
		"DOCX: many parts": {docx, string(archive(manyParts()...))},
	} {
		add(413, "too-long", name, c.media, c.data)
	}
	slices.SortStableFunc(list, func(a, b Attachment) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func manyParts() []string {
	parts := []string{"[Content_Types].xml", "<Types/>", "word/document.xml", "<x/>"}
	for i := range 3000 {
		parts = append(parts, fmt.Sprintf("word/media/image%d.png", i), "")
	}
	return parts
}

// laughs expands to a billion words where entities are expanded.
func laughs() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE l [<!ENTITY a0 "` + Secret + `">`)
	for i := 1; i <= 9; i++ {
		fmt.Fprintf(&b, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	b.WriteString(`]><l>&a9;</l>`)
	return b.String()
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// archive packs names and contents, in pairs, into a zip file.
func archive(pairs ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			return nil
		}
	}
	_ = z.Close()
	return b.Bytes()
}
