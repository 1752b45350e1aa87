package compare

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"matrix/internal/bench"
)

// fact is one thing that was so when a run was made.
type fact struct{ name, value string }

// facts are what may make figures differ without any cell's being at fault.
func facts(r bench.RunInfo) (list []fact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, fact{name, value})
		}
	}
	host := func(of string, h bench.HostInfo) {
		add(of, h.Name)
		add("OS of "+of, h.OS)
		add("kernel of "+of, h.Kernel)
		add("CPU of "+of, h.CPU)
		add("cores of "+of, positive(int64(h.Cores)))
		add("memory of "+of+" in bytes", positive(h.Memory))
		add("limit of open files of "+of, positive(int64(min(h.OpenFiles[1], math.MaxInt64))))
		add("virtualisation of "+of, h.Virtualised)
		for _, name := range slices.Sorted(maps.Keys(h.Sysctls)) {
			add(name+" of "+of, strings.Join(strings.Fields(h.Sysctls[name]), " "))
		}
	}
	host("the servers' host", r.Host)
	host("the load generator's host", r.Generator)
	for _, name := range slices.Sorted(maps.Keys(r.Tools)) {
		add("version of "+name, r.Tools[name])
	}
	for _, s := range r.Servers {
		add("version of "+s.System, s.Version)
		add("configuration of "+s.System, asWritten(s.Config, r.ID))
	}
	add("scenario", r.Plan.Digest)
	add("filter of cells", r.Only)
	return list
}

// seen are facts that stand in records: what the engine used of the kernel, and
// where a URL led.
func seen(cells [][]bench.Record) (list []fact) {
	values := map[string]map[string]bool{}
	add := func(name, value string) {
		if value == "" {
			return
		}
		if values[name] == nil {
			values[name] = map[string]bool{}
		}
		values[name][value] = true
	}
	for _, rounds := range cells {
		for i := range rounds {
			r := &rounds[i]
			add("back end of the engine", r.Backend)
			if a, err := netip.ParseAddrPort(r.Address); err == nil && !a.Addr().IsLoopback() {
				add("address of "+string(bench.KeyOf(r.Cell.Labels)), a.Addr().String())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, fact{name, strings.Join(slices.Sorted(maps.Keys(values[name])), ", ")})
	}
	return list
}

// chosen matches what is new in every run, and nobody's change: the port that was
// free, and where the files are.
var chosen = regexp.MustCompile(`(?i)(127\.0\.0\.1:|port\W{1,4})[0-9]{2,5}\b|/[^"\s]*/\.files/`)

// asWritten is a configuration without the places that were chosen for a run.
func asWritten(config, id string) string {
	if id != "" {
		config = regexp.MustCompile(`/[^"\s]*`+regexp.QuoteMeta(id)).ReplaceAllString(config, "RUN")
	}
	return chosen.ReplaceAllString(config, "$1")
}

func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// differences are sentences on what else changed: each run of the base is held
// against the new one, and what is the same in several is said once.
func differences(c *Comparison, cells []both) (list []string) {
	add := func(text string) {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	for i, b := range c.Base {
		var earlier, later [][]bench.Record
		for _, x := range cells {
			if len(x.base[i]) > 0 && len(x.next) > 0 { // what one side lacks is told as such
				earlier, later = append(earlier, x.base[i]), append(later, x.next)
			}
		}
		before := append(facts(b), seen(earlier)...)
		now := append(facts(c.New), seen(later)...)
		if sameMachine(b, c.New) { // said once
			before, now = withoutGenerator(before), withoutGenerator(now)
		}
		for _, f := range union(before, now) {
			was, is := lookup(before, f.name), lookup(now, f.name)
			if was != is {
				add(unlike(f.name, was, is))
			}
		}
	}
	edited := 0
	for _, x := range c.Cells {
		if x.Edited {
			edited++
		}
	}
	if edited > 0 {
		add(fmt.Sprintf("%s set up otherwise than in the base.", isOf(edited, len(c.Cells))))
	}
	return list
}

const theGenerator = "the load generator's host"

// sameMachine reports whether in both runs the servers and the load generator
// shared a host.
func sameMachine(a, b bench.RunInfo) bool {
	return a.Host.Name == a.Generator.Name && b.Host.Name == b.Generator.Name
}

func withoutGenerator(list []fact) []fact {
	return slices.DeleteFunc(slices.Clone(list), func(f fact) bool { return strings.HasSuffix(f.name, theGenerator) })
}

func union(a, b []fact) []fact {
	all := slices.Clone(a)
	for _, f := range b {
		if !slices.ContainsFunc(a, func(o fact) bool { return o.name == f.name }) {
			all = append(all, f)
		}
	}
	return all
}

func lookup(list []fact, name string) string {
	for _, f := range list {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// unlike is a sentence on a fact that changed. Long ones are not written out.
func unlike(name, was, is string) string {
	const most = 80
	switch {
	case name == "scenario":
		return "The scenario was edited."
	case strings.HasPrefix(name, "configuration of ") || utf8.RuneCountInString(was) > most || utf8.RuneCountInString(is) > most:
		return fmt.Sprintf("The %s is not the same.", name)
	}
	return fmt.Sprintf("The %s was %s and is %s.", strings.TrimPrefix(name, "the "), orUnknown(was), orUnknown(is))
}

func orUnknown(v string) string {
	if v == "" {
		return "not told"
	}
	return v
}
