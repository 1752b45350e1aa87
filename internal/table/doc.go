// Package table turns records into tables: the header of a run and its records
// come in, and a Report goes out in which everything is decided: which columns,
// in which order and unit, what stands in each cell of each row, what is marked
// as best, which notes stand beneath, and the tidy sheet of every trial.
//
// Metrics is the list of all columns that can be measured. To add one, add an
// entry there and nothing else.
//
// The package writes no format (package export does, deciding nothing), reads
// no journal and starts nothing. The same records give the same Report.
package table
