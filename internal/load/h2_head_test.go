package load

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"matrix/internal/bench"
)

// TestH2Heads is of header blocks, good and bad, whole and in parts.
func TestH2Heads(t *testing.T) {
	const malformed = "the head has fields that HTTP/2 does not know, twice, or in a wrong place"
	head := func(f *http2.Framer, id uint32, ends bool, all ...string) {
		block := fields(all...)
		const part = 16 << 10
		n := min(len(block), part)
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:n], EndHeaders: n == len(block), EndStream: ends})
		for block = block[n:]; len(block) > 0; block = block[n:] {
			n = min(len(block), part)
			_ = f.WriteContinuation(id, n == len(block), block[:n])
		}
	}
	whole := func(all ...string) func(*http2.Framer, uint32) {
		return func(f *http2.Framer, id uint32) { head(f, id, true, all...) }
	}
	tests := []struct {
		name   string
		serve  func(*http2.Framer, uint32)
		failed string // "": all succeed
		conns  int64  // 0: one
	}{
		{name: "in four parts", serve: whole(":status", "200", "x-long", long(50<<10))},
		{name: "with trailers", serve: func(f *http2.Framer, id uint32) {
			head(f, id, false, ":status", "200")
			_ = f.WriteData(id, false, []byte("hello"))
			head(f, id, true, "digest", "x")
		}},
		{name: "an interim one before", serve: func(f *http2.Framer, id uint32) {
			head(f, id, false, ":status", "103", "content-length", "x")
			head(f, id, true, ":status", "200")
		}},
		{name: "longer than 64 KiB", serve: whole(":status", "200", "x-long", long(40<<10), "x-longer", long(40<<10)), failed: "the head is longer than 64 KiB"},
		{name: "much longer", serve: whole(":status", "200", "a", long(50<<10), "b", long(50<<10), "c", long(50<<10)), failed: "the head is longer than 64 KiB", conns: 3},
		{name: "a field longer than 64 KiB", serve: whole(":status", "200", "x-long", long(70<<10)), failed: "a head that cannot be decoded: hpack: string too long", conns: 3},
		{name: "no status", serve: whole("x", "y"), failed: "the answer has no status that HTTP/2 knows"},
		{name: "a status of four digits", serve: whole(":status", "2000"), failed: "the answer has no status that HTTP/2 knows"},
		{name: "two of status", serve: whole(":status", "200", ":status", "200"), failed: malformed},
		{name: "status in the end", serve: whole("x", "y", ":status", "200"), failed: malformed},
		{name: "a method", serve: whole(":status", "200", ":method", "GET"), failed: malformed},
		{name: "an upper-case name", serve: whole(":status", "200", "X-Y", "z"), failed: "a header field has a name that HTTP/2 forbids"},
		{name: "a line break in a value", serve: whole(":status", "200", "x", "a\r\nb: c"), failed: "a header field has a value that HTTP/2 forbids"},
		{name: "two without an end", failed: "a second head", serve: func(f *http2.Framer, id uint32) {
			head(f, id, false, ":status", "200")
			head(f, id, false, ":status", "200")
		}},
		{name: "none before the body", failed: "a body before its head", serve: func(f *http2.Framer, id uint32) { _ = f.WriteData(id, true, []byte("hello")) }},
		{name: "no sense", serve: func(f *http2.Framer, id uint32) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0xff, 0xff, 0xff}, EndHeaders: true})
		}, failed: "a head that cannot be decoded: decoding error: truncated headers", conns: 3},
		{name: "within another", failed: "the bytes received are not HTTP/2", conns: 3, serve: func(f *http2.Framer, id uint32) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}})
			_ = f.WritePing(false, [8]byte{})
		}},
		{name: "a push", failed: "the server pushes, which it was told not to do", conns: 3, serve: func(f *http2.Framer, id uint32) {
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, BlockFragment: []byte{0x82}, EndHeaders: true})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, false, func(p *peer) {
				f := preface(p)
				f.AllowIllegalWrites = true
				requests(f, func(id uint32) bool {
					tt.serve(f, id)
					return true
				})
			})
			m := measure(t, twice(s, 1, 3))
			want := map[bench.Failure]int64(nil)
			if tt.failed != "" {
				want = failures(bench.ProtocolError, 3)
			}
			if fmt.Sprint(m.Failed) != fmt.Sprint(want) || m.OK != 3-m.FailedSum() || !strings.HasPrefix(m.Messages[bench.ProtocolError], tt.failed) {
				t.Errorf("ok %d, failed %v %v", m.OK, m.Failed, m.Messages)
			}
			if made := m.Connect.Count(); made != max(tt.conns, 1) {
				t.Errorf("%d connections, want %d", made, max(tt.conns, 1))
			}
		})
	}
}
