package deidentify

import (
	"cmp"
	"encoding/hex"
	"strings"

	"fhirdeid/fhir"
	"fhirdeid/surrogate"
)

// namer gives the pseudonyms of ids and rewrites references, all of one project.
type namer struct {
	key surrogate.Key
	x   *index
	raw bool // no Bundle is put around the resources

	made map[string]string
}

// id gives the pseudonym of a resource by its type and id. It is a UUID, so that the same one serves as id and in
// urn:uuid: URLs.
func (n *namer) id(parts ...string) string {
	key := strings.Join(parts, "\x00")
	name, ok := n.made[key]
	if !ok {
		name = fhir.FormatUUID([16]byte(n.key.Bytes(16, parts...)))
		n.made[key] = name
	}
	return name
}

// nameAll gives every resource its pseudonymous id. A resource without any id is named by its content.
func (n *namer) nameAll() {
	for _, r := range n.x.all {
		switch id := r.ownID(); {
		case r.inside && id != "":
			r.name = n.id("contained", r.holder().name, id)
		case id != "":
			r.name = n.id(r.base+r.typ, id)
		default:
			sum := r.node.Sum256()
			r.name = n.id("content", r.path, hex.EncodeToString(sum[:]))
		}
	}
}

// reference rewrites a literal reference in r; typ is what Reference.type says. ok is false for what is no reference.
// What points into the request becomes the fullUrl of its entry or, where there are no entries, type and id.
func (n *namer) reference(r *resource, literal, typ string) (string, bool) {
	ref, target, err := n.x.look(r, literal)
	if err != nil {
		return "", false
	}
	if target != nil {
		return n.to(ref, target), true
	}
	switch ref.Kind {
	case fhir.RefContained:
		if ref.ID == "" {
			return "#", true
		}
		return "#" + n.id("contained", r.holder().name, ref.ID), true
	case fhir.RefType:
		return ref.Type, true
	case fhir.RefConditional:
		return ref.Type + "/" + n.id(ref.Type, "?"+ref.Query), true
	case fhir.RefURN:
		// The type is not known, or is a guess of the element's; only the URN itself can be named.
		return fhir.FullURL(n.id("urn", strings.ToLower(ref.ID))), true
	case fhir.RefRelative, fhir.RefAbsolute:
		base := r.base
		if base != "" && ref.Kind == fhir.RefAbsolute {
			base = ref.Base
		}
		return ref.Type + "/" + n.id(base+cmp.Or(ref.Type, typ), ref.ID), true
	}
	return "", false
}

func (n *namer) to(ref fhir.Ref, target *resource) string {
	switch {
	case ref.Kind == fhir.RefContained && ref.ID == "":
		return "#"
	case target.inside:
		return "#" + target.name
	case target.fullURL != "" || !n.raw && target.flat():
		return fhir.FullURL(target.name)
	}
	return target.typ + "/" + target.name
}

// flat says whether the resource becomes an entry of the answer's own Bundle.
func (r *resource) flat() bool {
	return r.outer == nil && !dissolves(r) || r.outer != nil && r.outer.outer == nil && dissolves(r.outer)
}

// dissolves says whether the entries of a Bundle become entries of the answer. The types of other Bundles mean
// something for their entries, so they stay whole.
func dissolves(r *resource) bool {
	if r.typ != "Bundle" {
		return false
	}
	switch r.node.Text("type") {
	case "collection", "searchset", "history":
		return true
	}
	return false
}

// requestURL rewrites Bundle.entry.request.url or ifNoneExist of the entry that holds r (nil where the entry has no
// resource).
func (n *namer) requestURL(bundle, r *resource, literal string) (string, bool) {
	ref, err := fhir.ParseReference(literal)
	if err != nil {
		return "", false
	}
	switch ref.Kind {
	case fhir.RefType:
		return ref.Type, true
	case fhir.RefConditional:
		if r != nil && r.typ == ref.Type {
			return ref.Type + "/" + r.name, true
		}
		return ref.Type + "/" + n.id(ref.Type, "?"+ref.Query), true
	case fhir.RefRelative, fhir.RefAbsolute:
		if r != nil && r.typ == ref.Type {
			return ref.Type + "/" + r.name, true
		}
		return ref.Type + "/" + n.id(bundle.base+ref.Type, ref.ID), true
	}
	return "", false
}
