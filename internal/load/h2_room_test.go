package load

import (
	"slices"
	"testing"
)

// TestH2Room walks through what a server may say of the streams it takes.
func TestH2Room(t *testing.T) {
	r := newRoom(100, 0)
	step := func(name string, want int) {
		t.Helper()
		if got := r.width(1); got != want || r.free(want, 1) || want > 0 && !r.free(want-1, 1) {
			t.Errorf("%s: room for %d streams, want %d", name, got, want)
		}
	}
	step("before the settings", 1)
	if got := r.width(settleTime); got != 100 {
		t.Errorf("when they were waited for in vain: room for %d streams", got)
	}
	r.settled()
	step("settings without a limit", 100)
	for id := uint32(21); id <= 199; id += 2 {
		if news := r.refused(id, 201, 100-int(id-19)/2); news != (id == 21) {
			t.Errorf("refused %d: news %v", id, news)
		}
	}
	step("all but ten refused", 10)
	for range 2*firstPatience - 1 {
		r.answered()
	}
	step("some answers", 10)
	r.answered()
	step("one more", 11)
	r.refused(225, 227, 10)
	step("refused again", 10)
	for range 4*firstPatience - 1 {
		r.answered()
	}
	step("as many answers as before, and more", 10)
	r.allow(20, 301)
	step("a limit", 20)
	r.refused(299, 301, 3)
	step("refused, but from before the limit", 20)
	r.refused(301, 303, 15)
	step("refused within the limit", 15)
	r.allow(0, 303)
	step("none allowed", 0)
	r.allow(1<<32-1, 305)
	step("all allowed", 100)
	r.pause = 5
	if r.free(0, 4) || !r.free(0, 5) || r.again(4) != 5 || r.again(5) != 0 {
		t.Error("a pause is not kept, or does not end")
	}
}

// TestH2Opens: what was refused was not open, however late that is known.
func TestH2Opens(t *testing.T) {
	var p opens
	var all []*stream
	open := func(n int) {
		for range n {
			o := &stream{counted: true}
			p.opened(o)
			all = append(all, o)
		}
	}
	check := func(name string, now, peak, unknown int) {
		t.Helper()
		if p.now != now || p.peak != peak || len(p.line) != unknown {
			t.Errorf("%s: %d open, %d at once, %d not known; want %d, %d, %d", name, p.now, p.peak, len(p.line), now, peak, unknown)
		}
	}
	open(10)
	check("opened", 10, 0, 10)
	p.took(all[9]) // out of order: those before it are not known
	check("one known", 10, 0, 10)
	for _, o := range all[3:8] {
		p.refused(o)
	}
	check("five refused", 5, 0, 5)
	for _, o := range all[:3] {
		p.took(o)
	}
	p.closed(all[8])
	check("all known", 4, 5, 0)
	open(3)
	for _, o := range slices.Backward(all[10:]) {
		p.refused(o)
	}
	check("three more, all refused", 4, 5, 0)
	for range 1000 { // one of which nothing is heard must not hold the memory of those behind it
		open(1)
		if len(all) > 14 {
			p.closed(all[len(all)-1])
		}
	}
	if len(p.line) > mostUnknown*(p.now+1) || p.now != 5 || p.peak != 6 {
		t.Errorf("%d not known, %d open, %d at once", len(p.line), p.now, p.peak)
	}
}
