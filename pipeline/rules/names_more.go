package rules

import (
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

const (
	sourceGreeting = "rules.name.greeting"
	sourceAged     = "rules.name.aged"
	sourceSpeaker  = "rules.name.speaker"
	sourceAgent    = "rules.name.agent"
)

// greeting reads "Dear Marge,", "Hallo Ferda,", "Lieber Beat!", "Liebe Anna, lieber Tom".
func (s *scan) greeting(i int) bool {
	if !s.cued(i, greetingCue) {
		return false
	}
	j := i + 1
	if s.isSign(j, ',') {
		j++
	}
	if !s.near(j) || s.takenAs(j) != phi.NoCategory || s.has(j, honorific|doctor|staffRole|patient|relative|organization|hospital) || s.has(j, ordinary) && s.at(j).know.FirstName() < 2 || s.oneOf(j, "doctor", "sir", "parents", "parent", "team", "all", "zusammen") {
		return false
	}
	if !s.capital(j) {
		if s.isWord(j) && s.lowerText() && s.at(j).know.FirstName() >= 2 && s.plainWord(j) == 0 {
			return s.add(j, j+1, phi.Name, 0.75, sourceGreeting)
		}
		return false
	}
	n := s.nameRun(j, promised)
	if n.parts == 0 || n.parts > 3 {
		return false
	}
	end := s.isSign(n.to, ',') || s.isSign(n.to, '!') || s.isSign(n.to, ':') || s.isSign(n.to, '.') || s.isSign(n.to, '-') || s.lineEnd(n.to-1) || s.oneOf(n.to, "und", "and")
	if !end || !n.first && !n.known && (n.common || s.lang == "" && !s.lineStart(i)) {
		return false
	}
	if !s.addName(&n, phi.Name, 0.86, sourceGreeting) {
		return false
	}
	s.moreNames(n.to, phi.Name, true, sourceGreeting)
	return true
}

// behindPreposition reads the surname of who did something: "durch Radtke", "per Ganz RN", "seen by Pelletier",
// "verheiratet mit Brigitte".
func (s *scan) behindPreposition(i int) bool {
	if !s.cued(i, agentCue) {
		return false
	}
	married := s.is(i, "mit") && s.oneOf(i-1, "verheiratet", "ehe", "verh", "liiert", "heirat") || s.is(i, "mit") && s.isSign(i-1, '.') && s.oneOf(i-2, "verh") || s.is(i, "to") && s.oneOf(i-1, "married", "engaged")
	agent := s.oneOf(i, "by", "durch", "per") || s.oneOf(i, "with", "w") && s.oneOf(i-1, "discussed", "spoke", "met", "reviewed", "d", "conferred") || s.is(i, "mit") && s.oneOf(i-1, "rücksprache", "rs", "telefonat", "besprochen")
	if !married && !agent {
		return false
	}
	j := i + 1
	if s.isSign(j, '/') && s.is(i, "w") {
		j++
	}
	if !s.near(j) && !(s.at(j).lines == 1 && s.at(j).gap < 2) || !s.capital(j) || s.takenAs(j) != phi.NoCategory || s.at(j).class&(honorific|doctor|staffRole|patient|ordinary|function|hospital|department|organization|ward|insurer|month) != 0 {
		return false
	}
	n := s.nameRun(j, hinted)
	if n.parts == 0 && n.initials < 2 {
		return false
	}
	w := s.at(n.from).know
	if w.City() > 1 && !n.first || w.Drug() || w.Medical() || s.at(n.from).shape == upper && s.at(n.from).runes <= 4 && n.parts == 1 {
		return false
	}
	if married {
		return (n.first || n.known) && s.addName(&n, phi.NameOther, 0.85, sourceRelative)
	}
	if n.parts == 1 && n.initials == 0 && (w.Surname() < 2 && w.FirstName() < 2 || w.Eponym()) || !n.known && n.initials == 0 {
		return false
	}
	return s.addName(&n, phi.NameStaff, 0.7, sourceAgent)
}

// credentialBefore reads "RN Yolie", "MD Farrukh", "PA Bergquist", where the credential stands as a title.
func (s *scan) credentialBefore(i int) {
	t := s.at(i)
	if t.shape != upper || !s.near(i+1) || !s.capital(i+1) || s.takenAs(i+1) != phi.NoCategory || s.oneOf(i, "ma", "ms", "bs", "do", "pt", "od", "st", "ot", "rd", "pm", "dc", "rt", "esq") || s.at(i+1).class&^(particle|country|state|streetHead|streetHeadEN|derived) != 0 {
		return
	}
	if i > 0 && s.sameLine(i) && s.taken[i-1] == phi.CategoryName || s.isSign(i-1, ',') {
		return
	}
	n := s.nameRun(i+1, hinted)
	if n.parts == 0 || !n.known || s.at(n.from).shape == upper && s.at(n.from).runes <= 4 || n.parts == 1 && s.at(n.from).know.Surname() < 2 && s.at(n.from).know.FirstName() < 2 {
		return
	}
	s.addName(&n, phi.NameStaff, 0.8, sourceCredent)
}

// agedName reads a first name with an age behind it: "Lejla (14, Sekundarschule)", "Melike, 17, Schülerin".
func (s *scan) agedName(i int) {
	if i > 0 && s.glued(i) && s.at(i-1).sign != '(' && s.at(i-1).sign != '"' {
		return
	}
	n := s.hintedRun(i)
	if n.parts == 0 || n.parts > 3 || !n.first {
		return
	}
	j := n.to
	paren := s.isSign(j, '(')
	if !paren && !s.isSign(j, ',') || !s.near(j+1) || !s.isNumber(j+1) || s.at(j+1).runes > 2 || s.at(j+1).lines > 0 {
		return
	}
	k := j + 2
	switch {
	case s.isSign(k, ',') && !s.isNumber(k+1), s.isSign(k, ')') && paren, s.oneOf(k, "j", "y", "yo", "jahre", "years", "mo", "m", "f", "w") && s.near(k):
	default:
		return
	}
	if !paren && s.at(i).know.FirstName() < 2 || s.value(j+1) == 0 {
		return
	}
	s.addName(&n, phi.NameOther, 0.8, sourceAged)
}

// speaker reads who speaks in a chat or a log: "Conny: …", "07:02 Nadja L.: …", "[21:16] abdelfattah.m: …".
func (s *scan) speaker(i int) {
	start := s.lineStart(i)
	timed := false
	k := i - 1
	if s.isSign(k, '-') || s.isSign(k, ']') {
		k--
	}
	if s.isNumber(k) && s.isSign(k-1, ':') && s.isNumber(k-2) && s.near(i) {
		timed = true
	}
	if !start && !timed {
		return
	}
	n := s.hintedRun(i)
	if n.parts == 0 || n.parts > 2 || !n.first || s.at(i).know.FirstName() < 2 && !timed || s.at(i).know.Common("") > 0 || s.at(i).shape == upper {
		return
	}
	j := n.to
	if !s.isSign(j, ':') || !s.glued(j) || s.lineEnd(j) && !timed || s.has(i, birth|nameLabel|idHead) {
		return
	}
	s.addName(&n, phi.Name, 0.75, sourceSpeaker)
}

// visa reads the marks of staff at the ends of entries, "… gut. jw", "… abgeh. /bu", where a mark that comes back in
// the text is believed more.
func (s *scan) visa() {
	marks := s.marks[:0]
	for i := s.next(0, mayVisum); i < len(s.toks); i = s.next(i+1, mayVisum) {
		if s.visum(i) {
			marks = append(marks, i)
		}
		if len(marks) > 1000 {
			break
		}
	}
	s.marks = marks
	if len(marks) == 0 {
		return
	}
	slices.SortFunc(marks, func(a, b int) int {
		if c := strings.Compare(s.surface(a), s.surface(b)); c != 0 {
			return c
		}
		return a - b
	})
	for k := 0; k < len(marks); {
		same := k + 1
		for same < len(marks) && s.surface(marks[same]) == s.surface(marks[k]) {
			same++
		}
		for _, i := range marks[k:same] {
			score := 0.75
			if same-k < 2 {
				score = 0.5
				if !(s.at(i).gap > 1 || s.isSign(i-1, '/')) {
					continue
				}
			}
			s.add(i, i+1, phi.NameStaff, score, sourceSignature)
		}
		k = same
	}
}

// visum says whether token i can be such a mark: two to four letters that are no word, at the end of a line, behind
// the end of a sentence, a column or a slash.
func (s *scan) visum(i int) bool {
	t := s.at(i)
	if t.kind != word || t.runes < 2 || t.runes > 4 || t.lines > 0 || s.takenAs(i) != phi.NoCategory || t.class != 0 && t.class&^(particle|state|credential) != 0 || t.know.Common(s.lang) > 0 || t.know.Medical() {
		return false
	}
	end := i + 1
	if s.isSign(end, ')') && s.isSign(i-1, '(') || s.isSign(end, '*') && s.isSign(i-1, '*') {
		end++
	}
	if end < len(s.toks) && s.at(end).lines == 0 {
		return false
	}
	if t.shape == upper && t.runes > 3 {
		return false
	}
	switch p := s.at(i - 1); {
	case t.gap > 1:
		return i >= 1 && t.shape != upper
	case p.kind == sign && p.sign == '.' && t.gap == 1:
		return t.shape != upper || t.runes == 2
	case p.kind == sign && (p.sign == '/' || p.sign == '|' || p.sign == '*' || p.sign == '('):
		return p.sign == '*' || p.sign == '|' || t.shape == lower || t.shape == title
	}
	return false
}
