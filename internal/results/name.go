package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const stamp = "20060102T150405Z"

var (
	plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*$`)
	notPlain  = regexp.MustCompile(`[^a-z0-9]+`)
	runName   = regexp.MustCompile(`^(\d{8}T\d{6}Z)(?:-(\d+))?$`)
)

const (
	longestPlain = 64 // bytes of a name that is taken as it is
	longestHint  = 40 // bytes of a readable beginning before a digest
)

// slug makes a folder or file name of any text. Short lower-case names stay as
// they are. All others keep a readable beginning and get a digest of the whole
// text behind a "~", which no plain name contains: two texts never share a
// slug, on file systems that ignore case either, and none leaves its folder.
func slug(text string) string {
	if len(text) <= longestPlain && plainName.MatchString(text) && text != latest {
		return text
	}
	hint := strings.Trim(notPlain.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if len(hint) > longestHint {
		hint = strings.TrimRight(hint[:longestHint], "-")
	}
	sum := sha256.Sum256([]byte(text))
	return hint + "~" + hex.EncodeToString(sum[:6])
}

// folder is the name of a run's folder: the second it started in, and for the
// second and further runs of that second a number.
func folder(t time.Time, n int) string {
	name := t.UTC().Format(stamp)
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name
}

// parseFolder reads what folder wrote; false for folders that are not runs.
func parseFolder(name string) (t time.Time, n int, ok bool) {
	m := runName.FindStringSubmatch(name)
	if m == nil {
		return t, 0, false
	}
	t, err := time.Parse(stamp, m[1])
	if err != nil {
		return t, 0, false
	}
	n = 1
	if m[2] != "" {
		if n, err = strconv.Atoi(m[2]); err != nil {
			return t, 0, false
		}
	}
	return t, n, true
}
