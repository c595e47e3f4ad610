// Package lists holds names, places and occupations: what detection looks words up in, and, apart from it, what
// surrogates are drawn from. Both are read once, when first asked for. All keys are folded as package fold does.
package lists

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

// IsFirstName says whether a folded word is listed as a first name.
func IsFirstName(folded string) bool { return Lookup(folded).FirstName() > 0 }

// IsSurname says whether a folded word is listed as a surname; rank is 1 for the most frequent, to 7 for rare ones.
func IsSurname(folded string) (rank int, ok bool) {
	level := Lookup(folded).Surname()
	return 8 - level, level > 0
}

// IsCommonWord says whether a folded word is an everyday or clinical word of the language, or, without a language,
// of one of both. Such a word is a name only where the context says so.
func IsCommonWord(folded string, lang phi.Language) bool {
	w := Lookup(folded)
	return w.Common(lang) > 0 || w.Medical()
}

// IsCity says whether a folded name, of one word or several, is a listed place.
func IsCity(folded string) bool { return Lookup(folded).City() > 0 }

// Gender gives the gender of a first name in any spelling: 'f', 'm', or 0 if both bear it or it is not known.
func Gender(firstName string) byte { return gender(firstName) }

// Place is a place with one of its postal codes.
type Place struct{ Name, State, Country, ZIP string }

//go:embed data/surrogates.gz
var surrogateData []byte

// stock is what surrogates are drawn from.
type stock struct {
	lists map[string][]string // by section, such as first.de.f
	zips  map[string]map[string][]Place
	all   map[string][]Place // places, each name of a state once
}

var surrogates = sync.OnceValue(func() *stock {
	s := &stock{lists: map[string][]string{}, zips: map[string]map[string][]Place{}, all: map[string][]Place{}}
	text := string(inflate(surrogateData))
	section := ""
	seen := map[Place]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "#"); ok {
			section = name
			continue
		}
		country, ok := strings.CutPrefix(section, "zip.")
		if !ok {
			s.lists[section] = append(s.lists[section], line)
			continue
		}
		code, rest, _ := strings.Cut(line, "\t")
		name, state, _ := strings.Cut(rest, "\t")
		p := Place{Name: name, State: state, Country: country, ZIP: code}
		if s.zips[country] == nil {
			s.zips[country] = map[string][]Place{}
		}
		s.zips[country][code] = append(s.zips[country][code], p)
		if once := (Place{Name: name, State: state, Country: country}); !seen[once] {
			seen[once] = true
			s.all[country] = append(s.all[country], p)
		}
	}
	return s
})

// FirstNames lists first names to draw from, sorted; locale is de, at, ch or en (anything else: en), gender 'f',
// 'm' or 0 for both. The slice is shared: do not change it.
func FirstNames(locale string, gender byte) []string {
	name := "first." + known(locale) + "."
	switch gender {
	case 'f', 'm':
		return surrogates().lists[name+string(rune(gender))]
	}
	return surrogates().lists[name+"any"]
}

// Surnames lists surnames to draw from, sorted; locale as for FirstNames.
func Surnames(locale string) []string { return surrogates().lists["last."+known(locale)] }

// Cities lists the places of a country ("de", "at", "ch", "us"), each with one of its postal codes. The slice is
// shared: do not change it.
func Cities(country string) []Place { return surrogates().all[nation(country)] }

// ZIP lists the places that have a postal code.
func ZIP(country, code string) []Place { return surrogates().zips[nation(country)][code] }

// Streets lists street names without numbers.
func Streets(country string) []string { return surrogates().lists["street."+nation(country)] }

// Hospitals lists names of hospitals.
func Hospitals(country string) []string { return surrogates().lists["hospital."+nation(country)] }

// Insurers lists German health insurers.
func Insurers() []string { return surrogates().lists["insurer"] }

// Occupations lists occupations in the language; German ones in the form of the gender, 0 for both forms.
func Occupations(lang phi.Language, gender byte) []string {
	if lang != phi.German {
		return surrogates().lists["job.en"]
	}
	switch gender {
	case 'f', 'm':
		return surrogates().lists["job.de."+string(rune(gender))]
	}
	return surrogates().lists["job.de.any"]
}

func known(locale string) string {
	switch strings.ToLower(locale) {
	case "de", "at", "ch":
		return strings.ToLower(locale)
	}
	return "en"
}

func nation(country string) string {
	switch c := strings.ToLower(country); c {
	case "en":
		return "us"
	default:
		return c
	}
}

func gender(name string) byte {
	key := bytes.TrimSpace([]byte(fold.Key(name)))
	if g := Lookup(key).Gender(); g != 0 {
		return g
	}
	// A double name is as its first part: Karl-Heinz, Anna-Lena, Mary Ann.
	if i := bytes.IndexAny(key, "- "); i > 0 {
		return Lookup(key[:i]).Gender()
	}
	return 0
}
