package scenario

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// secret is a scalar of the source that may hold one: all of it, the user and
// password of a URL, or what Mask finds in lines of configuration.
type secret struct {
	node  *yaml.Node
	url   bool
	lines bool
}

// secretHeaders are masked whatever they hold; so are those whose name has one
// of secretWords in it.
var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "x-api-key"}

var secretWords = regexp.MustCompile(`(?i)auth|token|secret|passw|api[-_]?key|credential|session|signature`)

// userInfo matches a user and password of a URL, in source text.
var userInfo = regexp.MustCompile(`//[^/?#\s]*@`)

// onlyVariables matches values that hold no secret, only where to find one.
var onlyVariables = regexp.MustCompile(`^((?i:basic|bearer|token) )?(\$\{[A-Za-z_][A-Za-z0-9_]*\})+$`)

// secret notes the scalars of headers and bodies that Redacted masks.
func (p *parser) secret(f *field, v *yaml.Node) {
	n := p.resolve(v)
	if f.name == "body" && n.Kind == yaml.ScalarNode && secretWords.MatchString(n.Value) {
		p.s.secrets = append(p.s.secrets, secret{node: n})
	}
	if f.name != "headers" || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if has(secretHeaders, strings.ToLower(name)) || secretWords.MatchString(name) {
			p.s.secrets = append(p.s.secrets, secret{node: p.resolve(n.Content[i+1])})
		}
	}
}

// maskedLines is the source of lines of configuration, masked. Quotes within
// quotes are written with escapes, which Mask would take for the text.
func maskedLines(n *yaml.Node, source string) string {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return strconv.Quote(Mask(n.Value))
	case n.Style&yaml.SingleQuotedStyle != 0:
		return "'" + strings.ReplaceAll(Mask(n.Value), "'", "''") + "'"
	}
	return Mask(source)
}

// span is a piece of the source to be replaced.
type span struct {
	start, end int
	by         string
}

// Redacted is the source as read, comments and layout included, with what is
// secret masked: users and passwords in URLs, the values of headers such as
// Authorization or Cookie and of any whose name speaks of a token, key, secret
// or password, and bodies that do. A value that is only ${NAME} stays. Before it
// stand, as comments, the settings that ParseSet replaced. The result is YAML
// again.
func (s *Scenario) Redacted() []byte {
	src := bytes.TrimPrefix(s.src, bom)
	lines := splitLines(src)
	var spans []span
	for _, x := range s.secrets {
		start, end := extent(src, lines, x.node)
		at := userInfo.FindIndex(src[start:end])
		switch {
		case x.lines:
			if Mask(x.node.Value) != x.node.Value {
				spans = append(spans, span{start, end, maskedLines(x.node, string(src[start:end]))})
			}
		case x.url && !userInfo.MatchString(x.node.Value), !x.url && onlyVariables.MatchString(x.node.Value):
		case x.url && at != nil:
			spans = append(spans, span{start + at[0] + 2, start + at[1] - 1, "***"})
		case x.url: // written with escapes, or folded
			masked := userInfo.ReplaceAllString(strings.Join(strings.Fields(x.node.Value), ""), "//***@")
			spans = append(spans, span{start, end, strconv.Quote(masked)})
		default:
			spans = append(spans, span{start, end, `"***"`})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	out := []byte(s.set)
	done := 0
	for _, sp := range spans {
		if sp.start >= done {
			out = append(append(out, src[done:sp.start]...), sp.by...)
			done = sp.end
		}
	}
	return append(out, src[done:]...)
}
