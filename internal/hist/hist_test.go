package hist

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestEmptyHasNoFigures(t *testing.T) {
	for name, h := range map[string]*Hist{"nil": nil, "new": New(time.Second)} {
		if h.Count() != 0 {
			t.Errorf("%s: count %d", name, h.Count())
		}
		for what, f := range map[string]func() (time.Duration, bool){"mean": h.Mean, "sd": h.SD, "min": h.Min, "max": h.Max} {
			if v, ok := f(); ok {
				t.Errorf("%s: %s is %v, want none", name, what, v)
			}
		}
		if v, ok := h.Quantile(0.5); ok {
			t.Errorf("%s: median is %v, want none", name, v)
		}
	}
}

func TestMomentsAreExact(t *testing.T) {
	h := New(time.Second)
	for _, ms := range []int{2, 4, 4, 4, 5, 5, 7, 9} {
		h.Record(time.Duration(ms) * time.Millisecond)
	}
	want := map[string]time.Duration{"mean": 5 * time.Millisecond, "min": 2 * time.Millisecond, "max": 9 * time.Millisecond}
	for name, f := range map[string]func() (time.Duration, bool){"mean": h.Mean, "min": h.Min, "max": h.Max} {
		if got, ok := f(); !ok || got != want[name] {
			t.Errorf("%s = %v, %v; want %v", name, got, ok, want[name])
		}
	}
	sd, ok := h.SD()
	if wantSD := math.Sqrt(32.0/7) * 1e6; !ok || math.Abs(float64(sd)-wantSD) > 1 {
		t.Errorf("sd = %v, want %v", sd, time.Duration(wantSD))
	}
}

// TestQuantilesKeepThreeDigits compares with the sorted values themselves.
func TestQuantilesKeepThreeDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := New(time.Minute)
	var all []float64
	for range 20000 {
		v := math.Exp(r.NormFloat64()*2 + 14) // from microseconds to seconds
		h.Record(time.Duration(v))
		all = append(all, math.Floor(v))
	}
	slices.Sort(all)
	for _, p := range []float64{0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		got, _ := h.Quantile(p)
		want := all[int(math.Ceil(p*float64(len(all))))-1]
		if math.Abs(float64(got)-want) > want*0.001+64 {
			t.Errorf("quantile %v = %v, want %v", p, got, time.Duration(want))
		}
	}
}

func TestMergeIsTheHistogramOfBoth(t *testing.T) {
	a, b, both := New(time.Second), New(time.Hour), New(time.Hour)
	for i := range 1000 {
		d := time.Duration(i*i) * time.Microsecond
		both.Record(d)
		if i%3 == 0 {
			a.Record(d)
		} else {
			b.Record(d)
		}
	}
	a.Merge(nil)
	a.Merge(New(time.Minute))
	a.Merge(b)
	for _, p := range []float64{0.1, 0.5, 0.99, 1} {
		got, _ := a.Quantile(p)
		want, _ := both.Quantile(p)
		if got != want {
			t.Errorf("quantile %v = %v, want %v", p, got, want)
		}
	}
	if a.Count() != both.Count() || a.sum != both.sum || a.min != both.min || a.max != both.max {
		t.Errorf("merged %d %v %d %d, want %d %v %d %d", a.count, a.sum, a.min, a.max, both.count, both.sum, both.min, both.max)
	}
}

func TestOverflowIsCountedAndNotClamped(t *testing.T) {
	h := New(time.Second)
	h.Record(time.Millisecond)
	h.Record(time.Hour)
	if h.Overflow() != 1 || h.Count() != 2 {
		t.Fatalf("overflow %d of %d, want 1 of 2", h.Overflow(), h.Count())
	}
	if got, _ := h.Max(); got != time.Hour {
		t.Errorf("max = %v, want the exact hour", got)
	}
	if got, _ := h.Quantile(0.5); got > 1001*time.Microsecond || got < 999*time.Microsecond {
		t.Errorf("median = %v, want 1 ms", got)
	}
	if got, _ := h.Quantile(0.99); got != time.Hour {
		t.Errorf("p99 = %v, want the hour", got)
	}
}

func TestJSONKeepsEverything(t *testing.T) {
	h := New(time.Second)
	for i := range 500 {
		h.Record(time.Duration(i) * 10 * time.Microsecond)
	}
	h.Record(2 * time.Second)
	enc, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var got Hist
	if err := json.Unmarshal(enc, &got); err != nil {
		t.Fatal(err)
	}
	if got.count != h.count || got.overflow != 1 || got.sum != h.sum || got.sq != h.sq || got.min != h.min || got.max != h.max {
		t.Errorf("got %+v, want %+v", got, *h)
	}
	a, _ := got.Quantile(0.9)
	b, _ := h.Quantile(0.9)
	if a != b {
		t.Errorf("p90 = %v, want %v", a, b)
	}
}

func FuzzUnmarshalJSON(f *testing.F) {
	h := New(time.Second)
	h.Record(time.Millisecond)
	enc, _ := json.Marshal(h)
	f.Add(enc)
	f.Add([]byte(`{"v2":"AAAA","count":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Hist
		if h.UnmarshalJSON(b) != nil {
			return
		}
		if h.Count() < h.Overflow() {
			t.Errorf("count %d below overflow %d", h.Count(), h.Overflow())
		}
		lo, _ := h.Quantile(0)
		hi, ok := h.Quantile(1)
		if ok && lo > hi {
			t.Errorf("quantiles out of order: %v > %v", lo, hi)
		}
		least, _ := h.Min()
		most, _ := h.Max()
		if mean, ok := h.Mean(); ok && (float64(mean) < float64(least)*0.999-1 || float64(mean) > float64(most)*1.001+1) {
			t.Errorf("the mean %v does not lie from %v to %v", mean, least, most)
		}
		if sum := new(Adder).Sum(&h, &h); sum.Count() != 2*h.Count() || h.Count() < 0 {
			t.Errorf("twice %d is %d", h.Count(), sum.Count())
		}
	})
}

// TestFiguresThatCannotBeAreRefused: right buckets, and beside them what would be
// told as a mean of minus 292 years or as fewer than no durations.
func TestFiguresThatCannotBeAreRefused(t *testing.T) {
	h := New(0)
	h.Record(time.Second)
	enc, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{
		{`"count":1`, `"count":2`},
		{`"count":1`, `"overflow":-1,"count":0`},
		{`"count":1`, `"overflow":9223372036854775807,"count":-9223372036854775808`},
		{`"count":1`, `"overflow":9223372036854775806,"count":9223372036854775807`},
		{`"min_ns":1000000000`, `"min_ns":-5`},
		{`"min_ns":1000000000`, `"min_ns":1000000001`},
		{`"sum_ns":1000000000`, `"sum_ns":1e308`},
		{`"sum_ns":1000000000`, `"sum_ns":-1`},
		{`"sum_ns2":1000000000000000000`, `"sum_ns2":-1`},
	} {
		odd := bytes.Replace(enc, []byte(x[0]), []byte(x[1]), 1)
		if bytes.Equal(odd, enc) {
			t.Fatalf("%s is not in %s", x[0], enc)
		}
		if err := json.Unmarshal(odd, new(Hist)); err == nil {
			t.Errorf("%s was taken", x[1])
		}
	}
}

// TestAnEncodingThatExpandsIsRefused packs 8 MB of zeros into a few kB.
func TestAnEncodingThatExpandsIsRefused(t *testing.T) {
	var z bytes.Buffer
	z.Write(make([]byte, 8))
	w := zlib.NewWriter(&z)
	for range 8 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(z.Bytes(), uint32(hdrhistogram.V2CompressedEncodingCookieBase))
	binary.BigEndian.PutUint32(z.Bytes()[4:], uint32(z.Len()-8))
	enc, err := json.Marshal(wire{V2: base64.StdEncoding.EncodeToString(z.Bytes())})
	if err != nil {
		t.Fatal(err)
	}
	var h Hist
	if err := h.UnmarshalJSON(enc); err == nil || !strings.Contains(err.Error(), "expands beyond") {
		t.Errorf("got %v", err)
	}
}

func TestAPackedHistogramCanBeUsedAndWrittenAgain(t *testing.T) {
	h := New(time.Second)
	h.Record(3 * time.Millisecond)
	enc, _ := json.Marshal(h)
	var packed Hist
	if err := json.Unmarshal(enc, &packed); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&packed)
	if err != nil || !bytes.Equal(again, enc) {
		t.Errorf("written again: %s, %v; want %s", again, err, enc)
	}
	packed.Record(5 * time.Millisecond)
	sum := New(time.Second)
	sum.Merge(&packed)
	if got, _ := sum.Max(); got != 5*time.Millisecond || sum.Count() != 2 {
		t.Errorf("max %v of %d", got, sum.Count())
	}
}
