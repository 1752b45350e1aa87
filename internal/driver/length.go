package driver

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/url"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// expectedLength is the length in bytes that every body must have; false where
// none is expected, or of several files not all the same.
func expectedLength(l bench.Load) (int64, bool) {
	length, known := int64(0), false
	for _, s := range l.URLs {
		u, err := url.Parse(s)
		if err != nil {
			return 0, false
		}
		n, ok := l.Expect.Length[u.EscapedPath()]
		if !ok || known && n != length {
			return 0, false
		}
		length, known = n, true
	}
	return length, known && l.Method != "HEAD"
}

// amendLength holds the bytes that came against those expected, for tools that
// check no length. Where they do not add up, no body is known to be right, so none
// counts as OK. rounding is the part of a figure that the tool's printing may be
// off by. With moreIsFine there may be more bytes than due: heads, or the bodies
// of requests that were cut off by the end.
func amendLength(l bench.Load, r *transcript.Report, came int64, rounding float64, moreIsFine bool) {
	want, known := expectedLength(l)
	if !known || r.OK == 0 || r.FailedSum() > 0 {
		return
	}
	due := float64(want) * float64(r.OK)
	slack := due*rounding + 0.5
	if math.Abs(float64(came)-due) <= slack || moreIsFine && float64(came) > due {
		return
	}
	n := r.OK
	r.OK = 0
	r.Fail(bench.Length, n, fmt.Sprintf("the bodies were not all of %d bytes: %d came for %d answers", want, came, n))
}
