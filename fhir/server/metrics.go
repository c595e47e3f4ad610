package server

import (
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics counts what the server does. No label holds anything of a request but the route's template, the method and
// the status.
type Metrics struct {
	Registry *prometheus.Registry

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	refused   *prometheus.CounterVec
	documents *prometheus.CounterVec
	entities  *prometheus.CounterVec
}

// NewMetrics makes the metrics of one server.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fhirdeid_http_requests_total", Help: "Requests by route template, method and status.",
		}, []string{"route", "method", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fhirdeid_http_request_duration_seconds", Help: "Time to answer, by route template.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fhirdeid_http_requests_in_flight", Help: "Requests being worked on or waiting.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fhirdeid_http_requests_refused_total", Help: "Requests refused before any work, by reason.",
		}, []string{"reason"}),
		documents: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fhirdeid_documents_total", Help: "Requests to de-identify, by outcome (success or FHIR issue type).",
		}, []string{"outcome"}),
		entities: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fhirdeid_elements_changed_total", Help: "Elements changed, by action.",
		}, []string{"action"}),
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "fhirdeid_build_info", Help: "Version of the program.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": goVersion()},
	}, func() float64 { return 1 })
	m.Registry.MustRegister(m.requests, m.durations, m.inFlight, m.refused, m.documents, m.entities, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func goVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.GoVersion
	}
	return "unknown"
}

func (m *Metrics) answered(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, knownMethod(method), strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

// knownMethod keeps a made-up method from becoming a label.
func knownMethod(method string) string {
	switch method {
	case "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH":
		return method
	}
	return "other"
}
