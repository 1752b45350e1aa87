package site

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	mostStreams  = 64               // pages that are told of changes at a time
	writeTimeout = 30 * time.Second // without any progress of an answer
	heartbeat    = 15 * time.Second // on a stream with nothing to tell, so that one that nobody reads ends
)

// named tells whether a Host header names this server: by an address, as
// localhost, or by one of the names given. A page of another site cannot make a
// browser send one of these, even where it makes its own name lead here.
func named(host string, names []string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) })
}

// timed is a response whose every write has time of its own: a large file may
// take long, and a client that does not read is let go.
type timed struct {
	http.ResponseWriter
	to *http.ResponseController
}

func newTimed(w http.ResponseWriter) timed { return timed{w, http.NewResponseController(w)} }

func (s timed) Write(p []byte) (int, error) {
	s.extend()
	return s.ResponseWriter.Write(p)
}

// extend gives the next write its time. A writer that knows no deadlines, as in
// tests, is left as it is.
func (s timed) extend() { _ = s.to.SetWriteDeadline(time.Now().Add(writeTimeout)) }

// Unwrap lets a response controller reach the connection.
func (s timed) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// oneRange drops a request for several ranges of a file, which is answered whole
// then: each range would cost an answer a hundred bytes of its own.
func oneRange(r *http.Request) {
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range")
	}
}
