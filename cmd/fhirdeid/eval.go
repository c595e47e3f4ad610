package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/fhir"
	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

type evalFlags struct {
	format, split, lang, readAs, out, html, i2b2, policy, before, sweep, verdicts string

	annotators     []string
	ablation       bool
	limit, surplus int
	gate           float64
	pipeline       pipelineFlags
}

// quotes says whether the words of the corpus shall be kept for the reports.
func (f evalFlags) quotes() bool { return f.out != "" || f.html != "" || f.surplus > 0 }

// defaultSweep is what --sweep auto stands for.
var defaultSweep = []float64{0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99}

// lambdas are the values to be swept.
func (f evalFlags) lambdas() ([]float64, error) {
	switch f.sweep {
	case "":
		return nil, nil
	case "auto":
		return defaultSweep, nil
	}
	var list []float64
	for field := range strings.SplitSeq(f.sweep, ",") {
		l, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return nil, usage("--sweep wants values of lambda joined by comma, or auto")
		}
		list = append(list, l)
	}
	return list, nil
}

func newEval(a *app) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval CORPUS",
		Short: "Score the pipeline on an annotated corpus",
		Long: `Runs the very pipeline that the server runs over a corpus and compares: word recall and precision (a word is a \w+ match,
untyped), strict and relaxed span scores by type, leaks by document, confusion, errors with causes. With --ablation the
same without each of its parts and with each alone, with --sweep for several values of lambda, the models alone as well.
With --out a JSON and an HTML report are written, with --html the latter alone; both quote the corpus. --before takes the
JSON of an earlier run for comparison. With --annotator the corpus is compared with other annotations of the same texts
instead, and nothing is run.

The labels of a corpus are those of our taxonomy or of a well-known scheme, or those that labels.json explains, which is
looked for beside the corpus and in the folders above. What is found of a type that the corpus does not mark is not
scored, nor is what lies on marks that labels.json masks. In JSON Lines with slots, texts without marks where PHI stands
in known places, what is found outside of the slots counts as surplus: --surplus 100 lists what is found most often.

Rules, dictionaries and models read a text in the language that its document names. A text in a language without a model
pack is read by all packs, with the rules of both languages; --read-as takes it for another one.`,
		Example: `  fhirdeid eval letters.jsonl --split dev --lang de --ablation --sweep auto --out report/
  fhirdeid eval es_meddocan_dev.jsonl.gz --read-as de
  fhirdeid eval en_mtsamples_dev.jsonl.gz --surplus 100`,
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
	c.Flags().StringVar(&f.readAs, "read-as", "", "read every document as one of this language, whatever it names")
	c.Flags().IntVar(&f.limit, "limit", 0, "only the first so many documents; 0: all")
	c.Flags().StringVar(&f.policy, "policy", "", "count only what this policy would change")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for report.json and report.html")
	c.Flags().StringVar(&f.html, "html", "", "file for the HTML report")
	c.Flags().StringVar(&f.before, "before", "", "report.json of an earlier run, to be shown beside this one")
	c.Flags().StringSliceVar(&f.annotators, "annotator", nil, "another annotator's marks on the same texts; may be repeated")
	c.Flags().BoolVar(&f.ablation, "ablation", false, "score without rules, gazetteers, superclass, subclass and memory in turn, and each alone")
	c.Flags().StringVar(&f.sweep, "sweep", "", "values of lambda to score, such as 0,0.5,0.9, or auto")
	c.Flags().IntVar(&f.surplus, "surplus", 0, "list so many of the most frequent findings beside the marks; quotes the corpus")
	c.Flags().StringVar(&f.verdicts, "verdicts", "", "with --surplus: file of verdict, type and text a line, parted by tabs")
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
	if f.limit > 0 && f.limit < len(corpus.Documents) {
		corpus.Documents = corpus.Documents[:f.limit]
	}
	if len(corpus.Documents) == 0 {
		return nil, errors.New("the corpus holds no document of that kind")
	}
	return corpus, nil
}

func (a *app) eval(ctx context.Context, f evalFlags, path string) error {
	lambdas, err := f.lambdas()
	if err != nil {
		return err
	}
	corpus, err := f.read(path)
	if err != nil {
		return err
	}
	if len(f.annotators) > 0 {
		return a.agreement(f, corpus)
	}
	page := &eval.Page{Title: corpus.Name}
	if f.before != "" {
		before, err := readReport(f.before)
		if err != nil {
			return err
		}
		before.Name = "before"
		page.Runs = append(page.Runs, before)
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
	page.Runs = append(page.Runs, report)
	if f.ablation {
		if page.Parts, err = run.ablation(ctx); err != nil {
			return err
		}
	}
	if len(lambdas) > 0 {
		if page.Sweeps, err = run.sweep(ctx, lambdas); err != nil {
			return err
		}
	}
	if err := a.printEval(f, report, page); err != nil {
		return err
	}
	if err := f.write(report, page); err != nil {
		return err
	}
	if recall := report.Word.Recall(); recall < f.gate {
		return codedError{exitGateFailed, fmt.Errorf("word recall %.4f is below %.4f", recall, f.gate)}
	}
	return nil
}

// printEval writes the tables.
func (a *app) printEval(f evalFlags, report *eval.Report, page *eval.Page) error {
	if err := report.Table(a.stdout); err != nil {
		return err
	}
	if len(page.Runs) > 1 {
		fmt.Fprintln(a.stdout)
		if err := eval.Compare(a.stdout, page.Runs...); err != nil {
			return err
		}
	}
	if len(page.Parts) > 0 {
		fmt.Fprintln(a.stdout)
		if err := eval.PartsTable(a.stdout, report, page.Parts); err != nil {
			return err
		}
	}
	for _, sweep := range page.Sweeps {
		fmt.Fprintf(a.stdout, "\n%s\n", sweep.Name)
		if err := sweep.Table(a.stdout); err != nil {
			return err
		}
	}
	if f.surplus == 0 {
		return nil
	}
	var verdicts map[string]string
	if f.verdicts != "" {
		var err error
		if verdicts, err = eval.ReadVerdicts(f.verdicts); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.stdout)
	return eval.SurplusTable(a.stdout, report.Surplus(f.surplus), verdicts)
}

// write writes the reports that are wanted. They quote the corpus and are for the owner alone.
func (f evalFlags) write(report *eval.Report, page *eval.Page) error {
	files := map[string]func(io.Writer) error{}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o700); err != nil {
			return err
		}
		files[filepath.Join(f.out, "report.json")] = report.JSON
		files[filepath.Join(f.out, "report.html")] = page.HTML
	}
	if f.html != "" {
		files[f.html] = page.HTML
	}
	for path, write := range files {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(write(file), file.Close()); err != nil {
			return err
		}
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
	readAs  phi.Language
	policy  *fhir.Policy
	options eval.Options
	parts   *pipelineParts
	config  config.Config
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
		corpus: corpus, readAs: phi.Language(f.readAs), flags: f.pipeline, config: cfg, models: modelOptions(cfg, f.pipeline),
		options: eval.Options{Workers: goruntime.GOMAXPROCS(0), InsecureText: f.quotes()},
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

// language is the one that a document is read in.
func (e *evaluation) language(doc *eval.Document) phi.Language { return cmp.Or(e.readAs, doc.Language) }

// score runs a pipeline of the given detectors.
func (e *evaluation) score(ctx context.Context, name string, detectors []pipeline.Detector, memory bool) (*eval.Report, error) {
	p := pipeline.Pipeline{Detectors: detectors, MaxBytes: e.parts.MaxBytes}
	o := e.options
	o.Name = name
	lambda := policyLambda(e.policy, e.flags)
	return eval.Run(ctx, e.corpus, func(ctx context.Context, doc *eval.Document) ([]phi.Span, error) {
		spans, _, err := p.Detect(ctx, doc.Text, pipeline.Options{Language: e.language(doc), Lambda: lambda, NoMemory: !memory})
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

// ablation scores the pipeline without each of its parts, and each part alone. Memory finds nothing alone.
func (e *evaluation) ablation(ctx context.Context) ([]eval.Part, error) {
	var parts []eval.Part
	add := func(name string, model bool, without, alone []pipeline.Detector, memory bool) error {
		part := eval.Part{Name: name, Model: model}
		var err error
		if len(without) > 0 {
			if part.Without, err = e.score(ctx, "without "+name, without, memory); err != nil {
				return err
			}
		}
		if len(alone) > 0 {
			if part.Alone, err = e.score(ctx, name+" alone", alone, false); err != nil {
				return err
			}
		}
		parts = append(parts, part)
		return nil
	}
	memory := !e.flags.noMemory
	for _, part := range []struct {
		name string
		is   func(pipeline.Detector) bool
	}{{"rules", isRules}, {"gazetteers", isGazetteer}} {
		if alone := e.only(part.is); len(alone) > 0 {
			if err := add(part.name, false, e.only(not(part.is)), alone, memory); err != nil {
				return nil, err
			}
		}
	}
	if ensemble := e.only(isModels); len(ensemble) > 0 {
		rest := e.only(not(isModels))
		if e.models.Only == ner.Both && e.pairs() {
			super, err := e.tagger(ner.SuperclassOnly)
			if err != nil {
				return nil, err
			}
			sub, err := e.tagger(ner.SubclassOnly)
			if err != nil {
				return nil, err
			}
			if err := errors.Join(
				add("superclass", true, slices.Concat(rest, sub), super, memory),
				add("subclass", true, slices.Concat(rest, super), sub, memory),
			); err != nil {
				return nil, err
			}
		}
		if err := add("models", true, rest, ensemble, memory); err != nil {
			return nil, err
		}
	}
	if memory {
		if err := add("memory", false, e.parts.Detectors, nil, false); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// pairs says whether any pack holds both taggers.
func (e *evaluation) pairs() bool {
	return slices.ContainsFunc(e.parts.packs, func(p *models.Pack) bool { return len(p.Manifest.Models) == 2 })
}

// tagger is the models with one tagger of each pack alone.
func (e *evaluation) tagger(only ner.Role) ([]pipeline.Detector, error) {
	o := e.models
	o.Only = only
	d, err := models.Detector(o, e.parts.packs...)
	if err != nil {
		return nil, err
	}
	reader, err := spared(d, e.config)
	if err != nil {
		return nil, err
	}
	return []pipeline.Detector{once(reader)}, nil
}

// sweep scores the pipeline, and the models alone, for several values of lambda. The models read each text once.
func (e *evaluation) sweep(ctx context.Context, lambdas []float64) ([]*eval.Sweep, error) {
	if len(e.only(isModels)) == 0 {
		return nil, errors.New("there are no models whose lambda could be swept")
	}
	detector, err := models.Detector(e.models, e.parts.packs...)
	if err != nil {
		return nil, err
	}
	answers := &swept{detector: detector, lambdas: lambdas, of: map[pipeline.Document]*sweptAnswer{}}
	at := make([]pipeline.Detector, len(lambdas))
	for i := range lambdas {
		if at[i], err = spared(sweptAt{answers, i}, e.config); err != nil {
			return nil, err
		}
	}
	run := func(name string, rest []pipeline.Detector, memory bool) (*eval.Sweep, error) {
		o := e.options
		o.Name = name
		return eval.RunSweep(ctx, e.corpus, lambdas, func(ctx context.Context, doc *eval.Document, _ []float64) ([][]phi.Span, error) {
			found := make([][]phi.Span, len(lambdas))
			for i := range lambdas {
				p := pipeline.Pipeline{Detectors: slices.Concat(rest, at[i:i+1]), MaxBytes: e.parts.MaxBytes}
				spans, _, err := p.Detect(ctx, doc.Text, pipeline.Options{Language: e.language(doc), NoMemory: !memory})
				if err != nil {
					return nil, err
				}
				found[i] = e.changed(spans)
			}
			return found, nil
		}, o)
	}
	var sweeps []*eval.Sweep
	if rest := e.only(not(isModels)); len(rest) > 0 {
		whole, err := run("whole pipeline", rest, !e.flags.noMemory)
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, whole)
	}
	alone, err := run("models alone", nil, false)
	return append(sweeps, alone), err
}

// swept keeps what the models say of each text for each lambda.
type swept struct {
	detector *ner.Detector
	lambdas  []float64
	mu       sync.Mutex
	of       map[pipeline.Document]*sweptAnswer
}

type sweptAnswer struct {
	once            sync.Once
	found, possible [][]phi.Span
	err             error
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
	found, _, err := s.Testify(ctx, doc)
	return found, err
}

// Testify gives what is found and what is possible at this lambda.
func (s sweptAt) Testify(ctx context.Context, doc *pipeline.Document) (found, possible []phi.Span, err error) {
	a := first(&s.mu, s.of, doc)
	a.once.Do(func() { a.found, a.possible, a.err = s.detector.TestifyLambda(ctx, doc, s.lambdas) })
	if a.err != nil {
		return nil, nil, a.err
	}
	return slices.Clone(a.found[s.index]), slices.Clone(a.possible[s.index]), nil
}

// once lets a detector read each text once: many combinations are scored from its answers. A witness stays one.
func once(d pipeline.Detector) pipeline.Detector {
	r := &remembered{Detector: d, of: map[pipeline.Document]*answer{}}
	if w, ok := d.(pipeline.Witness); ok {
		return &rememberedWitness{r, w}
	}
	return r
}

type remembered struct {
	pipeline.Detector
	mu sync.Mutex
	of map[pipeline.Document]*answer
}

type answer struct {
	once            sync.Once
	found, possible []phi.Span
	err             error
}

// first gives the answer to a document, a new one where there is none yet.
func first[A any](mu *sync.Mutex, of map[pipeline.Document]*A, doc *pipeline.Document) *A {
	mu.Lock()
	defer mu.Unlock()
	a := of[*doc]
	if a == nil {
		a = new(A)
		of[*doc] = a
	}
	return a
}

// Detect gives what the detector found at the first reading.
func (r *remembered) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	a := first(&r.mu, r.of, doc)
	a.once.Do(func() { a.found, a.err = r.Detector.Detect(ctx, doc) })
	return slices.Clone(a.found), a.err
}

type rememberedWitness struct {
	*remembered
	inner pipeline.Witness
}

// Detect gives what the witness found at the first reading.
func (r *rememberedWitness) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	found, _, err := r.Testify(ctx, doc)
	return found, err
}

// Testify gives what the witness said at the first reading.
func (r *rememberedWitness) Testify(ctx context.Context, doc *pipeline.Document) (found, possible []phi.Span, err error) {
	a := first(&r.mu, r.of, doc)
	a.once.Do(func() { a.found, a.possible, a.err = r.inner.Testify(ctx, doc) })
	return slices.Clone(a.found), slices.Clone(a.possible), a.err
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
