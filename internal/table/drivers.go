package table

import (
	"fmt"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// driversApart tells at how many points two drivers measured the same system,
// and at how many of them the rounds tell their requests per second apart; nil
// where no point was measured by two.
func (b *builder) driversApart() []Footnote {
	rate, _ := Lookup("requests_per_second")
	first := map[bench.Key]cell{}
	var pairs []stats.Pair
	var names string
	for _, c := range b.g.cells {
		if !c.fair(rate) {
			continue
		}
		point := bench.KeyOf(withoutDriver(c.Pairs()))
		other, met := first[point]
		if !met {
			first[point] = c
			continue
		}
		if other.Driver != c.Driver {
			pairs = append(pairs, stats.Pair{A: rate.rounds(other.folder), B: rate.rounds(c.folder)})
			names = other.Driver + " and " + c.Driver
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	n := map[stats.Outcome]int{}
	for _, o := range b.tester.Tell(pairs, alpha) {
		n[o]++
	}
	text := fmt.Sprintf("%s measured the same at %s: ", names, unit.Counted(len(pairs), "point"))
	if n[stats.TooFew] == len(pairs) {
		return []Footnote{{Code: "drivers", Text: text + "the rounds are too few to tell whether their requests per second differ."}}
	}
	text += fmt.Sprintf("their requests per second cannot be told apart at %d of them", n[stats.Open])
	if n[stats.Apart] > 0 {
		text += fmt.Sprintf(" and differ at %d", n[stats.Apart])
	}
	if few := n[stats.TooFew]; few > 0 {
		text += fmt.Sprintf("; at %d the rounds are too few to tell", few)
	}
	if n[stats.Apart] > 0 {
		text += ". Where they differ, the generator itself is part of the figure: on a shared machine one that needs less CPU leaves more to the server"
	}
	return []Footnote{{Code: "drivers", Text: text + "."}}
}

func withoutDriver(pairs []bench.Pair) (rest []bench.Pair) {
	for _, p := range pairs {
		if p.Name != "driver" {
			rest = append(rest, p)
		}
	}
	return rest
}
