package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"matrix/internal/export"
	"matrix/internal/published"
	"matrix/internal/results"
)

func publishedCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "published FOLDER...",
		Short: "Make a run of a comparison that others published",
		Long: "Make run.json, journal.jsonl and the reports in each folder from its data files: a printed table as CSV,\n" +
			"or the logs of a tool under raw/. The folder's mapping.json says what each column means; those in\n" +
			"results/published are examples. Figures stay as they were printed; 'matrix audit' tells which contradict.",
		Example: "  matrix published results/published/ccp14-2001\n  matrix report results/published/ccp14-2001",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			for _, dir := range args {
				if err := makePublished(dir); err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), filepath.Clean(dir))
			}
			return nil
		},
	}
}

func makePublished(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("finding %s: %w", dir, err)
	}
	info, records, err := published.Read(os.DirFS(dir), filepath.Base(abs))
	if err != nil {
		return failure{exitAuthor, fmt.Errorf("%s: %w", dir, err)}
	}
	if err := results.Write(dir, info, records); err != nil {
		return err
	}
	run, err := results.Open(dir)
	if err != nil {
		return err
	}
	// JSON would only repeat what the journal says.
	files := slices.DeleteFunc(export.Files(), func(f export.File) bool { return f.Name == "report.json" })
	return writeReports(dir, buildReport(run, 0), files)
}
