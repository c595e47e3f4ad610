package rules

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

// spoken reads numbers that were dictated digit by digit: "null fünf fünf sechs …", "double oh nine". With a label before
// them three digits are enough, without one it takes six.
func (s *scan) spoken() {
	for i := s.next(0, maySpeak); i < len(s.toks); i = s.next(i+1, maySpeak) {
		if !s.cued(i, spokenCue) || s.taken[i] != phi.NoCategory {
			continue
		}
		end := i + 1
		for end < len(s.toks) && end-i < 40 && s.cued(end, spokenCue) && s.taken[end] == phi.NoCategory && s.at(end).gap < 2 && s.at(end).lines < 2 {
			end++
		}
		typ, source, labelled := phi.ContactPhone, sourcePhone, false
		for k := i - 1; k >= 0 && k >= i-4 && s.at(k+1).lines < 2; k-- {
			switch {
			case s.has(k, phoneHead|extHead|faxHead):
				labelled = true
			case s.has(k, idHead|social|healthplan|patientID) || s.is(k, "record"):
				labelled = true
				typ, source = idType(s.at(k).class)
				if s.is(k, "record") {
					typ = phi.IDPatient
				}
			default:
				continue
			}
			break
		}
		if n := end - i; n >= 6 || labelled && n >= 3 {
			s.add(i, end, typ, 0.8, source)
		}
		i = end - 1
	}
}

// calledNumbers reads the numbers of telephones and pagers that a verb announces from a distance: "Ring 1199", "page me at
// 60422", "call the reg on 2288", "Anmeldung unter 81177".
func (s *scan) calledNumbers() {
	for i := s.next(0, mayCall); i < len(s.toks); i = s.next(i+1, mayCall) {
		if !s.cued(i, callCue) {
			continue
		}
		j := i + 1
		joint := s.cued(i, underCue)
		for n := 0; n < 5 && s.near(j) && s.isWord(j); n++ {
			joint = joint || s.oneOf(j, "at", "on", "is", "unter", "auf", "to")
			j++
		}
		if s.isSign(j, ':') && s.near(j) {
			joint = true
			j++
		}
		if !s.near(j) || !s.isNumber(j) || j-i > 1 && !joint || s.taken[j] != phi.NoCategory {
			continue
		}
		d := s.run(j)
		if d.groups == 0 || d.groups > 2 || d.total < 4 || d.total > 8 || d.groups == 2 && d.seps[1] != '-' || s.year(j) && d.groups == 1 ||
			s.has(d.to, unitWord) && s.near(d.to) || s.glued(d.to) && !s.isSign(d.to, '.') && !s.isSign(d.to, ',') && !s.isSign(d.to, ')') && !s.isSign(d.to, '?') && !s.isSign(d.to, ';') ||
			s.isSign(d.to, '.') && s.glued(d.to+1) || d.total == 4 && s.clock(j) && s.lang == phi.English && s.oneOf(j-1, "at") {
			continue
		}
		s.add(j, d.to, phi.ContactPhone, 0.7, sourcePhone)
	}
}

// clock says whether a number of four digits can be a time.
func (s *scan) clock(i int) bool { v := s.value(i); return v < 2400 && v%100 < 60 && v%5 == 0 }

// repeatedExchange reads further numbers of a house that leave out what a full number before them has: "86-6741" where
// "03834 86-6712" stands.
func (s *scan) repeatedExchange() {
	var exchanges [8]string
	n := 0
	for i := s.next(0, mayDash); i < len(s.toks); i = s.next(i+1, mayDash) {
		if s.taken[i] != phi.CategoryContact || !s.isSign(i, '-') || !s.isNumber(i-1) || !s.isNumber(i+1) || s.at(i-1).runes < 2 || s.at(i-1).runes > 6 {
			continue
		}
		if n < len(exchanges) && !contains(exchanges[:n], s.surface(i-1)) {
			exchanges[n] = s.surface(i - 1)
			n++
		}
	}
	if n == 0 {
		return
	}
	for i := range s.toks {
		if s.isNumber(i) && s.taken[i] == phi.NoCategory && s.isSign(i+1, '-') && s.glued(i+1) && s.isNumber(i+2) && s.glued(i+2) &&
			s.at(i+2).runes >= 2 && s.at(i+2).runes <= 5 && !(s.glued(i) && s.at(i-1).kind != sign) && (!s.glued(i+3) || strings.IndexByte(",.;:)|*", s.at(i+3).sign) >= 0) &&
			contains(exchanges[:n], s.surface(i)) {
			s.add(i, i+3, phi.ContactPhone, 0.8, sourcePhone)
		}
	}
}

func contains(list []string, want string) bool {
	for _, w := range list {
		if w == want {
			return true
		}
	}
	return false
}

// behindNames reads the extension that stands behind a person's name: "OA Thiermann (41-207)", "Frau Binder, 4000-66 711".
func (s *scan) behindNames() {
	for i := s.next(0, mayTrail); i < len(s.toks); i = s.next(i+1, mayTrail) {
		if s.takenAs(i) != phi.CategoryName || s.takenAs(i+1) == phi.CategoryName {
			continue
		}
		j := i + 1
		paren := s.isSign(j, '(')
		if !paren && !s.isSign(j, ',') || !s.near(j) {
			continue
		}
		j++
		if !s.near(j) || !s.isNumber(j) || s.taken[j] != phi.NoCategory {
			continue
		}
		d := s.run(j)
		if d.groups < 2 && !paren || d.groups == 0 || d.groups > 4 || d.total < 4 || d.total > 11 || d.date() || s.year(j) && d.groups == 1 || d.groups == 2 && d.seps[1] != '-' && d.total < 6 ||
			paren && !s.isSign(d.to, ')') || !paren && !s.ends(d.to) && !s.isSign(d.to, ':') || s.has(d.to, unitWord) {
			continue
		}
		s.add(j, d.to, phi.ContactPhone, 0.65, sourcePhone)
	}
}

// registrations reads the marks of aircraft, the call signs of rescue helicopters, and the plates that look like nothing
// else: "HB-ZPQ", "D-HDRF", "VH-NQX", "Christoph 14", "WX15 KOD".
func (s *scan) registrations() {
	for i := s.next(0, mayRegistration); i < len(s.toks); i = s.next(i+1, mayRegistration) {
		t := s.at(i)
		if t.kind != word || t.shape == lower || s.taken[i] != phi.NoCategory {
			continue
		}
		switch {
		case t.shape == upper && t.runes <= 2 || t.runes == 1:
			if s.isSign(i+1, '-') && s.glued(i+1) && s.isWord(i+2) && s.glued(i+2) && s.at(i+2).shape == upper && !s.glued(i+3) && s.aircraft(s.surface(i), s.surface(i+2)) && s.flying(i) {
				s.add(i, i+3, phi.IDVehicle, 0.85, sourceVehicle)
			}
			// British plates since 2001: two letters, two digits, three letters.
			if t.runes == 2 && s.isNumber(i+1) && s.glued(i+1) && s.at(i+1).runes == 2 && s.isWord(i+2) && s.near(i+2) && !s.glued(i+2) && s.at(i+2).shape == upper && s.at(i+2).runes == 3 &&
				s.lang != phi.German && !s.glued(i) && s.at(i+2).know.Common("") == 0 && !s.has(i+2, unitWord|credential) && !s.at(i+2).know.Medical() && !s.glued(i+3) {
				s.add(i, i+3, phi.IDVehicle, 0.7, sourceVehicle)
			}
		case s.oneOf(i, "christoph", "christophorus") && s.isNumber(i+1) && s.near(i+1) && s.at(i+1).runes <= 2 && !s.glued(i+2):
			s.add(i, i+2, phi.IDVehicle, 0.85, sourceVehicle)
		}
	}
}

// aircraft says whether the two parts have the form of a registration of the countries around.
func (s *scan) aircraft(nation, rest string) bool {
	switch nation {
	case "HB", "OE", "VH", "EI", "ZK", "ZS", "LX":
		return len(rest) == 3
	case "D", "G", "C", "I", "F":
		return len(rest) == 4
	}
	return false
}

// flying says whether one of the words around token i speaks of a vehicle or of flight.
func (s *scan) flying(i int) bool {
	for k := i - 1; k >= 0 && k >= i-10; k-- {
		if s.has(k, vehicle) || s.cued(k, flightCue) {
			return true
		}
	}
	return false
}
