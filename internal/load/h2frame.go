package load

import (
	"encoding/binary"
	"errors"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// frameSize is how long the frame is that begins with head, itself included. A
// server that does not begin with its settings speaks something else: what it
// says is not waited for.
func (s *session) frameSize(head []byte) (int, error) {
	length := int(binary.BigEndian.Uint32(head) >> 8)
	if !s.begun && head[3] != byte(http2.FrameSettings) || length > largestFrame {
		return 0, errProtocol
	}
	return frameHead + length, nil
}

// receive acts on one whole frame of the server's. Afterwards err may be set:
// then nothing more is to be received.
func (s *session) receive(frame []byte) {
	s.begun = true
	s.in.Reset(frame)
	f, err := s.framer.ReadFrame()
	var one http2.StreamError
	switch {
	case err == nil:
		if s.idle++; s.idle > s.g.mostIdle {
			s.die("%d frames in a row brought no request on", s.idle)
			return
		}
		s.act(f)
	case errors.As(err, &one) && frame[3] == byte(http2.FrameWindowUpdate):
		s.idle++
		if o := s.streams[one.StreamID]; o != nil {
			s.failed(o, bench.ProtocolError, "%v", err)
		}
	default:
		s.die("%v", errProtocol)
	}
}

// progress hears that a frame brought a request on.
func (s *session) progress() { s.idle = min(s.idle, 0) }

func (s *session) act(f http2.Frame) {
	switch f := f.(type) {
	case *http2.HeadersFrame:
		if !s.known(f.StreamID) {
			return
		}
		s.head = head{id: f.StreamID, ends: f.StreamEnded()}
		s.fragment(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.ContinuationFrame:
		s.fragment(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.DataFrame:
		if s.known(f.StreamID) {
			s.data(f)
		}
	case *http2.RSTStreamFrame:
		if s.known(f.StreamID) {
			s.reset(f)
		}
	case *http2.SettingsFrame:
		s.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			s.note(s.framer.WritePing(true, f.Data))
		}
	case *http2.WindowUpdateFrame:
		s.widen(f)
	case *http2.GoAwayFrame:
		s.goAway(f)
	case *http2.PushPromiseFrame:
		s.die("the server pushes, which it was told not to do")
	}
}

// known reports that the client has opened a stream, now or before. An answer on
// another one answers nothing, least of all the request that is sent on it next.
func (s *session) known(id uint32) bool {
	if id%2 == 1 && id < s.nextID {
		return true
	}
	if len(s.streams) == 0 {
		s.g.stray()
	}
	s.die("the server spoke on a stream that no request had opened")
	return false
}

func (s *session) settings(f *http2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	s.room.settled()
	err := f.ForeachSetting(func(v http2.Setting) error {
		if err := v.Valid(); err != nil {
			return err
		}
		switch v.ID {
		case http2.SettingMaxConcurrentStreams:
			s.room.allow(v.Val, s.nextID)
		case http2.SettingMaxFrameSize:
			s.maxFrame = min(int64(v.Val), 1<<20)
		case http2.SettingHeaderTableSize:
			s.encode.SetMaxDynamicTableSizeLimit(v.Val)
		case http2.SettingInitialWindowSize:
			s.resize(int64(v.Val))
		}
		return nil
	})
	if err != nil {
		s.die("a setting that HTTP/2 forbids")
		return
	}
	s.note(s.framer.WriteSettingsAck())
	s.pumpAll()
}

// resize gives all streams, open ones too, another initial window. It may leave
// some with less than none (RFC 9113 6.9.2).
func (s *session) resize(initial int64) {
	change := initial - s.initial
	s.initial = initial
	for _, o := range s.streams {
		if o.window += change; o.window > window {
			s.die("a window wider than HTTP/2 has")
		}
	}
}

func (s *session) widen(f *http2.WindowUpdateFrame) {
	if f.StreamID == 0 {
		if s.window += int64(f.Increment); s.window > window {
			s.die("a window wider than HTTP/2 has")
			return
		}
		s.pumpAll()
		return
	}
	o := s.streams[f.StreamID]
	if o == nil {
		s.known(f.StreamID)
		return
	}
	if o.window += int64(f.Increment); o.window > window {
		s.failed(o, bench.ProtocolError, "a window wider than HTTP/2 has")
		return
	}
	s.pump(o)
}

// goAway sends again, elsewhere, what the server says it has not looked at. The
// streams before are still answered.
func (s *session) goAway(f *http2.GoAwayFrame) {
	s.leaving = true
	if f.ErrCode != http2.ErrCodeNo {
		s.farewell = f.ErrCode.String()
	}
	for _, o := range s.inOrder() {
		if o.id > f.LastStreamID && o.at.first == 0 {
			s.g.wentAway()
			s.refused(o, "the server went away: %v", f.ErrCode)
		}
	}
}

// firstByte notes when the first frame of an answer came. A server that answers
// a stream has looked at those opened before.
func (s *session) firstByte(o *stream) {
	if o.at.first != 0 {
		return
	}
	o.at.first = s.clock()
	if o.id <= s.taken {
		return
	}
	s.g.took(s.streams, s.taken+1, o.id)
	s.taken = o.id
}
