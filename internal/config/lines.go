package config

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// lines is a text in the making that knows where each of its lines is from.
type lines struct {
	text  strings.Builder
	from  []Place // of each line; the zero Place for one of ours
	depth int
}

// add appends one line, or a text of several that stood one after the other.
func (l *lines) add(text string, at Place) {
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			l.text.WriteString(strings.Repeat("    ", l.depth))
		}
		l.text.WriteString(line)
		l.text.WriteByte('\n')
		from := at
		if at.Line > 0 {
			from.Line += i
		}
		l.from = append(l.from, from)
	}
}

func (l *lines) String() string { return l.text.String() }

// Fitted is a configuration that a server can be started with.
type Fitted struct {
	Text   string
	TLS    bool     // the port speaks TLS
	Serves string   // which part of the file serves, and what was left out; "" where nothing was chosen
	Own    []string // files and folders in the site's that the server's user must be able to write to: a folder ends in a slash

	from []Place
}

// With is a configuration that has lines of the author's, extra, in it, so that
// places in them can be told.
func With(text, extra string) Fitted {
	f := Fitted{Text: text}
	before, _, found := strings.Cut(text, extra)
	if extra == "" || !found {
		return f
	}
	f.from = make([]Place, strings.Count(before, "\n"))
	for i := range strings.Count(extra, "\n") + 1 {
		f.from = append(f.from, Place{extraName, i + 1})
	}
	return f
}

// extraName stands for a file in places of lines that an author added.
const extraName = "config"

// extraNode are lines that an author added.
func (s Site) extraNode() *node { return &node{text: s.Extra, at: Place{extraName, 1}} }

// Translate puts the places of the original files where a message of the server
// names lines of the fitted one, which is at path, and otherwise its plain name in
// the place of the path.
func (f Fitted) Translate(message, path string) string {
	where := func(line string) (Place, bool) {
		n, err := strconv.Atoi(line)
		if err != nil {
			return Place{}, false
		}
		for n = min(n, len(f.from)); n > 0; n-- { // a line of ours belongs to the one before it
			if at := f.from[n-1]; at != (Place{}) {
				return at, true
			}
		}
		return Place{}, false
	}
	quoted := regexp.QuoteMeta(path)
	behind := regexp.MustCompile(quoted + `(:| line: ?)([0-9]+)`)
	message = behind.ReplaceAllStringFunc(message, func(s string) string {
		m := behind.FindStringSubmatch(s)
		if at, ok := where(m[2]); ok {
			return at.File + m[1] + strconv.Itoa(at.Line)
		}
		return s
	})
	before := regexp.MustCompile(`line ([0-9]+) of ` + quoted)
	message = before.ReplaceAllStringFunc(message, func(s string) string {
		if at, ok := where(before.FindStringSubmatch(s)[1]); ok {
			return "line " + strconv.Itoa(at.Line) + " of " + at.File
		}
		return s
	})
	return strings.ReplaceAll(message, path, filepath.Base(path))
}
