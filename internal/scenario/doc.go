// Package scenario turns a scenario file into a plan. YAML source comes in;
// a Scenario comes out, or every mistake of the source at once, each with its
// line and column; and a Scenario with the environment's variables becomes a
// bench.Plan whose cells stand in table order.
//
// It is the only package that knows YAML. It reads no files, generates none,
// opens no connection and does not know which drivers and servers exist: the
// caller says so in Known. One list, fields, drives the reading of settings,
// the JSON Schema and the reference in docs/scenario.md.
package scenario
