package fhir

import (
	"errors"
	"slices"
	"strconv"
)

// Parameters is the input of an operation. Empty fields were not given.
type Parameters struct {
	Resource          *Node // of resource or inputBundle
	References        []string
	Patients          []string
	Policy            string
	Context           string
	Method            string
	Language          string
	OnUnsupported     string
	IncludeProvenance bool
	IncludeRisk       bool
	OutputFormat      string
	Ignored           int // parameters passed over under lenient handling
}

// ReadParameters reads the body of an operation: Parameters, or, where the operation has a parameter resource, the resource
// itself. What the operation does not know is an error, or is passed over where lenient is set. The errors are *Error: one
// of IssueRequired where there is nothing to do.
func ReadParameters(op Operation, body *Node, lenient bool) (Parameters, error) {
	p := Parameters{IncludeProvenance: true, IncludeRisk: true}
	switch {
	case body.Kind() == Null:
	case body.ResourceType() != "Parameters":
		if err := CheckResource(body); err != nil {
			return p, err
		}
		p.Resource = body
		if err := op.accepts(body, body.ResourceType()); err != nil {
			return p, err
		}
	default:
		if err := p.read(op, body, lenient); err != nil {
			return p, err
		}
	}
	if !op.Instance && p.Resource == nil && len(p.References) == 0 && len(p.Patients) == 0 {
		return p, &Error{Code: IssueRequired, Path: "Parameters.parameter", Detail: "neither a resource nor a reference nor a patient is given"}
	}
	return p, nil
}

// accepts checks the type of a resource given by value to an operation on types.
func (o Operation) accepts(r *Node, path string) error {
	if len(o.Resources) > 0 && o.Type && !slices.Contains(o.Resources, r.ResourceType()) {
		return &Error{Code: IssueInvalid, Path: path, Detail: "the resource is not of the type that the operation is called on"}
	}
	return nil
}

func (p *Parameters) read(op Operation, body *Node, lenient bool) error {
	for _, m := range body.Members() {
		switch m.Key {
		case "resourceType", "id", "meta", "language", "parameter":
		default:
			return &Error{Code: IssueStructure, Path: "Parameters", Detail: "an element is not known here"}
		}
	}
	list := body.Get("parameter")
	if list != nil && list.Kind() != Array {
		return &Error{Code: IssueStructure, Path: "Parameters.parameter", Detail: "an array is expected"}
	}
	given := map[string]int{}
	for i, item := range list.Items() {
		path := "Parameters.parameter[" + strconv.Itoa(i) + "]"
		if item.Kind() != Object {
			return &Error{Code: IssueStructure, Path: path, Detail: "an object is expected"}
		}
		name := item.Text("name")
		at := slices.IndexFunc(op.Parameters, func(o OperationParameter) bool { return !o.Out && o.Name == name })
		if at < 0 {
			if lenient {
				p.Ignored++
				continue
			}
			return &Error{Code: IssueNotSupported, Path: path, Detail: "the operation has no parameter of this name"}
		}
		def := op.Parameters[at]
		if given[name]++; given[name] > 1 && def.Max == "1" {
			return &Error{Code: IssueStructure, Path: path, Detail: "a parameter that may stand once stands twice"}
		}
		value, err := def.value(item, path)
		if err != nil {
			return err
		}
		if err := p.set(op, def, value, path); err != nil {
			return err
		}
	}
	return nil
}

// value gives the one value of a parameter, of the type that the definition asks for.
func (o OperationParameter) value(item *Node, path string) (*Node, error) {
	key := "value" + string(o.Type[0]&^0x20) + o.Type[1:]
	if IsResource(o.Type) || o.Type == string(TypeResource) {
		key = "resource"
	}
	var value *Node
	for _, m := range item.Members() {
		switch {
		case m.Key == "name" || m.Key == "id":
		case m.Key == key || key == "valueCode" && m.Key == "valueString" || key == "valueString" && m.Key == "valueCode" ||
			key == "valueReference" && m.Key == "valueString":
			if value != nil {
				return nil, &Error{Code: IssueStructure, Path: path, Detail: "a parameter has two values"}
			}
			value = m.Value
		default:
			return nil, &Error{Code: IssueStructure, Path: path, Detail: "a parameter has a value of another type than its definition asks for"}
		}
	}
	if value.IsNull() {
		return nil, &Error{Code: IssueRequired, Path: path, Detail: "a parameter has no value"}
	}
	return value, nil
}

func (p *Parameters) set(op Operation, def OperationParameter, value *Node, path string) error {
	wrong := &Error{Code: IssueValue, Path: path, Detail: "the value is not one that the parameter takes"}
	switch def.Type {
	case "boolean":
		b, ok := value.Bool()
		if !ok {
			return wrong
		}
		if def.Name == paramRisk.Name {
			p.IncludeRisk = b
		} else {
			p.IncludeProvenance = b
		}
		return nil
	case "Reference":
		s, ok := value.Str()
		if value.Kind() == Object {
			s, ok = value.Get("reference").Str()
		}
		if _, err := ParseReference(s); err != nil || !ok {
			return wrong
		}
		if def.Name == paramPatient.Name {
			p.Patients = append(p.Patients, s)
		} else {
			p.References = append(p.References, s)
		}
		return nil
	case "string", "code":
		s, ok := value.Str()
		if !ok || s == "" || len(s) > maxCode || def.Codes != nil && !slices.Contains(def.Codes, s) {
			return wrong
		}
		*p.field(def.Name) = s
		return nil
	default:
		if err := CheckResource(value); err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Path = path + ".resource"
			}
			return err
		}
		p.Resource = value
		if def.Type != string(TypeResource) && value.ResourceType() != def.Type {
			return wrong
		}
		return op.accepts(value, path+".resource")
	}
}

func (p *Parameters) field(name string) *string {
	switch name {
	case paramPolicy.Name:
		return &p.Policy
	case paramContext.Name:
		return &p.Context
	case paramMethod.Name:
		return &p.Method
	case paramLanguage.Name:
		return &p.Language
	case paramUnsupported.Name:
		return &p.OnUnsupported
	default:
		return &p.OutputFormat
	}
}

// Node builds Parameters of the input.
func (p Parameters) Node() *Node {
	list := NewArray()
	add := func(name, key string, value *Node) {
		list.Append(NewObject("name", NewString(name), key, value))
	}
	if p.Resource != nil {
		add(paramResource.Name, "resource", p.Resource)
	}
	for _, r := range p.References {
		add(paramReference.Name, "valueReference", NewReference(r))
	}
	for _, r := range p.Patients {
		add(paramPatient.Name, "valueReference", NewReference(r))
	}
	for _, def := range paramSettings {
		switch def.Type {
		case "boolean":
			b := p.IncludeProvenance
			if def.Name == paramRisk.Name {
				b = p.IncludeRisk
			}
			add(def.Name, "valueBoolean", NewBool(b))
		default:
			if s := *p.field(def.Name); s != "" {
				add(def.Name, "value"+string(def.Type[0]&^0x20)+def.Type[1:], NewString(s))
			}
		}
	}
	n := NewResource("Parameters")
	if list.Len() > 0 {
		n.Set("parameter", list)
	}
	return n
}
