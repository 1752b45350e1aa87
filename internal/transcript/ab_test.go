package transcript

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

// figures are what a report must say, by value.
type figures struct {
	version, revision, server, host, path string
	port, c                               int
	document                              int64 // -1: not printed as a number
	elapsed                               time.Duration
	issued, ok                            int64
	failed                                map[bench.Failure]int64
	wire, body                            int64
	rate, bytes                           float64
	kept                                  int64 // -1: not printed
	connect, first, latency               string
	quantiles                             string
	notes                                 string
	abort                                 string
}

func one(t *testing.T, text string) Report {
	t.Helper()
	return oneOf(t, ParseAB, text)
}

func oneOf(t *testing.T, parse func(io.Reader) ([]Report, error), text string) Report {
	t.Helper()
	reports, err := parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 {
		t.Fatalf("%d reports, not 1", len(reports))
	}
	return reports[0]
}

func TestParseAB(t *testing.T) {
	const nobody = "127.0.0.1"
	reset := func(n int64) map[bench.Failure]int64 { return map[bench.Failure]int64{bench.Reset: n} }
	for name, want := range map[string]figures{
		"ab11-ok.txt": {version: "1.1", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 6 * time.Millisecond, issued: 10, ok: 10, wire: 770, body: 50, rate: 1666.67, bytes: 128330, kept: -1,
			connect: "0 0 - - 0", first: "", latency: "0 0 - - 0.001"},
		"ab13c-k.txt": {version: "1.3c", revision: "1.35", server: "odd/1", host: nobody, path: "/", port: 41806, c: 2, document: 5,
			elapsed: 2 * time.Millisecond, issued: 10, ok: 10, wire: 820, body: 50, rate: 5000, bytes: 410000, kept: 10,
			connect: "0 0 - - 0", latency: "0 0 - - 0.001"},
		"ab13d-n300.txt": {version: "1.3d", revision: "1.73", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 336 * time.Millisecond, issued: 300, ok: 300, wire: 23100, body: 1500, rate: 892.86, bytes: 68750, kept: -1,
			connect: "0 0 0 0 0", first: "0 0.002 0.0018 0.001 0.011", latency: "0 0.002 0.0018 0.001 0.011",
			quantiles: "50:1 66:2 75:3 80:3 90:5 95:6 98:7 99:9 100:11"},
		"ab13d-port00.txt": {version: "1.3d", revision: "1.73", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 13 * time.Millisecond, issued: 10, ok: 10, wire: 770, body: 50, rate: 769.23, bytes: 59230, kept: -1,
			connect: "0 0 0 0 0.001", first: "0.001 0.002 0.0007 0.001 0.004", latency: "0.001 0.002 0.0009 0.001 0.004",
			quantiles: "50:1 66:2 75:2 80:4 90:4 95:4 98:4 99:4 100:4",
			notes:     "tool-warning: ab: The median and mean for the initial connection time are more than twice the standard deviation apart. These results are NOT reliable."},
		"ab13d-port01.txt": {version: "1.3d", revision: "1.73", host: nobody, path: "/", port: 41801, c: 2,
			elapsed: 8 * time.Millisecond, issued: 10, failed: reset(10), rate: 1250, kept: -1,
			connect: "0 0 0 0 0", first: "0 0.001 0.0014 0.001 0.005", latency: "0 0.001 0.0014 0.001 0.005",
			quantiles: "50:1 66:1 75:1 80:4 90:5 95:5 98:5 99:5 100:5"},
		"ab13d-port02.txt": {version: "1.3d", revision: "1.73", host: nobody, path: "/", port: 41802, c: 2,
			elapsed: 10 * time.Millisecond, issued: 10, failed: reset(10), rate: 1000, kept: -1,
			connect: "0 0 0 0 0", first: "0 0.001 0.0003 0.001 0.002", latency: "0.001 0.001 0 0.001 0.002",
			quantiles: "50:1 66:2 75:2 80:2 90:2 95:2 98:2 99:2 100:2",
			notes: "tool-warning: ab: The median and mean for the processing time are more than twice the standard deviation apart. These results are NOT reliable.; " +
				"tool-warning: ab: The median and mean for the total time are more than twice the standard deviation apart. These results are NOT reliable."},
		"ab13d-port03.txt": {version: "1.3d", revision: "1.73", server: "odd/1", host: nobody, path: "/", port: 41803, c: 2, document: 5,
			elapsed: 16 * time.Millisecond, issued: 10, ok: 8, failed: map[bench.Failure]int64{bench.Length: 2}, wire: 616, body: 40,
			rate: 625, bytes: 38500, kept: -1,
			connect: "0 0.001 0.0011 0 0.004", first: "0 0.002 0.0009 0.001 0.004", latency: "0.001 0.002 0.0009 0.003 0.004",
			quantiles: "50:3 66:3 75:4 80:4 90:4 95:4 98:4 99:4 100:4"},
		"ab23-204-k.txt": {version: "2.3", host: nobody, path: "/", port: 41815, c: 1,
			elapsed: 3996 * time.Microsecond, issued: 6, ok: 6, wire: 306, rate: 1501.5, bytes: 74.78 * 1024, kept: 6,
			connect: "0 0 0 0 0", first: "0 0.001 0.0015 0 0.004", latency: "0 0.001 0.0015 0 0.004",
			quantiles: "50:0 66:0 75:0 80:0 90:4 95:4 98:4 99:4 100:4"},
		"ab23-503-alternate.txt": {version: "2.3", host: nobody, path: "/", port: 41809, c: 2, document: 3,
			elapsed: 19168 * time.Microsecond, issued: 10, ok: 5, failed: map[bench.Failure]int64{bench.Non2xx: 5}, wire: 590, body: 30,
			rate: 521.70, bytes: 30.06 * 1024, kept: -1,
			connect: "0 0 0.0003 0 0.001", first: "0 0.003 0.004 0.001 0.012", latency: "0.001 0.004 0.004 0.001 0.012",
			quantiles: "50:1 66:3 75:4 80:9 90:12 95:12 98:12 99:12 100:12"},
		"ab23-d-S.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 48022 * time.Microsecond, issued: 10, ok: 10, wire: 770, body: 50, rate: 208.24, bytes: 15.66 * 1024, kept: -1,
			connect: "0 0 - - 0.001", first: "0.003 0.008 - - 0.016", latency: "0.004 0.008 - - 0.016"},
		"ab23-empty-replies.txt": {version: "2.3", host: nobody, path: "/", port: 41801, c: 2,
			elapsed: 35939 * time.Microsecond, issued: 10, failed: reset(10), rate: 278.25, kept: -1,
			connect: "0 0 0.0006 0 0.002", first: "0 0 0 0 0", latency: "0.002 0.003 0.0013 0.004 0.006",
			quantiles: "50:4 66:4 75:4 80:5 90:6 95:6 98:6 99:6 100:6"},
		"ab23-every4th-reset-r.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41803, c: 2, document: 5,
			elapsed: 24669 * time.Microsecond, issued: 20, ok: 15, failed: reset(5), wire: 1155, body: 75, rate: 810.73, bytes: 45.72 * 1024, kept: -1,
			connect: "0 0 0.0001 0 0", first: "0 0.002 0.0019 0.001 0.006", latency: "0 0.002 0.0018 0.002 0.006",
			quantiles: "50:2 66:3 75:4 80:4 90:6 95:6 98:6 99:6 100:6"},
		"ab23-head.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 1, document: 5,
			elapsed: 1970 * time.Microsecond, issued: 4, ok: 4, wire: 308, body: 20, rate: 2030.46, bytes: 152.68 * 1024, kept: -1,
			connect: "0 0 0.0001 0 0", first: "0 0 0.0002 0 0.001", latency: "0 0 0.0003 0 0.001",
			quantiles: "50:0 66:0 75:1 80:1 90:1 95:1 98:1 99:1 100:1"},
		"ab23-k-ok.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41806, c: 2, document: 5,
			elapsed: 5248 * time.Microsecond, issued: 20, ok: 20, wire: 1640, body: 100, rate: 3810.98, bytes: 305.18 * 1024, kept: 20,
			connect: "0 0 0.0005 0 0.002", first: "0 0 0.0003 0 0.001", latency: "0 0 0.0009 0 0.003",
			quantiles: "50:0 66:0 75:0 80:0 90:2 95:3 98:3 99:3 100:3"},
		"ab23-n1.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 1, document: 5,
			elapsed: 7360 * time.Microsecond, issued: 1, ok: 1, wire: 77, body: 5, rate: 135.87, bytes: 10.22 * 1024, kept: -1,
			connect: "0.006 0.006 0 0.006 0.006", first: "0.001 0.001 0 0.001 0.001", latency: "0.007 0.007 0 0.007 0.007"},
		"ab23-n300-heartbeat.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 144379 * time.Microsecond, issued: 300, ok: 300, wire: 23100, body: 1500, rate: 2077.86, bytes: 156.25 * 1024, kept: -1,
			connect: "0 0 0.0001 0 0.001", first: "0 0.001 0.0009 0.001 0.006", latency: "0 0.001 0.0009 0.001 0.006",
			quantiles: "50:1 66:1 75:1 80:1 90:2 95:3 98:4 99:5 100:6"},
		"ab23-ok-c2-n10.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 2, document: 5,
			elapsed: 26470 * time.Microsecond, issued: 10, ok: 10, wire: 770, body: 50, rate: 377.79, bytes: 28.41 * 1024, kept: -1,
			connect: "0 0 0.0003 0 0.001", first: "0.001 0.004 0.0017 0.004 0.006", latency: "0.001 0.005 0.002 0.005 0.007",
			quantiles: "50:5 66:6 75:6 80:6 90:7 95:7 98:7 99:7 100:7"},
		"ab23-post.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 1, document: 5,
			elapsed: 5294 * time.Microsecond, issued: 4, ok: 4, wire: 308, body: 20, rate: 755.57, bytes: 56.82 * 1024, kept: -1,
			connect: "0 0 0 0 0", first: "0 0.001 0.0008 0.001 0.002", latency: "0 0.001 0.0008 0.002 0.002",
			quantiles: "50:2 66:2 75:2 80:2 90:2 95:2 98:2 99:2 100:2",
			notes:     "tool-warning: ab: The median and mean for the total time are not within a normal deviation These results are probably not that reliable."},
		"ab23-varlen-l.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41804, c: 2, document: -1,
			elapsed: 14725 * time.Microsecond, issued: 12, ok: 12, wire: 660, body: 24, rate: 814.94, bytes: 43.77 * 1024, kept: -1,
			connect: "0 0 0.0001 0 0", first: "0 0.002 0.0015 0.002 0.004", latency: "0 0.002 0.0015 0.002 0.005",
			quantiles: "50:2 66:3 75:3 80:3 90:4 95:5 98:5 99:5 100:5"},
		"ab23-w-html.txt": {version: "2.3", server: "odd/1", host: nobody, path: "/", port: 41800, c: 1, document: 5,
			elapsed: 29718 * time.Microsecond, issued: 4, ok: 4, wire: 308, body: 20, rate: 134.6, bytes: 10.12 * 1024, kept: -1,
			connect: "0 0.003 - - 0.007", latency: "0.002 0.007 - - 0.012"},
		"ab23-refused.txt": {version: "2.3", host: "127.0.0.1", port: 41899, path: "/", c: 1, document: -1, issued: 1, failed: map[bench.Failure]int64{bench.Connect: 1}, kept: -1,
			abort: "apr_socket_recv: Connection refused (111)",
			notes: "partial-count: ab gave up and did not tell how many requests were complete by then"},
		"ab23-reset-noR.txt": {version: "2.3", host: "127.0.0.1", port: 41802, path: "/", c: 2, document: -1, issued: 1, failed: reset(1), kept: -1,
			abort: "apr_socket_recv: Connection reset by peer (104)",
			notes: "partial-count: ab gave up and did not tell how many requests were complete by then"},
		"rhel5-2010-ab.txt": {version: "2.0.40-dev", revision: "1.146", server: "Apache/2.2.3", host: "10.0.0.1", path: "/test.html", port: 80, c: 5, document: 169,
			elapsed: 10608151 * time.Microsecond, issued: 100000, ok: 100000, wire: 43900000, body: 16900000, rate: 9426.71, bytes: 4041.33 * 1024, kept: -1,
			connect: "0 0 0 0 0.015", first: "0 0 0.0003 0 0.023", latency: "0 0 0.0004 0 0.024",
			quantiles: "50:0 66:0 75:0 80:0 90:0 95:0 98:0 99:0 100:24"},
		"rhel6-2010-ab.txt": {version: "2.3", revision: "655654", server: "Apache/2.2.15", host: "10.0.0.2", path: "/test.html", port: 80, c: 5, document: 169,
			elapsed: 17871057 * time.Microsecond, issued: 100000, ok: 100000, wire: 43900000, body: 16900000, rate: 5595.64, bytes: 2398.91 * 1024, kept: -1,
			connect: "0 0 0.0002 0 0.016", first: "0 0 0.0009 0 0.277", latency: "0 0.001 0.001 0.001 0.277",
			quantiles: "50:1 66:1 75:1 80:1 90:1 95:1 98:1 99:1 100:277",
			notes:     "tool-warning: ab: The median and mean for the processing time are not within a normal deviation These results are probably not that reliable."},
		"tomcat-2004-apache-alone-ab.txt": tomcat("Apache/2.0.50", "/HelloWorldExample.html", 80, 459, 166299127, 145800000, 91800000, 1202.65, 856.18, nil),
		"tomcat-2004-apache-jk-ab.txt":    tomcat("Apache/2.0.50", "/examples/servlet/HelloWorldExample", 80, 400, 220637261, 110400000, 80000000, 906.47, 488.64, nil),
		"tomcat-2004-tomcat-alone-ab.txt": tomcat("Apache-Coyote/1.1", "/examples/servlet/HelloWorldExample", 11011, 400, 226485671, 105400000, 80000000, 883.06, 454.46, nil),
		"tomcat-2004-apache-proxy-ab.txt": tomcat("Apache-Coyote/1.1", "/tc3/examples/servlet/HelloWorldExample", 80, 400, 401717641, 108724136, 79299998, 497.86, 264.30,
			map[bench.Failure]int64{bench.Non2xx: 8046}),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, figuresOf(one(t, mustRead(t, name))), cmp.AllowUnexported(figures{}), near); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// tomcat are the figures of the flattened reports of 2004: ab -k of 200000
// requests over 16 connections.
func tomcat(server, path string, port int, document, micros, wire, body int64, rate, kilo float64, failed map[bench.Failure]int64) figures {
	f := figures{version: "2.0.40-dev", revision: "1.121.2.8", server: server, host: "machone", path: path, port: port, c: 16, document: document,
		elapsed: time.Duration(micros) * time.Microsecond, issued: 200000, ok: 200000 - failed[bench.Non2xx], failed: failed,
		wire: wire, body: body, rate: rate, bytes: kilo * 1024,
		notes: "never-kept: keep-alive was asked for, but the server never kept a connection"}
	if failed != nil {
		f.notes = "failures-overlap: ab counted 8046 answers of another length and 8046 whose status was not 2xx; 8046 are taken to be the same answers; " + f.notes
	}
	return f
}

func TestUsage(t *testing.T) {
	_, err := ParseAB(strings.NewReader(mustRead(t, "ab23-c-gt-n.txt")))
	want := "reading ab's report: it refused its arguments: Cannot use concurrency level greater than total number of requests"
	if err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

// Every transcript in the testdata is named by a test above.
func TestAllTranscripts(t *testing.T) {
	var source strings.Builder
	for _, file := range []string{"ab_test.go", "tools_test.go"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.WriteString(string(b))
	}
	for _, name := range transcripts(t) {
		if !strings.Contains(source.String(), `"`+name+`"`) {
			t.Errorf("%s: no test tells its values", name)
		}
	}
}

func transcripts(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
