package load

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"time"

	"matrix/internal/bench"
)

// lookupError is a name that could not be resolved: the generator's own fault.
type lookupError struct{ err error }

func (e *lookupError) Error() string {
	var dns *net.DNSError
	if errors.As(e.err, &dns) {
		return "lookup: " + dns.Err
	}
	return "lookup: " + e.err.Error()
}

// unresolved is the measurement of a load whose server's name is unknown: every
// request of a counted budget failed, one of a timed one.
func unresolved(l bench.Load, err error) bench.Measurement {
	n := max(l.Requests, 1)
	m := bench.Measurement{Issued: n}
	m.Fail(bench.Client, n, err.Error())
	return m
}

// resolve finds the addresses of u's host, in the order in which they are tried.
func resolve(ctx context.Context, u *url.URL, timeout time.Duration) ([]netip.AddrPort, error) {
	number, err := strconv.ParseUint(port(u), 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port %q is not a number up to 65535", u.Port())
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(a.Unmap(), uint16(number))}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, &lookupError{err}
	}
	addrs := make([]netip.AddrPort, len(found))
	for i, a := range found {
		addrs[i] = netip.AddrPortFrom(a.Unmap(), uint16(number))
	}
	return addrs, nil
}

// tlsConfig is how the load shakes hands: SNI is the host without its port.
func tlsConfig(u *url.URL, l bench.Load) (*tls.Config, error) {
	var t bench.TLS
	if l.TLS != nil {
		t = *l.TLS
	}
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure}
	if c.ServerName == "" {
		c.ServerName = u.Hostname()
	}
	if !t.NoResume {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	if l.Protocol == bench.H2 {
		c.NextProtos = []string{"h2"}
	} else {
		c.NextProtos = []string{"http/1.1"}
	}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("reading authorities: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("reading authorities: no certificate in %s", t.CAFile)
		}
	}
	if t.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
