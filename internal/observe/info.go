package observe

import (
	"bytes"
	"os"
	"runtime"
	"strings"

	"matrix/internal/bench"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"
)

// sysctls are the kernel settings that matter to a web server or to whoever
// measures one, by their names below /proc/sys.
var sysctls = []string{
	"fs.file-max", "fs.nr_open",
	"kernel.pid_max", "kernel.sched_autogroup_enabled", "kernel.threads-max",
	"net.core.busy_poll", "net.core.default_qdisc", "net.core.netdev_max_backlog", "net.core.rmem_max", "net.core.somaxconn", "net.core.wmem_max",
	"net.ipv4.ip_local_port_range", "net.ipv4.tcp_abort_on_overflow", "net.ipv4.tcp_congestion_control", "net.ipv4.tcp_fastopen",
	"net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_max_orphans", "net.ipv4.tcp_max_syn_backlog", "net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_mem",
	"net.ipv4.tcp_rmem", "net.ipv4.tcp_sack", "net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_timestamps",
	"net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_window_scaling", "net.ipv4.tcp_wmem",
	"net.netfilter.nf_conntrack_max",
	"vm.overcommit_memory", "vm.swappiness",
}

// HostInfo describes the host as far as it tells. Cores and OpenFiles are those
// of this process.
func (s Source) HostInfo() bench.HostInfo {
	h := bench.HostInfo{Cores: runtime.NumCPU(), OpenFiles: openFiles(), Kernel: kernel()}
	h.Name, _ = os.Hostname() // "" when the host has no name
	h.OS = s.osName()
	if all, err := cpu.InfoWithContext(s.env()); err == nil && len(all) > 0 {
		h.CPU = strings.TrimSpace(all[0].ModelName)
	}
	if m, err := mem.VirtualMemoryWithContext(s.env()); err == nil {
		h.Memory = int64(m.Total)
	}
	if system, role, err := host.VirtualizationWithContext(s.env()); err == nil && role == "guest" {
		h.Virtualised = system
	}
	for _, name := range sysctls {
		path := append([]string{"proc", "sys"}, strings.Split(name, ".")...)
		if v := s.read(path...); v != nil {
			if h.Sysctls == nil {
				h.Sysctls = map[string]string{}
			}
			h.Sysctls[name] = string(bytes.Join(bytes.Fields(v), []byte(" ")))
		}
	}
	return h
}

// osName is the distribution's name for itself, "Debian GNU/Linux 12 (bookworm)",
// or what stands in for it on systems without os-release(5).
func (s Source) osName() string {
	for line := range strings.Lines(string(s.read("etc", "os-release"))) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	platform, _, version, err := host.PlatformInformationWithContext(s.env())
	if err != nil || platform == "" {
		return runtime.GOOS
	}
	return strings.TrimSpace(platform + " " + version)
}
