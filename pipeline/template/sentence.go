// Package template knows sentences. Those that are known to hold no PHI need not be read by models; those that
// always hold it in the same places, such as "Electronically signed by: …", are harvested from a corpus as templates
// that then find it also where nothing else does.
package template

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// wrapped is the length from which a line that ends without a stop is taken to go on in the next one, in bytes.
const wrapped = 50

// Sentences walks over the sentences of a text as byte offsets, blanks around them left out. A line's end ends a
// sentence unless the line is long and breaks off; an abbreviation, an initial or an ordinal does not. Together the
// sentences hold every byte that is no blank.
func Sentences(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start := 0
		for start < len(text) {
			end := start + sentence(text[start:])
			from, to := trim(text, start, end)
			if from < to && !yield(from, to) {
				return
			}
			start = end
		}
	}
}

func trim(text string, start, end int) (int, int) {
	s := text[start:end]
	left := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	return start + left, start + left + len(strings.TrimSpace(s))
}

// sentence gives the length of the first sentence of a text with what stands behind it in the line.
func sentence(text string) int {
	line := 0 // where the line begins
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			if i == 0 || i == line || breaks(text[line:i], text[i+1:]) {
				return i + 1
			}
			line = i + 1
		case '.', '!', '?':
			if ends(text, i) {
				for i+1 < len(text) && strings.IndexByte(".!?\"')]", text[i+1]) >= 0 {
					i++
				}
				return i + 1
			}
		}
	}
	return len(text)
}

// breaks says whether a line's end is a sentence's.
func breaks(line, rest string) bool {
	line = strings.TrimRight(line, " \t\r")
	if len(line) < wrapped || strings.HasSuffix(line, ":") || strings.HasSuffix(line, "|") {
		return true
	}
	next, _, _ := strings.Cut(rest, "\n")
	next = strings.TrimLeft(next, " \t\r")
	if next == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(next)
	if strings.ContainsRune("-*•–·>|#", r) {
		return true
	}
	// 1. Aspirin; 2) rest; FINDINGS: …
	digits := strings.TrimLeft(next, "0123456789")
	if len(digits) < len(next) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ")")) {
		return true
	}
	head, _, colon := strings.Cut(next, ":")
	return colon && len(head) < 40 && unicode.IsUpper(r)
}

// ends says whether the stop at i ends a sentence.
func ends(text string, i int) bool {
	rest := text[i+1:]
	if rest == "" {
		return true
	}
	rest = strings.TrimLeft(rest, "\"')]")
	next := strings.TrimLeft(rest, " \t\r\n")
	if next == "" {
		return true
	}
	if len(next) == len(rest) {
		return false // 7.35, J.S., www.
	}
	r, size := utf8.DecodeRuneInString(next)
	if text[i] != '.' {
		return !unicode.IsLower(r)
	}
	if second, _ := utf8.DecodeRuneInString(next[size:]); unicode.IsLower(r) && !unicode.IsUpper(second) {
		return false // pH begins a sentence
	}
	word := text[:i]
	if at := strings.LastIndexFunc(word[max(0, i-40):], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }); at >= 0 {
		word = word[max(0, i-40)+at+1:]
	}
	if at := strings.LastIndexByte(word, '.'); at >= 0 {
		word = word[at+1:]
	}
	key := fold.Key(word)
	switch {
	case key == "":
		return true
	case utf8.RuneCountInString(key) == 1 && key[0] > '9':
		return false // an initial, z. B.
	case abbreviations[key]:
		return false
	case strings.Trim(key, "0123456789") == "" && len(key) <= 2:
		return !ordinal(next) && !opens(text, i-len(word))
	}
	return true
}

// opens says whether nothing but blanks stands before i in its line.
func opens(text string, i int) bool {
	for i--; i >= 0 && (text[i] == ' ' || text[i] == '\t'); i-- {
	}
	return i < 0 || text[i] == '\n'
}

// ordinal says whether what follows a number with a stop makes it an ordinal: "am 3. Mai", "2. Quartal".
func ordinal(next string) bool {
	word := next
	if at := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) }); at >= 0 {
		word = next[:at]
	}
	return ordinals[fold.Key(word)] || word == ""
}

var (
	abbreviations = lists.Set(`dr prof med hr fr mr mrs ms st nr tel str bzw ca evtl ggf inkl insb vgl sog u a z d h v i o b abs art bd geb gest verh led
usw etc approx vs resp no dept fig jr sr rev hon univ priv doz dipl ing mag mme max min mind tgl wo mon std sek pat amb stat rez re li bds
chir int neurol gyn kard rad path inf hosp ave blvd rd apt co corp inc ltd kg gen col sgt lt capt feb jan mar apr jun jul aug sep sept oct okt nov dec dez`)
	ordinals = lists.Set(`januar jaenner februar feber maerz april mai juni juli august september oktober november dezember jan feb mrz apr jun jul aug sep sept
okt nov dez quartal halbjahr stock etage obergeschoss tag woche monat jahr lebensjahr ssw postoperativer hirnnerv zehe finger rippe grad`)
)
