package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// maxSystems and maxLabel bound what tables must be able to show.
const (
	maxSystems = 1000
	maxLabel   = 1000 // bytes
)

func readSystems(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "systems")
	if len(items) > maxSystems {
		p.problem(v, "%d systems: a scenario compares at most %d", len(items), maxSystems)
		return
	}
	first := map[string]system{}
	for _, item := range items {
		sys, ok := p.system(p.resolve(item))
		if !ok {
			continue
		}
		sorted := slices.Clone(sys.Labels)
		slices.SortFunc(sorted, func(a, b bench.Pair) int { return strings.Compare(a.Name, b.Name) })
		id := string(bench.KeyOf(sorted))
		if before, twice := first[id]; twice {
			p.problem(sys.node, "this system has the same labels (%s) as the one on line %d: change a label of one", clip(sys.ID()), before.node.Line)
			continue
		}
		first[id] = sys
		p.s.systems = append(p.s.systems, sys)
	}
	for _, sys := range p.s.systems {
		for _, l := range sys.Labels {
			if !has(p.s.plan.Labels, l.Name) {
				p.s.plan.Labels = append(p.s.plan.Labels, l.Name)
			}
		}
	}
}

var systemKeys = []string{"labels", "url", "server"}

// system reads one system: its own keys, and load settings beside them.
func (p *parser) system(n *yaml.Node) (sys system, ok bool) {
	sys.node = n
	sys.set = &group{level: "system", line: n.Line, col: n.Column}
	var labels, url, server *yaml.Node
	own := map[string]**yaml.Node{"labels": &labels, "url": &url, "server": &server}
	ok = p.mapping(n, "a system", append(slices.Clone(systemKeys), fieldNames()...), func(key string, k, v *yaml.Node) {
		if to, isOwn := own[key]; isOwn {
			*to = v
			return
		}
		sys.set.dims = append(sys.set.dims, dim{p.setting(fieldNamed(key), k, v, "system")})
	})
	if !ok {
		return sys, false
	}
	sys.set.unsure = len(p.meant[n]) > 0
	p.budget(sys.set, "this system")
	if labels != nil {
		sys.Labels = p.labels(labels)
	} else if !p.mentions(n, "labels") {
		p.problem(n, "this system has no labels: add labels: {Server: nginx}")
	}
	switch {
	case url != nil && server != nil:
		p.problem(n, "this system has both url and server: keep url for one that is running, server for one to start")
	case url != nil:
		sys.url = p.url(url)
	case server != nil:
		sys.Server = p.server(server)
	case !p.mentions(n, "url") && !p.mentions(n, "server"):
		p.problem(n, "this system has neither url nor server: add url: http://host/ for one that is running, or server: nginx for one to start")
	}
	return sys, len(sys.Labels) > 0
}

// labels keep their source text and order.
func (p *parser) labels(v *yaml.Node) (pairs []bench.Pair) {
	p.mapping(v, "labels", nil, func(name string, k, v *yaml.Node) {
		p.labelNames = append(p.labelNames, name)
		value, ok := p.scalar(v, "label "+clip(name))
		switch {
		case !ok:
		case len(name) > maxLabel || len(value) > maxLabel:
			p.problem(k, "label %s is longer than %d bytes: shorten it", clip(name), maxLabel)
		case fieldNamed(name) != nil || has(p.known.Metrics, name) || name == "round" || name == "state" || name == "reason":
			p.problem(k, "a label cannot be called %s: the tables have a column of that name; write it otherwise, such as %s", name, strings.ToUpper(name[:1])+name[1:])
		default:
			pairs = append(pairs, bench.Pair{Name: name, Value: value})
		}
	})
	if n := p.resolve(v); n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		p.problem(n, "labels is empty: add one, such as Server: nginx")
	}
	return pairs
}

// url checks what can be checked before ${NAME} is replaced.
func (p *parser) url(v *yaml.Node) *yaml.Node {
	v = p.resolve(v)
	text, ok := p.scalar(v, "url")
	if !ok {
		return nil
	}
	p.s.secrets = append(p.s.secrets, secret{node: v, url: true})
	variables, err := variablesIn(text)
	if err == nil && len(variables) == 0 {
		_, err = baseURL(text)
	}
	if err != nil {
		p.problem(v, "url: %v", err)
	}
	return v
}
