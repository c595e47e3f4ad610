package deidentify

import (
	"context"
	"time"

	"fhirdeid/fhir"
)

// Store keeps what must be kept of a request: never a de-identified resource, never a value of the input.
type Store interface {
	// Commit stores all of the record or nothing. An error fails the request.
	Commit(ctx context.Context, r Record) error
}

// Record is everything that one request leaves behind.
type Record struct {
	Request string // id of the request, a UUID
	Time    time.Time
	Claimed bool   // the id is that of a claim: a record of that id is this one, stored already, and not a conflict
	Client  string // name of the caller as authenticated
	Context string // project
	Policy  PolicyVersion
	Lineage []Lineage
	Results []StoredResource
	Profile []ProfileDocument
	Audit   Event
}

// PolicyVersion is the very policy that was used.
type PolicyVersion struct {
	Name string
	Hash string // SHA-256 of Text, hexadecimal
	Text []byte
}

// Lineage says which output came from which input. The input is only there as a keyed hash.
type Lineage struct {
	Source  string // keyed hash of the input's identity
	Subject string // keyed hash of the patient; what erase looks for
	Target  string // the output, such as DocumentReference/3f…
}

// StoredResource is a Provenance, Device or Observation with what it can be searched by.
type StoredResource struct {
	Type, ID string
	Hash     string   // keyed hash of the patient, as in Lineage; empty where there is none
	Subject  string   // pseudonymous reference, such as Patient/ab…
	Focus    []string // pseudonymous references (Observation.focus)
	Target   []string // pseudonymous references (Provenance.target)
	JSON     []byte
}

// ProfileDocument is what one document adds to the site's own reference corpus of contexts.
type ProfileDocument struct {
	Document string // pseudonymous reference of the document
	Subject  string // keyed hash of the patient
	Method   string // name and version of the similarity that made the vectors
	Vectors  []byte // risk.AppendVectors; keyed features of the de-identified text, no words
}

// Event is one entry of the audit trail, without any value of the input.
type Event struct {
	Request string
	Time    time.Time
	Client  string
	Action  string // deidentify, read, search, erase, refuse …
	Outcome string // success, or the FHIR issue type of the failure
	Context string
	Policy  string   // name and hash
	Subject []string // keyed hashes of the patients
	Counts  map[string]int
}

// Auditor keeps the trail of requests that failed; those that succeed are part of their Record.
type Auditor interface {
	Audit(ctx context.Context, e Event) error
}

// Puller reads from another FHIR server. Its errors wrap ErrForbidden, ErrNotFound, ErrTooLarge,
// ErrTimeout or ErrUpstream.
type Puller interface {
	// Read gives the resource that a literal reference (DocumentReference/1, an absolute URL) points to.
	Read(ctx context.Context, reference string) (Pulled, error)
	// Documents gives the Patient (first), with all its DocumentReferences, DiagnosticReports and their Binaries.
	Documents(ctx context.Context, patient string) ([]Pulled, error)
}

// Pulled is a resource of another server.
type Pulled struct {
	Resource *fhir.Node
	Base     string // base URL of the server, which makes its ids unique
}

// Profiles gives the vectors of the project's own documents, which contexts are compared with.
type Profiles interface {
	// Profile gives the stored documents of a method, newest first, at most limit of them.
	Profile(ctx context.Context, context, method string, limit int) ([]ProfileDocument, error)
}
