package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fitApache makes one virtual host, or the main server where there is none, serve
// the site's files at its port, and takes the other hosts away. What Apache
// writes goes to the site's folder.
func (f *File) fitApache(s Site) (Fitted, error) {
	syntax := f.syntax.(*apacheSyntax)
	ownPort, ownRoot := marks(f.nodes)
	a := &apacheFit{Site: s, syntax: syntax, ownPort: ownPort, ownRoot: ownRoot}
	var out Fitted
	if !ownPort {
		hosts := findAll(f.nodes, a.loaded(f.nodes), "VirtualHost")
		if a.chosen = chooseHost(hosts); a.chosen != nil {
			out.TLS = on(a.chosen.body, "SSLEngine")
			out.Serves = served("virtual host", a.chosen.at, len(hosts)-1, redirectsAll(a.chosen.body))
		} else {
			out.TLS = on(f.nodes, "SSLEngine")
		}
	}
	a.oldRoot = a.rootOf(f.nodes)
	var all lines
	for _, line := range slices.Concat(head(f.Path), a.top(f)) {
		all.add(line, Place{})
	}
	syntax.write(&all, a.nodes(f.nodes))
	if s.Extra != "" {
		all.add(s.Extra, s.extraNode().at)
	}
	out.Text, out.from = s.filled(all.String()), all.from
	return out, nil
}

// apacheFit is what directives become.
type apacheFit struct {
	Site
	syntax           *apacheSyntax
	chosen           *node  // nil: the main server serves
	oldRoot          string // the folder that the file serves
	ownPort, ownRoot bool   // the author placed them
}

// top are the directives before all others. Those of the folder that is served
// come first, so that what the file says of that folder holds.
func (a *apacheFit) top(f *File) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(a.syntax.asked)) {
		value := a.syntax.asked[name]
		switch name {
		case "APACHE_RUN_DIR", "APACHE_LOG_DIR", "APACHE_LOCK_DIR":
			value = a.Dir
		case "APACHE_PID_FILE":
			value = a.Dir + "/apache.pid"
		case "APACHE_RUN_USER":
			value = a.User
		case "APACHE_RUN_GROUP":
			value = a.Group
		}
		list = append(list, "Define "+name+" "+quoted(value))
	}
	if find(f.nodes, "ServerRoot") == nil {
		list = append(list, "ServerRoot "+quoted(f.root))
	}
	list = append(list, "DefaultRuntimeDir "+quoted(a.Dir), "PidFile "+quoted(a.Dir+"/apache.pid"))
	if a.User != "" {
		list = append(list, "User "+a.User, "Group "+a.Group)
	}
	if find(f.nodes, "ServerName") == nil {
		list = append(list, "ServerName localhost")
	}
	if !a.ownPort {
		list = append(list, "Listen "+hostMark+":"+portMark)
	}
	if find(f.nodes, "ErrorLog") == nil {
		list = append(list, "ErrorLog "+quoted(a.Dir+"/error.log"))
	}
	if !a.ownRoot {
		list = append(list, "DocumentRoot "+quoted(docrootMark), "<Directory "+quoted(docrootMark)+">", "    Require all granted", "</Directory>")
	}
	return list
}

// gone are directives that ours replace.
var gone = []string{"Listen", "NameVirtualHost", "PidFile", "DefaultRuntimeDir", "ScoreBoardFile", "LockFile", "CoreDumpDirectory", "User", "Group"}

// logs are directives that name a file or a program to write to.
var logs = map[string]string{
	"errorlog": "error.log", "customlog": "access.log", "transferlog": "access.log", "globallog": "access.log", "forensiclog": "forensic.log",
	"jklogfile": "jk.log", "jkshmfile": "jk.shm", "sslsessioncache": "", "sslstaplingcache": "", "mutex": "",
}

// nodes copies directives with what the site says in place of what they say.
func (a *apacheFit) nodes(list []*node) (all []*node) {
	for _, d := range list {
		switch {
		case a.ownPort && d.is("Listen", "NameVirtualHost"):
		case d.is(gone...), d.is("VirtualHost") && !a.ownPort && d != a.chosen:
			continue
		}
		c := *a.node(d)
		c.body = a.nodes(d.body)
		all = append(all, &c)
	}
	return all
}

func (a *apacheFit) node(d *node) *node {
	switch {
	case d == a.chosen:
		c := *d
		c.text = "VirtualHost " + hostMark + ":" + portMark
		return &c
	case d.is("DocumentRoot") && len(d.words) > 1 && !a.ownRoot:
		return replaced(d, 1, docrootMark)
	case d.is("Directory") && !a.ownRoot && a.above(d):
		return replaced(d, 1, docrootMark)
	}
	file, log := logs[strings.ToLower(d.name())]
	switch {
	case !log || len(d.words) < 2 || strings.HasPrefix(d.words[1], "/dev/") && !d.is("ErrorLog") || strings.HasPrefix(d.words[1], "syslog"):
		return d
	case file == "":
		return a.shared(d)
	}
	return replaced(d, 1, a.Dir+"/"+file)
}

// sharedFile matches where a cache or a lock is kept: a scheme, a colon and a path.
var sharedFile = regexp.MustCompile(`^(file|fcntl|flock|shmcb|shmht|dbm|dc):([^(]*)(\(.*\))?$`)

func (a *apacheFit) shared(d *node) *node {
	m := sharedFile.FindStringSubmatch(d.words[1])
	if m == nil {
		return d
	}
	path := a.Dir
	if !d.is("Mutex") {
		path += "/" + strings.ToLower(d.name())
	}
	return replaced(d, 1, m[1]+":"+path+m[3])
}

// above reports whether a section is about the folder that the file serves, or
// one above it other than the root.
func (a *apacheFit) above(d *node) bool {
	if len(d.words) != 2 || a.oldRoot == "" {
		return false
	}
	dir := filepath.Clean(a.syntax.expand(d.words[1]))
	return dir != "/" && (dir == a.oldRoot || strings.HasPrefix(a.oldRoot, dir+"/"))
}

// rootOf is the folder that the chosen host serves, or else the main server.
func (a *apacheFit) rootOf(nodes []*node) string {
	if a.chosen != nil {
		if d := findIn(a.chosen.body, "DocumentRoot"); d != nil {
			return filepath.Clean(a.syntax.expand(d.arg(1)))
		}
	}
	if d := findIn(nodes, "DocumentRoot"); d != nil {
		return filepath.Clean(a.syntax.expand(d.arg(1)))
	}
	return ""
}

// findIn is the first directive of that name, in sections of conditions, too.
func findIn(nodes []*node, name string) *node {
	for _, n := range nodes {
		switch {
		case n.is(name) && !n.open:
			return n
		case n.is("IfModule", "IfDefine", "IfVersion"):
			if found := findIn(n.body, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// findAll lists the sections of that name whose conditions seem to hold.
func findAll(nodes []*node, loaded map[string]bool, name string) (all []*node) {
	for _, n := range nodes {
		switch {
		case n.is(name):
			all = append(all, n)
		case n.is("IfModule", "IfDefine") && !holds(n, loaded):
		case n.is("IfModule", "IfDefine", "IfVersion"):
			all = append(all, findAll(n.body, loaded, name)...)
		}
	}
	return all
}

// holds reports whether a condition does: the module is loaded, or the name
// defined.
func holds(n *node, loaded map[string]bool) bool {
	name, not := strings.CutPrefix(n.arg(1), "!")
	return loaded[name] != not
}

// loaded has the modules that the file loads, by both of their names, and what it
// defines.
func (a *apacheFit) loaded(nodes []*node) map[string]bool {
	all := map[string]bool{"core.c": true, "mod_so.c": true, "http_core.c": true, "log_config_module": true, "mod_log_config.c": true, "unixd_module": true}
	for name := range a.syntax.defined {
		all[name] = true
	}
	var look func([]*node)
	look = func(nodes []*node) {
		for _, n := range nodes {
			if n.is("LoadModule") && len(n.words) == 3 {
				all[n.words[1]] = true
				all[strings.TrimSuffix(filepath.Base(n.words[2]), ".so")+".c"] = true
			}
			look(n.body)
		}
	}
	look(nodes)
	return all
}

// chooseHost picks the virtual host that is to serve: of those that answer in the
// clear and do not only redirect the first, else of those that speak TLS.
func chooseHost(hosts []*node) (chosen *node) {
	best := -1
	for _, h := range hosts {
		rank := 0
		if _, root := marks([]*node{h}); root {
			rank += 8
		}
		if !redirectsAll(h.body) {
			rank += 4
		}
		if !on(h.body, "SSLEngine") {
			rank += 2
		}
		if rank > best {
			best, chosen = rank, h
		}
	}
	return chosen
}

// redirectsAll reports whether a host answers no request with a file.
func redirectsAll(body []*node) bool {
	for _, n := range body {
		if !n.open && n.is("Redirect", "RedirectPermanent", "RedirectTemp") && slices.Contains(n.words, "/") {
			return true
		}
	}
	return false
}

// on reports whether a switch is on.
func on(body []*node, name string) bool {
	d := findIn(body, name)
	return d != nil && strings.EqualFold(d.arg(1), "on")
}
