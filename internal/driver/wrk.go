package driver

import (
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

// amendWrk sets right what wrk makes of a server that closes as it was asked to,
// but without saying so: it has sent a further request by then and counts an
// error. And it holds the bytes against the expected length. One error per answer
// is the mark of it, give or take those under way at the end: too few answers
// cannot show it, and their errors stay failures.
func amendWrk(l bench.Load, r *transcript.Report) {
	conns := int64(l.Conns)
	slack := min(conns, r.OK/10)
	if n := r.Failed[bench.Reset]; !l.KeepAlive && n > 0 && r.OK > conns && n >= r.OK-slack && n <= r.OK+slack {
		delete(r.Failed, bench.Reset)
		delete(r.Messages, bench.Reset)
		r.Issued -= n
		r.Notes = append(r.Notes, bench.Note{Code: "closed-unannounced", Text: fmt.Sprintf(
			"the server closed each connection after its answer without saying so; the %d errors that wrk counted for it are not failures", n)})
	}
	r.KeepAlive = new(l.KeepAlive)
	amendLength(l, r, r.WireBytes, 0.01, true)
}
