package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

const (
	mostRounds   = 1000
	fewestForAll = 6 // rounds, below which no interval of a median reaches 95 %
)

// shares are percentages, kept as fractions: 2% is 0.02.
func shares() kind {
	return kind{
		words: "percentage, 0.1% to 50%",
		parse: func(text string) (any, error) {
			v, err := unit.ParsePercent(text)
			switch {
			case errors.As(err, new(unit.Octal)):
				return nil, err
			case err != nil:
				return nil, fmt.Errorf("%q is no percentage: write one, such as 2%%", text)
			case !(v >= 0.1 && v <= 50):
				return nil, fmt.Errorf("%s is out of range: write 0.1%% to 50%%", text)
			}
			return v / 100, nil
		},
		schema: matching(`^(0|[1-9][0-9]*)(\.[0-9]+)? *%$`),
	}
}

var roundsKeys = []string{"min", "max", "until"}

// readRounds reads how often each cell is tried: a number, or until when.
func readRounds(p *parser, v *yaml.Node) {
	n := p.resolve(v)
	if n.Kind != yaml.MappingNode {
		number(p, n, "rounds", counts(1, mostRounds), &p.s.plan.Rounds)
		return
	}
	u := &bench.Until{Min: fewestForAll}
	most := 0
	before := len(p.problems)
	p.mapping(n, "rounds", roundsKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "min":
			number(p, v, "min", counts(1, mostRounds), &u.Min)
		case "max":
			number(p, v, "max", counts(fewestForAll, mostRounds), &most)
		case "until":
			number(p, v, "until", shares(), &u.Share)
		}
	})
	for _, missing := range []struct {
		key, example string
	}{{"max", "30"}, {"until", "2%"}} {
		if !p.mentions(n, missing.key) {
			p.problem(n, "rounds has no %s: add %s: %s, or write a number of rounds", missing.key, missing.key, missing.example)
		}
	}
	if len(p.problems) > before {
		return
	}
	if u.Min > most {
		p.problem(n, "rounds: min %d is above max %d", u.Min, most)
		return
	}
	p.s.plan.Rounds, p.s.plan.Until = most, u
}

func roundsSchema(Known) any {
	return either(counts(1, mostRounds).schema, closed(object{
		"min":   described(counts(1, mostRounds).schema, "Rounds that every cell has.", strconv.Itoa(fewestForAll)),
		"max":   described(counts(fewestForAll, mostRounds).schema, "Rounds that a cell has at most.", ""),
		"until": described(shares().schema, "Half width of the 95 % interval of the median requests per second, as a share of it, that is narrow enough.", ""),
	}, "max", "until"))
}

var coolDownKeys = []string{"time_wait", "load", "max"}

// readCoolDown reads true, false, or what of the host is waited for.
func readCoolDown(p *parser, v *yaml.Node) {
	n := p.resolve(v)
	if n.Kind != yaml.MappingNode {
		on := false
		number(p, n, "cool_down", truth(), &on)
		if on {
			p.s.plan.CoolDown = new(bench.AtRest)
		}
		return
	}
	c := &bench.CoolDown{TimeWait: -1, Max: bench.AtRest.Max}
	p.mapping(n, "cool_down", coolDownKeys, func(key string, _, v *yaml.Node) {
		switch key {
		case "time_wait":
			number(p, v, "time_wait", counts(0, 1_000_000), &c.TimeWait)
		case "load":
			number(p, v, "load", loads(), &c.Load)
		case "max":
			number(p, v, "max", durations(time.Second), &c.Max)
		}
	})
	if !p.mentions(n, "time_wait") && !p.mentions(n, "load") {
		p.problem(n, "cool_down waits for nothing: name time_wait, load or both")
	}
	p.s.plan.CoolDown = c
}

func loads() kind {
	k := rates()
	k.words = "load average above 0"
	k.parse = func(text string) (any, error) {
		v, err := unit.ParseNumber(text)
		if errors.As(err, new(unit.Octal)) {
			return nil, err
		}
		if err != nil || !(v > 0 && v <= 10_000) {
			return nil, fmt.Errorf("%q is no load average above 0: write one, such as 1.5", text)
		}
		return v, nil
	}
	return k
}

func coolDownSchema(Known) any {
	return either(truth().schema, closed(object{
		"time_wait": described(counts(0, 1_000_000).schema, "Most TCP sockets in TIME_WAIT.", ""),
		"load":      described(loads().schema, "Greatest load average over one minute.", ""),
		"max":       described(durations(time.Second).schema, "The trial begins after this time all the same.", "30s"),
	}))
}
