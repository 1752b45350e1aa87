package compare

import (
	"slices"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// sheet is the comparison as tidy data: a row for each metric of each cell.
func (c *Comparison) sheet(lines []line) table.Sheet {
	var pairs []string
	for _, l := range lines {
		for _, p := range l.Pairs() {
			if !slices.Contains(pairs, p.Name) {
				pairs = append(pairs, p.Name)
			}
		}
	}
	s := table.Sheet{Header: append(slices.Clone(pairs), "metric", "verdict", "base", "new", "change_percent", "own_percent", "low_percent", "high_percent",
		"p", "adjusted_p", "floor_percent", "base_rounds", "new_rounds", "state")}
	for _, l := range lines {
		var row []table.Field
		have := l.Pairs()
		for _, name := range pairs {
			v, _ := bench.Lookup(have, name)
			row = append(row, table.Field{Text: v})
		}
		s.Rows = append(s.Rows, append(row, l.fields()...))
	}
	return s
}

func (l line) fields() []table.Field {
	number := func(v float64, ok bool) table.Field {
		if !ok {
			return table.Field{Number: true}
		}
		return table.Field{Text: unit.Plain(v), Number: true}
	}
	f, has := Figure{}, l.Figure != nil
	if has {
		f = *l.Figure
	}
	bounded := f.HasRatio && f.Bounded
	return []table.Field{
		{Text: f.Metric.Name}, {Text: string(l.verdict)}, number(f.Base.Median, has), number(f.New.Median, has), number((f.Ratio-1)*100, f.HasRatio), number((f.Own-1)*100, f.HasRatio),
		number((f.Lo-1)*100, bounded), number((f.Hi-1)*100, bounded), number(f.P, has), number(f.Adjusted, has), number(f.Floor*100, f.HasFloor),
		number(float64(f.Base.N), has), number(float64(f.New.N), has), {Text: string(l.State)},
	}
}
