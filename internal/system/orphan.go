package system

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// markName is the environment variable by which what a guard started is known
// after the guard is gone, as far as a server leaves its environment alone. The
// session tells the rest: that of a guard is its own.
const markName = "MATRIX_GUARD"

// kin tells the processes that came of a guard.
type kin struct {
	Guard int    `json:"guard"` // its process, and so its session
	Mark  string `json:"mark"`  // value of markName
	Name  string `json:"name"`  // of the server, for messages
	Boot  string `json:"boot"`  // of the machine
}

// endKin kills what came of a guard that is gone, and returns how many processes
// that were. It looks again until none is left, for a process may fork meanwhile.
func endKin(k kin) int {
	killed := map[int]bool{}
	for deadline := time.Now().Add(defaultGrace); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		found := k.find()
		if len(found) == 0 {
			break
		}
		for _, pid := range found {
			killed[pid] = true
			kill(pid)
		}
	}
	return len(killed)
}

// Leftover is what an earlier run left running, since it and its guard were both
// killed.
type Leftover struct {
	Name      string // of the server
	Processes int    // that were ended
}

func (l Leftover) String() string {
	return fmt.Sprintf("%s of an earlier run was still running, for the run and its guard had been killed; ended now, with all its processes (%d)", l.Name, l.Processes)
}

// EndLeftovers ends the servers that earlier runs of this user left on this
// machine, and tells which.
func EndLeftovers() (all []Leftover) {
	dir, err := kinFolder()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		var k kin
		if err != nil || json.Unmarshal(text, &k) != nil || k.Guard < 2 || k.Mark == "" {
			continue
		}
		if k.Boot == bootID() {
			if alive(k.Guard) { // a run that is under way, or a guard about to end its server
				continue
			}
			if n := endKin(k); n > 0 {
				all = append(all, Leftover{k.Name, n})
			}
		}
		_ = os.Remove(path)
	}
	return all
}

// remember writes down what a guard is about, for the start after one in which
// both it and the run are killed. Not being able to is no fault.
func (k kin) remember() {
	dir, err := kinFolder()
	if err != nil {
		return
	}
	if text, err := json.Marshal(k); err == nil {
		_ = os.WriteFile(filepath.Join(dir, strconv.Itoa(k.Guard)), text, 0o600)
	}
}

func (k kin) forget() {
	if dir, err := kinFolder(); err == nil {
		_ = os.Remove(filepath.Join(dir, strconv.Itoa(k.Guard)))
	}
}

// kinFolder is a folder of this user alone.
func kinFolder() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("matrix-guards-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !mine(info) {
		return "", fmt.Errorf("%s: %w", dir, fs.ErrPermission)
	}
	return dir, nil
}

// marked tells whether an environment, as /proc shows it, has the mark.
func marked(environ []byte, mark string) bool {
	return slices.Contains(strings.Split(string(environ), "\x00"), markName+"="+mark)
}
