package main

// The order of trials: workloads, rounds, clients in turn.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// trial is one client's run of one workload, in one round.
type trial struct {
	Workload string   `json:"workload"`
	Client   string   `json:"client"`
	Round    int      `json:"round"`
	Command  []string `json:"command"`
	cost
	figures
	ServerCPUS *float64 `json:"server_cpu_s"` // nil: not read
	Error      string   `json:"error,omitempty"`
}

// perCPUSecond is requests for each second of the client's CPU time.
func (t trial) perCPUSecond() (float64, bool) {
	return t.Requests / t.cpu(), t.Error == "" && t.Requests > 0 && t.cpu() > 0
}

func (t trial) perSecond() (float64, bool) {
	return t.PerSecond, t.Error == "" && t.PerSecond > 0
}

func (t trial) memory() (float64, bool) {
	return float64(t.MaxRSS), t.Error == "" && t.MaxRSS > 0
}

func (t trial) p50() (float64, bool) { return quantile(t, t.P50) }
func (t trial) p99() (float64, bool) { return quantile(t, t.P99) }

func quantile(t trial, v *float64) (float64, bool) {
	if v == nil || t.Error != "" {
		return 0, false
	}
	return *v, true
}

// sweep runs clients against servers.
type sweep struct {
	Clients  []client
	Rounds   int
	Seconds  int // of a trial
	Stalls   stalls
	TimeWait timeWait
	Progress func(format string, args ...any)
	ports    ports
}

// run measures the workloads one after the other; in each round every client
// has its turn, and each round begins with another client, so that whatever
// changes on the machine meets all of them. What was measured before an
// interruption is kept.
func (s *sweep) run(ctx context.Context, all []workload) ([]trial, error) {
	var trials []trial
	for _, w := range all {
		some, err := s.workload(ctx, w)
		trials = append(trials, some...)
		if err != nil {
			return trials, fmt.Errorf("%s: %w", w.name(), err)
		}
	}
	return trials, nil
}

func (s *sweep) workload(ctx context.Context, w workload) (trials []trial, err error) {
	var srv *site
	defer func() {
		if srv != nil {
			srv.stop()
		}
	}()
	for round := range s.rounds(w) {
		for i := range s.Clients {
			c := s.Clients[(i+round)%len(s.Clients)]
			if _, err := c.Argv(w, "", 1); err != nil {
				continue
			}
			// A stall must come at the same moment of each trial: a fresh server.
			if srv != nil && w.Aspect == aspectStall {
				srv.stop()
				srv = nil
			}
			if srv == nil {
				if srv, err = s.start(ctx, w.Server); err != nil {
					return trials, err
				}
			}
			t := s.trial(ctx, c, w, round, srv)
			if ctx.Err() != nil {
				return trials, ctx.Err()
			}
			trials = append(trials, t)
			if err := s.TimeWait.settle(ctx, srv.Port); err != nil {
				return trials, err
			}
		}
	}
	return trials, nil
}

// start starts a server on a port that none had before: the kernel may keep the
// sockets of a ring for a moment after its process has ended.
func (s *sweep) start(ctx context.Context, name string) (*site, error) {
	port, err := s.ports.take()
	if err != nil {
		return nil, err
	}
	return startSite(ctx, name, port, s.Stalls)
}

// rounds are fewer where a figure hardly varies: latencies of a known server
// and memory.
func (s *sweep) rounds(w workload) int {
	if w.Aspect == aspectWork {
		return s.Rounds
	}
	return min(s.Rounds, 3)
}

func (s *sweep) seconds(w workload) int {
	if w.Aspect == aspectStall {
		// Whole intervals, so that each trial sees whole stalls.
		return max(1, int(s.Stalls.Every/time.Second))
	}
	if w.Conns >= 10000 {
		return max(5, s.Seconds) // all the connections must have come to be
	}
	return s.Seconds
}

func (s *sweep) trial(ctx context.Context, c client, w workload, round int, srv *site) trial {
	seconds := s.seconds(w)
	argv, err := c.Argv(w, srv.URL+w.path(), seconds)
	t := trial{Workload: w.name(), Client: c.Name, Round: round, Command: append([]string{c.Bin}, argv...)}
	if err != nil {
		t.Error = err.Error()
		return t
	}
	limit, cancel := context.WithTimeout(ctx, time.Duration(3*seconds+60)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limit, c.Bin, argv...)
	cmd.Env = append(os.Environ(), c.Env...)
	before, ok1 := cpuOf(srv.pids())
	k, out, err := charge(limit, cmd)
	after, ok2 := cpuOf(srv.pids())
	t.cost = k
	if ok1 && ok2 {
		t.ServerCPUS = new(after - before)
	}
	// A client that counted failures may say so by its exit status: its figures
	// are read all the same, and the failures are among them.
	var exit *exec.ExitError
	var parsed error
	if t.figures, parsed = c.Parse(out); parsed != nil {
		t.Error = errors.Join(err, fmt.Errorf("%w: %s", parsed, tail(out))).Error()
	} else if err != nil && !errors.As(err, &exit) {
		t.Error = err.Error()
	}
	s.Progress("%-36s %-28s round %d  %s\n", t.Workload, t.Client, round+1, t.brief())
	return t
}

// brief is a trial in half a line, for the one who waits.
func (t trial) brief() string {
	if t.Error != "" {
		return t.Error
	}
	if t.Requests == 0 {
		return fmt.Sprintf("no request came to an end, %.0f failed", t.Failed)
	}
	text := fmt.Sprintf("%9.0f/s %7.2f us CPU %6.1f MB", t.PerSecond, t.cpu()/t.Requests*1e6, float64(t.MaxRSS)/1e6)
	if t.P50 != nil && t.P99 != nil {
		text += fmt.Sprintf("  p50 %.3f p99 %.3f ms", *t.P50, *t.P99)
	}
	if t.Failed > 0 {
		text += fmt.Sprintf("  %.0f failed", t.Failed)
	}
	return text
}
