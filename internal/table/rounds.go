package table

import "matrix/internal/bench"

// Rounds are the records of a run that its tables are made of: a list for each
// cell, in declared order, and in it by round. Of two records of one trial the
// later counts; those of another plan than the present one are left out.
func Rounds(info bench.RunInfo, records []bench.Record) [][]bench.Record {
	var all [][]bench.Record
	for _, c := range gather(info, records).cells {
		all = append(all, c.all)
	}
	return all
}

// Stubs are the columns that tell the cells of a grid apart, with the texts of
// those that have a row, and as heading and value what all of the grid agrees in.
func Stubs(p bench.Plan, grid, rows []bench.Cell) (columns []Column, texts [][]Cell, constant []bench.Pair) {
	whole, shown := withoutRecords(grid), withoutRecords(rows)
	kept, constant := liftConstant(stubs(p, whole), whole)
	var b builder
	t := b.flat("", kept, constant, shown, nil)
	for _, row := range t.Rows {
		texts = append(texts, row.Cells)
	}
	return t.Columns, texts, t.Constant
}

// withoutRecords are cells of which the columns alone are asked.
func withoutRecords(cells []bench.Cell) []cell {
	all := make([]cell, len(cells))
	for i := range cells {
		all[i] = cell{Cell: &cells[i], folder: &folder{}}
	}
	return all
}
