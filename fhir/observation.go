package fhir

import "time"

// RiskSystem is the code system of the risk Observation and its components.
const RiskSystem = Base + "CodeSystem/risk"

const (
	observationCategory = "http://terminology.hl7.org/CodeSystem/observation-category"
	absentSystem        = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
	interpretation      = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation"
)

// RiskInfo is a risk Observation: the re-identification risk of documents that came out. R4 keeps RiskAssessment for
// prognoses.
type RiskInfo struct {
	ID          string
	Code        Coded // default the risk score of RiskSystem
	Subject     string
	Focus       []string // references to the documents that came out
	DerivedFrom []string // the same, where their type is one that R4 allows here (DocumentReference, Media, Observation …)
	Device      string
	Effective   time.Time
	Method      string // name and version of the method
	Value       Value
	Level       string // low, medium or high; "" says nothing
	Note        string
	Components  []Component
}

// Component is one measure.
type Component struct {
	Code    string // of RiskSystem
	Display string
	Value   Value
}

// Value is one of: a quantity, an integer, a string, a boolean, a code; or the reason why there is none.
type Value struct {
	Number *float64 // with Unit
	Unit   string   // UCUM; "1" without one, "%" for percent
	Int    *int
	Text   string
	Bool   *bool
	Code   *Coded
	Absent string // code of data-absent-reason, such as not-performed; default unknown
}

// Percent makes a value in percent.
func Percent(f float64) Value { return Value{Number: &f, Unit: "%"} }

// Ratio makes a value without unit.
func Ratio(f float64) Value { return Value{Number: &f, Unit: "1"} }

// Count makes an integer value.
func Count(i int) Value { return Value{Int: &i} }

// Flag makes a boolean value.
func Flag(b bool) Value { return Value{Bool: &b} }

// Absent makes a value that is not there.
func Absent(reason string) Value { return Value{Absent: reason} }

// NewRiskObservation builds the Observation.
func NewRiskObservation(r RiskInfo) *Node {
	n := NewResource("Observation")
	if r.ID != "" {
		n.Set("id", NewString(r.ID))
	}
	if r.Code.Code == "" {
		r.Code = Coded{RiskSystem, "reidentification-risk", "Re-identification risk"}
	}
	n.Set("status", NewString("final"))
	n.Set("category", NewArray(Concept("", Coded{observationCategory, "survey", "Survey"})))
	n.Set("code", Concept(r.Code.Display, r.Code))
	if r.Subject != "" {
		n.Set("subject", NewReference(r.Subject))
	}
	if len(r.Focus) > 0 {
		n.Set("focus", newReferences(r.Focus))
	}
	n.Set("effectiveDateTime", NewInstant(r.Effective))
	n.Set("issued", NewInstant(r.Effective))
	r.Value.put(n)
	if code, ok := levels[r.Level]; ok {
		n.Set("interpretation", NewArray(Concept(r.Level, code)))
	}
	if r.Note != "" {
		n.Set("note", NewArray(NewObject("text", NewString(r.Note))))
	}
	if r.Method != "" {
		n.Set("method", Concept(r.Method))
	}
	if r.Device != "" {
		n.Set("device", NewReference(r.Device))
	}
	if len(r.DerivedFrom) > 0 {
		n.Set("derivedFrom", newReferences(r.DerivedFrom))
	}
	if len(r.Components) > 0 {
		list := NewArray()
		for _, c := range r.Components {
			part := NewObject("code", Concept(c.Display, Coded{RiskSystem, c.Code, c.Display}))
			c.Value.put(part)
			list.Append(part)
		}
		n.Set("component", list)
	}
	return n
}

var levels = map[string]Coded{
	"low":    {interpretation, "L", "Low"},
	"medium": {interpretation, "I", "Intermediate"},
	"high":   {interpretation, "H", "High"},
}

// put sets value[x] or dataAbsentReason.
func (v Value) put(n *Node) {
	switch {
	case v.Number != nil && NewDecimal(*v.Number).Kind() == Number:
		unit := cmpOr(v.Unit, "1")
		q := NewQuantity(*v.Number, unit, unit)
		if unit == "1" {
			q.Delete("unit")
		}
		n.Set("valueQuantity", q)
	case v.Int != nil:
		n.Set("valueInteger", NewInt(*v.Int))
	case v.Bool != nil:
		n.Set("valueBoolean", NewBool(*v.Bool))
	case v.Code != nil:
		n.Set("valueCodeableConcept", Concept("", *v.Code))
	case v.Text != "":
		n.Set("valueString", NewString(v.Text))
	default:
		reason := cmpOr(v.Absent, "unknown")
		n.Set("dataAbsentReason", Concept("", Coded{absentSystem, reason, absentDisplays[reason]}))
	}
}

var absentDisplays = map[string]string{
	"unknown": "Unknown", "not-performed": "Not Performed", "not-applicable": "Not Applicable", "unsupported": "Unsupported",
	"error": "Error", "masked": "Masked", "not-permitted": "Not Permitted", "temp-unknown": "Temporarily Unknown",
}
