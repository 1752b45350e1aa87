// Package scenarios holds the scenarios beside it, so that `matrix init --from`
// has them wherever the program runs.
package scenarios

import "embed"

// FS has the scenario files.
//
//go:embed *.yaml
var FS embed.FS
