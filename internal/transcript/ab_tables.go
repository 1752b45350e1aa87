package transcript

import (
	"strconv"
	"strings"

	"matrix/internal/bench"
)

var (
	abRow      = lazily(`\b(Connect|Processing|Waiting|Total):((?:[ \t]+-?\d+(?:\.\d+)?)+)`)
	abQuantile = lazily(`^\D{0,64}(\d{1,3})%[ \t]+(-?\d{1,15})(?:[ \t]*\n|[ \t]+|$)`)
	abNoSpread = lazily(`(?m)\bab(?:\.exe)?[ \t][^\n]* -[A-Za-z]*d\b[^\n]*$`)
)

// abTables reads the table of times and the table of percentiles. It returns
// what is lacking of them.
func abTables(r *Report, run part, before string) (missing string) {
	if !run.has(timesTable) {
		r.Printed.Resolution = 0
		if r.Issued == 0 {
			return ""
		}
		return lacks(timesTable)
	}
	times, quantiles := run.behind(timesTable), ""
	if run.has(quantileTable) {
		quantiles = run.behind(quantileTable)
		times = times[:len(times)-len(quantiles)]
	}
	rows := abRows(times)
	r.Printed.Connect, r.Printed.Processing = rows["Connect"], rows["Processing"]
	r.Printed.FirstByte, r.Printed.Latency = rows["Waiting"], rows["Total"]
	abQuantiles(r, quantiles)
	switch n := len(r.Printed.Quantiles); {
	case rows["Total"] == nil:
		return lacks("Total:")
	case n > 0 && r.Printed.Quantiles[n-1].P < 1 || n == 0 && run.has(quantileTable):
		return lacks("100%")
	case n == 0 && abSpread(r, run) && !abNoSpread().MatchString(before):
		return "there are no percentiles, unless -d left them out"
	}
	return ""
}

// abRows reads the rows of the table of times; the first of each counts. One is
// left out that may go on: it ends the text, or has fewer columns than the head.
func abRows(text string) map[string]*bench.Summary {
	rows := map[string]*bench.Summary{}
	spread := strings.Contains(text, "mean[+/-sd]")
	for _, m := range abRow().FindAllStringSubmatchIndex(text, -1) {
		name, rest := text[m[2]:m[3]], text[m[1]:]
		_, twice := rows[name]
		if twice || strings.Trim(rest, " \t") == "" || !strings.ContainsAny(rest[:1], " \t\n") {
			continue
		}
		if columns := strings.Fields(text[m[4]:m[5]]); !spread || len(columns) == 5 {
			rows[name] = abSummary(columns)
		}
	}
	return rows
}

// abSpread reports whether percentiles are due: ab prints them since 1.3d, but
// not of a single request, nor as HTML.
func abSpread(r *Report, run part) bool {
	return r.Issued > 1 && (strings.Contains(run.behind(timesTable), "mean[+/-sd]") ||
		strings.HasPrefix(r.Version, "2.") && strings.Contains(run.block, "[#/sec]"))
}

// abQuantiles reads the lines of the percentiles, which rise and end with 100%.
func abQuantiles(r *Report, text string) {
	for before := int64(-1); before < 100; {
		m := abQuantile().FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		p := digits(text[m[2]:m[3]])
		if p <= before || p > 100 {
			return
		}
		if ms := milliseconds(text[m[4]:m[5]]); ms != nil {
			r.Printed.Quantiles = append(r.Printed.Quantiles, bench.Quantile{P: float64(p) / 100, Seconds: *ms})
		}
		before, text = p, text[m[1]:]
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
		if len(n[1]) <= 5 {
			return nil // the third is missing
		}
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
