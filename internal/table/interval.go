package table

import (
	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// roundsOfInterval is how many rounds it takes until an interval of 95 % is
// bounded: the least and the greatest of five hold the median with 94 % only.
const roundsOfInterval = 6

// rateInterval tells what bounds the median rate of a cell, by the order
// statistics of its ranked rounds; "" where they are too few.
func rateInterval(rounds []bench.Record) string {
	var rates []float64
	for i := range rounds {
		if v, ok := successRate(&rounds[i]); ok {
			rates = append(rates, v)
		}
	}
	s, ok := stats.Summarise(rates)
	if !ok || !s.Bounded {
		return ""
	}
	plain := unit.Scale{Factor: 1}
	return plain.Format(s.Lo) + " to " + plain.Format(s.Hi)
}
