package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/compare"
	"matrix/internal/driver"
	"matrix/internal/observe"
	"matrix/internal/runner"
	"matrix/internal/scenario"
	"matrix/internal/table"
)

// wide is a grid of 200 cells for the fake driver, on a machine that is noisy,
// wanders and has bad moments.
const wide = `
files: {f1: 1kB, f2: 2kB, f3: 4kB, f4: 8kB, f5: 16kB}
systems:
  - {labels: {Server: a}, url: 'http://192.0.2.1/'}
  - {labels: {Server: b}, url: 'http://192.0.2.2/'}
  - {labels: {Server: c}, url: 'http://192.0.2.3/'}
  - {labels: {Server: d}, url: 'http://192.0.2.4/'}
load: {driver: fake, headers: {X-Fake: 'noise=0.02,drift=0.01,outliers=0.005,shift=0.005,seed=SEED'}}
grid: [{file: [f1, f2, f3, f4, f5], concurrency: [1, 2, 5, 10, 20], requests: [300, 500]}]
rounds: 12
`

// memory keeps records as a journal does, but where no disk is waited for.
type memory struct{ records []bench.Record }

func (*memory) Kept(bench.Trial) (bench.Record, bool) { return bench.Record{}, false }

func (m *memory) Append(r bench.Record) error {
	m.records = append(m.records, r)
	return nil
}

func (*memory) Raw(string) (string, io.WriteCloser, error) {
	return "", unread{io.Discard}, nil
}

// unread is what drivers print to where nobody reads it.
type unread struct{ io.Writer }

func (unread) Close() error { return nil }

// night runs the grid, as a sweep does but for the looks at this machine and the
// journal, which other tests write and read. The cell called planted takes a tenth
// longer.
func night(t *testing.T, seed int, planted string) compare.Run {
	t.Helper()
	s, err := scenario.Parse("wide.yaml", []byte(strings.Replace(wide, "SEED", fmt.Sprint(seed), 1)), known())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, c := range plan.Cells {
		if string(c.Key) == planted {
			found++
			plan.Cells[i].Load.Header = append(plan.Cells[i].Load.Header, bench.Header{Name: "X-Fake", Value: "slow=1.111"})
		}
	}
	if planted != "" && found != 1 {
		t.Fatalf("%d cells are called %s", found, planted)
	}
	kind, err := driver.Find("fake")
	if err != nil {
		t.Fatal(err)
	}
	var journal memory
	r := runner.Runner{Plan: plan, Drivers: map[string]driver.Driver{"fake": kind.New()}, Journal: &journal,
		Fleet: &runner.Servers{Plan: plan, Offline: driver.Offline},
		Look: func(context.Context, observe.Party) func() bench.Observation {
			return func() bench.Observation { return bench.Observation{} }
		}}
	if _, err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(journal.records); n != 2400 {
		t.Fatalf("%d records", n)
	}
	return compare.Run{Info: bench.RunInfo{ID: fmt.Sprint("wide/", seed), Plan: *plan}, Records: journal.records}
}

// TestPlantedSlowdown: of 200 cells one becomes a tenth slower, and that one is
// found and no other; where none does, none is found.
func TestPlantedSlowdown(t *testing.T) {
	const planted = "Server=c,file=f3,concurrency=5,requests=300"
	base := night(t, 1, "")
	rate, _ := table.Lookup("requests_per_second")
	for _, c := range []struct {
		seed    int
		planted string
	}{{2, planted}, {3, ""}} {
		got, err := compare.Runs([]compare.Run{base}, night(t, c.seed, c.planted), []table.Metric{rate}, nil, compare.Options{Threshold: 0.05, Alpha: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Cells) != 200 || got.Tests != 200 {
			t.Fatalf("%d cells, %d comparisons", len(got.Cells), got.Tests)
		}
		for _, x := range got.Cells {
			want := compare.Same
			if string(x.Key) == c.planted {
				want = compare.Slower
			}
			if x.Verdict() != want {
				t.Errorf("seed %d: %s is %s, want %s: %+v", c.seed, x.Key, x.Verdict(), want, x.Figures)
			}
		}
	}
}
