package results

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"matrix/internal/bench"
)

const childEnv = "MATRIX_TEST_APPEND"

// TestMain turns the test binary into a process that appends records until it
// is killed, telling of each once Append has returned.
func TestMain(m *testing.M) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	r, err := Resume(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for round := len(r.Records()) + 1; ; round++ {
		if err := r.Append(record("c=1", round)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(round)
	}
}

// However a writer is killed, the folder is free again at once and every record
// that it was told is kept is there, in order.
func TestKilledWriter(t *testing.T) {
	r, err := Create(t.TempDir(), bench.RunInfo{Started: start, Plan: bench.Plan{Scenario: "quick"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	told := 0
	for range 10 {
		told = appendUntilKilled(t, r.Dir(), told, 1+rand.IntN(5))
		again, err := Resume(r.Dir())
		if err != nil {
			t.Fatal(err)
		}
		kept := again.Records()
		for i, record := range kept {
			if record.Round != i+1 {
				t.Fatalf("record %d is of round %d", i+1, record.Round)
			}
		}
		if len(kept) < told {
			t.Fatalf("%d records are left of %d", len(kept), told)
		}
		told = len(kept)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// appendUntilKilled lets a process append and kills it once it told of so many
// more records. It returns the last round that was told.
func appendUntilKilled(t *testing.T, dir string, told, more int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range more {
		if !lines.Scan() {
			t.Fatal("the writer ended by itself")
		}
		if _, err := fmt.Sscan(lines.Text(), &told); err != nil {
			t.Fatal(lines.Text())
		}
	}
	if _, err := Resume(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", cmd.Process.Pid)) {
		t.Errorf("resuming while another process writes: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it told before it died
		if _, err := fmt.Sscan(lines.Text(), &told); err != nil {
			t.Fatal(lines.Text())
		}
	}
	_ = cmd.Wait() // killed, as meant
	return told
}
