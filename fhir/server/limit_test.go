package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
)

// endless gives bytes until the connection ends, and tells how many were taken.
type endless struct {
	mu    sync.Mutex
	taken int64
	limit int64 // 0: none
}

func (e *endless) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.limit > 0 && e.taken >= e.limit {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = ' '
	}
	e.taken += int64(len(p))
	return len(p), nil
}

// TestOversizedBodies: a client that is still sending gets to read why its body is refused, whoever refuses it.
func TestOversizedBodies(t *testing.T) {
	i := newIssuer(t)
	guarded := newGuarded(t, i, nil)
	open := newServer(t, nil)
	for name, c := range map[string]struct {
		s        *testServer
		declared bool
		bytes    int64
		want     int
	}{
		"declared":                 {open, true, 6 << 20, 413},
		"in chunks":                {open, false, 6 << 20, 413},
		"a little too large":       {open, false, 1<<20 + 1, 413},
		"without a token":          {guarded, true, 6 << 20, 401},
		"in chunks, without token": {guarded, false, 6 << 20, 401},
	} {
		for range 5 {
			body := &endless{limit: c.bytes}
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, c.s.URL+"/fhir/$deidentify", body)
			req.Header.Set("Content-Type", "application/fhir+json")
			if c.declared {
				req.ContentLength = c.bytes
				req.Body = io.NopCloser(io.LimitReader(body, c.bytes))
			}
			if r := c.s.send(t, req); r.status != c.want {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			} else {
				r.code(t)
			}
		}
	}
	if len(open.op.requests())+len(guarded.op.requests()) > 0 {
		t.Error("the operation was called")
	}
}

// TestBodyOfALastRequest: also where the connection ends with the request, a client that has more to send gets to read the
// whole refusal.
func TestBodyOfALastRequest(t *testing.T) {
	s := newServer(t, nil)
	half := strings.Repeat(" ", 50<<10)
	conn := dial(t, s.Listener.Addr().String())
	fmt.Fprintf(conn, "POST /fhir/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 2*len(half), half)
	first := make([]byte, 1)
	if _, err := io.ReadFull(conn, first); err != nil {
		t.Fatal(err)
	}
	for range 50 { // the answer has begun; what is sent now must not reset it
		if _, err := io.WriteString(conn, half[:len(half)/50]); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(rest), " 404 ") || !strings.Contains(string(rest), "not-found") {
		t.Errorf("%q %v", rest, err)
	}
}

// TestNeverEndingBody sends without end. The answer comes, and some megabytes later the connection is closed.
func TestNeverEndingBody(t *testing.T) {
	s := newServer(t, nil)
	conn := dial(t, s.Listener.Addr().String())
	fmt.Fprintf(conn, "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	sent := make(chan int, 1)
	go func() {
		chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10))
		n := 0
		for {
			m, err := conn.Write(chunk)
			n += m
			if err != nil {
				sent <- n
				return
			}
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusRequestEntityTooLarge || !res.Close {
		t.Errorf("%d, close %v", res.StatusCode, res.Close)
	}
	if body, _ := io.ReadAll(res.Body); !strings.Contains(string(body), "too-long") {
		t.Errorf("%s", body)
	}
	if n := <-sent; n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestSlowBodies: what does not come, or comes by drops, is cut off.
func TestSlowBodies(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Limits.BodyGrace, o.Limits.BodyRate = 50*time.Millisecond, 1<<20 })
	const head = "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
	for name, drip := range map[string]bool{"nothing comes": false, "drops come": true} {
		conn := dial(t, s.Listener.Addr().String())
		fmt.Fprint(conn, head)
		stop := make(chan struct{})
		if drip {
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(10 * time.Millisecond):
						if _, err := conn.Write([]byte(" ")); err != nil {
							return
						}
					}
				}
			}()
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		close(stop)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.StatusCode != http.StatusRequestTimeout || !res.Close {
			t.Errorf("%s: %d, close %v", name, res.StatusCode, res.Close)
		}
	}
}

// blocking is an operation that waits until it is let go.
func blocking(s *testServer) (started chan struct{}, letGo chan struct{}) {
	started, letGo = make(chan struct{}, 100), make(chan struct{})
	s.op.do = func(ctx context.Context, _ deidentify.Request) (*deidentify.Result, error) {
		started <- struct{}{}
		select {
		case <-letGo:
			return answer("ok"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return started, letGo
}

// seated is a request that has its seat: the server has asked for its body.
type seated struct {
	net.Conn
	r *bufio.Reader
}

func seat(t *testing.T, s *testServer) seated {
	t.Helper()
	c := seated{Conn: dial(t, s.Listener.Addr().String())}
	c.r = bufio.NewReader(c.Conn)
	fmt.Fprintf(c, "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(patient))
	if res, err := http.ReadResponse(c.r, nil); err != nil || res.StatusCode != http.StatusContinue {
		t.Fatalf("%v %v", res, err)
	}
	return c
}

func (c seated) send() { fmt.Fprint(c, patient) }

func (c seated) status(t *testing.T) int {
	t.Helper()
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestFull fills places and queue: one more is told to come again, at once, and all who waited are answered.
func TestFull(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Limits.Concurrent, o.Limits.Queue = 2, 3 })
	started, letGo := blocking(s)
	var waiting []seated
	for range 5 {
		c := seat(t, s)
		c.send()
		waiting = append(waiting, c)
	}
	<-started
	<-started
	for range 3 {
		if r := s.call(t, "POST", "/fhir/$deidentify", patient); r.status != 429 || r.code(t) != "throttled" || r.header.Get("Retry-After") == "" {
			t.Errorf("%d %v %s", r.status, r.header, r.body)
		}
	}
	if n := len(s.op.requests()); n != 2 {
		t.Errorf("%d are worked on", n)
	}
	if r := s.call(t, "GET", "/readyz", ""); r.status != 200 {
		t.Errorf("a full server is not ready: %d", r.status)
	}
	close(letGo)
	for _, c := range waiting {
		if status := c.status(t); status != 200 {
			t.Errorf("one who waited got %d", status)
		}
	}
	if !strings.Contains(s.metrics(), `fhirdeid_http_requests_refused_total{reason="queue"} 3`) {
		t.Error("the refusals were not counted")
	}
}

// TestSlowClientsLeaveThePlaces: a client that sends slowly holds a seat and no place to work.
func TestSlowClientsLeaveThePlaces(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Limits.Concurrent, o.Limits.Queue = 1, 3 })
	slow := []seated{seat(t, s), seat(t, s)}
	for range 3 {
		if r := s.call(t, "POST", "/fhir/$deidentify", patient); r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	for _, c := range slow {
		c.send()
		if status := c.status(t); status != 200 {
			t.Errorf("the slow one got %d", status)
		}
	}
}

// TestMemoryOfAllBodies: what all requests hold together is bounded, and given back.
func TestMemoryOfAllBodies(t *testing.T) {
	s := newServer(t, func(o *server.Options) { o.Limits.Bodies = 3000 })
	started, letGo := blocking(s)
	body := `{"resourceType":"Patient","id":"p1"` + strings.Repeat(" ", 2000) + `}`
	first := make(chan int)
	go func() { first <- s.call(t, "POST", "/fhir/$deidentify", body).status }()
	<-started
	if r := s.call(t, "POST", "/fhir/$deidentify", body); r.status != 429 || r.code(t) != "throttled" {
		t.Errorf("%d %s", r.status, r.body)
	}
	close(letGo)
	if status := <-first; status != 200 {
		t.Errorf("the first: %d", status)
	}
	if r := s.call(t, "POST", "/fhir/$deidentify", body); r.status != 200 {
		t.Errorf("afterwards: %d", r.status)
	}
}

// TestRate counts by client, on a clock that the test moves, forwards and back.
func TestRate(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	move := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	who := &named{}
	s := newServer(t, func(o *server.Options) {
		o.Limits.Rate, o.Limits.Burst = 1, 2
		o.Auth = who
		o.Clock = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	call := func(client string) int {
		who.set(client)
		return s.call(t, "POST", "/fhir/$deidentify", patient).status
	}
	want := func(when string, statuses ...int) {
		t.Helper()
		for n, status := range statuses {
			if got := call("a"); got != status {
				t.Errorf("%s, call %d: %d, want %d", when, n+1, got, status)
			}
		}
	}
	want("at first", 200, 200, 429)
	if got := call("b"); got != 200 {
		t.Errorf("another client: %d", got)
	}
	move(time.Second)
	want("a second later", 200, 429)
	move(time.Hour)
	want("an hour later", 200, 200, 429)
	move(-24 * time.Hour)
	want("a day back, where counting starts anew", 200, 200, 429)
	move(time.Second)
	want("and on", 200, 429)
}

// named says that a client of a name calls.
type named struct {
	mu   sync.Mutex
	name string
}

func (n *named) set(name string) { n.mu.Lock(); defer n.mu.Unlock(); n.name = name }

func (n *named) Authenticate(*http.Request) (server.Principal, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return server.Principal{Client: n.name, Scopes: server.ParseScopes([]string{"system/*.rs"})}, nil
}

func TestSmallBodyKeepsTheConnection(t *testing.T) {
	s := newServer(t, nil)
	conn := dial(t, s.Listener.Addr().String())
	r := bufio.NewReader(conn)
	for range 3 {
		fmt.Fprint(conn, "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nHallo")
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusUnsupportedMediaType || res.Close {
			t.Errorf("%d, close %v, %v", res.StatusCode, res.Close, err)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	s := newServer(t, nil)
	conn := dial(t, s.Listener.Addr().String())
	fmt.Fprint(conn, "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100000000\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("%v %v", res, err)
	}
}
