package fhir

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

// Policy says what becomes of every element and of every type of PHI in free text. What it does not name is removed.
// It does not change after it was made and may be used by many goroutines at once.
type Policy struct {
	Name        string
	Description string
	Version     string
	Lambda      *float64 // negative-class bias of the models; nil: as the server is set
	// ModelsOptional lets a request go on with rules and dictionaries when a model fails while it is read.
	ModelsOptional bool

	types      map[Type]phi.Action
	paths      map[string]phi.Action
	text       map[phi.Type]TextRule
	codes      map[string]*CodeSet
	systems    map[string]*regexp.Regexp
	localCodes phi.Action
	units      *CodeSet
	extensions map[string]*extensionRule
	origins    []*regexp.Regexp

	parents map[string]bool // paths above those in paths
	plans   map[string]*fieldsPlan
	roots   map[string]*plan
}

// TextRule says what becomes of one type of PHI in free text.
type TextRule struct {
	Detect    bool       // false: spans of the type stay
	Action    phi.Action // Surrogate, Tag, Redact, Mask, ToCategory, Generalise, Shift, Remove or Keep
	Threshold float64    // spans of a lower score do not count; 0 takes all
}

// extensionRule is what the policy says about one extension.
type extensionRule struct {
	inner    []string // urls of the extensions inside
	codes    *CodeSet // what valueCode may hold
	action   phi.Action
	override bool // action goes before the datatype's
}

// Element gives the action for an element: path is a FHIRPath from the resource type on, indexes allowed, such as
// Patient.contact[0].name; t is its datatype. An element that R4 does not know is removed.
func (p *Policy) Element(resourceType, path string, t Type) phi.Action {
	root := p.roots[resourceType]
	if root == nil {
		return phi.Remove
	}
	at := root
	steps := strings.Split(indexes.ReplaceAllString(path, ""), ".")
	if steps[0] == resourceType {
		steps = steps[1:]
	}
	for _, name := range steps {
		if at.sub == nil || at.sub.kids[name] == nil {
			return phi.Remove
		}
		at = at.sub.kids[name]
	}
	if at.el != nil && t != "" && at.el.Type != t {
		return phi.Remove
	}
	return at.action
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// Text gives the rule for a type of PHI in free text: its own, else its category's, else the default.
func (p *Policy) Text(t phi.Type) TextRule { return p.text[t] }

// WithMethod gives the policy with that action for every type in free text that it replaces. Keep, and what is no action
// for text, is an error.
func (p *Policy) WithMethod(method phi.Action) (*Policy, error) {
	switch method {
	case phi.Surrogate, phi.Tag, phi.Redact, phi.Mask, phi.ToCategory, phi.Remove:
	default:
		return nil, &Error{Code: IssueValue, Path: "Parameters.parameter", Detail: "the method is not one of surrogate, tag, redact, mask, category, remove"}
	}
	c := *p
	c.text = maps.Clone(p.text)
	for t, rule := range c.text {
		if rule.Detect && rule.Action != phi.Keep {
			rule.Action = method
			c.text[t] = rule
		}
	}
	return &c, nil
}

// KnownSystem says whether codes of that code system may stay: it is one of the policy's, or R4 defines it.
func (p *Policy) KnownSystem(system string) bool {
	return system != "" && (p.systems[system] != nil || codeSystems()[system] != nil)
}

// KnownCode says whether the code may stay: R4 lists it, or it has the form that the policy gives for the system.
func (p *Policy) KnownCode(system, code string) bool {
	if form := p.systems[system]; form != nil {
		if system == ucumSystem {
			return isUCUM(code)
		}
		return len(code) <= maxCode && form.MatchString(code)
	}
	return codeSystems()[system].Has(code)
}

const maxCode = 256

// KnownURI says whether a uri, url or canonical may stay: it is a known code system or comes from a known origin.
func (p *Policy) KnownURI(uri string) bool {
	if len(uri) > maxCode {
		return false
	}
	if p.KnownSystem(uri) || p.extensions[uri] != nil {
		return true
	}
	return slices.ContainsFunc(p.origins, func(o *regexp.Regexp) bool { return o.MatchString(uri) })
}

// plan is a rule that a path has come down to.
type plan struct {
	el     *Element // nil for a resource
	action phi.Action
	own    bool // the policy names this very path
	codes  *CodeSet
	sub    *fieldsPlan
}

// fieldsPlan are the rules for the members of one object.
type fieldsPlan struct {
	fields *Fields
	kids   map[string]*plan
}

// compile turns the rules into plans, one for each type and one more for each path that has rules of its own.
func (p *Policy) compile() {
	p.parents = map[string]bool{}
	for path := range p.paths {
		for i := range len(path) {
			if path[i] == '.' {
				p.parents[path[:i]] = true
			}
		}
	}
	p.plans = map[string]*fieldsPlan{}
	p.roots = map[string]*plan{}
	for _, name := range schema().names {
		action, own := p.paths[name]
		if !own {
			action = p.types[TypeResource]
		}
		p.roots[name] = &plan{action: action, own: own, sub: p.fieldsPlan(FieldsOf(name), name)}
	}
}

func (p *Policy) fieldsPlan(fields *Fields, path string) *fieldsPlan {
	if !p.parents[path] {
		path = fields.Name
	}
	if plan := p.plans[path]; plan != nil {
		return plan
	}
	fp := &fieldsPlan{fields: fields, kids: make(map[string]*plan, len(fields.Elements))}
	p.plans[path] = fp
	for _, el := range fields.Elements {
		k := &plan{el: el, codes: el.Codes}
		k.action, k.own = p.rule(path, el)
		if k.codes == nil {
			k.codes = p.codes[el.Path]
		}
		if el.Fields != nil {
			k.sub = p.fieldsPlan(el.Fields, path+"."+el.Name)
		}
		fp.kids[el.Name] = k
	}
	return fp
}

// rule finds the narrowest rule: the path walked, the path where the element is defined, each also with [x] for a choice,
// and at last the datatype.
func (p *Policy) rule(parent string, el *Element) (action phi.Action, own bool) {
	for _, path := range [...]string{parent + "." + el.Name, parent + "." + el.Choice + "[x]", el.Path} {
		if action, ok := p.paths[path]; ok {
			return action, true
		}
	}
	if el.Choice != "" {
		base := strings.TrimSuffix(el.Path, el.Name) + el.Choice + "[x]"
		if action, ok := p.paths[base]; ok {
			return action, true
		}
	}
	return p.types[el.Type], false
}

// String names policy and version, for Provenance and logs.
func (p *Policy) String() string { return fmt.Sprintf("%s/%s", p.Name, p.Version) }

// URI identifies the policy in Provenance.policy.
func (p *Policy) URI() string { return PolicyBase + p.Name }

// PolicyBase starts the URI of every policy.
const PolicyBase = "https://fhirdeid.example/policy/"
