package transcript

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matrix/internal/bench"

	"github.com/google/go-cmp/cmp"
)

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) })

func figuresOf(r Report) figures {
	f := figures{
		version: r.Version, revision: r.Revision, server: r.Server, host: r.Host, path: r.Path, port: r.Port, c: r.Concurrency, document: -1,
		elapsed: r.Elapsed, issued: r.Issued, ok: r.OK, failed: r.Failed, wire: r.WireBytes, body: r.BodyBytes, kept: -1,
		connect: summary(r.Printed.Connect), first: summary(r.Printed.FirstByte), latency: summary(r.Printed.Latency),
		abort: r.Abort,
	}
	if r.Document != nil {
		f.document = *r.Document
	}
	if r.Kept != nil {
		f.kept = *r.Kept
	}
	if r.Printed.RequestsPerSecond != nil {
		f.rate = *r.Printed.RequestsPerSecond
	}
	if r.Printed.BytesPerSecond != nil {
		f.bytes = *r.Printed.BytesPerSecond
	}
	var quantiles, notes []string
	for _, q := range r.Printed.Quantiles {
		quantiles = append(quantiles, fmt.Sprintf("%g:%g", math.Round(q.P*100), math.Round(q.Seconds*1000)))
	}
	for _, n := range r.Notes {
		notes = append(notes, n.Code+": "+n.Text)
	}
	f.quantiles, f.notes = strings.Join(quantiles, " "), strings.Join(notes, "; ")
	return f
}

// summary writes min, mean, sd, median and max in seconds; "-" for what was not
// printed, "" for no summary at all.
func summary(s *bench.Summary) string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, v := range []*float64{s.Min, s.Mean, s.SD, s.Median, s.Max} {
		if v == nil {
			parts = append(parts, "-")
			continue
		}
		parts = append(parts, fmt.Sprintf("%g", math.Round(*v*1e6)/1e6))
	}
	return strings.Join(parts, " ")
}

func mustRead(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
