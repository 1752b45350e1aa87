package poll

import (
	"runtime"
	"testing"
)

// Where a small ring can be made, one of any size can: else the engine would
// quietly fall back for some numbers of connections.
func TestRingsOfAllSizes(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	small, err := newRing(1)
	if err != nil {
		t.Logf("no io_uring here: %v", err)
		return
	}
	small.release()
	for _, slots := range []int{2, 15, 16, 17, 64, 65, 150, 256, 1000, 1025, 5000, 20000} {
		r, err := newRing(slots)
		if err != nil {
			t.Errorf("%d slots: %v", slots, err)
			continue
		}
		if int(r.cqMask)+1 < 2*slots || int(r.bufs) > maxBuffers {
			t.Errorf("%d slots: room for %d completions, %d buffers", slots, r.cqMask+1, r.bufs)
		}
		r.release()
	}
}
