package system

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// readerOf is the user that a Tomcat with an author's configuration runs as. What
// stands beside server.xml is often for one group to read, tomcat: a user who has
// that group's name is taken, and otherwise the one given; "" is our own.
func readerOf(conf, otherwise string) (string, error) {
	if otherwise == "" {
		return "", nil
	}
	info, err := os.Stat(conf)
	if err != nil {
		return "", fmt.Errorf("looking at the configuration: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Gid == 0 || info.Mode().Perm()&0o004 != 0 {
		return otherwise, nil
	}
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(st.Gid), 10))
	if err != nil {
		return otherwise, nil
	}
	if u, err := user.Lookup(g.Name); err == nil && u.Gid == g.Gid {
		return u.Username, nil
	}
	return otherwise, nil
}

// ownBase makes the folder conf of a Tomcat's base, in which server.xml and what
// stood beside it are, with a web.xml of ours where there was none.
func ownBase(site Site, conf, name string) error {
	folder := filepath.Dir(conf)
	link := filepath.Join(site.Dir, "conf")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("making Tomcat's folder of configurations: %w", err)
	}
	if err := os.Symlink(folder, link); err != nil {
		return fmt.Errorf("making Tomcat's folder of configurations: %w", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "web.xml")); err != nil {
		if err := os.WriteFile(filepath.Join(folder, "web.xml"), []byte(tomcatFiles["web.xml"]), 0o644); err != nil {
			return fmt.Errorf("writing Tomcat's configuration: %w", err)
		}
	}
	if name == "" {
		return nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return fmt.Errorf("looking for the server's user: %w", err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	if err := os.Chown(conf, uid, -1); err != nil {
		return fmt.Errorf("giving Tomcat its configuration: %w", err)
	}
	return nil
}
