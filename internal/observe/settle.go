package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"matrix/internal/bench"
)

// settling is the time between two looks at a host that is waited for.
const settling = 250 * time.Millisecond

// Settle looks at a host until it has come down to c, at most for c.Max or
// until ctx ends. It returns how long that took and, where it was not enough,
// what was still above c: "6000 sockets in TIME_WAIT, load average 3.10". What
// the host does not tell is not waited for; a host at rest is looked at once.
func Settle(ctx context.Context, c bench.CoolDown, look func() bench.Host) (waited time.Duration, above string) {
	start := time.Now()
	if above = over(look(), c); above == "" {
		return 0, ""
	}
	for left := c.Max; left > 0; left = c.Max - time.Since(start) {
		select {
		case <-ctx.Done():
			return time.Since(start), above
		case <-time.After(min(settling, left)):
		}
		if above = over(look(), c); above == "" {
			break
		}
	}
	return time.Since(start), above
}

// over lists what of a host is above c.
func over(h bench.Host, c bench.CoolDown) string {
	var list []string
	if c.TimeWait >= 0 && h.TimeWait != nil && *h.TimeWait > c.TimeWait {
		list = append(list, fmt.Sprintf("%d sockets in TIME_WAIT", *h.TimeWait))
	}
	if c.Load > 0 && h.Load1 != nil && *h.Load1 > c.Load {
		list = append(list, fmt.Sprintf("load average %.2f", *h.Load1))
	}
	return strings.Join(list, ", ")
}
