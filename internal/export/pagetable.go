package export

import (
	"html"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
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
}

// Class is of the cells of a heading: n numbers, s what a filter chooses by.
func (c shownColumn) Class() string {
	switch {
	case c.Stub && c.Number:
		return "n s"
	case c.Stub:
		return "s"
	case c.Number:
		return "n"
	}
	return ""
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
		s.Shown = append(s.Shown, shownColumn{c, i, c.Name == "remarks"})
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
			return text + " ★ marks the best of the systems at its point, or all that are as good."
		}
	}
	return text
}

// body writes the rows. A template would take seconds for the cells of a large
// grid; what is written here is either a literal or escaped.
func (s *sheet) body() template.HTML {
	out := rowWriter{sheet: s, words: map[string]string{}}
	for i := range s.Rows {
		out.row(&s.Rows[i], s.ID+"r"+strconv.Itoa(i+1))
	}
	return template.HTML(out.String())
}

// rowWriter writes the rows of a sheet. All that it puts between tags or quotes
// has gone through words, or is made of digits.
type rowWriter struct {
	strings.Builder
	*sheet
	words map[string]string // escaped, of texts that stand in many rows
}

const mostWords = 1000 // kept

func (w *rowWriter) text(s string) {
	if plainASCII(s) {
		w.WriteString(s)
		return
	}
	known, ok := w.words[s]
	if !ok {
		known = html.EscapeString(Visible(s))
		if len(w.words) < mostWords {
			w.words[s] = known
		}
	}
	w.WriteString(known)
}

// plainASCII tells whether a text is printable ASCII without markup.
func plainASCII(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~', c == '<', c == '>', c == '&', c == '"', c == '\'':
			return false
		}
	}
	return true
}

func (w *rowWriter) row(r *table.Row, id string) {
	w.WriteString("<tr")
	if w.firstToName(r, id) {
		w.WriteString(` id="` + id + `"`)
	}
	if class := stateClass(r.State); class != "" {
		w.WriteString(` class="` + class + `"`)
	}
	w.WriteString(">")
	for i, c := range w.Shown {
		last := i == len(w.Shown)-1
		if c.Stub {
			w.stub(c, r, i == 0)
		} else {
			w.figure(c, r, last)
		}
	}
	w.WriteString("</tr>\n")
}

// firstToName tells the notes that a row names where it stands, and whether it is
// the first row of one of them.
func (w *rowWriter) firstToName(r *table.Row, id string) (first bool) {
	for _, c := range w.Shown {
		if !c.remarks || r.Cells[c.at].Text == "" {
			continue
		}
		for code := range strings.SplitSeq(r.Cells[c.at].Text, ", ") {
			if n := w.notes[code]; n != nil && n.Back == "" {
				n.Back, first = id, true
			}
		}
	}
	return first
}

// stateClass is for the states that a row shows by its colour, beside its words.
func stateClass(s bench.State) string {
	switch s {
	case bench.StateDegraded, bench.StateFailed, bench.StateTimeout, bench.StateSkipped, bench.StateInterrupted:
		return string(s)
	}
	return ""
}

func (w *rowWriter) stub(c shownColumn, r *table.Row, first bool) {
	w.WriteString(`<th scope="row"`)
	cell := r.Cells[c.at]
	if c.Number {
		w.WriteString(` class="n"`)
		w.sortable(cell)
	}
	w.WriteString(">")
	w.text(cell.Text)
	if state := stateClass(r.State); first && !w.told && state != "" {
		w.WriteString(` <span class="state">` + state + "</span>")
	}
	if first {
		w.extras(c, r)
	}
	w.WriteString("</th>")
}

func (w *rowWriter) figure(c shownColumn, r *table.Row, last bool) {
	cell := r.Cells[c.at]
	if c.Number {
		w.WriteString("<td")
		w.sortable(cell)
		w.WriteString(">")
	} else {
		w.WriteString(`<td class="w">`)
	}
	switch {
	case c.remarks:
		w.remarks(cell.Text)
	case cell.Best:
		w.WriteString("<b>")
		w.text(cell.Text)
		w.WriteString("</b>")
	default:
		w.text(cell.Text)
	}
	if cell.Spread != "" {
		w.WriteString(" <small>")
		w.text(cell.Spread)
		w.WriteString("</small>")
	}
	if c.at == w.raw && !w.Shown[0].Stub || c.at == w.raw && c.at != w.Shown[0].at {
		w.links(r.Raw)
	}
	if last && !w.Shown[0].Stub {
		w.finding(r)
	}
	w.WriteString("</td>")
}

// extras is what the heading of a row says beside its name.
func (w *rowWriter) extras(c shownColumn, r *table.Row) {
	w.finding(r)
	if c.at == w.raw {
		w.links(r.Raw)
	}
}

func (w *rowWriter) finding(r *table.Row) {
	if r.Finding != "" {
		w.WriteString(` <span class="finding">`)
		w.text(r.Finding)
		w.WriteString("</span>")
	}
}

// links leads to what tools printed, where that is a file of the page's folder.
func (w *rowWriter) links(raw []string) {
	raw = slices.DeleteFunc(slices.Clone(raw), func(name string) bool { return !strings.HasPrefix(name, "raw/") || !beside(name) })
	for i, name := range raw {
		label := "raw output"
		if len(raw) > 1 {
			label += " " + strconv.Itoa(i+1)
		}
		address := url.URL{Path: name}
		w.WriteString(` <a href="` + html.EscapeString(address.EscapedPath()) + `">` + label + "</a>")
	}
}

// remarks writes the codes of notes, each as a link to its note.
func (w *rowWriter) remarks(text string) {
	for i, code := range strings.Split(text, ", ") {
		if i > 0 {
			w.WriteString(", ")
		}
		n := w.notes[code]
		if n == nil {
			w.text(code)
			continue
		}
		w.WriteString(`<a href="#` + n.ID + `">`)
		w.text(code)
		w.WriteString("</a>")
	}
}

// sortable gives a cell the number to sort by, where its text is no plain one.
func (w *rowWriter) sortable(c table.Cell) {
	if c.Text == "" {
		return
	}
	if _, err := strconv.ParseFloat(c.Text, 64); err == nil {
		return
	}
	if v, ok := number(c); ok {
		w.WriteString(` data-v="` + strconv.FormatFloat(v, 'g', 9, 64) + `"`)
	}
}

// number is what a cell is sorted by: its value, or what its text says as a
// quantity: 1.5 kB, 30s, 1 KiB × 1000.
func number(c table.Cell) (float64, bool) {
	if v, err := c.Value.Float64(); err == nil {
		return v, true
	}
	text, _, _ := strings.Cut(c.Text, " ×")
	if n, err := unit.ParseBytes(text); err == nil {
		return float64(n), true
	}
	if d, err := unit.ParseDuration(text); err == nil {
		return d.Seconds(), true
	}
	return 0, false
}
