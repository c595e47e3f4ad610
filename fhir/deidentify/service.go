package deidentify

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"fhirdeid/config/policies"
	"fhirdeid/fhir"
	"fhirdeid/fhir/attachment"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
	"fhirdeid/risk"
	"fhirdeid/surrogate"
)

// Options lists the parts of a Service. Master and Policies are required; Pipeline may only be nil where no policy
// scans text.
type Options struct {
	Pipeline      *pipeline.Pipeline
	Policies      map[string]*fhir.Policy
	PolicyText    func(name string) []byte // the policy as written, for the record; nil: the built-in ones'
	DefaultPolicy string                   // a name in Policies; "all" if empty
	Master        []byte                   // at least 16 bytes; every key is derived from it
	Context       string                   // project of requests that name none

	Store    Store    // nil: nothing is kept
	Profiles Profiles // nil: contexts are compared with Reference alone
	Auditor  Auditor  // nil: failures leave no trail
	Puller   Puller   // nil: requests by reference are refused

	Clock func() time.Time // nil: time.Now
	// NewID gives ids of requests; nil: random UUIDs.
	NewID func() string

	Limits  Limits
	Device  DeviceInfo
	Clients map[string]Grant // what a named client may choose; "" is what all others may; without it, nothing

	// IdentifierSystem is the system whose identifier is the canonical id of a patient; empty: none.
	IdentifierSystem string
	Shift            surrogate.ShiftRange // zero: 1 to 365 days either way
	Locale           string               // de, at, ch or en: where the resources do not tell; empty: by the text's language
	// AllowLanguages lets texts in other languages than German and English pass with a warning.
	AllowLanguages bool

	Similarity risk.Similarity // nil: lexical
	Reference  *risk.Reference // corpus that contexts are compared with; nil: none, and uniqueness is not given
	Recall     map[phi.Type]float64
}

// Limits bounds what one request may cost. A zero field means its default.
type Limits struct {
	Resources   int   // resources of a request; 10,000
	Patients    int   // patients of a request; 1,000
	Text        int64 // bytes of text of a request, decoded; 32 MiB
	Attachment  attachment.Limits
	Parallel    int // attachments decoded and read at a time; number of CPUs
	Pulled      int // resources read from the other server; 1,000
	Expressions int // FHIRPaths listed in the answer's OperationOutcome; 1,000
}

// DeviceInfo describes this program in Device and Provenance.
type DeviceInfo struct {
	Name, Version string
	Packs         []string // name and version of each model pack
	Lists         string   // version of the word lists that surrogates come from
}

// Grant says what a client may choose for itself; "*" allows every value.
type Grant struct {
	Policies, Methods, Contexts []string
}

// Request is one call of the operation.
type Request struct {
	Resource          *fhir.Node // by value: any resource, Bundle or Parameters; nil: References or Patients are read
	References        []string   // literal references to pull
	Patients          []string   // patients whose documents are pulled
	Policy            string     // name; empty: the default
	Context           string     // project; empty: the default
	Method            string     // surrogate, tag, redact, mask or category: replaces the action of all replaced text
	Language          string     // de, en, or auto and empty: told from each text
	OnUnsupported     string     // error (and empty) or remove: what becomes of attachments that cannot be read
	IncludeProvenance bool
	IncludeRisk       bool
	Raw               bool   // the same resource type out as in, Provenance and Observations apart
	Client            string // name of the caller, as authenticated
	Trusted           bool   // the caller may choose anything: the command line

	// ID and Time are those of a request that may come again; the same ones leave the same behind, and that once. Empty: new
	// ones.
	ID   string
	Time time.Time
}

// Result is the answer to a Request.
type Result struct {
	Request      string     // id of the request
	Resource     *fhir.Node // Bundle of type collection, or with Raw the resource that came in, de-identified
	Provenance   []*fhir.Node
	Device       *fhir.Node
	Observations []*fhir.Node
	Outcome      *fhir.Node // OperationOutcome that lists what was changed, and the warnings
	Warnings     []Warning
	Changed      []Change
	Reports      []risk.Report
	Patients     []string // pseudonymous ids of the patients

	stored  []StoredResource
	lineage []Lineage
	profile []ProfileDocument
}

// Change is what was done with an element, wherever it stands.
type Change struct {
	Expression string // FHIRPath from the type where R4 defines the element, such as Patient.birthDate
	Action     phi.Action
	Count      int // how often
}

// Service is the use case. It is safe for concurrent use.
type Service struct {
	o     Options
	light *pipeline.Pipeline // only what does not take eponyms for names
	bare  *pipeline.Pipeline // all but the models

	mu       sync.Mutex
	profiles map[string]profile // by project
}

// New checks the options and fills in the defaults.
func New(o Options) (*Service, error) {
	if len(o.Master) < minMaster {
		return nil, errors.New("deidentify: the master key is shorter than 16 bytes")
	}
	o.DefaultPolicy = cmp.Or(o.DefaultPolicy, fhir.DefaultPolicy)
	if o.Policies[o.DefaultPolicy] == nil {
		return nil, errors.New("deidentify: the default policy is not among the policies")
	}
	if o.Pipeline == nil {
		return nil, errors.New("deidentify: there is no pipeline")
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = NewID
	}
	if o.PolicyText == nil {
		o.PolicyText = func(name string) []byte {
			text, _ := policies.Read(name)
			return text
		}
	}
	if o.Similarity == nil {
		o.Similarity = risk.Lexical{}
	}
	o.Limits = o.Limits.withDefaults()
	s := &Service{o: o, profiles: map[string]profile{}}
	s.light = &pipeline.Pipeline{MaxBytes: o.Pipeline.MaxBytes, Window: o.Pipeline.Window}
	s.bare = &pipeline.Pipeline{MaxBytes: o.Pipeline.MaxBytes, Window: o.Pipeline.Window}
	for _, d := range o.Pipeline.Detectors {
		if !isModel(d) {
			s.bare.Detectors = append(s.bare.Detectors, d)
		}
		if strings.HasPrefix(d.Name(), "rules.") && !strings.HasPrefix(d.Name(), "rules.name") {
			s.light.Detectors = append(s.light.Detectors, d)
		}
	}
	return s, nil
}

// isModel says whether a detector reads with models, which may fail while a request runs.
func isModel(d pipeline.Detector) bool {
	return d.Name() == "ner" || strings.HasPrefix(d.Name(), "ner.")
}

// minMaster is the least length of the master key, in bytes.
const minMaster = 16

func (l Limits) withDefaults() Limits {
	l.Resources = cmp.Or(l.Resources, 10_000)
	l.Patients = cmp.Or(l.Patients, 1000)
	l.Text = cmp.Or(l.Text, 32<<20)
	l.Parallel = cmp.Or(l.Parallel, runtime.GOMAXPROCS(0))
	l.Pulled = cmp.Or(l.Pulled, 1000)
	l.Expressions = cmp.Or(l.Expressions, 1000)
	return l
}

// NewID gives a random id for a request.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fhir.FormatUUID(b)
}

// Deidentify answers one request. Every error is an *Error or the context's own.
func (s *Service) Deidentify(ctx context.Context, r Request) (*Result, error) {
	id := r.ID
	if id == "" {
		id = s.o.NewID()
	}
	event := Event{Request: id, Time: s.o.Clock(), Client: r.Client, Action: "deidentify"}
	var result *Result
	err := contained("", func() (err error) {
		result, err = s.deidentify(ctx, r, id, &event)
		return err
	})
	if err != nil {
		err = settled(ctx, err)
		s.audit(ctx, event, err)
		return nil, err
	}
	return result, nil
}

// settled makes sure that nothing but an *Error or the context's error leaves.
func settled(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return fail(ErrDetect, "", "the request failed")
}

// audit notes a failure. It outlives the request, since a caller that hangs up must leave a trail too.
func (s *Service) audit(ctx context.Context, e Event, err error) {
	if s.o.Auditor == nil {
		return
	}
	e.Outcome = "cancelled"
	var failed *Error
	if errors.As(err, &failed) {
		e.Outcome = failed.Code
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime)
	defer cancel()
	_ = s.o.Auditor.Audit(ctx, e) // the request has failed already, with the error that matters more
}

const auditTime = 5 * time.Second

func (s *Service) deidentify(ctx context.Context, r Request, id string, event *Event) (*Result, error) {
	w, err := s.writer(ctx, r)
	if err != nil {
		return nil, err
	}
	event.Context, event.Policy = w.project, w.policy.String()
	inputs, err := s.inputs(ctx, r)
	if err != nil {
		return nil, err
	}
	w.x = newIndex(inputs)
	if len(w.x.all) > s.o.Limits.Resources {
		return nil, fail(ErrTooLarge, "", "the request holds more resources than the limit")
	}
	w.names = &namer{key: surrogate.Derive(s.o.Master, w.project, "id"), x: w.x, raw: r.Raw, made: map[string]string{}}
	w.names.nameAll()
	w.patients = newPatients(w.x, s.o.IdentifierSystem)
	if len(w.patients.list) > s.o.Limits.Patients {
		return nil, fail(ErrTooLarge, "", "the request holds more patients than the limit")
	}
	w.ids = newIdentities(w.x)
	if err := w.prepare(); err != nil {
		return nil, err
	}
	event.Subject = w.subjects()
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return w.walk(ctx, inputs) },
		w.decode, w.detect, w.replace,
		func(ctx context.Context) error { w.finishLinks(); return w.verify(ctx, inputs) },
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	result, err := s.answer(ctx, w, r, id, inputs)
	if err != nil {
		return nil, err
	}
	event.Outcome, event.Counts = "success", w.counts(result)
	if err := s.commit(ctx, w, r, result, *event); err != nil {
		return nil, err
	}
	return result, nil
}

// writer checks what the request chooses.
func (s *Service) writer(ctx context.Context, r Request) (*writer, error) {
	name, project := cmp.Or(r.Policy, s.o.DefaultPolicy), cmp.Or(r.Context, s.o.Context)
	if err := s.permit(r, name, project); err != nil {
		return nil, err
	}
	policy := s.o.Policies[name]
	if policy == nil {
		return nil, fail(ErrInvalid, "Parameters.parameter", "there is no policy of that name")
	}
	if r.Method != "" {
		action, ok := phi.ParseAction(r.Method)
		var err error
		if ok {
			policy, err = policy.WithMethod(action)
		}
		if !ok || err != nil {
			return nil, fail(ErrInvalid, "Parameters.parameter", "there is no method of that name")
		}
	}
	w := &writer{
		ctx: ctx, o: &s.o, policy: policy, policyName: name, light: s.light, bare: s.bare, project: project, now: s.o.Clock(),
		detectors:  map[*patient]*known.Detector{},
		generators: map[*patient]*surrogate.Generator{},
		byText:     map[jobKey]*job{}, fileJobs: map[*file]*job{},
		warned: map[Warning]bool{}, changes: map[changeKey]int{}, displays: map[displayKey]string{}, searched: map[searchKey]bool{},
	}
	if !r.Time.IsZero() {
		w.now = r.Time
	}
	switch r.Language {
	case "", "auto":
	case "de", "en":
		w.language = phi.Language(r.Language)
	default:
		return nil, fail(ErrInvalid, "Parameters.parameter", "the language must be de, en or auto")
	}
	switch r.OnUnsupported {
	case "", "error":
	case "remove":
		w.strip = true
	default:
		return nil, fail(ErrInvalid, "Parameters.parameter", "onUnsupported must be error or remove")
	}
	return w, nil
}

// permit checks that the client may choose what differs from the server's own.
func (s *Service) permit(r Request, policy, project string) error {
	if r.Trusted {
		return nil
	}
	grant, ok := s.o.Clients[r.Client]
	if !ok {
		grant = s.o.Clients[""]
	}
	for _, c := range []struct {
		choice, own string
		allowed     []string
	}{{policy, s.o.DefaultPolicy, grant.Policies}, {project, s.o.Context, grant.Contexts}, {r.Method, "", grant.Methods}} {
		if c.choice != c.own && !slices.Contains(c.allowed, c.choice) && !slices.Contains(c.allowed, "*") {
			return fail(ErrForbidden, "Parameters.parameter", "the client may not choose this policy, method or context")
		}
	}
	return nil
}

// inputs copies what came by value and pulls what came by reference.
func (s *Service) inputs(ctx context.Context, r Request) ([]input, error) {
	var list []input
	if r.Resource != nil {
		if err := fhir.CheckResource(r.Resource); err != nil {
			return nil, fromFHIR(ctx, err)
		}
		list = append(list, input{node: r.Resource.Clone()})
	}
	if len(r.References)+len(r.Patients) > 0 {
		pulled, err := s.pull(ctx, r)
		if err != nil {
			return nil, err
		}
		list = append(list, pulled...)
	}
	if len(list) == 0 {
		return nil, fail(ErrRequired, "", "there is neither a resource nor a reference")
	}
	return list, nil
}

// fromFHIR gives the error of this package for one of the tree's.
func fromFHIR(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var e *fhir.Error
	if !errors.As(err, &e) {
		return fail(ErrStructure, "", "the resource cannot be read")
	}
	kind := ErrStructure
	switch e.Code {
	case fhir.IssueTooLong, fhir.IssueTooCostly:
		kind = ErrTooLarge
	case fhir.IssueExtension:
		kind = ErrModifier
	case fhir.IssueBusinessRule:
		kind = ErrInvalid
	}
	return &Error{Kind: kind, Code: string(e.Code), Expression: e.Path, Diagnostics: e.Detail}
}
