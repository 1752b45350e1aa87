// Package runner conducts a sweep: it walks the trials of a plan, runs those
// that the journal lacks, and appends one record for each, until every cell has
// the rounds that it needs.
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
	// Kept is the record of a trial that is not to be run again; false where there
	// is none.
	Kept(bench.Trial) (bench.Record, bool)
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
	Glance   func() bench.Host // at the host that is to cool down before a trial; nil looks at this one
	Events   func(Event)       // told of progress from Sweep's goroutine; nil tells nobody

	warm map[int]map[bench.Key]bool // by system: cells whose warm-up trials are done
}

// Look begins to look at a host and at those who take part in a trial, and
// returns what ends the look and tells what was seen.
type Look func(ctx context.Context, p observe.Party) (end func() bench.Observation)

// Event is a step of a sweep, for a progress display.
type Event struct {
	Trial  bench.Trial
	Record *bench.Record // nil when the trial begins
	Done   int           // trials with a record, those of earlier runs included
	Total  int           // trials of the plan: where cells can end early, those that there can still be
	Ran    int           // trials run by this sweep so far
	Left   int           // trials still to run, at most
	Budget time.Duration // what is left of the sweep's budget; 0 where there is none
}

// Summary tells how a sweep ended.
type Summary struct {
	States      map[bench.State]int // of the records that this sweep wrote
	Interrupted bool
	Stopped     bench.Stop    // StopBudget where the budget ended the sweep, else ""
	Waited      time.Duration // for the host to cool down
	InTrials    time.Duration // of the sweep's time, that in which a driver was at work
	Elapsed     time.Duration // of the whole sweep: servers brought up, hosts looked at, records kept
}

// Sweep runs every trial that the journal lacks, until each cell has the rounds
// that it needs or the budget is spent. Its error is ours: a journal that cannot
// be written. When ctx ends, or the budget during a trial that takes longer than
// was to be expected, the trial under way is kept as interrupted and the sweep
// returns at once.
func (r *Runner) Sweep(ctx context.Context) (s Summary, err error) {
	s = Summary{States: map[bench.State]int{}}
	w := r.begin()
	defer func() { s.Elapsed = time.Since(w.start) }()
	within, release := w.within(ctx)
	defer release()
	for round := 1; round <= r.Plan.Rounds; round++ {
		for _, trial := range r.Plan.Round(round, w.open) {
			record, kept := r.Journal.Kept(trial)
			if !kept {
				if ctx.Err() != nil {
					s.Interrupted = true
					return s, nil
				}
				if w.overBudget(trial) {
					s.Stopped = bench.StopBudget
					return s, nil
				}
				if record, err = r.try(within, w, trial); err != nil {
					return s, fmt.Errorf("writing the journal: %w", err)
				}
				s.add(record)
			}
			w.know(record)
			if !kept {
				r.tell(w, trial, &record)
			}
			if record.State == bench.StateInterrupted {
				if s.Interrupted = ctx.Err() != nil; !s.Interrupted {
					s.Stopped = bench.StopBudget
				}
				return s, nil
			}
		}
	}
	return s, nil
}

// try runs a trial and keeps its record.
func (r *Runner) try(ctx context.Context, w *walk, trial bench.Trial) (bench.Record, error) {
	r.tell(w, trial, nil)
	begun := time.Now()
	record := r.attempt(ctx, trial)
	if record.State == bench.StateInterrupted && context.Cause(ctx) == errBudget {
		record.Reason = errBudget.Error()
	}
	if err := r.Journal.Append(record); err != nil {
		return record, err
	}
	w.ran(trial, time.Since(begun))
	return record, nil
}

func (r *Runner) tell(w *walk, trial bench.Trial, record *bench.Record) {
	if r.Events == nil {
		return
	}
	e := w.event
	e.Trial, e.Record = trial, record
	if b := r.Plan.Budget; b > 0 {
		e.Budget = max(b-time.Since(w.start), time.Nanosecond)
	}
	r.Events(e)
}

func (s *Summary) add(r bench.Record) {
	s.States[r.State]++
	s.InTrials += r.Took
	s.Waited += r.Waited
}
