package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"matrix/internal/bench"
)

// Plan makes the scenario concrete: every cell, with ${NAME} replaced by what
// env says (os.LookupEnv, say; nil: nothing is set), and configuration files
// read. The error is Problems: the variables that are not set, the files that
// cannot be read, and what does not hold once they are.
//
// The cells of a system with a URL have their Load.URLs; those of a server have
// none before it is started: bench.File.URLs makes them then. Load.Expect.Length
// is by path, "/small.html" for a server.
func (s *Scenario) Plan(env func(string) (string, bool)) (*bench.Plan, error) {
	return s.resolved(&resolver{report: report{file: s.file}, env: env, done: map[*value]any{}})
}

// Check is Plan for a scenario that is not run: an example stands for each
// variable that is not set.
func (s *Scenario) Check(env func(string) (string, bool)) (*bench.Plan, error) {
	return s.resolved(&resolver{report: report{file: s.file}, env: env, standIn: true, done: map[*value]any{}})
}

func (s *Scenario) resolved(r *resolver) (*bench.Plan, error) {
	plan := s.plan
	plan.Labels, plan.Files, plan.Columns = slices.Clone(plan.Labels), slices.Clone(plan.Files), slices.Clone(plan.Columns)
	plan.Limits = slices.Clone(plan.Limits)
	plan.Tables, plan.Baseline = slices.Clone(plan.Tables), slices.Clone(plan.Baseline)
	for _, sys := range s.systems {
		out := bench.System{Labels: slices.Clone(sys.Labels), Server: r.server(sys.Server, s.config)}
		if sys.url != nil {
			out.URL = r.url(sys.url)
		}
		plan.Systems = append(plan.Systems, out)
	}
	var told report // Parse has told them
	e := s.newExpansion(r.data)
	e.grid(&told, &told)
	if err := r.err(); err != nil {
		return nil, err
	}
	e.axes()
	plan.Cells = s.cells(e.drafts, plan.Systems)
	plan.Axes = axesOf(plan.Cells, plan.Files)
	return &plan, nil
}

// cells finishes the drafts.
func (s *Scenario) cells(drafts []*draft, systems []bench.System) []bench.Cell {
	points := map[bench.Key]int{}
	sites := map[site]served{}
	cells := make([]bench.Cell, len(drafts))
	s.limit(drafts)
	for i, d := range drafts {
		key := bench.KeyOf(d.Axes)
		if _, known := points[key]; !known {
			points[key] = len(points)
		}
		d.Point = points[key]
		d.Key = bench.KeyOf(append(slices.Clone(d.Labels), d.Axes...))
		d.Line, d.Col = d.place.line, d.place.col
		d.Load.Seed = s.plan.Seed
		if d.tls != (bench.TLS{}) {
			d.Load.TLS = &d.tls
		}
		at := site{d.System, d.File.Name}
		if _, known := sites[at]; !known {
			sites[at] = serve(systems[d.System], d.File)
		}
		d.Digest = d.digest(systems[d.System])
		d.Load.URLs = sites[at].urls
		if d.checks() {
			d.Load.Expect.Length = sites[at].lengths
		}
		cells[i] = d.Cell
	}
	return cells
}

// checks reports whether the length of bodies is held against the file's.
func (d *draft) checks() bool {
	if d.Load.Method != "GET" {
		return false
	}
	if d.checkLength != nil {
		return *d.checkLength
	}
	return d.ours
}

// site is a file on a system; its URLs are shared by all its cells.
type site struct {
	system int
	file   string
}

type served struct {
	urls    []string // nil for a server, which has no address yet
	lengths map[string]int64
}

func serve(sys bench.System, f bench.File) served {
	v := served{lengths: map[string]int64{}}
	base := ""
	if sys.Server == nil {
		v.urls = f.URLs(sys.URL)
		base = pathOf(sys.URL)
	}
	for _, path := range f.URLs(base) {
		v.lengths[path] = f.Size
	}
	return v
}

// digest is of everything that can change the measurement. It holds secrets
// only as part of a hash over much else.
func (d *draft) digest(sys bench.System) string {
	all := struct {
		Load        bench.Load
		Header      []bench.Header
		Body        []byte
		HasBody     bool
		TLS         *bench.TLS
		CheckLength bool
		SampleOne   int
		Limit       time.Duration
		File        bench.File
		Server      *bench.Server
		URL, Driver string
	}{d.Load, d.Load.Header, d.Load.Body, d.Load.Body != nil, d.Load.TLS, d.checks(), d.Load.Expect.SampleOne, d.Limit, d.File, sys.Server, sys.URL, d.Driver}
	text, err := json.Marshal(all)
	if err != nil {
		panic("scenario: digest: " + err.Error()) // only numbers, texts and slices of them
	}
	return digest(text)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Origin tells of a value of a setting where it was written and how many cells
// took it: 0 when every cell had the setting from a nearer level.
type Origin struct {
	Setting, Value string
	Level          string // "grid", "include", "system", "load" or "default"
	Line           int    // 0 for a default
	Cells          int
}

// Explain lists which level won for each setting: what `matrix plan` shows.
// Headers and bodies are told of, not shown.
func (s *Scenario) Explain() []Origin {
	var told report
	e := s.newExpansion(func(v *value) any { return v.data })
	e.grid(&told, &told)
	cells := map[*value]int{}
	for _, d := range e.drafts {
		for _, v := range d.chosen {
			cells[v]++
		}
	}
	for _, g := range s.groups() {
		for _, d := range g.dims {
			for _, set := range d {
				for _, v := range set.values {
					cells[v] += 0
				}
			}
		}
	}
	var list []Origin
	for v, n := range cells {
		o := Origin{Setting: v.field.name, Value: v.text, Level: v.level, Cells: n}
		if v.node != nil {
			o.Line = v.node.Line
		}
		list = append(list, o)
	}
	slices.SortFunc(list, compareOrigins)
	return list
}

func (s *Scenario) groups() []*group {
	groups := append(slices.Clone(s.grid), s.load)
	for _, sys := range s.systems {
		groups = append(groups, sys.set)
	}
	return groups
}
