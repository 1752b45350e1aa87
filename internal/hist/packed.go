package hist

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A histogram of New takes some 200 kB, most of it zeros, and its encoding some
// kB. A journal of thousands is therefore read, asked and added up by the
// buckets that hold something, without ever laying out all of them.

// bucket is durations that are told as one.
type bucket struct {
	high int64 // the greatest of them, in ns
	n    int64
}

const (
	unitBits = 6                // of lowest
	subBits  = 11               // of the buckets that keep the significant digits
	halves   = 1 << subBits / 2 // buckets that each further power of two takes
	dueBytes = 40               // of the header before the counts
)

// errForeign is an encoding with another resolution than that of New.
var errForeign = errors.New("another resolution")

// common are the quantiles that are kept of a histogram that was read, since
// every report asks for them.
var common = [...]float64{0.5, 0.9, 0.95, 0.99, 0.999}

// Adder reads and adds up packed histograms, in the same room each time. Its
// zero value is ready. It is not safe for concurrent use.
type Adder struct {
	raw  []byte
	from bytes.Reader
	z    io.ReadCloser
	flat bytes.Buffer
	list []bucket

	sum, next []bucket // so far, and with another part
}

// Sum is a new histogram of all that the parts hold, which may be nil. It leaves
// them as they are: packed, if they were.
func (a *Adder) Sum(parts ...*Hist) *Hist {
	sum := &Hist{}
	a.sum = a.sum[:0]
	for _, h := range parts {
		if h.Count() == 0 {
			continue
		}
		list, err := a.buckets(h)
		if err != nil {
			return sumOf(parts)
		}
		a.sum, a.next = join(a.next[:0], a.sum, list), a.sum
		if sum.count == 0 || h.min < sum.min {
			sum.min = h.min
		}
		sum.max = max(sum.max, h.max)
		sum.count += h.count
		sum.overflow += h.overflow
		sum.sum += h.sum
		sum.sq += h.sq
	}
	sum.few = append(make([]bucket, 0, len(a.sum)), a.sum...)
	return sum
}

// sumOf adds up histograms of any resolution.
func sumOf(parts []*Hist) *Hist {
	sum := New(0)
	for _, h := range parts {
		sum.Merge(h)
	}
	return sum
}

// buckets lists what a histogram holds that was read or is a sum. The list is
// valid until the next call.
func (a *Adder) buckets(h *Hist) ([]bucket, error) {
	switch {
	case h.few != nil:
		return h.few, nil
	case h.packed != nil:
		return a.read(h.packed)
	}
	return nil, errForeign
}

// join merges two ascending lists into one.
func join(to, x, y []bucket) []bucket {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].high < y[0].high:
			to, x = append(to, x[0]), x[1:]
		case x[0].high > y[0].high:
			to, y = append(to, y[0]), y[1:]
		default:
			to = append(to, bucket{x[0].high, x[0].n + y[0].n})
			x, y = x[1:], y[1:]
		}
	}
	return append(append(to, x...), y...)
}

// read decodes the standard compressed V2 encoding into the buckets that hold
// something, ascending. It answers a stranger's bytes with an error.
func (a *Adder) read(v2 []byte) ([]bucket, error) {
	flat, err := a.inflate(v2)
	if err != nil {
		return nil, err
	}
	if len(flat) < dueBytes {
		return nil, errors.New("cut short")
	}
	head := func(at int) int32 { return int32(binary.BigEndian.Uint32(flat[at:])) }
	if head(0)&^0xf0 != hdrhistogram.V2EncodingCookieBase {
		return nil, errors.New("not an encoding of version 2")
	}
	counts := flat[dueBytes:]
	if int64(head(4)) != int64(len(counts)) {
		return nil, fmt.Errorf("%d bytes of counts, not %d", len(counts), head(4))
	}
	highest := int64(binary.BigEndian.Uint64(flat[24:]))
	if head(12) != digits || binary.BigEndian.Uint64(flat[16:]) != lowest || highest < lowest {
		return nil, errForeign
	}
	a.list, err = decode(a.list[:0], counts, places(highest))
	return a.list, err
}

// inflate takes off base64 and zlib, within bounds.
func (a *Adder) inflate(v2 []byte) ([]byte, error) {
	const header = 8 // cookie and length, before the compressed bytes
	if len(v2) > mostPacked {
		return nil, fmt.Errorf("%d bytes, more than %d", len(v2), mostPacked)
	}
	var err error
	if a.raw, err = base64.StdEncoding.AppendDecode(a.raw[:0], v2); err != nil {
		return nil, err
	}
	if len(a.raw) < header {
		return nil, errors.New("cut short")
	}
	cookie, length := int32(binary.BigEndian.Uint32(a.raw)), int64(int32(binary.BigEndian.Uint32(a.raw[4:])))
	if cookie&^0xf0 != hdrhistogram.V2CompressedEncodingCookieBase {
		return nil, errors.New("not a compressed encoding of version 2")
	}
	if length < 0 || length > int64(len(a.raw)-header) {
		return nil, fmt.Errorf("%d compressed bytes, not %d", len(a.raw)-header, length)
	}
	a.from.Reset(a.raw[header : header+length])
	if again, ok := a.z.(zlib.Resetter); ok {
		err = again.Reset(&a.from, nil)
	} else {
		a.z, err = zlib.NewReader(&a.from)
	}
	if err != nil {
		a.z = nil
		return nil, err
	}
	a.flat.Reset()
	n, err := a.flat.ReadFrom(io.LimitReader(a.z, mostUnpacked+1))
	if err == nil && n > mostUnpacked {
		err = fmt.Errorf("expands beyond %d bytes", mostUnpacked)
	}
	return a.flat.Bytes(), err
}

// places is how many buckets reach up to a duration.
func places(highest int64) int64 {
	n := int64(1)
	for reach := int64(1) << (unitBits + subBits); reach <= highest; reach <<= 1 {
		n++
		if reach > math.MaxInt64/2 {
			break
		}
	}
	return (n + 1) * halves
}

// decode reads counts, a negative one for so many buckets that hold nothing.
func decode(list []bucket, counts []byte, most int64) ([]bucket, error) {
	at, total := int64(0), int64(0)
	for len(counts) > 0 {
		n, size := zigZag(counts)
		if size == 0 {
			return list, errors.New("cut short")
		}
		counts = counts[size:]
		if n < 0 {
			if n == math.MinInt64 || -n > most-at {
				return list, errors.New("more buckets than there are")
			}
			at -= n
			continue
		}
		if at >= most || n > math.MaxInt64-total {
			return list, errors.New("more buckets or counts than there can be")
		}
		if n > 0 {
			list = append(list, bucket{highest(at), n})
		}
		total += n
		at++
	}
	return list, nil
}

// highest is the greatest duration of the bucket at a place.
func highest(place int64) int64 {
	if place < 2*halves {
		return (place+1)<<unitBits - 1
	}
	power := place/halves - 1
	return (place%halves+halves+1)<<(power+unitBits) - 1
}

// width is how many nanoseconds the bucket of a duration spans.
func width(high int64) int64 {
	return 1 << (unitBits + max(bits.Len64(uint64(high)>>unitBits)-subBits, 0))
}

// zigZag reads one number: seven bits a byte, eight of the ninth. The size is 0
// where it is cut short.
func zigZag(b []byte) (n int64, size int) {
	var v uint64
	for i := range min(len(b), 9) {
		if i == 8 {
			v |= uint64(b[i]) << 56
			return int64(v>>1) ^ -int64(v&1), 9
		}
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return int64(v>>1) ^ -int64(v&1), i + 1
		}
	}
	return 0, 0
}

// total adds up the counts of buckets.
func total(list []bucket) (n int64) {
	for _, b := range list {
		n += b.n
	}
	return n
}

// quantile is what ValueAtPercentile of hdrhistogram-go says of the same buckets.
func quantile(list []bucket, of int64, percentile float64) int64 {
	percentile = min(max(percentile, 0), 100)
	rank := percentile/100*float64(of) + 0.5
	at := int64(1)
	switch {
	case rank >= float64(of):
		at = of
	case rank >= 1:
		at = int64(rank)
	}
	for _, b := range list {
		if at -= b.n; at <= 0 {
			if percentile == 0 {
				return b.high - width(b.high) + 1
			}
			return b.high
		}
	}
	return 0
}
