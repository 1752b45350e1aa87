package scenario

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"
	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
	"matrix/internal/unit"
)

// variable matches ${NAME}, and $${ which stands for ${ itself.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// variablesIn lists the names in text; a ${ that begins none is an error.
func variablesIn(text string) (list []string, err error) {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		switch {
		case m[0] == "${":
			return nil, errors.New("a ${ begins no variable: write ${NAME}, or $${ for the two characters themselves")
		case m[1] != "":
			list = append(list, m[1])
		}
	}
	return list, nil
}

// substitute replaces each ${NAME} by what env says.
func substitute(text string, env func(string) string) string {
	return variable.ReplaceAllStringFunc(text, func(s string) string {
		if s == "$${" {
			return "${"
		}
		return env(strings.TrimSuffix(strings.TrimPrefix(s, "${"), "}"))
	})
}

// baseURL checks the URL under which the files lie. Its errors never hold the
// URL, which may hold a password.
func baseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("this is not a URL: write http://host/ or https://host:port/path/")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the URL must begin with http:// or https://")
	case strings.Contains(u.Host, "$"):
		return nil, errors.New("the URL's host has a $: write ${NAME} for a variable of the environment")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host: write http://host/")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the URL is a base that files are added to: remove what follows ? or #")
	}
	if port := u.Port(); port != "" {
		if n, err := unit.ParseCount(port); err != nil || n < 1 || n > 65535 {
			return nil, errors.New("the URL's port must be from 1 to 65535")
		}
	}
	return u, nil
}

// ownHeaders are set by whoever makes the load, from other settings.
var ownHeaders = map[string]string{
	"content-length": "it follows from body", "transfer-encoding": "it follows from body",
	"connection": "use keep_alive", "keep-alive": "use keep_alive", "upgrade": "use protocol", "expect": "it would change what is measured",
}

// header is a header with the place of its value.
type header struct {
	bench.Header
	node *yaml.Node
}

var headerSlot = slot{
	set: func(d *draft, v any) {
		d.Load.Header = nil
		for _, h := range v.([]header) {
			d.Load.Header = append(d.Load.Header, h.Header)
		}
	},
	get: func(d *draft) any { return d.Load.Header },
}

func readHeaders(p *parser, n *yaml.Node) (any, bool) {
	var list []header
	before := len(p.problems)
	lower := map[string]bool{}
	p.mapping(n, "headers", nil, func(name string, k, v *yaml.Node) {
		key := strings.ToLower(name)
		switch why, own := ownHeaders[key]; {
		case !httpguts.ValidHeaderFieldName(name):
			p.problem(k, "%q cannot be a header's name", clip(name))
			return
		case own:
			p.problem(k, "header %s is not yours to set: %s", name, why)
			return
		case lower[key]:
			p.problem(k, "header %s stands twice: remove one", name)
			return
		}
		lower[key] = true
		n := p.resolve(v)
		if n.Kind == yaml.ScalarNode && n.Value == "" && !empty(n) {
			list = append(list, header{bench.Header{Name: name}, n})
			return
		}
		text, ok := p.scalar(v, "header "+name)
		if !ok {
			return
		}
		if _, err := variablesIn(text); err != nil {
			p.problem(v, "header %s: %v", name, err)
		} else if !httpguts.ValidHeaderFieldValue(text) {
			p.problem(v, "header %s: its value holds a line break or a control character: remove it", name)
		}
		list = append(list, header{bench.Header{Name: name, Value: text}, n})
	})
	return list, len(p.problems) == before
}

// resolveHeaders refuses what the environment would break: a variable with a
// line break must not smuggle in a header.
func resolveHeaders(r *resolver, v *value) any {
	var list []header
	for _, h := range v.data.([]header) {
		h.Value = substitute(h.Value, r.lookup(h.node, anyText))
		if !httpguts.ValidHeaderFieldValue(h.Value) {
			r.problem(h.node, "header %s: the environment's value holds a line break or a control character", h.Name)
		}
		list = append(list, h)
	}
	return list
}

func readBody(p *parser, n *yaml.Node) (any, bool) {
	n = p.resolve(n)
	if n.Kind == yaml.ScalarNode && n.Value == "" && !empty(n) {
		return []byte{}, true
	}
	text, ok := p.scalar(n, "body")
	if !ok {
		return nil, false
	}
	if _, err := variablesIn(text); err != nil {
		p.problem(n, "body: %v", err)
		return nil, false
	}
	return []byte(text), true
}

func resolveBody(r *resolver, v *value) any {
	return []byte(substitute(string(v.data.([]byte)), r.lookup(v.node, anyText)))
}
