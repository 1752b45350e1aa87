package transcript

import (
	"math"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// ask sets what a flag asks for; a value that is none, such as a variable of a
// script, is passed over.
func (r *Report) ask(g given) {
	switch g.sets {
	case keepAlive:
		r.KeepAlive = new(true)
	case timeLimit:
		r.Duration = lasting(g.value, r.Duration)
	case warmup:
		r.Warmup = lasting(g.value, r.Warmup)
	case timeout:
		if r.Timeout = lasting(g.value, r.Timeout); r.Timeout == lasting(g.normal, 0) {
			r.Timeout = 0
		}
	case method:
		r.Method = strings.ToUpper(shown(g.value))
	case head:
		r.Method = "HEAD"
	case post, put:
		r.Method = map[setting]string{post: "POST", put: "PUT"}[g.sets]
		r.set("body", fileOf(g.value))
	case header, contentType, cookie, authorization:
		r.askHeader(g)
	case other:
		r.askOther(g)
	default:
		r.askNumber(g)
	}
}

// askNumber sets what is a number, such as "100" or, of wrk, "1k".
func (r *Report) askNumber(g given) {
	x, ok := scaled(g.value)
	if !ok || x <= 0 || x > 1e12 {
		return
	}
	n := int64(math.Round(x))
	small := int(min(n, math.MaxInt32))
	switch g.sets {
	case requests:
		r.Requests = n
	case connections:
		r.Concurrency = small
	case streams:
		r.Streams = small
	case threads:
		r.Threads = small
	case receiveBuffer:
		r.ReceiveBuffer = small
	case port:
		r.Port = small
	case rate:
		r.Rate = x
	case rateOfEach:
		r.rateOfEach = x
	}
}

// lasting reads a time, in seconds where it has no unit; where it is none, the
// one known before stays.
func lasting(value string, before time.Duration) time.Duration {
	if value != "" && unicode.IsDigit(rune(value[len(value)-1])) {
		value += "s"
	}
	s, _, ok := span(value)
	if !ok || s <= 0 || s >= 1e8 {
		return before
	}
	return time.Duration(s * float64(time.Second))
}

// secret is the name of a header whose value is nobody's business.
var secret = lazily(`(?i)auth|cookie|token|key|secret|session|password`)

// askHeader notes a header. One that asks the server to close makes a connection
// for each request.
func (r *Report) askHeader(g given) {
	name, value, _ := strings.Cut(g.value, ":")
	switch g.sets {
	case contentType:
		name, value = "Content-Type", g.value
	case cookie:
		name, value = "Cookie", g.value
	case authorization:
		name, value = "Authorization", g.value
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if strings.EqualFold(name, "Connection") && strings.EqualFold(value, "close") {
		r.KeepAlive = new(false)
		return
	}
	if secret().MatchString(name) {
		value = "***"
	}
	r.set("headers", name+": "+value)
}

// askOther notes a setting that only this tool has.
func (r *Report) askOther(g given) {
	name := g.axis
	if name == "" && len(g.names) > 0 {
		name = strings.TrimLeft(g.names[len(g.names)-1], "-")
	}
	value := g.value
	if at := strings.LastIndexByte(value, '@'); at >= 0 {
		value = value[at+1:] // without user and password
	}
	switch {
	case strings.HasSuffix(name, "authorization"):
		value = "***"
	case g.alone:
		value = "yes"
	case value == g.normal:
		return
	case strings.Contains(value, "/") && !strings.Contains(value, ":"):
		value = fileOf(value)
	}
	r.set(axisName(name), value)
}

var notOfNames = regexp.MustCompile(`[^a-z0-9]+`)

// axisName spells a flag as the settings of a scenario are.
func axisName(flag string) string {
	name := strings.Trim(notOfNames.ReplaceAllString(strings.ToLower(flag), "_"), "_")
	if name == "" {
		return "flag"
	}
	return name[:min(len(name), 40)]
}

// fileOf is a file as a command names it, without the folders of one machine.
func fileOf(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(name) || strings.HasPrefix(name, "~") {
		return path.Base(name)
	}
	return name
}

// shown makes a stranger's words fit to be a value of an axis.
func shown(value string) string {
	value = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(value, "?"))
	if runes := []rune(value); len(runes) > longestValue {
		return string(runes[:longestValue]) + "..."
	}
	return value
}

// longestValue bounds the value of an axis, in characters.
const longestValue = 100
