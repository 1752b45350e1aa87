package table

import (
	"slices"
	"testing"
	"time"

	"matrix/internal/bench"
)

// The 95 % interval of the median by order statistics: of 6 to 8 values it
// reaches from the least to the greatest, of 9 to 11 it leaves out one at either
// end (Conover, Practical Nonparametric Statistics, 3.2).
func TestRateInterval(t *testing.T) {
	rounds := func(rates ...int64) (list []bench.Record) {
		for i, n := range rates {
			m := bench.Measurement{Elapsed: time.Second, Issued: n, OK: n}
			list = append(list, bench.Record{Trial: bench.Trial{Round: i + 1}, Measurement: m, State: bench.StateOK})
		}
		return list
	}
	lost := rounds(100, 110, 120, 130, 140, 150)
	lost[2].State = bench.StateFailed
	tests := []struct {
		name   string
		rounds []bench.Record
		want   string
	}{
		{"none", nil, ""},
		{"five", rounds(100, 110, 120, 130, 140), ""},
		{"six", rounds(150, 100, 110, 140, 120, 130), "100.0 to 150.0"},
		{"nine", rounds(100, 110, 120, 130, 140, 150, 160, 170, 9000), "110.0 to 170.0"},
		{"six of which one is lost", lost, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := rateInterval(test.rounds); got != test.want {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}

func TestIntervalIsAColumnOfTheWideSheetFromSixRounds(t *testing.T) {
	for rounds, want := range map[int]bool{5: false, 6: true} {
		b := builder{info: bench.RunInfo{Plan: bench.Plan{Rounds: rounds}}}
		got := slices.ContainsFunc(b.wideMetrics(), func(m Metric) bool { return m.Name == "requests_per_second_interval" })
		if got != want {
			t.Errorf("%d rounds: %v, not %v", rounds, got, want)
		}
	}
}
