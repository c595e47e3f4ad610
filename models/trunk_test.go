package models

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trunked lays a pack beside the shipped one that links its files, with a changed manifest. It skips where the shipped
// pack has no trunk.
func trunked(t *testing.T, change func(models []map[string]any, manifest map[string]any)) string {
	t.Helper()
	shipped, err := filepath.Abs("packs/de")
	if err != nil {
		t.Fatal(err)
	}
	m, err := readManifest(shipped)
	if err != nil {
		t.Skip("needs the pack packs/de")
	}
	if sub, _ := m.model(Subclass); sub.Trunk == "" {
		t.Skip("the taggers of packs/de share nothing")
	}
	dir := t.TempDir()
	for _, f := range append([]string{m.Tokenizer.File}, m.Models[0].File, m.Models[1].File) {
		if err := os.Symlink(filepath.Join(shipped, f), filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(shipped, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), data, 0o600); err != nil {
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

// The subclass model gives the same scores whether it is handed the states of the trunk or has them computed.
func TestBranchOfShippedPack(t *testing.T) {
	p, err := Open(trunked(t, func([]map[string]any, map[string]any) {}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	super, sub := p.sessions[Superclass], p.sessions[Subclass]
	windows, err := p.ensemble.Windows("Frau Annegret Holzapfel aus Staufen, geb. 03.11.1951, stellte sich mit Dyspnoe vor.")
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
