package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matrix/internal/bench"
)

func TestBroken(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d broken scenarios (%v): at least 20 are promised", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Parse(filepath.Base(path), src, testKnown)
			if err == nil {
				_, err = s.Plan(testEnv)
			}
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error is %v, want Problems", err)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", problems.Error()+"\n")
		})
	}
}

func TestValid(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no valid scenarios", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Parse(filepath.Base(path), src, testKnown)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := s.Plan(testEnv)
			if err != nil {
				t.Fatal(err)
			}
			unique(t, plan)
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", dump(plan)+notices(s))
		})
	}
}

func notices(s *Scenario) string {
	if len(s.Notices()) == 0 {
		return ""
	}
	return "notice: " + s.Notices().Error() + "\n"
}

// dump shows what a plan holds, cells in order.
func dump(p *bench.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q labels=%q rounds=%d multi=%d order=%s seed=%d\n", p.Scenario, p.Title, p.Labels, p.Rounds, p.MultiTimes, p.Order, p.Seed)
	b.WriteString(stops(p))
	for _, f := range p.Files {
		fmt.Fprintf(&b, "file %s %d B x%d\n", f.Name, f.Size, f.Count)
	}
	for _, a := range p.Axes {
		fmt.Fprintf(&b, "axis %s: %s\n", a.Name, strings.Join(a.Values, " | "))
	}
	for _, s := range p.Systems {
		fmt.Fprintf(&b, "system %s at %s %s\n", s.ID(), s.Where(), server(s.Server))
	}
	for _, c := range p.Cells {
		l := c.Load
		fmt.Fprintf(&b, "%d %s: %s %s %s n=%d d=%s c=%d k=%v %v %s\n", c.Point, c.Key, c.Driver, l.Method, l.Protocol, l.Requests, l.Duration, l.Conns, l.KeepAlive, first(l.URLs), c.Skip)
	}
	return b.String()
}

// stops shows what ends, delays and judges trials, where anything does.
func stops(p *bench.Plan) string {
	var b strings.Builder
	if u := p.Until; u != nil {
		fmt.Fprintf(&b, "until min=%d share=%g\n", u.Min, u.Share)
	}
	if p.Budget > 0 || p.WarmupTrials > 0 {
		fmt.Fprintf(&b, "budget=%s warmup=%d\n", p.Budget, p.WarmupTrials)
	}
	if c := p.CoolDown; c != nil {
		fmt.Fprintf(&b, "cool_down %+v\n", *c)
	}
	for i, l := range p.Limits {
		cells := 0
		for _, c := range p.Cells {
			if slices.Contains(c.Limits, i) {
				cells++
			}
		}
		fmt.Fprintf(&b, "limit %s %s..%s where %q: %d cells\n", l.Metric, bound(l.Min), bound(l.Max), l.Where, cells)
	}
	return b.String()
}

func bound(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

func server(s *bench.Server) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("workers=%d open_files=%d port=%d config=%q argv=%q ready=%s", s.Workers, s.OpenFiles, s.Port, s.Config, s.Argv, s.Ready)
}

func first(urls []string) string {
	if len(urls) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s of %d", urls[0], len(urls))
}

func unique(t *testing.T, p *bench.Plan) {
	t.Helper()
	seen := map[bench.Key]bool{}
	for _, c := range p.Cells {
		if seen[c.Key] {
			t.Errorf("the key %s stands twice", c.Key)
		}
		seen[c.Key] = true
	}
}
