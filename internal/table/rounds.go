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

// Stubs are the columns that tell cells apart, with the texts of each cell, and
// as heading and value what all of them agree in.
func Stubs(p bench.Plan, cells []bench.Cell) (columns []Column, texts [][]Cell, constant []bench.Pair) {
	all := make([]cell, len(cells))
	for i := range cells {
		all[i] = cell{Cell: &cells[i], folder: &folder{}}
	}
	kept, constant := liftConstant(stubs(p, all), all)
	var b builder
	t := b.flat("", kept, constant, all, nil)
	for _, row := range t.Rows {
		texts = append(texts, row.Cells)
	}
	return t.Columns, texts, t.Constant
}
