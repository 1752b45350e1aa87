package load

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
)

// truth is a server that knows how long each request was with it: from when it
// had the whole request to just before it began to answer. The clock is that of
// the engine, for both are in this process.
type truth struct {
	*stranger
	mu    sync.Mutex
	spans []time.Duration
}

// tell starts one that holds requests for a while, some for longer.
func tell(t testing.TB, hold time.Duration) *truth {
	tr := &truth{}
	tr.stranger = listen(t, false, func(p *peer) {
		for n := p.request(); n > 0; n = p.request() {
			arrived := time.Now()
			<-time.After(hold + time.Duration(n%16)*hold/8)
			tr.mu.Lock()
			tr.spans = append(tr.spans, time.Since(arrived))
			tr.mu.Unlock()
			p.say(good)
		}
	})
	return tr
}

// below is the q-quantile of the spans, less what a histogram may round away.
func (tr *truth) below(q float64) time.Duration {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	slices.Sort(tr.spans)
	v := tr.spans[int(q*float64(len(tr.spans)-1))]
	return v - v/500 - time.Microsecond
}

var truths = []struct {
	name string
	set  func(*bench.Load)
}{
	{"kept", func(l *bench.Load) { l.KeepAlive = true }},
	{"kept, the first of each connection", func(l *bench.Load) { l.KeepAlive, l.Requests = true, int64(l.Conns) }},
	{"a connection per request", func(*bench.Load) {}},
	{"at a rate", func(l *bench.Load) { l.KeepAlive, l.Rate = true, 2000 }},
}

// TestLatencyIsNeverLessThanTrue: no clock starts later than the server has the
// request, and none stops before it answers. If each sample is at least the
// server's, so is each quantile.
func TestLatencyIsNeverLessThanTrue(t *testing.T) {
	for _, mode := range truths {
		for _, conns := range []int{1, 10, 150} {
			for _, backend := range backends {
				t.Run(fmt.Sprintf("%s/c=%d/%s", mode.name, conns, backend), func(t *testing.T) {
					s := tell(t, 200*time.Microsecond)
					l := bench.Load{URLs: []string{s.url()}, Conns: conns, Requests: 150, Backend: backend}
					mode.set(&l)
					m := measure(t, l)
					if m.OK != l.Requests || m.Latency.Count() != m.OK {
						t.Fatalf("ok %d, failed %v", m.OK, m.Failed)
					}
					for name, h := range map[string]*hist.Hist{"latency": m.Latency, "service": m.Service, "first byte": m.FirstByte} {
						for _, q := range []float64{0, 0.5, 0.99} {
							if got, ok := h.Quantile(q); ok && got < s.below(q) {
								t.Errorf("%s: %v at the %g quantile, and the server had the request for %v", name, got, q, s.below(q))
							}
						}
					}
				})
			}
		}
	}
}

// BenchmarkLatencyOverhead tells how much longer than the server's are the
// latencies that the engine measures, in microseconds.
func BenchmarkLatencyOverhead(b *testing.B) {
	for _, conns := range []int{1, 10, 150} {
		for _, backend := range backends {
			b.Run(fmt.Sprintf("c=%d/%s", conns, backend), func(b *testing.B) {
				for b.Loop() {
					s := tell(b, 300*time.Microsecond)
					m, err := Run(b.Context(), bench.Load{URLs: []string{s.url()}, Conns: conns, Requests: 3000, KeepAlive: true, Backend: backend})
					if err != nil {
						b.Fatal(err)
					}
					for name, q := range map[string]float64{"p0-us": 0, "p50-us": 0.5, "p99-us": 0.99} {
						got, _ := m.Latency.Quantile(q)
						b.ReportMetric(float64(got-s.below(q))/1e3, name)
					}
				}
			})
		}
	}
}
