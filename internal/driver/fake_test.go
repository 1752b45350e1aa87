package driver

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"testing"
	"time"

	"matrix/internal/bench"
)

func fakeTrial(knob string, round int) bench.Trial {
	l := bench.Load{Conns: 10, Requests: 100}
	if knob != "" {
		l.Header = []bench.Header{{Name: "x-fake", Value: knob}}
	}
	return bench.Trial{Cell: bench.Cell{Key: "c=10", Labels: []bench.Pair{{Name: "OS", Value: "A"}}, File: bench.File{Name: "small", Size: 1500}, Load: l}, Round: round}
}

func runFake(t *testing.T, trial bench.Trial) bench.Measurement {
	t.Helper()
	m, err := fake{}.Run(t.Context(), trial, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	return m
}

func TestFakeIsDeterministic(t *testing.T) {
	var lines []string
	for _, round := range []int{1, 1, 2} {
		b, err := json.Marshal(runFake(t, fakeTrial("", round)))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	if lines[0] != lines[1] {
		t.Error("the same trial gave other figures")
	}
	if lines[0] == lines[2] {
		t.Error("another round gave the same figures")
	}
	m := runFake(t, fakeTrial("", 1))
	if m.Issued != 100 || m.OK != 100 || m.BodyBytes != 150000 || m.Latency.Count() != 100 || m.Connect.Count() != 100 {
		t.Errorf("%+v", m)
	}
}

func TestFakeKnobs(t *testing.T) {
	for _, c := range []struct {
		knob   string
		round  int
		state  bench.State
		ok     int64
		reason string
	}{
		{"fail", 1, bench.StateFailed, 0, "connect: connection refused (100 of 100)"},
		{"fail@2", 1, bench.StateOK, 100, ""},
		{"fail@2", 2, bench.StateFailed, 0, "connect: connection refused (100 of 100)"},
		{"timeout", 1, bench.StateTimeout, 0, "no answer in time (100 of 100)"},
		{"reset=3", 1, bench.StateDegraded, 97, "read: connection reset by peer (3 of 100)"},
		{"reset=3, non2xx=5", 1, bench.StateDegraded, 92, "503 Service Unavailable (5 of 100); read: connection reset by peer (3 of 100)"},
		{"client=15", 1, bench.StateFailed, 85, "socket: too many open files (15 of 100)"},
		{"reset=500", 1, bench.StateFailed, 0, "read: connection reset by peer (100 of 100)"},
	} {
		m := runFake(t, fakeTrial(c.knob, c.round))
		if state, reason := m.State(); state != c.state || m.OK != c.ok || reason != c.reason {
			t.Errorf("%s, round %d: %s, ok %d, %q", c.knob, c.round, state, m.OK, reason)
		}
	}
	base, slow := runFake(t, fakeTrial("noise=0", 1)), runFake(t, fakeTrial("noise=0,slow=1.5", 1))
	if f := slow.Elapsed.Seconds() / base.Elapsed.Seconds(); math.Abs(f-1.5) > 0.001 {
		t.Errorf("slow=1.5 took %g times as long", f)
	}
	one, other := runFake(t, fakeTrial("seed=1", 1)), runFake(t, fakeTrial("seed=2", 1))
	if again := runFake(t, fakeTrial("seed=1", 1)); one.Elapsed != again.Elapsed || one.Elapsed == other.Elapsed {
		t.Errorf("seed 1 took %v and %v, seed 2 %v", one.Elapsed, again.Elapsed, other.Elapsed)
	}
	outlier := runFake(t, fakeTrial("noise=0,outliers=1", 1))
	if f := outlier.Elapsed.Seconds() / base.Elapsed.Seconds(); math.Abs(f-1.5) > 0.001 {
		t.Errorf("an outlier took %g times as long", f)
	}
	if shifted := runFake(t, fakeTrial("noise=0,shift=0.1", 1)); shifted.Elapsed == base.Elapsed {
		t.Error("shift changed nothing")
	}
	if _, err := (fake{}).Run(t.Context(), fakeTrial("broken", 1), io.Discard); err == nil || err.Error() != "fake could not work, as asked" {
		t.Errorf("broken: %v", err)
	}
}

// TestFakeDrift: what the machine does is the same for all cells, differs from
// round to round, and stays near to what it was.
func TestFakeDrift(t *testing.T) {
	k := knobs{drift: 0.05, seed: 3}
	other := fakeTrial("", 1)
	other.Cell.Key = "c=20"
	var last float64
	for round := 1; round <= 200; round++ {
		trial := fakeTrial("", round)
		other.Round = round
		at := math.Log(k.unrest(trial))
		if math.Log(k.unrest(other)) != at {
			t.Fatalf("round %d: two cells apart", round)
		}
		if math.Abs(at) > 0.25 || round > 1 && math.Abs(at-last) > 0.15 || at == last {
			t.Errorf("round %d: from %g to %g", round, last, at)
		}
		last = at
	}
}

func TestFakeDuration(t *testing.T) {
	trial := fakeTrial("noise=0", 1)
	trial.Cell.Load.Requests, trial.Cell.Load.Duration = 0, 2*time.Second
	m := runFake(t, trial)
	if m.Elapsed != 2*time.Second || m.OK < 1000 || m.OK > 40000 {
		t.Errorf("%v, %d requests", m.Elapsed, m.OK)
	}
}

func TestFakeHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bench.Measurement)
	go func() {
		m, _ := fake{}.Run(ctx, fakeTrial("hang", 1), io.Discard)
		done <- m
	}()
	cancel()
	if m := <-done; m.Check() != nil || m.OK != 0 {
		t.Errorf("%+v", m)
	}
}

func TestRefuseFake(t *testing.T) {
	for knob, want := range map[string]string{
		"":            "",
		"slow=1.1":    "",
		"hang@3":      "",
		"explode":     `X-Fake: "explode" is not one of fail, timeout, hang, broken, slow=F, noise=F, drift=F, outliers=F, shift=F, reset=N, non2xx=N, client=N, seed=N`,
		"slow=0":      `X-Fake: "slow=0" is no factor between 0 and 1000`,
		"slow=NaN":    `X-Fake: "slow=NaN" is no factor between 0 and 1000`,
		"reset=-1":    `X-Fake: "reset=-1" is no count`,
		"fail@x":      `X-Fake: "x" is not a round`,
		"fail=1":      `X-Fake: "fail=1" is not one of fail, timeout, hang, broken, slow=F, noise=F, drift=F, outliers=F, shift=F, reset=N, non2xx=N, client=N, seed=N`,
		"reset=1,bad": `X-Fake: "bad" is not one of fail, timeout, hang, broken, slow=F, noise=F, drift=F, outliers=F, shift=F, reset=N, non2xx=N, client=N, seed=N`,
	} {
		got := ""
		if err := refuseFake(fakeTrial(knob, 1).Cell.Load); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, not %q", knob, got, want)
		}
	}
	if err := refuseFake(bench.Load{Requests: mostFake + 1}); err == nil || err.Error() != "fake makes at most 2000000 requests, not 2000001" {
		t.Error(err)
	}
}

func TestKinds(t *testing.T) {
	for _, k := range Kinds {
		found, err := Find(k.Name)
		if err != nil || found.Name != k.Name || k.Doc == "" || k.New() == nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if _, err := Find("bogus"); err == nil || err.Error() != `no driver is called "bogus": there are native, ab, http_load, wrk, h2load, fake` {
		t.Error(err)
	}
	if !Offline("fake") || Offline("ab") || Offline("bogus") {
		t.Error("fake alone makes no connections")
	}
}
