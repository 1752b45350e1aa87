// Package audit asks whether figures agree with each other: records come in, and
// Findings go out, each a place where what was printed or measured of one trial
// cannot all be true: more requests than rate and time allow, a mean above its
// maximum, fewer bytes than bodies.
//
// It says nothing of whether a figure is right, only that two of them
// contradict; and it gives every figure the benefit of its precision: a printed
// number stands for all that could have been rounded or cut to it. A sound
// trial has no finding. Nothing is corrected, and trials that failed are held
// against nothing but their own counts.
package audit

import (
	"matrix/internal/bench"
)

// Finding is one contradiction.
type Finding struct {
	Key   bench.Key // of the cell
	Round int
	Rule  string  // the name of one of Rules
	Text  string  // the figures, in a sentence
	Off   float64 // by how much, as a share of what was to be expected; 0 where that has no meaning
}

// Rule is one thing that must hold of every record.
type Rule struct {
	Name string
	Doc  string
	find func(bench.Record) []Finding
}

// Rules lists them in the order in which they are asked.
var Rules = []Rule{
	{"counts", "Every request has one outcome; not more fail than complete, nor complete than were asked for.", counts},
	{"rate", "Requests per second times the time taken is the number of requests completed.", rate},
	{"bytes", "The bytes received are no fewer than the files they were to be.", bodies},
	{"transfer", "The transfer rate times the time taken is the number of bytes received.", transfer},
	{"spread", "Mean and median lie between least and greatest, and the deviation within that range.", spread},
	{"percentiles", "A higher percentile is no smaller.", percentiles},
	{"parts", "The time to connect, and that to the first byte, is no longer than the whole.", parts},
	{"concurrency", "The rate times the mean latency is no more than the connections there were (Little's law).", little},
}

// Copied is the name of the rule that holds two records against each other.
const Copied = "copied"

// Run holds every record against the rules, and printed ones against each other.
func Run(records []bench.Record) []Finding {
	var all []Finding
	for _, r := range records {
		for _, rule := range Rules {
			for _, f := range rule.find(r) {
				f.Key, f.Round, f.Rule = r.Cell.Key, r.Round, rule.Name
				all = append(all, f)
			}
		}
	}
	return append(all, copied(records)...)
}
