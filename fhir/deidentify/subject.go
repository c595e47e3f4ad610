package deidentify

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"fhirdeid/fhir"
	"fhirdeid/pipeline"
)

// patient is a person whom resources of the request are about, whether the Patient resource is at hand or not. One
// more stands for what is about nobody.
type patient struct {
	canonical string // never leaves the process; keys are made of it
	name      string // pseudonymous id; empty for nobody
	nodes     []*resource
	memory    *pipeline.Memory
	nobody    bool
	weak      bool // canonical is a hash of the content: nothing better was there
}

// subjects are the elements that name the patient of a resource, the best first.
var subjects = []string{"subject", "patient", "beneficiary", "for", "individual"}

// patients tells whom each resource is about.
type patients struct {
	x       *index
	system  string // of the identifier that is the canonical id
	list    []*patient
	byKey   map[string]*patient
	nobody  *patient
	pending map[*resource]bool // guards against references in a circle
}

// newPatients gives every resource its patient. Resources about nobody belong to the only patient if there is one,
// and else to nobody, whose canonical id is empty until it is needed.
func newPatients(x *index, system string) *patients {
	p := &patients{x: x, system: system, byKey: map[string]*patient{}, pending: map[*resource]bool{}}
	p.nobody = &patient{nobody: true, memory: pipeline.NewMemory()}
	for _, r := range x.all {
		if r.typ == "Patient" {
			r.patient = p.keep(p.canonical(r), r)
		}
	}
	for _, r := range x.all {
		p.of(r)
	}
	p.binaries()
	for _, r := range x.all {
		if r.patient == nil {
			r.patient = p.fallback()
		}
	}
	p.nobody.canonical = p.ofNobody()
	return p
}

func (p *patients) fallback() *patient {
	if len(p.list) == 1 {
		return p.list[0]
	}
	return p.nobody
}

// ofNobody gives the canonical id under which stands what belongs to no patient: the project's own, where there are
// several, else that of the document that came.
func (p *patients) ofNobody() string {
	if len(p.list) > 0 || len(p.x.all) == 0 {
		return "context:"
	}
	first := p.x.all[0]
	if first.id != "" {
		return "document:" + first.base + first.typ + "/" + first.id
	}
	return contentID(first.node)
}

func (p *patients) keep(canonical string, r *resource) *patient {
	known := p.byKey[canonical]
	if known == nil {
		known = &patient{canonical: canonical, memory: pipeline.NewMemory(), weak: strings.HasPrefix(canonical, contentPrefix)}
		p.byKey[canonical] = known
		p.list = append(p.list, known)
	}
	if r != nil {
		known.nodes = append(known.nodes, r)
	}
	return known
}

// canonical gives the id of a Patient resource that its keys are made of: the configured identifier; else server and
// id; else the id; else the identifiers; else a hash of the resource.
func (p *patients) canonical(r *resource) string {
	identifiers := r.node.Get("identifier").Items()
	if p.system != "" {
		for _, i := range identifiers {
			if v := i.Text("value"); v != "" && i.Text("system") == p.system {
				return "identifier:" + p.system + "|" + v
			}
		}
	}
	if id := r.ownID(); id != "" && !r.inside {
		return byID(r.base, id)
	}
	var tags []string
	for _, i := range identifiers {
		if v := i.Text("value"); v != "" {
			tags = append(tags, i.Text("system")+"|"+v)
		}
	}
	if len(tags) > 0 {
		slices.Sort(tags)
		return "identifiers:" + strings.Join(tags, "\n")
	}
	return contentID(r.node)
}

func byID(base, id string) string { return base + "Patient/" + id }

// contentPrefix marks a canonical id that is only a hash of what there is.
const contentPrefix = "content:"

func contentID(n *fhir.Node) string {
	sum := n.Sum256()
	return contentPrefix + hex.EncodeToString(sum[:])
}

// of finds whom a resource is about: what its subject says, else what else in it refers to one patient only, else
// whom the resources are about that it refers to.
func (p *patients) of(r *resource) *patient {
	if r.patient != nil || p.pending[r] {
		return r.patient
	}
	p.pending[r] = true
	defer delete(p.pending, r)
	if r.typ != "Bundle" && r.typ != "Parameters" {
		for _, name := range subjects {
			if found := p.named(r, r.node.Get(name), name); found != nil {
				r.patient = found
				return found
			}
		}
		r.patient = p.mentioned(r)
	}
	if r.patient == nil && r.inside {
		r.patient = p.of(r.outer)
	}
	return r.patient
}

// named reads a subject element: a Reference or a list of which the first patient counts.
func (p *patients) named(r *resource, n *fhir.Node, name string) *patient {
	if n.Kind() == fhir.Array {
		for _, i := range n.Items() {
			if found := p.named(r, i, name); found != nil {
				return found
			}
		}
		return nil
	}
	if literal := n.Text("reference"); literal != "" {
		ref, target, err := p.x.look(r, literal)
		if target != nil {
			if target.typ == "Patient" {
				return target.patient
			}
			return nil
		}
		if err != nil {
			return nil
		}
		typ := cmp.Or(ref.Type, n.Text("type"))
		if ref.Kind == fhir.RefURN && typ == "" && (name == "patient" || name == "beneficiary") {
			typ = "Patient"
		}
		if typ != "Patient" {
			return nil
		}
		if system, value, ok := ref.Identifier(); ok {
			return p.tagged(system, value)
		}
		if ref.ID == "" || ref.Kind == fhir.RefContained {
			return nil
		}
		base := r.base
		if ref.Kind == fhir.RefAbsolute && base != "" {
			base = ref.Base
		}
		return p.keep(byID(base, ref.ID), nil)
	}
	if v := n.At("identifier").Text("value"); v != "" && (n.Text("type") == "Patient" || name == "patient" || name == "beneficiary") {
		return p.tagged(n.Text("identifier", "system"), v)
	}
	return nil
}

// tagged gives the patient of an identifier: one at hand, or one by that identifier alone.
func (p *patients) tagged(system, value string) *patient {
	if r := p.x.top.byTag["Patient?"+system+"|"+value]; r != nil && r.patient != nil {
		return r.patient
	}
	if system == p.system && system != "" {
		return p.keep("identifier:"+system+"|"+value, nil)
	}
	return p.keep("identifiers:"+system+"|"+value, nil)
}

// mentioned looks at every reference of the resource, contained ones excepted.
func (p *patients) mentioned(r *resource) *patient {
	var direct, indirect []*patient
	eachReference(r.node, func(n *fhir.Node) {
		literal := n.Text("reference")
		ref, target, err := p.x.look(r, literal)
		if target != nil {
			if target.typ == "Patient" {
				direct = appendNew(direct, target.patient)
			} else if target != r && carries(target.typ) {
				if found := p.of(target); found != nil {
					indirect = appendNew(indirect, found)
				}
			}
			return
		}
		if err == nil && ref.Type == "Patient" && ref.ID != "" {
			base := r.base
			if ref.Kind == fhir.RefAbsolute && base != "" {
				base = ref.Base
			}
			direct = appendNew(direct, p.keep(byID(base, ref.ID), nil))
		}
	})
	if len(direct) == 1 {
		return direct[0]
	}
	if len(direct) == 0 && len(indirect) == 1 {
		return indirect[0]
	}
	return nil
}

// carries says whether a resource of the type tells by its own patient whom those are about that refer to it. Staff,
// organisations and the like serve many patients.
func carries(typ string) bool {
	switch typ {
	case "Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService", "Endpoint", "Medication",
		"Substance", "Questionnaire", "Group", "Library", "Bundle", "Parameters":
		return false
	}
	return true
}

func appendNew(list []*patient, p *patient) []*patient {
	if p == nil || slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// eachReference calls f for every object with a reference of the resource, but for those in resources inside.
func eachReference(n *fhir.Node, f func(*fhir.Node)) {
	switch n.Kind() {
	case fhir.Object:
		if _, ok := n.Get("reference").Str(); ok {
			f(n)
		}
		for _, m := range n.Members() {
			if m.Key != "contained" && (m.Value.ResourceType() == "" || m.Value.Kind() != fhir.Object) {
				eachReference(m.Value, f)
			}
		}
	case fhir.Array:
		for _, i := range n.Items() {
			eachReference(i, f)
		}
	}
}

// binaries gives a Binary the patient of the one resource whose attachment points to it.
func (p *patients) binaries() {
	for _, r := range p.x.all {
		if r.patient == nil {
			continue
		}
		eachURL(r.node, func(url string) {
			if b := p.x.resolve(r, url); b != nil && b.typ == "Binary" && b.patient == nil {
				b.patient = r.patient
			}
		})
	}
}

// eachURL calls f for every url of an attachment of the resource.
func eachURL(n *fhir.Node, f func(string)) {
	switch n.Kind() {
	case fhir.Object:
		if url := n.Text("url"); url != "" && n.Get("extension") == nil {
			f(url)
		}
		for _, m := range n.Members() {
			if m.Value.Kind() != fhir.Object || m.Value.ResourceType() == "" {
				eachURL(m.Value, f)
			}
		}
	case fhir.Array:
		for _, i := range n.Items() {
			if i.ResourceType() == "" {
				eachURL(i, f)
			}
		}
	}
}
