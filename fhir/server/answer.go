package server

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"fhirdeid/fhir"
)

// serve runs a handler with everything that all routes share: id, headers, time limit, panics, metrics, trace, log.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route string, h handler) {
	start := s.o.Clock()
	id := newRequestID()
	ctx, span := s.o.Tracer.Start(context.WithValue(r.Context(), requestIDKey{}, id), knownMethod(r.Method)+" "+route, trace.WithSpanKind(trace.SpanKindServer))
	defer span.End()
	if s.o.Limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.o.Limits.Timeout)
		defer cancel()
	}
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &pacedBody{ReadCloser: r.Body, deadline: http.NewResponseController(w).SetReadDeadline, start: time.Now(), limits: s.o.Limits}
	}
	s.o.Metrics.inFlight.Inc()
	defer s.o.Metrics.inFlight.Dec()

	header := w.Header()
	header.Set("X-Request-Id", id)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	counted := &countedWriter{ResponseWriter: w}
	err := s.guard(counted, r, h)
	if err != nil && !counted.wrote {
		s.refuse(counted, r, toProblem(err))
	}
	took := s.o.Clock().Sub(start)
	s.o.Metrics.answered(route, r.Method, counted.status, took)
	span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", counted.status))
	s.o.Log.Info("request", "id", id, "route", route, "method", knownMethod(r.Method), "status", counted.status,
		"ms", took.Milliseconds(), "bytes_in", max(0, r.ContentLength), "bytes_out", counted.bytes, "problem", problemCode(err))
}

// guard turns a panic into an error; of the panic only the functions of the stack are logged, never its value.
func (s *Server) guard(w http.ResponseWriter, r *http.Request, h handler) (err error) {
	defer func() {
		if recover() != nil {
			s.o.Log.Error("panic", "id", requestID(r.Context()), "stack", stackFunctions())
			err = problemInternal
		}
	}()
	return h(w, r)
}

func stackFunctions() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	var names []string
	for {
		f, more := frames.Next()
		names = append(names, f.Function+":"+strconv.Itoa(f.Line))
		if !more {
			return strings.Join(names, " < ")
		}
	}
}

type requestIDKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func newRequestID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// countedWriter knows what was answered.
type countedWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
	wrote  bool
}

func (w *countedWriter) WriteHeader(status int) {
	if !w.wrote {
		w.wrote, w.status = true, status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// gzipFrom is the size below which compressing costs more than it saves.
const gzipFrom = 1400

func (s *Server) writeNode(w http.ResponseWriter, r *http.Request, status int, n *fhir.Node) error {
	return s.writeJSON(w, r, status, n.Encode())
}

func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/fhir+json; charset=utf-8")
	h.Add("Vary", "Accept-Encoding, Accept")
	if len(body) >= gzipFrom && wantsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		_, err := z.Write(body)
		return ignoreGone(errors.Join(err, z.Close()))
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, err := w.Write(body)
	return ignoreGone(err)
}

// ignoreGone drops the error of a client that has hung up: there is nobody left to tell.
func ignoreGone(error) error { return nil }

func wantsGzip(r *http.Request) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == "gzip" && strings.ReplaceAll(params, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

// refuse writes a problem, and where the client is still sending reads on for a while.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, p problem) {
	body, more := unread(r)
	if !more {
		s.writeProblem(w, r, p)
		return
	}
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // else nothing could be read once the answer is begun
	w.Header().Set("Connection", "close")
	s.writeProblem(w, r, p)
	_ = control.Flush()
	body.linger()
}

func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, p problem) {
	h := w.Header()
	switch p.status {
	case http.StatusUnauthorized:
		challenge := `Bearer realm="fhirdeid"`
		if p.oauth != "" {
			challenge += `, error="` + p.oauth + `"`
		}
		h.Set("WWW-Authenticate", challenge)
	case http.StatusForbidden:
		if p.oauth != "" {
			h.Set("WWW-Authenticate", `Bearer realm="fhirdeid", error="`+p.oauth+`"`)
		}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
	}
	if p.status == http.StatusRequestTimeout {
		h.Set("Connection", "close") // what is left of the body is not waited for
	}
	_ = s.writeNode(w, r, p.status, p.outcome())
}

// retryAfter is what a client is asked to wait when the server is busy.
const retryAfter = 2 * time.Second
