package rules

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
	"fhirdeid/pipeline/phi/fold"
)

// Ages finds the ages of persons. A span covers the number alone, in digits or words; the unit stays outside.
var Ages pipeline.Detector = ages{}

type ages struct{}

// Name is the detector's path.
func (ages) Name() string { return "rules.age" }

// Detect finds the ages of the document. It never fails.
func (a ages) Detect(_ context.Context, doc *pipeline.Document) ([]phi.Span, error) {
	s := ageScan{text: doc.Text, lang: doc.Language, kin: -1 << 20, last: -1 << 20, name: a.Name()}
	s.run()
	return s.spans, nil
}

// ageScan reads a text once from left to right and remembers where a person was last spoken of.
type ageScan struct {
	text  string
	lang  phi.Language
	name  string
	kin   int // end of the last word for a relative or a person
	last  int // end of the last age
	spans []phi.Span
}

type ageWords struct {
	words map[string]struct{}
	may   fold.Filter
}

func newAgeWords(list string) *ageWords {
	m := &ageWords{words: map[string]struct{}{}}
	for w := range strings.FieldsSeq(list) {
		m.words[w] = struct{}{}
		m.may.Add(w)
	}
	return m
}

func (m *ageWords) has(s string) bool {
	var buf [24]byte
	if len(s) > len(buf) || len(s) != 1 && !m.may.May(s) {
		return false
	}
	b := buf[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' || c >= 0x80 && c <= 0x9e && i > 0 && s[i-1] == 0xc3 && c != 0x97 {
			c |= 0x20
		}
		b = append(b, c)
	}
	_, ok := m.words[string(b)]
	return ok
}

var (
	agePersons = newAgeWords("patient patientin pat herr verheiratet geschwisterkind geschwister zwillinge herrn frau fr hr mutter vater bruder brüder schwester schwestern sohn söhne tochter töchter kind kinder kindern ehemann ehefrau mann gatte gattin partner partnerin lebensgefährte lebensgefährtin enkel enkelin enkelkinder enkerl oma opa großmutter grossmutter großvater grossvater tante onkel cousin cousine neffe nichte halbschwester halbschwestern halbbruder stiefvater stiefmutter zwilling nachbar nachbarin bettnachbar kollege kollegin klient klientin kindesvater kindesmutter geschwister eltern schwiegertochter schwiegersohn spender spenderin junge mädchen bub familie fa menarche menopause person " +
		"mr mrs ms miss married grandkids sister pt pts mother father brother brothers sister sisters son sons daughter daughters dtr wife husband partner uncle aunt cousin nephew niece grandson grandsons granddaughter granddtr grandfather grandmother grandpa grandma gma kids kid children child sibling siblings mom mum dad baby boy girl stepson stepdaughter twin parents caller client subject veteran maternal paternal fhx fh neighbor neighbour husb boys girls brother's half-sister")
	ageDurationBefore = newAgeWords("seit vor für nach über alle während innerhalb binnen in letzten vergangenen nächsten je pro bereits etwa ca rund for since over past last next within every during than x after before another first q")
	ageDurationAfter  = newAgeWords("lang später zuvor vorher nach her history h/o hx ago later experience smoking course duration follow followup survival post status raucher nikotin pack-years packyears py")
	ageEventCue       = newAgeWords("died expired death cancer mi stroke smoking smoked quit clot deceased starb gestorben verstorben walked sat babbled crawled menopause menarche diagnosed dx'd onset married born school raised heart dialysis bypass surgery arrested finished worked hitched aortic infarkt karzinom krebs mamma-ca ca pca crc colectomy hives panproctocolectomy retired tot erkrankt hysterektomie adenotomie tonsillektomie crohn coronary polyp detachment prostate breast colon uterine leukemia lymphoma melanoma suicide estranged infarction came moved emigrated ankunft kam einschulung kindergarten laufen gelaufen")
	agePronouns       = newAgeWords("er sie pat patient patientin he she you i pt kunde klient")
)

func (s *ageScan) run() {
	t := s.text
	for p := 0; p < len(t); {
		c := t[p]
		switch {
		case c >= '0' && c <= '9':
			q := p
			for q < len(t) && t[q] >= '0' && t[q] <= '9' {
				q++
			}
			if q-p <= 3 {
				s.number(p, q)
			}
			p = q
		case c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z':
			q := ageWordEnd(t, p)
			if q == p {
				_, n := utf8.DecodeRuneInString(t[p:])
				p += n
				continue
			}
			if ageTriggers.May(t[p:q]) {
				s.word(p, q)
			}
			p = q
		default:
			p++
		}
	}
}

func ageWordEnd(t string, p int) int { return fold.LettersEnd(t, p) }

// wordBefore gives the word that ends at or before p, with at most gap other bytes between and none of them a line end.
func ageWordBefore(t string, p, gap int) (word string, start int) {
	q := p
	for q > 0 && p-q < gap && smallLetters[t[q-1]] == 0 && !ageLetter(t, q) && t[q-1] != '\n' && (t[q-1] < '0' || t[q-1] > '9') {
		q--
	}
	for q > 0 && q < len(t) && !utf8.RuneStart(t[q]) {
		q--
	}
	end := q
	for q > 0 && end-q < 24 {
		if smallLetters[t[q-1]] != 0 {
			q--
			continue
		}
		if !ageLetter(t, q) && (t[q-1] != '/' && t[q-1] != '-' || end == q) {
			break
		}
		q--
		for q > 0 && !utf8.RuneStart(t[q]) {
			q--
		}
	}
	word = t[q:end]
	if word != "" && (smallLetters[word[0]] == 0 || smallLetters[word[len(word)-1]] == 0) {
		word = strings.Trim(word, "-/")
	}
	return word, q
}

// ageLetter says whether a letter ends at p.
func ageLetter(t string, p int) bool {
	if p <= 0 || p > len(t) {
		return false
	}
	c := t[p-1]
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	r, _ := utf8.DecodeLastRuneInString(t[:p])
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// byteAt gives the byte at p, 0 behind the end.
func byteAt(t string, p int) byte {
	if p >= len(t) {
		return 0
	}
	return t[p]
}

func ageBlank(t string, p int) int {
	lines := 0
	for q := p; q < len(t) && q-p < 6; q++ {
		switch t[q] {
		case ' ', '\t', '\r':
		case '\n':
			if lines++; lines > 1 {
				return p
			}
		default:
			return q
		}
	}
	return p
}

func (s *ageScan) found(p, q int, score float64) {
	if s.spans == nil {
		s.spans = make([]phi.Span, 0, 4)
	}
	s.spans = append(s.spans, phi.Span{Start: p, End: q, Type: phi.Age, Score: score, Source: s.name})
	s.last = q
}

// decadeWords are the decades of a life, as in "his thirties".
const decadeWords = "thirties forties fifties sixties seventies eighties nineties twenties teens"

// ageTriggers tells cheaply that ageScan.word has nothing to say of a word.
var ageTriggers = func() *fold.Filter {
	f := newAgeWords(decadeWords).may
	f.AddAll(&agePersons.may)
	date.AddNumbers(&f)
	return &f
}()

// word looks at a word: it may name a person, or be an age itself (siebzigjähriger, sixty-one).
func (s *ageScan) word(p, q int) {
	t := s.text
	if p < s.last || ageLetter(t, p) || p > 0 && t[p-1] >= '0' && t[p-1] <= '9' {
		return
	}
	w := t[p:q]
	if agePersons.has(w) {
		s.kin = q
		return
	}
	if len(w) < 3 || len(w) > 48 {
		return
	}
	if stem, unit, ok := germanAged(w); ok && s.lang != phi.English {
		if _, ok := date.GermanNumber(stem); ok {
			s.found(p, p+len(w)-len(unit), 0.95)
		}
		return
	}
	if n, ok := s.numberWord(w); ok && n > 0 && n <= 115 {
		s.spelled(p, q, n)
		return
	}
	switch w {
	case "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties", "twenties", "teens":
		if before, _ := ageWordBefore(t, p, 2); before == "his" || before == "her" || before == "their" || before == "my" || before == "early" || before == "late" || before == "mid" {
			s.found(p, q, 0.8)
		}
	}
}

func (s *ageScan) numberWord(w string) (int, bool) {
	c := w[0] | 0x20
	if s.lang != phi.English && strings.IndexByte("evzdfsan\xc3", c) >= 0 || c == 0xe3 {
		if n, ok := date.GermanNumber(w); ok && n <= 115 {
			return n, true
		}
	}
	if s.lang != phi.German && strings.IndexByte("otfsen", c) >= 0 {
		if n, ok := date.EnglishNumber(w); ok {
			return n, true
		}
	}
	return 0, false
}

// germanAged splits fünfundvierzigjähriger into the number and the rest.
func germanAged(w string) (stem, unit string, ok bool) {
	if len(w) < 8 || !strings.Contains(w, "hrig") {
		return "", "", false
	}
	for _, mark := range [...]string{"jährig", "jaehrig", "jahrig", "Jährig"} {
		if i := strings.Index(w, mark); i >= 3 {
			return w[:i], w[i:], true
		}
	}
	return "", "", false
}

// spelled decides about an age in words.
func (s *ageScan) spelled(p, q, n int) {
	t := s.text
	// sixty-one, ninety-one
	end := q
	if n >= 20 && n%10 == 0 && q < len(t) && byteAt(t, q) == '-' {
		if r := ageWordEnd(t, q+1); r > q+1 {
			if m, ok := date.EnglishNumber(t[q+1 : r]); ok && m < 10 {
				end = r
			}
		}
	}
	u := s.unitAfter(end)
	before, at := ageWordBefore(t, p, 2)
	var lowBuf [32]byte
	low := string(appendAgeLower(lowBuf[:0], before)) // short enough for the stack
	switch u {
	case ageOld:
		s.found(p, end, 0.9)
	case ageYears, ageMonths:
		if low == "mit" || low == "von" && strings.EqualFold(t[max(0, at-len("alter ")):at], "alter ") || low == "alter" || low == "aged" || low == "age" ||
			n >= 18 && !ageDurationBefore.has(before) && (u == ageYears) && !s.durationAfter(end) {
			s.found(p, end, 0.75)
		}
	default:
		second, _ := ageWordBefore(t, at, 2)
		if (low == "is" || low == "was" || low == "ist" || low == "war") && agePronouns.has(second) && n >= 3 && s.closes(end) {
			s.found(p, end, 0.7)
		} else if low == "aged" || low == "age" || (low == "of" && strings.EqualFold(second, "child")) || low == "at" && n >= 4 && p-s.kin < 60 && s.closes(end) {
			s.found(p, end, 0.6)
		}
	}
}

type ageUnit uint8

const (
	ageNone   ageUnit = iota
	ageOld            // years old, -jährig: certain
	ageYears          // years, J.: may be a duration
	ageMonths         // months, weeks, days: may be a duration
	ageSex            // 44M
)

// unitAfter reads the unit behind a number that ends at p.
func (s *ageScan) unitAfter(p int) ageUnit {
	t := s.text
	q := p
	for q < len(t) && (byteAt(t, q) == '-' || byteAt(t, q) == 0xe2) && q-p < 3 { // 67-jährige, 67‑jährige, 67–jährige
		_, n := utf8.DecodeRuneInString(t[q:])
		q += n
	}
	hyphen := q > p
	r := q
	if s := ageBlank(t, q); s > q {
		r = s
	}
	w := t[r:ageWordEnd(t, r)]
	var lowBuf [32]byte
	low := string(appendAgeLower(lowBuf[:0], w)) // short enough for the stack
	after := r + len(w)
	for _, stem := range [...]string{"jährig", "jaehrig", "jahrig", "jörig"} {
		if strings.HasPrefix(low, stem) {
			return ageOld
		}
	}
	if strings.HasPrefix(low, "monatig") || strings.HasPrefix(low, "wöchig") || strings.HasPrefix(low, "tägig") {
		if hyphen && (strings.HasSuffix(low, "e") || strings.HasSuffix(low, "er") || strings.HasSuffix(low, "es") || strings.HasSuffix(low, "en")) && s.personFollows(after) {
			return ageOld
		}
		return ageNone
	}
	switch low {
	case "year", "years", "yr", "yrs", "month", "months", "mo", "mos", "week", "weeks", "wk", "wks", "day", "days", "yo", "y", "j", "jahre", "jahren", "jahr", "jr", "monate", "monaten", "monat", "wochen", "woche", "tage", "tagen", "wo", "mon", "mth", "mths", "a", "ans", "lj", "lebensjahr", "lebensjahres", "lebensmonat", "lebenswoche", "lebenstag", "geburtstag", "geb":
	default:
		if q == p && r-q <= 1 && len(w) == 1 && (w == "M" || w == "F" || w == "m" || w == "f" || w == "W" || w == "w") {
			return ageSex
		}
		return ageNone
	}
	u := ageYears
	switch low {
	case "month", "months", "mo", "mos", "week", "weeks", "wk", "wks", "day", "days", "monate", "monaten", "monat", "wochen", "woche", "tage", "tagen", "wo", "mon", "mth", "mths":
		u = ageMonths
	case "yo":
		return ageOld
	case "lj", "lebensjahr", "lebensjahres", "lebensmonat", "lebenswoche", "lebenstag":
		return ageOld
	case "geburtstag":
		return ageOld
	case "geb":
		if strings.HasPrefix(t[after:], ".tag") || strings.HasPrefix(t[after:], ".-tag") {
			return ageOld
		}
		return ageNone
	case "y":
		if strings.HasPrefix(t[after:], "/o") || strings.HasPrefix(t[after:], ".o") || strings.HasPrefix(t[after:], "/O") || strings.HasPrefix(t[after:], ".O") {
			return ageOld
		}
	}
	// the word for old may follow: years old, -year-old, Jahre alt, years of age
	x := after
	if x < len(t) && (t[x] == '-' || t[x] == '.') {
		x++
	}
	x = max(x, ageBlank(t, x))
	var nextBuf [32]byte
	w2 := string(appendAgeLower(nextBuf[:0], t[x:ageWordEnd(t, x)])) // short enough for the stack
	switch w2 {
	case "old", "alt", "alte", "alter", "altes", "alten", "altem", "olds":
		return ageOld
	case "of":
		if y := ageBlank(t, x+2); strings.HasPrefix(t[y:], "age") {
			return ageOld
		}
	}
	if hyphen && u == ageYears && (low == "year" || low == "yr") {
		return ageNone // 10-year history
	}
	return u
}

// personFollows says whether a word for a person follows within two words.
func (s *ageScan) personFollows(p int) bool {
	t := s.text
	for range 2 {
		q := ageBlank(t, p)
		r := ageWordEnd(t, q)
		if q == p || r == q {
			return false
		}
		if agePersons.has(t[q:r]) || strings.HasPrefix(t[q:r], "Säugling") || strings.HasPrefix(t[q:r], "Knabe") {
			return true
		}
		p = r
	}
	return false
}

func (s *ageScan) durationAfter(p int) bool {
	t := s.text
	for range 3 {
		for p < len(t) && (t[p] == ' ' || t[p] == '-' || t[p] == '.' && !(p+2 < len(t) && t[p+1] == ' ' && t[p+2] >= 'A' && t[p+2] <= 'Z')) {
			p++
		}
		q := ageWordEnd(t, p)
		if q == p {
			return false
		}
		if ageDurationAfter.has(t[p:q]) {
			return true
		}
		p = q
	}
	return false
}

// closes says whether the phrase ends behind p: a comma, a full stop, a bracket, a line end.
func (s *ageScan) closes(p int) bool {
	t := s.text
	if p >= len(t) {
		return true
	}
	switch t[p] {
	case ',', ';', ')', '\n', '\r', '!', '?', ':', '"':
		return true
	case '.':
		return (p+1 >= len(t) || (t[p+1] < '0' || t[p+1] > '9') && t[p+1] != ',') && !monthFollows(t, p)
	}
	return false
}

// monthFollows says whether the number before p is the day of a date: 8. Februar, 13 Apr.
func monthFollows(t string, p int) bool {
	if p < len(t) && t[p] == '.' {
		p++
	}
	q := ageBlank(t, p)
	w := t[q:ageWordEnd(t, q)]
	if len(w) < 3 {
		return false
	}
	if len(w) > 3 && w[1] == 0xc3 {
		return strings.HasPrefix(w, "Mär") || strings.HasPrefix(w, "Jän")
	}
	var lowBuf [4]byte
	switch string(appendAgeLower(lowBuf[:0], w[:3])) {
	case "jan", "feb", "mar", "apr", "mai", "may", "jun", "jul", "aug", "sep", "okt", "oct", "nov", "dez", "dec":
		return true
	}
	return strings.HasPrefix(w, "Mär") || strings.HasPrefix(w, "Jän")
}

// number decides about a number of at most three digits.
func (s *ageScan) number(p, q int) {
	t := s.text
	n := 0
	for i := p; i < q; i++ {
		n = n*10 + int(t[i]-'0')
	}
	if n > 115 || q-p > 1 && t[p] == '0' || n == 0 {
		return
	}
	if p > 0 {
		switch c := t[p-1]; {
		case c == '.' || c == ',' || c == ':' || c == '-' || c == '+':
			if p > 1 && t[p-2] >= '0' && t[p-2] <= '9' || c == '+' {
				return
			}
		case c == '/':
			if p < 2 || t[p-2] != ' ' && t[p-2] != 'M' && t[p-2] != 'F' && t[p-2] != 'm' && t[p-2] != 'w' {
				return
			}
		case c == '#' || c == '_' || c == '<' || c == '>' || c == '=' && t[max(0, p-2)] != ' ' || c == '$' || c == '~':
			return
		}
		if ageLetter(t, p) {
			return
		}
	}
	if q < len(t) {
		switch c := t[q]; c {
		case '%', '+', '_', '=':
			return
		case '.', ',', ':', '/', '-':
			if q+1 < len(t) && t[q+1] >= '0' && t[q+1] <= '9' && (c != ',' || p-s.last > 6) {
				return
			}
		}
	}
	u := s.unitAfter(q)
	if q < len(t) {
		switch c := t[q]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z' && u == ageNone:
			if !strings.HasPrefix(t[q:], "st from") && !(strings.HasPrefix(t[q:], "st") || strings.HasPrefix(t[q:], "nd") || strings.HasPrefix(t[q:], "rd") || strings.HasPrefix(t[q:], "th")) {
				return
			}
			if b := ageBlank(t, q+2); strings.HasPrefix(t[b:], "birthday") {
				s.found(p, q, 0.85)
			}
			return
		}
	}
	// 77. Lebensjahr, 90. Geburtstag
	if u == ageNone && q < len(t) && byteAt(t, q) == '.' {
		r := ageBlank(t, q+1)
		var lowBuf [32]byte
		if low := string(appendAgeLower(lowBuf[:0], t[r:ageWordEnd(t, r)])); low == "lj" || low == "lebensjahr" || low == "lebensjahres" || low == "lebensmonat" || low == "lebenswoche" || low == "lebenstag" || low == "geburtstag" ||
			low == "geb" && strings.HasPrefix(t[r+3:], ".") && strings.HasPrefix(strings.TrimLeft(t[r+4:min(len(t), r+8)], " –-"), "tag") || low == "geb" && strings.HasPrefix(t[r+3:], ". ") {
			s.found(p, q, 0.9)
			return
		}
	}
	before, at := ageWordBefore(t, p, 2)
	var lowBuf [32]byte
	low := string(appendAgeLower(lowBuf[:0], before)) // short enough for the stack
	if s.bound(q, low, u) {
		s.spans = append(s.spans, phi.Span{Start: p, End: q, Type: phi.Protected, Score: refutedScore, Source: s.name})
		return
	}
	if score := s.judge(p, q, n, u, low, before, at); score > 0 {
		s.found(p, q, score)
	}
}

// agesAbove, agesBelow: words that make a number the bound of a group, behind it ("75 and over") and before it ("ab 60 J.").
var (
	agesAbove = newAgeWords("over older above up under younger below älter jünger")
	agesBelow = newAgeWords("ab über ueber unter")
)

// bound says whether the number that ends at q is the bound of an age group, which is nobody's age.
func (s *ageScan) bound(q int, low string, u ageUnit) bool {
	if agesBelow.has(low) {
		return u == ageYears && s.lang != phi.English
	}
	t := s.text
	next := func(p int) (string, int) {
		if p < len(t) && t[p] == '.' {
			p++
		}
		p = ageBlank(t, p)
		end := ageWordEnd(t, p)
		return t[p:end], end
	}
	w, end := next(q)
	for range 5 { // years of age, J., Jahre
		switch w {
		case "and", "und", "or", "oder":
			w, end = next(end)
			than, _ := next(end)
			return agesAbove.has(w) && than != "than" && than != "als"
		case "years", "yrs", "of", "age", "old", "J", "Jahre", "Jahren":
			w, end = next(end)
		default:
			return false
		}
	}
	return false
}

func (s *ageScan) judge(p, q, n int, u ageUnit, low, before string, at int) float64 {
	t := s.text
	if s.labelled(p) && (q >= len(t) || byteAt(t, q) != '.' || s.closes(q)) && !monthFollows(t, q) {
		return 0.9
	}
	near := p-s.kin < 90
	second, _ := ageWordBefore(t, at, 2)
	opened := p > 0 && (t[p-1] == '(' || strings.HasSuffix(t[:p], ", ") || strings.HasSuffix(t[:p], "[") || strings.HasSuffix(t[:p], "|"))
	switch u {
	case ageOld:
		if low == "ssw" || low == "of" && strings.EqualFold(second, "weeks") {
			return 0
		}
		return 0.95
	case ageSex:
		return s.judgeSex(p, q, before)
	case ageYears:
		if s.labelled(p) {
			return 0.9
		}
		if s.durationAfter(q) {
			return 0
		}
		if low == "mit" || low == "trotz" || strings.HasPrefix(low, "alter") || low == "von" && strings.EqualFold(second, "alter") || low == "aged" || low == "age" {
			return 0.9
		}
		if ageDurationBefore.has(before) && !(opened && strings.HasSuffix(t[:p], "(")) {
			return 0
		}
		if low == "und" || low == "and" {
			if p-s.last <= 10 {
				return 0.85
			}
			return 0
		}
		if n >= 121 {
			return 0
		}
		return s.judgeYears(p, q, n, low, opened, near)
	case ageMonths:
		if ageDurationBefore.has(before) || s.durationAfter(q) {
			return 0
		}
		if low == "mit" || low == "aged" || low == "age" || low == "von" && strings.EqualFold(second, "alter") {
			return 0.85
		}
		unit := max(ageBlank(t, q), q)
		unitEnd := ageWordEnd(t, unit)
		if low == "at" && s.eventCue(p) {
			return 0.7
		}
		if low == "and" && p-s.last <= 12 {
			return 0.7
		}
		if opened && near && n <= 36 && s.closes(unitEnd) {
			return 0.6
		}
		if (low == "now" || low == "alter") && n <= 36 {
			return 0.7
		}
		return 0
	}
	return s.judgeBare(p, q, n, low, before, second, opened, near)
}

// judgeYears decides about "28 Jahre", "81 J." and "77 yr": ages stand alone in brackets, behind commas and names.
func (s *ageScan) judgeYears(p, q, n int, low string, opened, near bool) float64 {
	t := s.text
	r := ageBlank(t, q)
	var lowBuf [32]byte
	unit := string(appendAgeLower(lowBuf[:0], t[r:ageWordEnd(t, r)])) // short enough for the stack
	end := r + len(unit)
	if unit == "a" && (n < 12 || s.lang == phi.English || r > q && !near && !opened && low != "alter") {
		return 0
	}
	if unit == "y" && r > q && n < 10 {
		if m := ageBlank(t, end); m+2 < len(t) && m > end && t[m] >= '0' && t[m] <= '9' && strings.Contains(t[m:min(len(t), m+4)], "m") {
			return 0.8
		}
		return 0
	}
	if unit == "j" && s.lang == phi.English {
		return 0
	}
	lineStart := p == 0 || t[p-1] == '\n' || strings.HasSuffix(strings.TrimRight(t[max(0, p-4):p], " \t"), "\n")
	colon := p > 1 && (t[p-2] == ':' || t[p-2] == '.' || t[p-1] == ':') || strings.HasSuffix(t[:p], "♂, ") || strings.HasSuffix(t[:p], "♀, ")
	wide := p > 1 && t[p-1] == ' ' && (t[p-2] == ' ' || t[p-2] == '\t' || t[p-2] == '|')
	sex := low == "m" || low == "w" || low == "f" || low == "d" || low == "männl" || low == "weibl" || low == "male" || low == "female"
	if sex || opened || wide || near && (lineStart || colon) {
		if n >= 10 || near || sex {
			return 0.85
		}
		return 0.6
	}
	if low == "ist" || low == "is" || low == "war" || low == "sei" || low == "erst" || low == "jetzt" || low == "heute" || low == "fast" || low == "knapp" || low == "now" || low == "pat" || low == "patient" {
		return 0.8
	}
	if (lineStart || colon) && n >= 15 {
		rest := ageBlank(t, end)
		if s.closes(end) || rest < len(t) && (t[rest] == ',' || t[rest] == '.') {
			return 0.75
		}
	}
	if unit == "j" && n >= 15 {
		return 0.6
	}
	return 0
}

// judgeSex decides about 44M and 27F.
func (s *ageScan) judgeSex(p, q int, before string) float64 {
	t := s.text
	end := ageBlank(t, q)
	end = max(end, q) + 1
	if end < len(t) && (t[end] >= '0' && t[end] <= '9' || t[end] == '.' || t[end] == '/') {
		return 0
	}
	glued := end == q+1
	if t[end-1] == 'F' && t[p] == '1' && !lineStartAt(t, p) {
		return 0 // sizes of catheters
	}
	switch strings.ToLower(before) {
	case "foley", "catheter", "ch", "size", "french", "gauge", "katheter", "tube", "drain", "temp", "t":
		return 0
	}
	lineStart := p == 0 || t[p-1] == '\n' || t[p-1] == '|' || t[p-1] == ' ' && p > 1 && (t[p-2] == ' ' || t[p-2] == ':' || t[p-2] == ',' || t[p-2] == '-')
	c := t[end-1]
	if c == 'm' || c == 'w' || c == 'f' {
		if !lineStart {
			return 0
		}
		return 0.5
	}
	if s.labelled(p) || glued && q-p == 2 {
		return 0.85
	}
	if lineStart && q-p == 2 && (end >= len(t) || t[end] == '|' || t[end] == ',' || t[end] == ' ' || t[end] == '\n') {
		return 0.7
	}
	return 0
}

func lineStartAt(t string, p int) bool {
	return p == 0 || t[p-1] == '\n' || t[p-1] == '|' || strings.HasSuffix(t[:p], ": ")
}

// labelled says whether a field name such as Age: or Alter stands before p on its line.
func (s *ageScan) labelled(p int) bool {
	t := s.text
	q := p
	for q > 0 && p-q < 16 && (t[q-1] == ' ' || t[q-1] == ':' || t[q-1] == '.' || t[q-1] == '|' || t[q-1] == '\t' || t[q-1] == '/' || t[q-1] == '=') {
		q--
	}
	if q == p {
		return false
	}
	// M / 49 behind Sex / age
	if q > 1 && (t[q-1] == 'M' || t[q-1] == 'F') && !ageLetter(t, q-1) {
		r := q - 1
		for r > 0 && q-r < 12 && (t[r-1] == ' ' || t[r-1] == ':' || t[r-1] == '|' || t[r-1] == '.' || t[r-1] == '/') {
			r--
		}
		w, _ := ageWordBefore(t, r, 1)
		return strings.EqualFold(w, "age") || strings.HasSuffix(strings.ToLower(w), "/age")
	}
	w, at := ageWordBefore(t, q, 1)
	var lowBuf [32]byte
	low := string(appendAgeLower(lowBuf[:0], w)) // short enough for the stack
	if low == "age" || low == "alter" || low == "ages" || strings.HasPrefix(low, "age/") || strings.HasSuffix(low, "/age") {
		return true
	}
	if low == "sex" || low == "geschlecht" || low == "gender" {
		prev, _ := ageWordBefore(t, at, 3)
		return strings.EqualFold(prev, "age") || strings.EqualFold(prev, "alter")
	}
	return false
}

// judgeBare decides about a number without a unit.
func (s *ageScan) judgeBare(p, q, n int, low, before, second string, opened, near bool) float64 {
	t := s.text
	closed := s.closes(q)
	if low == "von" && strings.EqualFold(second, "alter") && closed {
		return 0.85
	}
	if low == "aged" || low == "ages" || low == "age" && n >= 1 || low == "of" && strings.EqualFold(second, "age") {
		return 0.85
	}
	// lists: (33, 30, 24), 5 und 9, Tyler (9) and Brice
	if p-s.last <= 6 && p > s.last && n <= 110 {
		between := strings.TrimSpace(t[max(0, s.last):p])
		if (between == "," || between == "und" || between == "and" || between == "/" || between == "&" || between == ", and") && (closed || s.unitAfter(q) != ageNone || n <= 30 && listGoesOn(t, q)) {
			return 0.7
		}
		if (between == "und" || between == "and") && n <= 30 {
			return 0.6
		}
	}
	if p > 3 && strings.HasSuffix(strings.TrimRight(t[:p], " "), "†") {
		return 0.8
	}
	switch low {
	case "mit", "at", "by", "ab", "before", "until", "since", "from":
		if p-s.last <= 0 || n < 3 {
			return 0
		}
		if s.eventCue(p) && (closed || s.wordAfterAge(q)) && (near || n >= 15) || low == "at" && second == "again" && closed {
			return 0.65
		}
		if low == "mit" && n >= 15 && s.diesAfter(q) {
			return 0.65
		}
		if (low == "mit" || low == "at") && near && closed {
			return 0.55
		}
		return 0
	case "is", "ist", "sei", "turned", "turn", "turns", "being", "war", "was", "now", "heute", "wird", "old":
		if n < 3 || !closed && q < len(t) && !strings.HasPrefix(t[q:], " and ") {
			return 0
		}
		if agePronouns.has(second) || agePersons.has(second) || low == "now" && near || low == "turn" || low == "turned" {
			return 0.7
		}
		if near && p-s.kin < 40 && (byteAt(t, q) == ',' || byteAt(t, q) == '.') && (low == "is" || low == "ist") {
			return 0.55
		}
		return 0
	case "bin", "are", "am":
		if closed && n >= 5 && (strings.EqualFold(second, "ich") || strings.EqualFold(second, "i") || strings.EqualFold(second, "you")) {
			return 0.7
		}
		return 0
	case "f", "m", "w":
		_, at := ageWordBefore(t, p, 2)
		if (before == "F" || before == "M") && at > 1 && t[at-1] == ' ' && t[at-2] == ' ' && (q >= len(t) || byteAt(t, q) == '\n' || strings.HasPrefix(t[q:], "  ")) {
			return 0.7
		}
		return 0
	case "d":
		if near && closed {
			return 0.6
		}
		return 0
	}
	// Tochter Lea (21, …), Herr Sommer, 74, …
	if byteAt(t, q) == ')' && strings.LastIndexByte(t[max(0, p-60):p], '(') < strings.LastIndexByte(t[max(0, p-60):p], ')') {
		return 0 // 1) wife, 2) counselor
	}
	if byteAt(t, q) == '.' && n <= 12 && p-s.kin > 30 && ageBlank(t, q+1) > q+1 && ageBlank(t, q+1) < len(t) {
		return 0 // , 5. Semester
	}
	if opened && closed && n >= 1 {
		return s.judgeOpened(p, q, n, near)
	}
	if s.column(p, q) {
		return 0.55
	}
	return 0
}

// listGoesOn says whether "and" or "und" and a number follow.
func listGoesOn(t string, p int) bool {
	if !strings.HasPrefix(t[p:], " and ") && !strings.HasPrefix(t[p:], " und ") {
		return false
	}
	c := byteAt(t, p+5)
	return c >= '0' && c <= '9'
}

// column says whether the number fills a column behind one with a name: "Koch, Irmgard|62|", "Rahimi, S.    34    ".
func (s *ageScan) column(p, q int) bool {
	t := s.text
	if p < 3 || q+1 >= len(t) {
		return false
	}
	pipes := t[p-1] == '|' && byteAt(t, q) == '|'
	wide := t[p-1] == ' ' && t[p-2] == ' ' && byteAt(t, q) == ' ' && t[q+1] == ' '
	if !pipes && !wide {
		return false
	}
	r := p - 1
	for r > 0 && t[r-1] == ' ' {
		r--
	}
	if r > 0 && t[r-1] == '.' {
		r--
	}
	first, at := ageWordBefore(t, r, 1)
	if c, _ := utf8.DecodeRuneInString(first); !unicode.IsUpper(c) || at+len(first) != r {
		return false
	}
	surname, sat := ageWordBefore(t, at, 3)
	if c, _ := utf8.DecodeRuneInString(surname); !unicode.IsUpper(c) || len(surname) < 2 {
		return false
	}
	return sat+len(surname) < at && strings.HasPrefix(t[sat+len(surname):at], ", ")
}

// eventCue says whether a word before p speaks of an event that has an age: died, cancer, gestorben.
func (s *ageScan) eventCue(p int) bool {
	t := s.text
	q := p
	for range 7 {
		w, at := ageWordBefore(t, q, 3)
		if w == "" {
			return false
		}
		if ageEventCue.has(w) || strings.HasSuffix(w, "karzinom") || strings.HasSuffix(w, "infarkt") || strings.HasSuffix(w, "krebs") {
			return true
		}
		q = at
	}
	return false
}

// diesAfter says whether a death follows: mit 61 an Bronchialkarzinom, mit 49 verstorben.
func (s *ageScan) diesAfter(p int) bool {
	t := s.text
	q := ageBlank(t, p)
	r := ageWordEnd(t, q)
	switch t[q:r] {
	case "verstorben", "gestorben", "plötzlich", "tödlich":
		return true
	case "an":
		q = ageBlank(t, r)
		for range 3 {
			e := ageWordEnd(t, q)
			w := strings.ToLower(t[q:e])
			if strings.Contains(w, "karzinom") || strings.Contains(w, "krebs") || strings.Contains(w, "infarkt") || strings.HasSuffix(w, "ca") || w == "verstorben" || w == "gestorben" {
				return true
			}
			q = ageBlank(t, e)
		}
	}
	return false
}

// wordAfterAge says whether the word after p may follow an age: at 51 and, mit 58 an.
func (s *ageScan) wordAfterAge(p int) bool {
	t := s.text
	q := ageBlank(t, p)
	if q == p {
		return false
	}
	switch strings.ToLower(t[q:ageWordEnd(t, q)]) {
	case "and", "in", "an", "from", "of", "on", "verstorben", "gestorben", "und", "eine", "einen", "he", "she", "after", "where", "when", "bei", "im", "nach", "to", "with", "while":
		return true
	}
	return false
}

// judgeOpened decides about a number that a bracket or a comma sets apart behind a name.
func (s *ageScan) judgeOpened(p, q, n int, near bool) float64 {
	t := s.text
	r := p
	for r > 0 && (t[r-1] == ' ' || t[r-1] == '(' || t[r-1] == ',' || t[r-1] == '[') {
		r--
	}
	if r < 2 {
		return 0
	}
	if t[r-1] == '"' || t[r-1] == ')' || t[r-1] == '\'' {
		if near && byteAt(t, q) == ')' || near && byteAt(t, q) == ',' {
			return 0.55
		}
		return 0
	}
	w, at := ageWordBefore(t, r, 1)
	first, _ := utf8.DecodeRuneInString(w)
	if w == "" || !unicode.IsUpper(first) && !agePersons.has(w) || strings.ToUpper(w) == w && len(w) <= 4 && !agePersons.has(w) {
		return 0
	}
	bracket := t[p-1] == '('
	if (near && p-s.kin < 64 || p-s.last < 90) && n >= 1 {
		if bracket || byteAt(t, q) == ',' || byteAt(t, q) == ';' || byteAt(t, q) == '\n' || byteAt(t, q) == '.' || byteAt(t, q) == ')' {
			if n <= 105 {
				return 0.75
			}
		}
	}
	// Akua Boadi-Hess, 27, …
	if n >= 14 && n <= 105 && (byteAt(t, q) == ',' || byteAt(t, q) == ';') && strings.HasSuffix(t[:p], ", ") && strings.ToUpper(w) != w {
		prev, pa := ageWordBefore(t, at, 2)
		f, _ := utf8.DecodeRuneInString(prev)
		if pa+len(prev)+1 == at && unicode.IsUpper(f) && len(prev) > 2 && strings.ToUpper(prev) != prev {
			return 0.5
		}
	}
	// Gallus, Friederike (46)
	if bracket && n >= 14 && n <= 105 {
		if prev, pa := ageWordBefore(t, at, 2); prev != "" && strings.HasPrefix(t[pa+len(prev):], ", ") {
			if f, _ := utf8.DecodeRuneInString(prev); unicode.IsUpper(f) {
				return 0.55
			}
		}
	}
	return 0
}

// appendAgeLower appends a word in lower case, as far as ASCII and the Latin-1 letters go.
func appendAgeLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c-'A' < 26 || c >= 0x80 && c <= 0x9e && c != 0x97 && i > 0 && s[i-1] == 0xc3 {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
