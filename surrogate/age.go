package surrogate

import (
	"strconv"
	"strings"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/lists"
)

// oldest is the age from which on people are put together: 45 CFR 164.514(b)(2)(i)(C).
const oldest = 90

func decimal(n int) string { return strconv.Itoa(n) }

// age keeps ages up to 89 and writes higher ones as 90 or older in the language and manner of the text.
func age(surface string, lang phi.Language) string {
	if kept, stand := ageDecade(surface); kept {
		return stand
	}
	years, ok := years(surface, lang)
	switch {
	case !ok:
		return word(phi.Age.String())
	case years < oldest:
		return surface
	case strings.ContainsAny(surface, "0123456789"):
		return strings.Replace(surface, strconv.Itoa(years), "90+", 1)
	case lang == phi.German:
		return casingOf(surface).apply("über neunzig")
	}
	return casingOf(surface).apply("over ninety")
}

// ageDecade handles "in her thirties": decades below ninety stay.
func ageDecade(surface string) (kept bool, stand string) {
	switch strings.ToLower(surface) {
	case "teens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties":
		return true, surface
	case "nineties", "hundreds":
		return true, casingOf(surface).apply("nineties or later")
	}
	return false, ""
}

// years reads an age in digits or words.
func years(surface string, lang phi.Language) (int, bool) {
	if d := digitsOf(surface); d != "" && len(d) <= 3 {
		n, err := strconv.Atoi(d)
		return n, err == nil
	}
	text := strings.ToLower(strings.TrimSpace(surface))
	if lang != phi.English {
		if n, ok := date.GermanNumber(text); ok {
			return n, true
		}
	}
	return date.EnglishNumber(text)
}

// profession draws another occupation of the same gender; a status becomes another status.
func (g *Generator) profession(doc *pipeline.Document, s phi.Span, surface string, lang phi.Language) string {
	if s.Type == phi.ProfessionStatus {
		return g.cased(surface, g.draw("status", surface, statuses[lang == phi.German]))
	}
	if lang == "" {
		lang = phi.English
	}
	gender := genderBefore(doc, s.Start)
	if lang == phi.German && gender == 0 {
		gender = 'm'
		if strings.HasSuffix(strings.ToLower(surface), "in") || strings.HasSuffix(strings.ToLower(surface), "frau") {
			gender = 'f'
		}
	}
	return g.cased(surface, g.draw("occupation", surface, lists.Occupations(lang, gender)))
}

var statuses = map[bool][]string{
	true:  {"berufstätig", "berentet", "arbeitssuchend", "in Elternzeit", "in Ausbildung", "in Teilzeit"},
	false: {"employed", "retired", "unemployed", "on leave", "in training", "working part-time"},
}
