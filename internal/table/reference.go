package table

import (
	"fmt"
	"strings"

	"matrix/internal/unit"
)

// Reference is docs/columns.md: every metric with its unit and meaning, made
// from Metrics.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, m := range Metrics {
		over, better := m.Over.String(), map[unit.Direction]string{unit.Higher: "higher", unit.Lower: "lower"}[m.Better]
		if m.Text != nil {
			over = "what the rounds say, each thing once"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Heading, over, better, m.Doc)
	}
	for _, m := range relatives {
		fmt.Fprintf(&b, "| `%s` | %s | of the medians, in tables only | | %s |\n", m.Name, m.Heading, m.Doc)
	}
	b.WriteString("\nFurther names are understood in `columns:` and `tables:`: a percentile NN of the latency, `latency_pNN_ms` (`latency_p66_ms`),\nof `service` (open loop: from the actual send) or of `failed_latency`; `KIND_STATISTIC_ms` of connect, first_byte, processing (connect to\nlast byte, as ab prints it), latency, service and failed_latency with min, mean, sd, p50 and max (`connect_sd_ms`); failures of one class\n(`failed_non_2xx`); `time_per_request_ms`, the concurrency times the time taken over the requests completed; and of the built-in engine\n`kept`, `handshakes`, `resumed` and `drain_s`. Where the scenario names a `baseline`, the\nstandard columns have `slower_than_baseline_percent` behind the requests per second.\n\nWithout `columns:` a table shows ")
	for i, name := range standard {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s`", name)
	}
	b.WriteString(".\n" + referenceWide)
	return []byte(b.String())
}

const referenceHead = `# Columns

Made from the list of metrics in ` + "`internal/table/metrics.go`" + `; a test keeps it equal. The names are those of
the CSV, of ` + "`columns:`" + ` in a scenario and of flags; each carries its unit.

The CSV holds the value of every trial. A row of a table holds one value for all rounds of its cell, made as the
third column says; rounds that failed have no say while others were measured. Percentiles come from the
distributions of all rounds added up; where a driver yields none, they are medians of what its tool printed in each
round, and a note says so. An empty field was not measured. Only cells that are ` + "`ok` or `degraded`" + ` are ranked: of others
the rates, times and latencies stay empty in the tables.

| name | heading | over the rounds | better | meaning |
| --- | --- | --- | --- | --- |
`

const referenceWide = `
## The wide sheet

Beside the tidy CSV of all trials there is a wide one: a row for each point of the grid, first its axes (driver, file, size_bytes,
concurrency, requests, duration_s, further ones, protocol, keep_alive), then for each metric of ` + "`columns:`" + ` a column for each system, named
by the metric and the labels that tell the systems apart: ` + "`requests_per_second[nginx]`, `requests_per_second[apache]`" + `; at the end the state of
each cell, ` + "`state[nginx]`" + `. Figures are those of the tables, of all rounds, in the unit of the metric's name and with all digits. What was not
measured is empty, and so is an axis in which the systems differ at that point.
`
