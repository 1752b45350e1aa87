package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fitLighttpd makes lighttpd serve the site's files at its port, and takes away
// the blocks of other sockets. What it writes goes to the site's folder, and what
// it has to say to its standard error: it would open a log only after it has left
// root.
func (f *File) fitLighttpd(s Site) (Fitted, error) {
	out := Fitted{}
	l := &lighttpdFit{Site: s, syntax: f.syntax.(*lighttpdSyntax), folder: filepath.Dir(f.Path)}
	l.ownPort, l.ownRoot = marks(f.nodes)
	nodes := l.nodes(f.nodes)
	if engine := find(f.nodes, "ssl.engine"); engine != nil && engine.arg(2) == `"enable"` {
		out.TLS = true
	}
	if l.left > 0 {
		out.Serves = fmt.Sprintf("the global settings serve the files; blocks of other sockets are left out: %d", l.left)
	}
	var all lines
	for _, line := range append(head(f.Path), l.missing(f.nodes)...) {
		all.add(line, Place{})
	}
	l.syntax.write(&all, nodes)
	if s.Extra != "" {
		all.add(s.Extra, s.extraNode().at)
	}
	out.Text, out.from, out.Own = s.filled(all.String()), all.from, l.own
	return out, nil
}

// lighttpdFit is what settings become.
type lighttpdFit struct {
	Site
	syntax           *lighttpdSyntax
	folder           string // of the file
	ownPort, ownRoot bool   // the author placed them
	left             int    // blocks of sockets left out
	own              []string
}

// dropped are settings that have no place in a run: other logs, and a root folder
// that the site's would not be in.
var dropped = []string{"server.errorlog", "server.breakagelog", "server.errorlog-use-syslog", "server.chroot", "server.username", "server.groupname", "server.daemonize"}

// ours are the settings that the site gives, by their names; "" where it gives
// none and the file's stays.
func (l *lighttpdFit) ours() map[string]string {
	own := map[string]string{"server.pid-file": quoted(l.Dir + "/lighttpd.pid"), "server.upload-dirs": "( " + quoted(l.Dir) + " )"}
	if !l.ownPort {
		own["server.port"], own["server.bind"] = portMark, quoted(hostMark)
	}
	if !l.ownRoot {
		own["server.document-root"] = quoted(docrootMark)
	}
	if l.OpenFiles > 0 {
		own["server.max-fds"] = fmt.Sprint(l.OpenFiles)
	}
	if l.User != "" {
		own["server.username"], own["server.groupname"] = quoted(l.User), quoted(l.Group)
	}
	return own
}

// missing are the site's settings that the file does not have at all.
func (l *lighttpdFit) missing(nodes []*node) (list []string) {
	own := l.ours()
	for _, name := range []string{"server.port", "server.bind", "server.document-root", "server.pid-file", "server.upload-dirs", "server.max-fds", "server.username", "server.groupname"} {
		if value := own[name]; value != "" && (find(nodes, name) == nil || slices.Contains(dropped, name)) {
			list = append(list, name+" = "+value)
		}
	}
	return list
}

// socket matches the condition of a block for another socket.
var socket = regexp.MustCompile(`^(else\s+)?\$SERVER\["socket"\]`)

func (l *lighttpdFit) nodes(list []*node) (all []*node) {
	skipped := false // the block before was left out, and its else with it
	for _, d := range list {
		isElse := strings.HasPrefix(d.text, "else")
		if d.open && (!l.ownPort && socket.MatchString(d.text) || isElse && skipped) {
			skipped = true
			l.left++
			continue
		}
		skipped = false
		if slices.Contains(dropped, d.name()) {
			continue
		}
		c := *l.node(d)
		c.body = l.nodes(d.body)
		all = append(all, &c)
	}
	return all
}

func (l *lighttpdFit) node(d *node) *node {
	c := *d
	switch name := d.name(); {
	case d.open:
	case name == "include_shell" && len(d.words) == 2: // it runs in the folder of the file
		c.text = `include_shell "cd '` + l.folder + `' && " + ` + d.words[1]
	case len(d.words) != 3:
	case l.ours()[name] != "":
		c.text = name + " " + d.words[1] + " " + l.ours()[name]
	case name == "accesslog.filename" && d.words[2] != `""`:
		c.text = name + " " + d.words[1] + " " + quoted(l.owned("access.log"))
	case name == "deflate.cache-dir" || name == "compress.cache-dir":
		c.text = name + " " + d.words[1] + " " + quoted(l.owned("cache/"))
	}
	return &c
}

// owned is a file or, with a slash at its end, a folder in the site's that the
// server's user must be able to write to.
func (l *lighttpdFit) owned(name string) string {
	if !slices.Contains(l.own, name) {
		l.own = append(l.own, name)
	}
	return filepath.Join(l.Dir, name)
}
