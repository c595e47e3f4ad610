package rules

import "fhirdeid/pipeline/phi"

const sourceOrg = "rules.organization.name"

// organizations finds insurers, firms by their legal form or by Firma, schools and pharmacies that bear a name.
func (s *scan) organizations() {
	for i := s.next(0, mayOrganization); i < len(s.toks); i = s.next(i+1, mayOrganization) {
		t := s.at(i)
		if t.kind != word || s.takenAs(i) != phi.NoCategory || t.shape == lower {
			continue
		}
		switch {
		case t.class&insurer != 0:
			s.insurerName(i)
		case t.class&legalForm != 0 && !s.lineStart(i):
			s.firm(i)
		case t.cue&firmCue != 0:
			s.firmAfter(i)
		case t.class&organization != 0:
			s.institution(i)
		}
	}
	for i := s.next(0, mayPayer); i < len(s.toks); i = s.next(i+1, mayPayer) {
		if s.cued(i, payerCue) && s.taken[i] == phi.NoCategory {
			s.labelledOrg(i)
		}
	}
}

// insurerName reads an insurer with the words that belong to it: "AOK Baden-Württemberg", "DAK-Gesundheit".
func (s *scan) insurerName(i int) {
	if s.oneOf(i, "tk", "axa", "sbk", "kpt", "hek", "egk", "svs", "css", "signal", "concordia", "sanitas", "kaiser", "anthem", "humana", "atlas", "techniker", "molina", "viactiv", "continentale", "hallesche") && s.at(i).shape == upper && s.at(i).runes <= 3 && s.lang == phi.English {
		return
	}
	if s.oneOf(i, "signal", "concordia", "sanitas", "kaiser", "techniker", "continentale", "visana") && !s.capital(i+1) && !s.placeOfInsurance(i) {
		return
	}
	if s.oneOf(i, "kaiser", "signal", "techniker") && !s.oneOf(i+1, "Permanente", "Iduna", "Krankenkasse") {
		return
	}
	end := s.hyphened(i)
	for n := 0; n < 3 && s.near(end) && (s.capital(end) && !s.has(end, idHead|weakIDHead&^organization|honorific|doctor|phoneHead|numberWord|patient|ordinary|month|birth) || s.isSign(end, '+') && s.glued(end)); n++ {
		if s.has(end, ordinary) && !s.oneOf(end, "Plus") {
			break
		}
		if s.plainWord(end) > 1 && s.at(end).know.City() == 0 && !s.oneOf(end, "Gesundheit", "Nord", "Mobil", "Classic", "Krankenkasse", "Nordwest", "Health", "Care", "Shield", "Permanente", "Advantage", "VerbundPlus", "Linde") {
			break
		}
		end = s.hyphened(end)
	}
	s.add(i, end, phi.LocationOrganization, 0.85, sourceOrg)
}

func (s *scan) placeOfInsurance(i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if s.oneOf(k, "krankenkasse", "kasse", "kk", "versicherung", "insurance", "kv", "bei", "versichert") {
			return true
		}
	}
	return false
}

// firm reads the words before GmbH, AG, Inc and the like.
func (s *scan) firm(i int) {
	if s.oneOf(i, "ag", "ev", "se", "co", "plc", "mbh", "kg", "ltd", "corp", "limited", "corporation", "pty") && (s.at(i).shape == lower || s.oneOf(i, "kg") && s.isNumber(i-1)) || s.at(i).gap > 1 {
		return
	}
	if s.oneOf(i, "co", "se", "plc", "limited") && !s.oneOf(i, "Co") {
		return
	}
	from := i
	for n := 0; n < 7 && from > 0; n++ {
		k := from - 1
		if s.at(from).lines > 0 || s.at(from).gap > 1 || s.takenAs(k) != phi.NoCategory {
			break
		}
		if s.isSign(k, '&') || s.isSign(k, '-') && s.glued(k) || s.isSign(k, '.') && s.glued(k) && s.at(k-1).runes <= 2 || s.isSign(k, ',') && k == i-1 && s.oneOf(i, "inc", "llc", "ltd", "pc") || s.isSign(k, '+') {
			from = k
			continue
		}
		if s.isWord(k) && (s.properWord(k) || s.has(k, legalForm)) && !(s.has(k, ordinary|function) && !s.houseWord(k)) || s.oneOf(k, "für", "und", "and", "of") && s.properWord(k-1) && from < i {
			from = k
			continue
		}
		break
	}
	for from < i && s.at(from).kind == sign {
		from++
	}
	if from == i {
		return
	}
	end := i + 1
	for s.near(end) && (s.isSign(end, '&') || s.has(end, legalForm) && s.at(end).shape != lower) {
		end++
	}
	s.add(from, end, phi.LocationOrganization, 0.85, sourceOrg)
}

// firmAfter reads the words behind "Fa." or "Firma"; the head is part of the name.
func (s *scan) firmAfter(i int) {
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	end := s.properRun(j, 4)
	if end > j {
		s.add(j, end, phi.LocationOrganization, 0.85, sourceOrg)
	}
}

// properRun gives the end of the capitalised words from token i on, through & and hyphens.
func (s *scan) properRun(i, most int) int {
	j := i
	for n := 0; n < most && j < len(s.toks); n++ {
		if j > i && !s.near(j) {
			break
		}
		if s.isSign(j, '&') && s.capital(j+1) && j > i {
			j++
			continue
		}
		if !s.properWord(j) || s.has(j, ordinary|doctor|ward|numberWord) && !s.houseWord(j) {
			break
		}
		j = s.hyphened(j)
	}
	return j
}

// institution reads schools, pharmacies and the like that bear a name: "Elstertal-Apotheke", "Kita Wirbelwind",
// "Pulaski Elementary School".
func (s *scan) institution(i int) {
	from := s.hyphenStart(i)
	specific := from < i
	if specific && s.plainWord(from) > 1 && s.at(from).know.Surname() < 3 {
		specific = false
	}
	english := s.oneOf(i, "school", "college", "university", "pharmacy", "elementary", "academy", "church", "bank", "laboratories", "laboratory", "labs", "insurance", "parish")
	if english {
		for n := 0; n < 4 && from > 0 && s.at(from).lines == 0 && s.at(from).gap < 2; n++ {
			k := from - 1
			if s.isSign(k, '.') && s.oneOf(k-1, "St", "Mt") || s.isSign(k, '\'') || s.isSign(k, '-') && s.glued(k) {
				from = k
				continue
			}
			if !s.properWord(k) || s.has(k, ordinary) && !s.houseWord(k) && !s.oneOf(k, "High") {
				break
			}
			if s.specific(k) {
				specific = true
			}
			from = k
		}
		for from < i && s.at(from).kind == sign {
			from++
		}
		if s.near(i+1) && s.oneOf(i+1, "of") && s.capital(i+2) && s.oneOf(i, "university", "bank", "college", "church") && s.specific(i+2) {
			s.add(from, s.hyphened(i+2), phi.LocationOrganization, 0.75, sourceOrg)
			return
		}
		if specific && from < i {
			end := i + 1
			if s.near(end) && s.oneOf(end, "School", "Department", "District", "Pharmacy", "Hospital") {
				end++
			}
			s.add(from, end, phi.LocationOrganization, 0.75, sourceOrg)
		}
		return
	}
	end := i + 1
	if s.near(end) && s.isSign(end, '"') && s.capital(end+1) && s.isSign(end+2, '"') {
		end, specific = end+3, true
	} else if s.near(end) && s.properWord(end) && (s.specific(end) || s.oneOf(i, "kita", "kindergarten", "apotheke", "sanitätshaus", "pflegedienst") && !s.has(end, ordinary)) && !s.has(end, doctor|degree) {
		end = s.properRun(end, 2)
		specific = true
	} else if s.near(end) && s.oneOf(end, "am", "im", "an", "zum", "zur", "in") && s.properWord(end+1) && s.near(end+1) && s.oneOf(i, "apotheke", "schule", "grundschule", "gymnasium", "kita") && !s.has(end+1, ordinary|month) {
		end = s.hyphened(end + 1)
		specific = true
	}
	compound := s.has(i, derived)
	if compound && from == i && s.at(i).know == 0 && s.plainWord(i) == 0 && s.oneOfEnding(i) {
		specific = true
	}
	if specific {
		s.add(from, end, phi.LocationOrganization, 0.75, sourceOrg)
	}
}

// oneOfEnding says whether a compound names one pharmacy or school: Löwenapotheke, Rosenschule.
func (s *scan) oneOfEnding(i int) bool {
	w := keyOf(s.surface(i))
	for _, e := range [...]string{"apotheke", "gymnasium"} {
		if len(w) > len(e)+2 && w[len(w)-len(e):] == e {
			return true
		}
	}
	return false
}

// labelledOrg reads the organisation behind a form's label: "Krankenkasse: IKK gesund plus", "Employer: Foo Mills".
func (s *scan) labelledOrg(i int) {
	j, ok := s.labelEnd(i)
	if !ok || !s.isWord(j) || s.at(j).lines > 0 || s.takenAs(j) != phi.NoCategory || !s.capital(j) {
		return
	}
	if s.oneOf(i, "schule", "school", "kv", "versicherung", "kasse", "kk") && !s.isSign(i+1, ':') && s.at(i+1).gap < 2 {
		return
	}
	end := s.properRun(j, 4)
	if end > j && !s.has(j, ordinary|honorific|doctor|patient) && s.plainWord(j) < 3 {
		s.add(j, end, phi.LocationOrganization, 0.75, sourceOrg)
	}
}
