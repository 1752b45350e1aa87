package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
)

// packed are files that hold no text as they are, by how they begin.
var packed = []struct{ begins, name string }{
	{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "zip"}, {"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"BZh", "bzip2"}, {"%PDF-", "PDF"},
}

// decode makes UTF-8 of the text of a log: of UTF-16 as well, which Windows
// PowerShell writes, with a mark of its byte order or without, and of a log that
// was begun in one of them and went on in the other. Bytes that are none of
// these stay as they are.
func decode(b []byte) (string, error) {
	for _, p := range packed {
		if bytes.HasPrefix(b, []byte(p.begins)) {
			return "", fmt.Errorf("reading transcript: it is packed (%s) and no text", p.name)
		}
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")) {
		return "", fmt.Errorf("reading transcript: it is UTF-32; UTF-8 and UTF-16 can be read")
	}
	little, big := bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff"))
	text := ""
	switch {
	case bytes.IndexByte(b, 0) < 0 && !little && !big:
		text = string(b)
	case (little || wide(b, 1)) && !mixed(b):
		text = units(b, 1)
	case (big || wide(b, 0)) && !mixed(b):
		text = units(b, 0)
	default:
		text = either(b)
	}
	return strings.ReplaceAll(text, "\ufeff", ""), nil
}

// wide reports whether most units of two bytes have a zero at that place: those
// of UTF-16 in which a tool wrote its English.
func wide(b []byte, high int) bool {
	zeros := 0
	for i := high; i < len(b); i += 2 {
		if b[i] == 0 {
			zeros++
		}
	}
	return zeros > len(b)/4
}

// mixed reports whether a stretch of the text has no zero byte at all, as no
// report in UTF-16 has: something else was appended to it.
func mixed(b []byte) bool {
	const stretch = 256
	for len(b) >= stretch {
		if bytes.IndexByte(b[:stretch], 0) < 0 {
			return true
		}
		b = b[stretch:]
	}
	return len(b) > 1 && bytes.IndexByte(b, 0) < 0 && bytes.IndexByte(b, '\n') >= 0
}

// units reads UTF-16 whose high bytes stand at that place of each two.
func units(b []byte, high int) string {
	all := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		all = append(all, uint16(b[high])<<8|uint16(b[1-high]))
	}
	return string(utf16.Decode(all))
}

// either reads text that is UTF-16 in parts: without the zeros, what a tool printed
// there is ASCII. Other letters of these parts are lost.
func either(b []byte) string {
	return string(bytes.Map(func(c rune) rune {
		if c == 0 {
			return -1
		}
		return c
	}, bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\xff\xfe"), nil), []byte("\xfe\xff"), nil)))
}
