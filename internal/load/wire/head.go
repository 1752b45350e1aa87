package wire

import "bytes"

const (
	errNotHTTP  Fault = "the answer does not begin with HTTP/1"
	errStatus   Fault = "the status line is malformed"
	errField    Fault = "a header line is malformed"
	errHead     Fault = "the head is longer than 64 KiB"
	errLength   Fault = "Content-Length is not a number"
	errLengths  Fault = "Content-Length is given twice and differs"
	errFold     Fault = "a header that frames the body is folded"
	errSwitched Fault = "the server switched protocols (101) unasked"
	errChunk    Fault = "a chunk is malformed"
)

const prefix = "HTTP/1."

// couldBeHTTP reports whether the start of a line may still become a status
// line: a banner of another protocol is refused at its first byte.
func couldBeHTTP(b []byte) bool {
	n := min(len(b), len(prefix))
	return string(b[:n]) == prefix[:n]
}

func (r *Response) status(line []byte) error {
	if len(line) < len(prefix)+1 || !couldBeHTTP(line) {
		return errNotHTTP
	}
	minor := line[7]
	if len(line) < 12 || !digit(minor) || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return errStatus
	}
	code := 0
	for _, c := range line[9:12] {
		if !digit(c) {
			return errStatus
		}
		code = code*10 + int(c-'0')
	}
	if code < 100 {
		return errStatus
	}
	r.Status, r.said.old, r.state = code, minor == '0', inHeader
	return nil
}

// field looks at a header line for what frames the body and the connection.
func (r *Response) field(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		if r.framing {
			return errFold
		}
		return nil
	}
	r.framing = false
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return errField
	}
	name := line[:colon]
	if last := name[colon-1]; last == ' ' || last == '\t' {
		name = trim(name)
	}
	switch len(name) {
	case 14:
		if fold(name, "content-length") {
			r.framing = true
			return r.lengths(line[colon+1:])
		}
	case 10:
		if fold(name, "connection") {
			r.framing = true
			r.options(line[colon+1:])
		}
	case 17:
		if fold(name, "transfer-encoding") {
			r.framing = true
			r.codings(line[colon+1:])
		}
	case 6:
		if r.KeepServer && fold(name, "server") {
			r.Server = string(trim(line[colon+1:]))
		}
	}
	return nil
}

// lengths reads a Content-Length: equal numbers in a list are one.
func (r *Response) lengths(v []byte) error {
	for more := true; more; {
		var item []byte
		item, v, more = bytes.Cut(v, comma)
		n, ok := decimal(trim(item))
		if !ok {
			return errLength
		}
		if r.Length >= 0 && n != r.Length {
			return errLengths
		}
		r.Length = n
	}
	return nil
}

var comma = []byte{','}

func (r *Response) options(v []byte) {
	for more := true; more; {
		var item []byte
		item, v, more = bytes.Cut(v, comma)
		item = trim(item)
		r.said.close = r.said.close || fold(item, "close")
		r.said.keep = r.said.keep || fold(item, "keep-alive")
	}
}

// codings remembers whether the last transfer coding is chunked.
func (r *Response) codings(v []byte) {
	r.said.coded = true
	if i := bytes.LastIndexByte(v, ','); i >= 0 {
		v = v[i+1:]
	}
	r.said.chunked = fold(trim(v), "chunked")
}

// headEnd decides how the body is framed (RFC 9112, 6.3).
func (r *Response) headEnd() error {
	switch {
	case r.Status == 101:
		return errSwitched
	case r.Status < 200: // interim: the answer is yet to come
		r.again(r.tail)
	case r.noBody || r.Status == 204 || r.Status == 304:
		r.state = done
	case r.said.chunked:
		r.state = inChunkSize
	case r.said.coded || r.Length < 0:
		r.state, r.said.close = inUntilClose, true
	case r.Length == 0:
		r.state = done
	default:
		r.state, r.rest = inBody, r.Length
	}
	return nil
}

// chunkSize reads the line before a chunk: hexadecimal, then perhaps
// extensions, which mean nothing here. A bare line feed is refused.
func (r *Response) chunkSize(line []byte, crlf bool) error {
	if i := bytes.IndexByte(line, ';'); i >= 0 {
		line = line[:i]
	}
	line = trim(line)
	if len(line) == 0 || len(line) > 16 || !crlf {
		return errChunk
	}
	var n uint64
	for _, c := range line {
		d, ok := hex(c)
		if !ok {
			return errChunk
		}
		n = n<<4 | uint64(d)
	}
	if n > 1<<62 {
		return errChunk
	}
	r.rest, r.state = int64(n), inChunk
	if n == 0 {
		r.state = inTrailer
	}
	return nil
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hex(c byte) (byte, bool) {
	switch {
	case digit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// decimal reads digits up to the greatest int64.
func decimal(b []byte) (int64, bool) {
	var n uint64
	for _, c := range b {
		if !digit(c) || n > (1<<63-1)/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return int64(n), len(b) > 0 && n <= 1<<63-1
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// fold reports whether b is the lower-case word, whatever its case.
func fold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
