package main

// The loads that are compared, as a list of values.

import "fmt"

// What a workload is measured for.
const (
	aspectWork   = "work"   // requests per client CPU-second and per second
	aspectMemory = "memory" // peak memory of the client
	aspectDelay  = "delay"  // latency against a server with a known delay
	aspectStall  = "stall"  // latency against a server that stalls
)

// Sizes of the files that the servers offer, in bytes.
const (
	smallBytes  = 1536
	mediumBytes = 143 * 1000
	largeBytes  = 658 * 1000
)

// stallRate is in requests per second: enough for a stall to meet a tenth of
// them, whichever connections they are sent on.
const stallRate = 500

const (
	small  = "small"
	medium = "medium"
	large  = "large"
)

var fileSizes = map[string]int{small: smallBytes, medium: mediumBytes, large: largeBytes}

// workload is one load that every client puts on one server.
type workload struct {
	Aspect string
	Server string // a name of the servers table
	Size   string // of the file asked for
	Conns  int
	Close  bool    // a connection for each request instead of keep-alive
	Rate   float64 // requests per second for clients that can pace; 0: as fast as they can
}

// name identifies a workload in flags, tables and raw figures.
func (w workload) name() string {
	mode := "keep"
	if w.Close {
		mode = "close"
	}
	return fmt.Sprintf("%s/%s/%s/%s/c%d", w.Aspect, w.Server, mode, w.Size, w.Conns)
}

func (w workload) path() string {
	if w.Server == serverNginx {
		return "/" + w.Size + ".html"
	}
	return "/"
}

// workloads is the whole comparison, in the order of the tables.
func workloads() []workload {
	var all []workload
	each := func(w workload, conns ...int) {
		for _, c := range conns {
			w.Conns = c
			all = append(all, w)
		}
	}
	each(workload{Aspect: aspectWork, Server: serverCanned, Size: small}, 10, 150, 1000)
	each(workload{Aspect: aspectWork, Server: serverNginx, Size: small}, 10, 150, 1000)
	each(workload{Aspect: aspectWork, Server: serverNginx, Size: small, Close: true}, 10, 150, 1000)
	each(workload{Aspect: aspectWork, Server: serverNginx, Size: medium}, 10, 150)
	each(workload{Aspect: aspectWork, Server: serverNginx, Size: large}, 10, 150)
	each(workload{Aspect: aspectDelay, Server: serverDelay, Size: small}, 1)
	each(workload{Aspect: aspectStall, Server: serverStall, Size: small, Rate: stallRate}, 10)
	each(workload{Aspect: aspectMemory, Server: serverCanned, Size: small}, 10, 150, 1000, 10000)
	return all
}
