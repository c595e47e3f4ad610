package risk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"fhirdeid/pipeline/phi"
)

// Version of the formulas; it changes when a number would.
const Version = "1"

// Record is one document as it is released.
type Record struct {
	ID    string     // pseudonymous; not compared with itself in a reference corpus
	Text  string     // de-identified
	Spans []phi.Span // what stands where PHI was: sorted, disjoint, offsets into Text; Entity may name the person
	Quasi Quasi
	Gate  Gate
}

// Gate is what the checks of the output said. Any of it makes the document red, whatever the numbers.
type Gate struct {
	Leaks  int  // known identifiers left
	Unread int  // parts that no detector read, and that were not removed
	Failed bool // a detector failed
}

// Passed says whether nothing speaks against the output.
func (g Gate) Passed() bool { return g.Leaks == 0 && g.Unread == 0 && !g.Failed }

// Quasi says which kinds of quasi-identifiers the output still gives truly, in structure or text.
type Quasi struct {
	Age, Sex, ZIP, Region, Year, Profession, Diagnosis bool
}

const quasiKinds = 7

// Count gives how many kinds are given.
func (q Quasi) Count() (n int) {
	for _, given := range []bool{q.Age, q.Sex, q.ZIP, q.Region, q.Year, q.Profession, q.Diagnosis} {
		if given {
			n++
		}
	}
	return n
}

// Config holds what the formulas may be tuned by. The zero value takes the defaults.
type Config struct {
	Similarity Similarity           // nil: Lexical
	Reference  *Reference           // nil: uniqueness is not known
	Weights    map[Pair]float64     // co-occurrence weights, 0 to 1; nil: DefaultWeights
	Recall     map[phi.Type]float64 // measured recall, 0 to 1, by type or bare category; nil: DefaultRecall for all
	Direct     func(phi.Type) bool  // nil: Direct
	Thresholds Thresholds           // zero: 25 and 50
}

// DefaultRecall stands for types without a measured recall.
const DefaultRecall = 0.95

// Thresholds part the levels, in percent: below Green is green, above Red is red.
type Thresholds struct{ Green, Red float64 }

// Level is the colour that papers and reports show.
type Level uint8

// The levels. The zero value is the worst, so that what was not computed is not shown as harmless.
const (
	Red Level = iota
	Yellow
	Green
)

// String gives green, yellow or red.
func (l Level) String() string { return [...]string{"red", "yellow", "green"}[min(l, Green)] }

func (t Thresholds) level(percent float64) Level {
	switch {
	case percent > t.Red:
		return Red
	case percent >= t.Green:
		return Yellow
	}
	return Green
}

// Absent says why a value is missing, as codes of FHIR's data-absent-reason.
type Absent string

// The reasons. The empty one means that the value is there.
const (
	NotPerformed  Absent = "not-performed"  // no reference corpus
	NotApplicable Absent = "not-applicable" // the document has no entities
)

// Value is one number of the report.
type Value struct {
	Code    string // kebab-case, stable
	Display string
	Number  float64
	Unit    string // UCUM: 1, % or {count}
	Method  string // how it was computed, with version
	Absent  Absent
}

// Report is the result for one document.
type Report struct {
	Level   Level
	Values  []Value
	Counts  map[phi.Type]int
	Reasons []string // fixed sentences, the gravest first
}

// Value gives the value of that code.
func (r Report) Value(code string) (Value, bool) {
	for _, v := range r.Values {
		if v.Code == code {
			return v, true
		}
	}
	return Value{}, false
}

// Assess computes the report of one document. It fails only when the similarity does. Its time is linear in the text; the
// comparison with the reference corpus is bounded, see maxCompared: of a document with more than 2,000 contexts the number of
// unique ones is an estimate.
func Assess(ctx context.Context, doc Record, c Config) (Report, error) {
	c = c.filled()
	r := Report{Counts: counts(doc.Spans)}
	unique, err := uniqueContexts(ctx, doc, c)
	if err != nil {
		return Report{}, err
	}
	n := len(doc.Spans)
	share, absent := 0.0, NotPerformed
	switch {
	case n == 0:
		absent = NotApplicable
	case unique >= 0:
		share, absent = float64(unique)/float64(n), ""
	}
	pairs := CoOccurrences(doc.Text, doc.Spans)
	relation := Relation(r.Counts, pairs, c.Weights)
	leak := LeakProbability(r.Counts, c.Recall, c.Direct)
	joint := Joint(leak, shareOrWorst(share, absent, n), doc.Quasi)

	method := "fhirdeid-risk-" + Version
	similarity := method + " " + c.Similarity.Method()
	if c.Reference != nil {
		similarity += fmt.Sprintf(" reference %s (%d documents, %d contexts) threshold %.3f",
			c.Reference.Name, c.Reference.Documents, c.Reference.Contexts, c.Reference.Threshold)
	}
	r.Values = []Value{
		{Code: "joint-score", Display: "Joint re-identification risk", Number: 100 * joint, Unit: "%", Method: similarity},
		{Code: "leak-probability", Display: "Probability that a direct identifier was missed", Number: 100 * leak, Unit: "%", Method: method},
		{Code: "risk-score", Display: "Share of unique contexts", Number: 100 * share, Unit: "%", Method: similarity, Absent: absent},
		{Code: "frs", Display: "Final risk score", Number: min(100, relation*share*100), Unit: "%", Method: similarity, Absent: absent},
		{Code: "ef-coweight", Display: "Entity frequency and co-occurrence weight", Number: relation, Unit: "1", Method: method, Absent: onlyIf(n == 0, NotApplicable)},
		{Code: "contexts", Display: "Contexts", Number: float64(n), Unit: "{count}", Method: method},
		{Code: "unique-contexts", Display: "Unique contexts", Number: float64(max(0, unique)), Unit: "{count}", Method: similarity, Absent: onlyIf(unique < 0, NotPerformed)},
		{Code: "quasi-identifiers", Display: "Kinds of quasi-identifiers left", Number: float64(doc.Quasi.Count()), Unit: "{count}", Method: method},
		{Code: "leak-gate", Display: "Known identifiers left in the output", Number: float64(doc.Gate.Leaks), Unit: "{count}", Method: method},
		{Code: "unread-parts", Display: "Parts that could not be read", Number: float64(doc.Gate.Unread), Unit: "{count}", Method: method},
	}
	for _, t := range slices.Sorted(maps.Keys(r.Counts)) {
		r.Values = append(r.Values, Value{
			Code: "count-" + t.String(), Display: "Entities replaced: " + t.String(),
			Number: float64(r.Counts[t]), Unit: "{count}", Method: method,
		})
	}
	r.Level, r.Reasons = verdict(doc, r, c)
	return r, nil
}

func (c Config) filled() Config {
	if c.Similarity == nil {
		c.Similarity = Lexical{}
	}
	if c.Reference != nil && c.Reference.Method != c.Similarity.Method() {
		c.Reference = nil
	}
	if c.Weights == nil {
		c.Weights = DefaultWeights()
	}
	if c.Direct == nil {
		c.Direct = Direct
	}
	if c.Thresholds == (Thresholds{}) {
		c.Thresholds = Thresholds{Green: 25, Red: 50}
	}
	return c
}

func counts(spans []phi.Span) map[phi.Type]int {
	m := map[phi.Type]int{}
	for _, s := range spans {
		m[s.Type]++
	}
	return m
}

// maxCompared bounds how many contexts of a document are compared with the corpus.
const maxCompared = 2000

// uniqueContexts gives how many contexts are unique, or -1 without a corpus to compare with. Of more than maxCompared
// contexts so many are compared that stand evenly in the document, and their share stands for all: the time of a comparison
// depends on the corpus alone, so that of a document is bounded.
func uniqueContexts(ctx context.Context, doc Record, c Config) (int, error) {
	if c.Reference == nil {
		return -1, nil
	}
	vectors, err := c.Similarity.Vectors(ctx, doc.Text, doc.Spans)
	if err != nil {
		return 0, fmt.Errorf("contexts: %w", err)
	}
	unique, compared := 0, min(len(vectors), maxCompared)
	for i := range compared {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if c.Reference.Unique(vectors[i*len(vectors)/compared], doc.ID) {
			unique++
		}
	}
	if compared < len(vectors) {
		unique = int(math.Round(float64(unique) * float64(len(vectors)) / float64(compared)))
	}
	return unique, nil
}

func onlyIf(missing bool, reason Absent) Absent {
	if missing {
		return reason
	}
	return ""
}

// shareOrWorst takes every context as unique where nothing is known, and none where there is none.
func shareOrWorst(share float64, absent Absent, contexts int) float64 {
	if contexts > 0 && absent != "" {
		return 1
	}
	return share
}

// LeakProbability gives the probability that at least one direct identifier was missed, from the numbers found and
// the recall of their types. A recall of 0 or less counts as 0.01.
func LeakProbability(counts map[phi.Type]int, recall map[phi.Type]float64, direct func(phi.Type) bool) float64 {
	missed := 0.0
	for _, t := range slices.Sorted(maps.Keys(counts)) {
		if direct(t) {
			r := recallOf(recall, t)
			missed += float64(counts[t]) * (1 - r) / r
		}
	}
	return 1 - math.Exp(-missed)
}

func recallOf(recall map[phi.Type]float64, t phi.Type) float64 {
	r, ok := recall[t]
	if !ok {
		r, ok = recall[t.Category().Type()]
	}
	if !ok {
		r = DefaultRecall
	}
	return max(0.01, min(1, r))
}

// Direct says whether a value of the type alone points to a person.
func Direct(t phi.Type) bool {
	switch t {
	case phi.LocationStreet:
		return true
	case phi.NameStaff:
		return false
	}
	switch t.Category() {
	case phi.CategoryName, phi.CategoryContact, phi.CategoryID:
		return true
	}
	return false
}

// Joint combines the probability of a missed identifier with the uniqueness of what remains; all are 0 to 1.
func Joint(leak, unique float64, q Quasi) float64 {
	return 1 - (1-leak)*(1-unique*float64(q.Count())/quasiKinds)
}

type finding struct {
	level Level
	text  string
}

// verdict takes the worst of the levels, and says why.
func verdict(doc Record, r Report, c Config) (Level, []string) {
	var found []finding
	add := func(level Level, text string) { found = append(found, finding{level, text}) }
	if doc.Gate.Leaks > 0 {
		add(Red, "A known identifier of the patient is left in the output.")
	}
	if doc.Gate.Unread > 0 {
		add(Red, "A part of the document could not be read.")
	}
	if doc.Gate.Failed {
		add(Red, "A detector failed.")
	}
	for _, scored := range []struct{ code, text string }{
		{"risk-score", "Contexts of entities that no other document of the reference corpus has"},
		{"frs", "Unusual contexts together with combinations of identifying entities"},
		{"joint-score", "Missed identifiers are possible and quasi-identifiers remain"},
	} {
		if v, ok := r.Value(scored.code); ok && v.Absent == "" {
			if l := c.Thresholds.level(v.Number); l != Green {
				add(l, scored.text+" ("+scored.code+").")
			}
		}
	}
	level := Green
	reasons := []string{}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.level, b.level) })
	for _, f := range found {
		level = min(level, f.level)
		reasons = append(reasons, f.text)
	}
	if c.Reference == nil && len(doc.Spans) > 0 {
		reasons = append(reasons, "There is no reference corpus, so uniqueness is not known and counts as complete in the joint score.")
	}
	return level, reasons
}
