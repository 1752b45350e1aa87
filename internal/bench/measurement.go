package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matrix/internal/hist"
)

// Failure is the class of a request that did not succeed.
type Failure string

// The classes. Each failed request is counted in exactly one.
const (
	Non2xx        Failure = "non-2xx"  // a whole answer whose status is not 2xx
	Connect       Failure = "connect"  // the connection could not be made
	Timeout       Failure = "timeout"  // no whole answer within Load.Timeout
	Length        Failure = "length"   // the body was cut short or not as long as expected
	Content       Failure = "content"  // the body's checksum was not the expected one
	ProtocolError Failure = "protocol" // the bytes received are not HTTP
	Reset         Failure = "reset"    // the connection ended, by reset or end of stream, before an answer was whole
	Write         Failure = "write"    // the request could not be sent
	TLSError      Failure = "tls"      // the handshake failed
	Client        Failure = "client"   // the load generator's own fault: out of descriptors, ports, buffers; name lookup
	Other         Failure = "other"    // a tool counted it and did not say why
)

// Failures lists the classes in the order in which tables show them.
var Failures = []Failure{Non2xx, Connect, Timeout, Length, Content, ProtocolError, Reset, Write, TLSError, Client, Other}

// Measurement is what one trial yielded. Issued = OK + sum(Failed) + Aborted,
// always. Distributions and pointers that are nil were not measured.
type Measurement struct {
	Elapsed time.Duration     `json:"elapsed_ns"` // from the first send to the last completion; 0: nothing was sent
	Issued  int64             `json:"issued"`
	OK      int64             `json:"ok"`
	Failed  map[Failure]int64 `json:"failed,omitempty"`
	Aborted int64             `json:"aborted,omitempty"` // in flight when a timed run, or an interrupted one, ended
	Retried int64             `json:"retried,omitempty"` // resent because a reused connection was closed idle (once), or because the server had not looked at it (HTTP/2); each is still one request, and counted once
	Late    int64             `json:"late,omitempty"`    // open loop: sent more than 1 ms after they were due
	Dropped int64             `json:"dropped,omitempty"` // open loop: due but never issued, no connection was free

	// Bytes that came. 0, which a journal leaves out, is none or, of an external
	// tool, that it did not tell.
	BodyBytes int64         `json:"body_bytes,omitempty"` // of answers, without heads and framing
	WireBytes int64         `json:"wire_bytes,omitempty"` // received, all of it (within TLS: decrypted)
	Status    map[int]int64 `json:"status,omitempty"`
	Kept      *int64        `json:"kept,omitempty"` // answers that let the connection be used again, where keep-alive was asked for

	Connect       *hist.Hist `json:"connect,omitempty"`    // of connections that were made
	FirstByte     *hist.Hist `json:"first_byte,omitempty"` // send (or connect, without keep-alive) to first byte, of successes
	Latency       *hist.Hist `json:"latency,omitempty"`    // start (open loop: due) to last byte, of successes
	Service       *hist.Hist `json:"service,omitempty"`    // open loop only: actual send to last byte, of successes
	FailedLatency *hist.Hist `json:"failed_latency,omitempty"`

	Series   []int64            `json:"series,omitempty"`   // successes in each second of the run
	Messages map[Failure]string `json:"messages,omitempty"` // the first error of each class, in words

	Printed *Printed    `json:"printed,omitempty"` // what an external tool said of itself
	Client  *ClientCost `json:"client,omitempty"`
	Backend string      `json:"backend,omitempty"` // "io_uring", "epoll", "portable"; "" for external tools
	Address string      `json:"address,omitempty"` // the resolved address that was used; of a log, the host, port and path that it names

	AchievedConns int           `json:"achieved_concurrency,omitempty"` // most requests in flight at once, with HTTP/2 most open streams; what never had a connection, or was refused, was not in flight; of several threads or workers the sum of their peaks, which is an upper bound
	Drain         time.Duration `json:"drain_ns,omitempty"`             // from the end of the budget to the last completion
	Handshakes    int64         `json:"handshakes,omitempty"`           // TLS handshakes, all
	Resumed       int64         `json:"resumed,omitempty"`              // of these, resumed sessions
	Server        string        `json:"server,omitempty"`               // the Server header of the first answer: a stranger's words
	Notes         []Note        `json:"notes,omitempty"`
}

// Note is a remark about a figure: a word to key on and a sentence for people.
type Note struct {
	Code string `json:"code"` // such as "client-bound"
	Text string `json:"text"`
}

// ClientCost is what the load generator itself spent during a trial.
type ClientCost struct {
	CPUUser   float64 `json:"cpu_user_s"` // the warm-up left out, where the engine measured
	CPUSystem float64 `json:"cpu_system_s"`
	MaxRSS    int64   `json:"max_rss_bytes"`
	// LoopLagP99 is how late the engine's loop came to what was due (timers and
	// paced sends), and how long it was busy with what had come, in ms; nil: not
	// measured.
	LoopLagP99 *float64 `json:"loop_lag_p99_ms,omitempty"`
	Threads    int      `json:"threads,omitempty"`
}

// Printed holds the figures that an external tool printed, as printed, where
// they are not whole distributions. Times are in seconds.
type Printed struct {
	Tool              string     `json:"tool"`
	Version           string     `json:"version,omitempty"`
	RequestsPerSecond *float64   `json:"requests_per_second,omitempty"`
	BytesPerSecond    *float64   `json:"bytes_per_second,omitempty"`
	Connect           *Summary   `json:"connect,omitempty"`
	FirstByte         *Summary   `json:"first_byte,omitempty"`
	Processing        *Summary   `json:"processing,omitempty"` // connection made to last byte
	Latency           *Summary   `json:"latency,omitempty"`
	Quantiles         []Quantile `json:"quantiles,omitempty"` // of Latency
	Resolution        float64    `json:"resolution_s,omitempty"`
}

// Summary is a distribution as a tool summarised it, in seconds; nil means not
// printed.
type Summary struct {
	Min    *float64 `json:"min,omitempty"`
	Mean   *float64 `json:"mean,omitempty"`
	SD     *float64 `json:"sd,omitempty"`
	Median *float64 `json:"median,omitempty"`
	Max    *float64 `json:"max,omitempty"`
}

// Quantile is one line of a tool's percentile table: P in [0,1], Seconds.
type Quantile struct {
	P       float64 `json:"p"`
	Seconds float64 `json:"s"`
}

// FailedSum is the number of failed requests of all classes.
func (m Measurement) FailedSum() int64 {
	var n int64
	for _, v := range m.Failed {
		n += v
	}
	return n
}

// Completed is the number of distinct requests that came to an end.
func (m Measurement) Completed() int64 { return m.OK + m.FailedSum() }

// Fail counts n requests into a class and keeps the first message of it.
func (m *Measurement) Fail(f Failure, n int64, message string) {
	if n == 0 {
		return
	}
	if m.Failed == nil {
		m.Failed = map[Failure]int64{}
	}
	m.Failed[f] += n
	if _, known := m.Messages[f]; !known && message != "" {
		if m.Messages == nil {
			m.Messages = map[Failure]string{}
		}
		m.Messages[f] = message
	}
}

// Check returns an error when the counters contradict each other.
func (m Measurement) Check() error {
	for f, n := range m.Failed {
		if n < 0 {
			return fmt.Errorf("negative count of %s: %d", f, n)
		}
	}
	if m.OK < 0 || m.Aborted < 0 || m.Issued < 0 {
		return fmt.Errorf("negative counter: issued %d, ok %d, aborted %d", m.Issued, m.OK, m.Aborted)
	}
	if sum := m.OK + m.FailedSum() + m.Aborted; m.Issued != sum {
		return fmt.Errorf("issued %d, but ok %d + failed %d + aborted %d = %d", m.Issued, m.OK, m.FailedSum(), m.Aborted, sum)
	}
	return nil
}

// State derives the fate of a trial that ran to its end, and its reason in
// words ("" when all is well). Faults of the client itself make the whole trial
// a failure: its figures say nothing of the server.
func (m Measurement) State() (State, string) {
	failed := m.FailedSum()
	switch {
	case m.Failed[Client] > 0:
		return StateFailed, m.reason()
	case failed == 0 && m.OK > 0:
		return StateOK, ""
	case m.OK > 0:
		return StateDegraded, m.reason()
	case failed > 0 && m.Failed[Timeout] == failed:
		return StateTimeout, m.reason()
	case failed > 0:
		return StateFailed, m.reason()
	default:
		return StateFailed, "no request came to an end"
	}
}

// reason tells the failures of each class, most frequent first, with the first
// message of each: "socket: too many open files (15 of 1025)".
func (m Measurement) reason() string {
	classes := slices.SortedFunc(maps.Keys(m.Failed), func(a, b Failure) int {
		if m.Failed[a] != m.Failed[b] {
			return int(min(max(m.Failed[b]-m.Failed[a], -1), 1))
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, f := range classes {
		if m.Failed[f] == 0 {
			continue
		}
		text := string(f)
		if msg := m.Messages[f]; msg != "" {
			text = msg
		}
		parts = append(parts, fmt.Sprintf("%s (%d of %d)", text, m.Failed[f], m.Issued))
	}
	return strings.Join(parts, "; ")
}
