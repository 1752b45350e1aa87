package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"matrix/internal/scenario"
	"matrix/scenarios"
)

func initCommand() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented scenario to start from, and the schema that editors check it with",
		Long: "Write a commented scenario to start from, scenario.yaml if no file is named, and the schema that editors check it with.\n\n" +
			"With --from, write one of the scenarios that come with matrix instead:\n  " + strings.Join(scenarioNames(), "\n  "),
		Example: "  matrix init\n  matrix init --from freebsd-vs-redhat",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, text := "scenario.yaml", scenario.Template()
			if from != "" {
				var err error
				if path, text, err = shipped(from); err != nil {
					return failure{exitAuthor, fmt.Errorf("--from: %w", err)}
				}
			}
			if len(args) == 1 {
				path = args[0]
			}
			if err := writeNew(path, text); err != nil {
				return err
			}
			schema := filepath.Join(filepath.Dir(path), "scenario.schema.json")
			if _, err := os.Stat(schema); errors.Is(err, fs.ErrNotExist) {
				if err := writeNew(schema, scenario.Schema(known())); err != nil {
					return err
				}
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s; run it with: matrix run %s\n", path, path)
			return nil
		},
	}
	c.Flags().StringVar(&from, "from", "", "name of a scenario that comes with matrix")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(scenarioNames(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return c
}

const yamlExt = ".yaml"

// scenarioNames lists the scenarios that the program has built in.
func scenarioNames() (names []string) {
	entries, _ := fs.ReadDir(scenarios.FS, ".") // it cannot fail: the folder is part of the program
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), yamlExt))
	}
	return names
}

// shipped is one of scenarioNames: the file to write it to, and its text.
func shipped(name string) (path string, text []byte, err error) {
	name = strings.TrimSuffix(name, yamlExt)
	if !slices.Contains(scenarioNames(), name) {
		return "", nil, fmt.Errorf("no scenario %q comes with matrix: there are %s", name, strings.Join(scenarioNames(), ", "))
	}
	text, err = scenarios.FS.ReadFile(name + yamlExt)
	return name + yamlExt, text, err
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failure{exitAuthor, fmt.Errorf("%s is there already; name another file", path)}
	}
	if err != nil {
		return failure{exitAuthor, fmt.Errorf("writing the scenario: %w", err)}
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
