package pipetest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// DataFile gives the path of a file of the developer data, or skips the test where it is not at hand. FHIRDEID_DATA names
// the folder; without it, it is looked for beside the repository.
func DataFile(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("FHIRDEID_DATA")
	if folder == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				folder = filepath.Join(dir, "..", "shared", "data")
				break
			}
		}
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the developer data %s", name)
	}
	return path
}

// Record is a line of a corpus of the developer data: a text with its marks, and, in the corpora made for it, strings
// that must stay and slots of what may be PHI.
type Record struct {
	ID, Lang, Split, Text string
	Spans                 []Label // in code points
	Slots                 []struct{ Start, End int }
	Keep                  []string
}

// Label is a mark of a record.
type Label struct {
	Start, End int
	Label      string
}

// Records reads a corpus in JSON Lines, packed or not, or skips the test.
func Records(t testing.TB, name string) []Record {
	t.Helper()
	f, err := os.Open(DataFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var list []Record
	for lines := json.NewDecoder(r); ; {
		var record Record
		switch err := lines.Decode(&record); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, record)
	}
}

// ByteOffsets maps code points to bytes, the end included.
func ByteOffsets(text string) []int {
	at := make([]int, 0, utf8.RuneCountInString(text)+1)
	for i := range text {
		at = append(at, i)
	}
	return append(at, len(text))
}
