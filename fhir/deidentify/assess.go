package deidentify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/pipeline/phi"
	"fhirdeid/risk"
	"fhirdeid/surrogate"
)

// riskReport is the assessment of one document, or of all texts of a patient where there are no documents.
type riskReport = risk.Report

// siteDocuments is how many documents a project must have seen before they serve as its reference corpus; siteLimit
// bounds how many of them do.
const (
	siteDocuments = 50
	siteLimit     = 500
	profileAge    = 10 * time.Minute
	// profileContexts bounds what one document adds, so that no long one makes up most of the corpus.
	profileContexts = 500
)

// profile is a project's own corpus as it was read last.
type profile struct {
	reference *risk.Reference
	read      time.Time
}

// document is what is assessed together: the texts of one resource with content.
type document struct {
	owner   *resource // nil: all texts of a patient
	patient *patient
	jobs    []*job
	lost    int
}

// documents groups the texts. The content of a Binary belongs to the resource that points to it.
func (w *writer) documents() []*document {
	byOwner := map[*resource]*document{}
	var list []*document
	add := func(owner *resource, j *job, lost int) {
		owner = owner.holder()
		d := byOwner[owner]
		if d == nil {
			d = &document{owner: owner, patient: owner.patient}
			byOwner[owner] = d
			list = append(list, d)
		}
		if j != nil {
			d.jobs = append(d.jobs, j)
		}
		d.lost += lost
	}
	pointed := map[*resource]*resource{}
	for _, f := range w.files {
		if f.link != nil && pointed[f.link] == nil {
			pointed[f.link] = f.resource
		}
	}
	for _, f := range w.files {
		owner := f.resource
		if by := pointed[owner]; f.binary && by != nil {
			owner = by
		}
		switch {
		case w.fileJobs[f] != nil:
			add(owner, w.fileJobs[f], 0)
		case f.lost != nil:
			add(owner, nil, 1)
		}
	}
	if len(list) > 0 {
		return list
	}
	byPatient := map[*patient]*document{}
	for _, j := range w.jobs {
		d := byPatient[j.patient]
		if d == nil {
			d = &document{patient: j.patient}
			byPatient[j.patient] = d
			list = append(list, d)
		}
		d.jobs = append(d.jobs, j)
	}
	return list
}

// record joins the output texts of a document.
func (d *document) record(w *writer, name string) risk.Record {
	var b strings.Builder
	r := risk.Record{ID: name, Quasi: w.quasi(d)}
	for _, j := range d.jobs {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		for _, s := range j.kept {
			s.Start += b.Len()
			s.End += b.Len()
			if s.Start < s.End {
				r.Spans = append(r.Spans, s)
			}
		}
		b.WriteString(j.output)
		r.Gate.Failed = r.Gate.Failed || j.bare
	}
	r.Text = b.String()
	return r
}

// quasi tells which quasi-identifiers the output still gives truly.
func (w *writer) quasi(d *document) risk.Quasi {
	var q risk.Quasi
	kept := func(t phi.Type) bool {
		rule := w.policy.Text(t)
		return !rule.Detect || rule.Action == phi.Keep || rule.Action == phi.Generalise
	}
	for _, j := range d.jobs {
		for _, s := range j.spans {
			switch s.Type.Category() {
			case phi.CategoryAge:
				q.Age = q.Age || kept(s.Type)
			case phi.CategoryDate:
				q.Year = q.Year || kept(s.Type)
			case phi.CategoryProfession:
				q.Profession = q.Profession || kept(s.Type)
			case phi.CategoryLocation:
				q.ZIP = q.ZIP || s.Type == phi.LocationZIP && kept(s.Type)
				q.Region = q.Region || s.Type != phi.LocationZIP && kept(s.Type)
			}
		}
		q.Diagnosis = q.Diagnosis || len(j.output) >= proseLength
	}
	for _, r := range d.patient.nodes {
		q.Sex = q.Sex || r.node.Get("gender") != nil
		for _, a := range r.node.Get("address").Items() {
			q.ZIP = q.ZIP || w.truly(a, "postalCode")
			q.Region = q.Region || w.truly(a, "state")
		}
		q.Year = q.Year || r.node.Get("birthDate") != nil && len(r.node.Text("birthDate")) == len("2006")
	}
	for _, r := range w.x.all {
		if r.patient == d.patient && r.typ == "Condition" && r.node.Get("code") != nil {
			q.Diagnosis = true
		}
	}
	return q
}

// truly says whether the element stands and is no surrogate.
func (w *writer) truly(n *fhir.Node, key string) bool {
	at := n.Get(key)
	return at != nil && (w.policy.Element("Patient", "Patient.address", fhir.TypeAddress) == phi.Generalise || at.Mark() != markSettled)
}

// risk assesses every document.
func (a *answering) risk(ctx context.Context, s *Service) error {
	if !a.r.IncludeRisk {
		return nil
	}
	config := risk.Config{Similarity: s.o.Similarity, Reference: s.o.Reference, Recall: s.o.Recall}
	keyed := &remembered{Lexical: risk.Lexical{Key: surrogate.Derive(s.o.Master, a.w.project, "risk-profile")}}
	own, err := s.siteReference(ctx, a.w.project, keyed)
	if err != nil {
		return err
	}
	if own != nil {
		config.Similarity, config.Reference = keyed, own
	}
	for i, d := range a.w.documents() {
		name, focus := "", []string(nil)
		if d.owner != nil {
			name = d.owner.typ + "/" + d.owner.name
			focus = []string{name}
		}
		record := d.record(a.w, name)
		keyed.vectors = nil
		report, err := risk.Assess(ctx, record, config)
		if err != nil {
			return detectError(ctx, "", err)
		}
		if d.lost > 0 {
			report.Reasons = append(report.Reasons, "Content that could not be read was removed; it was not assessed.")
		}
		a.reports = append(a.reports, report)
		a.observe(i, d, focus, report)
		if d.owner != nil && s.o.Store != nil && len(record.Spans) > 0 {
			vectors := keyed.vectors
			if vectors == nil {
				if vectors, err = keyed.Vectors(ctx, record.Text, record.Spans); err != nil {
					return err
				}
			}
			a.profile = append(a.profile, ProfileDocument{
				Document: name, Subject: a.hash(d.patient), Method: keyed.Method(), Vectors: risk.AppendVectors(nil, spread(vectors, profileContexts)),
			})
		}
	}
	return nil
}

// remembered keeps the vectors that it made last: the profile wants those of the document that was assessed.
type remembered struct {
	risk.Lexical
	vectors []risk.Vector
}

// Vectors makes those of the contexts.
func (r *remembered) Vectors(ctx context.Context, text string, spans []phi.Span) (_ []risk.Vector, err error) {
	r.vectors, err = r.Lexical.Vectors(ctx, text, spans)
	return r.vectors, err
}

// spread gives at most n of the vectors, which stand evenly in the document.
func spread(vectors []risk.Vector, n int) []risk.Vector {
	if len(vectors) <= n {
		return vectors
	}
	few := make([]risk.Vector, n)
	for i := range few {
		few[i] = vectors[i*len(vectors)/n]
	}
	return few
}

func (a *answering) observe(i int, d *document, focus []string, report risk.Report) {
	info := fhir.RiskInfo{
		ID: a.id("observation", a.request, fmt.Sprint(i)), Focus: focus, Device: "Device/" + a.dev.Text("id"), Effective: a.w.now,
		Method: "fhirdeid-risk-" + risk.Version, Level: levels[report.Level],
		Note: strings.Join(append(slices.Clone(report.Reasons), disclaimer), " "),
	}
	if len(focus) > 0 && slices.Contains(derivable, d.owner.typ) {
		info.DerivedFrom = focus
	}
	if !d.patient.nobody {
		info.Subject = "Patient/" + d.patient.name
	}
	for _, v := range report.Values {
		value := fhir.Absent(string(v.Absent))
		switch {
		case v.Absent != "":
		case v.Unit == "{count}":
			value = fhir.Count(int(v.Number))
		case v.Unit == "%":
			value = fhir.Percent(v.Number)
		default:
			value = fhir.Ratio(v.Number)
		}
		if v.Code == "joint-score" {
			info.Value = value
		}
		info.Components = append(info.Components, fhir.Component{Code: v.Code, Display: v.Display, Value: value})
	}
	info.Components = append(info.Components,
		fhir.Component{Code: "level", Display: "Level", Value: fhir.Value{Text: report.Level.String()}},
		fhir.Component{Code: "method", Display: "Method", Value: fhir.Value{Text: report.Values[0].Method}},
	)
	node := fhir.NewRiskObservation(info)
	fhir.AddLabels(node, fhir.Pseudonymised)
	a.made = append(a.made, made{StoredResource{
		Type: "Observation", ID: info.ID, Hash: a.hash(d.patient), Subject: info.Subject, Focus: focus,
	}, node})
}

var levels = map[risk.Level]string{risk.Green: "low", risk.Yellow: "medium", risk.Red: "high"}

// derivable are the types that Observation.derivedFrom may point to.
var derivable = []string{"DocumentReference", "ImagingStudy", "Media", "QuestionnaireResponse", "Observation", "MolecularSequence"}

const disclaimer = "The figures support expert review; they are no determination."

// siteReference gives the project's own corpus once it is large enough.
func (s *Service) siteReference(ctx context.Context, project string, similarity risk.Similarity) (*risk.Reference, error) {
	if s.o.Profiles == nil {
		return nil, nil
	}
	now := s.o.Clock()
	s.mu.Lock()
	known, ok := s.profiles[project]
	s.mu.Unlock()
	if ok && now.Sub(known.read) < profileAge {
		return known.reference, nil
	}
	stored, err := s.o.Profiles.Profile(ctx, project, similarity.Method(), siteLimit)
	if err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, ctxErr
		}
		return nil, fail(ErrStore, "", "the reference profile cannot be read")
	}
	var documents []risk.ReferenceDocument
	if len(stored) >= siteDocuments {
		for _, d := range stored {
			vectors, err := risk.ParseVectors(d.Vectors)
			if err != nil {
				return nil, fail(ErrStore, "", "the reference profile is damaged")
			}
			documents = append(documents, risk.ReferenceDocument{ID: d.Document, Vectors: vectors})
		}
	}
	fresh := profile{risk.NewReference("site", similarity.Method(), documents, risk.DefaultShare), now}
	s.mu.Lock()
	s.profiles[project] = fresh
	s.mu.Unlock()
	return fresh.reference, nil
}
