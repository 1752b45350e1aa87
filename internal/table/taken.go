package table

import (
	"fmt"
	"slices"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// warnings tells of a run that was measured on a busy machine.
func warnings(records []bench.Record) (list []string) {
	for _, who := range bench.Takers {
		taken, _ := who.Of(records)
		if n, is := who.Note(taken); is {
			list = append(list, sentence(n.Text)+" during the trials: the figures are those of a busy machine.")
		}
	}
	return list
}

// takenNotes tells which cells were measured on a busy machine, by the rounds of
// each added up: one short trial can be too short to tell.
func takenNotes(cells []cell) (notes []Footnote) {
	for _, who := range bench.Takers {
		var most bench.Taken
		trials, where, behind := 0, bench.Key(""), false
		for _, c := range cells {
			taken, _ := who.Of(c.all)
			if !taken.Disturbs() {
				continue
			}
			trials += len(c.all)
			behind = behind || who == bench.Others && apart(c.all)
			if where == "" || taken.CPU*most.Host > most.CPU*taken.Host {
				most, where = taken, c.Key
			}
		}
		n, is := who.Note(most)
		if !is {
			continue
		}
		text := fmt.Sprintf("%s while %s was measured", sentence(n.Text), where)
		if len(cells) > 1 {
			text += ", more than for any other cell"
		}
		text += ": the figures are lower than on a machine at rest."
		if behind {
			text += " Processes of this machine that serve behind a URL without listening there count among them."
		}
		notes = append(notes, Footnote{Code: n.Code, Text: text, Trials: trials})
	}
	return notes
}

// apart reports whether a server answered that was not started for the run.
func apart(rounds []bench.Record) bool {
	return slices.ContainsFunc(rounds, func(r bench.Record) bool { return r.Host.ServerCPUUser == nil })
}

// loadNote tells of a load average that was high before the run made any load,
// unless the processes at work are known to have been few.
func loadNote(info bench.RunInfo, records []bench.Record) (notes []Footnote) {
	load, ok := bench.FirstLoad(records)
	cores := max(info.Host.Cores, info.Generator.Cores)
	if !ok || load <= bench.RestingLoad(cores) {
		return nil
	}
	if taken, told := bench.Others.Of(records); told && !taken.Disturbs() {
		return nil
	}
	text := fmt.Sprintf("The load average was %.2f before the first trial", load)
	if cores > 0 {
		text += fmt.Sprintf(", on %s", unit.Counted(cores, "core"))
	}
	return []Footnote{{Code: "load-average", Text: text + ": other work was going on, or had just ended."}}
}
