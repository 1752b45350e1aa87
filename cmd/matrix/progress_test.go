package main

import (
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/runner"
)

// TestProgressDoesNotRepeat: item 18: what failed like three trials before it says so.
func TestProgressDoesNotRepeat(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, false)
	for _, reason := range []string{"status 404", "status 404", "connection refused", "status 404", "status 404", "status 404"} {
		p.event(runner.Event{Total: 4, Done: 1, Ran: 1, Left: 1, Record: &bench.Record{State: bench.StateFailed, Reason: reason}})
	}
	if got := out.String(); strings.Count(got, "status 404") != 3 || strings.Count(got, "connection refused") != 1 || strings.Count(got, "failed: as before") != 2 {
		t.Errorf("%s", got)
	}
}
