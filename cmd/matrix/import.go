package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/results"
	"matrix/internal/scenario"
	"matrix/internal/transcript"
	"matrix/internal/unit"
)

// importFlags say of the logs what they do not say themselves.
type importFlags struct {
	as, into, results string
	name, title, date string
	labels            []string

	file, size, duration string
	concurrency, streams int
	requests             int64
	rate                 float64
}

func importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import --as TOOL --label NAME=VALUE... FILE...",
		Short: "Make a run of what a load generator printed",
		Long: "Make an ordinary run folder of the logs of another load generator, and print its path: report and\n" +
			"audit work on it. All FILEs are of one system, which the labels name; a further system is\n" +
			"added with --into. Every report in a FILE is a record; one of a cell that is there already is a\n" +
			"further round of it. A log that its tool gave up is a failed cell with the reason; so is, among whole\n" +
			"reports, one that is cut short. What a log does not tell, such as the file that was asked for, may\n" +
			"be told by flags, and else stays unknown.\n\n" +
			"What the report or the command line before it tells of the load are axes: rate, streams, threads,\n" +
			"keep-alive, method, headers and all else that a flag of the tool changes, so that two loads are never\n" +
			"rounds of one cell. Where neither tells, reports whose figures cannot be of one load are kept apart.\n\n" +
			"Tools:\n" + importTools() + "\n" +
			"Exit status: 0 when all FILEs were imported, 2 when one could not be read or has no whole\n" +
			"report; nothing is written then.",
		Example: "  matrix import --as ab --label 'OS=RHEL 5' --name rhel --title 'RHEL 5 and 6' rhel5.txt\n" +
			"  matrix import --as ab --label 'OS=RHEL 6' --into rhel rhel6.txt\n" +
			"  matrix report rhel",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure{exitAuthor, errors.New("import takes at least one file with what a tool printed")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.OutOrStdout(), c.ErrOrStderr(), args) },
	}
	s := c.Flags()
	s.StringVar(&f.as, "as", "", "tool that printed the files: "+strings.Join(formatsOfImport(), ", "))
	s.StringArrayVar(&f.labels, "label", nil, "label of the system, 'NAME=VALUE' (repeatable)")
	s.StringVar(&f.into, "into", "", "imported run to add to (its folder or name) instead of a new one")
	s.StringVar(&f.results, "results", defaultResults, "folder that runs are kept in")
	s.StringVar(&f.name, "name", "", "name of the run (default: that of the first FILE)")
	s.StringVar(&f.title, "title", "", "title of the tables")
	s.StringVar(&f.date, "date", "", "when it was measured: 2010-11-15, or with a time 2010-11-15T08:00:00Z (default: unknown)")
	s.StringVar(&f.file, "file", "", "name of the file that was asked for (default: from the log)")
	s.StringVar(&f.size, "size", "", "size of that file where the log does not tell it, such as 1.5kB")
	countFlag(s, &f.concurrency, "concurrency", "", 0, "connections at a time, where the log does not tell")
	countFlag(s, &f.requests, "requests", "", 0, "requests that were asked for, where the log does not tell")
	countFlag(s, &f.streams, "streams", "", 0, "requests under way at once on each connection, where the log does not tell")
	numberFlag(s, &f.rate, "rate", "", 0, "requests a second that were asked for, where the log does not tell")
	s.StringVar(&f.duration, "duration", "", "time that was asked for instead of requests, where the log does not tell")
	_ = c.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(formatsOfImport(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return c
}

func formatsOfImport() (names []string) {
	for _, f := range transcript.Formats {
		names = append(names, f.Name)
	}
	return names
}

func importTools() string {
	var b strings.Builder
	for _, f := range transcript.Formats {
		fmt.Fprintf(&b, "  %-10s %s\n", f.Name, f.Doc)
	}
	return b.String()
}

func (f importFlags) run(stdout, stderr io.Writer, paths []string) error {
	told, err := f.told()
	if err != nil {
		return failure{exitAuthor, err}
	}
	logs, err := f.read(paths)
	if err != nil {
		return err
	}
	if f.into != "" {
		return f.add(stdout, stderr, told, logs)
	}
	records, err := f.records(told, logs, nil)
	if err != nil {
		return failure{exitAuthor, err}
	}
	run, err := f.create(paths[0], told.started)
	if err != nil {
		return err
	}
	return f.keep(stdout, stderr, run, logs, records)
}

// add adds the logs to an earlier import.
func (f importFlags) add(stdout, stderr io.Writer, t told, logs []logFile) error {
	dir, err := results.Find(f.results, f.into)
	if err != nil {
		return failure{exitAuthor, fmt.Errorf("--into: %w", err)}
	}
	before, err := results.Open(dir)
	if err != nil {
		return err
	}
	if i := before.Info(); strings.HasPrefix(i.ID, "published/") || i.Plan.Digest == "published" {
		return failure{exitAuthor, fmt.Errorf("--into: %s was made of what others published: logs are added to an imported run only", dir)}
	}
	run, err := results.Resume(dir)
	if err != nil {
		return err
	}
	if run.Info().Scenario != "" {
		return errors.Join(failure{exitAuthor, fmt.Errorf("--into: %s was measured by matrix: logs are added to an imported run only", dir)}, run.Close())
	}
	records, err := f.records(t, logs, run.Records())
	if err != nil {
		return errors.Join(failure{exitAuthor, err}, run.Close())
	}
	return f.keep(stdout, stderr, run, logs, records)
}

// keep writes the records to the run and prints where it is. A log that the run
// has already is taken all the same - two measurements may print the same - but
// that is told.
func (f importFlags) keep(stdout, stderr io.Writer, run *results.Run, logs []logFile, records [][]bench.Record) error {
	for _, n := range twice(run, logs) {
		fmt.Fprintf(stderr, "note: %s\n", n.Text)
	}
	for i, l := range logs {
		for _, line := range remarks(l, records[i]) {
			fmt.Fprintf(stderr, "note: %s\n", line)
		}
	}
	err := errors.Join(f.append(run, logs, records), run.Close())
	if err == nil {
		_, err = fmt.Fprintln(stdout, run.Dir())
	}
	return err
}

// told is what the flags tell, read.
type told struct {
	labels   []bench.Pair
	started  time.Time // zero: unknown
	size     int64     // -1: unknown
	duration time.Duration
}

func (f importFlags) told() (t told, err error) {
	t.size = -1
	if len(f.labels) == 0 {
		return t, errors.New("import takes at least one label, such as --label 'OS=RHEL 5': what tells this system from others")
	}
	for _, l := range f.labels {
		name, value, ok := strings.Cut(l, "=")
		if _, twice := bench.Lookup(t.labels, name); !ok || name == "" || twice {
			return t, fmt.Errorf("--label %q is no further label: write NAME=VALUE", l)
		}
		if err := labelName(name); err != nil {
			return t, fmt.Errorf("--label %q: %w", l, err)
		}
		t.labels = append(t.labels, bench.Pair{Name: name, Value: value})
	}
	if f.into != "" && (f.name != "" || f.title != "") {
		return t, errors.New("--name and --title belong to a new run: the one of --into has its own")
	}
	if f.concurrency < 0 || f.streams < 0 || !(f.rate >= 0 && f.rate <= 1e12) || f.requests < 0 || f.requests > 0 && f.duration != "" {
		return t, errors.New("--concurrency, --streams, --rate and --requests are above zero, and --duration stands instead of --requests")
	}
	if f.date != "" {
		if t.started, err = date(f.date); err != nil {
			return t, err
		}
	}
	if f.size != "" {
		if t.size, err = unit.ParseBytes(f.size); err != nil {
			return t, fmt.Errorf("--size: %w", err)
		}
	}
	if f.duration != "" {
		t.duration, err = seconds("--duration", f.duration)
	}
	return t, err
}

// labelName refuses what a scenario refuses as the name of a label, by asking
// one: what a load setting or a column is called would be mistaken for it.
func labelName(name string) error {
	src, err := json.Marshal(map[string]any{
		"files":   map[string]string{"any": "1B"},
		"systems": []any{map[string]any{"labels": map[string]string{name: "x"}, "url": "http://192.0.2.1/"}},
		"load":    map[string]string{"driver": "fake"},
		"grid":    []any{map[string]any{"file": "any", "concurrency": 1, "requests": 1}},
	})
	if err != nil {
		return err
	}
	var problems scenario.Problems
	if _, err = scenario.Parse("labels", src, known()); errors.As(err, &problems) && len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	return err
}

func date(s string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--date %q is no date such as 2010-11-15 or 2010-11-15T08:00:00Z", s)
}

// logFile is a file of a tool's and the reports in it.
type logFile struct {
	path    string
	text    []byte
	reports []transcript.Report
}

// read reads every file before anything is written, and tells of all that
// cannot be read.
func (f importFlags) read(paths []string) (logs []logFile, err error) {
	i := slices.IndexFunc(transcript.Formats, func(t transcript.Format) bool { return t.Name == f.as })
	if i < 0 {
		return nil, failure{exitAuthor, fmt.Errorf("--as %q is not one of %s", f.as, strings.Join(formatsOfImport(), ", "))}
	}
	var problems scenario.Problems
	for _, path := range paths {
		text, err := readLog(path)
		if err != nil {
			return nil, failure{exitAuthor, fmt.Errorf("reading a log: %w", err)}
		}
		reports, err := transcript.Formats[i].Parse(bytes.NewReader(text))
		if err != nil {
			at := transcript.Unreadable{Line: 1}
			errors.As(err, &at)
			problems = append(problems, scenario.Problem{File: path, Line: at.Line, Col: 1, Message: err.Error()})
			continue
		}
		logs = append(logs, logFile{path, text, reports})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return logs, nil
}

// readLog reads no more of a file than a parser would.
func readLog(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, transcript.Longest+1))
}

// create makes the folder of a new run.
func (f importFlags) create(first string, started time.Time) (*results.Run, error) {
	name := cmp.Or(f.name, strings.TrimSuffix(filepath.Base(first), filepath.Ext(first)))
	info := bench.RunInfo{Started: started, Command: commandLine(), Tools: map[string]string{"matrix": version()},
		Plan: bench.Plan{Scenario: name, Title: cmp.Or(f.title, name), Order: bench.Sequential}}
	run, err := results.Create(f.results, info)
	if err != nil {
		return nil, err
	}
	// Its folder is named by now where nothing else is known; its header knows
	// when it was measured, or that this is unknown.
	info.Version, info.ID = run.Info().Version, run.Info().ID
	if err := run.Update(info); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}
