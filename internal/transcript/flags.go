package transcript

// setting is what a flag of a tool's command line asks for.
type setting int

const (
	harmless setting = iota // what is printed, and where
	requests
	connections
	timeLimit // seconds, or with a unit of its own
	keepAlive
	rate          // requests a second, of all connections together
	rateOfEach    // requests a second, of each connection
	streams       // requests under way at once on each connection
	threads       //
	warmup        // seconds, or with a unit of its own
	timeout       // seconds, or with a unit of its own
	receiveBuffer // bytes
	port          // of the server
	method        //
	head          // the method HEAD, without a value
	post          // a file that is sent
	put           // a file that is sent
	header        // "Name: value"
	contentType   //
	cookie        //
	authorization // for the server
	other         // an axis of its own
)

// flag is one flag of a tool, by all its names: "-n", "--requests".
type flag struct {
	names  []string
	sets   setting
	alone  bool   // it takes no value
	axis   string // what other is called; "" takes the name without dashes
	normal string // the value that the tool has unless told; "" where it has none, or it matters
}

func valued(sets setting, names ...string) flag { return flag{names: names, sets: sets} }
func alone(sets setting, names ...string) flag {
	return flag{names: names, sets: sets, alone: true}
}
func axis(name string, names ...string) flag { return flag{names: names, sets: other, axis: name} }

// usually is the flag with the value that the tool has unless told.
func (f flag) usually(value string) flag {
	f.normal = value
	return f
}

// abFlags are those of ab of every version.
var abFlags = []flag{
	valued(requests, "-n"), valued(connections, "-c"), valued(timeLimit, "-t"), alone(keepAlive, "-k"), valued(timeout, "-s").usually("30"),
	valued(receiveBuffer, "-b"), axis("sources", "-B"), valued(post, "-p"), valued(put, "-u"), valued(contentType, "-T"), alone(head, "-i"), valued(method, "-m"),
	valued(cookie, "-C"), valued(header, "-H"), valued(authorization, "-A"), axis("proxy_authorization", "-P"), axis("proxy", "-X"),
	{names: []string{"-I"}, sets: other, alone: true, axis: "no_server_name"}, axis("ciphers", "-Z"), axis("tls", "-f"), axis("client_certificate", "-E"),
	valued(harmless, "-v"), valued(harmless, "-x"), valued(harmless, "-y"), valued(harmless, "-z"), valued(harmless, "-g"), valued(harmless, "-e"),
	alone(harmless, "-w"), alone(harmless, "-V"), alone(harmless, "-d"), alone(harmless, "-S"), alone(harmless, "-q"), alone(harmless, "-l"),
	alone(harmless, "-r"), alone(harmless, "-h"),
}

// zbFlags are those of zb.
var zbFlags = []flag{
	valued(requests, "-n"), valued(connections, "-c"), valued(timeLimit, "-t"), alone(keepAlive, "-k"), valued(port, "-p"), valued(harmless, "-d"),
}

// wrkFlags are those of wrk and of wrk2.
var wrkFlags = []flag{
	valued(connections, "-c", "--connections"), valued(timeLimit, "-d", "--duration"), valued(threads, "-t", "--threads"),
	axis("script", "-s", "--script"), valued(header, "-H", "--header"), valued(timeout, "-T", "--timeout").usually("2"), valued(rate, "-R", "--rate"),
	alone(harmless, "-L", "--latency"), alone(harmless, "-U", "--u_latency"), alone(harmless, "-B", "--batch_latency"),
	alone(harmless, "-v", "--version"), alone(harmless, "-h", "--help"), alone(harmless, "-r"),
}

// h2loadFlags are those of h2load up to 1.66.
var h2loadFlags = []flag{
	valued(requests, "-n", "--requests"), valued(connections, "-c", "--clients"), valued(threads, "-t", "--threads"),
	valued(streams, "-m", "--max-concurrent-streams"), valued(timeLimit, "-D", "--duration"), valued(warmup, "--warm-up-time"),
	valued(timeout, "-N", "--connection-inactivity-timeout"), valued(rateOfEach, "--rps"), valued(header, "-H", "--header"), valued(post, "-d", "--data"),
	axis("urls", "-i", "--input-file"), axis("connection_rate", "-r", "--rate").usually("0"), axis("rate_period", "--rate-period").usually("1s"),
	axis("connection_active_timeout", "-T", "--connection-active-timeout"), axis("timing_script", "--timing-script-file"),
	axis("base_uri", "-B", "--base-uri"), axis("connect_to", "--connect-to"), axis("max_frame_size", "-f", "--max-frame-size").usually("16K"),
	axis("window_bits", "-w", "--window-bits").usually("30"), axis("connection_window_bits", "-W", "--connection-window-bits").usually("30"),
	axis("header_table_size", "--header-table-size").usually("4K"), axis("encoder_header_table_size", "--encoder-header-table-size").usually("4K"),
	axis("ciphers", "--ciphers"), axis("tls13_ciphers", "--tls13-ciphers"), axis("groups", "--groups"), axis("sni", "--sni"),
	axis("max_udp_payload_size", "--max-udp-payload-size"), {names: []string{"--no-udp-gso"}, sets: other, alone: true}, {names: []string{"--ktls"}, sets: other, alone: true},
	valued(harmless, "-p", "--no-tls-proto"), valued(harmless, "--npn-list"), valued(harmless, "--alpn-list"), alone(harmless, "--h1"), // the report tells the protocol
	valued(harmless, "--log-file"), valued(harmless, "--qlog-file-base"), alone(harmless, "-v", "--verbose"), alone(harmless, "--version"), alone(harmless, "-h", "--help"),
}

// httpLoadFlags are those of http_load and its forks, in its own order: of those
// that begin alike the first is taken, so that -p is -parallel.
var httpLoadFlags = []flag{
	alone(harmless, "-checksum"), {names: []string{"-throttle"}, sets: other, alone: true}, axis("throttle", "-Throttle"), alone(harmless, "-verbose"), valued(timeout, "-timeout").usually("60"),
	{names: []string{"-jitter"}, sets: other, alone: true}, valued(connections, "-parallel"), valued(rate, "-rate"), valued(requests, "-fetches"), valued(timeLimit, "-seconds"),
	axis("sources", "-sip"), axis("ciphers", "-cipher"), axis("proxy", "-proxy"), alone(keepAlive, "-keep_alive"),
}
