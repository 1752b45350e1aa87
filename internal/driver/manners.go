package driver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"matrix/internal/bench"
)

// manners is how a server ended its answers to some requests of our own, each on
// a connection of its own.
type manners struct {
	answered int // requests that had a whole answer
	ended    int // of these, answers with which or after which the connection ended, though no header announced that and no length
	interim  int // interim answers, of a status 1xx, before the last answer
}

const (
	mannersTime = 3 * time.Second        // for one request
	lingering   = 100 * time.Millisecond // after an answer, for the connection to end
	longestHead = 1 << 20                // bytes of all heads of an answer
	mostInterim = 100
)

// mannersOf asks the server of a load several times for its first URL, as a tool
// that keeps its connections does. With linger it waits after each answer for
// the connection to end.
func mannersOf(ctx context.Context, l bench.Load, times int, linger bool) (m manners) {
	for range times {
		if ctx.Err() != nil {
			return m
		}
		conn, request, err := knock(ctx, l)
		if err != nil {
			continue // what cannot be asked tells nothing
		}
		one, err := askOn(conn, request, linger)
		conn.Close()
		if err == nil {
			m = manners{m.answered + 1, m.ended + one.ended, one.interim}
		}
	}
	return m
}

// knock connects to the server of a load and makes the request for it.
func knock(ctx context.Context, l bench.Load) (net.Conn, string, error) {
	target, header, err := withoutUser(l.URLs[0])
	if err != nil {
		return nil, "", err
	}
	u, err := url.Parse(target)
	if err != nil {
		return nil, "", err
	}
	if !l.KeepAlive {
		header = append(header, bench.Header{Name: "Connection", Value: "close"})
	}
	var head strings.Builder
	fmt.Fprintf(&head, "GET %s HTTP/1.1\r\n", u.RequestURI())
	header = append(header, l.Header...)
	if !slices.ContainsFunc(header, func(h bench.Header) bool { return strings.EqualFold(h.Name, "Host") }) {
		fmt.Fprintf(&head, "Host: %s\r\n", u.Host)
	}
	for _, h := range header {
		fmt.Fprintf(&head, "%s: %s\r\n", h.Name, h.Value)
	}
	head.WriteString("\r\n")
	ctx, stop := context.WithTimeout(ctx, mannersTime)
	defer stop()
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), u.Scheme)
	}
	dial := (&net.Dialer{}).DialContext
	if u.Scheme == "https" {
		dial = (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext // as such tools do: nothing is decided by what is read but how it ends
	}
	conn, err := dial(ctx, "tcp", host)
	return conn, head.String(), err
}

// askOn makes one request on a connection. The error tells that it had no whole
// answer.
func askOn(conn net.Conn, request string, linger bool) (m manners, err error) {
	if err := conn.SetDeadline(time.Now().Add(mannersTime)); err != nil {
		return m, err
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return m, err
	}
	bounded := &io.LimitedReader{R: conn, N: longestHead}
	in := bufio.NewReader(bounded)
	answer, err := http.ReadResponse(in, nil)
	for ; err == nil && answer.StatusCode < 200 && m.interim < mostInterim; m.interim++ {
		answer, err = http.ReadResponse(in, nil)
	}
	if err != nil {
		return m, err
	}
	defer answer.Body.Close()
	bounded.N = 1 << 40
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return m, err
	}
	toEnd := answer.ContentLength < 0 && len(answer.TransferEncoding) == 0
	if toEnd || linger && !answer.Close && endsSoon(conn, in) {
		m.ended = 1
	}
	return m, nil
}

// endsSoon reports whether a connection ends, or has more to say than was asked,
// right after an answer.
func endsSoon(conn net.Conn, in *bufio.Reader) bool {
	if conn.SetReadDeadline(time.Now().Add(lingering)) != nil {
		return true
	}
	_, err := in.ReadByte()
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
