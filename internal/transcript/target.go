package transcript

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"matrix/internal/bench"
)

// targetURL takes what the report does not tell from the URL of a command line.
func targetURL(r *Report, c command) {
	for _, word := range append(c.rest, c.args...) {
		if !strings.ContainsAny(word, "/.:") {
			continue
		}
		if !strings.Contains(word, "://") {
			word = "http://" + word
		}
		u, err := url.Parse(word)
		if err != nil || u.Host == "" {
			continue
		}
		r.aim(u)
		return
	}
}

// aim takes host, port, path and query of the URL that was asked for.
func (r *Report) aim(u *url.URL) {
	r.Host, r.Path = clip(u.Hostname()), clip(u.EscapedPath())
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		r.Port = int(port)
	}
	r.Query = clip(u.RawQuery)
}

// targetZB takes machine and file, which zb has before its flags.
func targetZB(r *Report, c command) {
	if len(c.rest) >= 2 && strings.HasPrefix(c.rest[1], "/") {
		r.Host, r.Path = clip(c.rest[0]), clip(c.rest[1])
	}
}

// targetWrk takes the URL, and what is handed to wrk's script.
func targetWrk(r *Report, c command) {
	if len(c.args) > 0 && len(c.rest) > 0 {
		r.set("script_args", strings.Join(c.args, " "))
		c.args = nil
	}
	targetURL(r, c)
}

// targetFile takes the name of the file with URLs.
func targetFile(r *Report, c command) {
	if len(c.rest) > 0 {
		r.set("urls", fileOf(c.rest[len(c.rest)-1]))
	}
}

// set notes a setting that has no field of its own; a repeated one has all of its
// values.
func (r *Report) set(name, value string) {
	value = shown(value)
	for i, s := range r.Settings {
		if s.Name == name {
			r.Settings[i].Value += "; " + value
			return
		}
	}
	r.Settings = append(r.Settings, bench.Pair{Name: name, Value: value})
}

// replace sets a setting that the report tells, whatever a command line told; ""
// is the value that the tool has unless told.
func (r *Report) replace(name, value string) {
	r.Settings = slices.DeleteFunc(r.Settings, func(s bench.Pair) bool { return s.Name == name })
	if value != "" {
		r.set(name, value)
	}
}
