package date

import (
	"maps"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi/fold"
)

var germanUnits = [...]string{
	"null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
	"dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
}

var germanTens = [...]string{"", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"}

// germanSmall holds the number words from 0 to 99 in their spellings.
var germanSmall = func() map[string]int {
	m := map[string]int{"eins": 1, "zwo": 2, "dreissig": 30}
	for i, u := range germanUnits {
		m[u], m[ascii(u)] = i, i
	}
	for t := 2; t < 10; t++ {
		tens := []string{germanTens[t], ascii(germanTens[t])}
		for _, ten := range tens {
			m[ten] = t * 10
			for u := 1; u < 10; u++ {
				m[germanUnits[u]+"und"+ten] = t*10 + u
				m[ascii(germanUnits[u])+"und"+ten] = t*10 + u
			}
		}
	}
	return m
}()

// starts tells by its first two bytes that a word is no number.
type starts [1 << 10]bool

// slot is the same for both cases of a letter.
func (*starts) slot(s string) int { return int(s[0]&31)<<5 | int(s[1]&31) }

func (t *starts) may(s string) bool { return t[t.slot(s)] }

func startsOf(words ...string) *starts {
	t := new(starts)
	for _, w := range words {
		if len(w) > 1 {
			t[t.slot(w)] = true
		}
	}
	return t
}

var (
	germanStarts  = startsOf(slices.AppendSeq([]string{"hundert", "tausend"}, maps.Keys(germanSmall))...)
	englishStarts = startsOf(slices.Concat(englishUnits[:], englishTens[:])...)
)

// AddNumbers enters the number words below 116 in a filter, and what begins with any German one and is longer than it:
// siebzigjähriger.
func AddNumbers(f *fold.Filter) { f.AddAll(numberWords) }

var numberWords = func() *fold.Filter {
	f := fold.FilterOf(maps.Keys(germanSmall))
	for w := range germanSmall {
		f.AddStem(w, 8)
	}
	for _, w := range [...]string{"hundert", "tausend"} {
		f.AddStem(w, 7)
	}
	for _, w := range englishUnits {
		f.Add(w)
	}
	for _, w := range englishTens {
		if w != "" {
			f.AddStem(w, len(w)) // twentyone
		}
	}
	return f
}()

// germanBelow100 reads the number word s, in lower case.
func germanBelow100(s string) (int, bool) {
	n, ok := germanSmall[s]
	return n, ok
}

// GermanNumber reads a German number word from 0 to 2999, such as siebzig or neunzehnhundertdreiundsiebzig.
func GermanNumber(s string) (int, bool) {
	var buf [48]byte
	if len(s) < 3 || len(s) > len(buf) || !germanStarts.may(s) {
		return 0, false
	}
	s = string(lower(buf[:0], s))
	if n, ok := germanBelow100(s); ok {
		return n, true
	}
	if head, tail, ok := strings.Cut(s, "tausend"); ok {
		thousands := 1
		if head != "" {
			thousands, ok = germanBelow100(head)
			if !ok || thousands < 1 || thousands > 2 {
				return 0, false
			}
		}
		tail = strings.TrimPrefix(tail, "und")
		if tail == "" {
			return thousands * 1000, true
		}
		n, ok := germanBelow1000(tail)
		return thousands*1000 + n, ok
	}
	return germanBelow1000(s)
}

func germanBelow1000(s string) (int, bool) {
	head, tail, ok := strings.Cut(s, "hundert")
	if !ok {
		return germanBelow100(s)
	}
	hundreds := 1
	if head != "" {
		if hundreds, ok = germanBelow100(head); !ok || hundreds < 1 || hundreds > 20 {
			return 0, false
		}
	}
	tail = strings.TrimPrefix(tail, "und")
	if tail == "" {
		return hundreds * 100, true
	}
	n, ok := germanBelow100(tail)
	return hundreds*100 + n, ok
}

// germanOrdinal reads an ordinal such as dritten or einundzwanzigster from 1 to 31 and gives its ending.
func germanOrdinal(s string) (n int, ending string, ok bool) {
	var buf [32]byte
	if len(s) < 5 || len(s) > len(buf) {
		return 0, "", false
	}
	switch s[0] | 0x20 { // eins, zwei, drei …
	case 'e', 'z', 'd', 'v', 'f', 's', 'a', 'n':
	default:
		return 0, "", false
	}
	if s[len(s)-2]|0x20 != 't' && s[len(s)-3]|0x20 != 't' { // …te, …ter
		return 0, "", false
	}
	s = string(lower(buf[:0], s)) // short enough for the stack
	for _, e := range [...]string{"er", "en", "em", "es", "e"} {
		stem, found := strings.CutSuffix(s, e)
		if !found {
			continue
		}
		switch stem {
		case "erst":
			return 1, e, true
		case "dritt":
			return 3, e, true
		case "siebt", "siebent":
			return 7, e, true
		case "acht":
			return 8, e, true
		}
		stem, found = strings.CutSuffix(stem, "t")
		if !found {
			return 0, "", false
		}
		if short, st := strings.CutSuffix(stem, "s"); st {
			if n, ok := germanBelow100(short); ok && n >= 20 && n <= 31 {
				return n, e, true
			}
		}
		n, ok := germanBelow100(stem)
		return n, e, ok && n >= 2 && n < 20
	}
	return 0, "", false
}

func germanWord(n int) string {
	switch {
	case n == 1:
		return "eins"
	case n < 20:
		return germanUnits[n]
	case n < 100:
		if n%10 == 0 {
			return germanTens[n/10]
		}
		return germanUnits[n%10] + "und" + germanTens[n/10]
	case n < 2000 && n >= 1100 || n < 1000:
		w := germanUnits[n/100] + "hundert"
		if n%100 != 0 {
			w += germanWord(n % 100)
		}
		return w
	default:
		w := germanUnits[n/1000] + "tausend"
		if n%1000 != 0 {
			w += germanWord(n % 1000)
		}
		return w
	}
}

func germanOrdinalWord(n int, ending string) string {
	switch n {
	case 1:
		return "erst" + ending
	case 3:
		return "dritt" + ending
	case 7:
		return "siebt" + ending
	case 8:
		return "acht" + ending
	}
	if n < 20 {
		return germanUnits[n] + "t" + ending
	}
	return germanWord(n) + "st" + ending
}

var englishUnits = [...]string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
	"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var englishTens = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

var englishOrdinals = [...]string{
	"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
	"twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
	"twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
	"twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
}

// EnglishNumber reads an English number word from 0 to 99, such as seventy or sixty-one.
func EnglishNumber(s string) (int, bool) {
	var buf [16]byte
	if len(s) < 3 || len(s) > len(buf) || !englishStarts.may(s) {
		return 0, false
	}
	s = string(lower(buf[:0], s)) // short enough for the stack
	for i, u := range englishUnits {
		if s == u {
			return i, true
		}
	}
	for t := 2; t < 10; t++ {
		rest, ok := strings.CutPrefix(s, englishTens[t])
		if !ok {
			continue
		}
		if rest == "" {
			return t * 10, true
		}
		rest = strings.TrimLeft(rest, "- ")
		for u := 1; u < 10; u++ {
			if rest == englishUnits[u] {
				return t*10 + u, true
			}
		}
	}
	return 0, false
}

var englishOrdinalFilter = fold.FilterOf(maps.Keys(englishOrdinalNumbers))

var englishOrdinalNumbers = func() map[string]int {
	m := make(map[string]int)
	for i, w := range englishOrdinals {
		if w != "" {
			m[w], m[strings.ReplaceAll(w, "-", " ")] = i, i
		}
	}
	return m
}()

func englishOrdinal(s string) (int, bool) {
	var buf [16]byte
	if len(s) < 5 || len(s) > len(buf) || !englishOrdinalFilter.May(s) {
		return 0, false
	}
	n, ok := englishOrdinalNumbers[string(lower(buf[:0], s))]
	return n, ok
}

// englishYearWords writes a year as it is spoken: nineteen seventy-four, two thousand five, twenty twenty-one.
func englishYearWords(y int) string {
	century, rest := y/100, y%100
	switch {
	case y >= 2000 && y < 2010:
		if rest == 0 {
			return "two thousand"
		}
		return "two thousand " + englishWord(rest)
	case rest < 10:
		return englishWord(century) + " hundred" + map[bool]string{true: " " + englishWord(rest)}[rest > 0]
	}
	return englishWord(century) + " " + englishWord(rest)
}

func englishWord(n int) string {
	switch {
	case n < 20:
		return englishUnits[n]
	case n%10 == 0:
		return englishTens[n/10]
	}
	return englishTens[n/10] + "-" + englishUnits[n%10]
}

func suffixOf(day int) string {
	if day%100 >= 11 && day%100 <= 13 {
		return "th"
	}
	switch day % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

var romanMonths = [...]string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}

func romanNumber(s string) (int, bool) {
	for i := 1; i < len(romanMonths); i++ {
		if s == romanMonths[i] {
			return i, true
		}
	}
	return 0, false
}

// ascii writes umlauts and sharp s in two letters.
func ascii(s string) string { return asciiReplacer.Replace(s) }

var asciiReplacer = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")
