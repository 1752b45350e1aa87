package driver

import (
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

func loadHL() bench.Load {
	return bench.Load{URLs: []string{"http://h/set/0.html", "http://h/set/1.html"}, Protocol: bench.HTTP10, Conns: 2, Requests: 10, Timeout: 5 * time.Second,
		Expect: bench.Expect{Length: map[string]int64{"/set/0.html": 5, "/set/1.html": 5}}}
}

func TestRefuseHTTPLoad(t *testing.T) {
	refusals(t, "http_load", refuseHTTPLoad, loadHL(), []refusalCase{
		{func(*bench.Load) {}, ""},
		{func(l *bench.Load) { l.URLs = nil }, ""},
		{func(l *bench.Load) { l.Protocol = bench.HTTP11 }, "it speaks HTTP/1.0 only (set protocol: HTTP/1.0)"},
		{func(l *bench.Load) { l.KeepAlive = true }, "it has no keep-alive"},
		{func(l *bench.Load) { l.Conns = 1021 }, ""},
		{func(l *bench.Load) { l.Conns = 1022 }, "it makes at most 1021 connections at a time (descriptors less 3), not 1022"},
		{func(l *bench.Load) { l.Conns, l.OpenFiles = 62, 64 }, "it makes at most 61 connections at a time (descriptors less 3), not 62"},
		{func(l *bench.Load) { l.Rate = 1000 }, ""},
		{func(l *bench.Load) { l.Rate = 1001 }, "its rate is a whole number from 1 to 1000, not 1001"},
		{func(l *bench.Load) { l.Rate = 0.5 }, "its rate is a whole number from 1 to 1000, not 0.5"},
		{func(l *bench.Load) { l.Rate = 10.5 }, "its rate is a whole number from 1 to 1000, not 10.5"},
		{func(l *bench.Load) { l.Pick = bench.PickInTurn }, "it picks one of several URLs at random, not in turn"},
		{func(l *bench.Load) { l.Method = "HEAD" }, "it has no method but GET"},
		{func(l *bench.Load) { l.Method, l.Body = "POST", []byte("x") }, "it has no method but GET"},
		{func(l *bench.Load) { l.Header = []bench.Header{{Name: "A", Value: "b"}} }, "it sends no headers of one's own"},
		{func(l *bench.Load) { l.Requests, l.Duration = 0, 1500*time.Millisecond }, "its time limit is in whole seconds, not 1.5s"},
		{func(l *bench.Load) { l.Requests = 1 << 31 }, "it counts to 2147483647 requests, not to 2147483648"},
		{func(l *bench.Load) { l.URLs[1] = "http://me:pw@h/" }, "it sends no user or password, and takes URLs of at most 4990 bytes"},
		{func(l *bench.Load) { l.URLs[1] = "http://h/" + strings.Repeat("x", 5000) }, "it sends no user or password, and takes URLs of at most 4990 bytes"},
		{func(l *bench.Load) { l.URLs[0] = "https://h/" }, "it never checks certificates (say insecure: true)"},
		{func(l *bench.Load) { l.URLs[0], l.TLS = "https://h/", &bench.TLS{Insecure: true} }, ""},
		{func(l *bench.Load) { l.Warmup, l.Sources, l.ReceiveBuffer, l.Unix = 1, []string{"127.0.0.2"}, 5, "/s" },
			"it has no warm-up, think time or ramp; it has no unix sockets; it cannot be told which address to connect from; it does not set SO_RCVBUF"},
	})
}

const hlReport = "10 fetches, 2 max parallel, 50 bytes, in 0.00757 seconds\n5 mean bytes/connection\n" +
	"msecs/connect: 0.2149 mean, 1.059 max, 0.032 min\nmsecs/first-response: 1.1889 mean, 2.794 max, 0.472 min\nHTTP response codes:\n  code 200 -- 10\n"

func TestRunHTTPLoad(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*bench.Load)
		log    string
		args   string
		state  bench.State
		reason string
		err    string
	}{
		{"fetches", func(*bench.Load) {}, hlReport, "-parallel 2 -fetches 10 -timeout 5 <http://h/set/0.html http://h/set/1.html>", bench.StateOK, "", ""},
		{"seconds and rate", func(l *bench.Load) { l.Requests, l.Duration, l.Rate = 0, time.Minute, 100 }, hlReport,
			"-rate 100 -seconds 60 -timeout 5 <http://h/set/0.html http://h/set/1.html>", bench.StateOK, "", ""},
		{"another length", func(l *bench.Load) { l.Expect.Length["/set/0.html"], l.Expect.Length["/set/1.html"] = 6, 6 }, hlReport,
			"-parallel 2 -fetches 10 -timeout 5 <http://h/set/0.html http://h/set/1.html>", bench.StateFailed, "the bodies were not all of 6 bytes: 50 came for 10 answers (10 of 10)", ""},
		{"files of several lengths", func(l *bench.Load) { l.Expect.Length["/set/1.html"] = 6 }, hlReport,
			"-parallel 2 -fetches 10 -timeout 5 <http://h/set/0.html http://h/set/1.html>", bench.StateOK, "", ""},
		{"refused, and a good exit status", func(*bench.Load) {}, "http://h/: Connection refused\n2 fetches, 2 max parallel, 0 bytes, in 0.000333 seconds\n0 mean bytes/connection\nHTTP response codes:\n",
			"-parallel 2 -fetches 10 -timeout 5 <http://h/set/0.html http://h/set/1.html>", bench.StateFailed, "Connection refused (1 of 2); the connection ended without an answer (1 of 2)", ""},
		{"no report", func(*bench.Load) {}, "u10: No such file or directory\n# exit=1\n", "-parallel 2 -fetches 10 -timeout 5 <http://h/set/0.html http://h/set/1.html>",
			bench.StateFailed, "no request came to an end", "http_load ended with exit status 1: # exit=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := replayed(t, c.log)
			l := loadHL()
			c.change(&l)
			m, raw, err := measure(t, httpLoad, l)
			state, reason := m.State()
			words := ""
			if err != nil {
				words = err.Error()
			}
			if state != c.state || reason != c.reason || words != c.err || raw != c.log {
				t.Errorf("%s, %q, %q\n%s", state, reason, words, raw)
			}
			if got := strings.ReplaceAll(strings.ReplaceAll(args(), "\n", " "), "> ", ">"); got != c.args {
				t.Errorf("called with %s, not %s", got, c.args)
			}
		})
	}
}

func TestCheckHTTPLoad(t *testing.T) {
	replayed(t, "usage:  http_load [-checksum] [-throttle] [-proxy host:port]\n            -parallel N | -rate N [-jitter]\n# exit=1\n")
	if v, err := httpLoad.Check(t.Context()); err != nil || v != "(tells no version)" {
		t.Errorf("%q, %v", v, err)
	}
	t.Setenv("PATH", t.TempDir())
	const want = "http_load is not installed: it is to be had from https://acme.com/software/http_load/"
	if _, err := httpLoad.Check(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
