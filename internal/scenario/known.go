package scenario

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
