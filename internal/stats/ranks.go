package stats

import (
	"math"
	"slices"
)

// midranks are the ranks of values from 1; equal ones share the mean of theirs.
func midranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch { // cmp.Compare, without its care for NaN
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return ranks
}

// The distribution of U is counted out where one group has so few values or both
// together so few pairs: of more, the tail of the normal distribution is close,
// and heavier than the true. What is rarer than any level of chance is not counted
// out either; that is far below 0.05, since of many series at once only the
// clearest tell.
const (
	fewRanks = 10
	fewPairs = 900
	rarest   = 1e-10
)

// lowTail is the chance that the statistic U of m and n values in random order,
// m <= n, is at most u; u is at most m*n/2. Equal values, by which u may be a
// half, make it greater than the true one, never smaller. What is far from rare
// is 1.
// (golang.org/x/perf has the two-sided test for groups of up to 50, and for any
// larger group the normal approximation, by which three values are never far
// enough from ninety.)
func lowTail(u float64, m, n int) float64 {
	pairs := float64(m * n)
	z := (pairs/2 - u - 0.5) / math.Sqrt(pairs*float64(m+n+1)/12)
	if z < 2 {
		return 1
	}
	if p := math.Erfc(z/math.Sqrt2) / 2; p < rarest || m > fewRanks && m*n > fewPairs {
		return p
	}
	return countOut(u, m, n)
}

// countOut is lowTail by counting the orders.
func countOut(u float64, m, n int) float64 {
	// counts[k] becomes in how many orders U is k: the coefficients of the
	// Gaussian binomial, the product of (1-q^(n+i))/(1-q^i) for i from 1 to m.
	counts := make([]float64, int(math.Ceil(u))+1)
	counts[0] = 1
	orders := 1.0
	for i := 1; i <= m; i++ {
		for k := len(counts) - 1; k >= n+i; k-- {
			counts[k] -= counts[k-n-i]
		}
		for k := i; k < len(counts); k++ {
			counts[k] += counts[k-i]
		}
		orders *= float64(n+i) / float64(i)
	}
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	return sum / orders
}
