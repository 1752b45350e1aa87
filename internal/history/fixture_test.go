package history

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/results"
)

// grid makes the runs of a test: cells of one scenario over some nights.
type grid struct {
	cells, rounds int
	hists         bool                                 // records have a distribution of 1000 latencies
	rate          func(night, cell, round int) float64 // requests per second; 0: the trial failed, below: not run
	digest        func(night, cell int) string         // nil: "d"
	info          func(night int, info *bench.RunInfo) // nil: nothing to add
}

var firstNight = time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)

func (g grid) cell(night, i int) bench.Cell {
	labels := []bench.Pair{{Name: "server", Value: []string{"nginx", "apache"}[i%2]}}
	axes := []bench.Pair{{Name: "file", Value: "small"}, {Name: "concurrency", Value: fmt.Sprint(i/2 + 1)}, {Name: "requests", Value: "1000"}}
	c := bench.Cell{Key: bench.KeyOf(append(labels, axes...)), Labels: labels, Axes: axes, System: i % 2, Point: i / 2, Driver: "fake", Digest: "d"}
	if g.digest != nil {
		c.Digest = g.digest(night, i)
	}
	return c
}

func (g grid) record(c bench.Cell, round int, rate float64) bench.Record {
	const n = 1000
	r := bench.Record{Trial: bench.Trial{Cell: c, Round: round}, State: bench.StateOK}
	if rate == 0 {
		r.State, r.Reason = bench.StateFailed, "refused"
		return r
	}
	r.Issued, r.OK, r.Elapsed = n, n, time.Duration(n/rate*1e9)
	if g.hists {
		r.Latency, r.FirstByte, r.Connect = hist.New(0), hist.New(0), hist.New(0)
		random := rand.New(rand.NewPCG(uint64(round), 7))
		for range n {
			d := time.Duration(float64(time.Second) / rate * (0.5 + random.ExpFloat64()))
			r.Latency.Record(d)
			r.FirstByte.Record(d / 2)
			r.Connect.Record(d / 8)
		}
	}
	return r
}

// write makes one night's run and returns its folder.
func (g grid) write(t testing.TB, root string, night int) string {
	t.Helper()
	started := firstNight.AddDate(0, 0, night)
	info := bench.RunInfo{Version: 1, ID: "nightly/" + started.Format("20060102T150405Z"), Started: started}
	info.Plan.Scenario = "nightly"
	info.Tools = map[string]string{"fake": "1"}
	info.Host = bench.HostInfo{Name: "lab", Kernel: "Linux 6.1"}
	if g.info != nil {
		g.info(night, &info)
	}
	var records []bench.Record
	for i := range g.cells {
		c := g.cell(night, i)
		info.Plan.Cells = append(info.Plan.Cells, c)
		for round := 1; round <= g.rounds; round++ {
			if rate := g.rate(night, i, round); rate >= 0 {
				records = append(records, g.record(c, round, rate))
			}
		}
	}
	dir := filepath.Join(root, info.ID)
	if err := results.Write(dir, info, records); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (g grid) nights(t testing.TB, n int) (root string) {
	t.Helper()
	root = t.TempDir()
	for night := range n {
		g.write(t, root, night)
	}
	return root
}

// noise is a factor around 1, the same for the same night, cell and round.
func noise(share float64, night, cell, round int) float64 {
	r := rand.New(rand.NewPCG(uint64(night)<<32|uint64(cell), uint64(round)))
	return 1 + share*r.NormFloat64()
}

func load(t *testing.T, root string, o Options) *History {
	t.Helper()
	h, err := Load(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
