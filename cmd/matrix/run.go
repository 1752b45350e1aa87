package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/fixtures"
	"matrix/internal/results"
	"matrix/internal/runner"
	"matrix/internal/system"
	"matrix/internal/table"
	"matrix/internal/unit"
)

type runFlags struct {
	only, results, resume string
	bundle                string
	sets                  []string
	retry, dry            bool
	color                 colorMode
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario and print its comparison table",
		Long: "Run a scenario: generate its files, start its servers, sweep the grid, and write\n" +
			"results/<scenario>/<UTC time>/ with the journal and the reports. The text table is printed last.",
		Example: "  matrix run scenarios/quickstart.yaml\n" +
			"  matrix run scenarios/nginx-apache-lighttpd.yaml --only 'Server=nginx concurrency=10'\n" +
			"  matrix run scenarios/solaris-http-load.yaml --set duration=2s\n" +
			"  matrix run scenario.yaml --resume latest",
		Args: exactArgs(1, "one scenario file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.only, "only", "", "run only the cells that match, such as 'OS=\"Red Hat 7.0\" concurrency=10'")
	setFlag(c, &f.sets)
	c.Flags().StringVar(&f.results, "results", defaultResults, "folder that runs are kept in")
	c.Flags().StringVar(&f.resume, "resume", "", "go on with this run (its folder, or 'latest'): only what it lacks is run")
	c.Flags().BoolVar(&f.retry, "retry-failed", false, "with --resume: run failed trials again, too")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "show the plan and run nothing")
	c.Flags().StringVar(&f.bundle, "bundle", "", "also write one zip file with all reports, journal and raw output to this file")
	colorFlag(c, &f.color)
	return c
}

func (f runFlags) run(c *cobra.Command, path string) error {
	if f.retry && f.resume == "" {
		return failure{exitAuthor, errors.New("--retry-failed goes with --resume")}
	}
	s, whole, err := readPlan(path, "", f.sets...)
	if err != nil {
		return err
	}
	if err := refuseReference(path, whole.Reference, f.results); err != nil {
		return err
	}
	asked, err := narrow(whole, f.only)
	if err != nil {
		return err
	}
	if f.dry {
		return printPlan(c.OutOrStdout(), s, asked)
	}
	if err := refuseFiles(path, asked); err != nil {
		return err
	}
	printNotices(c.ErrOrStderr(), s)
	surviveReaders()
	minds.Store(true)
	leftovers := system.EndLeftovers()
	drivers, tools, err := checkTools(c.Context(), asked)
	if err != nil {
		return err
	}
	files, err := f.makeFiles(c.Context(), asked)
	if err != nil {
		return err
	}
	run, asked, err := f.open(s, whole, asked, tools)
	if err != nil {
		return err
	}
	defer run.Close()
	if err := noteLeftovers(run, leftovers); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "run: %s\n", run.Dir())
	for _, n := range append(slices.Clone(run.Info().Notes), run.Notes()...) {
		fmt.Fprintf(c.ErrOrStderr(), "note: %s\n", n.Text)
	}
	if err := lookAround(c.Context(), c.ErrOrStderr(), run, asked); err != nil {
		return err
	}
	summary, err := f.sweep(c.Context(), c.ErrOrStderr(), run, asked, drivers, files)
	report, unwritten := f.conclude(c.OutOrStdout(), run)
	switch {
	case errors.Is(err, results.ErrGone):
		return fmt.Errorf("%w; unless the folder was only moved, the tables above are all that is left: run the scenario again", err)
	case err != nil:
		return fmt.Errorf("%w; what was measured is kept, go on with: %s", err, f.again(path, run.Dir()))
	case unwritten != nil:
		return fmt.Errorf("%w; the journal is whole, the tables can be had with: matrix report %s", unwritten, run.Dir())
	}
	tellSweep(c.ErrOrStderr(), summary, asked)
	if summary.Interrupted {
		return failure{exitInterrupted, fmt.Errorf("interrupted; go on with: %s", f.again(path, run.Dir()))}
	}
	return outcome(run, report)
}

// noteLeftovers keeps with a run what had to be ended before it.
func noteLeftovers(run *results.Run, all []system.Leftover) error {
	if len(all) == 0 {
		return nil
	}
	info := run.Info()
	for _, l := range all {
		info.Notes = append(slices.Clip(info.Notes), bench.Note{Code: "leftover", Text: l.String()})
	}
	return run.Update(info)
}

// tellSweep says how long a sweep took, and what of it was no measuring.
func tellSweep(w io.Writer, s runner.Summary, plan *bench.Plan) {
	if share, ok := outside(s); ok {
		text := fmt.Sprintf("%s in %v, %.1f %% of it outside trials", unit.Counted(total(s), "trial"), s.Elapsed.Round(time.Millisecond), 100*share)
		if s.Waited > 0 {
			text += fmt.Sprintf(", %v to cool down", s.Waited.Round(time.Millisecond))
		}
		fmt.Fprintln(w, text)
	}
	if s.Stopped == bench.StopBudget {
		fmt.Fprintf(w, "the budget of %v is spent: the table says which cells it ended\n", plan.Budget)
	}
}

// defaultResults is where runs are kept.
const defaultResults = "results"

// again is the command that goes on with a run.
func (f runFlags) again(path, dir string) string {
	words := []string{"matrix", "run", path, "--resume", dir}
	if f.results != defaultResults {
		words = append(words, "--results", f.results)
	}
	for _, set := range f.sets {
		words = append(words, "--set", set)
	}
	if f.only != "" {
		words = append(words, "--only", f.only)
	}
	return table.CommandLine(words)
}

// fileSet is where the test files of a plan are, and what they are.
type fileSet struct {
	docroot  string
	manifest fixtures.Manifest
}

// makeFiles sees to it that the plan's test files are there. They are kept
// beside the runs and used again.
func (f runFlags) makeFiles(ctx context.Context, plan *bench.Plan) (fileSet, error) {
	docroot := filepath.Join(f.results, ".files", fixtures.Folder(plan.Files, plan.Seed))
	manifest, err := fixtures.Make(ctx, docroot, plan.Files, plan.Seed)
	if ctx.Err() != nil {
		return fileSet{}, failure{exitInterrupted, errors.New("interrupted while the test files were made; nothing was run")}
	}
	if err != nil {
		return fileSet{}, fmt.Errorf("making the test files: %w", err)
	}
	return fileSet{docroot, manifest}, nil
}

// sweep runs the plan and stops every server, whatever happens.
func (f runFlags) sweep(ctx context.Context, progress io.Writer, run *results.Run, plan *bench.Plan, drivers map[string]driver.Driver, files fileSet) (s runner.Summary, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, fmt.Errorf("finding this program's own file: %w", err)
	}
	ceiling, err := readCeiling()
	if err != nil { // a help only
		fmt.Fprintf(progress, "notice: no trial is held against the ceiling of the load generator: %v\n", err)
	}
	info := run.Info()
	fleet := &runner.Servers{
		Plan: plan, Manifest: files.manifest, Offline: driver.Offline,
		Site: func(i int) system.Site {
			return system.Site{Dir: filepath.Join(run.Dir(), "servers", fmt.Sprint(i+1)), Docroot: files.docroot, Files: plan.Files, Self: []string{self}}
		},
		Started: func(_ int, i bench.ServerInfo) {
			info.Notes = append(info.Notes, restarted(info.Servers, i)...)
			info.Servers = renewed(info.Servers, i)
		},
	}
	show := newProgress(progress, plan.Until != nil)
	r := &runner.Runner{Plan: plan, Drivers: drivers, Journal: f.journal(run), Fleet: fleet, Manifest: files.manifest, Ceiling: ceiling, Events: show.event}
	s, err = r.Sweep(ctx)
	show.end()
	err = errors.Join(err, fleet.Down(context.WithoutCancel(ctx)))
	info.Stopped = s.Stopped
	if !s.Interrupted && err == nil {
		info.Finished = new(time.Now().UTC())
	}
	return s, errors.Join(err, run.Update(info))
}

// renewed puts what is known of a server in the place of what was known before.
func renewed(servers []bench.ServerInfo, i bench.ServerInfo) []bench.ServerInfo {
	servers = slices.DeleteFunc(servers, func(s bench.ServerInfo) bool { return s.System == i.System })
	return append(servers, i)
}

// outcome turns the records of a run into the exit code that a script relies
// on: those of its plan, whichever sweep made them. Cells that failed come before
// limits that are broken, which they break as well.
func outcome(run *results.Run, report *table.Report) error {
	asked := map[bench.Key]bench.Cell{}
	for _, c := range run.Info().Plan.Cells {
		asked[c.Key] = c
	}
	failed, all := 0, 0
	for _, r := range run.Records() {
		c, planned := asked[r.Cell.Key]
		if !planned || c.Digest != r.Cell.Digest {
			continue
		}
		all++
		if r.State.Failed() && !c.ExpectFailure {
			failed++
		}
	}
	if failed > 0 {
		return failure{exitFailedCells, fmt.Errorf("%d of %d trials failed; their reasons stand in the table", failed, all)}
	}
	if n := report.BrokenLimits(); n > 0 {
		return failure{exitFinding, fmt.Errorf("%d of %s broken; the notes beneath the table say where", n, unit.Counted(len(report.Limits), "limit"))}
	}
	return nil
}

func total(s runner.Summary) (n int) {
	for _, v := range s.States {
		n += v
	}
	return n
}

// outside is the share of a sweep's time in which no driver was at work.
func outside(s runner.Summary) (float64, bool) {
	if s.Elapsed <= 0 || s.InTrials <= 0 {
		return 0, false
	}
	return 1 - s.InTrials.Seconds()/s.Elapsed.Seconds(), true
}
