package server

import (
	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// permit decides by the token alone, before anything is fetched. What is read needs the read permission on its type, and
// a patient's documents the search permission as well. With a document the Patient it is about is read, so that needs
// permission too; a Binary is content of the document that points to it, and needs permission of its own only where it
// is asked for by name. A Bundle by value is a carrier: what counts is the documents in it. A patient-level token reaches that patient only: by value, every Patient and every subject in the request must be
// that patient; what is pulled is looked for within the patient's compartment. The principal that comes back names the
// patient where the request is bound to one, and nobody where it is not.
func permit(who Principal, req deidentify.Request) (Principal, error) {
	type need struct {
		resourceType string
		permission   Permission
	}
	var needed []need
	for _, ref := range req.References {
		parsed, err := fhir.ParseReference(ref)
		if err != nil || parsed.Type == "" {
			return who, badParameter("reference", "must be a literal reference to a resource")
		}
		needed = append(needed, need{parsed.Type, Read})
		if parsed.Type != "Binary" {
			needed = append(needed, need{"Patient", Read})
		}
	}
	if len(req.Patients) > 0 {
		needed = append(needed, need{"Patient", Read}, need{"DocumentReference", Read}, need{"DocumentReference", Search})
	}
	if req.Resource != nil {
		needed = append(needed, need{req.Resource.ResourceType(), Read})
	}
	patientOnly := false
	for _, n := range needed {
		allowed, restricted := who.Scopes.Allow(n.resourceType, n.permission)
		if !allowed && n.resourceType == "Bundle" {
			allowed, restricted = who.Scopes.Allow("DocumentReference", Read)
		}
		if !allowed {
			return who, problemScope
		}
		patientOnly = patientOnly || restricted
	}
	if !patientOnly {
		who.Patient = ""
		return who, nil
	}
	if who.Patient == "" {
		return who, problemScope // a patient-level scope without a patient reaches nobody
	}
	for _, p := range req.Patients {
		if ref, err := fhir.ParseReference(p); err != nil || ref.Type != "Patient" || ref.ID != who.Patient || ref.Base != "" {
			return who, problemForbidden
		}
	}
	for _, p := range req.References {
		// A Binary belongs to no compartment: it is reached through a DocumentReference only.
		if ref, err := fhir.ParseReference(p); err != nil || ref.Type == "Binary" || ref.Type == "Patient" && ref.ID != who.Patient {
			return who, problemForbidden
		}
	}
	if req.Resource != nil && !onlyAbout(req.Resource, who.Patient) {
		return who, problemForbidden
	}
	return who, nil
}

// onlyAbout says whether every Patient and every subject in a resource is the patient. A resource that names nobody is
// not about the patient.
func onlyAbout(resource *fhir.Node, patient string) bool {
	found := false
	ok := walkResources(resource, func(n *fhir.Node) bool {
		if n.ResourceType() == "Patient" {
			found = true
			return n.Text("id") == patient
		}
		for _, key := range []string{"subject", "patient", "beneficiary", "individual"} {
			ref, has := n.At(key, "reference").Str()
			if !has {
				continue
			}
			parsed, err := fhir.ParseReference(ref)
			if err != nil || parsed.Type != "Patient" || parsed.ID != patient {
				return false
			}
			found = true
		}
		return true
	})
	return ok && found
}

// walkResources visits a resource and those in the entries of a Bundle, until visit says no.
func walkResources(n *fhir.Node, visit func(*fhir.Node) bool) bool {
	if n.ResourceType() != "Bundle" {
		return visit(n)
	}
	for _, e := range n.Get("entry").Items() {
		if r := e.Get("resource"); !r.IsNull() && !walkResources(r, visit) {
			return false
		}
	}
	return true
}
