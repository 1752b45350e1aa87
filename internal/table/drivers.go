package table

import (
	"fmt"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// driversApart tells at how many points two drivers measured the same system
// and were apart in requests per second by more than the rounds of either
// spread; nil where no point was measured by two.
func driversApart(cells []cell) []Footnote {
	rate, _ := Lookup("requests_per_second")
	type rival struct {
		driver string
		value  Value
	}
	first := map[bench.Key]rival{}
	both, apart := 0, 0
	var pair string
	for _, c := range cells {
		v, ok := rate.fold(c.folder)
		if !ok || len(c.ranked) < 2 {
			continue
		}
		point := bench.KeyOf(withoutDriver(c.Pairs()))
		other, met := first[point]
		if !met {
			first[point] = rival{c.Driver, v}
			continue
		}
		if other.driver == c.Driver {
			continue
		}
		both++
		pair = strings.Join([]string{other.driver, c.Driver}, " and ")
		if !v.overlaps(other.value) {
			apart++
		}
	}
	if both == 0 {
		return nil
	}
	text := fmt.Sprintf("%s measured the same at %s: their requests per second agree within the rounds at %d of them", pair, unit.Counted(both, "point"), both-apart)
	if apart > 0 {
		text += ". Where they do not, the generator itself is part of the figure: on a shared machine one that needs less CPU leaves more to the server"
	}
	return []Footnote{{Code: "drivers", Text: text + "."}}
}

func withoutDriver(pairs []bench.Pair) (rest []bench.Pair) {
	for _, p := range pairs {
		if p.Name != "driver" {
			rest = append(rest, p)
		}
	}
	return rest
}
