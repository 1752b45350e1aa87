package main

import (
	"strings"
	"testing"
	"time"
)

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range workloads() {
		if seen[w.name()] {
			t.Errorf("two workloads are called %s", w.name())
		}
		seen[w.name()] = true
	}
	// An aim looks at workloads by name: with a figure for each name it is measured.
	var b book
	for _, w := range workloads() {
		for _, c := range clients("matrix", "") {
			b.Trials = append(b.Trials, trial{Workload: w.name(), Client: c.Name, cost: cost{CPUUserS: 1, MaxRSS: 1}, figures: figures{Requests: 1, PerSecond: 1, P50: new(1.0), P99: new(1.0)}})
		}
	}
	for _, a := range aims() {
		if _, _, measured := a.Reach(b); !measured {
			t.Errorf("%s: no workload or client of that name", a.What)
		}
		if reached, ok, measured := a.Reach(book{}); measured {
			t.Errorf("%s: reached %s, %v with nothing measured", a.What, reached, ok)
		}
	}
}

func TestReport(t *testing.T) {
	name := workload{aspectWork, serverCanned, small, 150, false, 0}.name()
	run := func(round int, client string, requests, cpu float64) trial {
		return trial{
			Workload: name, Client: client, Round: round, Command: []string{"/somewhere/" + client, "-c", "150", "a b"},
			cost: cost{CPUUserS: cpu, MaxRSS: 5e6}, figures: figures{Requests: requests, PerSecond: requests},
		}
	}
	b := book{
		Date: "2026-01-02 03:04 UTC", Rounds: 2, Seconds: 3, Stalls: stalls{10 * time.Second, time.Second},
		Trials: []trial{run(0, "matrix", 40000, 0.25), run(0, "wrk", 20000, 0.25), run(1, "matrix", 60000, 0.5), run(1, "wrk", 30000, 0.75)},
	}
	var page strings.Builder
	if err := b.write(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Measured 2026-01-02 03:04 UTC: 2 rounds, trials of 3 s.",
		"| work per client CPU-second: keep-alive small, canned server, c = 150 | 2.0 x wrk | 2.50 (2.00 to 3.00) | yes |",
		"| work per client CPU-second: keep-alive small, canned server, c = 150 | 6.0 x hey | - | not measured |",
		"| requests per second, every workload | never fewer than wrk | at least 2.00 (2.00 to 2.00) x (" + name + ") | yes |",
		"| keep-alive small, canned, c = 150 | matrix | 50000 | 7.29 |  |  |",
		"| keep-alive small, canned, c = 150 | wrk | 25000 | 18.75 | 2.50 (2.00 to 3.00) | 2.00 (2.00 to 2.00) |",
		"p99 of 900 ms",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"/somewhere", "smoke run", "Trials with failures"} {
		if strings.Contains(page.String(), not) {
			t.Errorf("the page has %q", not)
		}
	}
	b.Quick, b.Trials[0].Error, b.Trials[1].Failed = true, "broke", 5
	page.Reset()
	if err := b.write(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"smoke run", name + ", matrix, round 1: broke", name + ", wrk, round 1: 5 requests failed of 20005"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestShown(t *testing.T) {
	if got := shown("../bin/hey", []string{"-H", "Connection: close", "http://a/"}); got != "hey -H 'Connection: close' http://a/" {
		t.Error(got)
	}
}
