package ner

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// Options of a detector. The zero value takes every decision as the packs say.
type Options struct {
	// Decision overrides that of the packs.
	Decision *Decision
	// Lambda overrides that of the decision, whoever made it; the document's own overrides both.
	Lambda *float64
	// Pool is shared with other detectors; nil: a pool of its own.
	Pool *Pool
	// Skip lists stretches of the text that are known to hold no PHI, in order: what lies wholly inside is not read.
	Skip func(doc *pipeline.Document) []Stretch
	// NoSecondReading leaves capitals as they are.
	NoSecondReading bool
	// Only restricts each ensemble to one of its taggers, for ablations.
	Only Role
}

// Stretch is a half-open range of bytes.
type Stretch struct{ Start, End int }

// Role names a tagger of an ensemble.
type Role uint8

// The roles. Both is the zero value.
const (
	Both Role = iota
	SuperclassOnly
	SubclassOnly
)

// Detector reads documents with one or several ensembles.
type Detector struct {
	ensembles []*Ensemble
	options   Options
}

var _ pipeline.Witness = (*Detector)(nil)

// NewDetector makes a detector of ensembles. It fails when one of them cannot work.
func NewDetector(options Options, ensembles ...*Ensemble) (*Detector, error) {
	if len(ensembles) == 0 || len(ensembles) > maxEnsembles {
		return nil, fmt.Errorf("ner: %d packs; between 1 and %d can work together", len(ensembles), maxEnsembles)
	}
	if options.Pool == nil {
		options.Pool = NewPool(0, 0)
	}
	if options.Decision != nil {
		if err := options.Decision.Check(); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	if options.Lambda != nil {
		if err := (Decision{Lambda: *options.Lambda}).Check(); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	names := map[string]bool{}
	for _, e := range ensembles {
		switch err := e.Decision.Check(); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		case names[e.Name]:
			return nil, fmt.Errorf("%s: two packs of one name", e.Name)
		case e.Superclass == nil && e.Subclass == nil:
			return nil, fmt.Errorf("%s: no tagger", e.Name)
		case e.Window < 2 || e.Overlap < 0 || e.Overlap >= e.Window:
			return nil, fmt.Errorf("%s: a window of %d tokens with an overlap of %d", e.Name, e.Window, e.Overlap)
		}
		names[e.Name] = true
	}
	return &Detector{ensembles: ensembles, options: options}, nil
}

// Name is ner.
func (d *Detector) Name() string { return "ner" }

// With gives a detector of the same packs and the same pool with another decision, such as a policy's.
func (d *Detector) With(decision Decision) (*Detector, error) {
	options := d.options
	options.Decision = &decision
	return NewDetector(options, d.ensembles...)
}

// Ensembles are those that would read a document in the language: the ones made for it, or all where the language is
// not known or nobody's.
func (d *Detector) Ensembles(language phi.Language) []*Ensemble {
	var fit []*Ensemble
	for _, e := range d.ensembles {
		if e.covers(language) {
			fit = append(fit, e)
		}
	}
	if len(fit) == 0 {
		return d.ensembles
	}
	return fit
}

// decision is how an ensemble decides in this detector.
func (d *Detector) decision(e *Ensemble) Decision {
	decision := e.Decision
	if d.options.Decision != nil {
		decision = *d.options.Decision
	}
	if d.options.Lambda != nil {
		decision = decision.Biased(*d.options.Lambda)
	}
	return decision
}

// Detect gives disjoint spans in order. It fails if any model does.
func (d *Detector) Detect(ctx context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	if doc.Lambda != nil {
		spans, err := d.SweepLambda(ctx, doc, []float64{*doc.Lambda})
		if err != nil {
			return nil, err
		}
		return spans[0], nil
	}
	spans, err := d.read(ctx, doc, 1, func(_ int, e *Ensemble) Decision { return d.decision(e) })
	if err != nil {
		return nil, err
	}
	return spans[0], nil
}

// possibly is the bias at which a word counts as possible PHI: where no tagger takes anything but O with that much
// taken from O, all of them are sure.
const possibly = 0.85

// Testify gives what Detect gives, and the stretches in which a tagger holds PHI for possible.
func (d *Detector) Testify(ctx context.Context, doc *pipeline.Document) (found, possible []phi.Span, err error) {
	all, maybe, err := d.testify(ctx, doc, []*float64{doc.Lambda})
	if err != nil {
		return nil, nil, err
	}
	return all[0], maybe[0], nil
}

// TestifyLambda is Testify over values of lambda, from one reading of the document.
func (d *Detector) TestifyLambda(ctx context.Context, doc *pipeline.Document, lambdas []float64) (found, possible [][]phi.Span, err error) {
	list := make([]*float64, len(lambdas))
	for i := range lambdas {
		list[i] = &lambdas[i]
	}
	return d.testify(ctx, doc, list)
}

// testify decides for each lambda; nil stands for each pack's own.
func (d *Detector) testify(ctx context.Context, doc *pipeline.Document, lambdas []*float64) (found, possible [][]phi.Span, err error) {
	for _, l := range lambdas {
		if l == nil {
			continue
		}
		if err := (Decision{Lambda: *l}).Check(); err != nil {
			return nil, nil, fmt.Errorf("ner: %w", err)
		}
	}
	n := len(lambdas)
	if n == 0 {
		return nil, nil, nil
	}
	spans, err := d.read(ctx, doc, 2*n, func(i int, e *Ensemble) Decision {
		decision := d.decision(e)
		if l := lambdas[i%n]; l != nil {
			decision = decision.Biased(*l)
		}
		if i >= n {
			decision = Decision{Lambda: max(decision.largestLambda(), possibly), Quiet: decision.Quiet}
		}
		return decision
	})
	if err != nil {
		return nil, nil, err
	}
	return spans[:n], spans[n:], nil
}

// Sweep reads the document once and gives the spans for each of several decisions, which override all others.
func (d *Detector) Sweep(ctx context.Context, doc *pipeline.Document, decisions []Decision) ([][]phi.Span, error) {
	for _, c := range decisions {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	if len(decisions) == 0 {
		return nil, nil
	}
	return d.read(ctx, doc, len(decisions), func(i int, _ *Ensemble) Decision { return decisions[i] })
}

// SweepLambda is Sweep over values of lambda; all else is decided as Detect does.
func (d *Detector) SweepLambda(ctx context.Context, doc *pipeline.Document, lambdas []float64) ([][]phi.Span, error) {
	for _, l := range lambdas {
		if err := (Decision{Lambda: l}).Check(); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	if len(lambdas) == 0 {
		return nil, nil
	}
	return d.read(ctx, doc, len(lambdas), func(i int, e *Ensemble) Decision {
		return d.decision(e).Biased(lambdas[i])
	})
}

// read gives n lists of spans, each by decisions of its own.
func (d *Detector) read(ctx context.Context, doc *pipeline.Document, n int, decide func(i int, e *Ensemble) Decision) ([][]phi.Span, error) {
	if !utf8.ValidString(doc.Text) {
		return nil, ErrText
	}
	if err := d.options.Pool.enter(ctx); err != nil {
		return nil, err
	}
	defer d.options.Pool.leave()
	r := reading{doc: doc, options: d.options, ensembles: d.Ensembles(doc.Language), decisions: make([][]Decision, n)}
	for i := range r.decisions {
		for _, e := range r.ensembles {
			r.decisions[i] = append(r.decisions[i], decide(i, e))
		}
	}
	if d.options.Skip != nil {
		r.skip = d.options.Skip(doc)
	}
	r.prepare()
	for _, c := range chunks(doc.Text) {
		if err := r.chunk(ctx, c); err != nil {
			return nil, err
		}
	}
	out := make([][]phi.Span, len(r.builders))
	for i, b := range r.builders {
		out[i] = b.finish()
	}
	return out, nil
}

// reading is the state of reading one document.
type reading struct {
	doc       *pipeline.Document
	options   Options
	ensembles []*Ensemble
	decisions [][]Decision // of each list of spans, for each ensemble
	still     []float64    // of each ensemble: below it a window is quiet for all decisions; 0: none is
	builders  []*builder
	taggers   []tagger
	skip      []Stretch
	skipped   int // stretches that lie before what is read
}

// tagger is one tagger of one ensemble at work.
type tagger struct {
	Tagger
	ensemble int
	super    bool
	reader   *reader
	like     int  // the first tagger of the reading that says the same about the same windows; itself, if there is none
	bears    bool // it is the trunk on which a subclass tagger of the reading goes on
}

func (r *reading) prepare() {
	for _, decisions := range r.decisions {
		r.builders = append(r.builders, &builder{
			text: r.doc.Text, language: r.doc.Language, ensembles: r.ensembles, credulous: slices.ContainsFunc(decisions, Decision.credulous),
		})
	}
	for i, e := range r.ensembles {
		still := 1.0
		for _, decisions := range r.decisions {
			still = min(still, decisions[i].quiet())
		}
		r.still = append(r.still, still)
		super, sub := e.roles(r.options.Only)
		if super != nil {
			r.add(tagger{Tagger: super, ensemble: i, super: true})
		}
		if sub != nil {
			r.add(tagger{Tagger: sub, ensemble: i})
		}
	}
	for t := range r.taggers {
		if first := r.taggers[t].like; first != t {
			r.taggers[t].reader = r.taggers[first].reader
			continue
		}
		var all []Decision
		for _, other := range r.taggers[t:] {
			if other.like == t {
				for k := range r.decisions {
					all = append(all, r.decisions[k][other.ensemble])
				}
			}
		}
		r.taggers[t].reader = newReader(r.taggers[t].Classes(), all)
		if trunk := r.trunkOf(t); trunk >= 0 {
			r.taggers[trunk].bears = true
		}
	}
}

// trunkOf is the superclass tagger from whose states tagger t goes on, if that one reads the same versions; else -1.
func (r *reading) trunkOf(t int) int {
	branch, ok := r.taggers[t].Tagger.(Branch)
	if !ok || branch.Trunk() == nil {
		return -1
	}
	for i, o := range r.taggers[:t] {
		if o.super && o.like == i && o.ensemble == r.taggers[t].ensemble && same(o.Tagger, branch.Trunk()) {
			return i
		}
	}
	return -1
}

// add takes a tagger into the reading. Packs of several languages may share their taggers: these read a text once.
func (r *reading) add(t tagger) {
	t.like = slices.IndexFunc(r.taggers, func(o tagger) bool {
		a, b := r.ensembles[t.ensemble], r.ensembles[o.ensemble]
		return same(t.Tagger, o.Tagger) && a.readsLike(b)
	})
	if t.like < 0 {
		t.like = len(r.taggers)
	}
	r.taggers = append(r.taggers, t)
}

// readsLike says whether two ensembles cut every text into the same windows of the same tokens.
func (e *Ensemble) readsLike(o *Ensemble) bool {
	return e.Window == o.Window && e.Overlap == o.Overlap && same(e.Tokenizer, o.Tokenizer)
}

// same says whether two values are the very same one.
func same(a, b any) bool { return reflect.ValueOf(a).Comparable() && a == b }

// roles gives the taggers that shall speak. One that is alone in its pack always does.
func (e *Ensemble) roles(only Role) (super, sub Tagger) {
	super, sub = e.Superclass, e.Subclass
	if super != nil && sub != nil {
		switch only {
		case SuperclassOnly:
			sub = nil
		case SubclassOnly:
			super = nil
		}
	}
	return super, sub
}

// version is one way in which a chunk is read by an ensemble: as it is written, or its capitals in title case.
type version struct {
	ensemble int
	text     string
	only     []stretch // where it counts; nil: everywhere
	tokens   []Token
	wordy    []bool // of each token: it holds more than punctuation
	windows  []window
	votes    [][]vote    // of each tagger of the reading, for each token; nil for another ensemble's
	states   [][]float32 // of each window: what its trunk has left for the branch; nil: nothing
}

// chunk reads one part of the document.
func (r *reading) chunk(ctx context.Context, c chunk) error {
	versions, err := r.versions(ctx, c)
	if err != nil {
		return err
	}
	r.makeRoom(versions)
	most := 0
	for i := range versions {
		most = max(most, len(versions[i].windows))
	}
	for from := 0; from < most; from += together {
		for _, super := range [...]bool{true, false} {
			if err := r.tag(ctx, versions, super, c, from); err != nil {
				return err
			}
		}
	}
	r.decide(c, versions)
	return nil
}

// together is how many windows of a version the superclass taggers read before the subclass taggers follow: between the
// two, the states of a trunk take up 200 KB a window.
const together = 32

// makeRoom gives the versions room for the votes of their taggers, which those that are like one another share, and for
// the states of trunks. Each ensemble reads the same texts in the same order.
func (r *reading) makeRoom(versions []version) {
	texts := len(versions) / len(r.ensembles)
	for t := range r.taggers {
		first := r.taggers[t].like
		for i := range texts {
			v := &versions[r.taggers[t].ensemble*texts+i]
			if first == t {
				v.votes[t] = make([]vote, len(v.tokens))
			} else {
				v.votes[t] = versions[r.taggers[first].ensemble*texts+i].votes[first]
			}
			if r.taggers[t].bears {
				v.states = make([][]float32, len(v.windows))
			}
		}
	}
}

// tag lets the superclass or the subclass taggers read some windows of each version of a chunk; the former come first,
// because a window in which they find nothing is spared the latter.
func (r *reading) tag(ctx context.Context, versions []version, super bool, c chunk, from int) error {
	group, shared := errgroup.WithContext(ctx)
	group.SetLimit(r.options.Pool.workers)
	for i := range versions {
		v := &versions[i]
		for t := range r.taggers {
			if r.taggers[t].ensemble != v.ensemble || r.taggers[t].like != t || r.taggers[t].super != super {
				continue
			}
			for n := from; n < min(from+together, len(v.windows)); n++ {
				if shared.Err() != nil {
					break
				}
				w := v.windows[n]
				if !v.wanted(w) || r.known(v, w, c) || !super && r.quiet(versions, i, t, w) {
					continue
				}
				group.Go(func() error {
					return r.options.Pool.do(shared, func() error { return r.taggers[t].window(shared, v, n, v.votes[t]) })
				})
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// quiet says whether a subclass tagger may leave out a window of version i: in each ensemble that shares it, the
// superclass tagger found next to nothing there.
func (r *reading) quiet(versions []version, i, sub int, w window) bool {
	texts := len(versions) / len(r.ensembles)
	for t := range r.taggers {
		if r.taggers[t].like == sub && !r.silent(&versions[r.taggers[t].ensemble*texts+i%texts], w) {
			return false
		}
	}
	return true
}

// silent says whether the superclass tagger of a version's ensemble gives each token of a window less than what is quiet.
func (r *reading) silent(v *version, w window) bool {
	least := r.still[v.ensemble]
	if least == 0 {
		return false
	}
	for t := range r.taggers {
		if r.taggers[t].super && r.taggers[t].ensemble == v.ensemble {
			return !slices.ContainsFunc(v.votes[t][w.first:w.last], func(o vote) bool { return float64(o.mass) >= least })
		}
	}
	return false
}

// versions tokenizes the chunk for each ensemble, and a second time where it has lines in capitals.
func (r *reading) versions(ctx context.Context, c chunk) ([]version, error) {
	texts := []version{{text: r.doc.Text[c.from:c.to]}}
	if !r.options.NoSecondReading {
		if loud := capitals(r.doc.Text, c.from, c.to); len(loud) > 0 {
			texts = append(texts, version{text: titleCase(r.doc.Text, c.from, c.to, loud), only: loud})
		}
	}
	var list []version
	for i, e := range r.ensembles {
		like := slices.IndexFunc(r.ensembles[:i], e.readsLike)
		for k, v := range texts {
			if like >= 0 {
				v = list[like*len(texts)+k]
				v.ensemble, v.votes = i, make([][]vote, len(r.taggers))
				list = append(list, v)
				continue
			}
			v.ensemble = i
			v.votes = make([][]vote, len(r.taggers))
			err := r.options.Pool.do(ctx, func() error {
				var err error
				v.tokens, v.windows, err = e.plan(v.text, chunk{0, 0, len(v.text), len(v.text)})
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
			v.wordy = make([]bool, len(v.tokens))
			for j := range v.tokens {
				v.wordy[j] = strings.ContainsFunc(v.text[v.tokens[j].Start:v.tokens[j].End], wordRune)
				v.tokens[j].Start += c.from
				v.tokens[j].End += c.from
			}
			list = append(list, v)
		}
	}
	return list, nil
}

// settleTokens checks that tokens lie in the text in order, and moves borders inside a rune outwards.
func settleTokens(text string, tokens []Token) error {
	last := 0
	for i := range tokens {
		t := &tokens[i]
		if t.Start < last || t.End < t.Start || t.End > len(text) {
			return ErrTokens
		}
		last = t.Start
		for t.Start > 0 && t.Start < len(text) && !utf8.RuneStart(text[t.Start]) {
			t.Start--
		}
		for t.End > t.Start && t.End < len(text) && !utf8.RuneStart(text[t.End]) {
			t.End++
		}
	}
	return nil
}

// wanted says whether a window decides about anything that counts in this version.
func (v *version) wanted(w window) bool {
	if v.only == nil {
		return w.first < w.last
	}
	for _, t := range v.tokens[w.first:w.last] {
		if touches(v.only, t.Start, t.End) {
			return true
		}
	}
	return false
}

// known says whether all that a window decides about lies on stretches that hold no PHI, or in the margins of the
// chunk.
func (r *reading) known(v *version, w window, c chunk) bool {
	at := r.skipped
	for _, t := range v.tokens[w.first:w.last] {
		if t.End <= c.start || t.Start >= c.end {
			continue
		}
		for at < len(r.skip) && r.skip[at].End <= t.Start {
			at++
		}
		if at == len(r.skip) || t.Start < r.skip[at].Start || t.End > r.skip[at].End {
			return false
		}
	}
	return true
}

// window scores one window of a version and keeps the votes that it decides.
func (t *tagger) window(ctx context.Context, v *version, n int, votes []vote) error {
	w := v.windows[n]
	ids := make([]int64, w.to-w.from)
	for i := range ids {
		ids[i] = v.tokens[w.from+i].ID
	}
	logits, err := t.score(ctx, v, n, ids)
	if err != nil {
		return err
	}
	columns := len(t.reader.slot)
	if len(logits) != columns*len(ids) {
		return fmt.Errorf("%w: %d numbers for %d tokens of %d classes", ErrScores, len(logits), len(ids), columns)
	}
	return t.reader.read(logits[columns*(w.first-w.from):columns*(w.last-w.from)], votes[w.first:w.last])
}

// score gives the logits of one window. A trunk leaves its states for the branch, which takes them where there are any.
func (t *tagger) score(ctx context.Context, v *version, n int, ids []int64) (logits []float32, err error) {
	if trunk, ok := t.Tagger.(Trunk); ok && t.bears {
		logits, v.states[n], err = trunk.TagTrunk(ctx, ids)
		return logits, err
	}
	if branch, ok := t.Tagger.(Branch); ok && v.states != nil && v.states[n] != nil {
		states := v.states[n]
		v.states[n] = nil
		return branch.TagFrom(ctx, states)
	}
	return t.Tag(ctx, ids)
}

// decide turns the votes on tokens into decisions about words and hands them to the builders.
func (r *reading) decide(c chunk, versions []version) {
	words := units(r.doc.Text, c.from, c.to)
	opinions := make([]opinion, len(r.ensembles))
	cursors := make([]int, len(versions))
	for _, u := range words {
		if u.start < c.start || u.start >= c.end {
			continue
		}
		for r.skipped < len(r.skip) && r.skip[r.skipped].End <= u.start {
			r.skipped++
		}
		if r.skipped < len(r.skip) && r.skip[r.skipped].Start <= u.start && u.end <= r.skip[r.skipped].End {
			continue
		}
		for k := range r.builders {
			clear(opinions)
			for i := range versions {
				r.collect(&versions[i], &cursors[i], u, r.decisions[k], opinions)
			}
			if verdict := settle(opinions, r.decisions[k]); verdict.votes > 0 {
				r.builders[k].add(u, verdict)
			}
		}
	}
}

// collect adds what the tokens of one word say to the opinions. The cursor moves along with the words.
func (r *reading) collect(v *version, cursor *int, u unit, decisions []Decision, opinions []opinion) {
	for *cursor < len(v.tokens) && v.tokens[*cursor].End <= u.start {
		*cursor++
	}
	if v.only != nil && !touches(v.only, u.start, u.end) {
		return
	}
	for t := range r.taggers {
		votes := v.votes[t]
		if votes == nil {
			continue
		}
		word := r.taggers[t].word(v, votes, *cursor, u, decisions[v.ensemble].Word)
		o := &opinions[v.ensemble]
		to := &o.sub
		if r.taggers[t].super {
			to = &o.super
			o.hasSuper = true
		} else {
			o.hasSub, o.kinds = true, r.taggers[t].reader.kinds
		}
		if word.stronger(*to) {
			*to = word
		}
	}
}

// word gives the vote of a tagger on a word. A character that is no word listens only to tokens without words in them.
func (t *tagger) word(v *version, votes []vote, from int, u unit, pooling Pooling) vote {
	var strongest vote
	var spoke []vote
	begins, n := false, 0
	for i := from; i < len(v.tokens) && v.tokens[i].Start < u.end; i++ {
		if v.tokens[i].End <= u.start || !u.word && v.wordy[i] {
			continue
		}
		vote := votes[i]
		n++
		switch {
		case pooling == First:
			return vote
		case pooling == Mean:
			if vote.row != nil {
				spoke = append(spoke, vote)
			}
			continue
		case vote.stronger(strongest):
			begins = vote.begin || begins && vote.kind == strongest.kind
			strongest = vote
		case vote.kind == strongest.kind:
			begins = begins || vote.begin
		}
	}
	if pooling == Mean {
		return t.reader.mean(spoke, n)
	}
	strongest.begin = begins
	return strongest
}
