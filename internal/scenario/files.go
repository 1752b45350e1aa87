package scenario

import (
	"math"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// maxCount bounds the files of a set.
const maxCount = 100_000

var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

func readFiles(p *parser, v *yaml.Node) {
	lower := map[string]*yaml.Node{}
	p.mapping(v, "files", nil, func(name string, k, v *yaml.Node) {
		p.fileNames = append(p.fileNames, name)
		if !fileName.MatchString(name) {
			p.problem(k, "%q cannot be a file's name: use up to 64 letters, digits, dots, hyphens and underscores, and begin with no dot", clip(name))
			return
		}
		if before, clash := lower[strings.ToLower(name)]; clash {
			p.problem(k, "%s differs only in case from %s on line %d: some file systems hold them for the same; rename one", name, before.Value, before.Line)
			return
		}
		lower[strings.ToLower(name)] = k
		if f, ok := p.fileOf(name, v); ok {
			p.s.plan.Files = append(p.s.plan.Files, f)
		}
	})
	if n := p.resolve(v); n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		p.problem(n, "files is empty: add a name and a size, such as small: 1.5kB")
	}
}

func (p *parser) fileOf(name string, v *yaml.Node) (f bench.File, ok bool) {
	f.Name = name
	before := len(p.problems)
	if n := p.resolve(v); n.Kind != yaml.MappingNode {
		number(p, v, "size of "+name, sizes(math.MaxInt64), &f.Size)
		return f, len(p.problems) == before
	}
	sized := false
	p.mapping(v, "file "+name, []string{"size", "count"}, func(key string, _, v *yaml.Node) {
		if key == "count" {
			number(p, v, "count of "+name, counts(1, maxCount), &f.Count)
			return
		}
		sized = true
		number(p, v, "size of "+name, sizes(math.MaxInt64), &f.Size)
	})
	switch {
	case len(p.problems) > before:
	case !sized:
		p.problem(v, "file %s has no size: add size: 1.5kB", name)
	case f.Size > 0 && int64(f.Count) > math.MaxInt64/f.Size:
		p.problem(v, "file %s: %d files of %d bytes are beyond what a disk can hold", name, f.Count, f.Size)
	default:
		return f, true
	}
	return f, false
}
