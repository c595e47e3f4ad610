package attachment

import (
	"context"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"

	"fhirdeid/pipeline/phi"
)

// decodeCDA reads a clinical document: the header's and the entries' names, addresses, telecoms, ids and times as
// fields, narrative as flowing text, and bodies in base64 by their own type.
func decodeCDA(ctx context.Context, s source, root *node) (*Document, error) {
	b := newBuilder(s.limits)
	if c := root.child("languageCode"); c != nil {
		b.speak(c.attr("code"))
	}
	w := cda{builder: b, source: s, attrs: b.aside(), ids: newIDMap()}
	b.raw(xmlHead)
	if err := w.element(ctx, root, role{}); err != nil {
		return nil, err
	}
	b.join(w.attrs)
	return b.document(single(s.media))
}

// role says whom the names and ids below an element belong to.
type role struct {
	name, id phi.Type
	org      bool
	time     bool // below an element that holds times
}

var cdaRoles = map[string]role{
	"recordTarget":            {name: phi.NamePatient, id: phi.IDPatient},
	"guardian":                {name: phi.NameOther, id: phi.IDOther},
	"relatedEntity":           {name: phi.NameOther, id: phi.IDOther},
	"associatedEntity":        {name: phi.NameOther, id: phi.IDOther},
	"relatedSubject":          {name: phi.NameOther, id: phi.IDOther},
	"subject":                 {name: phi.NameOther, id: phi.IDOther},
	"relatedPerson":           {name: phi.NameOther, id: phi.IDOther},
	"author":                  {name: phi.NameStaff, id: phi.IDLicense},
	"dataEnterer":             {name: phi.NameStaff, id: phi.IDLicense},
	"informant":               {name: phi.NameStaff, id: phi.IDLicense},
	"legalAuthenticator":      {name: phi.NameStaff, id: phi.IDLicense},
	"authenticator":           {name: phi.NameStaff, id: phi.IDLicense},
	"informationRecipient":    {name: phi.NameStaff, id: phi.IDLicense},
	"performer":               {name: phi.NameStaff, id: phi.IDLicense},
	"responsibleParty":        {name: phi.NameStaff, id: phi.IDLicense},
	"encounterParticipant":    {name: phi.NameStaff, id: phi.IDLicense},
	"assignedPerson":          {name: phi.NameStaff, id: phi.IDLicense},
	"custodian":               {name: phi.LocationHospital, id: phi.IDOther, org: true},
	"location":                {name: phi.LocationHospital, id: phi.IDOther, org: true},
	"healthCareFacility":      {name: phi.LocationHospital, id: phi.IDOther, org: true},
	"participant":             {id: phi.IDOther},
	"playingEntity":           {id: phi.IDOther},
	"manufacturedProduct":     {id: phi.IDOther},
	"consumable":              {id: phi.IDOther},
	"assignedAuthoringDevice": {id: phi.IDOther},
}

func (r role) enter(n *node) role {
	if to, ok := cdaRoles[n.local]; ok {
		to.time = r.time
		return to
	}
	switch {
	case strings.HasSuffix(n.local, "Organization"):
		return role{name: phi.LocationHospital, id: phi.IDOther, org: true, time: r.time}
	case n.local == "associatedPerson" && r.name == phi.NoType:
		r.name = phi.NameOther
	case strings.HasSuffix(n.local, "ime") && (strings.HasSuffix(n.local, "Time") || n.local == "time"),
		strings.HasSuffix(n.attr("xsi:type"), "TS"):
		r.time = true
	}
	return r
}

type cda struct {
	*builder
	source
	attrs *builder
	ids   *idMap
}

// coded attributes hold codes of the standard, never text.
var coded = map[string]bool{
	"code": true, "codeSystem": true, "codeSystemName": true, "codeSystemVersion": true, "typeCode": true, "classCode": true, "moodCode": true,
	"determinerCode": true, "contextControlCode": true, "contextConductionInd": true, "nullFlavor": true, "use": true,
	"xsi:type": true, "unit": true, "mediaType": true, "representation": true, "qualifier": true, "inversionInd": true,
	"negationInd": true, "operator": true, "institutionSpecified": true, "partType": true, "independentInd": true,
	"inclusive": true, "isNormalDoc": true, "sdtc:valueSet": true, "sdtc:valueSetVersion": true, "listType": true, "xml:space": true,
	"border": true, "width": true, "cellpadding": true, "cellspacing": true, "rowspan": true, "colspan": true,
	"align": true, "valign": true, "span": true, "scope": true, "frame": true, "rules": true, "styleCode": true,
	"currency": true, "language": true, "charset": true, "compression": true, "displayable": true, "alignment": true,
	"numerator": true, "denominator": true, "seperatableInd": true, "separatableInd": true, "xml:lang": true,
}

var codeForm = regexp.MustCompile(`^[\w.:/+*%()^{}\[\]!'#-]{0,80}(?: [\w.:/+*%()^{}\[\]!'#-]{1,80}){0,4}$`)

func (w *cda) element(ctx context.Context, n *node, r role) error {
	r = r.enter(n)
	switch {
	case n.local == "text" && n.parent != nil && n.parent.local == "section" && n.attr("representation") == "":
		return w.section(n)
	case n.attr("representation") == "B64":
		return w.body(ctx, n)
	case n.attr("compression") != "":
		return ErrUnsupported
	case n.local == "name":
		return w.parts(n, r, KindName, " ")
	case n.local == "addr":
		return w.parts(n, r, KindAddress, ", ")
	}
	w.line()
	w.open(n, r)
	if len(n.kids) == 0 {
		w.raw("/>")
		w.line()
		return nil
	}
	w.raw(">")
	mixed := n.mixed()
	for _, k := range n.kids {
		switch {
		case k.name == "" && mixed:
			w.write(k.text, modeLeaf)
		case k.name == "":
			w.raw(spellAll(k.text, modeLeaf))
		default:
			if mixed {
				w.inline(k)
				continue
			}
			if err := w.element(ctx, k, r); err != nil {
				return err
			}
		}
	}
	w.raw("</" + n.name + ">")
	w.line()
	return nil
}

// inline writes an element among text.
func (w *cda) inline(n *node) {
	w.tag(n, role{}, w.attrs)
	if len(n.kids) == 0 {
		w.raw("/>")
		return
	}
	w.raw(">")
	for _, k := range n.kids {
		if k.name == "" {
			w.write(k.text, modeLeaf)
		} else {
			w.inline(k)
		}
	}
	w.raw("</" + n.name + ">")
}

// open writes a start tag up to its end, attributes read in place.
func (w *cda) open(n *node, r role) { w.tag(n, r, w.builder) }

func (w *cda) tag(n *node, r role, to *builder) {
	w.raw("<" + n.name)
	to.part = w.part
	for _, a := range n.attrs {
		w.attribute(n, a, r, to)
	}
}

func (w *cda) attribute(n *node, a attr, r role, to *builder) {
	switch {
	case a.name == "xml:lang":
		w.speak(a.value)
	case a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:"):
		w.raw(quote(a.name, a.value))
		return
	case strings.HasSuffix(a.name, "chemaLocation"):
		return
	}
	id := n.local == "id" || n.local == "setId"
	switch {
	case a.name == "ID" || a.name == "IDREF" || a.name == "referencedObject":
		w.raw(quote(a.name, w.ids.all(a.value)))
	case n.local == "reference" && a.name == "value":
		if strings.HasPrefix(a.value, "#") {
			w.raw(quote(a.name, "#"+w.ids.name(a.value[1:])))
		}
	case id && a.name == "extension":
		w.value(to, n, a, modeAttr, Field{Kind: KindID, Type: idType(n, r)})
	case id && a.name == "root" && (n.attr("extension") == "" || strings.Contains(a.value, "-")):
		w.root(to, n, a, r)
	case a.name == "root" || n.local == "templateId" || n.local == "typeId":
		if codeForm.MatchString(a.value) {
			w.raw(quote(a.name, a.value))
		}
	case a.name == "assigningAuthorityName":
		w.value(to, n, a, modeAttr, Field{Kind: KindOrg, Type: phi.LocationOrganization})
	case n.local == "telecom" && a.name == "value":
		w.telecom(to, n, a)
	case r.time && a.name == "value" && n.attr("unit") == "" && w.time(to, n, a):
	case coded[a.name] && codeForm.MatchString(a.value):
		w.raw(quote(a.name, a.value))
	default:
		w.value(to, n, a, modeAttr, Field{})
	}
}

func (m *idMap) all(list string) string {
	words := strings.Fields(list)
	for i, id := range words {
		words[i] = m.name(id)
	}
	return strings.Join(words, " ")
}

func idType(n *node, r role) phi.Type {
	switch n.attr("root") {
	case "2.16.840.1.113883.4.1":
		return phi.IDSSN
	case "2.16.840.1.113883.4.6":
		return phi.IDLicense
	case "1.2.276.0.76.4.8":
		return phi.IDHealthplan
	}
	if r.id == phi.NoType {
		return phi.IDOther
	}
	return r.id
}

// value writes an attribute whose text is read, on a line of its own.
func (w *cda) value(to *builder, n *node, a attr, m mode, f Field) {
	w.raw(" " + a.name + `="`)
	if a.value != "" {
		w.label(to, n, a, false)
		f.Start = len(to.text)
		to.write(a.value, m)
		f.End = len(to.text)
		if f.Type != phi.NoType {
			f.Path = n.path() + "/@" + a.name
			to.note(f)
		}
		to.line()
	}
	w.raw(`"`)
}

func (w *cda) root(to *builder, n *node, a attr, r role) {
	w.raw(` root="`)
	w.label(to, n, a, false)
	f := Field{Kind: KindID, Type: idType(n, r), Path: n.path() + "/@root", Start: len(to.text)}
	if rootForm.MatchString(a.value) {
		to.atom(a.value, a.value, modeRoot)
	} else {
		to.write(a.value, modeAttr)
	}
	f.End = len(to.text)
	to.note(f)
	to.line()
	w.raw(`"`)
}

func (w *cda) telecom(to *builder, n *node, a attr) {
	scheme, rest, found := strings.Cut(a.value, ":")
	t := phi.ContactPhone
	switch strings.ToLower(scheme) {
	case "mailto":
		t = phi.ContactEmail
	case "fax", "x-text-fax":
		t = phi.ContactFax
	case "tel", "sms", "x-text-tel":
	case "http", "https", "ftp", "ftps", "file", "nfs", "mllp", "telnet":
		t, rest, scheme = phi.ContactURL, a.value, ""
	default:
		found = false
	}
	if !found {
		scheme, rest = "", a.value
		if strings.Contains(rest, "@") {
			t = phi.ContactEmail
		}
	}
	w.raw(` value="`)
	if scheme != "" {
		w.raw(scheme + ":")
	}
	if rest != "" {
		w.label(to, n, a, false)
		f := Field{Kind: KindTelecom, Type: t, Path: n.path() + "/@value", Start: len(to.text)}
		to.write(rest, modeAttr)
		f.End = len(to.text)
		to.note(f)
		to.line()
	}
	w.raw(`"`)
}

var tsValue = regexp.MustCompile(`^((?:18|19|20|21)\d\d)(?:(0[1-9]|1[0-2])(?:(0[1-9]|[12]\d|3[01])(?:[0-2]\d(?:[0-5]\d(?:[0-6]\d(?:\.\d{1,6})?)?)?)?(?:[+-]\d{4})?)?)?$`)

// time shows a time stamp as a date; its time of day stays out of the text.
func (w *cda) time(to *builder, n *node, a attr) bool {
	p := tsValue.FindStringSubmatch(a.value)
	if p == nil {
		return false
	}
	date := p[1]
	if p[2] != "" {
		date += "-" + p[2]
	}
	if p[3] != "" {
		date += "-" + p[3]
	}
	w.raw(" ")
	w.label(to, n, a, true)
	t := phi.DateDate
	if n.local == "birthTime" {
		t = phi.DateBirthdate
	}
	f := Field{Kind: KindTime, Type: t, Path: n.path() + "/@value", Start: len(to.text)}
	to.atom(date, `value="`+a.value+`"`, modeTS)
	f.End = len(to.text)
	to.note(f)
	to.line()
	return true
}

// cdaLabels are what stands before a value, in German and in English.
var cdaLabels = map[string][2]string{
	"id": {"Nummer", "ID"}, "setId": {"Nummer", "ID"}, "telecom": {"Kontakt", "Contact"}, "birthTime": {"Geburtsdatum", "Date of birth"},
	"time": {"Datum", "Date"}, "effectiveTime": {"Datum", "Date"}, "low": {"Von", "From"}, "high": {"Bis", "To"},
	"deceasedTime": {"Verstorben", "Deceased"}, "addr": {"Adresse", "Address"}, "name": {"Name", "Name"},
}

// label begins a line that says what the value is.
func (w *cda) label(to *builder, n *node, a attr, timed bool) {
	to.line()
	l := n.local
	if a.name == "displayName" || a.name == "assigningAuthorityName" {
		return
	}
	if pair, ok := cdaLabels[l]; ok && (timed || l != "low" && l != "high") {
		l = pair[1]
		if w.language == phi.German {
			l = pair[0]
		}
	}
	to.sep(l + ": ")
}

// parts writes a name or an address, its parts on one line.
func (w *cda) parts(n *node, r role, kind Kind, sep string) error {
	w.line()
	w.open(n, role{})
	w.raw(">")
	begun, last := false, ""
	for _, k := range n.kids {
		text := k.content()
		if strings.TrimSpace(text) == "" {
			if k.name != "" {
				w.silent(k)
			} else {
				w.raw(spellAll(k.text, modeLeaf))
			}
			continue
		}
		switch {
		case !begun:
			w.label(w.builder, n, attr{}, false)
		case last == "postalCode" && k.local == "city":
			w.sep(" ")
		default:
			w.sep(sep)
		}
		begun, last = true, k.local
		if k.name != "" {
			w.tag(k, r, w.attrs)
			w.raw(">")
		}
		w.partText(k, partField(n, k, r, kind))
		if k.name != "" {
			w.raw("</" + k.name + ">")
		}
	}
	w.raw("</" + n.name + ">")
	w.line()
	return nil
}

// partText writes the text of one part, white space around it left out, as one field.
func (w *cda) partText(k *node, f Field) {
	text := k.content()
	lean := strings.TrimSpace(text)
	at := strings.Index(text, lean)
	w.raw(spellAll(text[:at], modeLeaf))
	f.Start = len(w.text)
	if k.local == "useablePeriod" || k.local == "validTime" {
		f.Type = phi.NoType
	}
	w.write(lean, modeLeaf)
	f.End = len(w.text)
	if f.Type != phi.NoType {
		w.note(f)
	}
	w.raw(spellAll(text[at+len(lean):], modeLeaf))
}

// silent writes an element without text.
func (w *cda) silent(n *node) {
	w.tag(n, role{time: true}, w.attrs)
	if len(n.kids) == 0 {
		w.raw("/>")
		return
	}
	w.raw(">")
	for _, k := range n.kids {
		if k.name == "" {
			w.raw(spellAll(k.text, modeLeaf))
			continue
		}
		w.silent(k)
	}
	w.raw("</" + n.name + ">")
}

func partField(n, k *node, r role, kind Kind) Field {
	f := Field{Kind: kind, Path: n.path()}
	if k.name != "" {
		f.Path = k.path()
	}
	if kind == KindName {
		f.Type = r.name
		if r.org {
			f.Kind = KindOrg
		}
		switch k.local {
		case "prefix", "suffix", "delimiter":
			f.Type = phi.NoType
		}
		return f
	}
	switch k.local {
	case "city":
		f.Type = phi.LocationCity
	case "postalCode":
		f.Type = phi.LocationZIP
	case "state":
		f.Type = phi.LocationState
	case "country":
		f.Type = phi.LocationCountry
	case "county", "precinct", "censusTract":
		f.Type = phi.LocationOther
	default:
		f.Type = phi.LocationStreet
	}
	return f
}

// path names the element's place below the root.
func (n *node) path() string {
	var names []string
	for ; n != nil && n.parent != nil; n = n.parent {
		names = append(names, n.local)
	}
	for i, k := 0, len(names)-1; i < k; i, k = i+1, k-1 {
		names[i], names[k] = names[k], names[i]
	}
	return strings.Join(names, "/")
}

// body writes content in base64, read by its own type.
func (w *cda) body(ctx context.Context, n *node) error {
	if n.attr("compression") != "" {
		return ErrUnsupported
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.content()), ""))
	if err != nil {
		return ErrMalformed
	}
	media := n.attr("mediaType")
	if media == "" {
		media = "text/plain"
	}
	if c := n.attr("charset"); c != "" && !strings.Contains(media, ";") {
		media += "; charset=" + c
	}
	l := w.limits()
	l.Expanded -= w.size()
	if l.Expanded <= 0 {
		return ErrTooLarge
	}
	child, err := decode(ctx, media, raw, l, w.nested+1)
	if err != nil {
		if errors.Is(err, ErrUnsupported) && l.Strip {
			w.warn("object-removed")
			w.raw("<" + n.name + ` nullFlavor="MSK"/>`)
			return nil
		}
		return err
	}
	w.raw("<" + n.name)
	for _, a := range n.attrs {
		if a.name == "mediaType" {
			bare, _, _ := strings.Cut(a.value, ";")
			a.value = strings.TrimSpace(bare)
		}
		if a.name != "charset" && coded[a.name] && codeForm.MatchString(a.value) {
			w.raw(quote(a.name, a.value))
		}
	}
	w.raw(">")
	w.embed(child, "")
	w.raw("</" + n.name + ">")
	w.line()
	return nil
}

// limits of the source; the builder has a field of the same name.
func (w *cda) limits() Limits { return w.source.limits }

// section writes narrative.
func (w *cda) section(n *node) error {
	w.line()
	w.open(n, role{})
	w.raw(">")
	f := newFlow(w.builder, true)
	f.ids = w.ids
	start := len(w.text)
	for _, k := range n.kids {
		w.narrate(f, k)
	}
	if len(w.text) > start {
		w.line()
	}
	f.end()
	w.line()
	w.raw("</" + n.name + ">")
	return nil
}

// narrativeBlocks are the elements of CDA narrative that stand on lines of their own.
var narrativeBlocks = map[string]bool{
	"paragraph": true, "list": true, "item": true, "table": true, "thead": true, "tbody": true, "tfoot": true,
	"caption": true, "colgroup": true, "footnote": true, "renderMultiMedia": true, "div": true, "p": true, "ul": true,
	"li": true, "ol": true, "h1": true, "h2": true, "h3": true,
}

func (w *cda) narrate(f *flow, n *node) {
	if n.name == "" {
		f.chars(n.text)
		return
	}
	switch {
	case n.local == "td" || n.local == "th":
		f.startCell()
	case n.local == "tr":
		f.row()
	case n.local == "br":
		f.pending = pendLine
	case narrativeBlocks[n.local]:
		f.block()
	}
	f.attrs.part = w.part
	f.raw("<" + n.name)
	for _, a := range n.attrs {
		switch a.name {
		case "href", "name", "src":
		default:
			w.attribute(n, a, role{}, f.attrs)
		}
	}
	if len(n.kids) == 0 {
		f.raw("/>")
	} else {
		f.raw(">")
		for _, k := range n.kids {
			w.narrate(f, k)
		}
		f.raw("</" + n.name + ">")
	}
	switch {
	case n.local == "tr":
		f.row()
	case narrativeBlocks[n.local]:
		f.block()
	}
}
