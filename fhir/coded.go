package fhir

import (
	"regexp"
	"strconv"

	"fhirdeid/pipeline/phi"
)

// coding settles a Coding. The code of a known system stays if it has the system's form; codes of local systems go the
// way that the policy's localCodes says. The display is text and is read in any case.
func (w *Walker) coding(n *Node, k *plan, f frame) (kept bool, err error) {
	system, _ := n.Get("system").Str()
	code, _ := n.Get("code").Str()
	known := w.Policy.KnownSystem(system)
	fits := known && code != "" && w.Policy.KnownCode(system, code)
	return w.members(n, k, f, func(m Member, kid *plan) (bool, error) {
		p := w.at(n, m.Value, kid, f)
		switch m.Key {
		case "system":
			if known {
				return true, nil
			}
			return w.local(p)
		case "code":
			if fits {
				return true, nil
			}
			if known {
				w.noted(p, NoteUnknownCode)
				return false, nil
			}
			return w.local(p)
		case "version":
			if known && systemVersion.MatchString(m.Value.text) {
				return true, nil
			}
			w.noted(p, NotePolicy)
			return false, nil
		case "display":
			p.KnownCode = fits
			if p.Action == phi.Remove {
				w.noted(p, NotePolicy)
				return false, nil
			}
			if p.Action == phi.Keep {
				return true, nil
			}
			return w.visit(p)
		default:
			return true, nil // userSelected
		}
	})
}

// systemVersion is a release number or date, alone or behind SNOMED CT's edition.
var systemVersion = regexp.MustCompile(`^(http://snomed\.info/(x?sct)/[0-9]{6,18}(/version/[0-9]{8})?|v?[0-9]{1,4}([.-][0-9]{1,2}){0,3}|[0-9]{8})$`)

func (w *Walker) local(p Place) (kept bool, err error) {
	switch w.Policy.localCodes {
	case phi.Keep:
		return true, nil
	case phi.Pseudonymise:
		p.Action = phi.Pseudonymise
		return w.visit(p)
	default:
		w.noted(p, NotePolicy)
		return false, nil
	}
}

// isQuantity says whether the type is Quantity or one of its kinds.
func isQuantity(t Type) bool {
	switch t {
	case TypeQuantity, TypeAge, "Count", "Distance", "Duration":
		return true
	default:
		return false
	}
}

// quantity settles a Quantity: value and comparator stay, unit and code if they are units. Any other unit is read as text.
func (w *Walker) quantity(parent, n *Node, k *plan, f frame, action phi.Action) (kept bool, err error) {
	system, _ := n.Get("system").Str()
	known := w.Policy.KnownSystem(system)
	kept, err = w.members(n, k, f, func(m Member, kid *plan) (bool, error) {
		p := w.at(n, m.Value, kid, f)
		switch m.Key {
		case "unit":
			if w.Policy.knownUnit(m.Value.text) {
				return true, nil
			}
			p.Action = phi.Scan
			return w.visit(p)
		case "system":
			if !known {
				w.noted(p, NoteUnknownURI)
			}
			return known, nil
		case "code":
			ok := known && (w.Policy.knownUnit(m.Value.text) || system != ucumSystem && w.Policy.KnownCode(system, m.Value.text))
			if !ok {
				w.noted(p, NoteUnknownCode)
			}
			return ok, nil
		case "comparator":
			if !kid.codes.Has(m.Value.text) {
				w.noted(p, NoteUnknownCode)
				return false, nil
			}
			return true, nil
		default:
			return true, nil // value
		}
	})
	if err != nil || !kept || action == phi.Scan {
		return kept, err
	}
	if k.el.Type == TypeAge && action == phi.Generalise {
		generaliseAge(n)
		return true, nil
	}
	p := w.at(parent, n, k, f)
	p.Action = action
	return w.visit(p)
}

// members settles the primitive members of an object one by one; id, extension and companions go the usual way.
func (w *Walker) members(n *Node, k *plan, f frame, settle func(Member, *plan) (bool, error)) (kept bool, err error) {
	sound, err := w.object(n, k.sub, frame{resource: f.resource, bare: true})
	if err != nil || !sound {
		return false, err
	}
	members := n.members[:0]
	for _, m := range n.members {
		kid := k.sub.kids[m.Key]
		if kid == nil || !kid.el.Primitive() {
			members = append(members, m)
			continue
		}
		w.trail = append(w.trail, step{m.Key, -1})
		ok, err := settle(m, kid)
		if err != nil {
			return false, err
		}
		w.trail = w.trail[:len(w.trail)-1]
		if ok {
			members = append(members, m)
		}
	}
	clear(n.members[len(members):])
	n.members = members
	return len(members) > 0, nil
}

// yearsOf says how many of a unit of time make a year.
var yearsOf = map[string]float64{"a": 1, "mo": 12, "wk": 52.1775, "d": 365.2425, "h": 8765.82, "min": 525949.2}

// oldest is the greatest age in years that may be told.
const oldest = 89

// generaliseAge writes 90 years or more for any greater age, and for one whose unit is not known.
func generaliseAge(age *Node) {
	spelling, _ := age.Get("value").Num()
	value, err := strconv.ParseFloat(spelling, 64)
	perYear := yearsOf[age.Text("code")]
	if err == nil && perYear > 0 && value < (oldest+1)*perYear {
		return
	}
	*age = *NewQuantity(oldest+1, "a", "a")
	age.SetAfter("value", "comparator", NewString(">="))
}
