package deidentify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/pipeline/phi"
	"fhirdeid/surrogate"
)

// answer builds what the caller gets: the resources, and what was made about them.
func (s *Service) answer(ctx context.Context, w *writer, r Request, id string, inputs []input) (*Result, error) {
	a := &answering{
		w: w, r: r, request: id, key: surrogate.Derive(s.o.Master, w.project, "results"), subject: w.subjectKey(),
		source: surrogate.Derive(s.o.Master, w.project, "source"), hashes: map[*patient]string{},
	}
	result := &Result{Request: id, Warnings: w.warnings, Changed: w.changed()}
	for _, p := range w.patients.list {
		result.Patients = append(result.Patients, p.name)
	}
	a.outputs(inputs)
	a.label()
	a.device(s.o.Device)
	a.provenance()
	if err := a.risk(ctx, s); err != nil {
		return nil, err
	}
	result.Device, result.Reports = a.dev, a.reports
	result.Outcome = w.outcome()
	for _, m := range a.made {
		switch m.Type {
		case "Provenance":
			result.Provenance = append(result.Provenance, m.node)
		case "Observation":
			result.Observations = append(result.Observations, m.node)
		}
	}
	a.keep(result)
	if r.Raw {
		result.Resource = inputs[0].node
		if len(inputs) > 1 {
			result.Resource = fhir.NewBundle(fhir.BundleInfo{Timestamp: w.now}, a.out...)
		}
		return result, nil
	}
	result.Resource = a.bundle(result)
	return result, nil
}

// answering builds one answer.
type answering struct {
	w       *writer
	r       Request
	request string
	key     surrogate.Key
	subject surrogate.Key
	source  surrogate.Key
	hashes  map[*patient]string
	out     []*fhir.Node // entries of the answer
	sources []*resource  // resources that came out, contained ones and Bundles that dissolved excepted
	dev     *fhir.Node
	made    []made
	reports []riskReport
	profile []ProfileDocument
}

// made is a resource that this program made, with what it is stored by.
type made struct {
	StoredResource
	node *fhir.Node
}

// outputs lists the entries of the answer: the resources that came, the entries of Bundles that are mere lists.
func (a *answering) outputs(inputs []input) {
	for _, in := range inputs {
		r := a.w.x.byNode[in.node]
		if !dissolves(r) || a.r.Raw {
			a.out = append(a.out, in.node)
			continue
		}
		for _, e := range in.node.Get("entry").Items() {
			if inner := e.Get("resource"); inner.Kind() == fhir.Object {
				a.out = append(a.out, inner)
			}
		}
	}
	present := map[*fhir.Node]bool{}
	for _, n := range a.out {
		markPresent(n, present)
	}
	for _, r := range a.w.x.all {
		if !r.inside && present[r.node] && r.typ != "Parameters" && (!dissolves(r) || r.outer != nil) {
			a.sources = append(a.sources, r)
		}
	}
	for n := range present {
		redate(n, a.w.now)
	}
	if !a.r.Raw {
		for _, n := range a.out {
			if r := a.w.x.byNode[n]; r != nil && n.Get("id") == nil {
				n.SetAfter("resourceType", "id", fhir.NewString(r.name))
			}
		}
	}
}

// redate gives a document or message that lost its timestamp the time of this run: the first must have one.
func redate(n *fhir.Node, now time.Time) {
	if n.ResourceType() != "Bundle" || n.Get("timestamp") != nil {
		return
	}
	switch n.Text("type") {
	case "document", "message":
		n.SetAfter("type", "timestamp", fhir.NewInstant(now))
	}
}

// markPresent notes which resources the policy left.
func markPresent(n *fhir.Node, present map[*fhir.Node]bool) {
	switch n.Kind() {
	case fhir.Object:
		if n.ResourceType() != "" {
			present[n] = true
		}
		for _, m := range n.Members() {
			markPresent(m.Value, present)
		}
	case fhir.Array:
		for _, i := range n.Items() {
			markPresent(i, present)
		}
	}
}

// labels gives the security labels that are true after those actions: keys are kept, so nothing is anonymous.
func labels(actions uint16) []fhir.Label {
	did := func(list ...phi.Action) bool {
		return slices.ContainsFunc(list, func(a phi.Action) bool { return actions&(1<<a) != 0 })
	}
	list := []fhir.Label{fhir.Pseudonymised}
	if did(phi.Remove, phi.Redact, phi.Tag, phi.ToCategory) {
		list = append(list, fhir.Redacted)
	}
	if did(phi.Mask) {
		list = append(list, fhir.Masked)
	}
	return list
}

// actions joins those of all resources.
func (w *writer) actions() (all uint16) {
	for _, r := range w.x.all {
		all |= r.actions
	}
	return all
}

func (a *answering) label() {
	for _, r := range a.sources {
		actions := r.actions
		if r.typ == "Bundle" {
			actions = a.w.actions()
		}
		fhir.AddLabels(r.node, labels(actions)...)
	}
	if a.r.Raw {
		for _, n := range a.out {
			if r := a.w.x.byNode[n]; r != nil && !slices.Contains(a.sources, r) && r.typ != "Parameters" {
				fhir.AddLabels(n, labels(a.w.actions())...)
			}
		}
	}
}

func (a *answering) id(parts ...string) string {
	return fhir.FormatUUID([16]byte(a.key.Bytes(16, parts...)))
}

// device describes the program; the same program under the same policy is the same Device.
func (a *answering) device(d DeviceInfo) {
	info := fhir.DeviceInfo{Name: d.Name, Version: d.Version, Lists: d.Lists, Policies: []fhir.Pack{{Name: a.w.policy.Name, Version: a.w.policy.Version}}}
	for _, p := range d.Packs {
		name, version, _ := strings.Cut(p, " ")
		info.Packs = append(info.Packs, fhir.Pack{Name: name, Version: version})
	}
	info.ID = a.id("device", fmt.Sprint(info))
	a.dev = fhir.NewDevice(info)
	a.made = append(a.made, made{StoredResource{Type: "Device", ID: info.ID}, a.dev})
}

// provenance makes one Provenance for what belongs to each patient, so that it can be erased with them.
func (a *answering) provenance() {
	if !a.r.IncludeProvenance {
		return
	}
	for i, p := range append(slices.Clone(a.w.patients.list), a.w.patients.nobody) {
		var targets, sources []string
		for _, r := range a.sources {
			if r.patient == p {
				targets = append(targets, r.typ+"/"+r.name)
				sources = append(sources, a.sourceHash(r))
			}
		}
		if len(targets) == 0 {
			continue
		}
		if len(sources) > maxSources {
			// One hash over all: single ones stand in the lineage.
			sum := sha256.Sum256([]byte(strings.Join(sources, "\n")))
			sources = []string{hex.EncodeToString(sum[:])}
		}
		id := a.id("provenance", a.request, fmt.Sprint(i))
		node := fhir.NewProvenance(fhir.ProvenanceInfo{
			ID: id, Targets: targets, Recorded: a.w.now, Activity: a.w.activity(), Device: "Device/" + a.dev.Text("id"),
			Policies: []string{a.w.policy.URI()}, Sources: sources,
		})
		fhir.AddLabels(node, fhir.Pseudonymised)
		a.made = append(a.made, made{StoredResource{Type: "Provenance", ID: id, Hash: a.hash(p), Target: targets}, node})
	}
}

// maxSources bounds the entities of one Provenance.
const maxSources = 20

// activity tells pseudonymisation from mere de-identification.
func (w *writer) activity() fhir.Activity {
	if w.actions()&(1<<phi.Shift|1<<phi.Surrogate) != 0 {
		return fhir.ActivityPseudonymise
	}
	return fhir.ActivityDeidentify
}

// hash gives the keyed hash of a patient, by which everything about them can be erased.
func (a *answering) hash(p *patient) string {
	if p.nobody {
		return ""
	}
	h, ok := a.hashes[p]
	if !ok {
		h = hex.EncodeToString(a.subject.Bytes(hashSize, p.canonical))
		a.hashes[p] = h
	}
	return h
}

const hashSize = 16

func (w *writer) subjectKey() surrogate.Key {
	return surrogate.Derive(w.o.Master, w.project, "subject")
}

// SubjectHash gives the keyed hash under which the store keeps what it has of a patient of a project; erase looks for
// it. canonical is PatientByID, or PatientByIdentifier where an identifier system is configured.
func SubjectHash(master []byte, project, canonical string) string {
	return hex.EncodeToString(surrogate.Derive(master, project, "subject").Bytes(hashSize, canonical))
}

// PatientByID gives the canonical id of a patient known by logical id; base is that of the server the Patient was
// pulled from, empty for one that came by value.
func PatientByID(base, id string) string {
	if base != "" {
		base = strings.TrimSuffix(base, "/") + "/"
	}
	return byID(base, id)
}

// PatientByIdentifier gives the canonical id of a patient known by the configured identifier.
func PatientByIdentifier(system, value string) string { return "identifier:" + system + "|" + value }

// subjects gives the keyed hashes of all patients of the request.
func (w *writer) subjects() []string {
	key := w.subjectKey()
	var list []string
	for _, p := range w.patients.list {
		list = append(list, hex.EncodeToString(key.Bytes(hashSize, p.canonical)))
	}
	return list
}

// sourceHash is the keyed hash of what a resource was called where it came from.
func (a *answering) sourceHash(r *resource) string {
	return hex.EncodeToString(a.source.Bytes(hashSize, r.base+r.typ, r.name))
}

// keep fills in the JSON of what is to be stored.
func (a *answering) keep(result *Result) {
	for _, m := range a.made {
		m.JSON = m.node.Encode()
		result.stored = append(result.stored, m.StoredResource)
	}
	for _, r := range a.sources {
		result.lineage = append(result.lineage, Lineage{Source: a.sourceHash(r), Subject: a.hash(r.patient), Target: r.typ + "/" + r.name})
	}
	result.profile = a.profile
}

// bundle puts everything together.
func (a *answering) bundle(result *Result) *fhir.Node {
	b := fhir.NewBundle(fhir.BundleInfo{ID: a.id("bundle", a.request), Timestamp: a.w.now})
	fhir.AddLabels(b, labels(a.w.actions())...)
	taken := map[string]bool{}
	for _, n := range a.out {
		fhir.AddEntry(b, n)
		// The same resource twice would be two entries of one fullUrl, which a collection forbids.
		entry := b.Get("entry").Item(b.Get("entry").Len() - 1)
		if url := entry.Text("fullUrl"); taken[url] {
			entry.Delete("fullUrl")
		} else {
			taken[url] = true
		}
	}
	var about []*fhir.Node
	if a.r.IncludeProvenance {
		about = append(about, result.Provenance...)
	}
	if a.r.IncludeProvenance || a.r.IncludeRisk {
		about = append(about, a.dev)
	}
	about = append(about, result.Observations...)
	for _, n := range about {
		taken[fhir.FullURL(n.Text("id"))] = true
	}
	for _, n := range about {
		fhir.AddEntry(b, within(n, taken))
	}
	fhir.AddEntry(b, result.Outcome)
	b.Get("entry").Item(b.Get("entry").Len()-1).Set("fullUrl", fhir.NewString(fhir.FullURL(a.id("outcome", a.request))))
	return b
}

// within gives a copy of what this program made whose references are the fullUrls of the entries: beside a fullUrl of
// urn:uuid: no relative reference means anything. The store keeps them relative, as the server's own base resolves them.
func within(n *fhir.Node, entries map[string]bool) *fhir.Node {
	n = n.Clone()
	eachObject(n, func(o *fhir.Node) {
		at := o.Get("reference")
		if s, ok := at.Str(); ok {
			if ref, err := fhir.ParseReference(s); err == nil && ref.Kind == fhir.RefRelative && entries[fhir.FullURL(ref.ID)] {
				at.SetString(fhir.FullURL(ref.ID))
			}
		}
	})
	return n
}

// outcome lists warnings and changes, the latter by what was done.
func (w *writer) outcome() *fhir.Node {
	left := w.o.Limits.Expressions
	var issues []fhir.Issue
	for _, x := range w.warnings {
		issue := fhir.Issue{Severity: fhir.SeverityWarning, Code: fhir.IssueType(x.Code), Diagnostics: x.Text}
		if x.Code == "informational" {
			issue.Severity = fhir.SeverityInformation
		}
		if x.Expression != "" && left > 0 {
			issue.Expression = []string{x.Expression}
			left--
		}
		issues = append(issues, issue)
	}
	for a := phi.Remove; a <= phi.ToCategory; a++ {
		var elements []string
		for _, c := range w.changed() {
			if c.Action == a {
				elements = append(elements, c.Expression)
			}
		}
		if len(elements) == 0 {
			continue
		}
		issue := fhir.Issue{Severity: fhir.SeverityInformation, Code: fhir.IssueInformation, Diagnostics: done[a]}
		issue.Expression = elements[:min(len(elements), max(0, left))]
		if len(elements) > len(issue.Expression) {
			issue.Diagnostics += fmt.Sprintf(" (%d elements, of which %d are listed)", len(elements), len(issue.Expression))
		}
		left -= len(issue.Expression)
		issues = append(issues, issue)
	}
	return fhir.Outcome(issues...)
}

// changed lists the changes in the order of their elements.
func (w *writer) changed() []Change {
	list := make([]Change, 0, len(w.changes))
	for k, n := range w.changes {
		list = append(list, Change{Expression: k.element, Action: k.action, Count: n})
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Expression, b.Expression), cmp.Compare(a.Action, b.Action))
	})
	return list
}

// done says what an action did.
var done = map[phi.Action]string{
	phi.Remove: "removed", phi.Scan: "read, and replaced in part", phi.Pseudonymise: "replaced by a keyed hash",
	phi.Shift: "shifted in time", phi.Generalise: "generalised", phi.Surrogate: "replaced by a surrogate",
	phi.Tag: "replaced by a tag", phi.Redact: "redacted", phi.Mask: "masked", phi.ToCategory: "replaced by a category",
}
