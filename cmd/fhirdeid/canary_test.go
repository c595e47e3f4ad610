package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/testdata/canary"
)

// canaryBundles is how many Bundles the run takes; FHIRDEID_CANARIES asks for more.
func canaryBundles(t *testing.T) int {
	n := 40
	if s := os.Getenv("FHIRDEID_CANARIES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 1 {
			t.Fatal("FHIRDEID_CANARIES must be a number of Bundles")
		}
	}
	return n
}

// The words that make the trap fail. They hold no secret.
const (
	trapPanic = "Falle Absturz"
	trapError = "Falle Fehler"
	trapBlind = "Falle Blindheit"
	trapSlow  = "Falle Stillstand"
)

// trap is a detector that fails in the ways in which detectors fail, and quotes what it reads as careless code does.
type trap struct{}

func (trap) Name() string { return "ner.trap" }

func (trap) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	switch {
	case strings.Contains(doc.Text, trapPanic):
		panic(doc.Text)
	case strings.Contains(doc.Text, trapError):
		return nil, errors.New("cannot read " + doc.Text)
	case strings.Contains(doc.Text, trapBlind):
		return []phi.Span{{Start: 0, End: len(doc.Text), Type: phi.Protected, Score: 2, Source: "ner.trap"}}, nil
	case strings.Contains(doc.Text, trapSlow):
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, nil
}

// failure makes a request fail in one way: it changes a Bundle that is full of secrets.
type failure struct {
	name   string
	change func(r *canaryRequest)
	status int
}

type canaryRequest struct {
	bundle *fhir.Node
	body   []byte // of the bundle, unless change sets another
	path   string
	header map[string]string
	ctx    func(context.Context) (context.Context, context.CancelFunc)
}

// first gives the first resource of the Bundle.
func (r *canaryRequest) first() *fhir.Node { return r.bundle.Get("entry").Item(0).Get("resource") }

// note adds a resource with a text to the Bundle.
func (r *canaryRequest) add(resource *fhir.Node) {
	r.bundle.Get("entry").Append(fhir.NewObject("resource", resource))
}

func observation(note string) *fhir.Node {
	return fhir.NewResource("Observation", "note", fhir.NewArray(fhir.NewObject("text", fhir.NewString(note+" "+canary.Mark+"@"+canary.Mark+".example"))))
}

func document(contentType, data string, more ...any) *fhir.Node {
	attachment := fhir.NewObject(append([]any{"contentType", fhir.NewString(contentType), "data", fhir.NewString(data)}, more...)...)
	return fhir.NewResource("DocumentReference", "content", fhir.NewArray(fhir.NewObject("attachment", attachment)))
}

// written is a document whose format has places where readers see nothing.
func written(g *canary.Generator, i int) *fhir.Node {
	kinds := []struct{ media, text string }{
		{"text/html", `<html><head><title>%s</title><meta name="author" content="%s"></head><body><!-- %s --><p title="%s">%s</p><img alt="%s" src="http://x/%s"><script>"%s"</script></body></html>`},
		{"application/rtf", `{\rtf1\ansi{\info{\author %s}{\title %s}}{\*\comment %s}{\header %s}{\v %s}{\field{\*\fldinst HYPERLINK "mailto:%s"}{\fldrslt %s}}%s}`},
		{"application/xml", `<fall nr="%s"><!-- %s --><?x %s?><name>%s</name><a b="%s"/><c><![CDATA[%s]]></c>%s<d>%s</d></fall>`},
		{"application/json", `{"a":"%s","b":["%s",{"%s":"%s"}],"c":"%s","d":"%s","e":"%s","f":"%s"}`},
		{"text/plain; charset=utf-8", "%s, %s\n%s\t%s\n\n%s %s %s %s"},
	}
	k := kinds[i%len(kinds)]
	var secrets []any
	for range 8 {
		secrets = append(secrets, g.Address())
	}
	return document(k.media, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, k.text, secrets...)))
}

// failures lists every kind of failure that a request can meet.
func failures(g *canary.Generator) []failure {
	secret64 := base64.StdEncoding.EncodeToString([]byte("Herr " + g.Word()))
	edit := func(f func(b []byte) []byte) func(*canaryRequest) {
		return func(r *canaryRequest) { r.body = f(r.bundle.Encode()) }
	}
	return []failure{
		{"body cut off", edit(func(b []byte) []byte { return b[:len(b)*2/3] }), 400},
		{"key twice", edit(func(b []byte) []byte {
			return append([]byte(`{"`+g.Word()+`":1,"id":"`+g.Word()+`",`), b[1:]...)
		}), 400},
		{"not UTF-8", edit(func(b []byte) []byte { return bytes.Replace(b, []byte(canary.Mark), []byte(canary.Mark+"\xff"), 1) }), 400},
		{"text behind", edit(func(b []byte) []byte { return append(b, g.Word()...) }), 400},
		{"no resource", edit(func([]byte) []byte { return []byte(`{"` + g.Word() + `":"` + g.Word() + `"}`) }), 400},
		{"unknown type", edit(func([]byte) []byte { return []byte(`{"resourceType":"` + g.Word() + `"}`) }), 400},
		{"too deep", edit(func([]byte) []byte {
			return []byte(`{"` + g.Word() + `":` + strings.Repeat(`["`+g.Word()+`",`, 80) + "1" + strings.Repeat("]", 80) + "}")
		}), 413},
		{"too long", edit(func([]byte) []byte {
			return []byte(`{"resourceType":"Patient","id":"` + strings.Repeat(g.Word(), 100_000) + `"}`)
		}), 413},
		{"wrong type", func(r *canaryRequest) { r.first().Set("id", fhir.NewArray(fhir.NewString(g.Word()))) }, 400},
		{"wrong case", func(r *canaryRequest) {
			r.add(fhir.NewResource("Patient", "BirthDate", fhir.NewString(g.Word())))
		}, 400},
		{"no date", func(r *canaryRequest) {
			r.add(fhir.NewResource("Patient", "birthDate", fhir.NewString(g.Word())))
		}, 422},
		{"modifierExtension", func(r *canaryRequest) {
			r.add(fhir.NewResource("Patient", "modifierExtension", fhir.NewArray(fhir.NewObject("url", fhir.NewString("http://"+g.Word())))))
		}, 422},
		{"no base64", func(r *canaryRequest) { r.add(document("text/plain", g.Word()+"%")) }, 422},
		{"kind not read", func(r *canaryRequest) { r.add(document("image/"+g.Word(), secret64)) }, 422},
		{"malformed", func(r *canaryRequest) {
			r.add(document("application/xml", base64.StdEncoding.EncodeToString([]byte("<a><"+g.Word()+">"+g.Word()+"</a>"))))
		}, 422},
		{"malformed RTF", func(r *canaryRequest) {
			r.add(document("application/rtf", base64.StdEncoding.EncodeToString([]byte(`{\rtf1 {`+g.Word()+`\'zz`))))
		}, 422},
		{"malformed PDF", func(r *canaryRequest) {
			r.add(document("application/pdf", base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n1 0 obj\n<</"+g.Word()))))
		}, 422},
		{"wrong hash", func(r *canaryRequest) { r.add(document("text/plain", secret64, "hash", fhir.NewString(g.Word()))) }, 422},
		{"wrong size", func(r *canaryRequest) { r.add(document("text/plain", secret64, "size", fhir.NewNumber("3"))) }, 422},
		{"French", func(r *canaryRequest) {
			text := strings.Repeat("Le patient "+g.Word()+" est venu dans le service avec une douleur et les examens sont normaux pour cette nuit. ", 5)
			r.add(document("text/plain", base64.StdEncoding.EncodeToString([]byte(text))))
		}, 422},
		{"leak", func(r *canaryRequest) {
			name := "Xaver" + g.Word()
			r.add(fhir.NewResource("Patient", "id", fhir.NewString("p"), "name", fhir.NewArray(fhir.NewObject("family", fhir.NewString(name)))))
			r.add(fhir.NewResource("Observation", "subject", fhir.NewObject("reference", fhir.NewString("Patient/p")),
				"note", fhir.NewArray(fhir.NewObject("text", fhir.NewString(trapBlind+": Frau "+name+" kam heute mit Schmerzen in die Klinik und wurde untersucht.")))))
		}, 422},
		{"detector fails", func(r *canaryRequest) { r.add(observation(trapError)) }, 503},
		{"detector panics", func(r *canaryRequest) { r.add(observation(trapPanic)) }, 503},
		{"time runs out", func(r *canaryRequest) {
			r.add(observation(trapSlow))
			r.ctx = func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 50*time.Millisecond)
			}
		}, 503},
		{"client hangs up", func(r *canaryRequest) {
			r.ctx = func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return ctx, cancel
			}
		}, 503},
		{"parameter unknown", func(r *canaryRequest) { r.path = "$deidentify?" + g.Word() + "=" + g.Word() }, 400},
		{"parameter not allowed", func(r *canaryRequest) { r.path = "$deidentify?context=" + g.Word() }, 403},
		{"policy unknown", func(r *canaryRequest) { r.path = "$deidentify?policy=" + g.Word() }, 403},
		{"route unknown", func(r *canaryRequest) { r.path = g.Word() + "/$" + g.Word() }, 404},
		{"type not the route's", func(r *canaryRequest) { r.path = "Binary/$deidentify" }, 400},
		{"nothing to pull from", func(r *canaryRequest) {
			r.path, r.body = "Patient/"+canary.Mark+"/$deidentify", []byte(`{"resourceType":"Parameters"}`)
		}, 400},
		{"media type", func(r *canaryRequest) { r.header = map[string]string{"Content-Type": "text/" + g.Word()} }, 415},
		{"encoding", func(r *canaryRequest) { r.header = map[string]string{"Content-Encoding": "gzip"} }, 400},
		{"answer not accepted", func(r *canaryRequest) { r.header = map[string]string{"Accept": "text/" + g.Word()} }, 406},
	}
}

// recorder hands to the store what it is given and keeps a copy as it is before the database encrypts it.
type recorder struct {
	store interface {
		deidentify.Store
		deidentify.Auditor
	}
	seen bytes.Buffer
}

func (r *recorder) Commit(ctx context.Context, record deidentify.Record) error {
	fmt.Fprintf(&r.seen, "%+v\n", record)
	for _, x := range record.Results {
		r.seen.Write(x.JSON)
	}
	for _, x := range record.Profile {
		r.seen.Write(x.Vectors)
	}
	return r.store.Commit(ctx, record)
}

func (r *recorder) Audit(ctx context.Context, e deidentify.Event) error {
	fmt.Fprintf(&r.seen, "%+v\n", e)
	return r.store.Audit(ctx, e)
}

// TestCanaries sends Bundles in which every string-like element of every resource type holds a secret: each once as it
// is, once so that it fails in one of the ways in which requests fail. No secret may come out, be logged, counted or
// stored. FHIRDEID_CANARIES=2000 is the full run.
func TestCanaries(t *testing.T) {
	h := newHarness(t, map[string]any{"limits.concurrent": 1}, trap{})
	kept := &recorder{store: h.rt.db}
	h.rt.service = serviceWith(t, h, kept)
	server, err := h.app.server(t.Context(), h.cfg, h.rt, "http://127.0.0.1/fhir", logger(h.cfg.Log, h.logs))
	if err != nil {
		t.Fatal(err)
	}
	h.server, h.handler = server, server.Handler()

	n, secrets := canaryBundles(t), 0
	types := slices.DeleteFunc(fhir.ResourceTypes(), func(s string) bool { return s == "Parameters" || s == "Bundle" })
	allowed, outcomes := map[string]int{}, map[string]int{}
	for i := range n {
		g := &canary.Generator{Valid: i%3 != 0}
		chosen := []string{types[(4*i)%len(types)], types[(4*i+1)%len(types)], types[(4*i+2)%len(types)], types[(4*i+3)%len(types)]}
		bundle := g.Bundle(2, chosen...)
		bundle.Get("entry").Append(fhir.NewObject("resource", written(g, i)))
		if got := strings.Count(string(bundle.Encode()), canary.Mark); got < 20 {
			t.Fatalf("Bundle %d holds only %d secrets", i, got)
		}
		w := h.do(t.Context(), http.MethodPost, "$deidentify", nil, bundle.Encode())
		outcomes[fmt.Sprintf("%d: as it is", w.Code)]++
		if w.Code != http.StatusOK {
			t.Errorf("Bundle %d of %v: %d %.300s", i, chosen, w.Code, w.Body)
		}
		unmarked(t, fmt.Sprintf("the answer to Bundle %d", i), w.Body.Bytes())
		for path, count := range g.Coded {
			allowed[path] += count
		}
		answer, err := fhir.DecodeResource(w.Body.Bytes(), fhir.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		inBinding(t, answer)

		all := failures(g)
		f := all[i%len(all)]
		r := &canaryRequest{bundle: bundle.Clone(), path: "$deidentify", ctx: context.WithCancel}
		f.change(r)
		if r.body == nil {
			r.body = r.bundle.Encode()
		}
		ctx, cancel := r.ctx(t.Context())
		w = h.do(ctx, http.MethodPost, r.path, r.header, r.body)
		cancel()
		outcomes[fmt.Sprintf("%d: %s", w.Code, f.name)]++
		if w.Code != f.status {
			t.Errorf("%s: %d, want %d: %.300s", f.name, w.Code, f.status, w.Body)
		}
		unmarked(t, f.name, w.Body.Bytes())
		for k, v := range w.Header() {
			unmarked(t, f.name+", headers", []byte(k+strings.Join(v, "")))
		}
		secrets += g.Secrets
	}

	// What is stored can be read and searched; then the store fails.
	for _, path := range []string{"Observation", "Provenance", "Observation?subject=Patient/" + canary.Mark, "Provenance/" + canary.Mark, "metadata"} {
		w := h.do(t.Context(), http.MethodGet, path, nil, nil)
		unmarked(t, "GET of results", bytes.ReplaceAll(w.Body.Bytes(), []byte("subject=Patient%2F"+canary.Mark), nil))
	}
	database := files(t, h.dir)
	_ = h.rt.db.Close()
	g := &canary.Generator{}
	w := h.do(t.Context(), http.MethodPost, "$deidentify", nil, g.Bundle(2, "Patient").Encode())
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("with the store closed: %d", w.Code)
	}
	outcomes["503: store closed"]++
	unmarked(t, "the answer without a store", w.Body.Bytes())

	unmarked(t, "log", []byte(h.logs.String()))
	unmarked(t, "metrics", []byte(h.metrics()))
	unmarked(t, "what the store is given", kept.seen.Bytes())
	if kept.seen.Len() == 0 || len(database) < 2 || !strings.Contains(h.logs.String(), "$deidentify") || !strings.Contains(h.metrics(), "fhirdeid_") {
		t.Error("a place was searched that nothing was written to")
	}
	for name, data := range database {
		unmarked(t, "database", append([]byte(name), data...))
	}
	for name, data := range files(t, h.temp) {
		unmarked(t, "temp folder", append([]byte(name), data...))
	}
	t.Logf("%d Bundles, each as it is and failing, with %d secrets: none in answers, headers, log, metrics, database, what the store was given, temp folder", n, secrets)
	t.Logf("answers: %v", outcomes)
	t.Logf("allow-list, elements that held a code of their binding in place of a secret; what stands there in the answers was checked against the binding: %v",
		slices.Sorted(maps.Keys(allowed)))
	if n >= len(failures(g)) && len(outcomes) < len(failures(g)) {
		t.Errorf("only %d kinds of answers", len(outcomes))
	}
}

// serviceWith makes the program's service once more, with a store that can be looked into.
func serviceWith(t *testing.T, h *harness, r *recorder) *deidentify.Service {
	t.Helper()
	policies, err := h.app.policies(h.cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, err := deidentify.New(deidentify.Options{
		Pipeline: h.rt.pipeline.Pipeline, Policies: policies, DefaultPolicy: h.cfg.Policy.Default, Master: h.rt.master, Context: h.cfg.Context,
		Clients: grants(h.cfg), Store: r, Auditor: r, Profiles: h.rt.db, Device: deidentify.DeviceInfo{Name: "fhirdeid", Version: version},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// unmarked fails where the mark stands in data, as it is, in other case, escaped or in base64.
func unmarked(t *testing.T, where string, data []byte) {
	t.Helper()
	lower := bytes.ToLower(data)
	for _, form := range markForms {
		if at := bytes.Index(lower, form); at >= 0 {
			t.Errorf("%s: a secret: …%s…", where, data[max(0, at-150):min(len(data), at+60)])
			return
		}
	}
	for len(data) > 0 { // attachments
		_, rest, found := bytes.Cut(data, []byte(`"data":"`))
		if !found {
			return
		}
		text, rest, _ := bytes.Cut(rest, []byte(`"`))
		decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		if k, err := base64.StdEncoding.Decode(decoded, text); err == nil && bytes.Contains(bytes.ToLower(decoded[:k]), []byte(canary.Mark)) {
			t.Errorf("%s: a secret in base64", where)
			return
		}
		data = rest
	}
}

// markForms are the mark and what base64 makes of its middle at each of the three places where it may begin.
var markForms = func() [][]byte {
	forms := [][]byte{[]byte(canary.Mark)}
	for shift := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("_", shift) + canary.Mark))
		forms = append(forms, bytes.ToLower([]byte(text[4:len(text)-2])))
	}
	return forms
}()

// inBinding checks every code of the answer whose element has a required binding.
func inBinding(t *testing.T, n *fhir.Node) {
	t.Helper()
	for _, r := range fhir.Resources(n) {
		codes(t, r, fhir.FieldsOf(r.ResourceType()))
	}
}

func codes(t *testing.T, n *fhir.Node, fields *fhir.Fields) {
	t.Helper()
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
			case v.Kind() == fhir.Object && v.ResourceType() != "":
				codes(t, v, fhir.FieldsOf(v.ResourceType()))
			case v.Kind() == fhir.Object && el.Fields != nil:
				codes(t, v, el.Fields)
			case el.Type == fhir.TypeCode && len(el.Codes.Codes()) > 0:
				if s, _ := v.Str(); !slices.Contains(el.Codes.Codes(), s) {
					t.Errorf("%s holds a code outside of its binding", el.Path)
				}
			}
		}
	}
}

// TestCanariesOnTheCommandLine takes Bundles and texts full of secrets through deidentify: standard output, messages,
// output folder, state and temp folder hold none.
func TestCanariesOnTheCommandLine(t *testing.T) {
	in, out, state, temp := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	g := &canary.Generator{Valid: true}
	broken := g.Bundle(2, "Patient").Encode()
	for name, data := range map[string][]byte{
		"patient.json":                 g.Bundle(2, "Patient", "Observation", "Encounter").Encode(),
		"lines.ndjson":                 append(append(g.Resource("Patient", 2).Encode(), '\n'), append(broken[:len(broken)/2], '\n')...),
		"broken.json":                  broken[:len(broken)/2],
		"note.txt":                     []byte("Bitte an " + g.Address() + " schreiben."),
		"broken.rtf":                   []byte(`{\rtf1 {` + g.Word()),
		"broken.pdf":                   []byte("%PDF-1.7\n" + g.Word()),
		"picture-" + g.Word() + ".png": []byte(g.Word()),
	} {
		if err := os.WriteFile(filepath.Join(in, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"deidentify", "--models", "none", "--out", out, in}, strings.NewReader(""), &stdout, &stderr, []string{"FHIRDEID_DATA_DIR=" + state})
	if code != exitItemsFailed {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	unmarked(t, "standard output", stdout.Bytes())
	unmarked(t, "messages", stderr.Bytes())
	for where, dir := range map[string]string{"output": out, "state": state, "temp folder": temp} {
		for name, data := range files(t, dir) {
			unmarked(t, where, append([]byte(name), data...))
		}
	}
	if got := len(files(t, out)); got != 6 {
		t.Errorf("%d files of output, want 3 and 3 with results", got)
	}
}
