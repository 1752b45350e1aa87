package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/observe"
)

// sampling is how often the host is looked at during a trial. The load average
// itself moves every 5 s; zombies come and go faster.
const sampling = 250 * time.Millisecond

// grace is what a driver gets beyond the longest its load may take.
const grace = 10 * time.Second

// aim completes a cell's load with what is known once its system is up: the
// URLs, and by their paths the length and checksum that answers must have,
// where the scenario has them checked.
func (r *Runner) aim(c bench.Cell, site Site) bench.Load {
	l := c.Load
	l.URLs = c.File.URLs(site.Base)
	known := r.Manifest.Expect(c.File)
	var expect bench.Expect
	for i, path := range c.File.Paths() {
		full := urlPath(l.URLs[i])
		if l.Expect.Length != nil {
			put(&expect.Length, full, c.File.Size)
		}
		if sum := known.SHA256[path]; sum != "" && l.Expect.SampleOne > 0 {
			put(&expect.SHA256, full, sum)
		}
	}
	expect.SampleOne = l.Expect.SampleOne
	l.Expect = expect
	return l
}

func urlPath(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	return u.Path
}

// measure runs the trial of the record once, with the host observed around it.
func (r *Runner) measure(ctx context.Context, d driver.Driver, site Site, record *bench.Record) {
	name, raw, err := r.Journal.Raw(record.ID())
	if err != nil {
		record.State, record.Reason = bench.StateFailed, fmt.Sprintf("keeping what the driver prints: %v", err)
		return
	}
	kept := &counted{w: raw}
	end := r.look(ctx, site)
	start := time.Now()
	m, err := drive(ctx, d, record.Trial, kept)
	record.Took = time.Since(start)
	record.Host = end()
	record.Measurement = m
	if cerr := raw.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("keeping what the driver prints: %w", cerr)
	}
	if kept.n > 0 {
		record.Raw = name
	}
	record.State, record.Reason = verdict(ctx, m, err)
	record.Notes = append(record.Notes, portNote(record.Host)...)
	if n, near := r.Ceiling.Note(record.Cell.Load, record.Cell.File.Size, m); near {
		record.Notes = append(record.Notes, n)
	}
}

// look begins to look at the host, where the trial has to do with it.
func (r *Runner) look(ctx context.Context, site Site) (end func() bench.Observation) {
	switch {
	case site.Offline:
		return func() bench.Observation { return bench.Observation{} }
	case r.Look != nil:
		return r.Look(ctx, site.Party)
	}
	return observe.Start(ctx, sampling, site.Party).Stop
}

// drive runs the driver within the time that the trial may take at most.
func drive(ctx context.Context, d driver.Driver, trial bench.Trial, raw io.Writer) (bench.Measurement, error) {
	limit := trial.Cell.Load.Longest() + grace
	if l := trial.Cell.Limit; l > 0 {
		limit = min(limit, l)
	}
	tctx, stop := context.WithTimeoutCause(ctx, limit, errLimit{limit})
	defer stop()
	m, err := d.Run(tctx, trial, raw)
	if cause := context.Cause(tctx); errors.As(cause, new(errLimit)) {
		return m, cause
	}
	return m, err
}

type errLimit struct{ limit time.Duration }

func (e errLimit) Error() string { return fmt.Sprintf("the trial did not end within %v", e.limit) }

// verdict derives the state of a trial from its measurement, the driver's own
// error and whether the sweep was interrupted.
func verdict(ctx context.Context, m bench.Measurement, err error) (bench.State, string) {
	if ctx.Err() != nil {
		return bench.StateInterrupted, ""
	}
	state, reason := m.State()
	if cerr := m.Check(); cerr != nil && err == nil {
		err = fmt.Errorf("the driver's counters disagree: %w", cerr)
	}
	switch {
	case errors.As(err, new(errLimit)):
		return bench.StateTimeout, join(err.Error(), reason, m)
	case err != nil:
		return bench.StateFailed, join(err.Error(), reason, m)
	default:
		return state, reason
	}
}

// join adds what the counters tell to the driver's error, when they tell anything.
func join(problem, reason string, m bench.Measurement) string {
	if m.FailedSum() == 0 {
		return problem
	}
	return problem + "; " + reason
}

// again runs the cell Plan.MultiTimes more times at once, until one fails: the
// published tables' "Multi Times?".
func (r *Runner) again(ctx context.Context, d driver.Driver, trial bench.Trial) *bench.Multi {
	multi := &bench.Multi{Asked: r.Plan.MultiTimes}
	for range multi.Asked {
		m, err := drive(ctx, d, trial, io.Discard)
		state, reason := verdict(ctx, m, err)
		if state != bench.StateOK {
			multi.Reason = reason
			break
		}
		multi.OK++
	}
	return multi
}

// portNote tells when sockets that earlier trials left in TIME_WAIT took up a
// good part of the local ports before the trial began.
func portNote(o bench.Observation) []bench.Note {
	const many = 14000 // half of Linux's default 28232 ephemeral ports
	if o.Before.TimeWait == nil || *o.Before.TimeWait < many {
		return nil
	}
	return []bench.Note{{Code: "time-wait", Text: fmt.Sprintf("more than %d sockets were in TIME_WAIT when the trial began", many)}}
}

// counted counts the bytes written through it.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
