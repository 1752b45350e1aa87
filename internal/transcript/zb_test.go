package transcript

import (
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

const zbReportText = `$ zb 10.0.0.1 /index.html -k -c 30 -n 10000 -p 8080

---
Server:                 Apache/1.3b4-dev
Doucment Length:        6144
Concurency Level:       30
Time taken for tests:   14.599 seconds
Complete requests:      10000
Failed requests:        3
   (Connect: 1, Length: 2, Exceptions: 0)
Keep-Alive requests:    10012
Bytes transfered:       64020000
HTML transfered:        61440000
Requests per seconds:   684.98
Transfer rate:          4385.23 kb/s

Connnection Times (ms)
           min   avg   max
Connect:     0     1    13
Total:       5    43   121
---

`

func TestParseZB(t *testing.T) {
	want := toolFigures{figures: figures{server: "Apache/1.3b4-dev", host: "10.0.0.1", port: 8080, path: "/index.html", c: 30, document: 6144, elapsed: 14599 * time.Millisecond, issued: 10000, ok: 9997,
		failed: map[bench.Failure]int64{bench.Connect: 1, bench.Length: 2}, wire: 64020000, body: 61440000, rate: 684.98, bytes: 4385230, kept: 10000,
		connect: "0 0.001 - - 0.013", latency: "0.005 0.043 - - 0.121"}, asked: 10000, keep: "yes", protocol: bench.HTTP10}
	flattened := strings.Join(strings.Fields(zbReportText[strings.Index(zbReportText, "---"):]), " ")
	mended := strings.NewReplacer("Doucment", "Document", "Concurency", "Concurrency", "transfered: ", "transferred:", "seconds:   684", "second:    684", "Connnection", "Connection").Replace(zbReportText)
	for how, text := range map[string]string{"plain": zbReportText, "quoted": eachLine("> ")(zbReportText), "flattened": flattened, "mended": mended} {
		got := toolFiguresOf(oneOf(t, ParseZB, text))
		if how == "flattened" {
			got.host, got.port, got.path = "10.0.0.1", 8080, "/index.html" // its command is gone
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{}, toolFigures{}), near); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
}

func TestZBSeveralRuns(t *testing.T) {
	second := strings.Replace(strings.Replace(zbReportText, "Keep-Alive requests:    10012\n", "", 1), "-k -c 30", "-c 5", 1)
	reports, err := ParseZB(strings.NewReader(zbReportText + second))
	if err != nil || len(reports) != 2 || !*reports[0].KeepAlive || *reports[1].KeepAlive || reports[1].OK != 9997 {
		t.Errorf("%+v, %v", reports, err)
	}
}

func TestZBAborts(t *testing.T) {
	for _, c := range []struct {
		text  string
		class bench.Failure
		abort string
	}{
		{"$ zb h / -n 10\n\nTest aborted after 10 failures\n\n", bench.Connect, "Test aborted after 10 failures"},
		{"\nServer timed out\n\n", bench.Timeout, "Server timed out"},
		{"socket: Too many open files\n", bench.Client, "socket: Too many open files"},
		{"select: Bad file number\n", bench.Other, "select: Bad file number"},
	} {
		r := oneOf(t, ParseZB, c.text)
		if r.Abort != c.abort || r.Issued != 1 || r.Failed[c.class] != 1 || r.Notes[0].Code != "partial-count" {
			t.Errorf("%q: %q, %v", c.text, r.Abort, r.Failed)
		}
	}
}
