package table

import (
	"reflect"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// namedHost is a host, and what it is called where it differs from others.
type namedHost struct {
	name string
	host bench.HostInfo
}

// differences lists only the facts in which hosts differ, each value with whose
// it is. Hosts of which nothing is known have no say.
func differences(title string, hosts []namedHost) Section {
	s := Section{Title: title}
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(h namedHost) bool { return reflect.ValueOf(h.host).IsZero() })
	facts := make([]Section, len(hosts))
	var names []string
	for i, h := range hosts {
		facts[i] = host("", h.host)
		for _, f := range facts[i].Facts {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		var values []string
		of := map[string][]string{}
		for i, h := range hosts {
			v, known := bench.Lookup(facts[i].Facts, name)
			if !known {
				v = "not known"
			}
			if of[v] == nil {
				values = append(values, v)
			}
			of[v] = append(of[v], h.name)
		}
		if len(values) < 2 {
			continue
		}
		for i, v := range values {
			values[i] = v + " (" + strings.Join(of[v], ", ") + ")"
		}
		s.add(name, strings.Join(values, "; "))
	}
	return s
}

// betweenRuns is in what the hosts of several runs differ, and their load
// generators where some run has another machine for that.
func betweenRuns(reports []*Report) (sections []Section) {
	var servers, generators []namedHost
	apart := false
	for _, r := range reports {
		servers = append(servers, namedHost{r.Info.ID, r.Info.Host})
		generators = append(generators, namedHost{r.Info.ID, r.Info.Generator})
		apart = apart || !reflect.DeepEqual(r.Info.Host, r.Info.Generator)
	}
	sections = append(sections, differences("Differences between hosts", servers))
	if apart {
		sections = append(sections, differences("Differences between load generators", generators))
	}
	return slices.DeleteFunc(sections, func(s Section) bool { return len(s.Facts) == 0 })
}
