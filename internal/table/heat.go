package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

const (
	maxHeats    = 12
	heatColumns = 40 // of one map
	heatRows    = 60
)

// heatMaps is the grid as maps: each cell by its share of the requests per
// second of the fastest at its point. With a single system there is nothing to
// be relative to.
func (b *builder) heatMaps(dots []dot) ChartGroup {
	g := ChartGroup{Title: "Grid", About: "Requests per second as a share of the fastest at the same point."}
	m := newHeat(b, dots)
	if same := m.place.names(); same != "" {
		g.About += " A point is " + same + "; a cell is a point on one system."
	}
	if m.alone {
		g.About += " Alone is a system whose point no other has."
	}
	if len(systemsOf(b.g.cells)) < 2 || len(m.best) < 2 {
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
	best    map[bench.Key]float64 // requests per second of the fastest at each point
	systems map[bench.Key]int     // that have the point
	alone   bool                  // some system has a point that no other has
	rows    []string
	columns []column
	at      map[[2]string]HeatCell // by row and column
}

type column struct {
	text  string
	point int
}

func newHeat(b *builder, dots []dot) *heat {
	h := &heat{place: newPlacer(dots), best: map[bench.Key]float64{}, systems: map[bench.Key]int{}, at: map[[2]string]HeatCell{}}
	rate, _ := Lookup("requests_per_second")
	names := newNamer(b.info.Plan, b.g.cells)
	for _, d := range dots {
		v, _ := rate.fold(d.folder)
		k := pointKey(d.cell)
		h.best[k] = max(h.best[k], v.Number)
		h.systems[k]++
	}
	rows, columns := map[string]bool{}, map[string]bool{}
	for _, d := range dots {
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
		v, ok := rate.fold(d.folder)
		k := pointKey(d.cell)
		c := heatCell(d, v.Number, ok, h.best[k])
		if h.systems[k] == 1 && c.Share != nil { // which would be the fastest of itself
			c.Share, c.Text, h.alone = nil, "alone", true
		}
		h.at[[2]string{row, col}] = c
	}
	slices.SortStableFunc(h.columns, func(x, y column) int { return cmp.Compare(x.point, y.point) })
	return h
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

func heatCell(d dot, rate float64, measured bool, best float64) HeatCell {
	c := HeatCell{State: StateOf(d.all)}
	switch {
	case !measured && c.State.Ranked(): // of this metric nothing is known
	case !measured:
		c.Text = spelled(c.State)
	case best > 0 && rate > 0:
		share := rate / best
		c.Share, c.Text = &share, strconv.FormatFloat(100*share, 'f', 0, 64)+" %"
	}
	return c
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
