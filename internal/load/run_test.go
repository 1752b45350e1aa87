package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// backends are those that every behaviour is tried on.
var backends = []string{"portable", "epoll", "io_uring"}

func measure(t *testing.T, l bench.Load) bench.Measurement {
	t.Helper()
	m, err := Run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	return m
}

func TestExactCounts(t *testing.T) {
	body := strings.Repeat("x", 1500)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "plain")
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	for _, backend := range backends {
		for _, protocol := range []bench.Protocol{bench.HTTP10, bench.HTTP11} {
			for _, keep := range []bool{false, true} {
				for _, n := range []int64{1, 100, 1000} {
					l := bench.Load{
						URLs: []string{server.URL}, Protocol: protocol, KeepAlive: keep, Backend: backend,
						Conns: 30, Requests: n, Timeout: 10 * time.Second,
					}
					m := measure(t, l)
					if m.Issued != n || m.OK != n || m.BodyBytes != n*1500 || m.Status[200] != n {
						t.Errorf("%s %s keep=%v: issued %d, ok %d, %d bytes, status %v; want %d of each; failed %v %v",
							backend, protocol, keep, m.Issued, m.OK, m.BodyBytes, m.Status, n, m.Failed, m.Messages)
					}
					if m.Latency.Count() != n || m.FirstByte.Count() != n || m.Server != "plain" || m.AchievedConns != int(min(n, 30)) {
						t.Errorf("%s %s keep=%v n=%d: %d latencies, %d first bytes, server %q, %d at once", backend, protocol, keep, n,
							m.Latency.Count(), m.FirstByte.Count(), m.Server, m.AchievedConns)
					}
					made := m.Connect.Count()
					if !keep && made != n || keep && made > 30 {
						t.Errorf("%s %s keep=%v: %d connections for %d requests", backend, protocol, keep, made, n)
					}
				}
			}
		}
	}
}
