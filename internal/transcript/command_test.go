package transcript

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// reports of each tool that tell as little of the load as there is.
const (
	abShort = "This is ApacheBench, Version 2.3\nConcurrency Level:      10\nTime taken for tests:   1.234 seconds\nComplete requests:      1000\nFailed requests:        0\nTotal transferred:      170000 bytes\n"
	zbShort = "---\nServer:                 x\nConcurency Level:       10\nTime taken for tests:   1.234 seconds\nComplete requests:      1000\nFailed requests:        0\nBytes transferred:      170000\n"
	hlShort = "1000 fetches, 4 max parallel, 5000 bytes, in 5 seconds\n5 mean bytes/connection\n200 fetches/sec, 1000 bytes/sec\nHTTP response codes:\n  code 200 -- 1000\n"
	wkShort = "Running 30s test @ http://h:8080/a?x=1\n  2 threads and 10 connections\n  1000 requests in 30.00s, 1.00MB read\nRequests/sec: 33.33\n"
	h2Short = "starting benchmark...\nspawning thread #0: 10 total client(s). 1000 total requests\nApplication protocol: h2c\n\nfinished in 1.00s, 1000.00 req/s, 1.00KB/s\nrequests: 1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout\n"
)

// settings writes what was asked for, in words.
func settings(a Asked) string {
	var list []string
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(a.Concurrency > 0, "c=%d", a.Concurrency)
	add(a.Requests > 0, "n=%d", a.Requests)
	add(a.Duration > 0, "d=%v", a.Duration)
	add(a.Rate > 0, "rate=%g", a.Rate)
	add(a.Streams > 0, "streams=%d", a.Streams)
	add(a.Threads > 0, "threads=%d", a.Threads)
	add(a.KeepAlive != nil && *a.KeepAlive, "kept")
	add(a.Warmup > 0, "warmup=%v", a.Warmup)
	add(a.Timeout > 0, "timeout=%v", a.Timeout)
	add(a.Method != "", "%s", a.Method)
	add(a.ReceiveBuffer > 0, "buffer=%d", a.ReceiveBuffer)
	add(a.Query != "", "?%s", a.Query)
	for _, s := range a.Settings {
		add(true, "%s=%s", s.Name, s.Value)
	}
	return strings.Join(list, " ")
}

// Every flag that changes the load is told of, whatever its spelling, and none
// that does not.
func TestEveryFlag(t *testing.T) {
	for _, c := range []struct {
		parse                 func(io.Reader) ([]Report, error)
		report, command, want string
	}{
		{ParseAB, abShort, "$ ab -n 1000 -c 10 http://h/a", "c=10 n=1000"},
		{ParseAB, abShort, "$ ab -n1000 -kc10 http://h/a", "c=10 n=1000"}, // that ab has kept none is in the report
		{ParseAB, strings.Replace(abShort, "Total", "Keep-Alive requests:    1000\nTotal", 1), "$ ab -n1000 -kc10 http://h/a", "c=10 n=1000 kept"},
		{ParseAB, abShort, "$ ab -q -d -S -r -l -w -v 2 -g out.tsv -e out.csv -n 1000 -c 10 http://h/a?b=c", "c=10 n=1000 ?b=c"},
		{ParseAB, abShort, "$ ab -t 10 -c 10 http://h/a", "c=10 d=10s"},
		{ParseAB, abShort, "$ ab -s 30 -n 1000 -c 10 http://h/a", "c=10 n=1000"},
		{ParseAB, abShort, "$ ab -s 5 -n 1000 -c 10 http://h/a", "c=10 n=1000 timeout=5s"},
		{ParseAB, abShort, "$ ab -p ../post.json -T application/json -n 1000 -c 10 http://h/a", "c=10 n=1000 POST body=../post.json headers=Content-Type: application/json"},
		{ParseAB, abShort, "$ ab -u put.json -n 1000 -c 10 http://h/a", "c=10 n=1000 PUT body=put.json"},
		{ParseAB, abShort, "$ ab -i -n 1000 -c 10 http://h/a", "c=10 n=1000 HEAD"},
		{ParseAB, abShort, "$ ab -m options -b 4096 -B 127.0.0.2 -n 1000 -c 10 http://h/a", "c=10 n=1000 OPTIONS buffer=4096 sources=127.0.0.2"},
		{ParseAB, abShort, "$ ab -H 'Accept-Encoding: gzip' -H \"X: 1\" -n 1000 -c 10 http://h/a", "c=10 n=1000 headers=Accept-Encoding: gzip; X: 1"},
		{ParseAB, abShort, "$ ab -A me:pw -P me:pw -C id=7 -H 'X-Api-Key: 7' -X me:pw@proxy:3128 -n 1000 -c 10 http://h/a",
			"c=10 n=1000 headers=Authorization: ***; Cookie: ***; X-Api-Key: *** proxy_authorization=*** proxy=proxy:3128"},
		{ParseAB, abShort, "$ ab -f TLS1.2 -Z AES128-SHA -I -E cert.pem -n 1000 -c 10 https://h/a", "c=10 n=1000 tls=TLS1.2 ciphers=AES128-SHA no_server_name=yes client_certificate=cert.pem"},
		{ParseZB, zbShort, "$ zb h /a -n 1000 -c 10 -p 8080", "c=10 n=1000"},
		{ParseZB, zbShort, "$ zb h /a -t 5 -c 10", "c=10 d=5s"},

		{ParseHTTPLoad, hlShort, "", ""},
		{ParseHTTPLoad, hlShort, "$ http_load -rate 200 -seconds 5 urls", "d=5s rate=200 urls=urls"},
		{ParseHTTPLoad, hlShort, "# ./http_load -r 200 -s 5 /tmp/first.txt", "d=5s rate=200 urls=first.txt"},
		{ParseHTTPLoad, hlShort, "$ http_load \u2013p 4 \u2014fetches 1000 urls", "c=4 n=1000 urls=urls"},
		{ParseHTTPLoad, hlShort, "nohup ./http_load -timeout 10 -parallel 4 -seconds 5  http.log >result.test 2>&1 &", "c=4 d=5s timeout=10s urls=http.log"},
		{ParseHTTPLoad, hlShort, "$ http_load -verbose -checksum -timeout 60 -jitter -rate 200 -seconds 5 urls", "d=5s rate=200 jitter=yes urls=urls"},
		{ParseHTTPLoad, hlShort, "$ http_load -throttle -parallel 4 -fetches 1000 urls", "c=4 n=1000 throttle=yes urls=urls"},
		{ParseHTTPLoad, hlShort, "$ http_load -Throttle 400 -proxy p:80 -sip ips -cipher fastsec -parallel 4 -fetches 1000 urls", "c=4 n=1000 throttle=400 proxy=p:80 sources=ips ciphers=fastsec urls=urls"},

		{ParseWrk, wkShort, "", "c=10 d=30s threads=2 kept ?x=1"},
		{ParseWrk, wkShort, "$ wrk -t2 -c10 -d30s --latency http://h:8080/a?x=1", "c=10 d=30s threads=2 kept ?x=1"},
		{ParseWrk, wkShort, "$ wrk --threads=2 --connections=10 --duration=30s --timeout 2 http://h:8080/a?x=1", "c=10 d=30s threads=2 kept ?x=1"},
		{ParseWrk, wkShort, "shell> wrk -H \"Connection: Close\" -c 10 -d 30 http://h:8080/a?x=1", "c=10 d=30s threads=2 ?x=1"},
		{ParseWrk, wkShort, "# cmd: wrk -H Connection: close -c 10 -d 30 http://h:8080/a?x=1", "c=10 d=30s threads=2 ?x=1"}, // a log that lost the quotation marks
		{ParseWrk, wkShort, "me@host:~$ wrk2 -t2 -c10 -d30s -R2k http://h:8080/a\\?x=1", "c=10 d=30s rate=2000 threads=2 kept ?x=1"},
		{ParseWrk, wkShort, "host \u03bb ./wrk --rate 30K -T30s -s lua/post.lua http://h:8080/a?x=1 -- 16 deep", "c=10 d=30s rate=30000 threads=2 kept timeout=30s ?x=1 script=lua/post.lua script_args=16 deep"},
		{ParseWrk, wkShort, "$ wrk -t2 -c10 -d30s -R$RATE http://h:8080/a?x=1", "c=10 d=30s threads=2 kept ?x=1"},
		{ParseWrk, wkShort, "$ wrk -t2 -c10 --turbo 3 -d30s http://h:8080/a?x=1", "c=10 d=30s threads=2 kept ?x=1 turbo=3"},

		{ParseH2Load, h2Short, "", "c=10 n=1000 threads=1 kept"},
		{ParseH2Load, h2Short, "$ h2load -n 1000 -c 10 http://h/a", "c=10 n=1000 streams=1 threads=1 kept"},
		{ParseH2Load, h2Short, "$ h2load -n1000 -c10 -m100 http://h/a", "c=10 n=1000 streams=100 threads=1 kept"},
		{ParseH2Load, h2Short, "sleep 30; h2load --requests=1000 --clients=10 --max-concurrent=100 \"http://h:$V\"", "c=10 n=1000 streams=100 threads=1 kept"},
		{ParseH2Load, h2Short, "$ h2load --h1 -v -n 1000 -c 10 -H 'Accept-Encoding:gzip' -N 5s -w 30 -W 16 http://h/a", "c=10 n=1000 streams=1 threads=1 kept timeout=5s headers=Accept-Encoding: gzip connection_window_bits=16"},
		{ParseH2Load, h2Short, "$ h2load -n 1000 -c 10 --rps 5 -d post.json -i urls.txt http://h/a", "c=10 n=1000 rate=50 streams=1 threads=1 kept POST body=post.json urls=urls.txt"},
		{ParseH2Load, h2Short, "$ h2load -n 1000 -c 10 -r 2 --rate-period=500ms http://h/a", "c=10 n=1000 streams=1 threads=1 kept connection_rate=2 rate_period=500ms"},
		{ParseH2Load, strings.Replace(h2Short, "client(s). ", "client(s). Up to 2 client(s) will be created every 1s ", 1), "", "c=10 n=1000 threads=1 kept connection_rate=2"},
		{ParseH2Load, strings.Replace(h2Short, "10 total client(s). ", "10 concurrent clients, ", 1), "$ h2load -n1000 -c10 -m9 https://h/", "c=10 n=1000 streams=9 threads=1 kept"},
		{ParseH2Load, strings.Replace(h2Short, "1000 total requests\n", "Timing-based test with 5s of warm-up time and 20s of main duration for measurements.\n", 1), "$ h2load-http3 -t1 -c10 -D 20 --warm-up-time=5 -m50 https://h/", "c=10 d=20s streams=50 threads=1 kept warmup=5s"},
	} {
		r := oneOf(t, c.parse, c.command+"\n"+c.report)
		if got := settings(r.Asked); got != c.want {
			t.Errorf("%q:\n%s, not\n%s", c.command, got, c.want)
		}
		if r.Commanded != (c.command != "") {
			t.Errorf("%q: commanded %t", c.command, r.Commanded)
		}
	}
}

// A command may stand on several lines and in quotation marks; prose that names
// the tool is none, nor is another tool's line.
func TestWhatIsACommand(t *testing.T) {
	for _, c := range []struct{ before, want string }{
		{"$ h2load -n 1000 \\\n    -c 10 \\\n    -m 7 http://h/\n", "7"},
		{"**Command:** `h2load -n 1000 -c 10 -m 7 http://h/` was run:\n", "7"},
		{"    h2load -n 1000 -c 10 -m 7 http://h/ | tee out.txt -m 9\n", "7"},
		{"+ /usr/local/bin/h2load -m 7 http://h/ # not -m 9\n", "7"},
		{"docker run --rm -m 512m me/h2load -m 7 http://h/ && echo -m 9\n", "7"},
		{"h2load.exe -m7 http://h/ > out.txt\n", "7"},
		{"$ h2load -m 9 http://h/\n^C\n$ time h2load -m 7 http://h/\n", "7"},
		{"$ h2load -m 7 http://h/\nh2load is a benchmarking tool\nusing h2load: fine\n", "7"},
		{"$ h2load -m\n", "0"},
		{"h2load is a benchmarking tool\n", "0"},
		{"$ myh2load -m 9 http://h/\n$ h2loader -m 9\n", "0"},
	} {
		r := oneOf(t, ParseH2Load, c.before+h2Short)
		if got := fmt.Sprint(r.Streams); got != c.want {
			t.Errorf("%q: %s, not %s", c.before, got, c.want)
		}
	}
}

// A repeat without a command line of its own has that of the report before it,
// as long as what it tells itself is the same and its figures can be.
func TestRepeatsShareTheirCommand(t *testing.T) {
	rate := func(text, from, to string) string { return strings.ReplaceAll(text, from, to) }
	for _, c := range []struct {
		name  string
		parse func(io.Reader) ([]Report, error)
		text  string
		want  []string
	}{
		{"h2load", ParseH2Load, "$ h2load -n 1000 -c 10 -m 7 http://h/\n" + h2Short + h2Short + rate(h2Short, "finished in 1.00s, 1000.00", "finished in 1.10s, 909.09"),
			[]string{"c=10 n=1000 streams=7 threads=1 kept", "c=10 n=1000 streams=7 threads=1 kept", "c=10 n=1000 streams=7 threads=1 kept"}},
		{"other connections", ParseH2Load, "$ h2load -n 1000 -c 10 -m 7 http://h/\n" + h2Short + rate(h2Short, "10 total client", "20 total client"),
			[]string{"c=10 n=1000 streams=7 threads=1 kept", "c=20 n=1000 threads=1 kept"}},
		{"another speed", ParseH2Load, "$ h2load -n 1000 -c 10 -m 7 http://h/\n" + h2Short + rate(h2Short, "finished in 1.00s, 1000.00", "finished in 3.00s, 333.33"),
			[]string{"c=10 n=1000 streams=7 threads=1 kept", "c=10 n=1000 threads=1 kept"}},
		{"http_load", ParseHTTPLoad, "$ http_load -rate 200 -seconds 5 urls\n" + hlShort + hlShort + rate(rate(hlShort, "1000 fetches", "50 fetches"), "200 -- 1000", "200 -- 50"),
			[]string{"d=5s rate=200 urls=urls", "d=5s rate=200 urls=urls", ""}},
		{"wrk2", ParseWrk, "$ wrk -R33 -t2 -c10 -d30s http://h:8080/a?x=1\n" + wkShort + wkShort + rate(wkShort, "/a?x=1", "/a?x=2"),
			[]string{"c=10 d=30s rate=33 threads=2 kept ?x=1", "c=10 d=30s rate=33 threads=2 kept ?x=1", "c=10 d=30s threads=2 kept ?x=2"}},
	} {
		reports, err := c.parse(strings.NewReader(c.text))
		if err != nil || len(reports) != len(c.want) {
			t.Errorf("%s: %d reports, %v", c.name, len(reports), err)
			continue
		}
		for i, r := range reports {
			if got := settings(r.Asked); got != c.want[i] {
				t.Errorf("%s: report %d: %s, not %s", c.name, i+1, got, c.want[i])
			}
		}
	}
}

// What is not told is not made up: neither from the greatest number of
// connections that there came to be, nor from how many requests there were time
// for.
func TestNothingIsInvented(t *testing.T) {
	for _, c := range []struct {
		name   string
		parse  func(io.Reader) ([]Report, error)
		text   string
		want   string
		untold string
	}{
		{"http_load", ParseHTTPLoad, "13970 fetches, 260 max parallel, 69850 bytes, in 10.0003 seconds\n5 mean bytes/connection\nHTTP response codes:\n  code 200 -- 13970\n", "", "-parallel or -rate, -fetches or -seconds"},
		{"http_load at a rate", ParseHTTPLoad, "$ http_load -rate 1000 -fetches 14000 urls\n13970 fetches, 260 max parallel, 69850 bytes, in 10.0003 seconds\n5 mean bytes/connection\nHTTP response codes:\n  code 200 -- 13970\n", "n=14000 rate=1000 urls=urls", ""},
		{"ab that a time limit may have ended", ParseAB, strings.NewReplacer("1.234 seconds", "10.003 seconds", "1000\n", "13973\n").Replace(abShort), "c=10", "-n or -t"},
		{"ab that made what was asked for", ParseAB, abShort, "c=10 n=1000", ""},
		{"ab, by chance after whole seconds", ParseAB, strings.Replace(abShort, "1.234 seconds", "10.003 seconds", 1), "c=10 n=1000", ""},
		{"wrk", ParseWrk, wkShort, "c=10 d=30s threads=2 kept ?x=1", ""},
		{"wrk2", ParseWrk, strings.Replace(wkShort, "  1000 requests", "  Thread calibration: mean lat.: 1.4ms, rate sampling interval: 10ms\n  1000 requests", 1), "c=10 d=30s threads=2 kept ?x=1", "-R"},
		{"h2load", ParseH2Load, h2Short, "c=10 n=1000 threads=1 kept", "-m"},
		{"h2load, its end", ParseH2Load, h2Short[strings.Index(h2Short, "finished"):], "n=1000 kept", "-c, -m"},
		{"h2load, the end of a timed one", ParseH2Load, strings.Replace(h2Short[strings.Index(h2Short, "finished"):], "1000 started", "1020 started", 1), "kept", "-c, -n or -D, -m"},
	} {
		r := oneOf(t, c.parse, c.text)
		if got := settings(r.Asked); got != c.want || r.Untold() != c.untold {
			t.Errorf("%s: %q, untold %q", c.name, got, r.Untold())
		}
	}
}

// Two reports for which the same is told may be of different loads: their
// figures show it where they cannot be of one.
func TestAlike(t *testing.T) {
	h2 := func(mean string, rate string) string {
		return strings.Replace(h2Short, "1000.00 req/s", rate+" req/s", 1) + "time for request:      100us      9.00s      " + mean + "       100us    80.00%\n"
	}
	hl := func(fetches, most, seconds string) string {
		return fetches + " fetches, " + most + " max parallel, 5000 bytes, in " + seconds + " seconds\n5 mean bytes/connection\nHTTP response codes:\n  code 200 -- " + fetches + "\n"
	}
	paced := func(n string) string {
		return "Running 30s test @ http://h/\n  2 threads and 10 connections\n  Thread Stats   Avg      Stdev     99%   +/- Stdev\n  " + n + " requests in 30.00s, 1.00MB read\nRequests/sec: -nan\n"
	}
	plain := func(n, bytes string) string {
		return "Running 30s test @ http://h/\n  2 threads and 10 connections\n  " + n + " requests in 30.00s, " + bytes + " read\nRequests/sec: -nan\n"
	}
	for _, c := range []struct {
		name  string
		parse func(io.Reader) ([]Report, error)
		a, b  string
		want  bool
	}{
		{"h2load, one at a time", ParseH2Load, h2("8.00ms", "1000.00"), h2("9.00ms", "1000.00"), true},
		{"h2load, one and a hundred", ParseH2Load, h2("8.00ms", "1000.00"), h2("800.00ms", "1000.00"), false},
		{"h2load, ten and twenty", ParseH2Load, h2("80.00ms", "1000.00"), h2("160.00ms", "1000.00"), false},
		{"http_load, the same twice", ParseHTTPLoad, hl("4999", "10", "5.003"), hl("5120", "10", "5"), true},
		{"http_load, ten and a thousand a second", ParseHTTPLoad, hl("49", "1", "5.00346"), hl("4999", "4", "5"), false},
		{"http_load, other connections", ParseHTTPLoad, hl("4999", "10", "5"), hl("4999", "20", "5"), false},
		{"http_load, other times", ParseHTTPLoad, hl("4999", "10", "5"), hl("10010", "10", "10"), false},
		{"http_load, the same number", ParseHTTPLoad, hl("1000", "10", "5"), hl("1000", "10", "4.5"), true},
		{"wrk2, one rate", ParseWrk, paced("58912"), paced("58902"), true},
		{"wrk2, two rates", ParseWrk, paced("58912"), paced("180912"), false},
		{"wrk, answers of one size", ParseWrk, plain("1000", "1.00MB"), plain("900", "0.90MB"), true},
		{"wrk, another script", ParseWrk, plain("1000", "1.00MB"), plain("1000", "170.00KB"), false},
	} {
		a, b := oneOf(t, c.parse, c.a), oneOf(t, c.parse, c.b)
		if got := b.AlikeTo(a.Measurement); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
		if got := a.AlikeTo(b.Measurement); got != c.want {
			t.Errorf("%s, the other way about: %t", c.name, got)
		}
	}
}

// Bodies that were sent, or did not come back, make a load another one where no
// command line tells.
func TestWhatABSent(t *testing.T) {
	for lines, want := range map[string]string{
		"Total POSTed:           1700\n":    "c=10 n=1000 body=sent",
		"Total body sent:        1700\n":    "c=10 n=1000 body=sent",
		"HTML transferred:       0 bytes\n": "c=10 n=1000 answers=without body",
		"HTML transferred:       9 bytes\n": "c=10 n=1000",
	} {
		if got := settings(oneOf(t, ParseAB, abShort+lines).Asked); got != want {
			t.Errorf("%q: %s", lines, got)
		}
		r := oneOf(t, ParseAB, "$ ab -i -n 1000 -c 10 http://h/\n"+abShort+lines)
		if r.Method != "HEAD" || len(r.Settings) != 0 {
			t.Errorf("%q, with a command: %s", lines, settings(r.Asked))
		}
	}
}

// FuzzCommand reads command lines of strangers: what comes out is bounded and
// can be shown.
func FuzzCommand(f *testing.F) {
	for _, line := range []string{"ab -kc10 -H 'a: b' http://h/", "wrk -R2k -s x.lua http://h -- 1 2", "h2load --rps=5 --max-con 3 -m", "http_load \u2014rate 5 -seconds \\", "zb h /a -n 5 --x=\"y", "ab -A0 -="} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, d := range []dialect{abDialect, zbDialect, httpLoadDialect, wrkDialect, h2loadDialect} {
			r := Report{Measurement: bench.Measurement{Printed: &bench.Printed{Tool: d.tool}}}
			d.asked(&r, line)
			for _, s := range r.Settings {
				if s.Name == "" || strings.ContainsAny(s.Name, " =,\n") || strings.ContainsAny(s.Value, "\n\r\x1b") {
					t.Errorf("%q: setting %q is %q", line, s.Name, s.Value)
				}
			}
			if r.Requests < 0 || r.Concurrency < 0 || r.Streams < 0 || r.Threads < 0 || r.Rate < 0 || r.Duration < 0 {
				t.Errorf("%q: %+v", line, r.Asked)
			}
		}
	})
}
