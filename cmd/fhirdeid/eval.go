package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/spf13/cobra"

	"fhirdeid/fhir"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/phi"
)

type evalFlags struct {
	format, split, lang, out, i2b2, policy string
	offline                                bool
	gate                                   float64
	pipeline                               pipelineFlags
}

func newEval(a *app) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval CORPUS",
		Short: "Score the pipeline on an annotated corpus",
		Long: `Runs the very pipeline that the server runs over a corpus and compares: word recall and precision (a word is a \w+ match,
untyped), strict and relaxed span scores by type, leaks by document, confusion, errors with causes. With --out a JSON and
an HTML report are written, which quote the corpus.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := f.i2b2
			if len(args) == 1 && path == "" {
				path = args[0]
			} else if path == "" || len(args) > 0 {
				return usage("give a corpus, or --i2b2 DIR")
			}
			if f.i2b2 != "" {
				f.format = string(eval.I2B2)
			}
			return a.eval(cmd.Context(), f, path)
		},
	}
	c.Flags().StringVar(&f.format, "corpus-format", "auto", "auto, jsonl, i2b2, brat, conll, xmi or cas")
	c.Flags().StringVar(&f.i2b2, "i2b2", "", "folder of i2b2 2006 or 2014 XML")
	c.Flags().StringVar(&f.split, "split", "", "only this split of the corpus")
	c.Flags().StringVar(&f.lang, "lang", "", "only documents of this language")
	c.Flags().StringVar(&f.policy, "policy", "", "count only what this policy would change")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for report.json and report.html")
	c.Flags().Float64Var(&f.gate, "min-recall", 0, "exit with 4 if word recall is below this")
	f.pipeline.register(c)
	return c
}

func (a *app) eval(ctx context.Context, f evalFlags, path string) error {
	corpus, err := eval.ReadWith(path, eval.ReadOptions{Format: eval.Format(f.format), Split: f.split})
	if err != nil {
		return err
	}
	if f.lang != "" {
		corpus = corpus.Select(func(d *eval.Document) bool { return string(d.Language) == f.lang })
	}
	if len(corpus.Documents) == 0 {
		return errors.New("the corpus holds no document of that kind")
	}
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	f.pipeline.apply(&cfg)
	var policy *fhir.Policy
	if f.policy != "" {
		if policy, err = a.policy(cfg, f.policy); err != nil {
			return err
		}
	}
	p, err := a.pipeline(cfg, f.pipeline)
	if err != nil {
		return err
	}
	defer p.Close()
	predict := func(ctx context.Context, doc *eval.Document) ([]phi.Span, error) {
		spans, _, err := p.Detect(ctx, doc.Text, pipeline.Options{Language: doc.Language, NoMemory: f.pipeline.noMemory})
		if policy == nil {
			return spans, err
		}
		var kept []phi.Span
		for _, s := range spans {
			if changes(policy, s.Type, s.Score) {
				kept = append(kept, s)
			}
		}
		return kept, err
	}
	report, err := eval.Run(ctx, corpus, predict, eval.Options{Name: "fhirdeid", Workers: goruntime.GOMAXPROCS(0), InsecureText: f.out != ""})
	if err != nil {
		return err
	}
	if err := report.Table(a.stdout); err != nil {
		return err
	}
	if f.out != "" {
		if err := writeReports(report, f.out); err != nil {
			return err
		}
	}
	if recall := report.Word.Recall(); recall < f.gate {
		return codedError{exitGateFailed, fmt.Errorf("word recall %.4f is below %.4f", recall, f.gate)}
	}
	return nil
}

func writeReports(report *eval.Report, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	page := &eval.Page{Title: report.Corpus, Runs: []*eval.Report{report}}
	for name, write := range map[string]func(io.Writer) error{"report.json": report.JSON, "report.html": page.HTML} {
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(write(file), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
