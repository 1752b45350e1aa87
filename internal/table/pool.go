package table

import (
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// pool is the cells of several runs as those of one. The run of each is a label
// of its system, behind the others, so that a system which was measured twice is
// two. Together says whether two runs have a point in common.
func pool(reports []*Report) (b *builder, together bool) {
	b = &builder{}
	label := runLabel(reports)
	first := map[bench.Key]string{}
	systems := 0
	for _, r := range reports {
		before := systems
		cells := newBuilder(r.Info, r.Records).g.cells
		for _, c := range cells {
			own := *c.Cell
			own.Labels = append(slices.Clone(c.Labels), bench.Pair{Name: label, Value: r.Info.ID})
			own.System += before
			systems = max(systems, own.System+1)
			c.Cell = &own
			b.g.cells = append(b.g.cells, c)
			run, met := first[pointKey(c)]
			together = together || met && run != r.Info.ID
			first[pointKey(c)] = r.Info.ID
		}
		for _, name := range labelNames(r.Info.Plan, cells) {
			if !slices.Contains(b.info.Plan.Labels, name) {
				b.info.Plan.Labels = append(b.info.Plan.Labels, name)
			}
		}
	}
	b.info.Plan.Labels = append(b.info.Plan.Labels, label)
	return b, together
}

// runLabel is a name for the label of the run that no label or axis has already.
func runLabel(reports []*Report) string {
	taken := map[string]bool{}
	for _, r := range reports {
		for _, name := range r.Info.Plan.Labels {
			taken[name] = true
		}
		for _, a := range r.Info.Plan.Axes {
			taken[a.Name] = true
		}
		for i := range r.Records {
			for _, p := range r.Records[i].Cell.Labels {
				taken[p.Name] = true
			}
			for _, p := range r.Records[i].Cell.Axes {
				taken[p.Name] = true
			}
		}
	}
	name := "run"
	for taken[name] {
		name += "_"
	}
	return name
}

// overall fills what a joined report says of all its runs: together where they
// have points in common, and else one after the other.
func (r *Report) overall(reports []*Report) {
	if b, together := pool(reports); together {
		r.Verdict, r.Charts, r.Wide = b.verdict(), b.groups(), b.wide
		r.Notes = mergeNotes(r.Notes, b.notes)
		return
	}
	for i, one := range reports {
		switch {
		case i >= maxSentences-1 && len(reports) > maxSentences:
			if i == maxSentences-1 {
				r.Verdict = append(r.Verdict, fmt.Sprintf("%s have verdicts of their own.", unit.Counted(len(reports)-i, "more run")))
			}
		case len(one.Verdict) > 0:
			r.Verdict = append(r.Verdict, joined(one.Info.ID, one.Verdict[0]))
		}
		for _, g := range one.Charts {
			g.Title = joined(one.Info.ID, g.Title)
			r.Charts = append(r.Charts, g)
		}
	}
	r.Wide = oneBelowTheOther(reports, func(r *Report) func() Sheet { return r.Wide })
}
