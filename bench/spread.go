package main

// Medians, ranges, and ratios within rounds.

import "slices"

// spread is the middle and the range of some values.
type spread struct {
	Median, Min, Max float64
	N                int // values; with 0 the others mean nothing
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	v := slices.Clone(values)
	slices.Sort(v)
	n := len(v)
	return spread{Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1], N: n}
}

// measure is a figure of a trial; false when it has none.
type measure func(trial) (float64, bool)

// of is the spread of a figure over a client's trials of a workload.
func of(trials []trial, workload, client string, m measure) spread {
	var values []float64
	for _, t := range trials {
		if v, ok := m(t); ok && t.Workload == workload && t.Client == client {
			values = append(values, v)
		}
	}
	return spreadOf(values)
}

// ratios is the spread of a/b over the rounds of a workload in which both have
// the figure. The two of a pair ran within the same round, minutes apart at
// most: a machine that becomes slower does not favour one of them.
func ratios(trials []trial, workload, a, b string, m measure) spread {
	byRound := map[int][2]float64{}
	for _, t := range trials {
		v, ok := m(t)
		if !ok || t.Workload != workload {
			continue
		}
		pair := byRound[t.Round]
		if t.Client == a {
			pair[0] = v
		}
		if t.Client == b {
			pair[1] = v
		}
		byRound[t.Round] = pair
	}
	var values []float64
	for _, pair := range byRound {
		if pair[0] > 0 && pair[1] > 0 {
			values = append(values, pair[0]/pair[1])
		}
	}
	return spreadOf(values)
}
