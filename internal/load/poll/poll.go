// Package poll moves bytes over many connections and tells when each step is
// done: operations on numbered slots go in, completions come out. Three
// back ends stand behind the one seam: io_uring, whose kernel works that way;
// epoll, which is told of readiness, performs the step and reports it done; and
// portable, a goroutine a connection over net.Conn, which also speaks TLS and
// runs where Linux does not.
//
// It knows nothing of HTTP, keeps no statistics and decides nothing: whoever
// submits says what a completion means. A Poller belongs to one goroutine.
package poll

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Verb is what is to be done on a slot.
type Verb uint8

// The verbs. After each but Shut completions follow; nothing is reported of a
// slot once it is shut, until it is opened again. What the peer does while
// nothing is asked for may be reported, too, as Received.
const (
	Open    Verb = iota // connect: Opened; then as Send, unless Data is nil
	Send                // send Data, receive: Sent when it failed or Data is Long, then Received
	Recv                // receive more: Received
	Discard             // receive up to N bytes and throw them away: Received without Data; over a unix socket, which knows only how to copy, as Recv
	Shut                // close, whatever is under way
)

// Op is an operation on one slot. A receive, which Open, Send, Recv and Discard
// ask for, has to be reported before the next is asked for. Data belongs to the poller until the slot is
// shut, and must not change in that time.
type Op struct {
	Data []byte
	N    int64
	Slot int32
	Addr int32 // of Open: which of Config.Addrs
	Verb Verb
}

// Long is the length from which sending Data is reported by Sent also when it
// succeeded: an answer may overtake a long request, never a short one.
const Long = 16 << 10

// What is the step that a completion reports.
type What uint8

// The steps.
const (
	Opened What = iota
	Sent
	Received
)

// Done is a completion.
type Done struct {
	Data []byte // Received: the bytes, valid during the call
	Err  error  // why the step failed; nil: it did not
	Step string // the system call that failed, where Err does not tell
	N    int    // Received: number of bytes, discarded ones too
	Slot int32
	What What
	End  bool // Received: the stream ended after these bytes

	// Early: what was received, an end or an error too, was there before the
	// last Data was handed to the kernel, and so is no answer to it. Unsent:
	// and that Data has not left, nor will it. False where the back end cannot know.
	Early, Unsent bool

	Handshake bool // Opened: TLS was set up, or failed to be when Err is not nil
	Resumed   bool // Opened: a TLS session was resumed
}

// Config is what all slots of a poller have in common.
type Config struct {
	Addrs   []netip.AddrPort
	Unix    string       // path of a unix socket instead of Addrs
	Sources []netip.Addr // local addresses, used in turn
	Slots   int
	TLS     *tls.Config // nil: in the clear; only Portable can do it

	// Batch is the number of completions worth lingering for; 1 or less reports
	// each as soon as it is there.
	Batch int

	ReceiveBuffer int  // SO_RCVBUF in bytes; 0 leaves it
	LowWater      bool // SO_RCVLOWAT for what is discarded
}

// Poller carries out operations.
type Poller interface {
	// Submit takes an operation. It calls nobody back.
	Submit(Op)
	// Wait reports completions to the handler, waiting for up to d for the
	// first, and where the back end can, for up to linger for a whole batch.
	// An error means that the poller cannot go on.
	Wait(d, linger time.Duration) error
	// Close shuts every slot and gives back what the poller holds.
	Close() error
}

// The names of the back ends.
const (
	Uring    = "io_uring"
	Epoll    = "epoll"
	Portable = "portable"
)

// ErrUnsupported is wrapped by errors of New for a back end that this machine,
// or this configuration, does not allow.
var ErrUnsupported = errors.New("not supported here")

// New opens the named back end. The handler is called by Wait only.
func New(name string, c Config, handle func(Done)) (Poller, error) {
	switch {
	case name == Portable:
		return newPortable(c, handle), nil
	case name != Uring && name != Epoll:
		return nil, fmt.Errorf("back end %q is none of io_uring, epoll, portable", name)
	case c.TLS != nil:
		return nil, fmt.Errorf("TLS on %s: %w", name, ErrUnsupported)
	}
	return newNative(name, c, handle)
}
