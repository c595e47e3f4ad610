package deidentify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"fhirdeid/fhir"
	"fhirdeid/fhir/attachment"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// job is one text to be read and rewritten. Equal texts of one patient share a job.
type job struct {
	path     string // of the first place
	patient  *patient
	language phi.Language
	text     string
	doc      *attachment.Document // of an attachment or narrative; nil: a plain string
	whole    phi.Type             // the text as a whole is of this type if nothing in it is known
	light    bool                 // a display of a known code: only rules and known identifiers count
	document bool                 // prose, from which names are learnt for other texts

	bare   bool // the models failed: rules and dictionaries read alone
	spans  []phi.Span
	learnt *pipeline.Memory
	kept   []phi.Span // in the output: what stands where PHI was
	edits  []phi.Edit
	output string
	finish []func(*job) error
	places []place
}

// place is where a text stands.
type place struct {
	resource *resource
	element  string
}

type jobKey struct {
	patient  *patient
	text     string
	language phi.Language
	whole    phi.Type
	light    bool
}

// read queues a plain string of the tree.
func (w *writer) read(at spot, r *resource, node *fhir.Node, language phi.Language, whole phi.Type, light bool) error {
	s, _ := node.Str()
	if w.text += int64(len(s)); w.text > w.o.Limits.Text {
		return tooMuchText(at.path())
	}
	key := jobKey{r.patient, s, language, whole, light}
	j := w.byText[key]
	if j == nil {
		j = &job{path: at.path(), patient: r.patient, language: language, text: s, whole: whole, light: light, document: len(s) >= proseLength && !light}
		w.byText[key] = j
		w.jobs = append(w.jobs, j)
	}
	j.places = append(j.places, place{r, at.element})
	j.finish = append(j.finish, func(j *job) error {
		if j.output == "" {
			node.SetString(emptied)
		} else if j.output != j.text {
			node.SetString(j.output)
		}
		node.SetMark(markRead)
		return nil
	})
	return nil
}

// emptied stands where a string held nothing but what was removed: FHIR has no empty strings.
const emptied = "-"

// proseLength is how long a string must be, in bytes, to teach names to others. Labels and codes are shorter.
const proseLength = 60

// countText keeps the request within its limit of text.
func (w *writer) countText(path string, n int) error {
	if w.text += int64(n); w.text > w.o.Limits.Text {
		return tooMuchText(path)
	}
	return nil
}

func tooMuchText(path string) error {
	return fail(ErrTooLarge, path, "the request holds more text than the limit")
}

// detect reads all texts: first each by itself, then again with the names that the others of the same patient taught.
func (w *writer) detect(ctx context.Context) error {
	if err := w.each(ctx, w.detectOne); err != nil {
		return err
	}
	w.warnBare()
	for _, j := range w.jobs {
		if j.learnt != nil {
			j.patient.memory.Merge(j.learnt)
		}
	}
	for _, j := range w.jobs {
		if j.light || j.whole != phi.NoType {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		j.spans = pipeline.Recall(j.text, j.language, j.spans, j.patient.memory)
	}
	return nil
}

// each runs f over all jobs, some at a time. Of several errors the one of the first job counts, so that the same
// request fails in the same way.
func (w *writer) each(ctx context.Context, f func(context.Context, *job) error) error {
	errs := make([]error, len(w.jobs))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(w.o.Limits.Parallel, len(w.jobs)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(w.jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				j := w.jobs[i]
				errs[i] = contained(j.path, func() error { return f(ctx, j) })
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// contained calls f and turns a panic into an error that says nothing of it: one text that a detector or decoder breaks
// over must neither end the program nor have the program print it.
func contained(path string, f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = fail(ErrDetect, path, "a part of the program broke down")
		}
	}()
	return f()
}

func (w *writer) detectOne(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.TrimSpace(j.text) == "" {
		return nil
	}
	if j.language == "" && !w.o.AllowLanguages && foreign(j.text) {
		return fail(ErrLanguage, j.path, "the text seems to be neither German nor English; give the parameter language to read it all the same")
	}
	if j.whole != phi.NoType {
		j.spans = w.wholeSpans(ctx, j)
		return nil
	}
	engine := w.o.Pipeline
	if j.light {
		engine = w.light
	}
	if j.document {
		j.learnt = pipeline.NewMemory()
	}
	spans, language, err := w.runs(ctx, j, engine)
	if err != nil && w.policy.ModelsOptional && !j.light && ctx.Err() == nil {
		if j.document {
			j.learnt = pipeline.NewMemory() // without what was learnt before the failure
		}
		// Whatever else failed than the models fails again.
		if spans, language, err = w.runs(ctx, j, w.bare); err == nil {
			j.bare = true
		}
	}
	if err != nil {
		return detectError(ctx, j.path, err)
	}
	j.language = language
	if j.doc != nil {
		spans = w.withFields(j, spans)
	}
	j.spans = spans
	return nil
}

// runs has the detectors read the text of a job. One that breaks down fails like one that gives an error.
func (w *writer) runs(ctx context.Context, j *job, engine *pipeline.Pipeline) (spans []phi.Span, language phi.Language, err error) {
	err = contained(j.path, func() (err error) {
		spans, language, err = engine.Detect(ctx, j.text, pipeline.Options{
			Language: j.language, Lambda: w.policy.Lambda, Extra: w.known(j.patient), Memory: j.learnt, NoMemory: j.light,
		})
		return err
	})
	return spans, language, err
}

// warnBare says once that the models failed for texts of a request whose policy lets it go on.
func (w *writer) warnBare() {
	for _, j := range w.jobs {
		if j.bare {
			w.warn("incomplete", j.path, "The models failed for this and perhaps more texts; rules and dictionaries read them alone, and more may be missed.")
			return
		}
	}
}

// detectError hides what a detector says: it might quote the text.
func detectError(ctx context.Context, path string, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if errors.Is(err, pipeline.ErrTooLong) {
		return fail(ErrTooLarge, path, "the text is longer than the limit")
	}
	return fail(ErrDetect, path, "a detector failed")
}

// withFields adds what the structure of the document says: a name in the header of a CDA is one, found or not.
func (w *writer) withFields(j *job, spans []phi.Span) []phi.Span {
	fields := j.doc.Fields()
	if len(fields) == 0 {
		return spans
	}
	for _, f := range fields {
		if f.Start >= f.End || f.Type == phi.NoType || strings.TrimSpace(j.text[f.Start:f.End]) == "" {
			continue
		}
		// A known identifier in the field knows the person; the field only knows the kind.
		if slices.ContainsFunc(spans, func(s phi.Span) bool { return s.Start <= f.Start && f.End <= s.End && s.Entity != "" }) {
			continue
		}
		spans = append(spans, phi.Span{Start: f.Start, End: f.End, Type: f.Type, Score: fieldScore, Source: sourceField})
	}
	return pipeline.Resolve(j.text, spans)
}

// What the structure says, of an element and inside of a document.
const (
	sourceElement = "fhir.element"
	sourceField   = "attachment.field"
)

// fieldScore lies just below a known identifier's.
const fieldScore = 0.98

// wholeSpans takes a name or place in a string of its own: what is known in it keeps its entity, the string as a whole
// is PHI in any case.
func (w *writer) wholeSpans(ctx context.Context, j *job) []phi.Span {
	all := phi.Span{Start: 0, End: len(j.text), Type: j.whole, Score: 1, Source: sourceElement}
	for _, d := range w.known(j.patient) {
		found, err := d.Detect(ctx, &pipeline.Document{Text: j.text, Language: j.language})
		if err != nil {
			break
		}
		for _, s := range found {
			if s.Start == 0 && s.End == len(j.text) && s.Type.Category() == j.whole.Category() {
				all.Entity, all.Type = s.Entity, s.Type
				return []phi.Span{all}
			}
		}
	}
	return []phi.Span{all}
}

// replace writes every text anew, with what the policy says for each type.
func (w *writer) replace(ctx context.Context) error {
	if err := w.each(ctx, w.replaceOne); err != nil {
		return err
	}
	for _, j := range w.jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, finish := range j.finish {
			if err := finish(j); err != nil {
				return err
			}
		}
		if len(j.edits) > 0 {
			for _, p := range j.places {
				w.change(p.resource, p.element, phi.Scan)
				for _, s := range j.kept {
					p.resource.holder().actions |= 1 << w.textAction(s.Type)
				}
			}
		}
	}
	return nil
}

func (w *writer) replaceOne(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	spans := w.wanted(j.spans)
	edits, err := pipeline.Edits(&pipeline.Document{Text: j.text, Language: j.language}, spans, w.generator(j.patient))
	if err != nil {
		return fail(ErrDetect, j.path, "a replacement could not be made")
	}
	output, err := pipeline.Apply(j.text, edits)
	if err != nil {
		return fail(ErrDetect, j.path, "the replacements do not fit the text")
	}
	j.edits, j.output = edits, output
	j.kept = moved(spans, edits)
	return nil
}

// wanted leaves out what the policy lets stand.
func (w *writer) wanted(spans []phi.Span) []phi.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s phi.Span) bool {
		if s.Source == sourceElement {
			return false
		}
		rule := w.policy.Text(s.Type)
		return !rule.Detect || rule.Action == phi.Keep || s.Score < rule.Threshold && s.Source != sourceField
	})
}

// moved gives the spans' places in the output.
func moved(spans []phi.Span, edits []phi.Edit) []phi.Span {
	shift := 0
	out := make([]phi.Span, 0, len(spans))
	for i, s := range spans {
		e := edits[i]
		s.Start = e.Start + shift
		s.End = s.Start + len(e.New)
		shift += len(e.New) - (e.End - e.Start)
		out = append(out, s)
	}
	return out
}
