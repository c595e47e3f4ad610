package deidentify_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
)

// optional gives the options of a service whose default policy goes on without models.
func optional(t *testing.T, o *deidentify.Options, detectors ...pipeline.Detector) {
	t.Helper()
	p, err := fhir.ParsePolicy([]byte("name: lenient\nextends: all\ntext: {models: optional}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.Policies[p.Name], o.DefaultPolicy = p, p.Name
	o.Pipeline = &pipeline.Pipeline{Detectors: append(slices.Clone(readers[:2]), detectors...)} // rules alone
}

// TestModelsOptional: with that policy a request outlives its models, rules and known identifiers still count, and the
// answer and its risk say so.
func TestModelsOptional(t *testing.T) {
	for name, broken := range map[string]pipeline.Detector{"error": failing{}, "panic": breaking{}} {
		t.Run(name, func(t *testing.T) {
			m := &memoryStore{}
			s := newService(t, func(o *deidentify.Options) {
				optional(t, o, broken)
				o.Store = m
			})
			r := run(t, s, raw(decode(t, germanBundle("collection"))))
			mustNotHold(t, "answer", everything(r.Resource), secrets...)
			outcome := string(r.Outcome.Encode())
			mustHold(t, "outcome", outcome, `"severity":"warning","code":"incomplete"`, "The models failed")
			mustNotHold(t, "outcome", outcome, secrets...)
			reasons := ""
			for _, report := range r.Reports {
				reasons += strings.Join(report.Reasons, " ")
			}
			mustHold(t, "risk", reasons, "A detector failed.")
			if len(m.records) != 1 || m.records[0].Audit.Counts["without-models"] == 0 {
				t.Errorf("trail: %+v", m.records)
			}
		})
	}
}

// TestModelsOptionalIsQuietWhenTheyWork: no warning where nothing failed.
func TestModelsOptionalIsQuietWhenTheyWork(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) { optional(t, o, readers[2]) })
	mustNotHold(t, "outcome", string(run(t, s, raw(decode(t, germanBundle("collection")))).Outcome.Encode()), "models failed")
}

// strict is a rule that fails; no policy lets a request go on without the rules.
type strict struct{}

func (strict) Name() string { return "rules.strict" }
func (strict) Detect(context.Context, *pipeline.Document) ([]phi.Span, error) {
	return nil, errors.New("no")
}

func TestModelsOptionalFailsWithTheRules(t *testing.T) {
	s := newService(t, func(o *deidentify.Options) { optional(t, o, strict{}, failing{}) })
	wantError(t, s, raw(decode(t, germanBundle("collection"))), deidentify.ErrDetect)
}

// hangingUp cancels the request and fails for it, as models do.
type hangingUp struct{ cancel context.CancelFunc }

func (hangingUp) Name() string { return "ner" }
func (h hangingUp) Detect(ctx context.Context, _ *pipeline.Document) ([]phi.Span, error) {
	h.cancel()
	return nil, ctx.Err()
}

// TestModelsOptionalCancelled: a request that is cancelled while the models read fails all the same.
func TestModelsOptionalCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newService(t, func(o *deidentify.Options) { optional(t, o, hangingUp{cancel}) })
	result, err := s.Deidentify(ctx, raw(decode(t, germanBundle("collection"))))
	if !errors.Is(err, context.Canceled) || result != nil {
		t.Errorf("%v, %v", result, err)
	}
}
