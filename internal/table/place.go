package table

import (
	"fmt"
	"slices"
	"strings"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// placer tells in words at which points of the grid something holds.
type placer struct {
	told []string // axes that tell the points apart, the file first
	file bool     // it is one of them
}

// newPlacer looks at the points of dots, the cells of a run.
func newPlacer(dots []dot) placer {
	var p placer
	if len(dots) == 0 {
		return p
	}
	points := pointNames(dots)
	for _, name := range axisNames(dots) {
		if points[name] && !follows(dots, name, p.told) {
			p.told = append(p.told, name)
		}
	}
	p.file = slices.Contains(p.told, "file")
	return p
}

// pointNames is what makes the points, as pointOf has it.
func pointNames(dots []dot) map[string]bool {
	names := map[string]bool{}
	for _, d := range dots {
		for _, p := range pointOf(d.cell) {
			names[p.Name] = true
		}
	}
	return names
}

// axisNames lists what dots have beside their labels, file and concurrency first.
func axisNames(dots []dot) []string {
	names := []string{"file", "concurrency"}
	for _, name := range dotNames(dots) {
		_, isLabel := labelOfDots(dots, name)
		if !isLabel && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func labelOfDots(dots []dot, name string) (string, bool) {
	for _, d := range dots {
		if v, ok := bench.Lookup(d.Labels, name); ok {
			return v, true
		}
	}
	return "", false
}

// rest is the point of a dot without its file: "concurrency 150, 5000 requests".
func (p placer) rest(d dot) string {
	var parts []string
	for _, name := range p.told {
		if v := d.of(name); name != "file" && v != "" {
			parts = append(parts, axisProse(name, v))
		}
	}
	return strings.Join(parts, ", ")
}

// names tells what makes a point: "a file, a concurrency and a number of
// requests"; "" where there is only one.
func (p placer) names() string {
	parts := make([]string, len(p.told))
	for i, name := range p.told {
		parts[i] = "a value of " + strings.ToLower(sentence(name))
		switch name {
		case "file", "concurrency", "duration":
			parts[i] = "a " + name
		case "requests":
			parts[i] = "a number of requests"
		}
	}
	return enumerate(parts)
}

func axisProse(name, v string) string {
	switch name {
	case "requests":
		return v + " requests"
	}
	return strings.ToLower(sentence(name)) + " " + v
}

// fewPlaces is how many points, and how many files, are named one by one.
const fewPlaces = 3

// list names some dots of all those that might have been: by file, where a file
// has them all or too many to be named. It begins with a space where it says
// anything: a grid of one point has no places.
func (p placer) list(some, all []dot) string {
	files, byFile := p.byFile(some)
	_, of := p.byFile(all)
	var texts []string
	left := 0
	for i, f := range files {
		if i >= fewPlaces {
			left += len(byFile[f])
			continue
		}
		texts = append(texts, p.within(f, byFile[f], len(of[f])))
	}
	if left > 0 {
		texts = append(texts, "at "+unit.Counted(left, "more point"))
	}
	text := strings.TrimSpace(enumerate(texts))
	if text == "" {
		return ""
	}
	return " " + text
}

func (p placer) byFile(dots []dot) (files []string, of map[string][]dot) {
	of = map[string][]dot{}
	for _, d := range dots {
		f := ""
		if p.file {
			f = d.of("file")
		}
		if of[f] == nil {
			files = append(files, f)
		}
		of[f] = append(of[f], d)
	}
	return files, of
}

// within names the points of one file, of which there are all.
func (p placer) within(file string, some []dot, all int) string {
	on := ""
	if p.file {
		on = "on " + clip(file, maxName) + " "
	}
	rests := make([]string, len(some))
	for i, d := range some {
		rests[i] = clip(p.rest(d), maxName)
	}
	switch {
	case rests[0] == "":
		return strings.TrimSpace(on)
	case len(some) == all && all > 1 && p.file:
		return on + "throughout"
	case len(some) > fewPlaces:
		return fmt.Sprintf("%sat %d of %d points", on, len(some), all)
	}
	if text, ok := p.alongOne(some); ok {
		return on + "at " + text
	}
	if len(some) > 2 {
		return fmt.Sprintf("%sat %d of %d points", on, len(some), all)
	}
	return on + "at " + strings.Join(rests, " and at ")
}

// alongOne names points that differ in one axis at most, which is told once with
// all of its values: "concurrency 1025, 1025 requests, driver ab and native".
func (p placer) alongOne(some []dot) (text string, ok bool) {
	var parts []string
	vary := 0
	for _, name := range p.told {
		if name == "file" {
			continue
		}
		var values []string
		for _, d := range some {
			if v := clip(d.of(name), maxName); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			vary++
		}
		if len(values) > 0 {
			parts = append(parts, axisProse(name, enumerate(values)))
		}
	}
	return strings.Join(parts, ", "), vary <= 1
}
