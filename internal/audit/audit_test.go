package audit

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

// journal reads records without the package that keeps them, which stands on
// the same floor.
func journal(t testing.TB, path string) (records []bench.Record) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var r bench.Record
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	if err := in.Err(); err != nil || len(records) == 0 {
		t.Fatalf("%s: %d records, %v", path, len(records), err)
	}
	return records
}

// TestSoundRun: a run of nginx, Apache, lighttpd and the embedded server by the
// native engine and ab, recorded as it was measured.
func TestSoundRun(t *testing.T) {
	for _, f := range Run(journal(t, "testdata/sound.jsonl")) {
		t.Errorf("%s#%d: %s: %s", f.Key, f.Round, f.Rule, f.Text)
	}
}

// TestPublishedSlips holds what is found in the published tables against what
// was found by hand.
func TestPublishedSlips(t *testing.T) {
	for run, want := range map[string][]string{
		"ccp14-2001": {
			"OS=Redhat 7.0,Kernel Tweaked?=No,file=large,concurrency=150,requests=5000: rate: 33.9 requests per second for 149 s are 5051.1 requests, and 5000 were completed: 1.0%",
			`OS=FreeBSD 4.2,Kernel Tweaked?=Maxusers\=512,file=small,concurrency=10,requests=10: bytes: 228900 bytes per second for 0.019 s are fewer than 10 files of 1.5 kB, which are 15000 bytes: 71%`,
			`OS=FreeBSD 4.2,Kernel Tweaked?=Maxusers\=512,file=small,concurrency=500,requests=5000: rate: 658 requests per second for 7.54 s are 4961.32 requests, and 5000 were completed: 0.8%`,
			`OS=FreeBSD 4.2,Kernel Tweaked?=Maxusers\=512,file=large,concurrency=1000,requests=1000: rate: 22.7 requests per second for 45 s are 1021.5 requests, and 1000 were completed: 2.1%`,
		},
		"solaris-2002": {
			"Tuning=No Tuning Parameters,OS=Solaris 2.6,file=set,duration=900s: spread: time to the first byte: the mean of 6082 ms is above the greatest of 722.25 ms: 742%",
			"Tuning=No Tuning Parameters,OS=Solaris 2.6,file=set,duration=300s: copied: 6 times are those of Tuning=No Tuning Parameters,OS=Solaris 2.6,file=set,duration=60s to the last digit: " +
				"connect_max_ms 160.26, connect_mean_ms 0.87, connect_min_ms 0.59, first_byte_max_ms 803.6, first_byte_mean_ms 15.75, first_byte_min_ms 1.73: 0%",
		},
		"rhel-2010": nil, "tomcat-2004": nil, "zeusbench-1998": nil,
	} {
		var got []string
		for _, f := range Run(journal(t, "../../results/published/"+run+"/journal.jsonl")) {
			got = append(got, string(f.Key)+": "+f.Rule+": "+f.Text+": "+unit.Share(f.Off))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", run, strings.Join(got, "\n"))
		}
	}
}

// sound is a measured trial in which all agrees: 100 requests of 1500 bytes by
// 10 connections in 1 s.
func sound() bench.Record {
	r := bench.Record{State: bench.StateOK}
	r.Round = 1
	r.Cell = bench.Cell{Key: "k", File: bench.File{Name: "small", Size: 1500}, Load: bench.Load{Method: "GET", Conns: 10, Requests: 100}}
	r.Measurement = bench.Measurement{Elapsed: time.Second, Issued: 100, OK: 100, BodyBytes: 150000, WireBytes: 170000, Status: map[int]int64{200: 100}}
	r.Connect, r.FirstByte, r.Latency = hist.New(0), hist.New(0), hist.New(0)
	for i := range 100 {
		r.Connect.Record(time.Duration(10+i) * time.Millisecond / 10)
		r.FirstByte.Record(time.Duration(50+i) * time.Millisecond)
		r.Latency.Record(time.Duration(50+i) * time.Millisecond)
	}
	return r
}

// byAB is the same as ab prints it.
func byAB() bench.Record {
	r := sound()
	r.Connect, r.FirstByte, r.Latency = nil, nil, nil
	r.Printed = &bench.Printed{Tool: "ab", RequestsPerSecond: new(100.0), BytesPerSecond: new(170009.6), Resolution: 0.001,
		Connect:   &bench.Summary{Min: new(0.001), Mean: new(0.006), SD: new(0.003), Median: new(0.006), Max: new(0.011)},
		Latency:   &bench.Summary{Min: new(0.05), Mean: new(0.099), SD: new(0.029), Median: new(0.1), Max: new(0.149)},
		Quantiles: []bench.Quantile{{P: 0.5, Seconds: 0.1}, {P: 0.99, Seconds: 0.148}, {P: 1, Seconds: 0.149}}}
	return r
}

// page is the same as a page printed it.
func page() bench.Record {
	r := bench.Record{State: bench.StateOK, AsPrinted: map[string]bench.Figure{}}
	r.Round, r.Cell = 1, sound().Cell
	for name, text := range map[string]string{"time_s": ".9 = 1.5", "completed": "100", "failed": "0", "requests_per_second": "108", "bytes_per_second": "180",
		"latency_min_ms": "50", "latency_mean_ms": "92", "latency_max_ms": "149", "latency_p50_ms": "91", "latency_p99_ms": "148", "latency_p999_ms": "149", "size": "1.5", "errors": ""} {
		f := bench.Figure{Text: text}
		if v, ok := unit.ReadPrinted(text); ok {
			f.Value = new(v.Value)
			if name == "bytes_per_second" {
				f.Value = new(v.Value * 1000)
			}
		}
		r.AsPrinted[name] = f
	}
	return r
}

// byH2Load is 100 requests in 1 s by 10 connections of 5 streams each, 0.4 s a
// request.
func byH2Load() bench.Record {
	r := byAB()
	r.Status = nil
	r.Printed = &bench.Printed{Tool: "h2load", RequestsPerSecond: new(100.0), BytesPerSecond: new(170000.0),
		Latency: &bench.Summary{Min: new(0.1), Mean: new(0.4), SD: new(0.1), Max: new(0.6)}}
	r.Cell.Load.Streams, r.Cell.Load.Protocol = 5, bench.H2C
	return r
}

// longer makes a timed trial of it: one second was asked for, and the run took a
// tenth longer.
func longer(r *bench.Record) {
	r.Cell.Load.Requests, r.Cell.Load.Duration, r.Elapsed = 0, time.Second, 1100*time.Millisecond
}

// answersAndErrors makes a trial of a tool out of 90 good answers, 9 others and a
// reset, whose printed rate is of so many requests in 1.001 s.
func answersAndErrors(r *bench.Record, tool string, of float64) {
	r.State, r.OK, r.Failed = bench.StateDegraded, 90, map[bench.Failure]int64{bench.Non2xx: 9, bench.Reset: 1}
	r.Printed.Tool, r.Elapsed, r.Status = tool, 1001*time.Millisecond, nil
	r.Printed.RequestsPerSecond = new(math.Round(of/1.001*100) / 100)
}

func TestRules(t *testing.T) {
	say := func(r *bench.Record, name, text string) {
		v, _ := unit.ReadPrinted(text)
		r.AsPrinted[name] = bench.Figure{Text: text, Value: new(v.Value)}
	}
	for _, c := range []struct {
		name  string
		from  func() bench.Record
		spoil func(*bench.Record)
		want  string // "rule: text"; "" for none
		off   float64
	}{
		{"sound", sound, func(*bench.Record) {}, "", 0},
		{"sound, by ab", byAB, func(*bench.Record) {}, "", 0},
		{"sound, printed", page, func(*bench.Record) {}, "", 0},
		{"a failed trial", sound, func(r *bench.Record) {
			r.OK, r.Failed, r.BodyBytes, r.State = 0, map[bench.Failure]int64{bench.Reset: 100}, 0, bench.StateFailed
		}, "", 0},
		{"a request without outcome", sound, func(r *bench.Record) { r.OK = 99 }, "counts: issued 100, but ok 99 + failed 0 + aborted 0 = 99", 0},
		{"more answers than requests", sound, func(r *bench.Record) { r.Status[200] = 101 }, "counts: 101 answers have a status, and 100 requests were made", 0.01},
		{"more than asked for", sound, func(r *bench.Record) { r.Cell.Load.Requests = 50 }, "counts: 100 requests were completed, and 50 asked for", 1},
		{"a timed trial asks for no number", sound, func(r *bench.Record) { r.Cell.Load.Requests, r.Cell.Load.Duration = 0, time.Second }, "", 0},
		{"short bodies", sound, func(r *bench.Record) { r.BodyBytes = 149999 }, "bytes: 149999 bytes of bodies were received, and 100 good answers of 1.5 kB are 150000", 1. / 150000},
		{"HEAD has no bodies", sound, func(r *bench.Record) { r.BodyBytes, r.Cell.Load.Method = 1, "HEAD" }, "", 0},
		{"too few connections", sound, func(r *bench.Record) { r.Cell.Load.Conns = 9 }, "concurrency: 100 requests per second of 99.5 ms each keep 9.95 connections busy, and there were 9", 0.95 / 9},
		{"corrected latencies", sound, func(r *bench.Record) {
			r.Cell.Load.Conns, r.Measurement.Notes = 9, []bench.Note{{Code: "corrected-latency"}}
		}, "", 0},
		{"an open loop may queue", sound, func(r *bench.Record) { r.Cell.Load.Conns, r.Cell.Load.Rate = 9, 100 }, "", 0},
		{"connect beyond the whole", sound, func(r *bench.Record) {
			r.Connect = hist.New(0)
			for range 100 {
				r.Connect.Record(time.Second)
			}
		}, "parts: time to connect: the mean of 1000 ms is above the mean latency of 99.5 ms", 900.5 / 99.5},
		{"kept connections may be slow to make", sound, func(r *bench.Record) {
			r.Cell.Load.KeepAlive = true
			r.Connect = hist.New(0)
			r.Connect.Record(time.Second)
		}, "", 0},
		{"rate by ab", byAB, func(r *bench.Record) { r.Printed.RequestsPerSecond = new(101.0) }, "", 0}, // 1 s could be 1.9
		{"rate by ab, exact time", byAB, func(r *bench.Record) { r.Elapsed, r.Printed.RequestsPerSecond = 1001*time.Millisecond, new(102.01) },
			"rate: 102.01 requests per second for 1.001 s are 102.112 requests, and 100 were completed", 0.0211},
		{"rate of a failed trial", byAB, func(r *bench.Record) {
			r.State, r.Elapsed, r.Printed.RequestsPerSecond = bench.StateFailed, 1001*time.Millisecond, new(102.01)
		}, "", 0},
		{"rate by wrk is of answers", byAB, func(r *bench.Record) {
			answersAndErrors(r, "wrk", 99)
		}, "", 0},
		{"rate by h2load is of answers", byAB, func(r *bench.Record) {
			answersAndErrors(r, "h2load", 99)
		}, "", 0},
		{"rate by wrk is of late answers, too", byAB, func(r *bench.Record) {
			answersAndErrors(r, "wrk", 100)
			r.Failed = map[bench.Failure]int64{bench.Non2xx: 9, bench.Timeout: 1}
		}, "", 0},
		{"rate by h2load is not of those timed out", byAB, func(r *bench.Record) {
			answersAndErrors(r, "h2load", 100)
			r.Failed = map[bench.Failure]int64{bench.Non2xx: 9, bench.Timeout: 1}
		}, "rate: 99.9 requests per second for 1.001 s are 99.9999 requests, and 99 were completed", 1. / 99},
		{"rate by wrk of what it did not answer", byAB, func(r *bench.Record) {
			answersAndErrors(r, "wrk", 150)
		}, "rate: 149.85 requests per second for 1.001 s are 150 requests, and 99 were completed", 51. / 99},
		{"streams of h2load", byH2Load, func(*bench.Record) {}, "", 0},
		{"more than its streams", byH2Load, func(r *bench.Record) { r.Cell.Load.Streams = 3 }, "concurrency: 100 requests per second of 400 ms each keep 40 connections busy, and there were 30", 1. / 3},
		{"no streams are one each", byH2Load, func(r *bench.Record) { r.Cell.Load.Streams = 0 }, "concurrency: 100 requests per second of 400 ms each keep 40 connections busy, and there were 10", 3},
		{"streams that no log tells", byH2Load, func(r *bench.Record) {
			r.Cell.Load.Streams, r.Notes = 0, []bench.Note{{Code: "load-untold"}}
		}, "", 0},
		{"h2load divides by the time asked", byH2Load, longer, "", 0},
		{"h2load divides by no other time", byH2Load, func(r *bench.Record) {
			longer(r)
			r.Cell.Load.Duration = 2 * time.Second
		}, "rate: 100 requests per second for 2 s are 200 requests, and 100 were completed / transfer: 170000 bytes per second for 2 s are 340000 bytes, and 170000 were received", 0},
		{"h2load divides by a time that no log tells", byH2Load, func(r *bench.Record) {
			longer(r)
			r.Cell.Load.Duration = 0
		}, "", 0},
		{"h2load divides by no time beyond its run", byH2Load, func(r *bench.Record) {
			r.Cell.Load.Requests, r.Elapsed = 0, 800*time.Millisecond
		}, "rate: 100 requests per second for 0.8 s are 80 requests, and 100 were completed / transfer: 170000 bytes per second for 0.8 s are 136000 bytes, and 170000 were received", 0},
		{"h2load was late, and its connections all the busier", byH2Load, func(r *bench.Record) {
			longer(r)
			r.Printed.Latency.Mean = new(0.53) // 100 a second would keep 53 of 50 busy
		}, "", 0},
		{"h2load counts what began in its warm-up", byH2Load, func(r *bench.Record) {
			r.Printed.Latency.Mean, r.Cell.Load.Warmup = new(0.58), time.Second
		}, "", 0},
		{"and no more than that", byH2Load, func(r *bench.Record) {
			r.Printed.Latency.Mean, r.Printed.Latency.Max, r.Cell.Load.Warmup = new(0.58), new(0.6), time.Second
			r.Cell.Load.Streams = 3
		}, "concurrency: 100 requests per second of 580 ms each keep 58 connections busy, and there were 51", 7. / 51},
		{"bytes of wrk", byAB, func(r *bench.Record) { r.Printed.Tool, r.BodyBytes, r.WireBytes = "wrk", 0, 149000 }, "", 0}, // three digits
		{"more answers than bytes by wrk", byAB, func(r *bench.Record) {
			r.Printed.Tool, r.BodyBytes, r.WireBytes, r.Printed.BytesPerSecond = "wrk", 0, 85000, nil
		},
			"bytes: 85000 bytes were received, and 100 good answers of 1.5 kB are 150000", 65. / 150},
		{"six digits of bytes by http_load", byAB, func(r *bench.Record) {
			r.Printed.Tool, r.Printed.BytesPerSecond, r.BodyBytes, r.Cell.File.Size = "http_load", nil, 12283400, 122834
			r.BodyBytes-- // 12283399 of 12283400
		}, "", 0},
		{"short bodies by http_load", byAB, func(r *bench.Record) {
			r.Printed.Tool, r.Printed.BytesPerSecond, r.BodyBytes = "http_load", nil, 149998
		}, "bytes: 149998 bytes of bodies were received, and 100 good answers of 1.5 kB are 150000", 2. / 150000},
		{"transfer by ab", byAB, func(r *bench.Record) { r.Printed.BytesPerSecond = new(180000.0) }, "transfer: 180000 bytes per second for 1 s are 180000 bytes, and 170000 were received", 1. / 17},
		{"transfer of bodies", byAB, func(r *bench.Record) { r.Printed.BytesPerSecond = new(150000.0) }, "", 0},
		{"mean above greatest", byAB, func(r *bench.Record) { r.Printed.Connect.Mean = new(0.2) },
			"spread: time to connect: the mean of 200 ms is above the greatest of 11 ms / parts: time to connect: the mean of 200 ms is above the mean latency of 99 ms", 0},
		{"median below least", byAB, func(r *bench.Record) { r.Printed.Latency.Median = new(0.047) }, "spread: latency: the least of 50 ms is above the median of 47 ms", 3. / 47},
		{"within rounding", byAB, func(r *bench.Record) { r.Printed.Latency.Median = new(0.049) }, "", 0},
		{"deviation", byAB, func(r *bench.Record) { r.Printed.Latency.SD = new(0.2) }, "spread: latency: the standard deviation of 200 ms is above the greatest of 149 ms", 51. / 149},
		{"percentiles", byAB, func(r *bench.Record) { r.Printed.Quantiles[0].Seconds = 0.1485 }, "percentiles: latency: 50 % took up to 148.5 ms, and 99 % only 148 ms", 0.5 / 148},
		{"last percentile", byAB, func(r *bench.Record) { r.Printed.Quantiles[2].Seconds = 0.3 }, "percentiles: latency: the 100 % percentile of 300 ms is above the greatest of 149 ms", 151. / 149},
		{"printed rate", page, func(r *bench.Record) { say(r, "time_s", "1.40") }, "rate: 108 requests per second for 1.4 s are 151.2 requests, and 100 were completed", 0.512},
		{"printed failures", page, func(r *bench.Record) { say(r, "failed", "102") }, "counts: 102 requests failed of 100 completed", 0.02},
		{"printed percentiles", page, func(r *bench.Record) { say(r, "latency_p999_ms", "147") }, "percentiles: latency: 99 % took up to 148 ms, and 99.9 % only 147 ms", 1. / 147},
		{"nothing printed", page, func(r *bench.Record) { r.AsPrinted = map[string]bench.Figure{"errors": {Text: "Server timed out"}} }, "", 0},
		{"words for a time", page, func(r *bench.Record) { r.AsPrinted["time_s"] = bench.Figure{Text: "long"} }, "", 0},
	} {
		r := c.from()
		c.spoil(&r)
		var got []string
		found := Run([]bench.Record{r})
		for _, f := range found {
			got = append(got, f.Rule+": "+f.Text)
		}
		if strings.Join(got, " / ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		} else if len(found) == 1 && c.off != 0 && math.Abs(found[0].Off-c.off) > 1e-3*c.off {
			t.Errorf("%s: off by %v, want %v", c.name, found[0].Off, c.off)
		}
	}
}

func TestCopied(t *testing.T) {
	a, b := page(), page()
	b.Cell.Key = "other"
	for _, r := range []*bench.Record{&a, &b} {
		r.AsPrinted = maps.Clone(r.AsPrinted)
		delete(r.AsPrinted, "latency_p999_ms")
		delete(r.AsPrinted, "latency_p50_ms")
		r.AsPrinted["latency_min_ms"] = bench.Figure{Text: "0.5", Value: new(0.5)} // too few digits to tell anything
	}
	if got := Run([]bench.Record{a, b}); len(got) != 0 { // three times and no more
		t.Errorf("%v", got)
	}
	for _, r := range []*bench.Record{&a, &b} {
		r.AsPrinted["connect_max_ms"] = bench.Figure{Text: "16.3", Value: new(16.3)}
	}
	if got := Run([]bench.Record{a, b}); len(got) != 1 || got[0].Rule != Copied || got[0].Key != "other" {
		t.Errorf("%v", got)
	}
	b.AsPrinted["latency_max_ms"] = bench.Figure{Text: "149.5", Value: new(149.5)}
	if got := Run([]bench.Record{a, b}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// FuzzRun holds records of strangers against the rules: whatever stands in them,
// a finding names a rule and figures that are numbers.
func FuzzRun(f *testing.F) {
	for _, r := range []bench.Record{sound(), byAB(), page()} {
		line, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`{"cell":{"key":"k","load":{"concurrency":-3,"requests":-1}},"state":"ok","as_printed":{"time_s":{"text":"0","value":0},"completed":{"text":"9e99","value":1e308}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var r bench.Record
		if json.Unmarshal(line, &r) != nil {
			return
		}
		for _, found := range Run([]bench.Record{r, r}) {
			if found.Rule == "" || found.Text == "" || math.IsNaN(found.Off) || found.Off < 0 || strings.Contains(found.Text, "NaN") {
				t.Errorf("%+v", found)
			}
		}
	})
}
