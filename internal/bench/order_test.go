package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// leads counts, by system, the rounds in which it is the first at a point.
func leads(p *Plan, point, from, to int, wanted func(int) bool) map[int]int {
	n := map[int]int{}
	for round := from; round <= to; round++ {
		for _, t := range p.Round(round, wanted) {
			if t.Cell.Point == point {
				n[t.Cell.System]++
				break
			}
		}
	}
	return n
}

func TestEachSystemLeadsEquallyOften(t *testing.T) {
	for systems := 2; systems <= 5; systems++ {
		p := plan(Interleaved, systems, 7, 2*systems)
		for point := range 7 {
			for s, n := range leads(p, point, 1, 2*systems, nil) {
				if n != 2 {
					t.Errorf("%d systems: system %d leads point %d in %d rounds of %d, want 2", systems, s, point, n, 2*systems)
				}
			}
		}
	}
}

func TestASystemThatStopsLeavesTheOthersBalanced(t *testing.T) {
	p := plan(Interleaved, 3, 4, 8)
	wanted := func(i int) bool { return p.Cells[i].System != 2 || p.Cells[i].Point != 1 }
	for point, want := range map[int]int{0: 3, 1: 2} {
		got := leads(p, point, 1, 2*want, wanted)
		for s := range want {
			if got[s] != 2 {
				t.Errorf("point %d: system %d leads %d of %d rounds, want 2", point, s, got[s], 2*want)
			}
		}
	}
	if got := p.Round(1, wanted); len(got) != 11 {
		t.Errorf("%d trials, want 11", len(got))
	}
}

func TestSteadyDriftFavoursNobody(t *testing.T) {
	p := plan(Interleaved, 2, 1, 4)
	places := map[int]int{} // sums of the places in time
	for i, id := range strings.Fields(sequence(p)) {
		places[int(id[0]-'A')] += i
	}
	if places[0] != places[1] {
		t.Errorf("sums of places: %v", places)
	}
}

func TestTheSeedChoosesWhoLeadsFirst(t *testing.T) {
	first := map[string]int{}
	for seed := range uint64(64) {
		p := plan(Interleaved, 3, 1, 3)
		p.Seed = seed
		s := sequence(p)
		first[s[:1]]++
		again := plan(Interleaved, 3, 1, 3)
		again.Seed = seed
		if sequence(again) != s {
			t.Fatalf("seed %d: two orders", seed)
		}
		got, want := strings.Fields(s), strings.Fields(sequence(plan(Sequential, 3, 1, 3)))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d runs %v", seed, got)
		}
	}
	for _, s := range []string{"A", "B", "C"} {
		if first[s] < 10 {
			t.Errorf("%s leads first with %d seeds of 64", s, first[s])
		}
	}
}

func TestOutlinesKeepWhatTellsOfRecords(t *testing.T) {
	in := Cells{{Key: "k", Digest: "d", System: 1, Point: 2, ExpectFailure: true, Limits: []int{0, 3}, Load: Load{Conns: 5}}, {Key: "l", Skip: "why"}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"key":"k","digest":"d","system":1,"point":2,"expect_failure":true,"limits":[0,3]},{"key":"l","digest":"","system":0,"point":0,"skip":"why"}]`
	if string(text) != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
	var out Cells
	if err := json.Unmarshal(text, &out); err != nil || !out[0].ExpectFailure || !slices.Equal(out[0].Limits, []int{0, 3}) || out[1].Skip != "why" {
		t.Errorf("%+v, %v", out, err)
	}
}
