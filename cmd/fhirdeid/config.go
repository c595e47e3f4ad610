package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fhirdeid/config"
)

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Check and print the configuration"}
	c.AddCommand(
		&cobra.Command{
			Use: "check", Short: "Check the configuration and the files it names", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				cfg, err := a.config(nil)
				if err != nil {
					return err
				}
				if _, err := a.policies(cfg); err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.stdout, "the configuration is valid")
				return err
			},
		},
		&cobra.Command{
			Use: "print", Short: "Print the configuration with all sources merged", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				cfg, err := a.config(nil)
				if err != nil {
					return err
				}
				text, err := cfg.YAML()
				if err != nil {
					return err
				}
				_, err = a.stdout.Write(text)
				return err
			},
		},
	)
	return c
}

// config merges all sources; flags holds dotted keys.
func (a *app) config(flags map[string]any) (config.Config, error) {
	cfg, err := config.Load(a.configFile, a.environ, flags)
	if err != nil {
		return cfg, codedError{exitUsage, err}
	}
	return cfg, nil
}
