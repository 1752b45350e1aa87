package transcript

import (
	"strconv"
	"strings"

	"matrix/internal/bench"
)

var (
	abTimesHead    = lazily(`Connn?ection Times \(ms\)`)
	abRow          = lazily(`\b(Connect|Processing|Waiting|Total):((?:[ \t]+-?\d+(?:\.\d+)?)+)`)
	abQuantileHead = lazily(`Percentage of the requests served within a certain time \(ms\)`)
	abQuantile     = lazily(`(?:^|\s)(\d{1,3})%[ \t]+(-?\d{1,15})\b`)
)

// abTables reads the table of times and the table of percentiles.
func abTables(r *Report, text string) {
	quantiles := ""
	if at := abQuantileHead().FindStringIndex(text); at != nil {
		text, quantiles = text[:at[0]], text[at[1]:]
	}
	at := abTimesHead().FindStringIndex(text)
	if at == nil {
		r.Printed.Resolution = 0
		return
	}
	for _, m := range abRow().FindAllStringSubmatch(text[at[1]:], -1) {
		switch s := abSummary(strings.Fields(m[2])); m[1] {
		case "Connect":
			r.Printed.Connect = s
		case "Processing":
			r.Printed.Processing = s
		case "Waiting":
			r.Printed.FirstByte = s
		case "Total":
			r.Printed.Latency = s
		}
	}
	for _, m := range abQuantile().FindAllStringSubmatch(quantiles, 100) {
		p, ms := digits(m[1]), milliseconds(m[2])
		if ms != nil && p <= 100 {
			r.Printed.Quantiles = append(r.Printed.Quantiles, bench.Quantile{P: float64(p) / 100, Seconds: *ms})
		}
	}
}

// abSummary reads the numbers of a row: "min mean [+/-sd] median max", or in
// 1.1 and with -S "min avg max", whose last two can be glued together.
func abSummary(n []string) *bench.Summary {
	switch len(n) {
	case 5:
		return &bench.Summary{Min: milliseconds(n[0]), Mean: milliseconds(n[1]), SD: milliseconds(n[2]), Median: milliseconds(n[3]), Max: milliseconds(n[4])}
	case 3:
		return &bench.Summary{Min: milliseconds(n[0]), Mean: milliseconds(n[1]), Max: milliseconds(n[2])}
	case 2:
		mean, max := unglue(n[0], n[1])
		return &bench.Summary{Min: milliseconds(n[0]), Mean: milliseconds(mean), Max: milliseconds(max)}
	}
	return nil
}

// unglue cuts "812345" into mean 8 and maximum 12345: columns are five wide, so
// a maximum that touches the mean has five digits or more. Where several cuts
// leave min <= mean <= max, neither is known.
func unglue(least, glued string) (mean, greatest string) {
	low, err := strconv.ParseFloat(least, 64)
	if err != nil {
		return "", ""
	}
	cuts := 0
	for i := 1; i <= len(glued)-5; i++ {
		a, err1 := strconv.ParseFloat(glued[:i], 64)
		b, err2 := strconv.ParseFloat(glued[i:], 64)
		if err1 == nil && err2 == nil && glued[i] != '0' && low <= a && a <= b {
			mean, greatest = glued[:i], glued[i:]
			cuts++
		}
	}
	if cuts != 1 {
		return "", ""
	}
	return mean, greatest
}

// milliseconds returns a number of milliseconds in seconds; nil when it is
// none or, from a clock that was set back, negative.
func milliseconds(s string) *float64 {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil || ms < 0 || ms > 1e12 {
		return nil
	}
	return new(ms / 1000)
}
