package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommittedListsAreWhatIsCompiled makes the lists anew and compares them with those in the repository.
func TestCommittedListsAreWhatIsCompiled(t *testing.T) {
	repository := filepath.Join("..", "..", "..")
	data := os.Getenv("FHIRDEID_DATA")
	if data == "" {
		data = filepath.Join(repository, "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(data, "gazetteer")); err != nil {
		t.Skip("needs the developer data gazetteer")
	}
	root := t.TempDir()
	for _, dir := range []string{"pipeline/phi/lists/data", "pipeline/gazetteer/data"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(data, root); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"pipeline/phi/lists/data/words.gz", "pipeline/phi/lists/data/surrogates.gz", "pipeline/gazetteer/data/phrases.gz", "pipeline/phi/lists/version.go",
	} {
		made, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not what the tool makes", name)
		}
	}
}

func TestMissingDataIsAnError(t *testing.T) {
	for _, data := range []string{"", t.TempDir()} {
		if run(data, t.TempDir()) == nil {
			t.Errorf("no error for %q", data)
		}
	}
}
