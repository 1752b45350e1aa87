package browser

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

const axePath = "node_modules/axe-core/axe.min.js"

var published = []string{"ccp14-2001", "rhel-2010", "solaris-2002", "tomcat-2004", "zeusbench-1998"}

// folder holds the pages that the tests open; TestMain makes it.
var folder string

var chrome context.Context

var missing error // what the tests need and this machine lacks

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if missing = needed(); missing != nil {
		return m.Run() // where each test says so
	}
	dir, err := os.MkdirTemp("", "matrix-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	folder = dir
	if err := makePages(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.WriteFile(filepath.Join(dir, "about.html"), []byte("<!DOCTYPE html><title>nothing</title>"), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var stop context.CancelFunc
	chrome, stop, err = Start(context.Background(), filepath.Join(dir, "profile"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	return m.Run()
}

func needed() error {
	if _, err := os.Stat(axePath); err != nil {
		return fmt.Errorf("axe-core is not there, 'npm ci' gets it: %w", err)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			return nil
		}
	}
	return errors.New("no chromium on this machine")
}

// makePages makes the pages with the program itself, and with a test of its that
// writes what no run of a test could make.
func makePages(dir string) error {
	matrix := filepath.Join(dir, "matrix")
	if err := command("..", "go", "build", "-o", matrix, "./cmd/matrix"); err != nil {
		return err
	}
	for _, name := range published {
		if err := command("..", matrix, "report", "results/published/"+name, "--format", "html", "-o", filepath.Join(dir, name+".html")); err != nil {
			return err
		}
	}
	if err := command("testdata", matrix, "run", "fake.yaml", "--results", filepath.Join(dir, "results")); err != nil && exitCode(err) != 4 { // some cells fail
		return err
	}
	found, err := filepath.Glob(filepath.Join(dir, "results", "*", "*", "report.html"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("the run made %d pages: %w", len(found), err)
	}
	if err := os.Symlink(found[0], filepath.Join(dir, "fake.html")); err != nil {
		return err
	}
	return command("..", "go", "test", "./internal/export", "-count=1", "-run", "^TestWritePages$", "-args", "-pages", dir)
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", name, args, err, bytes.TrimSpace(out))
	}
	return nil
}

// open opens a page of the folder, with a fragment or without one, and holds at
// the end of the test that nothing went wrong in it and nothing left it.
func open(t testing.TB, name, fragment string, look Look) *Page {
	t.Helper()
	if missing != nil {
		if os.Getenv("MATRIX_NO_SKIP") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	p, cancel, err := Open(chrome, "file://"+filepath.Join(folder, name+".html")+fragment, look)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, trouble := range p.Troubles() {
			t.Errorf("%s: %s", name, trouble)
		}
		for _, url := range p.Outside() {
			t.Errorf("%s asked for %s", name, url)
		}
		cancel()
	})
	return p
}

// value evaluates a script in a page.
func value[V any](t testing.TB, p *Page, script string) V {
	t.Helper()
	v, err := Eval[V](p, script)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

func do(t testing.TB, p *Page, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		t.Fatal(err)
	}
}

func exitCode(err error) int {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.ExitCode()
	}
	return -1
}
