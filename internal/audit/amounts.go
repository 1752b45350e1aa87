package audit

import (
	"fmt"
	"math"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// counts holds the counters of a trial against each other.
func counts(r bench.Record) (found []Finding) {
	if r.AsPrinted == nil {
		if err := r.Check(); err != nil {
			found = append(found, Finding{Text: err.Error()})
		}
		answers := int64(0)
		for _, n := range r.Status {
			answers += n
		}
		if answers > r.Issued {
			found = append(found, Finding{Text: fmt.Sprintf("%d answers have a status, and %d requests were made", answers, r.Issued), Off: off(float64(answers), float64(r.Issued))})
		}
	}
	done, ok := completed(r)
	if failed, has := printed(r, "failed"); has && ok && failed.Low > done.High {
		found = append(found, Finding{Text: fmt.Sprintf("%s requests failed of %s completed", figure(failed.Value), figure(done.Value)), Off: off(failed.Value, done.Value)})
	}
	if asked := float64(r.Cell.Load.Requests); ok && asked > 0 && r.Cell.Load.Duration == 0 && done.Low > asked {
		found = append(found, Finding{Text: fmt.Sprintf("%s requests were completed, and %s asked for", figure(done.Value), figure(asked)), Off: off(done.Value, asked)})
	}
	return found
}

// rate holds a printed number of requests per second against requests and time.
// The engine prints none: its rate is made of both.
// A trial that failed has no rate to speak of.
func rate(r bench.Record) []Finding {
	if !r.State.Ranked() {
		return nil
	}
	done, ok1 := rated(r)
	per, ok2 := reportedRate(r)
	time, ok3 := ratedTime(r, done, per)
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	low, high := per.Low*time.Low, per.High*time.High
	if done.High >= low && done.Low <= high {
		return nil
	}
	made := per.Value * time.Value
	return []Finding{{Text: fmt.Sprintf("%s requests per second for %s s are %s requests, and %s were completed",
		figure(per.Value), figure(time.Value), figure(made), figure(done.Value)), Off: off(made, done.Value)}}
}

// rated is the number of requests that a printed rate is of: wrk and h2load
// divide the answers alone, others all that was completed. An answer that came
// too late wrk counts among them, or not, by its version.
func rated(r bench.Record) (unit.Reading, bool) {
	if r.AsPrinted == nil && (by(r, "wrk") || by(r, "h2load")) {
		answers := exactly(float64(r.OK + r.Failed[bench.Non2xx]))
		if by(r, "wrk") {
			answers.High += float64(r.Failed[bench.Timeout])
		}
		return answers, r.Issued > 0
	}
	return completed(r)
}

// ratedTime is the time that a printed rate of so many requests is over. h2load
// ends a run by time when it comes to it, and divides by the time that was asked
// for, however long the run then took: a figure is taken for that where no log
// tells the budget, and requests and rate make it a whole number of tenths of a
// second that is no longer than the run.
func ratedTime(r bench.Record, done, per unit.Reading) (unit.Reading, bool) {
	time, ok := elapsed(r)
	if !ok || !by(r, "h2load") {
		return time, ok
	}
	if asked := r.Cell.Load.Duration; asked > 0 {
		return exactly(asked.Seconds()), true
	}
	if r.Cell.Load.Requests > 0 || per.Low <= 0 {
		return time, true
	}
	tenths := math.Round(10*done.Value/per.Value) / 10
	if low, high := done.Low/per.High, done.High/per.Low; tenths >= low && tenths <= high && tenths > 0 && tenths <= time.High {
		return exactly(tenths), true
	}
	return time, true
}

// reportedRate is a rate that was printed.
func reportedRate(r bench.Record) (unit.Reading, bool) {
	if r.AsPrinted != nil {
		if v, ok := printed(r, "requests_per_second"); ok {
			return v, true
		}
		return printed(r, "reported_requests_per_second")
	}
	if !tool(r) || r.Printed.RequestsPerSecond == nil {
		return unit.Reading{}, false
	}
	return shortest(*r.Printed.RequestsPerSecond), true
}

// bodies holds the bytes received against the size of the file.
func bodies(r bench.Record) []Finding {
	size := fileSize(r)
	if size.Low <= 0 || (r.Cell.Load.Method != "GET" && r.Cell.Load.Method != "") || !r.State.Ranked() {
		return nil
	}
	if r.AsPrinted == nil {
		least := r.OK * r.Cell.File.Size
		came, words := r.BodyBytes, "of bodies "
		if by(r, "wrk") { // which counts whole answers alone, with their heads
			came, words = r.WireBytes, ""
		}
		if came <= 0 || float64(came)*(1+roundingOf(r)) >= float64(least) {
			return nil
		}
		return []Finding{{Text: fmt.Sprintf("%d bytes %swere received, and %d good answers of %s are %d",
			came, words, r.OK, unit.Size(r.Cell.File.Size), least), Off: off(float64(came), float64(least))}}
	}
	return printedBodies(r, size)
}

// roundingOf is how far the number of bytes may be off, as a share: http_load
// prints six significant digits of it, and wrk three.
func roundingOf(r bench.Record) float64 {
	switch {
	case by(r, "http_load"):
		return 1e-5
	case by(r, "wrk"):
		return loose
	}
	return 0
}

// printedBodies does so by the transfer rate: over the time taken where that and
// the requests were printed, else a second.
func printedBodies(r bench.Record, size unit.Reading) []Finding {
	bytes, ok := printed(r, "bytes_per_second")
	if !ok {
		return nil
	}
	requests, words := unit.Reading{}, ""
	done, ok1 := completed(r)
	time, ok2 := elapsed(r)
	per, ok3 := reportedRate(r)
	switch {
	case ok1 && ok2:
		words = fmt.Sprintf("%s bytes per second for %s s are", figure(bytes.Value), figure(time.Value))
		requests, bytes = done, unit.Reading{Value: bytes.Value * time.Value, Low: bytes.Low * time.Low, High: bytes.High * time.High}
	case ok3:
		words = fmt.Sprintf("%s bytes per second are", figure(bytes.Value))
		requests = per
	default:
		return nil
	}
	if bytes.High >= requests.Low*size.Low {
		return nil
	}
	least := requests.Value * size.Value
	return []Finding{{Text: fmt.Sprintf("%s fewer than %s files of %s, which are %s bytes",
		words, figure(requests.Value), unit.Size(r.Cell.File.Size), figure(least)), Off: off(bytes.Value, least)}}
}

// fileSize is the size of the file, as exact as it was printed.
func fileSize(r bench.Record) unit.Reading {
	size := float64(r.Cell.File.Size)
	if f, ok := r.AsPrinted["size"]; ok {
		if read, ok := unit.ReadPrinted(f.Text); ok && read.Value > 0 {
			return read.Times(size / read.Value)
		}
	}
	return exactly(size)
}

// loose is how far a printed transfer rate may be off: tools print it with as
// few as three digits.
const loose = 0.01

// transfer holds a printed transfer rate against bytes and time. Some tools
// count whole answers in it, others bodies.
func transfer(r bench.Record) []Finding {
	if r.AsPrinted != nil || !tool(r) || r.Printed.BytesPerSecond == nil || r.Elapsed <= 0 {
		return nil
	}
	done, _ := rated(r)
	rate, _ := reportedRate(r)
	time, ok := ratedTime(r, done, rate)
	if !ok {
		return nil
	}
	per := *r.Printed.BytesPerSecond
	made := per * time.Value
	slack := loose*made + 1024*time.Value // of a rate below 1 kB/s little is left by rounding
	for _, bytes := range []int64{r.WireBytes, r.BodyBytes} {
		if d := made - float64(bytes); bytes <= 0 || (d <= slack && -d <= slack) {
			return nil
		}
	}
	return []Finding{{Text: fmt.Sprintf("%s bytes per second for %s s are %s bytes, and %d were received",
		figure(per), figure(time.Value), figure(made), r.WireBytes), Off: off(made, float64(r.WireBytes))}}
}
