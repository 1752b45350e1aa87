package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

const (
	maxHeats    = 12
	heatColumns = 40 // of one map
	heatRows    = 60
)

// heatMaps is the grid as maps: each cell by its share of the requests per
// second of the fastest at its point. With a single system there is nothing to
// be relative to, and where the rounds tell nothing no map is drawn.
func (b *builder) heatMaps(dots []dot) ChartGroup {
	g := ChartGroup{Title: "Grid", About: "Requests per second as a share of the fastest at the same point. Those as dark as the fastest cannot be told from it."}
	m := b.newHeat(dots)
	if same := m.place.names(); same != "" {
		g.About += " A point is " + same + "; a cell is a point on one system."
	}
	if m.alone {
		g.About += " Alone is a system where no other has a figure."
	}
	if m.open {
		g.About += " With a question mark, rounds are missing or too few to compare the cell."
	}
	if len(systemsOf(b.g.cells)) < 2 || m.points < 2 {
		return g
	}
	if !m.told && m.open {
		b.note("chart", "Grid: no map is drawn, for the rounds are too few to tell at any point which system is the fastest.")
		return g
	}
	left := 0
	for rows := range slices.Chunk(m.rows, heatRows) {
		for columns := range slices.Chunk(m.columns, heatColumns) {
			if len(g.Heats) == maxHeats {
				left++
				continue
			}
			g.Heats = append(g.Heats, m.part(rows, columns))
		}
	}
	if left > 0 {
		b.note("chart", "Grid: the first %d maps are drawn; %d more are left out.", maxHeats, left)
	}
	if len(g.Heats) > 1 {
		for i := range g.Heats {
			g.Heats[i].Title += fmt.Sprintf(" (%d of %d)", i+1, len(g.Heats))
		}
	}
	return g
}

// heat is the grid of a run before it is parted into maps.
type heat struct {
	place   placer
	points  int
	alone   bool // some system has a figure where no other has
	open    bool // some cell has a figure and cannot be compared
	told    bool // some cell can
	rows    []string
	columns []column
	at      map[[2]string]HeatCell // by row and column
}

type column struct {
	text  string
	point int
}

func (b *builder) newHeat(dots []dot) *heat {
	h := &heat{place: newPlacer(dots), at: map[[2]string]HeatCell{}}
	names := newNamer(b.info.Plan, b.g.cells)
	cells := h.shares(b, dots)
	rows, columns := map[string]bool{}, map[string]bool{}
	for i, d := range dots {
		row, col := names.prose[systemKey(d.cell)], h.column(d)
		if h.place.file {
			row += ", " + d.of("file")
		}
		if !rows[row] {
			rows[row] = true
			h.rows = append(h.rows, row)
		}
		if !columns[col] {
			columns[col] = true
			h.columns = append(h.columns, column{col, d.Point})
		}
		h.at[[2]string{row, col}] = cells[i]
	}
	slices.SortStableFunc(h.columns, func(x, y column) int { return cmp.Compare(x.point, y.point) })
	return h
}

// shares holds each cell against the fastest of those at its point that may be
// compared.
func (h *heat) shares(b *builder, dots []dot) []HeatCell {
	cells := make([]HeatCell, len(dots))
	rate, _ := Lookup("requests_per_second")
	values, has := make([]Value, len(dots)), make([]bool, len(dots))
	points := map[bench.Key]int{} // how many systems have a figure there
	for i, d := range dots {
		cells[i].State = StateOf(d.all)
		values[i], has[i] = rate.fold(d.folder)
		if !has[i] && !cells[i].State.Ranked() {
			cells[i].Text = spelled(cells[i].State)
		}
		points[pointKey(d.cell)] += map[bool]int{true: 1}[has[i]]
	}
	h.points = len(points)
	for i, d := range dots {
		if has[i] && points[pointKey(d.cell)] == 1 {
			cells[i].Text, h.alone = "alone", true
		} else if has[i] {
			cells[i].Text = "?"
		}
	}
	for _, c := range b.contests(rate, cellsIn(dots), values, func(i int) bool { return has[i] }) {
		if len(c.of) < 2 || allAre(c.behind[1:], stats.TooFew) {
			continue
		}
		best := values[c.of[0]].Number
		for n, i := range c.of {
			if share := values[i].Number / best; share > 0 && finite(share) {
				cells[i].Share, cells[i].Best = &share, c.behind[n] != stats.Apart
				cells[i].Text, h.told = strconv.FormatFloat(100*share, 'f', 0, 64)+" %", true
			}
		}
	}
	for _, c := range cells {
		h.open = h.open || c.Text == "?"
	}
	return cells
}

// column is the point of a dot, its file aside: "150 / 5000".
func (h *heat) column(d dot) string {
	var parts []string
	for _, name := range h.place.told {
		if v := d.of(name); name != "file" && v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " / ")
}

// part is a map of some rows and columns.
func (h *heat) part(rows []string, columns []column) Heat {
	var axes []string
	for _, name := range h.place.told {
		if name != "file" {
			axes = append(axes, strings.ToLower(sentence(name)))
		}
	}
	out := Heat{Title: "Share of the fastest", XLabel: sentence(strings.Join(axes, " / "))}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.text)
	}
	var words []string
	for _, row := range rows {
		r := HeatRow{Name: row}
		least, most, failed := 1.0, 0.0, 0
		for _, c := range columns {
			x := h.at[[2]string{row, c.text}]
			r.Cells = append(r.Cells, x)
			if x.Share != nil {
				least, most = min(least, *x.Share), max(most, *x.Share)
			} else if x.State.Failed() {
				failed++
			}
		}
		out.Rows = append(out.Rows, r)
		words = append(words, rowWords(row, least, most, failed))
	}
	out.About = "Shares of the requests per second of the fastest at each point. " + strings.Join(words, " ")
	return out
}

func rowWords(name string, least, most float64, failed int) string {
	text := fmt.Sprintf("%s: not measured", name)
	if most > 0 {
		text = fmt.Sprintf("%s: %.0f to %.0f %%", name, 100*least, 100*most)
		if least == most {
			text = fmt.Sprintf("%s: %.0f %%", name, 100*most)
		}
	}
	if failed > 0 {
		text += fmt.Sprintf(", failed at %s", unit.Counted(failed, "point"))
	}
	return text + "."
}
