package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"matrix/internal/scenario"
)

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented scenario to start from, and the schema that editors check it with",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path := "scenario.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			if err := writeNew(path, scenario.Template()); err != nil {
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
