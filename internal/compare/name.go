package compare

import (
	"strings"

	"matrix/internal/bench"
)

// Name calls a cell by all that tells it from the others, as a filter of cells
// is written: `Server=nginx file=small concurrency=10`.
func (c *Comparison) Name(x bench.Cell) string {
	if c.told == nil {
		c.told = telling(c.Cells)
	}
	pairs := x.Pairs()
	var parts []string
	for _, name := range c.told {
		if v, ok := bench.Lookup(pairs, name); ok {
			parts = append(parts, quoted(name)+"="+quoted(clip(v, 60)))
		}
	}
	if len(parts) == 0 {
		return "the cell"
	}
	return strings.Join(parts, " ")
}

// telling lists the names of pairs that are not the same in all cells, but for
// the size, which follows from the file.
func telling(cells []Cell) (told []string) {
	first := map[string]string{}
	counts := map[string]int{}
	varied := map[string]bool{}
	var order []string
	for _, x := range cells {
		for _, p := range x.Pairs() {
			v, seen := first[p.Name]
			if !seen {
				first[p.Name] = p.Value
				order = append(order, p.Name)
			}
			varied[p.Name] = varied[p.Name] || seen && v != p.Value
			counts[p.Name]++
		}
	}
	for _, name := range order {
		if (varied[name] || counts[name] < len(cells)) && name != "size" {
			told = append(told, name)
		}
	}
	return told
}

func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t,='\"") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "’") + "'"
}

func clip(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
