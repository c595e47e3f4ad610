// Package server puts the operation behind HTTP: routes, tokens, limits, and errors as OperationOutcomes. It is the only
// room that knows HTTP routing, and one of the few that log; what it logs are route templates, codes, counts and times.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// Operation is the use case behind the routes.
type Operation interface {
	Deidentify(ctx context.Context, r deidentify.Request) (*deidentify.Result, error)
}

// Results gives back what earlier requests left: Observations, Provenances and Devices.
type Results interface {
	// Read gives one resource as JSON, or an error that wraps deidentify.ErrNotFound.
	Read(ctx context.Context, resourceType, id string) ([]byte, error)
	// Search gives one page of resources as JSON, oldest first.
	Search(ctx context.Context, q Query) (Page, error)
}

// Page is one page of a search.
type Page struct {
	Resources [][]byte
	Total     int   // of all pages
	Next      int64 // After of the next page; 0 where this is the last
}

// Query is a search over results.
type Query struct {
	Type    string
	Subject string // Patient/… (Observation.subject)
	Focus   string // Observation.focus
	Target  string // Provenance.target
	ID      string
	After   int64 // Next of the page before; 0: from the start
	Count   int
}

// Claims binds the idempotency keys of clients to requests.
type Claims interface {
	// Claim binds a client's key to a request, given as all that decides its answer. A key that was bound to another request
	// gives an error that wraps ErrKeyReused.
	Claim(ctx context.Context, client, key string, request []byte, now time.Time) (Claim, error)
	// Release gives a key back after its request failed.
	Release(ctx context.Context, client, key string, c Claim) error
}

// Claim is a request that has an idempotency key.
type Claim struct {
	ID     string    // of the request; that of the first where this is a repetition
	Time   time.Time // of the first
	Repeat bool
}

// ErrKeyReused says that an idempotency key came with another request before.
var ErrKeyReused = errors.New("idempotency key was used for another request")

// Options lists the parts of a server.
type Options struct {
	Operation Operation
	Results   Results
	Auth      Authenticator      // nil: no authentication
	Auditor   deidentify.Auditor // of what Operation does not see: refusals, and reading of results; nil: none
	Claims    Claims             // nil: idempotency keys are not looked at
	Base      string             // base URL as clients write it, such as http://127.0.0.1:8080/fhir
	Prefix    string             // its path; /fhir if empty
	Limits    Limits
	Log       *slog.Logger
	Metrics   *Metrics
	Tracer    trace.Tracer // nil: none
	Clock     func() time.Time

	// Pulling prepares a request's context for reading from the upstream server: the caller's token, and the patient whose
	// compartment bounds it. Nil: nothing is prepared.
	Pulling func(ctx context.Context, who Principal) context.Context
	// Ready gives an error while a part that every request needs is down. It must not take long.
	Ready func(ctx context.Context) error
	// Capability gives the CapabilityStatement, Definitions the OperationDefinitions by id.
	Capability  func() *fhir.Node
	Definitions map[string]*fhir.Node
	// SMART is the answer of .well-known/smart-configuration; nil: there is none.
	SMART map[string]any
}

// Limits keep one caller from taking the server down.
type Limits struct {
	Body       int64         // bytes of one body, as sent and unpacked
	Bodies     int64         // bytes of all bodies held at a time; 0: no limit
	BodyTime   time.Duration // for a body to arrive; 0: no limit
	BodyGrace  time.Duration // for a body to begin; 0: BodyTime
	BodyRate   int64         // bytes a second that a body must then keep to; 0: no limit
	Depth      int           // of nesting
	Timeout    time.Duration // of one request
	Concurrent int           // requests worked on at a time
	Queue      int           // requests that may wait
	Rate       float64       // requests a second and client; 0: no limit
	Burst      int
}

// Server answers HTTP requests.
type Server struct {
	o     Options
	gate  *gate
	pool  *pool
	rates *rates
	echo  *echo.Echo
}

// New makes the server. Operation, Results, Log and Metrics are required.
func New(o Options) *Server {
	if o.Prefix == "" {
		o.Prefix = "/fhir"
	}
	if o.Tracer == nil {
		o.Tracer = noop.NewTracerProvider().Tracer("")
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Limits.BodyGrace == 0 {
		o.Limits.BodyGrace = o.Limits.BodyTime
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	s := &Server{o: o, gate: newGate(o.Limits.Concurrent, o.Limits.Queue), pool: &pool{limit: o.Limits.Bodies}, rates: newRates(o.Limits.Rate, o.Limits.Burst)}
	s.echo = s.routes()
	return s
}

// Handler answers on the public port.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The router works on the escaped path, and clients write the $ of operations either way.
		if strings.Contains(r.URL.RawPath, "%24") {
			r.URL.RawPath = strings.ReplaceAll(r.URL.RawPath, "%24", "$")
			if r.URL.RawPath == r.URL.Path {
				r.URL.RawPath = ""
			}
		}
		s.echo.ServeHTTP(w, r)
	})
}

// AdminHandler answers on the admin port: metrics and health.
func (s *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.o.Metrics.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /livez", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	return mux
}

func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.routingError
	p := s.o.Prefix

	get := func(path string, h handler) { e.GET(path, s.mount(path, h)) }
	post := func(path string, h handler) { e.POST(path, s.mount(path, h)) }

	get("/healthz", s.plain(s.healthz))
	get("/readyz", s.plain(s.readyz))
	for _, root := range []string{p, ""} {
		get(root+"/.well-known/smart-configuration", s.smart)
		if p == "" {
			break
		}
	}
	get(p+"/metadata", s.metadata)
	get(p+"/OperationDefinition", s.definitions)
	get(p+"/OperationDefinition/:id", s.definition)
	for _, t := range []string{"Observation", "Provenance"} {
		get(p+"/"+t, s.search(t))
		get(p+"/"+t+"/:id", s.read(t))
	}
	get(p+"/Device/:id", s.read("Device"))

	post(p+"/$deidentify", s.byValue("deidentify", "", false))
	post(p+"/$de-identify", s.byValue("de-identify", "", true))
	for _, t := range []string{"DocumentReference", "Binary"} {
		post(p+"/"+t+"/$deidentify", s.byValue("deidentify-document", t, false))
		post(p+"/"+t+"/:id/$deidentify", s.byID("deidentify-document", t))
	}
	post(p+"/Patient/:id/$deidentify", s.byID("deidentify-patient", "Patient"))
	post(p+"/Bundle/$deidentify", s.byValue("deidentify-bundle", "Bundle", false))
	return e
}

// handler answers a request or says why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// mount turns a handler into a route: path values reach r.PathValue, and everything around the answer is the same for
// all routes.
func (s *Server) mount(route string, h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		for i, name := range c.ParamNames() {
			r.SetPathValue(name, c.ParamValues()[i])
		}
		s.serve(c.Response().Writer, r, route, h)
		return nil
	}
}

func (s *Server) plain(h http.HandlerFunc) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h(w, r)
		return nil
	}
}

// routingError answers what no route takes.
func (s *Server) routingError(err error, c echo.Context) {
	problem := problemNotFound
	if he, ok := err.(*echo.HTTPError); ok && he.Code == http.StatusMethodNotAllowed { //nolint:errorlint // echo returns it bare
		problem = problemMethod
		c.Response().Header().Set("Allow", c.Response().Header().Get(echo.HeaderAllow))
	}
	s.serve(c.Response().Writer, c.Request(), "none", func(http.ResponseWriter, *http.Request) error { return problem })
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, "ok")
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.o.Ready(ctx); err != nil {
		s.o.Log.Warn("not ready", "reason", safeReason(err))
		writeHealth(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	writeHealth(w, http.StatusOK, "ready")
}

func writeHealth(w http.ResponseWriter, status int, word string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(word + "\n"))
}
