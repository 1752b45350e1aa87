// Package internal holds the rules of the house as a test.
package internal

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the house: a package imports only from floors below its own. An
// entry in rooms lets a package into a private room of its own floor.
var floors = map[string]int{
	"internal/bench": 0, "internal/hist": 0, "internal/stats": 0, "internal/unit": 0,
	"internal/scenario": 1, "internal/fixtures": 1, "internal/load": 1, "internal/load/wire": 1, "internal/load/poll": 1,
	"internal/transcript": 1, "internal/observe": 1, "internal/config": 1, "internal/file": 1, "internal/results": 1, "internal/table": 1, "internal/audit": 1,
	"internal/driver": 2, "internal/system": 2, "internal/export": 2, "internal/published": 2,
	"internal/compare": 2, "internal/history": 2,
	"internal/runner": 3, "internal/site": 3, "internal/cluster": 3,
	"cmd/matrix": 4, "internal/compare/simulate": 4,
}

var rooms = map[string][]string{
	"internal/bench":     {"internal/hist", "internal/unit"},
	"internal/fixtures":  {"internal/file"},
	"internal/results":   {"internal/file"},
	"internal/load":      {"internal/load/wire", "internal/load/poll"},
	"internal/load/poll": {"internal/load/wire"},
	"internal/stats":     {"internal/unit"},
}

const (
	module      = "matrix/"
	maxFile     = 500 // lines
	maxFunction = 80
)

type source struct {
	pkg, path string
	file      *ast.File
}

func sources(t *testing.T, set *token.FileSet) []source {
	t.Helper()
	var all []source
	for _, top := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel("..", filepath.Dir(path))
			all = append(all, source{filepath.ToSlash(rel), path, f})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestHouse(t *testing.T) {
	set := token.NewFileSet()
	commented := map[string]bool{}
	for _, s := range sources(t, set) {
		test := strings.HasSuffix(s.path, "_test.go")
		if s.pkg == "internal" {
			continue
		}
		if _, known := floors[s.pkg]; !known {
			t.Errorf("%s: package has no floor; give it one in internal/house_test.go and docs/adr", s.pkg)
			continue
		}
		commented[s.pkg] = commented[s.pkg] || (!test && s.file.Doc != nil)
		if !test {
			checkImports(t, s)
		}
		checkLength(t, set, s, test)
	}
	for pkg, ok := range commented {
		if !ok {
			t.Errorf("%s: package lacks its comment: what comes in, what goes out, what it does not do", pkg)
		}
	}
}

func checkImports(t *testing.T, s source) {
	for _, spec := range s.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		rel, ours := strings.CutPrefix(path, module)
		if !ours || floors[rel] < floors[s.pkg] {
			continue
		}
		if !slices.Contains(rooms[s.pkg], rel) {
			t.Errorf("%s (floor %d) imports %s (floor %d): an import must go down", s.path, floors[s.pkg], rel, floors[rel])
		}
	}
}

func checkLength(t *testing.T, set *token.FileSet, s source, test bool) {
	if n := set.File(s.file.Pos()).LineCount(); n > maxFile {
		t.Errorf("%s: %d lines, more than %d: split it at its joints", s.path, n, maxFile)
	}
	if test {
		return
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFunction {
			t.Errorf("%s: %s has %d lines, more than %d", set.Position(f.Pos()), f.Name.Name, n, maxFunction)
		}
	}
	for _, c := range interfaceSizes(s.file) {
		t.Errorf("%s: %s", s.path, c)
	}
}

func interfaceSizes(f *ast.File) (wide []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if i, ok := spec.Type.(*ast.InterfaceType); ok && len(i.Methods.List) > 3 {
			wide = append(wide, fmt.Sprintf("interface %s has %d methods, more than 3", spec.Name.Name, len(i.Methods.List)))
		}
		return true
	})
	return wide
}
