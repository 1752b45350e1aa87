//go:build !linux

package system

import (
	"context"

	gopsnet "github.com/shirou/gopsutil/v4/net"
)

// listeners lists the processes that listen on the port; 0 stands for one that
// we may not look into.
func listeners(ctx context.Context, port int) []int {
	all, err := gopsnet.ConnectionsWithoutUidsWithContext(ctx, "tcp")
	if err != nil {
		return nil
	}
	var found []int
	for _, c := range all {
		if c.Status == "LISTEN" && int(c.Laddr.Port) == port {
			found = append(found, int(c.Pid))
		}
	}
	return found
}
