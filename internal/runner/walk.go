package runner

import (
	"context"
	"errors"
	"time"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// walk is how far a sweep has come.
type walk struct {
	r      *Runner
	start  time.Time
	event  Event                        // the counts of it
	rounds map[bench.Key][]bench.Record // by cell, in order; only where a cell can end early
	ended  map[bench.Key]bool           // cells that get no further round
	before map[bench.Key]bool           // cells that had ended before this sweep, so that their further rounds were never counted
	took   map[bench.Key]time.Duration  // of the last trial of each cell, with all around it
	all    time.Duration                // of all of this sweep
	driven int                          // trials that are in all: those that are skipped take no time
}

// errBudget ends the trial that is under way when the budget is spent.
var errBudget = errors.New("the budget of the sweep was spent while it ran")

// within is ctx until the budget is spent.
func (w *walk) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.r.Plan.Budget <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, w.start.Add(w.r.Plan.Budget), errBudget)
}

func (r *Runner) begin() *walk {
	w := &walk{r: r, start: time.Now(), rounds: map[bench.Key][]bench.Record{}, ended: map[bench.Key]bool{}, before: map[bench.Key]bool{}, took: map[bench.Key]time.Duration{}}
	for _, c := range r.Plan.Cells {
		w.count(c)
	}
	w.event.Left = w.event.Total - w.event.Done
	return w
}

// count adds the trials of a cell to the counts: all that it may have, less
// those that earlier sweeps have made needless.
func (w *walk) count(c bench.Cell) {
	var kept []bench.Record
	for round := 1; round <= w.r.Plan.Rounds; round++ {
		record, done := w.r.Journal.Kept(bench.Trial{Cell: c, Round: round})
		w.event.Total++
		if done {
			w.event.Done++
		}
		if w.r.Plan.Until == nil {
			continue
		}
		if done && len(kept) == round-1 {
			kept = append(kept, record)
			if table.StopOf(w.r.Plan, kept) != "" {
				w.before[c.Key] = true
				return
			}
		}
	}
}

// open reports whether a cell gets a further round.
func (w *walk) open(i int) bool { return !w.ended[w.r.Plan.Cells[i].Key] }

// overBudget reports whether the trial would probably end too late.
func (w *walk) overBudget(t bench.Trial) bool {
	return w.r.Plan.Budget > 0 && time.Since(w.start)+w.expected(t) > w.r.Plan.Budget
}

// expected is how long a trial will probably take: what the cell took before,
// or else its duration, or else the mean of all; 0 where nothing is known.
func (w *walk) expected(t bench.Trial) time.Duration {
	if t.Cell.Skip != "" {
		return 0
	}
	if d, ok := w.took[t.Cell.Key]; ok {
		return d
	}
	if l := t.Cell.Load; l.Duration > 0 {
		return (l.Warmup + l.Ramp + l.Duration) * time.Duration(1+w.r.Plan.MultiTimes+w.r.Plan.WarmupTrials)
	}
	if w.driven > 0 {
		return w.all / time.Duration(w.driven)
	}
	return 0
}

// ran counts a trial of this sweep, and the time since it was begun.
func (w *walk) ran(t bench.Trial, took time.Duration) {
	w.event.Done, w.event.Ran, w.event.Left = w.event.Done+1, w.event.Ran+1, w.event.Left-1
	if t.Cell.Skip == "" {
		w.took[t.Cell.Key] = took
		w.all, w.driven = w.all+took, w.driven+1
	}
}

// know takes a record of a cell into account, made now or before: it may be the
// last that the cell needs.
func (w *walk) know(record bench.Record) {
	p, key := w.r.Plan, record.Cell.Key
	if _, ours := w.took[key]; !ours && record.Took > 0 {
		w.took[key] = record.Took + record.Waited // by an earlier sweep
	}
	if p.Until == nil || record.State == bench.StateInterrupted {
		return
	}
	w.rounds[key] = append(w.rounds[key], record)
	if stop := table.StopOf(p, w.rounds[key]); stop == "" || stop == bench.StopMost {
		return
	}
	w.ended[key] = true
	if w.before[key] {
		return
	}
	for round := record.Round + 1; round <= p.Rounds; round++ {
		if _, done := w.r.Journal.Kept(bench.Trial{Cell: record.Cell, Round: round}); !done {
			w.event.Total, w.event.Left = w.event.Total-1, w.event.Left-1
		}
	}
}
