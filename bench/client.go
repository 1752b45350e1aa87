package main

// The load generators, as a list of values: how each is called, and what it cannot do.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// client is one load generator, as a value. An argv that refuses a workload
// gives the reason; a parse turns what the tool printed into figures.
type client struct {
	Name  string
	Bin   string   // a name on the path, or a path
	Env   []string // added to the environment
	Argv  func(w workload, url string, seconds int) ([]string, error)
	Parse func(out []byte) (figures, error)
	Notes string // what a reader of the tables must know of it
}

// The client that all others are compared with, and its variant.
const (
	matrixName   = "matrix"
	matrixLowWat = "matrix --receive-low-water"
)

func clients(matrix, bin string) []client {
	return []client{
		{Name: matrixName, Bin: matrix, Argv: matrixArgv, Parse: parseMatrix},
		{Name: matrixLowWat, Bin: matrix, Argv: lowWaterArgv, Parse: parseMatrix,
			Notes: "asks the kernel to wake it for large pieces only (SO_RCVLOWAT), which changes the window that the server sees: a row of its own, for medium and large files"},
		{Name: "wrk", Bin: "wrk", Argv: wrkArgv, Parse: parseWrk,
			Notes: "has no flag for a connection per request: it sends `Connection: close`; has no rate; adds latencies that it takes a pause to have hidden, without saying so"},
		{Name: "ab", Bin: "ab", Argv: abArgv, Parse: parseAB,
			Notes: "speaks HTTP/1.0; prints percentiles in whole milliseconds; has no rate"},
		{Name: "h2load", Bin: "h2load", Argv: h2loadArgv, Parse: parseH2load,
			Notes: "prints no percentiles; cannot open a connection for each request; its rate is left out, for want of percentiles"},
		{Name: "hey", Bin: filepath.Join(bin, "hey"), Argv: heyArgv, Parse: parseHey,
			Notes: "prints percentiles in tenths of a millisecond; its rate (-q) is per connection"},
		{Name: "bombardier", Bin: filepath.Join(bin, "bombardier"), Env: []string{"GOMAXPROCS=1"}, Argv: bombardierArgv, Parse: parseBombardier},
	}
}

func matrixArgv(w workload, url string, seconds int) ([]string, error) {
	argv := []string{"bench", url, "-t", fmt.Sprintf("%ds", seconds), "-c", strconv.Itoa(w.Conns), "--json"}
	if !w.Close {
		argv = append(argv, "-k")
	}
	if w.Rate > 0 {
		argv = append(argv, "-r", strconv.FormatFloat(w.Rate, 'f', -1, 64))
	}
	return argv, nil
}

func lowWaterArgv(w workload, url string, seconds int) ([]string, error) {
	if w.Size == small {
		return nil, errors.New("for large bodies only")
	}
	argv, err := matrixArgv(w, url, seconds)
	return append(argv, "--receive-low-water"), err
}

func wrkArgv(w workload, url string, seconds int) ([]string, error) {
	argv := []string{"-t1", "-c", strconv.Itoa(w.Conns), "-d", fmt.Sprintf("%ds", seconds), "--latency"}
	if w.Close {
		argv = append(argv, "-H", "Connection: close")
	}
	return append(argv, url), nil
}

// abArgv gives the time before the number: ab's -t sets the number to 50 000.
func abArgv(w workload, url string, seconds int) ([]string, error) {
	argv := []string{"-q", "-t", strconv.Itoa(seconds), "-n", "20000000", "-c", strconv.Itoa(w.Conns)}
	if !w.Close {
		argv = append(argv, "-k")
	}
	return append(argv, url), nil
}

func h2loadArgv(w workload, url string, seconds int) ([]string, error) {
	if w.Close {
		return nil, errors.New("cannot open a connection for each request")
	}
	return []string{"--h1", "-t1", "-c", strconv.Itoa(w.Conns), "-D", strconv.Itoa(seconds), url}, nil
}

func heyArgv(w workload, url string, seconds int) ([]string, error) {
	argv := []string{"-cpus", "1", "-z", fmt.Sprintf("%ds", seconds), "-c", strconv.Itoa(w.Conns)}
	if w.Close {
		argv = append(argv, "-disable-keepalive")
	}
	if w.Rate > 0 {
		argv = append(argv, "-q", strconv.FormatFloat(w.Rate/float64(w.Conns), 'f', -1, 64))
	}
	return append(argv, url), nil
}

func bombardierArgv(w workload, url string, seconds int) ([]string, error) {
	argv := []string{"-c", strconv.Itoa(w.Conns), "-d", fmt.Sprintf("%ds", seconds), "-l", "-p", "r", "-o", "j"}
	if w.Close {
		argv = append(argv, "-H", "Connection: close")
	}
	if w.Rate > 0 {
		argv = append(argv, "-r", strconv.FormatFloat(w.Rate, 'f', -1, 64))
	}
	return append(argv, url), nil
}
