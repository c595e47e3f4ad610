package rules

import (
	"fhirdeid/pipeline/phi"
)

const (
	sourceTitle     = "rules.name.title"
	sourceLabel     = "rules.name.label"
	sourceRole      = "rules.name.role"
	sourceRelative  = "rules.name.relative"
	sourceMaiden    = "rules.name.maiden"
	sourceBirth     = "rules.name.birth"
	sourceCredent   = "rules.name.credential"
	sourceSignature = "rules.name.signature"
	sourcePair      = "rules.name.pair"
)

// beforeNames are the classes of words by which people looks for a name.
const beforeNames = honorific | doctor | birth | signature | patient | nameLabel | staffRole | mailLabel | relative | credential | closing

// people finds persons by what stands around their names. Titles, salutations and credentials stay outside.
func (s *scan) people() {
	for i := s.next(0, mayPerson); i < len(s.toks); i = s.next(i+1, mayPerson) {
		t := s.at(i)
		if t.kind == sign {
			if t.sign == '*' && s.isNumber(i+1) && s.near(i+1) {
				s.bornName(i)
			}
			continue
		}
		if t.kind != word || s.takenAs(i) != phi.NoCategory {
			continue
		}
		c := t.class
		if c&beforeNames == 0 && t.cue&(agentCue|greetingCue) == 0 && t.runes > 2 {
			continue
		}
		if c&(honorific|doctor) != 0 && s.titled(i) {
			continue
		}
		if c&birth != 0 {
			s.maiden(i)
			s.bornName(i)
		}
		if c&signature != 0 && s.signed(i) {
			continue
		}
		if t.runes <= 6 && s.behindPreposition(i) || s.greeting(i) {
			continue
		}
		if c&(patient|nameLabel|staffRole|mailLabel|relative) != 0 && s.labelName(i) {
			continue
		}
		if c&relative != 0 && s.relativeName(i) {
			continue
		}
		if c&staffRole != 0 && s.roleName(i) {
			continue
		}
		if c&patient != 0 && s.patientName(i) {
			continue
		}
		if c&credential != 0 || s.dottedDegree(i) {
			s.credentialName(i)
			s.credentialBefore(i)
		}
		if c&closing != 0 {
			s.signatureBlock(i)
		}
	}
	for i := s.next(0, mayPair); i < len(s.toks); i = s.next(i+1, mayPair) {
		if s.isWord(i) && s.taken[i] == phi.NoCategory {
			if s.capital(i) {
				s.pair(i)
				if s.taken[i] == phi.NoCategory {
					s.agedName(i)
					s.speaker(i)
				}
			}
			s.typist(i)
		}
	}
	s.visa()
}

// name is a run of tokens read as a person's name.
type name struct {
	from, to int
	parts    int // words, initials not counted
	initials int
	first    bool // a listed first name among them
	known    bool // a listed surname or first name that is no common word
	common   bool // a word of the language among them
	comma    bool // surname before first name
}

// believed says whether the words themselves speak for a name.
func (n *name) believed() bool {
	return n.parts > 0 && (n.known || !n.common) || n.parts > 1 && n.first
}

// plainWord says how common the word at token i is: 0 for none of the language's words, to 3. Medical terms and
// drugs count as words, frequent surnames less so.
func (s *scan) plainWord(i int) int { return int(s.at(i).plain) }

// plainness says so of a token that is a word.
func (s *scan) plainness(t *token) uint8 {
	if t.class&(ordinary|function|unitWord|month) != 0 {
		return 3
	}
	if t.know == 0 {
		if t.runes > 12 && t.shape == title && s.lang != phi.English {
			return 1 // a compound that no list holds is a noun rather than a name
		}
		return 0
	}
	n := t.know.Common(s.lang)
	if t.know.Medical() || t.know.Drug() {
		n = max(n, 2)
	}
	if n > 0 && n < 3 && (t.know.FirstName() >= 2 || t.know.Surname() >= 5) && !t.know.Medical() {
		n--
	}
	return uint8(n)
}

// run modes: how much the context before the name promises.
const (
	promised = iota // a title or a label stands before it: any capitalised word will do as the first one
	hinted          // the words must not be common ones
)

// hintedRun is nameRun where the words must not be common ones. What it read last is kept until something is found: several
// scanners ask for the same name one after the other.
func (s *scan) hintedRun(i int) name {
	if l := &s.names; !l.read || l.last.from != i || l.spans != len(s.spans) {
		l.last, l.read, l.spans = s.nameRun(i, hinted), true, len(s.spans)
	}
	return s.names.last
}

// nameRun reads a name from token i on.
func (s *scan) nameRun(i, mode int) name {
	n := name{from: i, to: i}
	j := i
	for j < len(s.toks) && n.parts+n.initials < 6 && s.taken[j] == phi.NoCategory {
		if j > i && !s.joins(j, &n, mode) {
			break
		}
		t := s.at(j)
		switch {
		case t.kind == sign && t.sign == '"' && n.parts > 0 && s.capital(j+1) && s.isSign(j+2, '"') && s.capital(j+3) && s.near(j+3) && s.near(j+2):
			j += 3 // a nickname in the middle
			continue
		case t.kind != word:
			return n
		case s.initial(j):
			if n.parts > 0 && s.isSign(j+1, '.') && !s.capital(j+2) && !(n.parts == 1 && n.first) && s.capital(j+2) {
				return n
			}
			n.initials++
			n.to = j + 1
			j++
			if s.isSign(j, '.') && s.glued(j) {
				if s.capital(j+1) || n.parts == 0 || n.first {
					n.to = j + 1
				}
				j++
				if s.isSign(j, '-') && s.glued(j) && s.capital(j+1) && s.glued(j+1) {
					j++
				}
			}
			continue
		case t.class&particle != 0 && s.particleRun(j) > j && !(n.parts == 0 && s.lonely(j)):
			k := s.particleRun(j)
			w := s.at(k)
			if s.oneOf(j, "zu", "zur", "zum", "das", "ab", "an", "y", "e", "d", "op", "le") && n.parts > 0 && !s.oneOf(j-1, "und", "von") || s.plainWord(k) > 1 && w.know.Surname() < 5 || w.shape == upper && w.runes <= 3 ||
				w.class&(ordinary|function) != 0 || t.shape == lower && w.know.City() > 1 && w.know.Surname() < 2 && n.parts > 0 {
				if !(n.parts == 0 && mode == promised && s.capital(j)) {
					return n
				}
			} else {
				j = k
				continue
			}
			n.parts++
			n.to = s.hyphened(j)
			j = n.to
			continue
		case t.shape == upper && t.runes <= 4 && s.acronym(j, &n):
			return n
		case n.parts > 0 && t.class&generation != 0 && t.shape != lower:
			n.to = j + 1
			j++
			if s.isSign(j, '.') && s.glued(j) && t.class&generation != 0 && t.runes == 2 {
				n.to = j + 1
			}
			return n
		case !s.capital(j):
			return n
		}
		end := s.hyphened(j)
		plain := 3
		for k := j; k < end; k++ {
			if s.isWord(k) {
				plain = min(plain, s.plainWord(k))
			}
		}
		if n.parts == 0 {
			if mode != promised && plain > 0 && !(t.know.FirstName() >= 2) {
				return n
			}
			if end == j+1 && t.class&(function|month) != 0 && mode != promised && !(s.isSign(j-1, ',') && t.know.FirstName() >= 2) {
				return n
			}
		} else {
			switch {
			case end > j+1 && plain < 2:
			case t.class&(ordinary|function|credential|legalForm|doctor|honorific|staffRole|nameLabel|ward|hospital|department|organization|birth|mailLabel|signature) != 0 && !(n.first && n.parts == 1 && t.know.Surname() >= 3 && t.class&(function|credential|birth|doctor|honorific|staffRole) == 0):
				return n
			case plain >= 2 && !(n.first && t.know.Surname() >= 3 && !t.know.Medical()):
				return n
			case t.know.Surname() == 0 && t.know.FirstName() == 0 && end == j+1 && s.lang != phi.English && (t.runes > 12 || mode != promised && (t.know != 0 || t.runes > 9)):
				return n
			case plain == 1 && !n.first && t.know.Surname() < 4 && t.know.FirstName() == 0:
				return n
			}
		}
		for k := j; k < end; k++ {
			if !s.isWord(k) {
				continue
			}
			w := s.at(k).know
			if w.FirstName() > 0 && (s.plainWord(k) == 0 || w.FirstName() >= 2) {
				n.first = true
			}
			if (w.FirstName() > 0 || w.Surname() > 0) && s.plainWord(k) == 0 {
				n.known = true
			}
			if s.plainWord(k) > 0 {
				n.common = true
			}
		}
		n.parts++
		n.to = end
		j = end
	}
	return n
}

// joins says whether token j can follow a name's token before it: one space, or a wrapped line where the name is
// clearly unfinished.
func (s *scan) joins(j int, n *name, mode int) bool {
	t := s.at(j)
	if t.lines == 0 {
		return t.gap < 2
	}
	if t.lines > 1 || t.gap > 1 || !s.capital(j) {
		return false
	}
	if n.parts == 1 && n.first && t.class == 0 && s.plainWord(j) == 0 && (t.know == 0 || t.know.Surname() > 0) && !s.lineStart(n.from) && s.wrapped(j) && !s.isSign(j+1, ':') {
		return true
	}
	if n.parts == 1 && n.first && mode == promised && t.class == 0 && s.plainWord(j) == 0 && !s.isSign(j+1, ':') && !s.lineEnd(s.hyphened(j)-1) && !s.isNumber(s.hyphened(j)) {
		return true
	}
	return n.parts == 0 && n.initials > 0 && s.wrapped(j)
}

// wrapped says whether the line that ends before token j is so long that its end need not mean anything.
func (s *scan) wrapped(j int) bool {
	const full = 46 // bytes
	end := s.at(j - 1).end
	for k := j - 1; k >= 0 && end-s.at(k).start < full+20; k-- {
		if s.at(k).lines > 0 || k == 0 {
			return end-s.at(k).start >= full
		}
	}
	return true
}

// acronym says whether a short word in capitals is rather an abbreviation than part of the name read so far.
func (s *scan) acronym(j int, n *name) bool {
	w := s.at(j).know
	if n.parts > 0 {
		capitals := true
		for k := n.from; k < n.to; k++ {
			if s.isWord(k) && s.at(k).runes > 1 && s.at(k).shape != upper {
				capitals = false
			}
		}
		if !capitals {
			return s.plainWord(j) > 0 || s.at(j).runes <= 3 || w.Surname() < 2
		}
		return s.at(j).class&(credential|doctor|phoneHead|idHead) != 0 || s.at(j).runes <= 3 && w.Surname() < 2 && w.FirstName() == 0
	}
	if s.isSign(j+1, ',') && s.capital(j+2) && s.at(j+2).know.FirstName() > 0 {
		return false
	}
	return s.at(j).runes <= 3 && (w.Surname() < 3 && w.FirstName() < 2 || s.plainWord(j) > 0) || w.Surname() == 0 && w.FirstName() == 0
}

// lonely says whether a particle at token j is the name itself: "Herr Graf schläft".
func (s *scan) lonely(j int) bool {
	k := s.particleRun(j)
	return k >= len(s.toks) || !s.near(k) || !s.capital(k)
}

// particleRun gives the token behind von, van der, de la and the like, or j where the token is none.
func (s *scan) particleRun(j int) int {
	k := j
	for k < len(s.toks) && k < j+4 && (k == j || s.near(k)) && s.at(k).class&particle != 0 && s.at(k).shape != mixed {
		k++
		if (s.isSign(k, '.') || s.isSign(k, '\'')) && s.glued(k) {
			k++
		}
	}
	if k < len(s.toks) && s.capital(k) && s.at(k).lines == 0 {
		return k
	}
	if s.isSign(k, '-') && s.glued(k) && s.capital(k+1) {
		return k + 1
	}
	return j
}

// initial says whether token i is a single capital with or without a dot, or two such as "KH."
func (s *scan) initial(i int) bool {
	t := s.at(i)
	if t.kind == word && t.runes == 1 && t.shape == title {
		return !(s.glued(i+1) && (s.isNumber(i+1) || s.isSign(i+1, '-') && s.glued(i+2) && s.at(i+2).runes > 3 || s.isSign(i+1, '/')))
	}
	return t.kind == word && t.runes == 2 && t.shape == title && s.isSign(i+1, '.') && s.glued(i+1) && s.oneOf(i, "Ch", "Th", "St", "Ph")
}

// hyphened gives the end of a word with what hangs on it by hyphens or apostrophes: Müller-Lüdenscheidt, O'Hara,
// Schnarren-\nberger. A possessive 's stays outside.
func (s *scan) hyphened(i int) int {
	end := i + 1
	for end+1 < len(s.toks) && end < i+12 {
		t, next := s.at(end), s.at(end+1)
		if t.kind != sign || !s.glued(end) || next.kind != word {
			return end
		}
		switch {
		case t.sign == '-' && next.lines == 0 && next.gap == 0 && (next.shape != lower || next.class&particle != 0 && s.isSign(end+2, '-')):
		case t.sign == '-' && next.lines == 1 && next.gap == 0 && (next.shape == lower && next.class&function == 0 || next.shape == title):
		case t.sign == '\'' && next.lines == 0 && next.gap == 0 && next.shape != lower && next.runes > 1:
		case t.sign == '\'' && next.lines == 0 && next.gap == 0 && next.runes > 2 && s.at(end-1).runes <= 2:
		default:
			return end
		}
		end += 2
	}
	return end
}

// strongTitle says whether the word at token i announces a name whatever follows; other titles are abbreviations
// that mean something else as well.
func (s *scan) strongTitle(i int) bool {
	t := s.at(i)
	switch {
	case t.class&honorific != 0:
		if s.oneOf(i, "ms", "hr", "fr", "fam", "mme") && t.shape == upper {
			return s.isSign(i+1, '.') && s.glued(i+1)
		}
		if s.oneOf(i, "mr", "mrs", "hr") && t.shape == upper && !(s.isSign(i+1, '.') && s.glued(i+1)) && !(s.at(i+1).shape == upper && s.at(i+1).lines == 0 && s.at(i+1).know.Surname() > 0) {
			return false
		}
		if t.runes <= 2 && i > 0 && s.sameLine(i) && (s.isNumber(i-1) || s.isSign(i-1, '/') || s.has(i-1, unitWord)) && !s.oneOf(i, "dr") {
			return false
		}
		if s.oneOf(i, "fr") && (s.isNumber(i+1) || s.isNumber(i+2) || s.isSign(i-1, '/')) {
			return false
		}
		return true
	case s.is(i, "dr") && t.shape == upper && !(s.isSign(i+1, '.') && s.glued(i+1)) && !(s.at(i+1).shape == upper && s.at(i+1).know.Surname() > 0):
		return false
	case s.oneOf(i, "doktor"):
		return s.capital(i)
	case s.oneOf(i, "dr", "drs", "dres", "ddr", "prof", "professor", "professorin"):
		return true
	case s.oneOf(i, "chefarzt", "oberarzt", "assistenzarzt"):
		return false
	}
	return false
}

// titled reads the names behind a title and says whether there was one.
func (s *scan) titled(i int) bool {
	strong := s.strongTitle(i)
	staff := s.at(i).class&doctor != 0
	plural := s.oneOf(i, "drs", "dres", "eheleute", "familie", "messrs")
	family := s.oneOf(i, "familie", "fam", "eheleute")
	if !strong && s.at(i).class&honorific != 0 && s.at(i).class&doctor == 0 || !strong && s.lang == phi.English && !s.oneOf(i, "prim") ||
		!strong && s.at(i).shape == lower || !strong && s.oneOf(i, "pd") && !s.has(i+1, doctor) {
		return false
	}
	j := i + 1
	lines := 0
	for j < len(s.toks) && j < i+32 {
		t := s.at(j)
		if t.lines > 1 || t.gap > 1 && j > i+1 && t.lines == 0 && t.kind != word {
			return false
		}
		if t.lines > 0 {
			if lines++; lines > 1 {
				return false
			}
		}
		if t.kind == sign && (t.sign == '.' && s.glued(j) || t.sign == '-' && s.glued(j) && s.has(j+1, degree|doctor)) {
			j++
			continue
		}
		if t.kind == sign && t.sign == ',' && s.has(j+1, doctor) && staff {
			j++
			continue
		}
		if t.kind == sign && t.sign == '(' && s.is(j+1, "FH") {
			j += 3
			continue
		}
		filler := t.kind == word && (t.class&(doctor|degree) != 0 || t.class&honorific != 0 || t.class&staffRole != 0 && t.shape != lower) && t.runes > 1
		if t.kind == word && t.runes == 1 && s.oneOf(j, "h", "c") && s.isSign(j+1, '.') && t.shape == lower {
			filler = true
		}
		if !filler {
			break
		}
		k := j + 1
		dotted := s.isSign(k, '.') && s.glued(k)
		if dotted {
			k++
		}
		if s.isSign(k, '-') && s.glued(k) {
			if !s.has(k+1, degree|doctor|staffRole) {
				break
			}
		} else if !(s.capital(k) && s.at(k).lines <= 1 && s.at(k).gap < 2 || dotted && s.has(k, degree|doctor|honorific) || s.has(k, particle)) {
			break // the title word is the name: "Frau Herr", "Dr. Sen"
		}
		if t.class&honorific != 0 && !dotted && s.at(k).lines > 0 {
			break
		}
		if t.class&staffRole != 0 && t.class&(doctor|degree) == 0 && t.know.Surname() >= 3 && !s.capital(k) {
			break
		}
		staff = staff || t.class&(doctor|staffRole) != 0
		strong = strong || s.strongTitle(j)
		j = k
	}
	if j >= len(s.toks) || s.at(j).lines > 1 {
		return false
	}
	if s.at(j).lines == 1 && !s.lineStart(i) && s.at(j).gap > 1 {
		return false
	}
	typ := phi.NamePatient
	switch {
	case staff:
		typ = phi.NameStaff
	case s.roleBefore(i, staffRole):
		typ = phi.NameStaff
	case family, s.roleBefore(i, relative):
		typ = phi.NameOther
	}
	if s.takenAs(j) != phi.NoCategory {
		return false
	}
	mode := promised
	if !strong {
		mode = hinted
	}
	if s.isWord(j) && s.at(j).class&(staffRole|patient|relative|degree) != 0 && s.at(j).know.Surname() < 3 && s.capital(j) && s.at(j).runes > 3 || s.has(j, credential) && s.at(j).shape == upper {
		return false // "Frau Kollegin,"
	}
	n := s.nameRun(j, mode)
	if n.parts == 0 && n.initials == 0 {
		return s.lowerTitled(i, j, typ)
	}
	if strong && s.at(i).lines == 0 && s.at(j).lines > 0 && s.at(i).shape != lower && n.parts == 1 && !n.known && !s.wrapped(j) && s.at(i).class&doctor != 0 {
		return false
	}
	if n.parts == 0 && !strong || n.parts == 0 && s.at(n.from).gap > 1 {
		return false
	}
	score := 0.92
	if !strong {
		if !n.believed() || s.at(n.from).lines > 0 || n.common && !n.first || s.at(n.from).runes <= 3 && s.at(n.from).shape == upper {
			return false
		}
		score = 0.8
	}
	if n.parts > 0 && s.at(n.from).class&function != 0 && s.at(n.from).shape == title && n.initials == 0 && !s.glued(n.from+1) && s.at(n.from).know.Surname() == 0 {
		return false
	}
	if n.parts > 0 && s.at(n.from).class&ordinary != 0 && s.at(n.from).know.Surname() == 0 && s.at(n.from).know.FirstName() == 0 {
		score = 0.6
		if s.at(n.from).lines > 0 {
			return false
		}
	}
	if s.afterward(n.to, "straße", "str") {
		return false
	}
	s.addName(&n, typ, score, sourceTitle)
	s.moreNames(n.to, typ, plural, sourceTitle)
	return true
}

// afterward says whether the word hanging on the name by a hyphen makes it a street: "Dr.-Meier-Straße".
func (s *scan) afterward(i int, _ ...string) bool {
	return s.has(i-1, streetHead) && i >= 2 && s.isSign(i-2, '-')
}

// lowerTitled reads a name without capitals in a text that writes its titles small as well.
func (s *scan) lowerTitled(i, j int, typ phi.Type) bool {
	if s.at(i).shape != lower || !s.isWord(j) || !s.near(j) || s.at(j).shape != lower || s.at(j).runes < 3 {
		return false
	}
	if s.oneOf(i, "frau", "familie", "miss", "professor", "mann") && s.plainWord(j) > 0 {
		return false
	}
	end := j
	for end < len(s.toks) && end < j+3 && (end == j || s.near(end)) && s.isWord(end) {
		w := s.at(end).know
		if s.plainWord(end) > 0 || w.Surname() == 0 && w.FirstName() == 0 && (end > j || w != 0 && s.oneOf(i, "frau", "familie")) {
			break
		}
		end = s.hyphenedLower(end)
	}
	return end > j && s.add(j, end, typ, 0.75, sourceTitle)
}

func (s *scan) hyphenedLower(i int) int {
	end := i + 1
	for s.isSign(end, '-') && s.glued(end) && s.isWord(end+1) && s.glued(end+1) {
		end += 2
	}
	return end
}

// roleBefore says whether one of the few words before token i, without a full stop between, has the class.
func (s *scan) roleBefore(i int, c class) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if s.has(k, c) {
			return true
		}
		if s.at(k).kind == sign && s.at(k).sign != ',' && s.at(k).sign != ':' && s.at(k).sign != '(' || s.at(k+1).lines > 0 {
			return false
		}
	}
	return false
}

// addName records a name with its possessive left outside.
func (s *scan) addName(n *name, t phi.Type, score float64, source string) bool {
	if n.parts > 0 && s.afterward(n.to) {
		return false
	}
	return s.add(n.from, n.to, t, score, source)
}

// moreNames reads the further names of a list: "Dres. Uhlig, Neubert & Phan", "Dr. A und B", "GROSS = Groß".
func (s *scan) moreNames(i int, t phi.Type, plural bool, source string) {
	for range 6 {
		j := i
		score := 0.85
		switch {
		case s.isSign(j, '=') && s.near(j):
			j++
		case plural && (s.isSign(j, ',') || s.isSign(j, '&') || s.isSign(j, '/') || s.oneOf(j, "und", "and", "u")):
			j++
			if s.oneOf(j, "und", "and") {
				j++
			}
		case s.isSign(j, '/') && !plural:
			j++
			score = 0.6
		case s.isSign(j, '&') || s.oneOf(j, "und", "and"):
			j++
			score = 0.7
		default:
			return
		}
		for s.isSign(j, '.') || s.has(j, doctor|degree) && s.isSign(j+1, '.') {
			j++
		}
		if !s.near(j) && s.at(j).lines != 1 || !s.capital(j) {
			return
		}
		mode := hinted
		if s.isSign(i, '=') || plural && !s.has(j, ordinary) {
			mode = promised
		}
		n := s.nameRun(j, mode)
		if n.parts == 0 || !n.believed() && mode == hinted || mode == hinted && !n.known {
			return
		}
		if !s.addName(&n, t, score, source) {
			return
		}
		i = n.to
	}
}

// withFirst extends a name by ", Firstname" behind the surname.
func (s *scan) withFirst(n *name, mode int) {
	if n.parts == 0 || !s.isSign(n.to, ',') || !s.glued(n.to) || n.to+1 >= len(s.toks) || s.at(n.to+1).gap > 1 || s.at(n.to+1).lines > 1 ||
		s.at(n.to+1).lines == 1 && !n.known {
		return
	}
	if s.takenAs(n.to+1) != phi.NoCategory || s.has(n.to+1, credential|doctor|degree|staffRole) && s.at(n.to+1).know.FirstName() < 2 || s.dottedDegree(n.to+1) {
		return
	}
	m := s.nameRun(n.to+1, hinted)
	if m.parts == 0 && m.initials == 0 || m.parts > 3 {
		return
	}
	if m.parts > 0 && !m.first && (mode != promised || m.common || s.at(m.from).know.City() > 1) {
		return
	}
	if m.parts == 0 && (m.initials > 3 || mode != promised && !(s.isSign(m.to-1, '.') && n.known && !n.common)) {
		return
	}
	if m.parts > 0 && mode != promised && s.at(m.from).know.FirstName() < 2 && s.at(n.from).know.Surname() < 2 {
		return
	}
	n.to, n.comma, n.first, n.parts = m.to, true, n.first || m.first, n.parts+m.parts
}

// value gives the token behind the separators of a form's label: colons, dots, bars, a column; ok is false where no
// separator stands.
func (s *scan) labelEnd(i int) (j int, ok bool) {
	j = i + 1
	for j < len(s.toks) && j < i+40 {
		t := s.at(j)
		switch {
		case t.sign == ':' && t.kind == sign, t.sign == '=', t.sign == '|' && t.kind == sign:
			ok = true
		case t.sign == '.' && t.kind == sign:
			if s.isSign(j+1, '.') {
				ok = true
			}
		case t.sign == '/' && s.oneOf(j+1, "in", "n", "innen"):
			j++
		case t.sign == '-' && s.isSign(j+1, ':'):
		case t.sign == '(' && s.isWord(j+1) && s.isSign(j+2, ')') && s.isSign(j+3, ':'):
			j += 2
		case t.sign == '"' && ok:
		case t.kind == word && !ok && s.near(j) && t.class&(nameLabel|patient|staffRole|numberWord) != 0 && (s.isSign(j+1, ':') || s.isSign(j+1, '.') && s.isSign(j+2, ':')):
		case t.kind == word && !ok && s.near(j) && s.oneOf(j, "by", "an", "md", "physician", "von", "durch", "rn", "arzt") && s.isSign(j+1, ':'):
		default:
			if !ok && t.gap > 1 && t.lines == 0 {
				ok = true
			}
			return j, ok
		}
		j++
	}
	return j, ok
}

// labelName reads the name behind the label of a form or a header: "Pat.: Klein, Sieglinde", "Operateur   K. Lang",
// "cc: Pellegrin".
func (s *scan) labelName(i int) bool {
	c := s.at(i).class
	j, ok := s.labelEnd(i)
	if !ok || j >= len(s.toks) || s.at(j).lines > 1 {
		return false
	}
	if c&mailLabel != 0 && c&(patient|nameLabel|staffRole) == 0 && !(s.lineStart(i) || s.isSign(i-1, ';') || s.isSign(i-1, '|')) {
		return false
	}
	if s.at(j).lines == 1 && c&(patient|nameLabel) == 0 {
		return false
	}
	if s.has(j, doctor|honorific|degree) || s.isSign(j, '.') || s.has(j, staffRole|relative|patient) && s.at(j).know.Surname() < 3 {
		return false // the title or the role reads it
	}
	if s.at(j).shape == upper && s.at(j).runes <= 3 && s.ends(j+1) {
		return false
	}
	colon := false
	for k := i + 1; k < j; k++ {
		colon = colon || s.isSign(k, ':') || s.isSign(k, '|') || s.isSign(k, '=')
	}
	typ, mode := phi.NameStaff, hinted
	switch {
	case c&nameLabel != 0, c&patient != 0 && c&relative == 0:
		typ, mode = phi.NamePatient, promised
	case c&relative != 0:
		typ = phi.NameOther
	case c&mailLabel != 0 && s.oneOf(i, "re", "betr", "betreff", "betrifft"):
		typ = phi.NamePatient
	}
	if s.takenAs(j) != phi.NoCategory || !s.isWord(j) {
		return false
	}
	if mode == promised && (s.at(j).class&(ordinary|function|patient|nameLabel|staffRole|relative|idHead|weakIDHead|ward|hospital|unitWord|placeLabel) != 0 || s.plainWord(j) >= 2 && s.at(j).know.Surname() == 0 && s.at(j).know.FirstName() == 0) && !(s.isSign(j+1, ',') && s.capital(j+2) && s.at(j+2).know.FirstName() > 0) {
		return false
	}
	n := s.nameRun(j, mode)
	if n.parts == 0 {
		if n.initials >= 2 && mode == promised {
			return s.addName(&n, typ, 0.85, sourceLabel)
		}
		return false
	}
	s.withFirst(&n, mode)
	if mode == hinted && !(n.known || n.first || n.initials > 0 || !n.common && n.parts >= 2) {
		if n.common || s.at(n.from).know != 0 || s.at(n.from).shape == upper && s.at(n.from).runes < 4 || !colon || s.at(n.from).runes > 11 {
			return false
		}
	}
	if s.oneOf(i, "re", "betr", "betrifft", "an", "to", "von", "from") && !n.first && !n.comma && n.initials == 0 && !(n.known && n.parts > 1) {
		return false
	}
	if mode == hinted && s.at(n.from).know.City() > 0 && !n.first && n.initials == 0 {
		return false
	}
	score := 0.88
	if mode == promised && n.believed() {
		score = 0.95
	} else if !n.known && !n.first {
		score = 0.7
	}
	if !s.addName(&n, typ, score, sourceLabel) {
		return false
	}
	s.moreNames(n.to, typ, c&staffRole != 0 || s.at(i).class&mailLabel != 0, sourceLabel)
	return true
}

// patientName reads "Pat. Müller", "Patientin Anna Klein", "pt Zbigniew Orlikowski".
func (s *scan) patientName(i int) bool {
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	if !s.near(j) || !s.capital(j) || s.takenAs(j) != phi.NoCategory {
		return false
	}
	n := s.nameRun(j, hinted)
	s.withFirst(&n, hinted)
	if n.parts == 0 || !n.known && !n.comma {
		return false
	}
	if n.parts == 1 && !n.comma && s.at(n.from).know.Surname() < 2 && s.at(n.from).know.FirstName() < 2 {
		return false
	}
	return s.addName(&n, phi.NamePatient, 0.8, sourceRole)
}

// roleName reads "Schwester Gabi", "Pfleger Giuseppe Randazzo", "Hebamme Ruppen", "Kollege Kutscha".
func (s *scan) roleName(i int) bool {
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	if s.isSign(j, ',') && s.glued(j) && s.lang != phi.German {
		j++
	}
	if !s.near(j) || !s.capital(j) || s.takenAs(j) != phi.NoCategory || s.has(j, honorific|doctor) {
		return false
	}
	n := s.nameRun(j, hinted)
	if n.parts == 0 || n.parts == 1 && s.at(n.from).shape == upper && s.at(n.from).runes <= 3 {
		return false
	}
	unknown := s.at(n.from).know == 0 && s.at(n.from).class == 0
	if !n.known && !(unknown && n.initials > 0) && !(unknown && s.at(n.from).runes <= 9 && s.at(i).class&relative == 0 && !s.oneOf(i, "op", "pflege", "anaesthesie", "leitung", "visite", "study", "protokoll", "assistenz")) {
		return false
	}
	if n.parts == 1 && s.at(n.from).know.City() > 0 && s.at(n.from).know.FirstName() == 0 && s.at(n.from).know.Surname() < 3 {
		return false
	}
	return s.addName(&n, phi.NameStaff, 0.85, sourceRole) || true
}

// relativeName reads "Ehefrau Maria", "daughter joy", "Sohn Tim (12)", "zwei Söhne (Hauke und Fiete)".
func (s *scan) relativeName(i int) bool {
	j := i + 1
	for k := 0; k < 3; k++ {
		if (s.isSign(j, ',') || s.isSign(j, '(') || s.isSign(j, '"') || s.isSign(j, '.') && s.glued(j) && s.at(i).runes <= 3 || s.isSign(j, ':')) && s.at(j).lines == 0 ||
			s.oneOf(j, "namens", "named") {
			j++
		}
	}
	if s.at(j).lines > 1 || s.at(j).gap > 1 || !s.isWord(j) || s.takenAs(j) != phi.NoCategory || s.has(j, honorific|doctor) {
		return false
	}
	if s.at(j).shape == lower {
		w := s.at(j).know
		plain := w.Common(s.lang)
		if w.FirstName() >= 2 && (plain == 0 || s.isSign(j+1, '(')) && s.at(j).class&(ordinary|function|unitWord) == 0 && s.near(j) && s.at(i).shape == lower {
			return s.add(j, s.hyphenedLower(j), phi.NameOther, 0.6, sourceRelative)
		}
		return false
	}
	if !s.capital(j) || s.isSign(j-1, ':') && s.plainWord(j) > 0 {
		return false
	}
	n := s.nameRun(j, hinted)
	if n.parts == 0 {
		return false
	}
	unknown := s.at(n.from).know == 0 && s.at(n.from).class == 0 && s.at(n.from).shape == title
	if !n.first && !n.known && !(unknown && (s.lang == phi.English || s.at(n.from).runes <= 8)) {
		return false
	}
	if !n.first && n.parts == 1 && s.at(n.from).know.FirstName() == 0 && !unknown && (s.at(n.from).know.City() > 0 || s.at(n.from).know.Surname() < 2) {
		return false
	}
	score := 0.88
	if !n.first {
		score = 0.7
	}
	if !s.addName(&n, phi.NameOther, score, sourceRelative) {
		return false
	}
	k := n.to
	for range 4 {
		if s.isSign(k, '(') && s.isNumber(k+1) && s.isSign(k+2, ')') {
			k += 3
		}
		if s.isSign(k, ',') && s.isNumber(k+1) {
			k += 2
		}
		if !(s.isSign(k, ',') || s.oneOf(k, "und", "and", "u") || s.isSign(k, '&') || s.isSign(k, '/')) || !s.capital(k+1) || s.at(k+1).gap > 1 || s.at(k+1).lines > 1 {
			break
		}
		m := s.nameRun(k+1, hinted)
		if m.parts == 0 || !m.first {
			break
		}
		s.addName(&m, phi.NameOther, 0.8, sourceRelative)
		k = m.to
	}
	return true
}

// maiden reads "geb. Schulze", "née X", "geborene X".
func (s *scan) maiden(i int) {
	if s.oneOf(i, "dob", "birthdate", "geburtsdatum", "gebdat") {
		return
	}
	j := i + 1
	if s.isSign(i-1, '.') && s.isNumber(i-2) && s.at(i).shape == title {
		return // a birthday
	}
	for k := 0; k < 2 && (s.isSign(j, '.') || s.isSign(j, ':')); k++ {
		j++
	}
	if s.oneOf(i, "maiden") && s.is(j, "name") {
		j++
		if s.isSign(j, ':') {
			j++
		}
	}
	if !s.capital(j) || s.at(j).lines > 1 || s.takenAs(j) != phi.NoCategory || s.has(j, month|birth|ordinary) {
		return
	}
	if s.oneOf(i, "born") {
		return
	}
	n := s.nameRun(j, promised)
	if n.parts == 0 || n.parts > 3 || s.at(n.from).class&(nameLabel|idHead|weakIDHead|numberWord) != 0 {
		return
	}
	s.addName(&n, phi.NamePatient, 0.92, sourceMaiden)
}

// bornName reads the name before "geb.", "DOB" or "*1.2.1950" on the same line.
func (s *scan) bornName(i int) {
	if s.isSign(i, '*') && (s.glued(i) || !(s.isSign(i+2, '.') || s.isSign(i+2, '/') || s.isSign(i+2, '-') || s.year(i+1))) {
		return
	}
	k := i - 1
	for n := 0; n < 3 && k >= 0 && s.at(k).kind == sign && s.at(k+1).lines <= 1 && (s.at(k).sign == ',' || s.at(k).sign == '(' || s.at(k).sign == '|' || s.at(k).sign == ';' || s.at(k).sign == '/'); n++ {
		k--
	}
	if s.has(k, birth) && s.isWord(k) {
		return
	}
	s.nameBefore(k+1, phi.NamePatient, 0.88, sourceBirth)
}

// nameBefore reads the name that ends right before token end.
func (s *scan) nameBefore(end int, t phi.Type, score float64, source string) bool {
	from, words, comma, first, known, plain := end, 0, false, false, false, false
	initials := 0
	for k := end - 1; k >= 0 && k >= end-9 && s.taken[k] == phi.NoCategory; k-- {
		t := s.at(k)
		if k+1 < end && (s.at(k+1).lines > 0 || s.at(k+1).gap > 1) {
			break
		}
		if t.kind == sign {
			switch {
			case t.sign == '-' && s.glued(k) && s.glued(k+1), t.sign == '\'' && s.glued(k) && s.glued(k+1):
				continue
			case t.sign == '.' && k > 0 && s.initial(k-1) && s.glued(k):
				continue
			case t.sign == ',' && !comma && words > 0 && words <= 2 && first && k > 0 && s.capital(k-1):
				comma = true
				continue
			}
			break
		}
		if t.kind != word {
			break
		}
		if s.initial(k) {
			initials++
			from = k
			continue
		}
		if t.class&particle != 0 && words > 0 && t.shape != mixed && !s.capital(k) {
			from = k
			continue
		}
		if !s.capital(k) || t.class&(ordinary|function|honorific|doctor|degree|credential|birth|nameLabel|patient|idHead|weakIDHead|unitWord|month|staffRole|mailLabel|hospital|ward|department) != 0 && !(t.class&month != 0 && k > 0 && s.isWord(k-1) && s.at(k-1).know.FirstName() >= 2 && s.near(k)) && !(t.know.Surname() >= 3 && t.class&(patient|honorific|doctor|degree|birth|nameLabel|function|staffRole) == 0 && words > 0 && first) {
			break
		}
		p := s.plainWord(k)
		if p >= 2 && !(words > 0 && first && t.know.Surname() > 0) && !(k > 0 && s.isWord(k-1) && s.capital(k-1) && s.at(k-1).know.FirstName() >= 2 && s.plainWord(k-1) == 0 && s.near(k) && (t.know.Surname() > 0 || t.class&month != 0)) {
			break
		}
		if t.shape == upper && words > 0 && s.at(from).shape == title && (t.runes <= 3 || t.know.Surname() < 2 && t.know.FirstName() < 2) || t.shape == title && t.know == 0 && t.runes > 12 && !s.glued(k) && s.lang != phi.English {
			break
		}
		plain = plain || p > 0
		if t.know.FirstName() > 0 && p == 0 || t.know.FirstName() >= 2 {
			first = true
		}
		if (t.know.FirstName() > 0 || t.know.Surname() > 0) && p == 0 {
			known = true
		}
		words++
		from = k
	}
	for from < end && s.at(from).kind == sign {
		from++
	}
	if words == 0 || words > 5 || !known && !first && (words < 2 || plain) && !(words == 1 && initials > 0 && !plain) {
		return false
	}
	if words == 1 && !comma && initials == 0 && !known {
		return false
	}
	e := end
	for e > from && s.at(e-1).kind == sign && s.at(e-1).sign != '.' {
		e--
	}
	return s.add(from, e, t, score, source)
}

// dottedDegree says whether M.D., Ph.D., R.N. or D.O. begins at token i.
func (s *scan) dottedDegree(i int) bool {
	if !s.isSign(i+1, '.') || !s.glued(i+1) || !s.glued(i+2) || !s.isWord(i+2) || s.at(i).runes > 2 {
		return false
	}
	return s.is(i, "m") && s.is(i+2, "d") || s.is(i, "ph") && s.is(i+2, "d") || s.is(i, "r") && s.is(i+2, "n") || s.is(i, "d") && s.is(i+2, "o") || s.is(i, "o") && s.is(i+2, "d")
}

// credentialName reads the name before a credential: "K. Wurtz, RN", "Winifred Lach, M.D.".
func (s *scan) credentialName(i int) {
	if s.at(i).shape == lower || i == 0 || s.at(i).lines > 0 || s.at(i).gap > 1 {
		return
	}
	if s.at(i).shape == title && !s.oneOf(i, "PhD", "Psych", "M", "Ph", "R", "D", "O") {
		return
	}
	k := i
	comma := s.isSign(i-1, ',')
	if comma {
		k--
	}
	if s.isNumber(i+1) && s.at(i+1).runes == 5 {
		return // a state and its ZIP code
	}
	shy := s.oneOf(i, "ma", "pa", "do", "md", "pt", "ot", "od", "ms", "bs", "rd", "dc", "pm", "sw", "ns", "st", "rt") && !s.dottedDegree(i)
	if shy && s.is(i, "pt") && !comma {
		return
	}
	score := 0.88
	if shy {
		score = 0.8
		if !comma && !s.oneOf(i, "md", "do", "pa", "sw", "ot") {
			return
		}
		// a state or an abbreviation unless a whole name stands before it
		words := 0
		for m := k - 1; m >= 0 && m >= k-4 && (s.capital(m) || s.at(m).kind == sign && (s.at(m).sign == '.' || s.at(m).sign == '-')); m-- {
			if s.isWord(m) {
				words++
			}
			if s.at(m).lines > 0 {
				break
			}
		}
		if words < 2 && !s.oneOf(i, "md") {
			return
		}
	}
	s.nameBefore(k, phi.NameStaff, score, sourceCredent)
}

// signed reads what stands behind gez., dictated by, signed: a name or initials.
func (s *scan) signed(i int) bool {
	j := i + 1
	marked := false
	for n := 0; n < 8 && j < len(s.toks) && s.at(j).lines <= 1; n++ {
		switch {
		case s.isSign(j, ':') || s.isSign(j, '|') || s.isSign(j, '/') && !s.glued(j):
			marked = true
		case s.isSign(j, '.') || s.isSign(j, '_') || s.isSign(j, ',') || s.isSign(j, '-'):
		case s.oneOf(j, "by", "von", "durch"):
			marked = true
		case s.oneOf(j, "electronically", "elektronisch", "and", "reviewed", "am", "on", "signed", "dictated", "md", "digitally"):
		default:
			n = 8
			continue
		}
		j++
	}
	marked = marked || s.oneOf(i, "gez", "gezeichnet", "visum", "diktat", "diktatzeichen", "schreibzeichen", "handzeichen", "hz", "dz")
	if !marked || j >= len(s.toks) || !s.isWord(j) || s.at(j).lines > 1 || s.takenAs(j) != phi.NoCategory || s.has(j, honorific|doctor) {
		return false
	}
	mode := hinted
	if s.oneOf(i, "gez", "gezeichnet") && s.at(j).class&(ordinary|function|unitWord|staffRole) == 0 {
		mode = promised
	}
	n := s.nameRun(j, mode)
	if n.parts == 1 && s.at(j).runes <= 4 && n.initials == 0 || n.parts == 0 && s.at(j).runes <= 4 && s.at(j).runes >= 1 {
		return s.initials(j)
	}
	if n.parts == 0 || !n.believed() && n.initials == 0 && mode != promised {
		return false
	}
	if !n.known && n.initials == 0 && s.at(n.from).know != 0 && mode != promised {
		return false
	}
	s.addName(&n, phi.NameStaff, 0.85, sourceSignature)
	return true
}

// initials reads one to three short marks around slashes: "SKB/vr", "wi/im", "Kr".
func (s *scan) initials(j int) bool {
	found := false
	for k := 0; k < 3; k++ {
		t := s.at(j)
		if t.kind != word || t.runes > 4 || s.has(j, ordinary|function|unitWord|doctor|honorific|month) || s.takenAs(j) != phi.NoCategory {
			break
		}
		if s.plainWord(j) > 1 && t.shape == lower {
			break
		}
		end := j + 1
		for s.isSign(end, '-') && s.glued(end) && s.isWord(end+1) && s.glued(end+1) && s.at(end+1).runes <= 2 {
			end += 2
		}
		if s.isNumber(end) && s.glued(end) {
			break
		}
		found = s.add(j, end, phi.NameStaff, 0.75, sourceSignature) || found
		if !s.isSign(end, '/') || !s.glued(end) || !s.glued(end+1) {
			break
		}
		j = end + 1
	}
	return found
}

// typist reads the marks of author and typist that stand alone: "wi/im" on a line, "WFK/tl" at its end, "/mz".
func (s *scan) typist(i int) {
	t := s.at(i)
	if t.runes > 4 || t.runes < 2 || s.has(i, ordinary|function|unitWord|month|credential|weakIDHead) && t.shape == lower || s.takenAs(i) != phi.NoCategory {
		return
	}
	if !(s.lineStart(i) || t.gap > 1) {
		return
	}
	j := i + 1
	for s.isSign(j, '-') && s.glued(j) && s.isWord(j+1) && s.glued(j+1) && s.at(j+1).runes <= 2 {
		j += 2
	}
	if !s.isSign(j, '/') || !s.glued(j) || !s.glued(j+1) || !s.isWord(j+1) {
		return
	}
	u := s.at(j + 1)
	if u.shape != lower || u.runes > 4 || u.runes < 2 || s.has(j+1, ordinary|function|unitWord|month) || u.know.Common(s.lang) > 1 || t.shape == lower && t.know.Common(s.lang) > 1 {
		return
	}
	if !s.lineEnd(j+1) && s.at(j+2).gap < 2 && !s.isNumber(j+2) {
		return
	}
	s.add(i, j, phi.NameStaff, 0.7, sourceSignature)
	if !(s.isNumber(j+2) && s.glued(j+2)) {
		s.add(j+1, j+2, phi.NameStaff, 0.7, sourceSignature)
	} else {
		s.add(j+1, j+3, phi.NameUsername, 0.7, sourceUser)
	}
}

// signatureBlock reads the names on the lines below "Mit freundlichen Grüßen" or "Sincerely,".
func (s *scan) signatureBlock(i int) {
	j := i + 1
	for j < len(s.toks) && s.at(j).lines == 0 {
		if s.at(j).kind == word && !s.has(j, ordinary|closing|function) && s.at(j).shape != lower || j > i+6 {
			break
		}
		j++
	}
	lines := 0
	for ; j < len(s.toks) && j < i+160 && lines < 7; j++ {
		t := s.at(j)
		if t.lines > 0 {
			lines++
			if t.lines > 4 {
				return
			}
		}
		if s.has(j, staffRole|doctor|degree) && s.at(j).know.Surname() < 3 {
			continue
		}
		if !(t.lines > 0 || t.gap > 1 || j == i+1) && !(s.isSign(j-1, ',') && lines == 0) || !s.capital(j) || s.takenAs(j) != phi.NoCategory {
			continue
		}
		n := s.nameRun(j, hinted)
		if n.parts == 0 {
			continue
		}
		if n.common && !n.first || !n.known && !(n.initials > 0) && !(n.parts >= 2 && !n.common) {
			continue
		}
		if n.parts == 1 && n.initials == 0 && (s.at(j).know.City() > 0 && !n.first || s.near(n.to) && s.isWord(n.to)) {
			continue
		}
		if s.has(n.to, hospital|department|ward|streetHead) && s.near(n.to) {
			continue
		}
		if s.addName(&n, phi.NameStaff, 0.8, sourceSignature) {
			j = n.to - 1
		}
	}
}

// pair reads names that nothing announces: a first name and a surname of the lists, "Surname, Firstname", an initial
// and a surname, HL7's SURNAME^FIRSTNAME.
func (s *scan) pair(i int) {
	t := s.at(i)
	if i > 0 && s.glued(i) && (s.at(i-1).kind != sign || s.at(i-1).sign == '-' || s.at(i-1).sign == '\'' || s.at(i-1).sign == '/' || s.at(i-1).sign == '.') {
		return
	}
	if s.initial(i) {
		s.initialPair(i)
		return
	}
	if t.class&(credential|doctor|honorific|degree) != 0 && t.shape == upper && t.runes <= 4 || s.eponymPair(i) {
		return
	}
	if s.isSign(i+1, '^') && s.glued(i+1) && s.capital(i+2) && s.glued(i+2) && (t.know.Surname() > 0 || s.at(i+2).know.FirstName() > 0) {
		s.add(i, i+3, phi.NamePatient, 0.85, sourcePair)
		return
	}
	if t.class&particle != 0 && t.shape == title && s.has(i+1, particle) && s.near(i+1) {
		if k := s.particleRun(i); k > i+1 && s.plainWord(k) == 0 {
			s.add(i, s.hyphened(k), phi.Name, 0.75, sourcePair)
			return
		}
	}
	n := s.hintedRun(i)
	if n.parts == 0 {
		// "Klein, Sieglinde": the surname is a word of the language
		if t.know.Surname() >= 3 && s.isSign(i+1, ',') && s.glued(i+1) && s.capital(i+2) && s.near(i+2) && s.at(i+2).know.FirstName() >= 2 && s.plainWord(i+2) == 0 &&
			t.class&(function|month|unitWord) == 0 && s.at(i+2).know.City() < 2 && (s.lineStart(i) || t.shape == upper || t.gap > 1) {
			end := s.hyphened(i + 2)
			s.add(i, end, phi.NamePatient, 0.75, sourcePair)
		}
		return
	}
	if n.parts == 1 {
		s.withFirst(&n, hinted)
		if n.comma && n.first && (n.known || t.shape == upper) && t.know.City() < 2 && !(t.know.FirstName() > 1 && t.know.Surname() < 3) && !(t.know.Eponym() && t.shape != upper && !s.lineStart(i) && t.know.Surname() < 6) {
			score := 0.7
			if t.know.Surname() > 0 && (s.lineStart(i) || t.shape == upper) {
				score = 0.86
			}
			s.addName(&n, phi.NamePatient, score, sourcePair)
		}
		return
	}
	w := t.know
	last := s.at(n.to - 1).know
	switch {
	case (w.FirstName() >= 2 || w.FirstName() == 1 && last.Surname() >= 3 && t.runes > 3) && s.plainWord(i) == 0 && last.Surname() > 0 && w.City() < 3 && !(last.City() > 1 && last.Surname() < 3):
		score := 0.7
		if w.FirstName() >= 2 && last.Surname() >= 2 {
			score = 0.86
		}
		s.addName(&n, phi.Name, score, sourcePair)
	case w.FirstName() >= 2 && s.plainWord(i) == 0 && !n.common && w.City() < 2 && last.City() == 0 && s.at(n.to-1).class == 0:
		s.addName(&n, phi.Name, 0.65, sourcePair)
	}
}

// eponymPairs are names of two words after which things are named.
var eponymPairs = set(`charles|bonnet marcus|gunn bence|jones ann|arbor ross|river rocky|mountain hong|kong mary|joseph austin|flint graham|steell ramsay|hunt
	new|york los|angeles san|francisco charcot|marie epstein|barr guillain|barre kaplan|meier berg|balance mini|mental ottawa|ankle lake|louise
	abbey|pain peter|pan oxford|knee frank|starling christmas|disease adams|stokes south|beach west|nile james|blunt saint|jude`)

// eponymPair says whether such a pair begins at token i.
func (s *scan) eponymPair(i int) bool {
	return s.cued(i, eponymCue) && s.at(i).know.FirstName()+s.at(i).know.City() > 0 && s.isWord(i+1) && s.near(i+1) && eponymPairs[keyOf(s.surface(i))+"|"+keyOf(s.surface(i+1))]
}

// initialPair reads "A. Wittkopp", where the word is a surname that is no eponym behind the M. of Morbus and no
// vessel, nerve or bacterium.
func (s *scan) initialPair(i int) {
	if s.oneOf(i, "a", "v") && s.isSign(i-1, '.') && s.is(i-2, "i") && s.isSign(i+1, '.') {
		// "i. A. Gschwendtner": signed for someone else
		if n := s.nameRun(i+2, hinted); (n.parts > 0 || n.initials > 0) && n.known && s.at(i+2).lines == 0 {
			s.addName(&n, phi.NameStaff, 0.85, sourceSignature)
		}
		return
	}
	if s.oneOf(i, "st", "ch") {
		return
	}
	n := s.nameRun(i, hinted)
	if n.parts == 0 || n.initials == 0 || !s.isSign(i+1, '.') || n.common || s.isNumber(i-1) && s.near(i) {
		return
	}
	k := n.to - 1
	for k > i && !s.isWord(k) {
		k--
	}
	w := s.at(k).know
	if w.Surname() == 0 && (s.at(k).know != 0 || !(s.begins(i) && s.ends(n.to)) || s.at(k).runes > 11) || s.at(k).shape == upper && s.at(k).runes <= 3 {
		return
	}
	if s.oneOf(i, "m", "a", "v", "n", "e", "s", "z", "d", "r", "l", "t", "o", "p", "c", "h") && n.initials == 1 && n.parts == 1 {
		if s.is(i, "m") && (w.Eponym() || w.Surname() == 0) || s.at(k).shape == upper && s.at(k).runes <= 4 {
			return
		}
		if w.Surname() == 0 && s.lang != phi.English || w.Medical() || w.Drug() || w.Eponym() && s.oneOf(i, "m", "a", "v", "n") {
			return
		}
	}
	score := 0.7
	if w.Surname() >= 2 {
		score = 0.8
	}
	s.addName(&n, phi.Name, score, "rules.name.initial")
}
