package fhir

const observationValue = "http://terminology.hl7.org/CodeSystem/v3-ObservationValue"

// Label is a security label of meta.security that says how a resource was de-identified.
type Label Coded

// The labels. Pseudonymised holds while any key is kept, Anonymised only when none is.
var (
	Pseudonymised = Label{observationValue, "PSEUDED", "pseudonymized"}
	Anonymised    = Label{observationValue, "ANONYED", "anonymized"}
	Redacted      = Label{observationValue, "REDACTED", "redacted"}
	Masked        = Label{observationValue, "MASKED", "masked"}
)

// AddLabels puts labels into the resource's meta.security, each at most once.
func AddLabels(resource *Node, labels ...Label) {
	if len(labels) == 0 {
		return
	}
	meta := resource.Get("meta")
	if meta.Kind() != Object {
		meta = NewObject()
		before := "resourceType"
		if resource.Get("id") != nil {
			before = "id"
		}
		resource.SetAfter(before, "meta", meta)
	}
	list := meta.Get("security")
	if list.Kind() != Array {
		list = NewArray()
		meta.Set("security", list)
	}
	for _, l := range labels {
		if !hasCoding(list, l.System, l.Code) {
			list.Append(Coded(l).Node())
		}
	}
}

func hasCoding(list *Node, system, code string) bool {
	for _, c := range list.Items() {
		if c.Text("system") == system && c.Text("code") == code {
			return true
		}
	}
	return false
}
