package fhir

import (
	"net/url"
	"regexp"
	"strings"
)

// RefKind says which form a reference has.
type RefKind uint8

// The forms. The zero value is a reference that was not understood.
const (
	RefUnknown     RefKind = iota
	RefRelative            // Patient/1, Patient/1/_history/2
	RefAbsolute            // https://host/fhir/Patient/1, with a version or without
	RefURN                 // urn:uuid:…, urn:oid:…
	RefConditional         // Patient?identifier=system|value
	RefContained           // #p1; # alone is the resource around it
	RefType                // Patient alone: the target of a create
)

// Ref is a literal reference taken apart.
type Ref struct {
	Kind    RefKind
	Base    string // RefAbsolute: all before the type, with its slash at the end
	Type    string // resource type, where the form tells
	ID      string // logical id; of a URN what stands behind its last colon; of a contained one what stands behind #
	Version string // behind _history
	Scheme  string // RefURN: uuid or oid
	Query   string // RefConditional: what stands behind the question mark
	Anchor  string // behind # in a relative or absolute reference
}

var (
	idForm  = regexp.MustCompile(`^[A-Za-z0-9.-]{1,64}$`)
	oidForm = regexp.MustCompile(`^[0-2](\.(0|[1-9][0-9]*))+$`)
)

// ValidID says whether s has the form of a FHIR id.
func ValidID(s string) bool { return idForm.MatchString(s) }

var errReference = &Error{Code: IssueValue, Detail: "a reference has no form that FHIR knows"}

// ParseReference takes a literal reference apart, as it stands in Reference.reference, Bundle.entry.fullUrl and
// Bundle.entry.request.url. An id may be longer or hold more than R4 allows, as long as it holds no slash, space or
// question mark. The error is an *Error of IssueValue.
func ParseReference(s string) (Ref, error) {
	if len(s) > 2048 || strings.ContainsAny(s, " \t\r\n\"<>\\") {
		return Ref{}, errReference
	}
	if anchor, ok := strings.CutPrefix(s, "#"); ok {
		return Ref{Kind: RefContained, ID: anchor}, nil
	}
	if rest, ok := cutPrefixFold(s, "urn:"); ok {
		return parseURN(rest)
	}
	body, anchor, _ := strings.Cut(s, "#")
	if path, query, ok := strings.Cut(body, "?"); ok {
		base, typ := splitType(path)
		if !IsResource(typ) || query == "" || anchor != "" || !isBase(base) {
			return Ref{}, errReference
		}
		return Ref{Kind: RefConditional, Base: base, Type: typ, Query: query}, nil
	}
	ref := Ref{Kind: RefRelative, Anchor: anchor}
	if path, version, ok := strings.Cut(body, "/_history/"); ok {
		if version == "" || strings.Contains(version, "/") {
			return Ref{}, errReference
		}
		body, ref.Version = path, version
	}
	path, id, ok := cutLast(body, '/')
	if !ok {
		if IsResource(body) && ref.Version == "" && anchor == "" {
			return Ref{Kind: RefType, Type: body}, nil
		}
		return Ref{}, errReference
	}
	ref.Base, ref.Type = splitType(path)
	ref.ID = id
	if id == "" || !IsResource(ref.Type) || !isBase(ref.Base) {
		return Ref{}, errReference
	}
	if ref.Base != "" {
		ref.Kind = RefAbsolute
	}
	return ref, nil
}

func parseURN(rest string) (Ref, error) {
	scheme, id, _ := strings.Cut(rest, ":")
	switch scheme = strings.ToLower(scheme); {
	case scheme == "uuid" && isUUID(id), scheme == "oid" && oidForm.MatchString(id):
		return Ref{Kind: RefURN, Scheme: scheme, ID: id}, nil
	default:
		return Ref{}, errReference
	}
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// splitType cuts https://host/fhir/Patient into https://host/fhir/ and Patient.
func splitType(path string) (base, typ string) {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i], path[i:]
}

// isBase says whether s is empty or the base of a server.
func isBase(s string) bool {
	if s == "" {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == ""
}

// String puts the reference together again.
func (r Ref) String() string {
	switch r.Kind {
	case RefContained:
		return "#" + r.ID
	case RefURN:
		return "urn:" + r.Scheme + ":" + r.ID
	case RefConditional:
		return r.Base + r.Type + "?" + r.Query
	case RefType:
		return r.Type
	case RefRelative, RefAbsolute:
		s := r.Base + r.Type + "/" + r.ID
		if r.Version != "" {
			s += "/_history/" + r.Version
		}
		if r.Anchor != "" {
			s += "#" + r.Anchor
		}
		return s
	default:
		return ""
	}
}

// Identifier gives system and value of a conditional reference by identifier alone, such as
// Patient?identifier=http://klinik.example/mrn|123.
func (r Ref) Identifier() (system, value string, ok bool) {
	if r.Kind != RefConditional {
		return "", "", false
	}
	q, err := url.ParseQuery(r.Query)
	if err != nil || len(q) != 1 || len(q["identifier"]) != 1 {
		return "", "", false
	}
	system, value, ok = strings.Cut(q["identifier"][0], "|")
	if !ok {
		return "", system, system != ""
	}
	return system, value, value != ""
}

// FullURL gives the fullUrl of an entry whose resource has that pseudonym.
func FullURL(pseudonym string) string { return "urn:uuid:" + UUIDOf(pseudonym) }
