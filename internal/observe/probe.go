package observe

import "matrix/internal/bench"

// Probe fills in what it knows of a host's condition and leaves the rest. It is
// called several times a second while a trial runs, so it must be cheap.
type Probe struct {
	Name, Doc string
	Read      func(g *glance, h *bench.Host)
}

// Probes lists what is looked at.
var Probes = []Probe{
	{"load", "load average over one minute", readLoad},
	{"memory", "memory that programs could still get", readMemory},
	{"sockets", "TCP sockets in use, and in TIME_WAIT (Linux)", readSockets},
	{"zombies", "processes that have ended and are not reaped (Linux)", readZombies},
}
