package wire

import (
	"bytes"
	"io"
)

// MaxHead bounds the head of an answer, interim answers and trailers
// included, in bytes; and each line between chunks.
const MaxHead = 64 << 10

// Fault is why bytes are not an answer: protocol errors in words.
type Fault string

func (f Fault) Error() string { return string(f) }

// What End reports when a stream ends too early.
const (
	ErrEnded Fault = "the connection ended before the head of the answer was whole"
	ErrShort Fault = "the connection ended before the body was whole"
)

type state uint8

const (
	inStatus state = iota
	inHeader
	inBody       // rest bytes are due
	inChunkSize  // a line
	inChunk      // rest bytes are due
	inChunkEnd   // an empty line
	inTrailer    // lines up to an empty one
	inUntilClose // all there is
	done
)

// Response reads one answer. The zero value reads an answer to a GET; Reset
// makes it ready for the next.
type Response struct {
	Status int   // 0 until the final status line has been read
	Body   int64 // bytes of body so far, without framing
	Length int64 // as Content-Length says; -1 when it does not

	// KeepServer asks for the Server field to be kept in Server, which
	// allocates: once a run is enough.
	KeepServer bool
	Server     string

	// Memo, when not nil, spares parsing a head like the last one. It outlives
	// Reset, and must serve answers to requests of one method only.
	Memo *Memo

	sink    io.Writer // sees the body; nil: nobody does
	rest    int64     // of the body or chunk
	tail    []byte    // of a line whose end has not come
	head    int       // bytes of head so far
	said    framing
	state   state
	noBody  bool // the request was HEAD
	framing bool // the last header line was one that a fold must not continue
}

// Reset makes r ready for the answer to the next request. With head there is
// no body whatever its length says. A sink, when not nil, is given the body.
func (r *Response) Reset(head bool, sink io.Writer) {
	tail := r.tail[:0]
	if cap(tail) > 4<<10 {
		tail = nil // a stranger's long line is not kept for the rest of the run
	}
	r.again(tail)
	r.head, r.noBody, r.sink = 0, head, sink
	r.KeepServer, r.Server = false, ""
}

// again awaits a status line, whatever came before.
func (r *Response) again(tail []byte) {
	r.Status, r.Body, r.Length, r.rest, r.tail, r.state = 0, 0, -1, 0, tail, inStatus
	r.said, r.framing = framing{}, false
}

// Done reports whether the answer is whole.
func (r *Response) Done() bool { return r.state == done }

// KeepAlive reports, once the answer is Done, whether the connection may be
// used again (RFC 9112, 9.3).
func (r *Response) KeepAlive() bool {
	return !r.said.close && (!r.said.old || r.said.keep && !r.said.coded)
}

// Due is the number of body bytes that Feed would only count: those that a
// caller may throw away unseen and tell of by Skip. 0 where bytes must be seen.
func (r *Response) Due() int64 {
	if r.sink != nil {
		return 0
	}
	switch r.state {
	case inBody, inChunk:
		return r.rest
	case inUntilClose:
		return 1 << 30
	}
	return 0
}

// Skip tells that n bytes, no more than Due, have come and were thrown away.
func (r *Response) Skip(n int64) {
	r.Body += n
	if r.state == inUntilClose {
		return
	}
	r.rest -= n
	r.bodyEnd()
}

// Feed reads the next bytes of the answer and returns how many of them belong
// to it: fewer than len(b) only when the answer is Done. An error is a Fault,
// or the sink's; r must then not be fed again.
func (r *Response) Feed(b []byte) (int, error) {
	n, atStart := r.recall(b), r.head == 0
	for n < len(b) && r.state != done {
		var used int
		var err error
		switch r.state {
		case inBody, inChunk, inUntilClose:
			used, err = r.body(b[n:])
		case inStatus, inHeader:
			used, err = r.headPart(b[n:])
			if atStart && err == nil && r.state > inHeader {
				r.learn(b[:n+used])
			}
		default:
			used, err = r.line(b[n:])
		}
		n += used
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// headPart takes header lines that mean nothing, or else one line.
func (r *Response) headPart(b []byte) (int, error) {
	if r.state == inHeader && len(r.tail) == 0 {
		if used, err := r.dull(b); used > 0 || err != nil {
			return used, err
		}
	}
	return r.line(b)
}

// End tells that the stream has ended. Nil means that the answer is whole;
// else ErrEnded or ErrShort.
func (r *Response) End() error {
	switch r.state {
	case done:
		return nil
	case inUntilClose:
		r.state = done
		r.said.close = true
		return nil
	case inStatus, inHeader:
		return ErrEnded
	}
	return ErrShort
}

// dull passes over header lines that are whole in b and mean nothing here: most
// of them. The others are for line.
func (r *Response) dull(b []byte) (int, error) {
	n := 0
	for n < len(b) && !telling[b[n]] {
		i := bytes.IndexByte(b[n:], '\n')
		if i < 0 {
			break
		}
		if bytes.IndexByte(b[n:n+i], ':') < 1 {
			return n, errField
		}
		n += i + 1
		r.framing = false
	}
	if r.head += n; r.head > MaxHead {
		return n, errHead
	}
	return n, nil
}

// telling are the first bytes of lines that may mean something: the fields that
// frame, the server's name, a fold, the end of the head.
var telling = [256]bool{'c': true, 'C': true, 't': true, 'T': true, 's': true, 'S': true, ' ': true, '\t': true, '\r': true, '\n': true}

func (r *Response) body(b []byte) (int, error) {
	if r.state != inUntilClose && int64(len(b)) > r.rest {
		b = b[:r.rest]
	}
	if r.sink != nil {
		if _, err := r.sink.Write(b); err != nil {
			return len(b), err
		}
	}
	r.Skip(int64(len(b)))
	return len(b), nil
}

func (r *Response) bodyEnd() {
	if r.rest > 0 {
		return
	}
	if r.state == inChunk {
		r.state = inChunkEnd
	} else {
		r.state = done
	}
}

// line takes bytes up to and with the next line feed; what has no end yet is
// kept for the next call.
func (r *Response) line(b []byte) (int, error) {
	i := bytes.IndexByte(b, '\n')
	used, line := i+1, b
	if i < 0 {
		used = len(b)
	} else {
		line = b[:i]
	}
	if err := r.bound(used); err != nil {
		return used, err
	}
	if len(r.tail) > 0 || i < 0 {
		r.tail = append(r.tail, line...)
		line = r.tail
	}
	if i < 0 {
		if r.state == inStatus && !couldBeHTTP(line) {
			return used, errNotHTTP
		}
		return used, nil
	}
	r.tail = r.tail[:0]
	crlf := len(line) > 0 && line[len(line)-1] == '\r'
	if crlf {
		line = line[:len(line)-1]
	}
	return used, r.take(line, crlf)
}

func (r *Response) bound(n int) error {
	switch r.state {
	case inStatus, inHeader, inTrailer:
		if r.head += n; r.head > MaxHead {
			return errHead
		}
	default:
		if len(r.tail)+n > MaxHead {
			return errChunk
		}
	}
	return nil
}

func (r *Response) take(line []byte, crlf bool) error {
	switch r.state {
	case inStatus:
		return r.status(line)
	case inHeader:
		if len(line) == 0 {
			return r.headEnd()
		}
		return r.field(line)
	case inChunkSize:
		return r.chunkSize(line, crlf)
	case inChunkEnd:
		if len(line) > 0 || !crlf {
			return errChunk
		}
		r.state = inChunkSize
	case inTrailer:
		if len(line) == 0 {
			r.state = done
		} else if line[0] != ' ' && line[0] != '\t' && bytes.IndexByte(line, ':') < 1 {
			return errField
		}
	}
	return nil
}
