package bench

import "time"

// Protocol is the HTTP version a load speaks.
type Protocol string

// The protocols a Load may name.
const (
	HTTP10 Protocol = "HTTP/1.0"
	HTTP11 Protocol = "HTTP/1.1"
	H2     Protocol = "h2"  // HTTP/2 over TLS
	H2C    Protocol = "h2c" // HTTP/2 in the clear, by prior knowledge
)

// Pick is how the next of several URLs is chosen.
type Pick string

// The ways to pick a URL.
const (
	PickRandom Pick = "random" // independent, seeded by Load.Seed
	PickInTurn Pick = "in turn"
)

// Header is one header field of a request.
type Header struct{ Name, Value string }

// Load is all that a driver needs to make load; it knows nothing of the matrix.
// The fields that can carry secrets (URLs, Header, Body, TLS) are never written
// to a journal.
type Load struct {
	URLs     []string `json:"-"`              // at least one; all of one scheme, host and port
	Pick     Pick     `json:"pick,omitempty"` // how one of several URLs is chosen; "" is PickRandom
	Method   string   `json:"method"`         // "" is GET
	Header   []Header `json:"-"`              // added to every request
	Body     []byte   `json:"-"`              // sent with every request when not nil
	Protocol Protocol `json:"protocol"`       // "" is HTTP/1.1
	Conns    int      `json:"concurrency"`    // connections at a time, 1 or more
	Streams  int      `json:"streams,omitempty"`

	// KeepAlive asks for many requests a connection; without it every request
	// has a connection of its own.
	KeepAlive bool `json:"keep_alive"`

	// The budget: exactly one of the two is above zero.
	Requests int64         `json:"requests,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`

	// Rate above zero makes an open loop: that many requests are due each second,
	// evenly spaced, and latency runs from the time a request was due.
	Rate float64 `json:"rate,omitempty"`

	Warmup  time.Duration `json:"warmup_ns,omitempty"`  // load before the measurement, not counted
	Timeout time.Duration `json:"timeout_ns,omitempty"` // of one request, connect to last byte; 0 is 30 s
	Think   time.Duration `json:"think_ns,omitempty"`   // pause of a connection between two requests
	Ramp    time.Duration `json:"ramp_ns,omitempty"`    // time over which the connections are opened

	OpenFiles  int `json:"open_files,omitempty"` // descriptor limit of the load generator; 0 leaves it
	Threads    int `json:"threads,omitempty"`    // engine threads, of each generator; 0 lets the engine choose
	Nice       int `json:"nice,omitempty"`       // nice level of the load generator, -20 to 19; 0 leaves it
	Generators int `json:"generators,omitempty"` // processes that Conns, budget and Rate are split over; 0 is one

	Sources []string `json:"sources,omitempty"` // local addresses to connect from, in turn
	Unix    string   `json:"unix,omitempty"`    // path of a unix socket to connect to instead
	TLS     *TLS     `json:"-"`
	Backend string   `json:"backend,omitempty"` // "", "io_uring", "epoll" or "portable"; "" takes the best there is

	// ReceiveBuffer sets SO_RCVBUF and ReceiveLowWater SO_RCVLOWAT for bodies.
	// Both change how the server behaves (a larger window), so both are off
	// unless asked for.
	ReceiveBuffer   int  `json:"receive_buffer,omitempty"`
	ReceiveLowWater bool `json:"receive_low_water,omitempty"`

	Expect Expect `json:"-"` // follows from the files; lengths of thousands of them would fill a journal
	Seed   uint64 `json:"seed,omitempty"`
}

// TLS is how an https load shakes hands.
type TLS struct {
	Insecure   bool   // accept any certificate
	ServerName string // SNI and name to verify; "" is the URL's host
	NoResume   bool   // a full handshake for every connection
	CAFile     string // PEM of the authorities to trust instead of the system's
	CertFile   string // client certificate, PEM
	KeyFile    string // its key, PEM
}

// Expect is what a good answer looks like beyond its 2xx status. The zero value
// expects nothing more. Lengths and digests follow from the cell's file, so a
// journal does not repeat them, a thousand for a set, in every record.
type Expect struct {
	Length    map[string]int64  // URL path to body length in bytes
	SHA256    map[string]string // URL path to hex digest of the body
	SampleOne int               // check the digest of one answer in this many; 0 checks none
}
