package export

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"matrix/internal/table"
)

// sheet is a table as a page shows it: without the columns that hold nothing.
type sheet struct {
	place
	table.Table
	Caption string
	Wide    bool // needs a sheet of paper across
	Legend  string
	Shown   []shownColumn
	Empty   string // headings of the columns left out
	Body    template.HTML

	notes map[string]*noteView // by code; where a row names one, both learn of it
	told  bool                 // a column says what became of a row
	raw   int                  // column that links to what tools printed
}

// shownColumn is a column and its place in the cells of a row.
type shownColumn struct {
	table.Column
	at      int
	remarks bool
	longest int // characters of its texts, of one that says which cell a row is
}

// Class is of the cells of a heading: n numbers, s what a filter chooses by.
func (c shownColumn) Class() string {
	switch {
	case c.Stub && c.Number:
		return "n s"
	case c.Stub:
		return "s" + c.room()
	case c.Number:
		return "n"
	}
	return ""
}

// room is the class that keeps names from being broken in the middle, which a
// browser would do to spare wide tables their scrolling.
func (c shownColumn) room() string {
	switch {
	case c.longest > 12:
		return " w16"
	case c.longest > 8:
		return " w12"
	case c.longest > 4:
		return " w8"
	}
	return ""
}

// longestIn is how many characters the longest text of a column has.
func longestIn(rows []table.Row, at int) (n int) {
	for i := range rows {
		if text := rows[i].Cells[at].Text; len(text) > n {
			n = max(n, utf8.RuneCountInString(text))
		}
	}
	return n
}

const columnsUpright = 8 // that a sheet of paper holds upright

func newSheet(id string, t table.Table, title string, notes map[string]*noteView) sheet {
	s := sheet{place: place{id, t.Caption}, Table: t, Caption: t.Caption, notes: notes, raw: -1}
	if t.Caption == title {
		s.Caption, s.Text = "Results", "Results"
	}
	var empty []string
	for i, c := range t.Columns {
		if !slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Cells[i].Text != "" }) {
			empty = append(empty, c.Heading)
			continue
		}
		shown := shownColumn{Column: c, at: i, remarks: c.Name == "remarks"}
		if c.Stub && !c.Number {
			shown.longest = longestIn(t.Rows, i)
		}
		s.Shown = append(s.Shown, shown)
		s.told = s.told || c.Name == "errors" || c.Name == "state"
		if s.raw < 0 || c.Name == "errors" {
			s.raw = i
		}
	}
	s.Empty = strings.Join(empty, ", ")
	s.Wide = len(s.Shown) > columnsUpright
	s.Legend = s.legend()
	s.Body = s.body()
	return s
}

func (s *sheet) legend() string {
	text := strconv.Itoa(len(s.Rows)) + " rows."
	if len(s.Rows) == 1 {
		text = "1 row."
	}
	for _, r := range s.Rows {
		if slices.ContainsFunc(r.Cells, func(c table.Cell) bool { return c.Best }) {
			return text + " ★ marks the best of the systems at its point, and all that the rounds do not tell from it."
		}
	}
	return text
}

// rowsAtOnce is how many rows of a long table a page with a script draws at
// first. The rest stands in the page, too, in a part of the table that the script
// shows when asked: laying out 10,000 rows takes a browser more than a second.
const rowsAtOnce = 200

// body writes the rows. A template would take seconds for the cells of a large
// grid; what is written here is either a literal or escaped.
func (s *sheet) body() template.HTML {
	out := rowWriter{sheet: s, words: map[string]string{}}
	for i := range s.Rows {
		if i == rowsAtOnce {
			out.WriteString("</tbody>\n<tbody class=\"more\">\n")
		}
		out.row(&s.Rows[i], s.ID+"r"+strconv.Itoa(i+1))
	}
	return template.HTML(out.String())
}
