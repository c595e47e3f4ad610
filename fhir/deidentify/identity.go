package deidentify

import (
	"slices"
	"strings"
	"unicode"

	"fhirdeid/fhir"
	"fhirdeid/pipeline/known"
)

// identities gathers what the resources of the request say about persons, organisations and places: all that is about
// one patient under that patient, staff, organisations and places under everyone.
type identities struct {
	x      *index
	own    map[*patient][]known.Entity
	shared []known.Entity

	placed map[*patient]bool // those that have an entity of their own, whatever it holds
	heard  map[heard]bool
}

// heard is a name beside a reference. The same one again tells nothing new.
type heard struct {
	patient *patient
	target  *resource
	typ     string
	display string
}

func newIdentities(x *index) *identities {
	g := &identities{x: x, own: map[*patient][]known.Entity{}, placed: map[*patient]bool{}, heard: map[heard]bool{}}
	for _, r := range x.all {
		g.read(r)
		g.mentions(r)
	}
	g.shared = mergeSame(g.shared)
	for p := range g.own {
		g.own[p] = mergeSame(g.own[p])
	}
	return g
}

// of gives everything known in texts about the patient.
func (g *identities) of(p *patient) known.Identity {
	return known.Identity{Key: p.canonical, Entities: slices.Concat(g.own[p], g.shared)}
}

func (g *identities) read(r *resource) {
	n := r.node
	switch r.typ {
	case "Patient", "Person":
		e := person(n, known.Patient, "patient")
		if r.typ == "Patient" {
			for i, c := range n.Get("contact").Items() {
				g.add(r.patient, person(c, known.Relative, "contact/"+r.name+"/"+strings.Repeat("i", i)))
			}
		}
		e.Birth, e.Death = n.Text("birthDate"), n.Text("deceasedDateTime")
		g.add(r.patient, e)
	case "RelatedPerson":
		e := person(n, known.Relative, "relative/"+r.name)
		e.Birth = n.Text("birthDate")
		g.add(r.patient, e)
	case "Practitioner":
		e := person(n, known.Staff, "staff/"+r.name)
		e.Birth = n.Text("birthDate")
		g.shared = append(g.shared, e)
	case "Organization":
		e := site(n, known.Organization, "organization/"+r.name)
		g.shared = append(g.shared, e)
		for i, c := range n.Get("contact").Items() {
			g.shared = append(g.shared, person(c, known.Staff, "organization-contact/"+r.name+"/"+strings.Repeat("i", i)))
		}
	case "Location":
		g.shared = append(g.shared, site(n, known.Place, "location/"+r.name))
	case "HealthcareService", "Endpoint", "CareTeam":
		if n.Text("name") != "" {
			g.shared = append(g.shared, site(n, known.Organization, "organization/"+r.name))
		}
	case "PractitionerRole":
		g.shared = append(g.shared, person(n, known.Staff, "staff/"+r.name))
	default:
		ids := append(identifierValues(n), plainIDs(n)...)
		if len(ids) > 0 || !g.placed[r.patient] {
			g.placed[r.patient] = true
			g.add(r.patient, known.Entity{Key: "patient", Role: known.Patient, IDs: ids})
		}
	}
}

// add gives an entity to a patient; what is about nobody is everyone's.
func (g *identities) add(p *patient, e known.Entity) {
	if p.nobody {
		if e.Key == "patient" {
			e.Key = "nobody"
		}
		g.shared = append(g.shared, e)
		return
	}
	g.own[p] = append(g.own[p], e)
}

// person reads name, telecom, address, gender and identifiers from wherever they stand on the object.
func person(n *fhir.Node, role known.Role, key string) known.Entity {
	e := known.Entity{Key: key, Role: role, Gender: gender(n.Text("gender"))}
	for _, name := range oneOrMany(n.Get("name")) {
		if name.Kind() == fhir.Object {
			addName(&e, name)
		}
	}
	addContacts(&e, n)
	return e
}

// addName reads a HumanName. A text alone is taken apart.
func addName(e *known.Entity, name *fhir.Node) {
	e.Family = appendText(e.Family, name.Text("family"))
	for _, g := range name.Get("given").Items() {
		s, _ := g.Str()
		e.Given = appendText(e.Given, s)
	}
	for _, g := range name.Get("prefix").Items() {
		s, _ := g.Str()
		e.Prefix = appendText(e.Prefix, s)
	}
	if whole := name.Text("text"); whole != "" {
		if name.Get("family") == nil {
			given, family := splitName(whole)
			e.Given = append(e.Given, given...)
			e.Family = appendText(e.Family, family)
		}
		e.Others = appendText(e.Others, whole)
	}
}

func addContacts(e *known.Entity, n *fhir.Node) {
	for _, t := range n.Get("telecom").Items() {
		value := t.Text("value")
		switch t.Text("system") {
		case "email":
			e.Emails = appendText(e.Emails, value)
		case "url":
			e.URLs = appendText(e.URLs, value)
		default:
			if strings.Contains(value, "@") {
				e.Emails = appendText(e.Emails, value)
			} else {
				e.Phones = appendText(e.Phones, value)
			}
		}
	}
	for _, a := range oneOrMany(n.Get("address")) {
		addAddress(e, a)
	}
	e.IDs = append(e.IDs, identifierValues(n)...)
}

func addAddress(e *known.Entity, a *fhir.Node) {
	for _, l := range a.Get("line").Items() {
		s, _ := l.Str()
		e.Streets = appendText(e.Streets, s)
	}
	e.ZIPs = appendText(e.ZIPs, a.Text("postalCode"))
	e.Cities = appendText(e.Cities, a.Text("city"))
	e.Cities = appendText(e.Cities, a.Text("district"))
	e.States = appendText(e.States, a.Text("state"))
	e.Countries = appendText(e.Countries, a.Text("country"))
	e.Others = appendText(e.Others, a.Text("text"))
}

// site reads an organisation or location.
func site(n *fhir.Node, role known.Role, key string) known.Entity {
	e := known.Entity{Key: key, Role: role}
	e.Organizations = appendText(e.Organizations, n.Text("name"))
	for _, a := range n.Get("alias").Items() {
		s, _ := a.Str()
		e.Organizations = appendText(e.Organizations, s)
	}
	addContacts(&e, n)
	return e
}

// identifierValues gives the values of the resource's own identifiers.
func identifierValues(n *fhir.Node) (values []string) {
	for _, key := range []string{"identifier", "masterIdentifier", "accessionIdentifier", "groupIdentifier", "requisition"} {
		for _, i := range oneOrMany(n.Get(key)) {
			values = appendText(values, i.Text("value"))
		}
	}
	return values
}

// plainIDs gives the numbers that stand as plain strings.
func plainIDs(n *fhir.Node) (values []string) {
	for _, key := range []string{"subscriberId", "serialNumber"} {
		values = appendText(values, n.Text(key))
	}
	return values
}

// mentions reads the names that stand beside references and as plain authors.
func (g *identities) mentions(r *resource) {
	eachObject(r.node, func(n *fhir.Node) {
		if author := n.Text("authorString"); author != "" {
			given, family := splitName(author)
			g.shared = append(g.shared, known.Entity{Key: "staff:" + author, Role: known.Staff, Given: given, Family: appendText(nil, family), Others: []string{author}})
		}
		display := n.Text("display")
		if display == "" || n.Get("system") != nil || n.Get("code") != nil {
			return
		}
		g.mention(r, n, display)
	})
}

func (g *identities) mention(r *resource, n *fhir.Node, display string) {
	ref, target, err := g.x.look(r, n.Text("reference"))
	typ := n.Text("type")
	if target != nil {
		typ = target.typ
	} else if err == nil && ref.Type != "" {
		typ = ref.Type
	}
	about := heard{r.patient, target, typ, display}
	if g.heard[about] {
		return
	}
	g.heard[about] = true
	given, family := splitName(display)
	named := known.Entity{Given: given, Family: appendText(nil, family), Others: []string{display}}
	switch typ {
	case "Patient":
		named.Key, named.Role = "patient", known.Patient
		g.add(r.patient, named)
	case "RelatedPerson":
		named.Key, named.Role = "relative:"+display, known.Relative
		if target != nil {
			named.Key = "relative/" + target.name
		}
		g.add(r.patient, named)
	case "Practitioner", "PractitionerRole":
		named.Key, named.Role = "staff:"+display, known.Staff
		if target != nil {
			named.Key = "staff/" + target.name
		}
		g.shared = append(g.shared, named)
	case "Organization", "HealthcareService":
		g.shared = append(g.shared, known.Entity{Key: "organization:" + display, Role: known.Organization, Organizations: []string{display}})
	case "Location":
		g.shared = append(g.shared, known.Entity{Key: "location:" + display, Role: known.Place, Organizations: []string{display}})
	}
}

// eachObject calls f for every object of the resource, but for those of resources inside.
func eachObject(n *fhir.Node, f func(*fhir.Node)) {
	switch n.Kind() {
	case fhir.Object:
		f(n)
		for _, m := range n.Members() {
			if m.Key != "contained" && (m.Value.Kind() != fhir.Object || m.Value.ResourceType() == "") {
				eachObject(m.Value, f)
			}
		}
	case fhir.Array:
		for _, i := range n.Items() {
			eachObject(i, f)
		}
	}
}

func oneOrMany(n *fhir.Node) []*fhir.Node {
	switch n.Kind() {
	case fhir.Array:
		return n.Items()
	case fhir.Object:
		return []*fhir.Node{n}
	}
	return nil
}

func appendText(list []string, s string) []string {
	if s = strings.TrimSpace(s); s == "" {
		return list
	}
	return append(list, s)
}

func gender(code string) byte {
	switch code {
	case "female":
		return 'f'
	case "male":
		return 'm'
	}
	return 0
}

// splitName takes a name in one string apart: "Dr. med. Eva Stein", "Stein, Eva", "EVA STEIN, MD".
func splitName(s string) (given []string, family string) {
	before, after, comma := strings.Cut(s, ",")
	words := nameWords(before)
	if comma {
		if rest := nameWords(after); len(rest) > 0 {
			return rest, strings.Join(words, " ")
		}
	}
	if len(words) == 0 {
		return nil, ""
	}
	// Particles belong to the family name: Ludwig van Beethoven.
	at := len(words) - 1
	for at > 1 && unicode.IsLower([]rune(words[at-1])[0]) {
		at--
	}
	return words[:at], strings.Join(words[at:], " ")
}

// nameWords gives the words of a name without titles.
func nameWords(s string) (words []string) {
	for _, w := range strings.Fields(s) {
		bare := strings.ToLower(strings.Trim(w, ".,()"))
		switch bare {
		case "", "dr", "prof", "med", "dent", "phil", "rer", "nat", "habil", "univ", "priv", "doz", "pd", "dipl", "ing", "psych",
			"herr", "herrn", "frau", "mr", "mrs", "ms", "miss", "sir", "md", "m.d", "do", "rn", "np", "pa", "phd", "ph.d", "mbbs", "frcp",
			"schwester", "pfleger", "oberarzt", "oberärztin", "chefarzt", "chefärztin", "oa", "oä", "ca", "aa", "jr", "sr", "ii", "iii":
			continue
		}
		words = append(words, strings.Trim(w, ",()"))
	}
	return words
}

// mergeSame joins entities of the same key and sorts them, so that the order of the resources does not matter.
func mergeSame(list []known.Entity) []known.Entity {
	byKey := map[string]int{}
	var merged []known.Entity
	for _, e := range list {
		at, ok := byKey[e.Key]
		if !ok {
			byKey[e.Key] = len(merged)
			merged = append(merged, e)
			continue
		}
		m := &merged[at]
		for i, to := range values(m) {
			*to = append(*to, *values(&e)[i]...)
		}
		if m.Gender == 0 {
			m.Gender = e.Gender
		}
		if m.Birth == "" {
			m.Birth = e.Birth
		}
		if m.Death == "" {
			m.Death = e.Death
		}
	}
	for i := range merged {
		for _, v := range values(&merged[i]) {
			*v = unique(*v)
		}
	}
	slices.SortStableFunc(merged, func(a, b known.Entity) int { return strings.Compare(a.Key, b.Key) })
	return merged
}

// values lists the fields of an entity that hold several values.
func values(e *known.Entity) []*[]string {
	return []*[]string{
		&e.Given, &e.Family, &e.Prefix, &e.Phones, &e.Emails, &e.URLs, &e.IDs, &e.ZIPs, &e.Cities, &e.Streets,
		&e.States, &e.Countries, &e.Organizations, &e.Others,
	}
}

// unique drops what stands there before, and keeps the order.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
