package bench

import "time"

// RunInfo is the header of a run: everything needed to know what was measured,
// where and with what. It holds no secrets.
type RunInfo struct {
	Version   int               `json:"version"` // of the format of run.json and journal.jsonl: 1
	ID        string            `json:"id"`      // "<scenario>/<UTC time>"
	Started   time.Time         `json:"started"`
	Finished  *time.Time        `json:"finished,omitempty"`
	Stopped   Stop              `json:"stopped,omitempty"` // what ended the last sweep before it had all rounds: StopBudget, or ""
	Command   []string          `json:"command"`           // how to repeat it
	Only      string            `json:"only,omitempty"`    // the filter that narrowed the scenario to Plan; "" for all of it
	Scenario  string            `json:"scenario_text"`     // as read, with secrets taken out
	Plan      Plan              `json:"plan"`              // of its cells the outline: the journal holds the rest
	Tools     map[string]string `json:"tools"`             // driver or server kind to its version
	Servers   []ServerInfo      `json:"servers,omitempty"`
	Host      HostInfo          `json:"host"`      // where the servers ran, when they were started here
	Generator HostInfo          `json:"generator"` // where the load was made
	Notes     []Note            `json:"notes,omitempty"`
}

// ServerInfo is a server as it was started for a run.
type ServerInfo struct {
	System  string `json:"system"` // System.ID
	Version string `json:"version"`
	Config  string `json:"config,omitempty"` // its whole configuration
}

// HostInfo describes a host for as long as a run lasts.
type HostInfo struct {
	Name        string            `json:"name"`
	OS          string            `json:"os"`     // "Debian GNU/Linux 12 (bookworm)"
	Kernel      string            `json:"kernel"` // "Linux 6.1.0 x86_64"
	CPU         string            `json:"cpu"`    // model name
	Cores       int               `json:"cores"`  // that this process may run on
	Memory      int64             `json:"memory_bytes"`
	OpenFiles   [2]uint64         `json:"open_files"` // soft and hard descriptor limit
	Sysctls     map[string]string `json:"sysctls,omitempty"`
	Virtualised string            `json:"virtualised,omitempty"` // "kvm", "docker" ...; "" for bare metal or unknown
}
