package export

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"matrix/internal/table"
)

// OpenMetrics writes every figure of every cell as a gauge, matrix_ and the name
// of its metric, with the labels and axes of the cell as labels. A figure that was
// not measured has no line; matrix_cell_failed says whether a cell has figures at
// all. There are no timestamps, which the textfile collector refuses, and no IDs
// of runs, of which each would begin new series, except where several runs are
// joined: matrix_run_started_seconds tells how old the figures are.
func OpenMetrics(w io.Writer, r *table.Report) error {
	var out bytes.Buffer // its writing cannot fail
	cells, labels := seriesOf(r)
	for _, f := range families(r, cells, labels) {
		if len(f.Metric) == 0 {
			continue
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(&out, f); err != nil {
			return fmt.Errorf("writing openmetrics: %w", err)
		}
	}
	if _, err := expfmt.FinalizeOpenMetrics(&out); err != nil {
		return fmt.Errorf("writing openmetrics: %w", err)
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("writing openmetrics: %w", err)
	}
	return nil
}

func families(r *table.Report, cells []table.Tried, labels [][]*dto.LabelPair) []*dto.MetricFamily {
	started := gauge("run_started_seconds", "When the run began, in seconds since 1970.")
	runs := runNames(r)
	for i, part := range r.Each() {
		if !part.Info.Started.IsZero() {
			add(started, runLabels(part, runs[i]), float64(part.Info.Started.UnixMilli())/1000)
		}
	}
	failed := gauge("cell_failed", "1 where a cell failed or timed out, and so has no figures; 0 where it has.")
	rounds := gauge("cell_rounds", "Rounds of the cell that were run.")
	for i, c := range cells {
		if n := len(c.Rounds); n > 0 {
			add(rounds, labels[i], float64(n))
		}
		if c.State.Failed() || c.State.Ranked() {
			add(failed, labels[i], map[bool]float64{true: 1}[c.State.Failed()])
		}
	}
	all := []*dto.MetricFamily{started, failed, rounds}
	for _, m := range table.Metrics {
		f := gauge(m.Name, m.Doc)
		for i, c := range cells {
			if v, ok := c.Value(m); ok {
				add(f, labels[i], v.Number)
			}
		}
		all = append(all, f)
	}
	return all
}

func gauge(name, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: new("matrix_" + name), Help: new(help), Type: dto.MetricType_GAUGE.Enum()}
}

func add(f *dto.MetricFamily, labels []*dto.LabelPair, v float64) {
	f.Metric = append(f.Metric, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: new(v)}})
}

func runLabels(part *table.Report, run string) []*dto.LabelPair {
	labels := []*dto.LabelPair{{Name: new("scenario"), Value: new(valid(part.Info.Plan.Scenario))}}
	if run != "" {
		labels = append(labels, &dto.LabelPair{Name: new("run"), Value: new(valid(run))})
	}
	return labels
}

// seriesOf lists the cells of all parts, and the labels of each.
func seriesOf(r *table.Report) (cells []table.Tried, labels [][]*dto.LabelPair) {
	names := labelNames{taken: map[string]bool{"scenario": true, "run": true}, of: map[string]string{}}
	runs := runNames(r)
	for i, part := range r.Each() {
		own := runLabels(part, runs[i])
		for _, c := range part.Tried() {
			l := own[:len(own):len(own)]
			for _, p := range c.Cell.Labels {
				l = append(l, &dto.LabelPair{Name: new(names.name("label", p.Name)), Value: new(valid(p.Value))})
			}
			for _, p := range c.Cell.Axes {
				l = append(l, &dto.LabelPair{Name: new(names.name("axis", p.Name)), Value: new(valid(p.Value))})
			}
			cells, labels = append(cells, c), append(labels, l)
		}
	}
	return cells, labels
}

// valid is a label's value: any text that is UTF-8. Escaping is the writer's.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// labelNames gives the labels and axes of cells the names that the format
// allows: lower-case, [a-z_][a-z0-9_]*. Names that become equal get a number.
type labelNames struct {
	taken map[string]bool
	of    map[string]string // by kind and name
}

func (n labelNames) name(kind, name string) string {
	key := kind + "\x00" + name
	if known, ok := n.of[key]; ok {
		return known
	}
	base := plainName(name)
	unique := base
	for i := 2; n.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", base, i)
	}
	n.taken[unique], n.of[key] = true, unique
	return unique
}

// plainName keeps letters and digits of ASCII, and makes one underscore of
// anything between. A name of nothing else is "label".
func plainName(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = true
			continue
		}
		if b.Len() == 0 && r <= '9' { // no name begins with a digit
			b.WriteByte('n')
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "label"
	}
	return b.String()
}
