package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"fhirdeid/fhir"
	"fhirdeid/fhir/store"
	"fhirdeid/fhir/store/storetest"
	"fhirdeid/testdata/canary"
)

// collector takes traces as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	body strings.Builder
}

func newCollector(t testing.TB) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprintf(&c.body, "%s %v\n%s\n", r.URL.Path, r.Header, b)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) String() string { c.mu.Lock(); defer c.mu.Unlock(); return c.body.String() }

// disguises are the forms in which a secret may stand somewhere.
func disguises(secret string) []string {
	list := []string{secret, hex.EncodeToString([]byte(secret)), url.QueryEscape(secret)}
	for shift := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret + "\x00\x00"))
		list = append(list, whole[4:len(whole)-8]) // without what its neighbours change
	}
	return list
}

// TestCanariesThroughTheServer fills requests of every kind with secrets, sends them to a server in a process of its own,
// and searches all that comes out and all that stays: answers, access log, metrics, traces, the database as a dump, and
// every file. FHIRDEID_CANARIES is the number of rounds.
func TestCanariesThroughTheServer(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		flock(t, settings{"data_dir": dir}, func() string { return dumpSQLite(t, dir) })
	})
	t.Run("postgres", func(t *testing.T) {
		pg := storetest.StartPostgres(t, "")
		database := pg.Database(t)
		s := settings{"data_dir": filepath.Join(t.TempDir(), "data"), "database.url_file": urlFile(t, database)}
		flock(t, s, func() string { return pg.Dump(t, database) })
	})
}

func flock(t *testing.T, s settings, dump func() string) {
	t.Helper()
	rounds := environment(t, "FHIRDEID_CANARIES", 8)
	up, traces := newUpstream(t), newCollector(t)
	s["upstream.base"] = up.URL + "/fhir"
	s["telemetry.otlp_endpoint"] = traces.URL + "/v1/traces"
	s["log.level"] = "debug"
	p := startProcess(t, s, childPlan{})
	g := &canary.Generator{Valid: true}
	types := fhir.ResourceTypes()
	var out strings.Builder
	statuses := map[int]int{}
	var kept []string
	call := func(method, path, body string, header ...string) {
		t.Helper()
		if !strings.Contains(path+body+strings.Join(header, " "), canary.Mark) {
			t.Fatalf("%s %s holds no secret", method, path)
		}
		r := mustSend(t, method, p.base+path, body, header...)
		statuses[r.status]++
		if !strings.Contains(path, "?subject=") { // a searchset says to the one who asked what was asked
			fmt.Fprintf(&out, "%v\n%s\n", r.header, r.everything())
		}
		kept = append(kept, r.ids("Provenance")...)
	}
	for n := range rounds {
		bundle := string(g.Bundle(2, types[n*3%len(types)], types[(n*3+1)%len(types)], "Patient", "DocumentReference").Encode())
		secret := g.Word()
		// Taken, under a key and with headers that are secrets themselves.
		call("POST", "/$deidentify?onUnsupported=remove", bundle, "Idempotency-Key", secret, "User-Agent", secret, "Referer", secret,
			"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Baggage", "patient="+secret, "Cookie", secret+"="+secret)
		call("POST", "/$deidentify?onUnsupported=remove", bundle+" ", "Idempotency-Key", secret) // another body: refused
		call("POST", "/$de-identify?onUnsupported=remove&includeRisk=false", bundle)
		// Refused, each in another way.
		call("POST", "/$deidentify?"+secret+"="+secret, bundle)
		call("POST", "/$deidentify?policy="+secret, bundle)
		call("POST", "/$deidentify", bundle[:len(bundle)/2])
		call("POST", "/$deidentify", `{"resourceType":"Patient","`+secret+`":"`+secret+`"}`)
		call("POST", "/"+secret+"/$deidentify", bundle)
		call("POST", "/$deidentify", bundle, "Content-Type", "text/"+secret)
		call("GET", "/Observation?subject="+secret, "")
		call("GET", "/Provenance/"+secret, "")
		// Pulled: found, absent, broken, and none that the upstream should have sent.
		patient := g.Resource("Patient", 2)
		patient.Set("id", fhir.NewString(secret))
		up.set("/fhir/Patient/"+secret, fhirJSON(string(patient.Encode())))
		file := binaryOf("b-"+secret, "Frau "+secret+" und "+g.Address())
		up.set("/fhir/Binary/b-"+secret, fhirJSON(file))
		document := documentOf("d-"+secret, secret, "Binary/b-"+secret)
		up.set("/fhir/DocumentReference/d-"+secret, fhirJSON(document))
		up.set("/fhir/DocumentReference?_count=100&patient="+secret, fhirJSON(bundleOf(document)))
		up.set("/fhir/DocumentReference/broken-"+secret, fhirJSON(`{"resourceType":"DocumentReference","`+secret))
		up.set("/fhir/DocumentReference/error-"+secret, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/fhir+json")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"resourceType":"OperationOutcome","issue":[{"severity":"fatal","code":"exception","diagnostics":%q}]}`, secret)
		})
		call("POST", "/Patient/"+secret+"/$deidentify?onUnsupported=remove", "")
		for _, kind := range []string{"d-", "absent-", "broken-", "error-"} {
			call("POST", "/DocumentReference/"+kind+secret+"/$deidentify?onUnsupported=remove", "")
		}
	}
	if statuses[200] < 3*rounds || statuses[400] < 2*rounds || statuses[403] < rounds || statuses[404] < rounds || statuses[422] < rounds || statuses[502] < 2*rounds {
		t.Errorf("statuses %v", statuses)
	}
	metrics := string(mustSend(t, "GET", p.admin+"/metrics", "").body)
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	text := map[string]string{"answers": out.String(), "log": p.log.String(), "metrics": metrics, "traces": traces.String(), "database": dump()}
	// What is searched is really there.
	if len(kept) < rounds {
		t.Fatalf("%d Provenances", len(kept))
	}
	for where, what := range map[string]string{
		"log": `"route":"/fhir/Patient/:id/$deidentify"`, "metrics": `route="/fhir/Patient/:id/$deidentify"`,
		"traces": "POST /fhir/Patient/:id/$deidentify", "database": kept[0],
	} {
		if !strings.Contains(text[where], what) {
			t.Errorf("%s: no %s, so the search says nothing", where, what)
		}
	}
	for where, text := range text {
		for _, form := range disguises(canary.Mark) {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s: a secret: …%q…", where, text[max(0, at-100):min(len(text), at+60)])
			}
		}
	}
	files := 0
	err := filepath.WalkDir(filepath.Dir(s["data_dir"]), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "testscript-main") {
			return filepath.SkipDir // a copy of this program, secrets and all
		}
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(path+string(data), canary.Mark) {
			t.Errorf("%s holds a secret", filepath.Base(path))
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
	t.Logf("%d secrets in %d requests: %v", g.Secrets, 16*rounds, statuses)
}

// dumpSQLite writes all that the embedded database of a server holds.
func dumpSQLite(t *testing.T, dir string) string {
	t.Helper()
	rt := &program{}
	var err error
	cfg := settings{"data_dir": dir}
	p := openAsServer(t, cfg)
	rt.master = p.master
	p.Close()
	key, err := storageKey(rt.master, "sqlite", store.SQLiteKeySize)
	if err != nil {
		t.Fatal(err)
	}
	db, err := driver.Open("file:"+filepath.Join(dir, "fhirdeid.db")+"?vfs=xts", func(c *sqlite3.Conn) error {
		return c.Exec("PRAGMA hexkey='" + hex.EncodeToString(key) + "'")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	names, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	var out strings.Builder
	for _, table := range tables {
		rows, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				v := *v.(*any)
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				fmt.Fprintf(&out, "%s.%s=%v ", table, columns[i], v)
			}
			out.WriteString("\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
