package hist

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// wire is how a histogram stands in JSON: the standard compressed HdrHistogram
// V2 encoding in base64, and the exact figures beside it.
type wire struct {
	V2       string  `json:"v2"`
	Overflow int64   `json:"overflow,omitempty"`
	Count    int64   `json:"count"`
	Min      int64   `json:"min_ns"`
	Max      int64   `json:"max_ns"`
	Sum      float64 `json:"sum_ns"`
	Squares  float64 `json:"sum_ns2"`
}

// MarshalJSON writes the histogram, whole.
func (h *Hist) MarshalJSON() ([]byte, error) {
	packed := h.packed
	if packed == nil {
		var err error
		if packed, err = h.buckets().Encode(hdrhistogram.V2CompressedEncodingCookieBase); err != nil {
			return nil, fmt.Errorf("encoding histogram: %w", err)
		}
	}
	return json.Marshal(wire{string(packed), h.overflow, h.count, h.min, h.max, h.sum, h.sq})
}

// UnmarshalJSON reads what MarshalJSON wrote. The bytes may be a stranger's:
// an error, never a panic, answers what does not decode. The buckets are
// checked here and kept packed until something is recorded: unpacked
// they take some hundred times the room, and a journal holds thousands.
func (h *Hist) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decoding histogram: %w", err)
	}
	total, known, err := look([]byte(w.V2), w)
	if err != nil {
		return fmt.Errorf("decoding histogram: %w", err)
	}
	if err := w.agrees(total); err != nil {
		return fmt.Errorf("decoding histogram: %w", err)
	}
	*h = Hist{packed: []byte(w.V2), known: known, overflow: w.Overflow, count: w.Count, min: w.Min, max: w.Max, sum: w.Sum, sq: w.Squares}
	return nil
}

// mostCounted is how many durations a histogram may hold: as many as a float64
// counts one by one, and so few that thousands of histograms add up.
const mostCounted = 1 << 53

// agrees checks the figures beside the buckets, which count so many: what does not
// fit together would be told as a mean or a share that cannot be.
func (w wire) agrees(total int64) error {
	const slack = 1e-6 // of adding up in floating point, relative
	switch n := float64(w.Count); {
	case w.Overflow < 0 || w.Overflow > mostCounted || total > mostCounted || total+w.Overflow != w.Count:
		return fmt.Errorf("counts disagree: %d + %d overflow, not %d", total, w.Overflow, w.Count)
	case w.Min < 0 || w.Min > w.Max:
		return fmt.Errorf("from %d to %d ns is no range", w.Min, w.Max)
	case w.Sum < n*float64(w.Min)*(1-slack) || w.Sum > n*float64(w.Max)*(1+slack):
		return fmt.Errorf("%d durations from %d to %d ns do not add up to %v", w.Count, w.Min, w.Max, w.Sum)
	case w.Squares < 0:
		return fmt.Errorf("squares add up to %v, below 0", w.Squares)
	}
	return nil
}

// lookers keep the room that it takes to look into an encoding: a journal holds
// thousands, and making room anew took as long as the looking.
var lookers = sync.Pool{New: func() any { return new(Adder) }}

// look checks an encoding and tells the total of its counts and, where it has
// our resolution, its common quantiles.
func look(v2 []byte, w wire) (counts int64, known *[len(common)]int64, err error) {
	a := lookers.Get().(*Adder)
	defer lookers.Put(a)
	list, err := a.read(v2)
	if errors.Is(err, errForeign) {
		in, err := unpack(v2)
		if err != nil {
			return 0, nil, err
		}
		return in.TotalCount(), nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	counts, known = total(list), new([len(common)]int64)
	for i, p := range common {
		known[i] = quantile(list, counts, 100*p*float64(w.Count)/float64(max(counts, 1)))
	}
	return counts, known, nil
}

// buckets unpacks the buckets on first use.
func (h *Hist) buckets() *hdrhistogram.Histogram {
	if h.h == nil && h.few != nil {
		reach := int64(Default)
		if n := len(h.few); n > 0 {
			reach = max(reach, h.few[n-1].high)
		}
		h.h = hdrhistogram.New(lowest, reach, digits)
		for _, b := range h.few {
			_ = h.h.RecordValues(b.high, b.n) // it reaches all of them
		}
		h.few = nil
	}
	if h.h == nil {
		in, err := unpack(h.packed)
		if err != nil { // UnmarshalJSON has unpacked the same bytes
			panic(fmt.Sprintf("hist: unpacking what was unpacked before: %v", err))
		}
		h.h, h.packed = in, nil
	}
	return h.h
}

const (
	mostPacked   = 1 << 20 // bytes of base64: a full histogram has some 20 kB
	mostUnpacked = 4 << 20 // bytes of the V2 encoding before compression
)

// unpack decodes a V2 encoding and answers a stranger's bytes with an error.
func unpack(v2 []byte) (h *hdrhistogram.Histogram, err error) {
	defer func() {
		if p := recover(); p != nil {
			h, err = nil, fmt.Errorf("%v", p)
		}
	}()
	if err := bounded(v2); err != nil {
		return nil, err
	}
	return hdrhistogram.Decode(v2)
}

// bounded refuses an encoding that expands beyond what any histogram of ours
// does; the library would expand it whole.
func bounded(v2 []byte) error {
	const header = 8 // cookie and length, before the compressed bytes
	if len(v2) > mostPacked {
		return fmt.Errorf("%d bytes, more than %d", len(v2), mostPacked)
	}
	raw, err := base64.StdEncoding.DecodeString(string(v2))
	if err != nil {
		return err
	}
	if len(raw) < header {
		return errors.New("cut short")
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[header:]))
	if err != nil {
		return err
	}
	defer z.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(z, mostUnpacked+1))
	if err != nil {
		return err
	}
	if n > mostUnpacked {
		return fmt.Errorf("expands beyond %d bytes", mostUnpacked)
	}
	return nil
}
