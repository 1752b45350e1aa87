package scenario

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// maxSource bounds a scenario file, in bytes.
const maxSource = 1 << 20

// Scenario is a scenario file that was read and found whole. It is immutable.
type Scenario struct {
	name, file string
	src        []byte // as read
	set        string // comment that tells what was replaced; "" for nothing
	plan       bench.Plan
	systems    []system
	load       *group
	grid       []*group
	excludes   []match
	includes   []include
	limits     []limit // of plan.Limits
	above      above
	secrets    []secret                                     // for Redacted
	config     func(srv *bench.Server, folder string) error // of Known
	notices    Problems
}

// system is a system under test as written: its URL may hold ${NAME}.
type system struct {
	bench.System
	url  *yaml.Node // nil when a server is started
	node *yaml.Node
	set  *group
}

// above is what becomes of a cell with more connections than requests.
type above string

const (
	aboveSkip  above = "skip"
	aboveError above = "error"
)

// Parse reads a scenario. name is the file's name, for problems and, without
// directory and extension, as the scenario's name. The error is Problems: every
// mistake in src.
func Parse(name string, src []byte, known Known) (*Scenario, error) {
	return parse(name, src, known, nil)
}

func parse(name string, src []byte, known Known, replace map[string]*replacement) (*Scenario, error) {
	p := &parser{report: report{file: name}, known: known, replace: replace, places: places(), meant: map[*yaml.Node][]string{}}
	p.s = &Scenario{name: baseName(name), file: name, src: bytes.Clone(src), load: &group{level: "load"}, above: aboveSkip, config: known.Config}
	p.s.plan = bench.Plan{Scenario: p.s.name, Title: p.s.name, Rounds: 1, Order: bench.Interleaved, Seed: 1, Digest: digest(src)}
	if root := p.document(src); root != nil {
		p.root(root)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.s, nil
}

// Notices are remarks about a scenario that is whole but perhaps not what its
// author meant, such as an exclude that excludes nothing.
func (s *Scenario) Notices() Problems { return s.notices }

// Files are the test files that the scenario names, and the seed of their
// contents. Unlike Plan it needs no environment.
func (s *Scenario) Files() (files []bench.File, seed uint64) {
	return slices.Clone(s.plan.Files), s.plan.Seed
}

func baseName(name string) string {
	base := filepath.Base(filepath.ToSlash(name))
	if ext := filepath.Ext(base); ext == ".yaml" || ext == ".yml" {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

var bom = []byte("\xef\xbb\xbf")

// document returns the root mapping of the only document in src, or nil.
func (p *parser) document(src []byte) *yaml.Node {
	src = bytes.TrimPrefix(src, bom)
	if len(src) > maxSource {
		p.at(1, 1, "the file has %d bytes: a scenario has at most %d", len(src), maxSource)
		return nil
	}
	if !utf8.Valid(src) {
		line, col := invalidAt(src)
		p.at(line, col, "this is not UTF-8: save the file as UTF-8")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.at(1, 1, "the file is empty: `matrix init` writes a scenario to begin with")
		return nil
	case err != nil:
		p.syntax(src, err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		p.syntax(src, err)
		return nil
	default:
		p.problem(&second, "a second document begins here: a file holds one scenario; remove the --- or split the file")
		return nil
	}
	if len(doc.Content) == 0 || empty(doc.Content[0]) {
		p.at(1, 1, "the file is empty: `matrix init` writes a scenario to begin with")
		return nil
	}
	return doc.Content[0]
}

// invalidAt is the place of the first byte that is not UTF-8.
func invalidAt(src []byte) (line, col int) {
	for i, l := range splitLines(src) {
		text := src[l.start:l.end]
		for at, r := range string(text) {
			if _, size := utf8.DecodeRune(text[at:]); r == utf8.RuneError && size == 1 {
				return i + 1, utf8.RuneCount(text[:at]) + 1
			}
		}
	}
	return 1, 1
}
