package rules

import "fhirdeid/pipeline/phi"

const (
	sourceID   = "rules.id."
	sourceUser = "rules.name.username"
)

// labelled reads everything that a label announces as number or code: telephones, ids, plates, user names.
func (s *scan) labelled() {
	for i := s.next(0, mayLabel); i < len(s.toks); i = s.next(i+1, mayLabel) {
		t := s.at(i)
		if s.takenAs(i) != phi.NoCategory {
			continue
		}
		if t.sign == '#' && t.kind == sign {
			s.hash(i)
			continue
		}
		if t.kind != word || t.class&labelHeads == 0 {
			switch {
			case t.kind == word && t.runes == 1 && s.oneOf(i, "x", "p") && t.shape == lower && s.isNumber(i+1) && (s.glued(i+1) || s.is(i, "p")):
				s.shortExtension(i)
			case t.kind == word && t.runes == 1 && s.is(i, "s") && s.isSign(i+1, '/') && s.glued(i+1) && s.is(i+2, "n") && s.glued(i+2):
				s.labelledID(i)
			case t.kind == word && t.runes <= 4 && s.is(i, "last"):
				s.lastFour(i)
			}
			continue
		}
		next := i
		if t.class&(phoneHead|extHead|faxHead) != 0 && s.phoneLabel(i) {
			next = s.labelledPhone(i+1, t.class)
		}
		if next <= i+1 && t.class&(labelHeads&^(phoneHead|extHead|faxHead|userLabel)) != 0 {
			next = s.labelledID(i)
		}
		if next <= i+1 && t.class&userLabel != 0 {
			next = s.userName(i)
		}
		if next > i+1 {
			i = next - 1
		}
	}
}

// phoneLabel says whether a word that can announce a telephone number does so here.
func (s *scan) phoneLabel(i int) bool {
	t := s.at(i)
	if s.is(i, "app") || s.is(i, "kl") || s.is(i, "dw") || s.is(i, "ext") || s.is(i, "klappe") {
		return t.shape != lower || s.oneOf(i, "ext", "dw") || s.isSign(i+1, '.')
	}
	if s.oneOf(i, "page", "paged", "txt", "dial") {
		return s.isNumber(i+1) && s.near(i+1) && s.at(i+1).runes >= 4 && s.lang != phi.German
	}
	if s.is(i, "hp") {
		return s.isNumber(i+1) && s.at(i+1).gap == 1
	}
	if s.oneOf(i, "call", "intern") {
		return s.isSign(i+1, ':')
	}
	return true
}

// shortExtension reads x5512 and x6-2290 where no time, dose or size is meant.
func (s *scan) shortExtension(i int) {
	if s.glued(i) && s.at(i-1).kind != sign || s.isSign(i-1, '/') && s.glued(i) {
		return
	}
	if s.is(i, "p") && (s.at(i+1).lines > 0 || s.at(i+1).runes < 4 && !s.isSign(i+2, '-') || s.lang == phi.German) {
		return
	}
	d := s.run(i + 1)
	if d.groups == 0 {
		return
	}
	if d.groups >= 2 && !(d.groups == 2 && d.sizes[0] == 1 && d.sizes[1] == 4 && d.seps[1] == '-') {
		s.cut(&d, 1)
	}
	if n := s.at(i + 1).runes; d.groups < 2 && (n < 3 || n > 6) {
		return
	}
	if s.has(d.to, unitWord) || s.isSign(d.to, '%') || s.glued(d.to) && s.at(d.to).kind != sign {
		return
	}
	s.add(i+1, d.to, phi.ContactPhone, 0.85, sourcePhone)
}

// lastFour reads "last 4: 4417", "SSN last four 6620".
func (s *scan) lastFour(i int) {
	if !s.oneOf(i+1, "4", "four") || !s.sameLine(i+1) {
		return
	}
	j := i + 2
	for n := 0; n < 3 && (s.isSign(j, ':') || s.oneOf(j, "of", "ssn", "digits", "is")); n++ {
		j++
	}
	if s.isNumber(j) && s.at(j).runes == 4 && s.sameLine(j) {
		s.add(j, j+1, phi.IDSSN, 0.9, sourceID+"social")
	}
}

// code is a run of tokens that can be an id.
type code struct {
	from, to               int
	digits, letters, parts int
	longest                int // digits of the longest number
	spaced                 bool
}

// strong says whether the code has the form of an id even where its label is weak.
func (c *code) strong() bool {
	return c.digits >= 5 || c.digits >= 3 && (c.letters > 0 || c.parts > 1)
}

// code reads an id from token i: letters and numbers glued by - / . _ and, while the groups stay short, by spaces.
func (s *scan) code(i int) code {
	c := code{from: i, to: i}
	if s.has(i, phoneHead|faxHead|birth|honorific|month) {
		return c
	}
	c.glue(s, i)
	if c.to == i {
		return c
	}
	for c.to < len(s.toks) && s.at(c.to).gap == 1 && s.at(c.to).lines == 0 && c.parts < 12 {
		last, next := s.at(c.to-1), s.at(c.to)
		switch {
		case next.kind == number && next.runes <= 9 && s.groupable(&c, last) && (last.kind == word && !s.has(c.to+1, unitWord) || next.runes <= 6 && !s.measured(c.to)) && !(last.runes >= 5 && s.year(c.to)):
			c.spaced = true
			from := c.to
			c.glue(s, from)
			continue
		case next.kind == word && next.shape != lower && last.kind == number && next.runes <= 4 && s.isNumber(c.to+1) && s.near(c.to+1) && s.isSign(c.to+2, '/') && s.glued(c.to+2) && s.isNumber(c.to+3) && !s.has(c.to, unitWord|function|birth) && !s.dated(c.to+1),
			next.kind == word && next.shape == title && next.runes == 1 && last.kind == number && s.isNumber(c.to+1) && s.near(c.to+1) && s.at(c.to+1).runes >= 3 && c.parts > 1:
			c.to++
			c.letters += int(next.runes)
			c.spaced = true
			c.glue(s, c.to)
			if s.isWord(c.to) && s.near(c.to) && s.at(c.to).runes == 1 && s.ends(c.to+1) {
				c.to++
			}
			continue
		case next.kind == word && next.shape != lower && next.shape != mixed && next.runes <= 2 && c.digits >= 3 &&
			last.kind == number && (s.isNumber(c.to+1) && s.near(c.to+1) || !s.near(c.to+1) || s.at(c.to+1).kind == sign) &&
			!s.has(c.to, unitWord|state) && (next.runes == 1 || s.isNumber(c.to+1)) && !(s.isSign(c.to+1, '.') && s.glued(c.to+1)):
			c.to++
			c.letters += int(next.runes)
			c.spaced = true
			if s.isNumber(c.to) && s.near(c.to) && s.at(c.to).runes <= 6 {
				c.glue(s, c.to)
			}
			continue
		}
		break
	}
	return c
}

// dated says whether a whole date begins at token i.
func (s *scan) dated(i int) bool {
	d := s.run(i)
	return d.date()
}

// groupable says whether a number after a space still belongs to the code: all its groups are short numbers, or it
// began with a few capitals.
func (s *scan) groupable(c *code, last *token) bool {
	if last.kind == word {
		return c.to-c.from <= 3 && last.shape == upper && last.runes <= 5 || last.shape == title && last.runes == 1
	}
	return c.longest <= 6 && last.kind == number && last.runes <= 6 && (c.letters == 0 || c.spaced || s.isWord(c.from) && s.at(c.from).runes <= 2)
}

// measured says whether the number at token i counts or measures something.
func (s *scan) measured(i int) bool {
	j := i + 1
	if s.isSign(j, ',') && s.glued(j+1) && s.isNumber(j+1) {
		j += 2
	}
	if s.isSign(j, '.') && s.glued(j) && s.isNumber(j+1) && s.glued(j+1) {
		return true // a date or a decimal
	}
	return s.has(j, unitWord) && s.near(j) && !(s.at(j).shape == title && s.at(j).runes == 1) || s.isSign(j, '%') || s.isSign(j, '/') && s.glued(j) && s.isNumber(j+1) && s.at(j+1).runes <= 2
}

// glue adds token i and all that hangs on it without a space.
func (c *code) glue(s *scan, i int) {
	for j := i; j < len(s.toks) && j < i+longest && (j == i || s.glued(j)); j++ {
		t := s.at(j)
		switch t.kind {
		case number:
			c.digits += int(t.runes)
			c.longest = max(c.longest, int(t.runes))
			c.parts++
		case word:
			if t.shape == lower && t.runes >= 4 || t.runes > 12 || j > i && t.shape == title && t.runes > 3 {
				return
			}
			if j > i && t.shape == lower && s.has(j, unitWord|function) && t.runes > 1 {
				return
			}
			c.letters += int(t.runes)
			c.parts++
		default:
			switch t.sign {
			case '-', '/', '_', '.', '\\':
				if !s.glued(j+1) || s.at(j+1).kind == sign {
					return
				}
				if t.sign == '.' && s.isWord(j+1) && s.at(j+1).runes > 3 {
					return
				}
				continue
			case '#':
				if j == i {
					continue
				}
				return
			default:
				return
			}
		}
		if s.takenAs(j) != phi.NoCategory {
			return
		}
		c.to = j + 1
	}
}

// looksLikeDate says whether the tokens from i on are a date such as 12.03.2021, 3/14 or 03/2021.
func (s *scan) looksLikeDate(i, end int) bool {
	if !s.isNumber(i) {
		return false
	}
	d := s.run(i)
	if d.date() && s.calendar(i, &d) {
		return true
	}
	if d.groups == 2 && (d.seps[1] == '.' || d.seps[1] == '/') && d.to <= end {
		a, b := s.value(i), s.value(d.to-1)
		return a >= 1 && a <= 31 && d.sizes[0] <= 2 && (b >= 1 && b <= 12 || d.sizes[1] == 2 || b >= 1900 && b <= 2100)
	}
	return s.isSign(i+1, '.') && s.glued(i+1) && s.at(i).runes <= 2 && !s.isNumber(i+2)
}

// calendar says whether three numbers in the form of a date can be one.
func (s *scan) calendar(i int, d *digits) bool {
	var v [3]int
	n := 0
	for k := i; k < d.to && n < 3; k++ {
		if s.isNumber(k) {
			v[n] = s.value(k)
			n++
		}
	}
	day := func(x int) bool { return x >= 1 && x <= 31 }
	mon := func(x int) bool { return x >= 1 && x <= 12 }
	return day(v[0]) && mon(v[1]) || mon(v[0]) && day(v[1]) || mon(v[1]) && day(v[2])
}

// year says whether a token is a number from 1900 to 2099.
func (s *scan) year(i int) bool {
	v := s.value(i)
	return s.isNumber(i) && s.at(i).runes == 4 && v >= 1900 && v < 2100
}

// labelledID reads the id that the word at token i announces and gives the token behind it, or i.
func (s *scan) labelledID(i int) int {
	head := s.at(i).class
	if s.has(i, lot) || s.lotBefore(i) || s.is(i, "sn") && s.glued(i+1) && s.isNumber(i+1) && s.at(i+1).runes <= 2 {
		return i // SN60AT is the model of a lens
	}
	weak := head&(idHead|device|account|license|social) == 0 || head&weakIDHead != 0
	numbered, colon, leader := head&numberWord != 0 && head&idHead == 0, false, false
	bare := numbered // "Nr." without a head
	if numbered {
		weak = true
		for k := i - 1; k >= 0 && k >= i-4 && s.at(k+1).lines == 0 && s.at(k+1).gap < 2; k-- {
			if s.isWord(k) {
				head |= s.at(k).class
				if s.has(k, ward|streetHeadEN|unitWord) && !s.has(k, idHead|weakIDHead) || s.has(k, phoneHead|faxHead) || s.oneOf(k, "icd", "ops", "cpt", "ebm", "ziffer", "goae", "haus", "din", "figure", "table", "seite", "abb") {
					return i
				}
				if s.has(k, lot) {
					return i
				}
				break
			}
		}
	}
	j := i + 1
	if (s.is(i, "s") || s.is(i, "lot")) && s.isSign(j, '/') && (s.is(j+1, "n") || s.is(j+1, "sn")) && s.glued(j) {
		head, weak, numbered = device, false, true
		j += 2
	}
	steps := 0
	for ; j < len(s.toks) && steps < 60; j++ {
		steps++
		t := s.at(j)
		if t.lines > 0 {
			if !(colon && t.lines == 1 && s.isNumber(j)) {
				return i
			}
		}
		switch {
		case t.sign == ':' || t.sign == '=':
			colon = true
		case t.sign == '#':
			numbered = true
			if s.glued(j+1) && s.glued(j) {
				continue
			}
		case t.sign == '.' && t.kind == sign:
			leader = leader || s.isSign(j+1, '.')
		case t.sign == '-' && t.kind == sign || t.sign == '/' && t.kind == sign:
			if !s.glued(j+1) && t.sign == '/' && !numbered {
				return i
			}
		case t.sign == '|' && (colon || numbered || !weak), t.sign == '"', t.sign == ')' && s.parenBefore(i), t.sign == ']', t.sign == '\'', t.sign == '*':
		case t.sign == '(' && (numbered || !weak):
		case t.kind == word && t.class&numberWord != 0 && !s.isCodeWord(j):
			numbered = true
		case t.kind == word && numbered && t.shape == upper && t.runes <= 3 && t.class&numberWord == 0 && s.isNumber(j+1) && s.at(j+1).gap == 1 && s.at(j+1).runes >= 2:
			goto value // "Lauf-Nr. RG 77-4401"
		case t.kind == word && t.class&(idHead|weakIDHead|device|license|healthplan|social|account|study) != 0 && !s.isCodeWord(j) && !(numbered && j > i+1 && t.shape == upper && s.isSign(j+1, '-') && s.glued(j+1) && s.isNumber(j+2) && s.glued(j+2)) && !(colon && t.class&(weakIDHead|idHead) == 0):
			if t.class&lot != 0 {
				return i
			}
			if t.gap > 1 || t.lines > 0 {
				return i
			}
			head |= t.class
			if t.class&idHead != 0 && t.class&weakIDHead == 0 {
				weak = false
			}
		case t.kind == word && s.oneOf(j, "is", "lautet", "ending", "in", "ends", "stellig", "endet", "auf", "der", "des", "dort", "hier", "intern", "extern", "four", "last", "was", "war", "z", "screening", "national", "card", "lic") && (numbered || !weak || colon || s.is(j, "z") && s.isSign(j-1, '-') || s.oneOf(j, "card", "screening", "national", "lic")):
			if s.oneOf(j, "der", "des", "in", "auf") && !numbered {
				return i
			}
		default:
			goto value
		}
	}
	return i
value:
	if j >= len(s.toks) || s.at(j).kind == sign && !s.isSign(j, '#') {
		return i
	}
	if s.cued(j, vitalCue) && s.at(j).shape != lower && (s.isNumber(j+1) && !s.glued(j+1) || s.isSign(j+1, ':')) {
		return i // a measurement behind "Labor:"
	}
	c := s.code(j)
	if c.to == j || c.digits == 0 || s.looksLikeDate(j, c.to) || s.isNumber(c.to-1) && s.at(c.to-1).runes <= 2 && s.isSign(c.to, ':') && s.glued(c.to) && s.isNumber(c.to+1) && s.glued(c.to+1) {
		return i
	}
	if s.isNumber(c.to-1) && s.measured(c.to-1) && !s.isSign(c.to, '/') {
		return i
	}
	if c.digits <= 3 && c.letters == 0 && (s.has(c.to, unitWord) && s.near(c.to) || s.has(c.to, month)) {
		return i
	}
	if head&(phoneHead|faxHead) != 0 && bare || s.diagnosis(&c) {
		return i
	}
	if d := s.run(j); !numbered && weak && d.groups > 1 && s.phoneForm(&d) >= 0.85 {
		return i
	}
	if s.oneOf(i, "rx", "order", "medicare", "ik", "case", "claim", "vin", "pan", "fin", "spec") && c.digits < 5 && !numbered {
		return i
	}
	if numbered && s.isSign(c.to, ',') && s.isNumber(c.to-1) && s.slashed(&c) && s.capital(c.to+1) {
		return i // the number of a house
	}
	explicit := numbered || colon || leader
	switch {
	case bare && !explicitBare(s, i):
		if !c.strong() || c.digits < 4 {
			return i
		}
	case bare && head&(idHead|weakIDHead) == 0:
		if !c.strong() && c.digits < 4 || c.parts > 1 && c.digits <= 3 && c.letters == 0 {
			return i
		}
	case weak && !explicit:
		if !c.strong() || c.digits < 4 && c.letters == 0 || s.year(j) && c.to == j+1 || c.parts == 1 && c.digits < 5 ||
			s.oneOf(i, "op", "labor", "lab", "ct", "mri", "study", "studie", "report", "order", "research", "kk", "kv", "kasse", "versicherung", "plan", "gerät", "kit") && c.digits < 5 {
			return i
		}
		if s.slashed(&c) && c.digits <= 6 && c.letters == 0 {
			return i
		}
	case weak:
		if c.digits < 3 || s.year(j) && c.to == j+1 && !numbered || s.slashed(&c) && c.digits <= 4 && c.letters == 0 && !numbered {
			return i
		}
		if !numbered && c.digits == 3 && c.letters == 0 {
			return i
		}
	default:
		if c.digits < 2 || c.digits < 4 && !explicit && c.letters == 0 {
			return i
		}
		if s.slashed(&c) && c.digits <= 4 && c.letters == 0 && !explicit {
			return i
		}
	}
	if head&study != 0 && !numbered && head&patientID == 0 && c.digits < 3 {
		return i
	}
	score := 0.95
	if weak && !explicit || bare {
		score = 0.85
	}
	t, source := idType(head)
	if s.othersFile(i) {
		t, source = phi.IDOther, sourceID+"other"
	}
	if s.add(j, c.to, t, score, source) {
		return s.moreCodes(c, t, source)
	}
	return i
}

// moreCodes reads the further ids of a list, "D 81 662, D 81 670 und D 81 693", and gives the end of the last.
func (s *scan) moreCodes(c code, t phi.Type, source string) int {
	for range 8 {
		j := c.to
		switch {
		case (s.isSign(j, ',') || s.isSign(j, ';') || s.isSign(j, '&')) && s.near(j), s.isSign(j, '/') && s.at(j).gap > 0:
			j++
		}
		if s.oneOf(j, "und", "and", "bis", "u", "to", "sowie") {
			j++
		}
		if j == c.to || s.at(j).gap > 1 || s.at(j).lines > 0 || s.at(j).kind == sign {
			return c.to
		}
		next := s.code(j)
		if next.to == j || !next.strong() || next.letters != c.letters || s.looksLikeDate(j, next.to) || s.at(j).kind != s.at(c.from).kind || max(next.digits, c.digits)-min(next.digits, c.digits) > 1 ||
			next.letters == 0 && next.digits < 6 {
			return c.to
		}
		if !s.add(j, next.to, t, 0.85, source) {
			return c.to
		}
		c = next
	}
	return c.to
}

// diagnosis says whether a code has the form of an ICD code: F32.1, D61.818.
func (s *scan) diagnosis(c *code) bool {
	return c.to-c.from == 4 && s.isWord(c.from) && s.at(c.from).runes == 1 && s.isNumber(c.from+1) && s.at(c.from+1).runes == 2 &&
		s.isSign(c.from+2, '.') && s.at(c.from+3).runes <= 3
}

// explicitBare says whether a number word without a head stands as one: "Nr.", "No:", "ID".
func explicitBare(s *scan, i int) bool {
	if s.oneOf(i, "code", "ref", "zahl", "zeichen", "no", "number", "num") {
		return s.isSign(i+1, '.') || s.isSign(i+1, ':')
	}
	return s.at(i).shape != lower || s.isSign(i+1, '.') || s.isSign(i+1, ':')
}

// isCodeWord says whether a word that could be part of a label is the beginning of the code itself: "FALL2290", "E".
func (s *scan) isCodeWord(j int) bool {
	t := s.at(j)
	if t.shape == lower {
		return false
	}
	return s.glued(j+1) && (s.isNumber(j+1) && t.runes <= 2 || s.isSign(j+1, '-') && s.isNumber(j+2) && s.glued(j+2) && t.runes <= 4 && !s.has(j, patientID|numberWord))
}

// slashed says whether a code is two short numbers around a slash, dot or dash, which is more often a ratio.
func (s *scan) slashed(c *code) bool {
	return c.to-c.from == 3 && s.isNumber(c.from) && s.isNumber(c.from+2) && s.at(c.from).runes <= 3 && s.at(c.from+2).runes <= 3
}

// parenBefore says whether a parenthesis opened before token i on its line.
func (s *scan) parenBefore(i int) bool {
	for k := i; k >= 0 && k > i-8; k-- {
		if s.isSign(k, '(') {
			return true
		}
		if s.at(k).lines > 0 {
			return false
		}
	}
	return false
}

// lotBefore says whether a lot number is announced right before token i; lots are no PHI.
func (s *scan) lotBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		if s.has(k, lot) && s.near(k+1) {
			return true
		}
	}
	return false
}

// hash reads the id behind a number sign.
func (s *scan) hash(i int) {
	if !s.glued(i+1) && s.at(i+1).gap > 1 || s.at(i+1).lines > 0 {
		return
	}
	head := class(0)
	for k := i - 1; k >= 0 && k >= i-3 && s.sameLine(k+1); k-- {
		if s.isWord(k) {
			if s.oneOf(k, "image", "images", "slice", "slices", "frame", "frames") {
				return // of a series of pictures
			}
			head = s.at(k).class
			break
		}
	}
	c := s.code(i + 1)
	if head&(lot|ward) != 0 && head&(idHead|weakIDHead) == 0 || head&unitWord != 0 && (c.letters == 0 || c.digits < 6) {
		return
	}
	if c.to == i+1 || s.looksLikeDate(i+1, c.to) || !s.isNumber(i+1) && c.digits < 3 {
		return
	}
	if c.digits < 4 && !(c.strong() && c.letters > 0) && (head&(idHead|weakIDHead) == 0 || c.digits < 3) {
		return
	}
	t, source := idType(head)
	s.add(i+1, c.to, t, 0.85, source)
}

// othersFile says whether the label is of a file that is not the patient's: an insurer's or the police's ("BG-Fall", "police ref").
func (s *scan) othersFile(i int) bool {
	return s.isSign(i-1, '-') && s.glued(i) && s.oneOf(i-2, "bg", "bk") || s.is(i, "police") && s.lang == phi.English
}

// idType gives the type that the classes of a label speak for.
func idType(c class) (phi.Type, string) {
	switch {
	case c&device != 0:
		return phi.IDDevice, sourceID + "device"
	case c&license != 0:
		return phi.IDLicense, sourceID + "license"
	case c&social != 0 && c&healthplan == 0:
		return phi.IDSSN, sourceID + "social"
	case c&account != 0:
		return phi.IDAccount, sourceID + "account"
	case c&healthplan != 0:
		return phi.IDHealthplan, sourceID + "healthplan"
	case c&study != 0:
		return phi.IDStudy, sourceID + "study"
	case c&patientID != 0:
		return phi.IDPatient, sourceID + "patient"
	case c&vehicle != 0 && c&idHead == 0:
		return phi.IDVehicle, sourceID + "vehicle"
	}
	return phi.IDOther, sourceID + "other"
}

// userName reads the login that a label announces: "User hoppe.s", "Benutzer: kbrandl2", "login is spenny72".
func (s *scan) userName(i int) int {
	j := i + 1
	marked := false
	for ; j < i+5 && s.sameLine(j); j++ {
		if s.isSign(j, ':') || s.isSign(j, '=') {
			marked = true
			continue
		}
		if s.has(j, userLabel) || s.oneOf(j, "is", "name", "id", "lautet") || s.isSign(j, '-') || s.isSign(j, '"') || s.isSign(j, '@') || s.isSign(j, '(') {
			continue
		}
		break
	}
	if !s.sameLine(j) || s.at(j).kind == sign {
		return i
	}
	end, digit, joined := j, false, false
	for k := j; k < len(s.toks) && k < j+16 && (k == j || s.glued(k)); k++ {
		t := s.at(k)
		if t.kind == sign && t.sign != '_' && t.sign != '.' && t.sign != '-' && t.sign != '@' {
			break
		}
		if t.kind == sign && !(s.glued(k+1) && s.at(k+1).kind != sign) {
			break
		}
		digit = digit || t.kind == number
		joined = joined || t.kind == sign
		end = k + 1
	}
	if !digit && !joined && (!marked || s.has(j, ordinary) || s.at(j).shape == title) {
		return i
	}
	if s.isNumber(j) && !joined && end == j+1 {
		return i
	}
	if s.add(j, end, phi.NameUsername, 0.9, sourceUser) {
		return end
	}
	return i
}
