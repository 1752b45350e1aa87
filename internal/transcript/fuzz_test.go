package transcript

import (
	"io"
	"math"
	"strings"
	"testing"

	"matrix/internal/bench"
)

// Whatever the text: a report or an error that names a line; counters that add
// up; times and rates that are finite and not negative; words that are bounded.
func fuzz(f *testing.F, parse func(io.Reader) ([]Report, error), seeds ...string) {
	for _, name := range transcripts(f) {
		f.Add(mustRead(f, name))
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reports, err := parse(strings.NewReader(text))
		if err == nil && len(reports) == 0 {
			t.Fatal("neither a report nor an error")
		}
		for _, r := range reports {
			checkReport(t, r)
		}
	})
}

func checkReport(t *testing.T, r Report) {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if r.Elapsed < 0 || r.BodyBytes < 0 || r.WireBytes < 0 || r.Requests < 0 || r.Duration < 0 || r.Concurrency < 0 || r.AchievedConns < 0 || r.Port < 0 || r.Port > 65535 {
		t.Fatalf("negative figures: %+v", r)
	}
	if r.Kept != nil && (*r.Kept < 0 || *r.Kept > r.Issued) || r.Document != nil && *r.Document < 0 {
		t.Fatalf("kept %v, document %v of %d", r.Kept, r.Document, r.Issued)
	}
	var answered int64
	for code, n := range r.Status {
		if code < 0 || code > 999 || n <= 0 {
			t.Fatalf("status %d: %d", code, n)
		}
		answered += n
	}
	if answered > r.Issued {
		t.Fatalf("%d answers to %d requests", answered, r.Issued)
	}
	checkPrinted(t, *r.Printed)
	if len(r.Server) > 2000 || len(r.Abort) > 2000 || len(r.Version) > 2000 || len(r.Host) > 2000 || len(r.Path) > 2000 || len(r.Notes) > 16 {
		t.Fatalf("unbounded words: %d %d %d", len(r.Server), len(r.Abort), len(r.Notes))
	}
	for class, words := range r.Messages {
		if len(words) > 2000 {
			t.Fatalf("unbounded words of %s: %d", class, len(words))
		}
	}
}

func checkPrinted(t *testing.T, p bench.Printed) {
	t.Helper()
	numbers := []*float64{p.RequestsPerSecond, p.BytesPerSecond}
	for _, s := range []*bench.Summary{p.Connect, p.FirstByte, p.Latency} {
		if s != nil {
			numbers = append(numbers, s.Min, s.Mean, s.SD, s.Median, s.Max)
		}
	}
	for _, q := range p.Quantiles {
		numbers = append(numbers, &q.Seconds)
		if !(q.P >= 0 && q.P <= 1) {
			t.Fatalf("quantile %+v", q)
		}
	}
	for _, x := range numbers {
		if x != nil && (!(*x >= 0) || math.IsInf(*x, 0)) {
			t.Fatalf("printed %+v", p)
		}
	}
	if len(p.Quantiles) > 1000 {
		t.Fatalf("%d quantiles", len(p.Quantiles))
	}
}

func FuzzParseAB(f *testing.F) {
	fuzz(f, ParseAB, "This is ApacheBench, Version 2.3\nComplete requests:-1\nFailed requests: 1", "This is ApacheBench, Version 2.3\nComplete requests:7\nTotal transferred: 0\nFailed requests:9\n(Connect: 1, Length: 2, Exceptions: 3)")
}

func FuzzParseZB(f *testing.F) {
	fuzz(f, ParseZB, zbReportText, strings.Join(strings.Fields(zbReportText), " "), "socket: x", "Server: a\nComplete requests: 3\nFailed requests: 0\nServer: b\nComplete requests: 4\nFailed requests: 1")
}

func FuzzParseHTTPLoad(f *testing.F) {
	fuzz(f, ParseHTTPLoad, "1e+06 fetches on 3 conns, 1 max parallel, inf bytes, in -nan seconds\n7 timeouts\n8 bad byte counts\n9 bad checksums\nHTTP response codes:\ncode 999 \u2014 5",
		"--- 1e5 secs, 9 fetches started, 12 completed")
}

func FuzzParseWrk(f *testing.F) {
	fuzz(f, ParseWrk, wrkText("1.5G requests in 2.00, 999999999TB read", "Socket errors: connect 999999999999999999, read 999999999999999999, write 1, timeout 2\nNon-2xx or 3xx responses: 9"),
		"unable to connect to x", "Running 9h test @ :\n 0.1 threads and 7G connections")
}

func FuzzParseH2Load(f *testing.F) {
	fuzz(f, ParseH2Load, "finished in 1h, 0.5 req/s, 9TB/s\nrequests: 1 total, 999999999999999999 started, 1 done, 7 succeeded, 999999999999999999 failed, 9 errored, 10 timeout",
		"starting benchmark...\nspawning thread #0: 5 total client(s). 999999999999999999 total requests\nprogress: 999% done")
}
