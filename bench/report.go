package main

// The report: everything measured, put through the template.

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

// book is everything that was measured: the raw figures from which the report
// is made, and what -json keeps.
type book struct {
	Date     string    `json:"date"`
	Quick    bool      `json:"quick"` // a smoke run: the figures mean nothing
	Rounds   int       `json:"rounds"`
	Seconds  int       `json:"seconds"`
	Stalls   stalls    `json:"stalls_ns"`
	Machine  []fact    `json:"machine"`
	Versions []fact    `json:"versions"`
	Startups []startup `json:"startups"`
	Notes    []fact    `json:"notes"`
	Trials   []trial   `json:"trials"`
}

// TrueP99 is the 99th percentile of latency in ms under the stalls, were
// requests sent at a steady rate and answered at once otherwise: a request that
// meets a stall waits for the rest of it, so a share length/every of them has
// latencies evenly spread over 0 to length.
func (b book) TrueP99() float64 {
	share := b.Stalls.Length.Seconds() / b.Stalls.Every.Seconds()
	if share <= 0.01 {
		return 0
	}
	return b.Stalls.Length.Seconds() * (1 - 0.01/share) * 1e3
}

//go:embed performance.md.tmpl
var page string

// remarks are written by hand: what was tried where an aim is not reached, and
// what the profile shows. They stand below the table of aims.
//
//go:embed remarks.md
var remarks string

// Remarks is empty when there are none.
func (b book) Remarks() string { return strings.TrimSpace(remarks) }

// write makes the report.
func (b book) write(w io.Writer) error {
	t, err := template.New("performance").Funcs(template.FuncMap{
		"facts": factLines, "ms": func(d time.Duration) string { return fmt.Sprintf("%g ms", d.Seconds()*1e3) },
	}).Parse(page)
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	if err := t.Execute(w, b); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func factLines(facts []fact) string {
	var s strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&s, "- %s: %s\n", f.Name, f.Value)
	}
	return s.String()
}

// shown is a command as one would type it, without the place of the program.
func shown(bin string, args []string) string {
	words := []string{filepath.Base(bin)}
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// Commands are those of three workloads; the others differ in numbers only.
func (b book) Commands() string {
	var lines []string
	for _, w := range workloads() {
		keep := w.Aspect == aspectWork && w.Server == serverNginx && w.Size == small && w.Conns == 150
		if !keep && w.Aspect != aspectStall && !(w.Size == large && w.Conns == 150) {
			continue
		}
		if len(b.names(w.name())) == 0 {
			continue
		}
		lines = append(lines, "", "# "+w.name())
		seen := map[string]bool{}
		for _, t := range b.Trials {
			if t.Workload == w.name() && !seen[t.Client] {
				seen[t.Client] = true
				lines = append(lines, shown(t.Command[0], t.Command[1:]))
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Faults are trials that gave no figures, or counted failures.
func (b book) Faults() []string {
	var lines []string
	for _, t := range b.Trials {
		switch {
		case t.Error != "":
			lines = append(lines, fmt.Sprintf("%s, %s, round %d: %s", t.Workload, t.Client, t.Round+1, t.Error))
		case t.Failed > 0:
			lines = append(lines, fmt.Sprintf("%s, %s, round %d: %.0f requests failed of %.0f", t.Workload, t.Client, t.Round+1, t.Failed, t.Failed+t.Requests))
		}
	}
	return lines
}

// Backends are the ways in which matrix reached the kernel in these trials.
func (b book) Backends() string {
	var names []string
	for _, t := range b.Trials {
		if t.Backend != "" && !slices.Contains(names, t.Backend) {
			names = append(names, t.Backend)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
