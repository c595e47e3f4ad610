package fhir

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Type is a datatype of FHIR R4, such as string, dateTime or HumanName.
type Type string

// The datatypes that code outside the table names.
const (
	TypeString          Type = "string"
	TypeMarkdown        Type = "markdown"
	TypeXHTML           Type = "xhtml"
	TypeCode            Type = "code"
	TypeID              Type = "id"
	TypeURI             Type = "uri"
	TypeURL             Type = "url"
	TypeCanonical       Type = "canonical"
	TypeOID             Type = "oid"
	TypeUUID            Type = "uuid"
	TypeDate            Type = "date"
	TypeDateTime        Type = "dateTime"
	TypeInstant         Type = "instant"
	TypeTime            Type = "time"
	TypeBase64          Type = "base64Binary"
	TypeBoolean         Type = "boolean"
	TypeInteger         Type = "integer"
	TypeDecimal         Type = "decimal"
	TypeHumanName       Type = "HumanName"
	TypeAddress         Type = "Address"
	TypeContactPoint    Type = "ContactPoint"
	TypeIdentifier      Type = "Identifier"
	TypeReference       Type = "Reference"
	TypeAttachment      Type = "Attachment"
	TypeNarrative       Type = "Narrative"
	TypeCoding          Type = "Coding"
	TypeCodeableConcept Type = "CodeableConcept"
	TypeQuantity        Type = "Quantity"
	TypeAge             Type = "Age"
	TypePeriod          Type = "Period"
	TypeExtension       Type = "Extension"
	TypeSignature       Type = "Signature"
	TypeBackbone        Type = "BackboneElement"
	TypeResource        Type = "Resource"
)

// Element is what R4 says about one JSON member of an object.
type Element struct {
	Name     string // JSON key, such as birthDate or valueString
	Path     string // where it is defined: Patient.contact.name, HumanName.family
	Type     Type
	List     bool
	Required bool     // at least one must stand
	Choice   string   // value for valueString, else ""
	Codes    *CodeSet // the codes of a required binding, else nil
	Fields   *Fields  // of a complex type; nil for primitives and whole resources
}

// Primitive says whether the value is a JSON string, number or boolean that may have a companion such as _birthDate.
func (e *Element) Primitive() bool { return e.Type[0] >= 'a' && e.Type[0] <= 'z' }

// Fields are the elements of a resource type, a backbone element or a datatype, in R4's order.
type Fields struct {
	Name     string // Patient, Patient.contact, HumanName
	Elements []*Element
	byName   map[string]*Element
	folded   map[string]*Element
}

// Element gives the element of that JSON key, or nil.
func (f *Fields) Element(key string) *Element {
	if f == nil {
		return nil
	}
	return f.byName[key]
}

// misspelt says whether the key is an element's but for upper and lower case.
func (f *Fields) misspelt(key string) bool {
	return len(key) < 100 && f.folded[strings.ToLower(key)] != nil
}

// ResourceTypes lists the resource types of R4 in alphabetical order.
func ResourceTypes() []string { return slices.Clone(schema().names) }

// IsResource says whether R4 has a resource type of that name.
func IsResource(name string) bool { return schema().types[name] != nil && schema().resources[name] }

// FieldsOf gives the elements of a resource type or datatype, or nil.
func FieldsOf(typeName string) *Fields { return schema().types[typeName] }

// Lookup follows a path such as Patient.contact.name.family, Observation.valueQuantity or HumanName.given through the
// table. Indexes are not allowed. A path that names a type alone gives nil and true.
func Lookup(path string) (*Element, bool) {
	first, rest, more := strings.Cut(path, ".")
	fields := FieldsOf(first)
	if fields == nil {
		return nil, false
	}
	var el *Element
	for more {
		first, rest, more = strings.Cut(rest, ".")
		if el = fields.Element(first); el == nil {
			return nil, false
		}
		fields = el.Fields
	}
	return el, true
}

// isElementName says whether any type of R4 has such a member, with or without the underscore of a companion.
func isElementName(key string) bool {
	_, ok := schema().keys[strings.TrimPrefix(key, "_")]
	return ok
}

type table struct {
	types     map[string]*Fields
	resources map[string]bool
	names     []string
	keys      map[string]struct{}
}

var schema = sync.OnceValue(newTable)

// primitivesTable is what the models leave open; its head says more.
//
//go:embed primitives.tsv
var primitivesTable string

// newTable derives the table from the Go models.
func newTable() *table {
	b := builder{
		t:      &table{types: map[string]*Fields{}, resources: map[string]bool{}, keys: map[string]struct{}{"resourceType": {}}},
		byType: map[reflect.Type]*Fields{},
		hints:  readHints(primitivesTable),
		sets:   map[string]*CodeSet{},
	}
	models := resourceModels()
	for _, m := range models {
		b.t.resources[m.Name()] = true
		b.t.names = append(b.t.names, m.Name())
		b.fields(m, m.Name())
	}
	slices.Sort(b.t.names)
	for len(b.queue) > 0 {
		next := b.queue[0]
		b.queue = b.queue[1:]
		next()
	}
	for _, f := range b.t.types {
		for _, el := range f.Elements {
			b.t.keys[el.Name] = struct{}{}
		}
	}
	return b.t
}

// builder walks the models breadth first, so that a type used at several depths is named after its first place.
type builder struct {
	t      *table
	byType map[reflect.Type]*Fields
	hints  hints
	sets   map[string]*CodeSet
	queue  []func()
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

func (b *builder) fields(model reflect.Type, name string) *Fields {
	if f := b.byType[model]; f != nil {
		return f
	}
	f := &Fields{Name: name}
	b.byType[model] = f
	b.t.types[name] = f
	b.queue = append(b.queue, func() { b.fill(f, model) })
	return f
}

func (b *builder) fill(f *Fields, model reflect.Type) {
	for i := range model.NumField() {
		f.Elements = append(f.Elements, b.element(f, model.Field(i)))
		// The models know no contained resources; they stand behind the narrative.
		if name := f.Elements[len(f.Elements)-1].Name; name == "text" && b.t.resources[f.Name] {
			f.Elements = append(f.Elements, &Element{Name: "contained", Path: f.Name + ".contained", Type: TypeResource, List: true})
		}
	}
	f.byName = make(map[string]*Element, len(f.Elements))
	f.folded = make(map[string]*Element, len(f.Elements))
	for _, el := range f.Elements {
		f.byName[el.Name] = el
		f.folded[strings.ToLower(el.Name)] = el
	}
}

func (b *builder) element(f *Fields, field reflect.StructField) *Element {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	el := &Element{Name: name, Path: f.Name + "." + name, Required: !strings.Contains(options, "omitempty")}
	t := field.Type
	if t == rawMessage {
		el.Type = TypeResource
		return el
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		el.List = el.List || t.Kind() == reflect.Slice
		t = t.Elem()
	}
	var suffix string
	el.Choice, suffix = b.hints.choice(el.Path)
	switch t.Kind() {
	case reflect.Struct:
		el.Type, el.Fields = b.complex(f, t, name)
	case reflect.Bool:
		el.Type = TypeBoolean
	case reflect.String:
		el.Type, el.Codes = b.text(el, t, suffix)
	default: // an integer, or an enumeration based on one
		el.Type, el.Codes = b.integer(t)
	}
	return el
}

// complex names a struct: part of the type that it is used in, or a datatype of its own.
func (b *builder) complex(f *Fields, t reflect.Type, name string) (Type, *Fields) {
	root, _, _ := strings.Cut(f.Name, ".")
	if strings.HasPrefix(t.Name(), root) && len(t.Name()) > len(root) {
		return TypeBackbone, b.fields(t, f.Name+"."+name)
	}
	return Type(t.Name()), b.fields(t, t.Name())
}

func (b *builder) text(el *Element, t reflect.Type, suffix string) (Type, *CodeSet) {
	if t == reflect.TypeFor[json.Number]() {
		return TypeDecimal, nil
	}
	if suffix != "" {
		return Type(strings.ToLower(suffix[:1]) + suffix[1:]), nil
	}
	if hint, ok := b.hints.types[el.Path]; ok {
		return hint.typ, b.set(hint.codes)
	}
	if el.Name == "id" {
		return TypeID, nil
	}
	return TypeString, nil
}

func (b *builder) integer(t reflect.Type) (Type, *CodeSet) {
	if _, ok := reflect.Zero(t).Interface().(interface{ Code() string }); !ok {
		return TypeInteger, nil
	}
	if b.sets[t.Name()] == nil {
		var codes []string
		v := reflect.New(t).Elem()
		for i := int64(0); ; i++ {
			v.SetInt(i)
			code := v.Interface().(interface{ Code() string }).Code()
			if code == "<unknown>" {
				break
			}
			codes = append(codes, code)
		}
		b.sets[t.Name()] = newCodeSet(codes)
	}
	return TypeCode, b.sets[t.Name()]
}

func (b *builder) set(codes string) *CodeSet {
	if codes == "" {
		return nil
	}
	if b.sets[codes] == nil {
		if check, ok := patternSets[codes]; ok {
			b.sets[codes] = check
		} else if codes == "@type" {
			b.sets[codes] = &CodeSet{check: b.t.isTypeName}
		} else {
			b.sets[codes] = newCodeSet(strings.Split(codes, "|"))
		}
	}
	return b.sets[codes]
}

// isTypeName says whether s is a resource type, a datatype, an abstract type or a primitive type of R4.
func (t *table) isTypeName(s string) bool {
	return t.types[s] != nil && !strings.Contains(s, ".") || slices.Contains(furtherTypes, s)
}

// furtherTypes have no model.
var furtherTypes = []string{
	"Any", "Type", "Resource", "DomainResource", "Element", "BackboneElement", "base64Binary", "boolean", "canonical", "code", "date", "dateTime", "decimal", "id", "instant", "integer", "markdown",
	"oid", "positiveInt", "string", "time", "unsignedInt", "uri", "url", "uuid", "xhtml",
}

// hints is primitivesTable read.
type hints struct {
	types   map[string]hint
	choices map[string]bool
}

type hint struct {
	typ   Type
	codes string // of code: its values, parted by |, or the name of a pattern that starts with @
}

func readHints(text string) hints {
	h := hints{map[string]hint{}, map[string]bool{}}
	for line := range strings.Lines(text) {
		kind, paths, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(kind, "#") {
			continue
		}
		typ, codes, _ := strings.Cut(kind, " ")
		for path := range strings.FieldsSeq(paths) {
			if typ == "choice" {
				h.choices[path] = true
			} else {
				h.types[path] = hint{Type(typ), codes}
			}
		}
	}
	return h
}

// noChoices are elements that look like one of a choice and stand beside it.
var noChoices = []string{"amountText", "studyEffectiveDescription", "participantEffectiveDescription"}

// choice cuts Observation.valueString into value and String where R4 has Observation.value[x].
func (h hints) choice(path string) (base, suffix string) {
	start := strings.LastIndexByte(path, '.') + 1
	for i := len(path) - 1; i > start; i-- {
		if unicode.IsUpper(rune(path[i])) && h.choices[path[:i]] && !slices.Contains(noChoices, path[start:]) {
			return path[start:i], path[i:]
		}
	}
	return "", ""
}
