package main

import (
	"fhirdeid/config"
	"fhirdeid/fhir"
)

// releaseDate is the date of the statement; it changes with what the server can do.
const releaseDate = "2026-11-21"

// capability says what the server can do.
func capability(cfg config.Config, base string) *fhir.Node {
	info := fhir.ServerInfo{
		Version: version, Date: releaseDate, URL: base,
		Resources: []fhir.ResourceInfo{
			{Type: "Observation", Interactions: []string{"read", "search-type"}, Search: []fhir.SearchParam{
				{Name: "subject", Type: "reference", Documentation: "pseudonymous Patient"},
				{Name: "focus", Type: "reference", Documentation: "de-identified document"},
			}},
			{Type: "Provenance", Interactions: []string{"read", "search-type"}, Search: []fhir.SearchParam{
				{Name: "target", Type: "reference", Documentation: "de-identified resource"},
			}},
			{Type: "Device", Interactions: []string{"read"}},
			{Type: "OperationDefinition", Interactions: []string{"read", "search-type"}},
		},
	}
	if cfg.NoAuth() {
		info.Security.Description = "No authentication: for trials on the loopback address only."
	} else {
		info.Security.SMART = true
		info.Security.Description = "Bearer tokens with SMART scopes, such as system/DocumentReference.rs; issued by " + cfg.Auth.Issuer + "."
	}
	return fhir.NewCapabilityStatement(info)
}
