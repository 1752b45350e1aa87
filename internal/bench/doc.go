// Package bench holds the words of the project as values: a Plan of Cells, each
// tried as a Trial by a driver against a System, yielding a Measurement, which
// with the Host's condition becomes a Record.
//
// Only values and their arithmetic live here. The package does no I/O, knows no
// YAML, starts no server, opens no socket and formats nothing for people.
//
// Two rules hold everywhere: what was not measured is nil (or false), never
// zero; and every issued request has exactly one outcome, so that
// Issued = OK + sum(Failed) + Aborted in every Measurement.
package bench
