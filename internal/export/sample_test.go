package export

import (
	"fmt"
	"math"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/table"
)

// nasty is a label that means something to every format it could stand in.
const nasty = "Red Hat 7.0, \"SMP\" <b>&'</script>"

var start = time.Date(2026, 11, 30, 14, 30, 0, 0, time.UTC)

// point is what the systems are tried at.
type point struct {
	file        bench.File
	conns       int
	requests    int64
	duration    time.Duration
	driver      string
	label, axis string // of a further axis
}

func newCell(system, at int, labels []bench.Pair, p point) bench.Cell {
	budget := bench.Pair{Name: "requests", Value: fmt.Sprint(p.requests)}
	if p.duration > 0 {
		budget = bench.Pair{Name: "duration", Value: p.duration.String()}
	}
	axes := []bench.Pair{{Name: "file", Value: p.file.Name}, {Name: "concurrency", Value: fmt.Sprint(p.conns)}, budget, {Name: "driver", Value: p.driver}}
	if p.label != "" {
		axes = append(axes, bench.Pair{Name: p.label, Value: p.axis})
	}
	load := bench.Load{Protocol: bench.HTTP10, Conns: p.conns, Requests: p.requests, Duration: p.duration}
	return bench.Cell{
		Key: bench.KeyOf(append(append([]bench.Pair{}, labels...), axes...)), Labels: labels, Axes: axes,
		System: system, Point: at, Driver: p.driver, File: p.file, Load: load, Digest: "d1",
	}
}

// good is a trial in which all went well, at rate requests per second.
func good(c bench.Cell, round int, rate float64) bench.Record {
	n := c.Load.Requests
	elapsed := time.Duration(float64(n) / rate * float64(time.Second))
	if c.Load.Duration > 0 {
		elapsed, n = c.Load.Duration, int64(rate*c.Load.Duration.Seconds())
	}
	h := hist.New(0)
	for i := range int64(50) {
		h.Record(time.Duration(float64(time.Second)/rate) * time.Duration(1+i%10))
	}
	r := bench.Record{Trial: bench.Trial{Cell: c, Round: round}, Started: start.Add(time.Duration(round) * time.Minute), State: bench.StateOK}
	r.Measurement = bench.Measurement{Elapsed: elapsed, Issued: n, OK: n, BodyBytes: n * c.File.Size, WireBytes: n * (c.File.Size + 200)}
	r.Host = bench.Observation{Before: bench.Host{Load1: new(0.25), Zombies: new(0)}, After: bench.Host{Load1: new(0.5)}, Peak: bench.Host{Load1: new(0.4 + float64(round)), Zombies: new(1)}}
	if c.Driver == "ab" {
		r.Printed = &bench.Printed{Tool: "ab", Version: "2.3", RequestsPerSecond: new(math.Round(rate*100) / 100),
			Latency: &bench.Summary{Mean: new(0.012), Median: new(0.011), Max: new(0.1)}, Quantiles: []bench.Quantile{{P: 0.5, Seconds: 0.011}, {P: 0.99, Seconds: 0.09 + float64(round)/1000}}}
		return r
	}
	r.Latency, r.FirstByte, r.Connect = h, h, h
	r.Client = &bench.ClientCost{CPUUser: 0.5, CPUSystem: 1, MaxRSS: 12345678}
	return r
}

// bad is a trial of which nothing was measured.
func bad(c bench.Cell, round int, state bench.State, reason string) bench.Record {
	return bench.Record{Trial: bench.Trial{Cell: c, Round: round}, Started: start, State: state, Reason: reason}
}

func info(systems [][]bench.Pair, rounds int) bench.RunInfo {
	p := bench.Plan{Scenario: "sample", Title: "Sample of " + nasty, About: "Some *words*.\n\n# not a heading", Digest: "abc", Rounds: rounds,
		Source: &bench.Source{Title: "A page", Date: "2001-01-02", URL: "javascript:alert(1)"}}
	for _, labels := range systems {
		p.Systems = append(p.Systems, bench.System{Labels: labels})
	}
	h := bench.HostInfo{Name: "bench1", OS: "Debian GNU/Linux 12", Kernel: "Linux 6.1.0 x86_64", CPU: "Example CPU", Cores: 2,
		Memory: 4294967296, OpenFiles: [2]uint64{1024, 1048576}, Sysctls: map[string]string{"net.core.somaxconn": "4096", "net.ipv4.ip_local_port_range": "32768\t60999"}}
	return bench.RunInfo{Version: 1, ID: "sample/20261130T143000Z", Started: start, Finished: new(start.Add(time.Hour)),
		Command: []string{"matrix", "run", "my scenario.yaml"}, Scenario: "title: Sample # <b>\n", Plan: p,
		Tools: map[string]string{"nginx": "1.22.1", "ab": "2.3"}, Host: h, Generator: h,
		Servers: []bench.ServerInfo{{System: "OS=" + nasty, Version: "nginx/1.22.1", Config: "worker_processes 1;\n"}}}
}

func labels(pairs ...string) []bench.Pair {
	var l []bench.Pair
	for i := 0; i < len(pairs); i += 2 {
		l = append(l, bench.Pair{Name: pairs[i], Value: pairs[i+1]})
	}
	return l
}

var (
	small  = bench.File{Name: "small", Size: 1500}
	medium = bench.File{Name: "medium", Size: 143000}
	set    = bench.File{Name: "set", Size: 1024, Count: 1000}
)

// full is a run of three rounds on systems with hostile labels, with failures of
// every kind, a hole, a timed cell and a counter beyond 2^53.
func full() *table.Report { return tried(3) }

// repeated is full with the rounds that it takes to tell systems apart.
func repeated() *table.Report { return tried(6) }

func tried(rounds int) *table.Report {
	systems := [][]bench.Pair{
		labels("OS", nasty, "Kernel Tweaked?", "No"),
		labels("OS", "日本語 `|` 👩‍👩‍👧", "Kernel Tweaked?", "=HYPERLINK(\"http://192.0.2.1/\")"),
		labels("OS", "two\nlines\x1b[31m\u202e", "Kernel Tweaked?", "-5", "driver", "+1"),
	}
	points := []point{
		{file: small, conns: 10, requests: 100, driver: "native"}, {file: small, conns: 10, requests: 100, driver: "ab"},
		{file: medium, conns: 1025, requests: 1025, driver: "native"}, {file: set, conns: 10, duration: time.Minute, driver: "native"},
	}
	run := info(systems, rounds)
	run.Plan.Labels = []string{"OS", "Kernel Tweaked?"}
	var records []bench.Record
	for s, l := range systems {
		for i, p := range points {
			c := newCell(s, i, l, p)
			for round := 1; round <= rounds; round++ {
				records = append(records, trial(s, i, c, round)...)
			}
		}
	}
	run.Notes = []bench.Note{{Code: "governor", Text: "The CPU governor is powersave."}}
	r := table.Build(run, records)
	return r
}

// trial is what full has recorded of a trial; nothing for a hole.
func trial(system, at int, c bench.Cell, round int) []bench.Record {
	r := good(c, round, 1000*float64(1+system)+float64(37*round))
	switch {
	case system == 2 && at == 0: // a hole
		return nil
	case at == 2 && system == 0:
		return []bench.Record{bad(c, round, bench.StateFailed, "socket: Too many open files (24) | <i>")}
	case at == 2 && system == 1 && round == 2:
		return []bench.Record{bad(c, round, bench.StateTimeout, "no answer within 30s (1025 of 1025)")}
	case at == 2 && system == 2:
		return []bench.Record{bad(c, round, bench.StateSkipped, "concurrency 1025 above requests 10")}
	case at == 3 && system == 1:
		r.Fail(bench.Reset, 3, "connection reset by peer")
		r.OK -= 3
		r.State, r.Reason = r.Measurement.State()
		r.Notes = []bench.Note{{Code: "client-bound", Text: "The generator used all of its CPU."}}
	case at == 3:
		r.BodyBytes, r.WireBytes = 1<<53+1, 1<<60+1
	}
	if at == 0 {
		r.Multi = &bench.Multi{Asked: 5, OK: 5}
		if system == 1 {
			r.Multi = &bench.Multi{Asked: 5, OK: max(5-round, 0), Reason: "=cmd|' /C calc'!A0"}
		}
	}
	return []bench.Record{r}
}

// single is one cell of one system, tried once.
func single() *table.Report {
	l := labels("Server", "nginx")
	c := newCell(0, 0, l, point{file: small, conns: 10, requests: 1000, driver: "native"})
	return table.Build(info([][]bench.Pair{l}, 1), []bench.Record{good(c, 1, 23456.789)})
}

// hopeless is a run in which no cell could be measured, under a further axis.
func hopeless() *table.Report {
	l := labels("Server", "apache")
	var records []bench.Record
	for i, v := range []string{"yes", "no"} {
		c := newCell(0, i, l, point{file: small, conns: 10, requests: 1000, driver: "ab", label: "keep_alive", axis: v})
		records = append(records, bad(c, 1, bench.StateFailed, "apr_socket_recv: Connection refused (111)"))
	}
	return table.Build(info([][]bench.Pair{l}, 1), records)
}

// nothing is a run that recorded nothing.
func nothing() *table.Report { return table.Build(info(nil, 1), nil) }

// narrowed is full on a terminal of 80 columns.
func narrowed() *table.Report {
	r := full()
	r.Width = 80
	return r
}
