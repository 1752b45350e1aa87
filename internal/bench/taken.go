package bench

import (
	"math"

	"matrix/internal/unit"
)

// Taken is CPU time of a host that was not there for a measurement, over one
// trial or several. All times are of all cores together, in seconds.
type Taken struct {
	CPU   float64
	Host  float64 // all that there was in the same trials
	Error float64 // by how much CPU may be too great
}

// Disturbing is the share of a host's CPU time from which on it matters who has
// it: figures can be off by as much, and compare looks for no less by itself.
const Disturbing = 0.05

// Share is what of the host was taken, 0 to 1; false where it is not known to
// within Disturbing.
func (t Taken) Share() (float64, bool) {
	return t.part(), t.Host > 0 && t.Error <= Disturbing*t.Host
}

func (t Taken) part() float64 {
	if t.Host <= 0 {
		return 0
	}
	return min(t.CPU/t.Host, 1) // short of 1 but for what was read a moment later
}

// Words tell the share: "34%", or "at least 12%" where more is not known.
func (t Taken) Words() string {
	switch _, known := t.Share(); {
	case known:
		return unit.Share(t.part())
	case t.CPU > t.Error:
		return "at least " + unit.Share((t.CPU-t.Error)/t.Host)
	}
	return "an unknown part"
}

// Disturbs reports whether so much was taken for sure. Less than the kernel's
// unit of accounting is nothing, however short the trial.
func (t Taken) Disturbs() bool {
	const tick = 0.01
	sure := t.CPU - t.Error
	return t.Host > 0 && sure >= Disturbing*t.Host && sure >= tick
}

// Taker is one who has CPU time of a host beside what is measured.
type Taker int

// The takers.
const (
	Others     Taker = iota // processes that took no part
	Hypervisor              // for other guests
)

// Takers lists them.
var Takers = []Taker{Others, Hypervisor}

// Clause says that the taker had a share of the CPU time.
func (w Taker) Clause(share string) string {
	if w == Hypervisor {
		return "the hypervisor gave " + share + " of this machine's CPU time to other guests"
	}
	return "other processes used " + share + " of this machine's CPU time"
}

// Note tells, in a clause, that the taker disturbed what was measured; false where
// it did not for sure.
func (w Taker) Note(t Taken) (Note, bool) {
	code := [...]string{Others: "others-cpu", Hypervisor: "stolen-cpu"}[w]
	return Note{code, w.Clause(t.Words())}, t.Disturbs()
}

// Notes tell of a trial that had to share its host.
func (o Observation) Notes() (notes []Note) {
	for _, who := range Takers {
		t, _ := who.of(&o)
		if n, is := who.Note(t); is {
			n.Text += ": the figures are lower than on a machine at rest"
			notes = append(notes, n)
		}
	}
	return notes
}

// Of is what the taker had during the trials that tell; false where none does.
func (w Taker) Of(records []Record) (sum Taken, ok bool) {
	for i := range records {
		if t, told := w.of(&records[i].Host); told {
			sum, ok = sum.Plus(t), true
		}
	}
	return sum, ok
}

// Plus is what was taken over the trials of both, which are other trials.
func (t Taken) Plus(o Taken) Taken {
	return Taken{t.CPU + o.CPU, t.Host + o.Host, math.Hypot(t.Error, o.Error)}
}

func (w Taker) of(o *Observation) (Taken, bool) {
	cpu, off := o.OthersCPU, o.OthersCPUError
	if w == Hypervisor {
		const rounding = 0.01
		cpu, off = o.HostCPUSteal, rounding
	}
	if cpu == nil || o.HostCPU == nil || *o.HostCPU <= 0 {
		return Taken{}, false
	}
	return Taken{CPU: *cpu, Host: *o.HostCPU, Error: off}, true
}

// FirstLoad is the load average over one minute before the first of the trials,
// when none of it was the run's own; false where it was not looked at.
func FirstLoad(records []Record) (load float64, ok bool) {
	var first *Record
	for i := range records {
		if r := &records[i]; r.Host.Before.Load1 != nil && (first == nil || r.Started.Before(first.Started)) {
			first = r
		}
	}
	if first == nil {
		return 0, false
	}
	return *first.Host.Before.Load1, true
}
