// Package config reads the configuration file that somebody has for a server,
// with all that it includes, and makes of it one that a run can start the server
// with: its port, the folder of files, pid file, logs and user are replaced, and
// everything else stays as it was.
//
// The kind of server and a path come in; a File goes out, which Fit turns into
// the text of one file for a given Site. The package starts nothing, and writes
// nothing but what Put is asked to.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a configuration may be at most, all files that it includes together.
const (
	maxBytes = 4 << 20
	maxFiles = 1000
	maxDepth = 20 // of includes within each other, and of blocks
)

// Place is a line of a file, from 1.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// node is a directive, or a block of them, of any of the syntaxes.
type node struct {
	words []string // its name and arguments, unquoted, for decisions
	raws  []string // the same, as they were written
	text  string   // as it is written out, without what ends or opens it
	body  []*node
	open  bool   // it is a block
	raw   string // of a block whose body is another language's: that body
	at    Place
}

func (n *node) name() string {
	if len(n.words) == 0 {
		return ""
	}
	return n.words[0]
}

// arg is the argument with that number, from 1; "" where there is none.
func (n *node) arg(i int) string {
	if i >= len(n.words) {
		return ""
	}
	return n.words[i]
}

// syntax is how a kind of server writes its configuration.
type syntax interface {
	parse(src, file string) ([]*node, error)
	// include tells what a directive includes: a path or pattern, and whether it
	// may be absent. It is asked about each directive in order, and may remember
	// what they define.
	include(n *node) (pattern string, optional, ok bool)
	write(to *lines, nodes []*node)
}

// File is a server's own configuration as it was read.
type File struct {
	Kind string
	Path string // absolute

	files  []string // that were read, the first Path
	nodes  []*node  // nil where the text is not taken apart
	text   string   // as it stands, of kinds whose text is not taken apart
	syntax syntax
	root   string // of Apache: what its relative paths lie under
}

// Read reads the configuration file of a server of a kind. Relative includes are
// looked for in the folders that the server would look in, and in others, such as
// the server's compiled-in one, as given. A file that a directive names and that
// is not there is left for the server to complain about.
func Read(kind, path string, others ...string) (*File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f := &File{Kind: kind, Path: abs}
	r := &reader{file: f, folders: append([]string{filepath.Dir(abs)}, others...)}
	switch kind {
	case "nginx":
		f.syntax = nginxSyntax{}
	case "apache":
		f.syntax = newApacheSyntax(r)
	case "lighttpd":
		f.syntax = &lighttpdSyntax{vars: map[string]string{}}
	default:
		f.text, err = r.read(abs)
		return f, err
	}
	if f.nodes, err = r.load(abs); err != nil {
		return nil, err
	}
	f.root = r.root()
	return f, nil
}

// Files lists the files that were read, the first the one that was asked for.
func (f *File) Files() []string { return slices.Clone(f.files) }

// Digest is of what the configuration says, whatever site it is fitted to, and
// comments aside where the syntax is known.
func (f *File) Digest() string {
	text := f.text
	if f.syntax != nil {
		var all lines
		f.syntax.write(&all, f.nodes)
		text = all.String()
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// reader reads files and what they include.
type reader struct {
	file    *File
	folders []string // that relative paths are looked for in
	used    map[string]bool
	bytes   int64
	stack   []string
}

// root is the folder that relative paths lie under: the first, unless an include
// was found in another one alone.
func (r *reader) root() string {
	for _, dir := range r.folders {
		if r.used[dir] {
			return dir
		}
	}
	return r.folders[0]
}

// load reads and parses a file, with its includes in their places.
func (r *reader) load(path string) ([]*node, error) {
	if slices.Contains(r.stack, path) {
		return nil, fmt.Errorf("%s includes itself", path)
	}
	if len(r.stack) >= maxDepth {
		return nil, fmt.Errorf("%s: more than %d files include each other", path, maxDepth)
	}
	src, err := r.read(path)
	if err != nil {
		return nil, err
	}
	nodes, err := r.file.syntax.parse(src, path)
	if err != nil {
		return nil, err
	}
	r.stack = append(r.stack, path)
	defer func() { r.stack = r.stack[:len(r.stack)-1] }()
	return r.expand(nodes)
}

func (r *reader) expand(nodes []*node) (all []*node, err error) {
	for _, n := range nodes {
		pattern, optional, included := r.file.syntax.include(n)
		if !included {
			if n.body, err = r.expand(n.body); err != nil {
				return nil, err
			}
			all = append(all, n)
			continue
		}
		paths, err := r.match(pattern)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", n.at, err)
		}
		if paths == nil && !optional {
			all = append(all, n)
		}
		for _, path := range paths {
			more, err := r.load(path)
			if err != nil {
				return nil, fmt.Errorf("%w (included at %v)", err, n.at)
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// match lists the files that an include means; nil where the directive is to be
// left alone, and none where it is a pattern that no file agrees with.
func (r *reader) match(pattern string) (paths []string, err error) {
	folders := r.folders
	if filepath.IsAbs(pattern) {
		folders = []string{""}
	}
	for _, dir := range folders {
		if paths, err = filesOf(filepath.Join(dir, pattern)); err != nil {
			return nil, err
		}
		if len(paths) > 0 {
			if r.used == nil {
				r.used = map[string]bool{}
			}
			r.used[dir] = true
			return paths, nil
		}
	}
	if strings.ContainsAny(pattern, "*?[") {
		return []string{}, nil
	}
	return nil, nil
}

// filesOf lists what a path means: itself, the files that agree with it as a
// pattern, or all files within it as a folder. As in the shell, * stands for no
// leading dot.
func filesOf(pattern string) (paths []string, err error) {
	found := []string{pattern}
	if strings.ContainsAny(pattern, "*?[") {
		if found, err = filepath.Glob(pattern); err != nil {
			return nil, fmt.Errorf("the pattern %q cannot be read", pattern)
		}
	}
	for _, path := range found {
		info, err := os.Stat(path)
		switch {
		case err != nil, strings.HasPrefix(filepath.Base(path), ".") && path != pattern:
		case info.IsDir() && path == pattern:
			within, err := filesOf(filepath.Join(path, "*"))
			if err != nil {
				return nil, err
			}
			paths = append(paths, within...)
		case !info.IsDir():
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// read reads one file, within the bounds for all.
func (r *reader) read(path string) (string, error) {
	if len(r.file.files) >= maxFiles {
		return "", fmt.Errorf("%s: a configuration has at most %d files", path, maxFiles)
	}
	info, err := os.Stat(path) // before it is opened: a pipe would hold us
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return "", reason(path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", reason(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes-r.bytes+1))
	if err != nil {
		return "", reason(path, err)
	}
	if r.bytes += int64(len(text)); r.bytes > maxBytes {
		return "", fmt.Errorf("%s: a configuration has at most %d MiB, all its files together", path, maxBytes>>20)
	}
	if slices.Contains(text, 0) {
		return "", fmt.Errorf("%s holds NUL bytes: it is no configuration", path)
	}
	r.file.files = append(r.file.files, path)
	return marked(strings.ReplaceAll(string(text), "\r\n", "\n")), nil
}

// reason says in plain words why a file cannot be read.
func reason(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be read: permission denied", path)
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s cannot be read: %w", path, p.Err)
	}
	return err
}
