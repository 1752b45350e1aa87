package export

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// standIns replaces characters made of several code points (flags, families,
// skin tones) while a table is drawn: tablewriter adds up the widths of their
// parts, a terminal shows one glyph. The stand-ins are of the private use area,
// which visible has let through nowhere else.
type standIns struct {
	of   map[string]string
	back []string // pairs for a strings.Replacer
}

const (
	firstStandIn = '\uE000'
	filler       = "\uF8FF" // behind a stand-in, for the rest of its width
	maxStandIns  = 0x1800   // more than that stay as they are and may be misaligned
)

// hide puts stand-ins of the same width for such characters into s.
func (p *standIns) hide(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		parts := 0
		for _, r := range g.Value() {
			parts += displaywidth.Rune(r)
		}
		if parts == g.Width() || g.Width() == 0 {
			b.WriteString(g.Value())
		} else {
			b.WriteString(p.standIn(g.Value(), g.Width()))
		}
	}
	return b.String()
}

func (p *standIns) standIn(glyph string, width int) string {
	if s, known := p.of[glyph]; known {
		return s
	}
	if len(p.of) >= maxStandIns {
		return glyph
	}
	s := string(firstStandIn+rune(len(p.of))) + strings.Repeat(filler, width-1)
	if p.of == nil {
		p.of = map[string]string{}
	}
	p.of[glyph] = s
	p.back = append(p.back, s, glyph)
	return s
}

// painted is the function of that name for a table that is being drawn: the first
// and the last character stand for themselves with the sequences, which
// tablewriter would add others to.
func (p *standIns) painted(colour, s string) string {
	core := strings.TrimSpace(s)
	var glyphs []string
	for g := displaywidth.StringGraphemes(core); g.Next(); {
		glyphs = append(glyphs, g.Value())
	}
	if len(glyphs) == 0 {
		return s
	}
	first, last := glyphs[0], glyphs[len(glyphs)-1]
	width, end := displaywidth.String(first), displaywidth.String(last)
	if width == 0 || end == 0 {
		return s
	}
	marked := p.standIn(colour+first+sgrEnd, width)
	if len(glyphs) > 1 {
		marked = p.standIn(colour+first, width) + core[len(first):len(core)-len(last)] + p.standIn(last+sgrEnd, end)
	}
	before, after, _ := strings.Cut(s, core)
	return before + marked + after
}

// show puts the characters back.
func (p *standIns) show(s string) string { return strings.NewReplacer(p.back...).Replace(s) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
