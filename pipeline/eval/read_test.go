package eval_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/phi"
)

// write makes files and gives their folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// list writes the marks of all documents as TYPE:text.
func list(c *eval.Corpus) []string {
	var all []string
	for _, d := range c.Documents {
		for _, g := range d.Gold {
			all = append(all, fmt.Sprintf("%s:%s", g.Type, d.Text[g.Start:g.End]))
		}
	}
	return all
}

const (
	i2b2New = `<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[Ärztin: Dr. Søren Ünal
Seen Friday, 3/14 <ok> & well
at St. Mary's]]></TEXT>
<TAGS>
<NAME id="P0" start="12" end="22" text="Søren Ünal" TYPE="DOCTOR" comment="" />
<DATE id="P1" start="28" end="34" text="Friday" TYPE="DATE" comment="" />
<DATE id="P2" start="36" end="40" text="3/14" TYPE="DATE" comment="" />
<LOCATION id="P3" start="56" end="66" text="St. Mary's" TYPE="HOSPITAL" comment="" />
</TAGS>
</deIdi2b2>
`
	i2b2Old = `<?xml version="1.0"?><ROOT><RECORD ID="17"><TEXT>
<PHI TYPE="PATIENT">Noah Whitlock</PHI> seen &amp; examined on <PHI TYPE="DATE">3/14</PHI>.
</TEXT></RECORD><RECORD ID="18"><TEXT>MRN <PHI TYPE="ID">0048291</PHI></TEXT></RECORD></ROOT>
`
	xmi = `<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<custom:PHI xmi:id="7" sofa="1" begin="3" end="8" kind="NAME_PATIENT"/>
<custom:PHI xmi:id="8" sofa="1" begin="0" end="2" kind="NAME_TITLE"/>
<custom:PHI xmi:id="9" sofa="1" begin="14" end="24" kind="DATE_BIRTH"/>
<custom:PHI xmi:id="10" sofa="1" begin="9" end="13"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="😀 Meier geb. 12.03.1948"/>
<cas:View sofa="1" members="7 8 9"/>
</xmi:XMI>
`
	casNew = `{"%TYPES":{"webanno.custom.PHI":{"%NAME":"webanno.custom.PHI","kind":{"%RANGE":"uima.cas.String"}}},
"%FEATURE_STRUCTURES":[{"%ID":1,"%TYPE":"uima.cas.Sofa","sofaID":"_InitialView","sofaString":"😀 Meier geb. 12.03.1948"},
{"%ID":7,"%TYPE":"webanno.custom.PHI","@sofa":1,"begin":3,"end":8,"kind":"NAME_PATIENT"},
{"%ID":9,"%TYPE":"webanno.custom.PHI","@sofa":1,"begin":14,"end":24,"kind":"DATE_BIRTH"}],"%VIEWS":{"_InitialView":{"%SOFA":1,"%MEMBERS":[7,9]}}}`
	casOld = `{"_context":{"_types":{"PHI":{"_id":"webanno.custom.PHI"}}},"_views":{"_InitialView":{"PHI":[
{"sofa":1,"begin":3,"end":8,"kind":"NAME_PATIENT"},{"sofa":1,"begin":14,"end":24,"kind":"DATE_BIRTH"}]}},
"_referenced_fss":{"1":{"_type":"Sofa","sofaNum":1,"sofaID":"_InitialView","sofaString":"😀 Meier geb. 12.03.1948"}}}`
	conll  = "-DOCSTART- -X- O O\n\nFrau NN O\nMeier NN B-PER\nMüller NN I-PER\n\naus APPR O\nBonn NE S-LOC\nAnna X B-PER\nEva X B-PER\n"
	inline = "=== a_1 | de | Befund | Wien\nFrau <NAME_PATIENT>Größe</NAME_PATIENT>, <AGE>60</AGE>-jährig,\nRR < 120\n\n=== a_2|en\nnothing here\n"
	germ   = "# http://example.org/1 [2020]\n1\tKarl\tB-PER\tO\n2\tin\tO\tO\n3\tGraz\tB-LOC\tO\n"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		docs  int
	}{
		{"i2b2 2014", map[string]string{"110-01.xml": i2b2New}, []string{"NAME_STAFF:Søren Ünal", "DATE:3/14", "LOCATION_HOSPITAL:St. Mary's"}, 1},
		{"i2b2 2006", map[string]string{"train.xml": i2b2Old}, []string{"NAME_PATIENT:Noah Whitlock", "DATE:3/14", "ID:0048291"}, 2},
		{"XMI", map[string]string{"a.xmi": xmi, "TypeSystem.xml": "<typeSystemDescription/>", "notes.md": "x"}, []string{"NAME_PATIENT:Meier", "DATE_BIRTHDATE:12.03.1948"}, 1},
		{"CAS JSON", map[string]string{"a.json": casNew}, []string{"NAME_PATIENT:Meier", "DATE_BIRTHDATE:12.03.1948"}, 1},
		{"CAS JSON, older", map[string]string{"a.json": casOld}, []string{"NAME_PATIENT:Meier", "DATE_BIRTHDATE:12.03.1948"}, 1},
		{
			"BRAT",
			map[string]string{
				"x.txt": "Größe: Karl\nMeier aus Bonn", "x.ann": "T1\tNAME_PATIENT 7 11;12 17\tKarl Meier\nT2\tCITY 22 26\tBonn\nR1\tx Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\tsure\n",
			},
			[]string{"NAME_PATIENT:Karl", "NAME_PATIENT:Meier", "LOCATION_CITY:Bonn"},
			1,
		},
		{"CoNLL", map[string]string{"x.conll": conll}, []string{"NAME:Meier Müller", "LOCATION:Bonn", "NAME:Anna", "NAME:Eva"}, 1},
		{"CoNLL with numbers", map[string]string{"x.tsv": germ}, []string{"NAME:Karl", "LOCATION:Graz"}, 1},
		{"JSONL", map[string]string{"x.jsonl": `{"id":"a","lang":"de","text":"Größe 😀 Meier am Montag","spans":[{"start":8,"end":13,"label":"NAME_PATIENT"},{"start":17,"end":23,"label":"DATE_DATE"}]}` + "\n\n"}, []string{"NAME_PATIENT:Meier"}, 1},
		{"inline tags", map[string]string{"x.txt": inline, "README.txt": "no corpus"}, []string{"NAME_PATIENT:Größe", "AGE:60"}, 2},
		{"JSONL with a table", map[string]string{
			"labels.json":   `{"_mask":{"phi/x.jsonl":["TITLE"]},"files":{"phi/x.jsonl":{"PERSON":"NAME","TITLE":null,"ORG":["LOCATION_ORGANIZATION","LOCATION_HOSPITAL"]}}}`,
			"phi/x.jsonl":   `{"id":"a","text":"Dr. Meier, AOK","spans":[{"start":0,"end":3,"label":"TITLE"},{"start":4,"end":9,"label":"PERSON"},{"start":11,"end":14,"label":"ORG"}]}`,
			"phi/README.md": "no corpus",
		}, []string{"NAME:Meier", "LOCATION_ORGANIZATION:AOK"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			corpus, err := eval.Read(write(t, c.files), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := list(corpus); !slices.Equal(got, c.want) || len(corpus.Documents) != c.docs {
				t.Errorf("%d documents, %q; want %q", len(corpus.Documents), got, c.want)
			}
		})
	}
}

func TestReadOptions(t *testing.T) {
	dir := write(t, map[string]string{
		"a.jsonl": `{"id":"1","split":"dev","text":"X Y","spans":[{"start":0,"end":1,"label":"FOO"}]}` + "\n" +
			`{"id":"2","split":"train","text":"X Y","spans":[]}`,
		"deep/b.jsonl": `{"id":"3","text":"X Y","spans":[{"start":2,"end":3,"label":"BAR"}]}`,
	})
	if _, err := eval.Read(dir, "jsonl"); !errors.Is(err, eval.ErrCorpus) || !strings.Contains(err.Error(), `"FOO"`) {
		t.Errorf("%v", err)
	}
	corpus, err := eval.ReadWith(dir, eval.ReadOptions{Map: map[string]string{"FOO": "AGE", "BAR": "O"}, Split: "dev", Language: phi.English})
	if err != nil {
		t.Fatal(err)
	}
	if got := list(corpus); !slices.Equal(got, []string{"AGE:X"}) || len(corpus.Documents) != 2 || corpus.Documents[1].Language != phi.English {
		t.Errorf("%q", got)
	}
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	z.Write([]byte(`{"id":"1","text":"77","spans":[{"start":0,"end":2,"label":"AGE"}]}`))
	z.Close()
	corpus, err = eval.Read(filepath.Join(write(t, map[string]string{"x.jsonl.gz": packed.String()}), "x.jsonl.gz"), "")
	if err != nil || !slices.Equal(list(corpus), []string{"AGE:77"}) || corpus.Name != "x" {
		t.Errorf("%v %v", corpus, err)
	}
}

// A broken corpus is refused, and the error holds nothing of its text.
func TestBrokenCorpora(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"empty folder":           {"README": ""},
		"slot beyond the text":   {"a.jsonl": `{"id":"1","text":"Secretname","slots":[{"start":5,"end":99}]}`},
		"mark beyond the text":   {"a.jsonl": `{"id":"1","text":"Secretname","spans":[{"start":5,"end":99,"label":"AGE"}]}`},
		"backwards":              {"a.jsonl": `{"id":"1","text":"Secretname","spans":[{"start":5,"end":2,"label":"AGE"}]}`},
		"no JSON":                {"a.jsonl": `{"id":"1","text":"Secretname`},
		"not UTF-8":              {"a.jsonl": "{\"text\":\"Secretname\xff\"}"},
		"i2b2 with other text":   {"a.xml": strings.Replace(strings.Replace(i2b2New, "Dr. Søren", "Secretname", 1), "3/14", "3/99", 1)},
		"i2b2 beyond":            {"a.xml": strings.Replace(i2b2New, `end="66"`, `end="99"`, 1)},
		"i2b2 unfinished":        {"a.xml": i2b2New[:200]},
		"i2b2 unknown type":      {"a.xml": strings.Replace(i2b2New, `"HOSPITAL"`, `"PLANET"`, 1)},
		"XMI without text":       {"a.xmi": strings.Replace(xmi, "sofaString", "other", 1)},
		"XMI beyond":             {"a.xmi": strings.Replace(xmi, `end="24"`, `end="25"`, 1)},
		"BRAT without text":      {"a.ann": "T1\tAGE 0 1\tx"},
		"BRAT no numbers":        {"a.ann": "T1\tAGE x y\tx", "a.txt": "Secretname"},
		"CoNLL without a label":  {"a.conll": "Secretname\n"},
		"inline, nested":         {"a.txt": "=== 1 | de\n<AGE><NAME>Secretname</NAME></AGE>"},
		"inline, not closed":     {"a.txt": "=== 1 | de\nSecretname <AGE>7"},
		"inline, closed wrongly": {"a.txt": "=== 1 | de\nSecretname <AGE>7</NAME>"},
		"inline, other label":    {"a.txt": "=== 1 | de\nSecretname <PLANET>7</PLANET>"},
		"gzip that is none":      {"a.jsonl.gz": "Secretname"},
		"labels.json of garbage": {"a.jsonl": `{"id":"1","text":"x"}`, "labels.json": "{"},
	} {
		if _, err := eval.Read(write(t, files), ""); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), "Secretname") {
			t.Errorf("%s: the error quotes the text: %v", name, err)
		}
	}
	if _, err := eval.Read(filepath.Join(t.TempDir(), "absent"), ""); err == nil {
		t.Error("a path that is not there")
	}
	if _, err := eval.Read(write(t, map[string]string{"a.jsonl": ""}), "docx"); err == nil {
		t.Error("an unknown format")
	}
}

func FuzzReaders(f *testing.F) {
	for _, s := range []string{i2b2New, i2b2Old, xmi, casNew, casOld, conll, germ, inline, `{"id":"a","text":"x","spans":[]}`} {
		for kind := range 7 {
			f.Add([]byte(s), kind)
		}
	}
	formats := []eval.Format{eval.JSONL, eval.I2B2, eval.BRAT, eval.CoNLL, eval.XMI, eval.CASJSON, eval.Inline}
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		if kind < 0 || kind >= len(formats) {
			return
		}
		name := filepath.Join(t.TempDir(), "x.ann")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(strings.TrimSuffix(name, ".ann")+".txt", []byte("Größe: Karl Meier"), 0o600); err != nil {
			t.Fatal(err)
		}
		corpus, err := eval.ReadWith(name, eval.ReadOptions{Format: formats[kind]})
		if err != nil {
			return
		}
		for _, d := range corpus.Documents {
			for _, g := range d.Gold {
				if g.Start < 0 || g.Start >= g.End || g.End > len(d.Text) {
					t.Fatalf("mark %d-%d of %d", g.Start, g.End, len(d.Text))
				}
			}
		}
	})
}
