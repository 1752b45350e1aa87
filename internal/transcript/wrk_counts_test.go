package transcript

import (
	"fmt"
	"slices"
	"testing"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

func counted(t *testing.T, conns int, complete, errors string) Report {
	t.Helper()
	text := fmt.Sprintf("Running 1s test @ http://h/\n  1 threads and %d connections\n  %s requests in 1.00s, 1.00MB read\n", conns, complete)
	if errors != "" {
		text += "  Socket errors: " + errors + "\n"
	}
	return wrk(t, text+"Requests/sec: 100.00\n")
}

// An error for each answer is the mark of connections that end after it: these
// are no requests. What there are more are requests that broke; fewer, or of few
// answers, stay failures, and a note tells what they may be.
func TestWrkReadErrorsAreNoRequests(t *testing.T) {
	reset := func(n int64) map[bench.Failure]int64 { return map[bench.Failure]int64{bench.Reset: n} }
	for _, c := range []struct {
		name             string
		conns            int
		complete, errors string
		ok               int64
		failed           map[bench.Failure]int64
		note             string
	}{
		{"closed unannounced", 4, "3050", "connect 0, read 3049, write 0, timeout 0", 3050, nil, closedNote},
		{"bodies that the connection ends", 4, "1976", "connect 0, read 1976, write 0, timeout 0", 1976, nil, closedNote},
		{"reset after each answer", 4, "10163", "connect 0, read 1572, write 8591, timeout 0", 10163, nil, closedNote},
		{"many connections under way at the end", 396, "93824", "connect 0, read 93502, write 0, timeout 0", 93824, nil, closedNote},
		{"and late answers", 396, "15980", "connect 0, read 15973, write 0, timeout 1471", 14509, map[bench.Failure]int64{bench.Timeout: 1471}, closedNote},
		{"and refused connections", 4, "3050", "connect 7, read 3049, write 0, timeout 0", 3050, map[bench.Failure]int64{bench.Connect: 7}, closedNote},
		{"and others that broke", 4, "7071", "connect 0, read 14143, write 0, timeout 0", 7071, reset(7072), closedNote},
		{"none at all", 4, "3050", "", 3050, nil, ""},
		{"no answer at all", 2, "0", "connect 0, read 236, write 0, timeout 0", 0, reset(236), ""},
		{"every tenth connection", 4, "39355", "connect 0, read 3934, write 0, timeout 0", 39355, reset(3934), unclear},
		{"a few", 400, "350211", "connect 0, read 945, write 3, timeout 0", 350211, map[bench.Failure]int64{bench.Reset: 945, bench.Write: 3}, unclear},
		{"too few answers", 1000, "959", "connect 0, read 914, write 12, timeout 25", 934, map[bench.Failure]int64{bench.Reset: 914, bench.Write: 12, bench.Timeout: 25}, unclear},
		{"more errors than answers, of which there are few", 5000, "2606", "connect 0, read 3268, write 0, timeout 48", 2558, map[bench.Failure]int64{bench.Reset: 3268, bench.Timeout: 48}, unclear},
	} {
		r := counted(t, c.conns, c.complete, c.errors)
		if r.OK != c.ok || r.Issued != r.OK+r.FailedSum() {
			t.Errorf("%s: ok %d of %d", c.name, r.OK, r.Issued)
		}
		if diff := cmp.Diff(c.failed, r.Failed); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for _, code := range []string{closedNote, unclear} {
			if noted := slices.ContainsFunc(r.Notes, func(n bench.Note) bool { return n.Code == code }); noted != (code == c.note) {
				t.Errorf("%s: %s noted: %t", c.name, code, noted)
			}
		}
	}
}

// wrk2 counts a request that waits more than once.
func TestWrk2CountsTimeoutsAgain(t *testing.T) {
	for command, want := range map[string]bool{"$ wrk2 -R2000 http://h/\n": true, "$ wrk -c4 http://h/\n": false} {
		text := command + "Running 1s test @ http://h/\n  1 threads and 4 connections\n  1000 requests in 1.00s, 1.00MB read\n  Socket errors: connect 0, read 0, write 0, timeout 11\nRequests/sec: 1000.00\n"
		r := wrk(t, text)
		noted := slices.ContainsFunc(r.Notes, func(n bench.Note) bool { return n.Code == "timeouts-unclear" })
		if noted != want || r.OK != 989 || r.Failed[bench.Timeout] != 11 {
			t.Errorf("%q: ok %d, failed %v, notes %v", command, r.OK, r.Failed, r.Notes)
		}
	}
}

// What was seen of the server decides, and can be told again.
func TestWrkCloses(t *testing.T) {
	r := counted(t, 4, "1000", "connect 0, read 300, write 0, timeout 0")
	for _, c := range []struct {
		each       bool
		ok, failed int64
		notes      []string
	}{{false, 1000, 300, nil}, {true, 1000, 0, []string{closedNote}}, {false, 1000, 300, nil}} {
		r.Closes(c.each)
		var codes []string
		for _, n := range r.Notes {
			codes = append(codes, n.Code)
		}
		if err := r.Check(); err != nil || r.OK != c.ok || r.FailedSum() != c.failed || !slices.Equal(codes, c.notes) {
			t.Errorf("%t: ok %d, failed %v, notes %v, %v", c.each, r.OK, r.Failed, codes, err)
		}
	}
}
