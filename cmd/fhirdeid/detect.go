package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
)

// maxLine bounds a line of JSON Lines input: 10 MB of text escaped at its worst, and a Patient.
const maxLine = 128 << 20

type detectFlags struct {
	policy, language, offsets string
	pipeline                  pipelineFlags
}

func newDetect(a *app) *cobra.Command {
	var f detectFlags
	c := &cobra.Command{
		Use:   "detect [FILE]",
		Short: "Find PHI in texts: JSON Lines in, JSON Lines out in the same order",
		Long: `Reads one JSON object a line, {"id", "text", "lang"?, "patient"?: FHIR Patient or Bundle}, from FILE or standard input
(.gz is read transparently), and writes {"id", "spans": [{"start", "end", "label", "score", "source"}]} for each.
Offsets are half open, in Unicode code points unless --text-offsets=bytes. A line that cannot be read gives
{"id", "line", "error"}; the others are done, and the exit code is 3.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.detect(cmd.Context(), f, args) },
	}
	c.Flags().StringVar(&f.policy, "policy", "", "print only what this policy would change")
	c.Flags().StringVar(&f.language, "lang", "", "de, en or auto: language of lines that name none")
	c.Flags().StringVar(&f.offsets, "text-offsets", "codepoints", "codepoints or bytes")
	f.pipeline.register(c)
	return c
}

type detectInput struct {
	ID      json.RawMessage `json:"id"`
	Text    *string         `json:"text"`
	Lang    string          `json:"lang"`
	Patient json.RawMessage `json:"patient"`
}

type detectedSpan struct {
	Start  int     `json:"start"`
	End    int     `json:"end"`
	Label  string  `json:"label"`
	Score  float64 `json:"score"`
	Source string  `json:"source"`
}

type detectOutput struct {
	ID    json.RawMessage `json:"id"`
	Spans []detectedSpan  `json:"spans"`
}

type detectError struct {
	ID    json.RawMessage `json:"id"`
	Line  int             `json:"line"`
	Error string          `json:"error"`
}

func (a *app) detect(ctx context.Context, f detectFlags, args []string) error {
	if f.offsets != "codepoints" && f.offsets != "bytes" {
		return usage("--text-offsets must be codepoints or bytes")
	}
	if !slices.Contains([]string{"", "auto", "de", "en"}, f.language) {
		return usage("--lang must be de, en or auto")
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
	defer func() { _ = p.Close() }()
	in, err := a.open(args)
	if err != nil {
		return err
	}
	defer in.Close()
	d := detector{pipeline: p.Pipeline, policy: policy, language: phi.Language(f.language), bytes: f.offsets == "bytes", memory: !f.pipeline.noMemory}
	d.lambda = policyLambda(policy, f.pipeline)
	return d.lines(ctx, in, a.stdout)
}

// policyLambda is the bias that a policy asks for; a flag goes before it.
func policyLambda(policy *fhir.Policy, f pipelineFlags) *float64 {
	if policy == nil || f.lambda >= 0 {
		return nil
	}
	return policy.Lambda
}

// detector answers lines.
type detector struct {
	pipeline *pipeline.Pipeline
	policy   *fhir.Policy
	language phi.Language
	bytes    bool
	memory   bool
	lambda   *float64 // of the policy; nil: as the models are set
}

// lines answers every line of a stream in its order, several at once.
func (d detector) lines(ctx context.Context, in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	workers := runtime.GOMAXPROCS(0)
	pending := make(chan chan []byte, 2*workers)
	failed := 0
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for answer := range pending {
			select {
			case line := <-answer:
				if isError(line) {
					failed++
				}
				if _, err := w.Write(line); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	work, workCtx := errgroup.WithContext(ctx)
	work.SetLimit(workers)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 1<<20), maxLine)
	for number := 1; scanner.Scan() && workCtx.Err() == nil; number++ {
		line := slices.Clone(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		answer := make(chan []byte, 1)
		select {
		case pending <- answer:
		case <-ctx.Done():
		}
		work.Go(func() error {
			out, err := d.line(workCtx, line, number)
			if err != nil {
				return err
			}
			answer <- out
			return nil
		})
	}
	close(pending)
	err := errors.Join(work.Wait(), group.Wait())
	if err == nil && scanner.Err() != nil {
		err = errors.New("detect: a line is too long or the input broke off")
	}
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	if err != nil {
		return err
	}
	if failed > 0 {
		return codedError{exitItemsFailed, fmt.Errorf("%d lines could not be read", failed)}
	}
	return nil
}

func isError(line []byte) bool {
	var e struct {
		Error string `json:"error"`
	}
	return json.Unmarshal(line, &e) == nil && e.Error != ""
}

// line answers one line; an error is one of the program or the machine, not of the line.
func (d detector) line(ctx context.Context, line []byte, number int) ([]byte, error) {
	var in detectInput
	bad := func(code string) ([]byte, error) {
		id := in.ID
		if id == nil {
			id = json.RawMessage("null")
		}
		return appendLine(detectError{id, number, code})
	}
	if !utf8.Valid(line) {
		return bad("not-utf8")
	}
	if err := json.Unmarshal(line, &in); err != nil {
		in.ID = nil
		return bad("not-json")
	}
	if in.ID == nil {
		in.ID = json.RawMessage("null")
	}
	if in.Text == nil {
		return bad("no-text")
	}
	language := phi.Language(in.Lang)
	if language == "" {
		language = d.language
	}
	switch language {
	case "", "de", "en":
	case "auto":
		language = ""
	default:
		return bad("unsupported-language")
	}
	o := pipeline.Options{Language: language, Lambda: d.lambda, NoMemory: !d.memory}
	if len(in.Patient) > 0 && string(in.Patient) != "null" {
		node, err := fhir.Decode(in.Patient, fhir.Limits{})
		if err != nil {
			return bad("bad-patient")
		}
		for _, identity := range deidentify.Identities(node) {
			o.Extra = append(o.Extra, known.New(identity))
		}
	}
	spans, err := d.read(ctx, *in.Text, o)
	if errors.Is(err, errBroke) {
		return bad("exception")
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, pipeline.ErrTooLong) {
			return bad("too-long")
		}
		return nil, err
	}
	return appendLine(detectOutput{in.ID, d.output(*in.Text, spans)})
}

var errBroke = errors.New("a detector broke down")

// read runs the detectors. One that panics fails the line, and is not printed with what it read.
func (d detector) read(ctx context.Context, text string, o pipeline.Options) (spans []phi.Span, err error) {
	defer func() {
		if recover() != nil {
			err = errBroke
		}
	}()
	spans, _, err = d.pipeline.Detect(ctx, text, o)
	return spans, err
}

func appendLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// output converts byte offsets to those of the answer, in one pass over the text.
func (d detector) output(text string, spans []phi.Span) []detectedSpan {
	out := make([]detectedSpan, 0, len(spans))
	at, points := 0, 0
	convert := func(i int) int {
		if d.bytes {
			return i
		}
		points += utf8.RuneCountInString(text[at:i])
		at = i
		return points
	}
	for _, s := range spans {
		if d.policy != nil && !changes(d.policy, s.Type, s.Score) {
			continue
		}
		start := convert(s.Start)
		out = append(out, detectedSpan{start, convert(s.End), s.Type.String(), s.Score, s.Source})
	}
	return out
}

// open gives the file named, or standard input for none and for "-".
func (a *app) open(args []string) (io.ReadCloser, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(a.stdin), nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	return gunzip(file)
}
