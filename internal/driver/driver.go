// Package driver is the shelf of load makers: each takes a trial and returns
// what it measured. A trial's Load comes in, complete with URLs; a Measurement
// goes out, and what an external tool printed goes to a writer on the way.
//
// A driver starts no server, reads no scenario and writes no journal. Requests
// that went badly are counted; an error means that the driver itself could not
// work, or gave up.
package driver

import (
	"context"
	"fmt"
	"io"
	"strings"

	"matrix/internal/bench"
)

// Driver makes the load of trials, one at a time.
type Driver interface {
	// Check tells the driver's version, or what this machine lacks for it.
	Check(ctx context.Context) (version string, err error)

	// Run makes the load of the trial. What an external tool prints is written
	// to raw, without secrets. Beside an error, the measurement holds what had
	// been counted until then. When ctx ends, so does Run, and with it
	// everything it started.
	Run(ctx context.Context, t bench.Trial, raw io.Writer) (bench.Measurement, error)
}

// Kind is a sort of driver.
type Kind struct {
	Name, Doc string
	New       func() Driver
	Refuse    func(bench.Load) error // says what it cannot do, before the first trial; nil: it does all
	Offline   bool                   // it makes no connections, so no server need be up
}

// Kinds lists the drivers.
var Kinds = []Kind{
	{Name: "native", Doc: "the engine built into matrix: every protocol and setting, whole latency distributions", New: func() Driver { return native{} }, Refuse: refuseNative},
	{Name: "ab", Doc: "ApacheBench: HTTP/1.0, one URL, times in whole milliseconds", New: ab.driver, Refuse: refuseAB},
	{Name: "http_load", Doc: "http_load of acme.com: HTTP/1.0, a connection per request, a set of files picked at random, connect and first-response times", New: httpLoad.driver, Refuse: refuseHTTPLoad},
	{Name: "wrk", Doc: "wrk: HTTP/1.1, one URL, a duration", New: wrk.driver, Refuse: refuseWrk},
	{Name: "h2load", Doc: "h2load of nghttp2: HTTP/1.1 and HTTP/2, kept connections", New: h2load.driver, Refuse: refuseH2Load},
	{Name: "fake", Doc: "no load at all: figures computed from the cell alone, for trying out scenarios and for tests; see the header X-Fake",
		New: func() Driver { return fake{} }, Refuse: refuseFake, Offline: true},
}

// Find returns the kind of that name.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("no driver is called %q: there are %s", name, strings.Join(names, ", "))
}

// Offline reports whether the driver of that name makes no connections.
func Offline(name string) bool {
	k, err := Find(name)
	return err == nil && k.Offline
}
