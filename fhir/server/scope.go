package server

import "strings"

// Permission is one of the SMART App Launch 2 interactions, in their order.
type Permission byte

// The permissions.
const (
	Create Permission = 'c'
	Read   Permission = 'r'
	Update Permission = 'u'
	Delete Permission = 'd'
	Search Permission = 's'
)

// Scope is one granted SMART scope for a resource type.
type Scope struct {
	Context     string // patient, user or system
	Type        string // resource type, or * for all
	Permissions string // in the order of cruds
}

// Scopes are all that a token grants.
type Scopes []Scope

// ParseScopes reads SMART scopes of version 1 (system/Patient.read, user/*.*) and version 2 (system/Patient.rs). What is
// no resource scope, or is narrowed by a search that we would not apply, grants nothing.
func ParseScopes(list []string) Scopes {
	var out Scopes
	for _, text := range list {
		if s, ok := parseScope(text); ok {
			out = append(out, s)
		}
	}
	return out
}

func parseScope(text string) (Scope, bool) {
	level, rest, ok := strings.Cut(text, "/")
	if !ok || level != "patient" && level != "user" && level != "system" {
		return Scope{}, false
	}
	resource, permissions, ok := strings.Cut(rest, ".")
	if !ok || resource == "" || strings.Contains(permissions, "?") {
		return Scope{}, false
	}
	switch permissions {
	case "read":
		permissions = "rs"
	case "write":
		permissions = "cud"
	case "*":
		permissions = "cruds"
	}
	return Scope{level, resource, permissions}, inOrder(permissions)
}

// inOrder says whether the letters are a non-empty subsequence of cruds: others are no version 2 scope.
func inOrder(permissions string) bool {
	at := 0
	for _, p := range []byte(permissions) {
		n := strings.IndexByte("cruds"[at:], p)
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return permissions != ""
}

// Allow says whether a permission on a type is granted, and whether for one patient's data only.
func (s Scopes) Allow(resourceType string, p Permission) (allowed, patientOnly bool) {
	for _, scope := range s {
		if scope.Type != "*" && scope.Type != resourceType || strings.IndexByte(scope.Permissions, byte(p)) < 0 {
			continue
		}
		if scope.Context != "patient" {
			return true, false
		}
		allowed, patientOnly = true, true
	}
	return allowed, patientOnly
}
