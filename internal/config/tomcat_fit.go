package config

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// element is a tag of server.xml: where it stands in the text.
type element struct {
	name       string
	attrs      map[string]string
	start, end int // of its opening tag
	over       int // behind its closing tag
	line       int
	parent     int // index; -1 for the root
}

// elements lists the elements of an XML text in their order.
func elements(text, file string) (all []element, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false // entities of a DTD stay as they are
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	open := []int{-1}
	for {
		start := int(d.InputOffset())
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s is no XML: %w", file, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := element{name: t.Name.Local, attrs: map[string]string{}, start: start, end: int(d.InputOffset()), parent: open[len(open)-1]}
			for _, a := range t.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			e.line = 1 + strings.Count(text[:start], "\n")
			if open = append(open, len(all)); len(open) > maxDepth {
				return nil, fmt.Errorf("%s: more than %d elements stand within each other", file, maxDepth)
			}
			all = append(all, e)
		case xml.EndElement:
			all[open[len(open)-1]].over = int(d.InputOffset())
			open = open[:len(open)-1]
		}
	}
}

// edit puts by in the place of text[start:end].
type edit struct {
	start, end int
	by         string
}

// fitTomcat makes one connector listen at the site's port and the host behind it
// serve the site's files as its only application; other connectors are taken away.
func (f *File) fitTomcat(s Site) (Fitted, error) {
	all, err := elements(f.text, f.Path)
	if err != nil {
		return Fitted{}, err
	}
	t := &tomcatFit{Site: s, all: all, text: f.text, ownPort: strings.Contains(f.text, portMark), ownRoot: strings.Contains(f.text, docrootMark)}
	out := Fitted{Own: []string{"logs/", "temp/", "work/", "apps/"}}
	if len(all) == 0 || all[0].name != "Server" {
		return out, fmt.Errorf("%s is no server.xml of Tomcat: it has no element Server", f.Path)
	}
	t.set(0, "port", "-1")
	connector, others := t.connector()
	if connector < 0 {
		return out, fmt.Errorf("%s has no Connector of HTTP", f.Path)
	}
	out.TLS = strings.EqualFold(all[connector].attrs["SSLEnabled"], "true")
	if !t.ownPort {
		t.set(connector, "port", portMark)
		t.set(connector, "address", hostMark)
		out.Serves = served("connector", Place{f.Path, all[connector].line}, len(others), false)
		for _, other := range others {
			t.edits = append(t.edits, edit{all[other].start, all[other].over, strings.Repeat("\n", strings.Count(f.text[all[other].start:all[other].over], "\n"))})
		}
	}
	host := t.host(connector)
	if host < 0 {
		return out, fmt.Errorf("%s has no Host in the service of its connector", f.Path)
	}
	t.serve(host)
	s.Dir, s.Docroot = escaped(s.Dir), escaped(s.Docroot)
	out.Text = s.filled(t.edited())
	for i := range strings.Count(out.Text, "\n") + 1 {
		out.from = append(out.from, Place{f.Path, i + 1})
	}
	return out, nil
}

type tomcatFit struct {
	Site
	all              []element
	text             string
	edits            []edit
	ownPort, ownRoot bool // the author placed them
}

// connector picks the one of HTTP that speaks in the clear, or else TLS; with a
// placeholder, that one.
func (t *tomcatFit) connector() (chosen int, others []int) {
	chosen, best := -1, -1
	for i, e := range t.all {
		if e.name != "Connector" {
			continue
		}
		others = append(others, i)
		protocol, rank := e.attrs["protocol"], 1
		if strings.Contains(protocol, "AJP") || strings.Contains(protocol, ".ajp.") {
			continue
		}
		if !strings.EqualFold(e.attrs["SSLEnabled"], "true") {
			rank = 2
		}
		if strings.Contains(t.text[e.start:e.end], portMark) {
			rank = 3
		}
		if rank > best {
			best, chosen = rank, i
		}
	}
	return chosen, slices.DeleteFunc(others, func(i int) bool { return i == chosen })
}

// host is the default host of the engine in the connector's service, or its first.
func (t *tomcatFit) host(connector int) int {
	service, found, wanted := t.all[connector].parent, -1, ""
	for i, e := range t.all {
		switch {
		case e.name == "Engine" && e.parent == service:
			wanted = e.attrs["defaultHost"]
		case e.name == "Host" && t.all[e.parent].parent == service && (found < 0 || e.attrs["name"] == wanted):
			found = i
		}
	}
	return found
}

// serve makes the host deploy nothing but the site's files, and log to the site's
// folder.
func (t *tomcatFit) serve(host int) {
	h := t.all[host]
	t.set(host, "appBase", dirMark+"/apps")
	t.set(host, "autoDeploy", "false")
	t.set(host, "deployOnStartup", "false")
	var inside strings.Builder
	context := -1
	for i, e := range t.all {
		if e.name == "Context" && e.parent == host && e.attrs["path"] == "" {
			context = i
		}
		if e.name == "Valve" && e.attrs["directory"] != "" {
			t.set(i, "directory", "logs")
		}
	}
	switch {
	case t.ownRoot:
	case context >= 0:
		t.set(context, "docBase", docrootMark)
	default:
		inside.WriteString(`<Context path="" docBase="` + docrootMark + `"/>`)
	}
	inside.WriteString(t.Extra)
	if inside.Len() == 0 {
		return
	}
	if tag := t.text[h.start:h.end]; strings.HasSuffix(tag, "/>") { // it had nothing in it
		t.edits = append(t.edits, edit{h.end - 2, h.end, ">" + inside.String() + "</Host>"})
		return
	}
	t.edits = append(t.edits, edit{h.end, h.end, inside.String()})
}

// set gives an element an attribute in place of the one that it has.
func (t *tomcatFit) set(i int, name, value string) {
	e := t.all[i]
	tag := t.text[e.start:e.end]
	start, end, found := attribute(tag, name)
	if !found {
		at := e.start + 1 + len(e.name)
		t.edits = append(t.edits, edit{at, at, " " + name + `="` + escaped(value) + `"`})
		return
	}
	t.edits = append(t.edits, edit{e.start + start, e.start + end, escaped(value)})
}

func escaped(value string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(value)) // a buffer takes everything
	return b.String()
}

// attribute is where the value of an attribute stands in a tag.
func attribute(tag, name string) (start, end int, found bool) {
	for i := 0; i < len(tag); {
		eq := strings.IndexByte(tag[i:], '=')
		if eq < 0 {
			return 0, 0, false
		}
		key := strings.Fields(tag[i : i+eq])
		i += eq + 1
		i += len(tag[i:]) - len(strings.TrimLeft(tag[i:], " \t\r\n"))
		if i >= len(tag) || tag[i] != '"' && tag[i] != '\'' {
			return 0, 0, false
		}
		size := strings.IndexByte(tag[i+1:], tag[i])
		if size < 0 {
			return 0, 0, false
		}
		start, end = i+1, i+1+size
		if len(key) > 0 && key[len(key)-1] == name {
			return start, end, true
		}
		i = end + 1
	}
	return 0, 0, false
}

// edited is the text with all edits done, in their order. Edits within one that
// takes a whole element away fall away with it.
func (t *tomcatFit) edited() string {
	slices.SortStableFunc(t.edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for _, e := range t.edits {
		if e.start < done {
			continue
		}
		b.WriteString(t.text[done:e.start])
		b.WriteString(e.by)
		done = e.end
	}
	return b.String() + t.text[done:]
}
