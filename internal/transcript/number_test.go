package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// abCounted is a whole report of ab with one number in the place of another.
func abCounted(old, written string) string {
	const report = `Server Software:        odd/1
Server Hostname:        127.0.0.1
Server Port:            80
Document Path:          /a.php
Document Length:        5 bytes
Concurrency Level:      10
Time taken for tests:   126.131 seconds
Complete requests:      1000000
Failed requests:        0
Keep-Alive requests:    1000000
Total transferred:      82000000 bytes
HTML transferred:       5000000 bytes
Requests per second:    7928.26 [#/sec] (mean)
Time per request:       1.261 [ms] (mean)
Time per request:       0.126 [ms] (mean, across all concurrent requests)
Transfer rate:          634.88 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.0      0      11
Processing:     0    1   0.3      1    1234
Waiting:        0    1   0.3      1    1234
Total:          0    1   0.3      1    1234

Percentage of the requests served within a certain time (ms)
  50%      1
  99%      2
 100%   1234 (longest request)
`
	return strings.ReplaceAll(report, old, written)
}

// A number is read in full or not at all, however its digits are grouped: by
// every tool, in every line.
func TestNumbersAreReadInFull(t *testing.T) {
	const wrkReport = "Running 30s test @ http://h/\n  4 threads and 100 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n" +
		"    Latency     1.50ms    2.00ms  1234.00ms   90.00%\n    Req/Sec    56.20k     8.07k   62.00k    86.54%\n" +
		"  1234567 requests in 30.00s, 1234.50MB read\n  Socket errors: connect 0, read 1234, write 0, timeout 0\n  Non-2xx or 3xx responses: 4321\nRequests/sec:  41152.23\nTransfer/sec:     41.15MB\n"
	const h2Report = "starting benchmark...\nfinished in 1.00s, 1234567.00 req/s, 1.00MB/s\n" +
		"requests: 1234567 total, 1234567 started, 1234567 done, 1234567 succeeded, 0 failed, 0 errored, 0 timeout\nstatus codes: 1234567 2xx, 0 3xx, 0 4xx, 0 5xx\n" +
		"traffic: 1.00MB (1048576) total, 1.00KB (1024) headers (space savings 1.00%), 1.00KB (2048) data\n" +
		"time for request:      100us      2.00ms      1.00ms       100us    80.00%\ntime for connect:      100us      2.00ms      1.00ms       100us    80.00%\ntime to 1st byte:      100us      2.00ms      1.00ms       100us    80.00%\n"
	const hlReport = "123456 fetches, 1234 max parallel, 617280 bytes, in 60.5 seconds\n5 mean bytes/connection\n2040.6 fetches/sec, 10203 bytes/sec\n" +
		"msecs/connect: 1.5 mean, 3039.73 max, 0.1 min\nmsecs/first-response: 1.5 mean, 3039.73 max, 0.1 min\n1234 timeouts\n1234 bad byte counts\nHTTP response codes:\n  code 200 -- 122222\n"
	for _, c := range []struct{ tool, text, number string }{
		{"ab", abCounted("odd", "odd"), ""},
		{"ab", abCounted("1000000", "1,000,000"), ""},
		{"ab", abCounted("7928.26", "7,928.26"), ""},
		{"ab", strings.NewReplacer("7928.26", "7,928.26", " 1234", " 1,234", "82000000", "82,000,000").Replace(abCounted("1000000", "1,000,000")), ""},
		{"ab", abCounted("1000000", "1.000.000"), "1.000.000"},
		{"ab", abCounted("1000000", "1 000 000"), "1 000 000"},
		{"ab", abCounted("1000000", "1\u202f000\u202f000"), "1 000 000"},
		{"ab", abCounted("1000000", "1'000'000"), "1'000'000"},
		{"ab", abCounted("1000000", "1,00,000"), "1,00,000"},
		{"ab", abCounted("1000000", "10,00000"), "10,00000"},
		{"ab", abCounted("1000000", "1.5"), "1.5"},
		{"ab", abCounted("7928.26", "7.928,26"), "7.928,26"},
		{"ab", abCounted("7928.26", "7928,26"), "7928,26"},
		{"ab", abCounted("7928.26", "7,928"), "7,928"}, // of which nothing tells what the comma is
		{"ab", abCounted("1.261 ", "1,261 "), "1,261"},
		{"ab", abCounted("      1    1234\nTotal", "      1   1,234\nTotal"), "1,234"},
		{"ab", abCounted("100%   1234", "100%  1,234"), "1,234"},
		{"wrk", wrkReport, ""},
		{"wrk", strings.ReplaceAll(wrkReport, "1234567", "1,234,567"), ""},
		{"wrk", strings.NewReplacer("read 1234", "read 1,234", "4321", "4,321", "1234.00ms", "1,234.00ms", "1234.50MB", "1,234.50MB", "41152.23", "41,152.23").Replace(wrkReport), ""},
		{"wrk", strings.Replace(wrkReport, "read 1234", "read 1.234", 1), "1.234"},
		{"wrk", strings.Replace(wrkReport, "4321", "4 321", 1), "4 321"},
		{"wrk", strings.Replace(wrkReport, "41152.23", "41.152,23", 1), "41.152,23"},
		{"wrk", strings.Replace(wrkReport, "1234567 requests", "1 234 567 requests", 1), "1 234 567"},
		{"h2load", h2Report, ""},
		{"h2load", strings.NewReplacer("1234567.00", "1,234,567.00", "1234567", "1,234,567", "1048576", "1,048,576", "2048", "2,048").Replace(h2Report), ""},
		{"h2load", strings.Replace(h2Report, "1234567 succeeded", "1.234.567 succeeded", 1), "1.234.567"},
		{"h2load", strings.Replace(h2Report, "2.00ms", "2,00ms", 1), "2,00"},
		{"http_load", hlReport, ""},
		{"http_load", strings.NewReplacer("123456 f", "123,456 f", "1234 ", "1,234 ", "617280", "617,280", "3039.73", "3,039.73", "122222", "122,222").Replace(hlReport), ""},
		{"http_load", strings.Replace(hlReport, "1234 timeouts", "1.234 timeouts", 1), "1.234"},
		{"http_load", strings.Replace(hlReport, "123456 fetches", "123 456 fetches", 1), "123 456"},
		{"http_load", strings.Replace(hlReport, "122222", "122'222", 1), "122'222"},
	} {
		var parse parser
		var want string
		switch c.tool {
		case "ab":
			parse, want = ParseAB, abCounted("odd", "odd")
		case "wrk":
			parse, want = ParseWrk, wrkReport
		case "h2load":
			parse, want = ParseH2Load, h2Report
		case "http_load":
			parse, want = ParseHTTPLoad, hlReport
		}
		reports, err := parse(strings.NewReader(c.text))
		if c.number == "" {
			plain := oneOf(t, parse, want)
			if err != nil || len(reports) != 1 || figuresText(reports[0]) != figuresText(plain) {
				t.Errorf("%s: %v\n%+v\nand not\n%+v", c.text, err, reports, plain)
			}
			continue
		}
		var u Unreadable
		if !errors.As(err, &u) || !strings.Contains(u.Message, " is "+c.number+", which is no ") {
			t.Errorf("%s: %s was not refused: %v", c.tool, c.number, err)
		}
	}
}

// Whatever stands where a number is due: it is read in full, or not at all.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"1,000,000", "7,929.01", "1000", "1e3", "1 000", "12.5", "1.000.000", "-5", "1000k", "1000,", "0x10", "1'000", "١٠٠٠", "1000\u202f000", "+7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\r\n\x1b<>[&\x00") || strings.Contains(s, "\u2028") || strings.Contains(s, "\u0085") {
			t.Skip("more than one line, or the words of a terminal or a page")
		}
		reports, err := ParseAB(strings.NewReader(abCounted("Complete requests:      1000000", "Complete requests:      "+s)))
		if err != nil {
			return
		}
		// What is read is all that stands there but for commas that group, and
		// for signs that close what stands before them.
		digits := strings.TrimSpace(strings.NewReplacer("\u200b", "", "\ufeff", "").Replace(s))
		digits, _, _ = strings.Cut(strings.ReplaceAll(digits, "\t", " "), " ")
		digits = strings.ReplaceAll(strings.TrimPrefix(digits, "+"), ",", "")
		end := strings.IndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' })
		if end >= 0 {
			if c := []rune(digits[end:])[0]; c < 0x80 && !strings.ContainsRune(closers, c) || unicode.IsLetter(c) || unicode.IsDigit(c) {
				t.Errorf("%q is read as %d", s, reports[0].Issued)
			}
			digits = digits[:end]
		}
		if n, err := strconv.ParseInt(digits, 10, 64); err != nil || n != reports[0].Issued {
			t.Errorf("%q is read as %d", s, reports[0].Issued)
		}
	})
}

// figuresText is all that a report measured, in words.
func figuresText(r Report) string { return fmt.Sprintf("%+v", toolFiguresOf(r)) }
