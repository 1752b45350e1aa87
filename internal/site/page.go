package site

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"matrix/internal/export"
	"matrix/internal/table"
)

//go:embed site.html
var pageText string

var pages = template.Must(template.New("site").Funcs(template.FuncMap{
	"visible": export.Visible, "picture": export.Picture, "when": when, "stamp": machineTime,
}).Parse(pageText))

// head is what every page of the site's own has.
type head struct {
	Title string
	Feed  string // address of the feed; "" for none
	Ways  []table.Link
	Lead  string
	Soft  string
}

// Style and Policy are those of the page of a run.
func (head) Style() template.CSS { return export.Style() }
func (head) Policy() string      { return export.StylePolicy() }

type rawView struct {
	head
	Files []string // names in the folder of the page
}

type problemView struct {
	head
	Problem string
	Dir     string
}

// line is a run in a list.
type line struct {
	run
	ID      string
	Address string // of its page, from the list's
	Home    string // of its scenario's page; "" on that page
}

type groupView struct {
	table.ChartGroup
	ID string
}

type indexView struct {
	head
	Scenarios []scenarioLine
	Newest    []line
	More      int // runs that are not among the newest
}

type scenarioLine struct {
	Name, Title, Address string
	Runs                 int
	Last                 line
}

type scenarioView struct {
	head
	History []string // sentences on how its cells went
	Groups  []groupView
	Runs    []line
}

func (p *pass) render(name, kind string, view any) error {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, kind, view); err != nil {
		return fmt.Errorf("making %s: %w", name, err)
	}
	return p.put(name, text.Bytes())
}

// excuse makes the page of a run that cannot be read.
func (p *pass) excuse(s *source, made run) (run, error) {
	name := s.id + "/" + indexName
	made.Files = []string{name}
	return made, p.render(name, "problem", problemView{
		head:    head{Title: made.Scenario + ", " + when(made.Started), Ways: ways(s)},
		Problem: made.Problem, Dir: s.Scenario + "/" + s.id[strings.LastIndex(s.id, "/")+1:],
	})
}

func when(t time.Time) string        { return t.UTC().Format("2006-01-02 15:04 UTC") }
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
