package transcript

import (
	"math"
	"strconv"
	"time"

	"matrix/internal/bench"
)

// general is a number as C's %g writes it; finite tells whether it is one.
const general = `([-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|(?i:inf|nan)))`

// finite reads a number that is 0 or more; false for inf, nan and negatives.
func finite(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && x >= 0 && x <= 1e15
}

func optional(s string) *float64 {
	if x, ok := finite(s); ok {
		return &x
	}
	return nil
}

var (
	timePattern  = lazily(`^(\d{1,15})(?:\.(\d{1,9}))?(us|ms|s|m|h)$`)
	bytesPattern = lazily(`^(\d{1,15}(?:\.\d{1,9})?)([KMGT]?)B$`)
	countPattern = lazily(`^(\d{1,15}(?:\.\d{1,9})?)([kKMG]?)$`)
	timeUnits    = map[string]float64{"us": 1.0 / 1e6, "ms": 1.0 / 1e3, "s": 1, "m": 60, "h": 3600}
)

// span reads a time such as "25.17ms" in seconds, and the step between two
// times that would be printed differently. A time without a unit is unknown.
func span(s string) (seconds, step float64, ok bool) {
	m := timePattern().FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	x, err := strconv.ParseFloat(m[1]+"."+m[2]+"0", 64)
	unit := timeUnits[m[3]]
	seconds = x * unit
	if unit < 1 {
		seconds = x / math.Round(1/unit) // so that 119us is the same as 0.000119
	}
	return seconds, unit * math.Pow10(-len(m[2])), err == nil
}

// spanned is span as an optional number of seconds.
func spanned(s string) *float64 {
	if x, _, ok := span(s); ok {
		return &x
	}
	return nil
}

// octets reads an amount such as "62.25KB", of 1024 bytes.
func octets(s string) (float64, bool) {
	m := bytesPattern().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	return x * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[m[2]], err == nil
}

// scaled reads a count such as "1.23k", of 1000.
func scaled(s string) (float64, bool) {
	m := countPattern().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	return x * map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}[m[2]], err == nil
}

// elapsedBy is a printed time, made finer by a printed rate of n requests a
// second, with two decimals, where that is finer and within the rounding of both. A time that was not
// printed, or has no unit, is told by the rate alone.
func elapsedBy(printed string, n int64, rate *float64) time.Duration {
	taken, step, ok := span(printed)
	if rate != nil && *rate > 0 && n > 0 {
		byRate := float64(n) / *rate
		rounding := byRate * 0.005 / *rate
		if !ok || rounding < step/2 && math.Abs(byRate-taken) <= step/2+rounding+1e-9 {
			taken, ok = byRate, true
		}
	}
	if !ok || taken > 1e9 {
		return 0
	}
	return seconds(taken)
}

// shares gives each of a number of requests its one outcome.
type shares struct {
	r    *Report
	left int64 // without an outcome yet
}

// fail gives n of the requests that are left to a class of failure.
func (s *shares) fail(class bench.Failure, n int64, message string) {
	n = min(max(n, 0), s.left)
	s.r.Fail(class, n, message)
	s.left -= n
}
