package export

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"matrix/internal/table"
)

const (
	gap        = 2  // spaces between two columns
	comfort    = 60 // a column of words grows no wider
	narrowest  = 12 // nor, where room is short, narrower
	keepAlways = 1000
)

// column is a column of a table laid out for a terminal.
type column struct {
	head   string
	cells  []string // one line each, numbers padded so that their points line up
	tints  []tint   // of cells, what colours tell
	number bool
	stub   bool
	empty  bool // nothing in any row
	keep   int
	width  int
}

func columnsOf(t table.Table) []*column {
	columns := make([]*column, len(t.Columns))
	for i, c := range t.Columns {
		col := &column{head: Visible(c.Head()), number: c.Number, stub: c.Stub, keep: c.Keep, empty: true}
		for _, row := range t.Rows {
			cell := row.Cells[i]
			cell.Text = Visible(cell.Text)
			col.empty = col.empty && cell.Text == ""
			col.cells = append(col.cells, cell.Text)
			col.tints = append(col.tints, tintOf(c, row, cell))
		}
		if c.Number && !c.Stub {
			col.cells = aligned(t, i)
		}
		col.width = col.natural()
		columns[i] = col
	}
	return columns
}

// natural is the least width at which the heading takes three lines or fewer
// and no cell of a number is wrapped.
func (c *column) natural() int {
	width := c.tight()
	for len(wrap(c.head, width)) > 3 {
		width++
	}
	return width
}

// tight is the width of the widest cell, or of the longest word of the heading
// where that is more.
func (c *column) tight() int {
	width := 1
	for _, cell := range c.cells {
		width = max(width, displaywidth.String(cell))
	}
	if !c.number {
		width = min(width, comfort)
	}
	return max(width, longestWord(c.head))
}

func longestWord(s string) int {
	width := 0
	for word := range strings.FieldsSeq(s) {
		width = max(width, displaywidth.String(word))
	}
	return width
}

// aligned pads the numbers of a column so that points, spreads and marks stand
// under each other once the whole is set to the right.
func aligned(t table.Table, column int) []string {
	tail := func(s string) int {
		if i := strings.IndexByte(s, '.'); i >= 0 {
			return len(s) - i
		}
		return 0
	}
	var tails, spreads, marks int
	for _, row := range t.Rows {
		c := row.Cells[column]
		tails = max(tails, tail(c.Text))
		spreads = max(spreads, displaywidth.String(c.Spread))
		if c.Best {
			marks = 1
		}
	}
	cells := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		c := row.Cells[column]
		if c.Text == "" {
			continue
		}
		text := c.Text + strings.Repeat(" ", tails-tail(c.Text))
		if spreads > 0 {
			text += " " + c.Spread + strings.Repeat(" ", spreads-displaywidth.String(c.Spread))
		}
		if c.Best {
			text += "*"
		} else {
			text += strings.Repeat(" ", marks)
		}
		cells[i] = text
	}
	return cells
}

// fitted is the columns of a table as they fit the width, and the names of what is
// left out. Where all that may go is gone and a line is still too long, what stands
// behind figures goes, too.
func fitted(t table.Table, width int) (columns []*column, left []string) {
	columns, left = fit(columnsOf(t), width)
	if width <= 0 || total(columns) <= width {
		return columns, left
	}
	bare := t
	bare.Rows = slices.Clone(t.Rows)
	var gone []string
	for i, row := range t.Rows {
		bare.Rows[i].Cells = slices.Clone(row.Cells)
		for j := range row.Cells {
			if head := "intervals of " + t.Columns[j].Heading; row.Cells[j].Spread != "" && !slices.Contains(gone, head) {
				gone = append(gone, head)
			}
			bare.Rows[i].Cells[j].Spread = ""
		}
	}
	columns, left = fit(columnsOf(bare), width)
	return columns, append(left, gone...)
}

// fit makes columns narrower and then leaves some out until a line takes at
// most width; 0 is any width. It returns the headings left out. Columns that say
// which cell a row is, its rate and its errors always stay.
func fit(columns []*column, width int) (kept []*column, left []string) {
	if width <= 0 {
		return columns, nil
	}
	gone := map[*column]bool{}
	fits := func() bool {
		kept = slices.DeleteFunc(slices.Clone(columns), func(c *column) bool { return gone[c] })
		return shrink(kept, width)
	}
	order := leastFirst(columns)
	for _, c := range order {
		if fits() {
			break
		}
		gone[c] = true
	}
	for _, c := range slices.Backward(order) { // a narrow one may fit where a wide one had to go
		if !gone[c] {
			continue
		}
		if gone[c] = false; !fits() {
			gone[c] = true
		}
	}
	if !fits() {
		squeeze(kept, width)
	}
	for _, c := range columns {
		if gone[c] {
			left = append(left, c.head)
		}
	}
	return kept, left
}

// leastFirst lists the columns that may be left out: empty ones, then those of
// the least keep.
func leastFirst(columns []*column) []*column {
	order := slices.DeleteFunc(slices.Clone(columns), func(c *column) bool {
		return c.stub || (c.keep >= keepAlways && !c.empty)
	})
	slices.SortStableFunc(order, func(a, b *column) int {
		if a.empty != b.empty {
			return map[bool]int{true: -1, false: 1}[a.empty]
		}
		return a.keep - b.keep
	})
	return order
}

// shrink narrows the widest columns of words, step by step, and reports whether
// the line then fits.
func shrink(columns []*column, width int) bool {
	for _, c := range columns {
		c.width = c.natural()
	}
	for _, c := range columns {
		if total(columns) > width {
			c.width = c.tight()
		}
	}
	return narrow(columns, width, func(c *column) int { return max(narrowest, longestWord(c.head)) })
}

// squeeze is the last resort: words are cut within.
func squeeze(columns []*column, width int) {
	narrow(columns, width, func(*column) int { return 6 })
}

// narrow takes from the widest column of words above its floor, until the line
// fits or there is none.
func narrow(columns []*column, width int, floor func(*column) int) bool {
	for total(columns) > width {
		var widest *column
		for _, c := range columns {
			if !c.number && c.width > floor(c) && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return false
		}
		widest.width--
	}
	return true
}

func total(columns []*column) int {
	sum := -gap
	for _, c := range columns {
		sum += c.width + gap
	}
	return sum
}

// wrap breaks a text into lines of at most width, between words where it can.
func wrap(s string, width int) []string {
	if displaywidth.String(s) <= width {
		return []string{s}
	}
	var lines []string
	line, used := "", 0
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	for word := range strings.FieldsSeq(s) {
		for _, part := range pieces(word, width) {
			w := displaywidth.String(part)
			switch {
			case line == "":
				line, used = part, w
			case used+1+w <= width:
				line, used = line+" "+part, used+1+w
			default:
				flush()
				line, used = part, w
			}
		}
	}
	flush()
	return lines
}

// pieces cuts a word that is wider than width at the borders of characters.
func pieces(word string, width int) []string {
	if displaywidth.String(word) <= width {
		return []string{word}
	}
	var parts []string
	part, used := "", 0
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		if used+g.Width() > width && part != "" {
			parts = append(parts, part)
			part, used = "", 0
		}
		part += g.Value()
		used += g.Width()
	}
	return append(parts, part)
}
