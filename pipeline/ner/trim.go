package ner

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// A token may hold a word and the sign beside it ("02." or "-86"), so that the tagger cannot say whether the sign
// belongs to the span. Writing habits can.
var (
	// dayAndMonth ends in a day, or in day and month without a year: their last full stop belongs to them.
	dayAndMonth = regexp.MustCompile(`(?:^|[^\d./])\d{1,2}\.[ ]?\d{1,2}$`)
	dayAlone    = regexp.MustCompile(`(?:^|[^\d./])\d{1,2}$`)
	// nothingButDay is a day of the month alone, as German writes it: am 13. wieder. A full stop ends the sentence in English.
	nothingButDay = regexp.MustCompile(`^(?:[1-9]|[12]\d|3[01])$`)
	// rangeGoesOn follows the day of a range: 12.-14.03., 3. und 4. Mai.
	rangeGoesOn = regexp.MustCompile(`^\.[ ]?(?:[-–/]|bis\b|und\b|u\.)`)
	// agedWord is an age with its unit or the sex written to it: 44jährige, 58M, 3yo.
	agedWord = regexp.MustCompile(`^\d{1,3}(\p{L}[\p{L}/]*)$`)
	// dialledWord is a number with the sign for an extension or a pager written to it: x4711, p7714.
	dialledWord = regexp.MustCompile(`^[xXpP]\d`)
	// clockBehind is the time of day behind a date, which is no PHI: 2021-03-04T06:41:00+01:00, 4.3.2021, 14:30 Uhr.
	clockBehind = regexp.MustCompile(`(?:T|,? )\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?: ?(?:Uhr|h))?$`)
	// hourBehind is the first part of such a time, where a token ends in it.
	hourBehind = regexp.MustCompile(`\dT\d\d$`)
	// initial is a name's last word of one letter.
	initial = regexp.MustCompile(`(?:^|[\s.-])\p{Lu}$`)
)

// reach is how much of the end of a span and of what follows is looked at, in bytes.
const reach = 32

// trim takes signs and little words off the borders of a span that cannot belong to it, and adds the signs that must. No
// other word is lost or gained, and nothing before low is taken.
func trim(text string, s phi.Span, low int, language phi.Language) phi.Span {
	before, behind := ".,;:!?)]}»”\"–—|=_^", ",;:!?([]{«„“”\"–—|=_^"
	if s.Type == phi.NameUsername || s.Type.Category() == phi.CategoryContact && s.Type != phi.ContactPhone && s.Type != phi.ContactFax {
		before, behind = strings.TrimRight(before, "_^"), strings.TrimRight(behind, "_^")
	}
	inside := text[s.Start:s.End]
	rest := strings.TrimLeftFunc(inside, func(r rune) bool { return blank(r) || strings.ContainsRune(before, r) })
	s.Start += len(inside) - len(rest)
	s.End = s.Start + len(strings.TrimRightFunc(rest, func(r rune) bool { return blank(r) || strings.ContainsRune(behind, r) }))
	if strings.HasSuffix(text[s.Start:s.End], ")") && unmatched(text, s) == ')' {
		s.End--
	}
	s = shed(text, s)
	s.Start += len(heads(text[s.Start:s.End], s.Type))
	s.Start = signBefore(text, s, low)
	s.End = signBehind(text, s, language)
	return unglue(text, quoted(text, s, low))
}

// blank says whether nothing can be seen of the rune: white space, a joint or a mark of direction without width.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// quoted takes the other quotation mark along where one stands inside a span of words: "Doc" Embree, LEROY "PETE".
func quoted(text string, s phi.Span, low int) phi.Span {
	switch s.Type.Category() {
	case phi.CategoryDate, phi.CategoryAge, phi.CategoryContact, phi.CategoryID:
		return s // there it may stand for inches or seconds
	}
	switch {
	case strings.Count(text[s.Start:s.End], `"`)%2 == 0:
	case s.End < len(text) && text[s.End] == '"':
		s.End++
	case s.Start > low && text[s.Start-1] == '"':
		s.Start--
	}
	return s
}

// neverFirst and neverLast are words that no identifier begins or ends with: a tagger that took one along counted a word
// too many. Articles may begin a name of a place, particles a surname; "the" belongs to a name with its capital only.
var (
	neverFirst = lists.Set(joints + "since until till")
	neverLast  = lists.Set(joints + "zum zur von für wg des dem den der nr the e.h")
)

// stateFirst are those that an employment status does begin with: "in Elternzeit", "on disability".
var stateFirst = lists.Set("in im on")

const joints = "in im am an ab bei mit und oder ist war seit vom auf aus of on at and or is was by to for with from "

// shed takes such words off a span of several words.
func shed(text string, s phi.Span) phi.Span {
	for {
		inside := text[s.Start:s.End]
		first := strings.IndexFunc(inside, unicode.IsSpace)
		last := strings.LastIndexFunc(inside, unicode.IsSpace)
		if first < 0 {
			return s
		}
		word := strings.ToLower(inside[:first])
		switch {
		case neverFirst[word] && !(s.Type == phi.ProfessionStatus && stateFirst[word]), inside[:first] == "the" && s.Type.Category() != phi.CategoryOther:
			s.Start += first
			s.Start += len(text[s.Start:s.End]) - len(strings.TrimLeftFunc(text[s.Start:s.End], unicode.IsSpace))
		case neverLast[strings.ToLower(strings.TrimRight(inside[last+1:], "."))]:
			s.End = s.Start + len(strings.TrimRightFunc(inside[:last], unicode.IsSpace))
		default:
			return s
		}
	}
}

var (
	// unitAt stands before the name of the house that the unit belongs to: "L&D at St. Brigid's". In our letters it is left outside
	// 43 times and marked 4 times.
	unitAt = regexp.MustCompile(`^(?i:ED|ER|A&E|ICU|MICU|SICU|NICU|CCU|PACU|L ?& ?D|cath lab) (?i:at) (?i:the )?`)
	// dayBefore says what kind of day it is: "Fenstertag, 17.6.". A weekday belongs to its date.
	dayBefore = regexp.MustCompile(`^(?i:fenstertag|brückentag|zwickeltag|feiertag|werktag),? \d`)
	// extensionAt says what the number is. Of marks of extensions alone 76 of 80 begin behind it.
	extensionAt = regexp.MustCompile(`^(?i:ext(?:ension)?)\.? ?[-–]?\d`)
)

// heads gives the words at the beginning of a span that say what kind of thing the rest is.
func heads(inside string, kind phi.Type) string {
	switch {
	case kind == phi.LocationHospital:
		return unitAt.FindString(inside)
	case kind == phi.DateDate:
		return strings.TrimRight(dayBefore.FindString(inside), "0123456789")
	case kind.Category() == phi.CategoryContact:
		return strings.TrimRight(extensionAt.FindString(inside), "-–0123456789")
	}
	return ""
}

// unglue leaves out what is written to a number and says what it is, and the time of day behind a date.
func unglue(text string, s phi.Span) phi.Span {
	if s.End-s.Start > reach {
		return s
	}
	switch s.Type.Category() {
	case phi.CategoryDate:
		if at := clockBehind.FindStringIndex(text[s.Start:s.End]); at != nil && at[0] > 0 {
			s.End = s.Start + at[0]
		} else if strings.HasPrefix(text[s.End:], ":") && hourBehind.MatchString(text[s.Start:s.End]) {
			s.End -= len("T06")
		}
	case phi.CategoryAge:
		if m := agedWord.FindStringSubmatch(text[s.Start:s.End]); m != nil {
			s.End -= len(m[1])
		}
	case phi.CategoryContact:
		if dialledWord.MatchString(text[s.Start:s.End]) {
			s.Start++
		}
	}
	return s
}

// signBefore gives the start with the sign in front of the span that belongs to it.
func signBefore(text string, s phi.Span, low int) int {
	before, size := utf8.DecodeLastRuneInString(text[low:s.Start])
	start := s.Start - size
	if size == 0 {
		return s.Start
	}
	switch s.Type.Category() {
	case phi.CategoryContact:
		extension := before == '-' && spaceBefore(text, start) // an extension: App. -4711
		if before == '+' || before == '*' || extension || before == '(' && unmatched(text, s) == ')' {
			return start
		}
	case phi.CategoryDate:
		if (before == '\'' || before == '’') && s.End-s.Start == 2 && text[s.Start] >= '0' && text[s.Start] <= '9' {
			return start // '98
		}
	}
	return s.Start
}

// signBehind gives the end with the sign behind the span that belongs to it.
func signBehind(text string, s phi.Span, language phi.Language) int {
	next, size := utf8.DecodeRuneInString(text[s.End:])
	tail := text[max(s.Start, s.End-reach):s.End]
	switch {
	case next == ')' && unmatched(text, s) == '(':
		return s.End + size
	case next != '.' || s.End+1 < len(text) && text[s.End+1] >= '0' && text[s.End+1] <= '9':
		return s.End
	}
	switch s.Type.Category() {
	case phi.CategoryName:
		if initial.MatchString(tail) {
			return s.End + 1
		}
	case phi.CategoryDate:
		if language == phi.German && nothingButDay.MatchString(text[s.Start:s.End]) {
			return s.End + 1
		}
		if dayAndMonth.MatchString(tail) || dayAlone.MatchString(tail) && rangeGoesOn.MatchString(text[s.End:min(len(text), s.End+reach)]) {
			return s.End + 1
		}
	}
	return s.End
}

// unmatched gives the bracket that has no partner inside the span: ( or ), or 0. Long spans are not looked at.
func unmatched(text string, s phi.Span) rune {
	if s.End-s.Start > 8*reach {
		return 0
	}
	open := 0
	for _, r := range text[s.Start:s.End] {
		switch {
		case r == '(':
			open++
		case r == ')' && open > 0:
			open--
		case r == ')':
			return ')'
		}
	}
	if open > 0 {
		return '('
	}
	return 0
}
