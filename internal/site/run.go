package site

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/results"
	"matrix/internal/table"
)

// fresh reports whether the page that an earlier pass made of a run still holds.
func (p *pass) fresh(s *source) bool {
	was, known := p.old.Runs[s.id]
	return known && !p.anew && was.Stamp == s.stamp && was.Prev == s.idOf(s.prev) && was.Next == s.idOf(s.next) &&
		was.Against == against(s) && p.there(was.Files)
}

// against is the stamp of the run before one, which it is compared with; "" for
// the first.
func against(s *source) string {
	if s.prev == nil {
		return ""
	}
	return s.prev.stamp
}

// opened is the run that was read last: of two in a row the second one needs both.
type opened struct {
	of  *source
	run *results.Run
	err error
}

func (o *opened) open(s *source) (*results.Run, error) {
	if o.of != s {
		run, err := results.Open(s.Dir)
		*o = opened{s, run, err}
	}
	return o.run, o.err
}

// page makes the page of a run and what stands beside it. A run that cannot be
// read gets a page that says why.
func (p *pass) page(s *source, last *opened) (run, error) {
	made := run{Stamp: s.stamp, Prev: s.idOf(s.prev), Next: s.idOf(s.next), Against: against(s), Scenario: s.Scenario, Title: s.Scenario, Started: s.Started}
	p.weigh(&made, s, last)
	opened, err := last.open(s)
	if err != nil {
		made.Problem = p.local(err.Error())
		return p.excuse(s, made)
	}
	made.sum(opened.Info(), opened.Records())
	report := p.o.Report(opened)
	p.localise(report)
	made.Verdict = report.Summary
	if len(report.Verdict) > 0 {
		made.Verdict = report.Verdict[0]
	}
	if made.Files, err = p.beside(s, opened, report); err != nil {
		return made, err
	}
	for _, f := range append(slices.Clone(pageFiles), pageFile{indexName, "", export.HTMLAmong(ways(s))}) { // the page links to the others
		var text bytes.Buffer
		if err := f.export(&text, report); err != nil {
			return made, fmt.Errorf("making %s of %s: %w", f.name, s.id, err)
		}
		if text.Len() == 0 { // no sheet of that kind
			continue
		}
		if err := p.put(s.id+"/"+f.name, text.Bytes()); err != nil {
			return made, err
		}
		made.Files = append(made.Files, s.id+"/"+f.name)
		if f.text != "" {
			report.Links = append(report.Links, table.Link{Text: f.text, Address: f.name})
		}
	}
	slices.Sort(made.Files)
	return made, nil
}

type pageFile struct {
	name, text string
	export     export.Exporter
}

// pageFiles are the forms of a report that stand beside the page of a run. JSON is
// none of them: it is megabytes a night, and says what header and journal do.
var pageFiles = []pageFile{
	{"report.csv", "Data, a row a trial (CSV)", export.CSV},
	{"report-wide.csv", "Data, systems side by side (CSV)", export.WideCSV},
}

// ways are the links from the page of a run to its neighbours.
func ways(s *source) (list []table.Link) {
	if s.prev != nil {
		list = append(list, table.Link{Text: "The run before", Address: "../" + filepath.Base(s.prev.Dir) + "/" + indexName})
	}
	if s.next != nil {
		list = append(list, table.Link{Text: "The next run", Address: "../" + filepath.Base(s.next.Dir) + "/" + indexName})
	}
	return append(list, table.Link{Text: "All runs of this scenario", Address: "../" + indexName})
}

// lastYear is the last that JSON and feeds can tell. A header may say a time with
// an offset that leads beyond it; the name of the run's folder is then taken.
const lastYear = 9999

// sum fills in what lists of runs say of one.
func (r *run) sum(info bench.RunInfo, records []bench.Record) {
	r.Scenario, r.Title, r.Unfinished = info.Plan.Scenario, info.Plan.Title, info.Finished == nil
	if r.Title == "" {
		r.Title = r.Scenario
	}
	if at := info.Started.UTC(); !at.IsZero() && at.Year() >= 0 && at.Year() <= lastYear {
		r.Started = at
	}
	type fate struct{ passed, failed bool }
	all := map[bench.Key]bool{}
	cells := map[bench.Key]fate{}
	for _, record := range records {
		all[record.Cell.Key] = true
		if !record.State.Ranked() && !record.State.Failed() {
			continue
		}
		f := cells[record.Cell.Key]
		f.passed = f.passed || record.State.Ranked()
		f.failed = f.failed || record.State.Failed()
		cells[record.Cell.Key] = f
	}
	for _, f := range cells {
		if f.failed && !f.passed {
			r.Failed++
		}
	}
	r.Measured, r.Cells = len(cells), max(len(info.Plan.Cells), len(all))
}

// localise takes the folder that runs are kept in, which is of this machine
// alone, out of what a report says.
func (p *pass) localise(r *table.Report) {
	for i := range r.Notes {
		r.Notes[i].Text = p.local(r.Notes[i].Text)
	}
	r.Info.Notes = slices.Clone(r.Info.Notes)
	for i := range r.Info.Notes {
		r.Info.Notes[i].Text = p.local(r.Info.Notes[i].Text)
	}
}

func (p *pass) local(text string) string {
	for _, root := range p.roots {
		text = strings.ReplaceAll(text, root+string(filepath.Separator), "")
	}
	return text
}
