package scenario

import (
	"regexp"

	"matrix/internal/bench"
)

// Kind is a driver or a server that a scenario may name.
type Kind struct {
	Name     string
	Doc      string   // one sentence
	Settings []string // of a server: the keys of its mapping, beside kind
}

// Known is what a scenario may name and this package cannot know: it is given
// by the caller, from the lists of kinds on the floors above.
type Known struct {
	Drivers []Kind
	Servers []Kind
	Metrics []string // names of the columns that may be chosen; nil: any name
	Further []string // regular expressions of names that may be chosen besides
	Words   []string // those of Metrics that are words and no numbers

	// Config reads the author's configuration file of a server, which may lie in
	// the folder given, and completes what is known of it. Nil: nothing is read.
	Config func(srv *bench.Server, folder string) error

	// Table tells what is wrong with a table's expressions, and in which of "rows",
	// "columns", "filter", "chart" and "over"; with the cells of the grid, whether they mean
	// something there. Nil: anything goes.
	Table func(bench.Table, []bench.Cell) (part string, err error)
}

func (k Known) metric(name string) bool {
	if k.Metrics == nil || has(k.Metrics, name) {
		return true
	}
	for _, pattern := range k.Further {
		if ok, err := regexp.MatchString(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

func names(kinds []Kind) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.Name
	}
	return list
}

// server returns the kind of server called name.
func (k Known) server(name string) (Kind, bool) {
	for _, s := range k.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return Kind{}, false
}

// settingOf lists the kinds of server that have a setting.
func (k Known) settingOf(setting string) []string {
	var list []string
	for _, s := range k.Servers {
		for _, have := range s.Settings {
			if have == setting {
				list = append(list, s.Name)
			}
		}
	}
	return list
}
