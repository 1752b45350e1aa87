package wire

import "bytes"

// Memo remembers the head of the last answer and what it said. The answers of
// one load mostly have the same head, byte for byte, and to compare is quicker
// than to parse. Responses of one goroutine may share one.
type Memo struct {
	head []byte
	said framing
}

// framing is what a head says of the body and the connection.
type framing struct {
	status  int
	length  int64 // -1: not said
	state   state
	old     bool // HTTP/1.0
	close   bool // Connection: close
	keep    bool // Connection: keep-alive
	chunked bool
	coded   bool // Transfer-Encoding is there
}

// longestMemo bounds what is worth remembering.
const longestMemo = 2 << 10

// recall takes the head from b when it is the one remembered. It returns its
// length, 0 when it is another.
func (r *Response) recall(b []byte) int {
	m := r.Memo
	if m == nil || len(m.head) == 0 || r.KeepServer || r.head > 0 || !bytes.HasPrefix(b, m.head) {
		return 0
	}
	r.said = m.said
	r.Status, r.Length = m.said.status, m.said.length
	r.state, r.rest, r.head = m.said.state, max(m.said.length, 0), len(m.head)
	return len(m.head)
}

// learn remembers a head that came in one piece.
func (r *Response) learn(head []byte) {
	if r.Memo == nil || len(head) != r.head || len(head) > longestMemo {
		return
	}
	r.Memo.head = append(r.Memo.head[:0], head...)
	r.Memo.said = r.said
	r.Memo.said.status, r.Memo.said.length, r.Memo.said.state = r.Status, r.Length, r.state
}
