package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/compare"
	"matrix/internal/export"
	"matrix/internal/scenario"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	metrics                   []string
	threshold                 string
	alpha                     float64
	failOn, format, out, root string
	only                      string
	changed                   bool
	width                     int
	color                     colorMode
}

// failOns are what compare can be made to exit with a finding for.
var failOns = []string{"regression", "failure", "none"}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare BASE... NEW",
		Short: "Tell what became slower or faster, or fails now",
		Long: "Compare a run with one before it, or with several: a cell is slower when the change is significant among all cells that\n" +
			"are looked at, above the threshold, and above what the cell and the grid vary by without a cause. Exit status 3 when\n" +
			"something became worse. docs/statistics.md says how many rounds it takes.",
		Example: "  matrix compare latest~1 latest\n  matrix compare nightly~3 nightly~2 nightly~1 nightly --threshold 3%\n" +
			"  matrix compare latest~1 latest --changed --format markdown",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return failure{exitAuthor, errors.New("compare takes at least two runs, the base first: folders, or latest~1 and latest")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringArrayVar(&f.metrics, "metric", []string{"requests_per_second"}, "what to compare; may be given again for more")
	c.Flags().StringVar(&f.threshold, "threshold", "5%", "changes up to this are none")
	numberFlag(c.Flags(), &f.alpha, "alpha", "", 0.05, "share of false alarms that is put up with")
	c.Flags().StringVar(&f.failOn, "fail-on", failOns[0], strings.Join(failOns, ", ")+": what exit status 3 is for")
	c.Flags().StringVar(&f.only, "only", "", "compare only these cells: 'file=small concurrency=10,150'")
	c.Flags().BoolVar(&f.changed, "changed", false, "leave out the table of all cells")
	c.Flags().StringVar(&f.format, "format", "text", strings.Join(formatNames(), ", "))
	c.Flags().StringVarP(&f.out, "output", "o", "", "file to write to instead of the standard output")
	c.Flags().StringVar(&f.root, "results", defaultResults, "folder that runs are kept in")
	countFlag(c.Flags(), &f.width, "width", "", 0, "columns that text may take (default: the terminal's, or as many as it needs)")
	colorFlag(c, &f.color)
	return c
}

func (f compareFlags) run(c *cobra.Command, args []string) error {
	format, metrics, options, err := f.checked()
	if err != nil {
		return failure{exitAuthor, err}
	}
	runs, err := f.open(c, args)
	if err != nil {
		return err
	}
	keep, err := keeping(f.only, runs)
	if err != nil {
		return failure{exitAuthor, fmt.Errorf("--only: %w", err)}
	}
	last := len(runs) - 1
	found, err := compare.Runs(runs[:last], runs[last], metrics, keep, options)
	if err != nil {
		return failure{exitAuthor, err}
	}
	report := found.Report(f.changed)
	report.Width = textWidth(f.width)
	report.Color = f.color.onOutput(f.out)
	var page bytes.Buffer
	if err := format.Export(&page, report); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	if err := deliver(c.OutOrStdout(), f.format, f.out, page.Bytes()); err != nil {
		return err
	}
	return f.finding(found)
}

// checked reads the flags; every problem with them at once.
func (f compareFlags) checked() (format export.Format, metrics []table.Metric, o compare.Options, err error) {
	var problems []error
	format, known := export.Lookup(f.format)
	if !known {
		problems = append(problems, fmt.Errorf("--format %q is not one of %s", f.format, strings.Join(formatNames(), ", ")))
	}
	if !slices.Contains(failOns, f.failOn) {
		problems = append(problems, fmt.Errorf("--fail-on %q is not one of %s", f.failOn, strings.Join(failOns, ", ")))
	}
	threshold, err := readThreshold(f.threshold, "5%")
	if err != nil {
		problems = append(problems, err)
	}
	if !(f.alpha > 0 && f.alpha < 1) {
		problems = append(problems, fmt.Errorf("--alpha %v does not lie between 0 and 1", f.alpha))
	}
	for i, name := range f.metrics {
		m, known := table.Lookup(name)
		switch {
		case !known:
			problems = append(problems, fmt.Errorf("--metric %q: there is no such metric; `matrix schema --columns` lists them", name))
		case slices.Index(f.metrics, name) < i:
			problems = append(problems, fmt.Errorf("--metric %s is given twice", name))
		}
		metrics = append(metrics, m)
	}
	return format, metrics, compare.Options{Threshold: threshold, Alpha: f.alpha}, errors.Join(problems...)
}

// open reads the runs, the base first, and warns of one that is there twice.
func (f compareFlags) open(c *cobra.Command, refs []string) (runs []compare.Run, err error) {
	var dirs []string
	for _, ref := range refs {
		run, err := openRun(c.ErrOrStderr(), f.root, ref)
		if err != nil {
			return nil, err
		}
		tellNotes(c.ErrOrStderr(), run)
		dir := run.Dir()
		if slices.Contains(dirs, dir) {
			fmt.Fprintf(c.ErrOrStderr(), "matrix: %s is named twice: a run is no measure of itself\n", export.Visible(dir))
		}
		dirs = append(dirs, dir)
		runs = append(runs, compare.Run{Info: run.Info(), Records: run.Records()})
	}
	return runs, nil
}

// keeping turns a filter into what says whether a cell of the runs passes it;
// nil for the empty filter.
func keeping(filter string, runs []compare.Run) (func(bench.Cell) bool, error) {
	if filter == "" {
		return nil, nil
	}
	var p bench.Plan
	systems := map[bench.Key]int{}
	seen := map[bench.Key]bool{}
	for _, run := range runs {
		for _, r := range run.Records {
			cell := r.Cell
			if seen[cell.Key] {
				continue
			}
			seen[cell.Key] = true
			for _, l := range cell.Labels {
				if !slices.Contains(p.Labels, l.Name) {
					p.Labels = append(p.Labels, l.Name)
				}
			}
			id := bench.KeyOf(cell.Labels)
			if _, known := systems[id]; !known {
				systems[id] = len(p.Systems)
				p.Systems = append(p.Systems, bench.System{Labels: cell.Labels})
			}
			cell.System = systems[id]
			p.Cells = append(p.Cells, cell)
		}
	}
	kept, err := scenario.Only(&p, filter)
	if err != nil {
		return nil, err
	}
	pass := map[bench.Key]bool{}
	for _, cell := range kept.Cells {
		pass[cell.Key] = true
	}
	return func(c bench.Cell) bool { return pass[c.Key] }, nil
}

// finding is the error that tells of what became worse, where that was asked for.
func (f compareFlags) finding(c *compare.Comparison) error {
	all, failures := c.Regressions()
	n := map[string]int{"regression": all, "failure": failures}[f.failOn]
	if n == 0 {
		return nil
	}
	return failure{exitFinding, fmt.Errorf("%s became worse: %s", unit.Counted(n, "cell"), strings.Join(c.Worse(f.failOn == "failure"), "; "))}
}
