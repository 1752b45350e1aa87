package bench

import "time"

// State is the fate of a trial.
type State string

// The states. Only ok and degraded trials are ranked.
const (
	StateOK          State = "ok"
	StateDegraded    State = "degraded" // some requests failed
	StateFailed      State = "failed"
	StateTimeout     State = "timeout" // every request timed out, or the driver did not end in time
	StateSkipped     State = "skipped"
	StateInterrupted State = "interrupted"
)

// States lists them all.
var States = []State{StateOK, StateDegraded, StateFailed, StateTimeout, StateSkipped, StateInterrupted}

// Ranked reports whether the figures of a trial in this state may be compared.
func (s State) Ranked() bool { return s == StateOK || s == StateDegraded }

// Failed reports whether a trial in this state was run and yielded no figures.
func (s State) Failed() bool { return s == StateFailed || s == StateTimeout }

// Record is one line of the journal: a trial, what it yielded and in what
// condition the host was.
type Record struct {
	Trial
	Started     time.Time                     `json:"started"`
	Took        time.Duration                 `json:"took_ns,omitempty"`   // the driver at work, repeats of multi_times included; 0: it never was
	Waited      time.Duration                 `json:"waited_ns,omitempty"` // for the host to cool down, before it began; 0: it was not waited for
	Measurement `json:"measurement,omitzero"` // absent where nothing was measured at all
	Host        Observation                   `json:"host"`
	Multi       *Multi                        `json:"multi,omitempty"`
	State       State                         `json:"state"`
	Reason      string                        `json:"reason,omitempty"` // why State is not ok
	Raw         string                        `json:"raw,omitempty"`    // file under raw/ with what an external tool printed; "" for none
	Notes       []Note                        `json:"notes,omitempty"`

	// AsPrinted holds, by the name of the metric or column, what a published
	// table printed of this trial. Where it is not nil, nothing else was measured:
	// Measurement has no counts.
	AsPrinted map[string]Figure `json:"as_printed,omitempty"`
}

// Multi is how a system stood a cell being run again and again at once.
type Multi struct {
	Asked  int    `json:"asked"`
	OK     int    `json:"ok"`     // repeats without any failure before the first that had one
	Reason string `json:"reason"` // of the first repeat that failed; "" when none did
}

// Host is the condition of a host at one moment. Nil means not measured.
type Host struct {
	Load1    *float64 `json:"load1,omitempty"`     // load average over one minute, as the kernel tells it
	Zombies  *int     `json:"zombies,omitempty"`   // defunct processes
	TimeWait *int     `json:"time_wait,omitempty"` // TCP sockets in TIME_WAIT
	Sockets  *int     `json:"sockets,omitempty"`   // TCP sockets in use
	MemFree  *int64   `json:"mem_available_bytes,omitempty"`
}

// Observation is the host around a trial: before, after, and the greatest of
// the samples taken while it ran (for MemFree the least).
type Observation struct {
	Before Host `json:"before"`
	After  Host `json:"after"`
	Peak   Host `json:"peak"`

	// CPU time spent during the trial, in seconds, by the server's processes. Nil
	// where the server is not ours to look into.
	ServerCPUUser   *float64 `json:"server_cpu_user_s,omitempty"`
	ServerCPUSystem *float64 `json:"server_cpu_system_s,omitempty"`
	ServerMaxRSS    *int64   `json:"server_max_rss_bytes,omitempty"`

	// The time of all cores of the host together, in seconds: all of it, that in
	// which something ran, and that which a hypervisor gave to other guests. Nil
	// where the host does not account for it, or too coarsely for so short a trial.
	HostCPU      *float64 `json:"host_cpu_s,omitempty"`
	HostCPUBusy  *float64 `json:"host_cpu_busy_s,omitempty"`
	HostCPUSteal *float64 `json:"host_cpu_steal_s,omitempty"`

	// OthersCPU is the CPU time, in seconds, of processes that took no part in the
	// trial: neither the server's nor the load generator's, nor threads of the
	// kernel. Nil where they cannot be told apart.
	OthersCPU *float64 `json:"others_cpu_s,omitempty"`
	// OthersCPUError is by how much OthersCPU may be too great; 0 where it was read
	// from the processes themselves.
	OthersCPUError float64 `json:"others_cpu_error_s,omitempty"`
}
