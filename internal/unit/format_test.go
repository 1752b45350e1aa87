package unit

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestPickAndFormat(t *testing.T) {
	for _, c := range []struct {
		name   string
		unit   Unit
		values []float64
		label  string
		want   string // joined by spaces
	}{
		{"a page of 2001", Seconds, []float64{0.02, .124, 1.24, 12.6, 127.9, 149}, "s", "0.02000 0.1240 1.240 12.60 127.9 149.0"},
		{"a microsecond beside a second", Seconds, []float64{1.46e-6, 1}, "ms", "0.001460 1000"},
		{"milliseconds given", Milliseconds, []float64{0.87, 14.95, 3906.4}, "ms", "0.8700 14.95 3906"},
		{"microseconds of milliseconds", Milliseconds, []float64{0.087, 0.14}, "µs", "87.00 140.0"},
		{"seconds of milliseconds", Milliseconds, []float64{12000, 30000}, "s", "12.00 30.00"},
		{"rates", PerSecond, []float64{500, 12345.678, 38.7}, "/s", "500.0 12346 38.70"},
		{"kilobytes a second", BytesPerSecond, []float64{897e3, 21140e3}, "MB/s", "0.8970 21.14"},
		{"gigabytes", Bytes, []float64{1.5e9, 2e9}, "GB", "1.500 2.000"},
		{"rounding carries", Seconds, []float64{999.96}, "s", "1000"},
		{"all zero", Seconds, []float64{0, 0}, "s", "0 0"},
		{"none", Milliseconds, nil, "ms", ""},
		{"not finite and negative zero", Seconds, []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 2}, "s", "  0 2.000"},
		{"negative", PerSecond, []float64{-1.5}, "/s", "-1.500"},
		{"tiny", Ratio, []float64{1e-12, 1}, "", "1.000e-12 1.000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Pick(c.values, c.unit)
			var got []string
			for _, v := range c.values {
				got = append(got, s.Format(v))
			}
			if s.Label != c.label || strings.Join(got, " ") != c.want {
				t.Errorf("got %q in %s, want %q in %s", strings.Join(got, " "), s.Label, c.want, c.label)
			}
		})
	}
}

func TestSizeIsExact(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1: "1 B", 169: "169 B", 999: "999 B", 1000: "1 kB", 1024: "1 KiB", 1500: "1.5 kB", 1536: "1.5 KiB",
		143000: "143 kB", 658000: "658 kB", 12345: "12345 B", 1 << 20: "1 MiB", 64 << 10: "64 KiB", 1e6: "1 MB", 25e8: "2.5 GB",
		1<<53 + 1: "9007199254740993 B", 1 << 40: "1 TiB", 3e12: "3 TB", math.MaxInt64: "9223372036854775807 B",
	} {
		got := Size(n)
		if got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestSpanPlainShare(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 30 * time.Second: "30s",
		1500 * time.Microsecond: "1.5ms", time.Hour + time.Second: "1h0m1s", 10 * time.Minute: "10m",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%d) = %q, want %q", d, got, want)
		}
	}
	for v, want := range map[float64]string{
		0: "0", 1e20: "100000000000000000000", 0.1: "0.1", 1e-5: "0.00001", 1e-9: "1e-09", 1 << 53: "9007199254740992", -2.5: "-2.5", math.Inf(1): "",
	} {
		if got := Plain(v); got != want {
			t.Errorf("Plain(%g) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0%", 0.0001: "<0.1%", 0.021: "2.1%", 0.5: "50%", 0.0996: "10%", -0.02: "-2.0%", math.Inf(1): ""} {
		if got := Share(v); got != want {
			t.Errorf("Share(%g) = %q, want %q", v, got, want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add(1.46e-6, 1.0)
	f.Add(math.MaxFloat64, 5e-324)
	f.Fuzz(func(t *testing.T, a, b float64) {
		for _, u := range []Unit{Seconds, Milliseconds, Bytes, BytesPerSecond, PerSecond, Requests, Percent} {
			s := Pick([]float64{a, b}, u)
			for _, v := range []float64{a, b} {
				text := s.Format(v)
				if strings.ContainsAny(text, "NI") || text == "-0" {
					t.Errorf("%v in %q is written %q", v, s.Label, text)
				}
				if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) && !math.IsInf(v/s.Factor, 0) && v/s.Factor != 0 && strings.Trim(text, "-0.") == "" {
					t.Errorf("%v is not zero but written %q", v, text)
				}
			}
		}
	})
}
