package load

import (
	"bytes"
	"io"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"matrix/internal/bench"
)

// preface reads the client's and answers with settings.
func preface(p *peer, settings ...http2.Setting) *http2.Framer {
	buf := make([]byte, len(http2.ClientPreface))
	_, _ = io.ReadFull(p.in, buf)
	f := http2.NewFramer(p.Conn, p.in)
	_ = f.WriteSettings(settings...)
	return f
}

// requests yields the number of each stream that the client opens.
func requests(f *http2.Framer, each func(id uint32) bool) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok && !each(h.StreamID) {
			return
		}
	}
}

func answer(f *http2.Framer, id uint32) {
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true, EndStream: true})
}

func refuse(f *http2.Framer, id uint32) { _ = f.WriteRSTStream(id, http2.ErrCodeRefusedStream) }

func allow(n uint32) http2.Setting {
	return http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: n}
}

// fields encodes a header block that needs no table.
func fields(all ...string) []byte {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	for i := 0; i < len(all); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1], Sensitive: true})
	}
	return block.Bytes()
}

// twice is a load of HTTP/2 in the clear over one connection.
func twice(s *stranger, streams int, requests int64) bench.Load {
	return bench.Load{URLs: []string{s.url()}, Protocol: bench.H2C, Conns: 1, Streams: streams, KeepAlive: true, Requests: requests, Timeout: time.Minute}
}

func said(t *testing.T, m bench.Measurement, code string) (text string) {
	t.Helper()
	for _, n := range m.Notes {
		if n.Code == code {
			text += n.Text + "\n"
		}
	}
	return text
}

// batch keeps what is written until it is flushed, so that it goes out at once.
type batch struct {
	io.Writer
	buf bytes.Buffer
}

func (b *batch) Write(p []byte) (int, error) { return b.buf.Write(p) }

func (b *batch) flush() { _, _ = b.buf.WriteTo(b.Writer) }
