package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"fhirdeid/config"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/store"
	"fhirdeid/pipeline/phi/lists"
	"fhirdeid/surrogate"
)

// program is the program wired together.
type program struct {
	cfg      config.Config
	pipeline *pipelineParts
	db       *store.DB
	service  *deidentify.Service
	master   []byte
	tracer   oteltrace.Tracer
	draining atomic.Bool
	closers  []func() error
}

// programOptions are what the commands need differently.
type programOptions struct {
	serving   bool // a missing model pack is an error
	log       *slog.Logger
	ephemeral bool // nothing is stored: the demo
	flags     pipelineFlags
}

// Close ends everything in the order opposite to that of its start.
func (rt *program) Close() error {
	var errs []error
	for _, c := range slices.Backward(rt.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// program builds the service from a configuration.
func (a *app) program(ctx context.Context, cfg config.Config, o programOptions) (rt *program, err error) {
	rt = &program{cfg: cfg}
	defer func() {
		if err != nil {
			_ = rt.Close()
		}
	}()
	policies, err := a.policies(cfg)
	if err != nil {
		return rt, err
	}
	if rt.master, err = a.masterKey(cfg); err != nil {
		return rt, err
	}
	o.flags.serving = o.serving
	if rt.pipeline, err = a.pipeline(cfg, o.flags); err != nil {
		return rt, err
	}
	rt.closers = append(rt.closers, rt.pipeline.Close)
	if err := rt.openStore(ctx, o); err != nil {
		return rt, err
	}
	if err := rt.openTracer(ctx); err != nil {
		return rt, err
	}
	options := deidentify.Options{
		Pipeline: rt.pipeline.Pipeline, Policies: policies, DefaultPolicy: cfg.Policy.Default,
		Master: rt.master, Context: cfg.Context,
		Limits:  deidentify.Limits{Text: cfg.Limits.TextBytes},
		Device:  deidentify.DeviceInfo{Name: "fhirdeid", Version: version, Packs: rt.pipeline.packNames(), Lists: lists.Version},
		Clients: grants(cfg), Shift: surrogate.ShiftRange{Days: cfg.Shift.Days, Weeks: cfg.Shift.Weeks},
		AllowLanguages: cfg.AllowAny,
	}
	if rt.db != nil {
		options.Store, options.Profiles, options.Auditor = rt.db, rt.db, rt.db
	}
	if options.Puller, err = puller(ctx, cfg); err != nil {
		return rt, err
	}
	rt.service, err = deidentify.New(options)
	return rt, err
}

// grants lists what each client may choose; the empty name is every client's share.
func grants(cfg config.Config) map[string]deidentify.Grant {
	all := map[string]deidentify.Grant{"": {Policies: cfg.Policy.Allowed, Methods: cfg.Policy.Methods, Contexts: cfg.Policy.Contexts}}
	for name, c := range cfg.Auth.Clients {
		all[name] = deidentify.Grant{
			Policies: slices.Concat(cfg.Policy.Allowed, c.Policies),
			Methods:  slices.Concat(cfg.Policy.Methods, c.Methods),
			Contexts: slices.Concat(cfg.Policy.Contexts, c.Contexts),
		}
	}
	return all
}

func (rt *program) openStore(ctx context.Context, o programOptions) error {
	if o.ephemeral {
		return nil
	}
	auditKey, err := storageKey(rt.master, "audit", 32)
	if err != nil {
		return err
	}
	if file := rt.cfg.Database.URLFile; file != "" {
		url, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
		rt.db, err = store.OpenPostgres(ctx, store.Postgres{URL: strings.TrimSpace(string(url)), AuditKey: auditKey})
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
	} else {
		key, err := storageKey(rt.master, "sqlite", store.SQLiteKeySize)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(rt.cfg.DataDir, 0o700); err != nil {
			return fmt.Errorf("database: %w", err)
		}
		rt.db, err = store.OpenSQLite(ctx, store.SQLite{Path: filepath.Join(rt.cfg.DataDir, "fhirdeid.db"), Key: key, AuditKey: auditKey})
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
	}
	rt.closers = append(rt.closers, rt.db.Close)
	check, err := storageKey(rt.master, "check", 16)
	if err != nil {
		return err
	}
	if err := rt.db.Pin(ctx, "master-key", check); errors.Is(err, store.ErrConflict) {
		return errors.New("database: it belongs to another master key; its pseudonyms would not be this program's")
	} else if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

func (rt *program) openTracer(ctx context.Context) error {
	if rt.cfg.Telemetry.OTLP == "" {
		return nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(rt.cfg.Telemetry.OTLP))
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
	rt.tracer = provider.Tracer("fhirdeid")
	rt.closers = append(rt.closers, func() error { return provider.Shutdown(context.WithoutCancel(ctx)) })
	return nil
}

// ready says whether a request can be answered.
func (rt *program) ready(ctx context.Context) error {
	if rt.draining.Load() {
		return errors.New("stopping")
	}
	if rt.db == nil {
		return nil
	}
	if err := rt.db.Ready(ctx); err != nil {
		return fmt.Errorf("%w: %w", deidentify.ErrStore, err)
	}
	return nil
}
