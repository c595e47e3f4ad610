package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"fhirdeid/fhir/deidentify"
)

type deidentifyFlags struct {
	out, policy, method, context, language, onUnsupported, patient string
	force, noProgress                                              bool
	pipeline                                                       pipelineFlags
}

func newDeidentify(a *app) *cobra.Command {
	var f deidentifyFlags
	c := &cobra.Command{
		Use:   "deidentify FILE|DIR|-...",
		Short: "De-identify files: FHIR JSON and NDJSON, text, HTML, RTF, DOCX, PDF, CDA",
		Long: `Writes one de-identified file for each input into --out, under a neutral name (000001.json …), since file names hold
names of patients; beside it a .results.ndjson with Provenance and risk Observations. The list of which output came from
which input is kept beside the input, never in the output. A single input without --out goes to standard output.

A second run with the same inputs, settings and output goes on where the first one stopped. Inputs that fail are listed,
nothing of them is written, and the exit code is 3.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.deidentify(cmd.Context(), f, args) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the output")
	c.Flags().StringVar(&f.policy, "policy", "", "policy; see fhirdeid policy list")
	c.Flags().StringVar(&f.method, "method", "", "surrogate, tag, redact, mask or category instead of the policy's actions")
	c.Flags().StringVar(&f.context, "context", "", "project; another project gives other pseudonyms")
	c.Flags().StringVar(&f.language, "lang", "", "de, en or auto")
	c.Flags().StringVar(&f.onUnsupported, "on-unsupported", "error", "error or remove: what becomes of attachments that cannot be read")
	c.Flags().StringVar(&f.patient, "patient", "", "FHIR Patient or Bundle (JSON) that says whose documents these are")
	c.Flags().BoolVar(&f.force, "force", false, "do again what was done before")
	c.Flags().BoolVar(&f.noProgress, "no-progress", false, "no progress on standard error")
	f.pipeline.register(c)
	return c
}

func (a *app) deidentify(ctx context.Context, f deidentifyFlags, args []string) error {
	if !slices.Contains([]string{"", "surrogate", "tag", "redact", "mask", "category", "keep-category"}, f.method) {
		return usage("--method must be surrogate, tag, redact, mask or category")
	}
	if !slices.Contains([]string{"error", "remove"}, f.onUnsupported) {
		return usage("--on-unsupported must be error or remove")
	}
	if !slices.Contains([]string{"", "auto", "de", "en"}, f.language) {
		return usage("--lang must be de, en or auto")
	}
	inputs, err := findInputs(args)
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return errors.New("there is no file to de-identify")
	}
	if f.out == "" && len(inputs) > 1 {
		return usage("more than one input needs --out")
	}
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	f.pipeline.apply(&cfg)
	rt, err := a.program(ctx, cfg, programOptions{flags: f.pipeline})
	if err != nil {
		return err
	}
	defer func() { _ = rt.Close() }()
	people := newPeople()
	if f.patient != "" {
		if err := people.addFile(f.patient); err != nil {
			return fmt.Errorf("--patient: %w", err)
		}
		people.everyone = true
	}
	w := worker{
		service: rt.service, people: people,
		request: deidentify.Request{
			Policy: f.policy, Method: f.method, Context: f.context, Language: f.language, OnUnsupported: f.onUnsupported,
			IncludeProvenance: true, IncludeRisk: true, Raw: true, Trusted: true,
		},
	}
	if f.out == "" {
		return a.toStdout(ctx, w, inputs[0])
	}
	settings, err := a.settingsHash(f, cfg, rt)
	if err != nil {
		return err
	}
	return a.toFolder(ctx, w, f, inputs, settings)
}

// toStdout writes the one output to standard output; what belongs beside it is in the store.
func (a *app) toStdout(ctx context.Context, w worker, in input) error {
	data, err := in.read(a.stdin)
	if err != nil {
		return err
	}
	w.people.add(in, data)
	out, err := w.do(ctx, in, data)
	if err != nil {
		return err
	}
	if _, err := a.stdout.Write(out.data); err != nil {
		return err
	}
	for _, line := range out.failedLines {
		fmt.Fprintf(a.stderr, "line %d: %s\n", line.number, line.reason)
	}
	if len(out.failedLines) > 0 {
		return codedError{code: exitItemsFailed}
	}
	return nil
}

// toFolder works through all inputs, in their order, and keeps the list of what is done.
func (a *app) toFolder(ctx context.Context, w worker, f deidentifyFlags, inputs []input, settings string) error {
	if err := os.MkdirAll(f.out, 0o700); err != nil {
		return err
	}
	list, err := openManifest(manifestPath(inputs[0]), f.out, settings, f.force)
	if err != nil {
		return err
	}
	defer func() { _ = list.Close() }()
	// First the persons of all files: a note in one file is about a Patient in another.
	for i, in := range inputs {
		if !in.fhir() {
			continue
		}
		data, err := in.read(a.stdin)
		if err == nil {
			w.people.add(in, data)
		}
		if in.name == "-" { // cannot be read twice
			inputs[i].data, inputs[i].failed = data, err
		}
	}
	progress := newProgress(a.stderr, len(inputs), f.noProgress)
	failed := 0
	for i, in := range inputs {
		if ctx.Err() != nil {
			progress.done()
			return ctx.Err()
		}
		ok, err := a.oneFile(ctx, w, list, in, f.out)
		if err != nil {
			progress.done()
			return err
		}
		if !ok {
			failed++
		}
		progress.step(i+1, failed)
	}
	progress.done()
	if failed > 0 {
		for _, e := range list.failures(inputs) {
			fmt.Fprintln(a.stderr, e)
		}
		return codedError{exitItemsFailed, fmt.Errorf("%d of %d inputs failed, in whole or in part; nothing of what failed was written", failed, len(inputs))}
	}
	if !f.noProgress {
		fmt.Fprintf(a.stderr, "%d of %d inputs done; the manifest beside the input says which output came from which\n", len(inputs), len(inputs))
	}
	return nil
}

// oneFile does one input; ok is false when it, or lines of it, failed. An error is one of the machine.
func (a *app) oneFile(ctx context.Context, w worker, list *manifest, in input, out string) (ok bool, err error) {
	data, err := in.read(a.stdin)
	hash := contentHash(data)
	if err == nil && list.done(in.name, hash, out) {
		return true, nil
	}
	number := list.number(in.name)
	var result output
	if err == nil {
		result, err = w.do(ctx, in, data)
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		if err := list.withdraw(in.name, out); err != nil {
			return false, err
		}
		return false, list.add(entry{Input: in.name, Hash: hash, Number: number, Error: reasonOf(err)})
	}
	name := fmt.Sprintf("%06d%s", number, result.extension)
	if err := writeFile(filepath.Join(out, name), result.data); err != nil {
		return false, err
	}
	if old := list.entries[in.name]; old.Output != "" && old.Output != name {
		if err := list.withdraw(in.name, out); err != nil { // the content came out as another kind of file before
			return false, err
		}
	}
	e := entry{Input: in.name, Hash: hash, Number: number, Output: name}
	if len(result.results) > 0 {
		e.Results = fmt.Sprintf("%06d.results.ndjson", number)
		if err := writeFile(filepath.Join(out, e.Results), result.results); err != nil {
			return false, err
		}
	}
	for _, line := range result.failedLines {
		e.Lines = append(e.Lines, fmt.Sprintf("%d: %s", line.number, line.reason))
	}
	return len(e.Lines) == 0, list.add(e)
}

// writeFile writes to a temporary file first, so that half a file never has the name of a whole one.
func writeFile(name string, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(name), ".part-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(part.Name()) }()
	_, err = part.Write(data)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}
