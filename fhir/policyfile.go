package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"fhirdeid/config/policies"
	"fhirdeid/pipeline/phi"
)

// DefaultPolicy is the name of the policy that holds where none is asked for.
const DefaultPolicy = "all"

// PolicyNames lists the built-in policies.
func PolicyNames() []string {
	names := policies.Names()
	slices.Sort(names)
	return names
}

// LoadPolicy gives a built-in policy; "" is the default one.
func LoadPolicy(name string) (*Policy, error) {
	if name == "" {
		name = DefaultPolicy
	}
	data, ok := policies.Read(name)
	if !ok {
		return nil, &Error{Code: IssueNotFound, Detail: "there is no policy of that name"}
	}
	return ParsePolicy(data)
}

// policyFile is a policy as YAML. Whatever a file leaves out comes from the policy that it extends.
type policyFile struct {
	Name        string                   `yaml:"name"`
	Description string                   `yaml:"description"`
	Version     string                   `yaml:"version"`
	Extends     string                   `yaml:"extends"`
	Elements    elementRules             `yaml:"elements"`
	Text        textRules                `yaml:"text"`
	Codes       map[string][]string      `yaml:"codes"`
	Systems     map[string]string        `yaml:"systems"`
	LocalCodes  string                   `yaml:"localCodes"`
	Units       []string                 `yaml:"units"`
	Extensions  map[string]extensionFile `yaml:"extensions"`
	Origins     []string                 `yaml:"origins"`
}

type elementRules struct {
	Types map[string]string `yaml:"types"`
	Paths map[string]string `yaml:"paths"`
}

type textRules struct {
	// Lambda is the negative-class bias of the models, 0 to 1; none: as the server is set.
	Lambda *float64 `yaml:"lambda"`
	// Models is required or optional: what becomes of a request when a model fails; empty: required.
	Models  string              `yaml:"models"`
	Default *textRule           `yaml:"default"`
	Types   map[string]textRule `yaml:"types"`
}

type textRule struct {
	Detect    *bool    `yaml:"detect"`
	Action    string   `yaml:"action"`
	Threshold *float64 `yaml:"threshold"`
}

type extensionFile struct {
	Inner  []string `yaml:"inner"`
	Codes  []string `yaml:"codes"`
	Action string   `yaml:"action"`
}

// ParsePolicy reads a policy from YAML. Unknown keys, elements, types and actions are errors. The messages name keys of
// the file: a policy holds no patient's data.
func ParsePolicy(data []byte) (*Policy, error) {
	file, err := readPolicyFile(data, nil)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	p, err := file.policy()
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", file.Name, err)
	}
	return p, nil
}

func readPolicyFile(data []byte, seen []string) (*policyFile, error) {
	var f policyFile
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		return nil, err
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document in the file")
	}
	if f.Name == "" {
		return nil, errors.New("name is missing")
	}
	if f.Extends == "" {
		return &f, nil
	}
	if slices.Contains(seen, f.Extends) {
		return nil, errors.New("extends goes round in a circle")
	}
	base, ok := policies.Read(f.Extends)
	if !ok {
		return nil, fmt.Errorf("extends: there is no policy %q", f.Extends)
	}
	b, err := readPolicyFile(base, append(seen, f.Extends))
	if err != nil {
		return nil, err
	}
	return f.over(b), nil
}

// over lays the file over the one that it extends.
func (f *policyFile) over(b *policyFile) *policyFile {
	m := *f
	m.Elements.Types = overlay(b.Elements.Types, f.Elements.Types)
	m.Elements.Paths = overlay(b.Elements.Paths, f.Elements.Paths)
	m.Text.Types = overlay(b.Text.Types, f.Text.Types)
	m.Codes = overlay(b.Codes, f.Codes)
	m.Systems = overlay(b.Systems, f.Systems)
	m.Extensions = overlay(b.Extensions, f.Extensions)
	m.Origins = append(slices.Clone(b.Origins), f.Origins...)
	m.Units = append(slices.Clone(b.Units), f.Units...)
	if m.Text.Default == nil {
		m.Text.Default = b.Text.Default
	}
	if m.Text.Lambda == nil {
		m.Text.Lambda = b.Text.Lambda
	}
	if m.Text.Models == "" {
		m.Text.Models = b.Text.Models
	}
	if m.LocalCodes == "" {
		m.LocalCodes = b.LocalCodes
	}
	if m.Version == "" {
		m.Version = b.Version
	}
	return &m
}

func overlay[V any](base, top map[string]V) map[string]V {
	m := maps.Clone(base)
	if m == nil {
		m = map[string]V{}
	}
	maps.Copy(m, top)
	return m
}

func (f *policyFile) policy() (*Policy, error) {
	p := &Policy{
		Name: f.Name, Description: strings.TrimSpace(f.Description), Version: f.Version,
		types: map[Type]phi.Action{}, paths: map[string]phi.Action{}, codes: map[string]*CodeSet{},
		systems: map[string]*regexp.Regexp{}, extensions: map[string]*extensionRule{}, units: newCodeSet(f.Units),
	}
	for _, read := range []func(*Policy) error{f.readElements, f.readText, f.readCodes, f.readExtensions} {
		if err := read(p); err != nil {
			return nil, err
		}
	}
	p.compile()
	return p, nil
}

func (f *policyFile) readElements(p *Policy) error {
	for name, word := range f.Elements.Types {
		if !schema().isTypeName(name) || IsResource(name) {
			return fmt.Errorf("elements.types: %q is not a datatype of R4", name)
		}
		action, ok := phi.ParseAction(word)
		if !ok {
			return fmt.Errorf("elements.types.%s: %q is not an action", name, word)
		}
		p.types[Type(name)] = action
	}
	for path, word := range f.Elements.Paths {
		if !knownPath(path) {
			return fmt.Errorf("elements.paths: %q is not an element of R4", path)
		}
		action, ok := phi.ParseAction(word)
		if !ok {
			return fmt.Errorf("elements.paths.%s: %q is not an action", path, word)
		}
		p.paths[path] = action
	}
	return nil
}

// knownPath is Lookup, and takes Observation.value[x] for any of the choice.
func knownPath(path string) bool {
	base, choice := strings.CutSuffix(path, "[x]")
	if !choice {
		_, ok := Lookup(path)
		return ok
	}
	cut := strings.LastIndexByte(base, '.')
	if cut < 0 {
		return false
	}
	parent, ok := Lookup(base[:cut])
	fields := FieldsOf(base[:cut])
	if parent != nil {
		fields = parent.Fields
	}
	return ok && fields != nil && slices.ContainsFunc(fields.Elements, func(el *Element) bool { return el.Choice == base[cut+1:] })
}

func (f *policyFile) readText(p *Policy) error {
	switch f.Text.Models {
	case "", "required":
	case "optional":
		p.ModelsOptional = true
	default:
		return errors.New("text.models must be required or optional")
	}
	// What no rule names is found and blacked out.
	fallback, err := textRule{}.rule(TextRule{Detect: true, Action: phi.Redact})
	if f.Text.Default != nil {
		fallback, err = f.Text.Default.rule(fallback)
	}
	if err != nil {
		return fmt.Errorf("text.default: %w", err)
	}
	rules := map[phi.Type]textRule{}
	for label, rule := range f.Text.Types {
		t, ok := phi.ParseType(label)
		if !ok {
			return fmt.Errorf("text.types: %q is not a type", label)
		}
		rules[t] = rule
	}
	p.text = map[phi.Type]TextRule{}
	for _, t := range phi.Types() {
		rule := fallback
		for _, from := range []phi.Type{t.Category().Type(), t} {
			if r, ok := rules[from]; ok {
				if rule, err = r.rule(rule); err != nil {
					return fmt.Errorf("text.types.%s: %w", from, err)
				}
			}
		}
		p.text[t] = rule
	}
	return nil
}

// rule lays the file's rule over another one.
func (r textRule) rule(base TextRule) (TextRule, error) {
	if r.Detect != nil {
		base.Detect = *r.Detect
	}
	if r.Threshold != nil {
		if base.Threshold = *r.Threshold; !(base.Threshold >= 0 && base.Threshold <= 1) {
			return base, errors.New("threshold must lie between 0 and 1")
		}
	}
	if r.Action == "" {
		return base, nil
	}
	action, ok := phi.ParseAction(r.Action)
	if !ok || action == phi.Scan || action == phi.Pseudonymise {
		return base, fmt.Errorf("%q is not an action for text", r.Action)
	}
	base.Action = action
	return base, nil
}

func (f *policyFile) readCodes(p *Policy) error {
	for path, list := range f.Codes {
		el, ok := Lookup(path)
		if !ok || el == nil || el.Type != TypeCode && el.Type != TypeString {
			return fmt.Errorf("codes: %q is not a coded element of R4", path)
		}
		p.codes[el.Path] = newCodeSet(list)
	}
	for system, form := range f.Systems {
		expr, err := regexp.Compile(`^(?:` + form + `)$`)
		if err != nil {
			return fmt.Errorf("systems.%s: %w", system, err)
		}
		p.systems[system] = expr
	}
	for _, origin := range f.Origins {
		expr, err := regexp.Compile(`^(?:` + origin + `)$`)
		if err != nil {
			return fmt.Errorf("origins: %w", err)
		}
		p.origins = append(p.origins, expr)
	}
	if p.Lambda = f.Text.Lambda; p.Lambda != nil && !(*p.Lambda >= 0 && *p.Lambda <= 1) {
		return errors.New("text: lambda must lie between 0 and 1")
	}
	var ok bool
	if p.localCodes, ok = phi.ParseAction(cmpOr(f.LocalCodes, "remove")); !ok ||
		p.localCodes != phi.Keep && p.localCodes != phi.Pseudonymise && p.localCodes != phi.Remove {
		return errors.New("localCodes must be pseudonymise, remove or keep")
	}
	return nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (f *policyFile) readExtensions(p *Policy) error {
	for url, e := range f.Extensions {
		rule := &extensionRule{inner: e.Inner}
		if len(e.Codes) > 0 {
			rule.codes = newCodeSet(e.Codes)
		}
		if e.Action != "" {
			if rule.action, rule.override = phi.ParseAction(e.Action); !rule.override {
				return fmt.Errorf("extensions.%s: %q is not an action", url, e.Action)
			}
		}
		p.extensions[url] = rule
	}
	return nil
}
