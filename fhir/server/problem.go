package server

import (
	"context"
	"errors"
	"net/http"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// problem is an answer other than success. It never holds a value of the request.
type problem struct {
	status     int
	code       fhir.IssueType
	text       string // a fixed sentence
	expression string
	oauth      string // error code of RFC 6750
}

func (p problem) Error() string { return string(p.code) }

func (p problem) outcome() *fhir.Node {
	issue := fhir.NewObject("severity", fhir.NewString("error"), "code", fhir.NewString(string(p.code)))
	if p.text != "" {
		issue.Set("diagnostics", fhir.NewString(p.text))
	}
	if p.expression != "" {
		issue.Set("expression", fhir.NewArray(fhir.NewString(p.expression)))
	}
	return fhir.NewResource("OperationOutcome", "issue", fhir.NewArray(issue))
}

// The problems that the server itself finds.
var (
	problemNotFound    = problem{status: http.StatusNotFound, code: fhir.IssueNotFound, text: "there is no such resource or operation"}
	problemMethod      = problem{status: http.StatusMethodNotAllowed, code: fhir.IssueNotSupported, text: "the method is not supported here: operations are POST, the rest GET"}
	problemAccept      = problem{status: http.StatusNotAcceptable, code: fhir.IssueNotSupported, text: "only FHIR R4 JSON is answered"}
	problemMedia       = problem{status: http.StatusUnsupportedMediaType, code: fhir.IssueNotSupported, text: "only FHIR R4 JSON is read: application/fhir+json"}
	problemEncoding    = problem{status: http.StatusUnsupportedMediaType, code: fhir.IssueNotSupported, text: "only gzip is read as content encoding"}
	problemTooLarge    = problem{status: http.StatusRequestEntityTooLarge, code: fhir.IssueTooLong, text: "the body is larger than the limit"}
	problemBody        = problem{status: http.StatusBadRequest, code: fhir.IssueInvalid, text: "the body could not be read"}
	problemSlowBody    = problem{status: http.StatusRequestTimeout, code: fhir.IssueTimeout, text: "the body did not arrive in time"}
	problemKey         = problem{status: http.StatusBadRequest, code: fhir.IssueInvalid, text: "an idempotency key holds 1 to 255 characters and comes once"}
	problemKeyReused   = problem{status: http.StatusUnprocessableEntity, code: fhir.IssueConflict, text: "the idempotency key came with another request before"}
	problemEmpty       = problem{status: http.StatusBadRequest, code: fhir.IssueRequired, text: "a resource, a reference or a patient is required"}
	problemBusy        = problem{status: http.StatusTooManyRequests, code: fhir.IssueThrottled, text: "too many requests"}
	problemTimeout     = problem{status: http.StatusServiceUnavailable, code: fhir.IssueTimeout, text: "the request took too long"}
	problemInternal    = problem{status: http.StatusInternalServerError, code: fhir.IssueException, text: "internal error"}
	problemLogin       = problem{status: http.StatusUnauthorized, code: fhir.IssueLogin, text: "a bearer token is required"}
	problemToken       = problem{status: http.StatusUnauthorized, code: fhir.IssueLogin, text: "the token is not accepted", oauth: "invalid_token"}
	problemExpired     = problem{status: http.StatusUnauthorized, code: fhir.IssueExpired, text: "the token has expired", oauth: "invalid_token"}
	problemKeys        = problem{status: http.StatusServiceUnavailable, code: fhir.IssueTransient, text: "the token cannot be checked at present"}
	problemForbidden   = problem{status: http.StatusForbidden, code: fhir.IssueForbidden, text: "not permitted"}
	problemScope       = problem{status: http.StatusForbidden, code: fhir.IssueForbidden, text: "not permitted", oauth: "insufficient_scope"}
	problemNoUpstream  = problem{status: http.StatusBadRequest, code: fhir.IssueNotSupported, text: "no server to pull from is configured"}
	problemUnavailable = problem{status: http.StatusServiceUnavailable, code: fhir.IssueTransient, text: "a part that is needed is down"}
)

// badParameter names a parameter that the server itself knows; the name of an unknown one is not repeated.
func badParameter(name, text string) problem {
	return problem{status: http.StatusBadRequest, code: fhir.IssueInvalid, text: "parameter " + name + ": " + text}
}

// statuses is the one table of the operation's errors.
var statuses = []struct {
	kind   error
	status int
	code   fhir.IssueType
}{
	{deidentify.ErrInvalid, http.StatusBadRequest, fhir.IssueInvalid},
	{deidentify.ErrStructure, http.StatusBadRequest, fhir.IssueStructure},
	{deidentify.ErrRequired, http.StatusBadRequest, fhir.IssueRequired},
	{deidentify.ErrForbidden, http.StatusForbidden, fhir.IssueForbidden},
	{deidentify.ErrNotFound, http.StatusNotFound, fhir.IssueNotFound},
	{deidentify.ErrTooLarge, http.StatusRequestEntityTooLarge, fhir.IssueTooLong},
	{deidentify.ErrUndecodable, http.StatusUnprocessableEntity, fhir.IssueProcessing},
	{deidentify.ErrUnsupported, http.StatusUnprocessableEntity, fhir.IssueNotSupported},
	{deidentify.ErrMismatch, http.StatusUnprocessableEntity, fhir.IssueValue},
	{deidentify.ErrModifier, http.StatusUnprocessableEntity, fhir.IssueExtension},
	{deidentify.ErrLanguage, http.StatusUnprocessableEntity, fhir.IssueNotSupported},
	{deidentify.ErrDate, http.StatusUnprocessableEntity, fhir.IssueValue},
	{deidentify.ErrLeak, http.StatusUnprocessableEntity, fhir.IssueProcessing},
	{deidentify.ErrDetect, http.StatusServiceUnavailable, fhir.IssueException},
	{deidentify.ErrTimeout, http.StatusGatewayTimeout, fhir.IssueTimeout},
	{deidentify.ErrUpstream, http.StatusBadGateway, fhir.IssueTransient},
	{deidentify.ErrStore, http.StatusServiceUnavailable, fhir.IssueNoStore},
}

// toProblem finds the answer to an error. What is in no table is an internal error with a fixed text.
func toProblem(err error) problem {
	var p problem
	if errors.As(err, &p) {
		return p
	}
	switch {
	case errors.Is(err, errNoToken):
		return problemLogin
	case errors.Is(err, errToken):
		return problemToken
	case errors.Is(err, errExpired):
		return problemExpired
	case errors.Is(err, errNoKeys):
		return problemKeys
	case errors.Is(err, errForbidden):
		return problemForbidden
	case errors.Is(err, errBusy):
		return problemBusy
	case errors.Is(err, errTooLarge):
		return problemTooLarge
	case errors.Is(err, errMedia):
		return problemMedia
	case errors.Is(err, errEncoding):
		return problemEncoding
	case errors.Is(err, errBody):
		return problemBody
	case errors.Is(err, errSlow):
		return problemSlowBody
	}
	var f *fhir.Error
	if errors.As(err, &f) {
		return problem{status: decodeStatus(f.Code), code: f.Code, text: f.Detail, expression: f.Path}
	}
	var d *deidentify.Error
	for _, row := range statuses {
		if errors.Is(err, row.kind) {
			p := problem{status: row.status, code: row.code}
			if errors.As(err, &d) {
				p.text, p.expression = d.Diagnostics, d.Expression
				if d.Code != "" {
					p.code = fhir.IssueType(d.Code)
				}
			}
			if p.text == "" {
				p.text = row.kind.Error()
			}
			return p
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return problemTimeout
	}
	return problemInternal
}

func decodeStatus(code fhir.IssueType) int {
	switch code {
	case fhir.IssueTooLong, fhir.IssueTooCostly:
		return http.StatusRequestEntityTooLarge
	case fhir.IssueExtension:
		return http.StatusUnprocessableEntity
	}
	return http.StatusBadRequest
}

// problemCode is what the log says of an error.
func problemCode(err error) string {
	if err == nil {
		return ""
	}
	p := toProblem(err)
	return string(p.code)
}

// safeReason says of an error only what the program itself wrote.
func safeReason(err error) string {
	for _, row := range statuses {
		if errors.Is(err, row.kind) {
			return row.kind.Error()
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return "unavailable"
}
