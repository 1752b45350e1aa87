package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// fitNginx makes one server block serve the site's files at its port, and takes
// the others away. What nginx writes goes to the site's folder.
func (f *File) fitNginx(s Site) (Fitted, error) {
	var out Fitted
	http := find(f.nodes, "http")
	if http == nil {
		return out, fmt.Errorf("%s has no http block, so it serves nothing", f.Path)
	}
	ownPort, ownRoot := marks(f.nodes)
	chosen, others := chooseServer(http.body)
	if chosen == nil {
		return out, fmt.Errorf("%s and what it includes have no server block", f.Path)
	}
	n := &nginxFit{Site: s, file: f, chosen: chosen, ownPort: ownPort, ownRoot: ownRoot}
	if !ownPort {
		listen, tls := listenOf(chosen)
		n.listen, out.TLS = listen, tls
		out.Serves = served("server block", chosen.at, others, redirects(chosen.body))
	} else {
		out.TLS = tlsAtMark(http.body)
	}
	var all lines
	for _, line := range head(f.Path) {
		all.add(line, Place{})
	}
	for _, line := range n.top() {
		all.add(line, Place{})
	}
	nginxSyntax{}.write(&all, n.nodes(f.nodes, ""))
	out.Text, out.from = s.filled(all.String()), all.from
	return out, nil
}

// nginxFit is what directives become.
type nginxFit struct {
	Site
	file             *File
	chosen           *node
	listen           []string // arguments of the chosen block's
	ownPort, ownRoot bool     // the author placed them
}

// temporary are the directives for folders that nginx makes, of which it has one
// each compiled in.
var temporary = []string{"client_body_temp_path", "proxy_temp_path", "fastcgi_temp_path", "uwsgi_temp_path", "scgi_temp_path"}

// top are the directives that no file has said so far.
func (n *nginxFit) top() []string {
	list := []string{"daemon off;", "pid " + quoted(n.Dir+"/nginx.pid") + ";"}
	if n.User != "" {
		list = append(list, "user "+n.User+" "+n.Group+";")
	}
	if n.OpenFiles > 0 {
		list = append(list, fmt.Sprintf("worker_rlimit_nofile %d;", n.OpenFiles))
	}
	if find(n.file.nodes, "error_log") == nil {
		list = append(list, "error_log "+quoted(n.Dir+"/error.log")+";")
	}
	return list
}

// nodes copies directives with what the site says in place of what they say; in
// is the block that they stand in, "" for none.
func (n *nginxFit) nodes(list []*node, in string) (all []*node) {
	for _, d := range list {
		if d = n.node(d, in); d != nil {
			all = append(all, d)
		}
	}
	return all
}

func (n *nginxFit) node(d *node, in string) *node {
	name := d.name()
	switch {
	case in == "" && slices.Contains([]string{"daemon", "pid", "user", "lock_file", "stream", "mail"}, name),
		in == "" && name == "worker_rlimit_nofile" && n.OpenFiles > 0,
		slices.Contains(temporary, name):
		return nil
	case in == "http" && name == "server" && d.open && d != n.chosen && !n.ownPort:
		return nil
	case name == "error_log":
		return redirected(d, n.Dir+"/error.log", "stderr", "syslog:", "memory:")
	case name == "access_log":
		return redirected(d, n.Dir+"/access.log", "off", "syslog:", "/dev/")
	case strings.HasSuffix(name, "_cache_path"):
		return replaced(d, 1, n.Dir+"/"+strings.TrimSuffix(name, "_path"))
	case name == "load_module":
		return besideConf(d, n.file.Path)
	case strings.HasPrefix(d.arg(len(d.words)-1), "../") && name != "root" && name != "alias":
		return replaced(d, len(d.words)-1, filepath.Join(filepath.Dir(n.file.Path), d.arg(len(d.words)-1)))
	}
	c := *d
	switch {
	case d == n.chosen:
		c.body = n.server(d)
	case in == "" && name == "http":
		c.body = n.http(d)
	case d.open:
		c.body = n.nodes(d.body, name)
	}
	return &c
}

// http has folders and a log of the site's where it has none of its own: nginx
// would use those compiled in.
func (n *nginxFit) http(d *node) []*node {
	var ours []*node
	for _, name := range temporary {
		ours = append(ours, ownNode(name+" "+quoted(n.Dir+"/"+strings.TrimSuffix(name, "_temp_path"))+";"))
	}
	if find(d.body, "access_log") == nil {
		ours = append(ours, ownNode("access_log "+quoted(n.Dir+"/access.log")+";"))
	}
	return append(ours, n.nodes(d.body, "http")...)
}

// server is the chosen block: it listens at the site's port alone, and every root
// in it is the site's.
func (n *nginxFit) server(d *node) []*node {
	var ours, rest []*node
	if !n.ownPort {
		ours = append(ours, ownNode("listen "+strings.Join(n.listen, " ")+";"))
	}
	if !n.ownRoot && find(d.body, "root") == nil {
		ours = append(ours, ownNode("root "+quoted(docrootMark)+";"))
	}
	for _, c := range n.nodes(d.body, "server") {
		if c.name() != "listen" || n.ownPort {
			rest = append(rest, n.rooted(c))
		}
	}
	all := append(ours, rest...)
	if n.Extra != "" {
		all = append(all, n.extraNode())
	}
	return all
}

func (n *nginxFit) rooted(d *node) *node {
	if n.ownRoot {
		return d
	}
	if d.name() == "root" && len(d.words) == 2 {
		return replaced(d, 1, docrootMark)
	}
	c := *d
	c.body = nil
	for _, b := range d.body {
		c.body = append(c.body, n.rooted(b))
	}
	return &c
}

// chooseServer picks the block that is to serve: one with a placeholder; else of
// those that answer in the clear and do not only redirect the default server, or
// else the first; else of those that speak TLS, likewise; else the first of all.
func chooseServer(http []*node) (chosen *node, others int) {
	best := -1
	for _, d := range http {
		if d.name() != "server" || !d.open {
			continue
		}
		others++
		if rank := rankServer(d); rank > best {
			best, chosen = rank, d
		}
	}
	return chosen, others - 1
}

func rankServer(d *node) int {
	port, root := marks([]*node{d})
	plain, tls, isDefault := false, false, false
	listens := 0
	for _, l := range d.body {
		if l.name() != "listen" {
			continue
		}
		listens++
		isDefault = isDefault || slices.Contains(l.words, "default_server") || slices.Contains(l.words, "default")
		if secure := speaksTLS(d, l); secure {
			tls = true
		} else if !strings.HasPrefix(l.arg(1), "unix:") {
			plain = true
		}
	}
	rank := 0
	for _, c := range []struct {
		holds bool
		worth int
	}{
		{port, 100}, {root, 50}, {!redirects(d.body), 20}, {plain || listens == 0, 8}, {tls, 4}, {isDefault, 2},
	} {
		if c.holds {
			rank += c.worth
		}
	}
	return rank
}

func speaksTLS(server, listen *node) bool {
	if slices.Contains(listen.words, "ssl") || slices.Contains(listen.words, "quic") {
		return true
	}
	ssl := find(server.body, "ssl") // of old versions
	return ssl != nil && ssl.arg(1) == "on"
}

// redirects reports whether a server block answers no request with a file: it, or
// its location /, returns.
func redirects(body []*node) bool {
	if find(body, "return") != nil {
		return true
	}
	for _, d := range body {
		if d.name() == "location" && d.arg(1) == "/" && find(d.body, "return") != nil {
			return true
		}
	}
	return false
}

// listenOf are the arguments of the chosen block's listen at the site's port. Its
// options stay, but for those of another address or of another protocol.
func listenOf(server *node) (args []string, tls bool) {
	var best *node
	for _, l := range server.body {
		if l.name() != "listen" || slices.Contains(l.words, "quic") {
			continue
		}
		if best == nil || speaksTLS(server, best) && !speaksTLS(server, l) {
			best = l
		}
	}
	args = []string{hostMark + ":" + portMark}
	if best == nil {
		return args, false
	}
	for _, option := range best.words[min(2, len(best.words)):] {
		if !strings.HasPrefix(option, "ipv6only=") && option != "proxy_protocol" && option != "bind" {
			args = append(args, option)
		}
	}
	return args, speaksTLS(server, best)
}

// tlsAtMark reports whether the listen with the author's placeholder speaks TLS.
func tlsAtMark(http []*node) bool {
	for _, d := range http {
		for _, l := range d.body {
			if l.name() == "listen" && strings.Contains(l.text, portMark) && speaksTLS(d, l) {
				return true
			}
		}
	}
	return false
}
