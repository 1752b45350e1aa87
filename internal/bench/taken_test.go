package bench

import (
	"math"
	"testing"
	"time"
)

// disturbed is a record of a trial on a host with so many seconds of CPU time, of
// which others used some, known to within an error.
func disturbed(others, host, off float64) Record {
	return Record{Host: Observation{OthersCPU: &others, HostCPU: &host, OthersCPUError: off}}
}

// Item 12: others' CPU time, and from where on it is told.
func TestWhatOthersTook(t *testing.T) {
	for _, c := range []struct {
		name     string
		records  []Record
		words    string
		disturbs bool
	}{
		{"nothing is known", []Record{{}}, "an unknown part", false},
		{"none", []Record{disturbed(0, 2, 0)}, "0%", false},
		{"a quiet machine", []Record{disturbed(0.008, 2, 0)}, "0.4%", false},
		{"just below", []Record{disturbed(0.0979, 2, 0)}, "4.9%", false},
		{"a twentieth", []Record{disturbed(0.1, 2, 0)}, "5.0%", true},
		{"a core of two", []Record{disturbed(1, 2, 0)}, "50%", true},
		{"a short trial", []Record{disturbed(0.035, 0.1, 0)}, "35%", true},
		{"less than a tick of a short trial", []Record{disturbed(0.006, 0.1, 0)}, "6.0%", false},
		{"read a moment later", []Record{disturbed(0.11, 0.1, 0)}, "100%", true},
		{"too coarse to tell", []Record{disturbed(0.02, 0.06, 0.03)}, "an unknown part", false},
		{"coarse, and much for sure", []Record{disturbed(0.05, 0.1, 0.03)}, "at least 20%", true},
		{"rounds added up tell more", []Record{disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03),
			disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03), disturbed(0.06, 0.2, 0.03)}, "30%", true},
		{"trials that do not tell have no say", []Record{{}, disturbed(1, 2, 0), {}}, "50%", true},
	} {
		taken, _ := Others.Of(c.records)
		if got := taken.Words(); got != c.words || taken.Disturbs() != c.disturbs {
			t.Errorf("%s: %q, disturbs: %v; want %q, %v", c.name, got, taken.Disturbs(), c.words, c.disturbs)
		}
	}
}

func TestStolenTimeIsToldApart(t *testing.T) {
	o := Observation{HostCPU: new(2.0), HostCPUSteal: new(0.5), OthersCPU: new(0.26)}
	want := []Note{
		{"others-cpu", "other processes used 13% of this machine's CPU time: the figures are lower than on a machine at rest"},
		{"stolen-cpu", "the hypervisor gave 25% of this machine's CPU time to other guests: the figures are lower than on a machine at rest"},
	}
	got := o.Notes()
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
	if n := (Observation{HostCPU: new(2.0), HostCPUSteal: new(0.0), OthersCPU: new(0.01)}).Notes(); n != nil {
		t.Errorf("a quiet machine: %+v", n)
	}
}

func TestErrorsOfRoundsAddUp(t *testing.T) {
	sum := Taken{1, 10, 0.3}.Plus(Taken{2, 20, 0.4})
	if sum.CPU != 3 || sum.Host != 30 || math.Abs(sum.Error-0.5) > 1e-12 {
		t.Errorf("%+v", sum)
	}
}

func TestTheLoadBeforeTheFirstTrial(t *testing.T) {
	at := func(minute int, load *float64) Record {
		return Record{Started: time.Date(2026, 7, 1, 12, minute, 0, 0, time.UTC), Host: Observation{Before: Host{Load1: load}}}
	}
	if load, ok := FirstLoad([]Record{at(3, new(9.0)), at(1, nil), at(2, new(21.5)), at(4, new(0.1))}); !ok || load != 21.5 {
		t.Errorf("%v, %v", load, ok)
	}
	if _, ok := FirstLoad([]Record{at(1, nil)}); ok {
		t.Error("a load that nobody looked at")
	}
	if RestingLoad(0) != 2 || RestingLoad(2) != 2 || RestingLoad(64) != 64 {
		t.Error(RestingLoad(0), RestingLoad(2), RestingLoad(64))
	}
}
