package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// setting is what a flag of a tool's command line asks for.
type setting int

const (
	requests setting = iota
	connections
	timeLimit // seconds, or with a unit of its own
	keepAlive
)

// flag is one flag of a tool, such as "-n".
type flag struct {
	name string
	sets setting
}

// asked takes from the command line that a captured log shows what the report
// itself does not tell. The last command before the report is its own.
func (d dialect) asked(r *Report, before string) {
	command := regexp.MustCompile(`(?m)^(?:[^\n]{0,200}[$#%>:][ \t]*)?(?:[^\s]{0,200}/)?` + regexp.QuoteMeta(d.tool) + `[ \t]+([^\n]+)$`)
	all := command.FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return
	}
	words := strings.Fields(all[len(all)-1][1])
	for i, word := range words {
		for _, f := range d.flags {
			switch value, glued := strings.CutPrefix(word, f.name); {
			case word == f.name && f.sets == keepAlive:
				r.ask(f.sets, "")
			case word == f.name && i+1 < len(words):
				r.ask(f.sets, words[i+1])
			case glued && value != "" && f.sets != keepAlive:
				r.ask(f.sets, strings.TrimPrefix(value, "="))
			}
		}
	}
}

// ask sets what is not known yet; a value that is none is passed over.
func (r *Report) ask(what setting, value string) {
	n, err := strconv.ParseInt(value, 10, 32)
	whole := err == nil && n > 0
	switch {
	case what == keepAlive && r.KeepAlive == nil:
		r.KeepAlive = new(true)
	case what == requests && whole && r.Requests == 0:
		r.Requests = n
	case what == connections && whole && r.Concurrency == 0:
		r.Concurrency = int(n)
	case what == timeLimit && r.Duration == 0:
		if whole {
			value += "s"
		}
		if s, _, ok := span(value); ok && s > 0 && s < 1e8 {
			r.Duration = time.Duration(s * float64(time.Second))
		}
	}
}
