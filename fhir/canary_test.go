package fhir

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// generator fills resources of any type with a marked secret in every string-like element.
type generator struct {
	r       *rand.Rand
	count   int
	valid   bool // bound codes, systems and dates as R4 wants them, so that what is around them stays
	modify  bool // modifier extensions too
	unknown bool // elements that R4 does not know
}

var canary = regexp.MustCompile(`Kanarie[0-9]+`)

func (g *generator) secret() *Node {
	g.count++
	return NewString(fmt.Sprintf("Kanarie%d", g.count))
}

func (g *generator) resource(name string, depth int) *Node {
	n := NewResource(name)
	g.fill(n, FieldsOf(name), depth)
	return n
}

func (g *generator) fill(n *Node, fields *Fields, depth int) {
	chosen := map[string]bool{}
	order := slices.Clone(fields.Elements)
	g.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, el := range order {
		switch {
		case el.Choice != "" && chosen[el.Choice], el.Name == "modifierExtension" && !g.modify:
			continue
		case depth <= 0 && !el.Primitive():
			continue
		}
		chosen[el.Choice] = el.Choice != ""
		value := g.value(fields, el, depth-1)
		if value == nil {
			continue
		}
		if el.List {
			value = NewArray(value)
		}
		n.Set(el.Name, value)
		if el.Primitive() && g.r.IntN(3) == 0 {
			companion := NewObject("id", g.secret(), "extension", NewArray(g.extension(0)))
			if el.List {
				companion = NewArray(companion)
			}
			n.Set("_"+el.Name, companion)
		}
	}
	if g.unknown {
		g.count++
		n.Set(fmt.Sprintf("Kanarie%d", g.count), g.secret())
		n.Set("fhir_comments", NewArray(g.secret()))
	}
}

func (g *generator) value(fields *Fields, el *Element, depth int) *Node {
	switch el.Type {
	case TypeResource:
		if depth <= 0 {
			return nil
		}
		names := ResourceTypes()
		return g.resource(names[g.r.IntN(len(names))], depth-1)
	case TypeExtension:
		return g.extension(depth)
	case TypeBoolean:
		return NewBool(true)
	case TypeInteger, "positiveInt", "unsignedInt":
		return NewInt(7)
	case TypeDecimal:
		return NewNumber("1.50")
	}
	if !el.Primitive() {
		n := NewObject()
		g.fill(n, el.Fields, depth)
		return n
	}
	if g.valid {
		switch {
		case el.Codes.Codes() != nil:
			return NewString(el.Codes.Codes()[0])
		case el.Path == "Coding.system", el.Path == "Quantity.system":
			return NewString("http://loinc.org")
		case el.Type == TypeDate || el.Type == TypeDateTime:
			return NewString("2021-03-04")
		case el.Type == TypeInstant:
			return NewString("2021-03-04T05:06:07.000+01:00")
		case el.Type == TypeTime:
			return NewString("05:06:07")
		}
	}
	return g.secret()
}

func (g *generator) extension(depth int) *Node {
	n := NewObject("url", g.secret())
	if g.r.IntN(2) == 0 {
		urls := []string{
			AbsentReasonURL, "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race",
			"http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "http://hl7.org/fhir/StructureDefinition/patient-birthPlace",
			"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex", "http://hl7.org/fhir/StructureDefinition/geolocation",
		}
		n.Set("url", NewString(urls[g.r.IntN(len(urls))]))
	}
	fields := FieldsOf("Extension")
	var values []*Element
	for _, el := range fields.Elements {
		if el.Choice == "value" && (depth > 0 || el.Primitive()) {
			values = append(values, el)
		}
	}
	if depth > 0 && g.r.IntN(3) == 0 {
		n.Set("extension", NewArray(g.extension(depth-1), NewObject("url", NewString("text"), "valueString", g.secret())))
		return n
	}
	el := values[g.r.IntN(len(values))]
	n.Set(el.Name, g.value(fields, el, depth-1))
	return n
}

// wipe is a visitor that replaces every string that it is given, as the real one would.
func wipe(t *testing.T) func(*Place) error {
	return func(p *Place) error {
		if p.Action == phi.Remove || p.Action == phi.Keep {
			t.Errorf("%s: the visitor was called for %s", p.Element.Path, p.Action)
		}
		if p.Node.Kind() == String {
			p.Node.SetString("x")
			return nil
		}
		for _, m := range p.Node.Members() {
			el := p.Element.Fields.Element(m.Key)
			if el == nil || !el.Primitive() {
				continue
			}
			if m.Value.Kind() == String && el.Type != TypeCode {
				m.Value.SetString("x")
			}
			for _, item := range m.Value.Items() {
				if item.Kind() == String {
					item.SetString("x")
				}
			}
		}
		return nil
	}
}

// TestCanaries fills every type of resource with secrets and takes it through every policy. What the visitor is not given
// must be gone: no element stays because nobody thought of it.
func TestCanaries(t *testing.T) {
	for _, name := range PolicyNames() {
		p := policy(t, name)
		t.Run(name, func(t *testing.T) {
			secrets := 0
			for round := range 4 {
				for i, typ := range ResourceTypes() {
					g := &generator{r: rand.New(rand.NewPCG(uint64(round), uint64(i))), valid: round%2 == 0, unknown: round > 1}
					n := g.resource(typ, 3)
					before := len(canary.FindAll(n.Encode(), -1))
					if before == 0 {
						t.Fatalf("%s holds no secret", typ)
					}
					secrets += before
					w := Walker{Policy: p, Visit: wipe(t), Note: func(p *Place, _ Note) {
						if canary.MatchString(p.Path()) {
							t.Errorf("%s: a secret in a path", typ)
						}
					}}
					err := w.Walk(n)
					if errors.Is(err, &Error{Code: IssueBusinessRule}) {
						continue
					}
					if err != nil {
						t.Errorf("%s: %v", typ, err)
						continue
					}
					if left := canary.Find(n.Encode()); left != nil {
						t.Errorf("%s: %s of %d stays at %s", typ, left, before, where(n, string(left), typ))
					}
				}
			}
			t.Logf("%d secrets, none left", secrets)
		})
	}
}

// where finds the path of a string.
func where(n *Node, s, path string) string {
	if text, ok := n.Str(); ok && strings.Contains(text, s) {
		return path
	}
	for _, m := range n.Members() {
		if strings.Contains(m.Key, s) {
			return path + ".(key)"
		}
		if at := where(m.Value, s, path+"."+m.Key); at != "" {
			return at
		}
	}
	for _, item := range n.Items() {
		if at := where(item, s, path); at != "" {
			return at
		}
	}
	return ""
}

func TestModifierExtensionsAreRefused(t *testing.T) {
	for _, text := range []string{
		`{"resourceType":"Patient","modifierExtension":[{"url":"http://klinik.example/Geheim","valueBoolean":true}]}`,
		`{"resourceType":"Observation","component":[{"modifierExtension":[{"url":"http://klinik.example/not","valueBoolean":true}]}]}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","contained":[{"resourceType":"Patient","modifierExtension":[{"url":"x"}]}]}}]}`,
		`{"resourceType":"Patient","modifierExtension":[{"valueBoolean":true}]}`,
	} {
		w := Walker{Policy: policy(t, "all"), Visit: wipe(t)}
		err := w.Walk(decode(t, text))
		if !errors.Is(err, &Error{Code: IssueExtension}) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "Geheim") {
			t.Error("the error quotes the url")
		}
	}
}
