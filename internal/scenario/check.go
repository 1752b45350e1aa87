package scenario

import (
	"math/big"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

const maxBlocks = 10_000

func readGrid(p *parser, v *yaml.Node) {
	items, _ := p.sequence(v, "grid")
	if len(items) > maxBlocks {
		p.problem(v, "%d blocks: a grid has at most %d", len(items), maxBlocks)
		return
	}
	for _, item := range items {
		p.s.grid = append(p.s.grid, p.group(item, "grid", "this block"))
	}
}

// check finds what is wrong with the grid as a whole, once its parts are right.
func (p *parser) check(grid, limits *yaml.Node) {
	complete := p.complete()
	if p.broken || !complete || len(p.s.systems) == 0 || !p.counted(grid) {
		return
	}
	notices := report{file: p.file}
	e := p.s.newExpansion(func(v *value) any { return v.data })
	e.grid(&p.report, &notices)
	e.axes()
	p.twice(e.drafts)
	p.aboveRequests(e.drafts)
	if len(e.drafts) == 0 {
		p.problem(grid, "no cell is left: exclude takes out all of them")
	}
	p.laidOut(e.drafts)
	p.limited(limits, e.drafts, &notices)
	_ = notices.err()
	p.s.notices = notices.problems
}

// complete reports the blocks that lack a part on some system.
func (p *parser) complete() bool {
	whole := true
	for _, block := range p.s.grid {
		for _, sys := range p.s.systems {
			if block.unsure || sys.set.unsure || p.s.load.unsure {
				whole = false
				continue
			}
			what := missing(layers(block, sys.set, p.s.load))
			if what == "" {
				continue
			}
			whole = false
			p.at(block.line, block.col, "the grid has no %s here: add it to this block, to load or to every system", what)
		}
	}
	return whole
}

// counted guards the size of the grid before anything is allocated for it.
func (p *parser) counted(grid *yaml.Node) bool {
	cells := new(big.Int)
	for _, sys := range p.s.systems {
		for _, block := range p.s.grid {
			cells.Add(cells, size(layers(block, sys.set, p.s.load)))
		}
		for _, inc := range p.s.includes {
			cells.Add(cells, size(layers(inc.block, sys.set, p.s.load)))
		}
	}
	trials := new(big.Int).Mul(cells, big.NewInt(int64(p.s.plan.Rounds)))
	switch {
	case cells.Cmp(big.NewInt(maxCells)) > 0:
		p.problem(grid, "the grid has %s cells: at most %d are allowed; shorten its lists", cells, maxCells)
	case trials.Cmp(big.NewInt(maxTrials)) > 0:
		p.problem(grid, "%s cells in %d rounds are %s trials: at most %d are allowed; lower rounds", cells, p.s.plan.Rounds, trials, maxTrials)
	default:
		return true
	}
	return false
}

// twice reports points that a system has more than once: once for each two
// blocks, with the first of the points.
func (p *parser) twice(drafts []*draft) {
	type where struct {
		system int
		point  bench.Key
	}
	type pair struct{ a, b *group }
	first := map[where]*draft{}
	found := map[pair]int{}
	for _, d := range drafts {
		w := where{d.System, bench.KeyOf(d.Axes)}
		before, again := first[w]
		if !again {
			first[w] = d
			continue
		}
		blocks := pair{before.place, d.place}
		if found[blocks]++; found[blocks] > 1 {
			continue
		}
		if before.place == d.place {
			p.at(d.place.line, d.place.col, "this block has the point %s twice: correct its zip", pointText(d))
			continue
		}
		p.at(d.place.line, d.place.col, "this block repeats the point %s of the block on line %d: take it out of one of them", pointText(d), before.place.line)
	}
}

func pointText(d *draft) string { return clip(string(bench.KeyOf(d.Axes))) }

func (p *parser) aboveRequests(drafts []*draft) {
	if p.s.above != aboveError {
		return
	}
	told := map[*group]bool{}
	for _, d := range drafts {
		if d.Skip != "" && !told[d.place] {
			told[d.place] = true
			p.at(d.place.line, d.place.col, "this block has %s: correct it, or write above_requests: skip", d.Skip)
		}
	}
}
