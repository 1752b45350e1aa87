package scenario

import (
	"net/netip"
	"time"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// field is one setting of a load. It may stand in load, in a system or in a
// grid block.
type field struct {
	name, doc string
	def       string // "" for none: then the value left out is the zero value of bench.Load
	example   string
	axis      bool // may be a list, and is then an axis of the grid
	kind      kind
	slot      slot

	choices func(*parser) []string                           // nil: the kind decides alone
	read    func(*parser, *yaml.Node) (data any, valid bool) // of settings that are no scalar; nil for scalars
	resolve func(*resolver, *value) any                      // replaces ${NAME}; nil: holds none
}

// draft is a cell in the making, with the settings that bench.Cell keeps in
// another form.
type draft struct {
	bench.Cell
	tls         bench.TLS
	checkLength *bool
	place       *group // the block that it comes from
	chosen      []*value
	excluded    bool
	ours        bool // its system is a server that the runner starts
}

// slot is where a field's value lives in a draft.
type slot struct {
	set func(*draft, any)
	get func(*draft) any
}

func at[T any](p func(*draft) *T) slot {
	return slot{
		set: func(d *draft, v any) { *p(d) = v.(T) },
		get: func(d *draft) any { return *p(d) },
	}
}

// text is the canonical value that d has for f, or "" when it has none.
func (f *field) text(d *draft) string {
	s := canonical(f.slot.get(d))
	if f.def == "" && (s == "0" || s == "0s") {
		return ""
	}
	return s
}

// canon is the text by which a value written for f is compared.
func (f *field) canon(text string) string {
	if v, err := f.kind.parse(text); err == nil {
		return canonical(v)
	}
	return text
}

func fieldNamed(name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

const (
	maxConcurrency = 20_000
	maxRequests    = int64(1e12)
)

// fields is every load setting: one entry here is all that a new one needs. The
// first four are axes of every cell (of requests and duration, one).
var fields = []field{
	{name: "file", axis: true, example: "[small, large]", doc: "The file of `files` that is asked for.",
		kind: texts("name of a file", nil), slot: at(func(d *draft) *string { return &d.File.Name }),
		choices: func(p *parser) []string { return p.fileNames }},
	{name: "concurrency", axis: true, example: "[1, 10, 150]", doc: "Connections at a time, of all generators together.",
		kind: counts(1, maxConcurrency), slot: at(func(d *draft) *int { return &d.Load.Conns })},
	{name: "requests", axis: true, example: "[100, 1000]", doc: "The budget as a number of requests. A cell has either `requests` or `duration`; where levels differ, the nearer one wins.",
		kind: counts(1, maxRequests), slot: at(func(d *draft) *int64 { return &d.Load.Requests })},
	{name: "duration", axis: true, example: "60s", doc: "The budget as a time.",
		kind: durations(time.Millisecond), slot: at(func(d *draft) *time.Duration { return &d.Load.Duration })},
	{name: "driver", axis: true, def: "native", example: "[native, ab]", doc: "What makes the load.",
		kind: texts("name of a driver", nil), slot: at(func(d *draft) *string { return &d.Driver }),
		choices: func(p *parser) []string { return names(p.known.Drivers) }},
	{name: "protocol", axis: true, def: "HTTP/1.1", example: "HTTP/1.0", doc: "The HTTP version that is spoken; `h2` is HTTP/2 over TLS, `h2c` HTTP/2 in the clear.",
		kind: oneOf(bench.HTTP10, bench.HTTP11, bench.H2, bench.H2C), slot: at(func(d *draft) *bench.Protocol { return &d.Load.Protocol })},
	{name: "keep_alive", axis: true, def: "false", example: "[false, true]", doc: "Many requests a connection; without it every request has a connection of its own.",
		kind: truth(), slot: at(func(d *draft) *bool { return &d.Load.KeepAlive })},
	{name: "timeout", axis: true, def: "30s", example: "30s", doc: "Of one request, from connect to its last byte.",
		kind: durations(time.Millisecond), slot: at(func(d *draft) *time.Duration { return &d.Load.Timeout })},
	{name: "open_files", axis: true, example: "1024", doc: "Descriptor limit of the load generator. Left out, the limit stays as it is.",
		kind: counts(1, 10_000_000), slot: at(func(d *draft) *int { return &d.Load.OpenFiles })},
	{name: "rate", axis: true, example: "500", doc: "Requests due each second, evenly spaced (an open loop); latency runs from the time a request was due. Left out, each connection sends as soon as it can.",
		kind: rates(), slot: at(func(d *draft) *float64 { return &d.Load.Rate })},
	{name: "warmup", axis: true, example: "2s", doc: "Load before the measurement, not counted.",
		kind: durations(0), slot: at(func(d *draft) *time.Duration { return &d.Load.Warmup })},
	{name: "think", axis: true, example: "100ms", doc: "Pause of a connection between two requests.",
		kind: durations(0), slot: at(func(d *draft) *time.Duration { return &d.Load.Think })},
	{name: "ramp", axis: true, example: "5s", doc: "Time over which the connections are opened.",
		kind: durations(0), slot: at(func(d *draft) *time.Duration { return &d.Load.Ramp })},
	{name: "method", axis: true, def: "GET", example: "POST", doc: "The HTTP method.",
		kind: texts("HTTP method", isMethod), slot: at(func(d *draft) *string { return &d.Load.Method })},
	{name: "headers", example: "{Accept-Encoding: gzip}", doc: "Header fields added to every request. A nearer level replaces them all. `${NAME}` is taken from the environment.",
		kind: kind{words: "mapping of names to values", schema: map[string]any{"type": "object", "additionalProperties": scalarSchema()}},
		slot: headerSlot, read: readHeaders, resolve: resolveHeaders},
	{name: "body", example: `'{"id": 1}'`, doc: "Sent with every request. `${NAME}` is taken from the environment.",
		kind: kind{words: "text", schema: scalarSchema()},
		slot: at(func(d *draft) *[]byte { return &d.Load.Body }), read: readBody, resolve: resolveBody},
	{name: "streams", axis: true, example: "8", doc: "HTTP/2 streams at a time on each connection. A server may allow fewer: then a note says so.",
		kind: counts(1, 1000), slot: at(func(d *draft) *int { return &d.Load.Streams })},
	{name: "pick", axis: true, example: "in turn", doc: "How the next file of a set is chosen. Left out, at random.",
		kind: oneOf(bench.PickRandom, bench.PickInTurn), slot: at(func(d *draft) *bench.Pick { return &d.Load.Pick })},
	{name: "threads", axis: true, example: "2", doc: "Threads of each load generator. Left out, it chooses.",
		kind: counts(1, 1024), slot: at(func(d *draft) *int { return &d.Load.Threads })},
	{name: "generators", axis: true, def: "1", example: "[1, 2]", doc: "Processes of the native driver that begin together and share the connections, requests and rate of a cell: with `concurrency: 30`, two have 15 each. Their figures are added up.",
		kind: counts(1, 64), slot: slot{
			// One is kept as none said: so it was before there could be several.
			set: func(d *draft, v any) { d.Load.Generators = several(v.(int)) },
			get: func(d *draft) any { return max(d.Load.Generators, 1) }}},
	{name: "nice", axis: true, def: "0", example: "[0, 4]", doc: "Nice level of the load generator, whichever driver; below 0 is for root. At another level than 0 the native driver is a process of its own.",
		kind: niceLevels(), slot: at(func(d *draft) *int { return &d.Load.Nice })},
	{name: "backend", axis: true, example: "epoll", doc: "How the native driver waits for its sockets. Left out, the best there is.",
		kind: oneOf("io_uring", "epoll", "portable"), slot: at(func(d *draft) *string { return &d.Load.Backend })},
	{name: "sources", example: "[127.0.0.2, 127.0.0.3]", doc: "Local addresses to connect from, in turn.",
		kind: kind{words: "list of IP addresses", schema: map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "string"}}},
		slot: at(func(d *draft) *[]string { return &d.Load.Sources }), read: readSources},
	{name: "unix", example: "/run/web.sock", doc: "Path of a unix socket to connect to, instead of the URL's host.",
		kind: texts("path", isPath), slot: at(func(d *draft) *string { return &d.Load.Unix })},
	{name: "receive_buffer", axis: true, example: "256KiB", doc: "SO_RCVBUF of the connections. It changes how the server behaves; left out, the kernel's own.",
		kind: bufferSize(), slot: at(func(d *draft) *int { return &d.Load.ReceiveBuffer })},
	{name: "receive_low_water", axis: true, def: "false", example: "true", doc: "Set SO_RCVLOWAT, so that a body wakes the generator less often. It changes how the server behaves.",
		kind: truth(), slot: at(func(d *draft) *bool { return &d.Load.ReceiveLowWater })},
	{name: "check_length", example: "true", doc: "Whether an answer whose body is not as long as the file has failed. Left out: true for a server that the runner starts, false for a `url`, whose files may only be about as large.",
		kind: truth(), slot: slot{
			set: func(d *draft, v any) { b := v.(bool); d.checkLength = &b },
			get: func(d *draft) any { return d.checkLength != nil && *d.checkLength }}},
	{name: "check_content", example: "100", doc: "Check the digest of one answer in this many. Left out, none.",
		kind: counts(1, 1_000_000), slot: at(func(d *draft) *int { return &d.Load.Expect.SampleOne })},
	{name: "limit", example: "10m", doc: "The longest that one trial may take before it is stopped and recorded as timed out. Left out, as long as it takes for every request to time out.",
		kind: durations(time.Second), slot: at(func(d *draft) *time.Duration { return &d.Limit })},
	{name: "expect_failure", def: "false", example: "true", doc: "The cell is expected to fail, such as one with more connections than descriptors: its failing does not make the run fail.",
		kind: truth(), slot: at(func(d *draft) *bool { return &d.ExpectFailure })},
	{name: "insecure", def: "false", example: "true", doc: "TLS: accept any certificate.",
		kind: truth(), slot: at(func(d *draft) *bool { return &d.tls.Insecure })},
	{name: "tls_resume", axis: true, def: "true", example: "[true, false]", doc: "TLS: resume sessions; without it every connection makes a full handshake.",
		kind: truth(), slot: slot{
			set: func(d *draft, v any) { d.tls.NoResume = !v.(bool) },
			get: func(d *draft) any { return !d.tls.NoResume }}},
	{name: "server_name", example: "www.example.org", doc: "TLS: the name that is asked for and verified. Left out, the URL's host.",
		kind: texts("host name", func(s string) error { return bounded(s, 1, 255) }), slot: at(func(d *draft) *string { return &d.tls.ServerName })},
	{name: "ca_file", example: "ca.pem", doc: "TLS: authorities to trust instead of the system's, in PEM.",
		kind: texts("path", isPath), slot: at(func(d *draft) *string { return &d.tls.CAFile })},
	{name: "cert_file", example: "client.pem", doc: "TLS: client certificate, in PEM.",
		kind: texts("path", isPath), slot: at(func(d *draft) *string { return &d.tls.CertFile })},
	{name: "key_file", example: "client.key", doc: "TLS: key of the client certificate, in PEM.",
		kind: texts("path", isPath), slot: at(func(d *draft) *string { return &d.tls.KeyFile })},
}

func several(n int) int {
	if n == 1 {
		return 0
	}
	return n
}

func bufferSize() kind {
	k := sizes(1 << 30)
	parse := k.parse
	k.parse = func(text string) (any, error) {
		n, err := parse(text)
		if err != nil {
			return nil, err
		}
		return int(n.(int64)), nil
	}
	return k
}

func readSources(p *parser, n *yaml.Node) (any, bool) {
	items, ok := p.sequence(n, "sources")
	if !ok {
		return nil, false
	}
	var list []string
	for _, item := range items {
		text, valid := p.scalar(item, "a source")
		if !valid {
			ok = false
		} else if _, err := netip.ParseAddr(text); err != nil {
			p.problem(item, "%q is not an IP address", text)
			ok = false
		}
		list = append(list, text)
	}
	return list, ok
}
