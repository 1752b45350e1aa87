package main

// Waiting until what one trial left in the kernel is gone.

import (
	"bytes"
	"context"
	"errors"
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
// waits until few enough of them are left. A deadline that passes is no error.
func (t timeWait) settle(ctx context.Context, port string) error {
	if n, err := allTimeWaiting(); err != nil || n <= t.Bound {
		return err
	}
	// Without ss or without the right to do it the wait below does the work.
	_, _ = timeWaiting(ctx, port, "-K")
	limit := time.After(t.Deadline)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := timeWaiting(ctx, port)
		if err != nil { // then those of the whole machine are counted
			n, err = allTimeWaiting()
		}
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

// timeWaiting counts the sockets in TIME_WAIT that have a port on one end.
func timeWaiting(ctx context.Context, port string, flags ...string) (int, error) {
	args := append(flags, "-Htan", "state", "time-wait", "( sport = :"+port+" or dport = :"+port+" )")
	out, err := exec.CommandContext(ctx, "ss", args...).Output()
	if err != nil {
		return 0, fmt.Errorf("listing sockets: %w", err)
	}
	return bytes.Count(out, []byte{'\n'}), nil
}

// allTimeWaiting counts the sockets in TIME_WAIT, whosever they are.
func allTimeWaiting() (int, error) {
	b, err := os.ReadFile("/proc/net/sockstat")
	if err != nil {
		return 0, fmt.Errorf("counting sockets: %w", err)
	}
	n, ok := number(b, `(?m)^TCP: .*\btw (\d+)`)
	if !ok {
		return 0, errors.New("counting sockets: no tw in /proc/net/sockstat")
	}
	return int(n), nil
}
