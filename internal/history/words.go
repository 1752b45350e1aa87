package history

import (
	"fmt"
	"slices"
	"strconv"
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
	list = append(list, v.lead(len(moved)))
	list = append(list, v.absent("failed in the last run", (*Series).fails)...)
	list = append(list, v.absent("not measured in the last run", (*Series).missing)...)
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

// lead says in how many cells the level moved, and of how many that cannot be
// told.
func (v *view) lead(moved int) string {
	few, needed := 0, 0
	for _, s := range v.series {
		if s.untold() {
			few, needed = few+1, max(needed, s.Needed)
		}
	}
	cells, runs := unit.Counted(len(v.series), "cell"), unit.Counted(len(v.Runs), "run")
	if few == len(v.series) {
		return fmt.Sprintf("%s: %s: too few to tell whether a level moved, which takes %s.", v.metric.Heading, runs, takes(needed))
	}
	text := fmt.Sprintf("%s: no level moved and stayed, in %s over %s", v.metric.Heading, cells, runs)
	if moved > 0 {
		text = fmt.Sprintf("%s: the level moved and stayed in %d of %s", v.metric.Heading, moved, cells)
	} else if few > 0 {
		text = fmt.Sprintf("%s: no level moved and stayed, in %d of %s over %s", v.metric.Heading, len(v.series)-few, cells, runs)
	}
	if few > 0 {
		text += fmt.Sprintf("; %s measured in too few runs to tell, which takes %s", counted(few, "is", "are"), takes(needed))
	}
	return text + "."
}

func takes(runs int) string {
	if runs >= stats.MostForStep {
		return fmt.Sprintf("%d or more", runs)
	}
	return strconv.Itoa(runs)
}

// counted is a number and the form of the verb that goes with it.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// absent names the cells that have no figure in the last run, of one kind.
func (v *view) absent(what string, is func(*Series) bool) []string {
	var names []string
	n := 0
	for _, s := range v.series {
		if !is(s) {
			continue
		}
		if n++; n <= fewNamed {
			names = append(names, v.name(s))
		}
	}
	if n == 0 {
		return nil
	}
	if n > fewNamed {
		names = append(names, fmt.Sprintf("and %d more", n-fewNamed))
	}
	return []string{fmt.Sprintf("%d of %s %s: %s.", n, unit.Counted(len(v.series), "cell"), what, strings.Join(names, "; "))}
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
