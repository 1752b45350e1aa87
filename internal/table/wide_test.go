package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"matrix/internal/bench"
)

func TestWide(t *testing.T) {
	info := plannedFor("nginx", "Apache")
	info.Plan.Columns = columns("requests_per_second", "failed", "errors", "state")
	r := Build(info, slices.Concat(
		rounds(on("nginx", 0, "small", 10), 100, 200), rounds(on("nginx", 0, "small", 150), 1./3), rounds(on("Apache", 1, "small", 10), 0, 0), rounds(on("Apache", 1, "large", 10), 50),
	))
	at := slices.Index(r.Wide().Header, "requests_per_second[nginx]")
	if d := cmp.Diff([]string{"requests_per_second[nginx]", "requests_per_second[Apache]", "failed[nginx]", "failed[Apache]", "errors[nginx]", "errors[Apache]", "state[nginx]", "state[Apache]"},
		r.Wide().Header[at:]); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff([]string{"driver", "file", "size_bytes", "concurrency", "requests", "duration_s", "protocol", "keep_alive"}, r.Wide().Header[:at]); d != "" {
		t.Error(d)
	}
	var lines []string
	for _, row := range r.Wide().Rows {
		var texts []string
		for _, f := range row {
			texts = append(texts, f.Text)
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if d := cmp.Diff([]string{
		"native|small|1500|10|1000|||false|150||0|1000||all 2 rounds failed: socket: too many open files (1000 of 1000), round 1 / socket: too many open files (1000 of 1000), round 2|ok|failed",
		"native|small|1500|150|1000|||false|0.3333333333333333||0||||ok|",
		"native|large|1500|10|1000|||false||50||0||||ok",
	}, lines); d != "" {
		t.Error(d)
	}
}

func TestRowsNameWhatToolsPrinted(t *testing.T) {
	list := rounds(on("a", 0, "small", 10), 100, 0, 0, 0)
	for i, name := range []string{"a-1.txt", "a-2.txt", "../b", ".c"} {
		list[i].Raw = name
	}
	r := Build(plannedFor("a"), list)
	if d := cmp.Diff([]string{"raw/a-2.txt"}, r.Tables[0].Rows[0].Raw); d != "" {
		t.Error(d) // of a round that was ok, or no name of a file there, none
	}
}

func TestHostsAreToldByWhatDiffers(t *testing.T) {
	info := plannedFor("a")
	info.ID = "x/1"
	info.Host = bench.HostInfo{Name: "one", Kernel: "Linux 6.1", Cores: 2}
	info.Generator = bench.HostInfo{Name: "two", Kernel: "Linux 6.1", Cores: 4}
	records := rounds(on("a", 0, "small", 10), 100)
	section := func(r *Report, title string) []bench.Pair {
		i := slices.IndexFunc(r.Conditions, func(s Section) bool { return s.Title == title })
		if i < 0 {
			return nil
		}
		return r.Conditions[i].Facts
	}
	first := Build(info, records)
	if d := cmp.Diff(pairs("Name", "one (servers); two (load generator)", "Cores", "2 (servers); 4 (load generator)"), section(first, "Differences between hosts")); d != "" {
		t.Error(d)
	}
	info.ID, info.Generator = "x/2", info.Host
	info.Host.Sysctls = map[string]string{"net.core.somaxconn": "4096"}
	r := Join([]*Report{first, Build(info, records)})
	if d := cmp.Diff(pairs("net.core.somaxconn", "not known (x/1); 4096 (x/2)"), section(r, "Differences between hosts")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(pairs("Name", "two (x/1); one (x/2)", "Cores", "4 (x/1); 2 (x/2)"), section(r, "Differences between load generators")); d != "" {
		t.Error(d)
	}
}

func TestBrokenLimitsAreInTheVerdict(t *testing.T) {
	checked := []Checked{
		{Limit: bench.Limit{Metric: "failed", Max: new(0.0)}, Cells: 4},
		{Limit: bench.Limit{Metric: "latency_p99_ms", Max: new(20.0), Where: "file=small"}, Cells: 4, Broken: make([]Breach, 2)},
	}
	want := []string{"First.", "1 limit is broken, of 2: latency_p99_ms at most 20 where file=small, by 2 of 4 cells.", "Second."}
	if d := cmp.Diff(want, withLimits([]string{"First.", "Second."}, checked)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"First."}, withLimits([]string{"First."}, checked[:1])); d != "" {
		t.Error(d)
	}
}
