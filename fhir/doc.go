// Package fhir reads and writes FHIR R4 as an ordered JSON tree that loses nothing, knows the datatype of every element,
// takes resources through a policy, and builds the resources that an answer needs: OperationOutcome, Provenance, Device,
// Observation, CapabilityStatement, OperationDefinition and Parameters.
//
// The table of elements comes from the Go models of R4 by reflection, and from two lists beside them: the primitive types
// of their strings (primitives.tsv) and the codes of the code systems that R4 defines (codesystems.tsv.gz), both taken from
// the published StructureDefinitions and CodeSystems of FHIR R4 4.0.1 (HL7, CC0).
package fhir
