package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"matrix/internal/export"
	"matrix/internal/file"
	"matrix/internal/results"
	"matrix/internal/table"
)

type reportFlags struct {
	format, out, root, bundle string
	width                     int
	wide                      bool
	color                     colorMode
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write the tables of one run or several",
		Long:  "Write the tables of one run or several.\n\nFormats:\n" + formatHelp(),
		Example: "  matrix report latest\n" +
			"  matrix report results/quickstart/20261130T120000Z --format markdown\n" +
			"  matrix report latest --format csv --wide -o points.csv\n" +
			"  matrix report latest --bundle run.zip",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure{exitAuthor, errors.New("report takes at least one run: its folder, or 'latest'")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringVar(&f.format, "format", "text", strings.Join(formatNames(), ", "))
	c.Flags().StringVarP(&f.out, "output", "o", "", "file to write to instead of the standard output")
	c.Flags().StringVar(&f.root, "results", defaultResults, "folder that runs are kept in")
	countFlag(c.Flags(), &f.width, "width", "", 0, "columns that text may take (default: the terminal's, or as many as it needs)")
	c.Flags().BoolVar(&f.wide, "wide", false, "with --format csv: one row a point, systems side by side")
	c.Flags().StringVar(&f.bundle, "bundle", "", "write one zip file with all reports, journal and raw output to this file instead")
	colorFlag(c, &f.color)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return c
}

func formatNames() (names []string) {
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return names
}

func formatHelp() string {
	var b strings.Builder
	for _, f := range export.Formats {
		fmt.Fprintf(&b, "  %-32s %s\n", f.Name, f.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f reportFlags) run(c *cobra.Command, refs []string) error {
	write, err := f.exporter(c)
	if err != nil {
		return err
	}
	runs, err := openRuns(c.ErrOrStderr(), f.root, refs)
	if err != nil {
		return err
	}
	if f.bundle != "" {
		return writeBundle(f.bundle, runs)
	}
	var reports []*table.Report
	for _, run := range runs {
		r := buildReport(run, textWidth(f.width))
		r.Color = f.color.onOutput(f.out)
		switch {
		case f.format != "html": // nothing else has links
		case len(runs) == 1 && within(f.out, run.Dir()):
			r.Links = linksIn(run.Dir())
		default:
			r = moved(r, nil)
		}
		reports = append(reports, r)
	}
	var page bytes.Buffer
	if err := write(&page, table.Join(reports)); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return deliver(c.OutOrStdout(), f.format, f.out, page.Bytes())
}

// exporter is what the flags ask for. Its errors are the author's.
func (f reportFlags) exporter(c *cobra.Command) (export.Exporter, error) {
	format, known := export.Lookup(f.format)
	switch {
	case !known:
		return nil, failure{exitAuthor, fmt.Errorf("--format %q is not one of %s", f.format, strings.Join(formatNames(), ", "))}
	case f.bundle != "" && (f.out != "" || f.wide || c.Flags().Changed("format")):
		return nil, failure{exitAuthor, errors.New("--bundle holds every format and names its own file: it goes without --format, --wide and --output")}
	case !f.wide:
		return format.Export, nil
	case format.Wide == nil:
		return nil, failure{exitAuthor, fmt.Errorf("--wide goes with --format csv; %s has no such layout", f.format)}
	}
	return format.Wide, nil
}

func openRuns(stderr io.Writer, root string, refs []string) ([]*results.Run, error) {
	var runs []*results.Run
	for _, ref := range refs {
		run, err := openRun(stderr, root, ref)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// within tells whether a file stands in a run's folder, where its links lead on.
func within(file, dir string) bool {
	if file == "" {
		return false
	}
	a, errA := os.Stat(filepath.Dir(file))
	b, errB := os.Stat(dir)
	return errA == nil && errB == nil && os.SameFile(a, b)
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

// deliver writes a page to a file or, where path is "", to the standard output:
// of a terminal, so that it obeys nothing that a server or a tool put there.
func deliver(stdout io.Writer, format, path string, page []byte) error {
	if path == "" {
		if format != "text" && term.IsTerminal(int(os.Stdout.Fd())) { // text is, but for its colours
			page = export.Harmless(page)
		}
		_, err := stdout.Write(page)
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(page); return err }
	if err := file.Replace(path, write); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// conclude writes a report in each format beside the journal and prints the
// text table, also where the former did not go well. A reader that has gone is
// no error: the table stands in the run's folder.
func (f runFlags) conclude(stdout io.Writer, run *results.Run) (*table.Report, error) {
	report := buildReport(run, 0)
	err := writeReports(run.Dir(), report, export.Files())
	if err == nil && f.bundle != "" {
		err = writeBundle(f.bundle, []*results.Run{run})
	}
	report.Width, report.Color = textWidth(0), f.color.onStdout()
	if shown := export.Text(stdout, report); !errors.Is(shown, syscall.EPIPE) {
		err = errors.Join(err, shown)
	}
	return report, err
}

// writeReports writes a report into a run's folder, under each of the names.
func writeReports(dir string, report *table.Report, files []export.File) error {
	report.Links = append(linksTo(files), linksToData...)
	for _, f := range files {
		var page bytes.Buffer
		if err := f.Export(&page, report); err != nil {
			return fmt.Errorf("writing %s: %w", f.Name, err)
		}
		if err := file.Write(filepath.Join(dir, f.Name), page.Bytes()); err != nil {
			return fmt.Errorf("writing %s: %w", f.Name, err)
		}
	}
	return nil
}

// linksToData lead to what a run's folder holds beside reports.
var linksToData = []table.Link{
	{Text: "journal.jsonl: every trial as it was recorded", Address: "journal.jsonl"},
	{Text: "run.json: the header of the run", Address: "run.json"},
}

// linksTo lists what a page says stands beside it: the other reports.
func linksTo(files []export.File) (links []table.Link) {
	for _, file := range files {
		if filepath.Ext(file.Name) != ".html" {
			links = append(links, table.Link{Text: file.Name + ": " + file.Doc, Address: file.Name})
		}
	}
	return links
}

// linksIn lists what stands in the folder of a run.
func linksIn(dir string) []table.Link {
	return slices.DeleteFunc(append(linksTo(export.Files()), linksToData...), func(l table.Link) bool {
		_, err := os.Stat(filepath.Join(dir, l.Address))
		return err != nil
	})
}

// moved is a report that stands elsewhere than in the folder of its run: it links
// to what it is given alone, and to no raw output.
func moved(r *table.Report, links []table.Link) *table.Report {
	away := *r
	away.Links = links
	away.Tables = make([]table.Table, len(r.Tables))
	for i, t := range r.Tables {
		rows := make([]table.Row, len(t.Rows))
		for j, row := range t.Rows {
			row.Raw = nil
			rows[j] = row
		}
		t.Rows = rows
		away.Tables[i] = t
	}
	return &away
}
