// Package policies holds the built-in policies: YAML files that say what becomes of FHIR elements and of PHI in text.
package policies

import (
	"embed"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names lists the policies in the order of their file names.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) //nolint:forbidigo // the files are compiled in
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Read gives the YAML of a policy; ok is false where there is none of that name.
func Read(name string) (data []byte, ok bool) {
	data, err := files.ReadFile(name + ".yaml")
	return data, err == nil
}
