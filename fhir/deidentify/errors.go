package deidentify

import "errors"

// The kinds of failure. The edge has one table that gives each its status; an Error wraps exactly one of them.
var (
	ErrInvalid     = errors.New("invalid request")                     // a parameter or element with a wrong value
	ErrStructure   = errors.New("invalid structure")                   // not a FHIR R4 resource
	ErrRequired    = errors.New("required input missing")              // nothing to do
	ErrForbidden   = errors.New("forbidden")                           // policy, method, context or target not allowed
	ErrNotFound    = errors.New("not found")                           // a reference that the other server does not know
	ErrTooLarge    = errors.New("too large")                           // a limit on text, attachments or resources
	ErrUndecodable = errors.New("attachment cannot be decoded")        // broken base64, malformed or encrypted content
	ErrUnsupported = errors.New("attachment type is not supported")    // image, DICOM, archive, scanned page …
	ErrMismatch    = errors.New("attachment hash or size mismatch")    // declared and real content differ
	ErrModifier    = errors.New("unknown modifier extension")          // its meaning could change every other element
	ErrLanguage    = errors.New("language is not supported")           // neither German nor English
	ErrDate        = errors.New("date cannot be shifted")              // no FHIR date
	ErrLeak        = errors.New("known identifier left in the output") // found by verify; there is no output
	ErrDetect      = errors.New("detection failed")                    // a detector or model failed
	ErrUpstream    = errors.New("other server failed")                 // pulling failed
	ErrTimeout     = errors.New("other server did not answer in time") // pulling took too long
	ErrStore       = errors.New("store failed")                        // nothing was stored, so nothing is answered
)

// Error is a failure of one request. No part of it holds a value of the input.
type Error struct {
	Kind        error  // one of the kinds above, or a context's error
	Code        string // FHIR issue type, such as structure or processing
	Expression  string // FHIRPath of the element, empty for the request as a whole
	Diagnostics string // a fixed sentence
}

// Error gives the kind and the place.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Diagnostics != "" {
		s += ": " + e.Diagnostics
	}
	if e.Expression != "" {
		s += " at " + e.Expression
	}
	return s
}

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

// issueCodes gives the FHIR issue type of each kind.
var issueCodes = map[error]string{
	ErrInvalid: "invalid", ErrStructure: "structure", ErrRequired: "required", ErrForbidden: "forbidden",
	ErrNotFound: "not-found", ErrTooLarge: "too-long", ErrUndecodable: "processing", ErrUnsupported: "not-supported",
	ErrMismatch: "value", ErrModifier: "extension", ErrLanguage: "not-supported", ErrDate: "value",
	ErrLeak: "processing", ErrDetect: "exception", ErrUpstream: "transient", ErrTimeout: "timeout", ErrStore: "no-store",
}

// fail makes an Error with the kind's own issue type.
func fail(kind error, expression, diagnostics string) *Error {
	return &Error{Kind: kind, Code: issueCodes[kind], Expression: expression, Diagnostics: diagnostics}
}

// Warning is something that the caller should know though the request succeeded. It holds no value of the input.
type Warning struct {
	Code       string // FHIR issue type
	Expression string // FHIRPath of the element, empty for the request as a whole
	Text       string // a fixed sentence
}
