package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/models"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/ner"
	"fhirdeid/pipeline/phi"
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
		newModelsBench(a),
	)
	return c
}

// benchFlags steer a measurement.
type benchFlags struct {
	json, windows, pack, corpus, split string

	sentences         int
	workers           int
	lengths, requests []int
}

func newModelsBench(a *app) *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use: "bench", Short: "Measure the rate of each pack on sentences of 20 words",
		Long: `Reads invented sentences of 20 words, as documents of twenty and each by itself, with all that detect does with models alone,
and scores the same windows with the bare models. The time of the processor, all cores together, is given as well.
With --lengths one document of each length is read, with --requests so many letters at once: rate, times and memory.`,
		Example: `  fhirdeid models bench --pack fhirdeid-de --lengths 100,1000,10000,100000,1000000,10000000 --requests 1,2,4,16,64`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.sentences < 1 || f.workers < 0 {
				return usage("--sentences must be 1 at least, --workers 0 at least")
			}
			if few := slices.Concat(f.lengths, f.requests); len(few) > 0 && slices.Min(few) < 1 {
				return usage("--lengths and --requests must be 1 at least")
			}
			return a.modelsBench(cmd.Context(), f)
		},
	}
	c.Flags().StringVar(&f.json, "json", "", "file for the measurements")
	c.Flags().StringVar(&f.windows, "windows", "", "file for the windows of the documents: {pack, ids} a line, to measure other runtimes on")
	c.Flags().StringVar(&f.pack, "pack", "", "only the pack of this name")
	c.Flags().StringVar(&f.corpus, "corpus", "", "read the documents of this corpus that are in the pack's language in place of the invented ones")
	c.Flags().StringVar(&f.split, "split", "", "with --corpus: only this split of it")
	c.Flags().IntSliceVar(&f.lengths, "lengths", nil, "also read one document of each of these lengths in bytes; ten million take minutes")
	c.Flags().IntSliceVar(&f.requests, "requests", nil, "also read letters from so many requests at once")
	c.Flags().IntVar(&f.sentences, "sentences", 400, "sentences to read")
	c.Flags().IntVar(&f.workers, "workers", 0, "windows at a time; 0: one for each core")
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
		fmt.Fprintf(a.stdout, "%-16s %-8s languages %-6s models %-24s", m.Name, m.Version, strings.Join(languages, ","), strings.Join(roles, ","))
		if m.Metrics != nil {
			fmt.Fprintf(a.stdout, " dev word recall %.4f precision %.4f", m.Metrics.WordRecall, m.Metrics.WordPrecision)
		}
		fmt.Fprintln(a.stdout)
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

// measurement is one line of a benchmark.
type measurement struct {
	Pack         string       `json:"pack"`
	Kind         string       `json:"kind"`                              // documents, sentences, length or requests
	Sentences    float64      `json:"sentencesPerSecond,omitempty"`      // of 20 words
	OfTokens     float64      `json:"tokenSentencesPerSecond,omitempty"` // of 20 tokens
	PerProcessor float64      `json:"sentencesPerProcessorSecond,omitempty"`
	OfBare       float64      `json:"ofBare,omitempty"`
	OfBareByCPU  float64      `json:"ofBareByProcessor,omitempty"`
	Rate         *models.Rate `json:"rate,omitempty"`
	Load         *models.Load `json:"load,omitempty"`
	OpenSeconds  float64      `json:"openSeconds"`
}

func (a *app) modelsBench(ctx context.Context, f benchFlags) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	dirs, err := packDirs(cfg)
	if err != nil {
		return err
	}
	if f.workers == 0 {
		f.workers = goruntime.GOMAXPROCS(0)
	}
	var all []measurement
	var windows bytes.Buffer
	for _, dir := range dirs {
		started := time.Now()
		pack, err := models.Open(dir, models.Options{Library: cfg.Models.Library, Threads: cfg.Models.Threads})
		if err != nil {
			return err
		}
		opened := time.Since(started).Seconds()
		if f.pack != "" && f.pack != pack.Manifest.Name {
			pack.Close()
			continue
		}
		list, err := a.benchPack(ctx, pack, f, &windows)
		if err == nil {
			var loads []measurement
			loads, err = a.benchLoads(ctx, pack, f)
			list = append(list, loads...)
		}
		pack.Close()
		if err != nil {
			return err
		}
		for i := range list {
			list[i].OpenSeconds = opened
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return errors.New("there is no such model pack to measure")
	}
	if f.windows != "" {
		if err := os.WriteFile(f.windows, windows.Bytes(), 0o600); err != nil {
			return err
		}
	}
	if f.json != "" {
		data, err := json.MarshalIndent(all, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(f.json, append(data, '\n'), 0o600)
	}
	return nil
}

// benchText holds sentences of 20 words in each language.
var benchText = map[string][]string{
	"de": {
		"Die Patientin wurde gestern mit starken Schmerzen im rechten Knie aufgenommen und erhielt sofort zwei Tabletten Ibuprofen sowie strenge Bettruhe.",
		"Frau Adelheid Tannhuber, geboren am 03.11.1951 und wohnhaft in Staufen, stellte sich auf Anraten von Doktor Brandt bei uns vor.",
	},
	"en": {
		"The patient was admitted yesterday with severe pain in the right knee and immediately received two tablets of ibuprofen there.",
		"Mrs. Eleanor Whitcombe, born 11/03/1951 and living near Staunton, came to see us on the advice of Dr. Brandt today.",
	},
}

// benchSentences gives n sentences in the language, all of them the same few.
func benchSentences(language phi.Language, n int) []string {
	texts := benchText[string(language)]
	if texts == nil {
		texts = benchText["en"]
	}
	list := make([]string, n)
	for i := range list {
		list[i] = texts[i%len(texts)]
	}
	return list
}

// documentSentences make a document as long as a letter.
const documentSentences = 20

// documents are those of the corpus in one of the languages; without a corpus, the sentences make some.
func (f benchFlags) documents(languages []phi.Language, sentences []string) ([]string, error) {
	var list []string
	if f.corpus == "" {
		for part := range slices.Chunk(sentences, documentSentences) {
			list = append(list, strings.Join(part, "\n"))
		}
		return list, nil
	}
	corpus, err := eval.ReadWith(f.corpus, eval.ReadOptions{Split: f.split})
	if err != nil {
		return nil, err
	}
	for _, d := range corpus.Documents {
		if slices.Contains(languages, d.Language) {
			list = append(list, d.Text)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the corpus holds no document in the language of the pack")
	}
	return list, nil
}

func (a *app) benchPack(ctx context.Context, pack *models.Pack, f benchFlags, windows *bytes.Buffer) ([]measurement, error) {
	sentences := benchSentences(pack.Manifest.Languages[0], f.sentences)
	documents, err := f.documents(pack.Manifest.Languages, sentences)
	if err != nil {
		return nil, err
	}
	out := json.NewEncoder(windows)
	for _, document := range documents {
		ids, err := pack.Windows(document)
		if err != nil {
			return nil, err
		}
		for _, w := range ids {
			if err := out.Encode(map[string]any{"pack": pack.Manifest.Name, "ids": w}); err != nil {
				return nil, err
			}
		}
	}
	var list []measurement
	for _, c := range []struct {
		kind  string
		texts []string
	}{{"documents", documents}, {"sentences", sentences}} {
		rate, err := pack.Bench(ctx, c.texts, f.workers)
		if err != nil {
			return nil, err
		}
		m := measurement{
			Pack: pack.Manifest.Name, Kind: c.kind, Sentences: rate.Sentences(), OfTokens: rate.TokenSentences(), OfBare: rate.OfBare(), OfBareByCPU: rate.OfBareProcessor(), Rate: &rate,
			PerProcessor: float64(rate.Words) / 20 / rate.Processor.Seconds(),
		}
		list = append(list, m)
		if _, err := fmt.Fprintf(a.stdout, "%-16s %-8s %-9s %5.0f sentences/s, %5.0f a second of processor, %5.0f of 20 tokens each, %6.0f tokens/s, %.2f of the bare models (%.2f by processor time)\n",
			m.Pack, pack.Manifest.Version, m.Kind, m.Sentences, m.PerProcessor, m.OfTokens, float64(rate.Tokens)/rate.Took.Seconds(), m.OfBare, m.OfBareByCPU); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// letterBytes is the length of the letters that requests bring, and benchBytes about how much is read at least at each
// point.
const (
	letterBytes = 3000
	benchBytes  = 30_000
)

// benchLoads measures documents of several lengths, and several numbers of requests.
func (a *app) benchLoads(ctx context.Context, pack *models.Pack, f benchFlags) ([]measurement, error) {
	var list []measurement
	measure := func(kind string, size, requests int) error {
		rounds := max(1, benchBytes/(size*requests))
		l, err := pack.BenchLoad(ctx, benchLetter(pack.Manifest.Languages[0], size), requests, rounds, f.workers)
		if err != nil {
			return err
		}
		list = append(list, measurement{Pack: pack.Manifest.Name, Kind: kind, Load: &l})
		_, err = fmt.Fprintf(a.stdout, "%-16s %-8s %9d bytes, %3d requests at once: %7.0f characters/s, %9.1f ms a document, slowest %9.1f ms, memory %4d MB, at most %4d MB\n",
			pack.Manifest.Name, kind, l.Bytes, l.Requests, l.CharactersPerSecond(), 1000*l.Mean.Seconds(), 1000*l.Slowest.Seconds(), l.Resident>>20, l.Peak>>20)
		return err
	}
	for _, size := range f.lengths {
		if err := measure("length", size, 1); err != nil {
			return nil, err
		}
	}
	for _, requests := range f.requests {
		if err := measure("requests", letterBytes, requests); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// benchLetter gives so many bytes of sentences in the language, less what a cut word leaves.
func benchLetter(language phi.Language, size int) string {
	sentences := benchSentences(language, 2)
	round := strings.Join(sentences, "\n") + "\n"
	text := strings.Repeat(round, size/len(round)+1)[:size]
	if cut := strings.LastIndexAny(text, " \n"); cut > 0 {
		text = text[:cut]
	}
	return strings.ToValidUTF8(text, "")
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
