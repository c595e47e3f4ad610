package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"fhirdeid/fhir"
)

// shared gives a folder beside the repository, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("FHIRDEID_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIP %s: no test data (FHIRDEID_DATA)", name)
	}
	return path
}

// pair is one resource before and after.
type pair struct{ in, out *fhir.Node }

// TestRealFiles runs deidentify over every file of the FHIR test data: none is lost, the patients' own values occur
// nowhere, references hold, and the intervals between dates are what they were. With FHIRDEID_HAPI set, the HAPI
// validator must find no error in the output that the input lacks.
func TestRealFiles(t *testing.T) {
	source := shared(t, "fhir")
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	if err := os.CopyFS(in, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key") // the same every time, so that nothing coincides by chance only today
	if err := os.WriteFile(key, []byte(strings.Repeat("5c", masterKeySize)), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	environ := []string{"FHIRDEID_DATA_DIR=" + t.TempDir(), "FHIRDEID_MASTER_KEY_FILE=" + key}
	if code := run(t.Context(), []string{"deidentify", "--models", "none", "--out", out, in}, nil, &stdout, &stderr, environ); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}

	manifest := writtenList(t, in+manifestSuffix)
	want := 0
	for name := range files(t, in) {
		want++
		if manifest[name].Output == "" {
			t.Errorf("an input has no output")
		}
	}
	if want != len(manifest) || want == 0 {
		t.Fatalf("%d inputs, %d in the manifest", want, len(manifest))
	}
	patients, values, dates, references := 0, 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(manifest)) {
		e := manifest[name]
		before, err := input{name: name}.read(nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(filepath.Join(out, e.Output))
		if err != nil {
			t.Fatal(err)
		}
		pairs := pairsOf(t, before, after)
		text := textsOf(t, after)
		results, err := os.ReadFile(filepath.Join(out, e.Results))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pairs {
			if p.in.ResourceType() != "Patient" {
				continue
			}
			patients++
			for what, list := range identifying(p.in) {
				for _, v := range list {
					values++
					if !stands(textsOf(t, before), v) {
						t.Fatalf("%s: the input is said to hold a %s that it does not hold", e.Output, what)
					}
					if stands(text, v) || stands(string(results), v) {
						t.Errorf("%s: a %s of the patient stands in the output", e.Output, what)
					}
				}
			}
		}
		dates += checkIntervals(t, e.Output, pairs)
		references += checkReferences(t, e.Output, before, after)
	}
	t.Logf("%d files, none lost; %d identifying values of %d patients occur nowhere; %d dates moved by their patient's one shift; %d references hold",
		want, values, patients, dates, references)
	if patients < 10 || values < 150 || dates < 1000 || references < 1000 {
		t.Error("too little was checked")
	}
	validate(t, in, out)
}

func writtenList(t *testing.T, path string) map[string]entry {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]entry{}
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Input != "" {
			list[e.Input] = e
		}
	}
	return list
}

// resourcesOf reads a resource, a Bundle or NDJSON.
func resourcesOf(t *testing.T, data []byte) []*fhir.Node {
	t.Helper()
	if n, err := fhir.DecodeResource(data, fhir.Limits{}); err == nil {
		return []*fhir.Node{n}
	}
	var list []*fhir.Node
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		n, err := fhir.DecodeResource(line, fhir.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func pairsOf(t *testing.T, before, after []byte) (pairs []pair) {
	t.Helper()
	a, b := resourcesOf(t, before), resourcesOf(t, after)
	var left, right []*fhir.Node
	for _, n := range a {
		left = append(left, fhir.Resources(n)...)
	}
	for _, n := range b {
		right = append(right, fhir.Resources(n)...)
	}
	if len(left) != len(right) || len(left) == 0 {
		t.Fatalf("%d resources became %d", len(left), len(right))
	}
	for i := range left {
		if left[i].ResourceType() != right[i].ResourceType() {
			t.Fatalf("a %s became a %s", left[i].ResourceType(), right[i].ResourceType())
		}
		pairs = append(pairs, pair{left[i], right[i]})
	}
	return pairs
}

// textsOf gives all strings of resources, attachments decoded, narratives without tags.
func textsOf(t *testing.T, data []byte) string {
	t.Helper()
	var b strings.Builder
	var visit func(n *fhir.Node)
	visit = func(n *fhir.Node) {
		if s, ok := n.Str(); ok {
			b.WriteString(s + "\n")
			return
		}
		if s, ok := n.Num(); ok {
			b.WriteString(s + "\n")
		}
		for _, m := range n.Members() {
			s, ok := m.Value.Str()
			switch {
			case ok && m.Key == "data":
				if d, err := base64.StdEncoding.DecodeString(s); err == nil {
					b.Write(d)
				}
			case ok && m.Key == "div":
				b.WriteString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, " ") + "\n")
			default:
				visit(m.Value)
			}
		}
		for _, i := range n.Items() {
			visit(i)
		}
	}
	for _, n := range resourcesOf(t, data) {
		visit(n)
	}
	return b.String()
}

// identifying lists the values of a Patient that tell who it is. Synthea gives states and countries in words that
// stand in names of hospitals, and they are no part of this.
func identifying(p *fhir.Node) map[string][]string {
	list := map[string][]string{}
	add := func(what, value string) {
		if utf8.RuneCountInString(value) >= 3 && !slices.Contains(list[what], value) {
			list[what] = append(list[what], value)
		}
	}
	for _, n := range p.Get("name").Items() {
		add("name", n.Text("family"))
		for _, g := range n.Get("given").Items() {
			s, _ := g.Str()
			add("name", s)
		}
	}
	for _, c := range p.Get("telecom").Items() {
		add("phone", c.Text("value"))
	}
	for _, i := range p.Get("identifier").Items() {
		add("identifier", i.Text("value"))
	}
	for _, a := range p.Get("address").Items() {
		for _, l := range a.Get("line").Items() {
			s, _ := l.Str()
			add("address", s)
		}
		add("address", a.Text("city"))
		add("address", a.Text("postalCode"))
		for _, x := range a.Get("extension").Items() {
			for _, y := range x.Get("extension").Items() {
				number, _ := y.Get("valueDecimal").Num()
				add("place on the map", number)
			}
		}
	}
	for _, x := range p.Get("extension").Items() {
		add("mother's name", x.Text("valueString"))
		add("birth place", x.Text("valueAddress", "city"))
	}
	add("id", p.Text("id"))
	add("birth date", p.Text("birthDate"))
	return list
}

// stands says whether the value stands in the text, between borders of words.
func stands(text, value string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
		at = end
	}
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// checkIntervals compares every date: of one patient all move by the same number of days, and keep precision, time of
// day and zone.
func checkIntervals(t *testing.T, where string, pairs []pair) (count int) {
	t.Helper()
	single := ""
	for _, p := range pairs {
		if p.in.ResourceType() == "Patient" {
			single = "Patient/" + p.in.Text("id")
		}
	}
	shift := map[string]int{}
	for _, p := range pairs {
		who := single
		if who == "" {
			who = p.in.Text("subject", "reference")
		}
		a, b := datesOf(p.in, fhir.FieldsOf(p.in.ResourceType())), datesOf(p.out, fhir.FieldsOf(p.in.ResourceType()))
		if len(a) != len(b) {
			t.Errorf("%s: %d dates of a %s became %d", where, len(a), p.in.ResourceType(), len(b))
			continue
		}
		slices.Sort(a)
		slices.Sort(b) // the same shift for all keeps their order
		for i := range a {
			if len(a[i]) < 10 {
				if len(a[i]) != len(b[i]) {
					t.Errorf("%s: a date changed its precision", where)
				}
				continue
			}
			from, err := time.Parse(time.DateOnly, a[i][:10])
			to, err2 := time.Parse(time.DateOnly, b[i][:min(10, len(b[i]))])
			if err != nil || err2 != nil || a[i][10:] != b[i][10:] {
				t.Errorf("%s: a date of a %s changed its form", where, p.in.ResourceType())
				continue
			}
			days := int(to.Sub(from).Hours() / 24)
			if known, ok := shift[who]; !ok {
				shift[who] = days
			} else if known != days {
				t.Errorf("%s: dates of one patient move by %d and by %d days", where, known, days)
			}
			if days == 0 {
				t.Errorf("%s: a date of a %s stayed", where, p.in.ResourceType())
			}
			count++
		}
	}
	return count
}

func datesOf(n *fhir.Node, fields *fhir.Fields) (list []string) {
	for _, m := range n.Members() {
		el := fields.Element(m.Key)
		if el == nil {
			continue
		}
		values := []*fhir.Node{m.Value}
		if m.Value.Kind() == fhir.Array {
			values = m.Value.Items()
		}
		for _, v := range values {
			switch {
			case v.ResourceType() != "":
				list = append(list, datesOf(v, fhir.FieldsOf(v.ResourceType()))...)
			case v.Kind() == fhir.Object && el.Fields != nil:
				list = append(list, datesOf(v, el.Fields)...)
			case el.Type == fhir.TypeDate, el.Type == fhir.TypeDateTime, el.Type == fhir.TypeInstant:
				s, _ := v.Str()
				list = append(list, s)
			}
		}
	}
	return list
}

// checkReferences compares what the references of a Bundle point to, by place: the entry that they pointed to before.
func checkReferences(t *testing.T, where string, before, after []byte) (count int) {
	t.Helper()
	a, b := resourcesOf(t, before), resourcesOf(t, after)
	for i := range a {
		left, right := targets(a[i]), targets(b[i])
		if !slices.Equal(left, right) {
			t.Errorf("%s: references point to other entries than before", where)
		}
		count += len(left)
	}
	return count
}

// targets gives for every urn:uuid reference the place of the entry that it points to, in order.
func targets(bundle *fhir.Node) (list []int) {
	entries := map[string]int{}
	for i, e := range bundle.Get("entry").Items() {
		entries[e.Text("fullUrl")] = i + 1
	}
	var visit func(n *fhir.Node)
	visit = func(n *fhir.Node) {
		if s, ok := n.Get("reference").Str(); ok && strings.HasPrefix(s, "urn:uuid:") {
			list = append(list, entries[s])
		}
		for _, m := range n.Members() {
			visit(m.Value)
		}
		for _, i := range n.Items() {
			visit(i)
		}
	}
	visit(bundle)
	return list
}

// validate lets the HAPI validator read both folders. Its errors are compared by place and message.
func validate(t *testing.T, in, out string) {
	t.Helper()
	if os.Getenv("FHIRDEID_HAPI") == "" {
		t.Log("SKIP validator: FHIRDEID_HAPI is not set")
		return
	}
	tool, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "tools", "fhirbench", "hapi", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tool); err != nil {
		t.Skip("SKIP validator: fhirbench is not there")
	}
	known, _ := validatorErrors(t, tool, in)
	found, summary := validatorErrors(t, tool, out)
	for e, n := range found {
		if n > known[e] {
			t.Errorf("the validator finds in the output: %s", e)
		}
	}
	t.Logf("validator: %d kinds of errors in the input; output: %s", len(known), summary)
}

var instanceNote = regexp.MustCompile(`/\*[^*]*\*/`)

func validatorErrors(t *testing.T, tool, dir string) (found map[string]int, summary string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), tool, "validate", dir).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("validator: %v", err)
	}
	found = map[string]int{}
	for line := range strings.Lines(string(output)) {
		summary = strings.TrimSpace(line)
		_, rest, ok := strings.Cut(summary, " ERROR ")
		if !ok {
			if _, rest, ok = strings.Cut(summary, " FATAL "); !ok {
				continue
			}
		}
		found[instanceNote.ReplaceAllString(rest, "")]++
	}
	if !strings.Contains(summary, " files, ") {
		t.Fatalf("validator: it did not finish")
	}
	return found, summary
}
