// Package hist is a latency histogram that can be merged and kept: durations
// go in, quantiles and moments come out, and two histograms add up to the one
// that would have seen both. It wraps hdrhistogram-go and keeps beside it what
// that rounds away: the exact least and greatest value, sum and sum of squares,
// and the values beyond its range.
//
// It does not decide what a value means, it draws nothing, and it is not safe
// for concurrent use: each engine thread has its own, merged at the end.
package hist

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	lowest  = 64                 // ns; values below a few microseconds keep 64 ns steps
	digits  = 3                  // significant decimal digits
	Default = 10 * time.Minute   // Highest value of New(0)
	maximum = 24 * 7 * time.Hour // beyond this a histogram grows for nothing
)

// Hist holds durations in nanoseconds from 64 ns steps up to its highest value
// with three significant digits. Negative durations count as zero; longer ones
// than its highest value are counted in Overflow and take part in Count, Max,
// Mean and SD with their exact value and in quantiles as the highest.
type Hist struct {
	h        *hdrhistogram.Histogram // nil while packed
	packed   []byte                  // the V2 encoding that was read, until something is recorded
	few      []bucket                // of a sum, until something is recorded: the buckets that hold something
	known    *[len(common)]int64     // of what was read, in ns: the common quantiles
	overflow int64
	min, max int64 // ns; meaningless while count is 0
	sum, sq  float64
	count    int64
}

// New returns an empty histogram for durations up to highest; 0 means Default.
func New(highest time.Duration) *Hist {
	if highest <= 0 {
		highest = Default
	}
	return &Hist{h: hdrhistogram.New(lowest, int64(min(highest, maximum)), digits)}
}

// Record counts one duration.
func (h *Hist) Record(d time.Duration) {
	v := max(int64(d), 0)
	h.known = nil
	b := h.h
	if b == nil {
		b = h.buckets()
	}
	if v > b.HighestTrackableValue() || b.RecordValue(v) != nil {
		h.overflow++
	}
	if h.count == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.count++
	f := float64(v)
	h.sum += f
	h.sq += f * f
}

// Merge adds all of o, which may be nil, to h.
func (h *Hist) Merge(o *Hist) {
	if o == nil || o.count == 0 {
		return
	}
	h.known = nil
	mine, other := h.buckets(), o.buckets()
	if other.HighestTrackableValue() > mine.HighestTrackableValue() {
		h.h = hdrhistogram.New(lowest, other.HighestTrackableValue(), digits)
		h.h.Merge(mine)
	}
	h.overflow += o.overflow + h.h.Merge(other)
	if h.count == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.count += o.count
	h.sum += o.sum
	h.sq += o.sq
}

// Count is the number of durations recorded, overflow included. A nil
// histogram has none.
func (h *Hist) Count() int64 {
	if h == nil {
		return 0
	}
	return h.count
}

// Overflow is the number of durations longer than the histogram reaches.
func (h *Hist) Overflow() int64 { return h.overflow }

// Quantile returns the least recorded duration that at least a share p of all
// does not exceed (p in [0,1]), within three digits; false when there are none.
func (h *Hist) Quantile(p float64) (time.Duration, bool) {
	if h.Count() == 0 {
		return 0, false
	}
	rank := int64(math.Ceil(p * float64(h.count)))
	if rank > h.count-h.overflow {
		return time.Duration(h.max), true
	}
	v := h.at(p)
	return time.Duration(min(max(v, h.min), h.max)), true
}

// at is the highest value of the bucket that a quantile falls into.
func (h *Hist) at(p float64) int64 {
	counted := max(h.count-h.overflow, 1)
	percentile := 100 * p * float64(h.count) / float64(counted)
	if h.known != nil {
		if i := slices.Index(common[:], p); i >= 0 {
			return h.known[i]
		}
	}
	if list, err := new(Adder).buckets(h); err == nil { // without laying out all of them, which would stay
		return quantile(list, counted, percentile)
	}
	return h.buckets().ValueAtPercentile(percentile)
}

// Mean is the exact arithmetic mean; false when nothing was recorded.
func (h *Hist) Mean() (time.Duration, bool) {
	if h.Count() == 0 {
		return 0, false
	}
	return time.Duration(math.Round(h.sum / float64(h.count))), true
}

// SD is the sample standard deviation; false with fewer than two durations.
func (h *Hist) SD() (time.Duration, bool) {
	if h.Count() < 2 {
		return 0, false
	}
	n := float64(h.count)
	v := (h.sq - h.sum*h.sum/n) / (n - 1)
	return time.Duration(math.Sqrt(max(v, 0))), true
}

// Min is the exact least duration; false when nothing was recorded.
func (h *Hist) Min() (time.Duration, bool) { return time.Duration(h.min0()), h.Count() > 0 }

// Max is the exact greatest duration; false when nothing was recorded.
func (h *Hist) Max() (time.Duration, bool) { return time.Duration(h.max0()), h.Count() > 0 }

func (h *Hist) min0() int64 {
	if h == nil {
		return 0
	}
	return h.min
}

func (h *Hist) max0() int64 {
	if h == nil {
		return 0
	}
	return h.max
}
