package table

import (
	"strings"

	"matrix/internal/bench"
)

// Tried is a cell as it was tried: what a format needs that lists cells rather
// than tables.
type Tried struct {
	Cell    bench.Cell // of a cell not tried only Key, System and Point
	Rounds  []bench.Record
	State   bench.State // of all rounds; "" was planned and not tried
	Reason  string      // why State is not ok, over all rounds
	Finding string      // see Row
	Untold  string      // likewise

	folder *folder // of Rounds: distributions are merged once for all metrics
}

// Value is a metric over all rounds of the cell; see Metric.Value.
func (t Tried) Value(m Metric) (Value, bool) {
	if t.folder == nil {
		return Value{}, false
	}
	return m.fold(t.folder)
}

// Expected reports whether the cell failed and its scenario said that it would.
func (t Tried) Expected() bool { return t.State.Failed() && t.Cell.ExpectFailure }

// Each returns the reports of single runs that r is made of: itself, unless it
// was joined.
func (r *Report) Each() []*Report {
	if len(r.Parts) > 0 {
		return r.Parts
	}
	return []*Report{r}
}

// Tried lists the cells of a report of one run, each once whatever its tables
// show: those that were recorded, in the order of Records, then those of the plan
// that were not.
func (r *Report) Tried() []Tried {
	var cells []Tried
	place := map[bench.Key]int{}
	for _, record := range r.Records {
		key := record.Cell.Key
		i, seen := place[key]
		if !seen {
			i = len(cells)
			place[key] = i
			cells = append(cells, Tried{Cell: record.Cell})
		}
		cells[i].Rounds = append(cells[i].Rounds, record)
	}
	findings, untold := r.Findings(), r.Untold()
	for i := range cells {
		c := &cells[i]
		c.folder = newFolder(c.Rounds)
		c.State, c.Reason, c.Finding = StateOf(c.Rounds), errorsText(c.Rounds), findings[c.Cell.Key]
		c.Untold = untold[c.Cell.Key]
	}
	for _, c := range r.Info.Plan.Cells {
		if _, seen := place[c.Key]; !seen {
			cells = append(cells, Tried{Cell: c, Finding: findings[c.Key], Untold: untold[c.Key]})
		}
	}
	return cells
}

// Findings gathers what the rows of all tables call attention to, by cell.
func (r *Report) Findings() map[bench.Key]string {
	return r.ofRows(func(row Row) string { return row.Finding })
}

// Untold gathers why nothing can be told of rows, likewise.
func (r *Report) Untold() map[bench.Key]string {
	return r.ofRows(func(row Row) string { return row.Untold })
}

func (r *Report) ofRows(text func(Row) string) map[bench.Key]string {
	all := map[bench.Key]string{}
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if s := text(row); s != "" && !strings.Contains(all[row.Key], s) {
				all[row.Key] = strings.TrimPrefix(all[row.Key]+"; "+s, "; ")
			}
		}
	}
	return all
}
