package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// httpLoad is http_load of acme.com, as the comparisons of its time used it. It
// tells no version.
var httpLoad = Tool{
	Bin: "http_load", Home: "https://acme.com/software/http_load/",
	VersionArgs: nil, Version: versionHTTPLoad,
	Args: argsHTTPLoad, Parse: transcript.ParseHTTPLoad,
	Amend: func(_ context.Context, l bench.Load, r *transcript.Report) {
		amendLength(l, r, r.BodyBytes, 1e-5, false)
	},
}

var httpLoadUsage = regexp.MustCompile(`(?i)usage:[^\n]*http_load[^\n]*-checksum`)

func versionHTTPLoad(output string) (string, bool) {
	return "(tells no version)", httpLoadUsage.MatchString(output)
}

const (
	selectable   = 1024 // FD_SETSIZE: http_load waits in select
	reservedFDs  = 3    // it keeps these for itself
	mostRate     = 1000
	mostRequests = math.MaxInt32
	longestURL   = 4990 // bytes of a line of its URL file
)

func refuseHTTPLoad(l bench.Load) error {
	r := refusal{tool: "http_load"}
	most := selectable
	if l.OpenFiles > 0 {
		most = min(most, l.OpenFiles)
	}
	r.cannot(l.Protocol != bench.HTTP10, "it speaks HTTP/1.0 only (set protocol: HTTP/1.0)")
	r.cannot(l.KeepAlive, "it has no keep-alive")
	r.cannot(l.Rate == 0 && l.Conns > most-reservedFDs, "it makes at most %d connections at a time (descriptors less %d), not %d", most-reservedFDs, reservedFDs, l.Conns)
	r.cannot(l.Rate > 0 && (l.Rate > mostRate || l.Rate < 1 || l.Rate != math.Trunc(l.Rate)), "its rate is a whole number from 1 to %d, not %g", mostRate, l.Rate)
	r.cannot(len(l.URLs) > 1 && l.Pick == bench.PickInTurn, "it picks one of several URLs at random, not in turn")
	r.cannot(!get(l), "it has no method but GET")
	r.cannot(len(l.Header) > 0, "it sends no headers of one's own")
	r.cannot(l.Streams > 1 || l.Threads > 1, "it has no streams or threads")
	r.cannot(l.Requests > mostRequests, "it counts to %d requests, not to %d", mostRequests, l.Requests)
	r.common(l)
	r.plain(l)
	r.cannot(slices.ContainsFunc(l.URLs, beyondHTTPLoad), "it sends no user or password, and takes URLs of at most %d bytes", longestURL)
	return r.err()
}

func beyondHTTPLoad(s string) bool {
	u, err := url.Parse(s) // refuses line ends as well
	return err != nil || u.User != nil || len(s) > longestURL
}

func argsHTTPLoad(l bench.Load, scratch string) ([]string, error) {
	if err := refuseHTTPLoad(l); err != nil {
		return nil, err
	}
	if len(l.URLs) == 0 {
		return nil, errors.New("http_load cannot make this load: it has no URL")
	}
	file := filepath.Join(scratch, "urls")
	if err := os.WriteFile(file, []byte(strings.Join(l.URLs, "\n")+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("writing the URLs for http_load: %w", err)
	}
	args := []string{"-parallel", strconv.Itoa(l.Conns)}
	if l.Rate > 0 {
		args = []string{"-rate", strconv.Itoa(int(l.Rate))}
	}
	if l.Duration > 0 {
		args = append(args, "-seconds", strconv.FormatInt(int64(l.Duration/time.Second), 10))
	} else {
		args = append(args, "-fetches", strconv.FormatInt(l.Requests, 10))
	}
	return append(args, "-timeout", strconv.Itoa(wholeSeconds(l.Timeout)), file), nil
}
