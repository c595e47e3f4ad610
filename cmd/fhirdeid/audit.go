package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fhirdeid/fhir/deidentify"
)

func newErase(a *app) *cobra.Command {
	var patient, project string
	c := &cobra.Command{
		Use:   "erase --patient REFERENCE",
		Short: "Delete all that is kept about a patient: lineage, results, profile",
		Long: `The patient is named the way requests name it: the reference of the Patient (Patient/123), with the server's base where
it was pulled (https://server/fhir/Patient/123), or the value of the configured identifier system. What is kept is found
by keyed hash. The audit trail keeps that something was erased, not for whom.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if patient == "" {
				return usage("--patient is needed")
			}
			return a.erase(cmd.Context(), patient, project)
		},
	}
	c.Flags().StringVar(&patient, "patient", "", "canonical id of the patient")
	c.Flags().StringVar(&project, "context", "", "project; empty: the configured one")
	return c
}

func (a *app) erase(ctx context.Context, patient, project string) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	if project == "" {
		project = cfg.Context
	}
	rt := &program{cfg: cfg}
	defer func() { _ = rt.Close() }()
	if rt.master, err = a.masterKey(cfg); err != nil {
		return err
	}
	if err := rt.openStore(ctx, programOptions{}); err != nil {
		return err
	}
	erased, err := rt.db.Erase(ctx, deidentify.SubjectHash(rt.master, project, patient), "command line", time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "erased: %d lineage, %d results, %d profile entries\n", erased.Lineage, erased.Results, erased.Profile)
	if erased.Lineage+erased.Results+erased.Profile == 0 {
		return errors.New("nothing was kept about this patient in this project")
	}
	return nil
}

func newAudit(a *app) *cobra.Command {
	c := &cobra.Command{Use: "audit", Short: "Check the audit trail"}
	c.AddCommand(&cobra.Command{
		Use: "verify", Short: "Check that no entry of the trail was changed, left out or moved", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.config(nil)
			if err != nil {
				return err
			}
			rt := &program{cfg: cfg}
			defer func() { _ = rt.Close() }()
			if rt.master, err = a.masterKey(cfg); err != nil {
				return err
			}
			if err := rt.openStore(cmd.Context(), programOptions{}); err != nil {
				return err
			}
			entries, head, err := rt.db.VerifyAudit(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%d entries, chain intact, head %s\n", entries, hex.EncodeToString(head))
			return err
		},
	})
	return c
}
