package main

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/template"
)

type harvestFlags struct {
	format, out string
	options     template.Options
	pipeline    pipelineFlags
}

func newTemplate(a *app) *cobra.Command {
	c := &cobra.Command{Use: "template", Short: "Gather sentence templates from a site's own texts"}
	var f harvestFlags
	harvest := &cobra.Command{
		Use: "harvest CORPUS", Short: "Read a corpus and write the templates of its sentences as YAML for review", Args: cobra.ExactArgs(1),
		Long: `Runs the pipeline over a corpus and gathers the sentences that say the same with other PHI in them. A template is
kept if every sentence of its shape has PHI in the same places. The YAML holds fixed words of the corpus: it is to be
reviewed before it is named in the configuration under templates.`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.harvest(cmd, f, args[0]) },
	}
	harvest.Flags().StringVar(&f.format, "corpus-format", "auto", "auto, jsonl, i2b2, brat, conll, xmi, cas or inline")
	harvest.Flags().StringVarP(&f.out, "out", "o", "", "file to write; standard output if empty")
	harvest.Flags().IntVar(&f.options.MinCount, "min-count", 0, "sentences that a template must have; 0: 3")
	harvest.Flags().IntVar(&f.options.MinFillings, "min-fillings", 0, "different fillings among them; 0: 2")
	harvest.Flags().IntVar(&f.options.MinLiterals, "min-words", 0, "words that stand fixed; 0: 2")
	f.pipeline.register(harvest)
	c.AddCommand(harvest)
	return c
}

func (a *app) harvest(cmd *cobra.Command, f harvestFlags, path string) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	f.pipeline.apply(&cfg)
	corpus, err := eval.ReadWith(path, eval.ReadOptions{Format: eval.Format(f.format)})
	if err != nil {
		return err
	}
	parts, err := a.pipeline(cfg, f.pipeline)
	if err != nil {
		return err
	}
	defer func() { _ = parts.Close() }()
	set, err := template.Harvest(cmd.Context(), parts.Pipeline, texts(corpus), f.options)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "fhirdeid: %d templates out of %d texts\n", set.Len(), len(corpus.Documents))
	if f.out == "" {
		return set.Write(a.stdout)
	}
	return writeSet(f.out, set)
}

func texts(corpus *eval.Corpus) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range corpus.Documents {
			if !yield(corpus.Documents[i].Text) {
				return
			}
		}
	}
}

// writeSet writes beside and renames, for the owner alone: the fixed words have not been reviewed yet.
func writeSet(path string, set *template.Set) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".templates-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := set.Write(file); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// templates gives a detector for each reviewed file of templates.
func templates(cfg config.Config) ([]pipeline.Detector, error) {
	var list []pipeline.Detector
	for _, file := range cfg.Templates {
		set, err := loadFile(file, template.Load)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		list = append(list, set.Detector())
	}
	return list, nil
}

// spared makes a detector pass over the sentences that are known to hold no PHI: the built-in ones and the site's own.
func spared(d pipeline.Detector, cfg config.Config) (pipeline.Detector, error) {
	list, err := template.Default()
	if err != nil {
		return nil, fmt.Errorf("inclusion lists: %w", err)
	}
	d = list.Skip(d)
	for _, file := range cfg.Inclusion {
		if list, err = loadFile(file, template.LoadInclusion); err != nil {
			return nil, fmt.Errorf("inclusion lists: %w", err)
		}
		d = list.Skip(d)
	}
	return d, nil
}

func loadFile[T any](path string, load func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer file.Close()
	return load(file)
}
