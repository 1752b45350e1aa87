package scenario

import (
	"regexp"
	"slices"
	"strings"

	"matrix/internal/bench"
)

// settingOfSecret matches a name and the value behind it in a server's
// configuration: password "x", bind-pw = 'x', secret="x", Authorization "Basic x".
var settingOfSecret = regexp.MustCompile(
	`(?i)([\w.-]*(?:passw|secret|token|api[-_]?key|credential|bind-pw|bindpw|keystorepass|keypass|authorization|cookie)[\w.-]*["']?(?:\s*(?:=>|=|:)\s*|[ \t]+)|\bpass=)` +
		`("[^"\n]*"|'[^'\n]*'|[^\s;,"'<>/][^\s;,"'<>]*)`)

// noSecret are names that settingOfSecret matches and whose value is none: a
// switch, or where to find one.
var noSecret = regexp.MustCompile(`(?i)^(server_?tokens|ssl_password_file|\w*pass(word|phrase)?_?(file|dialog)|AuthBasicProvider|proxy_cookie_\w+|userid_\w*|\w*cookie_(path|domain|flags)|ProxyPassReverseCookie\w+|CookieTracking|CookieName|\w*cookieProcessor|sessionCookie\w+|useHttpOnly)\b`)

// Mask puts *** in the places of what looks secret in lines of a server's
// configuration: users and passwords in URLs, and the values of settings and
// headers whose names speak of passwords, tokens, keys or credentials. A value
// that is only a variable stays.
func Mask(text string) string {
	text = userInfo.ReplaceAllString(text, "//***@")
	return settingOfSecret.ReplaceAllStringFunc(text, func(m string) string {
		parts := settingOfSecret.FindStringSubmatch(m)
		value := strings.Trim(parts[2], `"'`)
		if noSecret.MatchString(parts[1]) || value == "" || strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%{") {
			return m
		}
		return parts[1] + strings.Replace(parts[2], value, "***", 1)
	})
}

// Kept is a plan as a run keeps it, without what looks secret in the lines of
// configuration of its servers.
func Kept(p bench.Plan) bench.Plan {
	p.Systems = slices.Clone(p.Systems)
	for i, sys := range p.Systems {
		if sys.Server != nil {
			srv := *sys.Server
			srv.Config = Mask(srv.Config)
			p.Systems[i].Server = &srv
		}
	}
	return p
}
