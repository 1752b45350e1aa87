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
	env  func(string) (string, bool)
	done map[*value]any
}

// lookup returns a replacement that reports what is not set at n.
func (r *resolver) lookup(n *yaml.Node, example string) func(string) string {
	return func(name string) string {
		if r.env != nil {
			if text, ok := r.env(name); ok {
				return text
			}
		}
		r.problem(n, "environment variable %s is not set: export %s=%s", name, name, example)
		return ""
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
	text := substitute(n.Value, r.lookup(n, "http://host/"))
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
