package transcript

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// Prose that quotes lines of a report is not another report, wherever it stands;
// a line with another figure is one, though nothing can be told of it.
func TestQuotations(t *testing.T) {
	hl := "     host:~ # ./http_load -rate 5 -seconds 10 urls\n" +
		"     49 fetches, 2 max parallel, 289884 bytes, in 10.0148 seconds\n     5916 mean bytes/connection\n     4.89274 fetches/sec, 28945.5 bytes/sec\n" +
		"     msecs/connect: 28.8932 mean, 44.243 max, 24.488 min\n     msecs/first-response: 63.5362 mean, 81.624 max, 57.803 min\n     HTTP response codes:\n     code 200 -- 49\n"
	ab := strings.Join(bareLines(t, "ab23-ok-c2-n10.txt"), "")
	for _, c := range []struct {
		name   string
		parse  parser
		text   string
		issued string // of each report; of one that failed -1
		quoted bool
	}{
		{"numbered below", ParseHTTPLoad, hl + " \n　　　分析：\n　　　1．49 fetches, 2 max parallel, 289884 bytes, in 10.0148 seconds\n　　　  49 requests were made\n　　　3．4.89274 fetches/sec, 28945.5 bytes/sec\n", "[49]", true},
		{"above", ParseHTTPLoad, "In short: 4.89274 fetches/sec, 28945.5 bytes/sec\n" + hl, "[49]", true},
		{"explained below", ParseAB, ab + "\nComplete requests: how many were done\nFailed requests: 0 is good\nRequests per second: 377.79 [#/sec] (mean) is the throughput\nNon-2xx responses: not there\nConnection Times (ms): of connecting\n", "[10]", true},
		{"explained without figures", ParseAB, ab + "\nServer Software: the server\nComplete requests: how many were done\nTime per request: the mean\n", "[10]", false},
		{"another figure", ParseAB, ab + "\nBefore the change it was\nRequests per second: 1.50 [#/sec] (mean)\n", "[10 -1]", false},
		{"two wholes", ParseAB, ab + ab, "[10 10]", false},
		{"two of them without their heads", ParseAB, ab + ab[strings.Index(ab, "Server Software"):] + ab[strings.Index(ab, "Complete requests"):], "[10 10 10]", false},
	} {
		reports, err := c.parse(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var issued []int64
		quoted := false
		for _, r := range reports {
			n := r.Issued
			if r.Abort != "" {
				n = -1
			}
			issued = append(issued, n)
			for _, note := range r.Notes {
				quoted = quoted || note.Code == "quoted-again"
			}
		}
		if fmt.Sprint(issued) != c.issued || quoted != c.quoted {
			t.Errorf("%s: issued %v, quoted %v; not %s, %v", c.name, issued, quoted, c.issued, c.quoted)
		}
	}
}

// What a README shows of a report is a failed run among whole ones, and an error
// where there is no other.
func TestExcerpts(t *testing.T) {
	light := "#### Light load\n```\nServer Software:        Apache/2.4\nDocument Path:          /\nRequests per second:    2849.14 [#/sec]\nTime per request:       3.510 [ms]\nFailed requests:        0\n```\n"
	heavy := "#### Heavy load\n```\nServer Software:        Apache/2.4\nDocument Path:          /\nRequests per second:    3252.17 [#/sec]\nTime per request:       15.374 [ms]\nFailed requests:        0\n\n" +
		"Connection Times (ms):\n              min  mean[+/-sd] median   max\nTotal:          2   15   4.6     15      36\n\nPercentage of requests served within a certain time (ms)\n  50%     15\n 100%     36 (longest request)\n```\n"
	commands := "    ab -c 10 -n 1000 http://localhost:4000/\n    Requests per second:    4041.61 [#/sec] (mean)\n\nBehind a proxy:\n\n    ab -c 10 -n 1000 http://localhost:3000/\n    Requests per second:    948.89 [#/sec] (mean)\n"
	for _, c := range []struct {
		text string
		line int
	}{{light + heavy, 7}, {commands, 2}} {
		_, err := ParseAB(strings.NewReader(c.text))
		var u Unreadable
		if !errors.As(err, &u) || u.Line != c.line || u.Message != `it is cut short: there is no line "Complete requests:"` {
			t.Errorf("line %d, %v", u.Line, err)
		}
		reports, err := ParseAB(strings.NewReader(c.text + mustRead(t, "ab23-ok-c2-n10.txt")))
		if err != nil || len(reports) != 3 {
			t.Errorf("%d reports, %v", len(reports), err)
			continue
		}
		for i, r := range reports {
			state, reason := r.State()
			if whole := i == 2; whole != (state == bench.StateOK) || whole != (r.Printed.RequestsPerSecond != nil) || !whole && !strings.Contains(reason, "cut short") {
				t.Errorf("report %d: %s, %s, %+v", i+1, state, reason, r.Printed)
			}
		}
		if reports[2].OK != 10 || summary(reports[2].Printed.Latency) != "0.001 0.005 0.002 0.005 0.007" {
			t.Errorf("the whole one: %+v", reports[2])
		}
	}
}

// ab's reason to give up is ab's, not what another program in the log says.
func TestAbortReasons(t *testing.T) {
	const listening, begun = "[INFO] Listening at: http://0.0.0.0:80 (1)\n", "Benchmarking h (be patient)\n"
	const reset = "apr_socket_recv: Connection reset by peer (104)"
	for _, c := range []struct {
		text, abort string
		class       bench.Failure
		ok          int64
	}{
		{begun + reset + "\nTotal of 9788 requests completed\n" + listening, reset, bench.Reset, 9788},
		{begun + listening + reset + "\nTotal of 9788 requests completed\n", reset, bench.Reset, 9788},
		{listening + reset + "\nThis is ApacheBench, Version 2.3 <$Revision$>\n" + begun + "Total of 9788 requests completed\n", reset, bench.Reset, 9788}, // its errors come first through a pipe
		{begun + reset + "\nerror: worker 7 died (9)\nstatus: exit (1)\n", reset, bench.Reset, 0},
		{begun + "Completed 100 requests\n" + listening, "ab ended before its report, or the log is cut short", bench.Other, 100},
		{"Benchmarking h (be patient)...Completed 500 requests\nsocket: Zu viele offene Dateien (24)\n" + listening, "socket: Zu viele offene Dateien (24)", bench.Client, 500},
	} {
		r := one(t, c.text)
		if r.Abort != c.abort || r.OK != c.ok || r.Failed[c.class] != 1 {
			t.Errorf("%q: %q, ok %d, failed %v", c.text, r.Abort, r.OK, r.Failed)
		}
	}
	// Each run keeps its own.
	refused := "apr_socket_recv: Connection refused (111)"
	reports, err := ParseAB(strings.NewReader(reset + "\n" + begun + refused + "\n" + begun + mustRead(t, "ab23-k-ok.txt") + begun + reset + "\n"))
	var got []string
	for _, r := range reports {
		got = append(got, r.Abort)
	}
	if want := []string{reset, refused, "", reset}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, %v", got, err)
	}
}

// What somebody wrote behind a value is not of it.
func TestRemarks(t *testing.T) {
	lines := bareLines(t, "ab23-ok-c2-n10.txt")
	for i, line := range lines {
		if strings.Contains(line, ":  ") && !strings.Contains(line, "Connect") {
			lines[i] = strings.TrimSuffix(line, "\n") + " //a note about it\n"
		}
	}
	text := strings.Replace(strings.Join(lines, ""), "Document Path:          /", "Document Path:          /a.php?q=1", 1)
	r := one(t, text)
	if r.Server != "odd/1" || r.Host != "127.0.0.1" || r.Path != "/a.php" || r.Query != "q=1" || r.Port != 41800 || r.OK != 10 || *r.Document != 5 || r.Elapsed == 0 || r.Cut != "" {
		t.Errorf("%+v", r)
	}
}
