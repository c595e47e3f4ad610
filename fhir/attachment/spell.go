package attachment

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// spellAll writes text in a mode.
func spellAll(s string, m mode) string {
	switch m {
	case modePlain, modeSep, modeEmbed:
		return s
	case modeCRLF:
		return strings.ReplaceAll(s, "\n", "\r\n")
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(spell(s[i:i+size], m))
		i += size
	}
	return b.String()
}

// spell writes one character, given as a string, in a mode. Characters that the format forbids become a space.
func spell(c string, m mode) string {
	switch m {
	case modeFlow, modeXFlow, modePre, modeLeaf, modeAttr, modeWord, modeWordElem:
		return spellXML(c, m)
	case modeJSON:
		return spellJSON(c)
	case modeRTF:
		return spellRTF(c)
	}
	return c
}

func spellXML(c string, m mode) string {
	switch c {
	case "&":
		return "&amp;"
	case "<":
		return "&lt;"
	case ">":
		return "&gt;"
	case `"`:
		if m == modeAttr {
			return "&quot;"
		}
		return c
	case "\n":
		switch m {
		case modeFlow:
			return "<br>"
		case modeXFlow:
			return "<br/>"
		case modeAttr:
			return "&#10;"
		case modeWord:
			return `</w:t><w:br/><w:t xml:space="preserve">`
		}
		return c
	case "\t":
		switch m {
		case modeAttr:
			return "&#9;"
		case modeWord:
			return `</w:t><w:tab/><w:t xml:space="preserve">`
		}
		return c
	case "\r":
		if m == modeWord {
			return " "
		}
		return "&#13;"
	}
	switch r, _ := utf8.DecodeRuneInString(c); {
	case r < 0x20, r == 0xFFFE, r == 0xFFFF:
		return " "
	}
	return c
}

func spellJSON(c string) string {
	switch c {
	case `"`:
		return `\"`
	case `\`:
		return `\\`
	case "\n":
		return `\n`
	case "\r":
		return `\r`
	case "\t":
		return `\t`
	}
	if c[0] < 0x20 {
		return fmt.Sprintf(`\u%04x`, c[0])
	}
	return c
}

func spellRTF(c string) string {
	switch c {
	case `\`, "{", "}":
		return `\` + c
	case "\n":
		return `\line `
	case "\t":
		return `\tab `
	case "\u00a0":
		return `\~`
	}
	r, _ := utf8.DecodeRuneInString(c)
	switch {
	case r < 0x20, r == 0x7f:
		return " "
	case r < utf8.RuneSelf:
		return c
	case r > 0xFFFF:
		hi, lo := utf16.EncodeRune(r)
		return rtfUnit(hi) + rtfUnit(lo)
	}
	return rtfUnit(r)
}

// rtfUnit writes one UTF-16 unit, which RTF takes as a signed number, with a question mark for old readers.
func rtfUnit(r rune) string { return `\u` + strconv.Itoa(int(int16(uint16(r)))) + "?" }

// spellAtom writes the new content of an atom whose old bytes are given.
func spellAtom(content, old string, m mode) string {
	switch m {
	case modeNumber:
		if json.Valid([]byte(content)) && !strings.ContainsAny(content, "\"{[tfn \t\r\n") {
			return content
		}
		return `"` + spellAll(content, modeJSON) + `"`
	case modeTS:
		return spellTS(content, old)
	case modeRoot:
		return spellRoot(content)
	case modeWordElem:
		if content == "" {
			return ""
		}
		return `<w:t xml:space="preserve">` + spellAll(content, modeWord) + `</w:t>`
	}
	return spellAll(content, m)
}

var (
	isoDate  = regexp.MustCompile(`^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$`)
	rootForm = regexp.MustCompile(`^(?:[0-2](?:\.(?:0|[1-9][0-9]*))+|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`)
	tsForm   = regexp.MustCompile(`^\d{4}(?:\d\d(?:\d\d)?)?`)
)

// spellTS writes a date into a whole attribute value="19750501103000+0100". The time of day stays when the day is
// given to the full; what is no date leaves a masked value.
func spellTS(content, old string) string {
	p := isoDate.FindStringSubmatch(strings.TrimSpace(content))
	if p == nil {
		return `nullFlavor="MSK"`
	}
	value := strings.TrimSuffix(strings.TrimPrefix(old, `value="`), `"`)
	tail := ""
	if p[3] != "" {
		if date := tsForm.FindString(value); len(date) == 8 {
			tail = value[8:]
		}
	}
	return `value="` + p[1] + p[2] + p[3] + tail + `"`
}

// spellRoot writes an identifier where only an OID or a UUID may stand; what is neither gives a UUID by its hash.
func spellRoot(content string) string {
	if rootForm.MatchString(content) {
		return content
	}
	h := sha256.Sum256([]byte(content))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
