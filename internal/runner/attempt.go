package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/observe"
)

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
	r.warmUp(ctx, d, record.Trial)
	r.coolDown(ctx, &record)
	if ctx.Err() != nil {
		record.State = bench.StateInterrupted
		return record
	}
	record.Started = time.Now().UTC()
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
			r.lost(&record, err)
		}
	}
	return record
}

// lost keeps that the server of a trial ended by itself. What was measured until
// then stays, and is no figure of a server that serves: the trial has failed.
func (r *Runner) lost(record *bench.Record, why error) {
	record.Notes = append(record.Notes, bench.Note{Code: "server-ended", Text: why.Error()})
	if record.State.Ranked() {
		record.State, record.Reason = bench.StateFailed, join(why.Error(), record.Reason, record.Measurement)
		record.Multi = nil
	}
	r.Fleet.Lost(record.Cell.System)
	delete(r.warm, record.Cell.System)
}

// fate is the state of a trial whose system or driver could not work.
func fate(ctx context.Context, err error) (bench.State, string) {
	if ctx.Err() != nil {
		return bench.StateInterrupted, ""
	}
	return bench.StateFailed, err.Error()
}

// warmUp runs the warm-up trials of a cell that is tried for the first time in
// this sweep, or since its server was started anew. What becomes of them is
// nobody's business: the trial after them tells.
func (r *Runner) warmUp(ctx context.Context, d driver.Driver, trial bench.Trial) {
	index, key := trial.Cell.System, trial.Cell.Key
	if r.Plan.WarmupTrials == 0 || r.warm[index][key] {
		return
	}
	for range r.Plan.WarmupTrials {
		if ctx.Err() == nil {
			_, _ = drive(ctx, d, trial, io.Discard)
		}
	}
	cells := r.warm[index]
	put(&cells, key, true)
	put(&r.warm, index, cells)
}

// coolDown waits for the host as the plan asks.
func (r *Runner) coolDown(ctx context.Context, record *bench.Record) {
	c := r.Plan.CoolDown
	if c == nil {
		return
	}
	look := r.Glance
	if look == nil {
		look = observe.Sample
	}
	waited, above := observe.Settle(ctx, *c, look)
	record.Waited = waited
	if above != "" && ctx.Err() == nil {
		record.Notes = append(record.Notes, bench.Note{Code: "not-settled", Text: fmt.Sprintf(
			"the host had not come to rest after %v: %s", c.Max, above)})
	}
}
