package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/ner"
)

func newModels(a *app) *cobra.Command {
	c := &cobra.Command{Use: "models", Short: "List, verify and measure model packs"}
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the model packs present", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.modelsList() },
		},
		&cobra.Command{
			Use: "verify [DIR...]", Short: "Check every file of the packs against its manifest and run each model once",
			RunE: func(_ *cobra.Command, args []string) error { return a.modelsVerify(args) },
		},
		&cobra.Command{
			Use: "bench", Short: "Measure the rate of each pack on sentences of 20 words", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return a.modelsBench(cmd.Context()) },
		},
	)
	return c
}

// packDirs lists the folders of all packs: of the configured folders, and of those beside the binary or in the source
// tree.
func packDirs(cfg config.Config) ([]string, error) {
	roots := cfg.Models.Dirs
	if exe, err := os.Executable(); err == nil {
		for _, dir := range []string{filepath.Join(filepath.Dir(exe), "packs"), filepath.Join(filepath.Dir(exe), "..", "models", "packs")} {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				roots = append(roots, dir)
				break
			}
		}
	}
	return models.Discover(roots...)
}

func (a *app) modelsList() error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	dirs, err := packDirs(cfg)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		m, err := readManifest(dir)
		if err != nil {
			return err
		}
		var roles, languages []string
		for _, model := range m.Models {
			roles = append(roles, model.Role)
		}
		for _, l := range m.Languages {
			languages = append(languages, string(l))
		}
		fmt.Fprintf(a.stdout, "%-16s %-8s languages %-6s models %-24s dev word recall %.4f precision %.4f\n",
			m.Name, m.Version, strings.Join(languages, ","), strings.Join(roles, ","), m.Metrics.WordRecall, m.Metrics.WordPrecision)
	}
	if len(dirs) == 0 {
		fmt.Fprintln(a.stderr, "no model pack is present")
	}
	return nil
}

func readManifest(dir string) (*models.Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, models.ManifestFile))
	if err != nil {
		return nil, err
	}
	return models.ParseManifest(data)
}

func (a *app) modelsVerify(dirs []string) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		if dirs, err = packDirs(cfg); err != nil {
			return err
		}
	}
	failed := false
	for _, dir := range dirs {
		m, err := models.Verify(dir, models.Options{Library: cfg.Models.Library})
		if err != nil {
			failed = true
			fmt.Fprintln(a.stderr, "fhirdeid:", err)
			continue
		}
		fmt.Fprintf(a.stdout, "%s %s: ok\n", m.Name, m.Version)
	}
	if failed {
		return codedError{code: exitError}
	}
	if len(dirs) == 0 {
		return errors.New("there is no model pack to verify")
	}
	return nil
}

// benchSentences is how many sentences of 20 words one measurement reads.
const benchSentences = 400

func (a *app) modelsBench(ctx context.Context) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	dirs, err := packDirs(cfg)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		pack, err := models.Open(dir, models.Options{Library: cfg.Models.Library, Threads: cfg.Models.Threads})
		if err != nil {
			return err
		}
		err = a.benchPack(ctx, pack)
		pack.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// benchText is one sentence of 20 words in each language.
var benchText = map[string]string{
	"de": "Die Patientin wurde gestern mit starken Schmerzen im rechten Knie aufgenommen und erhielt sofort zwei Tabletten Ibuprofen sowie strenge Bettruhe. ",
	"en": "The patient was admitted yesterday with severe pain in the right knee and immediately received two tablets of ibuprofen there. ",
}

func (a *app) benchPack(ctx context.Context, pack *models.Pack) error {
	detector, err := pack.Detector(ner.Options{})
	if err != nil {
		return err
	}
	text := benchText["en"]
	if len(pack.Manifest.Languages) > 0 && benchText[string(pack.Manifest.Languages[0])] != "" {
		text = benchText[string(pack.Manifest.Languages[0])]
	}
	started := time.Now()
	if err := detectOnce(ctx, detector, strings.Repeat(text, benchSentences)); err != nil {
		return err
	}
	rate := benchSentences / time.Since(started).Seconds()
	_, err = fmt.Fprintf(a.stdout, "%s %s: %.0f sentences/s (20 words each)\n", pack.Manifest.Name, pack.Manifest.Version, rate)
	return err
}

// addModels opens the packs that are wanted and adds them as one detector. Without any, the command line warns and the
// server refuses to start, unless models: none was said.
func (a *app) addModels(p *pipelineParts, cfg config.Config, f pipelineFlags) error {
	if cfg.Models.Use == "none" || f.leaves("superclass") && f.leaves("subclass") {
		return nil
	}
	dirs, err := packDirs(cfg)
	if err != nil {
		return err
	}
	var chosen []string
	found := map[string]bool{}
	for _, dir := range dirs {
		m, err := readManifest(dir)
		if err != nil {
			return fmt.Errorf("model pack %s: %w", filepath.Base(dir), err)
		}
		if wanted(cfg.Models.Use, m.Name, filepath.Base(dir)) {
			chosen = append(chosen, dir)
			found[m.Name], found[filepath.Base(dir)] = true, true
		}
	}
	for name := range strings.SplitSeq(cfg.Models.Use, ",") {
		if name = strings.TrimSpace(name); name != "auto" && !found[name] {
			return errors.New("models: a pack that is asked for is not there; see fhirdeid models list")
		}
	}
	if len(chosen) == 0 {
		if f.serving {
			return errors.New("models: there is no model pack; say models.use: none to run with rules and dictionaries alone")
		}
		fmt.Fprintln(a.stderr, "fhirdeid: warning: no model pack is present; rules and dictionaries read alone and miss more")
		return nil
	}
	if p.packs, err = models.OpenAll(chosen, models.Options{Library: cfg.Models.Library, Threads: cfg.Models.Threads}); err != nil {
		return err
	}
	detector, err := models.Detector(modelOptions(cfg, f), p.packs...)
	if err != nil {
		return err
	}
	reader, err := spared(detector, cfg)
	if err != nil {
		return err
	}
	p.Detectors = append(p.Detectors, reader)
	return nil
}

// modelOptions say how the packs decide where the configuration or the flags want it otherwise.
func modelOptions(cfg config.Config, f pipelineFlags) ner.Options {
	var o ner.Options
	if cfg.Models.Lambda >= 0 {
		o.Lambda = &cfg.Models.Lambda
	}
	switch {
	case f.leaves("superclass"):
		o.Only = ner.SubclassOnly
	case f.leaves("subclass"):
		o.Only = ner.SuperclassOnly
	}
	return o
}

func wanted(use string, names ...string) bool {
	for w := range strings.SplitSeq(use, ",") {
		w = strings.TrimSpace(w)
		if w == "auto" {
			return true
		}
		for _, n := range names {
			if w == n {
				return true
			}
		}
	}
	return false
}

func detectOnce(ctx context.Context, d pipeline.Detector, text string) error {
	_, err := d.Detect(ctx, &pipeline.Document{Text: text})
	return err
}
