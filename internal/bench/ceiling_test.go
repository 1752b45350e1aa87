package bench

import (
	"testing"
	"time"
)

func TestRatesNearTheCeilingAreNoted(t *testing.T) {
	c := Ceiling{Points: []CeilingPoint{
		{KeepAlive: true, SizeBytes: 1500, Most: 100_000},
		{KeepAlive: true, SizeBytes: 143_000, Most: 10_000},
		{KeepAlive: false, SizeBytes: 1500, Most: 20_000},
	}}
	for _, x := range []struct {
		name string
		keep bool
		size int64
		ok   int64
		want string
	}{
		{"far below", true, 1500, 50_000, ""},
		{"near", true, 1500, 90_000, "90000 requests per second are 90 % of what the engine was calibrated to on this machine: a lower bound"},
		{"nearest size counts", true, 100_000, 9_000, "9000 requests per second are 90 % of what the engine was calibrated to on this machine: a lower bound"},
		{"other connection mode", false, 1500, 10_000, ""},
		{"no point like it", true, 10_000_000, 1_000_000, ""},
	} {
		n, ok := c.Note(Load{KeepAlive: x.keep}, x.size, Measurement{OK: x.ok, Issued: x.ok, Elapsed: time.Second, Backend: "epoll"})
		if n.Text != x.want || ok != (x.want != "") {
			t.Errorf("%s: %q, want %q", x.name, n.Text, x.want)
		}
	}
	two := Measurement{OK: 150_000, Issued: 150_000, Elapsed: time.Second, Backend: "epoll"}
	if _, ok := c.Note(Load{KeepAlive: true, Generators: 2}, 1500, two); ok {
		t.Error("two generators were held against the ceiling of one")
	}
	if _, ok := c.Note(Load{KeepAlive: true}, 1500, Measurement{OK: 99_000, Elapsed: time.Second}); ok {
		t.Error("an external tool was held against the engine's ceiling")
	}
}
