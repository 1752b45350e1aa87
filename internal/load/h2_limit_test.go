package load

import (
	"bufio"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"matrix/internal/bench"
)

// taker serves a connection and takes a number of streams at a time: others it
// refuses. It answers those that are open when nothing more has been asked.
type taker struct {
	p    *peer
	f    *http2.Framer
	take int
	open []uint32
	seen int  // streams opened by the client
	done int  // answers
	hold bool // nothing is answered
	most *atomic.Int64
}

// serve goes on until the client closes, or each returns false; each hears of
// every frame of the client's, after the taker.
func (s *taker) serve(each func(http2.Frame) bool) {
	for {
		frame, err := s.f.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok {
			if s.seen++; len(s.open) < s.take {
				s.open = append(s.open, h.StreamID)
				s.most.Store(max(s.most.Load(), int64(len(s.open))))
			} else {
				refuse(s.f, h.StreamID)
			}
		}
		if each != nil && !each(frame) {
			return
		}
		if s.p.in.Buffered() == 0 && !s.hold {
			s.answerAll()
		}
	}
}

func (s *taker) answerAll() {
	for _, id := range s.open {
		answer(s.f, id)
		s.done++
	}
	s.open = s.open[:0]
}

// limitation is a way in which a server may take fewer streams than are asked
// for, and the counters that must come of it.
type limitation struct {
	name     string
	serve    func(*taker)
	settings []http2.Setting // the server's first
	take     int
	streams  int   // asked for
	requests int64 // made
	change   func(*bench.Load)

	failed   map[bench.Failure]int64
	retried  int64 // -1: any number
	achieved int   // streams open at once; -1: what the server took, and as many again whose answers were on their way
	noted    string
	message  string
}

var limitations = []limitation{
	{name: "as many as asked for", settings: []http2.Setting{allow(100)}, take: 100, streams: 100, requests: 1000, achieved: 100},
	{name: "one", settings: []http2.Setting{allow(1)}, take: 1, streams: 100, requests: 200, achieved: 1,
		noted: "the server allows 1 stream at a time on a connection (MAX_CONCURRENT_STREAMS), and 100 were asked for"},
	{name: "ten", settings: []http2.Setting{allow(10)}, take: 10, streams: 100, requests: 1000, achieved: 10, noted: "the server allows 10 streams"},
	{name: "ten, to no more requests", settings: []http2.Setting{allow(10)}, take: 10, streams: 100, requests: 10, achieved: -1},
	{name: "ten, said late", take: 10, streams: 100, requests: 1000, retried: 90, achieved: 10, noted: "the server allows 10 streams", serve: func(s *taker) {
		s.hold = true
		s.serve(func(http2.Frame) bool { return s.seen < 100 })
		_ = s.f.WriteSettings(allow(10))
		s.hold = false
		s.answerAll()
		s.serve(nil)
	}},
	{name: "ten, not said", take: 10, streams: 100, requests: 1000, retried: -1, achieved: -1, noted: "at a time on a connection without having said so, and 100 were asked for"},
	{name: "ten, not said, over several connections", take: 10, streams: 100, requests: 2000, retried: -1, achieved: -1, noted: "the server refused streams beyond", change: func(l *bench.Load) { l.Conns = 3 }},
	{name: "not said, of POST", take: 10, streams: 100, requests: 1000, retried: -1, achieved: -1, noted: "the server refused streams beyond", change: func(l *bench.Load) { l.Method = "POST" }},
	{name: "twenty, then five", settings: []http2.Setting{allow(20)}, take: 20, streams: 50, requests: 400, retried: -1, achieved: 20, noted: "the server allows 5 streams", serve: func(s *taker) {
		s.serve(func(http2.Frame) bool {
			if s.take == 20 && s.done >= 100 {
				s.take = 5
				_ = s.f.WriteSettings(allow(5))
			}
			return true
		})
	}},
	{name: "one, then fifty", settings: []http2.Setting{allow(1)}, take: 1, streams: 50, requests: 400, achieved: 50, noted: "the server allows 1 stream", serve: func(s *taker) {
		s.serve(func(http2.Frame) bool {
			if s.take == 1 && s.done == 20 {
				s.take = 50
				_ = s.f.WriteSettings(allow(50))
			}
			return true
		})
	}},
	{name: "none for a while", settings: []http2.Setting{allow(0)}, streams: 50, requests: 400, retried: 1, achieved: 50, noted: "the server allows 0 streams", serve: func(s *taker) {
		s.serve(func(f http2.Frame) bool {
			if f, ok := f.(*http2.SettingsFrame); ok && f.IsAck() && s.take == 0 {
				s.take = 50
				_ = s.f.WriteSettings(allow(50))
			}
			return true
		})
	}},
	{name: "none, ever", settings: []http2.Setting{allow(0)}, streams: 50, requests: 3, retried: 1, failed: failures(bench.Timeout, 3),
		noted: "the server allows 0 streams", message: "the server allowed no stream within 150ms", change: func(l *bench.Load) { l.Timeout = 150 * time.Millisecond }},
	{name: "none, not said", streams: 50, requests: 15, retried: -1, failed: failures(bench.Reset, 15), message: "the server refused the stream, sent"},
	{name: "none, though said to be ten", settings: []http2.Setting{allow(10)}, streams: 50, requests: 15, retried: -1, failed: failures(bench.Reset, 15), noted: "the server allows 10", message: "the server refused the stream, sent"},
	{name: "none, on a connection per request", streams: 50, requests: 20, retried: -1, failed: failures(bench.Reset, 20), message: "the server refused the stream, sent", change: fresh},
}

// TestH2LimitsOfStreams is of what a report says where a server takes fewer
// streams than are asked for: a refused request is sent again until it is taken,
// and the concurrency is that of the streams which were open.
func TestH2LimitsOfStreams(t *testing.T) {
	for _, tt := range limitations {
		t.Run(tt.name, func(t *testing.T) {
			var most atomic.Int64
			s := listen(t, false, func(p *peer) {
				p.in = bufio.NewReaderSize(p.in, 64<<10) // a flight of requests is read at once
				s := &taker{p: p, f: preface(p, tt.settings...), take: tt.take, most: &most}
				if tt.serve == nil {
					s.serve(nil)
				} else {
					tt.serve(s)
				}
			})
			l := twice(s, tt.streams, tt.requests)
			if tt.change != nil {
				tt.change(&l)
			}
			m := measure(t, l)
			if m.Issued != tt.requests || fmt.Sprint(m.Failed) != fmt.Sprint(tt.failed) || m.OK != tt.requests-m.FailedSum() {
				t.Errorf("issued %d, ok %d, failed %v %v; want failed %v", m.Issued, m.OK, m.Failed, m.Messages, tt.failed)
			}
			if tt.retried >= 0 && m.Retried != tt.retried || m.Retried > m.Issued {
				t.Errorf("retried %d, want %d", m.Retried, tt.retried)
			}
			if m.AchievedConns != tt.achieved && (tt.achieved >= 0 || m.AchievedConns > 2*l.Conns*tt.take) || int64(m.AchievedConns) < most.Load() {
				t.Errorf("%d streams at once, want %d; a connection of the server had %d", m.AchievedConns, tt.achieved, most.Load())
			}
			noted := said(t, m, "streams-limited")
			if (noted == "") != (tt.noted == "") || !strings.Contains(noted, tt.noted) {
				t.Errorf("noted %q, want %q", noted, tt.noted)
			}
			for _, message := range m.Messages {
				if !strings.HasPrefix(message, tt.message) {
					t.Errorf("message %q, want %q", message, tt.message)
				}
			}
		})
	}
}

// A request that the server refuses for ever fails, and holds up no other.
func TestH2RefusedForEver(t *testing.T) {
	s := listen(t, false, func(p *peer) {
		f := preface(p)
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.MetaHeadersFrame); !ok {
				continue
			} else if h.PseudoValue("path") == "/bad" {
				refuse(f, h.StreamID)
			} else {
				answer(f, h.StreamID)
			}
		}
	})
	l := twice(s, 4, 12)
	l.URLs, l.Pick = []string{s.url() + "bad", s.url() + "good"}, bench.PickInTurn
	m := measure(t, l)
	if m.OK != 6 || m.Failed[bench.Reset] != 6 || m.Retried == 0 || !strings.HasPrefix(m.Messages[bench.Reset], "the server refused the stream, sent") {
		t.Errorf("ok %d, failed %v %v, retried %d", m.OK, m.Failed, m.Messages, m.Retried)
	}
}

// A stream that was answered in part was looked at, whatever the server says of
// it afterwards.
func TestH2RefusedAfterItsHead(t *testing.T) {
	for name, give := range map[string]func(*http2.Framer, uint32){
		"reset":     refuse,
		"goes away": func(f *http2.Framer, id uint32) { _ = f.WriteGoAway(id-1, http2.ErrCodeNo, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) {
				f := preface(p)
				requests(f, func(id uint32) bool {
					_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
					give(f, id)
					return name == "reset"
				})
			})
			m := measure(t, twice(s, 1, 3))
			if m.Failed[bench.Reset] != 3 || m.Retried != 0 {
				t.Errorf("ok %d, failed %v %v, retried %d", m.OK, m.Failed, m.Messages, m.Retried)
			}
		})
	}
}

// TestH2GoAway is of servers that end a connection in the middle of a run.
func TestH2GoAway(t *testing.T) {
	const last = 1<<31 - 1
	tests := []struct {
		name     string
		streams  int
		serve    func(*taker)
		failed   map[bench.Failure]int64
		achieved int
		noted    bool
		message  string
		requests int64 // 0: 300
	}{
		{name: "after ten streams", streams: 100, achieved: 10, noted: true, serve: func(s *taker) {
			s.hold = true
			s.serve(func(http2.Frame) bool { return s.seen < 10 })
			_ = s.f.WriteGoAway(19, http2.ErrCodeNo, nil)
			s.answerAll()
			s.p.hang()
		}},
		{name: "after ten streams, closing at once", streams: 100, achieved: 10, noted: true, serve: func(s *taker) {
			s.hold = true
			s.serve(func(http2.Frame) bool { return s.seen < 10 })
			_ = s.f.WriteGoAway(19, http2.ErrCodeNo, nil)
			s.answerAll()
			_ = s.p.Conn.(interface{ CloseWrite() error }).CloseWrite()
			s.p.hang()
		}},
		{name: "with a warning", streams: 10, achieved: 10, serve: func(s *taker) {
			s.serve(func(http2.Frame) bool { return s.done+len(s.open) < 20 })
			_ = s.f.WriteGoAway(last, http2.ErrCodeNo, nil)
			s.answerAll()
			s.serve(func(http2.Frame) bool { return true })
		}},
		{name: "from all, ever", streams: 10, noted: true, requests: 30, failed: failures(bench.Reset, 30), message: "the server went away: ENHANCE_YOUR_CALM, sent", serve: func(s *taker) {
			s.serve(func(http2.Frame) bool { return s.seen == 0 })
			_ = s.f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil)
			s.p.hang()
		}},
		{name: "for a reason, without answers", streams: 1, achieved: 1, failed: failures(bench.Reset, 300), message: "the server went away: INTERNAL_ERROR", serve: func(s *taker) {
			s.serve(func(http2.Frame) bool { return s.seen == 0 })
			_ = s.f.WriteGoAway(1, http2.ErrCodeInternal, nil)
			_ = s.p.Conn.(interface{ CloseWrite() error }).CloseWrite()
			s.p.hang()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) {
				tt.serve(&taker{p: p, f: preface(p), take: 1000, most: new(atomic.Int64)})
			})
			if tt.requests == 0 {
				tt.requests = 300
			}
			m := measure(t, twice(s, tt.streams, tt.requests))
			if m.Issued != tt.requests || fmt.Sprint(m.Failed) != fmt.Sprint(tt.failed) || m.OK != tt.requests-m.FailedSum() {
				t.Errorf("issued %d, ok %d, failed %v %v; want failed %v", m.Issued, m.OK, m.Failed, m.Messages, tt.failed)
			}
			if m.AchievedConns != tt.achieved {
				t.Errorf("%d streams at once, want %d", m.AchievedConns, tt.achieved)
			}
			if noted := said(t, m, "went-away"); (noted != "") != tt.noted {
				t.Errorf("noted %q", noted)
			}
			for _, message := range m.Messages {
				if !strings.HasPrefix(message, tt.message) {
					t.Errorf("message %q, want %q", message, tt.message)
				}
			}
		})
	}
}
