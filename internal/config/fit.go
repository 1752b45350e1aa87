package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"matrix/internal/unit"
)

// Fit makes of the file what the server of a site is started with.
func (f *File) Fit(s Site) (Fitted, error) {
	switch f.Kind {
	case "nginx":
		return f.fitNginx(s)
	case "apache":
		return f.fitApache(s)
	case "lighttpd":
		return f.fitLighttpd(s)
	case "tomcat":
		return f.fitTomcat(s)
	}
	return Fitted{Text: s.filled(f.text)}, nil
}

// head is the comment at the top of a fitted configuration. It has nothing that a
// comment in the file would change: what a run keeps is held against other runs.
func head(path string) []string {
	return []string{"# Made for one run of " + path + " and what it includes: port, root, pid file, logs and user are the run's."}
}

// served says which block was chosen.
func served(what string, at Place, others int, redirects bool) string {
	text := fmt.Sprintf("the %s at %v serves the files", what, at)
	if redirects {
		text = fmt.Sprintf("the %s at %v, which only redirects, is the best to serve the files", what, at)
	}
	if others > 0 {
		text += "; " + unit.Counted(others, "other") + " left out"
	}
	return text
}

// find is the first directive of that name, outside of blocks.
func find(nodes []*node, name string) *node {
	for _, n := range nodes {
		if n.name() == name {
			return n
		}
	}
	return nil
}

// ownNode is a directive of ours, whole.
func ownNode(text string) *node { return &node{text: text} }

// replaced is a directive with another argument i, from 1.
func replaced(d *node, i int, value string) *node {
	c := *d
	c.words, c.raws = slices.Clone(d.words), slices.Clone(d.raws)
	c.words[i], c.raws[i] = value, quoted(value)
	c.text = strings.Join(c.raws, " ")
	return &c
}

// redirected is a log's directive with another file, unless it names none: it has
// one of the words that stay.
func redirected(d *node, file string, stay ...string) *node {
	for _, word := range stay {
		if prefix := strings.HasSuffix(word, ":") || strings.HasSuffix(word, "/"); d.arg(1) == word || prefix && strings.HasPrefix(d.arg(1), word) {
			return d
		}
	}
	if len(d.words) < 2 {
		return d
	}
	return replaced(d, 1, file)
}

// besideConf is a directive whose first argument is a relative path, with the
// whole path where a file is there beside the configuration or in the folder
// above. Elsewhere the server looks for it itself.
func besideConf(d *node, conf string) *node {
	if len(d.words) < 2 || filepath.IsAbs(d.words[1]) {
		return d
	}
	for _, dir := range []string{filepath.Dir(conf), filepath.Dir(filepath.Dir(conf))} {
		path := filepath.Join(dir, d.words[1])
		if _, err := os.Stat(path); err == nil {
			return replaced(d, 1, path)
		}
	}
	return d
}
