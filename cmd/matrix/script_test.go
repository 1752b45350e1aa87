package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"matrix": main, "listzip": listZip})
}

// listZip prints the names in a zip file, in their order.
func listZip() {
	z, err := zip.OpenReader(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, f := range z.File {
		fmt.Println(f.Name)
	}
}

// TestScripts runs each command as a user does: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "await": await},
	})
}

// exits CODE COMMAND ARGS... runs a command and asserts its exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status interface{ ExitCode() int }
		if !errors.As(err, &status) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// await PATTERN waits until a file matches the pattern.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await PATTERN")
	}
	ts.Check(awaitFile(ts.MkAbs(args[0])))
}

// awaitFile waits until a file that is not empty, or a folder, matches the pattern.
func awaitFile(pattern string) error {
	deadline, tick := time.After(20*time.Second), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, f := range found {
			if info, err := os.Stat(f); err == nil && (info.IsDir() || info.Size() > 0) {
				return nil
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("no %s within 20 s", pattern)
		}
	}
}
