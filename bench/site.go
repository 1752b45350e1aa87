package main

// A server under load as a process: started on its processor, waited for, stopped.

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Names of the servers.
const (
	serverCanned = "canned"
	serverDelay  = "delay"
	serverStall  = "stall"
	serverNginx  = "nginx"
)

// stalls says how the stall server behaves: how often it stalls and how long.
type stalls struct{ Every, Length time.Duration }

const knownDelay = 10 * time.Millisecond

// site is one server, running on its processor.
type site struct {
	URL  string // without a path
	Port string
	cmd  *exec.Cmd
	dir  string // its files; empty when it has none
	done chan error
}

// ports hands out ports below the ephemeral range, each once, so that sockets
// left by one server are not met by the next.
type ports struct{ next int }

func (p *ports) take() (string, error) {
	for ; p.next < 32768; p.next++ {
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(p.next))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return "", fmt.Errorf("closing a port: %w", err)
		}
		p.next++
		return strconv.Itoa(p.next - 1), nil
	}
	return "", fmt.Errorf("no free port below 32768")
}

func startSite(ctx context.Context, name, port string, st stalls) (*site, error) {
	s := &site{URL: "http://127.0.0.1:" + port, Port: port, done: make(chan error, 1)}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	switch name {
	case serverNginx:
		if s.dir, err = nginxDir(port); err != nil {
			return nil, err
		}
		s.cmd = exec.Command("nginx", "-p", s.dir, "-c", filepath.Join(s.dir, "nginx.conf"), "-e", filepath.Join(s.dir, "error.log"))
	case serverDelay:
		s.cmd = exec.Command(self, serveDelay, port, knownDelay.String())
	case serverStall:
		s.cmd = exec.Command(self, serveStall, port, st.Every.String(), st.Length.String())
	default:
		s.cmd = exec.Command(self, serveCanned, port)
	}
	// The canned servers do not let the Go scheduler interrupt their loop.
	s.cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1")
	if err := pinned(serverCPU, s.cmd.Start); err != nil {
		s.removeDir()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	if err := s.ready(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("waiting for %s: %w", name, err)
	}
	return s, nil
}

// ready waits until the server accepts, then asks it once for each file, so
// that the files are in memory.
func (s *site) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err == nil {
			if err := c.Close(); err != nil {
				return err
			}
			return s.warm(ctx)
		}
		select {
		case end := <-s.done:
			return fmt.Errorf("it ended: %v", end)
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func (s *site) warm(ctx context.Context) error {
	paths := []string{"/"}
	if s.dir != "" {
		paths = []string{"/small.html", "/medium.html", "/large.html"}
	}
	// A connection of its own for each, so that none stays open.
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, p := range paths {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+p, nil)
		if err != nil {
			return err
		}
		res, err := c.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, res.Body)
		if e := res.Body.Close(); err == nil {
			err = e
		}
		if err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("asking for %s: %s, %v", p, res.Status, err)
		}
	}
	return nil
}

// pids are the processes that serve.
func (s *site) pids() []int {
	pid := s.cmd.Process.Pid
	all := []int{pid}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return all
	}
	for f := range strings.FieldsSeq(string(b)) {
		if child, err := strconv.Atoi(f); err == nil {
			all = append(all, child)
		}
	}
	return all
}

// stop ends the server; nginx's master ends its worker when asked to.
func (s *site) stop() {
	// An error means that it has ended already.
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(3 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	s.removeDir()
}

func (s *site) removeDir() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // a folder left in the temporary directory harms nothing
	}
}
