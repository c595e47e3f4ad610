package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"fhirdeid/config"
	"fhirdeid/fhir/client"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
)

// upstream lets the service read by the client, and gives the client's errors the service's kinds.
type upstream struct{ client *client.Client }

// puller makes the client of the upstream server; nil where none is configured.
func puller(ctx context.Context, cfg config.Config) (deidentify.Puller, error) {
	if cfg.Upstream.Base == "" {
		return nil, nil
	}
	plain, err := httpClient(cfg.Upstream.CAFile, cfg.Upstream.Timeout)
	if err != nil {
		return nil, fmt.Errorf("upstream: %w", err)
	}
	o := client.Options{
		Base: cfg.Upstream.Base, Origins: cfg.Upstream.Origins, AllowPrivate: cfg.Upstream.AllowPrivate,
		Timeout: cfg.Upstream.Timeout, MaxBytes: cfg.Upstream.MaxBytes, Retries: cfg.Upstream.Retries, PassToken: cfg.Upstream.PassToken,
		Transport: plain.Transport.(*http.Transport),
	}
	if cfg.Upstream.TokenURL != "" {
		secret, err := os.ReadFile(cfg.Upstream.ClientSecretFile)
		if err != nil {
			return nil, fmt.Errorf("upstream: client secret: %w", err)
		}
		tokens, err := httpClient(cfg.Upstream.CAFile, 10*time.Second)
		if err != nil {
			return nil, fmt.Errorf("upstream: %w", err)
		}
		o.Token = &client.Credentials{
			URL: cfg.Upstream.TokenURL, ID: cfg.Upstream.ClientID, Secret: strings.TrimSpace(string(secret)), Scope: cfg.Upstream.Scope, Client: tokens,
		}
	}
	c, err := client.New(ctx, o)
	if err != nil {
		return nil, err
	}
	return upstream{c}, nil
}

// asCaller hands on who asks: the token, and the patient that the caller is bound to.
func asCaller(ctx context.Context, who server.Principal) context.Context {
	return client.As(ctx, client.Caller{Token: who.Token, Patient: who.Patient, MayRead: func(resourceType string) bool {
		for _, p := range []server.Permission{server.Read, server.Search} {
			if allowed, patientOnly := who.Scopes.Allow(resourceType, p); !allowed || patientOnly && who.Patient == "" {
				return false
			}
		}
		return true
	}})
}

func (u upstream) Read(ctx context.Context, reference string) (deidentify.Pulled, error) {
	r, err := u.client.Read(ctx, reference)
	if err != nil {
		return deidentify.Pulled{}, pullKind(err)
	}
	return deidentify.Pulled{Resource: r.Node, Base: r.Base}, nil
}

func (u upstream) Documents(ctx context.Context, patient string) ([]deidentify.Pulled, error) {
	found, err := u.client.Documents(ctx, patient)
	if err != nil {
		return nil, pullKind(err)
	}
	list := make([]deidentify.Pulled, len(found))
	for i, r := range found {
		list[i] = deidentify.Pulled{Resource: r.Node, Base: r.Base}
	}
	return list, nil
}

func pullKind(err error) error {
	switch {
	case errors.Is(err, client.ErrForbidden):
		return fmt.Errorf("%w: %w", deidentify.ErrForbidden, err)
	case errors.Is(err, client.ErrNotFound):
		return fmt.Errorf("%w: %w", deidentify.ErrNotFound, err)
	case errors.Is(err, client.ErrTooLarge):
		return fmt.Errorf("%w: %w", deidentify.ErrTooLarge, err)
	case errors.Is(err, client.ErrTimeout):
		return fmt.Errorf("%w: %w", deidentify.ErrTimeout, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: %w", deidentify.ErrUpstream, err)
}
