package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/export"
	"matrix/internal/hist"
)

// benchJSON is what `matrix bench --json` prints. Times are in milliseconds
// unless named otherwise; null is not measured.
type benchJSON struct {
	URL                 string            `json:"url"`
	Server              string            `json:"server"`
	Protocol            string            `json:"protocol"`
	Concurrency         int               `json:"concurrency"`
	Streams             int               `json:"streams,omitempty"`
	KeepAlive           bool              `json:"keep_alive"`
	Issued              int64             `json:"issued"`
	OK                  int64             `json:"ok"`
	Failed              map[string]int64  `json:"failed"`
	Messages            map[string]string `json:"messages"`
	Aborted             int64             `json:"aborted"`
	Retried             int64             `json:"retried"`
	Late                int64             `json:"late"`
	Dropped             int64             `json:"dropped"`
	ElapsedS            float64           `json:"elapsed_s"`
	DrainS              float64           `json:"drain_s"`
	RequestsPerSecond   *float64          `json:"requests_per_second"`
	BytesPerSecond      *float64          `json:"bytes_per_second"`
	BodyBytes           int64             `json:"body_bytes"`
	WireBytes           int64             `json:"wire_bytes"`
	Status              map[int]int64     `json:"status"`
	ConnectMS           *timesJSON        `json:"connect_ms"`
	FirstByteMS         *timesJSON        `json:"first_byte_ms"`
	LatencyMS           *timesJSON        `json:"latency_ms"`
	ServiceMS           *timesJSON        `json:"service_ms"`
	FailedLatencyMS     *timesJSON        `json:"failed_latency_ms"`
	Series              []int64           `json:"completed_per_second"`
	Client              *clientJSON       `json:"client"`
	OthersCPUS          *float64          `json:"others_cpu_s"`
	HostCPUS            *float64          `json:"host_cpu_s"`
	AchievedConcurrency int               `json:"achieved_concurrency"`
	Handshakes          int64             `json:"handshakes"`
	Resumed             int64             `json:"resumed"`
	Address             string            `json:"address"`
	Backend             string            `json:"backend"`
	Notes               []bench.Note      `json:"notes"`
}

type clientJSON struct {
	CPUS         float64  `json:"cpu_s"`
	CPUUserS     float64  `json:"cpu_user_s"`
	CPUSystemS   float64  `json:"cpu_system_s"`
	MaxRSSBytes  int64    `json:"max_rss_bytes"`
	LoopLagP99MS *float64 `json:"loop_lag_p99_ms"`
	Threads      int      `json:"threads"`
}

// timesJSON sums a distribution up, in milliseconds. SD is null below two values.
type timesJSON struct {
	Min  float64  `json:"min"`
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd"`
	P50  float64  `json:"p50"`
	P90  float64  `json:"p90"`
	P95  float64  `json:"p95"`
	P99  float64  `json:"p99"`
	P999 float64  `json:"p999"`
	Max  float64  `json:"max"`
}

func times(h *hist.Hist) *timesJSON {
	if h.Count() == 0 {
		return nil
	}
	ms := func(d time.Duration, _ bool) float64 { return float64(d) / 1e6 }
	t := &timesJSON{
		Min: ms(h.Min()), Mean: ms(h.Mean()), Max: ms(h.Max()),
		P50: ms(h.Quantile(0.5)), P90: ms(h.Quantile(0.9)), P95: ms(h.Quantile(0.95)), P99: ms(h.Quantile(0.99)), P999: ms(h.Quantile(0.999)),
	}
	if sd, ok := h.SD(); ok {
		t.SD = new(ms(sd, true))
	}
	return t
}

// per is n per second of the elapsed time; nil when there was none of either.
func per(n int64, elapsed time.Duration) *float64 {
	if n == 0 || elapsed <= 0 {
		return nil
	}
	return new(float64(n) / elapsed.Seconds())
}

// asked is the concurrency that was asked for.
func asked(l bench.Load) string {
	if l.Streams > 1 {
		return fmt.Sprintf("%d x %d streams", l.Conns, l.Streams)
	}
	return fmt.Sprint(l.Conns)
}

func writeBenchJSON(w io.Writer, l bench.Load, m bench.Measurement, host bench.Observation) error {
	j := benchJSON{
		URL: withoutSecrets(l.URLs[0]), Server: m.Server, Protocol: string(l.Protocol), Concurrency: l.Conns, Streams: l.Streams, KeepAlive: l.KeepAlive,
		Issued: m.Issued, OK: m.OK, Failed: map[string]int64{}, Messages: map[string]string{}, Aborted: m.Aborted, Retried: m.Retried, Late: m.Late, Dropped: m.Dropped,
		ElapsedS: m.Elapsed.Seconds(), DrainS: m.Drain.Seconds(), RequestsPerSecond: per(m.OK, m.Elapsed), BytesPerSecond: per(m.WireBytes, m.Elapsed),
		BodyBytes: m.BodyBytes, WireBytes: m.WireBytes, Status: map[int]int64{},
		ConnectMS: times(m.Connect), FirstByteMS: times(m.FirstByte), LatencyMS: times(m.Latency), ServiceMS: times(m.Service), FailedLatencyMS: times(m.FailedLatency),
		Series: m.Series, AchievedConcurrency: m.AchievedConns, Handshakes: m.Handshakes, Resumed: m.Resumed, Address: m.Address, Backend: m.Backend, Notes: m.Notes,
		OthersCPUS: host.OthersCPU, HostCPUS: host.HostCPU,
	}
	for f, n := range m.Failed {
		j.Failed[string(f)] = n
	}
	for f, text := range m.Messages {
		j.Messages[string(f)] = text
	}
	maps.Copy(j.Status, m.Status)
	if c := m.Client; c != nil {
		j.Client = &clientJSON{c.CPUUser + c.CPUSystem, c.CPUUser, c.CPUSystem, c.MaxRSS, c.LoopLagP99, c.Threads}
	}
	if j.Notes == nil {
		j.Notes = []bench.Note{}
	}
	if j.Series == nil {
		j.Series = []int64{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(j)
}

// withoutSecrets is a URL to show: without user, password and query.
func withoutSecrets(s string) string { return bench.System{URL: s}.Where() }

// writeBenchText prints the report that a user of ab reads at once, and what
// ab lacks.
func writeBenchText(w io.Writer, l bench.Load, m bench.Measurement, host bench.Observation) error {
	r := &textReport{w: w}
	u, err := url.Parse(l.URLs[0])
	if err != nil {
		return err
	}
	r.row("Server Software", export.Visible(m.Server))
	r.row("Server Hostname", u.Hostname())
	r.row("Server Address", m.Address)
	r.row("Document Path", u.EscapedPath())
	if n := m.OK; n > 0 && m.BodyBytes%n == 0 && len(l.URLs) == 1 && m.FailedSum() == 0 && m.Aborted == 0 {
		r.row("Document Length", fmt.Sprintf("%d bytes", m.BodyBytes/n))
	}
	r.line("")
	r.row("Protocol", fmt.Sprintf("%s, %s", l.Protocol, map[bool]string{true: "keep-alive", false: "connection per request"}[l.KeepAlive]))
	r.row("Concurrency Level", fmt.Sprintf("%s (achieved %d)", asked(l), m.AchievedConns))
	r.row("Time taken for tests", fmt.Sprintf("%.6f seconds", m.Elapsed.Seconds()))
	r.row("Complete requests", fmt.Sprint(m.Completed()))
	r.row("Failed requests", fmt.Sprint(m.FailedSum()))
	for _, f := range bench.Failures {
		if n := m.Failed[f]; n > 0 {
			r.line("   %s: %d  %s", f, n, export.Visible(m.Messages[f]))
		}
	}
	r.count("Aborted requests", m.Aborted)
	r.count("Retried requests", m.Retried)
	r.count("Late requests", m.Late)
	r.count("Dropped requests", m.Dropped)
	r.statuses(m.Status)
	if m.Kept != nil {
		r.row("Keep-Alive requests", fmt.Sprint(*m.Kept))
	}
	r.row("Total transferred", fmt.Sprintf("%d bytes", m.WireBytes))
	r.row("HTML transferred", fmt.Sprintf("%d bytes", m.BodyBytes))
	r.rates(l, m)
	r.line("")
	r.connectionTimes(m)
	r.percentiles(m)
	r.client(m)
	if o := host.OthersCPU; o != nil && host.HostCPU != nil {
		r.row("Other processes", fmt.Sprintf("CPU %.3f s of the %.3f s that all cores had", *o, *host.HostCPU))
	}
	for _, n := range m.Notes {
		r.line("Note: %s", n.Text)
	}
	return r.err
}

// textReport writes aligned lines and keeps the first error.
type textReport struct {
	w   io.Writer
	err error
}

func (r *textReport) line(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format+"\n", args...)
	}
}

func (r *textReport) row(name, value string) { r.line("%-24s%s", name+":", value) }

func (r *textReport) count(name string, n int64) {
	if n > 0 {
		r.row(name, fmt.Sprint(n))
	}
}

func (r *textReport) statuses(status map[int]int64) {
	var parts []string
	for code, n := range status {
		parts = append(parts, fmt.Sprintf("%d: %d", code, n))
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		r.row("Status codes", strings.Join(parts, ", "))
	}
}

func (r *textReport) rates(l bench.Load, m bench.Measurement) {
	if v := per(m.OK, m.Elapsed); v != nil {
		r.row("Requests per second", fmt.Sprintf("%.2f [#/sec] (successes)", *v))
	}
	if mean, ok := m.Latency.Mean(); ok {
		what := "mean service time: the loop is closed"
		if l.Rate > 0 {
			what = "mean, from when each was due"
		}
		r.row("Time per request", fmt.Sprintf("%.3f [ms] (%s)", float64(mean)/1e6, what))
	}
	if v := per(m.WireBytes, m.Elapsed); v != nil {
		r.row("Transfer rate", fmt.Sprintf("%.2f [kB/sec] received (1 kB = 1000 bytes)", *v/1e3))
	}
}

func (r *textReport) connectionTimes(m bench.Measurement) {
	rows := []struct {
		name string
		h    *hist.Hist
	}{{"Connect", m.Connect}, {"First byte", m.FirstByte}, {"Total", m.Latency}, {"Service", m.Service}, {"Failed", m.FailedLatency}}
	head := false
	for _, row := range rows {
		t := times(row.h)
		if t == nil {
			continue
		}
		if !head {
			r.line("Connection Times (ms)")
			r.line("%-12s %9s %9s %9s %9s %9s", "", "min", "mean", "[+/-sd]", "median", "max")
			head = true
		}
		sd := "-"
		if t.SD != nil {
			sd = fmt.Sprintf("%.3f", *t.SD)
		}
		r.line("%-12s %9.3f %9.3f %9s %9.3f %9.3f", row.name+":", t.Min, t.Mean, sd, t.P50, t.Max)
	}
}

func (r *textReport) percentiles(m bench.Measurement) {
	if m.Latency.Count() == 0 {
		return
	}
	r.line("")
	r.line("Percentage of the requests served within a certain time (ms)")
	for _, p := range []float64{50, 66, 75, 80, 90, 95, 98, 99, 99.9, 100} {
		d, _ := m.Latency.Quantile(p / 100)
		tail := ""
		if p == 100 {
			tail = " (longest request)"
		}
		r.line("%6g%% %10.3f%s", p, float64(d)/1e6, tail)
	}
}

func (r *textReport) client(m bench.Measurement) {
	c := m.Client
	if c == nil {
		return
	}
	r.line("")
	lag := ""
	if c.LoopLagP99 != nil {
		lag = fmt.Sprintf(", loop lag p99 %.3f ms", *c.LoopLagP99)
	}
	r.row("Load generator", fmt.Sprintf("%s, CPU %.3f s user %.3f s system, %.1f MB%s",
		m.Backend, c.CPUUser, c.CPUSystem, float64(c.MaxRSS)/1e6, lag))
}
