package deidentify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// pattern is a detector for the tests: everything that an expression matches is of one type.
type pattern struct {
	name  string
	typ   phi.Type
	expr  *regexp.Regexp
	score float64
}

func (p pattern) Name() string { return p.name }

func (p pattern) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	var spans []phi.Span
	for _, m := range p.expr.FindAllStringIndex(doc.Text, -1) {
		spans = append(spans, phi.Span{Start: m[0], End: m[1], Type: p.typ, Score: p.score, Source: p.name})
	}
	return spans, nil
}

// readers are enough for the tests: what they find does not matter here, only what becomes of it.
var readers = []pipeline.Detector{
	pattern{"rules.contact.email", phi.ContactEmail, regexp.MustCompile(`[\w.-]+@[\w.-]+\.\w+`), 1},
	pattern{"rules.date", phi.DateDate, regexp.MustCompile(`\b\d{1,2}\.\d{1,2}\.\d{4}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{2}/\d{2}/\d{4}\b`), 0.95},
	pattern{"ner.test", phi.NamePatient, regexp.MustCompile(`\bZacharias [A-Z]\w+`), 0.95},
}

var master = []byte("a master key for the tests only!")

var now = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// serviceOptions are those of the tests, which a test may change.
func serviceOptions(t testing.TB) deidentify.Options {
	t.Helper()
	policies := map[string]*fhir.Policy{}
	for _, name := range fhir.PolicyNames() {
		p, err := fhir.LoadPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		policies[name] = p
	}
	n := 0
	var mu sync.Mutex
	return deidentify.Options{
		Pipeline: &pipeline.Pipeline{Detectors: readers}, Policies: policies, Master: master, Context: "study",
		Clock: func() time.Time { return now },
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("request-%d", n)
		},
		Device: deidentify.DeviceInfo{Name: "fhirdeid", Version: "test", Packs: []string{"fhirdeid-de 0.1.0"}, Lists: "1"},
	}
}

func newService(t testing.TB, change func(*deidentify.Options)) *deidentify.Service {
	t.Helper()
	o := serviceOptions(t)
	if change != nil {
		change(&o)
	}
	s, err := deidentify.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t testing.TB, s string) *fhir.Node {
	t.Helper()
	n, err := fhir.DecodeResource([]byte(s), fhir.Limits{})
	if err != nil {
		t.Fatalf("test resource: %v", err)
	}
	return n
}

// request takes one resource and gives the answer in the same form.
func raw(n *fhir.Node) deidentify.Request {
	return deidentify.Request{Resource: n, Raw: true, IncludeProvenance: true, IncludeRisk: true, Trusted: true}
}

func run(t testing.TB, s *deidentify.Service, r deidentify.Request) *deidentify.Result {
	t.Helper()
	result, err := s.Deidentify(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func wantError(t *testing.T, s *deidentify.Service, r deidentify.Request, kind error) *deidentify.Error {
	t.Helper()
	result, err := s.Deidentify(t.Context(), r)
	if !errors.Is(err, kind) {
		t.Fatalf("err = %v, want %v", err, kind)
	}
	if result != nil {
		t.Error("there is an answer in spite of the error")
	}
	var e *deidentify.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *Error", err)
	}
	return e
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func fromB64(t testing.TB, s string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// data gives the folder of the shared test data, or skips.
func data(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("FHIRDEID_DATA")
	if dir == "" {
		up, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
				dir = filepath.Join(up, "..", "shared", "data")
				break
			}
			if filepath.Dir(up) == up {
				break
			}
			up = filepath.Dir(up)
		}
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIP %s: no test data (FHIRDEID_DATA)", name)
	}
	return path
}

func readGzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// strings of a tree, attachments decoded where they are text.
func everything(n *fhir.Node) string {
	var b bytes.Buffer
	b.Write(n.Encode())
	var visit func(*fhir.Node)
	visit = func(n *fhir.Node) {
		for _, m := range n.Members() {
			if s, ok := m.Value.Str(); ok && m.Key == "data" {
				if d, err := base64.StdEncoding.DecodeString(s); err == nil {
					b.WriteString("\n")
					b.Write(d)
				}
			}
			visit(m.Value)
		}
		for _, i := range n.Items() {
			visit(i)
		}
	}
	visit(n)
	return b.String()
}

func mustHold(t *testing.T, what, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, s)
		}
	}
}

func mustNotHold(t *testing.T, what, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(s, p) {
			t.Errorf("%s still holds %q:\n%s", what, p, s)
		}
	}
}
