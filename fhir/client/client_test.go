package client

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a server that answers as it is told and remembers what it was asked.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // path?query
	auth  []string // Authorization of each request
	on    map[string]http.HandlerFunc
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{on: map[string]http.HandlerFunc{}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.URL.RequestURI())
		f.auth = append(f.auth, r.Header.Get("Authorization"))
		h := f.on[r.URL.RequestURI()]
		if h == nil {
			h = f.on[r.URL.Path]
		}
		f.mu.Unlock()
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) base() string { return f.URL + "/fhir" }

func (f *fake) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

func (f *fake) tokens() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.auth)
}

func says(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}
}

func resource(body string) http.HandlerFunc { return says("application/fhir+json", body) }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// newClient makes a client that never waits; pauses gives what it would have waited.
func newClient(t *testing.T, o Options) (c *Client, pauses func() []time.Duration) {
	t.Helper()
	c, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var list []time.Duration
	c.wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, d)
		return ctx.Err()
	}
	return c, func() []time.Duration { mu.Lock(); defer mu.Unlock(); return slices.Clone(list) }
}

func TestReadsReferences(t *testing.T) {
	up, files := newFake(t), newFake(t)
	up.on["/fhir/DocumentReference/d1"] = resource(`{"resourceType":"DocumentReference","id":"d1"}`)
	up.on["/fhir/Binary/json"] = resource(`{"resourceType":"Binary","id":"json","contentType":"text/plain","data":"SGFsbG8="}`)
	up.on["/fhir/Binary/raw"] = says("text/plain; charset=utf-8", "Hallo")
	files.on["/fhir/Binary/far"] = resource(`{"resourceType":"Binary","id":"far","contentType":"text/plain","data":"SGFsbG8="}`)
	files.on["/letters/7.txt"] = says("text/plain", "Hallo")
	c, _ := newClient(t, Options{Base: up.base(), Origins: []string{files.URL}})
	for reference, want := range map[string]string{
		"DocumentReference/d1":              up.base(),
		"DocumentReference/d1/_history/3":   up.base(),
		up.base() + "/DocumentReference/d1": up.base(),
		"Binary/json":                       up.base(),
		"Binary/raw":                        up.base(),
		files.URL + "/fhir/Binary/far":      files.URL + "/fhir",
		files.URL + "/letters/7.txt":        files.URL,
	} {
		r, err := c.Read(t.Context(), reference)
		if err != nil || r.Base != want {
			t.Errorf("%s: base %q, %v", reference, r.Base, err)
			continue
		}
		if r.Node.ResourceType() == "Binary" {
			if data, _ := base64.StdEncoding.DecodeString(r.Node.Text("data")); string(data) != "Hallo" {
				t.Errorf("%s: data %q", reference, data)
			}
		}
	}
}

func TestRefusesWithoutAsking(t *testing.T) {
	up, other := newFake(t), newFake(t)
	c, _ := newClient(t, Options{Base: up.base()})
	host := strings.TrimPrefix(up.URL, "http://")
	for _, reference := range []string{
		other.URL + "/fhir/Patient/1",
		"http://user:word@" + host + "/fhir/Patient/1",
		"https://" + host + "/fhir/Patient/1",
		"file:///etc/passwd", "ftp://" + host + "/x", "urn:uuid:8d7e0f2a-0000-4000-8000-000000000000", "#a", "Patient?identifier=a|b",
		"//" + host + "/fhir/Patient/1", "Patient/../Binary/1", "Nonsense/1", "",
		"http://169.254.169.254/latest/meta-data/iam",
	} {
		if _, err := c.Read(t.Context(), reference); !errors.Is(err, ErrForbidden) && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", reference, err)
		}
	}
	if asked := append(up.seen(), other.seen()...); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
}

func TestRedirects(t *testing.T) {
	up, allowed, other := newFake(t), newFake(t), newFake(t)
	body := resource(`{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"eA=="}`)
	for _, f := range []*fake{up, allowed, other} {
		f.on["/fhir/Binary/b"] = body
	}
	up.on["/fhir/Binary/near"] = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/fhir/Binary/b", http.StatusFound) }
	to := func(target string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target, http.StatusTemporaryRedirect)
		}
	}
	up.on["/fhir/Binary/allowed"] = to(allowed.URL + "/fhir/Binary/b")
	up.on["/fhir/Binary/other"] = to(other.URL + "/fhir/Binary/b")
	up.on["/fhir/Binary/circle"] = to(up.URL + "/fhir/Binary/circle")
	up.on["/fhir/Binary/user"] = to(strings.Replace(allowed.URL, "http://", "http://a:b@", 1) + "/fhir/Binary/b")
	c, _ := newClient(t, Options{Base: up.base(), Origins: []string{allowed.URL}, PassToken: true, Retries: 2})
	ctx := As(t.Context(), Caller{Token: "the-callers-token"})
	// The file behind a redirect is taken as the resource that was asked for, so its id must be that.
	for path, want := range map[string]error{"near": ErrUpstream, "allowed": ErrUpstream, "other": ErrForbidden, "circle": ErrForbidden, "user": ErrForbidden} {
		if _, err := c.Read(ctx, "Binary/"+path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if n := len(other.seen()); n > 0 {
		t.Errorf("another host was asked %d times", n)
	}
	if n := len(allowed.seen()); n != 1 {
		t.Errorf("the allowed host was asked %d times", n)
	}
	for _, token := range allowed.tokens() {
		if token != "" {
			t.Error("the token went to another server by a redirect")
		}
	}
	if !slices.Contains(up.tokens(), "Bearer the-callers-token") {
		t.Error("the token did not reach the upstream")
	}
	up.on["/fhir/Binary/b"] = to(allowed.URL + "/fhir/Binary/b")
	if r, err := c.Read(ctx, "Binary/b"); err != nil || r.Node.Text("id") != "b" {
		t.Errorf("an allowed redirect: %v", err)
	}
}

func TestTokensStayWithTheUpstream(t *testing.T) {
	up, files := newFake(t), newFake(t)
	up.on["/fhir/Patient/1"] = resource(`{"resourceType":"Patient","id":"1"}`)
	files.on["/fhir/Binary/1"] = resource(`{"resourceType":"Binary","id":"1"}`)
	c, _ := newClient(t, Options{Base: up.base(), Origins: []string{files.URL}, PassToken: true})
	ctx := As(t.Context(), Caller{Token: "the-callers-token"})
	for _, reference := range []string{"Patient/1", files.URL + "/fhir/Binary/1"} {
		if _, err := c.Read(ctx, reference); err != nil {
			t.Fatal(err)
		}
	}
	if got := up.tokens(); !slices.Equal(got, []string{"Bearer the-callers-token"}) {
		t.Errorf("the upstream got %q", got)
	}
	if got := files.tokens(); !slices.Equal(got, []string{""}) {
		t.Errorf("the file server got %q", got)
	}
	without, _ := newClient(t, Options{Base: up.base()})
	if _, err := without.Read(ctx, "Patient/1"); err != nil || up.tokens()[1] != "" {
		t.Errorf("a token was passed on though it is not configured: %v", err)
	}
}

// TestPassedTokenHidesWhatIsAbsent: what the upstream keeps from this caller and what it does not have are one.
func TestPassedTokenHidesWhatIsAbsent(t *testing.T) {
	up := newFake(t)
	up.on["/fhir/Patient/secret"] = status(http.StatusForbidden)
	c, _ := newClient(t, Options{Base: up.base(), PassToken: true})
	ctx := As(t.Context(), Caller{Token: "t"})
	_, secret := c.Read(ctx, "Patient/secret")
	_, absent := c.Read(ctx, "Patient/absent")
	if !errors.Is(secret, ErrForbidden) || secret.Error() != absent.Error() {
		t.Errorf("%v, %v", secret, absent)
	}
}

func TestLimitsOfSizeAndTime(t *testing.T) {
	up := newFake(t)
	big := strings.Repeat("x", 3000)
	up.on["/fhir/Binary/declared"] = says("text/plain", big)
	up.on["/fhir/Binary/endless"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, big); err != nil {
				return
			}
		}
	}
	up.on["/fhir/Binary/packed"] = func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("gzip was not asked for")
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		w.Write(gzipped(t, strings.Repeat("x", 1<<20)))
	}
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	up.on["/fhir/Binary/hangs"] = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	up.on["/fhir/Binary/stalls"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	patient, _ := newClient(t, Options{Base: up.base(), MaxBytes: 2000, Timeout: time.Minute, Retries: 3})
	hasty, _ := newClient(t, Options{Base: up.base(), MaxBytes: 2000, Timeout: 100 * time.Millisecond, Retries: 3})
	for path, c := range map[string]*Client{"declared": patient, "endless": patient, "packed": patient, "hangs": hasty, "stalls": hasty} {
		want := ErrTooLarge
		if c == hasty {
			want = ErrTimeout
		}
		if _, err := c.Read(t.Context(), "Binary/"+path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	asked := map[string]int{}
	for _, path := range up.seen() {
		if asked[path]++; asked[path] > 1 {
			t.Errorf("%s: neither a large nor a hanging answer is asked for again", path)
		}
	}
}

func TestAsksAgain(t *testing.T) {
	up := newFake(t)
	times := 0
	up.on["/fhir/Patient/1"] = func(w http.ResponseWriter, _ *http.Request) {
		times++
		switch times {
		case 1:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.Header().Set("Retry-After", "100000")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			resource(`{"resourceType":"Patient","id":"1"}`)(w, nil)
		}
	}
	up.on["/fhir/Patient/2"] = status(http.StatusBadGateway)
	up.on["/fhir/Patient/3"] = status(http.StatusInternalServerError)
	c, pauses := newClient(t, Options{Base: up.base(), Retries: 2})
	if _, err := c.Read(t.Context(), "Patient/1"); err != nil {
		t.Error(err)
	}
	if got := pauses(); !slices.Equal(got, []time.Duration{3 * time.Second, longestPause}) {
		t.Errorf("waited %v", got)
	}
	for _, id := range []string{"2", "3", "absent"} {
		if _, err := c.Read(t.Context(), "Patient/"+id); !errors.Is(err, ErrUpstream) && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	count := map[string]int{}
	for _, path := range up.seen() {
		count[path]++
	}
	if count["/fhir/Patient/2"] != 3 || count["/fhir/Patient/3"] != 1 || count["/fhir/Patient/absent"] != 1 {
		t.Errorf("asked %v", count)
	}
}

func TestUnreachable(t *testing.T) {
	up := newFake(t)
	base := up.base()
	up.Close()
	c, pauses := newClient(t, Options{Base: base, Retries: 1})
	_, err := c.Read(t.Context(), "Patient/1")
	if !errors.Is(err, ErrUpstream) || strings.Contains(err.Error(), "127.0.0.1") || len(pauses()) != 1 {
		t.Errorf("%v after %v", err, pauses())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Read(ctx, "Patient/1"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

func TestWrongAnswers(t *testing.T) {
	up := newFake(t)
	for id, h := range map[string]http.HandlerFunc{
		"other-id":   resource(`{"resourceType":"Patient","id":"x"}`),
		"other-type": resource(`{"resourceType":"Observation","id":"other-type"}`),
		"no-json":    resource(`<html>Frau Muster</html>`),
		"twice":      resource(`{"resourceType":"Patient","id":"twice","id":"twice"}`),
		"text":       says("text/html", "Frau Muster"),
		"empty":      resource(``),
	} {
		up.on["/fhir/Patient/"+id] = h
		c, _ := newClient(t, Options{Base: up.base()})
		if _, err := c.Read(t.Context(), "Patient/"+id); !errors.Is(err, ErrUpstream) || strings.Contains(err.Error(), "Muster") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// resolver answers with the next list of addresses each time; the last one stays.
type resolver struct {
	mu    sync.Mutex
	lists [][]string
	names []string
}

func (r *resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, host)
	list := r.lists[0]
	if len(r.lists) > 1 {
		r.lists = r.lists[1:]
	}
	var out []netip.Addr
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	if len(out) == 0 {
		return nil, errors.New("no such host")
	}
	return out, nil
}

func TestNameThatTurnsElsewhere(t *testing.T) {
	up := newFake(t)
	up.on["/fhir/Patient/1"] = resource(`{"resourceType":"Patient","id":"1"}`)
	u, _ := url.Parse(up.URL)
	base := "http://fhir.klinik.example:" + u.Port() + "/fhir"
	for name, c := range map[string]struct {
		first, then  []string
		allowPrivate bool
		want         error
	}{
		"stays on loopback":            {first: []string{"127.0.0.1"}, then: []string{"127.0.0.1"}},
		"loopback in IPv6 spelling":    {first: []string{"127.0.0.1"}, then: []string{"::ffff:127.0.0.1"}},
		"public turns to loopback":     {first: []string{"203.0.113.7"}, then: []string{"127.0.0.1"}, want: ErrForbidden},
		"unknown turns to loopback":    {then: []string{"127.0.0.1"}, want: ErrForbidden},
		"one address of two":           {first: []string{"203.0.113.7"}, then: []string{"203.0.113.7", "127.0.0.1"}, want: ErrForbidden},
		"public turns to private":      {first: []string{"203.0.113.7"}, then: []string{"10.0.0.1"}, want: ErrForbidden},
		"private turns to public":      {first: []string{"10.0.0.1"}, then: []string{"203.0.113.7"}, want: ErrForbidden},
		"public turns to metadata":     {first: []string{"203.0.113.7"}, then: []string{"169.254.169.254"}, want: ErrForbidden},
		"link-local from the start":    {first: []string{"169.254.169.254"}, then: []string{"169.254.169.254"}, want: ErrForbidden},
		"private allowed, is loopback": {first: []string{"203.0.113.7"}, then: []string{"127.0.0.1"}, allowPrivate: true, want: ErrForbidden},
		"loopback behind NAT64":        {first: []string{"203.0.113.7"}, then: []string{"64:ff9b::7f00:1"}, want: ErrForbidden},
		"unique local turns":           {first: []string{"2001:db8::1"}, then: []string{"fd00::1"}, want: ErrForbidden},
		"shared address space":         {first: []string{"203.0.113.7"}, then: []string{"100.64.0.1"}, want: ErrForbidden},
	} {
		before := len(up.seen())
		r := &resolver{lists: [][]string{c.first, c.then}}
		client, _ := newClient(t, Options{Base: base, Resolver: r, AllowPrivate: c.allowPrivate, Retries: 2})
		_, err := client.Read(t.Context(), "Patient/1")
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want != nil && len(up.seen()) != before {
			t.Errorf("%s: the server was reached", name)
		}
		if len(r.names) != 2 {
			t.Errorf("%s: the name was looked up %d times; a look-up more lies between check and use", name, len(r.names))
		}
		client.http.CloseIdleConnections()
	}
}

func TestRedirectToANameThatTurns(t *testing.T) {
	up := newFake(t)
	u, _ := url.Parse(up.URL)
	far := "http://files.klinik.example:" + u.Port()
	up.on["/fhir/Binary/1"] = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, far+"/files/1", http.StatusFound) }
	up.on["/files/1"] = says("text/plain", "internal")
	c, _ := newClient(t, Options{
		Base: "http://fhir.klinik.example:" + u.Port() + "/fhir", Origins: []string{far},
		Resolver: byName{"fhir.klinik.example": {lists: [][]string{{"127.0.0.1"}}}, "files.klinik.example": {lists: [][]string{{"203.0.113.7"}, {"127.0.0.1"}}}},
	})
	if _, err := c.Read(t.Context(), "Binary/1"); !errors.Is(err, ErrForbidden) {
		t.Errorf("%v", err)
	}
	if slices.Contains(up.seen(), "/files/1") {
		t.Error("the internal file was read")
	}
}

type byName map[string]*resolver

func (b byName) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return b[host].LookupNetIP(ctx, network, host)
}
