package driver

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/transcript"
)

const (
	plainAnswer  = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	closeAnswer  = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
	endedAnswer  = "HTTP/1.1 200 OK\r\n\r\nhello" // its end is that of the connection
	interimLines = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
)

// truth is what a server saw of its requests.
type truth struct{ answered, lost atomic.Int64 }

// saying is what a server says to a request, and what then becomes of the
// connection.
type saying struct {
	text  string // "" says nothing
	lost  bool   // it is no whole answer
	after string // "keep", "close", "reset"
}

// misbehave serves what a function says of each request: by its number on its
// connection, and by that of all, from 0.
func misbehave(t *testing.T, what func(nth, all int64) saying) (url string, seen *truth) {
	t.Helper()
	seen = &truth{}
	var all atomic.Int64
	url = accept(t, func(c net.Conn) {
		go func() {
			defer c.Close()
			in := bufio.NewReader(c)
			for nth := int64(0); ; nth++ {
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if line == "\r\n" {
						break
					}
				}
				s := what(nth, all.Add(1)-1)
				if s.lost {
					seen.lost.Add(1)
				} else {
					seen.answered.Add(1)
				}
				if _, err := c.Write([]byte(s.text)); err != nil || s.after == "close" {
					return
				}
				if s.after == "reset" {
					c.(*net.TCPConn).SetLinger(0)
					return
				}
			}
		}()
	})
	return url, seen
}

// misbehaviours are servers whose answers wrk counts in ways of its own.
var misbehaviours = []struct {
	name    string
	what    func(nth, all int64) saying
	note    string // that tells of it; "" for none
	unclear bool   // the log alone does not tell the counts
}{
	{"kept", func(_, _ int64) saying { return saying{plainAnswer, false, "keep"} }, "", false},
	{"closed as announced", func(_, _ int64) saying { return saying{closeAnswer, false, "close"} }, "", false},
	{"closed unannounced", func(_, _ int64) saying { return saying{plainAnswer, false, "close"} }, "closed-unannounced", false},
	{"reset after each answer", func(_, _ int64) saying { return saying{plainAnswer, false, "reset"} }, "closed-unannounced", false},
	{"bodies that the connection ends", func(_, _ int64) saying { return saying{endedAnswer, false, "close"} }, "closed-unannounced", false},
	{"reset within each body", func(_, _ int64) saying { return saying{plainAnswer[:len(plainAnswer)-2], true, "close"} }, "", false},
	{"no answer at all", func(_, _ int64) saying { return saying{"", true, "reset"} }, "", false},
	{"every fourth request reset", func(nth, _ int64) saying {
		if nth%4 == 3 {
			return saying{"", true, "reset"}
		}
		return saying{plainAnswer, false, "keep"}
	}, "", false},
	{"every second request reset", func(nth, _ int64) saying { // one error for each answer, and each a failure
		if nth%2 == 1 {
			return saying{"", true, "reset"}
		}
		return saying{plainAnswer, false, "keep"}
	}, "", true},
	{"closed unannounced, every tenth request reset", func(_, all int64) saying {
		if all%10 == 9 {
			return saying{"", true, "reset"}
		}
		return saying{plainAnswer, false, "close"}
	}, "closed-unannounced", false},
	{"ended bodies, every second cut", func(_, all int64) saying {
		if all%2 == 1 {
			return saying{plainAnswer[:len(plainAnswer)-2], true, "close"}
		}
		return saying{endedAnswer, false, "close"}
	}, "closed-unannounced", false},
	{"interim answers", func(_, _ int64) saying { return saying{interimLines + plainAnswer, false, "keep"} }, "interim-answers", false},
}

// The server's own count is the truth: what wrk counts twice is neither a request
// nor a failure, nor is what broke taken for that; and a log of the same run, as
// import reads it, tells the same.
func TestWrkCountsWhatTheServerSaw(t *testing.T) {
	needTool(t, wrk)
	for _, c := range misbehaviours {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, seen := misbehave(t, c.what)
			m, raw, err := measure(t, wrk, loadWrk(url))
			if err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
			const slack = 4 + asked // connections with a request under way at the end, and requests of our own
			answered, lost := seen.answered.Load(), seen.lost.Load()
			if c.note == "interim-answers" {
				answered *= 2
			}
			if d := answered - m.OK; d < -2*slack || d > 2*slack {
				t.Errorf("ok %d, and the server answered %d\n%s", m.OK, answered, raw)
			}
			if d := lost - m.FailedSum(); d < -slack || d > slack {
				t.Errorf("failed %v, and the server let down %d\n%s", m.Failed, lost, raw)
			}
			for _, code := range []string{"closed-unannounced", "interim-answers", "errors-unclear"} {
				if noted := slices.ContainsFunc(m.Notes, func(n bench.Note) bool { return n.Code == code }); noted != (code == c.note) {
					t.Errorf("%s noted: %t: %v", code, noted, m.Notes)
				}
			}
			reports, err := transcript.ParseWrk(strings.NewReader(raw))
			if err != nil || len(reports) != 1 {
				t.Fatal(reports, err)
			}
			if r := reports[0]; !c.unclear && (r.OK != m.OK || r.FailedSum() != m.FailedSum()) {
				t.Errorf("as a log: ok %d, failed %v, not %d and %v", r.OK, r.Failed, m.OK, m.Failed)
			}
		})
	}
}

// What an own request sees of a server, whatever wrk counts.
func TestManners(t *testing.T) {
	for _, c := range []struct {
		name string
		what func(nth, all int64) saying
		want manners
	}{
		{"kept", func(_, _ int64) saying { return saying{plainAnswer, false, "keep"} }, manners{4, 0, 0}},
		{"announced", func(_, _ int64) saying { return saying{closeAnswer, false, "close"} }, manners{4, 0, 0}},
		{"unannounced", func(_, _ int64) saying { return saying{plainAnswer, false, "close"} }, manners{4, 4, 0}},
		{"reset", func(_, _ int64) saying { return saying{plainAnswer, false, "reset"} }, manners{4, 4, 0}},
		{"ended", func(_, _ int64) saying { return saying{endedAnswer, false, "close"} }, manners{4, 4, 0}},
		{"more than was asked", func(_, _ int64) saying { return saying{plainAnswer + "junk", false, "keep"} }, manners{4, 4, 0}},
		{"cut", func(_, _ int64) saying { return saying{plainAnswer[:40], true, "close"} }, manners{}},
		{"no HTTP", func(_, _ int64) saying { return saying{"SSH-2.0-x\r\n", true, "close"} }, manners{}},
		{"two interim answers", func(_, _ int64) saying { return saying{interimLines + interimLines + plainAnswer, false, "keep"} }, manners{4, 0, 2}},
		{"half of them", func(_, all int64) saying {
			if all%2 == 1 {
				return saying{"", true, "reset"}
			}
			return saying{plainAnswer, false, "close"}
		}, manners{2, 2, 0}},
	} {
		url, _ := misbehave(t, c.what)
		if got := mannersOf(t.Context(), loadWrk(url), 4, true); got != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, got, c.want)
		}
	}
	if got := mannersOf(t.Context(), loadWrk("http://127.0.0.1:1/"), 1, true); got != (manners{}) {
		t.Errorf("nobody there: %+v", got)
	}
}

// An endless head or a stream of interim answers is not waited for, nor kept.
func TestMannersOfAStranger(t *testing.T) {
	for name, text := range map[string]string{
		"head":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 2*longestHead) + "\r\n\r\n",
		"interim": strings.Repeat(interimLines, 2*mostInterim) + plainAnswer,
	} {
		url, _ := misbehave(t, func(_, _ int64) saying { return saying{text, true, "close"} })
		if got := mannersOf(t.Context(), loadWrk(url), 1, false); got.ended != 0 || got.interim > mostInterim || name == "head" && got.answered != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// settled makes a report of wrk's counters, as a log of it tells them.
func settled(t *testing.T, complete, read string) transcript.Report {
	t.Helper()
	text := "Running 1s test @ http://h/\n  2 threads and 50 connections\n  " + complete + " requests in 1.00s, 10.00MB read\n  Socket errors: connect 0, read " + read + ", write 0, timeout 0\nRequests/sec: 10.00\n"
	reports, err := transcript.ParseWrk(strings.NewReader(text))
	if err != nil || len(reports) != 1 {
		t.Fatal(err)
	}
	return reports[0]
}

// What requests of our own have seen decides over what the counters look like,
// unless they have seen nothing, or both.
func TestSettleWrk(t *testing.T) {
	for _, c := range []struct {
		complete, read string
		seen           manners
		ok, failed     int64
	}{
		{"1000", "1000", manners{4, 4, 0}, 1000, 0},
		{"1000", "1000", manners{4, 0, 0}, 1000, 1000},
		{"1000", "1000", manners{4, 2, 0}, 1000, 0},
		{"1000", "1000", manners{}, 1000, 0},
		{"1000", "400", manners{4, 4, 0}, 1000, 0},
		{"1000", "400", manners{4, 0, 0}, 1000, 400},
		{"1000", "400", manners{}, 1000, 400},
		{"1000", "1400", manners{4, 4, 0}, 1000, 400},
		{"1000", "1400", manners{4, 0, 0}, 1000, 1400},
		{"5", "40", manners{1, 1, 0}, 5, 35},
		{"5", "40", manners{}, 5, 40},
	} {
		r := settled(t, c.complete, c.read)
		settleWrk(loadWrk("http://h/"), &r, c.seen)
		if r.OK != c.ok || r.FailedSum() != c.failed || r.Issued != c.ok+c.failed {
			t.Errorf("%+v: ok %d of %d, failed %v", c, r.OK, r.Issued, r.Failed)
		}
	}
	// Interim answers have no bodies: bytes are held against the others alone.
	for interim, want := range map[int]int64{0: 0, 1: 1000} {
		l := loadWrk("http://h/a")
		l.Expect.Length = map[string]int64{"/a": 20000}
		r := settled(t, "1000", "0") // 10 MB
		settleWrk(l, &r, manners{1, 0, interim})
		if r.OK != want {
			t.Errorf("%d interim answers: ok %d, failed %v", interim, r.OK, r.Failed)
		}
	}
}
