package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// Shapes that public pages, READMEs, issues and logs have, with figures of our
// own. Of each report: how many of its requests succeeded, its rate, and "cut"
// where lines are missing; of one that yields nothing "failed"; of a text the
// error.
func TestReportsInTheField(t *testing.T) {
	const abBody = "Concurrency Level:      10\nTime taken for tests:   3.090 seconds\nComplete requests:      50000\nFailed requests:        0\n"
	const abEnd = "Total transferred:      16350000 bytes\nHTML transferred:       8300000 bytes\nRequests per second:    16181.23 [#/sec] (mean)\n" +
		"Time per request:       0.618 [ms] (mean)\nTime per request:       0.062 [ms] (mean, across all concurrent requests)\nTransfer rate:          5167.25 [Kbytes/sec] received\n"
	const abTables = "\nConnection Times (ms)\n              min  mean[+/-sd] median   max\nConnect:        0    0   0.1      0       3\nProcessing:     0    1   0.3      1      21\nWaiting:        0    1   0.3      1      20\nTotal:          0    1   0.3      1      22\n" +
		"\nPercentage of the requests served within a certain time (ms)\n  50%      1\n  90%      1\n  99%      2\n 100%     22 (longest request)\n"
	const wrkBody = "  4 threads and 96 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     4.39ms  832.33us   8.84ms   63.86%\n    Req/Sec     5.44k     0.89k   16.44k    64.36%\n" +
		"  649605 requests in 30.10s, 85.20MB read\nRequests/sec:  21581.56\nTransfer/sec:      2.83MB\n"
	const wrkRun = "Running 30s test @ http://10.0.0.1/x\n" + wrkBody
	const h2Block = "finished in 2.00s, 5000.00 req/s, 1.00MB/s\nrequests: 10000 total, 10000 started, 10000 done, 10000 succeeded, 0 failed, 0 errored, 0 timeout\nstatus codes: 10000 2xx, 0 3xx, 0 4xx, 0 5xx\n" +
		"traffic: 2.00MB (2097152) total, 1.00MB (1048576) headers (space savings 39.58%), 976.56KB (1000000) data\n"
	const h2Times = "                     min         max         mean         sd        +/- sd\ntime for request:      436us     41.08ms      8.29ms      2.23ms    95.80%\ntime for connect:    37.18ms    138.18ms     95.07ms     28.40ms    57.00%\ntime to 1st byte:   144.53ms    165.76ms    156.08ms      5.50ms    62.00%\nreq/s           :     572.76      582.70      577.69        1.86    67.00%\n"
	const hlBlock = "18 fetches, 2 max parallel, 86724 bytes, in 10.0006 seconds\n4818 mean bytes/connection\n1.79989 fetches/sec, 8671.88 bytes/sec\nmsecs/connect: 114.507 mean, 129.007 max, 102.006 min\nmsecs/first-response: 233.013 mean, 260.014 max, 215.012 min\n"
	for _, c := range []struct {
		name  string
		parse parser
		text  string
		want  string
	}{
		{"ab quoted from the concurrency on, every answer an error", ParseAB, "It took 3 seconds:\n\n" + abBody + "Non-2xx responses:      50000\n" + strings.Split(abEnd, "Transfer rate")[0], "0 of 50000, 16181.23/s, cut"},
		{"ab with bullets that quote it", ParseAB, "```\n" + abBody + abEnd + abTables + "```\n\nNotes:\n- Concurrency Level: 10, that is -c\n- Time taken for tests: 3.090 seconds, all of it\n- Complete requests: 50000\n- Requests per second: 16181.23 [#/sec] (mean), higher is better\n- Percentage of the requests served within a certain time (ms): see 99%\n", "50000 of 50000, 16181.23/s"},
		{"ab explained before", ParseAB, "- Concurrency Level: set by -c\n- Requests per second: the throughput\n- Time per request: Time taken for tests / Complete requests\n\n```This is ApacheBench, Version 2.3 <$Revision: 1826891 $>\n\n" + abBody + abEnd + abTables + "```", "50000 of 50000, 16181.23/s"},
		{"ab in a comment of a program", ParseAB, prefixed("//    ")(abBody+abEnd+abTables) + "#include <stdio.h>\n", "50000 of 50000, 16181.23/s"},
		{"ab as the value of a string", ParseAB, `  "ab": "` + strings.ReplaceAll("This is ApacheBench, Version 2.3 <$Revision$>\nBenchmarking h (be patient).....done\nServer Software:        odd/1\nServer Hostname:        h\n"+abBody+abEnd+abTables, "\n", `\n`) + "\",\n", "50000 of 50000, 16181.23/s"},
		{"ab in a JSON log", ParseAB, lineByLine(func(_ int, line string) string {
			return `{"log":"` + line + `\n","stream":"stdout","time":"2024-03-01T10:20:30Z"}`
		})(abBody + abEnd + abTables), "50000 of 50000, 16181.23/s"},
		{"ab on a page with entities", ParseAB, "<pre><code>Server Software:&nbsp; &nbsp; &nbsp; &nbsp; odd&#47;1&#x000A;" + strings.NewReplacer("  ", "&nbsp; ", "\n", "&#10;").Replace(abBody+abEnd+abTables) + "</code></pre>", "50000 of 50000, 16181.23/s"},
		{"ab in a list of a page", ParseAB, "<ul><li>" + strings.ReplaceAll(abBody+abEnd+abTables, "\n", "</li>\n<li>") + "</li></ul>", "50000 of 50000, 16181.23/s"},
		{"ab with lines left out", ParseAB, "This is ApacheBench, Version 2.3 <$Revision$>\n....\nDocument Path:          /x\nDocument Length:        5 bytes\n....\n" + abEnd + "....\n", `it is cut short: there is no line "Complete requests:"`},
		{"another program with labels like ab's", ParseAB, "Concurrency Level:      100\nTime taken for tests:   2.5 seconds\nComplete requests:      1,000\nFailed requests:        0\nConnect failed:         0\nTotal send:             87,000 bytes\nRequests per second:    400\n", `it is cut short: there is no line "Total transferred:"`},
		{"ab, grouped by hand", ParseAB, "Complete requests:      1,000,000\nFailed requests:        3\nRequests per second:    7,929.01 [#/sec] (mean)\n99th percentile latency: 81 ms\nTotal time:              126.1 seconds\n", `it is cut short: there is no line "Total transferred:"`},
		{"ab, two reports side by side", ParseAB, "                        before      after\nConcurrency Level:      10          10\nComplete requests:      1000        1000\n", "Concurrency Level is 10, and another number follows: reports side by side cannot be read"},
		{"ab twice at once", ParseAB, "Concurrency Level:      10\nConcurrency Level:      20\nTime taken for tests:   3.500 seconds\nComplete requests:      1000\nTime taken for tests:   2.500 seconds\nFailed requests:        0\nComplete requests:      2000\nFailed requests:        5\nTotal transferred:      170000 bytes\nTotal transferred:      340000 bytes\n", `it is cut short: there is no line "Complete requests:"`},
		{"ab in a folded string of YAML", ParseAB, "- content: \"see:\\n\\nServer\n    Software:        x&#47;2.4\\nServer Port:\n    \\           80\\n" + strings.NewReplacer("\n", `\n`, "Write errors:", "Write errors:\n    \\ ", "(mean)", "\n    (mean)", "Time per", "Time\n    per").Replace(abBody+abEnd+abTables) + "\"\n- id: 7\n", "50000 of 50000, 16181.23/s"},
		{"ab given up, then whole", ParseAB, "$ ab -n 50000 -c 10 http://h/\nThis is ApacheBench, Version 2.3 <$Revision: 655654 $>\n\nBenchmarking h (be patient)\napr_socket_recv: Connection refused (61)\n$ ab -n 50000 -c 10 http://h/\nThis is ApacheBench, Version 2.3 <$Revision: 655654 $>\n\nBenchmarking h (be patient)\nCompleted 5000 requests\nFinished 50000 requests\n\n\n" + abBody + abEnd + abTables, "failed; 50000 of 50000, 16181.23/s"},
		{"ab's reason alone, and an excerpt", ParseAB, "# old\napr_socket_recv: Connection reset by peer (54)\n\n# new\nRequests per second:    6.44 [#/sec] (mean)\n", `it is cut short: there is no line "Complete requests:"`},
		{"ab refused, then whole", ParseAB, "$ ab -n 5 -c 10 http://h/\nab: Cannot use concurrency level greater than total number of requests\nUsage: ab [options] [http[s]://]hostname[:port]/path\n    -n requests     Number of requests to perform\n$ ab -n 50000 -c 10 http://h/\n" + abBody + abEnd + abTables, "failed; 50000 of 50000, 16181.23/s"},
		{"ab through head", ParseAB, abBody + abEnd + abTables[:strings.Index(abTables, "Waiting")] + "$\n", "50000 of 50000, 16181.23/s, cut"},
		{"wrk without its first line", ParseWrk, "$ wrk -t4 -c96 -d30s http://10.0.0.1/x\n\n" + wrkBody + "\nand then\n\n$ wrk -t2 -c96 -d30s http://10.0.0.2/x\n" + strings.Replace(wrkRun, "649605", "649606", 1), "649605 of 649605, 21581.56/s, cut; 649606 of 649606, 21581.56/s"},
		{"wrk twice, the second without its first line", ParseWrk, wrkRun + strings.Replace(wrkBody, "649605", "324802", 1), "649605 of 649605, 21581.56/s; 324802 of 324802, 21581.56/s, cut"},
		{"wrk's last lines", ParseWrk, strings.Join(strings.SplitAfter(wrkBody, "\n")[4:], ""), "649605 of 649605, 21581.56/s, cut"},
		{"wrk through grep", ParseWrk, "  649605 requests in 30.10s, 85.20MB read\nRequests/sec:  21581.56\n", `it is cut short: there is no line "Transfer/sec:"`},
		{"ab's tables alone, among others", ParseAB, abTables + "$ ab -n 50000 -c 10 http://h/\n" + abBody + abEnd + abTables, "failed; 50000 of 50000, 16181.23/s"},
		{"wrk in docker compose", ParseWrk, "PS C:\\x> docker-compose up wrk\nCreating wrk ... done\nAttaching to wrk\n" + prefixed("wrk  | ")(wrkRun) + "wrk exited with code 0\n", "649605 of 649605, 21581.56/s"},
		{"wrk in sections", ParseWrk, "=== A ===\n" + prefixed("web_1  | ")(wrkRun) + "\n=== B ===\n" + prefixed("web_1  | ")(strings.Replace(wrkRun, "649605", "324802", 1)) + strings.Repeat("prose about it\n", 40), "649605 of 649605, 21581.56/s; 324802 of 324802, 21581.56/s"},
		{"wrk, stripped of its spaces", ParseWrk, "me@host:~/x$ wrk -t4 -c96 -d30s http://10.0.0.1/x\n" + strings.Join(strings.Split(strings.Join(strings.Fields(strings.ReplaceAll(wrkRun, "\n", " ; ")), " "), " ; "), "\n"), "649605 of 649605, 21581.56/s"},
		{"wrk with a star and a script's words", ParseWrk, "[Lua] 240 prompts\n" + strings.Replace(wrkRun, "Requests/sec", "*Requests/sec", 1) + "[Lua] markers: coding=278803 math=257186\n", "649605 of 649605, 21581.56/s"},
		{"another program with words like wrk's", ParseWrk, "Requests/sec (avg): 3,653.27\n110k requests in 30.04s, 51 MB read, 2xx responses: 109,582\n", "there is none in the text"},
		{"a table of wrk's rates", ParseWrk, "| **A** | **Requests/sec: 136112** |\n| B | Requests/sec: 103214 |\n", `it is cut short: there is no line "requests in"`},
		{"h2load's blocks alone", ParseH2Load, "    ```\n" + prefixed("    ")(h2Block) + "\n" + prefixed("    ")(strings.ReplaceAll(h2Block, "10000 ", "20000 ")) + "    ```\n", "10000 of 10000, 5000/s, cut; 20000 of 20000, 5000/s, cut"},
		{"h2load with lines in bold", ParseH2Load, strings.NewReplacer("requests: ", "**requests: ", "0 timeout\n", "0 timeout**\n", "10000 2xx", "**10000 2xx**").Replace(h2Block) + h2Times, "10000 of 10000, 5000/s"},
		{"h2load under a machine's name", ParseH2Load, prefixed("    digitalocean: ")(h2Block + h2Times), "10000 of 10000, 5000/s"},
		{"h2load of old", ParseH2Load, strings.Replace(h2Block, "traffic: 2.00MB (2097152) total, 1.00MB (1048576) headers (space savings 39.58%), 976.56KB (1000000) data", "traffic: 2097152 bytes total, 1048576 bytes headers (space savings 39.58%), 1000000 bytes data", 1) + h2Times, "10000 of 10000, 5000/s"},
		{"http_load, numbered and without its codes at the end", ParseHTTPLoad, hlBlock + "HTTP response codes:\n  code 200 -- 18\n\n1. 18 fetches, 2 max parallel, 86724 bytes, in 10.0006 seconds\n   all of it\n2. 4818 mean bytes/connection\n3. 1.79989 fetches/sec, 8671.88 bytes/sec\n4. msecs/connect: 114.507 mean, 129.007 max, 102.006 min\n5. msecs/first-response: 233.013 mean, 260.014 max, 215.012 min\n6. HTTP response codes: code 200 -- 18\n", "18 of 18, 1.79989/s; 18 of 18, 1.79989/s"},
		{"http_load, and its namesake", ParseHTTPLoad, "18 fetches, 4 max parallel, 91998 bytes, in 10.0000 seconds\n5111.00  mean bytes/connection\n1.80000 fetches/sec, 9199.80 bytes/sec\n0 timeouts\n\n" + hlBlock + "HTTP response codes:\n  code 200 -- 18\n", "failed; 18 of 18, 1.79989/s"},
		{"http_load, without spaces behind its commas", ParseHTTPLoad, strings.Replace(hlBlock, "fetches, 2 max parallel, ", "fetches,2 max parallel,", 1) + "HTTP response codes:\ncode 200 -- 18\n-bash: history: write error: Success\n", "18 of 18, 1.79989/s"},
	} {
		reports, err := c.parse(strings.NewReader(c.text))
		var got []string
		for _, r := range reports {
			words := "failed"
			if r.Abort == "" {
				words = fmt.Sprintf("%d of %d, %g/s", r.OK, r.Issued, *r.Printed.RequestsPerSecond)
				if r.Cut != "" {
					words += ", cut"
				}
			}
			got = append(got, words)
		}
		words := strings.Join(got, "; ")
		if err != nil {
			_, words, _ = strings.Cut(err.Error(), "report: ")
		}
		if words != c.want {
			t.Errorf("%s: %s, not %s", c.name, words, c.want)
		}
	}
}
