package attachment

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap is a stretch of the text that detectors shall not see.
type gap struct{ start, end int }

// settle takes out of the text what tears words apart: soft hyphens, zero-width and control characters, and the
// hyphen with the line end inside a divided word. The template keeps them.
func (b *builder) settle() {
	gaps := b.gaps()
	if len(gaps) == 0 {
		return
	}
	text := make([]byte, 0, len(b.text))
	runs := make([]run, 0, len(b.runs)+2*len(gaps))
	g := 0
	for _, r := range b.runs {
		start, end := int(r.text), r.end()
		for g < len(gaps) && gaps[g].end <= start && gaps[g].end < end {
			g++
		}
		whole := r
		whole.text = int32(len(text))
		if !r.verbatim {
			covered := g < len(gaps) && r.n > 0 && gaps[g].start <= start && end <= gaps[g].end && r.mode != modeEmbed
			if covered {
				if r.mode == modeSep {
					continue
				}
				whole.n = 0
			} else {
				text = append(text, b.text[start:end]...)
			}
			runs = append(runs, whole)
			continue
		}
		at := start
		for k := g; at < end; k++ {
			cut := end
			if k < len(gaps) && gaps[k].start < end {
				cut = max(at, gaps[k].start)
			}
			if cut > at {
				runs = append(runs, piece(r, at, cut, len(text), cut-at))
				text = append(text, b.text[at:cut]...)
				at = cut
			}
			if at < end {
				stop := min(gaps[k].end, end)
				runs = append(runs, piece(r, at, stop, len(text), 0))
				at = stop
			}
		}
	}
	b.moveFields(gaps)
	b.text, b.runs = text, runs
}

// piece is the part of a verbatim run between two offsets of the old text.
func piece(r run, from, to, text, n int) run {
	p := r
	p.src = r.src + int32(from) - r.text
	p.m = int32(to - from)
	p.text = int32(text)
	p.n = int32(n)
	p.verbatim = n > 0
	return p
}

func (b *builder) moveFields(gaps []gap) {
	if len(b.fields) == 0 {
		return
	}
	lost := make([]int, len(gaps)+1)
	for i, g := range gaps {
		lost[i+1] = lost[i] + g.end - g.start
	}
	move := func(at int) int {
		k := sort.Search(len(gaps), func(i int) bool { return gaps[i].end > at })
		gone := lost[k]
		if k < len(gaps) && gaps[k].start < at {
			gone += at - gaps[k].start
		}
		return at - gone
	}
	for i := range b.fields {
		b.fields[i].Start, b.fields[i].End = move(b.fields[i].Start), move(b.fields[i].End)
	}
}

// gaps finds what settle takes out, in order, never touching nested documents, which are settled already.
func (b *builder) gaps() []gap {
	var gaps []gap
	add := func(start, end int) {
		if k := len(gaps) - 1; k >= 0 && gaps[k].end == start {
			gaps[k].end = end
			return
		}
		gaps = append(gaps, gap{start, end})
	}
	text := b.text
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '-':
			if drop, start, end := division(text, i); drop {
				if k := len(gaps) - 1; k < 0 || gaps[k].end <= start {
					add(start, end)
				}
				i = max(end, i+1)
				continue
			}
			i++
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v', c == 0x7f:
			add(i, i+1)
			i++
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(text[i:])
			if invisible(r) {
				add(i, i+size)
			}
			i += size
		}
	}
	return b.outside(gaps)
}

// outside drops the gaps that touch nested documents.
func (b *builder) outside(gaps []gap) []gap {
	if len(b.children) == 0 {
		return gaps
	}
	var kept []gap
	k := 0
	for _, g := range gaps {
		inside := false
		for ; k < len(b.runs) && int(b.runs[k].text) < g.end; k++ {
			if b.runs[k].mode == modeEmbed && b.runs[k].end() > g.start {
				inside = true
				break
			}
		}
		if !inside {
			kept = append(kept, g)
		}
	}
	return kept
}

func invisible(r rune) bool {
	switch r {
	case 0xAD, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF:
		return true
	}
	return r >= 0x80 && r < 0xA0 && r != 0x85 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x206F ||
		r >= 0xFE00 && r <= 0xFE0F
}

// division says whether the hyphen at i ends a line in the middle of a word, and what is to go: hyphen and line end
// in Mül-/ler, the line end alone in Meyer-/Lüdenscheid. A suspended hyphen (Haus-/und Hofarzt) is none.
func division(text []byte, i int) (ok bool, start, end int) {
	before, _ := utf8.DecodeLastRune(text[:i])
	if !unicode.IsLetter(before) {
		return false, 0, 0
	}
	j := i + 1
	for j < len(text) && j < i+8 && (text[j] == ' ' || text[j] == '\r') {
		j++
	}
	if j >= len(text) || text[j] != '\n' {
		return false, 0, 0
	}
	j++
	for k := 0; j < len(text) && k < 40 && (text[j] == ' ' || text[j] == '\t'); k++ {
		j++
	}
	next, _ := utf8.DecodeRune(text[j:])
	switch {
	case !unicode.IsLetter(next):
		return false, 0, 0
	case unicode.IsUpper(next):
		return true, i + 1, j
	case suspended(text[j:]):
		return false, 0, 0
	}
	return true, i, j
}

// suspended says whether the text begins with a word that follows a suspended hyphen.
func suspended(text []byte) bool {
	var word strings.Builder
	for k := 0; k < len(text) && k < 6; k++ {
		if text[k] < 'a' || text[k] > 'z' {
			break
		}
		word.WriteByte(text[k])
	}
	switch word.String() {
	case "und", "oder", "bzw", "sowie", "bis", "u", "o", "and", "or", "to", "als", "noch", "wie":
		return true
	}
	return false
}
