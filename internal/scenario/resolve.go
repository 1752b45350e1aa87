package scenario

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// resolver replaces ${NAME} in what holds it, each value once.
type resolver struct {
	report
	env     func(string) (string, bool)
	standIn bool // examples stand for variables that are not set
	done    map[*value]any
}

// lookup returns a replacement that reports what is not set at n. example tells
// what a variable might be set to.
func (r *resolver) lookup(n *yaml.Node, example func(name string) string) func(string) string {
	return func(name string) string {
		if r.env != nil {
			if text, ok := r.env(name); ok {
				return text
			}
		}
		if r.standIn {
			return example(name)
		}
		r.problem(n, "environment variable %s is not set: export %s=%s", name, name, example(name))
		return ""
	}
}

// anyText is the example of a variable of which nothing is known.
func anyText(string) string { return "..." }

// partOf tells by the place of ${NAME} in a URL what the variable might be: the
// whole URL, its host, its port, or a piece of what is left.
func partOf(text string) func(name string) string {
	return func(name string) string {
		before, after, _ := strings.Cut(text, "${"+name+"}")
		_, authority, behindScheme := strings.Cut(before, "://")
		rest, _, _ := strings.Cut(after, "/")
		switch {
		case before == "" && strings.HasPrefix(after, "://"):
			return "http"
		case before == "" && after == "":
			return "http://host/"
		case before == "" && (after[0] == '/' || after[0] == ':'):
			return "http://host"
		case before == "":
			return "http://host/"
		case !behindScheme || strings.Contains(authority, "/") || strings.Contains(rest, "@"): // a path, a user or a password
			return "..."
		}
		authority = authority[strings.LastIndexByte(authority, '@')+1:]
		switch {
		case authority == "":
			return "host"
		case strings.HasSuffix(authority, ":"):
			return "8080"
		}
		return "1" // of a name or a number that goes on
	}
}

// server has the author's configuration file read.
func (r *resolver) server(srv *bench.Server, read func(srv *bench.Server, folder string) error) *bench.Server {
	if srv == nil || srv.ConfigFile == "" || read == nil {
		return srv
	}
	known := *srv
	if err := read(&known, filepath.Dir(r.file)); err != nil {
		r.at(srv.Line, srv.Col, "config_file: %v", err)
	}
	return &known
}

// data is the value to store for v.
func (r *resolver) data(v *value) any {
	if v.field.resolve == nil || v.node == nil {
		return v.data
	}
	if done, ok := r.done[v]; ok {
		return done
	}
	r.done[v] = v.field.resolve(r, v)
	return r.done[v]
}

func (r *resolver) url(n *yaml.Node) string {
	before := len(r.problems)
	text := substitute(n.Value, r.lookup(n, partOf(n.Value)))
	if len(r.problems) > before {
		return ""
	}
	if _, err := baseURL(text); err != nil {
		variables, _ := variablesIn(n.Value)
		r.problem(n, "url, with %s from the environment: %v", strings.Join(variables, ", "), err)
	}
	return text
}

// pathOf is the path of a URL that was checked.
func pathOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// compareOrigins orders by setting as listed, then by nearness and line.
func compareOrigins(a, b Origin) int {
	levels := []string{"grid", "include", "system", "load", "default"}
	place := func(name string) int {
		return slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	}
	return cmp.Or(place(a.Setting)-place(b.Setting), slices.Index(levels, a.Level)-slices.Index(levels, b.Level),
		a.Line-b.Line, strings.Compare(a.Value, b.Value))
}
