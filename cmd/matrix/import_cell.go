package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// recordOf makes the record of a report: of a cell of its own, or a further
// round of one that is there and was measured alike.
func (f importFlags) recordOf(t told, report transcript.Report, others []bench.Record) (bench.Record, error) {
	report.Asked = f.fill(t, report)
	r := bench.Record{Trial: bench.Trial{Cell: f.cellOf(t, report), Round: 1}, Started: t.started, Measurement: report.Measurement}
	if r.Address = target(report); report.Cut != "" {
		r.Measurement.Notes = append(r.Measurement.Notes, report.CutNote())
	}
	r.Notes = keepApart(&r.Cell, report, others)
	place(&r.Cell, others)
	for _, o := range others {
		if o.Cell.Key != r.Cell.Key {
			continue
		}
		if o.Cell.Digest != r.Cell.Digest {
			return r, fmt.Errorf("the run has cell %s already, measured otherwise (%s, not %s): tell them apart by a label", r.Cell.Key, how(o.Cell), how(r.Cell))
		}
		r.Round = max(r.Round, o.Round+1)
	}
	r.Notes = append(r.Notes, otherTargets(r, others)...)
	r.State, r.Reason = report.State()
	if report.Abort != "" && r.State.Ranked() {
		r.State, r.Reason = bench.StateFailed, fmt.Sprintf("%s gave up after %d requests; %s", f.as, report.OK, r.Reason)
	}
	return r, nil
}

// unlike is the axis of reports for which the same was told, but whose figures
// cannot be of the load of the first of them.
const unlike = "load"

// keepApart gives a cell an axis of its own where what its log leaves untold is
// not as in the cells that look like it, and notes what that is.
func keepApart(c *bench.Cell, report transcript.Report, others []bench.Record) (notes []bench.Note) {
	untold := report.Untold()
	if untold == "" && report.Commanded {
		return nil
	}
	axes, loads := c.Axes, 1
	for {
		i := slices.IndexFunc(others, func(o bench.Record) bool { return o.Cell.Key == c.Key && o.Cell.Digest == c.Digest })
		if i < 0 || report.AlikeTo(others[i].Measurement) {
			break
		}
		loads++
		c.Axes = append(slices.Clip(axes), bench.Pair{Name: axisOf(unlike, c.Labels), Value: strconv.Itoa(loads)})
		c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
		c.Digest = digestOf(*c)
	}
	if untold != "" {
		notes = append(notes, bench.Note{Code: "load-untold", Text: "the log does not tell " + untold})
	}
	if loads > 1 {
		notes = append(notes, bench.Note{Code: "load-unlike", Text: "the log tells the same of cells that differ in their load alone, and their figures cannot be of one load: they are no rounds of each other"})
	}
	return notes
}

func how(c bench.Cell) string {
	text := fmt.Sprintf("%s, keep-alive %t", c.Driver, c.Load.KeepAlive)
	if c.Load.Protocol != "" {
		text += ", " + string(c.Load.Protocol)
	}
	return text
}

// fill adds what the flags of import tell to what the report does.
func (f importFlags) fill(t told, report transcript.Report) transcript.Asked {
	a := report.Asked
	if a.Concurrency == 0 {
		a.Concurrency = f.concurrency
	}
	if a.Streams == 0 {
		a.Streams = f.streams
	}
	if a.Rate == 0 {
		a.Rate = f.rate
	}
	if a.Duration == 0 && a.Requests == 0 {
		a.Duration, a.Requests = t.duration, f.requests
	}
	if a.Duration > 0 {
		a.Requests = 0 // what a tool takes beside a time limit is no budget
	}
	return a
}

// cellOf is the cell that a report measured, as far as it and the flags tell.
func (f importFlags) cellOf(t told, report transcript.Report) bench.Cell {
	c := bench.Cell{Labels: t.labels, Driver: f.as, Load: loadOf(report.Asked)}
	name := f.fileName(report)
	c.File = fileOf(name, t, report)
	c.Axes = f.axes(name, t.labels, report)
	c.Key = bench.KeyOf(slices.Concat(c.Labels, c.Axes))
	c.Digest = digestOf(c)
	return c
}

func loadOf(a transcript.Asked) bench.Load {
	l := bench.Load{Method: a.Method, Protocol: a.Protocol, Conns: a.Concurrency, Streams: a.Streams, Requests: a.Requests, Duration: a.Duration,
		Rate: a.Rate, Warmup: a.Warmup, Timeout: a.Timeout, Threads: a.Threads, ReceiveBuffer: a.ReceiveBuffer}
	if a.KeepAlive != nil {
		l.KeepAlive = *a.KeepAlive
	}
	return l
}

// choices are the settings that a tool gives a choice of, in every report: of the
// others it has none.
var choices = map[string][]string{
	"ab": {"keep_alive"}, "zb": {"keep_alive"}, "wrk": {"keep_alive", "threads"}, "h2load": {"protocol", "streams", "threads"},
}

// axes are what was told of a load: loads that differ in any of it are no rounds
// of each other. What nobody told is left out.
func (f importFlags) axes(name string, labels []bench.Pair, report transcript.Report) (axes []bench.Pair) {
	a, l := report.Asked, loadOf(report.Asked)
	add := func(axis, value string) {
		if value != "" && value != "0" && value != "0s" {
			axes = append(axes, bench.Pair{Name: axisOf(axis, labels), Value: value})
		}
	}
	number := func(n int) string { return strconv.Itoa(n) }
	span := func(d time.Duration) string { return d.String() }
	add("file", name)
	add("query", a.Query)
	add("concurrency", number(l.Conns))
	add("requests", strconv.FormatInt(l.Requests, 10))
	add("duration", span(l.Duration))
	add("rate", report.RateText())
	if slices.Contains(choices[f.as], "protocol") {
		add("protocol", string(l.Protocol))
	}
	if slices.Contains(choices[f.as], "keep_alive") && a.KeepAlive != nil {
		add("keep_alive", strconv.FormatBool(l.KeepAlive))
	}
	add("timeout", span(l.Timeout))
	add("warmup", span(l.Warmup))
	add("method", l.Method)
	add("streams", number(l.Streams))
	add("threads", number(l.Threads))
	add("receive_buffer", number(l.ReceiveBuffer))
	for _, s := range a.Settings {
		if s.Name != "urls" || f.file == "" { // whoever names the file has told what was asked for
			add(s.Name, s.Value)
		}
	}
	return axes
}

// axisOf is what an axis is called beside labels: one that a label is called has
// another name.
func axisOf(name string, labels []bench.Pair) string {
	for {
		if _, taken := bench.Lookup(labels, name); !taken {
			return name
		}
		name += "_"
	}
}

// fileName is the file that was asked for: the last part of the URL's path,
// without the ending that the test files have. "" is unknown.
func (f importFlags) fileName(report transcript.Report) string {
	switch {
	case f.file != "":
		return f.file
	case report.Path == "":
		return ""
	case strings.HasSuffix(report.Path, "/"):
		return report.Path
	}
	return strings.TrimSuffix(path.Base(report.Path), ".html")
}

// fileOf is nothing where the size is not known: a size of 0 would be a lie.
func fileOf(name string, t told, report transcript.Report) bench.File {
	switch {
	case report.Document != nil && name != "":
		return bench.File{Name: name, Size: *report.Document}
	case t.size >= 0 && name != "":
		return bench.File{Name: name, Size: t.size}
	}
	return bench.File{}
}

func digestOf(c bench.Cell) string {
	text, err := json.Marshal([]any{c.Key, c.Driver, c.Load})
	if err != nil {
		panic("import: digest: " + err.Error()) // numbers and texts only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
