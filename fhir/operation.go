package fhir

import "slices"

// Operation is one operation of the server, as its OperationDefinition describes it.
type Operation struct {
	ID          string
	Code        string // name in the URL, without its $
	Title       string
	Description string
	Resources   []string // types it belongs to; none for the system alone
	System      bool
	Type        bool
	Instance    bool
	Parameters  []OperationParameter
}

// OperationParameter is one parameter of an operation.
type OperationParameter struct {
	Name          string
	Out           bool
	Min           int
	Max           string // "1" or "*"
	Type          string
	Target        []string // of a Reference: resource types
	Documentation string
	Codes         []string // of a code: the values that it takes
}

var (
	paramResource = OperationParameter{
		Name: "resource", Max: "1", Type: "Resource",
		Documentation: "The resource or Bundle to de-identify. It may stand in the body without Parameters around it.",
	}
	paramReference = OperationParameter{
		Name: "reference", Max: "*", Type: "Reference",
		Documentation: "A resource of the upstream server to fetch and de-identify.",
	}
	paramPatient = OperationParameter{
		Name: "patient", Max: "*", Type: "Reference", Target: []string{"Patient"},
		Documentation: "A patient whose documents are fetched from the upstream server and de-identified.",
	}
	paramPolicy = OperationParameter{
		Name: "policy", Max: "1", Type: "string",
		Documentation: "Name of the policy; the server's own where none is given.",
	}
	paramContext = OperationParameter{
		Name: "context", Max: "1", Type: "string",
		Documentation: "The project. Its name salts the keys: the same patient has other pseudonyms in another project.",
	}
	paramMethod = OperationParameter{
		Name: "method", Max: "1", Type: "code",
		Codes:         []string{"surrogate", "tag", "redact", "mask", "category", "keep-category", "generalise", "remove"},
		Documentation: "What stands in the place of PHI in free text, for every type that the policy replaces.",
	}
	paramLanguage = OperationParameter{
		Name: "language", Max: "1", Type: "code", Codes: []string{"de", "en", "auto"},
		Documentation: "Language of the free text; found out where it is not given.",
	}
	paramUnsupported = OperationParameter{
		Name: "onUnsupported", Max: "1", Type: "code", Codes: []string{"error", "remove"},
		Documentation: "What becomes of an attachment that cannot be read: the request fails, or the attachment is removed with a data-absent-reason.",
	}
	paramProvenance = OperationParameter{
		Name: "includeProvenance", Max: "1", Type: "boolean",
		Documentation: "Whether Provenance and Device are in the answer; true by default.",
	}
	paramRisk = OperationParameter{
		Name: "includeRisk", Max: "1", Type: "boolean",
		Documentation: "Whether the Observations of re-identification risk are in the answer; true by default.",
	}
	paramFormat = OperationParameter{
		Name: "_outputFormat", Max: "1", Type: "string",
		Documentation: "Media type of the answer: application/fhir+json.",
	}
	paramReturn = OperationParameter{
		Name: "return", Out: true, Min: 1, Max: "1", Type: "Bundle",
		Documentation: "A collection of the de-identified resources, Provenance, Device, Observations of risk and an OperationOutcome.",
	}
)

var paramSettings = []OperationParameter{
	paramPolicy, paramContext, paramMethod, paramLanguage, paramUnsupported, paramProvenance, paramRisk, paramFormat,
}

func operationParameters(own ...OperationParameter) []OperationParameter {
	return append(append(own, paramSettings...), paramReturn)
}

// Operations lists the operations of the server.
func Operations() []Operation {
	return []Operation{
		{
			ID: "deidentify", Code: "deidentify", Title: "De-identify", System: true,
			Description: "De-identifies a resource or Bundle given by value, or resources of the upstream server given by reference, with their free text and attachments.",
			Parameters:  operationParameters(paramResource, paramReference, paramPatient),
		},
		{
			ID: "deidentify-document", Code: "deidentify", Title: "De-identify a document", Type: true, Instance: true,
			Resources:   []string{"Binary", "DocumentReference"},
			Description: "De-identifies one document, given by value or, on an instance, fetched from the upstream server.",
			Parameters:  operationParameters(paramResource),
		},
		{
			ID: "deidentify-patient", Code: "deidentify", Title: "De-identify the documents of a patient", Instance: true,
			Resources:   []string{"Patient"},
			Description: "De-identifies all documents of a patient of the upstream server.",
			Parameters:  operationParameters(),
		},
		{
			ID: "deidentify-bundle", Code: "deidentify", Title: "De-identify a Bundle", Type: true,
			Resources:   []string{"Bundle"},
			Description: "De-identifies a Bundle given by value.",
			Parameters: operationParameters(OperationParameter{
				Name: "inputBundle", Min: 1, Max: "1", Type: "Bundle",
				Documentation: "The Bundle to de-identify.",
			}),
		},
		{
			ID: "de-identify", Code: "de-identify", Title: "De-identify, raw resource in, raw resource out", System: true,
			Description: "De-identifies a resource or Bundle given by value and answers with the same type of resource.",
			Parameters: append(append([]OperationParameter{paramResource}, paramSettings...), OperationParameter{
				Name: "return", Out: true, Min: 1, Max: "1", Type: "Resource", Documentation: "The de-identified resource.",
			}),
		},
	}
}

// OperationOf gives the operation of that id.
func OperationOf(id string) (Operation, bool) {
	list := Operations()
	i := slices.IndexFunc(list, func(o Operation) bool { return o.ID == id })
	if i < 0 {
		return Operation{}, false
	}
	return list[i], true
}

// URL gives the canonical URL of the operation's definition on the server of that base.
func (o Operation) URL(base string) string { return base + "/OperationDefinition/" + o.ID }

// OperationDefinitions builds the definitions of all operations for the server of that base, which has no slash at its end.
func OperationDefinitions(base string) []*Node {
	var list []*Node
	for _, o := range Operations() {
		list = append(list, o.Definition(base))
	}
	return list
}

// definitionsVersion grows with every change of a parameter, definitionsDate says when it did.
const (
	definitionsVersion = "1.0.0"
	definitionsDate    = "2026-11-21"
)

// Definition builds the OperationDefinition for the server of that base.
func (o Operation) Definition(base string) *Node {
	n := NewResource("OperationDefinition",
		"id", NewString(o.ID),
		"url", NewString(o.URL(base)),
		"version", NewString(definitionsVersion),
		"name", NewString(computerName(o.ID)),
		"title", NewString(o.Title),
		"status", NewString("active"),
		"kind", NewString("operation"),
		"date", NewString(definitionsDate),
		"publisher", NewString(serverName),
		"description", NewString(o.Description),
		"affectsState", NewBool(true),
		"code", NewString(o.Code),
	)
	if len(o.Resources) > 0 {
		n.Set("resource", newStrings(o.Resources))
	}
	n.Set("system", NewBool(o.System))
	n.Set("type", NewBool(o.Type))
	n.Set("instance", NewBool(o.Instance))
	list := NewArray()
	for _, p := range o.Parameters {
		list.Append(p.node())
	}
	n.Set("parameter", list)
	return n
}

func (p OperationParameter) node() *Node {
	use := "in"
	if p.Out {
		use = "out"
	}
	n := NewObject(
		"name", NewString(p.Name),
		"use", NewString(use),
		"min", NewInt(p.Min),
		"max", NewString(p.Max),
		"documentation", NewString(p.Documentation),
		"type", NewString(p.Type),
	)
	if len(p.Target) > 0 {
		profiles := NewArray()
		for _, t := range p.Target {
			profiles.Append(NewString("http://hl7.org/fhir/StructureDefinition/" + t))
		}
		n.Set("targetProfile", profiles)
	}
	return n
}

// computerName makes DeidentifyBundle of deidentify-bundle.
func computerName(id string) string {
	b := []byte{}
	up := true
	for i := range len(id) {
		c := id[i]
		if c == '-' {
			up = true
			continue
		}
		if up && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		b = append(b, c)
	}
	return string(b)
}
