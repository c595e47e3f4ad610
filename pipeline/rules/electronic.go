package rules

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

const (
	sourceMail = "rules.contact.email"
	sourceURL  = "rules.contact.url"
	sourceIP   = "rules.contact.ip"
)

// domains are the last parts of bare host names that are believed without www or a scheme.
var domains = set(`de at ch com org net edu gov uk eu info example berlin hamburg koeln wien swiss nl fr it li lu ie us ca au nz local telematik
	health clinic care io app dev online test invalid`)

// shyDomains are also common words, so that the host needs a second sign of being one.
var shyDomains = set(`at it us in is io app care test local online clinic health info berlin wien hamburg invalid`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// longest bounds how many tokens an address or a code may have, and with it what hostile texts can cost.
const longest = 48

// electronic finds mail and KIM addresses, URLs and IP addresses.
func (s *scan) electronic() {
	for i := s.next(0, mayElectronic); i < len(s.toks); i = s.next(i+1, mayElectronic) {
		t := s.at(i)
		if s.takenAs(i) != phi.NoCategory {
			continue
		}
		switch {
		case t.sign == '@':
			s.mail(i)
		case t.cue&atCue != 0:
			s.spelledMail(i)
		case t.cue&schemeCue != 0:
			s.url(i)
		case t.sign == '.' && s.glued(i) && s.glued(i+1) && s.isWord(i+1):
			s.bareHost(i)
		case t.kind == number && s.isSign(i+1, '.') && s.glued(i+1):
			s.ipv4(i)
		case t.sign == ':' && s.isSign(i+1, ':') && s.glued(i+1) || t.sign == ':' && t.kind == sign && s.glued(i) && s.glued(i+1):
			s.ipv6(i)
		}
	}
}

// mail reads an address around its @.
func (s *scan) mail(at int) {
	from, to := s.localPart(at), s.hostEnd(at+1)
	if from == at || to == at+1 || !s.glued(at+1) || !s.glued(at) {
		return
	}
	dots := false
	for i := at + 1; i < to; i++ {
		dots = dots || s.isSign(i, '.')
	}
	if !dots {
		if s.isNumber(at-1) || !s.isWord(at+1) {
			return
		}
		if to-from >= 3 && s.has(from-2, userLabel|signature) {
			s.add(from, to, phi.NameUsername, 0.85, sourceUser)
		} else {
			s.add(from, to, phi.ContactEmail, 0.7, sourceMail)
		}
		return
	}
	s.add(from, to, phi.ContactEmail, 1, sourceMail)
}

// localPart gives the first token of what stands glued before token at and can belong to an address.
func (s *scan) localPart(at int) int {
	i := at
	for i > 0 && s.glued(i) && at-i < longest {
		p := s.at(i - 1)
		if p.kind == sign && strings.IndexByte("._-+%'&", p.sign) < 0 || p.sign == 0 && p.kind == sign {
			break
		}
		i--
	}
	for i < at && s.at(i).kind == sign {
		i++
	}
	return i
}

// hostEnd gives the end of the host name that begins at token i; dots at the end are none of it.
func (s *scan) hostEnd(i int) int {
	end := i
	for j := i; j < len(s.toks) && j < i+longest && (j == i || s.glued(j)); j++ {
		t := s.at(j)
		if t.kind == sign && t.sign != '.' && t.sign != '-' {
			break
		}
		if t.kind != sign {
			end = j + 1
		}
	}
	return end
}

// spelledMail reads "name (at) host.de" and "name at host dot de".
func (s *scan) spelledMail(at int) {
	var from, host int
	switch {
	case (s.isSign(at-1, '(') || s.isSign(at-1, '[') || s.isSign(at-1, '{')) && s.at(at+1).kind == sign && s.at(at+1).sign != 0:
		from, host = at-1, at+2
	default:
		return
	}
	if !s.near(from) || !s.near(host) {
		return
	}
	start := s.localPart(from)
	if start == from {
		if from == 0 || s.at(from-1).kind == sign {
			return
		}
		start = s.localPart(from - 1)
		if s.at(from-1).kind != sign && start > from-1 {
			start = from - 1
		}
		if start > from-1 {
			return
		}
	}
	end, dots := host, 0
	for j := host; j < len(s.toks) && j < host+12; j++ {
		switch {
		case j > host && !s.near(j):
			j = len(s.toks)
		case s.isSign(j, '.') && s.glued(j):
			if s.glued(j + 1) {
				dots++
			}
		case s.isSign(j, '-') && s.glued(j):
		case s.at(j).kind != sign && (j == host || s.glued(j)):
			end = j + 1
		case s.isSign(j, '(') && (s.is(j+1, "dot") || s.is(j+1, "punkt")) && s.at(j+2).kind == sign:
			dots++
			j += 3
			end = j + 1
		default:
			j = len(s.toks)
		}
	}
	if dots > 0 && end > host && end <= len(s.toks) {
		s.add(start, end, phi.ContactEmail, 0.95, sourceMail)
	}
}

// url reads from a scheme or www to the next space; signs that end a sentence are none of it.
func (s *scan) url(i int) {
	if !s.is(i, "www") && !(s.isSign(i+1, ':') && s.isSign(i+2, '/') && s.glued(i+1) && s.glued(i+2)) {
		return
	}
	if s.is(i, "www") && !(s.isSign(i+1, '.') && s.glued(i+1) && s.glued(i+2)) {
		return
	}
	s.add(i, s.urlEnd(i+1), phi.ContactURL, 1, sourceURL)
}

func (s *scan) urlEnd(i int) int {
	end, open := i, 0
	for j := i; j < len(s.toks) && j < i+8*longest && s.glued(j); j++ {
		t := s.at(j)
		if t.kind != sign {
			end = j + 1
			continue
		}
		switch t.sign {
		case '(':
			open++
		case ')':
			if open == 0 {
				return end
			}
			open--
			end = j + 1
		case '"', '\'', '<', '>', '|', '[', ']', ';':
			return end
		case '/', '=':
			end = j + 1
		}
	}
	return end
}

// bareHost reads a host name without www around the dot before its last part.
func (s *scan) bareHost(dot int) {
	if !domains[strings.ToLower(s.surface(dot+1))] || s.at(dot+1).shape == title {
		return
	}
	if s.isSign(dot+2, '.') && s.glued(dot+2) && s.isWord(dot+3) && s.glued(dot+3) || s.glued(dot+2) && s.at(dot+2).kind == word {
		return // not the last part
	}
	from, parts, hyphen := dot, 1, false
	for from > 0 && dot-from < longest && (from == dot || s.glued(from)) {
		p := s.at(from - 1)
		if p.kind == sign && p.sign != '.' && p.sign != '-' {
			break
		}
		if p.shape == title || p.shape == mixed {
			break
		}
		if p.sign == '.' {
			parts++
		}
		hyphen = hyphen || p.sign == '-'
		from--
	}
	for from < dot && s.at(from).kind == sign {
		from++
	}
	if from == dot || !s.isWord(from) && parts == 1 && !hyphen {
		return
	}
	host := s.text[s.at(from).start:s.at(dot).start]
	path := s.isSign(dot+2, '/') && s.glued(dot+2) && s.glued(dot+3)
	if len(host) < 3 || shyDomains[strings.ToLower(s.surface(dot+1))] && parts == 1 && !hyphen && !path {
		return
	}
	if len(host) < 5 && !path && !hyphen {
		return
	}
	if s.isSign(dot+2, '=') && s.glued(dot+2) {
		return // an attribute of a record
	}
	end := dot + 2
	if path || s.isSign(end, '?') && s.glued(end+1) {
		end = s.urlEnd(end)
	}
	s.add(from, end, phi.ContactURL, 0.9, sourceURL)
}

// ipv4 reads four numbers of at most 255 that are no part of a longer dotted number, such as an OID.
func (s *scan) ipv4(i int) {
	if s.glued(i) && (s.isSign(i-1, '.') || s.isSign(i-1, '-')) && s.isNumber(i-2) && s.glued(i-1) {
		return
	}
	big := false
	for k := range 4 {
		j := i + 2*k
		if !s.isNumber(j) || k > 0 && !(s.glued(j) && s.isSign(j-1, '.') && s.glued(j-1)) || s.at(j).runes > 3 || s.value(j) > 255 {
			return
		}
		big = big || s.value(j) >= 10
	}
	if !big || s.isSign(i+7, '.') && s.glued(i+7) && s.isNumber(i+8) && s.glued(i+8) {
		return
	}
	end := i + 7
	score := 0.9
	s.add(i, end, phi.ContactIP, score, sourceIP)
}

// ipv6 reads hexadecimal groups around a double colon, or eight of them; six pairs are a device's address.
func (s *scan) ipv6(colon int) {
	from := colon
	for from > 0 && colon-from < 24 && (from == colon && s.glued(colon) || from < colon && s.glued(from)) {
		p := s.at(from - 1)
		if p.sign != ':' && !s.hex(from-1) {
			break
		}
		from--
	}
	groups, double, letters, end, pairs := 0, false, false, from, true
	for j := from; j < len(s.toks) && j < from+48 && (j == from || s.glued(j)); {
		switch {
		case s.isSign(j, ':'):
			if s.isSign(j+1, ':') && s.glued(j+1) {
				double = true
			}
			j++
			if j > from+1 && s.isSign(j-2, ':') {
				end = j
			}
		case s.hex(j):
			n := 0
			for s.hex(j) && (n == 0 || s.glued(j)) {
				letters = letters || s.isWord(j)
				n += s.at(j).end - s.at(j).start
				j++
			}
			if n > 4 {
				return
			}
			pairs = pairs && n == 2
			groups++
			end = j
		default:
			j = len(s.toks)
		}
	}
	switch {
	case double && groups >= 2 && (letters || groups >= 3), groups == 8:
		s.add(from, end, phi.ContactIP, 0.95, sourceIP)
	case groups == 6 && pairs && letters:
		s.add(from, end, phi.IDDevice, 0.9, sourceID+"device")
	}
}

// hex says whether a token can be part of a hexadecimal group.
func (s *scan) hex(i int) bool {
	if s.isNumber(i) {
		return s.at(i).runes <= 4
	}
	if !s.isWord(i) || s.at(i).runes > 4 {
		return false
	}
	return strings.Trim(s.surface(i), "0123456789abcdefABCDEF") == ""
}

// value gives the number that token i stands for, at most nine digits of it.
func (s *scan) value(i int) int {
	if !s.isNumber(i) {
		return 0
	}
	n := 0
	for k, c := range []byte(s.surface(i)) {
		if k == 9 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
