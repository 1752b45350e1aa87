package transcript

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

var (
	h2Spawn    = lazily(`spawning thread #\d{1,6}: (\d{1,9}) (?:total client\(s\)\.|concurrent clients,)(?: Up to (\d{1,9}) client\(s\) will be created every (\S{1,20}))?(?: (\d{1,18}) total requests)?`)
	h2Timed    = lazily(`Timing-based test with (\S{1,20}) of warm-up time and (\S{1,20}) of main duration`)
	h2Protocol = lazily(`Application protocol: (\S{1,40})`)
	h2Progress = lazily(`progress: (\d{1,3})% done`)
	h2Finish   = lazily(`finished in (\S{1,20}), ([\d.]{1,20}) req/s, (\S{1,20})/s`)
	h2Requests = lazily(`requests: (\d{1,18}) total, (\d{1,18}) started, (\d{1,18}) done, (\d{1,18}) succeeded, (\d{1,18}) failed, (\d{1,18}) errored(?:, (\d{1,18}) timeout)?`)
	h2Warmup   = lazily(`with ([\d.]{1,18}(?:us|ms|s|m|h)) of warm-up time`)
	h2Status   = lazily(`status codes: (\d{1,18}) 2xx, (\d{1,18}) 3xx, (\d{1,18}) 4xx, (\d{1,18}) 5xx`)
	h2Traffic  = lazily(`traffic: \S{1,20} \((\d{1,18})\) total, \S{1,20} \((\d{1,18})\) headers(?: \([^)\n]{0,80}\))?, \S{1,20} \((\d{1,18})\) data`)
	h2OldBytes = lazily(`traffic: (\d{1,18}) bytes total, (\d{1,18}) bytes headers(?: \([^)\n]{0,80}\))?, (\d{1,18}) bytes data`) // through 1.9
	h2Columns  = lazily(`\b((?:min|max|mean|median|sd|p\d{1,2}(?:\.\d{1,3})?)(?:[ \t]+(?:min|max|mean|median|sd|\+/- sd|p\d{1,2}(?:\.\d{1,3})?))+)\s`)
	h2Row      = lazily(`\b(time for request|time for connect|time to 1st byte|request|connect|TTFB)[ \t]*:((?:[ \t]+[\d.]{1,18}(?:us|ms|s|m|h|%)?)+)(?:\s|$)`)
)

// The names of h2load's lines that are asked for by name.
const (
	h2FinishLine   = "finished in"
	h2RequestsLine = "requests:"
	h2StatusLine   = "status codes:"
	h2TrafficLine  = "traffic:"
	h2TimesLine    = "time for request:"
	h2ConnectLine  = "time for connect:"
	h2FirstLine    = "time to 1st byte:"
)

var h2Marks = []mark{
	{name: "starting benchmark", is: begun, rank: 0, text: `starting benchmark\.\.\.`},
	{name: "spawning thread #0", is: begun, rank: 1, text: `spawning thread #0: {n} (?:total client|concurrent client)`},
	{name: h2FinishLine, rank: 20, text: `finished in {x}[a-z]{1,2}, {x} req/s, {x}[KMGT]?B/s`},
	{name: h2RequestsLine, rank: 21, text: `requests: {n} total, {n} started, {n} done, {n} succeeded, {n} failed, {n} errored(?:, {n} timeout)?`},
	{name: h2StatusLine, rank: 22, text: `status codes: {n} 2xx, {n} 3xx, {n} 4xx, {n} 5xx`},
	{name: h2TrafficLine, rank: 23, text: `traffic: {n} bytes total, {n} bytes headers(?: \([^)\n]{0,80}\))?, {n} bytes data`},
	{name: h2TrafficLine, rank: 23, text: `traffic: {x}[KMGT]?B \({n}\) total, {x}[KMGT]?B \({n}\) headers(?: \([^)\n]{0,80}\))?, {x}[KMGT]?B \({n}\) data`},
	{name: h2TimesLine, sign: "request", rank: 24, text: `(?:\btime for request|(?:^|[^\pL ])[ \t]*request)[ \t]*:{r}%`},
	{name: h2ConnectLine, sign: "connect", rank: 25, text: `\b(?:time for )?connect[ \t]*:{r}%`},
	{name: h2FirstLine, sign: ":", rank: 26, text: `\b(?:time to 1st byte|TTFB)[ \t]*:{r}%`},
	{name: "req/s", rank: 27, text: `\breq/s[ \t]*:{r}%`},
}

var h2loadDialect = dialect{
	tool: "h2load", marks: h2Marks, core: []string{h2FinishLine, h2RequestsLine}, report: h2loadReport,
	calls: called("h2load", "h2load-http3"), flags: h2loadFlags, target: targetURL, unless: unlessStreams,
}.made()

// unlessStreams: without -m there is one request at a time on each connection.
func unlessStreams(r *Report) {
	if r.Streams == 0 {
		r.Streams = 1
	}
}

// ParseH2Load reads the reports of h2load. It ends well even when nobody
// listened; it checks no length, and an answer of 3xx it counts as a success.
func ParseH2Load(r io.Reader) ([]Report, error) { return h2loadDialect.parse(r) }

func h2loadReport(r *Report, run part, _ string) (found bool, err error) {
	r.KeepAlive = new(true)
	h2Facts(r, run.text)
	finish, counts := h2Finish().FindStringSubmatch(run.text), h2Requests().FindStringSubmatch(run.text)
	switch {
	case counts == nil && run.reports():
		return false, run.cutShort(h2RequestsLine)
	case counts == nil && run.has("starting benchmark"):
		h2Aborted(r, run.text)
		return true, nil
	case counts == nil:
		return false, nil
	case finish == nil:
		return false, run.cutShort(h2FinishLine)
	case counts[7] == "" && run.last && strings.HasSuffix(run.text, counts[0]):
		return false, run.cutShort("timeout") // of the counts
	}
	if missing := run.lacking(h2StatusLine, h2TrafficLine, h2TimesLine, h2ConnectLine, h2FirstLine); missing != "" {
		r.Cut = lacks(missing)
	}
	h2Counts(r, counts, run.text)
	h2Bytes(r, run.text)
	r.Printed.RequestsPerSecond = optional(finish[2])
	if x, ok := octets(finish[3]); ok && x > 0 { // 0B/s of a run with Connection: close is not the truth
		r.Printed.BytesPerSecond = &x
	}
	r.Elapsed = elapsedBy(h2Taken(r, finish[1], run.text), r.OK+r.Failed[bench.Non2xx], r.Printed.RequestsPerSecond)
	if r.Completed() > r.Failed[bench.Connect] {
		h2Times(r, run.text)
	}
	return true, nil
}

// h2Facts adds up what the threads were asked to do.
func h2Facts(r *Report, text string) {
	var clients, created, total int64
	spawned := h2Spawn().FindAllStringSubmatch(text, 10_000)
	for _, m := range spawned {
		clients += digits(m[1])
		created += digits(m[2])
		total = min(total+digits(m[4]), math.MaxInt64/4)
	}
	if clients > 0 && clients < 1<<31 {
		r.Concurrency, r.Threads = int(clients), len(spawned)
	}
	if total > 0 {
		r.Requests = total
	}
	if created > 0 {
		r.replace("connection_rate", strconv.FormatInt(created, 10))
		r.replace("rate_period", unlessUsual(spawned[0][3]))
	}
	if m := h2Timed().FindStringSubmatch(text); m != nil {
		r.Warmup, r.Duration, r.Requests = lasting(m[1], 0), lasting(m[2], 0), 0
	}
	if r.rateOfEach > 0 {
		r.Rate = r.rateOfEach * float64(r.Concurrency)
	}
	if m := h2Protocol().FindStringSubmatch(text); m != nil {
		r.Protocol = map[string]bench.Protocol{"http/1.1": bench.HTTP11, "h2": bench.H2, "h2c": bench.H2C}[m[1]]
	}
}

// h2Counts gives each request its one outcome: failed includes errored, and
// errored includes timeout. In a timed run those in flight at its end are aborted.
func h2Counts(r *Report, m []string, text string) {
	started, succeeded, failed := digits(m[2]), digits(m[4]), digits(m[5])
	errored := min(digits(m[6]), failed)
	timeout := min(digits(m[7]), errored)
	r.OK = succeeded
	r.Fail(bench.Timeout, timeout, "timed out")
	if started == 0 {
		r.Fail(bench.Connect, errored-timeout, "the connection could not be made")
	} else {
		r.Fail(bench.Reset, errored-timeout, "the stream or the connection ended before the answer was whole")
	}
	r.Fail(bench.Non2xx, failed-errored, "the answer's status was 400 or above")
	r.Aborted = max(started-succeeded-failed, 0)
	r.Issued = succeeded + failed + r.Aborted
	if total := digits(m[1]); r.Requests == 0 && r.Duration == 0 && started == total {
		r.Requests = total // of a timed run it is those that were done, and more were started
	}
	if unsent := succeeded + failed - started; started > 0 && unsent > 0 {
		r.Notes = append(r.Notes, bench.Note{Code: "never-sent", Text: fmt.Sprintf("h2load gave up %d requests without sending them: it makes no new connection for one that ended", unsent)})
	}
	if s := h2Status().FindStringSubmatch(text); s != nil && digits(s[2]) > 0 {
		r.Notes = append(r.Notes, bench.Note{Code: "redirects", Text: fmt.Sprintf("h2load counts %d answers of status 3xx as successes", digits(s[2]))})
	}
}

// h2Bytes reads the traffic. Its total is 0 where connections were closed by the
// server: then heads and bodies are what is known.
func h2Bytes(r *Report, text string) {
	m := h2Traffic().FindStringSubmatch(text)
	if m == nil {
		m = h2OldBytes().FindStringSubmatch(text)
	}
	if m == nil {
		return
	}
	r.WireBytes, r.BodyBytes = digits(m[1]), digits(m[3])
	if r.WireBytes == 0 {
		r.WireBytes = digits(m[2]) + r.BodyBytes
	}
}

// h2Taken is the time that the run took, as printed. Where a warm-up is in it, as
// it then is in the heads and bodies, though not in the other counts, it is what
// is left; "" where that is nothing.
func h2Taken(r *Report, printed, text string) string {
	m := h2Warmup().FindStringSubmatch(text)
	if m == nil {
		return printed
	}
	warmup, _, ok := span(m[1])
	if ok && warmup == 0 {
		return printed
	}
	r.BodyBytes = 0
	r.Notes = append(r.Notes, bench.Note{Code: "body-bytes-unknown", Text: "h2load counts the bodies of its warm-up as well: how many bytes those of the measurement had is not known"})
	if all, _, is := span(printed); ok && is && all > warmup {
		return strconv.FormatFloat(all-warmup, 'f', 2, 64) + "s"
	}
	return ""
}

// h2Times reads the table of times by the heading of its columns.
func h2Times(r *Report, text string) {
	columns := []string{"min", "max", "mean", "sd", "+/- sd"}
	if m := h2Columns().FindStringSubmatch(text); m != nil {
		columns = strings.Fields(strings.ReplaceAll(m[1], "+/- sd", "+/-sd"))
	}
	for _, m := range h2Row().FindAllStringSubmatch(text, 16) {
		values := strings.Fields(m[2])
		if len(values) != len(columns) {
			continue
		}
		s := h2Summary(columns, values)
		if s.Max == nil || *s.Max == 0 {
			continue // nothing was measured
		}
		switch m[1] {
		case "time for request", "request":
			r.Printed.Latency = s
			for i, c := range columns {
				if percent, ok := strings.CutPrefix(c, "p"); ok {
					r.quantile(percent, values[i])
				}
			}
		case "time for connect", "connect":
			r.Printed.Connect = s
		default:
			r.Printed.FirstByte = s
			r.Notes = append(r.Notes, bench.Note{Code: "first-byte-of-connections", Text: "h2load's time to the first byte is that of each connection's first answer, with the connect"})
		}
	}
}

func h2Summary(columns, values []string) *bench.Summary {
	s := &bench.Summary{}
	for i, c := range columns {
		into := map[string]**float64{"min": &s.Min, "max": &s.Max, "mean": &s.Mean, "sd": &s.SD, "median": &s.Median}[c]
		if into != nil {
			*into = spanned(values[i])
		}
	}
	return s
}

// h2Aborted reads the progress of a run that never came to its report.
func h2Aborted(r *Report, text string) {
	done := int64(0)
	all := h2Progress().FindAllStringSubmatch(text, -1)
	if spawned := h2Spawn().FindAllStringSubmatch(text, 2); len(all) > 0 && len(spawned) == 1 {
		total := digits(spawned[0][4])
		done = total / 100 * min(digits(all[len(all)-1][1]), 100)
	}
	r.abort(bench.Other, r.ended(), done, false)
}

// unlessUsual is the period in which connections are made, "" for the one that
// h2load has unless told.
func unlessUsual(period string) string {
	if period == "1s" {
		return ""
	}
	return period
}
