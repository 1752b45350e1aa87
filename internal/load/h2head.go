package load

import (
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"

	"matrix/internal/load/wire"
)

// head is what is kept of a block of header fields while its frames come in.
type head struct {
	id   uint32 // stream; 0: no block is being read
	ends bool   // the stream ends with it

	size    int    // of the fields, as RFC 9113 10.5.1 counts
	wire    int    // of the frames' fragments
	status  string // "": none
	length  string // content-length; "": none
	server  string
	regular bool   // a field without a colon has come
	pseudo  bool   // one with a colon has come
	fault   string // why it is malformed; "": it is not
}

// fieldOverhead is what a field counts beside its name and value.
const fieldOverhead = 32

// field is the decoder's handler.
func (h *head) field(f hpack.HeaderField) {
	if h.size += len(f.Name) + len(f.Value) + fieldOverhead; h.size > wire.MaxHead {
		h.fault = "the head is longer than 64 KiB"
	}
	if h.fault != "" {
		return
	}
	if !httpguts.ValidHeaderFieldValue(f.Value) {
		h.fault = "a header field has a value that HTTP/2 forbids"
		return
	}
	if strings.HasPrefix(f.Name, ":") {
		h.pseudoField(f)
		return
	}
	h.regular = true
	if !isFieldName(f.Name) {
		h.fault = "a header field has a name that HTTP/2 forbids"
		return
	}
	switch f.Name {
	case "content-length":
		if h.length != "" && h.length != f.Value || f.Value == "" {
			h.fault = badLength
		}
		h.length = f.Value
	case "server":
		h.server = f.Value
	}
}

const badLength = "a content-length that is no length, or two that differ"

func (h *head) pseudoField(f hpack.HeaderField) {
	h.pseudo = true
	if f.Name != ":status" || h.status != "" || h.regular {
		h.fault = "the head has fields that HTTP/2 does not know, twice, or in a wrong place"
		return
	}
	h.status = f.Value
}

func isFieldName(name string) bool {
	return httpguts.ValidHeaderFieldName(name) && strings.ToLower(name) == name
}

// code is the status of an answer; false when there is none that HTTP/2 has.
func (h *head) code() (int, bool) {
	n, err := strconv.Atoi(h.status)
	return n, err == nil && len(h.status) == 3 && n >= 100 && n != 101
}

// bodyLength is the length of the body as given; -1: it is not.
func (h *head) bodyLength() (int64, bool) {
	if h.length == "" {
		return -1, true
	}
	n, err := strconv.ParseUint(h.length, 10, 63)
	return int64(n), err == nil
}

// fragment decodes a part of the block. Those of streams that ended are decoded
// too: the table is the connection's.
func (s *session) fragment(part []byte, last bool) {
	h := &s.head
	if h.wire += len(part); h.wire > 2*wire.MaxHead {
		s.die("the head is longer than 64 KiB")
		return
	}
	if _, err := s.decode.Write(part); err != nil {
		s.die("a head that cannot be decoded: %v", err)
		return
	}
	if !last {
		return
	}
	if err := s.decode.Close(); err != nil {
		s.die("a head that cannot be decoded: %v", err)
		return
	}
	whole := *h
	*h = head{}
	s.headers(&whole)
}
