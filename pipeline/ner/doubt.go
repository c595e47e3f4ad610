package ner

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// credulous says whether a decision asks for everything that might be PHI.
func (d Decision) credulous() bool { return d.Recall > 0 || d.largestLambda() == 1 }

// doubtful says whether taggers alone are not believed that the span is PHI: a number that counts rows, words of everyday
// use, a drug, a formula beside a signature, an emergency number, minutes, those who get a copy, the half of the day, a rib
// that passes for a day, a season of no year, a habit that passes for an occupation, what somebody does, said with a verb, a
// kind of school or of ward that passes for a certain one, one letter as an organisation, vertebrae that pass for a ward.
// Whoever else finds something there is not touched by it.
func doubtful(text string, s phi.Span, language phi.Language) bool {
	return rowNumber(text, s) || formula(text, s) || drug(text, s) || everyday(text, s, language) ||
		emergency(text, s) || counted(text, s) || copied(text, s) || halfOfDay(text, s) || ordinal(text, s) || season(text, s) ||
		habit(text, s) || verb(text, s, language) || kindOfWard(text, s) || letter(s) || school(text, s) || vertebrae(text, s)
}

// surePlace is the score from which a short number at the beginning of a line may be a ward, a bed or a room.
const surePlace = 0.9

// rowNumber says whether the span is a number of at most three digits at the beginning of a line that passes for a place
// though no tagger is sure: it counts the rows of a list. No postcode is so short.
func rowNumber(text string, s phi.Span) bool {
	const digits = 3
	if s.Type.Category() != phi.CategoryLocation || s.Type != phi.LocationZIP && s.Score >= surePlace || s.Len() > digits {
		return false
	}
	before := strings.TrimRight(text[:s.Start], " \t")
	return (before == "" || before[len(before)-1] == '\n') && strings.Trim(text[s.Start:s.End], "0123456789") == ""
}

// The scores from which words of everyday use may be a place or a name all the same: "Secure Start", "Frau Zufall".
const (
	everydayPlace = 0.75
	everydayTitle = 0.9 // in capitals, where headings and tests look like places
	everydayName  = 0.8
)

// everyday says whether the span takes nothing but words of everyday and clinical use for a place or a name, without being
// sure. Of such spans in letters that no tagger was trained on nine in ten are wrong.
func everyday(text string, s phi.Span, language phi.Language) bool {
	inside := text[s.Start:s.End]
	var bears func(lists.Word) bool
	switch s.Type.Category() {
	case phi.CategoryLocation:
		sure := everydayPlace
		if inside == strings.ToUpper(inside) {
			sure = everydayTitle
		}
		if s.Score >= sure {
			return false
		}
		bears = townBears
	case phi.CategoryName:
		if s.Score >= everydayName || s.Type == phi.NameUsername || s.Len() < 3 { // two letters sign a note
			return false
		}
		bears = personBears
	default:
		return false
	}
	words := strings.FieldsFunc(inside, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 0 && !longNumber.MatchString(inside) && !slices.ContainsFunc(words, func(word string) bool {
		w := lists.Lookup(fold.Key(word))
		return w.Common(language) < 2 || bears(w)
	})
}

// longNumber is one that is more than that of a room or a house: "Postfach 4711".
var longNumber = regexp.MustCompile(`\d{4}`)

// townBears and personBears say whether an everyday word is a common name as well: Essen, Klein, Rose.
func townBears(w lists.Word) bool   { return w.City() >= 2 || w.FirstName() >= 3 }
func personBears(w lists.Word) bool { return w.FirstName() >= 2 || w.Surname() >= 5 }

// sureDrug is the score from which what is listed as a drug may be a name all the same.
const sureDrug = 0.95

// drug says whether the span takes a drug for a name or a place: in small letters, as people write in haste, where the
// dictionaries do not look for drugs. Of the words listed as drugs hardly one is a name.
func drug(text string, s phi.Span) bool {
	inside := text[s.Start:s.End]
	if c := s.Type.Category(); c != phi.CategoryName && c != phi.CategoryLocation || s.Score >= sureDrug || s.Type == phi.NameUsername ||
		strings.ContainsFunc(inside, unicode.IsUpper) {
		return false
	}
	words := strings.FieldsFunc(inside, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		w := lists.Lookup(fold.Key(word))
		return !w.Drug() || w.FirstName() >= 2 || w.Surname() >= 2 || w.City() >= 2
	})
}

// formulas stand beside a signature: with one's own hand, on behalf of, signed. "I.V." may be somebody's initials.
var formulas = map[string]bool{"e.h": true, "eh": true, "i.V": true, "i.A": true, "ppa": true, "gez": true}

// formula says whether the span takes one of them for a name.
func formula(text string, s phi.Span) bool {
	const longest = 8
	if s.Type.Category() != phi.CategoryName || s.Len() > longest {
		return false
	}
	return formulas[strings.TrimRight(strings.Join(strings.Fields(text[s.Start:s.End]), ""), ".")]
}

// emergency says whether the span takes a number that everybody may call for somebody's.
func emergency(text string, s phi.Span) bool {
	switch text[s.Start:s.End] {
	case "911", "112", "999":
		return s.Type.Category() == phi.CategoryContact
	}
	return false
}

var unitBehind = regexp.MustCompile(`^ ?(?:min|mins|minutes|Min|Minuten|h|hrs?|hours|Std|mg|ml|kg|cm|mm)\b`)

// counted says whether the span takes a number of minutes, or of something else that is measured, for one to call: "pager 3356  45 min".
func counted(text string, s phi.Span) bool {
	const digits = 3
	return s.Type.Category() == phi.CategoryContact && s.Len() <= digits && unitBehind.MatchString(text[s.End:min(len(text), s.End+reach)]) &&
		strings.Trim(text[s.Start:s.End], "0123456789") == ""
}

// copied says whether the span takes the words before those who get a copy for somebody's initials: "CC: I. B. Kestenbaum", "Cc patient".
func copied(text string, s phi.Span) bool {
	inside := text[s.Start:s.End]
	return s.Type.Category() == phi.CategoryName && strings.EqualFold(inside, "cc") && (inside == "Cc" || strings.HasPrefix(text[s.End:], ":"))
}

// clockBefore is a time of day.
var clockBefore = regexp.MustCompile(`\d:\d\d $`)

// halfOfDay says whether the span takes the half of the day behind a time for somebody's initial: "7:48 P".
func halfOfDay(text string, s phi.Span) bool {
	inside := text[s.Start:s.End]
	return s.Type.Category() == phi.CategoryName && (inside == "A" || inside == "P") && clockBefore.MatchString(text[max(0, s.Start-reach):s.Start])
}

var (
	ordinalNumber = regexp.MustCompile(`^\d{1,2}(?:st|nd|rd|th)$`)
	// termCount is a German ordinal before what it counts: "5. Sem.", "2. Lehrjahr".
	termCount = regexp.MustCompile(`^\d{1,2}\. ?(?:Sem(?:ester)?|Klasse|Lehrjahr|Ausbildungsjahr|Schuljahr|Lj|Trimenon|Stock|Etage|OG|Rate|Mannschaft)\b`)
)

// ordinal says whether the span takes the number of a rib, a finger, a percentile or a term for a day.
func ordinal(text string, s phi.Span) bool {
	return s.Type.Category() == phi.CategoryDate && (termCount.MatchString(text[s.Start:min(len(text), s.End+reach)]) ||
		ordinalNumber.MatchString(text[s.Start:s.End]) && date.Counted(text[s.End:]))
}

var seasons = lists.Set("spring summer autumn fall winter frühling frühjahr sommer herbst")

// season says whether the span takes a season alone for a date; with its year it is one.
func season(text string, s phi.Span) bool {
	return s.Type.Category() == phi.CategoryDate && seasons[strings.ToLower(text[s.Start:s.End])]
}

var habits = regexp.MustCompile(`(?i)(?:^|[ -])(?:smoker|drinker|(?:nicht|ex|ketten|gelegenheits)?raucher(?:in)?|(?:light|modified) duty|(?:poor|good|fair|vague|reliable|unreliable|limited) historian)$`)

// halves are what is left of a status where a tagger saw a part of it: "part-time", "off work".
var halves = map[string]bool{"-time": true, "time": true, "off": true, "part": true, "full": true}

// habit says whether the span takes what somebody smokes or drinks, how hard one may work, how well one tells, or
// half a word for an occupation.
func habit(text string, s phi.Span) bool {
	return s.Type.Category() == phi.CategoryProfession && (habits.MatchString(text[s.Start:s.End]) || halves[text[s.Start:s.End]])
}

// finite is a German verb before its object: "reinigt Büros in der Kreisverwaltung". Behind "arbeitet im" may stand an employer.
var finite = regexp.MustCompile(`^\p{Ll}+t\s(?:(?:ein|d)\p{Ll}+\s)?\p{Lu}`)

// verb says whether the span takes a German sentence of what somebody does for an occupation. The guidelines mark nouns; of
// 6,000 marks of occupations one begins like that.
func verb(text string, s phi.Span, language phi.Language) bool {
	return language == phi.German && s.Type == phi.ProfessionProfession && finite.MatchString(text[s.Start:s.End])
}

var schools = regexp.MustCompile(`(?i)^(?:(?:(?:primary|elementary|grade|middle|junior high|high|secondary) )?school|(?:community )?college|university|` +
	`universität|hochschule|gymnasium|(?:grund|haupt|real|gesamt|förder|berufs|volks)schule)$`)

// school says whether the span takes a kind of school, without a name, for a certain one. In the English letters such words
// alone are marked twice and left in the text 25 times.
func school(text string, s phi.Span) bool {
	return s.Type == phi.LocationOrganization && schools.MatchString(strings.Join(strings.Fields(text[s.Start:s.End]), " "))
}

// wards are kinds of wards in short, which every hospital has.
var wards = map[string]bool{
	"ED": true, "ER": true, "OR": true, "ICU": true, "MICU": true, "SICU": true, "NICU": true, "CCU": true, "PACU": true, "L&D": true, "A&E": true,
	"AMU": true, "ITU": true, "HDU": true, "SCBU": true, "ITS": true, "IMC": true, "IPS": true, "ZNA": true, "Notaufnahme": true,
	"Intensivstation": true, "Kreißsaal": true, "Aufwachraum": true, "Stroke Unit": true,
}

// kindOfWard says whether the span takes such a kind alone for a certain ward. In our letters they are marked 19 times and
// left in the text 1,430 times.
func kindOfWard(text string, s phi.Span) bool {
	return s.Type == phi.LocationHospital && wards[text[s.Start:s.End]]
}

// letter says whether the span takes one letter for an organisation.
func letter(s phi.Span) bool { return s.Type == phi.LocationOrganization && s.Len() == 1 }

var level = regexp.MustCompile(`^[CTL]\d{1,2}[-–/][CTLS]?\d{1,2}$`)

// vertebrae says whether the span takes a level of the spine for a ward or a place: "C5-6".
func vertebrae(text string, s phi.Span) bool {
	return s.Type.Category() == phi.CategoryLocation && level.MatchString(text[s.Start:s.End])
}
