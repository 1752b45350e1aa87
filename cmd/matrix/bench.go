package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// benchFlags are named as ApacheBench names them, where it has them.
type benchFlags struct {
	load        bench.Load
	limit       string // -t
	http        string
	headers     []string
	cookies     []string
	auth        string
	postFile    string
	putFile     string
	contentType string
	head        bool
	timeout     string
	tls         bench.TLS
	json        bool
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench URL...",
		Short: "Measure one URL, without a scenario",
		Long: "Measure one URL with the built-in engine. Flags are named as in ab; -r is the rate of an open loop.\n" +
			"Exit status: 0 when every request succeeded, 4 when any failed, 2 for a wrong command line, 130 when interrupted.",
		Example: "  matrix bench http://127.0.0.1:8080/ -n 1000 -c 10 -k\n" +
			"  matrix bench http://127.0.0.1:8080/ -t 10s -c 50 -r 2000 --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure{exitAuthor, errors.New("bench takes at least one URL, such as http://127.0.0.1:8080/")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.register(c.Flags())
	return c
}

func (f *benchFlags) register(s *pflag.FlagSet) {
	l := &f.load
	countFlag(s, &l.Requests, "requests", "n", 0, "requests to make (default 1000 without -t)")
	countFlag(s, &l.Conns, "concurrency", "c", 1, "connections at a time")
	s.BoolVarP(&l.KeepAlive, "keep-alive", "k", false, "many requests a connection")
	s.StringVarP(&f.limit, "duration", "t", "", "time to go on for instead of a number of requests: 30s, 2m, or plain seconds")
	s.StringArrayVarP(&f.headers, "header", "H", nil, "header to add, 'Name: value' (repeatable)")
	s.StringArrayVarP(&f.cookies, "cookie", "C", nil, "cookie to send, 'name=value' (repeatable)")
	s.StringVarP(&f.auth, "auth", "A", "", "basic authentication, 'user:password'")
	s.StringVarP(&f.postFile, "post-file", "p", "", "file to send as the body of a POST")
	s.StringVarP(&f.putFile, "put-file", "u", "", "file to send as the body of a PUT")
	s.StringVarP(&f.contentType, "content-type", "T", "text/plain", "content type of the body")
	s.StringVarP(&l.Method, "method", "m", "", "method (default GET, or POST with a body)")
	s.BoolVarP(&f.head, "head", "i", false, "HEAD instead of GET")
	s.StringVarP(&f.timeout, "timeout", "s", "30s", "longest that one request may take")
	numberFlag(s, &l.Rate, "rate", "r", 0, "requests a second of an open loop; latency runs from when each was due")
	s.StringVar(&f.http, "http", "1.1", "protocol: 1.0, 1.1 or 2")
	countFlag(s, &l.Streams, "streams", "", 0, "HTTP/2 streams at a time a connection (default 1)")
	durationFlag(s, &l.Warmup, "warmup", 0, "load before the measurement, not counted")
	durationFlag(s, &l.Think, "think", 0, "pause of a connection between two requests")
	durationFlag(s, &l.Ramp, "ramp", 0, "time over which the connections are opened")
	s.StringSliceVar(&l.Sources, "source", nil, "local addresses to connect from, in turn")
	s.StringVar(&l.Unix, "unix", "", "unix socket to connect to")
	countFlag(s, &l.Threads, "threads", "", 0, "engine threads (default: chosen)")
	s.StringVar(&l.Backend, "backend", "", "io_uring, epoll or portable (default: the best there is)")
	countFlag(s, &l.Seed, "seed", "", 1, "seed of random choices")
	countFlag(s, &l.ReceiveBuffer, "receive-buffer", "", 0, "SO_RCVBUF in bytes; changes the window that the server sees")
	s.BoolVar(&l.ReceiveLowWater, "receive-low-water", false, "SO_RCVLOWAT for bodies; changes how the server behaves")
	s.BoolVar(&f.tls.Insecure, "insecure", false, "accept any certificate")
	s.BoolVar(&f.tls.NoResume, "no-resume", false, "a full TLS handshake for every connection")
	s.StringVar(&f.tls.ServerName, "server-name", "", "name to ask for and to verify (default: the URL's host)")
	s.StringVar(&f.tls.CAFile, "ca", "", "PEM file of authorities to trust instead of the system's")
	s.StringVar(&f.tls.CertFile, "cert", "", "client certificate, PEM")
	s.StringVar(&f.tls.KeyFile, "key", "", "key of the client certificate, PEM")
	s.BoolVar(&f.json, "json", false, "print one JSON object")
}

func (f *benchFlags) run(c *cobra.Command, urls []string) error {
	l, err := f.complete(urls)
	if err != nil {
		return failure{exitAuthor, err}
	}
	minds.Store(true)
	warn(c.Context(), c.ErrOrStderr())
	m, host, err := watched(c.Context(), l)
	if err != nil {
		return failure{exitAuthor, err}
	}
	m.Notes = append(m.Notes, host.Notes()...)
	write := writeBenchText
	if f.json {
		write = writeBenchJSON
	}
	if err := write(c.OutOrStdout(), l, m, host); err != nil {
		return err
	}
	switch failed := m.FailedSum(); {
	case c.Context().Err() != nil:
		return failure{exitInterrupted, errors.New("interrupted")}
	case failed > 0:
		return failure{exitFailedCells, fmt.Errorf("%d of %d requests failed", failed, m.Issued)}
	case m.OK == 0:
		return failure{exitFailedCells, errors.New("no request came to an end")}
	}
	return nil
}

// complete makes the load that the flags describe.
func (f *benchFlags) complete(urls []string) (l bench.Load, err error) {
	l = f.load
	if l.URLs, err = checkURLs(urls); err != nil {
		return l, err
	}
	if l.Protocol, err = protocol(f.http, l.URLs[0]); err != nil {
		return l, err
	}
	if strings.HasPrefix(l.URLs[0], "https:") {
		l.TLS = &f.tls
	}
	if l.Timeout, err = seconds("-s", f.timeout); err != nil {
		return l, err
	}
	switch {
	case f.limit != "" && l.Requests != 0:
		return l, errors.New("-n and -t are two budgets: give one of them")
	case f.limit != "":
		if l.Duration, err = seconds("-t", f.limit); err != nil {
			return l, err
		}
	case l.Requests == 0:
		l.Requests = 1000
	}
	if l.Requests < 0 || l.Conns < 1 || l.Rate < 0 || math.IsNaN(l.Rate) {
		return l, errors.New("-n and -c must be 1 or more, -r must not be negative")
	}
	if err := f.body(&l); err != nil {
		return l, err
	}
	return l, f.fields(&l)
}

func (f *benchFlags) body(l *bench.Load) (err error) {
	path, method := f.postFile, "POST"
	if f.putFile != "" {
		path, method = f.putFile, "PUT"
	}
	switch {
	case f.postFile != "" && f.putFile != "":
		return errors.New("-p and -u are two bodies: give one of them")
	case f.head && (path != "" || l.Method != ""):
		return errors.New("-i asks for HEAD: it goes with neither a body nor -m")
	case f.head:
		l.Method = "HEAD"
	case path != "":
		if l.Body, err = os.ReadFile(path); err != nil {
			return fmt.Errorf("reading the body: %w", err)
		}
		if l.Method == "" {
			l.Method = method
		}
		l.Header = append(l.Header, bench.Header{Name: "Content-Type", Value: f.contentType})
	}
	return nil
}

func (f *benchFlags) fields(l *bench.Load) error {
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("-H %q is no header: write 'Name: value'", name)
		}
		l.Header = append(l.Header, bench.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	if len(f.cookies) > 0 {
		l.Header = append(l.Header, bench.Header{Name: "Cookie", Value: strings.Join(f.cookies, "; ")})
	}
	if f.auth != "" {
		if slices.ContainsFunc(l.Header, func(h bench.Header) bool { return strings.EqualFold(h.Name, "Authorization") }) {
			return errors.New("-A and -H Authorization are two authorizations: give one of them")
		}
		l.Header = append(l.Header, bench.Header{Name: "Authorization", Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(f.auth))})
	}
	return nil
}

// checkURLs completes the URLs. One that is wrong is named by its place: it may
// hold a password.
func checkURLs(args []string) ([]string, error) {
	urls := make([]string, len(args))
	for i, a := range args {
		if !strings.Contains(a, "://") {
			a = "http://" + a
		}
		u, err := url.Parse(a)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("URL %d of %d is no http or https URL, such as http://127.0.0.1:8080/", i+1, len(args))
		}
		if u.Path == "" {
			u.Path = "/"
		}
		urls[i] = u.String()
	}
	return urls, nil
}

func protocol(version, url string) (bench.Protocol, error) {
	switch version {
	case "1.0":
		return bench.HTTP10, nil
	case "1.1":
		return bench.HTTP11, nil
	case "2":
		if strings.HasPrefix(url, "https:") {
			return bench.H2, nil
		}
		return bench.H2C, nil
	}
	return "", fmt.Errorf("--http %q is not 1.0, 1.1 or 2", version)
}

// seconds reads a duration; plain digits are seconds, as ab takes them.
func seconds(flag, s string) (time.Duration, error) {
	if strings.Trim(s, "0123456789") == "" && s != "" {
		s += "s"
	}
	d, err := unit.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", flag, err)
	}
	if d == 0 {
		return 0, fmt.Errorf("%s must be above zero", flag)
	}
	return d, nil
}
