package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"fhirdeid/fhir"
	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

type evalFlags struct {
	format, split, lang, out, i2b2, policy, before string
	annotators                                     []string
	ablation                                       bool
	sweep                                          []float64
	gate                                           float64
	pipeline                                       pipelineFlags
}

func newEval(a *app) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval CORPUS",
		Short: "Score the pipeline on an annotated corpus",
		Long: `Runs the very pipeline that the server runs over a corpus and compares: word recall and precision (a word is a \w+ match,
untyped), strict and relaxed span scores by type, leaks by document, confusion, errors with causes. With --ablation the
same without each of its parts and with each alone, with --sweep for several values of lambda. With --out a JSON and an
HTML report are written, which quote the corpus; --before takes the JSON of an earlier run for comparison. With
--annotator the corpus is compared with other annotations of the same texts instead, and nothing is run.`,
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
	c.Flags().StringVar(&f.format, "corpus-format", "auto", "auto, jsonl, i2b2, brat, conll, xmi, cas or inline")
	c.Flags().StringVar(&f.i2b2, "i2b2", "", "folder of i2b2 2006 or 2014 XML")
	c.Flags().StringVar(&f.split, "split", "", "only this split of the corpus")
	c.Flags().StringVar(&f.lang, "lang", "", "only documents of this language; documents that name none are taken to be of it")
	c.Flags().StringVar(&f.policy, "policy", "", "count only what this policy would change")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for report.json and report.html")
	c.Flags().StringVar(&f.before, "before", "", "report.json of an earlier run, to be shown beside this one")
	c.Flags().StringSliceVar(&f.annotators, "annotator", nil, "another annotator's marks on the same texts; may be repeated")
	c.Flags().BoolVar(&f.ablation, "ablation", false, "score without rules, gazetteers, superclass, subclass and memory in turn, and each alone")
	c.Flags().Float64SliceVar(&f.sweep, "sweep", nil, "values of lambda to score, such as 0,0.5,0.9")
	c.Flags().Float64Var(&f.gate, "min-recall", 0, "exit with 4 if word recall is below this")
	f.pipeline.register(c)
	return c
}

func (f evalFlags) read(path string) (*eval.Corpus, error) {
	corpus, err := eval.ReadWith(path, eval.ReadOptions{Format: eval.Format(f.format), Split: f.split, Language: phi.Language(f.lang)})
	if err != nil {
		return nil, err
	}
	if f.lang != "" {
		corpus = corpus.Select(func(d *eval.Document) bool { return string(d.Language) == f.lang })
	}
	if len(corpus.Documents) == 0 {
		return nil, errors.New("the corpus holds no document of that kind")
	}
	return corpus, nil
}

func (a *app) eval(ctx context.Context, f evalFlags, path string) error {
	corpus, err := f.read(path)
	if err != nil {
		return err
	}
	if len(f.annotators) > 0 {
		return a.agreement(f, corpus)
	}
	var before *eval.Report
	if f.before != "" {
		if before, err = readReport(f.before); err != nil {
			return err
		}
	}
	run, err := a.newEvaluation(f, corpus)
	if err != nil {
		return err
	}
	defer func() { _ = run.parts.Close() }()
	report, err := run.score(ctx, "fhirdeid", run.parts.Detectors, !f.pipeline.noMemory)
	if err != nil {
		return err
	}
	if err := report.Table(a.stdout); err != nil {
		return err
	}
	page := &eval.Page{Title: report.Corpus}
	if before != nil {
		before.Name = "before"
		page.Runs = append(page.Runs, before)
		page.Before, page.After = before.Name, report.Name
	}
	page.Runs = append(page.Runs, report)
	if f.ablation {
		runs, err := run.ablation(ctx)
		if err != nil {
			return err
		}
		page.Runs = append(page.Runs, runs...)
	}
	if len(page.Runs) > 1 {
		fmt.Fprintln(a.stdout)
		if err := eval.Compare(a.stdout, page.Runs...); err != nil {
			return err
		}
	}
	if len(f.sweep) > 0 {
		sweep, err := run.sweep(ctx, f.sweep)
		if err != nil {
			return err
		}
		page.Sweeps = append(page.Sweeps, sweep)
		fmt.Fprintln(a.stdout)
		if err := sweep.Table(a.stdout); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := writeReports(report, page, f.out); err != nil {
			return err
		}
	}
	if recall := report.Word.Recall(); recall < f.gate {
		return codedError{exitGateFailed, fmt.Errorf("word recall %.4f is below %.4f", recall, f.gate)}
	}
	return nil
}

// agreement compares annotators of the same texts.
func (a *app) agreement(f evalFlags, corpus *eval.Corpus) error {
	all := []*eval.Corpus{corpus}
	for _, path := range f.annotators {
		other, err := f.read(path)
		if err != nil {
			return err
		}
		all = append(all, other)
	}
	agreed, err := eval.Agree(all...)
	if err != nil {
		return err
	}
	return agreed.Table(a.stdout)
}

// evaluation runs parts of one pipeline over one corpus. Each detector reads each text once, however many
// combinations are scored.
type evaluation struct {
	corpus  *eval.Corpus
	policy  *fhir.Policy
	options eval.Options
	parts   *pipelineParts
	models  ner.Options
	flags   pipelineFlags
}

func (a *app) newEvaluation(f evalFlags, corpus *eval.Corpus) (*evaluation, error) {
	cfg, err := a.config(nil)
	if err != nil {
		return nil, err
	}
	f.pipeline.apply(&cfg)
	e := &evaluation{
		corpus: corpus, flags: f.pipeline, models: modelOptions(cfg, f.pipeline),
		options: eval.Options{Workers: goruntime.GOMAXPROCS(0), InsecureText: f.out != ""},
	}
	if f.policy != "" {
		if e.policy, err = a.policy(cfg, f.policy); err != nil {
			return nil, err
		}
	}
	if e.parts, err = a.pipeline(cfg, f.pipeline); err != nil {
		return nil, err
	}
	for i, d := range e.parts.Detectors {
		e.parts.Detectors[i] = once(d)
	}
	return e, nil
}

// score runs a pipeline of the given detectors.
func (e *evaluation) score(ctx context.Context, name string, detectors []pipeline.Detector, memory bool) (*eval.Report, error) {
	p := pipeline.Pipeline{Detectors: detectors, MaxBytes: e.parts.MaxBytes}
	o := e.options
	o.Name = name
	return eval.Run(ctx, e.corpus, func(ctx context.Context, doc *eval.Document) ([]phi.Span, error) {
		spans, _, err := p.Detect(ctx, doc.Text, pipeline.Options{Language: doc.Language, Lambda: policyLambda(e.policy, e.flags), NoMemory: !memory})
		return e.changed(spans), err
	}, o)
}

// changed drops what the policy would leave alone.
func (e *evaluation) changed(spans []phi.Span) []phi.Span {
	if e.policy == nil {
		return spans
	}
	return slices.DeleteFunc(slices.Clone(spans), func(s phi.Span) bool { return !changes(e.policy, s.Type, s.Score) })
}

// The parts of a pipeline, by the names of its detectors.
func isRules(d pipeline.Detector) bool     { return strings.HasPrefix(d.Name(), "rules") }
func isGazetteer(d pipeline.Detector) bool { return d.Name() == "gazetteer" }
func isModels(d pipeline.Detector) bool    { return d.Name() == "ner" }

func (e *evaluation) only(keep func(pipeline.Detector) bool) []pipeline.Detector {
	return slices.DeleteFunc(slices.Clone(e.parts.Detectors), func(d pipeline.Detector) bool { return !keep(d) })
}

func not(part func(pipeline.Detector) bool) func(pipeline.Detector) bool {
	return func(d pipeline.Detector) bool { return !part(d) }
}

// ablation scores the pipeline without each of its parts, and each part alone.
func (e *evaluation) ablation(ctx context.Context) ([]*eval.Report, error) {
	memory := !e.flags.noMemory
	type variant struct {
		name      string
		detectors []pipeline.Detector
		memory    bool
	}
	var list []variant
	add := func(name string, detectors []pipeline.Detector, memory bool) {
		if len(detectors) > 0 {
			list = append(list, variant{name, detectors, memory})
		}
	}
	if memory {
		add("without memory", e.parts.Detectors, false)
	}
	for _, part := range []struct {
		name string
		is   func(pipeline.Detector) bool
	}{{"rules", isRules}, {"gazetteers", isGazetteer}, {"models", isModels}} {
		if len(e.only(part.is)) == 0 {
			continue
		}
		add("without "+part.name, e.only(not(part.is)), memory)
		add(part.name+" alone", e.only(part.is), false)
	}
	if len(e.only(isModels)) > 0 && e.models.Only == ner.Both {
		for _, tagger := range []struct {
			name string
			only ner.Role
		}{{"superclass", ner.SubclassOnly}, {"subclass", ner.SuperclassOnly}} {
			detector, err := e.tagger(tagger.only)
			if err != nil {
				return nil, err
			}
			add("without "+tagger.name, append(e.only(not(isModels)), detector), memory)
			other := map[ner.Role]string{ner.SuperclassOnly: "superclass", ner.SubclassOnly: "subclass"}[tagger.only]
			add(other+" alone", []pipeline.Detector{detector}, false)
		}
	}
	var runs []*eval.Report
	for _, v := range list {
		r, err := e.score(ctx, v.name, v.detectors, v.memory)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// tagger is the models with one tagger of each pack alone.
func (e *evaluation) tagger(only ner.Role) (pipeline.Detector, error) {
	o := e.models
	o.Only = only
	d, err := models.Detector(o, e.parts.packs...)
	if err != nil {
		return nil, err
	}
	return once(d), nil
}

// sweep scores the pipeline for several values of lambda. The models score each text once.
func (e *evaluation) sweep(ctx context.Context, lambdas []float64) (*eval.Sweep, error) {
	if len(e.only(isModels)) == 0 {
		return nil, errors.New("there are no models whose lambda could be swept")
	}
	detector, err := models.Detector(e.models, e.parts.packs...)
	if err != nil {
		return nil, err
	}
	rest := e.only(not(isModels))
	o := e.options
	o.Name = "whole pipeline"
	if len(rest) == 0 {
		o.Name = "models alone"
	}
	return eval.RunSweep(ctx, e.corpus, lambdas, func(ctx context.Context, doc *eval.Document, lambdas []float64) ([][]phi.Span, error) {
		swept := &swept{detector: detector, lambdas: lambdas, of: map[string][][]phi.Span{}}
		found := make([][]phi.Span, len(lambdas))
		for i := range lambdas {
			p := pipeline.Pipeline{Detectors: append(slices.Clone(rest), sweptAt{swept, i}), MaxBytes: e.parts.MaxBytes}
			spans, _, err := p.Detect(ctx, doc.Text, pipeline.Options{Language: doc.Language, NoMemory: e.flags.noMemory})
			if err != nil {
				return nil, err
			}
			found[i] = e.changed(spans)
		}
		return found, nil
	}, o)
}

// swept keeps what the models find in the parts of one document for each lambda. It serves one goroutine.
type swept struct {
	detector *ner.Detector
	lambdas  []float64
	of       map[string][][]phi.Span // by text
}

// sweptAt is the models at one lambda.
type sweptAt struct {
	*swept
	index int
}

// Name is that of the models.
func (s sweptAt) Name() string { return s.detector.Name() }

// Detect gives what is found at this lambda.
func (s sweptAt) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	spans, ok := s.of[doc.Text]
	if !ok {
		var err error
		if spans, err = s.detector.SweepLambda(ctx, doc, s.lambdas); err != nil {
			return nil, err
		}
		s.of[doc.Text] = spans
	}
	return slices.Clone(spans[s.index]), nil
}

// once lets a detector read each text once: many combinations are scored from its answers.
func once(d pipeline.Detector) pipeline.Detector {
	return &remembered{Detector: d, of: map[pipeline.Document]*answer{}}
}

type remembered struct {
	pipeline.Detector
	mu sync.Mutex
	of map[pipeline.Document]*answer
}

type answer struct {
	once  sync.Once
	spans []phi.Span
	err   error
}

// Detect gives what the detector found at the first reading.
func (r *remembered) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	r.mu.Lock()
	a := r.of[*doc]
	if a == nil {
		a = &answer{}
		r.of[*doc] = a
	}
	r.mu.Unlock()
	a.once.Do(func() { a.spans, a.err = r.Detector.Detect(ctx, doc) })
	return slices.Clone(a.spans), a.err
}

func readReport(path string) (*eval.Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r eval.Report
	if err := json.Unmarshal(data, &r); err != nil || r.Documents == 0 {
		return nil, fmt.Errorf("%s is no report", filepath.Base(path))
	}
	return &r, nil
}

func writeReports(report *eval.Report, page *eval.Page, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
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
