package fhir

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Walker takes a resource through a policy. What the policy removes or keeps it settles by itself; what needs keys or the
// reading of text it hands to Visit. A Walker serves one goroutine at a time, but may be used again.
type Walker struct {
	Policy *Policy
	// Visit changes one element in place, or calls Remove on its place. It gets
	//   - strings, dates, ids, uris and other primitives whose action is neither Remove nor Keep, the value in Node;
	//   - HumanName, Address, ContactPoint, Identifier, Reference, Attachment and any other complex element whose action is
	//     neither Remove, Keep nor (Attachment excepted) Scan. Their complex members and extensions have gone through the
	//     policy already, their primitive members are left to Visit, codes of a binding excepted.
	// An error ends the walk.
	Visit func(*Place) error
	// Note, if not nil, hears of what was removed and why.
	Note func(*Place, Note)

	trail []step
	place Place
}

// Note says why something was removed.
type Note uint8

// The notes.
const (
	NotePolicy           Note = iota // the policy removes the element
	NoteUnknownElement               // R4 has no such element; the place is the object that held it
	NoteUnknownExtension             // the policy does not know the extension
	NoteUnknownCode                  // the code does not belong to the binding or code system
	NoteUnknownURI                   // the URI comes from no known origin
	NoteVisitor                      // Visit removed it
	NoteEmpty                        // nothing was left, or had been there
)

var noteTexts = [...]string{
	"removed by policy", "unknown element removed", "unknown extension removed", "code outside of its binding removed",
	"URI of unknown origin removed", "removed", "empty element removed",
}

// String gives a sentence for reports.
func (n Note) String() string {
	if int(n) >= len(noteTexts) {
		return "removed"
	}
	return noteTexts[n]
}

// Place is one element on the walk. It holds during the call only.
type Place struct {
	Element   *Element   // what R4 says about it; nil for the resource itself
	Action    phi.Action // what the policy says
	Node      *Node      // the value; of a list, one item
	Companion *Node      // of a primitive: its id and extensions; may be nil
	Parent    *Node      // the object that holds the element
	Resource  *Node      // the nearest resource around it
	KnownCode bool       // of Coding.display: its code belongs to a known code system

	walker  *Walker
	removed bool
}

// Path gives the FHIRPath of the place, such as Bundle.entry[0].resource.name[1].family.
func (p *Place) Path() string {
	var b strings.Builder
	for _, s := range p.walker.trail {
		if s.index >= 0 {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.key)
	}
	return b.String()
}

// Remove takes the element out. Where R4 requires it, a data-absent-reason of masked stands in its place.
func (p *Place) Remove() { p.removed = true }

// Walk takes the resource through the policy and changes it in place. The errors are *Error, or what Visit returns:
// IssueStructure for JSON of the wrong type or a key in the wrong case, IssueExtension for a modifier extension that the
// policy does not know, IssueNotSupported for an unknown resource type, IssueBusinessRule where the policy removes the
// resource itself.
func (w *Walker) Walk(resource *Node) error {
	if err := CheckResource(resource); err != nil {
		return err
	}
	w.trail = append(w.trail[:0], step{resource.ResourceType(), -1})
	kept, err := w.resource(resource)
	if err == nil && !kept {
		err = w.fault(IssueBusinessRule, "the policy removes resources of this type")
	}
	return err
}

func (w *Walker) fault(code IssueType, detail string) error {
	return &Error{Code: code, Path: (&Place{walker: w}).Path(), Detail: detail}
}

func (w *Walker) resource(n *Node) (kept bool, err error) {
	if n.Kind() != Object {
		return false, w.fault(IssueStructure, "a resource must be a JSON object")
	}
	root := w.Policy.roots[n.ResourceType()]
	if root == nil {
		return false, w.fault(IssueNotSupported, "resourceType is missing or not a resource type of FHIR R4")
	}
	if root.action == phi.Remove {
		w.noted(Place{Node: n}, NotePolicy)
		return false, nil
	}
	_, err = w.object(n, root.sub, frame{resource: n, keep: root.action == phi.Keep, root: true})
	return true, err
}

// frame is what an object hands down to its members.
type frame struct {
	resource *Node
	keep     bool           // the policy keeps the object whole
	root     bool           // the object is a resource
	whole    bool           // Visit gets the object itself, so its primitive members are left to it
	bare     bool           // the caller settles the primitive members itself
	inner    *extensionRule // the extension around it
}

func (w *Walker) noted(p Place, note Note) {
	if w.Note == nil {
		return
	}
	p.walker = w
	w.Note(&p, note)
}

// object settles the members of an object. sound is false where it cannot stand any longer, since something it needs
// cannot be made up.
func (w *Walker) object(n *Node, fp *fieldsPlan, f frame) (sound bool, err error) {
	var lost []*Element
	companions := slices.ContainsFunc(n.members, func(m Member) bool { return strings.HasPrefix(m.Key, "_") })
	kept := n.members[:0]
	before := len(n.members)
	members := n.members
	if companions { // pairs are settled together, so the order of writing is not the order of reading
		members = slices.Clone(n.members)
	}
	sound = true
	for i := 0; i < len(members); i++ {
		m := members[i]
		if m.Key == "resourceType" && f.root {
			kept = append(kept, m)
			continue
		}
		var companion *Node
		if companions {
			if name, ok := strings.CutPrefix(m.Key, "_"); ok {
				if hasMember(members, name) {
					continue // comes with its value
				}
				if el := fp.kids[name]; el != nil && el.el.Primitive() {
					companion, m = m.Value, Member{name, nil}
				}
			} else if companion = companionOf(members, m.Key); companion != nil && fp.kids[m.Key] != nil && !fp.kids[m.Key].el.Primitive() {
				w.noted(Place{Node: n, Resource: f.resource}, NoteUnknownElement)
				companion = nil
			}
		}
		k := fp.kids[m.Key]
		if k == nil {
			if fp.fields.misspelt(strings.TrimPrefix(m.Key, "_")) {
				return false, w.fault(IssueStructure, "a key is written in the wrong case")
			}
			w.noted(Place{Node: n, Resource: f.resource}, NoteUnknownElement)
			continue
		}
		w.trail = append(w.trail, step{m.Key, -1})
		if k.el.Choice != "" && chosenTwice(members[i+1:], fp, k.el) {
			return false, w.fault(IssueStructure, "an element that may have one of several types has two")
		}
		value, companion, err := w.member(n, m.Value, companion, k, f)
		if err != nil {
			return false, err
		}
		w.trail = w.trail[:len(w.trail)-1]
		if value == nil && companion == nil {
			if k.el.Required {
				lost = append(lost, k.el)
			}
			// An entry of a Bundle without its resource says nothing.
			sound = sound && (k.el.Type != TypeResource || k.el.List)
			continue
		}
		if value != nil {
			kept = append(kept, Member{m.Key, value})
		}
		if companion != nil {
			kept = append(kept, Member{"_" + m.Key, companion})
		}
	}
	clear(n.members[min(len(kept), before):])
	n.members = kept
	for _, el := range lost {
		if el.Type == TypeXHTML || el.Path == "Extension.url" {
			sound = false // neither may be absent for a reason
			continue
		}
		setMasked(n, el)
	}
	return sound, nil
}

// chosenTwice says whether another variant of a choice is among the members: readers would differ in which one counts.
func chosenTwice(members []Member, fp *fieldsPlan, el *Element) bool {
	for _, m := range members {
		name := strings.TrimPrefix(m.Key, "_")
		if name == el.Name || !strings.HasPrefix(name, el.Choice) {
			continue
		}
		if other := fp.kids[name]; other != nil && other.el.Choice == el.Choice {
			return true
		}
	}
	return false
}

func hasMember(members []Member, key string) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.Key == key })
}

func companionOf(members []Member, key string) *Node {
	for i := range members {
		if k := members[i].Key; len(k) == len(key)+1 && k[0] == '_' && k[1:] == key {
			return members[i].Value
		}
	}
	return nil
}

// member settles one member with its companion and gives both as they are to stand; nil means that nothing stands.
func (w *Walker) member(parent, value, companion *Node, k *plan, f frame) (*Node, *Node, error) {
	if k.el.List {
		return w.list(parent, value, companion, k, f)
	}
	if value.Kind() == Array || companion.Kind() == Array {
		return nil, nil, w.fault(IssueStructure, "a single value is expected, not an array")
	}
	return w.single(parent, value, companion, k, f)
}

func (w *Walker) list(parent, value, companion *Node, k *plan, f frame) (*Node, *Node, error) {
	if value != nil && value.kind != Array || companion != nil && companion.kind != Array {
		return nil, nil, w.fault(IssueStructure, "an array is expected")
	}
	if companion != nil && value != nil && len(companion.items) != len(value.items) {
		return nil, nil, w.fault(IssueStructure, "an array and its companion differ in length")
	}
	var values, companions []*Node
	anyValue, anyCompanion := false, false
	if value != nil {
		values = value.items[:0]
	}
	count := max(len(value.Items()), len(companion.Items()))
	for i := range count {
		w.trail = append(w.trail, step{"", i})
		c := companion.Item(i)
		if c.IsNull() {
			c = nil
		}
		v := value.Item(i)
		if v.IsNull() && (c != nil || companion != nil) {
			v = nil
		}
		if v == nil && c == nil {
			w.trail = w.trail[:len(w.trail)-1]
			continue
		}
		v, c, err := w.single(parent, v, c, k, f)
		if err != nil {
			return nil, nil, err
		}
		w.trail = w.trail[:len(w.trail)-1]
		if v == nil && c == nil {
			continue
		}
		anyValue = anyValue || v != nil
		anyCompanion = anyCompanion || c != nil
		if v == nil {
			v = NewNull()
		}
		if companion != nil {
			if c == nil {
				c = NewNull()
			}
			companions = append(companions, c)
		}
		values = append(values, v)
	}
	if value != nil {
		clear(value.items[len(values):])
		value.items = values
	}
	if !anyValue {
		value = nil
	}
	if !anyCompanion {
		return value, nil, nil
	}
	companion.items = companions
	return value, companion, nil
}

func (w *Walker) single(parent, value, companion *Node, k *plan, f frame) (*Node, *Node, error) {
	if value != nil && value.kind == Null {
		return nil, nil, w.fault(IssueStructure, "null is not allowed here")
	}
	if k.el.Primitive() {
		return w.primitive(parent, value, companion, k, f)
	}
	if value.Kind() != Object {
		return nil, nil, w.fault(IssueStructure, "an object is expected")
	}
	kept, err := w.complex(parent, value, k, f)
	if err != nil || !kept {
		return nil, nil, err
	}
	return value, nil, nil
}

// primitive settles a value and its companion.
func (w *Walker) primitive(parent, value, companion *Node, k *plan, f frame) (*Node, *Node, error) {
	if value != nil {
		if err := w.checkKind(value, k.el.Type); err != nil {
			return nil, nil, err
		}
	}
	if companion != nil {
		kept, err := w.companion(companion, f)
		if err != nil {
			return nil, nil, err
		}
		if !kept {
			companion = nil
		}
	}
	if value == nil {
		return nil, companion, nil
	}
	if value.kind == String && value.text == "" {
		w.noted(w.at(parent, value, k, f), NoteEmpty)
		return nil, companion, nil
	}
	kept, err := w.value(parent, value, companion, k, f)
	if err != nil || kept {
		return value, companion, err
	}
	return nil, nil, nil
}

func (w *Walker) at(parent, value *Node, k *plan, f frame) Place {
	return Place{Element: k.el, Action: k.action, Node: value, Parent: parent, Resource: f.resource, walker: w}
}

// checkKind refuses JSON of the wrong type.
func (w *Walker) checkKind(value *Node, t Type) error {
	switch t {
	case TypeBoolean:
		if value.kind != Bool {
			return w.fault(IssueStructure, "true or false is expected")
		}
	case TypeInteger, "positiveInt", "unsignedInt":
		if value.kind != Number || strings.ContainsAny(value.text, ".eE") || t != TypeInteger && value.text[0] == '-' {
			return w.fault(IssueStructure, "an integer is expected")
		}
	case TypeDecimal:
		if value.kind != Number {
			return w.fault(IssueStructure, "a number is expected")
		}
	default:
		if value.kind != String {
			return w.fault(IssueStructure, "a string is expected")
		}
		if len(value.text) > maxString && t != TypeBase64 && t != TypeXHTML && utf8.RuneCountInString(value.text) > maxString {
			return w.fault(IssueTooLong, "a string is longer than R4 allows")
		}
	}
	return nil
}

// maxString is how many characters a string may have in R4. Long text belongs into attachments and narratives.
const maxString = 1 << 20

// companion settles what stands beside a primitive value: its id goes, its extensions go through the policy.
func (w *Walker) companion(n *Node, f frame) (kept bool, err error) {
	if n.kind != Object {
		return false, w.fault(IssueStructure, "an object is expected")
	}
	members := n.members[:0]
	for _, m := range n.members {
		switch m.Key {
		case "id":
		case "extension":
			w.trail = append(w.trail, step{m.Key, -1})
			value, _, err := w.list(n, m.Value, nil, w.Policy.extension(), frame{resource: f.resource})
			if err != nil {
				return false, err
			}
			w.trail = w.trail[:len(w.trail)-1]
			if value != nil {
				members = append(members, Member{m.Key, value})
			}
		default:
			w.noted(Place{Node: n, Resource: f.resource}, NoteUnknownElement)
		}
	}
	clear(n.members[len(members):])
	n.members = members
	return len(members) > 0, nil
}

// extension is the plan for any list of extensions.
func (p *Policy) extension() *plan { return p.plans["Period"].kids["extension"] }

func (w *Walker) value(parent, value, companion *Node, k *plan, f frame) (kept bool, err error) {
	action := k.action
	switch {
	case k.el.Name == "id" && !f.root:
		return false, nil // the id of an element inside; nothing that is kept points to it
	case f.bare, k.el.Path == "Extension.url": // extended has looked at the url
		return true, nil
	case f.inner != nil && f.inner.override:
		action = f.inner.action
	case f.keep && !k.own && (k.el.Type != TypeID):
		action = phi.Keep
	case f.whole && k.el.Type != TypeCode:
		return true, nil
	}
	switch action {
	case phi.Remove:
		w.noted(w.at(parent, value, k, f), NotePolicy)
		return false, nil
	case phi.Keep:
		note, ok := w.mayStay(value, k, f)
		if !ok {
			w.noted(w.at(parent, value, k, f), note)
		}
		return ok, nil
	default:
		p := w.at(parent, value, k, f)
		p.Action, p.Companion = action, companion
		return w.visit(p)
	}
}

func (w *Walker) visit(p Place) (kept bool, err error) {
	w.place = p
	if err := w.Visit(&w.place); err != nil {
		return false, err
	}
	if w.place.removed {
		w.noted(p, NoteVisitor)
	}
	return !w.place.removed, nil
}

// mayStay checks a value that the policy keeps: coded elements against their binding, others against the form of their
// datatype.
func (w *Walker) mayStay(value *Node, k *plan, f frame) (Note, bool) {
	switch k.el.Type {
	case TypeCode:
		if f.inner != nil && f.inner.codes != nil {
			return NoteUnknownCode, f.inner.codes.Has(value.text)
		}
		return NoteUnknownCode, k.codes.Has(value.text)
	case TypeURI, TypeURL, TypeCanonical, TypeOID, TypeUUID:
		return NoteUnknownURI, w.Policy.KnownURI(value.text)
	case TypeDate, TypeDateTime, TypeInstant, TypeTime:
		return NotePolicy, isTemporal(value.text)
	case TypeString:
		return NoteUnknownCode, k.codes == nil || k.codes.Has(value.text)
	default:
		return 0, true
	}
}

// complex settles an object that is the value of an element.
func (w *Walker) complex(parent, n *Node, k *plan, f frame) (kept bool, err error) {
	action := k.action
	down := frame{resource: f.resource, inner: f.inner}
	if f.inner != nil && f.inner.override && k.el.Type != TypeExtension {
		action = f.inner.action
	}
	if f.keep && !k.own && k.el.inheritsKeep() {
		action = phi.Keep
	}
	switch {
	case action == phi.Remove:
		w.noted(w.at(parent, n, k, f), NotePolicy)
		return false, nil
	case k.el.Type == TypeResource:
		return w.resource(n)
	case k.el.Type == TypeExtension:
		return w.extended(n, k, f)
	case k.el.Type == TypeCoding && action == phi.Scan:
		return w.coding(n, k, f)
	case isQuantity(k.el.Type) && action != phi.Keep:
		return w.quantity(parent, n, k, f, action)
	}
	if k.el.Type != TypeExtension {
		down.inner = nil
	}
	down.keep = action == phi.Keep
	down.whole = action != phi.Keep && (action != phi.Scan || k.el.Type == TypeAttachment)
	sound, err := w.object(n, k.sub, down)
	if err != nil {
		return false, err
	}
	if !sound || len(n.members) == 0 {
		w.noted(w.at(parent, n, k, f), NoteEmpty)
		return false, nil
	}
	if !down.whole {
		return true, nil
	}
	p := w.at(parent, n, k, f)
	p.Action = action
	kept, err = w.visit(p)
	return kept && len(n.members) > 0, err
}

// inheritsKeep says whether an element inside one that is kept is kept too. References must be rewritten wherever they
// stand, and attachments, narratives and extensions may hold anything.
func (e *Element) inheritsKeep() bool {
	switch e.Type {
	case TypeReference, TypeAttachment, TypeNarrative, TypeExtension, TypeResource, TypeSignature:
		return false
	default:
		return true
	}
}

// extended settles an extension: its url must be known to the policy or to the extension around it.
func (w *Walker) extended(n *Node, k *plan, f frame) (kept bool, err error) {
	url, ok := n.Get("url").Str()
	if at := n.Get("url"); at != nil && !ok {
		return false, w.fault(IssueStructure, "the url of an extension must be a string")
	}
	rule := w.Policy.extensions[url]
	if rule == nil && f.inner != nil && slices.Contains(f.inner.inner, url) {
		rule = &extensionRule{codes: f.inner.codes, inner: f.inner.inner, action: f.inner.action, override: f.inner.override}
	}
	if rule == nil || k.action == phi.Remove {
		if k.el.Name == "modifierExtension" {
			return false, w.fault(IssueExtension, "a modifierExtension is not known to the policy, so what it changes cannot be judged")
		}
		w.noted(w.at(nil, n, k, f), NoteUnknownExtension)
		return false, nil
	}
	if rule.override && rule.action == phi.Remove {
		if k.el.Name == "modifierExtension" {
			return false, w.fault(IssueExtension, "the policy removes a modifierExtension")
		}
		w.noted(w.at(nil, n, k, f), NotePolicy)
		return false, nil
	}
	sound, err := w.object(n, k.sub, frame{resource: f.resource, inner: rule})
	if err != nil {
		return false, err
	}
	return sound && len(n.members) > 1, nil // more than the url
}
