package history

import (
	"fmt"
	"slices"
	"strings"

	"matrix/internal/stats"
	"matrix/internal/table"
	"matrix/internal/unit"
)

const (
	fewNamed = 3 // steps that a verdict tells one by one
	fewNotes = 5 // runs whose changes are told
)

// verdict tells which levels moved.
func (v *view) verdict() (list []string) {
	var moved, recent []*Series
	for _, s := range v.series {
		if _, ok := s.lastStep(); ok {
			moved = append(moved, s)
		} else if len(s.Steps) > 0 {
			recent = append(recent, s)
		}
	}
	if len(moved) == 0 {
		list = append(list, fmt.Sprintf("%s: no level moved and stayed, in %s over %s.", v.metric.Heading, unit.Counted(len(v.series), "cell"), unit.Counted(len(v.Runs), "run")))
	} else {
		list = append(list, fmt.Sprintf("%s: the level moved and stayed in %d of %s.", v.metric.Heading, len(moved), unit.Counted(len(v.series), "cell")))
	}
	for _, s := range moved[:min(len(moved), fewNamed)] {
		step, _ := s.lastStep()
		list = append(list, v.tell(s, step, "since "+v.Runs[step.At].short()))
	}
	for _, s := range recent[:min(len(recent), fewNamed)] {
		step := s.Steps[len(s.Steps)-1]
		list = append(list, v.tell(s, step, "in the last "+unit.Counted(len(s.Values)-step.At, "run"))+" Too few to tell a step from chance.")
	}
	return list
}

func (v *view) tell(s *Series, step stats.Step, when string) string {
	verb := "rose"
	if step.After < step.Before {
		verb = "fell"
	}
	kind := ""
	if v.worse(step) {
		kind = ", for the worse"
	}
	by := v.moved(step)
	if _, ok := step.Change(); ok {
		by = strings.TrimLeft(by, "+-")
	}
	return fmt.Sprintf("%s: %s by %s%s, %s.", v.name(s), verb, by, kind, when)
}

// notes tells what changed beside the figures, the newest first.
func (h *History) notes() (list []table.Footnote) {
	told, more := 0, 0
	for _, n := range slices.Backward(h.Runs) {
		switch {
		case n.Problem != "":
			list = append(list, table.Footnote{Code: "unreadable", Text: fmt.Sprintf("%s has no figures here: %s.", n.ID, n.Problem)})
		case n.Broken > 0:
			list = append(list, table.Footnote{Code: "broken-line", Text: fmt.Sprintf("The journal of %s is damaged: `matrix report %s` says where.", n.ID, n.ID)})
		case len(n.Changes) == 0:
		case told == fewNotes:
			more++
		default:
			told++
			list = append(list, table.Footnote{Code: "changed", Text: fmt.Sprintf("From %s on: %s.", n.short(), someOf(n.Changes))})
		}
	}
	if more > 0 {
		list = append(list, table.Footnote{Code: "changed", Text: fmt.Sprintf("%s before that changed something, too.", unit.Counted(more, "run"))})
	}
	return append(list, h.sectionNotes()...)
}

// sectionNotes tells from which run on the scenario asked for something else.
func (h *History) sectionNotes() (list []table.Footnote) {
	cells := map[int]int{}
	for _, s := range h.Series {
		if s.Metric != h.options.Metrics[0] {
			continue
		}
		for _, i := range s.Sections {
			cells[i]++
		}
	}
	for i := range h.Runs {
		if n := cells[i]; n > 0 {
			list = append(list, table.Footnote{Code: "scenario-changed", Text: fmt.Sprintf(
				"From %s on the scenario asked for something else of %s: values before and after are not compared.", h.Runs[i].short(), unit.Counted(n, "cell"))})
		}
	}
	return list[max(len(list)-fewNotes, 0):]
}

func someOf(list []string) string {
	const few = 4
	if len(list) <= few {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(list[:few], "; "), len(list)-few)
}
