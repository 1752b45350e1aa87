package load

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
)

// scripted answers as a script says, a byte for each step: pieces of an answer,
// whole answers, the end of the stream, a reset, at any point. It never keeps a
// client waiting: where the script is at its end, it answers well.
func scripted(script []byte) func(*peer) {
	return func(p *peer) {
		at := p.n // each connection begins elsewhere
		step := func() byte {
			if len(script) == 0 {
				return 0
			}
			at++
			return script[at%len(script)]
		}
		for p.request() > 0 {
			body := strings.Repeat("y", 1+int(step())*40)
			text := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			switch s := step(); s % 8 {
			case 0: // reset, or end, behind the answer
				p.say(text)
				p.reset()
				return
			case 1:
				p.say(text)
				return
			case 2: // in the midst of it
				p.say(text[:len(text)*int(step())/256])
				p.reset()
				return
			case 3:
				p.say(text[:len(text)*int(step())/256])
				return
			case 4: // in two pieces
				cut := len(text) * int(step()) / 256
				p.say(text[:cut])
				for range step() {
					runtime.Gosched()
				}
				p.say(text[cut:])
			case 5: // at once
				p.reset()
				return
			default:
				p.say(text)
			}
		}
	}
}

// tryScript lets each back end ask a scripted server: each request has an
// outcome, none of them that of having waited in vain.
func tryScript(t *testing.T, script []byte) {
	for _, backend := range backends {
		s := listen(t, false, scripted(script))
		for _, keep := range []bool{true, false} {
			l := bench.Load{
				URLs: []string{s.url()}, Conns: 1 + len(script)%6, Requests: 40, KeepAlive: keep,
				Timeout: 3 * time.Second, Backend: backend,
			}
			if len(script)%3 == 0 {
				l.Method, l.Body = "POST", []byte("a=b")
			}
			m := measure(t, l)
			if m.Issued != 40 || m.Failed[bench.Timeout]+m.Failed[bench.Connect]+m.Failed[bench.Client]+m.Failed[bench.ProtocolError] > 0 {
				t.Errorf("%s, keep=%v: issued %d, failed %v, %v", backend, keep, m.Issued, m.Failed, m.Messages)
			}
		}
	}
}

func TestInterleavings(t *testing.T) {
	for _, script := range []string{
		"\x00", "\x05\x00", "\x05\x01", "\x20\x02\x80", "\x20\x03\x80", "\x08\x04\x40\xff", "\x05", "\x01\x06\x00\x07\x05\x03",
		"\xff\x00", "\xff\x04\x10\x30\xff\x02\xf0", "\x00\x00\x07\x00", "\x30\x01\x07",
	} {
		tryScript(t, []byte(script))
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		script := make([]byte, 1+r.IntN(30))
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		tryScript(t, script)
	}
}

func FuzzInterleavings(f *testing.F) {
	f.Add([]byte("\x00"))
	f.Add([]byte("\xff\x04\x10\x30\xff\x02\xf0"))
	f.Fuzz(func(t *testing.T, script []byte) { tryScript(t, script) })
}
