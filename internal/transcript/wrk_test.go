package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

func wrk(t *testing.T, text string) Report {
	t.Helper()
	return oneOf(t, ParseWrk, text)
}

// wrkText is a report with some of its lines replaced. Where these have no rate,
// it is none.
func wrkText(totals, lines string) string {
	if !strings.Contains(lines, "Requests/sec:") {
		lines += "Requests/sec:     -nan\n"
	}
	return "Running 30s test @ http://10.0.0.1/\n  4 threads and 100 connections\n" +
		"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   635.91us    0.89ms  12.92ms   93.69%\n    Req/Sec    56.20k     8.07k   62.00k    86.54%\n" +
		"  " + totals + "\n" + lines
}

func TestWrkUnits(t *testing.T) {
	for _, c := range []struct {
		totals, lines string
		issued, wire  int64
		elapsed       time.Duration
		rate, bytes   float64
	}{
		{"22464657 requests in 30.00s, 17.76GB read", "Requests/sec: 748868.53\nTransfer/sec:    606.33MB\n", 22464657, 19069654794, 29998132 * time.Microsecond, 748868.53, 635783086.08},
		{"100 requests in 999.99ms, 1.00TB read", "Requests/sec: 100.00\nTransfer/sec: 512.00B\n", 100, 1 << 40, 999990 * time.Microsecond, 100, 512},
		{"100 requests in 0.60m, 10.00MB read", "Requests/sec: 2.78\n", 100, 10 << 20, 35971223 * time.Microsecond, 2.78, -1},
		{"1.50k requests in 0.01h, 1.00KB read", "", 1500, 1024, 36 * time.Second, -1, -1},
		{"2.00M requests in 50.00us, 0.00B read", "", 2000000, 0, 50 * time.Microsecond, -1, -1},
		{"3.00G requests in 1.00s, 0.00B read", "", 3000000000, 0, time.Second, -1, -1},
		{"200 requests in 2.00, 1.00 read", "", 200, 0, 0, -1, -1},                                    // no units: unknown
		{"200 requests in 2.00, 1.00 read", "Requests/sec: 50.00\n", 200, 0, 4 * time.Second, 50, -1}, // told by the rate
		{"200 requests in 2.00s, 1.00KB read", "Requests/sec: 1.00k\n", 200, 1024, 2 * time.Second, 1000, -1},
	} {
		r := wrk(t, wrkText(c.totals, c.lines))
		rate, bytes := -1.0, -1.0
		if r.Printed.RequestsPerSecond != nil {
			rate = *r.Printed.RequestsPerSecond
		}
		if r.Printed.BytesPerSecond != nil {
			bytes = *r.Printed.BytesPerSecond
		}
		if r.Issued != c.issued || r.OK != c.issued || r.WireBytes != c.wire || r.Elapsed != c.elapsed || rate != c.rate || !cmp.Equal(bytes, c.bytes, near) {
			t.Errorf("%s %q: issued %d, %d bytes, %v, %g/s, %g B/s", c.totals, c.lines, r.Issued, r.WireBytes, r.Elapsed, rate, bytes)
		}
		if got := summary(r.Printed.Latency); got != "- 0.000636 0.00089 - 0.01292" || len(r.Printed.Quantiles) != 0 || r.Concurrency != 100 || r.Duration != 30*time.Second {
			t.Errorf("latency %s, quantiles %v, c %d, %v", got, r.Printed.Quantiles, r.Concurrency, r.Duration)
		}
	}
}

func TestWrkLatency(t *testing.T) {
	for _, c := range []struct{ row, spread, want, quantiles string }{
		{"Latency     1.50ms    2.00ms  70.00ms   90.00%", "", "- 0.0015 0.002 - 0.07", "[]"},
		{"Latency     1.50      2.00    70.00     90.00%", "", "- - - - -", "[]"}, // no units
		{"Latency     0.00us    0.00us   0.00us    -nan%", "", "", "[]"},
		{"Latency     1.50s     2.00m    1.00h     nan%", "", "", "[]"},
		{"Latency     1.50s     2.00m    1.00h     90.00%", "", "- 1.5 120 - 3600", "[]"},
		{"Latency     1.50ms    2.00ms  70.00ms   90.00%", "  Latency Distribution\n     50%    1.00ms\n     99%    9.00     \n", "- 0.0015 0.002 - 0.07", "[{0.5 0.001}]"},
		{"Latency     1.50ms    2.00ms  70.00ms   90.00%", "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    1.00ms\n 99.990%   9.00ms\n100.000%   70.02ms\n", "- 0.0015 0.002 - 0.07", "[{0.5 0.001} {0.9999 0.009} {1 0.07002}]"},
	} {
		text := strings.Replace(wrkText("10 requests in 30.00s, 1.00KB read", "Requests/sec: 0.33\n"), "Latency   635.91us    0.89ms  12.92ms   93.69%", c.row, 1)
		text = strings.Replace(text, "  10 requests in", c.spread+"  10 requests in", 1)
		r := wrk(t, text)
		if got := summary(r.Printed.Latency); got != c.want {
			t.Errorf("%s: %s", c.row, got)
		}
		if got := fmt.Sprint(r.Printed.Quantiles); got != c.quantiles {
			t.Errorf("%s: %s", c.spread, got)
		}
	}
	// wrk2 prints the 99th percentile where wrk prints the maximum.
	r := wrk(t, strings.Replace(wrkText("10 requests in 30.00s, 1.00KB read", ""), "Stdev     Max ", "Stdev     99% ", 1))
	if got := summary(r.Printed.Latency); got != "- 0.000636 0.00089 - -" || fmt.Sprint(r.Printed.Quantiles) != "[{0.99 0.01292}]" {
		t.Errorf("wrk2: %s, %v", got, r.Printed.Quantiles)
	}
}

func TestWrkCounts(t *testing.T) {
	for _, c := range []struct {
		requests, lines string
		issued, ok      int64
		failed          map[bench.Failure]int64
	}{
		{"100", "", 100, 100, nil},
		{"100", "Socket errors: connect 1, read 2, write 3, timeout 4\n", 106, 96, map[bench.Failure]int64{bench.Connect: 1, bench.Reset: 2, bench.Write: 3, bench.Timeout: 4}},
		{"100", "Non-2xx or 3xx responses: 30\n", 100, 70, map[bench.Failure]int64{bench.Non2xx: 30}},
		{"100", "Socket errors: connect 0, read 0, write 0, timeout 10\nNon-2xx or 3xx responses: 95\n", 105, 0, map[bench.Failure]int64{bench.Non2xx: 95, bench.Timeout: 10}},
		{"0", "Socket errors: connect 0, read 0, write 0, timeout 10\n", 10, 0, map[bench.Failure]int64{bench.Timeout: 10}},
		{"100", "Non-2xx or 3xx responses: 300\n", 100, 0, map[bench.Failure]int64{bench.Non2xx: 100}},
	} {
		r := wrk(t, wrkText(c.requests+" requests in 30.00s, 1.00KB read", "  "+strings.ReplaceAll(c.lines, "\n", "\n  ")))
		if r.Issued != c.issued || r.OK != c.ok {
			t.Errorf("%s, %q: ok %d of %d", c.requests, c.lines, r.OK, r.Issued)
		}
		if diff := cmp.Diff(c.failed, r.Failed); diff != "" {
			t.Errorf("%s, %q: %s", c.requests, c.lines, diff)
		}
	}
}

// A clock or counters gone wrong are no measurement.
func TestWrkInvalid(t *testing.T) {
	for _, c := range []struct{ totals, lines, want string }{
		{"1000 requests in 5.00m, 1.00KB read", "", "wrk's run took 5m0s instead of 30s"},
		{"1000 requests in 30.00s, 1.00KB read", "Requests/sec: 0.00\n", "wrk printed a rate of 0 for 1000 requests"},
		{"1000 requests in 32.00s, 1.00KB read", "Requests/sec: 31.25\n", ""},
	} {
		r := wrk(t, wrkText(c.totals, c.lines))
		state, _ := r.State()
		if r.Abort != c.want || (c.want != "") != (state == bench.StateFailed) || (c.want != "" && r.Failed[bench.Client] != 1000) {
			t.Errorf("%s: %q, %s, %v", c.totals, r.Abort, state, r.Failed)
		}
	}
}

func TestWrkThreads(t *testing.T) {
	for _, c := range []struct {
		line string
		want int
		note bool
	}{
		{"4 threads and 100 connections", 100, false}, {"3 threads and 100 connections", 99, true}, {"1 threads and 1 connections", 1, false},
		{"12 threads and 1.00k connections", 996, true}, {"0 threads and 5 connections", 0, false}, {"4 threads and 2 connections", 0, true},
	} {
		r := wrk(t, strings.Replace(wrkText("10 requests in 30.00s, 1.00KB read", ""), "4 threads and 100 connections", c.line, 1))
		if r.Concurrency != c.want || (r.Notes[0].Code == "fewer-connections") != c.note {
			t.Errorf("%s: %d, %v", c.line, r.Concurrency, r.Notes)
		}
	}
}

func TestWrkAborts(t *testing.T) {
	for _, c := range []struct {
		text  string
		class bench.Failure
		abort string
	}{
		{"unable to connect to h:80 Connection refused\n", bench.Connect, "unable to connect to h:80 Connection refused"},
		{"unable to connect to h:80 Verbindungsaufbau abgelehnt\n", bench.Connect, "unable to connect to h:80 Verbindungsaufbau abgelehnt"},
		{"unable to resolve nowhere.invalid:http Name or service not known\n", bench.Client, "unable to resolve nowhere.invalid:http Name or service not known"},
		{"unable to create thread 3: Too many open files\n", bench.Client, "unable to create thread 3: Too many open files"},
		{"Running 30s test @ http://h/\n  2 threads and 4 connections\n^C\n", bench.Other, "wrk ended before its report, or the log is cut short"},
	} {
		r := wrk(t, c.text)
		if r.Abort != c.abort || r.Issued != 1 || r.OK != 0 || r.Failed[c.class] != 1 || r.Elapsed != 0 {
			t.Errorf("%q: %q, %v", c.text, r.Abort, r.Failed)
		}
	}
	text := mustRead(t, "wrk-refused.txt") + mustRead(t, "wrk-latency.txt") + mustRead(t, "wrk-refused.txt") + mustRead(t, "wrk-close.txt")
	reports, err := ParseWrk(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var issued, conns []int64
	for _, r := range reports {
		issued, conns = append(issued, r.Issued), append(conns, int64(r.Concurrency))
	}
	if !slices.Equal(issued, []int64{1, 92, 1, 838}) || !slices.Equal(conns, []int64{2, 4, 2, 4}) {
		t.Errorf("issued %v, concurrency %v", issued, conns)
	}
}

// wrk keeps its connections unless it was told to ask the server to close them.
func TestWrkKeepAlive(t *testing.T) {
	report := wrkText("10 requests in 30.00s, 1.00KB read", "")
	for _, c := range []struct {
		before string
		want   bool
	}{
		{"", true},
		{"$ wrk -t4 -c100 -d30s http://10.0.0.1/\n", true},
		{"$ wrk -t4 -c100 -d30s -H 'Connection: close' http://10.0.0.1/\n", false},
		{"$ wrk -t4 -c100 -d30s --header \"connection:close\" http://10.0.0.1/\n", false},
		{"$ ./wrk2 -R100 -H 'Connection: Close' http://10.0.0.1/\n", false},
		{"$ wrk -H 'Connection: keep-alive' http://10.0.0.1/\n", true},
		{"$ wrk -H 'Connection: close' http://10.0.0.1/\n^C\n$ wrk -t4 http://10.0.0.1/\n", true},
	} {
		if r := wrk(t, c.before+report); r.KeepAlive == nil || *r.KeepAlive != c.want {
			t.Errorf("%q: keep-alive %v", c.before, r.KeepAlive)
		}
	}
}
