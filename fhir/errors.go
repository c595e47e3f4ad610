package fhir

// IssueType is a code of http://hl7.org/fhir/issue-type.
type IssueType string

// The issue types in use.
const (
	IssueInvalid      IssueType = "invalid"
	IssueStructure    IssueType = "structure"
	IssueRequired     IssueType = "required"
	IssueValue        IssueType = "value"
	IssueInvariant    IssueType = "invariant"
	IssueLogin        IssueType = "login"
	IssueExpired      IssueType = "expired"
	IssueForbidden    IssueType = "forbidden"
	IssueSuppressed   IssueType = "suppressed"
	IssueProcessing   IssueType = "processing"
	IssueNotSupported IssueType = "not-supported"
	IssueDuplicate    IssueType = "duplicate"
	IssueNotFound     IssueType = "not-found"
	IssueTooLong      IssueType = "too-long"
	IssueCodeInvalid  IssueType = "code-invalid"
	IssueExtension    IssueType = "extension"
	IssueTooCostly    IssueType = "too-costly"
	IssueBusinessRule IssueType = "business-rule"
	IssueConflict     IssueType = "conflict"
	IssueTransient    IssueType = "transient"
	IssueTimeout      IssueType = "timeout"
	IssueThrottled    IssueType = "throttled"
	IssueNoStore      IssueType = "no-store"
	IssueIncomplete   IssueType = "incomplete"
	IssueException    IssueType = "exception"
	IssueInformation  IssueType = "informational"
)

// Error says what is wrong with an input, where, and never with which value. IssueTooLong and IssueTooCostly are limits,
// IssueExtension is a modifier extension that is not understood, IssueNotSupported a format or version that is not
// read, anything else a fault of the input.
type Error struct {
	Code   IssueType
	Path   string // FHIRPath of the element, built of R4 element names and indexes only; "" where none is known
	Detail string // a fixed sentence
}

// Error gives code, place and sentence.
func (e *Error) Error() string {
	if e.Path == "" {
		return "fhir: " + string(e.Code) + ": " + e.Detail
	}
	return "fhir: " + string(e.Code) + " at " + e.Path + ": " + e.Detail
}

// Is says whether the other error is an Error of the same code, so that errors.Is(err, &Error{Code: IssueTooLong})
// asks for a kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Path == "" || t.Path == e.Path) && (t.Detail == "" || t.Detail == e.Detail)
}
