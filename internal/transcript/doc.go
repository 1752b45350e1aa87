// Package transcript reads what other load generators print. Text of a tool
// comes in, from a process that just ended, a captured log, a mailing list
// archive or a web page; Reports, each a measurement with the facts that the
// tool printed around it, go out.
//
// The text is a stranger's: it is bounded, nothing in it is believed beyond its
// own lines, and counters that contradict each other are brought in line with a
// note, so that every Report's measurement passes Check. The package runs no
// tool and judges no figure.
package transcript

import (
	"errors"
	"fmt"
	"io"
	"time"

	"matrix/internal/bench"
)

// Longest is the longest transcript that is read, in bytes.
const Longest = 16 << 20

// Report is one run of a tool as its transcript tells it. Pointers that are nil
// and texts that are empty were not printed.
type Report struct {
	bench.Measurement
	Asked
	Version  string // "2.3"
	Revision string // of the tool's source, "655654"
	Host     string // that was measured, as given to the tool
	Port     int    // 0: not printed
	Path     string // of the URL
	Document *int64 // bytes of the body that the tool took as the right one

	Abort string // the tool's words when it gave up midway, or why its report yields nothing; "" when it ran to its end

	// Cut is what the report lacks of what a whole one has, where that could not
	// change what it tells, such as "there is no line ..."; "" for a whole report.
	Cut string

	socket socketCounts // of wrk
}

// Asked is what the tool was asked for, where the report or a command line in the
// log tells. Zero values were not told.
type Asked struct {
	Commanded     bool // a command line tells: what is not in it is as the tool has it
	Concurrency   int  // connections at a time
	Requests      int64
	Duration      time.Duration
	KeepAlive     *bool
	Protocol      bench.Protocol
	Query         string  // of the URL
	Rate          float64 // requests a second, of all connections together
	Streams       int     // requests under way at once on each connection
	Threads       int
	Warmup        time.Duration
	Timeout       time.Duration
	Method        string
	ReceiveBuffer int
	Settings      []bench.Pair // what else of the command changes the load, by names as in a scenario

	rateOfEach float64 // as Rate, of each connection
	openLoop   bool    // requests are sent at a rate, whether Rate is told or not
}

// Format is a kind of transcript.
type Format struct {
	Name  string // of the tool
	Doc   string
	Parse func(io.Reader) ([]Report, error)
}

// Formats lists the kinds of transcripts that can be read.
var Formats = []Format{
	{"ab", "ApacheBench of every version, from 1.1 of 1998 on, also with -w", ParseAB},
	{"zb", "ZeusBench of 1996, which ApacheBench was made from", ParseZB},
	{"http_load", "http_load of 2005 to 2016 and its forks", ParseHTTPLoad},
	{"wrk", "wrk and wrk2", ParseWrk},
	{"h2load", "h2load of nghttp2, for HTTP/1.1 and HTTP/2", ParseH2Load},
}

// read takes in a whole transcript, up to its bound.
func read(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, Longest+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading transcript: %w", err)
	case len(b) > Longest:
		return "", fmt.Errorf("reading transcript: longer than %d MiB", Longest>>20)
	case len(b) == 0:
		return "", errors.New("reading transcript: it is empty")
	}
	return decode(b)
}
