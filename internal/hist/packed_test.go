package hist

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// read is a histogram as a journal has it.
func read(t *testing.T, h *Hist) *Hist {
	t.Helper()
	enc, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var packed Hist
	if err := json.Unmarshal(enc, &packed); err != nil {
		t.Fatal(err)
	}
	return &packed
}

func tailed(seed uint64, n int, highest time.Duration) *Hist {
	random := rand.New(rand.NewPCG(seed, 1))
	h := New(highest)
	for range n {
		h.Record(time.Duration(random.ExpFloat64() * random.ExpFloat64() * random.ExpFloat64() * 1e6))
	}
	return h
}

// TestPackedSaysTheSame: what is read without being laid out has the quantiles
// that the library tells, and so has a sum.
func TestPackedSaysTheSame(t *testing.T) {
	var adder Adder
	merged := New(0)
	var parts []*Hist
	for seed, n := range []int{1, 2, 1000, 50_000} {
		h := tailed(uint64(seed), n, 0)
		merged.Merge(h)
		packed := read(t, h)
		parts = append(parts, packed)
		alike(t, h, packed)
		alike(t, h, adder.Sum(nil, packed))
		if packed.h != nil {
			t.Error("adding laid the buckets out")
		}
	}
	sum := adder.Sum(parts...)
	alike(t, merged, sum)
	alike(t, merged, read(t, sum)) // written and read again
	alike(t, merged, adder.Sum(sum))
	sum.Record(time.Hour)
	merged.Record(time.Hour)
	if got, _ := sum.Max(); got != time.Hour || sum.Count() != merged.Count() {
		t.Errorf("%v of %d", got, sum.Count())
	}
	alike(t, New(0), adder.Sum())
	dense, short := tailed(9, 100, 0), tailed(9, 100, time.Second)
	both := New(0)
	both.Merge(dense)
	both.Merge(short)
	alike(t, both, adder.Sum(dense, read(t, short)))
	over := New(time.Millisecond)
	over.Record(time.Microsecond)
	over.Record(time.Second)
	alike(t, over, read(t, over))
	alike(t, over, adder.Sum(read(t, over)))
}

func alike(t *testing.T, want, got *Hist) {
	t.Helper()
	for _, p := range slices.Concat(common[:], []float64{0, 1e-9, 0.25, 0.66, 0.9999, 1}) {
		a, ok1 := want.Quantile(p)
		b, ok2 := got.Quantile(p)
		if a != b || ok1 != ok2 {
			t.Errorf("quantile %v: %v, want %v", p, b, a)
		}
	}
	if want.Count() != got.Count() || want.Overflow() != got.Overflow() || want.min0() != got.min0() || want.max0() != got.max0() {
		t.Errorf("%d, %d over, %d to %d; want %d, %d over, %d to %d", got.Count(), got.Overflow(), got.min0(), got.max0(),
			want.Count(), want.Overflow(), want.min0(), want.max0())
	}
	m1, _ := want.Mean()
	m2, _ := got.Mean()
	if d := m1 - m2; d < -1 || d > 1 {
		t.Errorf("mean %v, want %v", m2, m1)
	}
}

// FuzzRead holds the own reading of an encoding against that of the library:
// where the resolution is ours, both refuse it or find the same.
func FuzzRead(f *testing.F) {
	for _, n := range []int{0, 1, 300} {
		enc, err := New(0).h.Encode(0x1c849304)
		if n > 0 {
			enc, err = tailed(3, n, time.Second).h.Encode(0x1c849304)
		}
		if err != nil {
			f.Fatal(err)
		}
		raw, _ := base64.StdEncoding.DecodeString(string(enc))
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v2 := []byte(base64.StdEncoding.EncodeToString(raw))
		var a Adder
		list, err := a.read(v2)
		if errors.Is(err, errForeign) {
			return
		}
		in, wrong := unpack(v2)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("read: %v; the library: %v", err, wrong)
		}
		if err != nil {
			return
		}
		if total(list) != in.TotalCount() {
			t.Fatalf("%d counts, want %d", total(list), in.TotalCount())
		}
		for i := 1; i < len(list); i++ {
			if list[i].high <= list[i-1].high {
				t.Fatalf("buckets out of order: %v", list)
			}
		}
		for _, p := range []float64{0, 50, 99, 100} {
			if got, want := quantile(list, total(list), p), in.ValueAtPercentile(p); in.TotalCount() > 0 && got != want {
				t.Fatalf("percentile %v: %d, want %d", p, got, want)
			}
		}
	})
}
