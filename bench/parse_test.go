package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func same(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return near(*a, *b)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a)) }

// The files are what the tools printed: against the delay server, against one
// that answers 503 to every second request, and against no server at all.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		file  string
		parse func([]byte) (figures, error)
		want  figures
	}{
		{"matrix.json", parseMatrix, figures{Requests: 337, PerSecond: 336.970753, P50: new(10.362879), P99: new(36.208639), Backend: "io_uring"}},
		{"matrix-failures.json", parseMatrix, figures{Requests: 50, PerSecond: 343.446059, Failed: 50, P50: new(1.040383), P99: new(32.800413), Backend: "io_uring"}},
		{"matrix-refused.json", parseMatrix, figures{Failed: 4, Backend: "io_uring"}},
		{"wrk.txt", parseWrk, figures{Requests: 384, PerSecond: 382.27, P50: new(10.20), P99: new(13.24)}},
		{"wrk-failures.txt", parseWrk, figures{Requests: 23, PerSecond: 22.7, Failed: 23, P50: new(44.03), P99: new(54.77)}},
		{"ab.txt", parseAB, figures{Requests: 380, PerSecond: 376.38, P50: new(10.0), P99: new(14.0)}},
		{"ab-failures.txt", parseAB, figures{Requests: 5, PerSecond: 260.85, Failed: 5, P50: new(1.0), P99: new(12.0)}},
		{"h2load.txt", parseH2load, figures{Requests: 280, PerSecond: 280}},
		{"h2load-failures.txt", parseH2load, figures{Requests: 50, PerSecond: 22.62, Failed: 50}},
		{"hey.txt", parseHey, figures{Requests: 372, PerSecond: 368.1296, P50: new(10.5), P99: new(20.0)}},
		{"hey-failures.txt", parseHey, figures{Requests: 50, PerSecond: 22.705, Failed: 50, P50: new(44.0), P99: new(52.0)}},
		{"hey-refused.txt", parseHey, figures{Failed: 4}},
		{"bombardier.json", parseBombardier, figures{Requests: 384, PerSecond: 384 / 1.013885983, P50: new(10.367), P99: new(13.784)}},
		{"bombardier-failures.json", parseBombardier, figures{Requests: 50, PerSecond: 50 / 2.214058299, Failed: 50, P50: new(43.997), P99: new(51.994)}},
		{"bombardier-refused.json", parseBombardier, figures{Failed: 4, P50: new(0.333), P99: new(1.016)}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := c.parse(read(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			if !near(got.Requests, c.want.Requests) || !near(got.PerSecond, c.want.PerSecond) || !near(got.Failed, c.want.Failed) || got.Backend != c.want.Backend {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			for _, q := range [][2]*float64{{got.P50, c.want.P50}, {got.P99, c.want.P99}} {
				if !same(q[0], q[1]) {
					t.Errorf("quantile %v, want %v", show(q[0]), show(q[1]))
				}
			}
		})
	}
}

func show(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}

func TestParseWithoutFigures(t *testing.T) {
	for _, c := range clients("matrix", "") {
		for _, out := range []string{"", "{}", "unable to connect\n"} {
			if _, err := c.Parse([]byte(out)); err == nil {
				t.Errorf("%s: %q has figures", c.Name, out)
			} else if out == "{}" && !errors.Is(err, errNoFigures) {
				t.Errorf("%s: %q: %v, want %v", c.Name, out, err, errNoFigures)
			}
		}
	}
}

func TestWrkUnits(t *testing.T) {
	for text, want := range map[string]float64{"830.00us": 0.83, "1.20ms": 1.2, "1.05s": 1050, "2.00m": 120000} {
		got := wrkQuantile([]byte("  Latency Distribution\n     50%  "+text+"\n"), "50")
		if !same(got, &want) {
			t.Errorf("%s: %v ms, want %v", text, show(got), want)
		}
	}
}

// A count is read in full, or the output has no figures: one that is left out
// would be none.
func TestCountsAreReadInFull(t *testing.T) {
	const ab = "Complete requests:      1000\nFailed requests:        0\nNon-2xx responses:      1000\nRequests per second:    100.00 [#/sec] (mean)\n  50%      1\n"
	const wrk = "  1000 requests in 1.00s, 1.00MB read\n  Socket errors: connect 0, read 1234, write 0, timeout 0\n  Non-2xx or 3xx responses: 1000\nRequests/sec:    100.00\n"
	for _, c := range []struct {
		parse    func([]byte) (figures, error)
		text     string
		old, new string
		ok       bool
	}{
		{parseAB, ab, "x", "x", true}, {parseWrk, wrk, "x", "x", true},
		{parseAB, ab, "requests:      1000", "requests:      1,000", false},
		{parseAB, ab, "responses:      1000", "responses:      1,000", false},
		{parseAB, ab, "100.00 [", "1,100.00 [", false},
		{parseWrk, wrk, "1000 requests", "1,000 requests", false},
		{parseWrk, wrk, "read 1234", "read 1,234", false},
		{parseWrk, wrk, "responses: 1000", "responses: 1,000", false},
		{parseWrk, wrk, "100.00", "1,100.00", false},
	} {
		if f, err := c.parse([]byte(strings.Replace(c.text, c.old, c.new, 1))); (err == nil) != c.ok {
			t.Errorf("%q: %+v, %v", c.new, f, err)
		}
	}
}
