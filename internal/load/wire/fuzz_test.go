package wire

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// FuzzResponse holds a Response against itself, fed in one piece and in random
// ones, and against net/http: what both call a whole answer they read alike,
// and what net/http reads of a plainly formed one is an answer here too.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nA: b\r\n\r\nmore",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
		"SSH-2.0-OpenSSH\r\n",
	} {
		f.Add([]byte(s), uint64(1), false)
		f.Add([]byte(s), uint64(2), true)
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64, head bool) {
		ours := read(stream, head, whole)
		memo := new(Memo)
		for range 2 {
			if again := recall(stream, head, whole, memo); again != ours {
				t.Fatalf("parsed %+v, remembered %+v", ours, again)
			}
		}
		r := rand.New(rand.NewPCG(seed, 0))
		cut := read(stream, head, func() int { return 1 + r.IntN(9) })
		if ours.Err != "" && cut.Err != "" { // how far each came before does not matter
			ours.Used, cut.Used = 0, 0
			ours.Status, cut.Status = 0, 0
			ours.Body, cut.Body = "", ""
			ours.Err, cut.Err = "", ""
		}
		if ours != cut {
			t.Fatalf("in one piece %+v, in pieces %+v", ours, cut)
		}
		if ours.Used > len(stream) || len(ours.Body) > len(stream) {
			t.Fatalf("more than there was: %+v", ours)
		}
		theirs, ok := reference(stream, head)
		whole := read(stream, head, whole)
		switch {
		case ok && whole.Err == "" && !exotic(stream):
			if whole.Status != theirs.Status || whole.Body != theirs.Body {
				t.Fatalf("ours %+v, theirs %+v", whole, theirs)
			}
		case ok && whole.Err != "" && plain(stream):
			t.Fatalf("refused (%s) what net/http reads as %+v", whole.Err, theirs)
		}
	})
}

// reference is what net/http makes of the stream.
func reference(stream []byte, head bool) (reading, bool) {
	method := "GET"
	if head {
		method = "HEAD"
	}
	in := bufio.NewReader(bytes.NewReader(stream))
	for {
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return reading{}, false
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return reading{}, false
		}
		if resp.StatusCode < 100 || resp.StatusCode > 199 {
			return reading{Status: resp.StatusCode, Body: string(body)}, true
		}
		if resp.StatusCode == 101 {
			return reading{}, false
		}
	}
}

// exotic streams are those where net/http is known to differ from RFC 9112: it
// takes a name with a space before its colon for another name, and ignores
// Transfer-Encoding under HTTP/1.0.
func exotic(stream []byte) bool {
	s := strings.ToLower(string(stream))
	return strings.Contains(s, " :") || strings.Contains(s, "\t:") ||
		strings.Contains(s, "http/1.0") && strings.Contains(s, "transfer-encoding") ||
		strings.Contains(s, "\n ") || strings.Contains(s, "\n\t")
}

// plain streams have only lines that end with CRLF and hold printable ASCII up
// to the end of the head, and no framing header twice.
func plain(stream []byte) bool {
	head, _, ok := bytes.Cut(stream, []byte("\r\n\r\n"))
	if !ok || len(stream) > 4096 || exotic(stream) || !bytes.HasPrefix(head, []byte("HTTP/1.1 2")) {
		return false
	}
	lower := bytes.ToLower(head)
	if bytes.Contains(lower, []byte("transfer-encoding")) || bytes.Count(lower, []byte("content-length")) > 1 {
		return false
	}
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		for _, c := range line {
			if c < ' ' || c > '~' {
				return false
			}
		}
		if i := bytes.IndexByte(line, ':'); !bytes.HasPrefix(line, []byte("HTTP/")) && i < 1 {
			return false
		}
	}
	return true
}
