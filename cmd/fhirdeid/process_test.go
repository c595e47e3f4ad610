package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fhirdeid/fhir/store/storetest"
)

// process is a server in a process of its own: this test program, which runs as the server when asked to.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
	log   *transcript
	ended chan struct{}

	base, admin string
}

// childVariable tells this program to be the server. Its value is that of childPlan as JSON.
const childVariable = "SERVER_OF_THE_TESTS"

// childPlan says how the server runs.
type childPlan struct {
	Environ []string
	Steps   bool   // announce every step on the database
	Socket  string // of the PostgreSQL that Steps stands before
	Dir     string // for the socket of its own
	Temp    string // folder for temporary files; empty: one beside the data
}

// TestServerProcess is the server itself, in the processes that the other tests start.
func TestServerProcess(t *testing.T) {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	var plan childPlan
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Steps {
		if err := announce(plan); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() { <-signals; stop() }()
	code := run(ctx, []string{"serve"}, strings.NewReader(""), os.Stdout, os.Stderr, plan.Environ)
	os.Exit(code)
}

// announce counts the steps on the database, and ends the process, as kill -9 does, before the one that standard input
// names: "arm N" counts from there on, "count" tells how many there were.
func announce(plan childPlan) error {
	var taken, last atomic.Int64
	last.Store(-1)
	step := func(string) error {
		if n := taken.Add(1); n == last.Load() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			var n int64
			if _, err := fmt.Sscanf(lines.Text(), "arm %d", &n); err == nil {
				last.Store(-1)
				taken.Store(0)
				last.Store(n)
				fmt.Println("armed")
			} else {
				fmt.Println("steps", taken.Load())
			}
		}
	}()
	if plan.Socket != "" {
		_, err := storetest.Proxy(plan.Dir, plan.Socket, step)
		return err
	}
	storetest.OnFileSteps(step)
	return nil
}

// transcript is what a process writes.
type transcript struct {
	mu    sync.Mutex
	b     bytes.Buffer
	lines chan string
}

func (l *transcript) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// settings are configuration keys with dots and their values.
type settings map[string]string

func (s settings) environ() []string {
	list := []string{"HOME=/nonexistent"}
	for key, value := range s {
		list = append(list, "FHIRDEID_"+strings.ToUpper(strings.ReplaceAll(key, ".", "__"))+"="+value)
	}
	slices.Sort(list)
	return list
}

// startProcess starts a server and waits until it is ready. Without settings of their own there are no models, any free
// port, and a data folder that is new.
func startProcess(t testing.TB, s settings, plan childPlan) *process {
	t.Helper()
	p, err := tryProcess(t, s, plan)
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, p.log)
	}
	return p
}

func tryProcess(t testing.TB, s settings, plan childPlan) (*process, error) {
	t.Helper()
	all := settings{"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", "models.use": "none"}
	for k, v := range s {
		all[k] = v
	}
	if all["data_dir"] == "" {
		all["data_dir"] = t.TempDir()
	}
	plan.Environ = all.environ()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	temp := plan.Temp
	if temp == "" {
		temp = filepath.Join(all["data_dir"], "..", "tmp-of-"+filepath.Base(all["data_dir"]))
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(os.Args[0], "-test.run=^TestServerProcess$"), log: &transcript{lines: make(chan string, 1)}, ended: make(chan struct{})}
	p.cmd.Env = []string{childVariable + "=" + string(text), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp}
	p.cmd.Dir = temp
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(stdout)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); p.log.follow(stderr) }()
	go func() { <-read; _ = p.cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() { p.kill() })
	select {
	case line := <-p.log.lines:
		var ready struct{ Base, Admin string }
		if err := json.Unmarshal([]byte(line), &ready); err != nil {
			t.Fatal(err)
		}
		p.base, p.admin = ready.Base, "http://"+ready.Admin
		return p, nil
	case <-p.ended:
		return p, fmt.Errorf("exit code %d", p.cmd.ProcessState.ExitCode())
	}
}

// follow keeps what is written and hands on the line that says ready.
func (l *transcript) follow(r io.Reader) {
	lines := bufio.NewReader(r)
	said := false
	for {
		line, err := lines.ReadString('\n')
		l.mu.Lock()
		l.b.WriteString(line)
		l.mu.Unlock()
		if !said && strings.Contains(line, `"msg":"ready"`) {
			said = true
			l.lines <- line
		}
		if err != nil {
			return
		}
	}
}

// kill ends the server as kill -9 does, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stop ends the server as an operator does, and gives its exit code.
func (p *process) stop() int {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// ask sends a line to the process and gives its answer.
func (p *process) ask(t testing.TB, line string) string {
	t.Helper()
	fmt.Fprintln(p.stdin, line)
	got, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the server says nothing: %v\n%s", err, p.log)
	}
	return strings.TrimSpace(got)
}

// memory gives the resident memory of the process in bytes.
func (p *process) memory(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("SKIP memory: there is no /proc")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// got is an answer, read to its end.
type got struct {
	status int
	header http.Header
	body   []byte
}

// issue gives the code of the first issue of an OperationOutcome.
func (g got) issue() string {
	var o struct{ Issue []struct{ Code string } }
	if json.Unmarshal(g.body, &o) != nil || len(o.Issue) == 0 {
		return ""
	}
	return o.Issue[0].Code
}

// ids gives the ids of the resources of a type in an answer.
func (g got) ids(resourceType string) (ids []string) {
	var b struct {
		Entry []struct {
			Resource struct{ ResourceType, ID string }
		}
	}
	_ = json.Unmarshal(g.body, &b)
	for _, e := range b.Entry {
		if e.Resource.ResourceType == resourceType {
			ids = append(ids, e.Resource.ID)
		}
	}
	return ids
}

// everything is the answer with its base64 contents decoded beside it.
func (g got) everything() string {
	var b strings.Builder
	b.Write(g.body)
	for _, part := range strings.Split(string(g.body), `"data":"`)[1:] {
		text, _, _ := strings.Cut(part, `"`)
		if data, err := base64.StdEncoding.DecodeString(text); err == nil {
			b.WriteString("\n")
			b.Write(data)
		}
	}
	return b.String()
}

// quietClient never keeps connections, so that servers that come and go are not mixed up.
var quietClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * time.Minute}

func send(ctx context.Context, method, url, body string, header ...string) (got, error) {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		return got{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := quietClient.Do(req)
	if err != nil {
		return got{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return got{res.StatusCode, res.Header, b}, err
}

func mustSend(t testing.TB, method, url, body string, header ...string) got {
	t.Helper()
	g, err := send(t.Context(), method, url, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
