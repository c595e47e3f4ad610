package fhir

// AbsentReasonURL is the extension that says why a required element is not there.
const AbsentReasonURL = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"

// AbsentReason makes the extension; reason is a code of http://hl7.org/fhir/ValueSet/data-absent-reason, such as masked.
func AbsentReason(reason string) *Node {
	return NewObject("url", NewString(AbsentReasonURL), "valueCode", NewString(reason))
}

// SetAbsent takes the element out of its object and leaves the reason in its place: a primitive's in its companion, a
// complex element's inside of it.
func SetAbsent(object *Node, el *Element, reason string) {
	stand := NewObject("extension", NewArray(AbsentReason(reason)))
	if el.Primitive() {
		if el.List {
			stand = NewArray(stand)
		}
		object.SetAfter(el.Name, "_"+el.Name, stand)
		object.Delete(el.Name)
		return
	}
	if el.List {
		stand = NewArray(stand)
	}
	object.Set(el.Name, stand)
}

func setMasked(object *Node, el *Element) { SetAbsent(object, el, "masked") }
