package load

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"matrix/internal/bench"
)

func secure(t *testing.T, h2 bool, config *tls.Config) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	s.EnableHTTP2 = h2
	s.TLS = config
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func written(t *testing.T, name string, blocks ...*pem.Block) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	var all []byte
	for _, b := range blocks {
		all = append(all, pem.EncodeToMemory(b)...)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func authority(t *testing.T, s *httptest.Server) string {
	return written(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func TestTLS(t *testing.T) {
	s := secure(t, false, nil)
	ca := authority(t, s)
	base := bench.Load{URLs: []string{s.URL}, Conns: 1, Requests: 6}
	tests := []struct {
		name                        string
		tls                         *bench.TLS
		keep                        bool
		ok, failed, shaken, resumed int64
	}{
		{"a connection per request", &bench.TLS{CAFile: ca}, false, 6, 0, 6, 5},
		{"without resumption", &bench.TLS{CAFile: ca, NoResume: true}, false, 6, 0, 6, 0},
		{"keep-alive", &bench.TLS{CAFile: ca}, true, 6, 0, 1, 0},
		{"another name", &bench.TLS{CAFile: ca, ServerName: "example.com"}, true, 6, 0, 1, 0},
		{"any certificate", &bench.TLS{Insecure: true}, true, 6, 0, 1, 0},
		{"an unknown authority", nil, true, 0, 6, 6, 0},
		{"a wrong name", &bench.TLS{CAFile: ca, ServerName: "other.test"}, true, 0, 6, 6, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := base
			l.TLS, l.KeepAlive = tt.tls, tt.keep
			m := measure(t, l)
			if m.OK != tt.ok || m.Failed[bench.TLSError] != tt.failed || m.Handshakes != tt.shaken || m.Resumed != tt.resumed {
				t.Errorf("ok %d, failed %v %v, %d handshakes, %d resumed", m.OK, m.Failed, m.Messages, m.Handshakes, m.Resumed)
			}
			if m.Backend != "portable" {
				t.Errorf("back end %s", m.Backend)
			}
		})
	}
}

func TestTLSToAServerWithout(t *testing.T) {
	s := listen(t, false, func(p *peer) {
		_, _ = p.in.ReadByte()
		p.say("HTTP/1.0 400 Bad Request\r\n\r\n")
	})
	m := measure(t, bench.Load{URLs: []string{"https" + s.url()[len("http"):]}, Conns: 1, Requests: 3})
	if m.Failed[bench.TLSError] != 3 || m.Messages[bench.TLSError] == "" {
		t.Errorf("failed %v %v", m.Failed, m.Messages)
	}
}

func TestTLSHandshakeTimesOut(t *testing.T) {
	s := listen(t, false, (*peer).hang)
	m := measure(t, bench.Load{URLs: []string{"https" + s.url()[len("http"):]}, Conns: 1, Requests: 2, Timeout: 80 * time.Millisecond})
	if m.Failed[bench.Timeout] != 2 {
		t.Errorf("failed %v %v", m.Failed, m.Messages)
	}
}

func TestClientCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s := secure(t, false, &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	l := bench.Load{URLs: []string{s.URL}, Conns: 1, Requests: 2, KeepAlive: true, TLS: &bench.TLS{
		CAFile:   authority(t, s),
		CertFile: written(t, "c.pem", &pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		KeyFile:  written(t, "k.pem", &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}),
	}}
	if m := measure(t, l); m.OK != 2 {
		t.Errorf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
	l.TLS = &bench.TLS{CAFile: l.TLS.CAFile}
	if m := measure(t, l); m.OK != 0 || m.FailedSum() != 2 {
		t.Errorf("without a certificate: ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
	}
}
