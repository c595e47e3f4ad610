package deidentify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
	"fhirdeid/surrogate"
)

// writer takes the resources of one request through the policy. It serves one request.
type writer struct {
	ctx        context.Context // of the one call that the writer lives in
	o          *Options
	policy     *fhir.Policy
	policyName string
	light      *pipeline.Pipeline // rules only
	bare       *pipeline.Pipeline // all but the models
	project    string
	language   phi.Language // asked for; empty: told from each text
	strip      bool         // remove what cannot be read
	now        time.Time

	x        *index
	patients *patients
	ids      *identities
	names    *namer

	detectors  map[*patient]*known.Detector // each patient's own; under nil what is everyone's
	generators map[*patient]*surrogate.Generator
	samples    map[*patient]*strings.Builder // of their texts; under nil of all
	sexes      map[*patient]map[string]byte  // by given and family name; under nil what is everyone's

	text      int64
	jobs      []*job
	byText    map[jobKey]*job
	files     []*file
	fileJobs  map[*file]*job
	rewritten []rewritten
	lost      int // contents that could not be read

	warnings []Warning
	warned   map[Warning]bool
	changes  map[changeKey]int

	// What is asked for again and again in one request.
	last     *resource                // that of
	requests map[*fhir.Node]*resource // of entries, by their request
	displays map[displayKey]string
	searched map[searchKey]bool // whether a string that stands in the tree holds what is known
}

// displayKey is a person's name beside a reference.
type displayKey struct {
	patient *patient
	role    surrogate.Role
	name    string
}

// searchKey is a string of a patient's resources.
type searchKey struct {
	patient *patient
	text    string
}

// Marks of the strings in the working copy.
const (
	markSettled uint8 = 1 + iota // holds nothing but a stand-in
	markRead                     // was read as text
)

// prepare makes the detectors and generators of every patient. They are read by several goroutines later.
func (w *writer) prepare() error {
	forbidden := w.forbidden()
	everyone := append(slices.Clone(w.patients.list), w.patients.nobody)
	w.detectors[nil] = known.New(known.Identity{Entities: w.ids.shared})
	for _, p := range everyone {
		id := w.ids.of(p)
		w.detectors[p] = known.New(known.Identity{Key: p.canonical, Entities: w.ids.own[p]})
		locale := w.locale(p)
		w.generators[p] = surrogate.New(surrogate.Config{
			Master: w.o.Master, Context: w.project, Patient: p.canonical,
			Shift: w.o.Shift, Locale: locale,
			Known: persons(id), Forbidden: forbidden, Lang: w.language,
			Actions: w.textAction,
		})
		if p != w.patients.nobody {
			p.name = w.patientName(p)
		}
	}
	return nil
}

// textAction gives what becomes of a span. Those that the policy lets stand never come here, but for elements whose
// own rule replaces them.
func (w *writer) textAction(t phi.Type) phi.Action {
	rule := w.policy.Text(t)
	if !rule.Detect || rule.Action == phi.Keep {
		return phi.Surrogate
	}
	return rule.Action
}

// patientName is the pseudonymous id of a patient: that of the resource, or the one that references to it get.
func (w *writer) patientName(p *patient) string {
	for _, r := range p.nodes {
		if !r.inside {
			return r.name
		}
	}
	if base, id, ok := cutLast(p.canonical, "Patient/"); ok {
		return w.names.id(base+"Patient", id)
	}
	return w.names.id("patient", p.canonical)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(sep):], true
}

// forbidden lists all known identifiers of the request: no surrogate may equal one.
func (w *writer) forbidden() []string {
	var list []string
	add := func(entities []known.Entity) {
		for _, e := range entities {
			for _, v := range values(&e) {
				list = append(list, *v...)
			}
		}
	}
	add(w.ids.shared)
	for _, p := range w.patients.list {
		add(w.ids.own[p])
	}
	return unique(list)
}

// known gives the detectors of what is known about the patient and of what is known to all.
func (w *writer) known(p *patient) []pipeline.Detector {
	return []pipeline.Detector{w.detectors[p], w.detectors[nil]}
}

func (w *writer) generator(p *patient) *surrogate.Generator { return w.generators[p] }

// locale is told by the patient's address, else configured, else told by the language asked for or read. What is
// configured goes before what is read, so that a patient keeps one surrogate in requests with and without text.
func (w *writer) locale(p *patient) string {
	for _, r := range p.nodes {
		for _, a := range r.node.Get("address").Items() {
			switch strings.ToUpper(strings.TrimSpace(a.Text("country"))) {
			case "DE", "DEU", "D", "DEUTSCHLAND", "GERMANY":
				return "de"
			case "AT", "AUT", "A", "ÖSTERREICH", "AUSTRIA":
				return "at"
			case "CH", "CHE", "SCHWEIZ", "SWITZERLAND":
				return "ch"
			case "US", "USA", "GB", "GBR", "UK", "IE", "CA", "AU", "NZ", "UNITED STATES", "UNITED KINGDOM":
				return "en"
			}
		}
	}
	if w.o.Locale != "" {
		return w.o.Locale
	}
	if w.language != "" {
		return string(w.language)
	}
	return w.spoken(p)
}

// spoken gives the language of a sample of the patient's texts, that of the whole request if there is no other.
func (w *writer) spoken(p *patient) string {
	if w.samples == nil {
		w.samples = map[*patient]*strings.Builder{}
		for _, r := range w.x.all {
			if w.samples[r.patient] == nil {
				w.samples[r.patient] = new(strings.Builder)
			}
			sample(w.samples[r.patient], r.node)
		}
	}
	if own := w.samples[p]; own != nil {
		if l := pipeline.DetectLanguage(own.String()); l != "" {
			return string(l)
		}
	}
	if w.samples[nil] == nil {
		w.samples[nil] = new(strings.Builder)
		for _, r := range w.x.all {
			sample(w.samples[nil], r.node)
		}
	}
	// One locale in any case, so that structure and text get the same names.
	return cmp.Or(string(pipeline.DetectLanguage(w.samples[nil].String())), "de")
}

// readable says whether words of the content can be seen without decoding it.
func readable(contentType string) bool {
	return !strings.Contains(contentType, "pdf") && !strings.Contains(contentType, "openxml") && !strings.Contains(contentType, "zip") &&
		(strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "application/"))
}

// sampleSize bounds a sample, in bytes.
const sampleSize = 32 << 10

// sample adds prose of a resource: strings with spaces, and attachments of plain text.
func sample(b *strings.Builder, n *fhir.Node) {
	if b.Len() > sampleSize {
		return
	}
	for _, m := range n.Members() {
		s, ok := m.Value.Str()
		switch {
		case !ok && m.Value.ResourceType() == "":
			sample(b, m.Value)
		case ok && m.Key == "data" && readable(n.Text("contentType")):
			if data, err := fromBase64(s[:min(len(s), sampleSize)/4*4]); err == nil {
				b.WriteString(strings.ToValidUTF8(string(data), " ") + "\n")
			}
		case ok && m.Key != "display" && strings.Count(s, " ") > 2:
			b.WriteString(s[:min(len(s), sampleSize)] + "\n")
		}
	}
	for _, i := range n.Items() {
		if i.ResourceType() == "" {
			sample(b, i)
		}
	}
}

// of gives the resource that a place stands in.
func (w *writer) of(p *fhir.Place) *resource {
	if w.last == nil || w.last.node != p.Resource {
		w.last = w.x.byNode[p.Resource]
	}
	return w.last
}

// path gives the FHIRPath of a place in the request.
func (w *writer) path(p *fhir.Place) string { return p.Path() }

// spot is an element of the request: cheap to make, and written out only where it must be told. It holds as long as
// the place that it was made of.
type spot struct {
	place   *fhir.Place
	member  string // of the place's object, with its dot; empty: the place itself
	element string // as R4 defines it
}

func (w *writer) at(p *fhir.Place, member string) spot {
	if member == "" {
		return spot{p, "", p.Element.Path}
	}
	return spot{p, "." + member, string(p.Element.Type) + "." + member}
}

func (s spot) path() string { return s.place.Path() + s.member }

func (w *writer) warn(code, path, sentence string) {
	x := Warning{Code: code, Expression: path, Text: sentence}
	if !w.warned[x] {
		w.warned[x] = true
		w.warnings = append(w.warnings, x)
	}
}

// changeKey is an element and what was done with it.
type changeKey struct {
	element string // as R4 defines it, such as Patient.birthDate
	action  phi.Action
}

// change notes what was done with an element of a resource.
func (w *writer) change(r *resource, element string, action phi.Action) {
	w.changes[changeKey{element, action}]++
	r.holder().actions |= 1 << action
}

// settle marks a string as a stand-in, which verify need not search.
func (w *writer) settle(n *fhir.Node, s string) {
	n.SetString(s)
	n.SetMark(markSettled)
}

// walk takes every input through the policy. Texts are queued; everything else is written.
func (w *writer) walk(ctx context.Context, inputs []input) error {
	walker := &fhir.Walker{
		Policy: w.policy,
		Visit: func(p *fhir.Place) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return w.visit(p)
		},
		Note: w.note,
	}
	for _, in := range inputs {
		if err := walker.Walk(in.node); err != nil {
			return fromFHIR(ctx, err)
		}
	}
	return nil
}

func (w *writer) note(p *fhir.Place, n fhir.Note) {
	switch n {
	case fhir.NoteUnknownElement, fhir.NoteUnknownExtension, fhir.NoteUnknownCode, fhir.NoteUnknownURI:
		w.warn("informational", w.path(p), n.String())
	case fhir.NoteEmpty:
		return
	}
	if r := w.of(p); r != nil && p.Element != nil {
		w.change(r, p.Element.Path, phi.Remove)
	} else if r != nil {
		w.change(r, r.typ, phi.Remove)
	}
}

// visit settles one element that needs a key or a reading.
func (w *writer) visit(p *fhir.Place) error {
	switch p.Element.Type {
	case fhir.TypeHumanName:
		return w.humanName(p)
	case fhir.TypeAddress:
		return w.address(p)
	case fhir.TypeContactPoint:
		return w.contactPoint(p)
	case fhir.TypeIdentifier:
		return w.identifier(p)
	case fhir.TypeReference:
		return w.reference(p)
	case fhir.TypeAttachment:
		return w.attachment(p)
	case fhir.TypeAge:
		return w.age(p)
	case fhir.TypeDate, fhir.TypeDateTime, fhir.TypeInstant:
		return w.date(p)
	case fhir.TypeID, fhir.TypeOID, fhir.TypeUUID, fhir.TypeURI, fhir.TypeURL, fhir.TypeCanonical:
		return w.uri(p)
	case fhir.TypeXHTML:
		return w.narrative(p)
	case fhir.TypeBase64:
		return w.binary(p)
	case fhir.TypeString, fhir.TypeMarkdown, fhir.TypeCode:
		return w.plain(p)
	}
	w.remove(p)
	return nil
}

func (w *writer) remove(p *fhir.Place) { p.Remove() }

// plain settles a string by what the policy says.
func (w *writer) plain(p *fhir.Place) error {
	r := w.of(p)
	s, _ := p.Node.Str()
	switch p.Action {
	case phi.Scan:
		return w.read(w.at(p, ""), r, p.Node, w.languageOf(r), phi.NoType, w.isLight(p, s))
	case phi.Surrogate:
		return w.read(w.at(p, ""), r, p.Node, w.languageOf(r), kindOf(p), false)
	case phi.Pseudonymise:
		w.settle(p.Node, w.pseudonym(p, r, s))
		w.change(r, p.Element.Path, p.Action)
		return nil
	case phi.Tag, phi.Redact, phi.Mask, phi.ToCategory:
		w.settle(p.Node, hidden(p.Action, kindOf(p), s))
		w.change(r, p.Element.Path, p.Action)
		return nil
	}
	w.remove(p)
	return nil
}

// pseudonym gives the stand-in of an id in a plain string or a local code.
func (w *writer) pseudonym(p *fhir.Place, r *resource, s string) string {
	switch p.Element.Name {
	case "linkId", "question":
		return w.names.id("link", s)
	case "code":
		return w.names.id("code", p.Parent.Text("system"), s)
	}
	return w.generator(r.patient).Identifier(s)
}

// hidden gives what stands for a whole string under the methods that need no key.
func hidden(a phi.Action, kind phi.Type, s string) string {
	switch a {
	case phi.Tag:
		return "XXX-" + kind.String()
	case phi.ToCategory:
		return "[" + kind.Category().String() + "]"
	case phi.Mask:
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '-' || r == '.' || r == ',' {
				return r
			}
			return '█'
		}, s)
	}
	return "XXX"
}

// kindOf tells what a string is by where it stands.
func kindOf(p *fhir.Place) phi.Type {
	switch p.Resource.ResourceType() {
	case "Organization", "HealthcareService", "Endpoint", "InsurancePlan":
		return phi.LocationOrganization
	case "Location":
		return phi.LocationHospital
	}
	switch p.Element.Name {
	case "authorString", "name", "reportedBy":
		return phi.NameStaff
	}
	return phi.Other
}

// isLight says whether the string is nothing but the label of a code that the policy knows: dictionaries and models
// would take eponyms in it for names.
func (w *writer) isLight(p *fhir.Place, s string) bool {
	switch p.Element.Path {
	case "Coding.display":
		return p.KnownCode
	case "CodeableConcept.text":
		return slices.ContainsFunc(p.Parent.Get("coding").Items(), func(c *fhir.Node) bool {
			return c.Text("display") == s && w.policy.KnownCode(c.Text("system"), c.Text("code"))
		})
	}
	return false
}

// languageOf gives the language asked for, else the one that the resource declares.
func (w *writer) languageOf(r *resource) phi.Language {
	if w.language != "" {
		return w.language
	}
	return declared(r.holder().node.Text("language"))
}

// declared reads a BCP 47 tag; other languages than the two are left to be told from the text.
func declared(tag string) phi.Language {
	main, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch main {
	case "de", "en":
		return phi.Language(main)
	}
	return ""
}

// date shifts or generalises a date.
func (w *writer) date(p *fhir.Place) error {
	r := w.of(p)
	s, _ := p.Node.Str()
	switch p.Action {
	case phi.Shift, phi.Surrogate, phi.Pseudonymise:
		w.warnShift(r)
		out, err := w.generator(r.patient).Date(s)
		if err != nil {
			return fail(ErrDate, w.path(p), "the value is no date of FHIR")
		}
		w.settle(p.Node, out)
	case phi.Generalise:
		year, ok := yearOf(s)
		if !ok {
			return fail(ErrDate, w.path(p), "the value is no date of FHIR")
		}
		if p.Element.Type == fhir.TypeInstant || p.Element.Name == "birthDate" && w.now.Year()-year > oldest {
			w.remove(p)
			return nil
		}
		w.settle(p.Node, fmt.Sprintf("%04d", year))
	default:
		w.remove(p)
		return nil
	}
	w.change(r, p.Element.Path, p.Action)
	return nil
}

// oldest is the greatest age that does not single a person out.
const oldest = 89

func yearOf(s string) (int, bool) {
	if len(s) < 4 {
		return 0, false
	}
	year := 0
	for _, c := range []byte(s[:4]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		year = year*10 + int(c-'0')
	}
	return year, true
}

// warnShift says once that dates of a resource about nobody take another shift than the patients'.
func (w *writer) warnShift(r *resource) {
	p := r.patient
	switch {
	case !p.nobody && p.weak:
		w.warn("informational", r.holder().path, "The patient has neither id nor identifier; a hash of the content keys dates and surrogates.")
	case p.nobody && len(w.patients.list) == 0:
		w.warn("informational", r.holder().path, "No patient is known; the document's own id keys dates and surrogates.")
	case p.nobody:
		w.warn("informational", r.holder().path, "The resource names none of the patients; its dates take the project's own shift.")
	}
}

// uri settles ids, fullUrls and other addresses.
func (w *writer) uri(p *fhir.Place) error {
	r := w.of(p)
	s, _ := p.Node.Str()
	if p.Action != phi.Pseudonymise && p.Action != phi.Surrogate {
		if p.Action == phi.Scan && p.Element.Type == fhir.TypeURI {
			return w.plain(p)
		}
		w.remove(p)
		return nil
	}
	out, ok := "", true
	switch name := p.Element.Name; {
	case p.Element.Type == fhir.TypeID && name == "id" && p.Parent == p.Resource:
		out = r.name
	case name == "fullUrl":
		if inner := w.x.byNode[p.Parent.Get("resource")]; inner != nil {
			out = fhir.FullURL(inner.name)
		} else {
			out, ok = w.names.reference(r, s, "")
			if ref, err := fhir.ParseReference(out); ok && err == nil && ref.Kind != fhir.RefURN {
				out = fhir.FullURL(ref.ID)
			}
		}
	case r.typ == "Bundle" && (name == "url" || name == "ifNoneExist"):
		out, ok = w.names.requestURL(r, w.entryResource(p.Parent), s)
	case name == "uid" || p.Element.Type == fhir.TypeOID:
		out = uid(w.names.id("uid", s))
	case p.Element.Type == fhir.TypeID:
		out = w.names.id("id", s)
	default:
		out = "urn:uuid:" + w.names.id("uri", s)
	}
	if !ok {
		w.warn("value", w.path(p), "a reference has no form that FHIR knows and was removed")
		w.remove(p)
		return nil
	}
	w.settle(p.Node, out)
	w.change(r, p.Element.Path, p.Action)
	return nil
}

// entryResource gives the resource in the entry whose request is given.
func (w *writer) entryResource(request *fhir.Node) *resource {
	if w.requests == nil {
		w.requests = map[*fhir.Node]*resource{}
		for _, r := range w.x.all {
			if r.typ != "Bundle" {
				continue
			}
			for _, e := range r.node.Get("entry").Items() {
				if at := e.Get("request"); at != nil {
					w.requests[at] = w.x.byNode[e.Get("resource")]
				}
			}
		}
	}
	return w.requests[request]
}

// reference rewrites a Reference: the literal one, the display as the name of what it points to. The identifier has
// been visited already.
func (w *writer) reference(p *fhir.Place) error {
	r := w.of(p)
	if p.Action != phi.Pseudonymise && p.Action != phi.Surrogate {
		w.remove(p)
		return nil
	}
	typ := p.Node.Text("type")
	if !fhir.IsResource(typ) {
		p.Node.Delete("type")
		typ = ""
	}
	var target *resource
	if literal := p.Node.Get("reference"); literal != nil {
		s, _ := literal.Str()
		ref, at, err := w.x.look(r, s)
		target = at
		out, ok := w.names.reference(r, s, typ)
		if err == nil {
			typ = cmp.Or(ref.Type, typ)
		}
		if !ok {
			w.warn("value", w.path(p)+".reference", "a reference has no form that FHIR knows and was removed")
			p.Node.Delete("reference")
		} else {
			w.settle(literal, out)
			w.change(r, p.Element.Path, phi.Pseudonymise)
		}
	}
	if display := p.Node.Get("display"); display != nil {
		if target != nil {
			typ = target.typ
		}
		if err := w.display(w.at(p, "display"), r, display, typ); err != nil {
			return err
		}
	}
	if len(p.Node.Members()) == 0 {
		w.remove(p)
	}
	return nil
}

// display settles the name beside a reference.
func (w *writer) display(at spot, r *resource, n *fhir.Node, typ string) error {
	role, person := surrogate.Staff, true
	switch typ {
	case "Patient", "Person":
		role = surrogate.Patient
	case "RelatedPerson":
		role = surrogate.Relative
	case "Practitioner", "PractitionerRole":
	default:
		person = false
	}
	if person {
		s, _ := n.Str()
		key := displayKey{r.patient, role, s}
		name, ok := w.displays[key]
		if !ok {
			name = w.nameText(r.patient, "", s, w.sexOf(r.patient, s), role)
			w.displays[key] = name
		}
		w.settle(n, name)
		w.change(r, at.element, phi.Surrogate)
		return nil
	}
	whole := phi.NoType
	switch typ {
	case "Organization", "HealthcareService", "Endpoint":
		whole = phi.LocationOrganization
	case "Location":
		whole = phi.LocationHospital
	}
	return w.read(at, r, n, w.languageOf(r), whole, false)
}

// sexOf tells whether the name in a string is that of a woman or a man, if a resource of the request says so: a display
// must get the very name that its Practitioner gets.
func (w *writer) sexOf(p *patient, name string) byte {
	given, family := splitName(name)
	if w.sexes == nil {
		w.sexes = map[*patient]map[string]byte{}
	}
	for _, whose := range []*patient{p, nil} {
		if w.sexes[whose] == nil {
			w.sexes[whose] = sexes(w.ids, whose)
		}
		for _, g := range given {
			if sex := w.sexes[whose][g+"\x00"+family]; sex != 0 {
				return sex
			}
		}
	}
	return 0
}

// sexes lists the names of a patient's persons, of everyone's under nil, whose gender is known.
func sexes(ids *identities, p *patient) map[string]byte {
	entities := ids.shared
	if p != nil {
		entities = ids.own[p]
	}
	list := map[string]byte{}
	for _, e := range entities {
		for _, family := range e.Family {
			for _, given := range e.Given {
				if e.Gender != 0 && list[given+"\x00"+family] == 0 {
					list[given+"\x00"+family] = e.Gender
				}
			}
		}
	}
	return list
}

// uid makes an OID of a UUID, under the arc that is meant for it.
func uid(uuid string) string {
	return "2.25." + decimalOf(uuid)
}
