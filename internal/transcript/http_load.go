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
	hlHead     = lazily(general + ` fetches\b[^,\n]{0,80}, ` + general + ` max parallel, ` + general + ` bytes, in ` + general + ` seconds`)
	hlRates    = lazily(general + ` fetches/sec, ` + general + ` bytes/sec`)
	hlMean     = lazily(general + `\s+mean bytes/(?:connection|fetch)`)
	hlTimes    = lazily(`msecs/(connect|first-response): ` + general + ` mean, ` + general + ` max, ` + general + ` min`)
	hlTrouble  = lazily(`(\d{1,18}) (timeouts|bad checksums|bad byte counts)\b`)
	hlCodes    = lazily(`\bHTTP response codes:`) // ends every report, even where no code follows
	hlCode     = lazily(`\bcode (\d{1,3}) (?:--|\x{2013}|\x{2014}) (\d{1,18})\b`)
	hlProgress = lazily(`--- ` + general + ` secs, (\d{1,18}) fetches started, (\d{1,18}) completed`)
)

var httpLoadDialect = dialect{
	tool: "http_load", begins: []pattern{hlHead}, report: httpLoadReport,
	calls: called("http_load", "http-load", "httpload"), flags: httpLoadFlags, oneDash: true, target: targetFile,
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
	if at == nil {
		return hlAborted(r, run.text), nil
	}
	line := run.line + strings.Count(run.text[:at[0]], "\n")
	head := hlHead().FindStringSubmatch(run.text[at[0]:])
	fetches, ok1 := wholeNumber(head[1])
	parallel, ok2 := wholeNumber(head[2])
	if !ok1 || !ok2 || parallel > math.MaxInt32 {
		return false, Unreadable{line, fmt.Sprintf("%q holds no counts", clip(head[0]))}
	}
	r.Issued, r.AchievedConns = fetches, int(parallel)
	if s, ok := finite(head[4]); ok && s < 1e9 {
		r.Elapsed = time.Duration(math.Round(s * 1e9))
	}
	text := run.text[at[1]:]
	if !hlCodes().MatchString(text) {
		return false, Unreadable{run.line + lastLine(run.text) - 1, "it is cut short: there is no line \"HTTP response codes:\""}
	}
	hlFigures(r, head[3], text)
	hlCounts(r, text, before)
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
func hlCounts(r *Report, text, before string) {
	counts := map[string]int64{}
	for _, m := range hlTrouble().FindAllStringSubmatch(text, 8) {
		counts[m[2]] = digits(m[1])
	}
	answered, non2xx := hlStatus(r, text)
	lost := max(r.Issued-answered, 0)
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
}

// hlStatus reads the status counts: how many answers there were, and how many of
// them without success. Counts beyond the fetches are not believed.
func hlStatus(r *Report, text string) (answered, non2xx int64) {
	for _, m := range hlCode().FindAllStringSubmatch(text, 1000) {
		code, n := int(digits(m[1])), digits(m[2])
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
	return answered, non2xx
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
	r.abort(bench.Other, "http_load ended before its report", min(completed, started), true)
	r.Aborted = max(started-completed-1, 0)
	r.Issued += r.Aborted
	return true
}
