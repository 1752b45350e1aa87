package bench

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKeysOfDifferentPairsDiffer(t *testing.T) {
	lists := [][]Pair{
		{{"a", "1"}, {"b", "2"}},
		{{"a", "1,b=2"}},
		{{"a", `1\,b=2`}},
		{{"a", `1\`}, {"b", "2"}},
		{{"a=1,b", "2"}},
		{{"a", "1\nb=2"}},
		{{"a", `1\nb=2`}},
	}
	seen := map[Key][]Pair{}
	for _, l := range lists {
		k := KeyOf(l)
		if other, dup := seen[k]; dup {
			t.Errorf("%q is the key of %v and of %v", k, other, l)
		}
		seen[k] = l
		if strings.ContainsAny(string(k), "\n\r") {
			t.Errorf("key %q holds a line break", k)
		}
	}
	if got, want := KeyOf([]Pair{{"OS", "FreeBSD 4.2"}, {"file", "small"}}), Key("OS=FreeBSD 4.2,file=small"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func plan(order Order, systems, points, rounds int) *Plan {
	p := &Plan{Order: order, Rounds: rounds, Seed: 7}
	for s := range systems {
		p.Systems = append(p.Systems, System{Labels: []Pair{{"s", string(rune('A' + s))}}})
		for i := range points {
			p.Cells = append(p.Cells, Cell{Key: Key(string(rune('A'+s)) + string(rune('0'+i))), System: s, Point: i})
		}
	}
	return p
}

func sequence(p *Plan) string {
	var ids []string
	for t := range p.Trials() {
		ids = append(ids, t.ID())
	}
	return strings.Join(ids, " ")
}

func TestTrialsFollowTheOrder(t *testing.T) {
	for _, c := range []struct {
		order Order
		want  string
	}{
		{Interleaved, "B0#1 A0#1 A1#1 B1#1 A2#1 B2#1 A0#2 B0#2 B1#2 A1#2 B2#2 A2#2"},
		{Sequential, "A0#1 A1#1 A2#1 B0#1 B1#1 B2#1 A0#2 A1#2 A2#2 B0#2 B1#2 B2#2"},
	} {
		if got := sequence(plan(c.order, 2, 3, 2)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.order, got, c.want)
		}
	}
}

func TestInterleavingIsBalanced(t *testing.T) {
	p := plan(Interleaved, 3, 4, 3)
	leads := map[int]int{}
	point := -1
	for tr := range p.Trials() {
		if tr.Cell.Point != point {
			leads[tr.Cell.System]++
			point = tr.Cell.Point
		}
	}
	for s := range 3 {
		if leads[s] != 4 {
			t.Errorf("system %d leads %d of 12 points, want 4", s, leads[s])
		}
	}
}

func TestRandomOrderIsSeededAndComplete(t *testing.T) {
	a, b := sequence(plan(Random, 2, 5, 2)), sequence(plan(Random, 2, 5, 2))
	if a != b {
		t.Errorf("same seed, different order:\n%s\n%s", a, b)
	}
	got, want := strings.Fields(a), strings.Fields(sequence(plan(Sequential, 2, 5, 2)))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("random order runs %v, want %v", got, want)
	}
}

func TestStateOfAMeasurement(t *testing.T) {
	for _, c := range []struct {
		name   string
		m      Measurement
		state  State
		reason string
	}{
		{"all well", Measurement{Issued: 3, OK: 3}, StateOK, ""},
		{"some failed", Measurement{Issued: 5, OK: 3, Failed: map[Failure]int64{Non2xx: 2}}, StateDegraded, "non-2xx (2 of 5)"},
		{"all timed out", Measurement{Issued: 2, Failed: map[Failure]int64{Timeout: 2}}, StateTimeout, "timeout (2 of 2)"},
		{"mixed, most frequent first", Measurement{Issued: 4, Failed: map[Failure]int64{Timeout: 1, Connect: 3},
			Messages: map[Failure]string{Connect: "connect: connection refused"}}, StateFailed,
			"connect: connection refused (3 of 4); timeout (1 of 4)"},
		{"client's own fault", Measurement{Issued: 1025, OK: 1010, Failed: map[Failure]int64{Client: 15},
			Messages: map[Failure]string{Client: "socket: too many open files"}}, StateFailed,
			"socket: too many open files (15 of 1025)"},
		{"nothing", Measurement{}, StateFailed, "no request came to an end"},
		{"only aborted", Measurement{Issued: 2, Aborted: 2}, StateFailed, "no request came to an end"},
	} {
		state, reason := c.m.State()
		if state != c.state || reason != c.reason {
			t.Errorf("%s: %s %q, want %s %q", c.name, state, reason, c.state, c.reason)
		}
	}
}

func TestCheckFindsLostRequests(t *testing.T) {
	good := Measurement{Issued: 6, OK: 3, Failed: map[Failure]int64{Reset: 2}, Aborted: 1}
	if err := good.Check(); err != nil {
		t.Errorf("sound counters: %v", err)
	}
	for _, bad := range []Measurement{{Issued: 1}, {OK: 1}, {Issued: 1, OK: 2, Aborted: -1}, {Issued: -1, Failed: map[Failure]int64{Reset: -1}}} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

func TestPathsOfFiles(t *testing.T) {
	if got := (File{Name: "small"}).Paths(); !slices.Equal(got, []string{"/small.html"}) {
		t.Errorf("got %v", got)
	}
	if got := (File{Name: "set", Count: 3}).Paths(); !slices.Equal(got, []string{"/set/0.html", "/set/1.html", "/set/2.html"}) {
		t.Errorf("got %v", got)
	}
}

func TestWhereHidesSecrets(t *testing.T) {
	s := System{URL: "http://me:hunter2@192.0.2.1/x?token=abc"}
	if got, want := s.Where(), "http://xxxxx@192.0.2.1/x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLongestCoversEveryRequestTimingOut(t *testing.T) {
	for _, c := range []struct {
		name string
		l    Load
		want time.Duration
	}{
		{"three waves", Load{Conns: 10, Requests: 25, Timeout: 2 * time.Second}, 6 * time.Second},
		{"the default timeout, and no connection", Load{Requests: 1}, DefaultTimeout},
		{"a time", Load{Conns: 1, Duration: time.Second, Warmup: 2 * time.Second, Ramp: 3 * time.Second, Timeout: 4 * time.Second}, 10 * time.Second},
		{"paced more slowly than it times out", Load{Conns: 1000, Requests: 1000, Rate: 10, Timeout: time.Second}, 101 * time.Second},
		{"pauses", Load{Conns: 1, Requests: 10, Think: time.Minute, Timeout: time.Second}, 610 * time.Second},
		{"more than a Duration holds", Load{Conns: 1, Requests: 1_000_000_000_000}, century},
	} {
		if got := c.l.Longest(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
