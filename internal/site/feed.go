package site

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"matrix/internal/export"
	"matrix/internal/unit"
)

const (
	mostEntries  = 50 // of the feed
	mostFindings = 20 // that an entry tells
)

// The elements of an Atom feed (RFC 4287) that this one has.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Author  atomPerson  `xml:"author"`
	Note    string      `xml:"subtitle,omitempty"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Link    atomLink    `xml:"link"`
	Content atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// worse is an entry to be: what became worse with a run.
type worse struct {
	id, what string
	of       run
	lines    []string
}

// feed writes what became worse, run by run, the newest first. Its times are
// those of the runs and its IDs tag URIs (RFC 4151) of them, so that a reader
// takes nothing for new that it knows.
func (p *pass) feed() error {
	host, path := "matrix.invalid", ""
	f := atomFeed{Title: p.o.Title + ": what became worse", Author: atomPerson{"matrix"}}
	if u, err := url.Parse(p.o.URL); err == nil && u.Host != "" {
		path = strings.TrimPrefix(u.EscapedPath(), "/")
		if name := strings.ToLower(u.Hostname()); taggable.MatchString(name) {
			host = name
		}
		f.Links = append(f.Links, atomLink{"self", "application/atom+xml", p.o.URL + feedName})
	} else {
		f.Note = "The address of this site was not told when it was made: the links of this feed begin at the feed."
	}
	if open := p.untold(); open != "" {
		f.Note = strings.TrimSpace(f.Note + " " + open)
	}
	f.Links = append(f.Links, atomLink{"alternate", "text/html", p.o.URL + indexName})
	f.ID = fmt.Sprintf("tag:%s,2026:%sfeed", host, path)
	f.Updated = machineTime(p.last())
	for _, w := range p.worse() {
		f.Entries = append(f.Entries, atomEntry{
			Title:   export.Visible(fmt.Sprintf("%s: %s", w.of.Scenario, w.what)),
			ID:      fmt.Sprintf("tag:%s,%s:%s%s", host, w.of.Started.Format(time.DateOnly), path, w.id),
			Updated: machineTime(w.of.Started),
			Link:    atomLink{"alternate", "text/html", p.o.URL + w.address()},
			Content: atomContent{"html", w.told()},
		})
	}
	var text bytes.Buffer
	text.WriteString(xml.Header)
	enc := xml.NewEncoder(&text)
	enc.Indent("", " ")
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("making the feed: %w", err)
	}
	text.WriteByte('\n')
	return p.put(feedName, text.Bytes())
}

// taggable is a host that a tag URI may name; the address [::1] is none.
var taggable = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// untold names the scenarios of whose newest run it cannot be told whether
// anything became worse, so that a feed without entries is not taken for good news.
func (p *pass) untold() string {
	newest := map[string]run{}
	for id, r := range p.now.Runs {
		place, _, _ := strings.Cut(id, "/")
		if last, met := newest[place]; !met || r.Started.After(last.Started) {
			newest[place] = r
		}
	}
	var names []string
	for _, place := range slices.Sorted(maps.Keys(newest)) {
		if r := newest[place]; r.Problem != "" || !r.Compared || r.Told == 0 {
			names = append(names, r.Scenario)
		}
	}
	const few = 5
	if len(names) == 0 {
		return ""
	}
	if more := len(names) - few; more > 0 {
		names = append(names[:few], fmt.Sprintf("%d more", more))
	}
	return export.Visible("Whether anything became worse cannot be told of the newest run of " + strings.Join(names, ", ") + ".")
}

// worse lists the entries of the feed.
func (p *pass) worse() (list []worse) {
	for id, r := range p.now.Runs {
		if r.Worse > 0 {
			list = append(list, worse{id, unit.Counted(r.Worse, "cell") + " worse than in the run before", r, r.Findings})
		}
	}
	for _, s := range p.now.Scenarios {
		for id, lines := range s.Steps {
			if r, known := p.now.Runs[id]; known {
				list = append(list, worse{id + "/step", unit.Counted(len(lines), "step") + " for the worse", r, lines})
			}
		}
	}
	slices.SortFunc(list, func(a, b worse) int {
		return cmp.Or(b.of.Started.Compare(a.of.Started), strings.Compare(a.id, b.id))
	})
	return list[:min(len(list), mostEntries)]
}

// address is the page that an entry leads to: of a step, the history.
func (w worse) address() string {
	if id, step := strings.CutSuffix(w.id, "/step"); step {
		place, _, _ := strings.Cut(id, "/")
		return place + "/" + indexName
	}
	return w.id + "/" + indexName
}

// told is the content of an entry, as HTML.
func (w worse) told() string {
	var b strings.Builder
	b.WriteString("<p>" + html.EscapeString(export.Visible(w.of.Title)) + ", " + when(w.of.Started) + ".</p><ul>")
	for _, l := range w.lines[:min(len(w.lines), mostFindings)] {
		b.WriteString("<li>" + html.EscapeString(export.Visible(l)) + "</li>")
	}
	b.WriteString("</ul>")
	if more := len(w.lines) - mostFindings; more > 0 {
		fmt.Fprintf(&b, "<p>And %d more.</p>", more)
	}
	return b.String()
}
