package bench

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"matrix/internal/hist"
)

func TestSplitAddsUp(t *testing.T) {
	for _, c := range []struct {
		load     Load
		conns    []int
		requests []int64
	}{
		{Load{Conns: 30, Requests: 1000, Generators: 2}, []int{15, 15}, []int64{500, 500}},
		{Load{Conns: 5, Requests: 7, Generators: 3}, []int{2, 2, 1}, []int64{2, 3, 2}},
		{Load{Conns: 7, Duration: time.Second, Generators: 2}, []int{4, 3}, []int64{0, 0}},
		{Load{Conns: 1, Requests: 9}, []int{1}, []int64{9}},
		{Load{Conns: 3, Requests: 1 << 62, Generators: 2}, []int{2, 1}, []int64{3074457345618258602, 1537228672809129302}},
	} {
		c.load.Rate, c.load.Seed = 100, 7
		var conns []int
		var requests []int64
		rate := 0.0
		for i, p := range c.load.Split() {
			conns, requests, rate = append(conns, p.Conns), append(requests, p.Requests), rate+p.Rate
			if p.Seed != 7+uint64(i) || p.Generators != 0 || p.Duration != c.load.Duration {
				t.Errorf("%+v", p)
			}
		}
		if !slices.Equal(conns, c.conns) || !slices.Equal(requests, c.requests) || rate < 99.999 || rate > 100.001 {
			t.Errorf("%+v: %v, %v, %v", c.load, conns, requests, rate)
		}
	}
}

func TestMergeAddsUp(t *testing.T) {
	part := func(ms ...int) Measurement {
		m := Measurement{Elapsed: time.Duration(len(ms)) * time.Second, Backend: "epoll", Latency: hist.New(0), Status: map[int]int64{200: int64(len(ms))},
			Client: &ClientCost{CPUUser: 1, MaxRSS: 10, LoopLagP99: new(float64(len(ms))), Threads: 1}, Notes: []Note{{"closed-loop", "x"}}, AchievedConns: 2}
		for _, v := range ms {
			m.Latency.Record(time.Duration(v) * time.Millisecond)
			m.Series = append(m.Series, 1)
			m.OK++
		}
		m.Fail(Reset, 1, "reset")
		m.Issued, m.Kept = m.OK+1, new(m.OK)
		return m
	}
	a, b := part(1, 2), part(3, 4, 50)
	m := Merge([]Measurement{a, b})
	if m.Issued != 7 || m.OK != 5 || m.Failed[Reset] != 2 || m.Messages[Reset] != "reset" || m.Elapsed != 3*time.Second || m.Status[200] != 5 || *m.Kept != 5 {
		t.Errorf("%+v", m)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(m.Series, []int64{2, 2, 1}) || len(m.Notes) != 1 || m.AchievedConns != 4 || m.Backend != "epoll" || m.Connect != nil {
		t.Errorf("%+v", m)
	}
	if !reflect.DeepEqual(*m.Client, ClientCost{CPUUser: 2, MaxRSS: 20, LoopLagP99: new(3.0), Threads: 2}) {
		t.Errorf("%+v", m.Client)
	}
	mean, _ := m.Latency.Mean()
	greatest, _ := m.Latency.Max()
	if m.Latency.Count() != 5 || mean != 12*time.Millisecond || greatest != 50*time.Millisecond {
		t.Errorf("latency %v %v %v", m.Latency.Count(), mean, greatest)
	}
	if a.Latency.Count() != 2 || a.Series[0] != 1 || b.Latency.Count() != 3 {
		t.Error("Merge changed its parts")
	}
	if one := Merge([]Measurement{a}); one.Latency.Count() != 2 || one.Connect != nil {
		t.Errorf("%+v", one)
	}
}
