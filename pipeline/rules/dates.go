package rules

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
)

// Dates finds calendar dates and parts of them; birth dates are told by the words before them. Each span carries the
// days that it means, where that can be told.
var Dates pipeline.Detector = dates{}

type dates struct{}

// Name is the detector's path.
func (dates) Name() string { return "rules.date" }

// refutedScore is what the words around "3/6" or "in 6/52" weigh against a date: a model must be all but certain.
const refutedScore = 0.97

// Detect finds the dates of the document, and what a model must not take for one. It never fails.
func (d dates) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	matches, refuted := date.Tell(doc.Text, doc.Language)
	if len(matches)+len(refuted) == 0 {
		return nil, nil
	}
	spans := make([]phi.Span, len(matches), len(matches)+len(refuted))
	for i := range matches {
		m := &matches[i]
		if doc.Language == phi.English && abbreviationEndsSentence(doc.Text, m.End) {
			m.End--
		}
		spans[i] = phi.Span{Start: m.Start, End: m.End, Type: phi.DateDate, Score: m.Score, Source: d.Name()}
		if m.HasInterval {
			spans[i].Interval = &m.Interval
		}
		if birthContext(doc.Text, m.Start) {
			spans[i].Type = phi.DateBirthdate
		}
	}
	spreadBirths(doc.Text, spans)
	for _, m := range refuted {
		spans = append(spans, phi.Span{Start: m.Start, End: m.End, Type: phi.Protected, Score: refutedScore, Source: d.Name()})
	}
	return spans, nil
}

// abbreviationEndsSentence says whether the full stop before end, behind a word such as Nov, ends a sentence as well: then
// it stays in the text.
func abbreviationEndsSentence(text string, end int) bool {
	if end < 3 || text[end-1] != '.' || lowerASCII(text[end-2])-'a' >= 26 {
		return false
	}
	rest := strings.TrimLeft(text[end:], " \t")
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return len(rest) < len(text)-end && unicode.IsUpper(next)
}

// spreadBirths marks further birth dates: the day of one that is known, wherever it stands; the earliest day of the
// document where it directly follows a name, as in a header line or a table, and in a table with birth dates any early
// day that does. Such a day must lie well before another one, since the letter's own date may follow a name as well, unless
// an age goes with it.
func spreadBirths(text string, spans []phi.Span) {
	const wellBefore, inTables = 2 * 365, 10 * 365 // days
	births := map[int32]bool{}
	earliest, latest, some := int32(0), int32(0), false
	for i := range spans {
		s := &spans[i]
		if s.Interval == nil || s.Interval.Precision != phi.ToDay {
			continue
		}
		if s.Type != phi.DateBirthdate && (bornBehind(text, s.End) || agedBehind(text, s.Start, s.End)) {
			s.Type = phi.DateBirthdate
		}
		if s.Type == phi.DateBirthdate {
			births[s.Interval.From] = true
		}
		if !some {
			earliest, latest, some = s.Interval.From, s.Interval.From, true
		}
		earliest, latest = min(earliest, s.Interval.From), max(latest, s.Interval.From)
	}
	known := len(births) > 0
	for i := range spans {
		s := &spans[i]
		if s.Type == phi.DateBirthdate || s.Interval == nil || s.Interval.Precision != phi.ToDay {
			continue
		}
		from := s.Interval.From
		early := from == earliest && latest-from > wellBefore || known && latest-from > inTables && inColumn(text, s.Start)
		if births[from] || early && afterName(text, s.Start, 2) {
			s.Type, known = phi.DateBirthdate, true
		}
	}
}

// inColumn says whether p begins a column of a table.
func inColumn(text string, p int) bool {
	return p > 1 && (strings.IndexByte(";|\t", text[p-1]) >= 0 || text[p-1] == ' ' && strings.IndexByte(" ;|\t", text[p-2]) >= 0)
}

// bornBehind says whether words behind a date that ends at p make it one of birth: "in Suhl geborene Klägerin".
func bornBehind(text string, p int) bool {
	rest := text[p:min(len(text), p+48)]
	if end := strings.IndexAny(rest, ",;:\n"); end >= 0 {
		rest = rest[:end]
	}
	words := 0
	for w := range strings.FieldsSeq(rest) {
		if strings.HasPrefix(w, "geboren") {
			return true
		}
		if words++; words == 1 && w != "in" || words > 4 {
			return false
		}
	}
	return false
}

// agedBehind says whether a date from start to end stands between a name and that person's age: "Anatol (2.9.2007, 9)",
// "Mara Zumsteg, 29.07.2022 (3 Mt.)".
func agedBehind(text string, start, end int) bool {
	behind := text[end:min(len(text), end+24)]
	rest := strings.TrimLeft(behind, " \t,(")
	if !strings.ContainsAny(behind[:len(behind)-len(rest)], ",(") {
		return false
	}
	for _, sex := range [...]string{"m)", "w)", "f)", "d)", "m,", "w,", "f,"} {
		if strings.HasPrefix(rest, sex) {
			rest = strings.TrimLeft(rest[len(sex):], " ,(")
			break
		}
	}
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if n == 0 || n > 3 {
		return false
	}
	names := 2
	if start > 0 && text[start-1] == '(' {
		names = 1
	}
	if rest = rest[n:]; strings.HasPrefix(rest, ")") {
		return names == 1 && afterName(text, start, names)
	}
	rest = strings.TrimLeft(rest, " -.")
	for _, unit := range [...]string{"Mt", "Mon", "mo", "Wo", "J", "j", "y"} {
		if strings.HasPrefix(rest, unit) {
			return afterName(text, start, names)
		}
	}
	return false
}

// afterName says whether that many capitalised words, perhaps with a letter for the sex behind them or the word for a
// maiden name between, directly precede p on its line.
func afterName(text string, p, names int) bool {
	line := text[max(0, p-80):p] // what stands further left says nothing
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for len(line) > 0 && !utf8.RuneStart(line[0]) {
		line = line[1:]
	}
	capitals := 0
	if digits := strings.LastIndexFunc(line, unicode.IsDigit); digits >= 0 {
		line = line[digits+1:]
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' })
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case len(w) == 1 && capitals == 0 && strings.Contains("mwfMWFdx", w):
		case unicode.IsUpper(first) && len(w) > 1:
			if capitals++; capitals == names {
				return true
			}
		case capitals == 1 && (w == "geb" || w == "née" || w == "nee"):
		default:
			return false
		}
	}
	return false
}

// birthWords stand before a birth date, with nothing but punctuation between. They are grouped by their last byte.
var birthWords = func() (table [128][]string) {
	for _, w := range [...]string{
		"geb", "geboren", "geb.-dat", "geb.dat", "gebdat", "geburtsdatum", "geburtstag", "geburt", "geb.datum", "geb. datum", "gebdatum", "gdat", "geb.-datum", "geb am", "geb. am", "geboren am",
		"geburtsjahr", "geb.-jahr", "gcb. am", "birthtime", "dob / age", "dob/sex", "dob/age",
		"dob", "d.o.b", "born", "date of birth", "birth date", "birthdate", "birth", "birthday", "born on", "b", "yob", "year of birth", "jahrgang", "jg",
	} {
		last := w[len(w)-1]
		table[last] = append(table[last], w)
	}
	return table
}()

// birthContext says whether what begins at p is a date of birth.
func birthContext(text string, p int) bool {
	q := p
	for q > 0 && p-q < 24 {
		c := text[q-1]
		if c == ' ' || c == '\t' || c == ':' || c == '.' || c == '(' || c == '=' || c == '|' || c == '[' || c == ',' {
			q--
			continue
		}
		break
	}
	for _, verb := range [...]string{" is", " ist", " was", " war"} { // her birthday is March 3
		if strings.HasSuffix(text[:q], verb) {
			q -= len(verb)
			break
		}
	}
	switch {
	case q == 0 || text[q-1] >= utf8.RuneSelf:
		return false
	case text[q-1] == '*':
		return true
	}
	candidates := birthWords[lowerASCII(text[q-1])]
	if len(candidates) == 0 {
		return false
	}
	var buf [18]byte
	lowered := buf[:0]
	for _, c := range []byte(text[max(0, q-len(buf)):q]) { // the words are ASCII
		lowered = append(lowered, lowerASCII(c))
	}
	before := string(lowered) // short enough for the stack
	for _, w := range candidates {
		if strings.HasSuffix(before, w) {
			r := len(before) - len(w)
			return r == 0 || !isLetterBefore(before[:r])
		}
	}
	return false
}

func lowerASCII(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}

func isLetterBefore(s string) bool {
	c := s[len(s)-1]
	return c >= 0x80 || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}
