package main

// The tables of the report, in Markdown.

import (
	"fmt"
	"strings"
)

// markdown is a table; the first row is its head. The first words columns are
// text, the others numbers.
func markdown(words int, rows [][]string) string {
	if len(rows) < 2 {
		return "Not measured.\n"
	}
	var s strings.Builder
	for i, row := range rows {
		s.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			s.WriteString(strings.Repeat("|---", words) + strings.Repeat("|---:", len(row)-words) + "|\n")
		}
	}
	return s.String()
}

func ratioText(s spread) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Median, s.Min, s.Max)
}

// text formats a median; a dash where nothing was measured.
func text(s spread, format string, scale float64) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf(format, s.Median*scale)
}

// names are the clients of a workload, in the order of the list of clients.
func (b book) names(workload string) []string {
	ran := map[string]bool{}
	for _, t := range b.Trials {
		if t.Workload == workload {
			ran[t.Client] = true
		}
	}
	var names []string
	for _, c := range clients("", "") {
		if ran[c.Name] {
			names = append(names, c.Name)
		}
	}
	return names
}

// Work is the table of throughput and cost.
func (b book) Work() string {
	rows := [][]string{{"workload", "client", "req/s", "us CPU per request", "matrix / client: req per CPU-second", "matrix / client: req/s"}}
	for _, w := range workloads() {
		if w.Aspect != aspectWork {
			continue
		}
		for _, name := range b.names(w.name()) {
			row := []string{b.title(w), name,
				text(of(b.Trials, w.name(), name, trial.perSecond), "%.0f", 1),
				text(of(b.Trials, w.name(), name, cpuEach), "%.2f", 1), "", ""}
			if name != matrixName {
				row[4] = ratioText(ratios(b.Trials, w.name(), matrixName, name, trial.perCPUSecond))
				row[5] = ratioText(ratios(b.Trials, w.name(), matrixName, name, trial.perSecond))
			}
			rows = append(rows, row)
		}
	}
	return markdown(2, rows)
}

// cpuEach is the client's CPU time for one request, in us.
func cpuEach(t trial) (float64, bool) {
	v, ok := t.perCPUSecond()
	if !ok {
		return 0, false
	}
	return 1e6 / v, true
}

func (b book) title(w workload) string {
	mode := "keep-alive"
	if w.Close {
		mode = "connection per request"
	}
	return fmt.Sprintf("%s %s, %s, c = %d", mode, w.Size, w.Server, w.Conns)
}

// ServerCost is the CPU time that the canned server spends on a request, in
// us, beside what each client spends: it must not be the slower of the two.
func (b book) ServerCost() string {
	rows := [][]string{{"client", "server, us CPU per request", "client, us CPU per request"}}
	w := workload{Aspect: aspectWork, Server: serverCanned, Size: small, Conns: 150}.name()
	each := func(t trial) (float64, bool) {
		if t.ServerCPUS == nil || t.Requests == 0 || t.Error != "" {
			return 0, false
		}
		return *t.ServerCPUS / t.Requests * 1e6, true
	}
	for _, name := range b.names(w) {
		rows = append(rows, []string{name, text(of(b.Trials, w, name, each), "%.2f", 1), text(of(b.Trials, w, name, cpuEach), "%.2f", 1)})
	}
	return markdown(1, rows)
}

// Memory is the table of peak memory, in MB.
func (b book) Memory() string {
	head, ws := []string{"client"}, []workload{}
	for _, w := range workloads() {
		if w.Aspect == aspectMemory {
			ws = append(ws, w)
			head = append(head, fmt.Sprintf("c = %d", w.Conns))
		}
	}
	rows := [][]string{head}
	for _, c := range clients("", "") {
		row, any := []string{c.Name}, false
		for _, w := range ws {
			m := of(b.Trials, w.name(), c.Name, trial.memory)
			any = any || m.N > 0
			row = append(row, text(m, "%.1f", 1e-6))
		}
		if any {
			rows = append(rows, row)
		}
	}
	return markdown(1, rows)
}

// Delay and Stall show what latency each client tells of a server whose
// latency is known.
func (b book) Delay() string { return b.latencies(aspectDelay) }
func (b book) Stall() string { return b.latencies(aspectStall) }

func (b book) latencies(aspect string) string {
	rows := [][]string{{"client", "p50, ms", "p99, ms", "req/s"}}
	for _, w := range workloads() {
		if w.Aspect != aspect {
			continue
		}
		for _, name := range b.names(w.name()) {
			rows = append(rows, []string{name,
				text(of(b.Trials, w.name(), name, trial.p50), "%.3f", 1),
				text(of(b.Trials, w.name(), name, trial.p99), "%.3f", 1),
				text(of(b.Trials, w.name(), name, trial.perSecond), "%.0f", 1)})
		}
	}
	return markdown(1, rows)
}

// Aims is what was wanted beside what was reached.
func (b book) Aims() string {
	rows := [][]string{{"aim", "wanted", "reached", ""}}
	for _, a := range aims() {
		reached, ok, measured := a.Reach(b)
		verdict := map[bool]string{true: "yes", false: "no"}[ok]
		if !measured {
			reached, verdict = "-", "not measured"
		}
		rows = append(rows, []string{a.What, a.Wanted, reached, verdict})
	}
	return markdown(4, rows)
}

// Startup is what the command itself costs.
func (b book) Startup() string {
	rows := [][]string{{"command", "CPU, ms", "wall, ms", "peak memory, MB"}}
	for _, s := range b.Startups {
		rows = append(rows, []string{"`" + s.Command + "`", fmt.Sprintf("%.1f", s.CPUMS), fmt.Sprintf("%.1f", s.WallMS), fmt.Sprintf("%.1f", s.MaxRSS/1e6)})
	}
	return markdown(1, rows)
}
