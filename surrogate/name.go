package surrogate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// person is a known person: folded tokens of the name, and what they are.
type person struct {
	Person
	given, family []string // folded
}

// part says which part of a name a token is.
type part uint8

const (
	familyName part = iota
	givenName
	initial
	particle
)

// scope is whose key a name is made with: the patient's for the patient and relatives, the project's for staff.
type scope struct {
	key     Key
	id      string
	letters *[26]byte
}

func (g *Generator) scopeOf(r Role) scope {
	if r == Staff {
		return scope{g.shared, "", &g.sharedMap}
	}
	return scope{g.own, g.c.Patient, &g.letters}
}

func (g *Generator) learn(people []Person) {
	g.people, g.tokens = map[string]*person{}, map[string]*person{}
	for _, p := range people {
		k := &person{Person: p}
		for _, s := range p.Given {
			k.given = append(k.given, foldedTokens(s)...)
		}
		for _, s := range p.Family {
			k.family = append(k.family, foldedTokens(s)...)
		}
		if p.Key != "" {
			g.people[p.Key] = k
		}
		for _, t := range slices.Concat(k.given, k.family) {
			// The patient comes first: what the patient shares with a doctor is the patient's.
			if old := g.tokens[t]; old == nil || p.Role < old.Role {
				g.tokens[t] = k
			}
		}
	}
}

func foldedTokens(s string) []string {
	var list []string
	for w := range pipeline.Words(s) {
		if t := s[w.Start:w.End]; !particles[strings.ToLower(t)] {
			list = append(list, fold.Key(t))
		}
	}
	return list
}

var particles = func() map[string]bool {
	m := map[string]bool{}
	for p := range strings.FieldsSeq(`von vom van der den de di da do dos du del della della la le los las el al bin ibn zu zum zur
		und ter ten te af av y e san st ste sankt mac o d l dr prof med jr sr ii iii iv geb née nee
		herr herrn frau hr fr mr mrs ms miss`) {
		m[p] = true
	}
	return m
}()

// letterMap is a permutation of the alphabet without fixed points, so that initials agree with names and never stay.
func letterMap(k Key, id string) [26]byte {
	random := k.Bytes(26, "letters", id)
	order := make([]byte, 26)
	for i := range order {
		order[i] = byte(i)
	}
	// Sattolo's algorithm gives one cycle: no letter stays itself.
	for i := 25; i > 0; i-- {
		j := int(random[i]) % i
		order[i], order[j] = order[j], order[i]
	}
	return [26]byte(order)
}

// name gives the stand-in of a name in a text, token by token in the shape of the original.
func (g *Generator) name(doc *pipeline.Document, s phi.Span, surface string, lang phi.Language) string {
	who := g.people[s.Entity]
	tokens := nameTokens(surface)
	certain := who != nil
	if !certain {
		who = g.recognise(tokens)
	}
	role := roleOf(s.Type)
	if who != nil {
		role = who.Role
	}
	gender := genderBefore(doc, s.Start)
	if who != nil && who.Gender != 0 {
		gender = who.Gender
	}
	if gender == 0 {
		gender = genderOf(tokens)
	}
	g.classify(tokens, who, certain, titleBefore(doc, s.Start))
	var b strings.Builder
	at := 0
	for _, t := range tokens {
		b.WriteString(surface[at:t.start])
		b.WriteString(g.token(t, who, g.scopeOf(role), gender, lang))
		at = t.end
	}
	b.WriteString(surface[at:])
	if len(tokens) == 0 {
		return ""
	}
	return b.String()
}

func roleOf(t phi.Type) Role {
	switch t {
	case phi.NameStaff:
		return Staff
	case phi.NameOther:
		return Relative
	}
	return Patient
}

// nameToken is one word of a name.
type nameToken struct {
	start, end int
	gap        string // what stands between the word before and this one
	text       string // without line breaks and soft hyphens
	folded     string
	part       part
	genitive   bool
}

// nameTokens splits a surface into words; a word that a line break cuts ("Schnarren-" "berger") is one.
func nameTokens(surface string) []nameToken {
	var list []nameToken
	for w := range pipeline.Words(surface) {
		text := surface[w.Start:w.End]
		gap := ""
		if n := len(list); n > 0 {
			gap = surface[list[n-1].end:w.Start]
			first, _ := utf8.DecodeRuneInString(text)
			if broken := strings.Trim(gap, " \r\t") == "-\n" || gap == "\u00ad" || gap == "\u00ad\n"; broken && unicode.IsLower(first) {
				list[n-1].end = w.End
				list[n-1].text += text
				list[n-1].folded = fold.Key(list[n-1].text)
				continue
			}
		}
		list = append(list, nameToken{start: w.Start, end: w.End, gap: gap, text: text, folded: fold.Key(text)})
	}
	return list
}

// recognise finds the one known person whose name the tokens are.
func (g *Generator) recognise(tokens []nameToken) *person {
	var found *person
	for _, t := range tokens {
		if len(t.folded) < 3 {
			continue
		}
		if p := g.tokens[t.folded]; p != nil {
			if found != nil && found != p {
				return nil
			}
			found = p
		}
	}
	return found
}

// classify tells given names from surnames: by the known person, by "Surname, Given", by place, and for a word alone by
// title and list. certain says that a detector knew whose name it is: a first name that the person does not have is
// another form of the one that the person has (Bill, William).
func (g *Generator) classify(tokens []nameToken, who *person, certain, afterTitle bool) {
	var real []int
	comma := len(tokens) // the first word behind a comma
	for i := range tokens {
		if i < comma && strings.ContainsRune(tokens[i].gap, ',') {
			comma = i
		}
	}
	for i := range tokens {
		t := &tokens[i]
		switch {
		case particles[strings.ToLower(t.text)] && len(tokens) > 1:
			t.part = particle
			continue
		case utf8.RuneCountInString(t.text) == 1:
			t.part = initial
			continue
		}
		if who != nil {
			if known, genitive, ok := who.match(t.folded); ok {
				t.folded, t.part, t.genitive = known.folded, known.part, genitive
				continue
			}
			if certain && len(who.given) > 0 && lists.Lookup(t.folded).FirstName() > 0 {
				t.folded, t.part = who.given[0], givenName
				continue
			}
		}
		real = append(real, i)
	}
	for n, i := range real {
		t := &tokens[i]
		switch {
		case len(real) == 1 && len(tokens) == 1:
			w := lists.Lookup(t.folded)
			if !afterTitle && w.FirstName() > 0 && (w.Surname() == 0 || w.FirstName() >= 2) {
				t.part = givenName
			}
		case comma < len(tokens): // Surname, Given
			if i >= comma {
				t.part = givenName
			}
		case n < len(real)-1 && !hyphenated(tokens, i):
			t.part = givenName
		}
	}
}

// hyphenated says whether the token and the last word are joined by a hyphen: a double surname, not a double given name.
func hyphenated(tokens []nameToken, i int) bool {
	return i+2 == len(tokens) && len(tokens[i+1].gap) == 1 && tokens[i+1].gap[0] == '-'
}

type knownToken struct {
	folded string
	part   part
}

// match finds the token of the known name that a folded word is a form of: the word itself, its genitive, or a form that
// differs by one letter, or two in long words.
func (p *person) match(word string) (t knownToken, genitive, ok bool) {
	for _, try := range []string{word, strings.TrimSuffix(word, "s")} {
		for _, f := range p.family {
			if f == try {
				return knownToken{f, familyName}, try != word, true
			}
		}
		for _, f := range p.given {
			if f == try {
				return knownToken{f, givenName}, try != word, true
			}
		}
	}
	best := knownToken{}
	limit := 0
	switch n := utf8.RuneCountInString(word); {
	case n >= 9:
		limit = 2
	case n >= 5:
		limit = 1
	}
	for d := 1; d <= limit; d++ {
		for i, f := range slices.Concat(p.family, p.given) {
			if distance(word, f, d) <= d {
				best.folded = f
				if i >= len(p.family) {
					best.part = givenName
				}
				return best, false, true
			}
		}
	}
	// A nickname or an abbreviation of a given name has its first letters.
	for _, f := range p.given {
		if len(word) >= 3 && len(f) >= 3 && (strings.HasPrefix(f, word) || f[:3] == word[:3]) {
			return knownToken{f, givenName}, false, true
		}
	}
	return best, false, false
}

// distance is the number of insertions, deletions, substitutions and swaps of neighbours between two words (optimal string
// alignment), given up beyond limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		now, before, older := rows[(i+1)%3], rows[i%3], rows[(i+2)%3]
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(before[j]+1, now[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], older[j-2]+1)
			}
		}
	}
	return rows[(len(x)+1)%3][len(y)]
}

// token gives the stand-in of one word of a name.
func (g *Generator) token(t nameToken, who *person, sc scope, gender byte, lang phi.Language) string {
	switch t.part {
	case particle:
		return t.text
	case initial:
		return sc.initial(t.text)
	}
	out := g.drawName(t.folded, t.part, sc, gender, g.locale(lang))
	if out == "" {
		return word(phi.Name.String())
	}
	out = casingOf(t.text).apply(out)
	if t.genitive {
		out += "s"
	}
	return out
}

// initial maps a letter as the names that begin with it are mapped.
func (sc scope) initial(s string) string {
	key := fold.Key(s)
	if key == "" || key[0] < 'a' || key[0] > 'z' {
		return "X"
	}
	out := string(rune('a' + sc.letters[key[0]-'a']))
	if r, _ := utf8.DecodeRuneInString(s); unicode.IsUpper(r) {
		return strings.ToUpper(out)
	}
	return out
}

// drawName draws a name for a folded token: of the same part and gender, beginning with the letter that the scope maps
// the original's to, no everyday word, nobody's who is known.
func (g *Generator) drawName(folded string, p part, sc scope, gender byte, locale string) string {
	kind, names := "family", lists.Surnames(locale)
	if p == givenName {
		kind = "given"
		sex := lists.Gender(folded)
		if sex == 0 {
			sex = gender
		}
		names = lists.FirstNames(locale, sex)
	}
	if folded == "" || len(names) == 0 {
		return ""
	}
	want := byte(0)
	if c := folded[0]; c >= 'a' && c <= 'z' {
		want = 'a' + sc.letters[c-'a']
	}
	candidates := withLetter(names, want)
	if len(candidates) == 0 {
		candidates = names
	}
	start := sc.key.PRF(kind, sc.id, folded)
	for i := range uint64(min(len(candidates), 64)) {
		out := candidates[(start+i)%uint64(len(candidates))]
		key := fold.Key(out)
		w := lists.Lookup(key)
		if key == folded || g.forbidden[key] || g.avoided[key] || w.Common(phi.German) > 1 || w.Common(phi.English) > 1 {
			continue
		}
		return out
	}
	return ""
}

// withLetter gives the names that begin with a letter once folded; the list is sorted as written, which folding almost
// keeps, so all are looked at.
func withLetter(names []string, letter byte) []string {
	if letter == 0 {
		return names
	}
	key := listKey{&names[0], len(names), letter}
	if found, ok := byLetter.Load(key); ok {
		return found.([]string)
	}
	var list []string
	for _, n := range names {
		if k := fold.Key(n); k != "" && k[0] == letter && strings.IndexFunc(n, notLetter) < 0 {
			list = append(list, n)
		}
	}
	byLetter.Store(key, list)
	return list
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// HumanName gives the surrogates of a structured name: the same as the name gets in a text.
func (g *Generator) HumanName(_ string, given []string, family string, gender byte, role Role) ([]string, string) {
	sc, locale := g.scopeOf(role), g.c.Locale
	if locale == "" {
		locale = g.locale(g.c.Lang)
	}
	if gender == 0 {
		for _, s := range given {
			for _, t := range foldedTokens(s) {
				if gender == 0 {
					gender = lists.Gender(t)
				}
			}
		}
	}
	rewrite := func(s string, p part) string {
		var b strings.Builder
		at := 0
		for _, t := range nameTokens(s) {
			b.WriteString(s[at:t.start])
			switch {
			case particles[strings.ToLower(t.text)]:
				t.part = particle
			case utf8.RuneCountInString(t.text) == 1:
				t.part = initial
			default:
				t.part = p
			}
			b.WriteString(g.token(t, nil, sc, gender, phi.Language(locale)))
			at = t.end
		}
		b.WriteString(s[at:])
		return b.String()
	}
	out := make([]string, len(given))
	for i, s := range given {
		out[i] = rewrite(s, givenName)
	}
	return out, rewrite(family, familyName)
}

// genderBefore reads the salutation in front of a name.
func genderBefore(doc *pipeline.Document, at int) byte {
	switch wordBefore(doc, at) {
	case "herr", "herrn", "hr", "mr", "sir", "ehemann", "sohn", "vater", "bruder", "opa", "onkel", "husband", "son", "father", "brother":
		return 'm'
	case "frau", "fr", "mrs", "ms", "miss", "schwester", "sr", "ehefrau", "tochter", "mutter", "oma", "tante", "wife", "daughter", "mother", "sister":
		return 'f'
	}
	return 0
}

// titleBefore says whether what stands in front of the name calls for a surname.
func titleBefore(doc *pipeline.Document, at int) bool {
	switch wordBefore(doc, at) {
	case "herr", "herrn", "hr", "frau", "fr", "mr", "mrs", "ms", "miss", "dr", "prof", "professor", "med", "oa", "oä", "oberarzt",
		"oberärztin", "kollege", "kollegin", "doctor":
		return true
	}
	return false
}

func wordBefore(doc *pipeline.Document, at int) string {
	if doc == nil || at > len(doc.Text) {
		return ""
	}
	text := strings.TrimRight(doc.Text[max(0, at-32):at], " .\u00a0")
	start := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.ToLower(text[start+1:])
}

func genderOf(tokens []nameToken) byte {
	for _, t := range tokens {
		if sex := lists.Gender(t.folded); sex != 0 && len(tokens) > 1 {
			return sex
		}
	}
	return 0
}
