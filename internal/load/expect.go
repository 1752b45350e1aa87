package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"matrix/internal/bench"
)

// digested decides whether the body of the kth answer is read and digested, or
// only counted: one in Expect.SampleOne is.
func digested(l bench.Load, q *request, k int) bool {
	every := l.Expect.SampleOne
	return every > 0 && q.digest != "" && l.Method != "HEAD" && k%every == 0
}

func newDigest() hash.Hash { return sha256.New() }

// sample prepares c for its next answer.
func (th *thread) sample(c *conn) {
	k := th.sampled
	th.sampled++
	if !digested(th.run.load, &th.run.requests[c.request], k) {
		return
	}
	if n := len(th.sums); n > 0 {
		c.sum, th.sums = th.sums[n-1], th.sums[:n-1]
		return
	}
	c.sum = newDigest()
}

// judge tells the class in which a whole answer failed; "" when it is good. The
// digest is nil when the body was not read.
func judge(want *request, status int, body int64, digest hash.Hash) (bench.Failure, func() string) {
	switch {
	case status < 200 || status > 299:
		return bench.Non2xx, func() string { return fmt.Sprintf("status %d", status) }
	case want.length >= 0 && body != want.length:
		return bench.Length, func() string { return fmt.Sprintf("a body of %d bytes, not %d", body, want.length) }
	case digest != nil && hex.EncodeToString(digest.Sum(nil)) != want.digest:
		return bench.Content, func() string { return "the body's SHA-256 is not the expected one" }
	}
	return "", nil
}
