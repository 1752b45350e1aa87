package bench

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Plan is a scenario made concrete: every cell of the grid, in table order
// (system by system, and within a system in the order of the grid).
type Plan struct {
	Scenario   string   `json:"scenario"` // name of the scenario: its file's base without the extension
	Title      string   `json:"title"`
	About      string   `json:"about,omitempty"`
	Source     *Source  `json:"source,omitempty"`
	Digest     string   `json:"digest"` // of the scenario as read
	Labels     []string `json:"labels"` // names of the systems' labels, in order of first appearance
	Axes       []Axis   `json:"axes"`
	Files      []File   `json:"files"`
	Systems    []System `json:"systems"`
	Cells      Cells    `json:"cells,omitempty"`
	Rounds     int      `json:"rounds"` // of every cell; with Until, the most that a cell may have
	MultiTimes int      `json:"multi_times,omitempty"`
	Order      Order    `json:"order"`
	Seed       uint64   `json:"seed"`
	Columns    []Column `json:"columns,omitempty"` // nil: the standard columns

	Tables    []Table    `json:"tables,omitempty"`    // nil: one table of all cells
	Baseline  []Pair     `json:"baseline,omitempty"`  // labels of the system that the others are compared with; nil: none
	Reference *Reference `json:"reference,omitempty"` // what was published of the same grid; nil: nothing

	// What ends, delays and judges trials. None of it is part of a cell's digest.
	Until        *Until        `json:"until,omitempty"`         // when a cell has enough rounds; nil: when it has all
	Budget       time.Duration `json:"budget_ns,omitempty"`     // of a sweep; 0: any time
	CoolDown     *CoolDown     `json:"cool_down,omitempty"`     // waited for before each trial; nil: nothing is
	WarmupTrials int           `json:"warmup_trials,omitempty"` // of a cell before its first trial of a sweep, not counted
	Limits       []Limit       `json:"limits,omitempty"`        // that figures must keep
}

// Cells are the cells of a plan. In JSON they are an outline: key, digest,
// system, point, skip, whether failing is expected, and limits; the rest stands
// in the journal's records.
type Cells []Cell

// outline is what of a planned cell tells whether a record still belongs to it.
type outline struct {
	Key    Key    `json:"key"`
	Digest string `json:"digest"`
	System int    `json:"system"`
	Point  int    `json:"point"`
	Skip   string `json:"skip,omitempty"`
	Expect bool   `json:"expect_failure,omitempty"`
	Limits []int  `json:"limits,omitempty"`
}

// MarshalJSON writes the outline.
func (c Cells) MarshalJSON() ([]byte, error) {
	lines := make([]outline, len(c))
	for i, x := range c {
		lines[i] = outline{x.Key, x.Digest, x.System, x.Point, x.Skip, x.ExpectFailure, x.Limits}
	}
	return json.Marshal(lines)
}

// UnmarshalJSON reads an outline: the cells have nothing but that.
func (c *Cells) UnmarshalJSON(b []byte) error {
	var lines []outline
	if err := json.Unmarshal(b, &lines); err != nil {
		return err
	}
	*c = make(Cells, len(lines))
	for i, l := range lines {
		(*c)[i] = Cell{Key: l.Key, Digest: l.Digest, System: l.System, Point: l.Point, Skip: l.Skip, ExpectFailure: l.Expect, Limits: l.Limits}
	}
	return nil
}

// Source is the publication that a scenario reproduces.
type Source struct {
	Title string `json:"title"`
	Date  string `json:"date,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Axis is a dimension of the grid other than the labels: a name such as "file"
// or "concurrency" and its values in declared order.
type Axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Column is a metric chosen for the tables, under a heading of the author's or,
// where that is empty, its own.
type Column struct {
	Metric  string `json:"metric"`
	Heading string `json:"heading,omitempty"`
}

// Order is how the trials of a round follow one another.
type Order string

// The orders of trials.
const (
	Interleaved Order = "interleaved" // each point on every system in turn; each leads equally often
	Sequential  Order = "sequential"  // one system after the other
	Random      Order = "random"      // shuffled with Plan.Seed, anew each round
)

// File is a test file, or with Count above zero a set of that many equal files.
type File struct {
	Name  string `json:"name"`
	Size  int64  `json:"size_bytes"`
	Count int    `json:"count,omitempty"`
}

// Paths lists the URL paths the file is served under: "/small.html", or for a
// set "/set/0.html", "/set/1.html" and so on.
func (f File) Paths() []string {
	if f.Count == 0 {
		return []string{"/" + url.PathEscape(f.Name) + ".html"}
	}
	paths := make([]string, f.Count)
	for i := range paths {
		paths[i] = "/" + url.PathEscape(f.Name) + "/" + strconv.Itoa(i) + ".html"
	}
	return paths
}

// URLs are the file's paths under a base URL, which may end in a slash.
func (f File) URLs(base string) []string {
	urls := f.Paths()
	for i, path := range urls {
		urls[i] = strings.TrimRight(base, "/") + path
	}
	return urls
}

// System is one system under test: how it is called and how it is reached.
type System struct {
	Labels []Pair  `json:"labels"`
	URL    string  `json:"-"` // base URL of something already running; "" when Server is to be started. May carry secrets: see Where
	Server *Server `json:"server,omitempty"`
}

// ID identifies the system within its plan.
func (s System) ID() string { return string(KeyOf(s.Labels)) }

// Where tells how the system is reached, with any password taken out.
func (s System) Where() string {
	if s.Server != nil {
		return s.Server.Kind
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "(unreadable URL)"
	}
	if u.User != nil {
		u.User = url.User("xxxxx")
	}
	u.RawQuery = ""
	return u.String()
}

// Server says how the runner starts a server itself. A kind uses only the
// settings that it lists.
type Server struct {
	Kind      string   `json:"kind"`
	Workers   int      `json:"workers,omitempty"`    // processes or threads; 0 is the kind's own default
	OpenFiles int      `json:"open_files,omitempty"` // descriptor limit of the server; 0 leaves it
	Port      int      `json:"port,omitempty"`       // 0 takes a free one
	KeepAlive *bool    `json:"keep_alive,omitempty"` // nil is the kind's own default
	Config    string   `json:"config,omitempty"`     // lines added to the kind's configuration
	Nice      int      `json:"nice,omitempty"`       // nice level of its processes, -20 to 19; 0 leaves it
	Connector string   `json:"connector,omitempty"`  // of kind apache: what connects it with a Tomcat behind it, "http", "ajp" or "jk"; "" serves files
	Argv      []string `json:"argv,omitempty"`       // of kind command

	// ConfigFile is the author's own configuration file, as the scenario names it,
	// and ConfigDigest what was in it and in what it includes; "" for the kind's own
	// configuration. ConfigPath is where it is on this machine.
	ConfigFile   string `json:"config_file,omitempty"`
	ConfigDigest string `json:"config_digest,omitempty"`
	ConfigPath   string `json:"-"`

	// Line and Col are where the scenario has the configuration; 0 where it has none.
	Line int `json:"-"`
	Col  int `json:"-"`

	// Delay is how long the server waits before it answers, by the name of the file,
	// "*" standing for those that are not named. Of kind embedded.
	Delay map[string]time.Duration `json:"delay_ns,omitempty"`

	Ready string `json:"ready,omitempty"` // of kind command: base URL that answers once it is up
}

// Cell is one point of the grid on one system.
type Cell struct {
	Key    Key    `json:"key"`
	Labels []Pair `json:"labels"` // of its system; a label the system lacks is absent
	Axes   []Pair `json:"axes"`   // its point: file, concurrency, requests or duration, and any further axis
	System int    `json:"system"` // index into Plan.Systems
	Point  int    `json:"point"`  // index of the grid point, the same on every system
	Driver string `json:"driver"`
	File   File   `json:"file"`
	Load   Load   `json:"load"`
	Digest string `json:"digest"`         // of everything that can change the measurement: load, file, system
	Skip   string `json:"skip,omitempty"` // why the cell is not run; "" runs it

	// Line and Col are where the scenario asks for the cell; 0 where none does.
	Line int `json:"-"`
	Col  int `json:"-"`

	// ExpectFailure marks a cell that the scenario expects to fail, such as more
	// connections than descriptors; its failing does not make the run fail.
	ExpectFailure bool `json:"expect_failure,omitempty"`

	// Limit is the longest that one trial may take before its driver is stopped
	// and the trial recorded as timed out; 0 sets none beyond Load.Longest.
	Limit time.Duration `json:"limit_ns,omitempty"`

	// Limits are those of Plan.Limits that the cell must keep, by index.
	Limits []int `json:"-"`
}

// Trial is one execution of a cell.
type Trial struct {
	Cell  Cell `json:"cell"`
	Round int  `json:"round"` // from 1
}

// ID identifies the trial within its run: the key of its cell and the round.
func (t Trial) ID() string { return fmt.Sprintf("%s#%d", t.Cell.Key, t.Round) }

// Trials yields every trial of the plan in the order in which they are run,
// where none ends early: round by round, and within a round as Order says.
func (p *Plan) Trials() iter.Seq[Trial] {
	return func(yield func(Trial) bool) {
		for round := 1; round <= p.Rounds; round++ {
			for _, t := range p.Round(round, nil) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Budget names the cell's budget as it is spelled in a scenario: "requests" or
// "duration", and its value.
func (c Cell) Budget() (name, value string) {
	if c.Load.Duration > 0 {
		return "duration", c.Load.Duration.String()
	}
	return "requests", strconv.FormatInt(c.Load.Requests, 10)
}

// Longest is the longest that one trial of the load may be expected to take
// when nothing answers: every request times out, and the next one keeps to the
// pace all the same. Zero requests take none, and no load takes longer than a
// hundred years.
func (l Load) Longest() time.Duration {
	timeout := l.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if l.Duration > 0 {
		return l.Warmup + l.Ramp + l.Duration + timeout
	}
	waves := (l.Requests + int64(max(l.Conns, 1)) - 1) / int64(max(l.Conns, 1))
	seconds := float64(waves) * (timeout + l.Think).Seconds()
	if l.Rate > 0 {
		seconds += float64(l.Requests) / l.Rate
	}
	if seconds >= century.Seconds() {
		return century
	}
	return l.Warmup + l.Ramp + time.Duration(seconds*float64(time.Second))
}

// century leaves room for a sum of durations: 292 years are the most they hold.
const century = 100 * 365 * 24 * time.Hour

// DefaultTimeout bounds a request whose load names no timeout.
const DefaultTimeout = 30 * time.Second
