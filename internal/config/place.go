package config

import (
	"regexp"
	"strconv"
	"strings"
)

// Site is what a configuration is fitted to.
type Site struct {
	Dir     string // the server's own folder, where logs and the pid file go
	Docroot string // the folder that it serves
	Host    string
	Port    int

	User, Group string // to run as; "" where root is not to be left
	OpenFiles   int    // descriptor limit; 0 keeps what the file says
	Extra       string // lines of the author's, added
}

// placeholder is what an author may write where the site's value is to stand. A
// variable of the server's own, ${port}, is none.
var placeholder = regexp.MustCompile(`(^|[^$%])\{(port|docroot|dir)\}`)

// Within the program a placeholder is a plain word, which every syntax takes.
const (
	portMark    = "matrix-port-placeholder"
	docrootMark = "matrix-docroot-placeholder"
	dirMark     = "matrix-dir-placeholder"
	hostMark    = "matrix-host-placeholder" // of ours alone
)

func marked(text string) string {
	return placeholder.ReplaceAllString(text, "${1}matrix-${2}-placeholder")
}

// filled puts the site's values in the places of marks.
func (s Site) filled(text string) string {
	return strings.NewReplacer(hostMark, s.Host, portMark, strconv.Itoa(s.Port), docrootMark, s.Docroot, dirMark, s.Dir).Replace(text)
}

// marks tells which placeholders stand in a tree.
func marks(nodes []*node) (port, docroot bool) {
	for _, n := range nodes {
		p, d := marks(n.body)
		port = port || p || strings.Contains(n.text, portMark)
		docroot = docroot || d || strings.Contains(n.text, docrootMark)
	}
	return port, docroot
}

// NamesPort reports whether the file says where the port is to stand.
func (f *File) NamesPort() bool {
	port, _ := marks(f.nodes)
	return port || strings.Contains(f.text, portMark)
}

// quoted is a path of the site as all syntaxes write one. It holds no quotes.
func quoted(path string) string { return `"` + path + `"` }
