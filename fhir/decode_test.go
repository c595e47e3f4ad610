package fhir

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"fhirdeid/testdata/bad"
)

func TestRoundTripOfSynthea(t *testing.T) {
	for _, data := range bundles(t) {
		want := compact(t, data)
		n, err := DecodeResource(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Encode(); !bytes.Equal(got, want) {
			t.Fatal("the Bundle changed on its way through the tree")
		}
		if got := n.Clone().Encode(); !bytes.Equal(got, want) {
			t.Fatal("the Bundle changed when it was cloned")
		}
	}
}

func TestRoundTripByteByByte(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1e5`, `1E+05`, `0.02462106442270927`, `12345678901234567890.12340`,
		`""`, `"a"`, `"<b>&amp;</b>"`, `"\u00fc"`, `"ü"`, `"\/"`, `"text\/plain"`, `"😀"`, `"\ud83d\ude00"`, `"\u2028"`,
		"\"\u2028\"", `"\b\f\n\r\t\"\\"`, `[]`, `{}`, `[[],{}]`, `{"b":1,"a":2}`, `{"a":["x",null],"_a":[null,{"id":"1"}]}`,
		`{"resourceType":"Patient","birthDate":"1957-03","_birthDate":{"extension":[{"url":"u","valueCode":"masked"}]}}`,
	} {
		if got := string(decode(t, text).Encode()); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestSetStringsAreEscapedOnlyWhereNeeded(t *testing.T) {
	for in, want := range map[string]string{
		"Müller <b> & 'x'": `"Müller <b> & 'x'"`,
		"a\"b\\c/d":        `"a\"b\\c/d"`,
		"\n\r\t\b\f\x01":   `"\n\r\t\b\f\u0001"`,
		"\xffx":            "\"\uFFFDx\"",
	} {
		if got := string(NewString(in).Encode()); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
	n := decode(t, `"text\/plain"`)
	n.SetString("text/html")
	if got := string(n.Encode()); got != `"text/html"` {
		t.Error("a string set anew kept its old spelling:", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for _, c := range []struct {
		name, text string
		code       IssueType
		path       string
	}{
		{"nothing", "", IssueStructure, ""},
		{"white space", " \n", IssueStructure, ""},
		{"truncated object", `{"name":[{"family":"Geheim"`, IssueStructure, "name[0]"},
		{"truncated string", `{"status":"Geheim`, IssueStructure, "status"},
		{"truncated escape", `"\u00`, IssueStructure, ""},
		{"truncated number", `{"value":-`, IssueStructure, "value"},
		{"trailing text", `{} {}`, IssueStructure, ""},
		{"trailing comma", `{"id":"a",}`, IssueStructure, ""},
		{"trailing comma in an array", `{"given":["a",]}`, IssueStructure, "given[1]"},
		{"missing comma", `["a" "b"]`, IssueStructure, ""},
		{"missing colon", `{"id" "a"}`, IssueStructure, ""},
		{"single quotes", `{'id':'a'}`, IssueStructure, ""},
		{"comment", `{/* Geheim */}`, IssueStructure, ""},
		{"key without quotes", `{id:1}`, IssueStructure, ""},
		{"key twice", `{"id":"a","id":"Geheim"}`, IssueStructure, "id"},
		{"key twice by an escape", `{"id":"a","\u0069d":"Geheim"}`, IssueStructure, "id"},
		{"key twice far inside", `{"name":[{"given":["a"]},{"family":"a","family":"b"}]}`, IssueStructure, "name[1].family"},
		{"leading zero", `{"value":01}`, IssueStructure, "value"},
		{"plus", `{"value":+1}`, IssueStructure, "value"},
		{"point without digits", `{"value":1.}`, IssueStructure, "value"},
		{"NaN", `{"value":NaN}`, IssueStructure, "value"},
		{"Infinity", `{"value":Infinity}`, IssueStructure, "value"},
		{"hexadecimal", `{"value":0x1f}`, IssueStructure, ""},
		{"number without end", `{"value":` + strings.Repeat("1", 65) + `}`, IssueStructure, "value"},
		{"wrong word", `{"active":True}`, IssueStructure, "active"},
		{"lone high surrogate", `"\ud83d"`, IssueStructure, ""},
		{"lone low surrogate", `"\ude00"`, IssueStructure, ""},
		{"surrogates in the wrong order", `"\ude00\ud83d"`, IssueStructure, ""},
		{"high surrogate and a letter", `"\ud83d\u0041"`, IssueStructure, ""},
		{"surrogate in a key", `{"\ud83d":1}`, IssueStructure, ""},
		{"NUL escape", `"a\u0000b"`, IssueStructure, ""},
		{"NUL byte", "\"a\x00b\"", IssueStructure, ""},
		{"control character", "\"a\x01b\"", IssueStructure, ""},
		{"line end in a string", "\"a\nb\"", IssueStructure, ""},
		{"unknown escape", `"\x41"`, IssueStructure, ""},
		{"malformed escape", `"\u00zz"`, IssueStructure, ""},
		{"not UTF-8", "\"M\xfcller\"", IssueStructure, ""},
		{"overlong UTF-8", "\"\xc0\xaf\"", IssueStructure, ""},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", IssueStructure, ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", IssueStructure, ""},
		{"too deep", deep, IssueTooCostly, strings.Repeat("[0]", 64)},
		{"path ends before an unknown key", `{"name":[{"Geheim":{"family":tru}}]}`, IssueStructure, "name[0]"},
	} {
		n, err := Decode([]byte(c.text), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, %v instead of an *Error", c.name, n, err)
			continue
		}
		if e.Code != c.code || e.Path != c.path {
			t.Errorf("%s: %s at %q, want %s at %q", c.name, e.Code, e.Path, c.code, c.path)
		}
		if strings.Contains(err.Error(), "Geheim") {
			t.Errorf("%s: the error quotes the input", c.name)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limits     Limits
		code       IssueType
	}{
		{"bytes", `["aaaaaaaaaa"]`, Limits{Bytes: 10}, IssueTooLong},
		{"text", `["aaaaaaaaaaa"]`, Limits{Text: 10}, IssueTooLong},
		{"text with escapes", `["aaaaaa\n\n\naaaaa"]`, Limits{Text: 10}, IssueTooLong},
		{"depth of arrays", `[[[[1]]]]`, Limits{Depth: 3}, IssueTooCostly},
		{"depth of objects", `{"a":{"a":{"a":{}}}}`, Limits{Depth: 3}, IssueTooCostly},
		{"values", `[1,2,3,4]`, Limits{Nodes: 4}, IssueTooCostly},
		{"10,000 deep", strings.Repeat(`{"a":[`, 5000), Limits{}, IssueTooCostly},
	} {
		if _, err := Decode([]byte(c.text), c.limits); !errors.Is(err, &Error{Code: c.code}) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for text, limits := range map[string]Limits{
		`["aaaaaaaaaa"]`: {Bytes: 14, Text: 10},
		`[[[1]]]`:        {Depth: 3},
		`[1,2,3,5]`:      {Nodes: 5},
	} {
		if _, err := Decode([]byte(text), limits); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestManyKeysStayLinear(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 200_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + itoa(i) + `":0`)
	}
	once := b.String()
	if _, err := Decode([]byte(once+"}"), Limits{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode([]byte(once+`,"ka0":0}`), Limits{}); err == nil {
		t.Fatal("the first key stands twice among many and was not seen")
	}
}

func itoa(i int) string { s, _ := NewInt(i).Num(); return s }

func TestDecodeResource(t *testing.T) {
	for _, c := range []struct {
		text string
		code IssueType
	}{
		{`[]`, IssueStructure},
		{`"Patient"`, IssueStructure},
		{`{}`, IssueStructure},
		{`{"resourceType":1}`, IssueStructure},
		{`{"resourceType":""}`, IssueStructure},
		{`{"resourceType":"Geheim"}`, IssueNotSupported},
		{`{"resourceType":"patient"}`, IssueNotSupported},
		{`{"resourceType":"HumanName"}`, IssueNotSupported},
		{`{"resourceType":"Patient.contact"}`, IssueNotSupported},
		{`{"resourceType":"Resource"}`, IssueNotSupported},
		{`{"ResourceType":"Patient"}`, IssueStructure},
		{` <Patient xmlns="http://hl7.org/fhir"/>`, IssueNotSupported},
	} {
		_, err := DecodeResource([]byte(c.text), Limits{})
		if !errors.Is(err, &Error{Code: c.code}) {
			t.Errorf("%s: %v, want %s", c.text, err, c.code)
		}
		if err != nil && strings.Contains(err.Error(), "Geheim") {
			t.Error("the error quotes the input")
		}
	}
	if _, err := DecodeResource([]byte("\uFEFF{\"resourceType\":\"Patient\"}"), Limits{}); err != nil {
		t.Error("byte order mark:", err)
	}
}

func TestNodeEdits(t *testing.T) {
	n := NewResource("Patient", "active", NewBool(true), "name", NewArray(NewObject("family", NewString("Stein"))), "gender", nil)
	n.SetAfter("active", "_active", NewObject("id", NewString("a")))
	n.At("name").Item(0).Set("given", NewArray(NewString("Jana"), nil))
	n.Set("birthDate", NewString("1957"))
	n.Delete("active")
	if got, want := string(n.Encode()), `{"resourceType":"Patient","_active":{"id":"a"},"name":[{"family":"Stein","given":["Jana",null]}],"birthDate":"1957"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n.Text("name", "family") != "Stein" || n.Text("name", "given") != "" || n.At("no", "where").Get("x") != nil {
		t.Error("At goes astray")
	}
	c := n.Clone()
	c.At("name").Item(0).Get("family").SetString("Berg")
	if n.Text("name", "family") != "Stein" || n.Equal(c) || !n.Equal(n.Clone()) {
		t.Error("the clone is tied to its original")
	}
	// Members are cut from shared blocks: growth of one object must not reach into the next.
	d := decode(t, `[{"a":1},{"b":2}]`)
	d.Item(0).Set("c", NewInt(3))
	if got := string(d.Encode()); got != `[{"a":1,"c":3},{"b":2}]` {
		t.Error(got)
	}
	e := decode(t, `[[1],[2]]`)
	e.Item(0).Append(NewInt(3))
	if got := string(e.Encode()); got != `[[1,3],[2]]` {
		t.Error(got)
	}
	var none *Node
	none.Set("a", NewNull())
	none.Append(NewNull())
	none.Delete("a")
	if none.Len() != 0 || none.Kind() != Null || string(none.Encode()) != "null" {
		t.Error("a nil node is not an absent value")
	}
	if NewNumber("01").Kind() != Null || NewNumber("").Kind() != Null || NewNumber("1.50").Kind() != Number {
		t.Error("NewNumber takes what is no number, or refuses what is one")
	}
}

func TestLines(t *testing.T) {
	in := "{\"resourceType\":\"Patient\",\"id\":\"1\"}\n\n{\"resourceType\":\n{\"resourceType\":\"Patient\",\"id\":\"2\"}\r\n" + `{"resourceType":"Patient","id":"` + strings.Repeat("3", 200) + `"}`
	var got []int
	var bad []int
	for line := range Lines(strings.NewReader(in), Limits{Bytes: 100}) {
		if line.Err != nil {
			bad = append(bad, line.Number)
			continue
		}
		got = append(got, line.Number)
	}
	if !reflect.DeepEqual(got, []int{1, 4}) || !reflect.DeepEqual(bad, []int{3, 5}) {
		t.Errorf("good %v, bad %v", got, bad)
	}
}

// maxSeed bounds the bad inputs that fuzzing starts from, in bytes: larger ones only pass limits.
const maxSeed = 16 << 10

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"resourceType":"Patient","name":[{"family":"Müller","given":["\u00fc",null]}],"_birthDate":{"id":"a"}}`,
		`[1,-0.0,1e5,"\ud83d\ude00",true,false,null,{}]`, `"\ud83d"`, `{"a":1,"a":2}`, `[[[[`, "\"\x00\"", `"\u0000"`, "\uFEFF{}",
	} {
		f.Add([]byte(s))
	}
	for _, c := range bad.Cases() {
		if len(c.Body) < maxSeed {
			f.Add(c.Body)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Decode(data, Limits{})
		if err != nil {
			if n != nil {
				t.Fatal("a tree beside an error")
			}
			return
		}
		// What is taken, the standard library takes too, and means the same.
		trimmed := bytes.TrimPrefix(data, []byte("\uFEFF"))
		var want, got any
		if err := json.Unmarshal(trimmed, &want); err != nil && !strings.Contains(err.Error(), "range") {
			t.Fatalf("taken, but %v", err)
		}
		out := n.Encode()
		if err := json.Unmarshal(out, &got); err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("the meaning changed: %s became %s", data, out)
		}
		if !utf8.Valid(out) {
			t.Fatal("the output is not UTF-8")
		}
		again, err := Decode(out, Limits{})
		if err != nil || !again.Equal(n) || !bytes.Equal(again.Encode(), out) {
			t.Fatalf("the second round differs: %v", err)
		}
		if !bytes.Contains(trimmed, []byte(`\`)) && json.Valid(trimmed) {
			if want := compact(t, trimmed); !bytes.Equal(out, want) {
				t.Fatalf("%s became %s", want, out)
			}
		}
		if !n.Clone().Equal(n) {
			t.Fatal("the clone differs")
		}
		if back, err := Decode(n.EncodeIndent("  "), Limits{}); err != nil || !back.Equal(n) {
			t.Fatal("indented output differs")
		}
	})
}
