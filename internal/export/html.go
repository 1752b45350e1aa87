package export

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// HTML writes one page that needs nothing beside it: no network, and a policy in
// its head that allows only the style and the script that it carries. It is whole
// without the script, which sorts, filters and tells the points of charts.
func HTML(w io.Writer, r *table.Report) error { return writePage(w, viewOf(r)) }

// HTMLAmong writes the same page with links to the pages that it stands among.
// Their addresses are the caller's own and taken as they are.
func HTMLAmong(ways []table.Link) Exporter {
	return func(w io.Writer, r *table.Report) error {
		v := viewOf(r)
		v.Ways = ways
		return writePage(w, v)
	}
}

func writePage(w io.Writer, v view) error {
	out := bufio.NewWriter(w)
	if err := page.Execute(out, v); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	return nil
}

// view is a report with what a page adds to it: places that links lead to.
type view struct {
	*table.Report
	pageParts
	First    string // id of the first table
	Contents []place
	Groups   []groupView
	Sheets   []sheet
	Notes    []noteView
	Commands []string // that repeat the runs
	Links    []table.Link
	Ways     []table.Link // to the pages around this one
}

// place is a part of a page: its id and its heading.
type place struct{ ID, Text string }

type groupView struct {
	place
	table.ChartGroup
}

// noteView is a footnote; Back is the id of the first row that names it.
type noteView struct {
	table.Footnote
	ID, Back string
}

func viewOf(r *table.Report) view {
	v := view{Report: r, pageParts: parts, Commands: commandsOf(r), First: "s1"}
	for i, g := range r.Charts {
		v.Groups = append(v.Groups, groupView{place{"g" + strconv.Itoa(i+1), g.Title}, g})
	}
	notes := make(map[string]*noteView, len(r.Notes))
	v.Notes = make([]noteView, len(r.Notes))
	for i, n := range r.Notes {
		v.Notes[i] = noteView{Footnote: n, ID: "n" + strconv.Itoa(i+1)}
		if notes[n.Code] == nil {
			notes[n.Code] = &v.Notes[i]
		}
	}
	for i, t := range r.Tables {
		v.Sheets = append(v.Sheets, newSheet("s"+strconv.Itoa(i+1), t, r.Title, notes))
	}
	for i, n := range v.Notes {
		if n.Trials > 0 {
			v.Notes[i].Text += " (" + unit.Counted(n.Trials, "trial") + ")"
		}
	}
	for _, l := range r.Links {
		if web(l.Address) || beside(l.Address) {
			v.Links = append(v.Links, l)
		}
	}
	v.Contents = v.contents()
	return v
}

// contents is the headings of a page that has more than a few.
func (v view) contents() (list []place) {
	const few = 4
	for _, g := range v.Groups {
		list = append(list, g.place)
	}
	for _, s := range v.Sheets {
		list = append(list, s.place)
	}
	for _, p := range []struct {
		there bool
		place
	}{
		{len(v.Notes) > 0, place{"notes", "Notes"}},
		{len(v.Conditions) > 0, place{"conditions", "Conditions"}},
		{v.Scenario != "", place{"scenario", "Scenario as run"}},
		{len(v.Commands) > 0, place{"reproduce", "How to reproduce"}},
		{len(v.Links) > 0, place{"files", "Data"}},
	} {
		if p.there {
			list = append(list, p.place)
		}
	}
	if len(list) <= few {
		return nil
	}
	return list
}

// commandsOf is the commands that the conditions tell, each once.
func commandsOf(r *table.Report) (list []string) {
	seen := map[string]bool{}
	for _, s := range r.Conditions {
		if text, ok := bench.Lookup(s.Facts, "Command"); ok && !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}

// web tells whether an address is of the web: nothing that runs when followed.
func web(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// beside tells whether an address is of a file in the page's folder or below it.
func beside(address string) bool {
	if address == "" || strings.ContainsAny(address, ":\\?#") {
		return false
	}
	for part := range strings.SplitSeq(address, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
