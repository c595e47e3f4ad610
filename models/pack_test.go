package models_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
)

const foreign = "testdata/foreign"

func open(t testing.TB, dir string) *models.Pack {
	t.Helper()
	p, err := models.Open(dir, models.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func detector(t testing.TB, p *models.Pack, options ner.Options) *ner.Detector {
	t.Helper()
	d, err := p.Detector(options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// find writes what was found as TYPE:text.
func find(t testing.TB, d pipeline.Detector, text string) []string {
	t.Helper()
	spans, err := d.Detect(context.Background(), &pipeline.Document{Text: text, Language: phi.German})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range spans {
		list = append(list, s.Type.String()+":"+text[s.Start:s.End])
	}
	return list
}

// A classifier of another maker, with labels, special tokens and inputs of its own, works by its manifest alone.
func TestForeignPack(t *testing.T) {
	d := detector(t, open(t, foreign), ner.Options{})
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Frau Meier aus Bonn wurde am Herz operiert.", []string{"NAME:Meier", "LOCATION_CITY:Bonn"}},
		{"Herr Karl Niederhuber nimmt Ibuprofen und Heparin.", []string{"NAME:Karl Niederhuber"}},
		{"Mrs. Jones (Leeds) was seen.", []string{"NAME:Jones", "LOCATION_CITY:Leeds"}},
		{"Der Patient ist gut.", nil},
		{"", nil},
		{" \n\t", nil},
		{"Frau\x00Meier\x00in\x00Graz", []string{"NAME:Meier", "LOCATION_CITY:Graz"}},
		{"[SEP] Meier [CLS]", []string{"NAME:Meier"}},
		{"Müde: Meier – Ärztin: Schmidt", []string{"NAME:Meier", "NAME:Schmidt"}},
	} {
		if got := find(t, d, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%.60q: %.300q, want %q", c.text, got, c.want)
		}
	}
	spans, err := d.Detect(context.Background(), &pipeline.Document{Text: "Frau Meier"})
	if err != nil || len(spans) != 1 || spans[0].Source != "ner.tiny-bert.subclass" {
		t.Errorf("%v, %v", spans, err)
	}
}

// The tokenizer of the foreign pack would cut texts at 64 tokens.
func TestNothingIsTruncated(t *testing.T) {
	d := detector(t, open(t, foreign), ner.Options{})
	text := strings.Repeat("der Patient ist gut. ", 3000) + "Frau Meier in Bonn"
	if got := find(t, d, text); !slices.Equal(got, []string{"NAME:Meier", "LOCATION_CITY:Bonn"}) {
		t.Errorf("at the end of a long text: %d spans", len(got))
	}
}

// The committed files are what the script builds.
func TestForeignPackFromScript(t *testing.T) {
	python := ""
	for _, candidate := range []string{os.Getenv("FHIRDEID_PYTHON"), "../build/venv/bin/python", "python3"} {
		if candidate != "" && exec.Command(candidate, "-c", "import onnx").Run() == nil {
			python = candidate
			break
		}
	}
	if python == "" {
		t.Skip("needs Python with the package onnx: set FHIRDEID_PYTHON")
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, "testdata/foreign.py", dir, "11").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d := detector(t, open(t, dir), ner.Options{})
	if got := find(t, d, "Frau Meier aus Bonn nimmt Heparin"); !slices.Equal(got, []string{"NAME:Meier", "LOCATION_CITY:Bonn"}) {
		t.Errorf("%q", got)
	}
}

// spoil copies the pack and changes it.
func spoil(t *testing.T, change func(dir string, manifest map[string]any)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(foreign)); err != nil {
		t.Fatal(err)
	}
	models.EditManifest(t, dir, func(manifest map[string]any) { change(dir, manifest) })
	return dir
}

func model(manifest map[string]any) map[string]any {
	return manifest["models"].([]any)[0].(map[string]any)
}

// rewrite changes a file and tells the manifest.
func rewrite(t *testing.T, dir string, entry map[string]any, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, entry["file"].(string)), data, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	entry["sha256"] = hex.EncodeToString(sum[:])
}

// A faulty pack is refused with a message that names the fault.
func TestFaultyPacks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(dir string, m map[string]any)
		want   error
		says   string
	}{
		{"no manifest", nil, models.ErrMissing, "manifest.json"},
		{"no model", func(dir string, _ map[string]any) { os.Remove(filepath.Join(dir, "model.onnx")) }, models.ErrMissing, "model.onnx"},
		{"no tokenizer", func(dir string, _ map[string]any) { os.Remove(filepath.Join(dir, "tokenizer.json")) }, models.ErrMissing, "tokenizer.json"},
		{"another model", func(dir string, _ map[string]any) {
			os.WriteFile(filepath.Join(dir, "model.onnx"), []byte("x"), 0o600)
		}, models.ErrHash, "model.onnx"},
		{"another tokenizer", func(dir string, _ map[string]any) {
			os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte("{}"), 0o600)
		}, models.ErrHash, "tokenizer.json"},
		{"model of garbage", func(dir string, m map[string]any) {
			rewrite(t, dir, model(m), []byte("\x00\x01\x02 no model"))
		}, models.ErrModel, "not an ONNX model"},
		{"half a model", func(dir string, m map[string]any) {
			data, _ := os.ReadFile(filepath.Join(dir, "model.onnx"))
			rewrite(t, dir, model(m), data[:len(data)/2])
		}, models.ErrModel, "not an ONNX model"},
		{"tokenizer of garbage", func(dir string, m map[string]any) {
			rewrite(t, dir, m["tokenizer"].(map[string]any), []byte(`{"model":{"type":"Nonsense"}}`))
		}, models.ErrTokenizer, "tokenizer"},
		{"tokenizer with more words than the model", func(dir string, m map[string]any) {
			data, _ := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
			more := strings.Replace(string(data), `"[PAD]": 0,`, `"[PAD]": 0, "zzzz": 70000,`, 1)
			if more == string(data) {
				t.Fatal("nothing replaced")
			}
			rewrite(t, dir, m["tokenizer"].(map[string]any), []byte(more))
		}, models.ErrModel, "window of 60 tokens"},
		{"one label too few", func(_ string, m map[string]any) {
			model(m)["labels"] = []string{"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}
		}, models.ErrModel, "6 classes, the manifest 5 labels"},
		{"unknown label", func(_ string, m map[string]any) {
			model(m)["labels"] = []string{"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-PLANET"}
		}, models.ErrManifest, "B-PLANET"},
		{"a label twice", func(_ string, m map[string]any) {
			model(m)["labels"] = []string{"O", "B-PER", "B-PER", "B-LOC", "I-LOC", "B-DRUG"}
		}, models.ErrManifest, "twice"},
		{"no label for no PHI", func(_ string, m map[string]any) {
			model(m)["labels"] = []string{"AGE", "B-PER", "I-PER", "B-LOC", "I-LOC", "DATE"}
		}, models.ErrManifest, "no PHI"},
		{"map to an unknown type", func(_ string, m map[string]any) {
			m["label_map"].(map[string]any)["PER"] = "PERSON"
		}, models.ErrManifest, "B-PER"},
		{"unknown key", func(_ string, m map[string]any) { m["window_size"] = 5 }, models.ErrManifest, "window_size"},
		{"key in another case", func(_ string, m map[string]any) { m["Lambda"] = 0.5 }, models.ErrManifest, "Lambda"},
		{"another schema", func(_ string, m map[string]any) { m["schema"] = 2 }, models.ErrManifest, "schema 2"},
		{"no languages", func(_ string, m map[string]any) { delete(m, "languages") }, models.ErrManifest, "languages"},
		{"lambda too high", func(_ string, m map[string]any) { m["lambda"] = 1.5 }, models.ErrManifest, "lambda"},
		{"unknown pooling", func(_ string, m map[string]any) { m["word"] = "last" }, models.ErrManifest, "last"},
		{"unknown agreement", func(_ string, m map[string]any) { m["agreement"] = "dice" }, models.ErrManifest, "dice"},
		{"threshold of an unknown type", func(_ string, m map[string]any) {
			m["thresholds"] = map[string]any{"PLANET": 0.5}
		}, models.ErrManifest, "PLANET"},
		{"threshold of a type too high", func(_ string, m map[string]any) {
			m["thresholds"] = map[string]any{"NAME": 1.5}
		}, models.ErrManifest, "threshold of a type"},
		{"lambda of a type", func(_ string, m map[string]any) {
			m["lambdas"] = map[string]any{"NAME_STAFF": 0.5}
		}, models.ErrManifest, "NAME_STAFF"},
		{"lambda of a category too high", func(_ string, m map[string]any) {
			m["lambdas"] = map[string]any{"NAME": 1.5}
		}, models.ErrManifest, "lambda of a category"},
		{"superclass threshold of an unknown category", func(_ string, m map[string]any) {
			m["superclass_thresholds"] = map[string]any{"PLANET": 0.5}
		}, models.ErrManifest, "PLANET"},
		{"file elsewhere", func(_ string, m map[string]any) { model(m)["file"] = "../model.onnx" }, models.ErrManifest, "name of a file in the pack"},
		{"window beyond the positions", func(_ string, m map[string]any) {
			m["window"] = map[string]any{"tokens": 400, "overlap": 32}
		}, models.ErrModel, "400 tokens"},
		{"overlap too large", func(_ string, m map[string]any) {
			m["window"] = map[string]any{"tokens": 40, "overlap": 32}
		}, models.ErrManifest, "overlap"},
		{"three models", func(_ string, m map[string]any) {
			m["models"] = []any{model(m), model(m), model(m)}
		}, models.ErrManifest, "3 models"},
		{"two of one role", func(_ string, m map[string]any) {
			m["models"] = []any{model(m), maps.Clone(model(m))}
		}, models.ErrManifest, "two models of role"},
		{"unknown role", func(_ string, m map[string]any) { model(m)["role"] = "class" }, models.ErrManifest, "role"},
		{"unknown encoder output", func(_ string, m map[string]any) {
			m["encoder"] = map[string]any{"file": "model.onnx", "output": "pooled"}
		}, models.ErrModel, "pooled"},
		{"encoder of another file", func(_ string, m map[string]any) {
			m["encoder"] = map[string]any{"file": "other.onnx", "output": "hidden"}
		}, models.ErrManifest, "encoder"},
		{"no hash", func(_ string, m map[string]any) { delete(model(m), "sha256") }, models.ErrManifest, "sha256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.change != nil {
				dir = spoil(t, c.change)
			}
			p, err := models.Open(dir, models.Options{})
			if err == nil {
				p.Close()
				if c.want == nil {
					return // opens, because nothing shows the fault
				}
				t.Fatal("opened")
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			if _, verr := models.Verify(dir, models.Options{}); verr == nil || verr.Error() != err.Error() {
				t.Errorf("verify says %v", verr)
			}
		})
	}
}

// What the manifest says about deciding is what the pack does.
func TestDecisionOfThePack(t *testing.T) {
	p := open(t, spoil(t, func(_ string, m map[string]any) {
		maps.Copy(m, map[string]any{
			"lambda": 0.5, "threshold": 0.25, "superclass_threshold": 0.75, "word": "mean", "agreement": "table",
			"thresholds": map[string]any{"NAME": 1, "LOCATION_CITY": 0.5},
			"lambdas":    map[string]any{"LOCATION": 0.9}, "superclass_thresholds": map[string]any{"DATE": 0.8}, "quiet": 0.01,
		})
	}))
	want := ner.Decision{
		Lambda: 0.5, Threshold: 0.25, SuperclassThreshold: 0.75, Word: ner.Mean, Agreement: ner.ByTable,
		Types:                map[phi.Type]float64{phi.Name: 1, phi.LocationCity: 0.5},
		Lambdas:              map[phi.Category]float64{phi.CategoryLocation: 0.9},
		SuperclassThresholds: map[phi.Category]float64{phi.CategoryDate: 0.8}, Quiet: 0.01,
	}
	if got := p.Ensemble().Decision; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := find(t, detector(t, p, ner.Options{}), "Frau Meier aus Bonn"); !slices.Equal(got, []string{"LOCATION_CITY:Bonn"}) {
		t.Errorf("%q", got)
	}
}

func TestManifestTwice(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(foreign, models.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := models.ParseManifest(data); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		strings.Replace(string(data), `"schema": 1,`, `"schema": 1, "schema": 1,`, 1),
		string(data) + "{}",
		string(data[:len(data)-4]),
		strings.Repeat("[", 100000),
		`null`, `[]`, `{}`, ``,
	} {
		if _, err := models.ParseManifest([]byte(bad)); !errors.Is(err, models.ErrManifest) {
			t.Errorf("accepted: %.60q (%v)", bad, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	data, err := os.ReadFile(filepath.Join(foreign, models.ManifestFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"label_map":{"X":"O"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := models.ParseManifest(data)
		if (m == nil) == (err == nil) {
			t.Fatal("neither a manifest nor an error")
		}
	})
}

func TestLibraryMissing(t *testing.T) {
	// In a process of its own: this one has a runtime already.
	if os.Getenv("FHIRDEID_TEST_LIBRARY") != "" {
		_, err := models.Open(foreign, models.Options{Library: os.Getenv("FHIRDEID_TEST_LIBRARY")})
		if !errors.Is(err, models.ErrRuntime) || !strings.Contains(err.Error(), "libnone.so") {
			t.Fatalf("%v", err)
		}
		return
	}
	broken := filepath.Join(t.TempDir(), "libnone.so")
	for range 2 { // missing, then no library
		cmd := exec.Command(os.Args[0], "-test.run=^TestLibraryMissing$")
		cmd.Env = append(os.Environ(), "FHIRDEID_TEST_LIBRARY="+broken)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if err := os.WriteFile(broken, []byte("no library"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDiscover(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b", "a", "none"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(foreign)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(root, "a"), filepath.Join(root, "b")}
	got, err := models.Discover(root, filepath.Join(root, "b"))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := models.Discover(filepath.Join(root, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	packs, err := models.OpenAll(got, models.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer packs[0].Close()
	defer packs[1].Close()
	if _, err := models.Detector(ner.Options{}, packs...); err == nil || !strings.Contains(err.Error(), "two packs of one name") {
		t.Errorf("%v", err)
	}
	if _, err := models.OpenAll([]string{got[0], filepath.Join(root, "none")}, models.Options{}); !errors.Is(err, models.ErrMissing) {
		t.Errorf("%v", err)
	}
}

// Many requests share the sessions; every answer is the same as alone.
func TestConcurrentUse(t *testing.T) {
	d := detector(t, open(t, foreign), ner.Options{Pool: ner.NewPool(4, 0)})
	texts := []string{
		"Frau Meier aus Bonn.", strings.Repeat("Herr Schmidt nimmt Heparin in Graz. ", 80), "Der Patient ist gut.",
		strings.Repeat("Mrs Jones lives in Leeds\n", 200),
	}
	want := make([][]string, len(texts))
	for i, text := range texts {
		want[i] = find(t, d, text)
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 8 {
				k := (i + worker) % len(texts)
				if got := find(t, d, texts[k]); !slices.Equal(got, want[k]) {
					t.Errorf("text %d: %d spans, want %d", k, len(got), len(want[k]))
				}
			}
		})
	}
	wg.Wait()
}

func TestClosedPackFails(t *testing.T) {
	p := open(t, foreign)
	d := detector(t, p, ner.Options{})
	p.Close()
	p.Close()
	spans, err := d.Detect(context.Background(), &pipeline.Document{Text: "Frau Meier"})
	if !errors.Is(err, models.ErrClosed) || spans != nil {
		t.Errorf("%v, %v", spans, err)
	}
}

func TestCancel(t *testing.T) {
	d := detector(t, open(t, foreign), ner.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.Detect(ctx, &pipeline.Document{Text: strings.Repeat("Frau Meier ", 5000)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The embedding of a window is the mean over its tokens, whatever else is asked for, and does not depend on chunks.
func TestEmbed(t *testing.T) {
	p := open(t, foreign)
	text := "Frau Meier aus Bonn. " + strings.Repeat("Der Patient ist gut. ", 2000) + "Herr Schmidt in Graz."
	end := len(text)
	windows := [][2]int{{0, 10}, {5, 19}, {end - 21, end}, {4, 5}, {end - 21, end - 9}, {0, end}}
	got, err := p.Embed(context.Background(), text, windows)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range windows {
		alone, err := p.Embed(context.Background(), text, windows[i:i+1])
		if err != nil || !slices.Equal(alone[0], got[i]) {
			t.Errorf("window %v differs when alone (%v)", w, err)
		}
		if (got[i] == nil) != (w == [2]int{4, 5}) {
			t.Errorf("window %v: %v", w, got[i])
		}
	}
	if len(got[0]) != 16 || slices.Equal(got[0], got[1]) {
		t.Errorf("%v", got[0])
	}
	if _, err := p.Embed(context.Background(), text, [][2]int{{3, end + 1}}); err == nil {
		t.Error("a window outside of the text")
	}
}
