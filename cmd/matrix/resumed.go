package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// resumedOn tells what is no longer as it was when a run was begun that is taken
// up: its header goes on naming the host of before, and of tools the versions of
// now.
func resumedOn(before bench.RunInfo, host bench.HostInfo, tools map[string]string) []bench.Note {
	var changed []string
	add := func(name, was, is string) {
		if was != is && was != "" {
			changed = append(changed, fmt.Sprintf("%s was %s and is %s", name, was, is))
		}
	}
	was := before.Generator
	add("the host", was.Name, host.Name)
	add("its kernel", was.Kernel, host.Kernel)
	add("its CPU", was.CPU, host.CPU)
	if was.Cores > 0 {
		add("the number of its cores", fmt.Sprint(was.Cores), fmt.Sprint(host.Cores))
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		add("the version of "+name, before.Tools[name], tools[name])
	}
	return unlikeBefore(changed)
}

// restarted is the same of a server that is started again.
func restarted(servers []bench.ServerInfo, now bench.ServerInfo) []bench.Note {
	for _, was := range servers {
		if was.System == now.System && was.Version != now.Version && was.Version != "" {
			return unlikeBefore([]string{fmt.Sprintf("the version of %s was %s and is %s", now.System, was.Version, now.Version)})
		}
	}
	return nil
}

func unlikeBefore(changed []string) []bench.Note {
	if len(changed) == 0 {
		return nil
	}
	return []bench.Note{{Code: "resumed", Text: "The run was taken up when things had changed: " + strings.Join(changed, "; ") + "."}}
}
