package load

import (
	"encoding/binary"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// player is a server that says what a script has, valid or not.
type player struct {
	script []byte
	f      *http2.Framer
	conn   net.Conn
	heard  <-chan uint32 // the streams that the client opens
	opened []uint32      // those that it has
	left   bool          // the client has closed
	said   int           // frames, of this connection
}

// hear takes note of what the client has sent.
func (p *player) hear() {
	for {
		select {
		case id, ok := <-p.heard:
			if !ok {
				p.left = true
				return
			}
			p.opened = append(p.opened, id)
		default:
			return
		}
	}
}

// stream is one of the client's, or any other.
func (p *player) stream(b byte) uint32 {
	if b < 200 && len(p.opened) > 0 {
		return p.opened[len(p.opened)-1-int(b)%len(p.opened)]
	}
	return uint32(b % 16)
}

// play says one pass of the script; false when the client does not listen.
func (p *player) play() bool {
	next := func(s []byte) (byte, []byte) {
		if len(s) == 0 {
			return 0, nil
		}
		return s[0], s[1:]
	}
	for s := p.script; len(s) > 0; {
		var op, to, arg byte
		op, s = next(s)
		to, s = next(s)
		arg, s = next(s)
		p.hear()
		if p.left {
			return false
		}
		raw := s[:min(len(s), int(arg))]
		p.said++
		if p.say(op, p.stream(to), arg, raw) != nil {
			return false
		}
		if op%20 >= 18 {
			s = s[len(raw):]
		}
	}
	return true
}

var fuzzBlocks = [][]byte{{0x88}, fields(":status", "103"), fields(":status", "204", "content-length", "0"), fields(":status", "200", "content-length", "3"), {0x89}, fields("x", "y"), {0xff, 0xff}, fields(":status", "2000"), {}}

func (p *player) say(op byte, id uint32, arg byte, raw []byte) error {
	odd := arg%2 == 1
	switch op % 20 {
	case 0, 1, 2:
		return p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true, EndStream: !odd})
	case 3:
		return p.f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fuzzBlocks[int(arg/4)%len(fuzzBlocks)], EndHeaders: arg&2 == 0, EndStream: odd})
	case 4:
		return p.f.WriteContinuation(id, odd, fuzzBlocks[int(arg/2)%len(fuzzBlocks)])
	case 5, 6:
		return p.f.WriteData(id, odd, make([]byte, arg/8))
	case 7:
		return p.f.WriteDataPadded(id, odd, make([]byte, arg/32), make([]byte, arg/16))
	case 8, 9:
		return p.f.WriteRSTStream(id, http2.ErrCode(arg%16))
	case 10:
		return p.f.WriteSettings(allow(uint32(arg) % 8))
	case 11:
		return p.f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(arg) << (arg % 32)})
	case 12:
		return p.f.WriteSettings(http2.Setting{ID: http2.SettingID(arg % 8), Val: uint32(arg) * 997})
	case 13:
		return p.f.WritePing(odd, [8]byte{arg})
	case 14:
		return p.f.WriteGoAway(id, http2.ErrCode(arg%16), nil)
	case 15:
		return p.f.WriteRawFrame(http2.FrameWindowUpdate, 0, id, binary.BigEndian.AppendUint32(nil, uint32(arg)<<(arg%28)))
	case 16:
		return p.f.WriteSettingsAck()
	case 17:
		<-time.After(time.Duration(arg) * time.Millisecond / 8)
		return nil
	case 18:
		return p.f.WriteRawFrame(http2.FrameType(arg%16), http2.Flags(arg), id, raw)
	}
	_, err := p.conn.Write(raw)
	return err
}

// FuzzH2Frames lets a server say any frames in any order, in imagined time. The
// run ends, and each request has one outcome; what ends it is never how long the
// server goes on.
func FuzzH2Frames(f *testing.F) {
	const (
		closes = 1 << iota // after the script
		repeats
		behaves
		posts
		fresh
	)
	for _, seed := range []struct {
		script string
		mode   byte
	}{
		{"\x00\x00\x00", behaves},
		{"\x0a\x00\x01", behaves},
		{"\x0a\x00\x00\x08\x00\x07", repeats}, // none allowed, refused
		{"\x08\x00\x07", repeats},
		{"\x0d\x00\x00", repeats},             // pings
		{"\x03\x00\x02\x04\x00\x10", repeats}, // a head without an end
		{"\x0e\x00\x00", closes},
		{"\x0e\xc8\x00", closes | fresh},
		{"\x0b\x00\x00\x0f\x00\x41", posts | behaves},
		{"\x01\x00\x01\x05\x00\x09", posts | closes},
		{"\x12\x00\x05\x01\x02\x03\x04\x05", closes},
		{"\x13\x00\x04junk", closes},
		{"", 0},
	} {
		f.Add([]byte(seed.script), seed.mode, byte(3))
	}
	f.Fuzz(func(t *testing.T, script []byte, mode, streams byte) {
		if len(script) > 256 {
			return
		}
		const n, timeout, patience = 6, 50 * time.Millisecond, 100
		l := bench.Load{Conns: 1 + int(mode>>7), Streams: 1 + int(streams%8), KeepAlive: mode&fresh == 0, Requests: n, Timeout: timeout}
		if mode&posts != 0 {
			l.Method, l.Body = "POST", make([]byte, 70_000)
		}
		var said atomic.Int64
		m := imagined(t, l, func(g *group) {
			g.mostIdle = patience
			time.AfterFunc(time.Hour, func() { g.run.stop.Store(true) })
		}, func(conn net.Conn, heard <-chan uint32) {
			p := &player{script: script, conn: conn, heard: heard, f: http2.NewFramer(conn, nil)}
			p.f.AllowIllegalWrites = true
			defer func() { said.Add(int64(p.said)) }()
			if p.f.WriteSettings() != nil || !p.play() || mode&closes != 0 {
				return
			}
			for mode&repeats != 0 {
				<-time.After(time.Millisecond)
				if p.hear(); p.left || !p.play() {
					return
				}
			}
			for id := range heard {
				if mode&behaves != 0 {
					answer(p.f, id)
				}
			}
		})
		if m.Issued != n || m.Completed() != n || m.Retried > n || m.AchievedConns > l.Conns*l.Streams {
			t.Errorf("issued %d, completed %d, failed %v, aborted %d, retried %d, %d at once", m.Issued, m.Completed(), m.Failed, m.Aborted, m.Retried, m.AchievedConns)
		}
		// A pass of the script takes a millisecond, and each request its timeout
		// at most, one after the other.
		if most := int64(2*n*len(script))*int64(timeout/time.Millisecond) + 100*patience; said.Load() > most {
			t.Errorf("%d frames, more than %d", said.Load(), most)
		}
	})
}
