package transcript

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

func hl(t *testing.T, text string) Report {
	t.Helper()
	return oneOf(t, ParseHTTPLoad, text)
}

// Numbers are %g: six digits, exponents from a million on, inf and nan.
func TestHTTPLoadNumbers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		elapsed    time.Duration
		body       int64
		rate       float64 // -1: not printed, or no number
		connect    string
	}{
		{"an exponent", "5695 fetches, 18 max parallel, 2.26581e+06 bytes, in 60.0072 seconds\n397.86 mean bytes/connection\n94.9053 fetches/sec, 37759.1 bytes/sec\nmsecs/connect: 43.0704 mean, 3039.73 max, 18.302 min\n",
			60007200 * time.Microsecond, 2265810, 94.9053, "0.018302 0.04307 - - 3.03973"},
		{"a whole mean tells the bytes", "123457 fetches, 100 max parallel, 1.23457e+09 bytes, in 1e+02 seconds\n10000 mean bytes/connection\n", 100 * time.Second, 1234570000, -1, ""},
		{"a whole mean that is none", "123456 fetches, 100 max parallel, 1.5e+09 bytes, in 100 seconds\n10000 mean bytes/connection\n", 100 * time.Second, 1500000000, -1, ""},
		{"inf and nan", "3 fetches, 1 max parallel, 0 bytes, in 0 seconds\nnan mean bytes/connection\ninf fetches/sec, -nan bytes/sec\nmsecs/connect: -nan mean, inf max, 0.1 min\n", 0, 0, -1, "0.0001 - - - -"},
		{"no rates below 10 ms", "3 fetches, 1 max parallel, 15 bytes, in 0.009 seconds\n5 mean bytes/connection\n", 9 * time.Millisecond, 15, -1, ""},
		{"a fork that counts in floats", "1e+06 fetches, 1e+02 max parallel, 5e+06 bytes, in 12.5 seconds\n5 mean bytes/connection\n", 12500 * time.Millisecond, 5000000, -1, ""},
		{"a fork that keeps connections", "100 fetches on 10 conns, 10 max parallel, 500 bytes, in 1 seconds\n5 mean bytes/fetch\n100 fetches/sec, 500 bytes/sec\n", time.Second, 500, 100, ""},
		{"nothing at all", "0 fetches, 0 max parallel, 0 bytes, in 1.00003 seconds\n0 fetches/sec, 0 bytes/sec\n", 1000030 * time.Microsecond, 0, 0, ""},
	} {
		r := hl(t, c.text+"HTTP response codes:\n  code 200 -- 3\n")
		rate := -1.0
		if r.Printed.RequestsPerSecond != nil {
			rate = *r.Printed.RequestsPerSecond
		}
		if r.Elapsed != c.elapsed || r.BodyBytes != c.body || rate != c.rate || summary(r.Printed.Connect) != c.connect {
			t.Errorf("%s: %v, %d bytes, %g/s, connect %q", c.name, r.Elapsed, r.BodyBytes, rate, summary(r.Printed.Connect))
		}
		if r.Printed.BytesPerSecond != nil && math.IsNaN(*r.Printed.BytesPerSecond) {
			t.Errorf("%s: nan", c.name)
		}
	}
}

// A fetch without a status is lost, whatever the exit status says; those that
// timed out are among them, and have as a rule another length too.
func TestHTTPLoadCounts(t *testing.T) {
	const refused, busy = "http://h/: Connection refused\n", "http://h/: Too many open files\n"
	for _, c := range []struct {
		name, before, lines string
		ok                  int64
		failed              map[bench.Failure]int64
		notes               int
	}{
		{"all well", "", "HTTP response codes:\n  code 200 -- 100\n", 100, nil, 0},
		{"codes of success", "", "HTTP response codes:\n  code 200 -- 60\n  code 206 -- 40\n", 100, nil, 0},
		{"no codes: none was answered", "", "HTTP response codes:\n", 0, map[bench.Failure]int64{bench.Reset: 100}, 0},
		{"lost", "", "4 bad byte counts\nHTTP response codes:\n  code 200 -- 96\n", 96, map[bench.Failure]int64{bench.Reset: 4}, 0},
		{"lost, and short ones", "", "7 bad byte counts\nHTTP response codes:\n  code 200 -- 96\n", 93, map[bench.Failure]int64{bench.Reset: 4, bench.Length: 3}, 0},
		{"timed out before a status", "", "5 timeouts\n5 bad byte counts\nHTTP response codes:\n  code 200 -- 95\n", 95, map[bench.Failure]int64{bench.Timeout: 5}, 0},
		{"timed out within an answer", "", "5 timeouts\n5 bad byte counts\nHTTP response codes:\n  code 200 -- 100\n", 95, map[bench.Failure]int64{bench.Timeout: 5}, 0},
		{"timed out and lost", "", "5 timeouts\nHTTP response codes:\n  code 200 -- 92\n", 92, map[bench.Failure]int64{bench.Timeout: 5, bench.Reset: 3}, 0},
		{"checksums", "", "2 bad checksums\nHTTP response codes:\n  code 200 -- 100\n", 98, map[bench.Failure]int64{bench.Content: 2}, 0},
		{"error pages have another length", "", "10 bad byte counts\nHTTP response codes:\n  code 200 -- 90\n  code 503 -- 10\n", 90, map[bench.Failure]int64{bench.Non2xx: 10}, 1},
		{"redirects are no success", "", "HTTP response codes:\n  code 301 -- 100\n", 0, map[bench.Failure]int64{bench.Non2xx: 100}, 0},
		{"refused", refused + refused, "HTTP response codes:\n  code 200 -- 97\n", 97, map[bench.Failure]int64{bench.Connect: 2, bench.Reset: 1}, 0},
		{"more errors than lost", refused + refused, "HTTP response codes:\n  code 200 -- 99\n", 99, map[bench.Failure]int64{bench.Connect: 1}, 0},
		{"the client's own", busy, "HTTP response codes:\n  code 200 -- 99\n", 99, map[bench.Failure]int64{bench.Client: 1}, 0},
		{"em dash, en dash", "", "HTTP response codes:\n  code 200 \u2014 90\n  code 404 \u2013 10\n", 90, map[bench.Failure]int64{bench.Non2xx: 10}, 0},
		{"percentages of a fork", "", "2 timeouts (2.00%)\nHTTP response codes:\n  code 200 -- 98 (98.00%)\n", 98, map[bench.Failure]int64{bench.Timeout: 2}, 0},
		{"none of a kind, of a fork", "", "0 timeouts\n0 bad byte counts\nHTTP response codes:\n  code 200 -- 100\n", 100, nil, 0},
		{"more codes than fetches", "", "HTTP response codes:\n  code 200 -- 70\n  code 500 -- 70\n", 70, map[bench.Failure]int64{bench.Non2xx: 30}, 0},
		{"more trouble than fetches", "", "500 timeouts\n500 bad byte counts\nHTTP response codes:\n  code 200 -- 100\n", 0, map[bench.Failure]int64{bench.Timeout: 100}, 0},
	} {
		head := "100 fetches, 10 max parallel, 500 bytes, in 1 seconds\n5 mean bytes/connection\n"
		if !strings.Contains(c.lines, "code ") {
			head = "100 fetches, 10 max parallel, 0 bytes, in 1 seconds\n0 mean bytes/connection\n" // what has no head has no body
		}
		r := hl(t, c.before+head+c.lines)
		if r.OK != c.ok || r.Issued != 100 || len(r.Notes) != c.notes {
			t.Errorf("%s: ok %d of %d, notes %v", c.name, r.OK, r.Issued, r.Notes)
		}
		if diff := cmp.Diff(c.failed, r.Failed); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestHTTPLoadForks(t *testing.T) {
	plain := mustRead(t, "hl-port00.txt")
	want := toolFiguresOf(hl(t, plain))
	for how, text := range map[string]string{
		"lines with tabs before": strings.Replace(plain, "10 fetches,", "0.1\t5\t200\t1.2\n0.2\t7\t200\t1.1\n10 fetches,", 1),
		"a table of percentiles": strings.Replace(plain, "HTTP response", "Percentage of the requests served within a certain time (ms)\n 50%\t1\n 99%\t2\nHTTP response", 1),
		"progress":               strings.Replace(plain, "10 fetches,", "--- 0.005 secs, 5 fetches started, 3 completed, 2 current\n10 fetches,", 1),
		"CRLF":                   strings.ReplaceAll(plain, "\n", "\r\n"),
		"em dashes":              strings.ReplaceAll(plain, "--", "\u2014"),
		"quoted":                 eachLine("> ")(plain),
		"indented":               eachLine("\t")(plain),
	} {
		if diff := cmp.Diff(want, toolFiguresOf(hl(t, text)), cmp.AllowUnexported(figures{}, toolFigures{}), near); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
}

func TestHTTPLoadSeveralRuns(t *testing.T) {
	text := mustRead(t, "hl-refused.txt") + mustRead(t, "hl-port00.txt") + mustRead(t, "hl-rate600.txt") + mustRead(t, "hl-port01.txt")
	reports, err := ParseHTTPLoad(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var issued, asked, refused, conns []int64
	for _, r := range reports {
		issued, asked = append(issued, r.Issued), append(asked, r.Requests)
		refused, conns = append(refused, r.Failed[bench.Connect]), append(conns, int64(r.Concurrency))
	}
	for what, c := range map[string][2][]int64{"issued": {issued, {5, 10, 605, 10}}, "asked": {asked, {5, 10, 0, 10}}, "refused": {refused, {5, 0, 0, 0}}, "concurrency": {conns, {2, 2, 0, 2}}} {
		if !slices.Equal(c[0], c[1]) {
			t.Errorf("%s %v, not %v", what, c[0], c[1])
		}
	}
}

func TestHTTPLoadAborted(t *testing.T) {
	r := hl(t, "$ http_load -parallel 5 -seconds 600 urls\n--- 60.0002 secs, 3000 fetches started, 2995 completed, 5 current\n--- 120.001 secs, 6000 fetches started, 5996 completed, 4 current\nTerminated\n")
	state, reason := r.State()
	if r.Issued != 6000 || r.OK != 5996 || r.Aborted != 3 || r.Failed[bench.Other] != 1 || r.Abort != "http_load ended before its report, or the log is cut short" ||
		r.Concurrency != 5 || r.Duration != 10*time.Minute || r.Elapsed != 0 || state != bench.StateDegraded {
		t.Errorf("%+v, %s, %s", r, state, reason)
	}
}
