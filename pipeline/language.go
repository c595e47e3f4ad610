package pipeline

import (
	"maps"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// DetectLanguage tells German from English by function words and letters. Sections are judged by themselves: a text with
// sections in both languages, or with too little to judge, gives the empty language, which is read in both.
func DetectLanguage(text string) phi.Language {
	var de, en float64
	var sawDE, sawEN bool
	rest := text[:sampleEnd(text)]
	for rest != "" {
		end := sectionEnd(rest)
		d, e := languageEvidence(rest[:end])
		rest = rest[end:]
		de, en = de+d, en+e
		sawDE = sawDE || d >= sectionEvidence && d > 3*e
		sawEN = sawEN || e >= sectionEvidence && e > 3*d
	}
	switch {
	case sawDE && sawEN:
		return ""
	case de >= textEvidence && de > 1.5*en:
		return phi.German
	case en >= textEvidence && en > 1.5*de:
		return phi.English
	}
	return ""
}

// Evidence is counted in function words. A section needs more than a quoted phrase to speak for itself.
const (
	textEvidence    = 1
	sectionEvidence = 8
	languageSample  = 64 << 10
)

// sampleEnd gives the end of what is read of a text: beyond a sample, language no longer changes the answer in practice.
func sampleEnd(text string) int {
	if len(text) > languageSample {
		return cutAt(text, languageSample)
	}
	return len(text)
}

// sectionEnd gives the end of the section that a text begins with: a blank line behind at least 400 bytes.
func sectionEnd(text string) int {
	if len(text) > 400 {
		if n := strings.Index(text[400:], "\n\n"); n >= 0 {
			return 400 + n + 2
		}
	}
	return len(text)
}

func languageEvidence(text string) (de, en float64) {
	var buf [48]byte
	for w, ok := nextWord(text, 0); ok; w, ok = nextWord(text, w.End) {
		if w.End-w.Start > 24 {
			continue
		}
		raw := text[w.Start:w.End]
		if !functionFilter.May(raw) && isASCII(raw) {
			continue
		}
		word := appendLower(buf[:0], raw)
		switch functionWords.FindBytes(word, lists.Hash(word)) {
		case phi.German:
			de++
		case phi.English:
			en++
		default:
			if hasUmlaut(word) {
				de += 0.5
			}
		}
	}
	return de, en
}

// functionWords gives the language of a function word; functionFilter tells cheaply that a word is none.
var functionWords, functionFilter = func() (*lists.Table[phi.Language], *fold.Filter) {
	m := map[string]phi.Language{}
	for w := range telling(englishWords) {
		m[w] = phi.English
	}
	for w := range telling(germanWords) { // what is listed in both is German
		m[w] = phi.German
	}
	return lists.NewTable(m), fold.FilterOf(maps.Keys(m))
}()

// hasUmlaut says whether a word in lower case holds an umlaut or a sharp s.
func hasUmlaut(word []byte) bool {
	for i, c := range word[1:] {
		if word[i] == 0xc3 && (c == 0xa4 || c == 0xb6 || c == 0xbc || c == 0x9f) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

const germanWords = `und der die das des dem den ein eine einer eines einem einen ist sind war wurde wurden wird werden mit nach
	bei von vom zur zum für über unter auch nicht kein keine keiner sich wir sie er es ich ihr ihre seine auf aus im am als
	oder aber sowie bis seit durch gegen ohne zwischen dass hat haben hatte kann konnte sehr noch nur jetzt heute gestern
	patient patientin aufnahme entlassung befund diagnose therapie anamnese beurteilung klinik station geb geboren herr frau
	sehr geehrte geehrter kollege kollegin kollegen grüßen straße uhr tag tage woche wochen monat monate jahr jahre jährige jähriger`

const englishWords = `the and of to is was were are be been with for on at by from that this these those which who has have had not
	no or but as an it his her he she they we you i my our your their will would should can could may there when after before
	during without between patient history admission discharge diagnosis exam denies reports noted seen follow up daily
	mg tablet dear sincerely regards year old years days weeks months today yesterday left right normal pain blood
	hospital clinic mr mrs ms`

// telling are the listed words that tell a language.
func telling(list string) map[string]bool {
	m := lists.Set(list)
	// What both languages use, or clinical shorthand shared by both, tells nothing.
	for w := range strings.FieldsSeq("am an in mg patient war die hat at by may") {
		delete(m, w)
	}
	return m
}
