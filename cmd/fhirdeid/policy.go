package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fhirdeid/config"
	"fhirdeid/config/policies"
	"fhirdeid/fhir"
	"fhirdeid/pipeline/phi"
)

func newPolicy(a *app) *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "List, show and check policies"}
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the policies that can be used", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.policyList() },
		},
		&cobra.Command{
			Use: "show NAME", Short: "Print a policy as YAML", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return a.policyShow(args[0]) },
		},
		&cobra.Command{
			Use: "check FILE...", Short: "Check policy files", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return a.policyCheck(args) },
		},
	)
	return c
}

func (a *app) policyList() error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	all, err := a.policies(cfg)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := all[name]
		mark := " "
		if name == cfg.Policy.Default {
			mark = "*"
		}
		fmt.Fprintf(a.stdout, "%s %-28s %-8s %s\n", mark, name, p.Version, p.Description)
	}
	return nil
}

func (a *app) policyShow(name string) error {
	cfg, err := a.config(nil)
	if err != nil {
		return err
	}
	data, ok := policies.Read(name)
	if !ok {
		if data, err = a.sitePolicy(cfg, name); err != nil {
			return err
		}
	}
	_, err = a.stdout.Write(data)
	return err
}

func (a *app) sitePolicy(cfg config.Config, name string) ([]byte, error) {
	if cfg.Policy.Dir == "" || name != filepath.Base(name) {
		return nil, errors.New("there is no policy of that name")
	}
	data, err := os.ReadFile(filepath.Join(cfg.Policy.Dir, name+".yaml"))
	if err != nil {
		return nil, errors.New("there is no policy of that name")
	}
	return data, nil
}

func (a *app) policyCheck(files []string) error {
	failed := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err == nil {
			var p *fhir.Policy
			if p, err = fhir.ParsePolicy(data); err == nil {
				fmt.Fprintf(a.stdout, "%s: ok, policy %s version %s\n", name, p.Name, p.Version)
				continue
			}
		}
		failed++
		fmt.Fprintf(a.stderr, "%s: %v\n", name, err)
	}
	if failed > 0 {
		return codedError{code: exitError}
	}
	return nil
}

// policies gives the built-in policies and the site's own; a site's policy of the same name takes the place of a
// built-in one.
func (a *app) policies(cfg config.Config) (map[string]*fhir.Policy, error) {
	all := map[string]*fhir.Policy{}
	for _, name := range fhir.PolicyNames() {
		p, err := fhir.LoadPolicy(name)
		if err != nil {
			return nil, err
		}
		all[name] = p
	}
	if cfg.Policy.Dir != "" {
		files, err := filepath.Glob(filepath.Join(cfg.Policy.Dir, "*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			p, err := fhir.ParsePolicy(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if p.Name != strings.TrimSuffix(filepath.Base(file), ".yaml") {
				return nil, fmt.Errorf("%s: the policy has another name than its file", file)
			}
			all[p.Name] = p
		}
	}
	if all[cfg.Policy.Default] == nil {
		return nil, errors.New("config: policy.default: there is no such policy")
	}
	return all, nil
}

// policy gives one policy by name.
func (a *app) policy(cfg config.Config, name string) (*fhir.Policy, error) {
	all, err := a.policies(cfg)
	if err != nil {
		return nil, err
	}
	if p := all[name]; p != nil {
		return p, nil
	}
	return nil, usage("there is no policy of that name; see fhirdeid policy list")
}

// changes says whether a policy would change a span of that type and score.
func changes(p *fhir.Policy, t phi.Type, score float64) bool {
	rule := p.Text(t)
	return rule.Detect && rule.Action != phi.Keep && score >= rule.Threshold
}
