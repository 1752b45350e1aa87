package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/observe"
	"matrix/internal/results"
	"matrix/internal/runner"
	"matrix/internal/scenario"
)

// open creates the run's folder, or takes an earlier run up again. It returns
// the plan to sweep, too: of a run taken up without a filter, its own.
func (f runFlags) open(s *scenario.Scenario, whole, asked *bench.Plan, tools map[string]string) (*results.Run, *bench.Plan, error) {
	if f.resume != "" {
		return f.takeUp(s, whole, asked, tools)
	}
	host := observe.HostInfo()
	run, err := results.Create(f.results, bench.RunInfo{
		Started: time.Now().UTC(), Command: commandLine(), Only: f.only, Scenario: string(s.Redacted()),
		Plan: scenario.Kept(*asked), Tools: tools, Host: host, Generator: host,
	})
	return run, asked, err
}

func (f runFlags) takeUp(s *scenario.Scenario, whole, asked *bench.Plan, tools map[string]string) (*results.Run, *bench.Plan, error) {
	dir, err := results.Find(f.results, resumeRef(f.resume, whole.Scenario))
	if err != nil {
		return nil, nil, failure{exitAuthor, fmt.Errorf("--resume: %w", err)}
	}
	run, err := results.Resume(dir)
	if err != nil {
		return nil, nil, err
	}
	info := run.Info()
	if info.Plan.Scenario != whole.Scenario {
		err := failure{exitAuthor, fmt.Errorf("--resume: %s is a run of scenario %q, not of %q", dir, info.Plan.Scenario, whole.Scenario)}
		return nil, nil, errors.Join(err, run.Close())
	}
	own := ownPlan(info, whole, asked, f.only)
	if f.only == "" {
		asked = own
	}
	info.Plan, info.Scenario, info.Finished, info.Stopped = scenario.Kept(*own), string(s.Redacted()), nil, ""
	info.Notes = append(info.Notes, resumedOn(info, observe.HostInfo(), tools)...)
	maps.Copy(info.Tools, tools)
	if err := run.Update(info); err != nil {
		return nil, nil, errors.Join(err, run.Close())
	}
	return run, asked, nil
}

// ownPlan is what a run that is taken up is to hold in the end: all of the
// scenario or, of a run that was narrowed, what it had and what is asked for now.
func ownPlan(info bench.RunInfo, whole, asked *bench.Plan, only string) *bench.Plan {
	if info.Only == "" {
		return whole
	}
	keys := map[bench.Key]bool{}
	for _, c := range info.Plan.Cells {
		keys[c.Key] = true
	}
	if only != "" {
		for _, c := range asked.Cells {
			keys[c.Key] = true
		}
	}
	return scenario.Keep(whole, func(c bench.Cell) bool { return keys[c.Key] })
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

// journal is the run's, or with --retry-failed one that takes what failed before
// as not done.
func (f runFlags) journal(run *results.Run) runner.Journal {
	if !f.retry {
		return run
	}
	again := map[string]bool{}
	for _, r := range run.Records() {
		if r.State.Failed() {
			again[r.ID()] = true
		}
	}
	return retried{run, again}
}

type retried struct {
	run   *results.Run
	again map[string]bool
}

func (j retried) Kept(t bench.Trial) (bench.Record, bool) {
	r, kept := j.run.Kept(t)
	return r, kept && !j.again[t.ID()]
}
func (j retried) Append(r bench.Record) error                   { delete(j.again, r.ID()); return j.run.Append(r) }
func (j retried) Raw(id string) (string, io.WriteCloser, error) { return j.run.Raw(id) }
