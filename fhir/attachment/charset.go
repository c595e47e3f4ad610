package attachment

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// charsets are the single-byte character sets that a charset parameter may name. The web reads ISO-8859-1 as
// windows-1252, of which it is a part, and so do we.
var charsets = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252,
	"latin1": charmap.Windows1252, "l1": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"windows-1252": charmap.Windows1252, "x-cp1252": charmap.Windows1252, "ansi": charmap.Windows1252,
	"iso-8859-15": charmap.ISO8859_15, "iso8859-15": charmap.ISO8859_15, "iso_8859-15": charmap.ISO8859_15,
	"latin9": charmap.ISO8859_15, "latin-9": charmap.ISO8859_15, "l9": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "cp1250": charmap.Windows1250, "iso-8859-2": charmap.ISO8859_2,
	"cp850": charmap.CodePage850, "ibm850": charmap.CodePage850, "cp437": charmap.CodePage437, "ibm437": charmap.CodePage437,
	"macintosh": charmap.Macintosh,
}

// toUTF8 decodes text: by its byte order mark, else as UTF-8 when it is valid, else by the declared character set,
// else as windows-1252 or ISO-8859-15, whichever fits the bytes. Bytes without meaning and replacement characters
// are refused: text that was damaged on the way hides names from every detector.
func toUTF8(data []byte, declared string) (string, error) {
	s, err := decodeCharset(data, declared)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(s, utf8.RuneError) || strings.IndexByte(s, 0) >= 0 {
		return "", ErrMalformed
	}
	return s, nil
}

func decodeCharset(data []byte, declared string) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
		if !utf8.Valid(data) {
			return "", ErrMalformed
		}
		return string(data), nil
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return fromUTF16(data[2:], true)
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return fromUTF16(data[2:], false)
	}
	declared = strings.Trim(strings.ToLower(declared), "\"' ")
	if wide, big := looksWide(data, declared); wide {
		return fromUTF16(data, big)
	}
	table, known := charsets[declared]
	switch declared {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be", "ansi_x3.4-1968":
		known = true
	}
	if !known {
		return "", ErrUnsupported
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	if declared == "utf-8" || declared == "utf8" {
		// Declared wrongly, as software of one code page does: the heuristic below decides.
		table = nil
	}
	if table == nil {
		table = guess(data)
	}
	return fromTable(data, table)
}

// looksWide says whether the bytes are UTF-16 without a byte order mark.
func looksWide(data []byte, declared string) (wide, big bool) {
	if len(data)%2 != 0 || len(data) == 0 {
		return false, false
	}
	var zero [2]int
	for i, c := range data {
		if c == 0 {
			zero[i&1]++
		}
	}
	if zero[0]+zero[1] == 0 && !strings.HasPrefix(declared, "utf-16") {
		return false, false
	}
	switch declared {
	case "utf-16le":
		return true, false
	case "utf-16be":
		return true, true
	}
	// Most letters of both languages have a high byte of zero, and no low one.
	half := len(data) / 2
	if zero[0]*10 >= half*7 && zero[1]*10 < half {
		return true, true
	}
	return zero[1]*10 >= half*7 && zero[0]*10 < half, false
}

func fromUTF16(data []byte, big bool) (string, error) {
	if len(data)%2 != 0 {
		return "", ErrMalformed
	}
	var b strings.Builder
	b.Grow(len(data))
	unit := func(i int) rune {
		if big {
			return rune(data[i])<<8 | rune(data[i+1])
		}
		return rune(data[i+1])<<8 | rune(data[i])
	}
	for i := 0; i < len(data); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if i+3 >= len(data) {
				return "", ErrMalformed
			}
			r = utf16.DecodeRune(r, unit(i+2))
			if r == utf8.RuneError {
				return "", ErrMalformed
			}
			i += 2
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// guess tells windows-1252 from ISO-8859-15. The first has printable characters from 0x80 to 0x9f, where the second
// has controls that no text uses; without any of these the euro sign of the second decides.
func guess(data []byte) *charmap.Charmap {
	euro := false
	for _, c := range data {
		if c >= 0x80 && c < 0xA0 {
			return charmap.Windows1252
		}
		euro = euro || c == 0xA4
	}
	if euro {
		return charmap.ISO8859_15
	}
	return charmap.Windows1252
}

func fromTable(data []byte, table *charmap.Charmap) (string, error) {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		r := table.DecodeByte(c)
		if r == utf8.RuneError {
			return "", ErrMalformed
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}
