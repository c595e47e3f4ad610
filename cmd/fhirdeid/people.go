package main

import (
	"bytes"
	"os"
	"slices"

	"fhirdeid/fhir"
)

// people are the Patients and RelatedPersons of a whole run: a note in one file is about a Patient in another, and its
// names must be known when the note is read.
type people struct {
	patients map[string][]*fhir.Node // Patient/id → the Patient and its RelatedPersons
	order    []string
	everyone bool // all inputs are about all of them: --patient
}

func newPeople() *people { return &people{patients: map[string][]*fhir.Node{}} }

// add gathers the persons of an input; what cannot be read is reported when its turn comes.
func (p *people) add(in input, data []byte) {
	if in.kind == ".ndjson" || looksLikeLines(data) {
		for line := range bytes.Lines(data) {
			if node, err := fhir.Decode(bytes.TrimSpace(line), fhir.Limits{}); err == nil {
				p.addResource(node)
			}
		}
		return
	}
	if node, err := fhir.Decode(bytes.TrimSpace(data), fhir.Limits{}); err == nil && node.ResourceType() != "Bundle" {
		p.addResource(node) // a Bundle speaks for itself
	}
}

func (p *people) addFile(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	node, err := fhir.Decode(bytes.TrimSpace(data), fhir.Limits{})
	if err != nil {
		return err
	}
	p.addResource(node)
	for _, e := range node.Get("entry").Items() {
		p.addResource(e.Get("resource"))
	}
	if len(p.order) == 0 {
		return errNothing
	}
	return nil
}

func (p *people) addResource(node *fhir.Node) {
	var key string
	switch node.ResourceType() {
	case "Patient":
		key = "Patient/" + node.Text("id")
	case "RelatedPerson":
		key = patientKey(node.Text("patient", "reference"))
	}
	if key == "" || key == "Patient/" {
		return
	}
	if _, ok := p.patients[key]; !ok {
		p.order = append(p.order, key)
	}
	p.patients[key] = append(p.patients[key], node)
}

func patientKey(reference string) string {
	ref, err := fhir.ParseReference(reference)
	if err != nil || ref.Type != "Patient" {
		return ""
	}
	return "Patient/" + ref.ID
}

// only gives the reference of the one patient that --patient named.
func (p *people) only() string {
	if p.everyone && len(p.order) == 1 {
		return p.order[0]
	}
	return ""
}

// with puts the persons that a resource is about beside it, and gives the way to take the resource out again.
func (p *people) with(node *fhir.Node) (wrapped *fhir.Node, unwrap func(*fhir.Node) *fhir.Node) {
	same := func(n *fhir.Node) *fhir.Node { return n }
	company := p.about(node)
	if len(company) == 0 {
		return node, same
	}
	var entries []*fhir.Node
	for _, c := range company {
		entries = append(entries, fhir.NewObject("resource", c.Clone()))
	}
	if node.ResourceType() != "Bundle" {
		all := append([]*fhir.Node{fhir.NewObject("resource", node)}, entries...)
		return fhir.NewResource("Bundle", "type", fhir.NewString("collection"), "entry", fhir.NewArray(all...)),
			func(out *fhir.Node) *fhir.Node { return out.Get("entry").Item(0).Get("resource") }
	}
	wrapped = node.Clone()
	list := wrapped.Get("entry")
	if list.IsNull() {
		return node, same
	}
	count := list.Len()
	list.Append(entries...)
	return wrapped, func(out *fhir.Node) *fhir.Node {
		entries := out.Get("entry")
		for entries.Len() > count {
			entries.DeleteItem(entries.Len() - 1)
		}
		return out
	}
}

// about lists the persons that a resource refers to and does not bring itself.
func (p *people) about(node *fhir.Node) []*fhir.Node {
	named, brought := map[string]bool{}, map[string]bool{}
	collect := func(n *fhir.Node) {
		if n.ResourceType() == "Patient" {
			brought["Patient/"+n.Text("id")] = true
		}
		for _, key := range []string{"subject", "patient", "beneficiary", "individual", "for"} {
			if k := patientKey(n.Text(key, "reference")); k != "" {
				named[k] = true
			}
		}
	}
	collect(node)
	for _, e := range node.Get("entry").Items() {
		collect(e.Get("resource"))
	}
	var company []*fhir.Node
	for _, key := range p.order {
		if brought[key] || !named[key] && (!p.everyone || len(brought) > 0) {
			continue
		}
		company = append(company, p.patients[key]...)
	}
	return slices.Clip(company)
}
