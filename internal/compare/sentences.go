package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// verdict tells the outcome in a few sentences, the gravest first.
func (c *Comparison) verdict() (list []string) {
	by := map[Verdict][]Cell{}
	for _, x := range c.Cells {
		by[x.Verdict()] = append(by[x.Verdict()], x)
	}
	n := len(c.Cells)
	say := func(cells []Cell, words string) {
		if len(cells) > 0 {
			list = append(list, fmt.Sprintf("%s %s: %s.", isOf(len(cells), n), words, c.some(cells)))
		}
	}
	say(by[FailedNow], "failing now")
	say(by[FailsMore], "failing more often"+c.mayBe(FailsMore))
	say(bySize(by[Slower], Slower), "slower"+c.mayBe(Slower))
	if len(list) == 0 {
		list = append(list, c.allWell(by)...)
	}
	say(bySize(by[Faster], Faster), "faster"+c.mayBe(Faster))
	say(bySize(by[Unsure], Unsure), "not sure (a change by more than "+c.threshold()+" is neither shown nor ruled out)")
	say(by[WorksAgain], "working again")
	say(by[FailedBoth], "failing in both")
	say(by[FailedAsExpected], "failing, as expected")
	say(by[OnlyInBase], "measured in the base only")
	say(by[OnlyInNew], "measured in the new run only")
	for _, m := range c.Metrics {
		say(c.lacking(m), "without "+m.Name+" in one of the runs or in both")
	}
	if few := by[TooFew]; len(few) > 0 {
		list = append(list, c.needed(few))
	}
	return append(list, c.moved()...)
}

// notable is from where on the move of a whole grid is spoken of.
const notable = 0.01

// moved tells of metrics that most cells moved in together.
func (c *Comparison) moved() (list []string) {
	for _, m := range c.Metrics {
		move, known := c.Moves[m.Name]
		switch {
		case !known || move.across == 1 || math.Abs(move.Ratio-1) < notable:
		case move.Unrest:
			list = append(list, fmt.Sprintf("Most cells moved by %s in %s, no more than the machine wanders by itself (%s): that much is taken out before a cell is judged.",
				signed(move.Ratio-1), m.Name, unit.Share(move.Wander)))
		default:
			list = append(list, fmt.Sprintf("Most cells moved by %s in %s, more than the machine wanders by itself (%s).",
				signed(move.Ratio-1), m.Name, unit.Share(move.Wander)))
		}
	}
	return list
}

// allWell is said where nothing became worse, and nothing where no cell has
// figures in both.
func (c *Comparison) allWell(by map[Verdict][]Cell) []string {
	measured := len(c.working()) - len(by[Unmeasured])
	few := len(by[TooFew])
	told := measured - few - len(by[Unsure])
	switch {
	case measured == 0:
		return nil
	case few == measured:
		return []string{fmt.Sprintf("Nothing can be told of the %s measured in both: there are too few rounds.", unit.Counted(measured, "cell"))}
	case told == 0:
		return []string{fmt.Sprintf("Nothing can be told of the %s measured in both.", unit.Counted(measured, "cell"))}
	}
	none := "None of " + unit.Counted(measured, "cell") + " measured in both"
	if told < measured {
		none = fmt.Sprintf("Of %s measured in both, %d can be told: none of these", unit.Counted(measured, "cell"), told)
	}
	list := []string{fmt.Sprintf("%s is slower by more than %s and by more than chance and the machine's unrest explain, and none fails that did not.",
		none, c.threshold())}
	if c.hindered(inBase) {
		list = append(list, "That tells little: other work on the machine slowed the base down.")
	}
	return list
}

// threshold is "5%", as it was given.
func (c *Comparison) threshold() string {
	return strconv.FormatFloat(c.Options.Threshold*100, 'g', 6, 64) + "%"
}

// needed tells how many rounds it takes to be sure of a single cell.
func (c *Comparison) needed(few []Cell) string {
	n, atLeast := new(stats.Tester).Needed(c.Tests, len(c.Base), c.Options.Alpha), ""
	if n == stats.MostNeeded {
		atLeast = "at least "
	}
	have := "?"
	for _, x := range few {
		for _, f := range x.Figures {
			if f.Verdict == TooFew {
				have = fmt.Sprintf("%d against %d", f.Base.N, f.New.N)
			}
		}
	}
	return fmt.Sprintf("%s measured in too few rounds (%s) for a change in it alone to be sure among %s: it takes %s%d rounds a run.",
		isOf(len(few), len(c.Cells)), have, unit.Counted(c.Tests, "comparison"), atLeast, n)
}

// isOf is "1 of 200 cells is".
func isOf(n, of int) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %s %s", n, unit.Counted(of, "cell"), verb)
}

// named is how many cells a sentence names.
const named = 3

func (c *Comparison) some(cells []Cell) string {
	var texts []string
	for _, x := range cells[:min(len(cells), named)] {
		texts = append(texts, c.Name(x.Cell)+c.why(x))
	}
	if more := len(cells) - named; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// why tells in brackets what a cell's verdict rests on.
func (c *Comparison) why(x Cell) string {
	v := x.Verdict()
	switch v {
	case FailedNow:
		if reason := reasonOf(x.Now); reason != "" {
			return " (" + reason + ")"
		}
	case FailsMore:
		return " (" + x.Failed[0].text() + " failed, now " + x.Failed[1].text() + ")"
	case Slower, Faster, Unsure:
		var parts []string
		for _, f := range x.Figures {
			if f.Verdict == v {
				parts = append(parts, f.Metric.Name+" "+f.size())
			}
		}
		side := inNew
		if v == Faster {
			side = inBase
		}
		if clause := c.busy[x.Key][side]; clause != "" {
			parts = append(parts, [sides]string{inBase: "in the base ", inNew: "in the new run "}[side]+clause)
		}
		return " (" + strings.Join(parts, ", ") + ")"
	}
	return ""
}

func reasonOf(rounds []bench.Record) string {
	for i := len(rounds) - 1; i >= 0; i-- {
		if rounds[i].Reason != "" {
			reason, _ := bench.First(rounds[i].Reason)
			return table.Gist(reason)
		}
	}
	return ""
}

// text is a share of failures as it stands in a table.
func (s Share) text() string {
	switch {
	case s.FailedRounds > 0 && s.FailedRounds == s.Rounds:
		return "all"
	case s.FailedRounds > 0:
		return fmt.Sprintf("%d of %d rounds", s.FailedRounds, s.Rounds)
	case s.Requests > 0:
		return unit.Share(float64(s.Failed) / float64(s.Requests))
	}
	return ""
}

// size is by how much a figure changed: "-9.8%".
func (f Figure) size() string {
	switch {
	case !f.HasRatio && f.Base.Median == 0:
		return "from 0"
	case !f.HasRatio:
		return "to " + unit.Plain(f.New.Median)
	}
	return signed(f.Ratio - 1)
}

// signed is a change as a percentage: "+12%", "-9.8%", "0%".
func signed(share float64) string {
	text := unit.Share(share)
	if share > 0 && text != "" && text[0] != '<' {
		return "+" + text
	}
	return text
}

// bySize orders cells by their greatest change of that verdict, greatest first.
func bySize(cells []Cell, v Verdict) []Cell {
	size := func(x Cell) float64 {
		most := 0.0
		for _, f := range x.Figures {
			if f.Verdict == v && f.HasRatio {
				most = max(most, math.Abs(math.Log(f.Ratio)))
			} else if f.Verdict == v {
				most = math.Inf(1)
			}
		}
		return most
	}
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, b Cell) int {
		switch x, y := size(a), size(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return sorted
}

// notes explain the columns.
func (c *Comparison) notes() []table.Footnote {
	pooled := ""
	if len(c.Base) > 1 {
		pooled = fmt.Sprintf(" The base is %d runs, their rounds taken together.", len(c.Base))
	}
	notes := []table.Footnote{
		{Code: "change", Text: "Base and new are medians of the rounds; the change is the median of the ratios of each new round to each of the base, with an interval of 95 % where the rounds are enough for one." + pooled},
		{Code: "p", Text: fmt.Sprintf("p is that of the Mann-Whitney test, and adjusted p the same once it is taken into account that %s were made (Benjamini and Hochberg).", unit.Counted(c.Tests, "comparison"))},
		{Code: "floor", Text: "The floor is the greatest change seen where nothing had changed: between halves of one run, between runs of the base, or as far as most of the grid moved."},
		{Code: "verdict", Text: fmt.Sprintf("Slower or faster is what has an adjusted p of at most %s and a change above %s and above its floor. Not sure is what has a greater p, while the change or half the width of its interval is above both.", unit.Plain(c.Options.Alpha), c.threshold())},
	}
	if cells, runs := c.leftOut(); cells > 0 {
		notes = append(notes, table.Footnote{Code: "left-out", Text: fmt.Sprintf(
			"Of %s, runs of the base (%d in all) are left out: the cell stands apart in them from the others of the base.", unit.Counted(cells, "cell"), runs)})
	}
	return notes
}

// leftOut counts the cells of which runs of the base are left out, and those runs.
func (c *Comparison) leftOut() (cells, runs int) {
	for _, x := range c.Cells {
		n := 0
		for _, f := range x.Figures {
			n = max(n, f.Left)
		}
		if n > 0 {
			cells, runs = cells+1, runs+n
		}
	}
	return cells, runs
}
