package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

func h2(t *testing.T, text string) Report {
	t.Helper()
	return oneOf(t, ParseH2Load, text)
}

// Rows were renamed in 1.69 and have more columns; the heading tells which.
func TestH2LoadNewNames(t *testing.T) {
	r := h2(t, `starting benchmark...
spawning thread #0: 50 total client(s). 500 total requests
spawning thread #1: 50 total client(s). 500 total requests
Application protocol: h2c

finished in 1.57s, 636.94 req/s, 1.00MB/s
requests: 1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 1000 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 1.57MB (1646264) total, 9.77KB (10000) headers (space savings 95.77%), 1.43MB (1500000) data
              min         max         median      p95         p99         mean        sd          +/- sd
request     :      658us      2.88ms      1.50ms      2.00ms      2.50ms      1.56ms       176us    83.99%
connect     :      148us       200us       150us       190us       199us       160us         5us   100.00%
TTFB        :     1.10ms      1.30ms      1.20ms      1.25ms      1.29ms      1.15ms        10us   100.00%
req/s       :      12.00       13.00       12.50       12.90       12.99       12.60        0.10   100.00%
`)
	if got := summary(r.Printed.Latency); got != "0.000658 0.00156 0.000176 0.0015 0.00288" {
		t.Errorf("latency %s", got)
	}
	if got := fmt.Sprint(r.Printed.Quantiles); got != "[{0.95 0.002} {0.99 0.0025}]" {
		t.Errorf("quantiles %s", got)
	}
	if c, f := summary(r.Printed.Connect), summary(r.Printed.FirstByte); c != "0.000148 0.00016 5e-06 0.00015 0.0002" || f != "0.0011 0.00115 1e-05 0.0012 0.0013" {
		t.Errorf("connect %s, first byte %s", c, f)
	}
	if r.Concurrency != 100 || r.Requests != 1000 || r.Protocol != bench.H2C || r.OK != 1000 || r.BodyBytes != 1500000 || r.WireBytes != 1646264 || r.Elapsed != 1570007*time.Microsecond {
		t.Errorf("c %d, asked %d, %s, ok %d, body %d, wire %d, %v", r.Concurrency, r.Requests, r.Protocol, r.OK, r.BodyBytes, r.WireBytes, r.Elapsed)
	}
}

func TestH2LoadCounts(t *testing.T) {
	for _, c := range []struct {
		requests, status    string
		issued, ok, aborted int64
		failed              map[bench.Failure]int64
		notes               string
	}{
		{"10 total, 10 started, 10 done, 10 succeeded, 0 failed, 0 errored, 0 timeout", "10 2xx, 0 3xx, 0 4xx, 0 5xx", 10, 10, 0, nil, ""},
		{"10 total, 10 started, 10 done, 10 succeeded, 0 failed, 0 errored", "10 2xx, 0 3xx, 0 4xx, 0 5xx", 10, 10, 0, nil, ""}, // before timeouts were told
		{"10 total, 10 started, 10 done, 4 succeeded, 6 failed, 3 errored, 1 timeout", "4 2xx, 0 3xx, 3 4xx, 0 5xx", 10, 4, 0, map[bench.Failure]int64{bench.Non2xx: 3, bench.Reset: 2, bench.Timeout: 1}, ""},
		{"10 total, 0 started, 0 done, 0 succeeded, 10 failed, 10 errored, 0 timeout", "0 2xx, 0 3xx, 0 4xx, 0 5xx", 10, 0, 0, map[bench.Failure]int64{bench.Connect: 10}, ""},
		{"90 total, 95 started, 90 done, 90 succeeded, 0 failed, 0 errored, 0 timeout", "95 2xx, 0 3xx, 0 4xx, 0 5xx", 95, 90, 5, nil, ""},
		{"10 total, 10 started, 10 done, 10 succeeded, 0 failed, 0 errored, 0 timeout", "7 2xx, 3 3xx, 0 4xx, 0 5xx", 10, 10, 0, nil, "[{redirects h2load counts 3 answers of status 3xx as successes}]"},
		{"2000 total, 8 started, 4 done, 4 succeeded, 1996 failed, 1996 errored, 0 timeout", "4 2xx, 0 3xx, 0 4xx, 0 5xx", 2000, 4, 0, map[bench.Failure]int64{bench.Reset: 1996}, "[{never-sent h2load gave up 1992 requests without sending them: it makes no new connection for one that ended}]"},
		{"10 total, 10 started, 10 done, 4 succeeded, 6 failed, 30 errored, 70 timeout", "4 2xx, 0 3xx, 0 4xx, 0 5xx", 10, 4, 0, map[bench.Failure]int64{bench.Timeout: 6}, ""},
	} {
		r := h2(t, "starting benchmark...\nfinished in 1.00s, 10.00 req/s, 1.00KB/s\nrequests: "+c.requests+"\nstatus codes: "+c.status+"\ntraffic: 1.00KB (1024) total, 300B (300) headers, 30B (30) data\n")
		notes := ""
		if r.Notes != nil {
			notes = fmt.Sprint(r.Notes)
		}
		if r.Issued != c.issued || r.OK != c.ok || r.Aborted != c.aborted || notes != c.notes || r.WireBytes != 1024 || r.BodyBytes != 30 {
			t.Errorf("%s: ok %d, aborted %d of %d, %s", c.requests, r.OK, r.Aborted, r.Issued, notes)
		}
		if diff := cmp.Diff(c.failed, r.Failed); diff != "" {
			t.Errorf("%s: %s", c.requests, diff)
		}
	}
}

func TestH2LoadAborted(t *testing.T) {
	r := h2(t, "$ h2load --h1 -n 1000 -c 10 http://h/\nstarting benchmark...\nspawning thread #0: 10 total client(s). 1000 total requests\nprogress: 10% done\nprogress: 40% done\n^C\n")
	if r.OK != 400 || r.Issued != 401 || r.Failed[bench.Other] != 1 || r.Abort != "h2load ended before its report, or the log is cut short" || r.Concurrency != 10 || r.Requests != 1000 || r.Notes[0].Code != "partial-count" {
		t.Errorf("%+v", r)
	}
}

func TestH2LoadSeveralRuns(t *testing.T) {
	reports, err := ParseH2Load(strings.NewReader(mustRead(t, "h2-ok-h1.txt") + mustRead(t, "h2-refused.txt") + mustRead(t, "h2-duration.txt")))
	if err != nil || len(reports) != 3 || reports[0].OK != 10 || reports[1].OK != 0 || reports[2].OK != 92 || reports[2].Duration != time.Second || reports[1].Duration != 0 {
		t.Errorf("%+v, %v", reports, err)
	}
}

// A server prints nothing that h2load shows, but a log holds what it holds.
func TestH2LoadElapsed(t *testing.T) {
	for _, c := range []struct {
		printed, rate string
		n             int64
		want          time.Duration
	}{
		{"12.86ms", "777.42", 10, 12863 * time.Microsecond},
		{"12.86ms", "700.00", 10, 12860 * time.Microsecond}, // a rate that belongs to something else
		{"350us", "28571.43", 10, 350 * time.Microsecond},
		{"1.50s", "0.00", 0, 1500 * time.Millisecond},
		{"2.00m", "0.08", 10, 2 * time.Minute}, // a rate coarser than the time
		{"", "100.00", 10, 100 * time.Millisecond},
		{"", "", 10, 0},
	} {
		if got := elapsedBy(c.printed, c.n, optional(c.rate)); got != c.want {
			t.Errorf("%q at %q: %v, not %v", c.printed, c.rate, got, c.want)
		}
	}
}
