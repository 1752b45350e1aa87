package browser

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// makeSite makes a site of two runs, and returns where they are and where it is.
func makeSite(t *testing.T) (runs, site string) {
	t.Helper()
	if missing != nil {
		open(t, "", "", Look{}) // which skips, or fails
	}
	runs, site = filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "site")
	for range 2 {
		sweep(t, runs)
	}
	if err := command(".", filepath.Join(folder, "matrix"), "site", runs, "-o", site); err != nil {
		t.Fatal(err)
	}
	return runs, site
}

func sweep(t *testing.T, runs string) {
	t.Helper()
	if err := command("testdata", filepath.Join(folder, "matrix"), "run", "fake.yaml", "--results", runs); err != nil && !strings.Contains(err.Error(), "exit status 4") {
		t.Fatal(err)
	}
}

// look opens an address and holds that nothing goes wrong in its page; what it
// asks for must begin with base.
func look(t *testing.T, address, base string, how Look) *Page {
	t.Helper()
	p, cancel, err := Open(chrome, address, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, trouble := range p.Troubles() {
			t.Errorf("%s: %s", address, trouble)
		}
		for _, asked := range p.Outside() {
			if !strings.HasPrefix(asked, base) {
				t.Errorf("%s asked for %s", address, asked)
			}
		}
		cancel()
	})
	return p
}

// TestSite opens the pages of a site from the disk, in every look.
func TestSite(t *testing.T) {
	_, site := makeSite(t)
	run, err := filepath.Glob(filepath.Join(site, "fake", "*Z"))
	if err != nil || len(run) == 0 {
		t.Fatalf("no run in the site (%v)", err)
	}
	for _, page := range []string{"index.html", "fake/index.html", "fake/compare.html", "fake/history.html", "fake/" + filepath.Base(run[0]) + "/index.html"} {
		for name, how := range looks {
			t.Run(page+"/"+name, func(t *testing.T) {
				p := look(t, "file://"+filepath.Join(site, page), "file:", how)
				if wide := value[int](t, p, `document.documentElement.scrollWidth`); wide > int(how.Width) {
					t.Errorf("the page is %d wide", wide)
				}
				found, err := p.Axe(axePath)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					t.Error(v)
				}
			})
		}
	}
}

// TestSiteReloads: a page that is shown is loaded again, where it stood, when a
// further run changes it, and not before.
func TestSiteReloads(t *testing.T) {
	runs, site := makeSite(t)
	base := serveSite(t, runs, site)
	p := look(t, base+"/fake/index.html#runs", base, Look{})
	if n := value[int](t, p, `window.held = document.querySelectorAll('time').length`); n != 2 {
		t.Fatalf("the page lists %d runs, not 2", n)
	}
	sweep(t, runs)
	within(t, 60*time.Second, "the page to list 3 runs", func() bool {
		n, err := Eval[int](p, `document.querySelectorAll('time').length`) // an error while it is loaded
		return err == nil && n == 3
	})
	if again := value[bool](t, p, `window.held === undefined && location.hash === '#runs'`); !again {
		t.Error("the page was not loaded anew, or lost its place")
	}
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

func serveSite(t *testing.T, runs, site string) (base string) {
	t.Helper()
	said := filepath.Join(t.TempDir(), "said")
	out, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, filepath.Join(folder, "matrix"), "serve", "--site", runs, "-o", site, "--addr", "127.0.0.1:0")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := c.Wait(); err != nil && !strings.Contains(fmt.Sprint(err), "context canceled") {
			t.Errorf("serving: %v", err)
		}
		out.Close()
	})
	within(t, 30*time.Second, "the address", func() bool {
		text, err := os.ReadFile(said)
		if m := listening.FindSubmatch(bytes.TrimSpace(text)); err == nil && m != nil {
			base = string(m[1])
		}
		return base != ""
	})
	return base
}

// within waits for a condition.
func within(t *testing.T, most time.Duration, what string, holds func() bool) {
	t.Helper()
	tick, end := time.NewTicker(50*time.Millisecond), time.After(most)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waiting for %s", what)
		}
	}
}
