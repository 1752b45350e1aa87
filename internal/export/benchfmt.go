package export

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"matrix/internal/bench"
	"matrix/internal/table"
	"matrix/internal/unit"
)

// carried lists the metrics that formats of other programs' figures carry, and
// the unit that benchstat prints each with. Times go in seconds there, its base
// unit.
var carried = []struct {
	metric, unit string
	divisor      float64 // from the unit of the metric to that of benchstat
}{
	{"requests_per_second", "req/s", 1},
	{"bytes_per_second", "B/s", 1},
	{"latency_mean_ms", "mean-sec", 1000},
	{"latency_p50_ms", "p50-sec", 1000},
	{"latency_p99_ms", "p99-sec", 1000},
}

// Benchfmt writes Go's benchmark format, as benchstat reads it: one line a round
// that was measured, named by the labels and axes of its cell. A round without
// figures is a comment with its reason, and so is a cell that was not run.
//
// Lines "key: value" tell the host. They leave out what differs from night to
// night, for benchstat compares only what agrees in them; joined runs, which
// stand in one file, have a line "run" each.
func Benchfmt(w io.Writer, r *table.Report) error {
	var out bytes.Buffer // its writing cannot fail
	lines := benchfmt.NewWriter(&out)
	for _, c := range carried {
		m, _ := table.Lookup(c.metric)
		better := map[unit.Direction]string{unit.Higher: "higher", unit.Lower: "lower"}[m.Better]
		_ = lines.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: c.unit, Key: "better"}, OrigUnit: c.unit, Value: better})
	}
	runs := runNames(r)
	for i, part := range r.Each() {
		config := hostConfig(part.Info)
		if runs[i] != "" {
			config = append(config, benchfmt.Config{Key: "run", Value: []byte(runs[i]), File: true})
		} else if part.Info.ID != "" {
			fmt.Fprintf(&out, "# run %s\n", oneLine(part.Info.ID))
		}
		var names uniqueNames
		for _, cell := range part.Tried() {
			name := names.of(benchmarkName(cell.Cell))
			if len(cell.Rounds) == 0 {
				fmt.Fprintf(&out, "# %s: not run\n", name)
			}
			for _, round := range cell.Rounds {
				values := roundValues(round)
				if len(values) == 0 {
					fmt.Fprintf(&out, "# %s, round %d: %s: %s\n", name, round.Round, round.State, oneLine(round.Reason))
					continue
				}
				_ = lines.Write(&benchfmt.Result{Config: config, Name: benchfmt.Name(name), Iters: int(max(round.OK, 1)), Values: values})
			}
		}
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("writing benchfmt: %w", err)
	}
	return nil
}

// roundValues are the carried figures of a trial that has them.
func roundValues(round bench.Record) (values []benchfmt.Value) {
	for _, c := range carried {
		m, _ := table.Lookup(c.metric)
		if v, ok := m.Value([]bench.Record{round}); ok {
			values = append(values, benchfmt.Value{Value: v.Number / c.divisor, Unit: c.unit})
		}
	}
	return values
}

func hostConfig(info bench.RunInfo) (config []benchfmt.Config) {
	h := info.Host
	for _, p := range []bench.Pair{
		{Name: "scenario", Value: info.Plan.Scenario}, {Name: "host", Value: h.Name}, {Name: "os", Value: h.OS}, {Name: "kernel", Value: h.Kernel}, {Name: "cpu", Value: h.CPU},
	} {
		if v := oneLine(p.Value); v != "" {
			config = append(config, benchfmt.Config{Key: p.Name, Value: []byte(v), File: true})
		}
	}
	return config
}

// oneLine is a text of any origin on one line of bounded length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	const longest = 400
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return s
}

// benchmarkName is "Requests/Server=nginx/file=small/concurrency=10/...", what
// benchstat takes apart again. A last "-8" would read as GOMAXPROCS.
func benchmarkName(c bench.Cell) string {
	var b strings.Builder
	b.WriteString("Requests")
	for _, p := range pairsOf(c) {
		fmt.Fprintf(&b, "/%s=%s", strings.ReplaceAll(namePart(p.Name), "=", "_"), namePart(p.Value))
	}
	name := b.String()
	if i := strings.LastIndexByte(name, '-'); i >= 0 && allDigits(name[i+1:]) {
		name = name[:i] + "_" + name[i+1:]
	}
	return name
}

// pairsOf are labels and axes of a cell, a label renamed where an axis has its
// name; of a cell that was not tried, what its key says.
func pairsOf(c bench.Cell) []bench.Pair {
	if len(c.Labels)+len(c.Axes) == 0 {
		return []bench.Pair{{Name: "cell", Value: string(c.Key)}}
	}
	var pairs []bench.Pair
	for _, p := range c.Labels {
		if _, isAxis := bench.Lookup(c.Axes, p.Name); isAxis {
			p.Name += " (label)"
		}
		pairs = append(pairs, p)
	}
	return append(pairs, c.Axes...)
}

// namePart is a label or value as a part of a benchmark's name, with the
// underscores for spaces of Go's own subtests.
func namePart(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '_'
		case r == '/': // parts names
			return '|'
		}
		return r
	}, oneLine(s))
}

// uniqueNames tells names apart that became equal, as Go's tests do: x, x#01.
type uniqueNames map[string]int

func (u *uniqueNames) of(name string) string {
	if *u == nil {
		*u = uniqueNames{}
	}
	n := (*u)[name]
	(*u)[name]++
	if n == 0 {
		return name
	}
	return u.of(name + fmt.Sprintf("#%02d", n))
}
