package export

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"matrix/internal/bench"
	"matrix/internal/table"
)

// large is a run of 10,000 cells: ten systems on four files, at 25 concurrencies
// and 10 numbers of requests, in three rounds. Each hundredth cell failed.
func large() (bench.RunInfo, []bench.Record) {
	var systems [][]bench.Pair
	var records []bench.Record
	files := []bench.File{{Name: "tiny", Size: 100}, small, {Name: "medium", Size: 50000}, {Name: "big", Size: 1 << 20}}
	for s := range 10 {
		l := labels("Server", []string{"alpha", "beta", "gamma", "delta", "epsilon"}[s%5], "Kernel", []string{"6.1", "6.12"}[s/5])
		systems = append(systems, l)
		for i := range 1000 {
			c := newCell(s, i, l, point{file: files[i%4], conns: 1 + i/4%25*20, requests: int64(1000 * (1 + i/100)), driver: "native"})
			for round := range 3 {
				r := good(c, round+1, 1000+float64(s*100+i*7%997)+float64((s*31+i*17+round*13)%50))
				if (s*1000+i)%100 == 99 {
					r = bad(c, round+1, bench.StateFailed, "socket: Too many open files (24)")
				}
				records = append(records, r)
			}
		}
	}
	return info(systems, 3), records
}

var pages = flag.String("pages", "", "folder to write made-up pages to, for the tests in a browser")

// TestWritePages writes the pages that no run of a test could make: one of
// hostile words in every place, and one of 10,000 cells.
func TestWritePages(t *testing.T) {
	if *pages == "" {
		return
	}
	info, records := large()
	for name, r := range map[string]*table.Report{"full": full(), "hostile": decorated(nasty), "large": table.Build(info, records)} {
		if err := os.WriteFile(filepath.Join(*pages, name+".html"), written(t, HTML, r), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLargePage holds the size of a page of 10,000 cells, and that all are in it.
func TestLargePage(t *testing.T) {
	info, records := large()
	page := written(t, HTML, table.Build(info, records))
	if n := bytes.Count(page, []byte("<tr")); n < 10001 || len(page) > 10e6 {
		t.Errorf("%d rows in %d bytes", n, len(page))
	}
	if n := bytes.Count(page, []byte("<svg")); n > 100 {
		t.Errorf("%d charts", n)
	}
}

// BenchmarkLargePage says what the page of 10,000 cells costs, from the records
// on: CPU seconds, and its bytes.
func BenchmarkLargePage(b *testing.B) {
	info, records := large()
	size, before := 0, cpuSeconds()
	for b.Loop() {
		var out bytes.Buffer
		if err := HTML(&out, table.Build(info, records)); err != nil {
			b.Fatal(err)
		}
		size = out.Len()
	}
	b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(size), "page-bytes")
}

// cpuSeconds is what the process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
