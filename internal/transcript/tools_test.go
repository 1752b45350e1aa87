package transcript

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

// toolFigures are figures with what further tools tell.
type toolFigures struct {
	figures
	asked    int64
	limit    time.Duration
	keep     string // "yes", "no", "" for unknown
	protocol bench.Protocol
	aborted  int64
	most     int // connections at once
	status   map[int]int64
}

func toolFiguresOf(r Report) toolFigures {
	t := toolFigures{figures: figuresOf(r), asked: r.Requests, limit: r.Duration, protocol: r.Protocol, aborted: r.Aborted, most: r.AchievedConns, status: r.Status}
	if r.KeepAlive != nil {
		t.keep = map[bool]string{true: "yes", false: "no"}[*r.KeepAlive]
	}
	return t
}

const correctedNote = "corrected-latency: wrk adds to the latencies that it measured those of requests that it would have sent meanwhile: concurrency and rate do not follow from them"

const firstByteNote = "first-byte-of-connections: h2load's time to the first byte is that of each connection's first answer, with the connect"

func TestTools(t *testing.T) {
	hl := func(f toolFigures) toolFigures {
		f.keep, f.protocol, f.document, f.kept = "no", bench.HTTP10, -1, -1
		return f
	}
	wrk := func(f toolFigures) toolFigures {
		if f.keep == "" {
			f.keep = "yes"
		}
		f.protocol, f.document, f.kept = bench.HTTP11, -1, -1
		return f
	}
	h2 := func(f toolFigures) toolFigures {
		f.keep, f.protocol, f.document, f.kept = "yes", bench.HTTP11, -1, -1
		return f
	}
	ms, us := time.Millisecond, time.Microsecond
	reset := func(n int64) map[bench.Failure]int64 { return map[bench.Failure]int64{bench.Reset: n} }
	for name, want := range map[string]toolFigures{
		"hl-port00.txt": hl(toolFigures{figures: figures{c: 2, elapsed: 7570 * us, issued: 10, ok: 10, body: 50,
			connect: "3.2e-05 0.000215 - - 0.001059", first: "0.000472 0.001189 - - 0.002794"}, asked: 10, most: 2, status: map[int]int64{200: 10}}),
		"hl-port01.txt": hl(toolFigures{figures: figures{c: 2, elapsed: 5580 * us, issued: 10, failed: reset(10),
			connect: "2.4e-05 4.4e-05 - - 8.9e-05", first: "0.000443 0.001046 - - 0.001898"}, asked: 10, most: 2}),
		"hl-port02.txt": hl(toolFigures{figures: figures{c: 2, elapsed: 3706 * us, issued: 10, failed: reset(10),
			connect: "2.3e-05 4.6e-05 - - 0.000156", first: "0.0004 0.000655 - - 0.001281"}, asked: 10, most: 2}),
		"hl-port03.txt": hl(toolFigures{figures: figures{c: 2, elapsed: 3845 * us, issued: 10, ok: 8, failed: reset(2), body: 40,
			connect: "2.4e-05 6.5e-05 - - 0.000175", first: "0.000409 0.00065 - - 0.001217"}, asked: 10, most: 2, status: map[int]int64{200: 8}}),
		"hl-rate600.txt": hl(toolFigures{figures: figures{elapsed: 1000400 * us, issued: 605, ok: 605, body: 3025, rate: 604.756, bytes: 3023.78,
			connect: "8.6e-05 0.000446 - - 0.0033", first: "0.000361 0.160149 - - 0.256289"}, limit: time.Second, most: 396, status: map[int]int64{200: 605}}),
		"hl-seconds1.txt": hl(toolFigures{figures: figures{elapsed: 1000020 * us, issued: 9, ok: 9, body: 45, rate: 8.9998, bytes: 44.999,
			connect: "0.000153 0.001908 - - 0.007538", first: "0.00013 0.002276 - - 0.006432"}, limit: time.Second, most: 1, status: map[int]int64{200: 9}}),
		"hl-refused.txt": hl(toolFigures{figures: figures{c: 2, elapsed: 333 * us, issued: 5, failed: map[bench.Failure]int64{bench.Connect: 5}}, asked: 5, most: 2}),
		"wrk-c5-t2.txt": wrk(toolFigures{figures: figures{host: "127.0.0.1", port: 41810, path: "/", c: 4, elapsed: 1010 * ms,
			notes: "fewer-connections: wrk was asked for 5 connections and made 4: as many in each of 2 threads"}, limit: time.Second}),
		"wrk-refused.txt": wrk(toolFigures{figures: figures{host: "127.0.0.1", port: 41899, path: "/", c: 2, issued: 1, failed: map[bench.Failure]int64{bench.Connect: 1},
			abort: "unable to connect to 127.0.0.1:41899 Connection refused"}, limit: time.Second}),
		"wrk-latency.txt": wrk(toolFigures{figures: figures{host: "127.0.0.1", port: 18123, path: "/small.html", c: 4, elapsed: 1005904 * us, issued: 92, ok: 92,
			wire: 148941, rate: 91.46, bytes: 144.6 * 1024, latency: "- 0.04305 0.00862 - 0.05206", notes: correctedNote, quantiles: "50:44 75:44 90:48 99:52"}, limit: time.Second}),
		"wrk-close.txt": wrk(toolFigures{figures: figures{host: "127.0.0.1", port: 18123, path: "/x", c: 4, elapsed: 1008314 * us, issued: 838, ok: 838,
			wire: 1352663, rate: 831.09, bytes: 1.28 * 1048576, latency: "- 0.00548 0.00617 - 0.05413",
			notes: "closed-unannounced: wrk counts a connection that ends after its answer as an error as well: 838 of its 838 errors are taken for that, one for each answer, and are neither requests nor failures; " + correctedNote}, limit: time.Second, keep: "no"}),
		"h2-503.txt": h2(toolFigures{figures: figures{host: "127.0.0.1", port: 41809, path: "/", c: 2, elapsed: 25165 * us, issued: 10, ok: 5, failed: map[bench.Failure]int64{bench.Non2xx: 5}, wire: 330, body: 30, rate: 397.38,
			connect: "0.000119 0.00037 0.000356 - 0.000622", first: "0.00236 0.00336 0.00141 - 0.00436", latency: "0.00104 0.00315 0.00143 - 0.00486", notes: firstByteNote}, asked: 10}),
		"h2-close-h1.txt": h2(toolFigures{figures: figures{host: "127.0.0.1", port: 41800, path: "/", c: 2, elapsed: 25275 * us, issued: 10, ok: 10, wire: 460, body: 50, rate: 395.65,
			connect: "7.1e-05 8.5e-05 2e-05 - 0.0001", first: "0.00547 0.00571 0.00034 - 0.00595", latency: "0.000929 0.00383 0.00198 - 0.00654", notes: firstByteNote}, asked: 10}),
		"h2-ok-h1.txt": h2(toolFigures{figures: figures{host: "127.0.0.1", port: 41806, path: "/", c: 2, elapsed: 12863 * us, issued: 10, ok: 10, wire: 820, body: 50, rate: 777.42, bytes: 63744,
			connect: "8.8e-05 0.000222 0.000189 - 0.000356", first: "0.00686 0.00809 0.00174 - 0.00932", latency: "3e-05 0.00162 0.00334 - 0.00919", notes: firstByteNote}, asked: 10}),
		"h2-duration.txt": h2(toolFigures{figures: figures{host: "127.0.0.1", port: 18123, path: "/x", c: 4, elapsed: time.Second, issued: 96, ok: 92, wire: 148944, body: 138000, rate: 92, bytes: 145.45 * 1024,
			connect: "7e-06 2.8e-05 1.5e-05 - 4.4e-05", first: "0.000801 0.00191 0.000942 - 0.00283", latency: "0.000757 0.04239 0.00875 - 0.04803", notes: firstByteNote}, limit: time.Second, aborted: 4}),
		"h2-warmup.txt": h2(toolFigures{figures: figures{host: "127.0.0.1", port: 18123, path: "/x", c: 4, elapsed: time.Second, issued: 92, ok: 92, wire: 148488, rate: 92, bytes: 145.01 * 1024, latency: "0.04388 0.044 5.6e-05 - 0.04414",
			notes: "body-bytes-unknown: h2load counts the bodies of its warm-up as well: how many bytes those of the measurement had is not known"}, limit: time.Second}),
		"h2-refused.txt": {figures: figures{host: "127.0.0.1", port: 41899, path: "/", c: 2, document: -1, kept: -1, elapsed: 1810 * us, issued: 10, failed: map[bench.Failure]int64{bench.Connect: 10}}, asked: 10, keep: "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			got := toolFiguresOf(oneOf(t, parserOf(t, name), mustRead(t, name)))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{host: "127.0.0.1", port: 41899, path: "/"}, toolFigures{}), near); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// parserOf goes by the first letters of a transcript's name.
func parserOf(t testing.TB, name string) func(io.Reader) ([]Report, error) {
	t.Helper()
	begin, _, _ := strings.Cut(name, "-")
	tool := map[string]string{"hl": "http_load", "h2": "h2load", "wrk": "wrk", "zb": "zb"}[begin]
	for _, f := range Formats {
		if f.Name == tool {
			return f.Parse
		}
	}
	t.Fatalf("%s: no tool has such transcripts", name)
	return nil
}

// What captured logs do to a transcript changes none of its values.
func TestToolsDisfigured(t *testing.T) {
	for _, name := range []string{"hl-port03.txt", "hl-refused.txt", "hl-rate600.txt", "wrk-latency.txt", "wrk-close.txt", "h2-503.txt", "h2-duration.txt"} {
		_, plain, _ := strings.Cut(mustRead(t, name), "\n") // a command tells more than a flattened log
		want := toolFiguresOf(oneOf(t, parserOf(t, name), plain))
		for how, change := range map[string]func(string) string{
			"CRLF":      func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"quoted":    eachLine("> "),
			"indented":  eachLine("    "),
			"dated":     eachLine("2004-07-01 12:00:01 "),
			"trailing":  func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") },
			"coloured":  func(s string) string { return strings.ReplaceAll(s, ":", "\x1b[1m:\x1b[0m") },
			"flattened": func(s string) string { return strings.Join(strings.Fields(s), " ") },
		} {
			got := toolFiguresOf(oneOf(t, parserOf(t, name), change(plain)))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{}, toolFigures{}), near); diff != "" {
				t.Errorf("%s, %s: %s", name, how, diff)
			}
		}
	}
}

// A text without a report is an error that names the line.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		tool, text string
		line       int
		want       string
	}{
		{"http_load", mustRead(t, "hl-slow-timeout.txt"), 3, "reading http_load's report: there is none in the text"},
		{"http_load", "a\n\ninf fetches, 2 max parallel, 1 bytes, in 1 seconds\n", 3, `reading http_load's report: "inf fetches, 2 max parallel, 1 bytes, in 1 seconds" holds no counts`},
		{"http_load", "1.5 fetches, 2 max parallel, 1 bytes, in 1 seconds\n", 1, `reading http_load's report: "1.5 fetches, 2 max parallel, 1 bytes, in 1 seconds" holds no counts`},
		{"http_load", "\n10 fetches, 2 max parallel, 50 bytes, in 1 seconds\n5 mean bytes/connection\n", 3, `reading http_load's report: it is cut short: there is no line "HTTP response codes:"`},
		{"wrk", "Usage: wrk <options> <url>\n  Options:\n\n\n", 2, "reading wrk's report: there is none in the text"},
		{"wrk", "Running 1s test @ http://h/\n  lots requests in 1.00s, 1.00KB read\n", 2, `reading wrk's report: "lots" is no count of requests`},
		{"h2load", "hello\n", 1, "reading h2load's report: there is none in the text"},
		{"h2load", "starting benchmark...\n\nrequests: 1 total, 1 started, 1 done, 1 succeeded, 0 failed, 0 errored, 0 timeout\n", 3, "reading h2load's report: it is cut short: there is no line \"finished in\""},
		{"zb", "Usage: zb <machine> <file> [-k]\n", 1, "reading zb's report: there is none in the text"},
		{"zb", "\n---\nServer: x\nComplete requests:  99999999999999999999\n", 4, "reading zb's report: Complete requests is 99999999999999999999, which is no count"},
		{"wrk", strings.Repeat("unable to connect to h:80 x\n", mostRuns+1), mostRuns + 1, "reading wrk's report: there are more than 10000 in the text"},
		{"ab", mustRead(t, "ab23-c-gt-n.txt"), 2, "reading ab's report: it refused its arguments: Cannot use concurrency level greater than total number of requests"},
		{"ab", mustRead(t, "ab23-k-ok.txt") + "This is ApacheBench, Version 2.3\nComplete requests: 5000000000000000000\n", 47, "reading ab's report: Complete requests is 5000000000000000000, which is no count"},
	} {
		for _, f := range Formats {
			if f.Name != c.tool {
				continue
			}
			_, err := f.Parse(strings.NewReader(c.text))
			var u Unreadable
			if !errors.As(err, &u) || u.Line != c.line || err.Error() != c.want {
				t.Errorf("%s, %.60q: line %d, %v; not line %d, %s", c.tool, c.text, u.Line, err, c.line, c.want)
			}
		}
	}
}
