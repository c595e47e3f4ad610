package fhir

import "time"

const (
	actCode       = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
	isoLifecycle  = "http://terminology.hl7.org/CodeSystem/iso-21089-lifecycle"
	participation = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
)

// SourceSystem is the identifier system of the keyed hashes that stand for source resources.
const SourceSystem = Base + "sid/source"

// Activity says what kind of de-identification was done.
type Activity uint8

// The activities. The zero value keeps keys, so that surrogates stay the same from run to run.
const (
	ActivityPseudonymise Activity = iota
	ActivityDeidentify            // removed, redacted or generalised; keys name the resources still
	ActivityAnonymise             // no key is kept
)

var activities = [...][2]Coded{
	ActivityPseudonymise: {{actCode, "PSEUD", "pseudonymize"}, {isoLifecycle, "pseudonymize", "Pseudonymize Record Lifecycle Event"}},
	ActivityDeidentify:   {{actCode, "DEID", "deidentify"}, {isoLifecycle, "deidentify", "De-Identify (Anononymize) Record Lifecycle Event"}},
	ActivityAnonymise:    {{actCode, "ANONY", "anonymize"}, {isoLifecycle, "deidentify", "De-Identify (Anononymize) Record Lifecycle Event"}},
}

// ProvenanceInfo is what a Provenance says about one run.
type ProvenanceInfo struct {
	ID       string
	Targets  []string // references to the resources that came out; at least one
	Recorded time.Time
	Activity Activity
	Device   string   // reference to the Device
	Policies []string // URIs
	Sources  []string // keyed hashes of the source resources, never their ids
}

// NewProvenance builds the Provenance.
func NewProvenance(p ProvenanceInfo) *Node {
	n := NewResource("Provenance")
	if p.ID != "" {
		n.Set("id", NewString(p.ID))
	}
	n.Set("target", newReferences(p.Targets))
	n.Set("recorded", NewInstant(p.Recorded))
	if len(p.Policies) > 0 {
		n.Set("policy", newStrings(p.Policies))
	}
	codes := activities[min(int(p.Activity), len(activities)-1)]
	n.Set("activity", Concept("", codes[0], codes[1]))
	n.Set("agent", NewArray(NewObject(
		"type", Concept("", Coded{participation, "performer", "Performer"}),
		"who", NewReference(p.Device),
	)))
	if len(p.Sources) > 0 {
		entities := NewArray()
		for _, s := range p.Sources {
			entities.Append(NewObject(
				"role", NewString("source"),
				"what", NewObject("identifier", NewIdentifier(SourceSystem, s)),
			))
		}
		n.Set("entity", entities)
	}
	return n
}
