package fhir

// Severity is a code of http://hl7.org/fhir/issue-severity.
type Severity string

// The severities.
const (
	SeverityFatal       Severity = "fatal"
	SeverityError       Severity = "error"
	SeverityWarning     Severity = "warning"
	SeverityInformation Severity = "information"
)

// Issue is one issue of an OperationOutcome. It must never hold a value of the input.
type Issue struct {
	Severity    Severity  // default error
	Code        IssueType // default exception
	Diagnostics string
	Expression  []string // FHIRPaths
}

// Outcome builds an OperationOutcome. Without issues it says that all is well.
func Outcome(issues ...Issue) *Node {
	if len(issues) == 0 {
		issues = []Issue{{Severity: SeverityInformation, Code: IssueInformation, Diagnostics: "no issues"}}
	}
	list := NewArray()
	for _, i := range issues {
		issue := NewObject(
			"severity", NewString(cmpOr(string(i.Severity), string(SeverityError))),
			"code", NewString(cmpOr(string(i.Code), string(IssueException))),
		)
		if i.Diagnostics != "" {
			issue.Set("diagnostics", NewString(i.Diagnostics))
		}
		if len(i.Expression) > 0 {
			issue.Set("expression", newStrings(i.Expression))
		}
		list.Append(issue)
	}
	return NewResource("OperationOutcome", "issue", list)
}

func newStrings(list []string) *Node {
	n := NewArray()
	for _, s := range list {
		n.Append(NewString(s))
	}
	return n
}
