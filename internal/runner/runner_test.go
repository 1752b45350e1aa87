package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/fixtures"
	"matrix/internal/observe"
)

// score is what happened, in order, as one reads it.
type score struct{ lines []string }

func (s *score) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

type memory struct {
	*score
	records []bench.Record
	fail    error
}

func (m *memory) Kept(t bench.Trial) (bench.Record, bool) {
	i := slices.IndexFunc(m.records, func(r bench.Record) bool {
		return r.ID() == t.ID() && r.State != bench.StateInterrupted
	})
	if i < 0 {
		return bench.Record{}, false
	}
	return m.records[i], true
}

func (m *memory) Append(r bench.Record) error {
	if m.fail != nil {
		return m.fail
	}
	m.add("%s %s", r.ID(), r.State)
	m.records = append(m.records, r)
	return nil
}

func (m *memory) Raw(string) (string, io.WriteCloser, error) {
	return "raw.txt", nopCloser{&bytes.Buffer{}}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// field is a Fleet without servers: down holds those that do not come up.
type field struct {
	*score
	down map[int]error
	ends map[int]error
	lost []int
}

func (f *field) Up(_ context.Context, c bench.Cell) (Site, error) {
	i := c.System
	if err := f.down[i]; err != nil {
		return Site{}, err
	}
	s := Site{Base: "http://127.0.0.1:1/"}
	if err := f.ends[i]; err != nil {
		s.Ended = func() error { return err }
	}
	return s, nil
}
func (f *field) Lost(i int)                 { f.lost = append(f.lost, i) }
func (f *field) Down(context.Context) error { return nil }

// scripted is a driver that does what a function says.
type scripted func(ctx context.Context, t bench.Trial, raw io.Writer) (bench.Measurement, error)

func (scripted) Check(context.Context) (string, error) { return "1", nil }
func (s scripted) Run(ctx context.Context, t bench.Trial, raw io.Writer) (bench.Measurement, error) {
	return s(ctx, t, raw)
}

func sound(_ context.Context, t bench.Trial, _ io.Writer) (bench.Measurement, error) {
	return bench.Measurement{Issued: 1, OK: 1, Elapsed: time.Second}, nil
}

func gridPlan(systems, points, rounds int) *bench.Plan {
	p := &bench.Plan{Rounds: rounds, Order: bench.Interleaved}
	for s := range systems {
		p.Systems = append(p.Systems, bench.System{Labels: []bench.Pair{{Name: "S", Value: string(rune('A' + s))}}, URL: "http://127.0.0.1:1"})
		for i := range points {
			p.Cells = append(p.Cells, bench.Cell{Key: bench.Key(fmt.Sprintf("%c%d", 'A'+s, i)), System: s, Point: i, Driver: "d",
				File: bench.File{Name: "small", Size: 1500}, Load: bench.Load{Conns: 1, Requests: 1}})
		}
	}
	return p
}

func newRunner(p *bench.Plan, d scripted) (*Runner, *memory, *field) {
	s := &score{}
	j, f := &memory{score: s}, &field{score: s}
	return &Runner{Plan: p, Drivers: map[string]driver.Driver{"d": d}, Journal: j, Fleet: f, Look: idle}, j, f
}

// idle is a host on which nothing happens.
func idle(context.Context, observe.Party) func() bench.Observation {
	return func() bench.Observation { return bench.Observation{} }
}

func sweepAll(t *testing.T, r *Runner) Summary {
	t.Helper()
	s, err := r.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, got []string, want string) {
	t.Helper()
	if g := strings.Join(got, "; "); g != want {
		t.Errorf("\n got %s\nwant %s", g, want)
	}
}

func TestEveryTrialIsRecordedInOrder(t *testing.T) {
	r, j, _ := newRunner(gridPlan(2, 2, 2), sound)
	s := sweepAll(t, r)
	check(t, j.lines, "B0#1 ok; A0#1 ok; A1#1 ok; B1#1 ok; A0#2 ok; B0#2 ok; B1#2 ok; A1#2 ok")
	if s.States[bench.StateOK] != 8 || s.Interrupted {
		t.Errorf("summary %+v", s)
	}
}

func TestASecondSweepRunsOnlyWhatIsMissing(t *testing.T) {
	p := gridPlan(1, 3, 1)
	r, j, _ := newRunner(p, sound)
	j.records = []bench.Record{{Trial: bench.Trial{Cell: p.Cells[0], Round: 1}, State: bench.StateFailed},
		{Trial: bench.Trial{Cell: p.Cells[2], Round: 1}, State: bench.StateInterrupted}}
	var events []string
	r.Events = func(e Event) {
		if e.Record != nil {
			events = append(events, fmt.Sprintf("%d/%d left %d", e.Done, e.Total, e.Left))
		}
	}
	sweepAll(t, r)
	check(t, j.lines, "A1#1 ok; A2#1 ok")
	check(t, events, "2/3 left 1; 3/3 left 0")
}

func TestASystemThatIsDownIsDataAndTheOthersFinish(t *testing.T) {
	r, j, f := newRunner(gridPlan(2, 1, 2), sound)
	f.down = map[int]error{0: errors.New("nginx: port 80 is taken")}
	sweepAll(t, r)
	check(t, j.lines, "B0#1 ok; A0#1 failed; A0#2 failed; B0#2 ok")
	if j.records[1].Reason != "nginx: port 80 is taken" {
		t.Errorf("reason %q", j.records[1].Reason)
	}
}

func TestAnExpectedFailureIsAFailureAllTheSame(t *testing.T) {
	p := gridPlan(1, 1, 1)
	p.Cells[0].ExpectFailure = true
	r, j, _ := newRunner(p, func(context.Context, bench.Trial, io.Writer) (bench.Measurement, error) {
		m := bench.Measurement{Issued: 2, OK: 1}
		m.Fail(bench.Client, 1, "socket: too many open files")
		return m, nil
	})
	s := sweepAll(t, r)
	check(t, j.lines, "A0#1 failed")
	if s.States[bench.StateFailed] != 1 {
		t.Errorf("summary %+v", s)
	}
}

func TestSkippedCellsKeepTheirReasonAndRunNothing(t *testing.T) {
	p := gridPlan(1, 1, 1)
	p.Cells[0].Skip = "concurrency 100 above requests 10"
	r, j, _ := newRunner(p, func(context.Context, bench.Trial, io.Writer) (bench.Measurement, error) {
		t.Error("a skipped cell was run")
		return bench.Measurement{}, nil
	})
	sweepAll(t, r)
	if got := j.records[0]; got.State != bench.StateSkipped || got.Reason != p.Cells[0].Skip {
		t.Errorf("got %s %q", got.State, got.Reason)
	}
}

func TestADriverThatCannotWorkIsAFailedTrial(t *testing.T) {
	r, j, _ := newRunner(gridPlan(1, 2, 1), func(_ context.Context, tr bench.Trial, _ io.Writer) (bench.Measurement, error) {
		if tr.Cell.Point == 0 {
			m := bench.Measurement{Issued: 10, OK: 7}
			m.Fail(bench.Reset, 3, "recv: connection reset")
			return m, errors.New("ab: exit status 104")
		}
		return bench.Measurement{Issued: 5, OK: 4}, nil // one request has no outcome
	})
	sweepAll(t, r)
	want := []string{"ab: exit status 104; recv: connection reset (3 of 10)",
		"the driver's counters disagree: issued 5, but ok 4 + failed 0 + aborted 0 = 4"}
	for i, w := range want {
		if j.records[i].State != bench.StateFailed || j.records[i].Reason != w {
			t.Errorf("record %d: %s %q, want failed %q", i, j.records[i].State, j.records[i].Reason, w)
		}
	}
}

func TestADriverThatHangsIsStoppedAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(1, 1, 1)
		p.Cells[0].Limit = time.Minute
		p.Cells[0].Load.Timeout = time.Hour
		r, j, _ := newRunner(p, func(ctx context.Context, _ bench.Trial, _ io.Writer) (bench.Measurement, error) {
			<-ctx.Done()
			return bench.Measurement{Issued: 3, OK: 2, Aborted: 1}, ctx.Err()
		})
		start := time.Now()
		sweepAll(t, r)
		if got := j.records[0]; got.State != bench.StateTimeout || got.Reason != "the trial did not end within 1m0s" || got.OK != 2 {
			t.Errorf("got %s %q ok %d", got.State, got.Reason, got.OK)
		}
		if d := time.Since(start); d != time.Minute {
			t.Errorf("stopped after %v", d)
		}
	})
}

func TestInterruptingKeepsWhatWasMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, j, _ := newRunner(gridPlan(1, 3, 1), func(_ context.Context, tr bench.Trial, _ io.Writer) (bench.Measurement, error) {
		if tr.Cell.Point == 1 {
			cancel()
			return bench.Measurement{Issued: 9, OK: 4, Aborted: 5}, context.Canceled
		}
		return bench.Measurement{Issued: 1, OK: 1}, nil
	})
	s, err := r.Sweep(ctx)
	if err != nil || !s.Interrupted {
		t.Fatalf("summary %+v, %v", s, err)
	}
	check(t, j.lines, "A0#1 ok; A1#1 interrupted")
	if j.records[1].OK != 4 {
		t.Errorf("partial count lost: %+v", j.records[1].Measurement)
	}
}

func TestAJournalThatCannotBeWrittenStopsTheSweep(t *testing.T) {
	r, j, _ := newRunner(gridPlan(1, 2, 1), sound)
	j.fail = errors.New("no space left on device")
	_, err := r.Sweep(t.Context())
	if err == nil || err.Error() != "writing the journal: no space left on device" {
		t.Errorf("got %v", err)
	}
}

func TestInterruptingTheRepeatsIsNoAnswerOfTheSystem(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := gridPlan(1, 1, 1)
	p.MultiTimes = 5
	runs := 0
	r, j, _ := newRunner(p, func(context.Context, bench.Trial, io.Writer) (bench.Measurement, error) {
		if runs++; runs == 3 {
			cancel()
			return bench.Measurement{Issued: 2, OK: 1, Aborted: 1}, nil
		}
		return bench.Measurement{Issued: 1, OK: 1}, nil
	})
	s, err := r.Sweep(ctx)
	if err != nil || !s.Interrupted {
		t.Fatalf("summary %+v, %v", s, err)
	}
	check(t, j.lines, "A0#1 interrupted")
	if j.records[0].Multi != nil {
		t.Errorf("the system was blamed: %+v", j.records[0].Multi)
	}
}

func TestMultiTimesStopAtTheFirstFailure(t *testing.T) {
	p := gridPlan(1, 1, 1)
	p.MultiTimes = 5
	runs := 0
	r, j, _ := newRunner(p, func(context.Context, bench.Trial, io.Writer) (bench.Measurement, error) {
		if runs++; runs == 4 {
			m := bench.Measurement{Issued: 1}
			m.Fail(bench.Client, 1, "socket: No buffer space available")
			return m, nil
		}
		return bench.Measurement{Issued: 1, OK: 1}, nil
	})
	sweepAll(t, r)
	want := bench.Multi{Asked: 5, OK: 2, Reason: "socket: No buffer space available (1 of 1)"}
	if got := j.records[0].Multi; got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if j.records[0].State != bench.StateOK {
		t.Errorf("the trial itself went well, but is %s", j.records[0].State)
	}
}

func TestAServerThatEndsIsNotedAndStartedAgain(t *testing.T) {
	r, j, f := newRunner(gridPlan(1, 1, 1), sound)
	f.ends = map[int]error{0: errors.New("nginx ended: signal 11")}
	sweepAll(t, r)
	if n := j.records[0].Notes; len(n) != 1 || n[0] != (bench.Note{Code: "server-ended", Text: "nginx ended: signal 11"}) {
		t.Errorf("notes %+v", n)
	}
	if !slices.Equal(f.lost, []int{0}) {
		t.Errorf("lost %v", f.lost)
	}
	if r := j.records[0]; r.State != bench.StateFailed || r.Reason != "nginx ended: signal 11" || r.OK == 0 {
		t.Errorf("state %s, reason %q, %d ok", r.State, r.Reason, r.OK)
	}
}

func TestALoadIsAimedAtTheFilesOfItsSystem(t *testing.T) {
	p := gridPlan(1, 1, 1)
	p.Cells[0].File = bench.File{Name: "set", Size: 1024, Count: 2}
	p.Cells[0].Load.Expect = bench.Expect{Length: map[string]int64{}, SampleOne: 10}
	var got bench.Load
	r, _, _ := newRunner(p, func(_ context.Context, tr bench.Trial, _ io.Writer) (bench.Measurement, error) {
		got = tr.Cell.Load
		return bench.Measurement{Issued: 1, OK: 1}, nil
	})
	r.Manifest = fixtures.Manifest{Files: map[string]fixtures.Entry{"/set/0.html": {SHA256: "aa"}, "/set/1.html": {SHA256: "bb"}, "/other.html": {SHA256: "cc"}}}
	sweepAll(t, r)
	if want := []string{"http://127.0.0.1:1/set/0.html", "http://127.0.0.1:1/set/1.html"}; !slices.Equal(got.URLs, want) {
		t.Errorf("URLs %v", got.URLs)
	}
	if got.Expect.Length["/set/1.html"] != 1024 {
		t.Errorf("expected lengths %v", got.Expect.Length)
	}
	if want := map[string]string{"/set/0.html": "aa", "/set/1.html": "bb"}; !maps.Equal(got.Expect.SHA256, want) {
		t.Errorf("expected checksums %v", got.Expect.SHA256)
	}
}

func TestSocketsLeftBehindAreNoted(t *testing.T) {
	r, j, _ := newRunner(gridPlan(1, 1, 1), sound)
	r.Look = func(context.Context, observe.Party) func() bench.Observation {
		return func() bench.Observation { return bench.Observation{Before: bench.Host{TimeWait: new(20000)}} }
	}
	sweepAll(t, r)
	want := bench.Note{Code: "time-wait", Text: "more than 14000 sockets were in TIME_WAIT when the trial began"}
	if n := j.records[0].Notes; len(n) != 1 || n[0] != want {
		t.Errorf("notes %+v", n)
	}
}

// The host is looked at together with those who take part; where nothing is asked
// of a system, it is not looked at.
func TestWhoTakesPartIsToldApart(t *testing.T) {
	for _, c := range []struct {
		name string
		site Site
		want string
	}{
		{"ours", Site{Party: observe.Party{Server: func() []int { return []int{7, 8} }}}, "[7 8] [] false"},
		{"of this host", Site{Party: observe.Party{Apart: []int{9}}}, "[] [9] false"},
		{"hidden", Site{Party: observe.Party{Hidden: true}}, "[] [] true"},
		{"offline", Site{Offline: true}, ""},
	} {
		r, j, _ := newRunner(gridPlan(1, 1, 1), sound)
		r.Fleet = here{c.site}
		got := ""
		r.Look = func(_ context.Context, p observe.Party) func() bench.Observation {
			var server []int
			if p.Server != nil {
				server = p.Server()
			}
			got = fmt.Sprint(server, p.Apart, p.Hidden)
			return func() bench.Observation { return bench.Observation{OthersCPU: new(0.25)} }
		}
		sweepAll(t, r)
		if got != c.want {
			t.Errorf("%s: looked at %q, not %q", c.name, got, c.want)
		}
		if kept := j.records[0].Host.OthersCPU; (kept != nil) == c.site.Offline {
			t.Errorf("%s: others' CPU %v", c.name, kept)
		}
	}
}

// here is a fleet whose systems are all at one site.
type here struct{ Site }

func (f here) Up(context.Context, bench.Cell) (Site, error) { return f.Site, nil }
func (f here) Lost(int)                                     {}
func (f here) Down(context.Context) error                   { return nil }
