package eval_test

import (
	"os"
	"path/filepath"
	"testing"
)

// dataDir finds the developer data: FHIRDEID_DATA, or shared/data beside the repository. The test is skipped
// without it.
func dataDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("FHIRDEID_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		for _, candidate := range []string{filepath.Join(dir, "shared", "data"), filepath.Join(dir, "..", "shared", "data")} {
			if _, err := os.Stat(filepath.Join(candidate, "letters", "letters.jsonl")); err == nil {
				return candidate
			}
		}
		dir = filepath.Dir(dir)
	}
	t.Skip("needs the developer data: set FHIRDEID_DATA")
	return ""
}
