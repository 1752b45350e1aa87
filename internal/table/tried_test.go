package table

import (
	"testing"
	"time"

	"matrix/internal/bench"
)

func TestTriedListsEachCellOnce(t *testing.T) {
	record := func(key bench.Key, round int, s bench.State, reason string) bench.Record {
		return bench.Record{Trial: bench.Trial{Cell: bench.Cell{Key: key}, Round: round}, State: s, Reason: reason}
	}
	expected := record("c", 1, bench.StateFailed, "refused")
	expected.Cell.ExpectFailure = true
	row := Row{Key: "a", Finding: "slower"}
	r := &Report{
		Records: []bench.Record{record("a", 1, bench.StateOK, ""), record("a", 2, bench.StateTimeout, "30s"), record("b", 1, bench.StateFailed, "refused"), expected},
		Info:    bench.RunInfo{Plan: bench.Plan{Cells: bench.Cells{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "d"}}}},
		Tables:  []Table{{Rows: []Row{row, {Key: "b"}}}, {Rows: []Row{row, {Key: "a", Finding: "above the limit"}}}},
	}
	want := []struct {
		key      bench.Key
		rounds   int
		state    bench.State
		reason   string
		finding  string
		expected bool
	}{
		{"a", 2, bench.StateDegraded, "1 of 2 rounds timed out: 30s", "slower; above the limit", false},
		{"b", 1, bench.StateFailed, "refused", "", false},
		{"c", 1, bench.StateFailed, "refused", "", true},
		{"d", 0, "", "", "", false},
	}
	cells := r.Tried()
	if len(cells) != len(want) {
		t.Fatalf("%d cells, want %d", len(cells), len(want))
	}
	for i, w := range want {
		c := cells[i]
		if c.Cell.Key != w.key || len(c.Rounds) != w.rounds || c.State != w.state || c.Reason != w.reason || c.Finding != w.finding || c.Expected() != w.expected {
			t.Errorf("got %+v, want %+v", c, w)
		}
	}
}

func TestTriedValues(t *testing.T) {
	fast := bench.Record{Trial: bench.Trial{Cell: bench.Cell{Key: "a"}, Round: 1}, State: bench.StateOK, Measurement: bench.Measurement{Elapsed: time.Second, Issued: 10, OK: 10}}
	slow := fast
	slow.Round, slow.Elapsed = 2, 2*time.Second
	rate, _ := Lookup("requests_per_second")
	cells := (&Report{Records: []bench.Record{fast, slow}, Info: bench.RunInfo{Plan: bench.Plan{Cells: bench.Cells{{Key: "a"}, {Key: "b"}}}}}).Tried()
	if v, ok := cells[0].Value(rate); !ok || v.Number != 7.5 {
		t.Errorf("of two rounds: %v, %v", v, ok)
	}
	if v, ok := cells[1].Value(rate); ok {
		t.Errorf("of none: %v", v)
	}
}

func TestEach(t *testing.T) {
	a, b := &Report{Title: "a"}, &Report{Title: "b"}
	if each := a.Each(); len(each) != 1 || each[0] != a {
		t.Errorf("of one: %v", each)
	}
	if each := Join([]*Report{a, b}).Each(); len(each) != 2 || each[1] != b {
		t.Errorf("of two: %v", each)
	}
}
