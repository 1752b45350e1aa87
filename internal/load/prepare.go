package load

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"runtime"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
	"matrix/internal/load/wire"
)

// request is one of the requests that a load sends.
type request struct {
	url    *url.URL
	bytes  []byte
	length int64  // expected body length; -1: any
	digest string // expected SHA-256 in lower-case hex; "": any
}

// prepare turns a load into a run: checked, resolved, nothing opened yet.
func prepare(ctx context.Context, l bench.Load) (*run, error) {
	if l.Timeout == 0 {
		l.Timeout = bench.DefaultTimeout
	}
	if l.Protocol == "" {
		l.Protocol = bench.HTTP11
	}
	r := &run{timeout: int64(l.Timeout)}
	if err := checkLoad(l); err != nil {
		return nil, err
	}
	if l.Requests > 0 && int64(l.Conns) > l.Requests {
		r.note("concurrency-cut", "%d connections were asked for, but there are only %d requests: %d are used", l.Conns, l.Requests, l.Requests)
		l.Conns = int(l.Requests)
	}
	r.load = l
	if err := r.buildRequests(); err != nil {
		return nil, err
	}
	if err := r.buildConfig(ctx); err != nil {
		return nil, err
	}
	r.threads = threads(l)
	return r, r.chooseBackend()
}

func (r *run) note(code, format string, args ...any) {
	r.notes = append(r.notes, bench.Note{Code: code, Text: fmt.Sprintf(format, args...)})
}

func checkLoad(l bench.Load) error {
	switch {
	case len(l.URLs) == 0:
		return errors.New("the load names no URL")
	case l.Conns < 1:
		return fmt.Errorf("concurrency is %d, not 1 or more", l.Conns)
	case (l.Requests > 0) == (l.Duration > 0) || l.Requests < 0 || l.Duration < 0:
		return errors.New("the load needs a number of requests or a duration, and not both")
	case l.Rate < 0 || l.Timeout < 0 || l.Warmup < 0 || l.Think < 0 || l.Ramp < 0 || l.Streams < 0 || l.Threads < 0:
		return errors.New("a rate, timeout, warm-up, think time, ramp, streams or threads below zero")
	case l.Rate > 0 && l.Think > 0:
		return errors.New("a rate and a think time contradict each other: the rate says when to send")
	case l.Rate != 0 && !(l.Rate >= 1e-9 && l.Rate <= 1e9):
		return fmt.Errorf("a rate of %g requests a second is beyond the clock's nanoseconds", l.Rate)
	case isH2(l.Protocol) && l.Think > 0:
		return errors.New("a think time over HTTP/2: its streams do not pause")
	case isH2(l.Protocol) && l.Backend != "" && l.Backend != poll.Portable:
		return fmt.Errorf("HTTP/2 on %s: it has a back end of its own, like the portable one", l.Backend)
	}
	switch l.Protocol {
	case bench.HTTP10, bench.HTTP11, bench.H2, bench.H2C:
	default:
		return fmt.Errorf("protocol %q is none of HTTP/1.0, HTTP/1.1, h2, h2c", l.Protocol)
	}
	switch l.Pick {
	case "", bench.PickRandom, bench.PickInTurn:
		return nil
	}
	return fmt.Errorf("pick %q is neither random nor in turn", l.Pick)
}

func isH2(p bench.Protocol) bool { return p == bench.H2 || p == bench.H2C }

func (r *run) buildRequests() error {
	for _, text := range r.load.URLs {
		u, err := parseURL(text)
		if err != nil {
			return err
		}
		if len(r.requests) > 0 && !sameOrigin(u, r.requests[0].url) {
			return fmt.Errorf("URLs of two servers in one load: %s and %s", u.Redacted(), r.requests[0].url.Redacted())
		}
		b, err := wire.Request(u, r.load)
		if err != nil {
			return err
		}
		q := request{url: u, bytes: b, length: -1}
		if n, ok := r.load.Expect.Length[u.Path]; ok && r.load.Method != "HEAD" {
			q.length = n
		}
		q.digest = strings.ToLower(r.load.Expect.SHA256[u.Path])
		if _, err := hex.DecodeString(q.digest); err != nil {
			return fmt.Errorf("expected digest of %s: %w", u.Path, err)
		}
		r.requests = append(r.requests, q)
	}
	scheme := r.requests[0].url.Scheme
	if (r.load.Protocol == bench.H2) != (scheme == "https") && isH2(r.load.Protocol) {
		return fmt.Errorf("protocol %s does not go with a URL of scheme %s", r.load.Protocol, scheme)
	}
	return nil
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		var bad *url.Error // holds the URL, and with it perhaps a password
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, fmt.Errorf("parsing URL: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("URL %s does not begin with http:// or https:// and a host", u.Redacted())
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// escapeQuery writes as %XX the bytes that would end, or could not stand in, a
// request line: the URL's parser lets a query be as it is.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func (r *run) buildConfig(ctx context.Context) error {
	u := r.requests[0].url
	r.config = poll.Config{Unix: r.load.Unix, ReceiveBuffer: r.load.ReceiveBuffer, LowWater: r.load.ReceiveLowWater}
	for _, s := range r.load.Sources {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return fmt.Errorf("source address: %w", err)
		}
		r.config.Sources = append(r.config.Sources, a)
	}
	if u.Scheme == "https" {
		c, err := tlsConfig(u, r.load)
		if err != nil {
			return err
		}
		r.config.TLS = c
	}
	if r.load.Unix != "" {
		return nil
	}
	addrs, err := resolve(ctx, u, r.load.Timeout)
	r.config.Addrs = addrs
	return err
}

// threads chooses how many engine threads a load gets: half of the cores, since
// the server may live on the others, and none that would have nothing to do.
func threads(l bench.Load) int {
	n := l.Threads
	if n == 0 {
		const connsWorthAThread = 32
		n = min(max(runtime.NumCPU()/2, 1), 8, (l.Conns+connsWorthAThread-1)/connsWorthAThread)
	}
	return max(1, min(n, l.Conns))
}

// chooseBackend settles on the back end that was asked for, or the best that
// works here.
func (r *run) chooseBackend() error {
	if r.load.Rate == 0 && r.load.Conns/r.threads >= 8 {
		r.config.Batch = min(r.load.Conns/r.threads/2, 64)
	}
	if isH2(r.load.Protocol) {
		r.backend = poll.Portable
		return nil
	}
	if r.tight() {
		r.note("descriptors", "%d connections come near, or beyond, the limit of %d descriptors", r.load.Conns, fileLimit(r.load.OpenFiles))
	}
	names := []string{poll.Uring, poll.Epoll, poll.Portable}
	if r.load.Backend != "" {
		names = []string{r.load.Backend}
	}
	var first error
	for _, name := range names {
		if name == poll.Uring && r.tight() && r.load.Backend == "" {
			continue
		}
		err := r.probe(name)
		if err == nil {
			r.backend = name
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// tight reports that the connections may run into the descriptor limit. The
// ring's take no descriptors, and so would not: epoll's do.
func (r *run) tight() bool {
	const others = 64 // descriptors that the program holds besides
	return uint64(r.load.Conns)+others > fileLimit(r.load.OpenFiles)
}

// probe opens the back end and closes it. A ring belongs to a thread.
func (r *run) probe(name string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := r.config
	c.Slots = 1
	p, err := poll.New(name, c, func(poll.Done) {})
	if err != nil {
		return err
	}
	return p.Close()
}
