package server

// SMARTConfiguration is the answer of .well-known/smart-configuration for an issuer.
func SMARTConfiguration(issuer, jwks string, algorithms []string) map[string]any {
	c := map[string]any{
		"issuer":       issuer,
		"capabilities": []string{"permission-v1", "permission-v2", "client-confidential-asymmetric"},
		"scopes_supported": []string{
			"system/DocumentReference.rs", "system/Binary.rs", "system/Patient.rs", "system/DiagnosticReport.rs",
			"system/Observation.rs", "system/Provenance.rs", "system/*.rs",
		},
		"grant_types_supported":                            []string{"client_credentials", "authorization_code"},
		"token_endpoint_auth_signing_alg_values_supported": algorithms,
		"code_challenge_methods_supported":                 []string{"S256"},
	}
	if jwks != "" {
		c["jwks_uri"] = jwks
	}
	return c
}
