package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matrix/internal/table"
	"matrix/internal/unit"
)

// newest is how many runs the front page lists.
const newest = 50

// front makes the front page, the feed, and what a host of pages wants to find.
func (p *pass) front(sources map[string][]*source) error {
	p.now.Files = []string{noJekyll, feedName, indexName}
	if err := p.put(noJekyll, nil); err != nil {
		return err
	}
	if err := p.feed(); err != nil {
		return err
	}
	view := indexView{head: head{Title: p.o.Title, Feed: feedName, Ways: []table.Link{{Text: "Feed of what became worse", Address: feedName}}}}
	var lines []line
	for _, place := range slices.Sorted(maps.Keys(sources)) {
		of := p.lines(sources[place], "", place+"/"+indexName)
		lines = append(lines, of...)
		view.Scenarios = append(view.Scenarios, scenarioLine{
			Name: of[0].Scenario, Title: of[0].Title, Address: place + "/" + indexName, Runs: len(of), Last: of[0],
		})
	}
	slices.SortStableFunc(view.Scenarios, func(a, b scenarioLine) int { return b.Last.Started.Compare(a.Last.Started) })
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID))
	})
	view.Newest = lines[:min(len(lines), newest)]
	view.More = len(lines) - len(view.Newest)
	view.Lead = fmt.Sprintf("%s of %s.", unit.Counted(len(lines), "run"), unit.Counted(len(sources), "scenario"))
	if len(lines) > 0 {
		view.Soft = "The newest began " + when(lines[0].Started) + "."
	}
	return p.render(indexName, "index", view)
}

// lines lists runs, the newest first, for a page that reaches the site's folder by
// up, "../" or "".
func (p *pass) lines(of []*source, up, home string) (list []line) {
	for _, s := range slices.Backward(of) {
		r := p.now.Runs[s.id]
		list = append(list, line{run: r, ID: s.id, Address: up + s.id + "/" + indexName, Home: home})
	}
	return list
}

// last is the time of the newest run; zero without one.
func (p *pass) last() (t time.Time) {
	for _, r := range p.now.Runs {
		if r.Started.After(t) {
			t = r.Started
		}
	}
	return t
}
