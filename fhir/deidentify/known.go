package deidentify

import (
	"fhirdeid/fhir"
	"fhirdeid/pipeline/known"
)

// Identities gives what a resource or Bundle says about each patient in it, and about staff, organisations and places:
// what is looked for by name in texts that are about these patients.
func Identities(resource *fhir.Node) []known.Identity {
	x := newIndex([]input{{node: resource.Clone()}})
	n := &namer{x: x, made: map[string]string{}}
	n.nameAll()
	patients := newPatients(x, "")
	ids := newIdentities(x)
	var list []known.Identity
	for _, p := range patients.list {
		list = append(list, ids.of(p))
	}
	if len(list) == 0 && len(ids.shared) > 0 {
		list = append(list, ids.of(patients.nobody))
	}
	return list
}
