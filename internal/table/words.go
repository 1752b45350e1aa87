package table

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// spelled tells the states that are not ranked as they stand in a sentence.
func spelled(s bench.State) string {
	switch s {
	case bench.StateTimeout:
		return "timed out"
	case bench.StateSkipped:
		return "skipped"
	case bench.StateInterrupted:
		return "interrupted"
	default:
		return "failed"
	}
}

// errorsText tells what went wrong in the rounds of a cell: "" when nothing
// did, the bare reason of a single round, and for several how many of them.
func errorsText(rounds []bench.Record) string {
	var parts []string
	for _, g := range groupByFate(rounds) {
		parts = append(parts, g.tell(len(rounds)))
	}
	return strings.Join(parts, "; ")
}

// fate is some rounds of one cell that are not ok and ended alike.
type fate struct {
	state   bench.State
	n       int
	reasons []string // distinct

	// Where all reasons only count failed requests, the failures of all rounds
	// added up say it in one.
	sum            bench.Measurement
	derived, other bool
}

func (f fate) reason() string {
	if f.derived && !f.other {
		_, reason := f.sum.State()
		return reason
	}
	return list(f.reasons, 2)
}

func groupByFate(rounds []bench.Record) []fate {
	var fates []fate
	for i := range rounds {
		r := &rounds[i]
		if r.State == bench.StateOK {
			continue
		}
		at := slices.IndexFunc(fates, func(f fate) bool { return f.state == r.State })
		if at < 0 {
			fates = append(fates, fate{state: r.State})
			at = len(fates) - 1
		}
		fates[at].n++
		fates[at].derived = fates[at].derived || r.FailedSum() > 0
		if _, derived := r.Measurement.State(); derived != r.Reason {
			fates[at].other = true
		}
		fates[at].sum.Issued += r.Issued
		fates[at].sum.OK += r.OK
		for class, n := range r.Failed {
			fates[at].sum.Fail(class, n, r.Messages[class])
		}
		if reason, _ := bench.First(r.Reason); reason != "" && !slices.Contains(fates[at].reasons, reason) {
			fates[at].reasons = append(fates[at].reasons, reason)
		}
	}
	return fates
}

func (f fate) tell(rounds int) string {
	reason := f.reason()
	if rounds == 1 {
		plain := f.state == bench.StateDegraded || f.state == bench.StateFailed || f.state == bench.StateTimeout
		if plain && reason != "" {
			return reason
		}
		return join(spelled(f.state), reason)
	}
	many := fmt.Sprintf("%d of %d rounds", f.n, rounds)
	if f.n == rounds {
		many = fmt.Sprintf("all %d rounds", rounds)
	}
	if f.state == bench.StateDegraded {
		return join("in "+many, reason)
	}
	return join(many+" "+spelled(f.state), reason)
}

func join(head, reason string) string {
	if reason == "" {
		return head
	}
	return head + ": " + reason
}

// list names the first few of texts and how many are left.
func list(texts []string, few int) string {
	if len(texts) <= few {
		return strings.Join(texts, " / ")
	}
	return fmt.Sprintf("%s / and %d more", strings.Join(texts[:few], " / "), len(texts)-few)
}

func stateText(rounds []bench.Record) string { return string(StateOf(rounds)) }

// StateOf is the state of a cell: that of its rounds where they agree; degraded
// where some are ranked; else that of the last round.
func StateOf(rounds []bench.Record) bench.State {
	if len(rounds) == 0 {
		return ""
	}
	last := rounds[len(rounds)-1].State
	same, ranked := true, false
	for i := range rounds {
		same = same && rounds[i].State == last
		ranked = ranked || rounds[i].State.Ranked()
	}
	if !same && ranked {
		return bench.StateDegraded
	}
	return last
}

// rawOf lists what external tools printed in rounds that are not ok, as files of
// the run's folder.
func rawOf(rounds []bench.Record) (files []string) {
	for i := range rounds {
		r := &rounds[i]
		if name := r.Raw; name != "" && r.State != bench.StateOK && name == path.Base(name) && !strings.HasPrefix(name, ".") {
			files = append(files, "raw/"+name)
		}
	}
	return files
}

// worstMulti is the Multi with the smallest share of repeats that went well;
// nil when the cell was not repeated.
func worstMulti(rounds []bench.Record) *bench.Multi {
	var worst *bench.Multi
	for i := range rounds {
		m := rounds[i].Multi
		if m != nil && (worst == nil || m.OK*worst.Asked < worst.OK*m.Asked) {
			worst = m
		}
	}
	return worst
}

func multiTimes(rounds []bench.Record) string {
	m := worstMulti(rounds)
	if m == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", m.OK, m.Asked)
}

func multiError(rounds []bench.Record) string {
	if m := worstMulti(rounds); m != nil {
		return m.Reason
	}
	return ""
}

// distinct joins what the rounds say, each thing once.
func distinct(of func(*bench.Record) string) func([]bench.Record) string {
	return func(rounds []bench.Record) string {
		var texts []string
		for i := range rounds {
			if t := of(&rounds[i]); t != "" && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
		return strings.Join(texts, "; ")
	}
}

func noteCodes(r *bench.Record) string {
	var codes []string
	for _, n := range notesOf(r) {
		codes = append(codes, n.Code)
	}
	return strings.Join(codes, " ")
}

// notesOf lists the notes on a record and its measurement, each code once.
func notesOf(r *bench.Record) []bench.Note {
	var notes []bench.Note
	for _, from := range [][]bench.Note{r.Notes, r.Measurement.Notes} {
		for _, n := range from {
			if !slices.ContainsFunc(notes, func(o bench.Note) bool { return o.Code == n.Code }) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}
