package unit

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Significant is the number of significant digits that a Scale aims for. Digits
// before the decimal point are never rounded away.
const Significant = 4

// maxDecimals bounds what a column may grow to: beyond it a value is shown in
// exponent form.
const maxDecimals = 9

// Scale is the one unit in which a whole column of numbers is shown.
type Scale struct {
	Label  string  // for the column's heading: "ms", "kB/s"; "" for bare numbers
	Factor float64 // how many base units one unit of the label is: 1e-3 for ms of seconds
}

// ladder lists the units that values of u may be shown in, largest first.
func ladder(u Unit) []Scale {
	switch u {
	case Seconds:
		return []Scale{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}}
	case Milliseconds:
		return []Scale{{"s", 1e3}, {"ms", 1}, {"µs", 1e-3}, {"ns", 1e-6}}
	case Bytes:
		return []Scale{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}
	case BytesPerSecond:
		return []Scale{{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}}
	case PerSecond:
		return []Scale{{"/s", 1}}
	case Percent:
		return []Scale{{"%", 1}}
	default: // counts and ratios stand bare: their heading says what they are
		return []Scale{{"", 1}}
	}
}

// Pick chooses the unit in which the column of values, given in u, reads best:
// the one that needs the fewest digits outside of 1 to 999 in total, and the
// larger one of equals. Zeros and values that are not finite have no say.
func Pick(values []float64, u Unit) Scale {
	steps := ladder(u)
	best, least := steps[0], math.Inf(1)
	if !anyFigure(values) { // nothing to go by: the unit itself
		for _, s := range steps {
			if s.Factor == 1 {
				best = s
			}
		}
		return best
	}
	for _, s := range steps {
		cost := 0.0
		for _, v := range values {
			cost += awkward(v / s.Factor)
		}
		if cost < least {
			best, least = s, cost
		}
	}
	return best
}

func anyFigure(values []float64) bool {
	for _, v := range values {
		if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return true
		}
	}
	return false
}

// awkward counts the digits of v that a reader must skip: those before the
// point beyond the third, and the leading zeros of a fraction.
func awkward(v float64) float64 {
	v = math.Abs(v)
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	e := magnitude(v)
	if e < 0 {
		return float64(-e)
	}
	return float64(max(e-2, 0))
}

// magnitude is the decimal exponent of v once v is rounded to Significant
// digits, so that 999.96 counts as 1000.
func magnitude(v float64) int {
	s := strconv.FormatFloat(v, 'e', Significant-1, 64)
	_, exp, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(exp)
	return n
}

// Format writes v, given in the base unit, with four significant digits or
// more: "1.460", "0.02000", "127.9", "12345". A value that is not finite gives
// "", and negative zero "0".
func (s Scale) Format(v float64) string {
	v /= s.Factor
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if v == 0 {
		return "0"
	}
	decimals := max(Significant-1-magnitude(math.Abs(v)), 0)
	if decimals > maxDecimals {
		return strconv.FormatFloat(v, 'e', Significant-1, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Size writes a number of bytes exactly, in the unit that leaves it the fewest
// digits: "1.5 kB", "143 kB", "1 KiB", "12345 B". Of equals the larger unit is
// taken, and powers of 1000 before powers of 1024.
func Size(n int64) string {
	best, label := strconv.FormatInt(n, 10), "B"
	for _, s := range [...]Scale{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	} {
		if float64(n) < s.Factor {
			continue
		}
		text := strconv.FormatFloat(float64(n)/s.Factor, 'f', -1, 64)
		if len(text) > len(best) {
			continue
		}
		if back, err := ParseBytes(text + s.Label); err == nil && back == n {
			best, label = text, s.Label
		}
	}
	return best + " " + label
}

// Span writes a duration as people do, without zero parts: "30s", "1m", "1m30s",
// "1.5ms".
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Plain writes v for machines: the shortest text that reads back as v, without
// an exponent between 1e-7 and 1e21; "" when v is not finite, "0" for negative
// zero.
func Plain(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a >= 1e-7 && a < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Share writes a ratio as a percentage of two significant digits below 10 %:
// 0.021 is "2.1%", 0.5 is "50%", and what is above zero but would round to it
// "<0.1%". "" when the ratio is not finite.
func Share(r float64) string {
	p := math.Abs(r * 100)
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return ""
	case p == 0:
		return "0%"
	case p < 0.1:
		return "<0.1%"
	case p < 9.95:
		return sign(r) + strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return sign(r) + strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}
