package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// upstreamServer is a FHIR server that answers as it is told and remembers what it was asked.
type upstreamServer struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	tokens []string
	before func(path string) // called before each answer
	on     map[string]http.HandlerFunc
}

func newUpstream(t testing.TB) *upstreamServer {
	t.Helper()
	u := &upstreamServer{on: map[string]http.HandlerFunc{}}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.asked = append(u.asked, r.URL.RequestURI())
		u.tokens = append(u.tokens, r.Header.Get("Authorization"))
		h, before := u.on[r.URL.RequestURI()], u.before
		u.mu.Unlock()
		if before != nil {
			before(r.URL.RequestURI())
		}
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstreamServer) set(path string, h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.on[path] = h
}

func (u *upstreamServer) onRequest(f func(path string)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.before = f
}

func (u *upstreamServer) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.asked...)
}

func media(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}
}

func fhirJSON(body string) http.HandlerFunc { return media("application/fhir+json", body) }

// The people of the tests; none of them may be in an answer, a log or a database.
const (
	letter     = "Sehr geehrter Herr Ottokarius Quittenbaum, geb. 04.03.1951, wir sahen Sie am 12.05.2023 in der Sprechstunde."
	thePatient = `{"resourceType":"Patient","id":"p1","name":[{"family":"Quittenbaum","given":["Ottokarius"]}],"birthDate":"1951-03-04"}`
)

func documentOf(id, patient, file string) string {
	return fmt.Sprintf(`{"resourceType":"DocumentReference","id":%q,"status":"current","subject":{"reference":"Patient/%s"},"content":[{"attachment":{"contentType":"text/plain","url":%q}}]}`, id, patient, file)
}

func binaryOf(id, text string) string {
	return fmt.Sprintf(`{"resourceType":"Binary","id":%q,"contentType":"text/plain","data":%q}`, id, base64.StdEncoding.EncodeToString([]byte(text)))
}

func bundleOf(resources ...string) string {
	var entries []string
	for _, r := range resources {
		entries = append(entries, `{"resource":`+r+`,"search":{"mode":"match"}}`)
	}
	return `{"resourceType":"Bundle","type":"searchset","entry":[` + strings.Join(entries, ",") + `]}`
}

// links are the places that attachments point to beside a FHIR server's own Binaries.
type links struct {
	files, elsewhere *upstreamServer
	dead             string
}

func newLinks(t testing.TB) links {
	t.Helper()
	l := links{files: newUpstream(t), elsewhere: newUpstream(t), dead: deadOrigin(t)}
	l.files.set("/fhir/Binary/far", fhirJSON(binaryOf("far", letter)))
	l.files.set("/fhir/Binary/turn", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, l.elsewhere.URL+"/fhir/Binary/turn", http.StatusFound)
	})
	l.elsewhere.set("/fhir/Binary/turn", fhirJSON(binaryOf("turn", letter)))
	l.files.set("/fhir/Binary/large", media("text/plain", strings.Repeat(letter+"\n", 3000)))
	l.files.set("/fhir/Binary/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return l
}

// deadOrigin gives an address where nobody listens.
func deadOrigin(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// documents lists DocumentReferences by what their attachments point to.
func (l links) documents(base string) map[string]string {
	return map[string]string{
		"d-relative": "Binary/b1", "d-absolute": base + "/Binary/b2", "d-raw": "Binary/raw", "d-far": l.files.URL + "/fhir/Binary/far",
		"d-dead": l.dead + "/fhir/Binary/dead", "d-turn": l.files.URL + "/fhir/Binary/turn", "d-large": l.files.URL + "/fhir/Binary/large",
		"d-hang": l.files.URL + "/fhir/Binary/hang", "d-stranger": l.elsewhere.URL + "/fhir/Binary/turn", "d-absent": "Binary/absent",
	}
}

func (l links) settings(base string) settings {
	return settings{
		"upstream.base": base, "upstream.allowed_origins": l.files.URL + "," + l.dead, "upstream.timeout": "2s", "upstream.max_bytes": "100000",
		"upstream.retries": "1",
	}
}

// checkPull asks a server for every kind of document, with a good patient p1 and one with all the bad links, p2.
func checkPull(t *testing.T, p *process, l links) {
	t.Helper()
	for id, want := range map[string]struct {
		status int
		issue  string
	}{
		"d-relative": {200, ""}, "d-absolute": {200, ""}, "d-raw": {200, ""}, "d-far": {200, ""},
		"d-dead": {502, "transient"}, "d-turn": {422, "not-supported"}, "d-large": {413, "too-long"}, "d-hang": {504, "timeout"},
		"d-stranger": {422, "not-supported"}, "d-absent": {422, "not-supported"}, "nowhere": {404, "not-found"},
	} {
		r := mustSend(t, "POST", p.base+"/DocumentReference/"+id+"/$deidentify", "")
		if r.status != want.status || want.issue != "" && r.issue() != want.issue {
			t.Errorf("%s: %d %.300s, want %d", id, r.status, r.body, want.status)
			continue
		}
		if want.status == 200 {
			mustBeClean(t, id, r)
			if len(r.ids("Binary")) != 1 || len(r.ids("Patient")) != 1 || !strings.Contains(r.everything(), "in der Sprechstunde.") {
				t.Errorf("%s: %.2000s", id, r.everything())
			}
			continue
		}
		if id == "nowhere" {
			continue
		}
		r = mustSend(t, "POST", p.base+"/DocumentReference/"+id+"/$deidentify?onUnsupported=remove", "")
		if r.status != 200 || len(r.ids("Binary")) != 0 || !strings.Contains(string(r.body), "was not read; the address was removed") {
			t.Errorf("%s, removed: %d %.2000s", id, r.status, r.body)
		}
		mustBeClean(t, id, r)
		for _, place := range []string{l.files.URL, l.elsewhere.URL, l.dead, "Binary/absent"} {
			if strings.Contains(string(r.body), place) {
				t.Errorf("%s: the answer holds the address", id)
			}
		}
	}
	whole := mustSend(t, "POST", p.base+"/Patient/p1/$deidentify", "")
	if whole.status != 200 || len(whole.ids("DocumentReference")) != 4 || len(whole.ids("Binary")) != 4 || len(whole.ids("Patient")) != 1 {
		t.Errorf("p1: %d, %d documents: %.500s", whole.status, len(whole.ids("DocumentReference")), whole.body)
	}
	mustBeClean(t, "p1", whole)
	if r := mustSend(t, "POST", p.base+"/Patient/p2/$deidentify", ""); r.status == 200 || r.issue() == "" {
		t.Errorf("p2 with dead links: %d %.300s", r.status, r.body)
	}
	lenient := mustSend(t, "POST", p.base+"/Patient/p2/$deidentify?onUnsupported=remove", "")
	if lenient.status != 200 || len(lenient.ids("DocumentReference")) != 7 || len(lenient.ids("Binary")) != 1 {
		t.Errorf("p2, dead links removed: %d, %d documents: %.500s", lenient.status, len(lenient.ids("DocumentReference")), lenient.body)
	}
	mustBeClean(t, "p2", lenient)
	if r := mustSend(t, "POST", p.base+"/Patient/nobody/$deidentify", ""); r.status != 404 {
		t.Errorf("nobody: %d", r.status)
	}
	if n := len(l.elsewhere.requests()); n > 0 {
		t.Errorf("a server that is not allowed was asked %d times", n)
	}
}

func mustBeClean(t *testing.T, what string, r got) {
	t.Helper()
	for _, secret := range []string{"Quittenbaum", "Ottokarius", "1951-03-04", "04.03.1951", "12.05.2023"} {
		if text := r.everything(); strings.Contains(text, secret) {
			t.Errorf("%s: the answer holds %s: %.1500s", what, secret, text)
		}
	}
}

func TestPull(t *testing.T) {
	up, l := newUpstream(t), newLinks(t)
	base := up.URL + "/fhir"
	up.set("/fhir/Patient/p1", fhirJSON(thePatient))
	up.set("/fhir/Patient/p2", fhirJSON(strings.Replace(thePatient, "p1", "p2", 1)))
	for _, id := range []string{"b1", "b2", "b3"} {
		up.set("/fhir/Binary/"+id, fhirJSON(binaryOf(id, letter)))
	}
	up.set("/fhir/Binary/raw", media("text/plain;charset=utf-8", letter))
	lists := map[string][]string{"p2": {documentOf("d-good", "p2", "Binary/b3")}}
	for id, file := range l.documents(base) {
		patient := "p2"
		switch id {
		case "d-relative", "d-absolute", "d-raw", "d-far":
			patient = "p1"
		}
		lists[patient] = append(lists[patient], documentOf(id, patient, file))
		up.set("/fhir/DocumentReference/"+id, fhirJSON(documentOf(id, patient, file)))
	}
	for patient, list := range lists {
		// Half on each page.
		next := fmt.Sprintf(`"link":[{"relation":"next","url":"%s?page=%s"}],"entry"`, base, patient)
		up.set("/fhir/DocumentReference?_count=100&patient="+patient, fhirJSON(strings.Replace(bundleOf(list[:2]...), `"entry"`, next, 1)))
		up.set("/fhir?page="+patient, fhirJSON(bundleOf(list[2:]...)))
		up.set("/fhir/DiagnosticReport?_count=100&patient="+patient, fhirJSON(bundleOf()))
	}
	checkPull(t, startProcess(t, l.settings(base), childPlan{}), l)
}

// tool gives a copy of one of the tools that FHIRDEID_TOOLS names a folder of, made ready by a command, in a folder that
// stays for the next time.
func tool(t *testing.T, name, product, command string) string {
	t.Helper()
	from := os.Getenv("FHIRDEID_TOOLS")
	if from == "" {
		t.Skip("SKIP " + name + ": FHIRDEID_TOOLS names no folder of tools")
	}
	from = filepath.Join(from, name)
	if _, err := os.Stat(from); err != nil {
		t.Skip("SKIP " + name + ": FHIRDEID_TOOLS does not hold it")
	}
	if _, err := os.Stat(filepath.Join(from, product)); err == nil {
		return from
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(cache, "fhirdeid-tools", name)
	if _, err := os.Stat(filepath.Join(to, product)); err == nil {
		return to
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "rm -rf '" + to + "' && cp -r '" + from + "' '" + to + "' && chmod -R u+w '" + to + "' && cd '" + to + "' && " + command
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", script).CombinedOutput(); err != nil {
		t.Skipf("SKIP %s: cannot be made ready: %v: %.500s", name, err, out)
	}
	return to
}

// startTool runs a tool until the test ends and gives what follows ready in its first line.
func startTool(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("SKIP %s: %v", command[0], err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if ready, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			go func() {
				for lines.Scan() { //nolint:revive // what it says further is not needed, but must be taken
				}
			}()
			return ready
		}
	}
	t.Fatalf("%s did not start", command)
	return ""
}

// TestPullFromHAPI does what TestPull does with HAPI as the upstream server.
func TestPullFromHAPI(t *testing.T) {
	dir := tool(t, "fhirbench/hapi", "target/fhirbench.jar", "./run.sh validate /dev/null || test -f target/fhirbench.jar")
	l := newLinks(t)
	base := startTool(t, dir, "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g", "-jar", "target/fhirbench.jar", "serve", "0")
	put := func(path, contentType, body string) {
		t.Helper()
		if r := mustSend(t, "PUT", base+"/"+path, body, "Content-Type", contentType); r.status != 200 && r.status != 201 {
			t.Fatalf("%s: %d %.300s", path, r.status, r.body)
		}
	}
	const fhirType = "application/fhir+json"
	put("Patient/p1", fhirType, thePatient)
	put("Patient/p2", fhirType, strings.Replace(thePatient, "p1", "p2", 1))
	for _, id := range []string{"b1", "b2", "b3"} {
		put("Binary/"+id, fhirType, binaryOf(id, letter))
	}
	put("Binary/raw", "text/plain", letter)
	put("DocumentReference/d-good", fhirType, documentOf("d-good", "p2", "Binary/b3"))
	for id, file := range l.documents(base) {
		patient := "p2"
		switch id {
		case "d-relative", "d-absolute", "d-raw", "d-far":
			patient = "p1"
		}
		put("DocumentReference/"+id, fhirType, documentOf(id, patient, file))
	}
	checkPull(t, startProcess(t, l.settings(base), childPlan{}), l)
	// More documents than a page of that server.
	put("Patient/p3", fhirType, strings.Replace(thePatient, "p1", "p3", 1))
	for n := range 130 {
		id := fmt.Sprintf("many-%d", n)
		put("DocumentReference/"+id, fhirType, documentOf(id, "p3", "Binary/b3"))
	}
	r := mustSend(t, "POST", startProcess(t, l.settings(base), childPlan{}).base+"/Patient/p3/$deidentify", "")
	if r.status != 200 || len(r.ids("DocumentReference")) != 130 {
		t.Errorf("p3: %d, %d documents", r.status, len(r.ids("DocumentReference")))
	}
}
