package fhir

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
)

// codeSystemsTable holds the codes of the code systems that R4 defines, a system a line.
//
//go:embed codesystems.tsv.gz
var codeSystemsTable []byte

// codeSystems are the systems under terminology.hl7.org and hl7.org/fhir by their URI.
var codeSystems = sync.OnceValue(func() map[string]*CodeSet {
	zr, err := gzip.NewReader(bytes.NewReader(codeSystemsTable))
	if err != nil {
		panic("fhir: table of code systems: " + err.Error()) //nolint:forbidigo // the table is compiled in
	}
	text, err := io.ReadAll(zr)
	if err != nil {
		panic("fhir: table of code systems: " + err.Error()) //nolint:forbidigo // the table is compiled in
	}
	systems := map[string]*CodeSet{}
	for line := range strings.Lines(string(text)) {
		system, codes, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok {
			systems[system] = newCodeSet(strings.Split(codes, "\t"))
		}
	}
	return systems
})
