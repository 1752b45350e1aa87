package observe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"matrix/internal/bench"
)

func TestSettle(t *testing.T) {
	both := bench.CoolDown{TimeWait: 100, Load: 1.5, Max: 10 * time.Second}
	for _, c := range []struct {
		name   string
		c      bench.CoolDown
		looks  []bench.Host // the last one lasts
		waited time.Duration
		above  string
	}{
		{"at rest", both, []bench.Host{{TimeWait: new(100), Load1: new(1.5)}}, 0, ""},
		{"nothing told", both, []bench.Host{{}}, 0, ""},
		{"after two looks more", both, []bench.Host{{TimeWait: new(300)}, {TimeWait: new(200)}, {TimeWait: new(99)}}, 500 * time.Millisecond, ""},
		{"both must settle", both, []bench.Host{{TimeWait: new(300), Load1: new(3.0)}, {TimeWait: new(3), Load1: new(3.0)}, {Load1: new(1.0)}}, 500 * time.Millisecond, ""},
		{"never", both, []bench.Host{{TimeWait: new(300), Load1: new(3.0)}}, 10 * time.Second, "300 sockets in TIME_WAIT, load average 3.00"},
		{"no longer than max", bench.CoolDown{TimeWait: 0, Max: 1100 * time.Millisecond}, []bench.Host{{TimeWait: new(1)}}, 1100 * time.Millisecond, "1 sockets in TIME_WAIT"},
		{"load alone", bench.CoolDown{TimeWait: -1, Load: 1, Max: time.Second}, []bench.Host{{TimeWait: new(1 << 20), Load1: new(0.5)}}, 0, ""},
		{"no socket at all", bench.CoolDown{TimeWait: 0, Max: time.Second}, []bench.Host{{TimeWait: new(1)}, {TimeWait: new(0)}}, 250 * time.Millisecond, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				waited, above := Settle(t.Context(), c.c, func() bench.Host {
					n++
					return c.looks[min(n, len(c.looks))-1]
				})
				if waited != c.waited || above != c.above {
					t.Errorf("waited %v, %q above; want %v, %q", waited, above, c.waited, c.above)
				}
			})
		})
	}
}

func TestSettleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		waited, above := Settle(ctx, bench.CoolDown{Load: 1, Max: time.Hour}, func() bench.Host { return bench.Host{Load1: new(9.0)} })
		if waited != 300*time.Millisecond || above != "load average 9.00" {
			t.Errorf("waited %v, %q", waited, above)
		}
	})
}
