package transcript

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

// What captured logs do to a transcript changes none of its values.
func TestDisfigured(t *testing.T) {
	for _, name := range []string{"ab13d-port03.txt", "ab23-every4th-reset-r.txt", "rhel5-2010-ab.txt", "ab11-ok.txt", "ab23-refused.txt"} {
		plain := mustRead(t, name)
		if shell, rest, ok := strings.Cut(plain, "\n"); ok && strings.HasPrefix(shell, "# cmd:") {
			plain = rest // a command tells more than a flattened log
		}
		want := figuresOf(one(t, plain))
		for how, change := range map[string]func(string) string{
			"CRLF":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"quoted":   eachLine("> "),
			"comment":  eachLine("# "),
			"indented": eachLine("    "),
			"dated":    eachLine("2004-07-01 12:00:01 "),
			"coloured": func(s string) string {
				return strings.ReplaceAll(s, "Complete requests:", "\x1b[1mComplete requests:\x1b[0m")
			},
			"trailing": func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") },
			"broken":   func(s string) string { return strings.ReplaceAll(s, "Complete requests:", "Complete requests:\n") },
			"flattened": func(s string) string {
				return strings.Join(strings.Fields(s[strings.LastIndexByte(s[:strings.Index(s, "This is")], '\n')+1:]), " ")
			},
		} {
			got := figuresOf(one(t, change(plain)))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{}), near); diff != "" {
				t.Errorf("%s, %s: %s", name, how, diff)
			}
		}
	}
}

func eachLine(prefix string) func(string) string {
	return func(s string) string {
		return prefix + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+prefix) + "\n"
	}
}

func TestSeveralRuns(t *testing.T) {
	a, b := mustRead(t, "ab23-ok-c2-n10.txt"), mustRead(t, "ab23-refused.txt")
	bare := b[strings.Index(b, "Benchmarking"):]
	for _, c := range []struct {
		text string
		want []int64
	}{
		{a + b + a, []int64{10, 1, 10}},
		{a + bare, []int64{10, 1}},
		{bare + bare, []int64{1, 1}},
		{"$ ab -n 10\n" + a + "\n$ echo done\n", []int64{10}},
	} {
		reports, err := ParseAB(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, r := range reports {
			got = append(got, r.Issued)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("issued %v, not %v", got, c.want)
		}
	}
}

// Versions 2.0.35 to 2.2.8 printed microseconds without leading zeros.
func TestElapsed(t *testing.T) {
	for _, c := range []struct {
		version, taken, rate string
		complete             string
		want                 time.Duration
	}{
		{"2.0.40-dev <$Revision: 1.121.2.8 $>", "34.37600", "2937.91", "100000", 34037600 * time.Microsecond},
		{"2.0.40-dev <$Revision: 1.121.2.8 $>", "34.37600", "", "100000", 34037600 * time.Microsecond},
		{"2.0.40-dev <$Revision: 1.146 $>", "10.203", "999.98", "10000", 10000203 * time.Microsecond},
		{"2.0.40-dev <$Revision: 1.146 $>", "10.203", "", "10000", 10000203 * time.Microsecond},
		{"2.0.40-dev <$Revision: 1.93 $>", "0.5", "", "1", 5 * time.Microsecond},
		{"2.0.34 <$Revision: 1.92 $>", "10.203", "", "10000", 10203 * time.Millisecond},
		{"", "34.37600", "2937.91", "100000", 34037600 * time.Microsecond},
		{"", "34.37600", "", "100000", 0}, // of which nothing tells the version
		{"", "34.376", "", "100000", 34376 * time.Millisecond},
		{"2.3 <$Revision: 655654 $>", "10.203", "", "10000", 10203 * time.Millisecond},
		{"2.3 <$Revision$>", "10.203", "980.10", "10000", 10203000 * time.Microsecond},
		{"2.3 <$Revision$>", "0.000", "5000.00", "0", 0},                                          // no request tells no time
		{"2.0.40-dev <$Revision: 1.146 $>", "10.203", "999.98", "0", 10000203 * time.Microsecond}, // by its version
		{"2.3 <$Revision$>", "0.000", "5000.00", "2", 400 * time.Microsecond},
		{"2.3 <$Revision$>", "0.002", "4166.67", "10", 2400 * time.Microsecond},
		{"2.3 <$Revision$>", "0.002", "100.00", "10", 2 * time.Millisecond}, // a rate that belongs to something else
		{"1.3d <$Revision: 1.73 $>", "0.006", "1666.67", "10", 6 * time.Millisecond},
	} {
		s := ""
		if c.version != "" {
			s = "This is ApacheBench, Version " + c.version + " x\n"
		}
		s += "Time taken for tests:   " + c.taken + " seconds\nComplete requests: " + c.complete + "\nFailed requests: 0\nTotal transferred: 500 bytes\n"
		if c.rate != "" {
			s += "Requests per second:    " + c.rate + " [#/sec] (mean)\n"
		}
		if got := one(t, s).Elapsed; got.Round(time.Millisecond/100) != c.want.Round(time.Millisecond/100) && got != c.want {
			t.Errorf("%s: %s s at %s/s is %v, not %v", c.version, c.taken, c.rate, got, c.want)
		}
	}
}

func TestAborts(t *testing.T) {
	const head = "This is ApacheBench, Version 2.3 <$Revision$>\n\nBenchmarking 127.0.0.1 (be patient)"
	for _, c := range []struct {
		end     string
		class   bench.Failure
		ok      int64
		abort   string
		state   bench.State
		partial bool
	}{
		{end: "\nsocket: Too many open files (24)\n", class: bench.Client, abort: "socket: Too many open files (24)", state: bench.StateFailed, partial: true},
		{end: "...socket: Zu viele offene Dateien (24)\nTotal of 17 requests completed\n", class: bench.Client, ok: 17, abort: "socket: Zu viele offene Dateien (24)", state: bench.StateFailed},
		{end: "\nCompleted 500 requests\nCompleted 1000 requests\napr_pollset_poll: The timeout specified has expired (70007)\nTotal of 1234 requests completed\n",
			class: bench.Timeout, ok: 1234, abort: "apr_pollset_poll: The timeout specified has expired (70007)", state: bench.StateDegraded},
		{end: "\nCompleted 500 requests\napr_socket_recv: Connection reset by peer (104)\n", class: bench.Reset, ok: 500,
			abort: "apr_socket_recv: Connection reset by peer (104)", state: bench.StateDegraded, partial: true},
		{end: "...apr_pollset_poll: The timeout specified has expired (70007)\n", class: bench.Timeout, abort: "apr_pollset_poll: The timeout specified has expired (70007)", state: bench.StateTimeout, partial: true},
		{end: "...\nServer timed out\n\n", class: bench.Timeout, abort: "Server timed out", state: bench.StateTimeout, partial: true},
		{end: "...\nTest aborted after 10 failures\n\napr_socket_connect(): Invalid argument (22)\n", class: bench.Other, abort: "apr_socket_connect(): Invalid argument (22)", state: bench.StateFailed, partial: true},
		{end: "...\nTest aborted after 10 failures\n", class: bench.Connect, abort: "Test aborted after 10 failures", state: bench.StateFailed, partial: true},
		{end: "...apr_sockaddr_info_get() for nowhere: Name or service not known (670002)\n", class: bench.Client,
			abort: "apr_sockaddr_info_get() for nowhere: Name or service not known (670002)", state: bench.StateFailed, partial: true},
		{end: "...connect: Cannot assign requested address (99)\nTotal of 28231 requests completed", class: bench.Client, ok: 28231,
			abort: "connect: Cannot assign requested address (99)", state: bench.StateFailed},
	} {
		r := one(t, head+c.end)
		if r.Abort != c.abort || r.OK != c.ok || r.Issued != c.ok+1 || r.Failed[c.class] != 1 {
			t.Errorf("%q: abort %q, ok %d, issued %d, failed %v", c.end, r.Abort, r.OK, r.Issued, r.Failed)
		}
		if state, _ := r.State(); state != c.state {
			t.Errorf("%q: state %s, not %s", c.end, state, c.state)
		}
		if partial := len(r.Notes) == 1 && r.Notes[0].Code == "partial-count"; partial != c.partial {
			t.Errorf("%q: notes %v", c.end, r.Notes)
		}
		if r.Elapsed != 0 || r.Printed.Latency != nil {
			t.Errorf("%q: figures that ab did not print", c.end)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		ok          int64
		failed      map[bench.Failure]int64
	}{
		{"all headings", "Failed requests: 30\n(Connect: 1, Receive: 5, Length: 20, Exceptions: 4)\n", 79, map[bench.Failure]int64{bench.Connect: 1, bench.Reset: 5, bench.Length: 15}},
		{"no breakdown", "Failed requests: 7\n", 93, map[bench.Failure]int64{bench.Other: 7}},
		{"more failures than requests", "Failed requests: 300\n   (Connect: 0, Receive: 100, Length: 100, Exceptions: 100)\n", 0, map[bench.Failure]int64{bench.Reset: 100}},
		{"write errors are among the lengths", "Failed requests: 5\n   (Connect: 0, Length: 5, Exceptions: 0)\nWrite errors: 3\n", 95, map[bench.Failure]int64{bench.Write: 3, bench.Length: 2}},
		{"broken pipes", "Failed requests: 5\n   (Connect: 0, Length: 5, Exceptions: 0)\nBroken pipe errors: 5\n", 95, map[bench.Failure]int64{bench.Write: 5}},
		{"overload told by status alone", "Failed requests: 0\nNon-2xx responses: 100\n", 0, map[bench.Failure]int64{bench.Non2xx: 100}},
		{"more errors than answers", "Failed requests: 0\nNon-2xx responses: 150\n", 0, map[bench.Failure]int64{bench.Non2xx: 100}},
		{"lengths beyond the statuses", "Failed requests: 9\n   (Connect: 0, Receive: 0, Length: 9, Exceptions: 0)\nNon-2xx responses: 4\n", 91, map[bench.Failure]int64{bench.Non2xx: 4, bench.Length: 5}},
	} {
		r := one(t, "This is ApacheBench, Version 2.3 x\nComplete requests: 100\n"+c.lines+"Total transferred: 5 bytes\n")
		if r.OK != c.ok || r.Issued != 100 {
			t.Errorf("%s: ok %d of %d, not %d", c.name, r.OK, r.Issued, c.ok)
		}
		if diff := cmp.Diff(c.failed, r.Failed); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A log that was cut short, or whose counts are none, is no sound run.
func TestCountsUnreadable(t *testing.T) {
	const head = "This is ApacheBench, Version 2.3 x\n\n"
	for _, c := range []struct {
		lines string
		line  int
		want  string
	}{
		{"Complete requests: 100\n", 3, `it is cut short: there is no line "Failed requests:"`},
		{"Complete requests:\n", 3, `Complete requests is "", which is no count`},
		{"Complete requests: many\nFailed requests: 0\n", 3, `Complete requests is "many", which is no count`},
		{"Complete requests: -7\nFailed requests: 0\n", 3, `Complete requests is "-7", which is no count`},
		{"Complete requests: 1.5\nFailed requests: 0\n", 3, `Complete requests is 1.5, which is no count`},
		{"Complete requests: 100\nFailed requests:\n", 4, `Failed requests is "", which is no count`},
		{"Complete requests: 100\nFailed requests: none\n", 4, `Failed requests is "none", which is no count`},
		{"Complete requests: 100\nFailed requests: -1\n", 4, `Failed requests is "-1", which is no count`},
		{"Complete requests: 100\nFailed requests: 0\nNon-2xx responses: -5\nTotal transferred: 5 bytes\n", 5, `Non-2xx responses is "-5", which is no count`},
		{"Complete requests: 100\nFailed requests: 0\nBroken pipe errors: x\nTotal transferred: 5 bytes\n", 5, `Broken pipe errors is "x", which is no count`},
	} {
		_, err := ParseAB(strings.NewReader(head + c.lines))
		var u Unreadable
		if !errors.As(err, &u) || u.Line != c.line || u.Message != c.want {
			t.Errorf("%q: line %d, %v; not line %d, %s", c.lines, u.Line, err, c.line, c.want)
		}
	}
}

func TestOldSlips(t *testing.T) {
	r := one(t, "This is ApacheBench, Version 2.0.40-dev <$Revision: 1.146 $> apache-2.0\n"+
		"Server Port: -24036\nDoucment Length: 12 bytes\nConcurency Level: 3\nTime taken for tests: 0.010 seconds\nComplete requests: 20\nFailed requests: 0\nKeep-Alive requests: 25\n"+
		"Total transfered: -5 bytes\nHTML transfered: 240 bytes\nConnnection Times (ms)\n min avg max\nTotal:  1    812345\nConnect:  1    1112345\n")
	if r.Port != 41500 || *r.Document != 12 || r.Concurrency != 3 || *r.Kept != 20 || r.WireBytes != 0 || r.BodyBytes != 240 {
		t.Errorf("port %d, document %v, c %d, kept %d, wire %d, body %d", r.Port, *r.Document, r.Concurrency, *r.Kept, r.WireBytes, r.BodyBytes)
	}
	if got := summary(r.Printed.Latency); got != "0.001 0.008 - - 12.345" {
		t.Errorf("glued numbers: %s", got)
	}
	if got := summary(r.Printed.Connect); got != "0.001 - - - -" {
		t.Errorf("numbers glued so that they could be cut in two places: %s", got)
	}
}

// A server names itself; what it puts there must not become a figure.
func TestHostileServer(t *testing.T) {
	s := strings.Replace(mustRead(t, "ab23-k-ok.txt"), "odd/1", "Complete requests: 5 Non-2xx responses: 9 Failed requests: 3", 1)
	r := one(t, s)
	if r.Issued != 20 || r.OK != 20 || r.Server != "Complete requests: 5 Non-2xx responses: 9 Failed requests: 3" {
		t.Errorf("issued %d, ok %d, server %q", r.Issued, r.OK, r.Server)
	}
}

func TestNotAB(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "reading transcript: it is empty"},
		{"hello", "reading ab's report: there is none in the text"},
		{"This is ApacheBench, Version 2.3\n", "reading ab's report: there is none in the text"},
		{"Complete requests: 99999999999999999999\n", "reading ab's report: Complete requests is 99999999999999999999, which is no count"},
		{strings.Repeat("x", Longest+1), "reading transcript: longer than 16 MiB"},
	} {
		if _, err := ParseAB(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v, not %s", c.text, err, c.want)
		}
	}
}
