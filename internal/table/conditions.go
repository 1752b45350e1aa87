package table

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// conditions tells where, when and with what a run was measured. Facts that are
// not known are absent.
func conditions(info bench.RunInfo) []Section {
	run := Section{Title: "Run"}
	run.add("Run", info.ID)
	if !info.Started.IsZero() {
		run.add("Started", info.Started.UTC().Format(time.RFC3339))
	}
	if info.Finished != nil {
		run.add("Finished", info.Finished.UTC().Format(time.RFC3339))
	}
	run.add("Command", CommandLine(info.Command))
	run.add("Scenario digest", info.Plan.Digest)
	if info.Plan.Seed != 0 {
		run.add("Seed", strconv.FormatUint(info.Plan.Seed, 10))
	}
	sections := []Section{run}
	if reflect.DeepEqual(info.Host, info.Generator) {
		sections = append(sections, host("Host of servers and load generator", info.Host))
	} else {
		sections = append(sections, host("Host of the servers", info.Host), host("Host of the load generator", info.Generator),
			differences("Differences between hosts", []namedHost{{"servers", info.Host}, {"load generator", info.Generator}}))
	}
	tools := Section{Title: "Tools"}
	for _, name := range slices.Sorted(maps.Keys(info.Tools)) {
		tools.add(name, info.Tools[name])
	}
	servers := Section{Title: "Servers"}
	for _, s := range info.Servers {
		servers.add(s.System, s.Version)
		servers.add("Configuration of "+s.System, s.Config)
	}
	sections = append(sections, tools, servers)
	return slices.DeleteFunc(sections, func(s Section) bool { return len(s.Facts) == 0 })
}

// where tells in one sentence when and on what a run was measured; "" when
// neither is known.
func where(info bench.RunInfo) string {
	var parts []string
	if !info.Started.IsZero() {
		parts = append(parts, "Started "+info.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	h := info.Host
	if h.Kernel == "" && h.CPU == "" && h.OS == "" {
		h = info.Generator
	}
	for _, fact := range []string{h.OS, h.Kernel, h.CPU} {
		if fact != "" {
			parts = append(parts, fact)
		}
	}
	if h.Cores > 0 {
		parts = append(parts, unit.Counted(h.Cores, "core"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}

func (s *Section) add(name, value string) {
	if value != "" {
		s.Facts = append(s.Facts, bench.Pair{Name: name, Value: value})
	}
}

func host(title string, h bench.HostInfo) Section {
	s := Section{Title: title}
	s.add("Name", h.Name)
	s.add("OS", h.OS)
	s.add("Kernel", h.Kernel)
	s.add("CPU", h.CPU)
	if h.Cores > 0 {
		s.add("Cores", strconv.Itoa(h.Cores))
	}
	if h.Memory > 0 {
		m := float64(h.Memory)
		scale := unit.Pick([]float64{m}, unit.Bytes)
		s.add("Memory", scale.Format(m)+" "+scale.Label)
	}
	if h.OpenFiles[1] > 0 {
		s.add("Open files", fmt.Sprintf("%d soft, %d hard", h.OpenFiles[0], h.OpenFiles[1]))
	}
	s.add("Virtualised", h.Virtualised)
	for _, name := range slices.Sorted(maps.Keys(h.Sysctls)) {
		s.add(name, strings.Join(strings.Fields(h.Sysctls[name]), " "))
	}
	return s
}

// CommandLine joins an argv so that a POSIX shell reads it back.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+", r)
		}) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
