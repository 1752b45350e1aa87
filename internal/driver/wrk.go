package driver

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// wrk is Will Glozer's.
var wrk = Tool{
	Bin: "wrk", Package: "wrk",
	VersionArgs: []string{"-v"}, Version: versionWrk,
	Args: argsWrk, Parse: transcript.ParseWrk, Amend: amendWrk,
}

var wrkVersion = regexp.MustCompile(`(?m)^wrk (\S{1,64}) \[`)

func versionWrk(output string) (string, bool) {
	m := wrkVersion.FindStringSubmatch(output)
	if m == nil {
		return "", false
	}
	return m[1], true
}

func refuseWrk(l bench.Load) error {
	r := refusal{tool: "wrk"}
	r.cannot(l.Protocol != bench.HTTP11 && l.Protocol != "", "it speaks HTTP/1.1 only (set protocol: HTTP/1.1)")
	r.cannot(l.Duration == 0, "it has a time limit only, no number of requests (set duration)")
	r.cannot(len(l.URLs) > 1, "it asks for one URL only, not for a set of files")
	r.cannot(l.Rate > 0, "it has no fixed rate")
	r.cannot(l.Threads > 0 && l.Conns%l.Threads != 0, "its threads take as many connections each: %d threads do not divide %d", l.Threads, l.Conns)
	r.cannot(l.Streams > 1, "it has no streams")
	r.cannot(!get(l), "it has no method but GET (another would take a script)")
	r.common(l)
	r.plain(l)
	return r.err()
}

// argsWrk makes a connection per request of a keep-alive tool by the one way that
// there is: the header that asks the server to close.
func argsWrk(l bench.Load, _ string) ([]string, error) {
	if err := refuseWrk(l); err != nil {
		return nil, err
	}
	if len(l.URLs) == 0 {
		return nil, errors.New("wrk cannot make this load: it has no URL")
	}
	target, header, err := withoutUser(l.URLs[0])
	if err != nil {
		return nil, err
	}
	args := []string{
		"-t", strconv.Itoa(threads(l)), "-c", strconv.Itoa(l.Conns), "-d", strconv.FormatInt(int64(l.Duration/time.Second), 10) + "s",
		"--timeout", strconv.Itoa(wholeSeconds(l.Timeout)) + "s", "--latency",
	}
	if !l.KeepAlive {
		header = append(header, bench.Header{Name: "Connection", Value: "close"})
	}
	for _, h := range append(header, l.Header...) {
		args = append(args, "-H", h.Name+": "+h.Value)
	}
	return append(args, target), nil
}

// amendWrk sets right what wrk counts twice, by what some requests of our own
// show of the server: errors of connections that ended after an answer, and
// interim answers. And it holds the bytes against the expected length.
func amendWrk(ctx context.Context, l bench.Load, r *transcript.Report) {
	r.KeepAlive = new(l.KeepAlive)
	if r.Abort != "" || r.Completed() == 0 {
		return
	}
	times := 1
	if r.Broken() > 0 {
		times = asked
	}
	settleWrk(l, r, mannersOf(ctx, l, times, r.Broken() > 0))
}

// asked is how many requests of our own show how a server ends its answers.
const asked = 4

func settleWrk(l bench.Load, r *transcript.Report, m manners) {
	if r.Broken() > 0 && m.answered > 0 && (m.ended == 0 || m.ended == m.answered) {
		r.Closes(m.ended > 0)
	}
	answers := int64(1 + m.interim)
	if m.interim > 0 {
		counted := r.OK + r.Failed[bench.Non2xx] + r.Failed[bench.Timeout]
		r.Notes = append(r.Notes, bench.Note{Code: "interim-answers", Text: fmt.Sprintf(
			"wrk counts an interim answer, of a status 1xx, as an answer: the server sent %d before its answer to a request of our own, so that the %d answers that wrk counted are those to about %d requests, and its rate is %d times theirs",
			m.interim, counted, counted/answers, answers)})
	}
	amendLength(l, r, r.WireBytes*answers, 0.01, true)
}
