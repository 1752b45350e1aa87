package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"matrix/internal/bench"
)

// serverKey is a setting of a server that the runner starts.
type serverKey struct {
	name, doc, words, example string
	read                      func(*parser, *yaml.Node, *bench.Server)
	schema                    any
}

var serverKeys = []serverKey{
	{name: "workers", words: "whole number, 1 to 1024", example: "4", doc: "Processes or threads that serve. Left out, the kind's own default.",
		read:   func(p *parser, v *yaml.Node, s *bench.Server) { number(p, v, "workers", counts(1, 1024), &s.Workers) },
		schema: counts(1, 1024).schema},
	{name: "open_files", words: "whole number", example: "1024", doc: "Descriptor limit of the server. Left out, it stays as it is.",
		read: func(p *parser, v *yaml.Node, s *bench.Server) {
			number(p, v, "open_files", counts(1, 10_000_000), &s.OpenFiles)
		}, schema: counts(1, 10_000_000).schema},
	{name: "port", words: "whole number, 1 to 65535", example: "8080", doc: "Port to listen on. Left out, a free one.",
		read:   func(p *parser, v *yaml.Node, s *bench.Server) { number(p, v, "port", counts(1, 65535), &s.Port) },
		schema: counts(1, 65535).schema},
	{name: "keep_alive", words: "true or false", example: "true", doc: "Whether the server keeps connections. Left out, the kind's own default.",
		read: func(p *parser, v *yaml.Node, s *bench.Server) {
			var b bool
			number(p, v, "keep_alive", truth(), &b)
			s.KeepAlive = &b
		}, schema: truth().schema},
	{name: "nice", words: "whole number, -20 to 19", example: "4", doc: "Nice level of the server's processes; below 0 is for root. Left out, it stays as it is.",
		read:   func(p *parser, v *yaml.Node, s *bench.Server) { number(p, v, "nice", niceLevels(), &s.Nice) },
		schema: niceLevels().schema},
	{name: "connector", words: "one of http, ajp, jk", example: "jk", doc: "Start a Tomcat, too, and let Apache only pass requests on to it, by mod_proxy_http, mod_proxy_ajp or mod_jk. Left out, Apache serves the files.",
		read:   func(p *parser, v *yaml.Node, s *bench.Server) { number(p, v, "connector", connectors(), &s.Connector) },
		schema: connectors().schema},
	{name: "delay", words: "duration, or a mapping of files to durations", example: "{big: 20ms, \"*\": 5ms}", doc: "How long the server waits before it answers: for all files, or for those named, `*` standing for the others. On Linux it is exact to about a tenth of a millisecond. Left out, it does not.",
		read: func(p *parser, v *yaml.Node, s *bench.Server) { s.Delay = p.delays(v) }, schema: delaySchema()},
	{name: "config", words: "text", example: "'sendfile off;'", doc: "Lines added to the kind's own configuration.",
		read: (*parser).config, schema: scalarSchema()},
	{name: "config_file", words: "path", example: "/etc/nginx/nginx.conf", doc: "Your own configuration file, instead of the kind's. See [Your own configuration](#your-own-configuration).",
		read: (*parser).configFile, schema: map[string]any{"type": "string", "minLength": 1}},
	{name: "argv", words: "list of texts", example: "[./server, --port, \"8080\"]", doc: "The program to start and its arguments.",
		read:   func(p *parser, v *yaml.Node, s *bench.Server) { s.Argv = p.argv(v) },
		schema: map[string]any{"type": "array", "minItems": 1, "items": scalarSchema()}},
	{name: "ready", words: "URL", example: "http://127.0.0.1:8080/", doc: "Base URL of the files, which answers once the program is up; {port} in it and in argv is the port.",
		read: func(p *parser, v *yaml.Node, s *bench.Server) {
			p.text(v, "ready", &s.Ready)
			p.s.secrets = append(p.s.secrets, secret{node: p.resolve(v), url: true})
			if s.Ready == "" {
				return
			}
			switch u, err := baseURL(strings.ReplaceAll(s.Ready, "{port}", "80")); {
			case err != nil:
				p.problem(v, "ready: %v", err)
			case u.User != nil:
				p.problem(v, "ready: the URL holds a user or password, which the journal would keep: remove it")
			}
		}, schema: map[string]any{"type": "string", "pattern": "^https?://"}},
}

// pathLike matches a single word that is the path of a file: no server has a
// setting of one word.
var pathLike = regexp.MustCompile(`^\s*(?:(?:~|\.{1,2})?/[^\s;{}=<>"']+|(?i:[^\s;{}=<>"']+\.(?:conf|cfg|xml|inc|ini|ya?ml|toml|properties)))\s*$`)

func (p *parser) config(v *yaml.Node, s *bench.Server) {
	n := p.resolve(v)
	if p.text(n, "config", &s.Config); pathLike.MatchString(s.Config) {
		p.problem(n, "config: %q is the path of a file, and config has lines of configuration: write config_file: %[1]s", strings.TrimSpace(s.Config))
	}
	if s.ConfigFile == "" {
		s.Line, s.Col = n.Line, n.Column
	}
	p.s.secrets = append(p.s.secrets, secret{node: n, lines: true})
}

func (p *parser) configFile(v *yaml.Node, s *bench.Server) {
	n := p.resolve(v)
	text, ok := p.scalar(n, "config_file")
	s.ConfigFile, s.Line, s.Col = text, n.Line, n.Column
	if err := isPath(text); ok && err != nil {
		p.problem(n, "config_file: %v", err)
	} else if strings.ContainsAny(s.ConfigFile, ";{\n") {
		p.problem(n, "config_file is the path of a file: write lines of configuration into config")
	}
}

// ownConfig refuses what a file of the author's says itself.
func (p *parser) ownConfig(s *bench.Server, set map[string]*yaml.Node) {
	inArgv := strings.Contains(strings.Join(s.Argv, " "), "{config_file}")
	switch {
	case s.ConfigFile == "" && inArgv && set["config_file"] == nil:
		p.problem(set["argv"], "argv has {config_file}, and there is no config_file: add its path")
	case s.ConfigFile != "" && s.Argv != nil && !inArgv:
		p.problem(set["config_file"], "config_file: argv does not say where it goes: put {config_file} there, such as argv: [haproxy, -f, \"{config_file}\"]")
	}
	if s.ConfigFile == "" {
		return
	}
	for _, key := range []string{"workers", "keep_alive", "connector"} {
		if set[key] != nil {
			p.problem(set[key], "%s does not go with config_file: set it in that file", key)
		}
	}
}

// connectors are the ways between Apache and a Tomcat behind it.
func connectors() kind { return oneOf("http", "ajp", "jk") }

// maxDelay is the longest that a server may be made to wait.
const maxDelay = 10 * time.Second

func waits() kind {
	k := durations(0)
	parse := k.parse
	k.parse = func(text string) (any, error) {
		d, err := parse(text)
		if err == nil && d.(time.Duration) > maxDelay {
			return nil, fmt.Errorf("%s is longer than %s", text, maxDelay)
		}
		return d, err
	}
	return k
}

func delaySchema() any {
	return either(waits().schema, map[string]any{"type": "object", "minProperties": 1, "additionalProperties": waits().schema})
}

func (p *parser) delays(v *yaml.Node) map[string]time.Duration {
	delays := map[string]time.Duration{}
	read := func(name, what string, v *yaml.Node) {
		var d time.Duration
		number(p, v, what, waits(), &d)
		delays[name] = d
	}
	if n := p.resolve(v); n.Kind != yaml.MappingNode {
		read("*", "delay", v)
		return delays
	}
	p.mapping(v, "delay", nil, func(name string, k, v *yaml.Node) {
		read(name, "delay of "+name, v)
		if name != "*" && len(p.fileNames) > 0 && !has(p.fileNames, name) {
			p.problem(k, "delay: there is no file %q%s", clip(name), elseOf(name, p.fileNames))
		}
	})
	return delays
}

func (p *parser) argv(v *yaml.Node) (argv []string) {
	items, _ := p.sequence(v, "argv")
	for _, item := range items {
		n := p.resolve(item)
		if n.Kind == yaml.ScalarNode && n.Value == "" && !empty(n) {
			argv = append(argv, "") // an empty argument, in quotes, is an argument
			continue
		}
		text, _ := p.scalar(n, "an argument")
		argv = append(argv, text)
	}
	return argv
}

// server reads the kind alone, or a mapping of the kind and its settings.
func (p *parser) server(v *yaml.Node) *bench.Server {
	n := p.resolve(v)
	s := &bench.Server{}
	if n.Kind != yaml.MappingNode {
		if text, ok := p.scalar(n, "server"); ok {
			s.Kind = text
			p.serverKind(n, s, nil)
		}
		return s
	}
	var kind *yaml.Node
	set := map[string]*yaml.Node{}
	p.mapping(n, "server", append([]string{"kind"}, serverKeyNames()...), func(key string, k, v *yaml.Node) {
		if key == "kind" {
			kind = p.resolve(v)
			p.text(v, "kind", &s.Kind)
			return
		}
		set[key] = k
		serverKeys[slices.IndexFunc(serverKeys, func(s serverKey) bool { return s.name == key })].read(p, v, s)
	})
	switch {
	case kind == nil && !p.mentions(n, "kind"):
		p.problem(n, "server has no kind: add kind: %s", strings.Join(names(p.known.Servers), ", or "))
	case s.Kind != "":
		p.serverKind(kind, s, set)
		p.sharedPort(s, set)
		p.ownConfig(s, set)
	}
	return s
}

func serverKeyNames() []string {
	list := make([]string, len(serverKeys))
	for i, k := range serverKeys {
		list[i] = k.name
	}
	return list
}

// serverKind holds a server against what its kind knows. set tells where each
// setting stands.
func (p *parser) serverKind(n *yaml.Node, s *bench.Server, set map[string]*yaml.Node) {
	kind, ok := p.known.server(s.Kind)
	if !ok {
		p.problem(n, "there is no server kind %q%s", clip(s.Kind), elseOf(s.Kind, names(p.known.Servers)))
		return
	}
	for _, key := range serverKeyNames() {
		k, given := set[key]
		if given && !has(kind.Settings, key) {
			p.problem(k, "server kind %s does not know %s%s", s.Kind, key, whoKnows(p.known.settingOf(key)))
		}
		if must := key == "argv" || key == "ready"; must && !given && has(kind.Settings, key) {
			p.problem(n, "server kind %s needs %s: write it in a mapping, {kind: %s, %s: ...}", s.Kind, key, s.Kind, key)
		}
	}
}

// sharedPort sees to it that a port chosen by the runner reaches both the
// program and whoever asks it.
func (p *parser) sharedPort(s *bench.Server, set map[string]*yaml.Node) {
	inArgv := strings.Contains(strings.Join(s.Argv, " "), "{port}")
	if inArgv && s.Ready != "" && !strings.Contains(s.Ready, "{port}") {
		p.problem(set["ready"], "ready: argv has {port}, so ready must have it too: http://127.0.0.1:{port}/")
	}
}

func whoKnows(kinds []string) string {
	switch len(kinds) {
	case 0:
		return ": remove it"
	case 1:
		return ": " + kinds[0] + " does"
	}
	return ": " + strings.Join(kinds[:len(kinds)-1], ", ") + " and " + kinds[len(kinds)-1] + " do"
}
