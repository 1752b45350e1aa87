package results

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
)

// A seal is the last member of a JSON object: the checksum, CRC-32C in eight hex
// digits, of all bytes before it. It finds out what a disk or a slip of the hand
// changed; it is no signature.
var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	sealed     = regexp.MustCompile(`,\s*"seal":\s*"([^"]*)"\s*\}\s*$`)
)

// errChanged says that a seal does not fit.
var errChanged = errors.New("its checksum does not fit: it was changed since it was written")

// seal adds the seal to an object on one line, or to an indented one.
func seal(object []byte) []byte {
	form := `,"seal":"%08x"}`
	body, indented := bytes.CutSuffix(object, []byte("\n}"))
	if indented {
		form = ",\n  \"seal\": \"%08x\"\n}"
	} else {
		body = bytes.TrimSuffix(object, []byte("}"))
	}
	return fmt.Appendf(bytes.Clone(body), form, crc32.Checksum(body, castagnoli))
}

// unseal checks the seal of an object. Without one, as the objects of earlier
// versions are, ok is false and nothing is known.
func unseal(object []byte) (ok bool, err error) {
	const longest = 64 // bytes of a seal, with room for white space
	tail := max(0, len(object)-longest)
	m := sealed.FindSubmatchIndex(object[tail:])
	if m == nil {
		return false, nil
	}
	body, sum := object[:tail+m[0]], object[tail+m[2]:tail+m[3]]
	if string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return true, errChanged
	}
	return true, nil
}
