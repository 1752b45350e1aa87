package main

// What the figures were measured on and with.

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// fact is one line about the machine or a program, for the head of the report.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// machine tells what the figures were measured on, without naming the host.
func machine() []fact {
	facts := []fact{
		{"processor", found("/proc/cpuinfo", `(?m)^model name\s*:\s*(.+)$`)},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"virtual", virtual()},
		{"memory", found("/proc/meminfo", `(?m)^MemTotal:\s+(.+)$`)},
		{"kernel", kernel()},
		{"congestion control", found("/proc/sys/net/ipv4/tcp_congestion_control", `(\S+)`)},
		{"ephemeral ports", strings.Join(strings.Fields(found("/proc/sys/net/ipv4/ip_local_port_range", `(.+)`)), " to ")},
		{"listen backlog limit", found("/proc/sys/net/core/somaxconn", `(\d+)`)},
	}
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		facts = append(facts, fact{"open files", fmt.Sprint(files.Cur)})
	}
	return append(facts, fact{"processor speed", "the governor of cpufreq: " + found("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", `(\S+)`)})
}

func found(path, pattern string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "not told"
	}
	return first(b, pattern)
}

func first(b []byte, pattern string) string {
	m := regexp.MustCompile(pattern).FindSubmatch(b)
	if m == nil {
		return "not told"
	}
	return strings.TrimSpace(string(m[1]))
}

func virtual() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "not told"
	}
	if regexp.MustCompile(`(?m)^flags\s*:.*\bhypervisor\b`).Match(b) {
		return "yes"
	}
	return "no"
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "not told"
	}
	text := func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }
	return text(u.Sysname[:]) + " " + text(u.Release[:]) + " " + text(u.Machine[:])
}

// versions asks each program what it is. Programs written in Go carry the
// version of their module.
func versions(ctx context.Context, all []client) []fact {
	var facts []fact
	ask := map[string]struct {
		args          []string
		pattern, from string // the Debian package it comes from
	}{
		matrixName: {[]string{"version"}, `(?s)^(.+)$`, ""},
		"wrk":      {[]string{"-v"}, `(?m)^(wrk \S+.*?)\s+Copyright`, "wrk"},
		"ab":       {[]string{"-V"}, `(Version \S+)`, "apache2-utils"},
		"h2load":   {[]string{"--version"}, `(?m)^(.+)$`, "nghttp2-client"},
	}
	for _, c := range all {
		if info, err := buildinfo.ReadFile(c.Bin); err == nil && c.Name != matrixName {
			if c.Bin != all[0].Bin {
				facts = append(facts, fact{c.Name, info.Main.Version + ", built by " + info.GoVersion})
			}
			continue
		}
		if a, ok := ask[c.Name]; ok {
			facts = append(facts, fact{c.Name, answer1(ctx, c.Bin, a.args, a.pattern) + packaged(ctx, a.from)})
		}
	}
	return append(facts, fact{"nginx", answer1(ctx, "nginx", []string{"-v"}, `nginx version: (.+)`) + packaged(ctx, "nginx")}, fact{"Go", runtime.Version()})
}

// answer1 is what a program says on one line. Some exit badly when they tell
// their version: only what they say counts.
func answer1(ctx context.Context, bin string, args []string, pattern string) string {
	out, err := exec.CommandContext(ctx, bin, args...).CombinedOutput()
	if text := first(out, pattern); text != "not told" {
		return strings.Join(strings.Fields(text), " ")
	}
	return fmt.Sprintf("not told (%v)", err)
}

// packaged is the version of a Debian package, in brackets; empty elsewhere.
func packaged(ctx context.Context, name string) string {
	if name == "" {
		return ""
	}
	out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", name).Output()
	if err != nil || len(out) == 0 {
		return ""
	}
	return " (Debian " + string(out) + ")"
}
