package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
)

// operation is a use case that does as the test says.
type operation struct {
	mu    sync.Mutex
	asked []deidentify.Request
	do    func(ctx context.Context, r deidentify.Request) (*deidentify.Result, error)
}

func (o *operation) Deidentify(ctx context.Context, r deidentify.Request) (*deidentify.Result, error) {
	o.mu.Lock()
	o.asked = append(o.asked, r)
	do := o.do
	o.mu.Unlock()
	if do == nil {
		return answer("ok"), nil
	}
	return do(ctx, r)
}

func (o *operation) requests() []deidentify.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.asked)
}

func answer(id string) *deidentify.Result {
	return &deidentify.Result{Resource: fhir.NewResource("Bundle", "id", fhir.NewString(id))}
}

// trail is an auditor that remembers.
type trail struct {
	mu     sync.Mutex
	events []deidentify.Event
	err    error
}

func (a *trail) Audit(_ context.Context, e deidentify.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, e)
	return a.err
}

func (a *trail) actions() (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.events {
		list = append(list, e.Client+" "+e.Action+" "+e.Outcome)
	}
	return list
}

// shelf holds ten Observations.
type shelf struct{}

func (shelf) Read(_ context.Context, typ, id string) ([]byte, error) {
	switch id {
	case "gone":
		return nil, deidentify.ErrNotFound
	case "down":
		return nil, deidentify.ErrStore
	}
	return fmt.Appendf(nil, `{"resourceType":%q,"id":%q}`, typ, id), nil
}

func (shelf) Search(_ context.Context, q server.Query) (server.Page, error) {
	p := server.Page{Total: 10}
	for n := q.After + 1; n <= 10 && len(p.Resources) < q.Count; n++ {
		p.Resources = append(p.Resources, fmt.Appendf(nil, `{"resourceType":%q,"id":"n%d"}`, q.Type, n))
		p.Next = n
	}
	if p.Next == 10 {
		p.Next = 0
	}
	return p, nil
}

// testServer is a server on a real connection.
type testServer struct {
	*httptest.Server
	op    *operation
	trail *trail
	log   *lines
	o     server.Options
}

// lines is a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }

func (l *lines) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

func newServer(t *testing.T, change func(*server.Options)) *testServer {
	t.Helper()
	s := &testServer{op: &operation{}, trail: &trail{}, log: &lines{}}
	s.o = server.Options{
		Operation: s.op, Results: shelf{}, Auditor: s.trail, Base: "https://deid.klinik.example/fhir",
		Limits:  server.Limits{Body: 1 << 20, Depth: 64, Concurrent: 4, Queue: 4, Timeout: time.Minute, BodyTime: time.Minute},
		Log:     slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: server.NewMetrics("test"),
		Pulling: func(ctx context.Context, _ server.Principal) context.Context { return ctx },
		Capability: func() *fhir.Node {
			return fhir.NewResource("CapabilityStatement", "status", fhir.NewString("active"))
		},
		Definitions: map[string]*fhir.Node{"deidentify": fhir.NewResource("OperationDefinition", "id", fhir.NewString("deidentify"))},
	}
	if change != nil {
		change(&s.o)
	}
	s.Server = httptest.NewServer(server.New(s.o).Handler())
	t.Cleanup(s.Close)
	return s
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) code(t *testing.T) string {
	t.Helper()
	var o struct {
		ResourceType string `json:"resourceType"`
		Issue        []struct{ Code, Severity string }
	}
	if err := json.Unmarshal([]byte(r.body), &o); err != nil || o.ResourceType != "OperationOutcome" || len(o.Issue) == 0 {
		t.Fatalf("no OperationOutcome: %d %q", r.status, r.body)
	}
	return o.Issue[0].Code
}

func (s *testServer) call(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, r)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			req.Header.Del(header[i])
		}
	}
	return s.send(t, req)
}

func (s *testServer) send(t *testing.T, req *http.Request) reply {
	t.Helper()
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

const patient = `{"resourceType":"Patient","id":"p1"}`

func TestRoutes(t *testing.T) {
	s := newServer(t, nil)
	doc := `{"resourceType":"DocumentReference","id":"d"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/fhir/$deidentify", patient, 200, ""},
		{"POST", "/fhir/%24deidentify", patient, 200, ""},
		{"POST", "/fhir/$de-identify", patient, 200, ""},
		{"POST", "/fhir/DocumentReference/$deidentify", doc, 200, ""},
		{"POST", "/fhir/DocumentReference/%24deidentify", doc, 200, ""},
		{"POST", "/fhir/DocumentReference/$deidentify", patient, 400, "invalid"},
		{"POST", "/fhir/DocumentReference/$deidentify", `{"resourceType":"Binary","id":"b"}`, 400, "invalid"},
		{"POST", "/fhir/Binary/$deidentify", `{"resourceType":"Binary","id":"b"}`, 200, ""},
		{"POST", "/fhir/Binary/$deidentify", doc, 400, "invalid"},
		{"POST", "/fhir/Bundle/$deidentify", `{"resourceType":"Parameters","parameter":[{"name":"inputBundle","resource":{"resourceType":"Bundle","type":"collection"}}]}`, 200, ""},
		{"POST", "/fhir/DocumentReference/d/$deidentify", "", 200, ""},
		{"POST", "/fhir/DocumentReference/d/%24deidentify", "", 200, ""},
		{"POST", "/fhir/Binary/b/$deidentify", "", 200, ""},
		{"POST", "/fhir/Patient/p/$deidentify", "", 200, ""},
		{"POST", "/fhir/Patient/p/$deidentify", `{"resourceType":"Parameters","parameter":[{"name":"onUnsupported","valueCode":"remove"}]}`, 200, ""},
		{"POST", "/fhir/Patient/p/$deidentify", patient, 400, "invalid"},
		{"POST", "/fhir/Patient/a%20b/$deidentify", "", 404, "not-found"},
		{"POST", "/fhir/$deidentify?policy=all&onUnsupported=remove&_format=json", patient, 200, ""},
		{"POST", "/fhir/$deidentify?includeRisk=maybe", patient, 400, "invalid"},
		{"POST", "/fhir/$deidentify?method=keep", patient, 400, "invalid"},
		{"POST", "/fhir/$deidentify?nonsense=1", patient, 400, "not-supported"},
		{"POST", "/fhir/$deidentify?policy=a&policy=b", patient, 400, "invalid"},
		{"POST", "/fhir/$deidentify", "", 400, "required"},
		{"POST", "/fhir/$deidentify", "   ", 400, "required"},
		{"POST", "/fhir/$deidentify", `{"resourceType":"Patient","id":"a","id":"b"}`, 400, ""},
		{"GET", "/fhir/$deidentify", "", 405, "not-supported"},
		{"PUT", "/fhir/Observation/1", patient, 405, "not-supported"},
		{"GET", "/fhir/nowhere", "", 404, "not-found"},
		{"GET", "/", "", 404, "not-found"},
		{"GET", "/fhir/metadata", "", 200, ""},
		{"GET", "/fhir/OperationDefinition/deidentify", "", 200, ""},
		{"GET", "/fhir/OperationDefinition", "", 200, ""},
		{"GET", "/fhir/OperationDefinition/x", "", 404, "not-found"},
		{"GET", "/fhir/.well-known/smart-configuration", "", 404, "not-found"},
		{"GET", "/fhir/Observation/o1", "", 200, ""},
		{"GET", "/fhir/Observation/gone", "", 404, "not-found"},
		{"GET", "/fhir/Observation/down", "", 503, "no-store"},
		{"GET", "/fhir/Observation/a$b", "", 404, "not-found"},
		{"GET", "/fhir/Provenance?target=DocumentReference/d", "", 200, ""},
		{"GET", "/fhir/Provenance?patient=1", "", 400, "invalid"},
		{"GET", "/fhir/Observation?_count=x", "", 400, "invalid"},
		{"GET", "/fhir/Observation?subject=1&subject=2", "", 400, "invalid"},
		{"GET", "/fhir/Device/d", "", 200, ""},
		{"GET", "/healthz", "", 200, ""},
		{"GET", "/readyz", "", 200, ""},
	} {
		r := s.call(t, c.method, c.path, c.body)
		if r.status != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, r.status, r.body, c.status)
		} else if c.code != "" && r.code(t) != c.code {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, r.code(t), c.code)
		}
		if r.header.Get("X-Request-Id") == "" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: headers %v", c.method, c.path, r.header)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		name, header, value string
		status              int
	}{
		{"FHIR JSON", "Content-Type", "application/fhir+json; charset=UTF-8", 200},
		{"R4 by parameter", "Content-Type", "application/fhir+json; fhirVersion=4.0", 200},
		{"FHIR XML", "Content-Type", "application/fhir+xml", 415},
		{"STU3", "Content-Type", "application/fhir+json; fhirVersion=3.0", 415},
		{"R5", "Content-Type", "application/fhir+json; fhirVersion=5.0", 415},
		{"other charset", "Content-Type", "application/fhir+json; charset=iso-8859-1", 415},
		{"form", "Content-Type", "application/x-www-form-urlencoded", 415},
		{"none", "Content-Type", "", 415},
		{"packed otherwise", "Content-Encoding", "br", 415},
		{"not packed at all", "Content-Encoding", "gzip", 400},
		{"anything", "Accept", "*/*", 200},
		{"as Medplum asks", "Accept", "application/fhir+json, */*; q=0.1", 200},
		{"XML only", "Accept", "application/fhir+xml", 406},
		{"not JSON", "Accept", "application/json;q=0", 406},
		{"R5 only", "Accept", "application/fhir+json; fhirVersion=5.0", 406},
	} {
		if r := s.call(t, "POST", "/fhir/$deidentify", patient, c.header, c.value); r.status != c.status {
			t.Errorf("%s: %d, want %d: %s", c.name, r.status, c.status, r.body)
		}
	}
	if r := s.call(t, "GET", "/fhir/metadata?_format=xml", ""); r.status != 406 {
		t.Errorf("_format=xml: %d", r.status)
	}
}

func TestGzip(t *testing.T) {
	s := newServer(t, nil)
	s.op.do = func(context.Context, deidentify.Request) (*deidentify.Result, error) {
		return answer(strings.Repeat("a", 5000)), nil
	}
	r := s.call(t, "POST", "/fhir/$deidentify", string(packed(t, patient)), "Content-Encoding", "gzip", "Accept-Encoding", "gzip")
	if r.status != 200 || r.header.Get("Content-Encoding") != "gzip" || len(r.body) > 1000 {
		t.Fatalf("%d, %d bytes, %v", r.status, len(r.body), r.header)
	}
	z, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || !strings.Contains(string(b), strings.Repeat("a", 5000)) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if got := s.op.requests()[0].Resource.Text("id"); got != "p1" {
		t.Errorf("read %q", got)
	}
	for _, accept := range []string{"identity", "gzip;q=0"} {
		if r := s.call(t, "POST", "/fhir/$deidentify", patient, "Accept-Encoding", accept); r.header.Get("Content-Encoding") != "" {
			t.Errorf("packed for %s", accept)
		}
	}
	bomb := packed(t, `{"resourceType":"Patient","id":"`+strings.Repeat("a", 8<<20)+`"}`)
	if r := s.call(t, "POST", "/fhir/$deidentify", string(bomb), "Content-Encoding", "gzip"); r.status != 413 || r.code(t) != "too-long" {
		t.Errorf("a bomb of %d bytes: %d", len(bomb), r.status)
	}
}

func packed(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestErrors sends every kind of failure through the table.
func TestErrors(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{deidentify.ErrInvalid, 400, "invalid"},
		{deidentify.ErrStructure, 400, "structure"},
		{deidentify.ErrRequired, 400, "required"},
		{deidentify.ErrForbidden, 403, "forbidden"},
		{deidentify.ErrNotFound, 404, "not-found"},
		{deidentify.ErrTooLarge, 413, "too-long"},
		{deidentify.ErrUndecodable, 422, "processing"},
		{deidentify.ErrUnsupported, 422, "not-supported"},
		{deidentify.ErrMismatch, 422, "value"},
		{deidentify.ErrModifier, 422, "extension"},
		{deidentify.ErrLanguage, 422, "not-supported"},
		{deidentify.ErrDate, 422, "value"},
		{deidentify.ErrLeak, 422, "processing"},
		{deidentify.ErrDetect, 503, "exception"},
		{deidentify.ErrUpstream, 502, "transient"},
		{deidentify.ErrTimeout, 504, "timeout"},
		{deidentify.ErrStore, 503, "no-store"},
		{context.DeadlineExceeded, 503, "timeout"},
		{errors.New("Frau Muster"), 500, "exception"},
	} {
		s.op.do = func(context.Context, deidentify.Request) (*deidentify.Result, error) {
			return nil, fmt.Errorf("wrapped: %w", c.err)
		}
		r := s.call(t, "POST", "/fhir/$deidentify", patient)
		if r.status != c.status || r.code(t) != c.code {
			t.Errorf("%v: %d %s, want %d %s", c.err, r.status, r.code(t), c.status, c.code)
		}
		if strings.Contains(r.body, "Muster") || strings.Contains(r.body, "wrapped") {
			t.Errorf("%v: the answer quotes the error: %s", c.err, r.body)
		}
		if (r.status == 503 || r.status == 429) && r.header.Get("Retry-After") == "" {
			t.Errorf("%v: no Retry-After", c.err)
		}
	}
	s.op.do = func(context.Context, deidentify.Request) (*deidentify.Result, error) {
		return nil, &deidentify.Error{Kind: deidentify.ErrUndecodable, Code: "processing", Expression: "Bundle.entry[0]", Diagnostics: "cannot be read"}
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", patient); !strings.Contains(r.body, `"expression":["Bundle.entry[0]"]`) {
		t.Errorf("no expression: %s", r.body)
	}
}

func TestPanicSaysNothing(t *testing.T) {
	s := newServer(t, nil)
	s.op.do = func(context.Context, deidentify.Request) (*deidentify.Result, error) { panic("Frau Muster") }
	r := s.call(t, "POST", "/fhir/$deidentify", patient)
	if r.status != 500 || r.code(t) != "exception" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if log := s.log.String(); strings.Contains(log, "Muster") || !strings.Contains(log, `"msg":"panic"`) || !strings.Contains(log, "TestPanicSaysNothing") {
		t.Errorf("log: %s", log)
	}
}

func TestTimeLimit(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Limits.Timeout = 20 * time.Millisecond })
	s.op.do = func(ctx context.Context, _ deidentify.Request) (*deidentify.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", patient); r.status != 503 || r.code(t) != "timeout" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestNothingOfARequestIsLogged sends a secret in every place that a client has, and reads log and metrics.
func TestNothingOfARequestIsLogged(t *testing.T) {
	s := newServer(t, nil)
	const secret = "Zwetschgenbaum-4711"
	s.call(t, "POST", "/fhir/$deidentify?"+secret+"="+secret, `{"resourceType":"Patient","id":"`+secret+`"}`)
	s.call(t, "POST", "/fhir/$deidentify", `{"resourceType":"Patient","`+secret+`":1}`)
	s.call(t, "POST", "/fhir/$deidentify", secret)
	s.call(t, "POST", "/fhir/Patient/"+secret+"/$deidentify", "", "User-Agent", secret, "Referer", secret, "X-Request-Id", secret, "Cookie", secret+"="+secret)
	s.call(t, "GET", "/fhir/"+secret, "")
	s.call(t, "GET", "/fhir/Observation/"+secret, "", "Authorization", "Bearer "+secret)
	s.call(t, "GET", "/fhir/Observation?subject="+secret, "")
	s.call(t, "ZWETSCHGENBAUM-4711", "/fhir/metadata", "")
	if n := len(s.op.requests()); n != 2 {
		t.Fatalf("%d requests got through, so the secret was not everywhere", n)
	}
	log := s.log.String()
	if strings.Count(log, `"msg":"request"`) != 8 {
		t.Errorf("log: %s", log)
	}
	metrics := s.metrics()
	if !strings.Contains(metrics, `route="/fhir/Patient/:id/$deidentify"`) {
		t.Errorf("metrics lack the route: %s", metrics)
	}
	for name, text := range map[string]string{"log": log, "metrics": metrics} {
		if strings.Contains(strings.ToLower(text), "zwetschgenbaum") {
			t.Errorf("the %s holds the secret", name)
		}
	}
	for _, want := range []string{`"route":"/fhir/Patient/:id/$deidentify"`, `"route":"none"`, `"method":"other"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
}

func TestMetrics(t *testing.T) {
	s := newServer(t, nil)
	s.call(t, "POST", "/fhir/$deidentify", patient)
	s.call(t, "POST", "/fhir/$deidentify", "x")
	page := s.metrics()
	for _, want := range []string{
		`fhirdeid_documents_total{outcome="success"} 1`, `fhirdeid_documents_total{outcome="structure"} 1`,
		`fhirdeid_http_requests_total{code="200",method="POST",route="/fhir/$deidentify"} 1`, `fhirdeid_build_info{`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}

func (s *testServer) metrics() string {
	w := httptest.NewRecorder()
	server.New(s.o).AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestHealth(t *testing.T) {
	var ready error
	s := newServer(t, func(o *server.Options) { o.Ready = func(context.Context) error { return ready } })
	if r := s.call(t, "GET", "/readyz", ""); r.status != 200 {
		t.Errorf("ready: %d", r.status)
	}
	ready = fmt.Errorf("%w: at 10.0.0.1", deidentify.ErrStore)
	if r := s.call(t, "GET", "/readyz", ""); r.status != 503 || strings.Contains(r.body, "10.0") {
		t.Errorf("not ready: %d %s", r.status, r.body)
	}
	if r := s.call(t, "GET", "/healthz", ""); r.status != 200 {
		t.Errorf("alive: %d", r.status)
	}
	if log := s.log.String(); strings.Contains(log, "10.0") || !strings.Contains(log, "store failed") {
		t.Errorf("log: %s", log)
	}
}

func TestPagesOfResults(t *testing.T) {
	s := newServer(t, nil)
	var ids []string
	next := "/fhir/Observation?_count=4&subject=p1"
	for pages := 0; next != "" && pages < 5; pages++ {
		r := s.call(t, "GET", next, "")
		var b struct {
			Total int
			Link  []struct{ Relation, URL string }
			Entry []struct {
				FullURL  string
				Resource struct{ ID string }
			}
		}
		if err := json.Unmarshal([]byte(r.body), &b); err != nil || r.status != 200 || b.Total != 10 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		for _, e := range b.Entry {
			ids = append(ids, e.Resource.ID)
			if e.FullURL != "https://deid.klinik.example/fhir/Observation/"+e.Resource.ID {
				t.Errorf("fullUrl %s", e.FullURL)
			}
		}
		next = ""
		for _, l := range b.Link {
			if l.Relation == "next" {
				if !strings.Contains(l.URL, "subject=Patient%2Fp1") {
					t.Errorf("the next page forgets the search: %s", l.URL)
				}
				next = strings.TrimPrefix(l.URL, "https://deid.klinik.example")
			}
		}
	}
	if len(ids) != 10 || ids[9] != "n10" {
		t.Errorf("found %q", ids)
	}
	if got := s.trail.actions(); len(got) != 3 || got[0] != " search success" {
		t.Errorf("trail %q", got)
	}
	s.trail.err = errors.New("down")
	if r := s.call(t, "GET", "/fhir/Observation/o1", ""); r.status != 503 {
		t.Errorf("what cannot be noted was answered: %d", r.status)
	}
}

func TestNoUpstream(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Pulling = nil })
	if r := s.call(t, "POST", "/fhir/Patient/p/$deidentify", ""); r.status != 400 || r.code(t) != "not-supported" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", patient); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// book is a fake of idempotency keys.
type book struct {
	mu   sync.Mutex
	kept map[string]string
	at   time.Time
}

func (b *book) Claim(_ context.Context, client, key string, request []byte, now time.Time) (server.Claim, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.kept[client+"/"+key]
	switch {
	case ok && known != string(request):
		return server.Claim{}, fmt.Errorf("x: %w", server.ErrKeyReused)
	case ok:
		return server.Claim{ID: "id-of-" + key, Time: b.at, Repeat: true}, nil
	}
	b.kept[client+"/"+key], b.at = string(request), now
	return server.Claim{ID: "id-of-" + key, Time: now}, nil
}

func (b *book) Release(_ context.Context, client, key string, _ server.Claim) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.kept, client+"/"+key)
	return nil
}

func TestIdempotencyKeys(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Claims = &book{kept: map[string]string{}} })
	first := s.call(t, "POST", "/fhir/$deidentify", patient, "Idempotency-Key", "k1")
	again := s.call(t, "POST", "/fhir/$deidentify", patient, "Idempotency-Key", "k1")
	if first.status != 200 || again.status != 200 || first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%d %v, %d %v", first.status, first.header, again.status, again.header)
	}
	got := s.op.requests()
	if got[0].ID != "id-of-k1" || got[1].ID != got[0].ID || got[0].Time.IsZero() || !got[1].Time.Equal(got[0].Time) {
		t.Errorf("ids %q %q, times %v %v", got[0].ID, got[1].ID, got[0].Time, got[1].Time)
	}
	for _, other := range []string{"/fhir/$de-identify", "/fhir/$deidentify?policy=all"} {
		if r := s.call(t, "POST", other, patient, "Idempotency-Key", "k1"); r.status != 422 || r.code(t) != "conflict" {
			t.Errorf("%s: %d", other, r.status)
		}
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", patient, "Idempotency-Key", strings.Repeat("k", 256)); r.status != 400 {
		t.Errorf("a long key: %d", r.status)
	}
	s.op.do = func(context.Context, deidentify.Request) (*deidentify.Result, error) {
		return nil, deidentify.ErrUpstream
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", patient, "Idempotency-Key", "k2"); r.status != 502 {
		t.Errorf("%d", r.status)
	}
	s.op.do = nil
	if r := s.call(t, "POST", "/fhir/$deidentify", `{"resourceType":"Patient"}`, "Idempotency-Key", "k2"); r.status != 200 || r.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("a key whose request failed: %d %v", r.status, r.header)
	}
	s.call(t, "POST", "/fhir/$deidentify", patient)
	if list := s.op.requests(); list[len(list)-1].ID != "" {
		t.Error("a request without a key has an id")
	}
}
