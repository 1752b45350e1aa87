// Package load is the native load engine: a bench.Load goes in, a
// bench.Measurement comes out. It counts every request it issues exactly once,
// keeps its own faults apart from the server's, and says in which back end and
// at what cost to itself it worked.
//
// A run is a few threads that share nothing but a counter of tickets. Each has
// its own poller (package poll), connections, timers, histograms and counters;
// the state machine of a connection is in conn.go, written once over all back
// ends, and what came of a request is in tally.go. HTTP/1 bytes are the matter
// of package wire. HTTP/2 has its own loop: h2session.go and the files beside it
// are the state of a connection, which takes frames and gives frames, h2conn.go
// reads and writes them, h2.go deals out the requests.
//
// It follows no redirect, decodes no content, prints nothing, writes no file
// and knows nothing of cells, systems or scenarios.
package load
