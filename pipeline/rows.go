package pipeline

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// ofInitial is a row of a table that begins with a single capital: "M      2420    2290   2510".
var ofInitial = regexp.MustCompile(`^[ \t|]*([A-Z])\.?[ \t|]+\d[\d.,]*(?:[ \t]*\|[ \t]*|\t+| {2,})\d`)

// initialsOfRows finds the initials by which neighbouring rows of a table name persons whose first names, such as those of
// twins, stand alone elsewhere in the text. Two rows in a row must do so, since single capitals name much else.
func initialsOfRows(text string, spans []phi.Span) []phi.Span {
	var found []phi.Span
	var called map[byte]*phi.Span
	var before, row phi.Span
	for start, end := 0, 0; start < len(text); start = end + 1 {
		end = len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		row = phi.Span{}
		if at := ofInitial.FindStringSubmatchIndex(text[start:end]); at != nil {
			if called == nil {
				called = firstNames(text, spans)
			}
			if name := called[text[start+at[2]]]; name != nil {
				row = phi.Span{
					Start: start + at[2], End: start + at[3], Type: name.Type,
					Score: min(rememberedScore, name.Score), Source: "memory.initial", Entity: name.Entity,
				}
			}
		}
		if before.End > 0 && row.End > 0 && text[before.Start] != text[row.Start] {
			if len(found) == 0 || found[len(found)-1] != before {
				found = append(found, before)
			}
			found = append(found, row)
		}
		before = row
	}
	return found
}

// firstNames gives by its initial the first of the names of one word in the text; an initial that two names have stands for
// nobody.
func firstNames(text string, spans []phi.Span) map[byte]*phi.Span {
	called := map[byte]*phi.Span{}
	for i := range spans {
		s := &spans[i]
		name := text[s.Start:s.End]
		if !ofRole(s.Type) || s.Score < learnScore || utf8.RuneCountInString(name) < 3 || !oneWord(name) {
			continue
		}
		switch other, taken := called[name[0]]; {
		case !taken:
			called[name[0]] = s
		case other != nil && text[other.Start:other.End] != name:
			called[name[0]] = nil
		}
	}
	return called
}

// oneWord says whether the name is of one word.
func oneWord(name string) bool { return wordEnd(name, 0) == len(name) }
