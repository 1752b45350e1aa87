package table

import (
	"fmt"
	"slices"
	"strconv"

	"matrix/internal/stats"
	"matrix/internal/unit"
)

// ties says at how many points nobody is ahead.
func (s *standing) ties() (text string) {
	if s.open > 0 {
		who := "the systems"
		if len(s.systems) > 2 {
			who = "the fastest"
		}
		text = fmt.Sprintf("; at %d %s cannot be told apart", s.open, who)
	}
	if s.few > 0 {
		text += fmt.Sprintf("; at %d there are too few rounds to tell", s.few)
	}
	return text
}

// tooFew is the first sentence where no point has the rounds to tell who is ahead:
// it names nobody.
func (s *standing) tooFew() string {
	who := fmt.Sprintf("Which of %s is the fastest", unit.Counted(len(s.systems), "system"))
	if len(s.systems) == 2 {
		who = fmt.Sprintf("Whether %s or %s is faster", s.systems[0].name, s.systems[1].name)
	}
	if s.printed {
		return who + " cannot be told from one printed figure of each cell."
	}
	from := "one round"
	if s.rounds > 1 {
		from = unit.Counted(s.rounds, "round")
	}
	text := fmt.Sprintf("%s cannot be told from %s of each cell: it takes %s", who, from, s.takes())
	if s.points > 1 {
		text += fmt.Sprintf(" to be sure of a single one of %d points", s.points)
	}
	return text + "."
}

// takes is how many rounds it takes to be sure of one point alone.
func (s *standing) takes() string {
	if s.needed >= stats.MostNeeded {
		return fmt.Sprintf("%d or more", s.needed)
	}
	return strconv.Itoa(s.needed)
}

// greatest counts the greatest figures of a published table, of which there is
// one a cell: that is what it printed, and no more.
func (s *standing) greatest() []string {
	if !s.printed || s.few == 0 || s.few < s.points {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(s.systems), func(c *contestant) bool { return c.greatest == 0 })
	slices.SortStableFunc(list, func(x, y *contestant) int { return y.greatest - x.greatest })
	if len(list) == 0 {
		return nil
	}
	what := "the greatest printed figure"
	if len(s.systems) == 2 {
		what = "the greater printed figure"
	}
	if s.points == 1 {
		return []string{list[0].name + " has " + what + s.only() + "."}
	}
	text := fmt.Sprintf("%s has %s%s", list[0].name, what, ofPoints(list[0].greatest, s.points))
	if len(list) > 1 {
		text += fmt.Sprintf(", %s at %d", list[1].name, list[1].greatest)
	}
	return []string{text + "."}
}

// undecided is the first sentence where nobody is ahead anywhere.
func (s *standing) undecided() string {
	who := "The fastest of " + unit.Counted(len(s.systems), "system")
	if len(s.systems) == 2 {
		who = s.systems[0].name + " and " + s.systems[1].name
	}
	text := who + " cannot be told apart"
	if s.points > 1 {
		text += fmt.Sprintf(" at any of %d points", s.points)
	}
	if s.few > 0 {
		text += fmt.Sprintf(", at %d of them for want of rounds", s.few)
	}
	return text + "."
}

// untried says how much of the plan has no figures since it was never run.
func (b *builder) untried() []string {
	if b.g.untried == 0 {
		return nil
	}
	return []string{unit.Counted(b.g.untried, "cell") + " of the plan " + map[bool]string{true: "was", false: "were"}[b.g.untried == 1] + " not tried."}
}
