package transcript

import (
	"slices"
	"strings"
)

// given is one flag of a command line with its value; "" where it takes none.
type given struct {
	flag
	value string
}

// command is what a command line of a tool asks for.
type command struct {
	flags []given
	rest  []string // the words that are no flags: the URL as a rule
	args  []string // what stands behind "--"
}

// asked takes from the command line that a captured log shows what the report
// itself does not tell. The last command before the report is its own.
func (d dialect) asked(r *Report, before string) {
	c, ok := d.commandIn(before)
	if !ok {
		return
	}
	r.Commanded = true
	for _, f := range c.flags {
		r.ask(f)
	}
	if d.target != nil {
		d.target(r, c)
	}
	if d.unless != nil {
		d.unless(r)
	}
}

// Bounds of a line that a command may stand on: its bytes, and the calls in it
// that are tried.
const (
	longestCommand = 8 << 10
	mostCalls      = 8
)

// commandIn is the last command line in a text that calls the tool with a flag
// of its own. Prose that names the tool has none.
func (d dialect) commandIn(text string) (last command, found bool) {
	lines := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
	for _, line := range slices.Backward(lines) {
		if len(line) > longestCommand {
			continue
		}
		for range mostCalls {
			at := d.calls().FindStringSubmatchIndex(line)
			if at == nil {
				break
			}
			line = line[at[2]:]
			if c, ok := d.read(words(line)); ok {
				return c, true
			}
		}
	}
	return command{}, false
}

// called finds where a line calls a tool by one of its names, and what follows.
func called(names ...string) pattern {
	return lazily("(?:^|[\\s/$#%>:`'\"(=])(?:" + strings.Join(names, "|") + `)(?:\.exe)?[ \t]+([^\n]+)$`)
}

// read sorts the words of a command line; ok is false where none is a flag of
// the tool.
func (d dialect) read(list []string) (c command, ok bool) {
	for len(list) > 0 {
		word := hyphens(list[0])
		list = list[1:]
		switch {
		case word == "--":
			c.args = list
			return c, ok
		case len(word) < 2 || word[0] != '-':
			c.rest = append(c.rest, word)
			continue
		}
		flags, taken := d.readFlag(word, list)
		ok = ok || slices.ContainsFunc(flags, func(g given) bool { return g.names != nil })
		c.flags = append(c.flags, flags...)
		list = list[taken:]
	}
	return c, ok
}

// readFlag reads one word with flags, and says how many further words it took.
func (d dialect) readFlag(word string, next []string) (flags []given, taken int) {
	if d.oneDash {
		return d.readWord("-"+strings.TrimLeft(word, "-"), next)
	}
	if strings.HasPrefix(word, "--") {
		return d.readLong(word, next)
	}
	for letters := word[1:]; letters != ""; {
		f, known := d.named("-" + letters[:1])
		glued := strings.TrimPrefix(letters[1:], "=")
		switch {
		case !known:
			g, taken := strange(letters, next)
			return append(flags, g), taken
		case f.alone:
			flags, letters = append(flags, given{f, ""}), letters[1:]
		case glued != "":
			return append(flags, given{f, glued}), 0
		default:
			one, taken := valueOf(f, "", false, next) // none where the line was cut off
			return append(flags, one...), taken
		}
	}
	return flags, 0
}

// readLong reads a long flag, which may be shortened and have "=" before its
// value.
func (d dialect) readLong(word string, next []string) (flags []given, taken int) {
	name, value, glued := strings.Cut(word, "=")
	f, known := d.named(name)
	if !known {
		begins := slices.DeleteFunc(slices.Clone(d.flags), func(f flag) bool {
			return !slices.ContainsFunc(f.names, func(n string) bool { return strings.HasPrefix(n, name) })
		})
		if len(begins) != 1 {
			g, taken := strange(strings.TrimLeft(word, "-"), next)
			return []given{g}, taken
		}
		f = begins[0]
	}
	return valueOf(f, value, glued, next)
}

// readWord reads a flag of a tool whose flags are words with one dash, of which
// the first that begins so is meant.
func (d dialect) readWord(word string, next []string) (flags []given, taken int) {
	for _, f := range d.flags {
		if strings.HasPrefix(f.names[0], word) {
			return valueOf(f, "", false, next)
		}
	}
	g, taken := strange(word[1:], next)
	return []given{g}, taken
}

func valueOf(f flag, value string, glued bool, next []string) (flags []given, taken int) {
	switch {
	case f.alone:
		return []given{{f, ""}}, 0
	case glued:
		return []given{{f, value}}, 0
	case f.sets == header && len(next) > 1 && strings.HasSuffix(next[0], ":"): // a log that lost the quotation marks
		return []given{{f, next[0] + " " + next[1]}}, 2
	case len(next) > 0:
		return []given{{f, next[0]}}, 1
	}
	return nil, 0
}

func (d dialect) named(name string) (flag, bool) {
	for _, f := range d.flags {
		if slices.Contains(f.names, name) {
			return f, true
		}
	}
	return flag{}, false
}

// strange is a flag that no version known here has: it may change the load. A
// word behind it that is neither a flag nor the last one, as the URL is, may be
// its value.
func strange(word string, next []string) (g given, taken int) {
	name, value, glued := strings.Cut(word, "=")
	if !glued && len(next) > 1 && !strings.HasPrefix(hyphens(next[0]), "-") && !strings.Contains(next[0], "://") {
		value, taken = next[0], 1
	}
	return given{flag{sets: other, axis: name, alone: value == ""}, value}, taken
}
