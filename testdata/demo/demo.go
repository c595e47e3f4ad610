// Package demo holds the documents of the demonstration: two invented patients, each with a letter as text, PDF, RTF,
// DOCX and CDA.
package demo

import "embed"

// Files holds a folder a patient: patient.json and the documents.
//
//go:embed de en
var Files embed.FS
