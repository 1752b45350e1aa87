package site

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strings"
)

//go:embed live.js
var liveScript string

var (
	policyTag = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
	bodyEnd   = []byte("</body>")
)

// lively adds to a page the script that reloads it when it changes, and to its
// policy what that script needs. It returns the policy, to be a header, too.
func lively(page []byte) (_ []byte, policy string) {
	tag := policyTag.FindSubmatchIndex(page)
	end := bytes.LastIndex(page, bodyEnd)
	if tag == nil || end < tag[1] {
		return page, closed
	}
	policy = allow(html.UnescapeString(string(page[tag[2]:tag[3]])))
	var out bytes.Buffer
	out.Write(page[:tag[2]])
	out.WriteString(html.EscapeString(policy))
	out.Write(page[tag[3]:end])
	out.WriteString(`<script data-page="` + version(page) + `">` + liveScript + `</script>`)
	out.Write(page[end:])
	return out.Bytes(), policy + "; frame-ancestors 'none'"
}

// closed is the policy of all that is no page of ours.
const closed = "default-src 'none'; sandbox"

// allow widens a policy by the script and where it listens.
func allow(policy string) string {
	sum := sha256.Sum256([]byte(liveScript))
	source := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	var list []string
	scripts := false
	for d := range strings.SplitSeq(policy, ";") {
		d = strings.TrimSpace(d)
		if strings.HasPrefix(d, "script-src ") {
			d += " " + source
			scripts = true
		}
		if d != "" {
			list = append(list, d)
		}
	}
	if !scripts {
		list = append(list, "script-src "+source)
	}
	return strings.Join(append(list, "connect-src 'self'"), "; ")
}

// version tells one state of a page from another.
func version(page []byte) string {
	sum := sha256.Sum256(page)
	return hex.EncodeToString(sum[:8])
}
