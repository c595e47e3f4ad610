package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/models"
	"fhirdeid/pipeline"
	"fhirdeid/pipeline/gazetteer"
	"fhirdeid/pipeline/rules"
)

// pipelineFlags are the flags of commands that read text; parts can be switched off for ablations.
type pipelineFlags struct {
	models   string
	lambda   float64
	without  []string
	noMemory bool
	serving  bool
}

func (f *pipelineFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.models, "models", "", "auto, none, or names of model packs joined by comma")
	c.Flags().Float64Var(&f.lambda, "lambda", -1, "negative-class bias of the models, 0 to 1; -1: each pack's own")
	c.Flags().StringSliceVar(&f.without, "without", nil, "leave parts out: rules, gazetteers, superclass, subclass, memory")
}

// apply lets flags win over the configuration.
func (f *pipelineFlags) apply(cfg *config.Config) {
	if f.models != "" {
		cfg.Models.Use = f.models
	}
	if f.lambda >= 0 {
		cfg.Models.Lambda = f.lambda
	}
	f.noMemory = f.leaves("memory")
}

func (f *pipelineFlags) leaves(part string) bool {
	for _, p := range f.without {
		if p == part {
			return true
		}
	}
	return false
}

// pipelineParts is the pipeline with what must be closed after it.
type pipelineParts struct {
	*pipeline.Pipeline
	packs []*models.Pack
}

// Close ends the model sessions.
func (p *pipelineParts) Close() error {
	for _, pack := range p.packs {
		pack.Close()
	}
	return nil
}

func (p *pipelineParts) packNames() []string {
	var names []string
	for _, pack := range p.packs {
		names = append(names, pack.Manifest.Name+" "+pack.Manifest.Version)
	}
	return names
}

// pipeline lists the detectors: what rules can decide, dictionaries, the site's own terms, and the models.
func (a *app) pipeline(cfg config.Config, f pipelineFlags) (*pipelineParts, error) {
	p := &pipelineParts{Pipeline: &pipeline.Pipeline{MaxBytes: int(max(cfg.Limits.TextBytes, 32<<20))}}
	if !f.leaves("rules") {
		p.Detectors = append(p.Detectors, rules.All()...)
	}
	if !f.leaves("gazetteers") {
		set, err := gazetteer.Load()
		if err != nil {
			return nil, fmt.Errorf("gazetteers: %w", err)
		}
		for _, file := range cfg.Dicts {
			if set, err = withUserTerms(set, file); err != nil {
				return nil, err
			}
		}
		p.Detectors = append(p.Detectors, set.Detector())
	}
	list, err := templates(cfg)
	if err != nil {
		return nil, err
	}
	p.Detectors = append(p.Detectors, list...)
	return p, a.addModels(p, cfg, f)
}

func withUserTerms(set *gazetteer.Set, file string) (*gazetteer.Set, error) {
	r, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("dictionaries: %w", err)
	}
	defer r.Close()
	user, err := gazetteer.LoadUserFile(file, r)
	if err != nil {
		return nil, fmt.Errorf("dictionaries: %s: %w", file, err)
	}
	return set.With(user), nil
}
