// Package runner conducts a sweep: it walks the trials of a plan, runs those
// that the journal lacks, and appends one record for each.
//
// A plan, drivers and a journal come in; records and events go out. The package
// makes no load and reads no YAML itself, prints nothing, and decides nothing
// about tables. A trial that fails is data; only a journal that cannot be
// written stops a sweep.
package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/fixtures"
	"matrix/internal/observe"
)

// Journal is where records are kept; *results.Run is one.
type Journal interface {
	Done(bench.Trial) bool
	Append(bench.Record) error
	Raw(trialID string) (name string, w io.WriteCloser, err error)
}

// Runner sweeps one plan. Its fields are set once, before Sweep.
type Runner struct {
	Plan     *bench.Plan
	Drivers  map[string]driver.Driver // by the names that the plan's cells use
	Journal  Journal
	Fleet    Fleet
	Manifest fixtures.Manifest // of the test files, for expected lengths
	Ceiling  bench.Ceiling     // of the built-in engine on this machine; the zero value holds nothing against a trial
	Look     Look              // at the host around a trial; nil looks at this one
	Events   func(Event)       // told of progress from Sweep's goroutine; nil tells nobody
}

// Look begins to look at a host and the given processes, and returns what ends
// the look and tells what was seen.
type Look func(ctx context.Context, pids func() []int) (end func() bench.Observation)

func lookHere(ctx context.Context, pids func() []int) func() bench.Observation {
	return observe.Start(ctx, sampling, pids).Stop
}

// Event is a step of a sweep, for a progress display.
type Event struct {
	Trial  bench.Trial
	Record *bench.Record // nil when the trial begins
	Done   int           // trials with a record, those of earlier runs included
	Total  int           // trials of the plan
	Ran    int           // trials run by this sweep so far
	Left   int           // trials still to run
}

// Summary tells how a sweep ended.
type Summary struct {
	States      map[bench.State]int // of the records that this sweep wrote
	Interrupted bool
	InTrials    time.Duration // of the sweep's time, that in which a driver was at work
	Elapsed     time.Duration // of the whole sweep: servers brought up, hosts looked at, records kept
}

// Sweep runs every trial that the journal lacks. Its error is ours: a journal
// that cannot be written. When ctx ends, the trial under way is kept as
// interrupted and the sweep returns at once.
func (r *Runner) Sweep(ctx context.Context) (s Summary, err error) {
	s = Summary{States: map[bench.State]int{}}
	start := time.Now()
	defer func() { s.Elapsed = time.Since(start) }()
	e := r.count()
	for trial := range r.Plan.Trials() {
		if r.Journal.Done(trial) {
			continue
		}
		if ctx.Err() != nil {
			s.Interrupted = true
			break
		}
		r.tell(e, trial, nil)
		record := r.attempt(ctx, trial)
		if err := r.Journal.Append(record); err != nil {
			return s, fmt.Errorf("writing the journal: %w", err)
		}
		s.add(record)
		e.Done, e.Ran, e.Left = e.Done+1, e.Ran+1, e.Left-1
		r.tell(e, trial, &record)
	}
	return s, nil
}

func (r *Runner) count() (e Event) {
	for trial := range r.Plan.Trials() {
		e.Total++
		if r.Journal.Done(trial) {
			e.Done++
		}
	}
	e.Left = e.Total - e.Done
	return e
}

func (r *Runner) tell(e Event, trial bench.Trial, record *bench.Record) {
	if r.Events == nil {
		return
	}
	e.Trial, e.Record = trial, record
	r.Events(e)
}

func (s *Summary) add(r bench.Record) {
	s.States[r.State]++
	s.InTrials += r.Took
	if r.State == bench.StateInterrupted {
		s.Interrupted = true
	}
}

// attempt runs one trial to its record, whatever happens.
func (r *Runner) attempt(ctx context.Context, trial bench.Trial) bench.Record {
	record := bench.Record{Trial: trial, Started: time.Now().UTC()}
	if trial.Cell.Skip != "" {
		record.State, record.Reason = bench.StateSkipped, trial.Cell.Skip
		return record
	}
	d, known := r.Drivers[trial.Cell.Driver]
	if !known {
		record.State, record.Reason = bench.StateFailed, fmt.Sprintf("no driver is called %q", trial.Cell.Driver)
		return record
	}
	site, err := r.Fleet.Up(ctx, trial.Cell)
	if err != nil {
		record.State, record.Reason = fate(ctx, err)
		return record
	}
	record.Cell.Load = r.aim(trial.Cell, site)
	r.measure(ctx, d, site, &record)
	if record.State.Ranked() && r.Plan.MultiTimes > 0 {
		start := time.Now()
		record.Multi = r.again(ctx, d, record.Trial)
		record.Took += time.Since(start)
		if ctx.Err() != nil {
			record.State, record.Multi = bench.StateInterrupted, nil
		}
	}
	if site.Ended != nil {
		if err := site.Ended(); err != nil {
			record.Notes = append(record.Notes, bench.Note{Code: "server-ended", Text: err.Error()})
			r.Fleet.Lost(trial.Cell.System)
		}
	}
	return record
}

// fate is the state of a trial whose system or driver could not work.
func fate(ctx context.Context, err error) (bench.State, string) {
	if ctx.Err() != nil {
		return bench.StateInterrupted, ""
	}
	return bench.StateFailed, err.Error()
}
