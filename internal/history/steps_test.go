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

// nightsOf is a history of a grid with noise of 2 %, of which cell slow, if there
// is one, is 10 % slower from a night on.
func nightsOf(seed, cells, nights, slow, from int) *History {
	h := &History{options: Options{Metrics: []string{usualMetric}}}
	for cell := range cells {
		s := Series{Metric: usualMetric, States: make([]bench.State, nights)}
		for night := range nights {
			v := 5000 * noise(0.02, night+1000*seed, cell, 1)
			if cell == slow && night >= from {
				v *= 0.9
			}
			s.Values = append(s.Values, &v)
		}
		h.Series = append(h.Series, s)
	}
	return h
}

// TestGridOfNights: in half of the grids one of 300 cells is slower for the last
// nights. It is found, and in all the others no level moves.
func TestGridOfNights(t *testing.T) {
	const cells, slow = 300, 123
	for _, x := range []struct{ nights, from, grids int }{{90, 80, 8}, {24, 14, 40}, {30, 24, 20}} {
		alarms, found := 0, 0
		for seed := range x.grids {
			planted := -1
			if seed%2 == 1 {
				planted = slow
			}
			h := nightsOf(seed, cells, x.nights, planted, x.from)
			h.findSteps()
			for cell, s := range h.Series {
				step, moved := s.lastStep()
				switch {
				case moved && cell != planted:
					alarms++
				case moved && len(s.Steps) == 1 && max(step.At-x.from, x.from-step.At) <= 1:
					found++
				}
			}
		}
		t.Logf("%d nights: found %d of %d, false %d", x.nights, found, x.grids/2, alarms)
		if found < x.grids/2-1 || alarms > x.grids/20 {
			t.Errorf("%d nights: found %d of %d, and %d false steps in %d grids", x.nights, found, x.grids/2, alarms, x.grids)
		}
	}
}
