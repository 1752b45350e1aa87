package main

// What each load generator prints, read into the same figures.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// figures are what a client says of its own run.
type figures struct {
	Requests  float64  `json:"requests"`            // answered well
	PerSecond float64  `json:"requests_per_second"` // by the client's own clock
	Failed    float64  `json:"failed"`
	P50       *float64 `json:"p50_ms"` // nil: not printed
	P99       *float64 `json:"p99_ms"`
	Backend   string   `json:"backend,omitempty"` // of matrix: how it reached the kernel
}

var errNoFigures = errors.New("no figures in the output")

// without takes failures out of requests and rate, where a tool counts them in.
func (f figures) without(failed float64) figures {
	if f.Requests > 0 {
		f.PerSecond *= (f.Requests - failed) / f.Requests
	}
	f.Requests -= failed
	return f
}

// number finds the first group of a pattern as a number. What stands behind it is
// of the pattern, so that no beginning of a number is taken for it.
func number(out []byte, pattern string) (float64, bool) {
	m := regexp.MustCompile(pattern).FindSubmatch(out)
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	return v, err == nil
}

// counted is number of a line that a report may lack: 0 where it does. A line that
// is there and has no number is an error.
func counted(out []byte, sign, pattern string) (float64, error) {
	if !bytes.Contains(out, []byte(sign)) {
		return 0, nil
	}
	v, ok := number(out, pattern)
	if !ok {
		return 0, fmt.Errorf("%q has no count", sign)
	}
	return v, nil
}

// scaled finds a number times a factor; nil when it is not there.
func scaled(out []byte, pattern string, factor float64) *float64 {
	v, ok := number(out, pattern)
	if !ok {
		return nil
	}
	return new(v * factor)
}

func parseMatrix(out []byte) (figures, error) {
	var j struct {
		OK        *float64           `json:"ok"`
		Failed    map[string]float64 `json:"failed"`
		PerSecond *float64           `json:"requests_per_second"`
		Backend   string
		Latency   *struct {
			P50, P99 float64
		} `json:"latency_ms"`
	}
	if err := json.Unmarshal(out, &j); err != nil {
		return figures{}, fmt.Errorf("reading the JSON object: %w", err)
	}
	if j.OK == nil {
		return figures{}, errNoFigures
	}
	f := figures{Requests: *j.OK, Backend: j.Backend}
	if j.PerSecond != nil { // null when no request succeeded
		f.PerSecond = *j.PerSecond
	}
	for _, n := range j.Failed {
		f.Failed += n
	}
	if j.Latency != nil {
		f.P50, f.P99 = &j.Latency.P50, &j.Latency.P99
	}
	return f, nil
}

var wrkUnits = map[string]float64{"us": 1e-3, "ms": 1, "s": 1e3, "m": 60e3}

func parseWrk(out []byte) (figures, error) {
	total, ok1 := number(out, `(?m)^\s+(\d+) requests in `)
	rate, ok2 := number(out, `(?m)^Requests/sec:\s+([\d.]+)$`)
	if !ok1 || !ok2 {
		return figures{}, errNoFigures
	}
	f := figures{Requests: total, PerSecond: rate}
	for _, p := range []string{"connect", "read", "write", "timeout"} {
		n, err := counted(out, "Socket errors:", `(?m)Socket errors:.*`+p+` (\d+)(?:, |$)`)
		if err != nil {
			return figures{}, err
		}
		f.Failed += n
	}
	other, err := counted(out, "Non-2xx or 3xx responses:", `(?m)Non-2xx or 3xx responses: (\d+)$`)
	if err != nil {
		return figures{}, err
	}
	f.Failed += other
	f = f.without(other) // wrk counts these among its requests, but not the others
	f.P50, f.P99 = wrkQuantile(out, "50"), wrkQuantile(out, "99")
	return f, nil
}

func wrkQuantile(out []byte, percent string) *float64 {
	m := regexp.MustCompile(`(?m)^\s+` + percent + `%\s+([\d.]+)(us|ms|s|m)$`).FindSubmatch(out)
	if m == nil {
		return nil
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		return nil
	}
	return new(v * wrkUnits[string(m[2])])
}

func parseAB(out []byte) (figures, error) {
	total, ok1 := number(out, `(?m)^Complete requests:\s+(\d+)$`)
	rate, ok2 := number(out, `(?m)^Requests per second:\s+([\d.]+) \[`)
	if !ok1 || !ok2 {
		return figures{}, errNoFigures
	}
	failed, ok3 := number(out, `(?m)^Failed requests:\s+(\d+)$`)
	status, err := counted(out, "Non-2xx responses:", `(?m)^Non-2xx responses:\s+(\d+)$`)
	if !ok3 || err != nil {
		return figures{}, cmp.Or(err, errNoFigures)
	}
	f := figures{
		Requests: total, PerSecond: rate, Failed: failed,
		P50: scaled(out, `(?m)^\s+50%\s+(\d+)$`, 1), P99: scaled(out, `(?m)^\s+99%\s+(\d+)$`, 1),
	}
	// ab counts another status than 2xx apart from its failures.
	f.Failed = max(failed, status)
	return f.without(f.Failed), nil
}

func parseH2load(out []byte) (figures, error) {
	done, ok1 := number(out, `(?m)^requests:.* (\d+) done`)
	rate, ok2 := number(out, `(?m)^finished in \S+, ([\d.]+) req/s`)
	if !ok1 || !ok2 {
		return figures{}, errNoFigures
	}
	good, _ := number(out, `(?m)^requests:.* (\d+) succeeded`)
	failed, _ := number(out, `(?m)^requests:.* (\d+) failed`)
	f := figures{Requests: done, PerSecond: rate, Failed: failed}
	return f.without(done - good), nil
}

// parseHey takes the number of requests from rate and time: hey counts status
// codes of its first million only.
func parseHey(out []byte) (figures, error) {
	seconds, ok1 := number(out, `(?m)^\s+Total:\s+([\d.]+) secs`)
	rate, ok2 := number(out, `(?m)^\s+Requests/sec:\s+([\d.]+)\s*$`)
	if !ok1 || !ok2 {
		return figures{}, errNoFigures
	}
	f := figures{
		Requests: math.Round(seconds * rate), PerSecond: rate,
		P50: scaled(out, `(?m)^\s+50%+ in ([\d.]+) secs`, 1e3), P99: scaled(out, `(?m)^\s+99%+ in ([\d.]+) secs`, 1e3),
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+\[(\d+)\]\s+(.*)$`).FindAllSubmatch(out, -1) {
		n := string(m[1]) // of an error; of a status it is the code
		if s := regexp.MustCompile(`^(\d+) responses`).FindSubmatch(m[2]); s != nil {
			if n[0] == '2' {
				continue
			}
			n = string(s[1])
		}
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return figures{}, fmt.Errorf("reading a count: %w", err)
		}
		f.Failed += v
	}
	return f.without(f.Failed), nil
}

func parseBombardier(out []byte) (figures, error) {
	var j struct {
		Result *struct {
			Seconds float64 `json:"timeTakenSeconds"`
			R1      float64 `json:"req1xx"`
			R2      float64 `json:"req2xx"`
			R3      float64 `json:"req3xx"`
			R4      float64 `json:"req4xx"`
			R5      float64 `json:"req5xx"`
			Others  float64
			Latency struct{ Percentiles map[string]float64 }
		}
	}
	if err := json.Unmarshal(out, &j); err != nil {
		return figures{}, fmt.Errorf("reading the JSON object: %w", err)
	}
	r := j.Result
	if r == nil || r.Seconds <= 0 {
		return figures{}, errNoFigures
	}
	f := figures{Requests: r.R2, PerSecond: r.R2 / r.Seconds, Failed: r.R1 + r.R3 + r.R4 + r.R5 + r.Others}
	for percent, to := range map[string]**float64{"50": &f.P50, "99": &f.P99} {
		if us, ok := r.Latency.Percentiles[percent]; ok {
			*to = new(us / 1e3)
		}
	}
	return f, nil
}
