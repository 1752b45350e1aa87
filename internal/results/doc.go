// Package results keeps what a sweep measured: one folder for each run, under
// <root>/<scenario>/<UTC time>/, with the header run.json, the append-only
// journal.jsonl (one record a line) and raw/ (what external tools printed).
//
// Records come in and are on the disk when Append returns; they go out again
// whatever happened to the process in between: a line torn by a kill is cut, and
// anything else that does not read as a record stops the reading and is named
// by file and line. A folder is written by one process at a time, and may be
// read by any number meanwhile.
//
// The package computes nothing from records and makes no tables. It deletes
// the torn end of a journal, and in Prune whole runs.
package results
