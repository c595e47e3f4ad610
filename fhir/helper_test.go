package fhir

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a resource with the file of that name; the files are checked with the HAPI validator by hand.
func golden(t *testing.T, name string, n *Node) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".json")
	got := n.EncodeIndent("  ")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from its golden file:\n%s", name, got)
	}
}

// bundles reads the Synthea Bundles of the repository.
func bundles(t testing.TB) [][]byte {
	t.Helper()
	files, err := filepath.Glob("../testdata/fhir/synthea/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("the Synthea Bundles are missing")
	}
	var list [][]byte
	for _, f := range files {
		list = append(list, gunzip(t, f))
	}
	return list
}

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compact takes the white space out of JSON and leaves all else as it was.
func compact(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decode reads JSON that is known to be sound; t may be nil.
func decode(t testing.TB, text string) *Node {
	n, err := Decode([]byte(text), Limits{})
	if err != nil {
		if t == nil {
			panic(err)
		}
		t.Helper()
		t.Fatalf("%v in %s", err, text)
	}
	return n
}

func policy(t testing.TB, name string) *Policy {
	t.Helper()
	p, err := LoadPolicy(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
