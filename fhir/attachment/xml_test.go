package attachment

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/attachments/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCDA(t *testing.T) {
	data := sample(t, "entlassbrief.cda.xml")
	text, out := roundTrip(t, "application/hl7-cda+xml", data, "28.12.2023", "30.12.2023", "Mül", "Schä", "Vogt", "Wolf & <Sohn>", "1956-04-03", "1956-06-05", "2024-01-05", "2024-03-08")
	want := `Nummer: DOK-4711-08
Entlassbrief
Arztbrief Hans Müller
Datum: 2024-01-05
Nummer: 550e8400-e29b-41d4-a716-446655440000
versionNumber: 1
Nummer: 186245
Nummer: A123456780
Adresse: Kaiserstraße 5, 80331 München, Deutschland
Kontakt: +49(89)1234567
Kontakt: hans.mueller@web.example
Name: Dr. Hans Peter Müller
Geburtsdatum: 1956-04-03
Name: Erna Müller
Name: Klinikum Musterstadt
Datum: 2024-01-05
Nummer: 999999901
Name: Dr. med. Sabine Vogt
Name: Praxis Vogt & Partner
Kontakt: 089-998877
Nummer: 1.2.3.4.5
Name: Klinikum Musterstadt
Nummer: FALL-778899
Von: 2023-12-28
Bis: 2024-01-05
Name: Station 3B
Anamnese
Herr Müller wurde am 28.12.2023 aufgenommen.
Seine Frau Erna Müller war dabei.
Datum	Befund
29.12.2023	Hb 13,5 g/dl
Verweis
Nummer: 550e8400-e29b-41d4-a716-446655440001
Hämoglobin bei ` + `
Datum: 2023-12-29
value: 13.5
low: 1200
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	wellFormed(t, out)
	absent(t, out, "Canary", "Mueller1", "19560403", "Vogt")
	for _, s := range []string{
		`<birthTime value="19560605"/>`, `<effectiveTime value="20240308103000+0100"/>`, `<time value="202403081030+0100"/>`, `<high value="20240308"/>`,
		`<paragraph ID="n1">`, `<reference value="#n1"/>`, `<templateId root="1.2.276.0.76.10.1019"/>`, `<value xsi:type="PQ" value="13.5" unit="g/dL"/>`,
		`value="tel:+49(89)1234567"`, `<content styleCode="Bold">Schä</content>ler`,
	} {
		if !bytes.Contains(out, []byte(s)) {
			t.Errorf("%s is not in\n%s", s, out)
		}
	}
}

func TestCDAFields(t *testing.T) {
	d := mustDecode(t, "text/xml", sample(t, "entlassbrief.cda.xml"))
	type found struct {
		text string
		kind Kind
		typ  phi.Type
	}
	got := map[found]bool{}
	for _, f := range d.Fields() {
		got[found{d.Text()[f.Start:f.End], f.Kind, f.Type}] = true
		if f.Path == "" || strings.Contains(f.Path, d.Text()[f.Start:f.End]) {
			t.Errorf("path %q", f.Path)
		}
	}
	for _, want := range []found{
		{"Hans", KindName, phi.NamePatient},
		{"Peter", KindName, phi.NamePatient},
		{"Müller", KindName, phi.NamePatient},
		{"Erna", KindName, phi.NameOther},
		{"Kaiserstraße 5", KindAddress, phi.LocationStreet},
		{"80331", KindAddress, phi.LocationZIP},
		{"München", KindAddress, phi.LocationCity},
		{"+49(89)1234567", KindTelecom, phi.ContactPhone},
		{"hans.mueller@web.example", KindTelecom, phi.ContactEmail},
		{"089-998877", KindTelecom, phi.ContactFax},
		{"186245", KindID, phi.IDPatient},
		{"A123456780", KindID, phi.IDHealthplan},
		{"FALL-778899", KindID, phi.IDOther},
		{"999999901", KindID, phi.IDLicense},
		{"550e8400-e29b-41d4-a716-446655440000", KindID, phi.IDOther},
		{"1956-04-03", KindTime, phi.DateBirthdate},
		{"2023-12-28", KindTime, phi.DateDate},
		{"Dr. med. Sabine Vogt", KindName, phi.NameStaff},
		{"Klinikum Musterstadt", KindOrg, phi.LocationHospital},
		{"Station 3B", KindOrg, phi.LocationHospital},
	} {
		if !got[want] {
			t.Errorf("no field %+v", want)
		}
	}
	if d.Language() != "de" {
		t.Error(d.Language())
	}
}

func TestCDAEdits(t *testing.T) {
	d := mustDecode(t, "text/xml", sample(t, "entlassbrief.cda.xml"))
	out, _ := mustEncode(t, d, replace(t, d.Text(),
		"Dr. Hans Peter Müller", "Dr. Karl Otto Weiß", "Kaiserstraße 5, 80331 München", "Am Weg 1, 10115 Berlin",
		"1956-04-03", "1956", "2023-12-28", "[DATE]", "550e8400-e29b-41d4-a716-446655440000", "no uuid", "1.2.3.4.5", "", "Erna Müller", "Frieda")...)
	wellFormed(t, out)
	for _, s := range []string{
		`<prefix qualifier="AC">Dr.</prefix><given>Karl</given><given>Otto</given><family>Weiß</family>`,
		`<streetAddressLine>Am Weg 1</streetAddressLine>`, `<postalCode>10115</postalCode>`, `<city>Berlin</city>`,
		`<birthTime value="1956"/>`, `<low nullFlavor="MSK"/>`, `<given>Frieda</given> <family></family>`,
	} {
		if !bytes.Contains(out, []byte(s)) {
			t.Errorf("%s is not in\n%s", s, out)
		}
	}
	absent(t, out, "no uuid", "446655440000")
}

func nonXML(media string, data []byte) []byte {
	return []byte(`<ClinicalDocument xmlns="urn:hl7-org:v3"><component><nonXMLBody><text mediaType="` + media + `" representation="B64">` +
		base64.StdEncoding.EncodeToString(data) + `</text></nonXMLBody></component></ClinicalDocument>`)
}

func TestCDAEmbedded(t *testing.T) {
	for _, c := range []struct {
		media string
		data  []byte
	}{
		{"text/plain", []byte("Herr Mül-\nler kam zu Dr. Vogt.")},
		{"text/plain", []byte("Herr M\xFCller kam zu Dr. Vogt.")},
		{"application/rtf", []byte(`{\rtf1\ansi Herr M\'fc{\b ller} kam zu Dr. Vogt.}`)},
		{"text/html", []byte(`<p>Herr M&uuml;ller kam zu Dr. Vogt.<!-- Canary -->`)},
		{"text/xml", nonXML("text/plain", []byte("Herr Müller kam zu Dr. Vogt."))},
	} {
		text, out := roundTrip(t, "text/xml", nonXML(c.media, c.data), "Müller", "Schäfer", "Vogt", "Wolf")
		if strings.TrimSpace(text) != "Herr Müller kam zu Dr. Vogt." {
			t.Errorf("%s: %q", c.media, text)
		}
		wellFormed(t, out)
	}
	if _, err := Decode(context.Background(), "text/xml", nonXML("image/png", []byte("\x89PNG")), Limits{}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	d, err := Decode(context.Background(), "text/xml", nonXML("image/png", []byte("\x89PNG")), Limits{Strip: true})
	if err != nil || len(d.Warnings()) != 1 {
		t.Fatal(err)
	}
	if out, _ := mustEncode(t, d); !bytes.Contains(out, []byte(`<text nullFlavor="MSK"/>`)) {
		t.Errorf("%s", out)
	}
	deep := []byte("Herr Müller")
	media := "text/plain"
	for range 8 {
		deep, media = nonXML(media, deep), "text/xml"
	}
	if _, err := Decode(context.Background(), "text/xml", deep, Limits{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := Decode(context.Background(), "text/xml", nonXML("text/plain", nil)[:150], Limits{}); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

func TestXML(t *testing.T) {
	const data = "<?xml version='1.0' encoding='ISO-8859-1'?><!-- Canary1 --><?Canary2 x?><fall nr='12&amp;3'>\n <name>M\xFCl<b art='fett'>ler</b></name><ort plz=\"80331\">Stra\xDFe &lt;5&gt;</ort><leer/><![CDATA[ ]]></fall>"
	text, out := roundTrip(t, "application/xml", []byte(data), "Müller", "Schäfer & <Co>", "80331", `"10115"`, "12&3", "45")
	if text != "nr: 12&3\nname: Müller\nplz: 80331\nort: Straße <5>\nart: fett\n" {
		t.Errorf("%q", text)
	}
	wellFormed(t, out)
	absent(t, out, "Canary", "ISO-8859")
}

func TestXMLRefused(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       error
	}{
		{"laughs", `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>`, ErrUnsupported},
		{"external entity", `<!DOCTYPE l SYSTEM "file:///etc/passwd"><l/>`, ErrUnsupported},
		{"unknown entity", `<l>&passwd;</l>`, ErrMalformed},
		{"deep", strings.Repeat("<a>", 100000) + strings.Repeat("</a>", 100000), ErrTooLarge},
		{"crossed", "<a><b></a></b>", ErrMalformed},
		{"open", "<a><b></b>", ErrMalformed},
		{"two roots", "<a/><b/>", ErrMalformed},
		{"no root", "Hans", ErrMalformed},
		{"empty", "", ErrMalformed},
		{"attribute twice", `<a b="1" b="2"/>`, ErrMalformed},
		{"control", "<a>\x01</a>", ErrMalformed},
		{"replacement", "<a>M\uFFFDller</a>", ErrMalformed},
		{"svg", "<svg/>", ErrUnsupported},
		{"unknown encoding", `<?xml version="1.0" encoding="EBCDIC"?><a/>`, ErrUnsupported},
	} {
		if _, err := Decode(context.Background(), "application/xml", []byte(c.data), Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	const data = `{"patient":{"name":"M\u00fcller, \"Hans\"","tel":4915112345678,"ok":true,"x":null,"Frau Müller":["a\nb",-1.50]}, "leer":""}`
	text, out := roundTrip(t, "application/fhir+json; charset=utf-8", []byte(data), "Müller", `Schä\"fer`)
	if text != "patient: \nname: Müller, \"Hans\"\ntel: 4915112345678\nok: \nx: \nFrau Müller: a\nb\n-1.50\nleer: \n" {
		t.Errorf("%q", text)
	}
	if want := `{"patient":{"name":"Schä\\\"fer, \"Hans\"","tel":4915112345678,"ok":true,"x":null,"Frau Schä\\\"fer":["a\nb",-1.50]},"leer":""}`; string(out) != want {
		t.Errorf("%s", out)
	}
	d := mustDecode(t, "application/json", []byte(data))
	out, _ = mustEncode(t, d, replace(t, d.Text(), "4915112345678", "49 151 0", "1.50", "2.75")...)
	if !bytes.Contains(out, []byte(`"tel":"49 151 0"`)) || !bytes.Contains(out, []byte(`-2.75]`)) {
		t.Errorf("%s", out)
	}
	for _, bad := range []string{"", "{", `{"a":1}}`, `{"a" 1}`, `["\ud800"]`, `{a:1}`, strings.Repeat("[", 100000), "[1,]", `"` + "\x00" + `"`, "{1:2}"} {
		if _, err := Decode(context.Background(), "application/json", []byte(bad), Limits{}); err == nil {
			t.Errorf("%.20q was taken", bad)
		}
	}
}
