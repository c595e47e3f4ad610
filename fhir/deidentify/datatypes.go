package deidentify

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"fhirdeid/fhir"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
	"fhirdeid/surrogate"
)

// decimalOf prints the number that a UUID is.
func decimalOf(uuid string) string {
	n, _ := new(big.Int).SetString(strings.ReplaceAll(uuid, "-", ""), 16)
	return n.String()
}

// persons tells the generator who is known, so that text and structure get the same names.
func persons(id known.Identity) []surrogate.Person {
	var list []surrogate.Person
	for _, e := range id.Entities {
		if len(e.Given)+len(e.Family) == 0 {
			continue
		}
		list = append(list, surrogate.Person{
			Key: e.Key, Role: roleOf(e.Role), Gender: e.Gender, Given: e.Given, Family: e.Family,
		})
	}
	return list
}

func roleOf(r known.Role) surrogate.Role {
	switch r {
	case known.Patient:
		return surrogate.Patient
	case known.Relative:
		return surrogate.Relative
	}
	return surrogate.Staff
}

// humanName writes a name anew. Titles stay, what else stands in prefix and suffix goes.
func (w *writer) humanName(p *fhir.Place) error {
	r, n := w.of(p), p.Node
	if p.Action != phi.Surrogate && p.Action != phi.Pseudonymise {
		return w.hide(p, phi.Name, "text")
	}
	role, sex := nameRole(p)
	var given []string
	for _, g := range n.Get("given").Items() {
		s, _ := g.Str()
		given = append(given, s)
	}
	family := n.Text("family")
	whole := n.Text("text")
	if family != "" || len(given) > 0 {
		given, family = w.generator(r.patient).HumanName(n.Text("use"), given, family, sex, role)
		i := 0
		for _, g := range n.Get("given").Items() {
			if _, ok := g.Str(); ok && i < len(given) {
				w.settle(g, given[i])
			}
			i++
		}
		if f := n.Get("family"); f != nil {
			w.settle(f, family)
		}
		if whole != "" {
			prefix := titles(n.Get("prefix"))
			w.settle(n.Get("text"), strings.Join(slices.Concat(prefix, slices.DeleteFunc(slices.Clone(given), isEmpty), slices.DeleteFunc([]string{family}, isEmpty)), " "))
		}
	} else if whole != "" {
		w.settle(n.Get("text"), w.nameText(r.patient, n.Text("use"), whole, sex, role))
	}
	for _, key := range []string{"prefix", "suffix"} {
		keepTitles(n, key)
	}
	w.change(r, p.Element.Path, p.Action)
	return nil
}

func isEmpty(s string) bool { return s == "" }

// nameRole tells whose name it is by where it stands.
func nameRole(p *fhir.Place) (surrogate.Role, byte) {
	sex := gender(p.Parent.Text("gender"))
	switch p.Resource.ResourceType() {
	case "Patient", "Person":
		if p.Parent == p.Resource {
			return surrogate.Patient, sex
		}
		return surrogate.Relative, sex
	case "RelatedPerson":
		return surrogate.Relative, sex
	}
	return surrogate.Staff, sex
}

// nameText writes a name in one string anew, with its titles.
func (w *writer) nameText(p *patient, use, s string, sex byte, role surrogate.Role) string {
	given, family := splitName(s)
	given, family = w.generator(p).HumanName(use, given, family, sex, role)
	var words []string
	for _, f := range strings.Fields(s) {
		if !isTitle(f) {
			break
		}
		words = append(words, f)
	}
	words = append(words, given...)
	if family != "" {
		words = append(words, family)
	}
	return cmp.Or(strings.Join(words, " "), "XXX")
}

func titles(n *fhir.Node) (words []string) {
	for _, t := range n.Items() {
		if s, _ := t.Str(); isTitle(s) {
			words = append(words, s)
		}
	}
	return words
}

// isTitle says whether every word is a title or degree that many people have.
func isTitle(s string) bool { return strings.TrimSpace(s) != "" && len(nameWords(s)) == 0 }

func keepTitles(n *fhir.Node, key string) {
	for i := n.Get(key).Len() - 1; i >= 0; i-- {
		if s, _ := n.Get(key).Item(i).Str(); !isTitle(s) {
			n.Delete(key) // with its companions: they are paired by place
			n.Delete("_" + key)
			return
		}
	}
}

// hide replaces the members of a datatype by one that says that something stood there.
func (w *writer) hide(p *fhir.Place, kind phi.Type, member string) error {
	switch p.Action {
	case phi.Redact, phi.Tag, phi.Mask, phi.ToCategory:
		stand := hidden(p.Action, kind, "██████")
		for _, m := range slices.Clone(p.Node.Members()) {
			if m.Key != "use" && m.Key != "period" && m.Key != "system" {
				p.Node.Delete(m.Key)
			}
		}
		s := fhir.NewString(stand)
		p.Node.Set(member, s)
		s.SetMark(markSettled)
		w.change(w.of(p), p.Element.Path, p.Action)
	default:
		w.remove(p)
	}
	return nil
}

// address writes an address anew, or generalises it to state and the first digits of the ZIP.
func (w *writer) address(p *fhir.Place) error {
	r, n := w.of(p), p.Node
	switch p.Action {
	case phi.Surrogate, phi.Pseudonymise:
	case phi.Generalise:
		return w.coarse(p)
	default:
		return w.hide(p, phi.Location, "text")
	}
	var lines []string
	for _, l := range n.Get("line").Items() {
		s, _ := l.Str()
		lines = append(lines, s)
	}
	country := n.Text("country")
	if !isCountry(country) {
		country = ""
	}
	lines, city, state, zip, country := w.generator(r.patient).Address(lines, n.Text("city"), n.Text("state"), n.Text("postalCode"), country)
	for i, l := range n.Get("line").Items() {
		if _, ok := l.Str(); ok && i < len(lines) {
			w.settle(l, cmp.Or(lines[i], emptied))
		}
	}
	for _, part := range []struct{ key, value string }{{"city", city}, {"state", state}, {"postalCode", zip}, {"country", country}} {
		if at := n.Get(part.key); at != nil {
			if part.value == "" {
				n.Delete(part.key)
				continue
			}
			w.settle(at, part.value)
		}
	}
	n.Delete("district")
	n.Delete("_district")
	if at := n.Get("text"); at != nil {
		parts := slices.Concat(lines, []string{strings.TrimSpace(zip + " " + city), country})
		s := strings.Join(slices.DeleteFunc(parts, isEmpty), ", ")
		if s == "" {
			n.Delete("text")
		} else {
			w.settle(at, s)
		}
	}
	w.change(r, p.Element.Path, p.Action)
	return nil
}

// coarse leaves country, state and the first digits of the ZIP, as HIPAA's Safe Harbor has it.
func (w *writer) coarse(p *fhir.Place) error {
	n := p.Node
	for _, key := range []string{"line", "_line", "city", "_city", "district", "_district", "text", "_text"} {
		n.Delete(key)
	}
	if zip := n.Get("postalCode"); zip != nil {
		s, _ := zip.Str()
		w.settle(zip, zipArea(s))
	}
	for key, known := range map[string]func(string) bool{"state": isState, "country": isCountry} {
		if at := n.Get(key); at != nil {
			if s, _ := at.Str(); !known(s) {
				n.Delete(key)
				continue
			}
			at.SetMark(markSettled)
		}
	}
	w.change(w.of(p), p.Element.Path, phi.Generalise)
	if len(n.Members()) == 0 {
		w.remove(p)
	}
	return nil
}

// age makes an age of 90 and more the same for all.
func (w *writer) age(p *fhir.Place) error {
	number, _ := p.Node.Get("value").Num()
	years, isNumber := decimal(number)
	if p.Action != phi.Generalise || !isNumber {
		w.remove(p)
		return nil
	}
	if code := p.Node.Text("code"); code != "a" && code != "" || years <= oldest {
		return nil // in months, weeks or days; or young enough
	}
	p.Node.Set("value", fhir.NewNumber(strconv.Itoa(oldest+1)))
	p.Node.Set("comparator", fhir.NewString(">="))
	w.change(w.of(p), p.Element.Path, p.Action)
	return nil
}

func decimal(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// small are the first three digits of US ZIP codes of areas with 20,000 inhabitants or fewer (HHS, census 2000).
var small = []string{"036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890", "893"}

func zipArea(zip string) string {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, zip)
	if len(digits) < 4 || slices.Contains(small, digits[:3]) {
		return "000"
	}
	return digits[:3]
}

// contactPoint writes a number or address anew; the system stays.
func (w *writer) contactPoint(p *fhir.Place) error {
	r, n := w.of(p), p.Node
	if p.Action != phi.Surrogate && p.Action != phi.Pseudonymise {
		return w.hide(p, phi.Contact, "value")
	}
	if at := n.Get("value"); at != nil {
		s, _ := at.Str()
		w.settle(at, w.generator(r.patient).Telecom(n.Text("system"), s))
	}
	w.change(r, p.Element.Path, p.Action)
	return nil
}

// identifier writes the value anew. A system that the policy does not know names the sender, so it gets a pseudonym.
func (w *writer) identifier(p *fhir.Place) error {
	r, n := w.of(p), p.Node
	if p.Action != phi.Surrogate && p.Action != phi.Pseudonymise {
		return w.hide(p, phi.ID, "value")
	}
	if at := n.Get("system"); at != nil {
		s, _ := at.Str()
		if !w.policy.KnownURI(s) {
			w.settle(at, "urn:uuid:"+w.names.id("system", s))
		}
	}
	if at := n.Get("value"); at != nil {
		s, _ := at.Str()
		w.settle(at, w.identifierValue(r, n.Text("system"), s))
	}
	w.change(r, p.Element.Path, p.Action)
	return nil
}

// identifierValue gives the stand-in of an identifier's value. Values that are addresses themselves (urn:uuid:, urn:oid:)
// must stay of that form.
func (w *writer) identifierValue(r *resource, system, s string) string {
	if system == "urn:ietf:rfc:3986" {
		switch lower := strings.ToLower(s); {
		case strings.HasPrefix(lower, "urn:oid:"):
			return "urn:oid:" + uid(w.names.id("uid", s))
		default:
			return "urn:uuid:" + w.names.id("uri", s)
		}
	}
	return w.generator(r.patient).Identifier(s)
}
