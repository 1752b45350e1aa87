package system

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// webUsers are the users that distributions make for web servers.
var webUsers = []string{"www-data", "apache", "http", "nginx", "www", "nobody"}

// dropTo is the user and group that a server started by root turns into, "" when
// we are not root. It is an error when that user could not read docroot: each
// answer would be 403.
func dropTo(docroot string) (name, group string, err error) {
	if os.Geteuid() != 0 {
		return "", "", nil
	}
	for _, name := range webUsers {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		group := name
		if g, err := user.LookupGroupId(u.Gid); err == nil {
			group = g.Name
		}
		return name, group, reachable(docroot, u)
	}
	return "", "", fmt.Errorf("root needs an unprivileged user for the server, and this machine has none of %v", webUsers)
}

// reachable walks up from dir and names the first directory that u may not
// enter.
func reachable(dir string, u *user.User) error {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("looking at the files to serve: %w", err)
		}
		if !mayEnter(info, u) {
			return fmt.Errorf("the server runs as %s, which may not enter %s (%v): chmod o+x it, or put the results elsewhere", u.Username, dir, info.Mode())
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func mayEnter(info fs.FileInfo, u *user.User) bool {
	bits := info.Mode().Perm()
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && strconv.FormatUint(uint64(st.Uid), 10) == u.Uid:
		return bits&0o100 != 0
	case ok && strconv.FormatUint(uint64(st.Gid), 10) == u.Gid:
		return bits&0o010 != 0
	}
	return bits&0o001 != 0
}

// openFilesAllowed is the descriptor limit that a server may take here: the
// hard one, within reason.
func openFilesAllowed() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Max) > defaultOpenFiles {
		return defaultOpenFiles
	}
	return int(limit.Max)
}
