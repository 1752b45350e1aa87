package history

import (
	"math"
	"math/rand/v2"
	"testing"

	"matrix/internal/bench"
)

// alone is a history of one series, of values around 1000 with noise of 3 %, of
// which those from one run up to another are 7 % lower.
func alone(seed uint64, n, from, to int) *History {
	r := rand.New(rand.NewPCG(seed, 9))
	s := Series{Metric: usualMetric, States: make([]bench.State, n)}
	for i := range n {
		v := 1000 * math.Exp(0.03*r.NormFloat64())
		if i >= from && i < to {
			v *= 0.93
		}
		s.Values = append(s.Values, &v)
	}
	return &History{options: Options{Metrics: []string{usualMetric}}, Series: []Series{s}}
}

// TestLevelThatCameAndWent: of a few series, what is clear in each of them is
// not lost when the level of chance is set for all of them together.
func TestLevelThatCameAndWent(t *testing.T) {
	both := 0
	for seed := range uint64(200) {
		h := alone(seed, 60, 25, 37)
		h.findSteps()
		if s := h.Series[0].Steps; len(s) == 2 && max(s[0].At-25, 25-s[0].At) <= 2 && max(s[1].At-37, 37-s[1].At) <= 2 {
			both++
		}
	}
	t.Logf("both steps found in %d of 200", both)
	if both < 160 {
		t.Errorf("both steps were found in %d of 200 histories, want 160", both)
	}
}

// TestSectionsShareTheChance: a cell whose scenario was changed again and again
// has no more false steps than one that was left alone.
func TestSectionsShareTheChance(t *testing.T) {
	const sections, each = 20, 20
	alarms := 0
	for seed := range uint64(400) {
		h := alone(seed, sections*each, 0, 0)
		for i := 1; i < sections; i++ {
			h.Series[0].Sections = append(h.Series[0].Sections, i*each)
		}
		h.findSteps()
		if _, moved := h.Series[0].lastStep(); moved {
			alarms++
		}
	}
	t.Logf("%d of 400 histories have a step", alarms)
	if alarms > 20 {
		t.Errorf("%d of 400 histories of one level have a step, more than 5 %%", alarms)
	}
}
