package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fhirdeid/config"
	"fhirdeid/fhir/server"
	"fhirdeid/pipeline"
)

// harness is the whole program behind its HTTP handler, wired as serve wires it, with everything that it writes in
// folders of its own.
type harness struct {
	app     *app
	rt      *program
	server  *server.Server
	handler http.Handler
	cfg     config.Config
	logs    *lockedBuffer
	dir     string // database and key
	temp    string // what programs think is the temp folder
}

// lockedBuffer is a buffer that many may write to at once.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newHarness starts the program with the settings given, on top of the defaults without model packs. Further detectors
// read beside the built-in ones.
func newHarness(t testing.TB, settings map[string]any, detectors ...pipeline.Detector) *harness {
	t.Helper()
	h := &harness{logs: &lockedBuffer{}, dir: t.TempDir(), temp: t.TempDir()}
	t.Setenv("TMPDIR", h.temp)
	h.app = &app{stdin: strings.NewReader(""), stdout: h.logs, stderr: h.logs}
	flags := map[string]any{"data_dir": h.dir, "models.use": "none", "log.level": "debug"}
	for k, v := range settings {
		flags[k] = v
	}
	var err error
	if h.cfg, err = h.app.config(flags); err != nil {
		t.Fatal(err)
	}
	log := logger(h.cfg.Log, h.logs)
	if h.rt, err = h.app.program(t.Context(), h.cfg, programOptions{serving: true, log: log}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.rt.Close() })
	h.rt.pipeline.Detectors = append(h.rt.pipeline.Detectors, detectors...)
	if h.server, err = h.app.server(context.Background(), h.cfg, h.rt, "http://127.0.0.1/fhir", log); err != nil {
		t.Fatal(err)
	}
	h.handler = h.server.Handler()
	return h
}

// do sends one request. The path is below the base.
func (h *harness) do(ctx context.Context, method, path string, header map[string]string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1/fhir/"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/fhir+json")
	for k, v := range header {
		if v == "" {
			r.Header.Del(k)
			continue
		}
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

// metrics is what the admin port says.
func (h *harness) metrics() string {
	w := httptest.NewRecorder()
	h.server.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// files reads everything below a folder, names included.
func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
