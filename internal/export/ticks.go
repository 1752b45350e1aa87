package export

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// ticksOf is the ticks along x. Where their texts have no room beside each other,
// those of numbers are thinned, and others are set aslant.
func ticksOf(c table.Chart, p *plot.Plot) []plot.Tick {
	const mostNames = 40 // that have room when they are turned

	const room, each, gap = chartWidth - 80, 6.5, 8 // points: the axis, a character, between two texts
	ticks := make([]plot.Tick, len(c.Ticks))
	crowded, names, end := false, c.Kind == bench.Bars, math.Inf(-1)
	for i, t := range c.Ticks {
		label := clipped(Visible(t.Text), longestTick)
		half := each * float64(len([]rune(label))) / 2
		at := room * p.X.Norm(t.At)
		ticks[i] = plot.Tick{Value: t.At, Label: label}
		_, err := strconv.ParseFloat(label, 64)
		names = names || err != nil && t.At == float64(i)
		if at-half < end+gap {
			crowded = true
			ticks[i].Label = ""
			continue
		}
		end = at + half
	}
	if !crowded || !names || len(ticks) > mostNames {
		return ticks
	}
	for i, t := range c.Ticks {
		ticks[i].Label = clipped(Visible(t.Text), longestTick)
	}
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/6, text.XRight, text.YCenter
	return ticks
}

// roundTicks is three to eight multiples of 1, 2 or 5 times a power of ten. The
// library's own choose better, but for values very far apart never end.
func roundTicks(low, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, times := range []float64{5, 2} {
		if (high-low)/(step*times) >= 3 {
			step *= times
			break
		}
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: low, Label: "0"}}
	}
	first := math.Ceil(low / step)
	for i := range 12 {
		if v := (first + float64(i)) * step; v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
		}
	}
	return ticks
}

// decades is the powers of ten from low to high, which are two of them, at most
// some eight with a label; between those of few, short ticks. The library's own
// begin at 1 where low is less.
func decades(low, high float64) (ticks []plot.Tick) {
	const labels, fine = 8, 6
	first, last := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	each := max(1, (last-first+labels-1)/labels)
	for power := first; power <= last; power++ {
		tick := plot.Tick{Value: math.Pow10(power)}
		if (power-first)%each == 0 {
			tick.Label = strconv.FormatFloat(tick.Value, 'g', -1, 64)
		}
		ticks = append(ticks, tick)
		for times := 2.0; times < 10 && power < last && last-first <= fine; times++ {
			ticks = append(ticks, plot.Tick{Value: tick.Value * times})
		}
	}
	return ticks
}

// plainTicks writes what another ticker chose as 100000 rather than 1e+05.
type plainTicks struct{ plot.Ticker }

func (t plainTicks) Ticks(low, high float64) []plot.Tick {
	ticks := t.Ticker.Ticks(low, high)
	for i, tick := range ticks {
		if tick.Label == "" {
			continue
		}
		short, err := strconv.ParseFloat(strconv.FormatFloat(tick.Value, 'g', 6, 64), 64)
		if err == nil && math.Abs(short) < 1e15 && (short == 0 || math.Abs(short) >= 1e-6) {
			ticks[i].Label = strconv.FormatFloat(short, 'f', -1, 64)
		}
	}
	return ticks
}
