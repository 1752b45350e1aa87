package transcript

// The names of ab's lines that are asked for by name.
const (
	benchmarking  = "Benchmarking"
	concurrency   = "Concurrency Level:"
	timeTaken     = "Time taken for tests:"
	complete      = "Complete requests:"
	failedLine    = "Failed requests:"
	transferred   = "Total transferred:"
	perSecond     = "Requests per second:"
	transferLine  = "Transfer rate:"
	timesTable    = "Connection Times (ms)"
	quantileTable = "Percentage of the requests served within a certain time (ms)"
	abErrorLine   = "error"
	abRefusal     = "refusal"
)

// abCore are the lines without which a report tells nothing for sure: those of
// failures stand between the last two.
var abCore = []string{complete, failedLine, transferred}

// abFunctions are what ab says before an error's words and number: the function
// that failed. Other programs in the same log write errors as well.
const abFunctions = `(?:apr_[a-z_]+(?:\(\))?(?: failed)?(?: for [^:\s]{1,256})?|socket(?: nonblock| receive buffer| send buffer)?|connect|select|poll|bind|recv|read|write|gethostbyname)`

var abMarks = append([]mark{
	{name: abRefusal, sign: "ab", is: fresh, rank: 0, text: `^\S*ab(?:\.exe)?: [^\n]+\n+Usage:`},
	{name: "banner", sign: "This is ApacheBench", is: heading, rank: 0, text: `This is ApacheBench, Version `},
	{name: benchmarking, is: begun, rank: 1, text: `Benchmarking \S+ (?:\[through [^\]\n]*\] )?\(be patient\)`},
	{name: abErrorLine, sign: ": ", is: ending, rank: 2, text: `(?:^[ \t]*|\.\.[ \t]*|requests[ \t]+)` + abFunctions + `: [^\n]{1,512}? \(\d{1,9}\)`},
	{name: "Test aborted", is: ending, rank: 2, text: `Test aborted after 10 failures`},
	{name: "Server timed out", is: ending, rank: 2, text: `Server timed out`},
	{name: "Total of requests completed", sign: "requests completed", is: ending, rank: 3, text: `Total of {n} requests completed`},
	{name: "Server Software:", is: heading, rank: 10, label: true, text: `Server Software:`},
}, abLines...)

// abLines are the lines that ab has of zb.
var abLines = []mark{
	{name: "Server Hostname:", is: heading, rank: 11, label: true, text: `Server Hostname:`},
	{name: "Server Port:", rank: 12, label: true, text: `Server Port:\s*{n}`},
	{name: "Document Path:", is: heading, rank: 13, label: true, text: `Document Path:`},
	{name: "Document Length:", sign: " Length:", rank: 14, label: true, text: `(?:Document|Doucment) Length:\s*{n}`},
	{name: concurrency, sign: " Level:", rank: 15, label: true, text: `(?:Concurrency|Concurency) Level:\s*{n}`},
	{name: timeTaken, rank: 20, label: true, text: `Time taken for tests:\s*{x}`},
	{name: complete, rank: 21, label: true, text: `Complete requests:\s*{n}`},
	{name: failedLine, rank: 22, label: true, text: `Failed requests:\s*{n}`},
	{name: "breakdown", sign: "(Connect:", is: row, rank: 22, text: `\(Connect: {n},(?: Receive: {n},)? Length: {n}, Exceptions: {n}\)`},
	{name: "Write errors:", rank: 23, label: true, text: `Write errors:\s*{n}`},
	{name: "Broken pipe errors:", rank: 23, label: true, text: `Broken pipe errors:\s*{n}`},
	{name: "Non-2xx responses:", rank: 23, label: true, text: `Non-2xx responses:\s*{n}`},
	{name: "Keep-Alive requests:", rank: 23, label: true, text: `Keep-Alive requests:\s*{n}`},
	{name: transferred, sign: "ransfer", rank: 24, label: true, text: `(?:Total|Bytes) transferr?ed:\s*{n}`},
	{name: "Total body sent:", sign: "Total ", rank: 25, label: true, text: `Total (?:POSTed|PUT|body sent):\s*{n}`},
	{name: "HTML transferred:", sign: "HTML ", rank: 26, label: true, text: `HTML transferr?ed:\s*{n}`},
	{name: perSecond, sign: "Requests per second", rank: 27, label: true, text: `Requests per seconds?:\s*{x}`},
	{name: "Time per request:", is: row, rank: 28, label: true, text: `Time per request:\s*{x}`}, // twice, as a rule
	{name: transferLine, rank: 30, label: true, text: `Transfer rate:\s*{x}`},
	{name: timesTable, sign: "ction Times", is: table, rank: 31, text: `Connn?ection Times \(ms\)[^\pL\pN]{1,99}min\b`},
	{name: "times", sign: ":", is: row, rank: 31, text: `\b(?:Connect|Processing|Waiting|Total):{r}`},
	{name: quantileTable, sign: "served within", is: heading, rank: 32, text: `Percentage of (?:the )?requests served within a certain time \(ms\)`},
	{name: "percentile", sign: "%", is: row, rank: 32, text: `(?:^|[ \t])\d{1,3}%[ \t]+{x}`},
}
