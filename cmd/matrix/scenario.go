package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"matrix/internal/bench"
	"matrix/internal/driver"
	"matrix/internal/scenario"
	"matrix/internal/system"
	"matrix/internal/table"
)

// known is what this binary can do, for the scenario package to check against.
func known() scenario.Known {
	var k scenario.Known
	for _, d := range driver.Kinds {
		k.Drivers = append(k.Drivers, scenario.Kind{Name: d.Name, Doc: d.Doc})
	}
	for _, s := range system.Kinds {
		if s.Name != system.Kinds[0].Name { // the first is for systems with a url
			k.Servers = append(k.Servers, scenario.Kind{Name: s.Name, Doc: s.Doc, Settings: s.Settings})
		}
	}
	k.Config = func(srv *bench.Server, folder string) error {
		return system.ReadConfig(context.Background(), srv, folder, ".")
	}
	k.Metrics, k.Further, k.Words, k.Table = table.Names(), table.FurtherNames(), table.WordNames(), table.Check
	return k
}

// readScenario reads and checks a scenario file, with load settings replaced as
// the --set flags say.
func readScenario(path string, sets ...string) (*scenario.Scenario, error) {
	var list []scenario.Setting
	for _, text := range sets {
		s, err := scenario.ReadSetting(text)
		if err != nil {
			return nil, failure{exitAuthor, fmt.Errorf("--set: %w", err)}
		}
		list = append(list, s)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failure{exitAuthor, fmt.Errorf("no scenario at %s (%s)", path, writtenBy(path))}
		}
		return nil, failure{exitAuthor, fmt.Errorf("reading the scenario: %w", err)}
	}
	s, err := scenario.ParseSet(path, src, known(), list)
	if err != nil && !errors.As(err, new(scenario.Problems)) {
		err = failure{exitAuthor, fmt.Errorf("--set: %w", err)}
	}
	return s, err
}

// writtenBy tells what would write a scenario that is not there.
func writtenBy(path string) string {
	if name := strings.TrimSuffix(filepath.Base(path), yamlExt); slices.Contains(scenarioNames(), name) {
		return "'matrix init --from " + name + "' writes the one that comes with matrix"
	}
	return "'matrix init' writes one to start from"
}

// setFlag adds --set to a command.
func setFlag(c *cobra.Command, to *[]string) {
	c.Flags().StringArrayVar(to, "set", nil, "replace a load setting wherever the scenario has it, such as 'duration=2s' or 'concurrency=[1, 10]' (repeatable)")
}

// readPlan reads a scenario and makes its plan, narrowed by an --only filter
// where that is not "". Everything that can be refused before the first trial
// is refused here.
func readPlan(path, only string, sets ...string) (*scenario.Scenario, *bench.Plan, error) {
	s, err := readScenario(path, sets...)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.Plan(os.LookupEnv)
	if err != nil {
		return nil, nil, err
	}
	if p, err = narrow(p, only); err != nil {
		return nil, nil, err
	}
	return s, p, refuse(path, p)
}

// narrow keeps what an --only filter leaves of a plan; "" leaves all.
func narrow(p *bench.Plan, only string) (*bench.Plan, error) {
	out, err := scenario.Only(p, only)
	if err != nil {
		return nil, failure{exitAuthor, fmt.Errorf("--only: %w", err)}
	}
	return out, nil
}

// nowhere stands for the server of a cell whose system is not up yet.
const nowhere = "http://127.0.0.1/"

// refuse asks each driver whether it can make the loads that the plan of the
// scenario at path wants of it, and names the block of each that it cannot.
func refuse(path string, p *bench.Plan) error {
	seen := map[scenario.Problem]bool{}
	var all scenario.Problems
	for _, c := range p.Cells {
		kind, err := driver.Find(c.Driver)
		if err != nil {
			return failure{exitAuthor, err}
		}
		if kind.Refuse == nil || c.Skip != "" {
			continue
		}
		l := c.Load
		if l.URLs == nil {
			l.URLs = c.File.URLs(nowhere)
		}
		if err := kind.Refuse(l); err != nil {
			problem := scenario.Problem{File: path, Line: c.Line, Col: c.Col, Message: err.Error()}
			if !seen[problem] {
				seen[problem] = true
				all = append(all, problem)
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// checkScenario reads a scenario and finds all that can be found wrong with it
// without its environment. Published runs are looked for in the results folder
// root, too.
func checkScenario(path, root string) (*scenario.Scenario, error) {
	s, err := readScenario(path)
	if err != nil {
		return nil, err
	}
	p, err := s.Check(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	var all scenario.Problems
	if err := collect(&all, refuse(path, p)); err != nil {
		return nil, err
	}
	if err := collect(&all, refuseReference(path, p.Reference, root)); err != nil {
		return nil, err
	}
	if len(all) > 0 {
		return s, all
	}
	return s, nil
}
