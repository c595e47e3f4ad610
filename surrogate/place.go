package surrogate

import (
	"strings"
	"unicode"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// place gives the stand-in of a place or organisation. All are keyed by project.
func (g *Generator) place(t phi.Type, surface string, lang phi.Language) string {
	country := g.country(lang)
	switch t {
	case phi.LocationCity:
		return g.cased(surface, g.city(surface, country).Name)
	case phi.LocationZIP:
		return g.zip(surface, country)
	case phi.LocationStreet:
		return g.street(surface, country)
	case phi.LocationState:
		return g.state(surface, country)
	case phi.LocationCountry:
		return g.cased(surface, g.draw("country", surface, countries[lang == phi.German]))
	case phi.LocationHospital:
		return g.hospital(surface, country)
	case phi.LocationOrganization:
		return g.organisation(surface, country, lang)
	}
	if strings.ContainsFunc(surface, unicode.IsDigit) {
		return reshape(surface, g.shared.Bytes(2*len(surface)+8, "place", fold.Key(surface)))
	}
	return ""
}

// draw picks an entry of a list by the folded value, never the value itself and nothing that is known.
func (g *Generator) draw(kind, value string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	key := fold.Key(value)
	start := g.shared.PRF(kind, key)
	for i := range uint64(min(len(list), 64)) {
		out := list[(start+i)%uint64(len(list))]
		folded := fold.Key(out)
		if folded != key && !strings.Contains(folded, key) && !strings.Contains(key, folded) && !g.known(out) {
			return out
		}
	}
	return ""
}

// known says whether a stand-in holds a word of a known identifier.
func (g *Generator) known(s string) bool {
	if g.forbidden[fold.Key(s)] {
		return true
	}
	for w := range pipeline.Words(s) {
		if key := fold.Key(s[w.Start:w.End]); len(key) > 3 && g.forbidden[key] {
			return true
		}
	}
	return false
}

func (g *Generator) cased(original, out string) string { return casingOf(original).apply(out) }

// city gives the place that stands for a place. The key is the folded name, so that every spelling has one stand-in.
func (g *Generator) city(name, country string) lists.Place {
	places := lists.Cities(country)
	if len(places) == 0 {
		return lists.Place{}
	}
	key := fold.Key(name)
	start := g.shared.PRF("city", key)
	for i := range uint64(64) {
		p := places[(start+i)%uint64(len(places))]
		folded := fold.Key(p.Name)
		if folded != key && !strings.Contains(folded, key) && !g.known(p.Name) && !g.forbidden[fold.Key(p.ZIP)] {
			return p
		}
	}
	return lists.Place{}
}

// zip gives the postal code of the place that stands for the place of this code, so that address lines stay true to
// themselves; of a code that is not listed, one of the same shape.
func (g *Generator) zip(surface, country string) string {
	code := digitsOf(surface)
	base := code
	if country == "us" && len(code) > 5 {
		base = code[:5]
	}
	if places := lists.ZIP(country, base); len(places) > 0 && onlyZIP(surface) {
		if p := g.city(mainPlace(places), country); len(p.ZIP) == len(base) {
			rest := ""
			if len(code) > len(base) {
				rest = digitsOf(reshape(code[len(base):], g.shared.Bytes(16, "zip+4", code)))
			}
			if out := putDigits(surface, p.ZIP+rest); !sameText(out, surface) {
				return out
			}
		}
	}
	return reshape(surface, g.shared.Bytes(2*len(surface)+8, "zip", fold.Key(surface)))
}

// onlyZIP says whether a surface is a code and nothing else, a country's letters before it excepted: only then may what is
// no digit stay.
func onlyZIP(surface string) bool {
	letters, digits := 0, false
	for _, r := range surface {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case !digits && r >= 'A' && r <= 'Z':
			if letters++; letters > 3 {
				return false
			}
		case r != ' ' && r != '-' && r != '\u00a0' && r != '\u2013':
			return false
		}
	}
	return digits
}

// mainPlace is the one name that a code stands for: the shortest, then the first.
func mainPlace(places []lists.Place) string {
	best := places[0].Name
	for _, p := range places[1:] {
		if len(p.Name) < len(best) || len(p.Name) == len(best) && p.Name < best {
			best = p.Name
		}
	}
	return best
}

// smallZIP3 lists the three-digit areas with at most 20,000 people by the 2000 census; HHS guidance on the Safe Harbor
// method (45 CFR 164.514(b)(2)(i)(B)) asks for 000 in their place.
var smallZIP3 = map[string]bool{
	"036": true, "059": true, "063": true, "102": true, "203": true, "556": true, "692": true, "790": true, "821": true,
	"823": true, "830": true, "831": true, "878": true, "879": true, "884": true, "890": true, "893": true,
}

func shortZIP(surface string) string {
	code := digitsOf(surface)
	if len(code) < 5 || smallZIP3[code[:3]] {
		return "000"
	}
	return code[:3]
}

func (g *Generator) state(surface, country string) string {
	if len(surface) == 2 && surface == strings.ToUpper(surface) {
		if country != "us" {
			return ""
		}
		return g.draw("state", surface, usStates)
	}
	var states []string
	seen := map[string]bool{}
	for _, p := range lists.Cities(country) {
		if p.State != "" && !seen[p.State] {
			seen[p.State] = true
			states = append(states, p.State)
		}
	}
	return g.cased(surface, g.draw("state", surface, states))
}

var usStates = strings.Fields(`AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK
	OR PA RI SC SD TN TX UT VT VA WA WV WI WY`)

var countries = map[bool][]string{
	true:  {"Norwegen", "Portugal", "Kanada", "Finnland", "Irland", "Chile", "Japan", "Neuseeland", "Uruguay", "Island", "Kenia", "Malta"},
	false: {"Norway", "Portugal", "Canada", "Finland", "Ireland", "Chile", "Japan", "New Zealand", "Uruguay", "Iceland", "Kenya", "Malta"},
}

// street gives another street; house number and what follows keep their shape.
func (g *Generator) street(surface, country string) string {
	at := strings.IndexFunc(surface, unicode.IsDigit)
	number, name := "", surface
	before := false
	switch {
	case at == 0: // 12 Elm St.
		end := strings.IndexFunc(surface, unicode.IsSpace)
		if end < 0 {
			end = len(surface)
		}
		number, name, before = surface[:end], surface[end:], true
	case at > 0:
		name, number = surface[:at], surface[at:]
	}
	out := g.draw("street", strings.TrimSpace(name), lists.Streets(country))
	if out == "" {
		return ""
	}
	out = g.cased(name, out)
	number = reshape(number, g.shared.Bytes(2*len(number)+8, "house", fold.Key(surface)))
	switch {
	case number == "":
		return out
	case before:
		return number + " " + out
	}
	return out + " " + number
}

var companyEndings = map[bool][]string{true: {"GmbH", "AG", "KG", "e. V."}, false: {"Inc.", "Ltd.", "LLC", "Group"}}

// organisation draws an insurer for an insurer, else makes a company of a surname.
func (g *Generator) organisation(surface, country string, lang phi.Language) string {
	key := fold.Key(surface)
	for _, insurer := range lists.Insurers() {
		if folded := fold.Key(insurer); folded == key || len(key) > 2 && strings.HasPrefix(folded, key+" ") {
			return g.cased(surface, g.draw("insurer", surface, lists.Insurers()))
		}
	}
	name := g.draw("company", surface, lists.Surnames(g.locale(lang)))
	if name == "" {
		return ""
	}
	endings := companyEndings[country != "us"]
	return g.cased(surface, name+" "+endings[g.shared.PRF("ending", key)%uint64(len(endings))])
}

// Address gives the surrogates of a structured address: the same as its parts get in a text. Unlike in a text, where a
// country is told by its name, the country stays.
func (g *Generator) Address(line []string, city, state, zip, country string) (newLine []string, newCity, newState, newZIP, newCountry string) {
	nation := g.country(g.c.Lang)
	for _, l := range line {
		newLine = append(newLine, orTag(g.street(l, nation), g.tag(phi.LocationStreet)))
	}
	place := lists.Place{}
	if city != "" {
		place = g.city(city, nation)
		newCity = orTag(g.cased(city, place.Name), g.tag(phi.LocationCity))
	}
	if zip != "" {
		newZIP = orTag(g.zip(zip, nation), g.tag(phi.LocationZIP))
	}
	if state != "" {
		newState = orTag(g.state(state, nation), g.tag(phi.LocationState))
	}
	return newLine, newCity, newState, newZIP, country
}

func orTag(s, tag string) string {
	if s == "" {
		return tag
	}
	return s
}
