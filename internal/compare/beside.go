package compare

import (
	"fmt"
	"strings"

	"matrix/internal/bench"
)

// The sides of a comparison.
const (
	inBase = iota
	inNew
	sides
)

// beside is other work on the machine while the sides were measured.
type beside struct {
	sentence string
	clause   string // what the side that had to share more shared
	more     int    // the side that had to share much more, or alone is known to have shared; sides: neither
}

// besides tells of other work where a side was disturbed. Sides that had to share
// alike can be compared; what they are compared at is told all the same.
func besides(cells []both, base []Run, next Run) (list []beside) {
	for _, who := range bench.Takers {
		if b, ok := shared(who, cells...); ok {
			list = append(list, b)
		}
	}
	if b, ok := loads(base, next); ok {
		list = append(list, b)
	}
	return list
}

// shared is what a taker had while the cells were measured; false where it
// disturbed neither side.
func shared(who bench.Taker, cells ...both) (b beside, ok bool) {
	var taken [sides]bench.Taken
	for _, x := range cells {
		for _, run := range x.base {
			t, _ := who.Of(run)
			taken[inBase] = taken[inBase].Plus(t)
		}
		t, _ := who.Of(x.next)
		taken[inNew] = taken[inNew].Plus(t)
	}
	var share [sides]float64
	var known, disturbed [sides]bool
	var text [sides]string
	for side, t := range taken {
		share[side], known[side] = t.Share()
		disturbed[side], text[side] = t.Disturbs(), t.Words()
	}
	b.sentence = upper(who.Clause(text[inBase])) + " in the base, and " + text[inNew] + " in the new run."
	b.more = sides
	for side, other := range [sides]int{inNew, inBase} {
		if disturbed[side] && (!known[other] || share[side]-share[other] >= bench.Disturbing) {
			b.more, b.clause = side, who.Clause(text[side])
		}
	}
	return b, disturbed[inBase] || disturbed[inNew]
}

// loads is the same by the load average before the first trial, for runs that do
// not tell what other processes used.
func loads(base []Run, next Run) (b beside, ok bool) {
	var load [sides]float64
	var known, high [sides]bool
	take := func(side int, r Run) {
		v, ok := bench.FirstLoad(r.Records)
		_, told := bench.Others.Of(r.Records)
		cores := max(r.Info.Host.Cores, r.Info.Generator.Cores)
		high[side] = high[side] || ok && !told && v > bench.RestingLoad(cores)
		load[side], known[side] = max(load[side], v), known[side] || ok
	}
	for _, r := range base {
		take(inBase, r)
	}
	take(inNew, next)
	text := [sides]string{"not told", "not told"}
	for side := range text {
		if known[side] {
			text[side] = fmt.Sprintf("%.2f", load[side])
		}
	}
	b.sentence = fmt.Sprintf("The load average before the first trial was %s in the base, and %s in the new run.", text[inBase], text[inNew])
	switch {
	case high[inBase] == high[inNew]:
		b.more = sides
	case high[inBase]:
		b.more = inBase
	default:
		b.more = inNew
	}
	return b, high[inBase] || high[inNew]
}

// hindered reports whether one side alone was measured beside other work.
func (c *Comparison) hindered(side int) bool {
	for _, b := range c.beside {
		if b.more == side {
			return true
		}
	}
	return false
}

// mayBe follows a verdict that other work during one side may explain; "" for
// others.
func (c *Comparison) mayBe(v Verdict) string {
	switch {
	case (v == Slower || v == FailsMore) && c.hindered(inNew):
		return ", which other work on the machine during the new run may explain"
	case v == Faster && c.hindered(inBase):
		return ", which other work on the machine during the base may explain"
	}
	return ""
}

// busyCells tells of each cell that one side of it alone had to share the machine,
// by that side: a run may be disturbed for a while only.
func busyCells(cells []both) map[bench.Key][sides]string {
	busy := map[bench.Key][sides]string{}
	for _, x := range cells {
		for _, who := range bench.Takers {
			if b, ok := shared(who, x); ok && b.more < sides {
				clauses := busy[x.cell.Key]
				clauses[b.more] = b.clause
				busy[x.cell.Key] = clauses
			}
		}
	}
	return busy
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
