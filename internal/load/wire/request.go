package wire

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

// UserAgent is what requests call themselves unless a header says otherwise.
const UserAgent = "matrix"

// Request returns the bytes that ask for u as the load says: its method,
// protocol, headers and body. Without KeepAlive an HTTP/1.1 request carries
// "Connection: close" and an HTTP/1.0 request nothing; with it HTTP/1.0 carries
// "Connection: keep-alive". A user in the URL becomes basic authentication. A
// header of the load replaces the one that would have been written. A method or
// header that would break out of its line is an error.
func Request(u *url.URL, l bench.Load) ([]byte, error) {
	if err := Check(l); err != nil {
		return nil, err
	}
	protocol := l.Protocol
	if protocol == "" {
		protocol = bench.HTTP11
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\n", Method(l), u.RequestURI(), protocol)
	for _, h := range Header(u, l) {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	b.WriteString("\r\n")
	return append([]byte(b.String()), l.Body...), nil
}

// Method is the load's method, GET when it names none.
func Method(l bench.Load) string {
	if l.Method == "" {
		return "GET"
	}
	return l.Method
}

// Header lists the fields of a request for u in the order in which they are
// sent, the load's own last.
func Header(u *url.URL, l bench.Load) []bench.Header {
	fields := []bench.Header{{Name: "Host", Value: Host(u)}, {Name: "User-Agent", Value: UserAgent}}
	switch {
	case l.Protocol != bench.HTTP10 && !l.KeepAlive:
		fields = append(fields, bench.Header{Name: "Connection", Value: "close"})
	case l.Protocol == bench.HTTP10 && l.KeepAlive:
		fields = append(fields, bench.Header{Name: "Connection", Value: "keep-alive"})
	}
	if u.User != nil {
		password, _ := u.User.Password()
		token := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		fields = append(fields, bench.Header{Name: "Authorization", Value: "Basic " + token})
	}
	if l.Body != nil || strings.EqualFold(l.Method, "POST") || strings.EqualFold(l.Method, "PUT") {
		fields = append(fields, bench.Header{Name: "Content-Length", Value: strconv.Itoa(len(l.Body))})
	}
	kept := fields[:0]
	for _, f := range fields {
		if !has(l.Header, f.Name) {
			kept = append(kept, f)
		}
	}
	return append(kept, l.Header...)
}

// Host is the value of the Host field for u: without userinfo, and with the
// port unless it is the scheme's own.
func Host(u *url.URL) string {
	port := u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		name := u.Hostname()
		if strings.Contains(name, ":") {
			return "[" + name + "]"
		}
		return name
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Idempotent reports whether a request with this method may be sent again when
// nobody knows whether it arrived (RFC 9110, 9.2.2).
func Idempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}

// Check refuses a method or header that cannot stand in a request.
func Check(l bench.Load) error {
	if !token(Method(l)) {
		return fmt.Errorf("method %q is not a word of letters", l.Method)
	}
	for _, h := range l.Header {
		if !token(h.Name) {
			return fmt.Errorf("header name %q holds characters that a name may not", h.Name)
		}
		if strings.ContainsAny(h.Value, "\r\n\x00") {
			return fmt.Errorf("the value of header %s holds a line break or NUL", h.Name)
		}
	}
	return nil
}

func has(fields []bench.Header, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
