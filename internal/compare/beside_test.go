package compare

import (
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/table"

	"github.com/google/go-cmp/cmp"
)

// busy puts others' work beside rounds, as a share of the host's CPU time.
func busy(share float64, records []bench.Record) []bench.Record {
	for i := range records {
		records[i].Host.HostCPU, records[i].Host.OthersCPU = new(2.0), new(2*share)
	}
	return records
}

// after gives rounds the load average that there was before them.
func after(load float64, records []bench.Record) []bench.Record {
	for i := range records {
		records[i].Host.Before.Load1 = &load
	}
	return records
}

// Item 12: a run that was measured beside others' work, and one that was not, are
// told apart, and what follows from comparing them is put in doubt.
func TestRunsBesideOthersWork(t *testing.T) {
	a := cell("a", 10)
	const none = "None of 1 cell measured in both is slower by more than 5% and by more than chance and the machine's unrest explain, and none fails that did not."
	for _, c := range []struct {
		name       string
		base, next []bench.Record
		warning    string
		verdict    string
	}{
		{"both quiet", busy(0.004, rounds(a, steady...)), busy(0.03, rounds(a, slow...)), "",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
		{"neither tells", rounds(a, steady...), rounds(a, slow...), "",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
		{"the new run", busy(0.004, rounds(a, steady...)), busy(0.41, rounds(a, slow...)),
			"Other processes used 0.4% of this machine's CPU time in the base, and 41% in the new run.",
			"1 of 1 cell is slower, which other work on the machine during the new run may explain: the cell (requests_per_second -10%, in the new run other processes used 41% of this machine's CPU time)."},
		{"the base", busy(0.41, rounds(a, steady...)), busy(0, rounds(a, fast...)),
			"Other processes used 41% of this machine's CPU time in the base, and 0% in the new run.",
			none + " That tells little: other work on the machine slowed the base down." +
				" 1 of 1 cell is faster, which other work on the machine during the base may explain: the cell (requests_per_second +10%, in the base other processes used 41% of this machine's CPU time)."},
		{"the base, and the new run is slower all the same", busy(0.41, rounds(a, steady...)), busy(0, rounds(a, slow...)),
			"Other processes used 41% of this machine's CPU time in the base, and 0% in the new run.",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
		{"both alike", busy(0.41, rounds(a, steady...)), busy(0.40, rounds(a, slow...)),
			"Other processes used 41% of this machine's CPU time in the base, and 40% in the new run.",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
		{"the new run more", busy(0.2, rounds(a, steady...)), busy(0.40, rounds(a, slow...)),
			"Other processes used 20% of this machine's CPU time in the base, and 40% in the new run.",
			"1 of 1 cell is slower, which other work on the machine during the new run may explain: the cell (requests_per_second -10%, in the new run other processes used 40% of this machine's CPU time)."},
		{"the base does not tell", rounds(a, steady...), busy(0.41, rounds(a, slow...)),
			"Other processes used an unknown part of this machine's CPU time in the base, and 41% in the new run.",
			"1 of 1 cell is slower, which other work on the machine during the new run may explain: the cell (requests_per_second -10%, in the new run other processes used 41% of this machine's CPU time)."},
		{"failing", busy(0, rounds(a, steady...)), busy(0.9, losing(rounds(a, steady...), 3, 1, 4, 1, 5, 9, 2, 6)),
			"Other processes used 0% of this machine's CPU time in the base, and 90% in the new run.",
			"1 of 1 cell is failing more often, which other work on the machine during the new run may explain: the cell (0% failed, now 0.4%)."},
		{"old journals tell the load average", after(16, rounds(a, steady...)), after(0.3, rounds(a, fast...)),
			"The load average before the first trial was 16.00 in the base, and 0.30 in the new run.",
			none + " That tells little: other work on the machine slowed the base down." +
				" 1 of 1 cell is faster, which other work on the machine during the base may explain: the cell (requests_per_second +10%)."},
		{"loads that are the runs' own", after(1.9, rounds(a, steady...)), after(0.3, rounds(a, slow...)), "",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
		{"a load average that was left by work before", after(16, busy(0.001, rounds(a, steady...))), after(0.3, busy(0.001, rounds(a, slow...))), "",
			"1 of 1 cell is slower: the cell (requests_per_second -10%)."},
	} {
		found := compared(t, run("base", c.base), run("new", c.next))
		verdict := slices.DeleteFunc(found.verdict(), func(s string) bool { return strings.HasPrefix(s, "Most cells moved") })
		if d := cmp.Diff(c.verdict, strings.Join(verdict, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := strings.Join(found.Report(false).Warnings, " "); got != c.warning {
			t.Errorf("%s: warns %q, not %q", c.name, got, c.warning)
		}
	}
}

// A run can be disturbed for a while only: then the cells say so that were.
func TestACellBesideOthersWork(t *testing.T) {
	var base, next [][]bench.Record
	for i := range 30 {
		c := cell("a", i+1)
		base = append(base, busy(0, rounds(c, steady...)))
		if i == 0 {
			next = append(next, busy(0.4, rounds(c, slow...)))
		} else {
			next = append(next, busy(0, rounds(c, steady...)))
		}
	}
	found := compared(t, run("base", base...), run("new", next...))
	want := "1 of 30 cells is slower: concurrency=1 (requests_per_second -10%, in the new run other processes used 40% of this machine's CPU time)."
	if got := found.verdict()[0]; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	if got := found.Worse(false); len(got) != 1 || !strings.Contains(got[0], "40% of this machine's CPU time") {
		t.Errorf("%q", got)
	}
	if w := found.Report(false).Warnings; w != nil {
		t.Errorf("%q", w)
	}
}

// What the engine used and where a URL led stands in records, and differs from run
// to run all the same; so does the limit of open files, in the header.
func TestDifferencesThatRecordsTell(t *testing.T) {
	on := func(backend, address string, records []bench.Record) []bench.Record {
		for i := range records {
			records[i].Backend, records[i].Address = backend, address
		}
		return records
	}
	a := cell("a", 10)
	base, next := run("base", on("io_uring", "192.0.2.1:80", rounds(a, steady...))), run("new", on("epoll", "192.0.2.2:80", rounds(a, steady...)))
	base.Info.Host.OpenFiles, next.Info.Host.OpenFiles = [2]uint64{1024, 1 << 20}, [2]uint64{1024, 4096}
	want := []string{
		"The limit of open files of the servers' host was 1048576 and is 4096.",
		"The address of Server=a was 192.0.2.1 and is 192.0.2.2.",
		"The back end of the engine was io_uring and is epoll.",
	}
	if d := cmp.Diff(want, compared(t, base, next).Differences); d != "" {
		t.Error(d)
	}
	// A port that was free, of a server that was started for the run, is no difference.
	base, next = run("base", on("epoll", "127.0.0.1:1024", rounds(a, steady...))), run("new", on("epoll", "127.0.0.1:2048", rounds(a, steady...)))
	if d := compared(t, base, next).Differences; d != nil {
		t.Errorf("%q", d)
	}
	if _, err := Runs([]Run{base}, next, []table.Metric{metric(t, "requests_per_second")}, nil, usual); err != nil {
		t.Error(err)
	}
}
