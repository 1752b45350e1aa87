package main

import "testing"

func work(round int, client string, requests, cpu float64) trial {
	return trial{Workload: "w", Client: client, Round: round, cost: cost{CPUUserS: cpu}, figures: figures{Requests: requests, PerSecond: requests / 2}}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{nil, spread{}},
		{[]float64{3}, spread{3, 3, 3, 1}},
		{[]float64{4, 1}, spread{2.5, 1, 4, 2}},
		{[]float64{9, 1, 5}, spread{5, 1, 9, 3}},
		{[]float64{4, 3, 2, 1}, spread{2.5, 1, 4, 4}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

// The ratios are those within rounds: the ratio of the medians would be 1 here.
func TestRatiosArePaired(t *testing.T) {
	trials := []trial{
		work(0, "a", 300, 1), work(0, "b", 100, 1),
		work(1, "a", 100, 1), work(1, "b", 50, 1),
		work(2, "a", 50, 1), work(2, "b", 300, 1),
		work(3, "a", 100, 0), work(3, "b", 100, 1), // no CPU time: no figure
		work(4, "a", 100, 1), // no partner
		{Workload: "w", Client: "b", Round: 4, cost: cost{CPUUserS: 1}, figures: figures{Requests: 1}, Error: "broken"},
		{Workload: "other", Client: "a", Round: 0, cost: cost{CPUUserS: 1}, figures: figures{Requests: 1}},
	}
	got := ratios(trials, "w", "a", "b", trial.perCPUSecond)
	if want := (spread{2, 50.0 / 300, 3, 3}); got != want {
		t.Errorf("ratios %v, want %v", got, want)
	}
	if got := ratios(trials, "w", "b", "a", trial.perCPUSecond); got.Median != 0.5 {
		t.Errorf("the other way round: median %v, want 0.5", got.Median)
	}
	if got := of(trials, "w", "a", cpuEach); got.N != 4 || got.Min != 1e6/300 || got.Max != 20000 {
		t.Errorf("CPU time of a request: %v", got)
	}
}

func TestMissingIsNotZero(t *testing.T) {
	empty := trial{Workload: "w", Client: "a"}
	for name, m := range map[string]measure{
		"work": trial.perCPUSecond, "rate": trial.perSecond, "memory": trial.memory, "p50": trial.p50, "p99": trial.p99, "cpu": cpuEach,
	} {
		if v, ok := m(empty); ok {
			t.Errorf("%s of an empty trial is %v", name, v)
		}
	}
}

func TestPeakRSS(t *testing.T) {
	for _, c := range []struct{ parent, waited, watched, want int64 }{
		{8, 40, 39, 40}, // above the parent's: the child's own, exact
		{8, 8, 5, 5},    // the parent's own peak: only the watched one is the child's
	} {
		if got := peakRSS(c.parent, c.waited, c.watched); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestTrueP99(t *testing.T) {
	for _, c := range []struct {
		every, length, want float64 // s, s, ms
	}{
		{10, 1, 900}, // a tenth of the requests wait 0 to 1 s, evenly: a hundredth of all above 0.9 s
		{2, 0.2, 180},
		{100, 1, 0}, // no more than a hundredth waits at all
	} {
		b := book{Stalls: stalls{duration(c.every), duration(c.length)}}
		if got := b.TrueP99(); !near(got, c.want) {
			t.Errorf("every %v s for %v s: %v ms, want %v", c.every, c.length, got, c.want)
		}
	}
}
