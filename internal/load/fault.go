package load

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"

	"matrix/internal/bench"
	"matrix/internal/load/poll"
)

// ours are the errors that say that the load generator ran out of something.
var ours = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE, syscall.ENOBUFS, syscall.ENOMEM,
}

// classify tells to which class a failed step counts.
func classify(d poll.Done) bench.Failure {
	for _, e := range ours {
		if errors.Is(d.Err, e) {
			return bench.Client
		}
	}
	switch {
	case d.What == poll.Opened && d.Handshake:
		return bench.TLSError
	case d.What == poll.Opened && ended(d.Err):
		return bench.Reset
	case d.What == poll.Opened:
		return bench.Connect
	case d.What == poll.Sent:
		return bench.Write
	}
	return bench.Reset
}

// ended reports that a connection was made and ended before the connecting was
// told of it. A peer that does not want to be connected to refuses instead.
func ended(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ENOTCONN)
}

// describe says a failed step in words that hold no addresses: "connect:
// connection refused".
func describe(d poll.Done) string {
	var call *os.SyscallError
	if errors.As(d.Err, &call) {
		return call.Syscall + ": " + call.Err.Error()
	}
	var unverified *tls.CertificateVerificationError
	if errors.As(d.Err, &unverified) {
		return d.Step + ": " + unverified.Err.Error()
	}
	var op *net.OpError
	if errors.As(d.Err, &op) {
		return d.Step + ": " + op.Err.Error()
	}
	return d.Step + ": " + d.Err.Error()
}
