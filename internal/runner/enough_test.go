package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matrix/internal/bench"
	"matrix/internal/fixtures"
	"matrix/internal/system"
)

// at is a driver whose trials have the given requests per second, and take as
// long as that says in the time of a synctest bubble.
func at(rate func(t bench.Trial) float64) scripted {
	return func(ctx context.Context, t bench.Trial, _ io.Writer) (bench.Measurement, error) {
		v := rate(t)
		if v == 0 {
			m := bench.Measurement{Issued: 1, Elapsed: time.Second}
			m.Fail(bench.Connect, 1, "connect: refused")
			return m, nil
		}
		const n = 1_000_000
		return bench.Measurement{Issued: n, OK: n, Elapsed: time.Duration(n / v * 1e9)}, nil
	}
}

// lasting adds the time that trials take.
func lasting(d time.Duration, s scripted) scripted {
	return func(ctx context.Context, t bench.Trial, w io.Writer) (bench.Measurement, error) {
		time.Sleep(d) // of a synctest bubble
		return s(ctx, t, w)
	}
}

// wide swings by 20 % from round to round, A0 does not.
func wide(t bench.Trial) float64 {
	if t.Cell.Key == "A0" {
		return 1000 + float64(t.Round%2)
	}
	return 1000 + 200*float64(t.Round%2)
}

func rounds(j *memory) map[bench.Key]int {
	n := map[bench.Key]int{}
	for _, r := range j.records {
		n[r.Cell.Key]++
	}
	return n
}

func until(p *bench.Plan) *bench.Plan {
	p.Until = &bench.Until{Min: 6, Share: 0.02}
	return p
}

func TestACellEndsWhenItsIntervalIsNarrow(t *testing.T) {
	r, j, _ := newRunner(until(gridPlan(2, 2, 10)), at(wide))
	last := Event{}
	r.Events = func(e Event) { last = e }
	sweepAll(t, r)
	if got, want := fmt.Sprint(rounds(j)), "map[A0:6 A1:10 B0:10 B1:10]"; got != want {
		t.Errorf("rounds %s, want %s", got, want)
	}
	if last.Done != 36 || last.Total != 36 || last.Left != 0 {
		t.Errorf("last event %d/%d, %d left", last.Done, last.Total, last.Left)
	}
}

func TestACellWithoutFiguresIsNotTriedFurther(t *testing.T) {
	r, j, _ := newRunner(until(gridPlan(2, 1, 12)), at(func(t bench.Trial) float64 {
		if t.Cell.Key == "B0" {
			return 0
		}
		return wide(bench.Trial{Cell: bench.Cell{}, Round: t.Round})
	}))
	sweepAll(t, r)
	if got, want := fmt.Sprint(rounds(j)), "map[A0:12 B0:6]"; got != want {
		t.Errorf("rounds %s, want %s", got, want)
	}
}

// TestEarlyEndsSurviveAResume ends a sweep anywhere and goes on: the trials are
// those of a sweep without an end in between, and the counts add up.
func TestEarlyEndsSurviveAResume(t *testing.T) {
	whole, want, _ := newRunner(until(gridPlan(2, 2, 10)), at(wide))
	sweepAll(t, whole)
	for cut := range want.records {
		r, j, _ := newRunner(until(gridPlan(2, 2, 10)), at(wide))
		j.records = append(j.records, want.records[:cut]...)
		last := Event{}
		r.Events = func(e Event) { last = e }
		sweepAll(t, r)
		if got := strings.Join(j.lines, "; "); got != strings.Join(want.lines[cut:], "; ") {
			t.Fatalf("cut after %d:\n got %s\nwant %s", cut, got, strings.Join(want.lines[cut:], "; "))
		}
		if last.Done != 36 || last.Total != 36 || last.Left != 0 || last.Ran != 36-cut {
			t.Fatalf("cut after %d: last event %d/%d, %d left, %d ran", cut, last.Done, last.Total, last.Left, last.Ran)
		}
	}
}

func TestTheBudgetEndsASweep(t *testing.T) {
	for _, c := range []struct {
		name    string
		budget  time.Duration
		trials  int
		stopped bench.Stop
	}{
		{"room for all", 80*time.Second + 1, 8, ""},
		{"the next one would end too late", 79 * time.Second, 7, bench.StopBudget},
		{"before the first", 9 * time.Second, 0, bench.StopBudget},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := gridPlan(2, 2, 2)
				p.Budget = c.budget
				for i := range p.Cells {
					p.Cells[i].Load = bench.Load{Conns: 1, Duration: 10 * time.Second}
				}
				r, j, _ := newRunner(p, lasting(10*time.Second, sound))
				s := sweepAll(t, r)
				if len(j.records) != c.trials || s.Stopped != c.stopped || s.Elapsed > c.budget {
					t.Errorf("%d trials in %v, stopped by %q; want %d, %q", len(j.records), s.Elapsed, s.Stopped, c.trials, c.stopped)
				}
			})
		})
	}
}

func TestTheBudgetGoesByWhatTrialsTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 2, 3)
		p.Budget = 25 * time.Second
		r, j, _ := newRunner(p, lasting(10*time.Second, sound))
		left := []time.Duration{}
		r.Events = func(e Event) {
			if e.Record == nil {
				left = append(left, e.Budget)
			}
		}
		s := sweepAll(t, r)
		if len(j.records) != 2 || s.Stopped != bench.StopBudget {
			t.Errorf("%d trials, stopped by %q", len(j.records), s.Stopped)
		}
		if got := fmt.Sprint(left); got != "[25s 15s]" {
			t.Errorf("left of the budget: %s", got)
		}
	})
}

// TestTheBudgetEndsATrialThatHangs: nothing tells beforehand that it would.
func TestTheBudgetEndsATrialThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 3, 2)
		p.Budget = time.Minute
		hang := func(ctx context.Context, tr bench.Trial, w io.Writer) (bench.Measurement, error) {
			if tr.Cell.Key != "A1" {
				return sound(ctx, tr, w)
			}
			<-ctx.Done()
			return bench.Measurement{Issued: 1, Aborted: 1, Elapsed: time.Minute}, ctx.Err()
		}
		p.Cells[1].Load = bench.Load{Conns: 1, Requests: 5000}
		r, j, _ := newRunner(p, hang)
		s := sweepAll(t, r)
		if s.Elapsed != time.Minute || s.Stopped != bench.StopBudget || s.Interrupted {
			t.Errorf("%+v", s)
		}
		check(t, j.lines, "A0#1 ok; A1#1 interrupted")
		if got := j.records[len(j.records)-1].Reason; got != errBudget.Error() {
			t.Errorf("reason %q", got)
		}
	})
}

// TestTheBudgetOfAResumeKnowsWhatTrialsTook: a sweep that goes on begins no trial
// that took longer before than is left.
func TestTheBudgetOfAResumeKnowsWhatTrialsTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 1, 3)
		p.Budget = 25 * time.Second
		r, j, _ := newRunner(p, lasting(20*time.Second, sound))
		if s := sweepAll(t, r); s.Stopped != bench.StopBudget || len(j.records) != 1 {
			t.Fatalf("%d records, %+v", len(j.records), s)
		}
		p.Budget = 19 * time.Second
		if s := sweepAll(t, r); s.Stopped != bench.StopBudget || s.Elapsed != 0 || len(j.records) != 1 {
			t.Errorf("%d records, %+v", len(j.records), s)
		}
		p.Budget = 20*time.Second + time.Millisecond
		if s := sweepAll(t, r); s.Stopped != bench.StopBudget || len(j.records) != 2 {
			t.Errorf("%d records, %+v", len(j.records), s)
		}
	})
}

func TestTheHostIsLeftToCoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 1, 3)
		p.CoolDown = &bench.CoolDown{TimeWait: 100, Max: time.Second}
		r, j, _ := newRunner(p, sound)
		looks := []int{100, 101, 7, 101, 101, 101, 101, 101}
		r.Glance = func() bench.Host {
			h := bench.Host{TimeWait: new(looks[0])}
			looks = looks[1:]
			return h
		}
		s := sweepAll(t, r)
		for i, want := range []time.Duration{0, 250 * time.Millisecond, time.Second} {
			if got := j.records[i]; got.Waited != want {
				t.Errorf("round %d waited %v, want %v", i+1, got.Waited, want)
			}
		}
		want := bench.Note{Code: "not-settled", Text: "the host had not come to rest after 1s: 101 sockets in TIME_WAIT"}
		if n := j.records[2].Notes; len(n) != 1 || n[0] != want {
			t.Errorf("notes %+v", n)
		}
		if s.Waited != 1250*time.Millisecond {
			t.Errorf("summary: waited %v", s.Waited)
		}
	})
}

func TestInterruptingTheCoolDownRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 1, 1)
		p.CoolDown = &bench.CoolDown{TimeWait: 0, Max: time.Hour}
		r, j, _ := newRunner(p, func(context.Context, bench.Trial, io.Writer) (bench.Measurement, error) {
			t.Error("the driver ran")
			return bench.Measurement{}, nil
		})
		r.Glance = func() bench.Host { return bench.Host{TimeWait: new(5)} }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := r.Sweep(ctx)
		if err != nil || !s.Interrupted {
			t.Errorf("%+v, %v", s, err)
		}
		check(t, j.lines, "A0#1 interrupted")
	})
}

func TestWarmUpTrialsAreNotCounted(t *testing.T) {
	p := gridPlan(2, 1, 2)
	p.WarmupTrials = 2
	ran := map[bench.Key]int{}
	r, j, f := newRunner(p, func(ctx context.Context, tr bench.Trial, w io.Writer) (bench.Measurement, error) {
		ran[tr.Cell.Key]++
		return sound(ctx, tr, w)
	})
	f.ends = map[int]error{1: errors.New("nginx ended: signal 11")}
	sweepAll(t, r)
	if len(j.records) != 4 || ran["A0"] != 2+2 || ran["B0"] != 2*(2+1) {
		t.Errorf("%d records; ran %v, B with warm caches only while its server lives", len(j.records), ran)
	}
}

func TestASystemThatStaysDownIsGivenUp(t *testing.T) {
	p := gridPlan(1, 1, 1) // nobody listens at its URL
	f := &Servers{Plan: p, Manifest: fixtures.Manifest{Files: map[string]fixtures.Entry{"/small.html": {Size: 1500}}}, Offline: func(string) bool { return false }, Site: func(int) system.Site { return system.Site{} }}
	for i, given := range []bool{false, false, false, true, true} {
		_, err := f.Up(t.Context(), p.Cells[0])
		if err == nil || strings.Contains(err.Error(), "not tried again after 3 times") != given {
			t.Errorf("time %d: %v", i+1, err)
		}
	}
}
