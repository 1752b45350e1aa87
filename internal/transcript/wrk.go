package transcript

import (
	"fmt"
	"io"
	"math"
	"net/url"
	"strings"
	"time"

	"matrix/internal/bench"
)

var (
	wrkHead   = lazily(`Running (\S{1,20}) test @ (\S+)`)
	wrkAbort  = lazily(`unable to (?:connect to|resolve|create thread) [^\n]{1,512}`)
	wrkConns  = lazily(`(\S{1,20}) threads? and (\S{1,20}) connections?`)
	wrkTotals = lazily(`(\S{1,20}) requests in (\S{1,20}), (\S{1,20}) read`)
	wrkColumn = lazily(`Thread Stats[ \t]+Avg[ \t]+Stdev[ \t]+(\S{1,20})`)
	wrkTimes  = lazily(`\bLatency[ \t]+([\d.]{1,18}[a-z]{0,2})[ \t]+([\d.]{1,18}[a-z]{0,2})[ \t]+([\d.]{1,18}[a-z]{0,2})[ \t]+(-?nan|[\d.]{1,18})%`)
	wrkPaced  = lazily(`Thread calibration: mean lat|Thread Stats[ \t]+Avg[ \t]+Stdev[ \t]+99%|Latency Distribution \(HdrHistogram`) // wrk2
	wrkSpread = lazily(`Latency Distribution`)
	wrkShare  = lazily(`(\d{1,3}(?:\.\d{1,6})?)%[ \t]+([\d.]{1,18}[a-z]{0,2})(?:\s|$)`)
	wrkSocket = lazily(`Socket errors: connect (\d{1,18}), read (\d{1,18}), write (\d{1,18}), timeout (\d{1,18})`)
	wrkStatus = lazily(`Non-2xx or 3xx responses: (\d{1,18})`)
	wrkRate   = lazily(`Requests/sec:\s*(\S{1,20})`)
	wrkBytes  = lazily(`Transfer/sec:\s*(\S{1,20})`)
)

// The names of wrk's lines that are asked for by name.
const (
	wrkRunning    = "Running"
	wrkTotalsLine = "requests in"
	wrkRateLine   = "Requests/sec:"
)

var wrkMarks = []mark{
	{name: wrkRunning, is: fresh, rank: 0, text: `Running \S{1,20} test @ \S+`},
	{name: "unable", sign: "unable to ", is: fresh, rank: 0, text: `unable to (?:connect to|resolve|create thread) [^\n]{1,512}`},
	{name: "threads and connections", sign: "connection", rank: 1, text: `{c}[kKMG]? threads? and {c}[kKMG]? connections?`},
	{name: "Thread Stats", is: heading, rank: 10, text: `Thread Stats[ \t]`},
	{name: "Latency", rank: 20, text: `\bLatency{r}`},
	{name: "Req/Sec", rank: 21, text: `\bReq/Sec{r}`},
	{name: "distribution", sign: "%", is: row, text: `(?:^|[ \t])\d{1,3}(?:\.\d{1,6})?%[ \t]+{x}(?:us|ms|s|m|h)`},
	{name: wrkTotalsLine, rank: 22, text: `{c}[kKMG]? requests in {x}[a-z]{0,2}, {x}[KMGT]?B? read`},
	{name: "Socket errors:", rank: 23, text: `Socket errors: connect {n}, read {n}, write {n}, timeout {n}`},
	{name: "Non-2xx or 3xx responses:", rank: 24, text: `Non-2xx or 3xx responses: {n}`},
	{name: wrkRateLine, rank: 25, text: `Requests/sec:\s*{x}[kKMG]?`},
	{name: "Transfer/sec:", rank: 26, text: `Transfer/sec:\s*{x}[KMGT]?B`},
}

var wrkDialect = dialect{
	tool: "wrk", marks: wrkMarks, core: []string{wrkTotalsLine, wrkRateLine}, report: wrkReport,
	calls: called("wrk", "wrk2"), flags: wrkFlags, target: targetWrk,
}.made()

// ParseWrk reads the reports of wrk and of wrk2. Without --latency there are no
// quantiles. Its latency begins when a request is sent, not with the connect; a
// length it never checks, and an answer of 3xx it counts as a success. It keeps
// its connections unless the command that the log shows has "Connection: close".
func ParseWrk(r io.Reader) ([]Report, error) { return wrkDialect.parse(r) }

func wrkReport(r *Report, run part, _ string) (found bool, err error) {
	r.Protocol = bench.HTTP11
	if r.KeepAlive == nil {
		r.KeepAlive = new(true)
	}
	if m := wrkHead().FindStringSubmatch(run.text); m != nil {
		wrkFacts(r, m[1], m[2], run.text)
		found = true
	}
	r.openLoop = r.Rate > 0 || wrkPaced().MatchString(run.text)
	at := wrkTotals().FindStringSubmatchIndex(run.text)
	switch {
	case at == nil && !found && run.reports():
		return false, run.cutShort(wrkTotalsLine)
	case at == nil:
		return wrkAborted(r, run.text, found), nil
	}
	totals := wrkTotals().FindStringSubmatch(run.text[at[0]:])
	n, ok := scaled(totals[1])
	if !ok {
		return false, Unreadable{run.line + strings.Count(run.text[:at[0]], "\n"), fmt.Sprintf("%q is no count of requests", totals[1])}
	}
	if err := wrkClosed(run); err != nil {
		return false, err
	}
	if missing := run.lacking(wrkRunning, "threads and connections", "Thread Stats", "Latency", "Req/Sec", "Transfer/sec:"); missing != "" {
		r.Cut = lacks(missing)
	}
	wrkRates(r, int64(math.Round(n)), totals, run.text[at[1]:])
	r.socket = wrkErrors(run.text[at[1]:])
	r.socket.complete = int64(math.Round(n))
	r.settle(r.likelyClosed())
	wrkTimeouts(r)
	if n > 0 {
		wrkLatency(r, run.text[:at[0]])
	}
	wrkInvalid(r)
	return true, nil
}

// wrkClosed is the error of a report that may lack a line with failures: they
// stand between the totals and the rate. One that is there and has other than
// counts is no less of an error.
func wrkClosed(run part) error {
	for _, line := range []string{"Socket errors:", "Non-2xx or 3xx responses:"} {
		if at := strings.Index(run.block, line); at >= 0 && !run.has(line) {
			return Unreadable{run.line + strings.Count(run.block[:at], "\n"), fmt.Sprintf("%q holds no counts", line)}
		}
	}
	switch {
	case !run.has(wrkRateLine):
		return run.cutShort(wrkRateLine)
	case !run.has("Transfer/sec:") && run.first[wrkTotalsLine] == run.at:
		return run.cutShort("Transfer/sec:") // neither its beginning nor its end: somebody chose among its lines
	}
	return nil
}

// wrkFacts reads what was asked. Each thread makes as many connections as the
// others, so that some of those asked for may never have been made.
func wrkFacts(r *Report, taken, target, text string) {
	if s, _, ok := span(taken); ok && s < 1e8 {
		r.Duration = time.Duration(math.Round(s * float64(time.Second)))
	}
	if u, err := url.Parse(target); err == nil {
		r.aim(u)
	}
	m := wrkConns().FindStringSubmatch(text)
	if m == nil {
		return
	}
	threads, ok1 := scaled(m[1])
	conns, ok2 := scaled(m[2])
	if !ok1 || !ok2 || threads < 1 || conns < 1 || conns >= 1<<31 {
		return
	}
	made := math.Trunc(threads) * math.Floor(conns/math.Trunc(threads))
	r.Concurrency, r.Threads = int(made), int(min(threads, math.MaxInt32))
	if made != conns {
		r.Notes = append(r.Notes, bench.Note{Code: "fewer-connections", Text: fmt.Sprintf(
			"wrk was asked for %g connections and made %g: as many in each of %g threads", conns, made, threads)})
	}
}

func wrkRates(r *Report, n int64, totals []string, text string) {
	if m := wrkRate().FindStringSubmatch(text); m != nil {
		if x, ok := scaled(m[1]); ok {
			r.Printed.RequestsPerSecond = &x
		}
	}
	if m := wrkBytes().FindStringSubmatch(text); m != nil {
		if x, ok := octets(m[1]); ok {
			r.Printed.BytesPerSecond = &x
		}
	}
	if x, ok := octets(totals[3]); ok && x < 1e18 {
		r.WireBytes = int64(math.Round(x))
	}
	r.Elapsed = elapsedBy(totals[2], n, r.Printed.RequestsPerSecond)
}

// wrkWords tell what wrk, and at a rate wrk2, counts as latency.
var wrkWords = map[bool]string{
	false: "wrk adds to the latencies that it measured those of requests that it would have sent meanwhile: concurrency and rate do not follow from them",
	true:  "wrk2 counts latency from when a request was due: concurrency and rate do not follow from it",
}

// wrkLatency reads the summary and the quantiles of a run with requests.
func wrkLatency(r *Report, text string) {
	if m := wrkTimes().FindStringSubmatch(text); m != nil && !strings.Contains(m[4], "nan") {
		r.Printed.Latency = &bench.Summary{Mean: spanned(m[1]), SD: spanned(m[2])}
		switch column := wrkColumn().FindStringSubmatch(text); {
		case column != nil && column[1] == "99%": // wrk2
			r.quantile("99", m[3])
		default:
			r.Printed.Latency.Max = spanned(m[3])
		}
		r.Notes = append(r.Notes, bench.Note{Code: "corrected-latency", Text: wrkWords[r.openLoop]})
	}
	at := wrkSpread().FindStringIndex(text)
	if at == nil {
		return
	}
	r.Printed.Quantiles = nil // the distribution has that of the summary as well, finer
	for _, m := range wrkShare().FindAllStringSubmatch(text[at[1]:], 100) {
		r.quantile(m[1], m[2])
	}
}

// quantile adds a line of a table of percentiles.
func (r *Report) quantile(percent, value string) {
	p, ok := finite(percent)
	s := spanned(value)
	if ok && s != nil && p <= 100 {
		r.Printed.Quantiles = append(r.Printed.Quantiles, bench.Quantile{P: math.Round(p*1e6) / 1e8, Seconds: *s})
	}
}

// wrkInvalid takes no figure from a run whose clock or counters went wrong.
func wrkInvalid(r *Report) {
	words := ""
	switch rate := r.Printed.RequestsPerSecond; {
	case r.OK == 0:
	case r.Duration > 0 && r.Elapsed > 3*r.Duration+10*time.Second:
		words = fmt.Sprintf("wrk's run took %v instead of %v", r.Elapsed.Round(time.Millisecond), r.Duration)
	case rate != nil && *rate == 0:
		words = fmt.Sprintf("wrk printed a rate of 0 for %d requests", r.OK)
	}
	if words == "" {
		return
	}
	n := r.OK
	r.OK, r.Abort = 0, words
	r.Fail(bench.Client, n, words)
}

// wrkAborted reads a run without totals: one that never began, or that began
// and was ended.
func wrkAborted(r *Report, text string, began bool) bool {
	if words := wrkAbort().FindString(text); words != "" {
		class, ok := classOf(words)
		if !ok {
			class = bench.Connect
			if !strings.HasPrefix(words, "unable to connect") {
				class = bench.Client
			}
		}
		r.abort(class, strings.TrimSpace(words), 0, true)
		return true
	}
	if began {
		r.abort(bench.Other, r.ended(), 0, false)
	}
	return began
}
