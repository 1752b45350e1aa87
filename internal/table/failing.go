package table

import (
	"cmp"
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// failures says where each system failed, those that failed most first.
func (s *standing) failures() []string {
	return s.troubled(func(c *contestant) []dot { return c.failed }, "failed", func(c *contestant) string {
		why, more := reasons(c.failed)
		if more > 0 {
			why += ", and " + unit.Counted(more, "other error")
		}
		return fmt.Sprintf("failed at %s: %s.", s.cells(c.failed, c.cells), why)
	})
}

// cells counts some cells of a system and says where they are, unless they are
// all that it has.
func (s *standing) cells(some, all []dot) string {
	switch {
	case len(some) != len(all) || len(all) < 2:
	case len(all) == 2:
		return "both cells"
	default:
		return fmt.Sprintf("all %d cells", len(all))
	}
	return unit.Counted(len(some), "cell") + s.place.list(some, all)
}

// lapses says where some rounds failed and others could be measured.
func (s *standing) lapses() []string {
	return s.troubled(func(c *contestant) []dot { return c.shaky }, "failed in some rounds", func(c *contestant) string {
		why, _ := reasons(c.shaky)
		return fmt.Sprintf("failed in some rounds at %s: %s.", s.cells(c.shaky, c.cells), why)
	})
}

// losses says where requests failed in cells that were measured all the same.
func (s *standing) losses() []string {
	return s.troubled(func(c *contestant) []dot { return c.lossy }, "answered only a part", func(c *contestant) string {
		worst, why := 0.0, ""
		for _, d := range c.lossy {
			for i := range d.ranked {
				r := &d.ranked[i]
				if share := float64(r.FailedSum()) / float64(max(r.Issued, 1)); share > worst {
					worst, why = share, reasonOf(r)
				}
			}
		}
		upTo := ""
		if len(c.lossy) > 1 {
			upTo = "up to "
		}
		return fmt.Sprintf("failed to answer %s%s of the requests at %s: %s.", upTo, unit.Share(worst), s.cells(c.lossy, c.cells), why)
	})
}

// troubled tells of the few systems that have most cells of a sort, those in
// one sentence of which the same is to be told, and counts the rest.
func (s *standing) troubled(of func(*contestant) []dot, did string, tell func(*contestant) string) (said []string) {
	list := slices.DeleteFunc(slices.Clone(s.systems), func(c *contestant) bool { return len(of(c)) == 0 })
	slices.SortStableFunc(list, func(x, y *contestant) int { return len(of(y)) - len(of(x)) })
	var fates []string
	alike := map[string][]*contestant{}
	for _, c := range list {
		fate := tell(c)
		if alike[fate] == nil {
			fates = append(fates, fate)
		}
		alike[fate] = append(alike[fate], c)
	}
	systems, cells := 0, 0
	for i, fate := range fates {
		if i < fewSystems {
			said = append(said, s.together(alike[fate])+" "+fate)
			continue
		}
		for _, c := range alike[fate] {
			systems, cells = systems+1, cells+len(of(c))
		}
	}
	if systems > 0 {
		said = append(said, fmt.Sprintf("%s %s at %s.", numbered(systems, "more system", "more systems"), did, unit.Counted(cells, "cell")))
	}
	return said
}

// together names systems of each of which the same is told.
func (s *standing) together(alike []*contestant) string {
	n := len(alike)
	if n == 1 {
		return alike[0].name
	}
	if n == len(s.systems) && n > fewSystems {
		return fmt.Sprintf("The %d systems each", n)
	}
	var names []string
	for _, c := range alike[:min(n, fewSystems)] {
		names = append(names, c.name)
	}
	if more := n - fewSystems; more > 0 {
		names = append(names, numbered(more, "more system", "more systems"))
	}
	return enumerate(names) + " each"
}

// reasons is the most frequent reason of failed cells, and how many others
// there are.
func reasons(dots []dot) (why string, more int) {
	count := map[string]int{}
	var order []string
	for _, d := range dots {
		for i := range d.all {
			r := &d.all[i]
			if !r.State.Failed() {
				continue
			}
			text := reasonOf(r)
			if count[text] == 0 {
				order = append(order, text)
			}
			count[text]++
		}
	}
	slices.SortStableFunc(order, func(x, y string) int { return count[y] - count[x] })
	if len(order) == 0 {
		return "failed", 0
	}
	return order[0], len(order) - 1
}

// reasonOf is why a trial failed without the numbers of it, so that trials that
// failed alike say the same.
func reasonOf(r *bench.Record) string {
	if r.FailedSum() == 0 {
		reason, _ := bench.First(r.Reason)
		return Gist(cmp.Or(reason, spelled(r.State)))
	}
	var worst bench.Failure
	for _, class := range bench.Failures { // in their order, so that equals are told alike
		if r.Failed[class] > r.Failed[worst] {
			worst = class
		}
	}
	return Gist(cmp.Or(r.Messages[worst], string(worst)))
}
