package system

import (
	"bufio"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// Whose work it is when a load is answered: that of the processes that listen, as
// far as they can be told from others'.
func TestApart(t *testing.T) {
	s := httptest.NewServer(nil)
	here := []int{os.Getpid()}
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, c := range []struct {
		name, base string
		load       bench.Load
		pids       []int
		told       bool
	}{
		{"this host", s.URL, bench.Load{}, here, true},
		{"with a user and a password", strings.Replace(s.URL, "//", "//me:s3cret@", 1) + "/sub", bench.Load{}, here, true},
		{"this host by its name", "http://localhost" + port, bench.Load{}, here, true},
		{"a socket of this host", s.URL, bench.Load{Unix: "/nowhere"}, nil, false},
		{"nobody listens", "http://127.0.0.1:1/", bench.Load{}, nil, false},
		{"no such host", "http://nowhere.invalid/", bench.Load{}, nil, false},
		{"no URL", "http://[x/", bench.Load{}, nil, false},
	} {
		pids, told := Apart(t.Context(), c.base, c.load)
		if !slices.Equal(pids, c.pids) || told != c.told {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, pids, told, c.pids, c.told)
		}
		r := &Running{base: c.base}
		if pids, told := r.Apart(t.Context(), c.load); !slices.Equal(pids, c.pids) || told != c.told {
			t.Errorf("%s, of a system: %v, %v; want %v, %v", c.name, pids, told, c.pids, c.told)
		}
	}
	s.Close()
}

// What docker and tunnels put before a server is not the server.
func TestApartOfWhatForwards(t *testing.T) {
	proxy := filepath.Join(t.TempDir(), "docker-proxy")
	if err := os.Symlink(self()[0], proxy); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(proxy, "serve", "--root", t.TempDir(), "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if pids, told := Apart(t.Context(), strings.TrimSpace(strings.TrimPrefix(line, "listening on")), bench.Load{}); told {
		t.Errorf("%v", pids)
	}
}

// What we started is ours by its descent, and nothing stands apart.
func TestApartOfOurs(t *testing.T) {
	site, _ := newSite(t)
	r := start(t, site, bench.Server{Kind: "embedded"})
	if pids, told := r.Apart(t.Context(), bench.Load{}); pids != nil || !told {
		t.Errorf("%v, %v", pids, told)
	}
	if pids, told := Apart(t.Context(), r.BaseURL(), bench.Load{}); !slices.Equal(pids, r.PIDs()) || !told {
		t.Errorf("by its URL: %v, %v, not %v", pids, told, r.PIDs())
	}
}
