package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

// h2load is that of nghttp2.
var h2load = Tool{
	Bin: "h2load", Package: "nghttp2-client",
	VersionArgs: []string{"--version"}, Version: versionH2Load,
	Args: argsH2Load, Parse: transcript.ParseH2Load,
	Amend: func(_ context.Context, l bench.Load, r *transcript.Report) {
		amendLength(l, r, r.BodyBytes, 0, l.Duration > 0)
	},
}

var h2loadVersion = regexp.MustCompile(`h2load nghttp2/(\S{1,32})`)

func versionH2Load(output string) (string, bool) {
	m := h2loadVersion.FindStringSubmatch(output)
	if m == nil {
		return "", false
	}
	return m[1], true
}

func refuseH2Load(l bench.Load) error {
	r := refusal{tool: "h2load"}
	http2 := l.Protocol == bench.H2 || l.Protocol == bench.H2C
	r.cannot(l.Protocol == bench.HTTP10, "it speaks HTTP/1.1 and HTTP/2, not HTTP/1.0 (set protocol: HTTP/1.1, h2 or h2c)")
	r.cannot(!l.KeepAlive, "it keeps its connections (set keep_alive: true)")
	r.cannot(l.Protocol == bench.H2 && len(l.URLs) > 0 && !secure(l), "h2 is spoken over https only (set protocol: h2c)")
	r.cannot(l.Protocol == bench.H2C && secure(l), "h2c is spoken over http only (set protocol: h2)")
	r.cannot(!http2 && l.Streams > 1, "streams are of HTTP/2: with HTTP/1.1 it would send requests without waiting for answers")
	r.cannot(len(l.URLs) > 1 && l.Pick != bench.PickInTurn, "it takes several URLs in turn (set pick: in turn), not at random")
	r.cannot(l.Rate > 0, "it has no rate of all connections together")
	r.cannot(l.Requests > 0 && int64(l.Conns) > l.Requests, "it refuses more connections (%d) than requests (%d)", l.Conns, l.Requests)
	r.cannot(l.Threads > l.Conns, "it refuses more threads (%d) than connections (%d)", l.Threads, l.Conns)
	r.cannot(!get(l) && (l.Method != "POST" || l.Body == nil), "it has no method but GET, and POST with a body")
	r.common(l)
	r.plain(l)
	return r.err()
}

func argsH2Load(l bench.Load, scratch string) ([]string, error) {
	if err := refuseH2Load(l); err != nil {
		return nil, err
	}
	if len(l.URLs) == 0 {
		return nil, errors.New("h2load cannot make this load: it has no URL")
	}
	args := []string{
		"-c", strconv.Itoa(l.Conns), "-t", strconv.Itoa(threads(l)), "-m", strconv.Itoa(max(l.Streams, 1)),
		"-N", strconv.Itoa(wholeSeconds(l.Timeout)) + "s",
	}
	if l.Duration > 0 {
		args = append(args, "-D", strconv.FormatInt(int64(l.Duration/time.Second), 10)+"s")
	} else {
		args = append(args, "-n", strconv.FormatInt(l.Requests, 10))
	}
	if l.Protocol == bench.HTTP11 || l.Protocol == "" {
		args = append(args, "--h1")
	}
	if l.Body != nil {
		file := filepath.Join(scratch, "body")
		if err := os.WriteFile(file, l.Body, 0o600); err != nil {
			return nil, fmt.Errorf("writing the body for h2load: %w", err)
		}
		args = append(args, "-d", file)
	}
	return addressH2Load(args, l, scratch)
}

// addressH2Load adds headers and URLs. The URLs go into a file: a set of files
// has more of them than a command line may hold.
func addressH2Load(args []string, l bench.Load, scratch string) ([]string, error) {
	var urls []string
	var header []bench.Header
	for _, s := range l.URLs {
		clean, user, err := withoutUser(s)
		if err != nil {
			return nil, err
		}
		urls, header = append(urls, clean), user
	}
	for _, h := range append(header, l.Header...) {
		args = append(args, "-H", h.Name+": "+h.Value)
	}
	file := filepath.Join(scratch, "urls")
	if err := os.WriteFile(file, []byte(strings.Join(urls, "\n")+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("writing the URLs for h2load: %w", err)
	}
	return append(args, "-i", file), nil
}
