package deidentify

import (
	"errors"
	"strconv"
	"strings"

	"fhirdeid/fhir"
)

// resource is one resource of the request, wherever it stands: alone, in a Bundle, in a Parameters, contained.
type resource struct {
	node    *fhir.Node // of the working copy
	typ, id string
	fullURL string    // of the entry that holds it
	base    string    // of the server it was pulled from, with a slash at its end
	path    string    // FHIRPath in the request
	outer   *resource // that holds it: a Bundle, a Parameters, the resource that contains it
	inside  bool      // it is contained
	name    string    // the pseudonymous id; local ids of contained resources likewise
	patient *patient  // whom it is about
	local   map[string]*resource
	entries *scope // of a Bundle
	actions uint16 // a bit for each action that was taken in it
}

// scope finds what the references in a Bundle may point to.
type scope struct {
	byURL map[string]*resource // fullUrl in lower case
	byRef map[string]*resource // Type/id
	byTag map[string]*resource // Type?system|value
}

func newScope() *scope {
	return &scope{map[string]*resource{}, map[string]*resource{}, map[string]*resource{}}
}

// index knows every resource of the request.
type index struct {
	all    []*resource
	byNode map[*fhir.Node]*resource
	top    *scope // of the request as a whole
	seen   map[where]found
}

// where is a literal reference in the entries of one Bundle; there it always means the same.
type where struct {
	outer   *resource
	base    string
	literal string
}

// found is what a literal reference turned out to be.
type found struct {
	ref    fhir.Ref
	err    error
	target *resource
}

// newIndex reads the working copies; bases are those of pulled resources.
func newIndex(inputs []input) *index {
	x := &index{byNode: map[*fhir.Node]*resource{}, top: newScope(), seen: map[where]found{}}
	for _, in := range inputs {
		base := in.base
		if base != "" {
			base = strings.TrimSuffix(base, "/") + "/"
		}
		x.add(in.node, nil, in.node.ResourceType(), base, "", false)
	}
	return x
}

// input is one resource as it came, copied.
type input struct {
	node *fhir.Node
	base string
}

func (x *index) add(n *fhir.Node, outer *resource, path, base, fullURL string, inside bool) {
	r := &resource{
		node: n, typ: n.ResourceType(), id: n.Text("id"), fullURL: fullURL, base: base, path: path, outer: outer, inside: inside,
	}
	x.all = append(x.all, r)
	x.byNode[n] = r
	if !inside {
		x.enter(r)
	}
	if r.typ == "Bundle" {
		r.entries = newScope()
		for i, e := range n.Get("entry").Items() {
			p := path + ".entry[" + strconv.Itoa(i) + "]"
			if inner := e.Get("resource"); inner.ResourceType() != "" {
				x.add(inner, r, p+".resource", base, e.Text("fullUrl"), false)
			}
			if inner := e.At("response", "outcome"); inner.ResourceType() != "" {
				x.add(inner, r, p+".response.outcome", base, "", false)
			}
		}
		return
	}
	if r.typ == "Parameters" {
		x.addParameters(n.Get("parameter"), r, path+".parameter")
		return
	}
	for i, c := range n.Get("contained").Items() {
		if c.ResourceType() == "" {
			continue
		}
		if r.local == nil {
			r.local = map[string]*resource{}
		}
		x.add(c, r, path+".contained["+strconv.Itoa(i)+"]", base, "", true)
		if id := c.Text("id"); id != "" {
			r.local[id] = x.byNode[c]
		}
	}
}

func (x *index) addParameters(list *fhir.Node, r *resource, path string) {
	for i, p := range list.Items() {
		at := path + "[" + strconv.Itoa(i) + "]"
		if inner := p.Get("resource"); inner.ResourceType() != "" {
			x.add(inner, r, at+".resource", r.base, "", false)
		}
		x.addParameters(p.Get("part"), r, at+".part")
	}
}

// enter makes the resource known to its Bundle and to the request. Of two with the same name the first counts.
func (x *index) enter(r *resource) {
	scopes := []*scope{x.top}
	if r.outer != nil && r.outer.entries != nil {
		scopes = append(scopes, r.outer.entries)
	}
	for _, s := range scopes {
		if r.fullURL != "" {
			putFirst(s.byURL, strings.ToLower(r.fullURL), r)
		}
		if id := r.ownID(); id != "" {
			putFirst(s.byRef, r.base+r.typ+"/"+id, r)
		}
		for _, i := range r.node.Get("identifier").Items() {
			if v := i.Text("value"); v != "" {
				putFirst(s.byTag, r.typ+"?"+i.Text("system")+"|"+v, r)
			}
		}
	}
}

func putFirst(m map[string]*resource, key string, r *resource) {
	if _, ok := m[key]; !ok {
		m[key] = r
	}
}

// ownID is the id, or what stands for one at the end of the fullUrl.
func (r *resource) ownID() string {
	if r.id != "" {
		return r.id
	}
	if ref, err := fhir.ParseReference(r.fullURL); err == nil {
		return ref.ID
	}
	return ""
}

// holder is the resource itself or, of a contained one, that which contains it.
func (r *resource) holder() *resource {
	for r.inside {
		r = r.outer
	}
	return r
}

// resolve gives the resource of the request that a literal reference in r points to, or nil.
func (x *index) resolve(r *resource, s string) *resource {
	_, target, _ := x.look(r, s)
	return target
}

// look takes a literal reference in r apart and finds what it points to; target is nil for what is not at hand.
func (x *index) look(r *resource, s string) (ref fhir.Ref, target *resource, err error) {
	if s == "" {
		return fhir.Ref{}, nil, errNoReference
	}
	holder := r.holder()
	if s[0] == '#' {
		if ref, err = fhir.ParseReference(s); err != nil {
			return ref, nil, err
		}
		if ref.ID == "" {
			return ref, holder, nil
		}
		return ref, holder.local[ref.ID], nil
	}
	key := where{holder.outer, r.base, s}
	f, ok := x.seen[key]
	if !ok {
		if f.ref, f.err = fhir.ParseReference(s); f.err == nil {
			f.target = x.search(holder, f.ref, s)
		}
		x.seen[key] = f
	}
	return f.ref, f.target, f.err
}

var errNoReference = errors.New("no reference")

// search looks in the Bundle around the resource first, and last in the whole request.
func (x *index) search(holder *resource, ref fhir.Ref, s string) *resource {
	for b := holder.outer; b != nil; b = b.outer {
		if b.entries != nil {
			if found := b.entries.find(ref, s, holder.base); found != nil {
				return found
			}
		}
	}
	return x.top.find(ref, s, holder.base)
}

func (s *scope) find(ref fhir.Ref, literal, base string) *resource {
	if ref.Version != "" || ref.Anchor != "" {
		ref.Version, ref.Anchor = "", ""
		literal = ref.String()
	}
	if r := s.byURL[strings.ToLower(literal)]; r != nil {
		return r
	}
	switch ref.Kind {
	case fhir.RefRelative:
		return s.byRef[base+ref.Type+"/"+ref.ID]
	case fhir.RefAbsolute:
		// A resource that came by value has no base; one that was pulled has its server's.
		if base != "" {
			return s.byRef[ref.Base+ref.Type+"/"+ref.ID]
		}
		return s.byRef[ref.Type+"/"+ref.ID]
	case fhir.RefConditional:
		if system, value, ok := ref.Identifier(); ok {
			return s.byTag[ref.Type+"?"+system+"|"+value]
		}
	}
	return nil
}
