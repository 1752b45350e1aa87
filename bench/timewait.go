package main

// Waiting until what one trial left in the kernel is gone.

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// timeWait keeps closed connections of one trial from being charged to the
// next: the kernel holds each for a minute, and spends time on it.
type timeWait struct {
	Bound    int           // sockets in TIME_WAIT that do no harm
	Deadline time.Duration // longest wait for fewer
}

// settle ends the sockets of a port where the kernel lets it (ss -K), and then
// waits until few enough are left. A deadline that passes is no error: on a
// busy machine others leave such sockets too.
func (t timeWait) settle(ctx context.Context, port string) error {
	if n, err := timeWaiting(); err != nil || n <= t.Bound {
		return err
	}
	for _, end := range []string{"sport", "dport"} {
		// Without ss or without the right to do it the wait below does the work.
		_ = exec.CommandContext(ctx, "ss", "-K", "-tan", "state", "time-wait", end+" = :"+port).Run()
	}
	limit := time.After(t.Deadline)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := timeWaiting()
		if err != nil || n <= t.Bound {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return nil
		case <-tick.C:
		}
	}
}

// timeWaiting counts the sockets in TIME_WAIT.
func timeWaiting() (int, error) {
	b, err := os.ReadFile("/proc/net/sockstat")
	if err != nil {
		return 0, fmt.Errorf("counting sockets: %w", err)
	}
	n, ok := number(b, `(?m)^TCP: .*\btw (\d+)`)
	if !ok {
		return 0, fmt.Errorf("counting sockets: no tw in /proc/net/sockstat")
	}
	return int(n), nil
}
