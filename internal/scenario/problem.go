package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Problem is a mistake in a scenario file: where it is and what to do about it.
// Line and Col count from 1, Col in characters.
type Problem struct {
	File      string
	Line, Col int
	Message   string
}

// String is "file:line:col: message", as editors and CI systems read it.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Message)
}

// Problems is every mistake found, in order of position. As an error it is one
// line for each.
type Problems []Problem

// Error joins the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds what one file can make us say; a file with more mistakes
// has one mistake, repeated.
const maxProblems = 500

// report collects problems, each once.
type report struct {
	file     string
	problems Problems
	seen     map[Problem]bool
}

func (r *report) at(line, col int, format string, args ...any) {
	p := Problem{r.file, max(line, 1), max(col, 1), fmt.Sprintf(format, args...)}
	if r.seen[p] || len(r.problems) >= maxProblems {
		return
	}
	if r.seen == nil {
		r.seen = map[Problem]bool{}
	}
	r.seen[p] = true
	r.problems = append(r.problems, p)
}

func (r *report) problem(n *yaml.Node, format string, args ...any) {
	r.at(n.Line, n.Column, format, args...)
}

// err returns the problems in order, or nil where there are none.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Message, b.Message))
	})
	return r.problems
}
