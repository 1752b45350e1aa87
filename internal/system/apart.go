package system

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/shirou/gopsutil/v4/process"

	"matrix/internal/bench"
)

// Apart lists the processes of this host that answer the load without having
// come of ours. False: the work is done on this host, by processes that cannot be
// told from others'.
func (r *Running) Apart(ctx context.Context, l bench.Load) (pids []int, told bool) {
	if r.guard == nil || l.Unix != "" {
		return Apart(ctx, r.base, l)
	}
	ours := r.PIDs()
	if port, here := portHere(ctx, r.base); here {
		for _, holder := range listeners(ctx, port) {
			if !slices.Contains(ours, holder) {
				return nil, false // what we started has others serve, as docker does
			}
		}
		return nil, true
	}
	return Apart(ctx, r.base, l)
}

// Apart is the same of whatever answers at a URL. What serves by other processes
// than those that listen there is not found.
func Apart(ctx context.Context, base string, l bench.Load) (pids []int, told bool) {
	if l.Unix != "" {
		return nil, false
	}
	port, here := portHere(ctx, base)
	if !here {
		return nil, elsewhere(base)
	}
	pids = listeners(ctx, port)
	for _, pid := range pids {
		if pid == 0 || forwards(pid) {
			return nil, false
		}
	}
	return pids, len(pids) > 0
}

// portHere is the port that a URL names on this host; false where it names
// another, or a host that cannot be found.
func portHere(ctx context.Context, base string) (port int, here bool) {
	u, err := url.Parse(base)
	if err != nil {
		return 0, false
	}
	if port, err = strconv.Atoi(u.Port()); err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return port, false
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return port, false
	}
	for _, a := range addresses {
		if a.IP.IsLoopback() || a.IP.IsUnspecified() || slices.ContainsFunc(own, func(o net.Addr) bool {
			n, ok := o.(*net.IPNet)
			return ok && n.IP.Equal(a.IP)
		}) {
			return port, true
		}
	}
	return port, false
}

// elsewhere reports whether the way to a host leaves this machine: by an
// interface with a device behind it. By a bridge, a container of this very machine
// is reached.
func elsewhere(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	c, err := net.Dial("udp", net.JoinHostPort(u.Hostname(), "9")) // sends nothing
	if err != nil {
		return false
	}
	defer c.Close()
	from, ok := c.LocalAddr().(*net.UDPAddr)
	if !ok {
		return false
	}
	all, err := net.Interfaces()
	if err != nil {
		return false
	}
	for _, i := range all {
		own, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, o := range own {
			if n, ok := o.(*net.IPNet); ok && n.IP.Equal(from.IP) {
				_, err := os.Stat(filepath.Join("/sys/class/net", i.Name, "device"))
				return err == nil
			}
		}
	}
	return false
}

// forwarders listen for what serves elsewhere: in a container or behind a tunnel.
var forwarders = []string{"docker-proxy", "rootlessport", "slirp4netns", "pasta", "passt", "ssh", "sshd", "socat", "kubectl"}

func forwards(pid int) bool {
	name, err := (&process.Process{Pid: int32(pid)}).Name()
	return err != nil || slices.Contains(forwarders, name)
}
