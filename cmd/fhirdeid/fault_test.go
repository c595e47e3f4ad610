package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fhirdeid/config"
	"fhirdeid/fhir/store"
	"fhirdeid/fhir/store/storetest"
	"fhirdeid/models"
)

// environment reads a number that makes a test larger than `make test` needs it.
func environment(t testing.TB, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is no number", name)
	}
	return n
}

// clinic is an upstream with one patient and some documents.
func clinic(t testing.TB) *upstreamServer {
	t.Helper()
	up := newUpstream(t)
	up.set("/fhir/Patient/p1", fhirJSON(thePatient))
	var list []string
	for n := range 4 {
		file := fmt.Sprintf("b%d", n)
		up.set("/fhir/Binary/"+file, fhirJSON(binaryOf(file, letter)))
		list = append(list, documentOf(fmt.Sprintf("d%d", n), "p1", "Binary/"+file))
		up.set(fmt.Sprintf("/fhir/DocumentReference/d%d", n), fhirJSON(list[n]))
	}
	up.set("/fhir/DocumentReference?_count=100&patient=p1", fhirJSON(bundleOf(list...)))
	up.set("/fhir/DiagnosticReport?_count=100&patient=p1", fhirJSON(bundleOf()))
	return up
}

// openAsServer opens a server's database while the server is not running.
func openAsServer(t *testing.T, s settings) *program {
	t.Helper()
	cfg, err := config.Load("", s.environ(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rt := &program{cfg: cfg}
	if rt.master, err = (&app{}).masterKey(cfg); err != nil {
		t.Fatal(err)
	}
	if err := rt.openStore(t.Context(), programOptions{}); err != nil {
		t.Fatal(err)
	}
	return rt
}

// kept is what the database holds of whole requests.
type kept struct {
	observations, provenances int
	ids                       []string // of both
}

// look checks that the trail is whole, that every request in it left everything, and counts.
func look(t *testing.T, s settings) kept {
	t.Helper()
	rt := openAsServer(t, s)
	defer rt.Close()
	entries, _, err := rt.db.VerifyAudit(t.Context())
	if err != nil {
		t.Fatalf("the trail: %v", err)
	}
	trail, err := rt.db.Trail(t.Context(), 0, int(entries)+1)
	if err != nil || int64(len(trail)) != entries {
		t.Fatalf("%d of %d entries, %v", len(trail), entries, err)
	}
	var k kept
	all := func(q store.Query) (ids []string) {
		for {
			q.Limit = 500
			p, err := rt.db.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range p.Resources {
				ids = append(ids, r.Type+"/"+r.ID)
			}
			if p.Next == 0 {
				return ids
			}
			q.After = p.Next
		}
	}
	for _, e := range trail {
		if e.Action != "deidentify" || e.Outcome != "success" {
			continue
		}
		// One Provenance, and one Observation for each of the four documents.
		o, p := all(store.Query{Type: "Observation", Request: e.Request}), all(store.Query{Type: "Provenance", Request: e.Request})
		if len(o) != 4 || len(p) != 1 {
			t.Errorf("a request left %d Observations and %d Provenances", len(o), len(p))
		}
		k.observations += len(o)
		k.provenances += len(p)
		k.ids = append(append(k.ids, o...), p...)
	}
	if n := len(all(store.Query{Type: "Observation"})); n != k.observations {
		t.Errorf("%d Observations, but only %d of requests in the trail", n, k.observations)
	}
	return k
}

// killPoint is where a server is killed.
type killPoint struct {
	kind string // body: while the request is sent; upstream: while it reads there; step: before a step on the database; answered
	n    int
}

// TestKill kills the server, as kill -9 does, at points spread evenly over the request and its transaction, and starts it
// again on the same database: what was answered is there, what was not is there whole or not at all, and the client, who
// asks again under the same idempotency key, gets the answer and leaves no second copy behind. FHIRDEID_KILLS is the
// number of points for each database.
func TestKill(t *testing.T) {
	points := environment(t, "FHIRDEID_KILLS", 4)
	t.Run("sqlite", func(t *testing.T) {
		killEverywhere(t, points, settings{"data_dir": filepath.Join(t.TempDir(), "data")}, childPlan{Steps: true})
	})
	t.Run("postgres", func(t *testing.T) {
		pg := storetest.StartPostgres(t, "")
		database := pg.Database(t)
		dir, err := os.MkdirTemp("/tmp", "px")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		s := settings{"data_dir": filepath.Join(t.TempDir(), "data")}
		s["database.url_file"] = urlFile(t, database)
		// The server reaches the database through a proxy of its own, the test without one.
		child := settings{"database.url_file": urlFile(t, strings.Replace(database, url.QueryEscape(pg.Dir), url.QueryEscape(dir), 1))}
		killEverywhereBut(t, points, s, child, childPlan{Steps: true, Socket: pg.Socket(), Dir: dir})
	})
}

func urlFile(t testing.TB, database string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(name, []byte(database+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func killEverywhere(t *testing.T, points int, s settings, plan childPlan) {
	t.Helper()
	killEverywhereBut(t, points, s, nil, plan)
}

func killEverywhereBut(t *testing.T, points int, s, child settings, plan childPlan) {
	t.Helper()
	up := clinic(t)
	s["upstream.base"] = up.URL + "/fhir"
	serverSettings := settings{}
	for _, m := range []settings{s, child} {
		for k, v := range m {
			serverSettings[k] = v
		}
	}
	start := func() *process {
		if plan.Dir != "" {
			_ = os.Remove(filepath.Join(plan.Dir, ".s.PGSQL.5432"))
		}
		return startProcess(t, serverSettings, plan)
	}
	body := `{"resourceType":"Parameters","parameter":[{"name":"onUnsupported","valueCode":"remove"}]}`
	ask := func(p *process, key string) (got, error) {
		return send(t.Context(), "POST", p.base+"/Patient/p1/$deidentify", body, "Idempotency-Key", key)
	}

	// A request that is let be shows how many points there are.
	p := start()
	p.ask(t, "arm -1")
	before := len(up.requests())
	first, err := ask(p, "first")
	if err != nil || first.status != 200 {
		t.Fatalf("%d %.300s %v", first.status, first.body, err)
	}
	var steps int
	fmt.Sscanf(p.ask(t, "count"), "steps %d", &steps)
	reads := len(up.requests()) - before
	if steps < 10 || reads < 6 {
		t.Fatalf("%d steps on the database, %d requests to the upstream", steps, reads)
	}
	var request, transaction []killPoint
	for n := range 4 {
		request = append(request, killPoint{"body", n})
	}
	for n := range reads {
		request = append(request, killPoint{"upstream", n})
	}
	request = append(request, killPoint{"answered", 0})
	for n := range steps {
		transaction = append(transaction, killPoint{"step", n + 1})
	}
	part := min(len(request), points/2)
	chosen := append(spread(request, part), spread(transaction, points-part)...)
	p.kill()
	answered := [][]string{keptOf(first)}
	requests := 1
	died := map[string]int{}
	for n, point := range chosen {
		key := fmt.Sprintf("key-%d", n)
		p := start()
		r, err := dieAt(t, p, up, point, body, key, ask)
		p.kill()
		died[point.kind]++
		if err == nil {
			if r.status != 200 {
				t.Fatalf("%v: %d %.300s", point, r.status, r.body)
			}
			answered = append(answered, keptOf(r))
		}
		k := look(t, s)
		if k.provenances != requests && k.provenances != requests+1 || err == nil && k.provenances != requests+1 {
			t.Fatalf("%v: %d requests left something, want %d or one more", point, k.provenances, requests)
		}
		// The client asks again.
		p = start()
		again, err := ask(p, key)
		if err != nil || again.status != 200 {
			t.Fatalf("%v, again: %d %.300s %v", point, again.status, again.body, err)
		}
		if r.status == 200 && string(again.body) != string(r.body) {
			t.Errorf("%v: the second answer differs from the first", point)
		}
		if code := p.stop(); code != 0 {
			t.Errorf("%v: exit code %d", point, code)
		}
		requests++
		answered = append(answered, keptOf(again))
		k = look(t, s)
		if k.provenances != requests {
			t.Fatalf("%v: after the repetition %d requests left something, want %d", point, k.provenances, requests)
		}
		for _, ids := range answered {
			for _, id := range ids {
				if !slices.Contains(k.ids, id) {
					t.Fatalf("%v: %s was answered and is lost", point, id)
				}
			}
		}
		mustHoldNoPHI(t, "log", p.log.String())
	}
	searchFolder(t, filepath.Dir(s["data_dir"]))
	t.Logf("killed at %v, of %d points in the request and %d in the transaction", died, len(request), len(transaction))
}

// spread takes that many of a list, evenly, the last among them.
func spread(list []killPoint, many int) (out []killPoint) {
	for n := range many {
		out = append(out, list[(n+1)*len(list)/many-1])
	}
	return out
}

// dieAt sends a request and kills the server at the point. An error says that there was no whole answer.
func dieAt(t *testing.T, p *process, up *upstreamServer, at killPoint, body, key string, ask func(*process, string) (got, error)) (got, error) {
	t.Helper()
	switch at.kind {
	case "body":
		u, _ := url.Parse(p.base)
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		text := fmt.Sprintf("POST %s/Patient/p1/$deidentify HTTP/1.1\r\nHost: %s\r\nContent-Type: application/fhir+json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", u.Path, u.Host, key, len(body), body)
		fmt.Fprint(conn, text[:len(text)*(at.n+1)/5])
		p.kill()
		_, err = io.ReadAll(conn)
		return got{}, errors.Join(err, errors.New("killed"))
	case "upstream":
		var mu sync.Mutex
		seen := 0
		up.onRequest(func(string) {
			mu.Lock()
			defer mu.Unlock()
			if seen == at.n {
				p.kill()
			}
			seen++
		})
		defer up.onRequest(nil)
	case "step":
		p.ask(t, fmt.Sprintf("arm %d", at.n))
	}
	return ask(p, key)
}

// keptOf gives the references of what an answer says is kept.
func keptOf(r got) (ids []string) {
	for _, typ := range []string{"Observation", "Provenance"} {
		for _, id := range r.ids(typ) {
			ids = append(ids, typ+"/"+id)
		}
	}
	return ids
}

func mustHoldNoPHI(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range []string{"Quittenbaum", "Ottokarius", "1951-03-04", "04.03.1951"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s: holds %s", what, secret)
		}
	}
}

// searchFolder reads every file in a folder, the temporary ones of the server among them.
func searchFolder(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "testscript-main") {
			return filepath.SkipDir // a copy of this program, names and all
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		mustHoldNoPHI(t, filepath.Base(path), string(data)+path)
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were searched, %v", files, err)
	}
}

// TestDatabaseGone takes PostgreSQL away and gives it back.
func TestDatabaseGone(t *testing.T) {
	pg := storetest.StartPostgres(t, "")
	up := clinic(t)
	s := settings{"upstream.base": up.URL + "/fhir", "data_dir": filepath.Join(t.TempDir(), "data"), "database.url_file": urlFile(t, pg.Database(t))}
	p := startProcess(t, s, childPlan{})
	ask := func() got { return mustSend(t, "POST", p.base+"/Patient/p1/$deidentify", "") }
	health := func(path string) int { return mustSend(t, "GET", strings.TrimSuffix(p.base, "/fhir")+path, "").status }
	if r := ask(); r.status != 200 || health("/readyz") != 200 {
		t.Fatalf("before: %d %.300s", r.status, r.body)
	}
	pg.Stop() // every request before is answered
	for range 3 {
		if r := ask(); r.status != 503 || r.issue() != "no-store" || r.header.Get("Retry-After") == "" || len(r.ids("Patient")) > 0 {
			t.Errorf("while it is gone: %d %.300s", r.status, r.body)
		}
	}
	if health("/readyz") != 503 || health("/healthz") != 200 {
		t.Error("the server lives, but is not ready")
	}
	if r := mustSend(t, "GET", p.base+"/Observation", ""); r.status != 503 {
		t.Errorf("results while it is gone: %d", r.status)
	}
	pg.Start(t)
	if r := ask(); r.status != 200 || health("/readyz") != 200 {
		t.Errorf("back again: %d %.300s", r.status, r.body)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if k := look(t, s); k.provenances != 2 {
		t.Errorf("%d requests left something", k.provenances)
	}
	mustHoldNoPHI(t, "log", p.log.String())
}

// smallDisk mounts a file system of that many bytes, which takes root.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", bytes)); err != nil {
		t.Skipf("SKIP disk full: no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// TestDiskFull fills the disk of the database under a running server, and makes room again.
func TestDiskFull(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		disk := smallDisk(t, 4<<20)
		diskFull(t, disk, settings{"data_dir": filepath.Join(disk, "data")})
	})
	t.Run("postgres", func(t *testing.T) {
		disk := smallDisk(t, 160<<20)
		pg := storetest.StartPostgres(t, disk)
		diskFull(t, disk, settings{"data_dir": filepath.Join(t.TempDir(), "data"), "database.url_file": urlFile(t, pg.Database(t))})
	})
}

func diskFull(t *testing.T, disk string, s settings) {
	t.Helper()
	up := clinic(t)
	s["upstream.base"] = up.URL + "/fhir"
	p := startProcess(t, s, childPlan{Temp: t.TempDir()})
	ask := func() got { return mustSend(t, "POST", p.base+"/Patient/p1/$deidentify", "") }
	if r := ask(); r.status != 200 {
		t.Fatalf("before: %d %.300s", r.status, r.body)
	}
	answered := 1
	empty, err := storetest.Fill(disk)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := 0; n < 400 && refused < 3; n++ { // there may be room in files that are there already
		switch r := ask(); {
		case r.status == 200:
			answered++
		case r.status == 503 && (r.issue() == "no-store" || r.issue() == "timeout") && len(r.ids("Patient")) == 0:
			refused++
		default:
			t.Fatalf("full: %d %.300s", r.status, r.body)
		}
	}
	if refused == 0 {
		t.Fatal("the disk did not get full")
	}
	empty()
	back := ask()
	for n := 0; n < 100 && back.status == 503; n++ { // a PostgreSQL that had no room for its log starts itself anew
		time.Sleep(100 * time.Millisecond)
		back = ask()
	}
	if back.status != 200 {
		t.Fatalf("room again: %d %.300s\n%s", back.status, back.body, p.log)
	}
	answered++
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if k := look(t, s); k.provenances != answered {
		t.Errorf("%d requests were answered, %d left something", answered, k.provenances)
	}
	mustHoldNoPHI(t, "log", p.log.String())
}

// TestUpstreamHangs: a server that does not answer costs one request its time, and no other anything.
func TestUpstreamHangs(t *testing.T) {
	up := clinic(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	up.set("/fhir/Patient/stuck", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	s := settings{"upstream.base": up.URL + "/fhir", "upstream.timeout": "300ms", "upstream.retries": "3", "data_dir": filepath.Join(t.TempDir(), "data")}
	p := startProcess(t, s, childPlan{})
	if r := mustSend(t, "POST", p.base+"/Patient/stuck/$deidentify", ""); r.status != 504 || r.issue() != "timeout" {
		t.Errorf("%d %.300s", r.status, r.body)
	}
	asked := 0
	for _, path := range up.requests() {
		if path == "/fhir/Patient/stuck" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
	s["upstream.timeout"] = "1m"
	s["limits.concurrent"], s["limits.timeout"], s["shutdown"] = "2", "2m", "100ms"
	s["data_dir"] = filepath.Join(t.TempDir(), "data")
	p = startProcess(t, s, childPlan{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stuck := make(chan struct{})
	var once sync.Once
	up.onRequest(func(path string) {
		if path == "/fhir/Patient/stuck" {
			once.Do(func() { close(stuck) })
		}
	})
	go func() { _, _ = send(ctx, "POST", p.base+"/Patient/stuck/$deidentify", "") }()
	<-stuck
	if r := mustSend(t, "POST", p.base+"/Patient/p1/$deidentify", ""); r.status != 200 {
		t.Errorf("beside it: %d %.300s", r.status, r.body)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("a request that hangs keeps the server from stopping in order: exit code %d", code)
	}
}

// TestDamagedPack: a model pack in which one byte is another is refused when the server starts, and named.
func TestDamagedPack(t *testing.T) {
	packs := filepath.Join("..", "..", "models", "packs")
	names, err := filepath.Glob(filepath.Join(packs, "*", models.ManifestFile))
	if err != nil || len(names) == 0 {
		t.Skip("SKIP damaged pack: there is no model pack here")
	}
	from := filepath.Dir(names[0])
	dir := t.TempDir()
	to := filepath.Join(dir, filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "*"))
	if err != nil {
		t.Fatal(err)
	}
	largest, size := "", int64(0)
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Size() > size {
			largest, size = f, info.Size()
		}
	}
	f, err := os.OpenFile(largest, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, size/2); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b, size/2); err != nil {
		t.Fatal(err)
	}
	p, err := tryProcess(t, settings{"models.use": filepath.Base(from), "models.dirs": dir}, childPlan{})
	if err == nil {
		t.Fatal("the server started with a damaged pack")
	}
	if log := p.log.String(); !strings.Contains(log, filepath.Base(largest)) && !strings.Contains(log, filepath.Base(from)) {
		t.Errorf("the pack is not named: %s", log)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != exitError {
		t.Errorf("exit code %d", code)
	}
}

// TestSlowHeaders: a client that does not finish its headers is cut off, and costs the others nothing.
func TestSlowHeaders(t *testing.T) {
	p := startProcess(t, settings{"limits.read_header": "300ms"}, childPlan{})
	u, _ := url.Parse(p.base)
	var slow []net.Conn
	for range 50 {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		slow = append(slow, conn)
	}
	if r := mustSend(t, "POST", p.base+"/$deidentify", thePatient); r.status != 200 {
		t.Errorf("beside them: %d %.300s", r.status, r.body)
	}
	for _, conn := range slow {
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) { // returns when the server closes
			t.Errorf("%v", err)
		}
	}
}
