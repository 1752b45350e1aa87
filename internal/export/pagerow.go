package export

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

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
		for word := range strings.SplitSeq(r.Cells[c.at].Text, " ") {
			code, _ := codeOf(word)
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
	cell := r.Cells[c.at]
	if cell.Text == "" && !first {
		w.WriteString(`<td class="w"></td>`) // a heading must say something
		return
	}
	w.WriteString(`<th scope="row"`)
	if c.Number {
		w.WriteString(` class="n"`)
		w.sortable(cell)
	}
	w.WriteString(">")
	w.text(cmp.Or(cell.Text, "–"))
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
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			w.WriteString(" ")
		}
		code, end := codeOf(word)
		n := w.notes[code]
		if n == nil {
			w.text(word)
			continue
		}
		w.WriteString(`<a href="#` + n.ID + `">`)
		w.text(code)
		w.WriteString("</a>" + end)
	}
}

// codeOf parts a word of a row's remarks into the code of a note and what parts
// it from the remarks of another round.
func codeOf(word string) (code, end string) {
	if code, parted := strings.CutSuffix(word, ";"); parted {
		return code, ";"
	}
	return word, ""
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
