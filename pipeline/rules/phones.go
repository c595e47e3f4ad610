package rules

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

const (
	sourcePhone = "rules.contact.phone"
	sourceFax   = "rules.contact.fax"
)

// digits is a run of numbers with what may stand between them in a telephone number.
type digits struct {
	from, to int // tokens
	total    int // digits
	groups   int
	sizes    [8]uint8
	seps     [8]byte // before the group of the same index; '(' for a group in parentheses, ' ' for a space alone
	plus     bool
}

// run reads the numbers from token i on. It stops at a column, at a line end and where a separator is no longer
// followed by a number.
func (s *scan) run(i int) digits {
	d := digits{from: i, to: i}
	j := i
	if s.isSign(j, '+') {
		d.plus = true
		j++
		if !s.glued(j) {
			return d
		}
	}
	for d.groups < 8 {
		sep := byte(' ')
		k := j
		if d.groups > 0 {
			if !s.near(k) {
				return d
			}
			if s.glued(k) && s.isNumber(k) && !s.isSign(k-1, ')') {
				return d // cannot be
			}
		}
		// separators: at most two signs
		for n := 0; n < 3 && k < len(s.toks) && s.at(k).kind == sign && (k == i || s.near(k)); n++ {
			c := s.at(k).sign
			if c != '/' && c != '-' && c != '.' && c != '(' && c != ')' {
				return d
			}
			if d.groups > 0 && strings.IndexByte("/-.", c) >= 0 && strings.IndexByte("/-.", sep) >= 0 {
				return d // "0421-6694 0 / -6694 44": two numbers
			}
			if c == '(' || sep != '(' {
				sep = c
			}
			if c == '(' && (!s.isNumber(k+1) || d.groups > 0 && !s.isSign(k+2, ')')) {
				return d
			}
			k++
		}
		if !s.isNumber(k) || d.groups > 0 && !s.near(k) || s.at(k).runes > 15 {
			return d
		}
		if sep == '.' && d.groups > 0 && !s.glued(k) {
			return d // the end of a sentence
		}
		if s.glued(k+1) && s.isWord(k+1) {
			// "90mg" or "3B": no part of a number, unless nothing was read yet
			return d
		}
		d.sizes[d.groups] = s.at(k).runes
		d.seps[d.groups] = sep
		d.groups++
		d.total += int(s.at(k).runes)
		k++
		if s.isSign(k, ')') && s.near(k) && d.hasOpen() {
			k++
		}
		d.to = k
		j = k
	}
	return d
}

// hasOpen says whether the last group began with a parenthesis.
func (d *digits) hasOpen() bool { return d.groups > 0 && d.seps[d.groups-1] == '(' }

// date says whether the run has the form of a date: 1.2.2021, 2021-02-01, 01/02/21.
func (d *digits) date() bool {
	if d.groups < 3 || d.plus {
		return false
	}
	a, b, c := d.sizes[0], d.sizes[1], d.sizes[2]
	if d.groups > 3 && d.seps[3] != ' ' {
		return false
	}
	same := d.seps[1] == d.seps[2] && (d.seps[1] == '.' || d.seps[1] == '/' || d.seps[1] == '-')
	return same && (a <= 2 && b <= 2 && (c == 2 || c == 4) || a == 4 && b == 2 && c == 2)
}

// phones finds telephone numbers by their form alone and extensions that follow one.
func (s *scan) phones() {
	for i := s.next(0, mayPhone); i < len(s.toks); i = s.next(i+1, mayPhone) {
		t := s.at(i)
		if t.kind != number && t.sign != '+' && t.sign != '(' || s.takenAs(i) != phi.NoCategory {
			continue
		}
		if t.sign == '(' && !s.isNumber(i+1) && !(s.isSign(i+1, '+') && s.isNumber(i+2)) {
			continue
		}
		if i > 0 && t.gap == 0 && t.lines == 0 && t.kind == number {
			p := s.at(i - 1)
			if p.kind == word && s.surface(i)[0] == '0' && t.runes >= 4 && s.isSign(i+1, '-') && s.at(i-1).runes > 4 {
				// a label that lost its space
			} else if p.kind != sign || p.sign == '.' || p.sign == ',' || p.sign == '-' || p.sign == '/' || p.sign == '_' || p.sign == '#' || p.sign == '*' {
				continue // inside a longer code, a decimal, a scheme of doses
			}
		}
		d := s.run(i)
		if d.groups == 0 {
			continue
		}
		if !s.free(d.from, d.to) {
			continue
		}
		score := s.phoneForm(&d)
		if score == 0 {
			continue
		}
		typ, source := phi.ContactPhone, sourcePhone
		if s.faxBefore(i) {
			typ, source = phi.ContactFax, sourceFax
		}
		if t.sign == '(' && !s.isSign(d.to-1, ')') && !s.closes(i, d.to) {
			d.from++ // a parenthesis around the sentence, not around the area code
		}
		if s.add(d.from, d.to, typ, score, source) {
			s.furtherNumbers(d.to, typ, source)
			i = d.to - 1
		}
	}
}

// closes says whether the parenthesis at token i closes before token end.
func (s *scan) closes(i, end int) bool {
	for k := i; k < end; k++ {
		if s.isSign(k, ')') {
			return true
		}
	}
	return false
}

// phoneForm says how sure a run of numbers is a telephone number by its form, 0 for not at all. Runs longer than the
// number are cut.
func (s *scan) phoneForm(d *digits) float64 {
	if d.date() || s.at(d.to).kind == sign && s.glued(d.to) && (s.isSign(d.to, '%') || s.isSign(d.to, '*') || s.isSign(d.to, '=')) {
		return 0
	}
	first := s.surface(d.firstNumber(s))
	switch {
	case d.plus:
		if d.total >= 8 && d.total <= 16 {
			return 0.98
		}
	case len(first) >= 2 && first[:2] == "00" && d.total >= 11 && d.total <= 17 && len(first) <= 5 && d.groups >= 3 && first != "00":
		return 0.9
	case first[0] == '0' && len(first) >= 3 && len(first) <= 6 || first[0] == '0' && d.seps[0] == '(' && len(first) >= 2:
		return s.national(d)
	case first[0] == '0' && len(first) <= 2:
		if len(first) == 2 && d.groups == 3 && d.sizes[1] == 4 && d.sizes[2] == 4 && d.seps[1] == ' ' && d.seps[2] == ' ' {
			return 0.75 // 08 5550 8811
		}
		// "0 55 24 - 92 07 11": every group a pair
		if d.groups >= 4 && len(first) == 1 && d.total >= 8 && d.total <= 13 && d.sizes[1] >= 2 && d.sizes[2] >= 2 {
			return 0.85
		}
	case first[0] >= '1':
		return s.american(d)
	}
	return 0
}

func (d *digits) firstNumber(s *scan) int {
	for i := d.from; i < d.to; i++ {
		if s.isNumber(i) {
			return i
		}
	}
	return d.from
}

// national judges numbers that begin with a trunk zero: 030 / 1234-56, (0)89, 079 226 31 04, 020 7946 0123.
func (s *scan) national(d *digits) float64 {
	if k := d.firstNumber(s); d.groups >= 2 && d.sizes[0] == 5 && d.sizes[1] == 4 && d.seps[1] == '-' && s.at(k-1).shape == upper && s.at(k-1).runes == 2 && states[s.surface(k-1)] {
		return 0 // a ZIP code: MA 01604-1234
	}
	if d.total < 6 || d.total > 15 || d.groups < 2 {
		if d.groups == 1 && d.total >= 10 && d.total <= 12 && s.at(d.from).gap+s.at(d.from).lines > 0 && s.surface(d.firstNumber(s))[1] != '0' {
			return 0.6 // 01761234567 alone may as well be an id
		}
		return 0
	}
	for g := 1; g < d.groups; g++ {
		if d.seps[g] == '.' && d.seps[0] != '(' && d.groups < 3 && (d.sizes[0] < 4 || d.sizes[1] < 3) {
			return 0
		}
		if d.sizes[g] == 1 && g+1 < d.groups && d.seps[g] != '/' && d.seps[g] != '-' && d.seps[g] != ' ' {
			return 0
		}
	}
	if d.seps[0] != '(' && d.total < 7 {
		return 0
	}
	if d.groups == 2 && d.sizes[0] == 4 && d.sizes[1] == 4 && d.seps[1] == '-' && s.value(d.to-1) < 2400 {
		return 0 // from one time to another
	}
	if d.seps[1] == ' ' && d.groups == 2 && d.sizes[1] < 4 {
		return 0
	}
	if d.total < 8 && d.sizes[0] > 3 && d.seps[0] != '(' && d.seps[1] == ' ' {
		return 0
	}
	return 0.9
}

// american judges (617) 555-0142, 617-555-0142, 617.555.0142, 617/555-0142, 1-800-555-0142, and 555-0142 where a
// word near it speaks of calling.
func (s *scan) american(d *digits) float64 {
	n := d.sizes
	g := d.groups
	o := 0
	if g >= 4 && n[0] == 1 && s.surface(d.firstNumber(s)) == "1" {
		o = 1
	}
	if g >= o+3 && n[o] == 3 && n[o+1] == 3 && n[o+2] == 4 {
		dashed := d.seps[o+2] == '-' || d.seps[o+2] == '.' && d.seps[o+1] == '.'
		spaced := d.seps[o+1] == ' ' && d.seps[o+2] == ' '
		if g > o+3 {
			s.cut(d, o+3)
		}
		switch {
		case dashed || d.seps[o] == '(':
			return 0.92
		case spaced && (s.callWord(d.from) || o == 1):
			return 0.8
		case spaced && !s.digitIDBefore(d.from):
			return 0.55
		}
		return 0
	}
	if g >= o+2 && n[o] == 3 && n[o+1] == 7 && d.seps[o] == '(' {
		return 0.85
	}
	if g == 2 && n[0] == 3 && n[1] == 4 && d.seps[1] == '-' {
		if s.callWord(d.from) || s.surface(d.from) == "555" {
			return 0.85
		}
		if !s.year(d.to-1) && !s.has(d.to, unitWord) && s.lang == phi.English && !s.digitIDBefore(d.from) && s.ends(d.to) {
			return 0.55
		}
	}
	if g == 2 && n[0] == 1 && n[1] == 4 && d.seps[1] == '-' && !s.year(d.to-1) && s.lang == phi.English && s.ends(d.to) &&
		(s.isSign(d.from-1, '(') || s.isSign(d.from-1, ',')) {
		return 0.6 // an extension in house: 4-7712
	}
	if g == 2 && (n[0] == 4 && n[1] == 4 || n[0] == 5 && n[1] == 5) && d.seps[1] == ' ' && first6(s.surface(d.firstNumber(s))) && (s.callWord(d.from) || s.isSign(d.from-1, ':') || s.oneOf(d.from-1, "hp")) {
		return 0.75 // Singapore, India
	}
	if g == 1 && n[0] == 10 && s.callWord(d.from) {
		return 0.75
	}
	return 0
}

// first6 says whether a number begins as subscribers' numbers do in Asia.
func first6(w string) bool { return w[0] == '6' || w[0] >= '8' }

// cut shortens a run to its first groups.
func (s *scan) cut(d *digits, groups int) {
	seen := 0
	for i := d.from; i < d.to; i++ {
		if s.isNumber(i) {
			seen++
			if seen == groups {
				d.to, d.groups = i+1, groups
				return
			}
		}
	}
}

// digitIDBefore says whether a label of an id stands right before token i.
func (s *scan) digitIDBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4 && s.at(k+1).lines == 0; k-- {
		if s.has(k, idHead|weakIDHead|numberWord) {
			return true
		}
	}
	return false
}

// callWord says whether one of the few words before token i, or the one behind it, speaks of calling.
func (s *scan) callWord(i int) bool {
	for k := i - 1; k >= 0 && k >= i-7; k-- {
		if s.at(k+1).lines > 1 {
			return false
		}
		if s.has(k, phoneHead|extHead|faxHead) || s.oneOf(k, "call", "called", "page", "paged", "contact", "reach", "reached", "anrufen", "unter", "contacts", "text", "txt", "ring", "rang", "at", "line", "office", "h", "w", "c") {
			return true
		}
	}
	return false
}

// faxBefore says whether "Fax" is the label nearest before token i.
func (s *scan) faxBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-8; k-- {
		if s.has(k, faxHead) || s.oneOf(k, "faxen", "faxed", "f") && s.isWord(k) && k >= i-3 {
			return true
		}
		if s.has(k, phoneHead|extHead) {
			return false
		}
		if s.at(k+1).lines > 1 {
			return false
		}
	}
	return false
}

// furtherNumbers reads what may follow a number: "/ -6694 44", "oder -12", "ext 4106", "Durchwahl -155", "und 030 …".
func (s *scan) furtherNumbers(i int, typ phi.Type, source string) {
	for n := 0; n < 4; n++ {
		j := i
		for k := 0; k < 2 && (s.isSign(j, '/') || s.isSign(j, ',') || s.isSign(j, ';') || s.oneOf(j, "oder", "und", "od", "bzw", "or", "u") || s.isSign(j, '.')); k++ {
			j++
		}
		if !s.sameLine(j) {
			return
		}
		if s.has(j, extHead|faxHead|phoneHead) || s.oneOf(j, "x") && s.glued(j+1) {
			return // read by its own label
		}
		if s.is(j, "x") && s.isNumber(j+1) && s.near(j+1) && s.at(j+1).runes >= 2 && s.at(j+1).runes <= 5 {
			s.add(j+1, j+2, typ, 0.9, source)
			return
		}
		if !s.isSign(j, '-') || !s.glued(j+1) || !s.isNumber(j+1) || s.glued(j) {
			return
		}
		d := s.run(j + 1)
		if d.groups == 0 || d.total > 9 {
			return
		}
		if !s.add(j, d.to, typ, 0.9, source) {
			return
		}
		i = d.to
	}
}

// labelledPhone reads the number that a label such as Tel., Fax or App. announces; i is the token behind the label.
func (s *scan) labelledPhone(i int, head class) int {
	typ, source := phi.ContactPhone, sourcePhone
	if head&faxHead != 0 {
		typ, source = phi.ContactFax, sourceFax
	}
	least := 5
	if head&(extHead|faxHead) != 0 {
		least = 2
	}
	j, n := i, 0
	for ; n < 8 && j < len(s.toks); n++ {
		switch {
		case s.isSign(j, ':'), s.isSign(j, '.'), s.isSign(j, '='), s.isSign(j, '#'), s.isSign(j, '|') && head&extHead == 0,
			s.isSign(j, ')'), s.isSign(j, '"'), s.isSign(j, ']'), s.isSign(j, ';') && head&extHead == 0:
		case s.isSign(j, '-') && !s.isNumber(j+1):
		case s.isSign(j, '/') && !s.glued(j+1):
		case s.isSign(j, '(') && !s.isNumber(j+1) && !s.isSign(j+1, '+'):
		case s.has(j, numberWord) || s.has(j, phoneHead|extHead|faxHead) && j > i,
			s.oneOf(j, "p", "g", "d", "m", "priv", "privat", "dienstl", "gesch", "home", "work", "mobile", "office", "is", "unter", "am", "an", "at", "on", "line", "h", "w", "wtf"):
			if head&extHead != 0 && !s.has(j, numberWord|extHead) && !s.isSign(j-1, ':') {
				return i
			}
			if s.has(j, faxHead) {
				return i
			}
			if s.has(j, extHead) {
				head, least = extHead, 2
			}
		default:
			goto value
		}
		if s.at(j).lines > 1 {
			return i
		}
		j++
	}
value:
	start := j
	if s.isSign(j, '-') && s.isNumber(j+1) && s.glued(j+1) {
		j++
	}
	if !s.isNumber(j) && !s.isSign(j, '+') && !s.isSign(j, '(') || s.at(j).lines > 1 {
		return i
	}
	if s.at(j).lines > 0 && head&extHead != 0 {
		return i
	}
	d := s.run(j)
	if head&extHead != 0 && d.groups > 1 && d.seps[1] == '/' && d.total < 6 {
		return i // a strength of 5/5
	}
	if d.groups == 2 && d.seps[1] == '.' && d.sizes[0] <= 2 && d.sizes[1] <= 2 {
		return i // a day or a time: "… per Handy.\n15.01. NIV"
	}
	if head&extHead != 0 && (s.glued(j) && s.isWord(j-1) || d.groups >= 3 && d.sizes[d.groups-1] == 1 || s.isSign(d.to, ':') && s.glued(d.to)) {
		return i
	}
	if head&extHead == 0 && d.groups == 2 && d.seps[1] == '/' && d.total < 7 || s.isSign(j-1, ':') && s.glued(j) && s.glued(j-1) && d.groups == 1 && d.total == 7 && s.is(i-1, "hp") {
		return i
	}
	if d.groups == 0 || d.total < least && !(start < j) && !(head&phoneHead != 0 && d.total >= 4) || d.total > 17 || d.date() {
		return i
	}
	if head&extHead != 0 {
		s.extension(&d)
		if s.has(d.to, unitWord) && s.near(d.to) && !s.oneOf(d.to, "am", "mal") || s.isSign(d.to, '%') {
			return i
		}
	}
	if s.isSign(d.from, '(') && !s.closes(d.from, d.to) {
		d.from++
		start = d.from
	}
	if head&faxHead != 0 || head&phoneHead != 0 {
		s.trim(&d)
	}
	if s.add(start, d.to, typ, 0.97, source) {
		s.furtherNumbers(d.to, typ, source)
		return d.to
	}
	return i
}

// extension cuts a run behind "App." to what an extension can be: one group, or short ones.
func (s *scan) extension(d *digits) {
	total := 0
	for g := range d.groups {
		if total+int(d.sizes[g]) > 6 && g > 0 && d.total < 9 && d.seps[g] == ' ' || g > 0 && d.seps[g] == '.' && d.sizes[g] < 3 {
			s.cut(d, g)
			return
		}
		total += int(d.sizes[g])
	}
}

// trim drops a last group that belongs to something else: a time or a date behind the number.
func (s *scan) trim(d *digits) {
	if d.groups < 3 {
		return
	}
	if s.isSign(d.to, ':') && s.glued(d.to) && s.isNumber(d.to+1) || s.isSign(d.to, '.') && s.glued(d.to+1) && s.isNumber(d.to+1) {
		s.cut(d, d.groups-1)
	}
}

// lateExtensions reads "-4408" behind a person's name or behind another number of the same line.
func (s *scan) lateExtensions() {
	for i := s.next(0, mayDash); i < len(s.toks); i = s.next(i+1, mayDash) {
		if !s.isSign(i, '-') || !s.glued(i+1) || !s.isNumber(i+1) || s.glued(i) && !s.isSign(i-1, '(') || s.takenAs(i+1) != phi.NoCategory || i == 0 || s.at(i).lines > 0 {
			continue
		}
		n := s.at(i + 1).runes
		if n < 2 || n > 5 || s.glued(i+2) && (s.at(i+2).kind != sign || (s.isSign(i+2, '.') || s.isSign(i+2, ',') || s.isSign(i+2, '-') || s.isSign(i+2, '/')) && s.glued(i+3) && s.at(i+3).kind != sign) || s.has(i+2, unitWord) || s.isSign(i+2, '%') || s.year(i+1) {
			continue
		}
		before := i - 1
		if s.isSign(before, '(') || s.isSign(before, ',') || s.isSign(before, ':') {
			before--
		}
		if before < 0 || s.takenAs(before) != phi.CategoryName && s.takenAs(before) != phi.CategoryContact || n < 3 && s.takenAs(before) != phi.CategoryContact {
			continue
		}
		s.add(i, i+2, phi.ContactPhone, 0.75, sourcePhone)
	}
}
