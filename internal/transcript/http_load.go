package transcript

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
)

var (
	hlHead     = lazily(general + ` fetches\b[^,\n]{0,80}, ?` + general + ` max parallel, ?` + general + ` bytes, in ` + general + ` seconds`)
	hlRates    = lazily(general + ` fetches/sec, ` + general + ` bytes/sec`)
	hlMean     = lazily(general + `\s+mean bytes/(?:connection|fetch)`)
	hlTimes    = lazily(`msecs/(connect|first-response): ` + general + ` mean, ` + general + ` max, ` + general + ` min`)
	hlTrouble  = lazily(`(\d{1,18}) (timeouts|bad checksums|bad byte counts)\b`)
	hlCode     = lazily(`^[^\pL\pN]{0,64}code (\d{1,3}) (?:--|\x{2013}|\x{2014}) (\d{1,18})(?:[ \t]*\([^)\n]{0,40}\))?(?:\s|$)`)
	hlProgress = lazily(`--- ` + general + ` secs, (\d{1,18}) fetches started, (\d{1,18}) completed`)
)

// The names of http_load's lines that are asked for by name.
const (
	hlHeadLine  = "fetches, max parallel, bytes, in seconds"
	hlMeanLine  = "mean bytes/connection"
	hlRateLine  = "fetches/sec, bytes/sec"
	hlCodesLine = "HTTP response codes:" // ends every report, even where no code follows
)

var hlMarks = []mark{
	{name: "progress", sign: "fetches started", is: row, text: `--- {x} secs, {n} fetches started, {n} completed`},
	{name: hlHeadLine, sign: "max parallel", rank: 20, text: `{c} fetches\b[^,\n]{0,80}, ?{c} max parallel, ?{x} bytes, in {x} seconds`},
	{name: hlMeanLine, sign: "mean bytes/", rank: 21, text: `{x}\s+mean bytes/(?:connection|fetch)`},
	{name: hlRateLine, sign: "fetches/sec", rank: 22, text: `{x} fetches/sec, {x} bytes/sec`},
	{name: "msecs/connect:", rank: 23, text: `msecs/connect: {x} mean, {x} max, {x} min`},
	{name: "msecs/first-response:", rank: 24, text: `msecs/first-response: {x} mean, {x} max, {x} min`},
	{name: "timeouts", rank: 25, text: `{n} timeouts\b`},
	{name: "bad checksums", rank: 26, text: `{n} bad checksums\b`},
	{name: "bad byte counts", rank: 26, text: `{n} bad byte counts\b`},
	{name: hlCodesLine, is: heading, rank: 27, text: `\bHTTP response codes:`},
	{name: "code", is: row, text: `\bcode \d{1,3} (?:--|\x{2013}|\x{2014}) {n}`},
}

var httpLoadDialect = dialect{
	tool: "http_load", marks: hlMarks, core: []string{hlHeadLine, hlCodesLine}, report: httpLoadReport, none: hlNone,
	calls: called("http_load", "http-load", "httpload"), flags: httpLoadFlags, oneDash: true, target: targetFile,
}.made()

// hlNone is why a text has no report, where it has a line like the first of one.
func hlNone(text string) error {
	at := hlHead().FindStringIndex(text)
	if at == nil {
		return nil
	}
	return Unreadable{1 + strings.Count(text[:at[0]], "\n"), fmt.Sprintf("%q holds no counts", clip(text[at[0]:at[1]]))}
}

// ParseHTTPLoad reads the reports of http_load. It counts body bytes only, and
// every fetch that ended, however it did: one without a status got no answer.
// Of a run that was ended before its report, what its progress told last is a
// Report with Abort.
func ParseHTTPLoad(r io.Reader) ([]Report, error) { return httpLoadDialect.parse(r) }

func httpLoadReport(r *Report, run part, before string) (found bool, err error) {
	r.Printed.Resolution = 1e-6
	r.Protocol, r.KeepAlive = bench.HTTP10, new(false)
	at := hlHead().FindStringSubmatchIndex(run.text)
	switch {
	case at == nil && run.reports():
		return false, run.cutShort(hlHeadLine)
	case at == nil:
		return hlAborted(r, run.text), nil
	}
	head := hlHead().FindStringSubmatch(run.text[at[0]:])
	fetches, ok1 := wholeNumber(head[1])
	parallel, ok2 := wholeNumber(head[2])
	if !ok1 || !ok2 || parallel > math.MaxInt32 {
		line := run.line + strings.Count(run.text[:at[0]], "\n")
		return false, Unreadable{line, fmt.Sprintf("%q holds no counts", clip(head[0]))}
	}
	r.Issued, r.AchievedConns = fetches, int(parallel)
	if s, ok := finite(head[4]); ok && s < 1e9 {
		r.Elapsed = time.Duration(math.Round(s * 1e9))
	}
	if !run.has(hlCodesLine) {
		return false, run.cutShort(hlCodesLine)
	}
	hlFigures(r, head[3], run.text[at[1]:])
	if err := hlCounts(r, run, before); err != nil {
		return false, err
	}
	switch {
	case !run.has(hlMeanLine) && fetches > 0:
		r.Cut = lacks(hlMeanLine)
	case !run.has(hlRateLine) && r.Elapsed > 10*time.Millisecond: // of shorter runs it prints none
		r.Cut = lacks(hlRateLine)
	}
	return true, nil
}

// wholeNumber reads a count, which forks also write as 1e+06.
func wholeNumber(s string) (int64, bool) {
	x, ok := finite(s)
	return int64(x), ok && x == math.Trunc(x)
}

func hlFigures(r *Report, total, text string) {
	mean := ""
	if m := hlMean().FindStringSubmatch(text); m != nil {
		mean = m[1]
	}
	r.BodyBytes = hlBytes(total, mean, r.Issued)
	if m := hlRates().FindStringSubmatch(text); m != nil {
		r.Printed.RequestsPerSecond, r.Printed.BytesPerSecond = optional(m[1]), optional(m[2])
	}
	for _, m := range hlTimes().FindAllStringSubmatch(text, 8) {
		s := &bench.Summary{Mean: milliseconds(m[2]), Max: milliseconds(m[3]), Min: milliseconds(m[4])}
		if m[1] == "connect" {
			r.Printed.Connect = s
		} else {
			r.Printed.FirstByte = s
		}
	}
	if r.Printed.Connect == nil && r.Printed.FirstByte == nil {
		r.Printed.Resolution = 0
	}
}

// hlBytes is the number of body bytes. From a million on it is printed with six
// digits; where the mean is whole and within them, as of files of one size, the
// mean tells them all.
func hlBytes(total, mean string, fetches int64) int64 {
	sum, ok := finite(total)
	if !ok {
		return 0
	}
	each, err := strconv.ParseInt(mean, 10, 32)
	if exact := float64(each) * float64(fetches); err == nil && exact < 1e15 && fmt.Sprintf("%.6g", exact) == fmt.Sprintf("%.6g", sum) {
		sum = exact
	}
	return int64(math.Round(sum))
}

// hlCounts gives each fetch its one outcome. A fetch that timed out, or got no
// answer, has as a rule no status and another length than the first one too.
func hlCounts(r *Report, run part, before string) error {
	counts := map[string]int64{}
	for _, m := range hlTrouble().FindAllStringSubmatch(run.block, 8) {
		counts[m[2]] = digits(m[1])
	}
	answered, non2xx, open := hlAnswers(r, run)
	lost := max(r.Issued-answered, 0)
	told := counts["timeouts"] + hlErrors(before)
	switch {
	case answered == 0 && r.BodyBytes > 0:
		return run.cutShort("code")
	case lost > told && (open || lost > told+counts["bad byte counts"]):
		r.Cut = fmt.Sprintf("%d fetches have no status, unless their connections ended without an answer", lost)
	}
	late := max(counts["timeouts"]-lost, 0) // timed out within an answer
	s := shares{r, r.Issued}
	s.fail(bench.Timeout, counts["timeouts"], "timed out")
	hlLost(&s, lost-min(counts["timeouts"], lost), before)
	s.fail(bench.Non2xx, non2xx, statusWords)
	length := overlap(r, max(counts["bad byte counts"]-lost-late, 0), non2xx)
	s.fail(bench.Length, length, "the body's length was not that of the first answer")
	content := overlap(r, max(counts["bad checksums"]-lost-late, 0), non2xx)
	s.fail(bench.Content, content, "the body's checksum was not that of the first answer")
	r.OK = s.left
	return nil
}

// hlAnswers reads how many answers there were, and how many of them without
// success; open where the text ends with their counts, so that some may be
// missing. A last word without the end of its line counts where it makes them
// complete.
func hlAnswers(r *Report, run part) (answered, non2xx int64, open bool) {
	text := run.behind(hlCodesLine)
	if run.rest != "" {
		whole := Report{Measurement: bench.Measurement{Issued: r.Issued}}
		if n, _, _ := hlStatus(&whole, text+run.rest); n == r.Issued {
			text += run.rest
		}
	}
	answered, non2xx, behind := hlStatus(r, text)
	return answered, non2xx, run.last && !strings.Contains(strings.TrimLeft(behind, " \n"), "\n")
}

// hlStatus reads the status counts that a text begins with. Counts beyond the
// fetches are not believed.
func hlStatus(r *Report, text string) (answered, non2xx int64, behind string) {
	for {
		at := hlCode().FindStringSubmatchIndex(text)
		if at == nil {
			return answered, non2xx, text
		}
		code, n := int(digits(text[at[2]:at[3]])), digits(text[at[4]:at[5]])
		text = text[at[1]:]
		n = min(n, r.Issued-answered)
		if n <= 0 {
			continue
		}
		if r.Status == nil {
			r.Status = map[int]int64{}
		}
		r.Status[code] += n
		answered += n
		if code < 200 || code > 299 {
			non2xx += n
		}
	}
}

// hlErrors is the number of errors that stand before a report.
func hlErrors(before string) (n int64) {
	for _, e := range systemErrors {
		n += int64(len(e.words().FindAllString(before, -1)))
	}
	return n
}

// hlLost sorts fetches without a status by the errors that stand before the
// report, as many of each as there are; the others just ended.
func hlLost(s *shares, lost int64, before string) {
	for _, e := range systemErrors {
		if all := e.words().FindAllString(before, -1); len(all) > 0 && e.class != bench.Timeout {
			n := min(int64(len(all)), lost)
			s.fail(e.class, n, all[0])
			lost -= n
		}
	}
	s.fail(bench.Reset, lost, endWords)
}

// hlAborted reads the progress of a run that never came to its report.
func hlAborted(r *Report, text string) bool {
	all := hlProgress().FindAllStringSubmatch(text, -1)
	if all == nil {
		return false
	}
	last := all[len(all)-1]
	started, completed := digits(last[2]), digits(last[3])
	r.abort(bench.Other, r.ended(), min(completed, started), true)
	r.Aborted = max(started-completed-1, 0)
	r.Issued += r.Aborted
	return true
}
