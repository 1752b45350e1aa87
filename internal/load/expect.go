package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"matrix/internal/bench"
)

// sample decides whether the body of c's next answer is read and digested, or
// only counted: one in Expect.SampleOne is.
func (th *thread) sample(c *conn) {
	every := th.run.load.Expect.SampleOne
	if every < 1 || th.run.requests[c.request].digest == "" || th.run.load.Method == "HEAD" {
		return
	}
	th.sampled++
	if (th.sampled-1)%every != 0 {
		return
	}
	if n := len(th.sums); n > 0 {
		c.sum, th.sums = th.sums[n-1], th.sums[:n-1]
		return
	}
	c.sum = sha256.New()
}

// judge tells the class in which a whole answer failed; "" when it is good.
func (th *thread) judge(c *conn) (bench.Failure, func() string) {
	want := &th.run.requests[c.request]
	status, body := c.resp.Status, c.resp.Body
	switch {
	case status < 200 || status > 299:
		return bench.Non2xx, func() string { return fmt.Sprintf("status %d", status) }
	case want.length >= 0 && body != want.length:
		return bench.Length, func() string { return fmt.Sprintf("a body of %d bytes, not %d", body, want.length) }
	}
	if c.sum != nil && hex.EncodeToString(c.sum.Sum(nil)) != want.digest {
		return bench.Content, func() string { return "the body's SHA-256 is not the expected one" }
	}
	return "", nil
}
