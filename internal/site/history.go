package site

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"matrix/internal/export"
	"matrix/internal/history"
	"matrix/internal/stats"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// leastStep is the smallest step that is told, as a share: that of
// `matrix history` without flags.
const leastStep = 0.02

// history tells on the page of a scenario how its cells went from run to run, and
// on a page of its own each of them. A history that cannot be read is none: the
// list of runs says what is wrong with them.
func (p *pass) history(place string, of []*source, view *scenarioView, made *scenario) error {
	if len(of) < 2 {
		return nil
	}
	h, err := history.Load(p.o.Results, history.Options{Scenario: of[0].Scenario, Metrics: []string{comparedMetric}, Least: leastStep})
	if err != nil || len(h.Series) == 0 {
		return nil
	}
	report := h.Report()
	p.localise(report)
	drawRecent(report.Charts)
	view.History = report.Verdict
	for i, g := range report.Charts {
		view.Groups = append(view.Groups, groupView{g, "g" + strconv.Itoa(i+1)})
	}
	made.Steps = stepsForTheWorse(place, h)
	name := place + "/" + historyName
	made.Files = append(made.Files, name)
	view.Ways = append(view.Ways, table.Link{Text: "History of every cell", Address: historyName})
	var text bytes.Buffer
	if err := export.HTMLAmong([]table.Link{{Text: "All runs of this scenario", Address: indexName}})(&text, report); err != nil {
		return fmt.Errorf("making %s: %w", name, err)
	}
	return p.put(name, text.Bytes())
}

// mostDrawn is how many runs a chart draws: of more, lines become a band, and
// pages grow night by night.
const mostDrawn = 120

// drawRecent leaves the newest runs in charts that have more.
func drawRecent(groups []table.ChartGroup) {
	for i := range groups {
		all := 0
		for j := range groups[i].Charts {
			c := &groups[i].Charts[j]
			all = max(all, len(c.Ticks))
			if len(c.Ticks) <= mostDrawn {
				continue
			}
			c.Ticks = c.Ticks[len(c.Ticks)-mostDrawn:]
			for k := range c.Series {
				c.Series[k].Points = slices.DeleteFunc(c.Series[k].Points, func(pt table.Point) bool { return pt.X < c.Ticks[0].At })
			}
			c.About += fmt.Sprintf(" The newest %d are drawn.", mostDrawn)
		}
		if all > mostDrawn {
			groups[i].About += fmt.Sprintf(" Drawn are the newest %d of %d runs.", mostDrawn, all)
		}
	}
}

// stepsForTheWorse tells, by the run where it was, of each step that stayed.
func stepsForTheWorse(place string, h *history.History) map[string][]string {
	told := map[string][]string{}
	for _, s := range h.Series {
		m, known := table.Lookup(s.Metric)
		if !known {
			continue
		}
		for _, step := range s.Steps {
			change, ok := step.Change()
			if step.Recent || !ok || !becameWorse(m.Better, step) {
				continue
			}
			id := place + "/" + filepath.Base(h.Runs[step.At].Dir)
			told[id] = append(told[id], fmt.Sprintf("%s: %s moved by %+.1f %% and stayed there", s.Key, m.Name, 100*change))
		}
	}
	return told
}

func becameWorse(better unit.Direction, step stats.Step) bool {
	switch better {
	case unit.Higher:
		return step.After < step.Before
	case unit.Lower:
		return step.After > step.Before
	default:
		return false
	}
}
