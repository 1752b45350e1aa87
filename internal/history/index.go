package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/file"
	"matrix/internal/results"
	"matrix/internal/table"
	"matrix/internal/unit"
)

const (
	indexName = "history.index"

	// indexFormat is what an index must say to be believed. Raise it when the
	// lines below change, or what a metric means.
	indexFormat = 2

	longestIndex = 256 << 20 // bytes
)

// An index is lines of text:
//
//	{"index":1,"stamp":"...","cells":2,"metrics":[...],"facts":[...]}
//	ok<TAB>3<TAB>digest<TAB>key            for each cell
//	requests_per_second 1234.5 -           for each metric that was measured; - for a cell without
//	crc32 5a3b1c9e                         of all lines above
type indexHead struct {
	Index   int          `json:"index"`
	Stamp   string       `json:"stamp"` // of the files that it was made from
	Cells   int          `json:"cells"`
	Metrics []string     `json:"metrics"` // that were looked for
	Facts   []bench.Pair `json:"facts"`
	Broken  int          `json:"broken,omitempty"`
}

// readIndex reads the index of a run; ok is false when there is none, or it is
// stale, damaged or without one of the metrics. A summary beside a false is of
// use for its covered metrics alone.
func readIndex(dir, stamp string, metrics []string) (s *summary, ok bool) {
	path := filepath.Join(dir, indexName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > longestIndex {
		return nil, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	return parseIndex(text, stamp, metrics)
}

func parseIndex(text []byte, stamp string, metrics []string) (s *summary, ok bool) {
	body, sealed := unseal(text)
	if !sealed {
		return nil, false
	}
	line, rest, _ := strings.Cut(body, "\n")
	var head indexHead
	if json.Unmarshal([]byte(line), &head) != nil || head.Index != indexFormat {
		return nil, false
	}
	s = &summary{facts: head.Facts, broken: head.Broken, covered: head.Metrics, values: map[string][]float64{}}
	if head.Stamp != stamp || slices.ContainsFunc(metrics, func(m string) bool { return !slices.Contains(head.Metrics, m) }) {
		s.covered = known(head.Metrics)
		return s, false
	}
	for range head.Cells {
		line, rest, _ = strings.Cut(rest, "\n")
		c, ok := parseCell(line)
		if !ok {
			return nil, false
		}
		s.cells = append(s.cells, c)
	}
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		name, numbers, _ := strings.Cut(line, " ")
		if !slices.Contains(metrics, name) {
			continue
		}
		if s.values[name], ok = parseNumbers(numbers, len(s.cells)); !ok {
			return nil, false
		}
	}
	return s, true
}

// mostFurther is how many metrics an index keeps beside those of every index.
const mostFurther = 32

// known leaves out metrics that there are no more, and those that were followed
// beyond mostFurther.
func known(names []string) (list []string) {
	usual, further := indexed(), 0
	for _, name := range names {
		if slices.Contains(usual, name) {
			list = append(list, name)
		} else if m, ok := table.Lookup(name); ok && m.Of != nil && further < mostFurther {
			list = append(list, name)
			further++
		}
	}
	return list
}

// unseal is the text of an index without its last line, when that fits.
func unseal(text []byte) (string, bool) {
	i := bytes.LastIndex(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
	if i == 0 || string(text[i:]) != seal(text[:i]) {
		return "", false
	}
	return string(text[:i]), true
}

func seal(body []byte) string {
	return fmt.Sprintf("crc32 %08x\n", crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

func parseCell(line string) (c cell, ok bool) {
	parts := strings.SplitN(line, "\t", 4)
	if len(parts) != 4 || parts[3] == "" {
		return c, false
	}
	n, err := strconv.Atoi(parts[1])
	i := slices.Index(bench.States, bench.State(parts[0]))
	if err != nil || n < 1 || i < 0 {
		return c, false
	}
	return cell{key: bench.Key(parts[3]), digest: parts[2], state: bench.States[i], rounds: n}, true
}

func parseNumbers(text string, n int) ([]float64, bool) {
	values := make([]float64, 0, n)
	for word := range strings.SplitSeq(text, " ") {
		v := math.NaN()
		if word != "-" {
			var err error
			if v, err = strconv.ParseFloat(word, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
		}
		if len(values) == n {
			return nil, false
		}
		values = append(values, v)
	}
	return values, len(values) == n
}

// writeIndex keeps a summary for the next time, the whole of it or nothing: two
// that write at once leave one of two equal files. Where it cannot be written, as
// in a folder that may only be read, the next time takes as long.
func writeIndex(dir, stamp string, s *summary) {
	text, ok := formatIndex(stamp, s)
	if !ok || results.Stamp(dir) != stamp { // the run has gone on meanwhile
		return
	}
	_ = file.Write(filepath.Join(dir, indexName), text)
}

// formatIndex is false where a summary cannot be written in lines.
func formatIndex(stamp string, s *summary) ([]byte, bool) {
	head, err := json.Marshal(indexHead{indexFormat, stamp, len(s.cells), s.covered, s.facts, s.broken})
	if err != nil {
		return nil, false
	}
	out := append(head, '\n')
	for _, c := range s.cells {
		line := fmt.Sprintf("%s\t%d\t%s\t%s", c.state, c.rounds, c.digest, c.key)
		if back, ok := parseCell(line); !ok || back != c || strings.Contains(line, "\n") {
			return nil, false
		}
		out = append(append(out, line...), '\n')
	}
	for _, name := range s.covered {
		values, measured := s.values[name]
		if !measured {
			continue
		}
		out = append(out, name...)
		for _, v := range values {
			out = append(out, ' ')
			if math.IsNaN(v) {
				out = append(out, '-')
				continue
			}
			out = append(out, unit.Plain(v)...)
		}
		out = append(out, '\n')
	}
	return append(out, seal(out)...), true
}
