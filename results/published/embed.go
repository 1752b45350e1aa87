// Package published holds the data of the published comparisons beside it, so
// that the program has them wherever it runs. It is a package of its own because
// only files at or below a package can be embedded; internal/published reads it.
package published

import "embed"

// FS has a folder for each published run: header, journal and, where the figures
// came from logs, these. Together they take 0.15 MB of a binary of 34 MB, so they
// are not compressed. The reports are left out: they are made of the journal.
//
//go:embed */run.json */journal.jsonl */raw
var FS embed.FS
