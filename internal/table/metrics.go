package table

import (
	"matrix/internal/bench"
	"matrix/internal/hist"
	"matrix/internal/unit"
)

// Metrics lists every column that can be measured. A row of a table holds one
// value for all rounds of its cell, made as Over says; the tidy sheet holds the
// value of each trial.
var Metrics = []Metric{
	{Name: "time_s", Heading: "Time taken", Unit: unit.Seconds, Better: unit.Lower, ByBudget: true, Of: elapsed,
		Doc: "From the first send to the last completion."},
	count("issued", "Issued", unit.Neither, Median, func(m *bench.Measurement) int64 { return m.Issued },
		"Requests that were begun: ok + failed + aborted."),
	count("completed", "Completed", unit.Neither, Median, (*bench.Measurement).Completed,
		"Distinct requests that came to an end: ok + failed."),
	count("ok", "OK", unit.Neither, Median, func(m *bench.Measurement) int64 { return m.OK },
		"Requests that succeeded."),
	count("failed", "Failed", unit.Lower, Greatest, (*bench.Measurement).FailedSum,
		"Requests that failed, of all classes."),
	count("aborted", "Aborted", unit.Neither, Greatest, func(m *bench.Measurement) int64 { return m.Aborted },
		"Requests in flight when a timed or interrupted trial ended."),
	count("retried", "Retried", unit.Lower, Greatest, func(m *bench.Measurement) int64 { return m.Retried },
		"Requests sent again because a kept connection had been closed, or because the server had not looked at them (a refused HTTP/2 stream)."),
	count("late", "Late", unit.Lower, Greatest, func(m *bench.Measurement) int64 { return m.Late },
		"Open loop: requests sent more than 1 ms after they were due."),
	count("dropped", "Dropped", unit.Lower, Greatest, func(m *bench.Measurement) int64 { return m.Dropped },
		"Open loop: requests that were due and never issued."),
	{Name: "requests_per_second", Heading: "Requests per second", Unit: unit.PerSecond, Better: unit.Higher, Spread: true, Successes: true, Of: successRate,
		Doc: "Successes only, over the time taken."},
	{Name: "reported_requests_per_second", Heading: "Reported requests per second", Unit: unit.PerSecond, Better: unit.Higher, AsTold: true, Of: reportedRate,
		Doc: "What an external tool printed, which may count failures; not measured by native."},
	{Name: "bytes_per_second", Heading: "Transfer rate", Unit: unit.BytesPerSecond, Better: unit.Higher, Of: transferRate,
		Doc: "Bytes received, heads included, over the time taken; where a driver does not count them, what its tool printed."},
	count("body_bytes", "Body bytes", unit.Neither, Median, func(m *bench.Measurement) int64 { return m.BodyBytes },
		"Bytes of bodies received."),
	count("wire_bytes", "Bytes received", unit.Neither, Median, func(m *bench.Measurement) int64 { return m.WireBytes },
		"Bytes received, heads included."),

	timing("connect_mean_ms", "Connect, mean", connectDist, (*hist.Hist).Mean, mean),
	timing("connect_min_ms", "Connect, least", connectDist, (*hist.Hist).Min, least),
	timing("connect_max_ms", "Connect, greatest", connectDist, (*hist.Hist).Max, greatest),
	timing("first_byte_mean_ms", "First byte, mean", firstByteDist, (*hist.Hist).Mean, mean),
	timing("first_byte_min_ms", "First byte, least", firstByteDist, (*hist.Hist).Min, least),
	timing("first_byte_max_ms", "First byte, greatest", firstByteDist, (*hist.Hist).Max, greatest),
	timing("latency_mean_ms", "Latency, mean", latencyDist, (*hist.Hist).Mean, mean),
	timing("latency_sd_ms", "Latency, standard deviation", latencyDist, (*hist.Hist).SD, deviation),
	timing("latency_min_ms", "Latency, least", latencyDist, (*hist.Hist).Min, least),
	percentile("latency_p50_ms", "Latency, p50", 0.50),
	percentile("latency_p90_ms", "Latency, p90", 0.90),
	percentile("latency_p95_ms", "Latency, p95", 0.95),
	percentile("latency_p99_ms", "Latency, p99", 0.99),
	percentile("latency_p999_ms", "Latency, p99.9", 0.999),
	timing("latency_max_ms", "Latency, greatest", latencyDist, (*hist.Hist).Max, greatest),

	{Name: "achieved_concurrency", Heading: "Achieved concurrency", Better: unit.Neither, Of: achieved, Count: achievedCount,
		Doc: "Most requests in flight at once. With HTTP/2, the most streams that were open at once: refused ones were not."},
	{Name: "load_average", Heading: "Load average (including the generator)", Better: unit.Lower, Over: Greatest, Always: true, Places: 2, Of: loadAverage,
		Doc: "Of the host over one minute: the greatest value seen while the trial ran, or else before or after it."},
	{Name: "zombies", Heading: "Temporary zombies", Better: unit.Lower, Over: Greatest, Always: true, Of: asFloat(zombies), Count: zombies,
		Doc: "Most defunct processes seen on the host while the trial ran."},
	{Name: "time_wait", Heading: "Sockets in TIME_WAIT", Better: unit.Neither, Over: Greatest, Always: true, Of: asFloat(timeWait), Count: timeWait,
		Doc: "Most TCP sockets in TIME_WAIT seen on the host."},
	{Name: "server_cpu_user_s", Heading: "Server CPU, user", Unit: unit.Seconds, Better: unit.Lower, Of: serverUser,
		Doc: "CPU time of the server's processes in user mode."},
	{Name: "server_cpu_system_s", Heading: "Server CPU, system", Unit: unit.Seconds, Better: unit.Lower, Of: serverSystem,
		Doc: "CPU time of the server's processes in the kernel."},
	{Name: "server_max_rss_bytes", Heading: "Server memory", Unit: unit.Bytes, Better: unit.Lower, Over: Greatest, Of: asFloat(serverRSS), Count: serverRSS,
		Doc: "Most resident memory of the server's processes."},
	{Name: "client_cpu_s", Heading: "Generator CPU", Unit: unit.Seconds, Better: unit.Neither, Always: true, Of: clientCPU,
		Doc: "CPU time of the load generator, user and kernel."},
	{Name: "client_max_rss_bytes", Heading: "Generator memory", Unit: unit.Bytes, Better: unit.Neither, Over: Greatest, Always: true, Of: asFloat(clientRSS), Count: clientRSS,
		Doc: "Most resident memory of the load generator."},
	{Name: "client_loop_lag_p99_ms", Heading: "Generator lag, p99", Unit: unit.Milliseconds, Better: unit.Neither, Over: Greatest, Of: clientLag,
		Doc: "How late the load generator came to an event that was due; not measured by external tools."},

	{Name: "errors", Heading: "Errors", Text: errorsText,
		Doc: "Why trials failed or requests in them did, and in how many of the rounds."},
	{Name: "state", Heading: "State", Text: stateText,
		Doc: "The fate of the cell: ok, degraded (some requests or rounds failed), failed, timeout, skipped or interrupted."},
	{Name: "reason", Heading: "Reason", Text: distinct(func(r *bench.Record) string { return r.Reason }),
		Doc: "Why the state is not ok."},
	{Name: "requests_per_second_interval", Heading: "95 % interval of the rate", Text: rateInterval, OfCell: true,
		Doc: "What bounds the median of requests_per_second over the rounds with a confidence of 95 %; it takes six rounds."},
	{Name: "stop", Heading: "Ended by", Text: func([]bench.Record) string { return "" }, OfCell: true, // a builder knows
		Doc: "What ended the rounds of the cell: that all were run, an interval narrow enough, the most rounds, the budget, or failing."},
	{Name: "multi_times", Heading: "Multi times", Text: multiTimes,
		Doc: "How many of the immediate repeats went well before the first that did not; of the worst round."},
	{Name: "multi_time_error", Heading: "Multi-time error", Text: multiError,
		Doc: "What the first repeat that failed said."},
	{Name: "driver", Heading: "Driver", Text: distinct(func(r *bench.Record) string { return r.Cell.Driver }),
		Doc: "What made the load."},
	{Name: "backend", Heading: "Backend", Text: distinct(func(r *bench.Record) string { return r.Backend }),
		Doc: "Which interface of the kernel the native engine used."},
	{Name: "server_header", Heading: "Server header", Text: distinct(func(r *bench.Record) string { return r.Server }),
		Doc: "What the server called itself in its first answer."},
	{Name: "remarks", Heading: "Remarks", Text: distinct(noteCodes),
		Doc: "The codes of the notes on the trial."},
}

// standard lists the columns of a table whose scenario names none.
var standard = []string{
	"time_s", "completed", "failed", "requests_per_second", "bytes_per_second",
	"errors", "multi_times", "multi_time_error", "zombies", "load_average",
}
