package table

import (
	"iter"
	"math"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/stats"
	"matrix/internal/unit"
)

// Over is how the rounds of a cell become the one value of its row.
type Over int

// The ways.
const (
	Median   Over = iota // the median of the rounds; of counts the lower one, so that it was measured
	Merged               // from the distributions of all rounds added up; where there are none, the median of the rounds
	Greatest             // the greatest of the rounds
	Together             // of the rounds added up
)

// String names the way for people.
func (o Over) String() string {
	return [...]string{"median of the rounds", "from the merged distribution of the rounds", "greatest of the rounds", "of the rounds together"}[o]
}

// Metric is a column that can be measured. Numbers have Of, words have Text.
type Metric struct {
	Name    string // in CSV, YAML and flags; carries its unit
	Heading string // for people
	Doc     string
	Unit    unit.Unit
	Better  unit.Direction
	Over    Over

	// Of is the value of one trial in Unit; false means not measured. Nil for
	// words.
	Of func(*bench.Record) (float64, bool)

	// Count is Of without loss beyond 2^53, for what is counted. Else nil.
	Count func(*bench.Record) (int64, bool)

	// Text is what the rounds of a cell, or a single trial, say in words; "" for
	// nothing. Nil for numbers.
	Text func([]bench.Record) string

	OfCell    bool // of the rounds of a cell together: a single trial has none
	Always    bool // says something of trials that failed, too
	Spread    bool // shown with what Span tells
	Successes bool // of successes alone: a fair race also where some requests failed
	ByBudget  bool // fixed by the budget of a timed cell, and so not compared there
	AsTold    bool // what a tool printed, shown with all of its digits
	Places    int  // above zero: decimals that are always shown, where the source has no more

	pool    func(rounds []bench.Record) (float64, bool) // of Together: what it is of rounds added up
	dist    dist
	from    func(*hist.Hist) (float64, bool)
	against func(own, base float64) float64 // of relatives: the requests per second of a cell and of its baseline
}

// Lookup returns the metric of that name: one of Names, or a figure of a further
// kind, such as latency_p66_ms or failed_non_2xx.
func Lookup(name string) (Metric, bool) {
	for _, list := range [][]Metric{Metrics, relatives} {
		for _, m := range list {
			if m.Name == name {
				return m, true
			}
		}
	}
	return further(name)
}

// Names lists all metrics in the order of Metrics, then those that compare with
// the baseline.
func Names() []string {
	var names []string
	for _, list := range [][]Metric{Metrics, relatives} {
		for _, m := range list {
			names = append(names, m.Name)
		}
	}
	return names
}

// WordNames lists the metrics that are words and no numbers.
func WordNames() (names []string) {
	for _, m := range Metrics {
		if m.Text != nil {
			names = append(names, m.Name)
		}
	}
	return names
}

// number is the metric of one trial. What a published table printed stands for
// itself: nothing else was measured then.
func (m Metric) number(r *bench.Record) (float64, bool) {
	switch {
	case r.AsPrinted != nil:
		return known(r.AsPrinted[m.Name].Value)
	case m.Of == nil:
		return 0, false
	}
	return m.Of(r)
}

// exact is number without loss, of a metric that counts.
func (m Metric) exact(r *bench.Record) (int64, bool) {
	if r.AsPrinted != nil {
		v, ok := m.number(r)
		return int64(v), ok
	}
	return m.Count(r)
}

// words is what a metric of words says of the rounds.
func (m Metric) words(rounds []bench.Record) string {
	if text, ok := asPrinted(m.Name, rounds); ok {
		return text
	}
	return m.Text(rounds)
}

// asPrinted is what a published table printed of a cell under a name; false
// where it has no such column, or the cell is of more than one trial.
func asPrinted(name string, rounds []bench.Record) (string, bool) {
	if len(rounds) != 1 {
		return "", false
	}
	f, ok := rounds[0].AsPrinted[name]
	return f.Text, ok
}

// Value is a metric of one trial or cell.
type Value struct {
	Number float64
	Exact  int64 // the number itself where the metric counts

	Low, High float64 // least and greatest of the rounds

	// Lo and Hi bound the median of the rounds with a confidence of 95 %, where
	// Bounded is set: it takes six rounds.
	Rounds  int // that the figure is the median of; 0 where it is no median
	Lo, Hi  float64
	Bounded bool

	// ByRounds is set where a figure that should come from a merged distribution
	// is the median of what a tool printed in each round.
	ByRounds bool

	Printed bool // the number is one that a tool printed
}

// Span tells how far a figure is known: "[98.0, 104]" bounds the median with a
// confidence of 95 %; of fewer rounds than that takes, "(98.0 to 104)" are the
// least and the greatest. "" for a single round, and for a metric that is not
// shown with its span. A comparison with the baseline has such bounds, too, or
// else "?".
func (m Metric) Span(v Value, format func(float64) string) string {
	switch {
	case !m.Spread || v.Rounds < 1 || v.Rounds < 2 && m.against == nil:
		return ""
	case v.Bounded:
		return "[" + format(v.Lo) + ", " + format(v.Hi) + "]"
	case m.against != nil:
		return "?"
	}
	return "(" + format(v.Low) + " to " + format(v.High) + ")"
}

// Value is the metric over the given rounds of one cell; false when it was not
// measured. Rounds that are not ranked have no say while there are ranked ones,
// and alone only where Always says so; in what is told as the greatest of the
// rounds, or of all of them together, they do.
func (m Metric) Value(rounds []bench.Record) (Value, bool) {
	return m.fold(newFolder(rounds))
}

// fold is Value of a cell's rounds, remembered: tables, charts, the verdict and
// the wide sheet ask for the same again and again.
// Values gives each of the metrics that was measured over the rounds, by its
// place among them. It is Value, with the distributions of the rounds added up
// once for all metrics.
func Values(metrics []Metric, rounds []bench.Record) iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		f := newFolder(rounds)
		for i, m := range metrics {
			if v, ok := m.fold(f); ok && !yield(i, v) {
				return
			}
		}
	}
}

func (m Metric) fold(f *folder) (Value, bool) {
	if known, ok := f.folded[m.Name]; ok {
		return known.Value, known.ok
	}
	v, ok := m.foldOnce(f)
	f.remember(m.Name, v, ok)
	return v, ok
}

func (m Metric) foldOnce(f *folder) (Value, bool) {
	rounds := f.ranked
	if m.Always && (len(rounds) == 0 || m.Over == Greatest || m.Over == Together) {
		rounds = f.all
	}
	if m.Of == nil || len(rounds) == 0 {
		return Value{}, false
	}
	switch {
	case m.Count != nil:
		return m.foldCounts(rounds)
	case m.pool != nil:
		n, ok := m.pool(rounds)
		return Value{Number: n, Low: n, High: n}, ok
	}
	if m.dist != noDist {
		if !f.done[m.dist] {
			f.foldMerged(m.dist)
			if known, ok := f.folded[m.Name]; ok {
				return known.Value, known.ok
			}
		}
		if !f.lacks[m.dist] { // a further metric, which few ask for
			return m.ofMerged(f.merged(m.dist), f.ranked)
		}
	}
	return m.foldNumbers(rounds)
}

func (m Metric) foldCounts(rounds []bench.Record) (Value, bool) {
	var counts []int64
	for i := range rounds {
		if n, ok := m.exact(&rounds[i]); ok {
			counts = append(counts, n)
		}
	}
	n, ok := stats.LowMedian(counts)
	if m.Over == Greatest {
		for _, c := range counts {
			n = max(n, c)
		}
	}
	return Value{Number: float64(n), Exact: n, Low: float64(n), High: float64(n)}, ok
}

func (m Metric) foldNumbers(rounds []bench.Record) (Value, bool) {
	var values []float64
	for i := range rounds {
		if v, ok := m.number(&rounds[i]); ok {
			values = append(values, v)
		}
	}
	s, ok := stats.Summarise(values)
	if !ok {
		return Value{}, false
	}
	v := Value{Number: s.Median, Low: s.Min, High: s.Max, Rounds: s.N, Lo: s.Lo, Hi: s.Hi, Bounded: s.Bounded, ByRounds: m.dist != noDist && s.N > 1, Printed: (m.AsTold || m.dist != noDist) && s.N == 1}
	if m.Over == Greatest {
		v.Number = s.Max
	}
	return v, true
}

// dist names one of the distributions of a Measurement.
type dist int

const (
	noDist dist = iota
	connectDist
	firstByteDist
	latencyDist
	processingDist // of tools that print it
	serviceDist
	failedLatencyDist
	dists
)

func (d dist) of(m *bench.Measurement) *hist.Hist {
	switch d {
	case connectDist:
		return m.Connect
	case firstByteDist:
		return m.FirstByte
	case latencyDist:
		return m.Latency
	case serviceDist:
		return m.Service
	case failedLatencyDist:
		return m.FailedLatency
	}
	return nil
}

// folder holds the rounds of a cell, and the values of its metrics once they
// were asked for.
type folder struct {
	all, ranked []bench.Record
	folded      map[string]folded // by the metric's name
	done, lacks [dists]bool       // distributions that were looked for, and those of them that a round lacks
	adder       *hist.Adder       // of all cells of a run; nil: one is made when needed
}

// folded is what Metric.fold came to.
type folded struct {
	Value
	ok bool
}

func newFolder(rounds []bench.Record) *folder {
	f := &folder{all: rounds}
	if every(rounds, func(r *bench.Record) bool { return r.State.Ranked() }) {
		f.ranked = rounds // records are large; the common case copies none
		return f
	}
	for i := range rounds {
		if rounds[i].State.Ranked() {
			f.ranked = append(f.ranked, rounds[i])
		}
	}
	return f
}

// merged adds up a distribution of the ranked rounds; nil unless every one of
// them has it. It is not kept: see foldMerged.
func (f *folder) merged(d dist) *hist.Hist {
	parts := make([]*hist.Hist, len(f.ranked))
	for i := range f.ranked {
		if parts[i] = d.of(&f.ranked[i].Measurement); parts[i].Count() == 0 {
			return nil
		}
	}
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1: // the common case needs no copy
		return parts[0]
	case f.adder == nil:
		f.adder = new(hist.Adder)
	}
	return f.adder.Sum(parts...)
}

// foldMerged folds all metrics of a distribution as soon as one of them is asked
// for: adding up is what takes time, and sums of thousands of cells are too large
// to keep.
func (f *folder) foldMerged(d dist) {
	f.done[d] = true
	h := f.merged(d)
	if f.lacks[d] = h == nil; f.lacks[d] {
		return
	}
	for _, m := range Metrics {
		if m.dist == d {
			v, ok := m.ofMerged(h, f.ranked)
			f.remember(m.Name, v, ok)
		}
	}
}

func (f *folder) remember(name string, v Value, ok bool) {
	if f.folded == nil {
		f.folded = map[string]folded{}
	}
	f.folded[name] = folded{v, ok}
}

// ofMerged is the value of a merged distribution, and what the rounds span.
func (m Metric) ofMerged(h *hist.Hist, rounds []bench.Record) (Value, bool) {
	n, ok := m.from(h)
	v := Value{Number: n, Low: n, High: n}
	for i := range rounds {
		if x, ok := m.Of(&rounds[i]); ok {
			v.Low, v.High = min(v.Low, x), max(v.High, x)
		}
	}
	return v, ok
}

// known turns what may be nil or not finite into a value and whether it is one.
func known(p *float64) (float64, bool) {
	if p == nil || math.IsNaN(*p) || math.IsInf(*p, 0) {
		return 0, false
	}
	return *p, true
}
