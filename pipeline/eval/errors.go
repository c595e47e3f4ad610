package eval

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Error is one miss, one false alarm, or one span with wrong borders or of a wrong type.
type Error struct {
	Kind   string   `json:"kind"` // missed, partly, type, border, surplus
	Start  int      `json:"start"`
	End    int      `json:"end"` // byte offsets
	Gold   string   `json:"gold,omitempty"`
	Found  string   `json:"found,omitempty"`
	Source string   `json:"source,omitempty"`
	Causes []string `json:"causes,omitempty"` // what the place looks like
	Text   string   `json:"text,omitempty"`   // only when asked for
}

// explain lists the errors of one document in the order of the text.
func explain(doc *Document, gold []Gold, found []phi.Span, showText bool) []Error {
	touching := pairs(gold, found)
	var list []Error
	add := func(e Error) {
		e.Causes = causes(doc, e, gold)
		if showText {
			e.Text = doc.Text[e.Start:e.End]
		}
		list = append(list, e)
	}
	for i, g := range gold {
		e := Error{Start: g.Start, End: g.End, Gold: g.Type.String()}
		over := touching.ofGold[i]
		if len(over) == 0 {
			e.Kind = "missed"
			add(e)
			continue
		}
		best := over[0]
		for _, j := range over {
			if g.Accepts(found[j].Type) && !g.Accepts(found[best].Type) || found[j].Start == g.Start && found[j].End == g.End {
				best = j
			}
		}
		e.Found, e.Source = found[best].Type.String(), found[best].Source
		switch {
		case gap(doc.Text, g, over, found):
			e.Kind = "partly"
		case !slices.ContainsFunc(over, func(j int) bool { return g.Accepts(found[j].Type) }):
			e.Kind = "type"
		case !slices.ContainsFunc(over, func(j int) bool { return found[j].Start == g.Start && found[j].End == g.End }):
			e.Kind = "border"
		default:
			continue
		}
		add(e)
	}
	for j, s := range found {
		if len(touching.ofFound[j]) == 0 {
			add(Error{Kind: "surplus", Start: s.Start, End: s.End, Found: s.Type.String(), Source: s.Source})
		}
	}
	slices.SortStableFunc(list, func(a, b Error) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return list
}

// gap says whether a word of the mark is covered by none of the spans.
func gap(text string, g Gold, over []int, found []phi.Span) bool {
	for _, w := range Words(text[g.Start:g.End]) {
		start, end := w.Start+g.Start, w.End+g.Start
		if !slices.ContainsFunc(over, func(j int) bool { return found[j].Start < end && start < found[j].End }) {
			return true
		}
	}
	return false
}

// causes names what may explain an error: the look of the words and of the place. Several may apply.
func causes(doc *Document, e Error, gold []Gold) []string {
	text := doc.Text[e.Start:e.End]
	line := lineAt(doc.Text, e.Start)
	var list []string
	add := func(when bool, cause string) {
		if when {
			list = append(list, cause)
		}
	}
	letters, upper, digits := census(text)
	lineLetters, lineUpper, _ := census(line)
	add(strings.ContainsAny(text, "\n"), "split over lines")
	add(letters > 1 && upper == letters, "capitals")
	add(lineLetters > 8 && lineUpper*10 >= lineLetters*8, "line in capitals")
	add(letters > 0 && upper == 0 && digits == 0, "lower case")
	add(letters > 0 && digits > 0 && !strings.ContainsAny(text, " \n"), "letters and digits mixed")
	add(letters == 0 && digits > 0, "digits only")
	add(utf8.RuneCountInString(text) <= 3 && letters > 0, "very short")
	add(glued(doc.Text, e.Start, e.End), "glued to a word")
	add(strings.Contains(line, "|") || strings.Contains(line, "\t") || strings.Count(line, "   ") > 1, "in a table")
	add(strings.Count(doc.Text[:e.Start], "\n") < 5, "at the head")
	add(strings.Count(doc.Text[e.End:], "\n") < 4, "at the end")
	if e.Gold != "" {
		others := 0
		for _, g := range gold {
			if (g.Start != e.Start || g.End != e.End) && strings.EqualFold(doc.Text[g.Start:g.End], text) {
				others++
			}
		}
		add(others > 0, "repeated in the document")
		add(others == 0, "once in the document")
	}
	if e.Kind == "surplus" {
		same := slices.ContainsFunc(gold, func(g Gold) bool { return strings.EqualFold(doc.Text[g.Start:g.End], text) })
		add(same, "marked elsewhere in the document")
	}
	return list
}

func lineAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := strings.IndexByte(text[at:], '\n')
	if end < 0 {
		return text[start:]
	}
	return text[start : at+end]
}

func census(s string) (letters, upper, digits int) {
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		case unicode.IsDigit(r):
			digits++
		}
	}
	return letters, upper, digits
}

func glued(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return start > 0 && wordRune(before) && wordRune(first) || end < len(text) && wordRune(after) && wordRune(last)
}
