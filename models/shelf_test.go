package models

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
)

// twins lays two packs side by side that hold the same files under two names: the second links the first's files, as the
// shipped packs do, or holds copies. change alters the second's manifest.
func twins(t *testing.T, link bool, change func(manifest map[string]any)) []string {
	t.Helper()
	root := t.TempDir()
	dirs := []string{filepath.Join(root, "a"), filepath.Join(root, "b")}
	for _, dir := range dirs {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "foreign"))); err != nil {
			t.Fatal(err)
		}
	}
	if link {
		for _, name := range []string{"model.onnx", "tokenizer.json"} {
			path := filepath.Join(dirs[1], name)
			if err := errors.Join(os.Remove(path), os.Symlink(filepath.Join("..", "a", name), path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	EditManifest(t, dirs[1], func(manifest map[string]any) {
		manifest["name"] = "twin"
		if change != nil {
			change(manifest)
		}
	})
	return dirs
}

// EditManifest changes the manifest of the pack in dir.
func EditManifest(t *testing.T, dir string, change func(manifest map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	change(manifest)
	if data, err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, p *Pack) ([]string, error) {
	t.Helper()
	d, err := p.Detector(ner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "Frau Meier aus Bonn"
	spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text})
	var found []string
	for _, s := range spans {
		found = append(found, s.Type.String()+":"+text[s.Start:s.End])
	}
	return found, err
}

// Packs that hold the same files load them once; what differs between their manifests keeps them apart.
func TestPacksShareFiles(t *testing.T) {
	for _, c := range []struct {
		name             string
		link             bool
		change           func(m map[string]any)
		tokenizer, model bool // shared
		second           string
	}{
		{"links", true, nil, true, true, "NAME:Meier LOCATION_CITY:Bonn"},
		{"copies", false, nil, true, true, "NAME:Meier LOCATION_CITY:Bonn"},
		{"another way of deciding", true, func(m map[string]any) { m["thresholds"] = map[string]any{"NAME": 1} }, true, true, "LOCATION_CITY:Bonn"},
		{"other labels", true, func(m map[string]any) { m["label_map"].(map[string]any)["PER"] = "NAME_STAFF" }, true, false, "NAME_STAFF:Meier LOCATION_CITY:Bonn"},
		{"other windows", true, func(m map[string]any) { m["window"] = map[string]any{"tokens": 30, "overlap": 8} }, true, false, "NAME:Meier LOCATION_CITY:Bonn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			packs, err := OpenAll(twins(t, c.link, c.change), Options{})
			if err != nil {
				t.Fatal(err)
			}
			a, b := packs[0], packs[1]
			defer a.Close()
			defer b.Close()
			if (a.tokenizer == b.tokenizer) != c.tokenizer || (a.sessions[Subclass] == b.sessions[Subclass]) != c.model {
				t.Errorf("tokenizer shared: %v, model shared: %v", a.tokenizer == b.tokenizer, a.sessions[Subclass] == b.sessions[Subclass])
			}
			if a.encoder == nil || b.encoder == nil {
				t.Error("no encoder")
			}
			// What one pack gives back stays for the other.
			a.Close()
			a.Close()
			if found, err := names(t, b); err != nil || strings.Join(found, " ") != c.second {
				t.Errorf("%q, %v", found, err)
			}
			b.Close()
			if _, err := names(t, b); !errors.Is(err, ErrClosed) {
				t.Errorf("after the last one was closed: %v", err)
			}
			if n := len(a.shelf.held); n != 0 {
				t.Errorf("%d things are still held", n)
			}
		})
	}
}

// Sharing does not make up for a file that is missing or wrong in one of the packs, and the fault is that pack's.
func TestSharedFilesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(path string) error
		want  error
	}{
		{"missing", os.Remove, ErrMissing},
		{"another", func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }, ErrHash},
	} {
		for _, file := range []string{"model.onnx", "tokenizer.json"} {
			t.Run(c.name+" "+file, func(t *testing.T) {
				dirs := twins(t, false, nil)
				if err := c.spoil(filepath.Join(dirs[1], file)); err != nil {
					t.Fatal(err)
				}
				if _, err := OpenAll(dirs, Options{}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), "model pack b: "+file) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// A panic while a pack is opened is that pack's fault; the others are closed again.
func TestOpenAllContainsPanics(t *testing.T) {
	dirs := twins(t, true, nil)
	var good *Pack
	packs, err := openAll(dirs, func(dir string) (*Pack, error) {
		if dir == dirs[1] {
			panic("a library broke down over Frau Meier")
		}
		var err error
		good, err = open(newShelf(), dir, Options{})
		return good, err
	})
	if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "model pack b") || strings.Contains(err.Error(), "Meier") || packs != nil {
		t.Errorf("%v", err)
	}
	if _, err := names(t, good); !errors.Is(err, ErrClosed) {
		t.Errorf("the other pack was left open: %v", err)
	}
}

// A load that panics leaves nothing on the shelf, and the next pack loads by itself.
func TestLoadContainsPanics(t *testing.T) {
	s := newShelf()
	file := File{File: "tokenizer.json"}
	dir := filepath.Join("testdata", "foreign")
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	file.SHA256 = m.Tokenizer.SHA256
	err = contained(func() error {
		_, _, err := take(s, dir, file, "key", func([]byte) (*tokenizer, error) { panic("broken") })
		return err
	})
	if !errors.Is(err, ErrModel) || len(s.held) != 0 {
		t.Errorf("%v, %d held", err, len(s.held))
	}
	value, release, err := take(s, dir, file, "key", newTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := value.Tokenize("Frau Meier"); !errors.Is(err, ErrClosed) {
		t.Errorf("released, and still open: %v", err)
	}
}
