package deidentify

import (
	"strings"
	"unicode"

	"fhirdeid/pipeline"
)

// strange are function words of other European languages that neither German nor English has.
var strange = func() map[string]string {
	m := map[string]string{}
	for language, words := range map[string]string{
		"fr": "le les des une est dans pour avec sur pas qui que cette nous vous sont été être du aux",
		"es": "el los las una por con para del como más está pero sus este fue y que no se",
		"it": "il gli della dello per con una che non sono è alla nel dei delle anche",
		"pt": "os uma para com não por do da dos em ao foi mais são pelo",
		"nl": "het een van niet zijn voor met naar ook werd heeft geen bij wordt aan",
		"pl": "nie jest się na do że przez oraz był została pacjent w z",
		"tr": "ve bir bu için ile olarak olan hasta değil daha çok",
		"sv": "och att det som på är av för med inte har till en",
		"da": "og det på er af til med ikke har blev patienten en",
		"cs": "je na se že byl pro pacient nebo při bez není",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] += language + " "
		}
	}
	return m
}()

// A text is judged foreign only with this much evidence; a short one passes and is read in both languages.
const (
	foreignWords   = 8
	foreignLetters = 40
	foreignSample  = 20000
)

// foreign says whether a text is clearly in a language that no detector reads: another script, or the function words
// of another language and hardly any German or English ones.
func foreign(text string) bool {
	if len(text) > foreignSample {
		text = text[:foreignSample]
	}
	letters, latin, runs, before := 0, 0, 0, false
	for _, r := range text {
		letter := unicode.IsLetter(r)
		if letter && !before {
			runs++
		}
		before = letter
		if letter && r != unicode.ReplacementChar {
			letters++
			if r < unicode.MaxASCII || unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	if letters >= foreignLetters && latin*2 < letters {
		return true
	}
	if runs < foreignWords || pipeline.DetectLanguage(text) != "" {
		return false
	}
	words, hits := 0, map[string]int{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		words++
		for language := range strings.FieldsSeq(strange[w]) {
			hits[language]++
		}
	}
	for _, n := range hits {
		if n >= foreignWords && n*8 >= words {
			return true
		}
	}
	return false
}
