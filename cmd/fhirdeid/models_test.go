package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packFiles lays copies of the small pack of another maker into a folder, one for each change, and gives the folder with
// a configuration that names them.
func packFiles(t *testing.T, changes map[string]func(pack string) error) string {
	t.Helper()
	dir := t.TempDir()
	for name, change := range changes {
		pack := filepath.Join(dir, "packs", name)
		if err := os.CopyFS(pack, os.DirFS(filepath.Join("..", "..", "models", "testdata", "foreign"))); err != nil {
			t.Fatal(err)
		}
		if change != nil {
			if err := change(pack); err != nil {
				t.Fatal(err)
			}
		}
	}
	config := "models:\n  dirs: [" + filepath.Join(dir, "packs") + "]\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inManifest replaces a part of the manifest.
func inManifest(old, new string) func(pack string) error {
	return func(pack string) error {
		path := filepath.Join(pack, "manifest.json")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Contains(data, []byte(old)) {
			return errors.New("the manifest has changed; the test must too")
		}
		return os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(new), 1), 0o600)
	}
}

// modelsRun runs the command and gives what it prints.
func modelsRun(t *testing.T, dir string, args ...string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, environ: []string{"HOME=" + dir}}
	root := newRoot(a)
	root.SetArgs(append([]string{"models", "--config", filepath.Join(dir, "config.yaml")}, args...))
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// verify names what is wrong with a pack, goes on with the others, and fails.
func TestModelsVerify(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(pack string) error
		says   []string // nothing: the pack is good
	}{
		{"good", nil, nil},
		{"missing file", func(pack string) error { return os.Remove(filepath.Join(pack, "model.onnx")) }, []string{"model.onnx", "missing"}},
		{"wrong hash", func(pack string) error {
			return os.WriteFile(filepath.Join(pack, "tokenizer.json"), []byte("{}"), 0o600)
		}, []string{"tokenizer.json", "sha256", "manifest"}},
		{"wrong class count", inManifest("    \"I-LOC\",\n", ""), []string{"6 classes", "5 labels"}},
		{"unknown label", inManifest(`"B-DRUG"`, `"B-PLANET"`), []string{"B-PLANET", "taxonomy", "label_map"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := packFiles(t, map[string]func(string) error{"mine": c.change, "other": inManifest(`"tiny-bert"`, `"other"`)})
			// One pack by its folder, and all that the configuration names.
			for _, args := range [][]string{{"verify", filepath.Join(dir, "packs", "mine")}, {"verify"}} {
				out, errs, err := modelsRun(t, dir, args...)
				if (err != nil) != (c.says != nil) || strings.Contains(out, "tiny-bert 1: ok") != (c.says == nil) {
					t.Errorf("%q: %v\n%s%s", args, err, out, errs)
				}
				if all := len(args) == 1; strings.Contains(out, "other 1: ok") != all {
					t.Errorf("%q: %s", args, out)
				}
				for _, want := range append([]string{"model pack mine"}, c.says...) {
					if c.says != nil && !strings.Contains(errs, want) {
						t.Errorf("%q: no %q in %s", args, want, errs)
					}
				}
				var coded codedError
				if c.says != nil && (!errors.As(err, &coded) || coded.code != exitError) {
					t.Errorf("%q: %v", args, err)
				}
			}
		})
	}
}

func TestModelsList(t *testing.T) {
	dir := packFiles(t, map[string]func(string) error{
		"a": inManifest(`"schema": 1,`, `"schema": 1, "metrics": {"word_recall": 0.98765, "word_precision": 0.5},`),
		"b": inManifest(`"tiny-bert"`, `"another"`),
	})
	out, _, err := modelsRun(t, dir, "list")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range [][]string{{"tiny-bert", "de,en", "subclass", "dev word recall 0.9877 precision 0.5000"}, {"another", "de,en", "subclass"}} {
		for _, w := range want {
			if i >= len(lines) || !strings.Contains(lines[i], w) {
				t.Errorf("line %d lacks %q:\n%s", i, w, out)
			}
		}
	}
	if out, errs, err := modelsRun(t, packFiles(t, map[string]func(string) error{"a": inManifest(`"schema": 1`, `"schema": 9`)}), "list"); err == nil {
		t.Errorf("listed a pack of schema 9: %s%s", out, errs)
	}
}

// bench measures the rate, long documents and many requests, and writes what it measured.
func TestModelsBench(t *testing.T) {
	dir := packFiles(t, map[string]func(string) error{"a": nil, "b": inManifest(`"tiny-bert"`, `"another"`)})
	path := filepath.Join(dir, "bench.json")
	out, _, err := modelsRun(t, dir, "bench", "--pack", "another", "--sentences", "4", "--lengths", "7,5000", "--requests", "3", "--json", path, "--windows", filepath.Join(dir, "windows.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	var list []measurement
	if err != nil || json.Unmarshal(data, &list) != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	var kinds []string
	for _, m := range list {
		kinds = append(kinds, m.Kind)
		if m.Pack != "another" || (m.Rate == nil) == (m.Load == nil) || m.Load != nil && (m.Load.Documents < 1 || m.Load.Bytes < 2 || m.Load.Bytes > 5000) {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(kinds, " "); got != "documents sentences length length requests" || strings.Count(out, "\n") != 5 || strings.Contains(out, "tiny-bert") {
		t.Errorf("%s\n%s", got, out)
	}
	for _, args := range [][]string{{"--lengths", "0"}, {"--requests", "-1"}, {"--sentences", "0"}, {"--pack", "none"}} {
		if _, _, err := modelsRun(t, dir, append([]string{"bench"}, args...)...); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
