package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

// app is what the commands share: the streams, the environment and the flags of the root.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	configFile     string
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "fhirdeid",
		Short:         "De-identify German and English clinical documents in FHIR",
		Long:          "fhirdeid finds personal information in clinical documents and FHIR resources and replaces it by consistent surrogates.\nNo tool guarantees complete removal: review samples of the output before it leaves the hospital.",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&a.configFile, "config", "", "configuration file (YAML)")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return codedError{exitUsage, err} })
	root.AddCommand(
		newServe(a), newDeidentify(a), newDetect(a), newEval(a), newDemo(a),
		newPolicy(a), newTemplate(a), newModels(a), newConfig(a), newErase(a), newAudit(a),
		newHealth(a), newVersion(a),
	)
	usageErrors(root)
	return root
}

// usageErrors gives wrong arguments the exit code of wrong usage. To a command that only holds others, every argument is
// a wrong one.
func usageErrors(c *cobra.Command) {
	if c.HasSubCommands() && !c.Runnable() {
		c.Args, c.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return codedError{exitUsage, err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		usageErrors(sub)
	}
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "fhirdeid %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
