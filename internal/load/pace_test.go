package load

import (
	"testing"

	"matrix/internal/bench"
)

func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		rate        float64
		id, threads int
		taken       int
		budget, end int64
		want        int64
	}{
		{rate: 500, threads: 1, end: 200_000_000, want: 100},
		{rate: 500, threads: 1, end: 200_000_001, want: 101},
		{rate: 500, threads: 1, taken: 2, end: 200_000_000, want: 98},
		{rate: 500, threads: 1, taken: 100, end: 200_000_000},
		{rate: 500, threads: 1, taken: 101, end: 200_000_000},
		{rate: 500, threads: 1, budget: 7, end: 200_000_000, want: 7},
		{rate: 500, threads: 1, budget: 7, taken: 7, end: 200_000_000},
		{rate: 1000, threads: 3, id: 0, end: 10_000_000, want: 4},
		{rate: 1000, threads: 3, id: 1, end: 10_000_000, want: 3},
		{rate: 1000, threads: 3, id: 2, end: 10_000_000, want: 3},
		{rate: 1000, threads: 3, id: 2, end: 0},
		{rate: 1e9, threads: 1, end: 1 << 52, want: 1 << 52}, // one by one this would take weeks
		{rate: 1e-9, threads: 1, end: 1 << 40, want: 1},
		{rate: 3, threads: 1, end: 1_000_000_000, want: 3},
	} {
		p := newPace(bench.Load{Rate: tt.rate, Requests: tt.budget}, tt.id, tt.threads)
		p.restart(0)
		for range tt.taken {
			p.take()
		}
		if got := p.missed(tt.end); got != tt.want {
			t.Errorf("%+v: %d missed", tt, got)
		}
	}
}
