package main

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// Codes of the notes that a reader of an import is told of at once.
const (
	cutShort    = "cut-short"
	otherTarget = "other-target"
)

// target is what a log says was asked: host, port and path; "" where it says
// neither host nor path.
func target(report transcript.Report) string {
	host := report.Host
	if host != "" && report.Port > 0 {
		host = net.JoinHostPort(host, strconv.Itoa(report.Port))
	}
	return host + report.Path
}

// otherTargets notes that a round of a cell asked another host or path than one
// before: these are pooled.
func otherTargets(r bench.Record, others []bench.Record) []bench.Note {
	for _, o := range others {
		if o.Cell.Key == r.Cell.Key && elsewhere(o.Address, r.Address) {
			return []bench.Note{{Code: otherTarget, Text: fmt.Sprintf("this round asked %s, and an earlier one of the cell %s: a label would tell them apart", r.Address, o.Address)}}
		}
	}
	return nil
}

// elsewhere reports whether two targets differ in what both tell.
func elsewhere(a, b string) bool {
	hostA, pathA, _ := strings.Cut(a, "/")
	hostB, pathB, _ := strings.Cut(b, "/")
	if nameA, _, err := net.SplitHostPort(hostA); err == nil && !strings.Contains(hostB, ":") {
		hostA = nameA
	}
	if nameB, _, err := net.SplitHostPort(hostB); err == nil && !strings.Contains(hostA, ":") {
		hostB = nameB
	}
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(hostA, hostB) || differ(pathA, pathB)
}

// remarks tells of the records of a log what is not as in a sound one.
func remarks(l logFile, records []bench.Record) (lines []string) {
	for i, r := range records {
		say := func(text string) { lines = append(lines, fmt.Sprintf("%s: report %d: %s", l.path, i+1, text)) }
		if l.reports[i].Abort != "" && strings.Contains(l.reports[i].Abort, "cut short") {
			say(r.Reason)
		}
		for _, n := range slices.Concat(r.Measurement.Notes, r.Notes) {
			if n.Code == cutShort || n.Code == otherTarget {
				say(n.Text)
			}
		}
	}
	return lines
}
