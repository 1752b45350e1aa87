package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/fixtures"
	"matrix/internal/observe"
	"matrix/internal/results"
	"matrix/internal/runner"
	"matrix/internal/scenario"
	"matrix/internal/system"
)

type runFlags struct {
	only, results, resume string
	dry                   bool
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
			"  matrix run scenario.yaml --resume latest",
		Args: exactArgs(1, "one scenario file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.only, "only", "", "run only the cells that match, such as 'OS=\"Red Hat 7.0\" concurrency=10'")
	c.Flags().StringVar(&f.results, "results", "results", "folder that runs are kept in")
	c.Flags().StringVar(&f.resume, "resume", "", "go on with this run (its folder, or 'latest'): only what it lacks is run")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "show the plan and run nothing")
	return c
}

func (f runFlags) run(c *cobra.Command, path string) error {
	s, plan, err := readPlan(path, f.only)
	if err != nil {
		return err
	}
	if f.dry {
		return printPlan(c.OutOrStdout(), s, plan)
	}
	printNotices(c.ErrOrStderr(), s)
	drivers, tools, err := checkTools(c.Context(), plan)
	if err != nil {
		return err
	}
	run, err := f.open(s, plan, tools)
	if err != nil {
		return err
	}
	defer run.Close()
	fmt.Fprintf(c.ErrOrStderr(), "run: %s\n", run.Dir())
	for _, n := range run.Notes() {
		fmt.Fprintf(c.ErrOrStderr(), "note: %s\n", n.Text)
	}
	summary, err := sweep(c.Context(), c.ErrOrStderr(), f.results, run, plan, drivers)
	if err != nil {
		return err
	}
	if err := f.conclude(c.OutOrStdout(), run); err != nil {
		return err
	}
	if share, ok := outside(summary); ok {
		fmt.Fprintf(c.ErrOrStderr(), "%d trials in %v, %.1f %% of it outside trials\n", total(summary), summary.Elapsed.Round(time.Millisecond), 100*share)
	}
	return outcome(summary, run.Dir(), path)
}

// open creates the run's folder, or takes an earlier run up again.
func (f runFlags) open(s *scenario.Scenario, plan *bench.Plan, tools map[string]string) (*results.Run, error) {
	if f.resume != "" {
		dir, err := results.Find(f.results, resumeRef(f.resume, plan.Scenario))
		if err != nil {
			return nil, failure{exitAuthor, fmt.Errorf("--resume: %w", err)}
		}
		run, err := results.Resume(dir)
		if err != nil {
			return nil, err
		}
		info := run.Info()
		if info.Plan.Scenario != plan.Scenario {
			return nil, errors.Join(failure{exitAuthor, fmt.Errorf("--resume: %s is a run of scenario %q, not of %q", dir, info.Plan.Scenario, plan.Scenario)}, run.Close())
		}
		info.Plan, info.Scenario, info.Tools, info.Finished = *plan, string(s.Redacted()), tools, nil
		return run, run.Update(info)
	}
	host := observe.HostInfo()
	return results.Create(f.results, bench.RunInfo{
		Version: 1, Started: time.Now().UTC(), Command: commandLine(), Scenario: string(s.Redacted()),
		Plan: *plan, Tools: tools, Host: host, Generator: host,
	})
}

// resumeRef lets "latest" mean the latest run of this scenario.
func resumeRef(ref, name string) string {
	if ref == "latest" || strings.HasPrefix(ref, "latest~") {
		return name + "/" + ref
	}
	return ref
}

// commandLine is how the run is repeated: the command as given, by its plain name.
func commandLine() []string { return append([]string{"matrix"}, os.Args[1:]...) }

// checkTools makes each driver that the plan needs and asks whether this
// machine has it, and each server kind likewise: every absence is told at once.
func checkTools(ctx context.Context, plan *bench.Plan) (map[string]driver.Driver, map[string]string, error) {
	drivers, tools := map[string]driver.Driver{}, map[string]string{"matrix": version(), "go": runtime.Version()}
	var missing []error
	for _, c := range plan.Cells {
		if drivers[c.Driver] != nil {
			continue
		}
		kind, err := driver.Find(c.Driver)
		if err != nil {
			return nil, nil, failure{exitAuthor, err}
		}
		d := kind.New()
		v, err := d.Check(ctx)
		if err != nil {
			missing = append(missing, fmt.Errorf("driver %s: %w", c.Driver, err))
		}
		drivers[c.Driver], tools[c.Driver] = d, v
	}
	for _, s := range plan.Systems {
		if s.Server == nil || tools[s.Server.Kind] != "" {
			continue
		}
		kind, err := system.KindOf(s)
		if err != nil {
			return nil, nil, failure{exitAuthor, err}
		}
		v, err := kind.Check(ctx)
		if err != nil {
			missing = append(missing, fmt.Errorf("server %s: %w", s.Server.Kind, err))
		}
		tools[s.Server.Kind] = v
	}
	if err := errors.Join(missing...); err != nil {
		return nil, nil, failure{exitAuthor, err}
	}
	return drivers, tools, nil
}

// sweep makes the files, runs the plan and stops every server, whatever happens.
func sweep(ctx context.Context, progress io.Writer, root string, run *results.Run, plan *bench.Plan, drivers map[string]driver.Driver) (s runner.Summary, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, fmt.Errorf("finding this program's own file: %w", err)
	}
	docroot := filepath.Join(root, ".files", fixtures.Folder(plan.Files, plan.Seed))
	manifest, err := fixtures.Make(ctx, docroot, plan.Files, plan.Seed)
	if err != nil {
		return s, fmt.Errorf("making the test files: %w", err)
	}
	info := run.Info()
	info.Servers = nil
	fleet := &runner.Servers{
		Plan: plan, Manifest: manifest, Offline: driver.Offline,
		Site: func(i int) system.Site {
			return system.Site{Dir: filepath.Join(run.Dir(), "servers", fmt.Sprint(i+1)), Docroot: docroot, Files: plan.Files, Self: []string{self}}
		},
		Started: func(_ int, i bench.ServerInfo) { info.Servers = append(info.Servers, i) },
	}
	ceiling, err := readCeiling()
	if err != nil {
		return s, err
	}
	show := newProgress(progress)
	r := &runner.Runner{Plan: plan, Drivers: drivers, Journal: run, Fleet: fleet, Manifest: manifest, Ceiling: ceiling, Events: show.event}
	s, err = r.Sweep(ctx)
	show.end()
	err = errors.Join(err, fleet.Down(context.WithoutCancel(ctx)))
	if !s.Interrupted && err == nil {
		info.Finished = new(time.Now().UTC())
	}
	return s, errors.Join(err, run.Update(info))
}

// outcome turns a summary into the exit code that a script relies on.
func outcome(s runner.Summary, dir, path string) error {
	switch {
	case s.Interrupted:
		return failure{exitInterrupted, fmt.Errorf("interrupted; go on with: matrix run %s --resume %s", path, dir)}
	case s.Unexpected > 0:
		return failure{exitFailedCells, fmt.Errorf("%d of %d trials failed; their reasons stand in the table", s.Unexpected, total(s))}
	default:
		return nil
	}
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
