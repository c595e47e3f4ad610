package fhir

import (
	"strconv"
	"time"
)

// Base starts the canonical URLs of what this software defines: code systems, identifier systems, operations.
const Base = "https://fhirdeid.example/fhir/"

// Coded is a code with its system.
type Coded struct{ System, Code, Display string }

// Node builds the Coding.
func (c Coded) Node() *Node {
	n := NewObject()
	for _, f := range [...]struct{ key, value string }{{"system", c.System}, {"code", c.Code}, {"display", c.Display}} {
		if f.value != "" {
			n.Set(f.key, NewString(f.value))
		}
	}
	return n
}

// Concept builds a CodeableConcept of codings and a text; either may be left out.
func Concept(text string, codings ...Coded) *Node {
	n := NewObject()
	if len(codings) > 0 {
		list := NewArray()
		for _, c := range codings {
			list.Append(c.Node())
		}
		n.Set("coding", list)
	}
	if text != "" {
		n.Set("text", NewString(text))
	}
	return n
}

// NewReference builds a Reference to a literal reference.
func NewReference(reference string) *Node { return NewObject("reference", NewString(reference)) }

// NewIdentifier builds an Identifier.
func NewIdentifier(system, value string) *Node {
	return NewObject("system", NewString(system), "value", NewString(value))
}

// NewInstant prints a time as an instant in UTC with milliseconds.
func NewInstant(t time.Time) *Node {
	return NewString(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// NewInt makes a number of an integer.
func NewInt(i int) *Node { return NewNumber(strconv.Itoa(i)) }

// NewDecimal makes a number with up to four places; what is no finite number becomes null.
func NewDecimal(f float64) *Node {
	s := strconv.FormatFloat(f, 'f', 4, 64)
	for len(s) > 1 && s[len(s)-1] == '0' && s[len(s)-2] != '.' {
		s = s[:len(s)-1]
	}
	if len(s) > 2 && s[len(s)-2:] == ".0" {
		s = s[:len(s)-2]
	}
	return NewNumber(s)
}

// NewQuantity builds a Quantity in UCUM.
func NewQuantity(value float64, unit, code string) *Node {
	return NewObject("value", NewDecimal(value), "unit", NewString(unit), "system", NewString(ucumSystem), "code", NewString(code))
}

func newReferences(list []string) *Node {
	n := NewArray()
	for _, r := range list {
		n.Append(NewReference(r))
	}
	return n
}
