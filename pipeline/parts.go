package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// cutParts cuts at brackets, before the short form of a state and before the town of an institution and between cells what the guidelines hold
// for two, as all marks of our letters have it: "Huber, Johann (Hansi)", "Gais AR". A known name keeps its borders; a number
// needs no brackets, however certain. The spans are in order, and so is what it gives.
func (r *resolver) cutParts(spans []phi.Span) []phi.Span {
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		if s.Entity != "" || s.Score >= certain && s.Type.Category() != phi.CategoryContact {
			continue
		}
		head, tail := parts(r.text, s)
		spans[i] = head
		if tail.Start < tail.End {
			i++
			spans = slices.Insert(spans, i, tail)
		}
	}
	return spans
}

// state is a state or canton in short behind its town; what stands in capitals throughout has none, and in small letters only some.
var state = regexp.MustCompile(`[\p{Ll}.],? (\p{Lu}{2}|` + smallStates + `)$`)

// parts gives the two parts of a span, or the span and nothing.
func parts(text string, s phi.Span) (head, tail phi.Span) {
	inside := text[s.Start:s.End]
	switch open, closed := strings.Count(inside, "("), strings.Count(inside, ")"); s.Type.Category() {
	case phi.CategoryContact:
		if open == 1 && closed == 1 && inside[0] == '(' && strings.HasSuffix(inside, ")") {
			s.Start, s.End = s.Start+1, s.End-1
		}
	case phi.CategoryName:
		if at := cellBorder(text, s); at > 0 {
			return behind(inside, s, at, s.Type)
		}
		// Behind a whole name, a bracket holds a short form; within one it is a part: "Stanley (Stas) Nowak".
		if open > closed || open == 1 && inside[0] != '(' && s.Type != phi.NameUsername && strings.HasSuffix(inside, ")") {
			return atBracket(inside, s)
		}
	case phi.CategoryLocation, phi.CategoryProfession, phi.CategoryOther:
		if open > closed {
			return atBracket(inside, s)
		}
		switch s.Type {
		case phi.LocationCity:
			return atState(inside, s)
		case phi.LocationHospital, phi.LocationOrganization:
			return atTown(inside, s)
		}
	}
	return s, tail
}

// cellBorder is where the second cell of a row begins within a name, in bytes, or 0: "7008831962,SHORT,BILL,1938-03-19".
func cellBorder(text string, s phi.Span) int {
	at := strings.IndexByte(text[s.Start:s.End], ',') + 1
	if at <= 1 || s.Start+at == s.End || text[s.Start+at] == ' ' {
		return 0
	}
	if begins := s.Start == 0 || text[s.Start-1] == ',' || text[s.Start-1] == '\n'; !begins || !strings.HasPrefix(text[s.End:], ",") {
		return 0
	}
	return at
}

// atBracket parts a span at its last opening bracket, which neither part keeps; a span of nothing else stays.
func atBracket(inside string, s phi.Span) (head, tail phi.Span) {
	at := strings.LastIndexByte(inside, '(')
	head, tail = s, s
	head.End = s.Start + len(strings.TrimRight(inside[:at], " \t\n"))
	tail.Start = s.End - len(strings.TrimLeft(inside[at:], "( „“”\"'"))
	tail.End = s.Start + len(strings.TrimRight(inside, ") „“”\"'"))
	switch {
	case head.Start < head.End:
		return head, tail
	case tail.Start < tail.End:
		return tail, phi.Span{}
	}
	return s, phi.Span{}
}

// atState parts a town from the state behind it.
func atState(inside string, s phi.Span) (head, tail phi.Span) {
	m := state.FindStringSubmatchIndex(inside)
	if m == nil {
		return s, phi.Span{}
	}
	return behind(inside, s, m[2], phi.LocationState)
}

// town is what may be one behind a comma: "Klinik Roseneck, Prien".
var town = regexp.MustCompile(`[\p{L}.], (\p{Lu}[\p{L}-]+)$`)

// atTown parts an institution from the town behind it.
func atTown(inside string, s phi.Span) (head, tail phi.Span) {
	m := town.FindStringSubmatchIndex(inside)
	if m == nil {
		return s, phi.Span{}
	}
	w := lists.Lookup(fold.Key(inside[m[2]:]))
	if w.City() < 1 || w.Common("") > 1 || w.FirstName() > 1 {
		return s, phi.Span{}
	}
	return behind(inside, s, m[2], phi.LocationCity)
}

// behind parts a span where a place of another kind begins, without what stands between the two.
func behind(inside string, s phi.Span, at int, kind phi.Type) (head, tail phi.Span) {
	head, tail = s, s
	head.End = s.Start + len(strings.TrimRight(inside[:at], ", "))
	tail.Type, tail.Start = kind, s.Start+at
	return head, tail
}

// joinParts merges neighbours, in their order, that are parts of one name, date, occupation or place; it works in place.
func (r *resolver) joinParts(spans []phi.Span) []phi.Span {
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && partsOfOne(r.text, out[n-1], s) {
			out[n-1] = r.unite(out[n-1], s)
			out[n-1].Interval = nil
			continue
		}
		out = append(out, s)
	}
	return out
}

func partsOfOne(text string, a, b phi.Span) bool {
	gap := text[a.End:b.Start]
	if a.Type.Category() != b.Type.Category() || a.Type != b.Type && !a.Type.Bare() && !b.Type.Bare() {
		return false
	}
	if a.Entity != "" && b.Entity != "" && a.Entity != b.Entity {
		return false
	}
	switch a.Type.Category() {
	case phi.CategoryName:
		return a.Type != phi.NameUsername && (gap == " " || gap == "-" || gap == "\u00a0")
	case phi.CategoryDate:
		return (gap == " " || gap == "") && (a.Interval == nil || b.Interval == nil)
	case phi.CategoryProfession, phi.CategoryOther:
		return a.Type == b.Type && bonds[gap]
	case phi.CategoryLocation:
		switch a.Type {
		case phi.LocationHospital: // a ward and its hospital
			return a.Type == b.Type && (bonds[gap] || unions[gap] || gap == ", ")
		case phi.LocationOrganization:
			return a.Type == b.Type && (bonds[gap] || unions[gap])
		case phi.LocationOther:
			return a.Type == b.Type && gap == " "
		case phi.LocationState:
			return a.Type == b.Type && gap == " " && county[text[a.Start:a.End]]
		}
	case phi.CategoryContact: // "757.555.0143 ext. 12", where the word was found as well
		return a.Type == b.Type && gap == " " && (extended.MatchString(text[a.Start:a.End]) || number.MatchString(text[a.Start:a.End]) && extension.MatchString(text[b.Start:b.End]))
	}
	return false
}

// county begins the name of one: "County Durham".
var county = map[string]bool{"County": true, "Co": true, "Co.": true}

// extension is the word for one alone, behind a number; extended is a number with that word.
var (
	number    = regexp.MustCompile(`\d{3}$`)
	extension = regexp.MustCompile(`(?i)^(?:ext(?:ension)?|x)\.?$`)
	extended  = regexp.MustCompile(`(?i)\d (?:ext(?:ension)?|x)\.?$`)
)

// bonds hold one name together where both sides of them were found, as hundreds of times within the marks of our letters and
// never between two of one type: "Lehrling zum Tischler", "Klinik für Innere Medizin"; so does a space alone. unions do so for institutions.
var (
	bonds  = gaps("der des dem den die das im am in an auf bei beim für zum zur als von vom mit of the at for on")
	unions = gaps("und & and")
)

// gaps are a space, and these words with a space on either side.
func gaps(words string) map[string]bool {
	out := map[string]bool{" ": true}
	for word := range strings.FieldsSeq(words) {
		out[" "+word+" "] = true
	}
	return out
}
