package poll

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
)

// Dial connects to address i of the config by way of net, from source when it
// is valid, and shakes hands where TLS is asked for. What it reports is an
// Opened; the connection is nil when that failed.
func Dial(ctx context.Context, c *Config, i int32, source netip.Addr) (net.Conn, Done) {
	network, address := "unix", c.Unix
	var dialer net.Dialer
	if address == "" {
		network, address = "tcp", c.Addrs[i].String()
		if source.IsValid() {
			dialer.LocalAddr = &net.TCPAddr{IP: source.AsSlice()}
		}
	}
	dialer.ControlContext = bindLate(source.IsValid(), c.ReceiveBuffer)
	dialer.KeepAlive = -1
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, Done{What: Opened, Err: err, Step: "connect"}
	}
	if c.TLS == nil {
		return conn, Done{What: Opened}
	}
	secure := tls.Client(conn, c.TLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, Done{What: Opened, Err: err, Step: "tls", Handshake: true}
	}
	return secure, Done{What: Opened, Handshake: true, Resumed: secure.ConnectionState().DidResume}
}
