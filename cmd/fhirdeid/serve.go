package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
	"fhirdeid/fhir/store"
)

func newServe(a *app) *cobra.Command {
	var listen, admin string
	c := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := map[string]any{}
			for key, value := range map[string]string{"listen": listen, "admin": admin} {
				if value != "" {
					flags[key] = value
				}
			}
			cfg, err := a.config(flags)
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), cfg)
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "public address, host:port (port 0: any free one)")
	c.Flags().StringVar(&admin, "admin", "", "address of metrics and health")
	return c
}

func (a *app) serve(ctx context.Context, cfg config.Config) error {
	log := logger(cfg.Log, a.stderr)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	base := cfg.BaseURL
	if base == "" {
		base = "http://" + listener.Addr().String() + "/fhir"
	}
	rt, err := a.program(ctx, cfg, programOptions{serving: true, log: log})
	if err != nil {
		return err
	}
	defer func() { _ = rt.Close() }()
	background, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := a.server(background, cfg, rt, base, log)
	if err != nil {
		return err
	}
	if cfg.NoAuth() {
		log.Warn("AUTHENTICATION IS OFF: whoever reaches this address may use the server", "listen", listener.Addr().String())
	}
	public := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: cfg.Limits.ReadHeader, ReadTimeout: cfg.Limits.ReadHeader + cfg.Limits.ReadBody,
		WriteTimeout: cfg.Limits.ReadHeader + cfg.Limits.ReadBody + cfg.Limits.Timeout + 30*time.Second,
		IdleTimeout:  90 * time.Second, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(discardText{log.Handler()}, slog.LevelDebug),
	}
	failed := make(chan error, 2)
	go func() { failed <- public.Serve(listener) }()
	servers := []*http.Server{public}
	adminAddress := ""
	if cfg.Admin != "" {
		adminListener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Admin)
		if err != nil {
			return err
		}
		adminServer := &http.Server{Handler: s.AdminHandler(), ReadHeaderTimeout: cfg.Limits.ReadHeader, ErrorLog: public.ErrorLog}
		go func() { failed <- adminServer.Serve(adminListener) }()
		servers = append(servers, adminServer)
		adminAddress = adminListener.Addr().String()
	}
	log.Info("ready", "base", base, "admin", adminAddress, "version", version)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "seconds", cfg.Shutdown.Seconds())
	rt.draining.Store(true)
	grace, cancel := context.WithTimeout(context.Background(), cfg.Shutdown)
	defer cancel()
	for _, server := range servers {
		if err := server.Shutdown(grace); err != nil {
			_ = server.Close()
		}
	}
	log.Info("stopped")
	return nil
}

// discardText keeps what net/http itself would log, which can quote a request, to the fact that something was said.
type discardText struct{ slog.Handler }

func (h discardText) Handle(ctx context.Context, r slog.Record) error {
	return h.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "connection error", 0))
}

func (a *app) server(ctx context.Context, cfg config.Config, rt *program, base string, log *slog.Logger) (*server.Server, error) {
	parsed, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	o := server.Options{
		Operation: rt.service, Results: results{rt.db}, Auditor: rt.db,
		Base: base, Prefix: strings.TrimSuffix(parsed.Path, "/"), Log: log,
		Metrics: server.NewMetrics(version), Ready: rt.ready, Tracer: rt.tracer,
		Limits: server.Limits{
			Body: cfg.Limits.BodyBytes, Bodies: cfg.Limits.Bodies,
			BodyTime: cfg.Limits.ReadBody, BodyGrace: cfg.Limits.BodyGrace, BodyRate: cfg.Limits.BodyRate,
			Depth: cfg.Limits.Depth, Timeout: cfg.Limits.Timeout,
			Concurrent: cfg.Limits.Concurrent, Queue: cfg.Limits.Queue, Rate: cfg.Limits.Rate, Burst: cfg.Limits.Burst,
		},
	}
	if cfg.Upstream.Base != "" {
		o.Pulling = asCaller
	}
	if o.Claims, err = newClaims(rt); err != nil {
		return nil, err
	}
	definitions := fhir.OperationDefinitions(base)
	o.Definitions = map[string]*fhir.Node{}
	for _, d := range definitions {
		o.Definitions[d.Text("id")] = d
	}
	o.Capability = func() *fhir.Node { return capability(cfg, base) }
	if !cfg.NoAuth() {
		client, err := httpClient(cfg.Auth.CAFile, 5*time.Second)
		if err != nil {
			return nil, err
		}
		if o.Auth, err = server.NewVerifier(ctx, server.VerifierOptions{
			Issuer: cfg.Auth.Issuer, Audience: cfg.Auth.Audience, JWKS: cfg.Auth.JWKS, Algorithms: cfg.Auth.Algorithms, Client: client,
		}); err != nil {
			return nil, err
		}
		o.SMART = server.SMARTConfiguration(cfg.Auth.Issuer, cfg.Auth.JWKS, cfg.Auth.Algorithms)
	}
	return server.New(o), nil
}

// httpClient trusts the system's authorities, and those of a file if one is given.
func httpClient(caFile string, timeout time.Duration) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, err
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, errors.New("ca_file holds no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport, Timeout: timeout}, nil
}

func logger(cfg config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Level)) // validated
	o := &slog.HandlerOptions{Level: level}
	if cfg.Format == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

// results lets the server read the store.
type results struct{ db *store.DB }

func (r results) Read(ctx context.Context, resourceType, id string) ([]byte, error) {
	found, err := r.db.Resource(ctx, resourceType, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, deidentify.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", deidentify.ErrStore, err)
	}
	return found.JSON, nil
}

func (r results) Search(ctx context.Context, q server.Query) (server.Page, error) {
	page, err := r.db.Search(ctx, store.Query{
		Type: q.Type, ID: q.ID, Subject: q.Subject, Focus: q.Focus, Target: q.Target, After: q.After, Limit: q.Count,
	})
	if err != nil {
		return server.Page{}, fmt.Errorf("%w: %w", deidentify.ErrStore, err)
	}
	out := server.Page{Total: page.Total, Next: page.Next}
	for _, s := range page.Resources {
		out.Resources = append(out.Resources, s.JSON)
	}
	return out, nil
}

func newHealth(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Ask the running server whether it lives (for container health checks)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.config(nil)
			if err != nil {
				return err
			}
			host, port, err := net.SplitHostPort(cfg.Listen)
			if err != nil {
				return err
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1"
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
			if err != nil {
				return err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return errors.New("the server does not answer")
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				return errors.New("the server is not well")
			}
			return nil
		},
	}
}
