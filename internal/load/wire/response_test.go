package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// reading is all that a Response tells of a stream.
type reading struct {
	Status int
	Body   string
	Keep   bool
	Used   int
	Err    string
}

// read feeds the stream in pieces of the lengths that cut gives, and ends it.
func read(stream []byte, head bool, cut func() int) reading {
	return recall(stream, head, cut, nil)
}

func recall(stream []byte, head bool, cut func() int, m *Memo) reading {
	var body bytes.Buffer
	r := Response{Memo: m}
	r.Reset(head, &body)
	var got reading
	for rest := stream; len(rest) > 0 && !r.Done(); {
		n := max(1, min(cut(), len(rest)))
		used, err := r.Feed(rest[:n])
		got.Used += used
		if err != nil {
			got.Err = err.Error()
			return got
		}
		rest = rest[n:]
	}
	if err := r.End(); err != nil {
		got.Err = err.Error()
	}
	got.Status, got.Body, got.Keep = r.Status, body.String(), r.Done() && r.KeepAlive()
	return got
}

func whole() int { return 1 << 30 }

func every(n int) func() int { return func() int { return n } }

func TestResponse(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name, stream string
		head         bool
		want         reading
	}{
		{name: "length", stream: ok + "Content-Length: 2\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "no reason phrase", stream: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want: reading{Status: 200, Keep: true}},
		{name: "bare line feeds", stream: "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "1.0", stream: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", want: reading{Status: 200, Body: "hi"}},
		{name: "1.0 keep-alive", stream: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "close wins", stream: ok + "Connection: keep-alive\r\nConnection: x , cLose\r\nContent-Length: 0\r\n\r\n", want: reading{Status: 200}},
		{name: "closer is not close", stream: ok + "Connection: closer\r\nContent-Length: 0\r\n\r\n", want: reading{Status: 200, Keep: true}},
		{name: "chunks", stream: ok + "Transfer-Encoding: gzip, Chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nT: r\r\n\r\n", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "chunked is not last", stream: ok + "Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n", want: reading{Status: 200, Body: "2\r\n"}},
		{name: "chunks under 1.0", stream: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", want: reading{Status: 200}},
		{name: "until the end", stream: ok + "\r\nhi", want: reading{Status: 200, Body: "hi"}},
		{name: "HEAD", stream: ok + "Content-Length: 9\r\n\r\n", head: true, want: reading{Status: 200, Keep: true}},
		{name: "HEAD chunked", stream: ok + "Transfer-Encoding: chunked\r\n\r\n", head: true, want: reading{Status: 200, Keep: true}},
		{name: "204", stream: "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", want: reading{Status: 204, Keep: true}},
		{name: "interim", stream: "HTTP/1.1 102 Processing\r\nContent-Length: 9\r\nConnection: close\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "zeros before the length", stream: ok + "Content-Length: 0000002\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},
		{name: "a fold of something else", stream: ok + "X: a\r\n b\r\nContent-Length: 2\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Keep: true}},

		{name: "nothing", stream: "", want: reading{Err: string(ErrEnded)}},
		{name: "half a head", stream: ok + "Content-", want: reading{Status: 200, Err: string(ErrEnded)}},
		{name: "half a body", stream: ok + "Content-Length: 3\r\n\r\nhi", want: reading{Status: 200, Body: "hi", Err: string(ErrShort)}},
		{name: "half a chunk", stream: ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhi", want: reading{Status: 200, Body: "hi", Err: string(ErrShort)}},
		{name: "no trailer", stream: ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", want: reading{Status: 200, Err: string(ErrShort)}},
		{name: "banner", stream: "SSH-2.0-x\r\n", want: reading{Err: string(errNotHTTP)}},
		{name: "banner without an end", stream: "220 mail", want: reading{Err: string(errNotHTTP)}},
		{name: "HTTP/2", stream: "HTTP/2.0 200 OK\r\n\r\n", want: reading{Err: string(errNotHTTP)}},
		{name: "ICY", stream: "ICY 200 OK\r\n\r\n", want: reading{Err: string(errNotHTTP)}},
		{name: "status of letters", stream: "HTTP/1.1 2x0 OK\r\n\r\n", want: reading{Err: string(errStatus)}},
		{name: "status of four digits", stream: "HTTP/1.1 2000 OK\r\n\r\n", want: reading{Err: string(errStatus)}},
		{name: "status below 100", stream: "HTTP/1.1 099 OK\r\n\r\n", want: reading{Err: string(errStatus)}},
		{name: "line without a colon", stream: ok + "hello\r\n\r\n", want: reading{Err: string(errField)}},
		{name: "negative length", stream: ok + "Content-Length: -1\r\n\r\n", want: reading{Err: string(errLength)}},
		{name: "signed length", stream: ok + "Content-Length: +1\r\n\r\nx", want: reading{Err: string(errLength)}},
		{name: "empty length", stream: ok + "Content-Length:\r\n\r\n", want: reading{Err: string(errLength)}},
		{name: "2^63", stream: ok + "Content-Length: 9223372036854775808\r\n\r\n", want: reading{Err: string(errLength)}},
		{name: "lengths differ", stream: ok + "Content-Length: 1, 2\r\n\r\n", want: reading{Err: string(errLengths)}},
		{name: "folded length", stream: ok + "Content-Length: 1\r\n 2\r\n\r\n", want: reading{Err: string(errFold)}},
		{name: "101", stream: "HTTP/1.1 101 x\r\n\r\n", want: reading{Err: string(errSwitched)}},
		{name: "chunk of 17 digits", stream: ok + "Transfer-Encoding: chunked\r\n\r\n00000000000000001\r\n", want: reading{Err: string(errChunk)}},
		{name: "chunk beyond 2^62", stream: ok + "Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\n", want: reading{Err: string(errChunk)}},
		{name: "head too long", stream: ok + "X: " + strings.Repeat("y", MaxHead) + "\r\n\r\n", want: reading{Err: string(errHead)}},
		{name: "interims without end", stream: strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 3000), want: reading{Err: string(errHead)}},
		{name: "trailer without end", stream: ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 20000), want: reading{Err: string(errHead)}},
	}
	for _, tt := range tests {
		for _, n := range []int{1 << 30, 1, 2, 3, 7, 100} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, n), func(t *testing.T) {
				got := read([]byte(tt.stream), tt.head, every(n))
				if tt.want.Err != "" && tt.want.Status == 0 {
					got.Status = 0 // how much of a malformed answer was read does not matter
				}
				got.Used = 0
				if got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
			})
		}
	}
}

func TestFeedStopsAtTheEnd(t *testing.T) {
	var r Response
	r.Reset(false, nil)
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	if n, err := r.Feed([]byte(answer + "HTTP/1.1")); n != len(answer) || err != nil || !r.Done() {
		t.Errorf("took %d bytes, %v; want %d", n, err, len(answer))
	}
}

func TestSkip(t *testing.T) {
	var r Response
	r.Reset(false, nil)
	if _, err := r.Feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 8589934592\r\n\r\nhi")); err != nil {
		t.Fatal(err)
	}
	if due := r.Due(); due != 8589934590 {
		t.Fatalf("%d bytes are due", due)
	}
	r.Skip(8589934589)
	if r.Done() || r.Due() != 1 {
		t.Errorf("done %v with %d due; want one byte", r.Done(), r.Due())
	}
	r.Skip(1)
	if !r.Done() || r.Body != 8589934592 {
		t.Errorf("done %v, body %d", r.Done(), r.Body)
	}
}

func TestFeedAllocatesNothing(t *testing.T) {
	answer := []byte("HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi")
	var r Response
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(false, nil)
		_, _ = r.Feed(answer)
	}); n != 0 || !r.Done() {
		t.Errorf("%v allocations an answer, done %v", n, r.Done())
	}
}

// TestMemo reads each head twice with one memo, whole and in pieces, and after
// a head that differs in its last line.
func TestMemo(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\nDate: now\r\n"
	heads := []string{
		ok + "Content-Length: 2\r\n\r\nhi", ok + "Content-Length: 2\r\n\r\nho", ok + "Content-Length: 3\r\n\r\nhey",
		ok + "Content-Length: 3\r\n\r\nhey", ok + "Content-Length: 3\r\nConnection: close\r\n\r\nhey",
		ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n0\r\n\r\n",
		"HTTP/1.1 100 x\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n", "HTTP/1.1 100 x\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n",
		"HTTP/1.1 204 x\r\n\r\n", "HTTP/1.1 204 x\r\n\r\n", ok + "\r\nuntil the end", ok + "\r\nthe end",
	}
	for _, cut := range []int{1 << 30, 30, 7} {
		r := Response{Memo: new(Memo)}
		for _, h := range heads {
			var body bytes.Buffer
			r.Reset(false, &body)
			for rest := []byte(h); len(rest) > 0; {
				n := min(cut, len(rest))
				if used, err := r.Feed(rest[:n]); err != nil || used != n {
					t.Fatalf("%q: took %d of %d, %v", h, used, n, err)
				}
				rest = rest[n:]
			}
			if err := r.End(); err != nil {
				t.Fatalf("%q: %v", h, err)
			}
			got := reading{Status: r.Status, Body: body.String(), Keep: r.KeepAlive()}
			want := read([]byte(h), false, whole)
			want.Used = 0
			if got != want {
				t.Errorf("%q: got %+v, want %+v", h, got, want)
			}
		}
	}
}

func BenchmarkFeedMemo(b *testing.B) {
	answer := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 13:12:58 GMT\r\nContent-Type: text/html\r\nContent-Length: 2\r\nLast-Modified: Mon, 30 Nov 2026 13:12:57 GMT\r\nConnection: keep-alive\r\nETag: \"6b0d7659-600\"\r\nAccept-Ranges: bytes\r\n\r\nhi")
	r := Response{Memo: new(Memo)}
	for b.Loop() {
		r.Reset(false, nil)
		if _, err := r.Feed(answer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFeed(b *testing.B) {
	answer := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 13:12:58 GMT\r\nContent-Type: text/html\r\nContent-Length: 2\r\nLast-Modified: Mon, 30 Nov 2026 13:12:57 GMT\r\nConnection: keep-alive\r\nETag: \"6b0d7659-600\"\r\nAccept-Ranges: bytes\r\n\r\nhi")
	var r Response
	for b.Loop() {
		r.Reset(false, nil)
		if _, err := r.Feed(answer); err != nil {
			b.Fatal(err)
		}
	}
}
