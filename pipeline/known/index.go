package known

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// part is one word of a person's name.
type part struct {
	entity int
	family bool
	word   string // folded as in the source
	common bool   // an everyday word too, or a term's eponym
	guess  bool   // a nickname or another form, not what the source writes
}

// number is an id, a phone number, an address of the net: compared without what stands between its signs.
type number struct {
	key    string // folded letters and digits, no leading zeros
	entity int
	kind   phi.Type
	source string
	short  bool // counts only behind a word such as MRN or Nr.
}

// phrase is a street, a place, an organisation.
type phrase struct {
	entity int
	kind   phi.Type
	source string
	words  []string // canonical
	common bool     // counts only with a context
	street bool     // the house number is part of it, if given
}

// day is a date of birth or death.
type day struct {
	entity           int
	year, month, day int
	kind             phi.Type
}

// index is an identity made ready for search. It is read only.
type index struct {
	entities  []Entity
	parts     map[string][]part // by squashed word
	byLetter  [26][]part        // family and given names that misspellings are looked for, by first letter
	initials  [][]byte          // of each entity: first letters of given and family names
	monograms []initialLetters  // of each entity
	particle  map[string]bool   // von, de …: as the names of this identity have them
	numbers   []number          // sorted by key
	heads     [256]bool         // first bytes of the keys
	letters   [256]bool         // first bytes of the parts
	openings  [256]bool         // first bytes of the phrases' first words
	phrases   map[string][]phrase
	zips      map[string]int // entity of each
	cities    map[string]bool
	days      []day
}

func newIndex(id Identity) *index {
	x := &index{
		entities: id.Entities,
		parts:    map[string][]part{},
		particle: map[string]bool{},
		phrases:  map[string][]phrase{},
		zips:     map[string]int{},
		cities:   map[string]bool{},
	}
	for i, e := range id.Entities {
		x.name(i, e)
		given, family := monograms(e)
		x.monograms = append(x.monograms, initialLetters{given, family})
		x.contacts(i, e)
		x.places(i, e)
		x.date(i, e.Birth, phi.DateBirthdate)
		x.date(i, e.Death, phi.DateDate)
	}
	slices.SortStableFunc(x.numbers, func(a, b number) int { return strings.Compare(a.key, b.key) })
	x.numbers = slices.CompactFunc(x.numbers, func(a, b number) bool { return a.key == b.key })
	for _, n := range x.numbers {
		x.heads[n.key[0]] = true
	}
	for key := range x.parts {
		x.letters[key[0]] = true
	}
	for key := range x.phrases {
		x.openings[key[0]] = true
	}
	return x
}

// wordsOf gives the runs of letters and of digits of a folded text.
func wordsOf(folded string) []string {
	var words []string
	for r := range runsOf(folded) {
		words = append(words, folded[r.start:r.end])
	}
	return words
}

// squash makes one of the spellings with and without the umlaut's e: Mueller, Muller.
func squash(word string) string { return string(appendSquash(nil, word)) }

// appendSquash appends the squashed word to dst.
func appendSquash(dst []byte, word string) []byte {
	for i := 0; i < len(word); i++ {
		c := word[i]
		dst = append(dst, c)
		if i+1 < len(word) && word[i+1] == 'e' && (c == 'a' || c == 'o' || c == 'u') {
			i++
		}
	}
	return dst
}

var particles = map[string]bool{
	"von": true, "van": true, "der": true, "den": true, "de": true, "del": true, "della": true, "di": true, "da": true, "dos": true, "du": true,
	"la": true, "le": true, "el": true, "al": true, "zu": true, "zum": true, "zur": true, "vom": true, "ten": true, "ter": true, "und": true,
	"bin": true, "ibn": true, "o": true, "d": true, "mc": true, "mac": true, "st": true, "y": true, "auf": true, "vd": true,
}

func (x *index) name(i int, e Entity) {
	var initials []byte
	if e.Role == Organization || e.Role == Place {
		for _, name := range append(slices.Clone(e.Given), e.Family...) {
			x.phrase(name, phrase{entity: i, kind: organizationType(name), source: "known.organization"})
		}
		x.initials = append(x.initials, nil)
		return
	}
	add := func(word string, family, guess bool) {
		if particles[word] {
			x.particle[word] = true
			return
		}
		if word[0] < utf8.RuneSelf && (word[0] < 'a' || word[0] > 'z') {
			return
		}
		if !guess && word[0] < utf8.RuneSelf {
			initials = append(initials, word[0])
		}
		if utf8.RuneCountInString(word) < 2 {
			return
		}
		w := lists.Lookup(word)
		p := part{i, family, word, w.Common("") > 0 || w.Medical() || w.Eponym() || w.Drug() || w.City() >= 2 || w.Country() || w.State() || len(word) < 3, guess}
		key := squash(word)
		if !slices.ContainsFunc(x.parts[key], func(o part) bool { return o.entity == i && o.family == family }) {
			x.parts[key] = append(x.parts[key], p)
		}
		if !guess && len(word) >= 4 {
			if c := word[0] - 'a'; c < 26 {
				x.byLetter[c] = append(x.byLetter[c], p)
			}
		}
	}
	for _, given := range e.Given {
		for _, word := range wordsOf(fold.Key(given)) {
			add(word, false, false)
		}
	}
	for _, family := range e.Family {
		for _, word := range wordsOf(fold.Key(family)) {
			add(word, true, false)
		}
	}
	for _, given := range e.Given {
		words := wordsOf(fold.Key(given))
		for _, word := range append(words, strings.Join(words, "")) {
			for _, nick := range nicknames[word] {
				add(nick, false, true)
			}
		}
		if len(words) > 1 {
			add(strings.Join(words, ""), false, true) // Karl-Heinz, Karlheinz
		}
		for _, word := range words {
			for n := 3; n+2 <= len(word) && n < 6; n++ { // Leo for Leonie, Vali for Valentin, Ferdl for Ferdinand
				for _, end := range [...]string{"", "i", "l", "y"} {
					short := word[:n] + end
					if w := lists.Lookup(short); (end == "" || n < 5) && w.Common("") == 0 && !w.Medical() && !w.Drug() && !particles[short] && w.Surname() < 4 {
						add(short, false, true)
					}
				}
			}
		}
	}
	for _, family := range e.Family {
		if words := wordsOf(fold.Key(family)); len(words) > 1 {
			add(strings.Join(words, ""), true, true) // O'Hara, Ohara
		}
	}
	x.initials = append(x.initials, initials)
}

func (x *index) contacts(i int, e Entity) {
	for _, p := range e.Phones {
		x.phone(i, p)
	}
	for _, m := range e.Emails {
		if strings.Contains(m, "@") {
			x.number(i, m, phi.ContactEmail, "known.email")
		}
	}
	for _, u := range e.URLs {
		u = strings.TrimPrefix(strings.TrimPrefix(fold.Key(u), "https://"), "http://")
		x.number(i, strings.TrimPrefix(u, "www."), phi.ContactURL, "known.url")
	}
	for _, id := range e.IDs {
		x.number(i, id, phi.IDPatient, "known.id")
	}
}

// compact leaves the letters and digits of a text, folded, without leading zeros.
func compact(s string) string {
	return strings.TrimLeft(strings.Join(wordsOf(fold.Key(s)), ""), "0")
}

func (x *index) number(i int, value string, kind phi.Type, source string) {
	key := compact(value)
	if len(key) < 3 || len(key) > maxNumber || utf8.RuneCountInString(strings.TrimSpace(value)) < 3 {
		return
	}
	numeric := strings.Trim(key, "0123456789") == ""
	alpha := !strings.ContainsAny(key, "0123456789")
	if alpha && kind == phi.IDPatient && len(key) < 6 {
		return // a word, not a number
	}
	x.numbers = append(x.numbers, number{key, i, kind, source, numeric && len(key) < 6 || alpha && kind == phi.IDPatient})
}

// maxNumber bounds the length of what numbers are compared as.
const maxNumber = 80

// countries holds the calling codes that are taken off a number, of German- and English-speaking countries and
// those around.
var countries = []string{"49", "43", "41", "44", "353", "352", "423", "33", "31", "32", "39", "45", "48", "420", "61", "64", "91", "27", "90", "1"}

func (x *index) phone(i int, value string) {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, fold.Key(value))
	v := strings.TrimSpace(value)
	international := strings.HasPrefix(v, "+") || strings.HasPrefix(v, "00")
	national := strings.TrimLeft(digits, "0")
	code := ""
	if international {
		for _, c := range countries {
			if rest, ok := strings.CutPrefix(national, c); ok && len(rest) >= 5 {
				code, national = c, strings.TrimLeft(rest, "0")
				break
			}
		}
	}
	if len(national) < 5 || len(national) > 15 {
		return
	}
	add := func(key string) {
		x.numbers = append(x.numbers, number{key, i, phi.ContactPhone, "known.phone", len(key) < 6})
	}
	add(national)
	codes := []string{"49", "43", "41", "44", "1"}
	if code != "" {
		codes = []string{code}
	}
	for _, c := range codes {
		add(c + national)
		add(c + "0" + national)
	}
	// The number without its area code, where the source shows which digits that is.
	if fields := strings.FieldsFunc(v, func(r rune) bool { return !unicode.IsDigit(r) }); len(fields) > 1 {
		if local := strings.Join(fields[1:], ""); !international && len(local) >= 7 {
			add(strings.TrimLeft(local, "0"))
		}
	}
	if code == "1" && len(national) == 10 || code == "" && len(national) == 10 && digits == national {
		add(national[3:])
	}
}

func (x *index) places(i int, e Entity) {
	for _, z := range e.ZIPs {
		if key := strings.Join(wordsOf(fold.Key(z)), ""); len(key) >= 4 {
			if strings.Trim(key, "0123456789") != "" { // SW1A 1AA
				x.number(i, z, phi.LocationZIP, "known.zip")
				continue
			}
			x.zips[key] = i
			if len(key) == 9 && strings.Trim(key, "0123456789") == "" {
				x.zips[key[:5]] = i
			}
		}
	}
	for _, c := range e.Cities {
		x.phrase(c, phrase{entity: i, kind: phi.LocationCity, source: "known.city"})
		for _, w := range canonical(c) {
			x.cities[w] = true
		}
	}
	for _, s := range e.Streets {
		x.street(i, s)
	}
	for _, s := range e.States {
		x.phrase(s, phrase{entity: i, kind: phi.LocationState, source: "known.state"})
	}
	for _, c := range e.Countries {
		x.phrase(c, phrase{entity: i, kind: phi.LocationCountry, source: "known.country"})
	}
	for _, o := range e.Organizations {
		x.phrase(o, phrase{entity: i, kind: organizationType(o), source: "known.organization"})
	}
	for _, o := range e.Others {
		x.phrase(o, phrase{entity: i, kind: phi.Other, source: "known.other"})
	}
}

// organizationType tells a hospital from another organisation by its words.
func organizationType(name string) phi.Type {
	key := fold.Key(name)
	for _, w := range []string{"klinik", "hospital", "krankenhaus", "spital", "praxis", "clinic", "medical center", "medical centre", "infirmary", "mvz", "station", "ward"} {
		if strings.Contains(key, w) {
			return phi.LocationHospital
		}
	}
	return phi.LocationOrganization
}

func (x *index) phrase(value string, p phrase) {
	p.words = canonical(value)
	if len(p.words) == 0 || utf8.RuneCountInString(strings.TrimSpace(value)) < 3 {
		return
	}
	p.common = true
	for _, word := range wordsOf(fold.Key(value)) {
		w := lists.Lookup(word)
		if len(word) > 2 && w.Common("") == 0 && !w.Medical() && !w.Eponym() && w.FirstName() < 2 && (w.Surname() < 4 || w.City() == 3) {
			p.common = false
		}
	}
	if len(p.words) > 2 {
		p.common = false
	}
	x.phrases[p.words[0]] = append(x.phrases[p.words[0]], p)
}

// street adds a street with its number, and without it where its name is its own.
func (x *index) street(i int, value string) {
	words := canonical(value)
	named := slices.ContainsFunc(words, func(w string) bool { return w[0] > '9' && len(w) > 2 })
	if !named {
		return
	}
	p := phrase{entity: i, kind: phi.LocationStreet, source: "known.street", words: words, street: true}
	x.phrases[words[0]] = append(x.phrases[words[0]], p)
	// The bare name: without the number behind it, or before it.
	bare := words
	for len(bare) > 1 && (bare[len(bare)-1][0] <= '9' || len(bare[len(bare)-1]) == 1) {
		bare = bare[:len(bare)-1]
	}
	for len(bare) > 1 && bare[0][0] <= '9' {
		bare = bare[1:]
	}
	if len(bare) == len(words) {
		return
	}
	p.words, p.common = bare, true
	for _, w := range bare {
		l := lists.Lookup(w)
		if strings.HasSuffix(w, "str") && len(w) > 5 || len(w) > 4 && l.Common("") == 0 && l.City() < 2 && l.Surname() < 3 && l.FirstName() < 2 && !l.Medical() {
			p.common = false
		}
	}
	x.phrases[bare[0]] = append(x.phrases[bare[0]], p)
}

// canonical gives the words of a phrase with the ways to write street, saint and the like made one.
func canonical(value string) []string {
	words := wordsOf(fold.Key(value))
	for i, w := range words {
		words[i] = canon(w)
	}
	return words
}

func canon(w string) string { return string(appendCanon(nil, w)) }

// appendCanon appends the canonical word to dst.
func appendCanon(dst []byte, w string) []byte {
	if s, ok := short[w]; ok {
		return append(dst, s...)
	}
	if s, ok := strings.CutSuffix(w, "strasse"); ok {
		return append(appendSquash(dst, s), "str"...)
	}
	return appendSquash(dst, w)
}

var short = map[string]string{
	"strasse": "str", "street": "st", "saint": "st", "sankt": "st", "avenue": "ave", "road": "rd", "drive": "dr", "lane": "ln",
	"boulevard": "blvd", "place": "pl", "court": "ct", "square": "sq", "apartment": "apt", "platz": "pl", "north": "n", "south": "s",
	"east": "e", "west": "w", "doktor": "dr", "doctor": "dr", "professor": "prof", "highway": "hwy", "terrace": "ter", "circle": "cir",
}

func (x *index) date(i int, value string, kind phi.Type) {
	t, err := time.Parse("2006-01-02", strings.TrimSpace(value)[:min(10, len(strings.TrimSpace(value)))])
	if err != nil {
		return
	}
	x.days = append(x.days, day{i, t.Year(), int(t.Month()), t.Day(), kind})
}
