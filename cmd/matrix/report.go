package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/table"
)

func reportCommand() *cobra.Command {
	var format, out, root string
	var width int
	c := &cobra.Command{
		Use:     "report RUN...",
		Short:   "Write the tables of one run or several",
		Example: "  matrix report latest\n  matrix report results/quickstart/20261130T120000Z --format markdown",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure{exitAuthor, errors.New("report takes at least one run: its folder, or 'latest'")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f, known := export.Lookup(format)
			if !known {
				return failure{exitAuthor, fmt.Errorf("--format %q is not one of %s", format, strings.Join(formatNames(), ", "))}
			}
			var reports []*table.Report
			for _, ref := range args {
				r, err := readReport(root, ref, textWidth(width))
				if err != nil {
					return err
				}
				reports = append(reports, r)
			}
			var page bytes.Buffer
			if err := f.Export(&page, table.Join(reports)); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
			return deliver(c.OutOrStdout(), out, page.Bytes())
		},
	}
	c.Flags().StringVar(&format, "format", "text", strings.Join(formatNames(), ", "))
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to instead of the standard output")
	c.Flags().StringVar(&root, "results", "results", "folder that runs are kept in")
	c.Flags().IntVar(&width, "width", 0, "columns that text may take (default: the terminal's, or as many as it needs)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return c
}

func formatNames() (names []string) {
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return names
}

func readReport(root, ref string, width int) (*table.Report, error) {
	dir, err := results.Find(root, ref)
	if err != nil {
		return nil, failure{exitAuthor, err}
	}
	run, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	return buildReport(run, width), nil
}

func buildReport(run *results.Run, width int) *table.Report {
	info := run.Info()
	info.Notes = append(info.Notes, run.Notes()...)
	r := table.Build(info, run.Records())
	setBeside(r, filepath.Dir(filepath.Dir(run.Dir())))
	r.Notes = append(r.Notes, auditNotes(r.Records)...)
	r.Width = width
	return r
}

// textWidth is the width asked for, else the terminal's, else 0 for unbounded.
func textWidth(asked int) int {
	if asked > 0 {
		return asked
	}
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return w
	}
	return 0
}

func deliver(stdout io.Writer, path string, page []byte) error {
	if path == "" {
		_, err := stdout.Write(page)
		return err
	}
	if err := renameio.WriteFile(path, page, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// conclude writes a report in each format beside the journal and prints the
// text table.
func (f runFlags) conclude(stdout io.Writer, run *results.Run) error {
	report := buildReport(run, 0)
	if err := writeReports(run.Dir(), report, export.Formats); err != nil {
		return err
	}
	report.Width = textWidth(0)
	return export.Text(stdout, report)
}

// writeReports writes a report into a run's folder, in each of the formats.
func writeReports(dir string, report *table.Report, formats []export.Format) error {
	for _, format := range formats {
		var page bytes.Buffer
		if err := format.Export(&page, report); err != nil {
			return fmt.Errorf("writing the %s report: %w", format.Name, err)
		}
		if err := renameio.WriteFile(filepath.Join(dir, "report"+format.Ext), page.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing the %s report: %w", format.Name, err)
		}
	}
	return nil
}
