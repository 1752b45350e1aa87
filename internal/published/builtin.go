package published

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"matrix/internal/results"
	builtin "matrix/results/published"
)

// Names lists the published runs that the program has built in.
func Names() (names []string) {
	entries, _ := fs.ReadDir(builtin.FS, ".") // it cannot fail: the folder is part of the program
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Open opens one of Names. Its error names them all.
func Open(name string) (*results.Run, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no published run is called %q: there are %s", name, strings.Join(Names(), ", "))
	}
	fsys, err := fs.Sub(builtin.FS, name)
	if err != nil {
		return nil, err
	}
	return results.OpenFS(fsys, name)
}
