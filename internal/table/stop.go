package table

import (
	"fmt"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// StopOf tells why a cell gets no further round, given the records of its
// rounds so far; "" when it is to go on. Interrupted rounds are no rounds.
func StopOf(p *bench.Plan, rounds []bench.Record) bench.Stop {
	tried, rates := 0, []float64(nil)
	rate, _ := Lookup("requests_per_second")
	for i := range rounds {
		r := &rounds[i]
		if r.State == bench.StateInterrupted {
			continue
		}
		tried++
		if v, ok := rate.number(r); ok && r.State.Ranked() {
			rates = append(rates, v)
		}
	}
	switch u := p.Until; {
	case u != nil && tried >= u.Min && len(rates) == 0 && tried > 0:
		return bench.StopFailed
	case u != nil && tried >= u.Min && narrow(rates, u.Share):
		return bench.StopNarrow
	case tried >= p.Rounds:
		return bench.StopMost
	}
	return ""
}

// narrow reports whether the interval of the median reaches at most a share of
// it to either side.
func narrow(values []float64, share float64) bool {
	s, ok := stats.Summarise(values)
	return ok && s.Bounded && s.Median > 0 && (s.Hi-s.Lo)/2 <= share*s.Median
}

// stop is what ended a cell of the run; "" when it is still to go on.
func (b *builder) stop(c cell) bench.Stop {
	s := StopOf(&b.info.Plan, c.all)
	if s == "" {
		return b.info.Stopped
	}
	return s
}

// stopText is stop for people.
func (b *builder) stopText(c cell) string {
	p := b.info.Plan
	switch s := b.stop(c); {
	case c.Skip != "":
		return "skipped"
	case s == bench.StopNarrow:
		return "interval within " + percent(p.Until.Share)
	case s == bench.StopMost && p.Until != nil:
		return "max rounds"
	case s == bench.StopMost:
		return "all rounds"
	default:
		return string(s)
	}
}

func percent(share float64) string { return unit.Plain(roundTo12(share*100)) + " %" }

// stopNotes counts what ended the cells, where that is not the same for all of
// them by itself.
func (b *builder) stopNotes() (notes []Footnote) {
	p := b.info.Plan
	notes = coolDownNotes(b.g.cells)
	if p.Until == nil && b.info.Stopped == "" {
		return notes
	}
	n := map[bench.Stop]int{}
	for _, c := range b.g.cells {
		if c.Skip == "" {
			n[b.stop(c)]++
		}
	}
	var parts []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, unit.Counted(n, "cell")+" "+fmt.Sprintf(format, args...))
		}
	}
	if u := p.Until; u != nil {
		add(n[bench.StopNarrow], "once the 95 %% interval of the median requests per second was within %s of it", percent(u.Share))
		add(n[bench.StopFailed], "after the first %s, which yielded no figures", unit.Counted(u.Min, "round"))
	}
	add(n[bench.StopMost], "with all of %s", unit.Counted(p.Rounds, "round"))
	if b.info.Stopped == bench.StopBudget {
		add(n[bench.StopBudget], "by the budget of %s", unit.Span(p.Budget))
		add(b.g.untried, "by the budget before the first round")
	}
	if len(parts) == 0 {
		return notes
	}
	return append(notes, Footnote{Code: "stop", Text: "What ended the cells: " + strings.Join(parts, ", ") + "."})
}

// coolDownNotes tells how long trials waited for the host to come to rest.
func coolDownNotes(cells []cell) []Footnote {
	var sum, most time.Duration
	trials := 0
	for _, c := range cells {
		for i := range c.all {
			if waited := c.all[i].Waited; waited > 0 {
				trials++
				sum, most = sum+waited, max(most, waited)
			}
		}
	}
	if trials == 0 {
		return nil
	}
	return []Footnote{{Code: "cool-down", Trials: trials, Text: fmt.Sprintf("The host was left to cool down before trials: %s together, %s at most.",
		unit.Span(sum.Round(100*time.Millisecond)), unit.Span(most.Round(100*time.Millisecond)))}}
}

// roundsText tells how many rounds a cell has: "6", or "6 to 30".
func roundsText(p bench.Plan) string {
	if p.Until == nil {
		return fmt.Sprint(p.Rounds)
	}
	return fmt.Sprintf("%d to %d", p.Until.Min, p.Rounds)
}
