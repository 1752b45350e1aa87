package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func upTo(from float64, n int) (v []float64) {
	for i := range n {
		v = append(v, from+float64(i))
	}
	return v
}

// TestTell: a single round, and two or three, tell nothing however far apart they
// lie; the least p of 4 against 4 is 2/70, that of 6 against 6 is 2/924.
func TestTell(t *testing.T) {
	apart := func(n, among int) Pair { return Pair{upTo(100, n), upTo(900, n), among} }
	alike := Pair{[]float64{1, 3, 5, 7, 9, 11}, []float64{2, 4, 6, 8, 10, 12}, 2}
	drifting := Pair{[]float64{100, 110, 120, 200, 210, 220}, []float64{221, 222, 223, 224, 225, 226}, 2}
	for _, c := range []struct {
		name  string
		pairs []Pair
		want  []Outcome
	}{
		{"none", nil, []Outcome{}},
		{"single values", []Pair{apart(1, 2)}, []Outcome{TooFew}},
		{"two", []Pair{apart(2, 2)}, []Outcome{TooFew}},
		{"three", []Pair{apart(3, 2)}, []Outcome{TooFew}},
		{"four", []Pair{apart(4, 2)}, []Outcome{Apart}},
		{"four, the best of four", []Pair{apart(4, 4)}, []Outcome{TooFew}},
		{"five, the best of four", []Pair{apart(5, 4)}, []Outcome{Apart}},
		{"nothing on one side", []Pair{{upTo(1, 9), nil, 2}}, []Outcome{TooFew}},
		{"not finite", []Pair{{[]float64{1, 2, 3, math.NaN()}, upTo(50, 4), 2}}, []Outcome{TooFew}},
		{"equal", []Pair{{slices.Repeat([]float64{5}, 6), slices.Repeat([]float64{5}, 6), 2}}, []Outcome{Open}},
		{"alike", []Pair{alike}, []Outcome{Open}},
		{"one of three apart in four values", []Pair{apart(4, 2), {upTo(1, 4), upTo(2, 4), 2}, {upTo(1, 4), upTo(2, 4), 2}}, []Outcome{TooFew, TooFew, TooFew}},
		{"all of three apart in four values", []Pair{apart(4, 2), apart(4, 2), apart(4, 2)}, []Outcome{Apart, Apart, Apart}},
		{"too few take no part", []Pair{apart(4, 2), apart(1, 2), apart(1, 2), apart(1, 2)}, []Outcome{Apart, TooFew, TooFew, TooFew}},
		{"within what one of them wanders by", []Pair{drifting}, []Outcome{Open}},
		{"from nothing", []Pair{{make([]float64, 6), upTo(1, 6), 2}}, []Outcome{Apart}},
	} {
		if got := new(Tester).Tell(c.pairs, 0.05); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}

// TestTellSeldomErrs: of systems that are the same, no point names a winner more
// often than the stated share of runs, also where the best of several is held
// against the others.
func TestTellSeldomErrs(t *testing.T) {
	const runs, alpha = 1000, 0.05
	r := rand.New(rand.NewPCG(13, 1))
	for _, c := range []struct{ points, systems, rounds int }{{1, 2, 4}, {27, 2, 7}, {27, 2, 30}, {1, 3, 6}, {9, 5, 8}} {
		var tester Tester
		alarms := 0
		for range runs {
			var pairs []Pair
			for range c.points {
				var rounds [][]float64
				for range c.systems {
					var v []float64
					for range c.rounds {
						v = append(v, 1000*math.Exp(0.03*r.NormFloat64()))
					}
					rounds = append(rounds, v)
				}
				slices.SortFunc(rounds, func(a, b []float64) int {
					x, _ := Median(a)
					y, _ := Median(b)
					return int(math.Copysign(1, y-x))
				})
				for _, v := range rounds[1:] {
					pairs = append(pairs, Pair{rounds[0], v, c.systems})
				}
			}
			if slices.Contains(tester.Tell(pairs, alpha), Apart) {
				alarms++
			}
		}
		// 1000 runs at 5 % have 50 alarms, with 95 % confidence no more than 64.
		if alarms > 64 {
			t.Errorf("%+v: %d alarms in %d runs", c, alarms, runs)
		}
	}
}

// TestNeeded holds the table of docs/statistics.md.
func TestNeeded(t *testing.T) {
	var tester Tester
	for comparisons, want := range map[int][3]int{1: {4, 3, 2}, 10: {6, 4, 3}, 50: {7, 5, 4}, 200: {8, 5, 4}, 1000: {9, 6, 5}} {
		got := [3]int{tester.Needed(comparisons, 1, 0.05), tester.Needed(comparisons, 3, 0.05), tester.Needed(comparisons, 5, 0.05)}
		if got != want {
			t.Errorf("%d comparisons: %v, not %v", comparisons, got, want)
		}
	}
	if n := tester.Needed(1, 1, 1e-40); n != MostNeeded {
		t.Errorf("%d rounds", n)
	}
}
