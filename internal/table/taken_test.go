package table

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"

	"github.com/google/go-cmp/cmp"
)

// beside puts others' work beside trials: of so many seconds of CPU time of the
// host they used some, known to within an error.
func beside(records []bench.Record, others, host, off float64) []bench.Record {
	for i := range records {
		o := &records[i].Host
		o.OthersCPU, o.HostCPU, o.OthersCPUError, o.ServerCPUUser = &others, &host, off, new(0.1)
	}
	return records
}

func twoRounds(system string) []bench.Record {
	c := at(system, 0, 0, 10)
	return []bench.Record{ok(c, 1, time.Second), ok(c, 2, time.Second)}
}

// saying are the notes of a report with one of the codes.
func saying(r *Report, codes ...string) (texts []string) {
	for _, n := range r.Notes {
		if slices.Contains(codes, n.Code) {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// Item 12: a run on a busy machine says so, with the share of it that others had.
func TestABusyMachineIsTold(t *testing.T) {
	quiet := func(s string) []bench.Record { return beside(twoRounds(s), 0.008, 2, 0) }
	foreign := beside(twoRounds("b"), 0.9, 2, 0)
	for i := range foreign {
		foreign[i].Host.ServerCPUUser = nil
	}
	lost := beside([]bench.Record{failed(at("b", 0, 0, 10), 1, bench.StateFailed, "why")}, 1, 2, 0)
	stolen := quiet("b")
	for i := range stolen {
		stolen[i].Host.HostCPUSteal = new(0.4)
	}
	for _, c := range []struct {
		name     string
		b        []bench.Record
		warnings []string
		notes    []string
		trials   int
	}{
		{"quiet", quiet("b"), nil, nil, 0},
		{"not known", twoRounds("b"), nil, nil, 0},
		{"one cell", beside(twoRounds("b"), 0.9, 2, 0),
			[]string{"Other processes used 23% of this machine's CPU time during the trials: the figures are those of a busy machine."},
			[]string{"Other processes used 45% of this machine's CPU time while Server=b,file=small,concurrency=10,requests=10 was measured, more than for any other cell: the figures are lower than on a machine at rest."}, 2},
		{"a server that was there", foreign,
			[]string{"Other processes used 23% of this machine's CPU time during the trials: the figures are those of a busy machine."},
			[]string{"Other processes used 45% of this machine's CPU time while Server=b,file=small,concurrency=10,requests=10 was measured, more than for any other cell: the figures are lower than on a machine at rest. Processes of this machine that serve behind a URL without listening there count among them."}, 2},
		{"short trials", beside(twoRounds("b"), 0.02, 0.1, 0), nil,
			[]string{"Other processes used 20% of this machine's CPU time while Server=b,file=small,concurrency=10,requests=10 was measured, more than for any other cell: the figures are lower than on a machine at rest."}, 2},
		{"each trial too short to tell, and both together not", beside(twoRounds("b"), 0.015, 0.06, 0.03), nil, nil, 0},
		{"a trial that failed", lost,
			[]string{"Other processes used 17% of this machine's CPU time during the trials: the figures are those of a busy machine."},
			[]string{"Other processes used 50% of this machine's CPU time while Server=b,file=small,concurrency=10,requests=10 was measured, more than for any other cell: the figures are lower than on a machine at rest."}, 1},
		{"a busy hypervisor", stolen,
			[]string{"The hypervisor gave 20% of this machine's CPU time to other guests during the trials: the figures are those of a busy machine."},
			[]string{"The hypervisor gave 20% of this machine's CPU time to other guests while Server=b,file=small,concurrency=10,requests=10 was measured, more than for any other cell: the figures are lower than on a machine at rest."}, 2},
	} {
		r := Build(plannedFor("a", "b"), append(quiet("a"), c.b...))
		if d := cmp.Diff(c.warnings, r.Warnings); d != "" {
			t.Errorf("%s: warnings: %s", c.name, d)
		}
		if d := cmp.Diff(c.notes, saying(r, "others-cpu", "stolen-cpu")); d != "" {
			t.Errorf("%s: notes: %s", c.name, d)
		}
		for _, n := range r.Notes {
			if (n.Code == "others-cpu" || n.Code == "stolen-cpu") && n.Trials != c.trials {
				t.Errorf("%s: %d trials, not %d", c.name, n.Trials, c.trials)
			}
		}
	}
}

// Item 12: others' CPU time as columns; what is too coarse is empty, not zero.
func TestColumnsOfOthersWork(t *testing.T) {
	records := beside(twoRounds("a"), 0.5, 2, 0)
	records[1].Host.OthersCPU, records[1].Host.HostCPU = new(0.1), new(4.0)
	records[0].Host.HostCPUBusy, records[0].Host.HostCPUSteal = new(1.5), new(0.25)
	records[0].Host.Peak = bench.Host{Sockets: new(7), MemFree: new(int64(1 << 30))}
	coarse := beside(twoRounds("b"), 0.03, 0.06, 0.03)
	for _, c := range []struct {
		name   string
		rounds []bench.Record
		want   float64
		ok     bool
	}{
		{"others_cpu_s", records, 0.5, true}, // the greatest
		{"others_cpu_percent", records, 10, true}, {"others_cpu_percent", records[:1], 25, true},
		{"others_cpu_percent", coarse, 0, false}, {"others_cpu_s", coarse, 0.03, true},
		{"others_cpu_percent", twoRounds("c"), 0, false}, {"others_cpu_s", twoRounds("c"), 0, false},
		{"host_cpu_busy_s", records, 1.5, true}, {"stolen_cpu_percent", records, 12.5, true}, {"stolen_cpu_percent", coarse, 0, false},
		{"sockets", records, 7, true}, {"sockets", coarse, 0, false}, {"memory_available_bytes", records, 1 << 30, true}, {"memory_available_bytes", coarse, 0, false},
	} {
		m, found := Lookup(c.name)
		if !found {
			t.Fatalf("no metric %s", c.name)
		}
		if v, ok := m.Value(c.rounds); ok != c.ok || ok && v.Number != c.want {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, v.Number, ok, c.want, c.ok)
		}
	}
}

// Item 12: a load average from before the run, where nothing tells whose it was.
func TestTheLoadBeforeARunIsTold(t *testing.T) {
	before := func(load float64, records []bench.Record) []bench.Record {
		for i := range records {
			records[i].Started = time.Date(2026, 7, 1, 12, i, 0, 0, time.UTC)
			records[i].Host.Before.Load1 = new(load + float64(i)) // and then its own comes to it
		}
		return records
	}
	for _, c := range []struct {
		name    string
		records []bench.Record
		cores   int
		want    []string
	}{
		{"an old journal", before(19.5, twoRounds("a")), 2, []string{"The load average was 19.50 before the first trial, on 2 cores: other work was going on, or had just ended."}},
		{"its own only", before(1.5, twoRounds("a")), 2, nil},
		{"on a large machine", before(19.5, twoRounds("a")), 64, nil},
		{"cores not known", before(19.5, twoRounds("a")), 0, []string{"The load average was 19.50 before the first trial: other work was going on, or had just ended."}},
		{"work that had ended", before(19.5, beside(twoRounds("a"), 0.001, 2, 0)), 2, nil},
		{"work that went on", before(19.5, beside(twoRounds("a"), 1.5, 2, 0)), 2, []string{"The load average was 19.50 before the first trial, on 2 cores: other work was going on, or had just ended."}},
	} {
		info := plannedFor("a")
		info.Host.Cores = c.cores
		if d := cmp.Diff(c.want, saying(Build(info, c.records), "load-average")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// Warnings of joined runs say of which run they are.
func TestWarningsOfJoinedRuns(t *testing.T) {
	a, b := plannedFor("a"), plannedFor("a")
	a.ID, b.ID = "night/1", "night/2"
	r := Join([]*Report{Build(a, twoRounds("a")), Build(b, beside(twoRounds("a"), 1, 2, 0))})
	if d := cmp.Diff([]string{"night/2: Other processes used 50% of this machine's CPU time during the trials: the figures are those of a busy machine."}, r.Warnings); d != "" {
		t.Error(d)
	}
}

// What the engine measures and no table shows by itself can be asked for.
func TestFurtherFiguresOfTheEngine(t *testing.T) {
	c := at("a", 0, 0, 10)
	r := ok(c, 1, time.Second)
	r.Latency = hist.New(0)
	r.Latency.Record(7 * time.Millisecond)
	r.Service, r.FailedLatency = r.Latency, r.Latency
	r.Kept, r.Handshakes, r.Resumed, r.Drain = new(int64(9)), 4, 3, 250*time.Millisecond
	printed := ok(c, 1, time.Second)
	printed.Printed = &bench.Printed{Tool: "ab"}
	latency, _ := Lookup("latency_p99_ms")
	p99, known := latency.Of(&r)
	if !known {
		t.Fatal("the sample has no latency")
	}
	for _, x := range []struct {
		name string
		want float64
	}{{"service_p99_ms", p99}, {"failed_latency_p99_ms", p99}, {"kept", 9}, {"handshakes", 4}, {"resumed", 3}, {"drain_s", 0.25}} {
		m, found := Lookup(x.name)
		if !found {
			t.Fatalf("no metric %s", x.name)
		}
		if v, ok := m.Value([]bench.Record{r}); !ok || v.Number != x.want {
			t.Errorf("%s is %v, %v; want %v", x.name, v.Number, ok, x.want)
		}
		if v, ok := m.Value([]bench.Record{printed}); ok {
			t.Errorf("%s of an external tool is %v", x.name, v.Number)
		}
		if !slices.ContainsFunc(FurtherNames(), func(p string) bool { return regexp.MustCompile(p).MatchString(x.name) }) {
			t.Errorf("the schema refuses %s", x.name)
		}
	}
	for _, name := range []string{"service_p101_ms", "service_p07_ms", "failed_latency", "handshakes_s"} {
		if _, found := Lookup(name); found {
			t.Errorf("%s is a metric", name)
		}
	}
}
