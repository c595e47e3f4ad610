package ner

import (
	"unicode"
	"unicode/utf8"
)

// unit is what a decision is made about: a word, or one other character that is no space.
type unit struct {
	start, end int
	word       bool
}

// wordRune says whether the rune belongs to a word. Marks and invisible characters (soft hyphen, zero width joiner)
// do: a word is not cut by them.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.In(r, unicode.M, unicode.Cf)
}

// units lists words and other characters of text[from:to]; offsets are those of text. Both borders lie on runes.
func units(text string, from, to int) []unit {
	list := make([]unit, 0, (to-from)/4)
	start := -1
	for i, r := range text[from:to] {
		i += from
		if wordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			list = append(list, unit{start, i, true})
			start = -1
		}
		if !unicode.IsSpace(r) {
			list = append(list, unit{i, i + utf8.RuneLen(r), false})
		}
	}
	if start >= 0 {
		list = append(list, unit{start, to, true})
	}
	return list
}

// border says whether no word lies across the offset.
func border(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return !(wordRune(before) && wordRune(after))
}

// spaceBefore says whether the offset lies at the start of the text or behind a space.
func spaceBefore(text string, at int) bool {
	if at <= 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return unicode.IsSpace(r)
}
