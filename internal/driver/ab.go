package driver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// ab is ApacheBench. It is run without -r: a connection that is reset ends it,
// as it ended the runs that were published.
var ab = Tool{
	Bin: "ab", Package: "apache2-utils",
	VersionArgs: []string{"-V"}, Version: versionAB,
	Args: argsAB, Parse: transcript.ParseAB, Amend: amendAB,
}

var abVersion = regexp.MustCompile(`ApacheBench, Version (\S{1,32})`)

func versionAB(output string) (string, bool) {
	m := abVersion.FindStringSubmatch(output)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// mostConns is compiled into ab.
const mostConns = 20000

// refuseAB says what of a load ab cannot do.
func refuseAB(l bench.Load) error {
	r := refusal{tool: "ab"}
	r.cannot(l.Protocol != bench.HTTP10, "it speaks HTTP/1.0 only (set protocol: HTTP/1.0)")
	r.cannot(len(l.URLs) > 1, "it asks for one URL only, not for a set of files")
	r.cannot(l.Rate > 0, "it has no fixed rate")
	r.cannot(l.Conns > mostConns, "it makes at most %d connections at a time, not %d", mostConns, l.Conns)
	r.cannot(l.Requests > 0 && int64(l.Conns) > l.Requests, "it refuses more connections (%d) than requests (%d)", l.Conns, l.Requests)
	r.cannot(l.Streams > 1 || l.Threads > 1, "it has no streams or threads")
	r.cannot(len(l.Sources) > 1, "it connects from one address")
	r.cannot(l.Body != nil && !bodyAllowed(l.Method), "it sends a body with POST and PUT only, not with %s", l.Method)
	r.common(l)
	return r.err()
}

func bodyAllowed(method string) bool { return method == "POST" || method == "PUT" }

func argsAB(l bench.Load, scratch string) ([]string, error) {
	if err := refuseAB(l); err != nil {
		return nil, err
	}
	if len(l.URLs) == 0 {
		return nil, errors.New("ab cannot make this load: it has no URL")
	}
	u, err := url.Parse(l.URLs[0])
	if err != nil {
		return nil, fmt.Errorf("reading the URL: %w", err)
	}
	args := append(budgetAB(l), "-q", "-c", strconv.Itoa(l.Conns), "-s", strconv.Itoa(wholeSeconds(l.Timeout)))
	if l.KeepAlive {
		args = append(args, "-k")
	}
	if len(l.Sources) == 1 {
		args = append(args, "-B", l.Sources[0])
	}
	if l.ReceiveBuffer > 0 {
		args = append(args, "-b", strconv.Itoa(l.ReceiveBuffer))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		args = append(args, "-A", u.User.Username()+":"+password)
		u.User = nil
	}
	body, err := methodAB(l, scratch)
	if err != nil {
		return nil, err
	}
	args = append(args, body...)
	for _, h := range l.Header {
		if l.Body != nil && strings.EqualFold(h.Name, "Content-Type") {
			args = append(args, "-T", h.Value)
			continue
		}
		args = append(args, "-H", h.Name+": "+h.Value)
	}
	if u.Path == "" {
		u.Path = "/" // ab refuses a URL without a path
	}
	u.Fragment = ""
	return append(args, u.String()), nil
}

// budgetAB limits a run by requests or by time. With a time limit, ab still
// wants a number of requests, 50000 unless told, and sets memory aside for each.
func budgetAB(l bench.Load) []string {
	if l.Duration == 0 {
		return []string{"-n", strconv.FormatInt(l.Requests, 10)}
	}
	seconds := int64(l.Duration / time.Second)
	return []string{"-t", strconv.FormatInt(seconds, 10), "-n", strconv.FormatInt(timedRequests(l), 10)}
}

// timedRequests is more than ab, which has one thread, gets done within the time.
func timedRequests(l bench.Load) int64 {
	const perSecond, most = 200_000, 20_000_000 // 32 bytes each
	return max(min(int64(l.Duration/time.Second)*perSecond, most), int64(l.Conns))
}

// methodAB chooses the method and writes the body, when there is one, to a file.
func methodAB(l bench.Load, scratch string) ([]string, error) {
	switch {
	case l.Body != nil:
		file := filepath.Join(scratch, "body")
		if err := os.WriteFile(file, l.Body, 0o600); err != nil {
			return nil, fmt.Errorf("writing the body for ab: %w", err)
		}
		return []string{map[string]string{"POST": "-p", "PUT": "-u"}[l.Method], file}, nil
	case l.Method == "" || l.Method == "GET":
		return nil, nil
	case l.Method == "HEAD":
		return []string{"-i"}, nil
	default:
		return []string{"-m", l.Method}, nil
	}
}

func wholeSeconds(d time.Duration) int {
	if d <= 0 {
		d = bench.DefaultTimeout
	}
	return int((d + time.Second - 1) / time.Second)
}

// amendAB adds what ab does not check: that the first answer, which it compares
// all others with, had the right length; and that a timed run ended by time.
func amendAB(_ context.Context, l bench.Load, r *transcript.Report) {
	if l.Duration > 0 && r.Issued >= timedRequests(l) {
		r.Notes = append(r.Notes, bench.Note{Code: "budget-spent", Text: "ab ran out of requests before its time was up"})
	}
	want, known := expectedLength(l)
	if !known || r.Document == nil || *r.Document == want || r.OK == 0 {
		return
	}
	text := fmt.Sprintf("the body of the first answer had %d bytes, not %d", *r.Document, want)
	if r.Failed[bench.Non2xx] > 0 {
		// That answer may have been one of the error pages, with which ab then
		// compared the good ones.
		r.Notes = append(r.Notes, bench.Note{Code: "first-answer", Text: text})
		return
	}
	n := r.OK
	r.OK = 0
	r.Fail(bench.Length, n, text)
}
