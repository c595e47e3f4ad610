package models

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trunked copies the pack testdata/trunk (see testdata/trunk.py) and changes its manifest.
func trunked(t *testing.T, change func(models []map[string]any, manifest map[string]any)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "trunk"))); err != nil {
		t.Fatal(err)
	}
	EditManifest(t, dir, func(manifest map[string]any) {
		var list []map[string]any
		for _, model := range manifest["models"].([]any) {
			list = append(list, model.(map[string]any))
		}
		change(list, manifest)
	})
	return dir
}

// The subclass model gives the same scores whether it is handed the states of the trunk or has them computed; detecting,
// embedding and measuring work with such a pack.
func TestBranchOfPack(t *testing.T) {
	p, err := Open(trunked(t, func([]map[string]any, map[string]any) {}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	super, sub := p.sessions[Superclass], p.sessions[Subclass]
	text := "Frau Anna Meier aus Graz, Herr Schmidt nach Bonn, mit Ibuprofen."
	windows, err := p.ensemble.Windows(text)
	if err != nil || len(windows) != 1 {
		t.Fatal(len(windows), err)
	}
	ctx := context.Background()
	_, states, err := super.TagTrunk(ctx, windows[0])
	if err != nil {
		t.Fatal(err)
	}
	handed, err := sub.TagFrom(ctx, states)
	if err != nil {
		t.Fatal(err)
	}
	if len(handed) != len(windows[0])*len(sub.classes) {
		t.Fatalf("%d scores for %d tokens of %d classes", len(handed), len(windows[0]), len(sub.classes))
	}
	if computed, err := sub.Tag(ctx, windows[0]); err != nil || !slices.Equal(computed, handed) {
		t.Errorf("scores differ (%v)", err)
	}
	if embedded, err := p.Embed(ctx, text, [][2]int{{0, len(text)}}); err != nil || len(embedded) != 1 || len(embedded[0]) != sub.Width() {
		t.Errorf("embedding %v (%v)", embedded, err)
	}
	if found, err := names(t, p); err != nil || len(found) == 0 {
		t.Errorf("found %q (%v)", found, err)
	}
	if _, err := p.Bench(ctx, []string{text}, 1); err != nil {
		t.Error(err)
	}
	p.Close()
	if _, err := sub.Tag(ctx, windows[0]); err == nil {
		t.Error("a closed branch scores")
	}
}

// A pack whose models do not fit together is refused.
func TestFaultyTrunks(t *testing.T) {
	for name, c := range map[string]struct {
		change func(models []map[string]any, manifest map[string]any)
		says   string
	}{
		"no such output": {func(models []map[string]any, _ map[string]any) { models[1]["trunk"] = "root" }, `no output "root"`},
		"not declared":   {func(models []map[string]any, _ map[string]any) { delete(models[1], "trunk") }, `unknown input "trunk"`},
		"nothing to go on from": {func(models []map[string]any, manifest map[string]any) {
			manifest["models"] = []any{models[1]}
		}, "only a subclass model can go on"},
		"the wrong way round": {func(models []map[string]any, _ map[string]any) {
			models[0]["trunk"], models[1]["trunk"] = models[1]["trunk"], ""
		}, "only a subclass model can go on"},
		"ids as well": {func(models []map[string]any, manifest map[string]any) {
			models[1]["file"], models[1]["sha256"], models[1]["labels"] = models[0]["file"], models[0]["sha256"], models[0]["labels"]
			delete(manifest, "encoder")
		}, `no input "trunk"`},
		"an encoder below": {func(models []map[string]any, manifest map[string]any) {
			manifest["encoder"].(map[string]any)["file"] = models[0]["file"]
		}, "the encoder must be the model that goes on"},
	} {
		p, err := Open(trunked(t, c.change), Options{})
		if err == nil {
			p.Close()
			t.Errorf("%s: opened", name)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
