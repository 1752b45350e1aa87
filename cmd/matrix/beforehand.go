package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/export"
	"matrix/internal/load"
	"matrix/internal/observe"
	"matrix/internal/results"
	"matrix/internal/system"
)

// beforehand is how long the host is looked at before anything is measured.
const beforehand = 200 * time.Millisecond

// busiest names the processes that are at work, to be put behind a note: on a
// terminal only, since journals and pages go to other people.
func busiest(w observe.Work) string {
	var names []string
	for _, b := range w.Busiest {
		names = append(names, fmt.Sprintf("%s (pid %d) %.2f", export.Visible(b.Name), b.PID, b.Cores))
	}
	if len(names) == 0 {
		return ""
	}
	return "; cores in use by " + strings.Join(names, ", ")
}

// tellWork warns of work that would disturb measurements.
func tellWork(w io.Writer, work observe.Work) {
	for _, n := range work.Notes() {
		fmt.Fprintf(w, "warning: %s%s\n", n.Text, busiest(work))
	}
}

// lookAround warns of others' work before the sweep of a run begins, and keeps
// that with the run: where a server's processes cannot be told from others',
// nothing later tells.
func lookAround(ctx context.Context, w io.Writer, run *results.Run, plan *bench.Plan) error {
	if !slices.ContainsFunc(plan.Cells, func(c bench.Cell) bool { return c.Skip == "" && !driver.Offline(c.Driver) }) {
		return nil
	}
	work := observe.LookAround(ctx, beforehand)
	tellWork(w, work)
	notes := work.Notes()
	if len(notes) == 0 {
		return nil
	}
	info := run.Info()
	for _, n := range notes {
		n.Text = "Before the sweep of " + time.Now().UTC().Format(time.DateTime) + " UTC: " + n.Text + "."
		info.Notes = append(info.Notes, n)
	}
	return run.Update(info)
}

// warn is the same before a single load. It looks only where the load average
// hints at work, so that a short one need not wait; and what comes up later is
// told with the measurement.
func warn(ctx context.Context, w io.Writer) {
	const hint = 0.5
	if load := observe.Sample().Load1; load == nil || *load < hint {
		return
	}
	tellWork(w, observe.LookAround(ctx, beforehand/2))
}

// watched makes a load, with the host looked at before and after: looking in
// between would cost what is measured.
func watched(ctx context.Context, l bench.Load) (bench.Measurement, bench.Observation, error) {
	apart, told := system.Apart(ctx, l.URLs[0], l)
	watch := observe.Start(ctx, time.Hour, observe.Party{Apart: apart, Hidden: !told})
	m, err := load.Run(ctx, l)
	return m, watch.Stop(), err
}
