package main

// What the engine sets out to reach, as a list of values.

import (
	"fmt"
	"math"
)

// aim is one thing that the engine sets out to reach, and the test of it.
type aim struct {
	What, Wanted string
	Reach        func(book) (reached string, ok, measured bool)
}

// aims is the list of the engine's design, in its order.
func aims() []aim {
	keep := func(server string) string { return workload{aspectWork, server, small, 150, false, 0}.name() }
	file := func(size string, c int) string { return workload{aspectWork, serverNginx, size, c, false, 0}.name() }
	closing := func(c int) string { return workload{aspectWork, serverNginx, small, c, true, 0}.name() }
	return []aim{
		perCPU("keep-alive small, canned server, c = 150", keep(serverCanned), "wrk", 2),
		perCPU("keep-alive small, nginx, c = 150", keep(serverNginx), "wrk", 1.5),
		perCPU("connection per request, nginx, c = 150", closing(150), "wrk", 1.8),
		perCPU("connection per request, nginx, c = 150", closing(150), "ab", 1.8),
		perCPU("connection per request, nginx, c = 10", closing(10), "wrk", 1.3),
		perCPU("connection per request, nginx, c = 10", closing(10), "ab", 1.3),
		perCPU("keep-alive medium, nginx, c = 10", file(medium, 10), "wrk", 3.5),
		perCPU("keep-alive medium, nginx, c = 150", file(medium, 150), "wrk", 3.5),
		perCPU("keep-alive large, nginx, c = 10", file(large, 10), "wrk", 4),
		perCPU("keep-alive large, nginx, c = 150", file(large, 150), "wrk", 4),
		perCPU("keep-alive small, canned server, c = 150", keep(serverCanned), "hey", 6),
		perCPU("keep-alive small, canned server, c = 150", keep(serverCanned), "bombardier", 2.5),
		{"peak memory at 10 000 connections", "at most 20 MB", memoryAim},
		{"requests per second, every workload", "never fewer than wrk", neverFewer},
		{"p50 against a delay of 10 ms, c = 1", "within 0.3 ms", delayAim},
		{"p99 under stalls, rate-controlled", "the true one, within a tenth", stallAim},
	}
}

// perCPU is an aim of work per client CPU-second.
func perCPU(what, workload, peer string, want float64) aim {
	return aim{
		What: "work per client CPU-second: " + what, Wanted: fmt.Sprintf("%.1f x %s", want, peer),
		Reach: func(b book) (string, bool, bool) {
			r := ratios(b.Trials, workload, matrixName, peer, trial.perCPUSecond)
			return ratioText(r), r.Median >= want, r.N > 0
		},
	}
}

func memoryAim(b book) (string, bool, bool) {
	m := of(b.Trials, workload{aspectMemory, serverCanned, small, 10000, false, 0}.name(), matrixName, trial.memory)
	return fmt.Sprintf("%.1f MB", m.Median/1e6), m.Median <= 20e6, m.N > 0
}

// neverFewer names the workload in which matrix is least ahead of wrk.
func neverFewer(b book) (string, bool, bool) {
	least, where := spread{}, ""
	for _, w := range workloads() {
		if w.Aspect != aspectWork {
			continue
		}
		r := ratios(b.Trials, w.name(), matrixName, "wrk", trial.perSecond)
		if r.N > 0 && (least.N == 0 || r.Median < least.Median) {
			least, where = r, w.name()
		}
	}
	return fmt.Sprintf("at least %s x (%s)", ratioText(least), where), least.Median >= 1, least.N > 0
}

func delayAim(b book) (string, bool, bool) {
	m := of(b.Trials, workload{aspectDelay, serverDelay, small, 1, false, 0}.name(), matrixName, trial.p50)
	known := float64(knownDelay.Microseconds()) / 1e3
	return fmt.Sprintf("%.3f ms", m.Median), math.Abs(m.Median-known) <= 0.3, m.N > 0
}

func stallAim(b book) (string, bool, bool) {
	m := of(b.Trials, workload{aspectStall, serverStall, small, 10, false, stallRate}.name(), matrixName, trial.p99)
	want := b.TrueP99()
	return fmt.Sprintf("%.0f ms, true %.0f ms", m.Median, want), math.Abs(m.Median-want) <= want/10, m.N > 0
}
