package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// askTime is how long a server may take to check its configuration, of a Java
// program askJava.
const (
	askTime = 10 * time.Second
	askJava = 30 * time.Second
)

// Unasked is the error of a question that could not be put to a server: it is not
// installed, say. Nothing is known of its configuration then.
type Unasked struct{ Why error }

func (u Unasked) Error() string { return u.Why.Error() }
func (u Unasked) Unwrap() error { return u.Why }

// verdictOf runs a server's own check of its configuration, what by name, and
// returns what it has against it. One that does not end in time is ended with all
// that came of it.
func verdictOf(ctx context.Context, what, dir string, argv []string, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out bounded
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	err := c.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return Unasked{fmt.Errorf("%s did not end within %v", what, patience)}
	case errors.As(err, new(*exec.ExitError)):
		return fmt.Errorf("%s refuses it:%s", what, lastLines(refusal(out.String())))
	}
	return Unasked{fmt.Errorf("running %s: %w", what, err)}
}

// refusal is what a server has to say of its configuration, without the lines
// that say only that there is something.
func refusal(said string) string {
	lines := strings.Split(said, "\n")
	said = strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasSuffix(line, "test failed") || strings.HasPrefix(line, "Action '") || strings.HasPrefix(line, "The Apache error log")
	}), "\n")
	return said
}

// bounded keeps the first bytes that are written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := tailBytes - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
