package rules

import (
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/check"
)

// checked finds ids that need no label: those with check digits, and those whose form is nobody else's.
func (s *scan) checked() {
	for i := s.next(0, mayCheck); i < len(s.toks); i = s.next(i+1, mayCheck) {
		if s.takenAs(i) != phi.NoCategory || s.at(i).kind == sign {
			continue
		}
		if i > 0 && s.glued(i) && (s.at(i-1).kind != sign || strings.IndexByte("-/._@", s.at(i-1).sign) >= 0) {
			continue // inside something longer
		}
		switch s.at(i).kind {
		case number:
			s.checkedNumber(i)
		case word:
			s.checkedWord(i)
		}
	}
	s.glueds()
}

// checkedWord reads ids that begin with letters: IBAN, KVNR, DEA, VIN, NINO, NCT, Austrian and other codes.
func (s *scan) checkedWord(i int) {
	t := s.at(i)
	n := t.end - t.start
	switch {
	case n == 2 && t.shape == upper && s.isNumber(i+1) && s.glued(i+1) && s.at(i+1).runes >= 2:
		if s.ibanAt(i) {
			return
		}
		c, end := s.compact(i, 20, true)
		switch {
		case len(c) == 9 && digitsOnly(c[2:]) && check.DEA(c[2:]) && !s.glued(end):
			s.add(i, end, phi.IDLicense, 1, sourceID+"license")
		case len(c) == 9 && digitsOnly(c[2:8]) && strings.IndexByte("ABCD", c[8]) >= 0:
			s.add(i, end, phi.IDSSN, 0.9, sourceID+"social")
		case len(c) == 17 && check.VIN(c):
			s.add(i, end, phi.IDVehicle, 1, sourceID+"vehicle")
		}
		c, end = s.compact(i, 9, false)
		if len(c) == 9 && digitsOnly(c[2:8]) && strings.IndexByte("ABCD", c[8]) >= 0 && strings.IndexByte("DFIQUV", c[0]) < 0 {
			s.add(i, end, phi.IDSSN, 0.9, sourceID+"social")
		}
	case n == 1 && t.shape == title && s.isNumber(i+1) && s.near(i+1):
		c, end := s.compact(i, 10, false)
		if len(c) == 10 && digitsOnly(c[1:]) && !(s.glued(end) && s.at(end).kind != sign) && (s.at(i+1).runes == 9 && s.glued(i+1) || s.at(i+1).runes == 3 && s.at(i+2).runes == 3) {
			score := 0.88
			if check.KVNR(c) {
				score = 1
			}
			s.add(i, end, phi.IDHealthplan, score, sourceID+"healthplan")
			return
		}
		if c, end := s.compact(i, 17, true); len(c) == 17 && check.VIN(c) {
			s.add(i, end, phi.IDVehicle, 1, sourceID+"vehicle")
		}
	case n >= 2 && n <= 5 && t.shape == upper && s.isNumber(i+1) && s.at(i+1).runes == 6 && s.driver(i):
	case n == 3 && t.shape == upper && s.is(i, "NCT") && s.isNumber(i+1) && s.glued(i+1) && s.at(i+1).runes == 8:
		s.add(i, i+2, phi.IDStudy, 1, sourceID+"study")
	case (t.shape == upper || n == 1) && s.glued(i+1) && s.at(i+1).kind != sign:
		if c, end := s.compact(i, 17, true); len(c) == 17 && check.VIN(c) {
			s.add(i, end, phi.IDVehicle, 1, sourceID+"vehicle")
		}
	}
	if s.hexCode(i) {
		return
	}
}

// driver reads a British driver number: five letters of the surname, six digits, two initials, a digit and two letters, and
// perhaps the issue: "MORGA 657054 SM9IJ 35".
func (s *scan) driver(i int) bool {
	end, signs := i+2, 0
	for k := i + 2; k < len(s.toks) && k < i+6 && s.at(k).kind != sign && s.at(k).lines == 0 && (k == i+2 && s.at(k).gap < 2 || k > i+2 && s.glued(k)); k++ {
		if s.at(k).kind == word && s.at(k).shape == lower {
			return false
		}
		signs += s.at(k).end - s.at(k).start
		end = k + 1
	}
	if signs != 5 && !(signs == 7 && s.isNumber(end-1)) || !s.isWord(i+2) {
		return false
	}
	if s.isNumber(end) && s.near(end) && s.at(end).runes == 2 {
		end++
	}
	return s.add(i, end, phi.IDLicense, 0.9, sourceID+"license")
}

// ibanAt reads an IBAN in one piece or in groups.
func (s *scan) ibanAt(i int) bool {
	country := s.surface(i)
	want, known := check.IBANLengths[country]
	if !known || s.at(i+1).runes < 2 {
		return false
	}
	c, end := s.compact(i, want, false)
	if len(c) != want || s.glued(end) && s.at(end).kind != sign {
		// too many or too few digits: still an account number if it comes in groups of four
		if end-i >= 5 && len(c) >= 15 && s.at(i+1).runes == 2 && s.at(i+2).runes == 4 && s.at(i+3).runes == 4 {
			return s.add(i, end, phi.IDAccount, 0.9, sourceID+"account")
		}
		return false
	}
	score := 0.9
	if check.IBAN(c) {
		score = 1
	}
	return s.add(i, end, phi.IDAccount, score, sourceID+"account")
}

// compact joins the letters and digits of the tokens from i on, through single spaces unless tight, until it has max
// of them or something else comes.
func (s *scan) compact(i, most int, tight bool) (string, int) {
	var buf [40]byte
	b := buf[:0]
	j := i
	for ; j < len(s.toks) && len(b) < most; j++ {
		t := s.at(j)
		if j > i && (t.lines > 0 || t.gap > 1 || tight && t.gap > 0) || t.kind == sign || t.kind == word && t.shape == lower ||
			len(b)+t.end-t.start > min(most, cap(buf)) {
			break
		}
		b = append(b, s.text[t.start:t.end]...)
	}
	if j > i {
		if whole := s.text[s.toks[i].start:s.toks[j-1].end]; len(whole) == len(b) {
			return whole, j // nothing stands between
		}
	}
	return string(b), j
}

func digitsOnly(id string) bool {
	for i := range len(id) {
		if id[i] < '0' || id[i] > '9' {
			return false
		}
	}
	return len(id) > 0
}

// checkedNumber reads ids that begin with a digit.
func (s *scan) checkedNumber(i int) {
	t := s.at(i)
	n := t.runes
	g := func(k int) uint8 { // size of the number k tokens on, 0 if there is none
		if s.isNumber(i + k) {
			return s.at(i + k).runes
		}
		return 0
	}
	sep := func(k int, c byte) bool { return s.isSign(i+k, c) && s.glued(i+k) && s.glued(i+k+1) }
	loose := func(k int, c byte) bool { return s.isSign(i+k, c) && s.near(i+k) && s.near(i+k+1) }
	num := func(ks ...int) string {
		if len(ks) == 1 {
			return s.surface(i + ks[0])
		}
		var b strings.Builder
		for _, k := range ks {
			b.WriteString(s.surface(i + k))
		}
		return b.String()
	}
	open := func(end int) bool { // nothing hangs on it
		return !(s.glued(end) && (s.at(end).kind != sign || strings.IndexByte("-/.", s.at(end).sign) >= 0 && s.isNumber(end+1) && s.glued(end+1)))
	}
	switch {
	case n == 3 && s.is(i, "756") && (sep(1, '.') && g(2) == 4 && sep(3, '.') && g(4) == 4 && sep(5, '.') && g(6) == 2):
		score := 0.97
		if check.EAN13(num(0, 2, 4, 6)) {
			score = 1
		}
		s.add(i, i+7, phi.IDSSN, score, sourceID+"social")
	case n == 3 && loose(1, '-') && g(2) == 2 && loose(3, '-') && g(4) == 4 && open(i+5) && ssn(num(0, 2, 4)):
		s.add(i, i+5, phi.IDSSN, 0.95, sourceID+"social")
	case n == 3 && g(1) == 3 && s.near(i+1) && g(2) == 4 && s.near(i+2) && check.NHS(num(0, 1, 2)) && open(i+3) && !s.callWord(i):
		s.add(i, i+3, phi.IDPatient, 0.95, sourceID+"patient")
	case n == 10 && open(i+1):
		d := num(0)
		switch {
		case s.callWord(i):
		case svnr(d):
			s.add(i, i+1, phi.IDSSN, 0.95, sourceID+"social")
		case check.NHS(d):
			s.add(i, i+1, phi.IDPatient, 0.9, sourceID+"patient")
		case check.NPI(d):
			s.add(i, i+1, phi.IDLicense, 0.9, sourceID+"license")
		}
	case n == 4 && g(1) == 6 && s.near(i+1) && open(i+2):
		d := num(0, 1)
		if svnr(d) {
			s.add(i, i+2, phi.IDSSN, 1, sourceID+"social")
		} else if dayMonth(d[4:6], d[6:8]) && d[0] != '0' && s.lang != phi.English {
			s.add(i, i+2, phi.IDSSN, 0.8, sourceID+"social")
		}
	case n == 11 && open(i+1) && check.TaxID(num(0)):
		s.add(i, i+1, phi.IDSSN, 0.9, sourceID+"social")
	case n == 2 && g(1) == 3 && s.near(i+1) && g(2) == 3 && s.near(i+2) && g(3) == 3 && s.near(i+3) && open(i+4) && check.TaxID(num(0, 1, 2, 3)):
		s.add(i, i+4, phi.IDSSN, 0.95, sourceID+"social")
	case n == 20 && strings.HasPrefix(num(0), "80756"):
		s.add(i, i+1, phi.IDHealthplan, 1, sourceID+"healthplan")
	case n == 5 && strings.HasPrefix(s.surface(i), "80") && s.near(i+1) && g(1) == 5 && g(2) == 5 && g(3) == 5 && s.near(i+2) && s.near(i+3):
		s.add(i, i+4, phi.IDHealthplan, 0.97, sourceID+"healthplan")
	case n == 5 && s.is(i, "80756") && s.near(i+1) && s.isNumber(i+1):
		_, end := s.compact(i, 20, false)
		s.add(i, end, phi.IDHealthplan, 0.98, sourceID+"healthplan")
	case n == 13 && open(i+1) && strings.HasPrefix(num(0), "756") && check.EAN13(num(0)):
		s.add(i, i+1, phi.IDSSN, 1, sourceID+"social")
	case n == 13 && open(i+1) && strings.HasPrefix(num(0), "7601"):
		s.add(i, i+1, phi.IDLicense, 0.95, sourceID+"license")
	case n >= 13 && n <= 19 && n <= 16 && open(i+1) && check.Luhn(num(0)) && strings.IndexByte("3456", num(0)[0]) >= 0:
		s.add(i, i+1, phi.IDAccount, 0.95, sourceID+"account")
	case n == 4 && s.card(i):
	case n == 4 && sep(1, '-') && g(2) == 6 && sep(3, '-') && g(4) == 2 && strings.HasPrefix(num(0), "20"):
		s.add(i, i+5, phi.IDStudy, 0.95, sourceID+"study")
	case n == 2 && g(1) == 6 && s.near(i+1) && s.isWord(i+2) && s.near(i+2) && s.at(i+2).runes == 1 && s.at(i+2).shape == title && g(3) == 3 && s.near(i+3):
		id := num(0, 1, 2, 3)
		score := 0.9
		if check.RVNR(id) {
			score = 1
		}
		s.add(i, i+4, phi.IDSSN, score, sourceID+"social")
	case n == 8 && s.isWord(i+1) && s.glued(i+1) && s.at(i+1).runes == 1 && g(2) == 3 && s.glued(i+2) && check.RVNR(num(0, 1, 2)):
		s.add(i, i+3, phi.IDSSN, 1, sourceID+"social")
	case n == 1:
		s.mbi(i)
	}
	s.hexCode(i)
}

// card reads a payment card in groups of four.
func (s *scan) card(i int) bool {
	var b strings.Builder
	j := i
	for k := 0; k < 4; k++ {
		if k > 0 && s.isSign(j, '-') && s.glued(j) {
			j++
		}
		if !s.isNumber(j) || s.at(j).runes != 4 || k > 0 && !s.near(j) {
			return false
		}
		b.WriteString(s.surface(j))
		j++
	}
	return check.Luhn(b.String()) && s.add(i, j, phi.IDAccount, 0.97, sourceID+"account")
}

// mbi reads a US Medicare beneficiary id such as 1EG4-TE5-MK73: its places are fixed as digit or letter.
func (s *scan) mbi(i int) {
	var buf [32]byte
	b := buf[:0]
	j := i
	for ; j < len(s.toks) && j < i+16 && len(b) < 11 && (j == i || s.glued(j)); j++ {
		if s.isSign(j, '-') {
			continue
		}
		if s.at(j).kind == sign {
			return
		}
		b = append(b, s.surface(j)...)
	}
	if len(b) != 11 || s.glued(j) && s.at(j).kind != sign {
		return
	}
	for k, want := range []byte("CAXNAXNAANN") {
		isDigit, isLetter := b[k] >= '0' && b[k] <= '9', b[k] >= 'A' && b[k] <= 'Z'
		switch want {
		case 'C':
			isLetter = false
			isDigit = b[k] >= '1' && b[k] <= '9'
		case 'N':
			isLetter = false
		case 'A':
			isDigit = false
		}
		if !isDigit && !isLetter {
			return
		}
	}
	s.add(i, j, phi.IDHealthplan, 0.97, sourceID+"healthplan")
}

// hexCode reads a UUID.
func (s *scan) hexCode(i int) bool {
	if t := s.at(i); t.end-t.start > 8 || !s.glued(i+1) || t.kind == word && t.runes < 8 && !s.isNumber(i+1) {
		return false
	}
	sizes := [5]int{8, 4, 4, 4, 12}
	j := i
	for k, want := range sizes {
		if k > 0 {
			if !s.isSign(j, '-') || !s.glued(j) {
				return false
			}
			j++
		}
		n := 0
		for j < len(s.toks) && n < want && (j == i || s.glued(j)) && s.at(j).kind != sign {
			if strings.Trim(s.surface(j), "0123456789abcdefABCDEF") != "" {
				return false
			}
			n += s.at(j).end - s.at(j).start
			j++
		}
		if n != want {
			return false
		}
	}
	return s.add(i, j, phi.IDOther, 0.95, sourceID+"other")
}

// glueds reads a name and a long number that lost their space: "WhitlockE0048291admitted".
func (s *scan) glueds() {
	for i := s.next(0, mayGlue); i < len(s.toks); i = s.next(i+1, mayGlue) {
		t := s.at(i)
		if t.kind != number || t.runes < 6 || !s.glued(i) || !s.isWord(i-1) || s.takenAs(i) != phi.NoCategory || s.takenAs(i-1) != phi.NoCategory {
			continue
		}
		w := s.surface(i - 1)
		if s.at(i-1).shape != mixed || len(w) < 4 || w[len(w)-1] < 'A' || w[len(w)-1] > 'Z' || w[len(w)-2] < 'a' || w[len(w)-2] > 'z' {
			continue
		}
		cut := t.start - 1
		s.spans = append(s.spans,
			phi.Span{Start: s.at(i - 1).start, End: cut, Type: phi.NamePatient, Score: 0.6, Source: "rules.name.glued"},
			phi.Span{Start: cut, End: t.end, Type: phi.IDPatient, Score: 0.85, Source: sourceID + "patient"})
		s.taken[i-1], s.taken[i] = phi.CategoryID, phi.CategoryID
	}
}

// catalogues are registers of products and procedures: their codes are nobody's.
var catalogues = []string{"pzn", "ndc", "atc", "hcpcs", "cpt", "snomed", "loinc", "ops", "omim", "mim"}

// catalogued says whether the code at token i names a product or a procedure: a catalogue begins it or stands before it.
func (s *scan) catalogued(i int) bool {
	if s.isWord(i) {
		return s.oneOf(i, catalogues...)
	}
	k := i - 1
	if k >= 0 && (s.isSign(k, ':') || s.isSign(k, '-') || s.isSign(k, '.')) {
		k--
	}
	return k >= 0 && s.sameLine(i) && s.oneOf(k, catalogues...)
}

// codes finds ids by form alone: letters and at least four digits in one piece, and long plain numbers.
func (s *scan) codes() {
	for i := s.next(0, mayCode); i < len(s.toks); i = s.next(i+1, mayCode) {
		t := s.at(i)
		if s.takenAs(i) != phi.NoCategory || t.kind == sign {
			continue
		}
		if i > 0 && s.glued(i) && (s.at(i-1).kind != sign || strings.IndexByte("-/._@,*+:", s.at(i-1).sign) >= 0) {
			continue
		}
		if t.kind == word && (t.shape == lower && t.runes > 1 || t.runes > 6 || t.class&idHead != 0 && !(s.glued(i+1) && s.isNumber(i+1))) {
			continue // a label is no part of the code that it announces, unless both are one word
		}
		if s.catalogued(i) {
			continue
		}
		c := code{from: i, to: i}
		c.glue(s, i)
		if t.kind == word && t.shape == upper && t.runes >= 2 && t.runes <= 4 && c.to == i+1 && s.isNumber(i+1) && s.near(i+1) && t.class&(unitWord|phoneHead|faxHead|month|birth|weakIDHead|lot|nameLabel) == 0 && !t.know.Medical() && t.know.Common(s.lang) < 2 && t.cue&vitalCue == 0 && !s.oneOf(i, "dvr", "rr", "mail") {
			if full := s.code(i); full.digits >= 6 && full.to > i+1 && !s.looksLikeDate(i+1, full.to) && s.at(i+1).runes >= 4 && !s.isSign(i+2, '/') {
				s.add(full.from, full.to, phi.IDOther, 0.55, sourceID+"other")
				i = max(i, full.to-1)
				continue
			}
		}
		if c.to == i || c.digits < 4 || s.looksLikeDate(i, c.to) {
			continue
		}
		if score := s.codeForm(&c); score > 0 {
			typ, source := phi.IDOther, sourceID+"other"
			if c.letters == 0 && c.parts == 1 {
				typ, source = phi.ID, sourceID+"number"
			}
			s.add(c.from, c.to, typ, score, source)
		}
		i = max(i, c.to-1)
	}
}

// codeForm judges a code without a label.
func (s *scan) codeForm(c *code) float64 {
	if s.glued(c.to) && (s.at(c.to).kind != sign || strings.IndexByte("%=*+:", s.at(c.to).sign) >= 0) {
		return 0
	}
	if s.isNumber(c.to-1) && s.measured(c.to-1) || s.lotBefore(c.from) {
		return 0
	}
	if s.isSign(c.to, ',') && s.glued(c.to) && s.isNumber(c.to+1) && s.glued(c.to+1) {
		return 0
	}
	seps := 0
	lowers := false
	for k := c.from; k < c.to; k++ {
		if s.at(k).kind == sign {
			seps++
		}
		lowers = lowers || s.at(k).kind == word && s.at(k).shape == lower
		if s.at(k).kind == sign && s.at(k).sign == '.' && c.letters == 0 {
			return 0
		}
	}
	switch {
	case c.letters == 0 && c.parts == 1:
		switch {
		case c.digits >= 8 && c.digits <= 20:
			return 0.7
		case c.digits >= 7:
			return 0.6
		}
		return 0
	case c.letters == 0 && c.parts >= 2:
		if c.parts == 2 && c.digits == 8 && s.isSign(c.from+1, '-') && s.value(c.from) < 2400 && s.value(c.from+2) < 2400 {
			return 0 // from one time to another
		}
		if c.digits >= 8 && c.longest >= 5 && seps == c.parts-1 {
			return 0.6
		}
		return 0
	case lowers && c.letters > 2:
		return 0
	case c.digits == 8 && c.letters == 0:
		return 0
	case s.isWord(c.from) && c.to == c.from+2 && c.longest == 4 && c.letters >= 2 && c.letters <= 4 && s.at(c.from).shape == upper && s.begins(c.from) && s.ends(c.to):
		return 0.55
	case s.isWord(c.from) && c.letters <= 5 && c.longest >= 5:
		return 0.75
	case c.digits >= 6 && c.longest >= 4 && c.letters <= 8:
		return 0.7
	case s.isWord(c.from) && c.longest >= 4 && seps >= 1 && s.at(c.from).shape != lower && !s.year(c.to-1):
		return 0.55
	}
	return 0
}

// svnr says whether ten digits are an Austrian social insurance number: its check digit, and a date of birth at its end.
func svnr(d string) bool { return d[0] != '0' && dayMonth(d[4:6], d[6:8]) && check.SVNR(d) }

// dayMonth says whether two pairs of digits can be a day and a month; Austria counts the 13th to 15th month too.
func dayMonth(day, month string) bool {
	d, m := int(day[0]-'0')*10+int(day[1]-'0'), int(month[0]-'0')*10+int(month[1]-'0')
	return d >= 1 && d <= 31 && m >= 1 && m <= 15
}

// ssn says whether nine digits are a possible US social security number.
func ssn(d string) bool {
	return len(d) == 9 && d[:3] != "000" && d[:3] != "666" && d[3:5] != "00" && d[5:] != "0000"
}
