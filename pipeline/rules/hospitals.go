package rules

import "fhirdeid/pipeline/phi"

const (
	sourceHospital = "rules.hospital.name"
	sourceWard     = "rules.hospital.ward"
)

// hospitals finds hospitals and practices by their head words where they bear a name of their own, and wards, rooms
// and beds by their numbers. "Klinik für Innere Medizin" alone stays: every hospital has one.
func (s *scan) hospitals() {
	for i := s.next(0, mayHouse); i < len(s.toks); i = s.next(i+1, mayHouse) {
		t := s.at(i)
		if t.kind != word || s.takenAs(i) != phi.NoCategory {
			continue
		}
		if t.class&ward != 0 {
			s.wardNumber(i)
		}
		if s.famousHouse(i) {
			continue
		}
		if t.class&(hospital|department) != 0 && s.taken[i] == phi.NoCategory && (s.capital(i) || s.lowerText()) {
			s.hospitalName(i)
		}
	}
}

// properWord says whether the word at token i can be part of the name of a house: capitalised, no function word, no
// title, nothing that a sentence puts before or behind the name.
func (s *scan) properWord(i int) bool {
	return s.isWord(i) && s.capital(i) && s.taken[i] == phi.NoCategory &&
		!s.has(i, honorific|phoneHead|faxHead|idHead|birth|month|unitWord|relative|patient|closing|signature|mailLabel|nameLabel) &&
		!(s.has(i, function) && s.at(i).shape == title && s.at(i).know.City() < 2)
}

// specific says whether the word names one house rather than a kind of house: a place, a saint, a person.
func (s *scan) specific(i int) bool {
	t := s.at(i)
	if s.lang == phi.English && t.know.Common(phi.English) > 1 && t.know.City() < 2 {
		return false
	}
	if t.class&(hospital|department|organization|ordinary|staffRole|ward) != 0 && t.know.City() < 2 {
		return false
	}
	return s.plainWord(i) == 0 || t.know.City() > 0 && s.plainWord(i) < 2 || t.know.Surname() >= 5 && !t.know.Medical()
}

func (s *scan) houseWord(i int) bool { return s.has(i, house) }

// telling says whether a general word of a house's name tells it from others: "St." does, "General" does not.
func (s *scan) telling(i int) bool {
	return s.houseWord(i) && !s.oneOf(i, "children", "childrens", "women", "womens", "general", "community", "regional", "university", "city",
		"county", "stadt", "kreis", "land", "bezirk", "north", "south", "east", "west", "northern", "southern", "eastern", "western", "central", "universitäts", "kantons", "good", "new")
}

// hospitalName reads the name around a head word.
func (s *scan) hospitalName(i int) {
	t := s.at(i)
	strong := t.class&hospital != 0 && !s.oneOf(i, "surgery", "praxis", "clinic", "klinik", "hosp", "kh", "ordination", "hospice", "hospiz", "kliniken")
	english := s.oneOf(i, "hospital", "clinic", "infirmary", "hospice", "surgery", "center", "centre", "hosp", "department", "institute", "ysbyty")
	// left: proper words on the same line
	from, specific := s.hyphenStart(i), false
	if from < i {
		for k := from; k < i; k++ {
			if s.isWord(k) && (s.specific(k) || s.telling(k)) {
				specific = true
			}
		}
		if t.shape == lower {
			return
		}
	}
	compound := t.class&derived != 0
	if compound && t.class&hospital != 0 && s.plainWord(i) == 0 && t.know == 0 && s.oneOfPrefix(i) {
		specific = true
	}
	for n := 0; n < 5 && from > 0; n++ {
		k := from - 1
		if s.at(from).lines > 0 || s.at(from).gap > 1 || s.takenAs(k) != phi.NoCategory {
			break
		}
		if s.isSign(k, '.') && s.glued(k) && s.oneOf(k-1, "St", "Hl", "Univ", "Mt", "Ft") || s.isSign(k, '\'') && s.isWord(k-1) && s.glued(k) || s.isSign(k, '&') && s.capital(k-1) && english {
			from = k
			continue
		}
		if s.isSign(k, '-') && s.glued(k) && s.glued(from) && s.isWord(k-1) {
			from = k
			continue
		}
		if s.is(k, "s") && s.isSign(k-1, '\'') {
			from = k
			continue
		}
		if s.oneOf(k, "of", "the", "for", "and") && english && k > 0 && s.properWord(k-1) && (s.is(k, "of") || s.is(k, "and")) {
			from = k
			continue
		}
		if !s.properWord(k) || s.oneOf(k, "Die", "Der", "Das", "Im", "Am", "In", "Vom", "Zum", "Aus", "Unsere", "Unser", "The", "At", "From", "Our", "Ihre", "Ambulante", "Stationäre") || s.has(k, ordinary) && !s.houseWord(k) {
			break
		}
		if !english && !s.specific(k) && !s.houseWord(k) && !s.adjective(k) && !s.has(k, hospital|department) {
			break
		}
		if s.specific(k) || s.telling(k) {
			specific = true
		}
		from = s.hyphenStart(k)
	}
	for from < i && s.at(from).kind == sign {
		from++
	}
	// right: "Klinikum Bad Bramstedt", "Krankenhaus der Barmherzigen Brüder Trier", "Praxis Dr. Weiß"
	end := i + 1
	if s.isSign(end, '.') && s.glued(end) && t.runes <= 4 && s.capital(end+1) && s.near(end+1) {
		end++
	}
	right := end
	for n := 0; n < 6 && right < len(s.toks); n++ {
		k := right
		if s.at(k).lines > 0 || s.at(k).gap > 1 {
			break
		}
		if n == 0 && s.isSign(k, '"') && s.capital(k+1) {
			q := k + 1
			for q < k+6 && q < len(s.toks) && !s.isSign(q, '"') && s.at(q).lines == 0 {
				q++
			}
			if s.isSign(q, '"') {
				end, specific = q+1, true
			}
			break
		}
		if s.oneOf(k, "für", "fuer", "f") && t.class&(department|hospital) != 0 {
			d := s.departmentEnd(k + 1)
			if d == k+1 {
				break
			}
			// a department: part of the name only if a house follows or stands before
			if s.isSign(d, ',') && s.properWord(d+1) && s.has(d+1, hospital) && s.near(d+1) {
				right = d + 1
				continue
			}
			if specific || s.headline(from, d) {
				end = d
				if s.headline(from, d) {
					specific = true
				}
			}
			break
		}
		if s.oneOf(k, "der", "des", "am", "im", "an", "zum", "zur", "vom", "in", "of", "and", "bei", "auf", "den", "dem", "at", "the", "für") {
			m := k + 1
			for s.oneOf(m, "der", "den", "dem", "the", "d") && s.near(m) {
				m++
			}
			if s.isSign(m, '.') {
				m++
			}
			if !s.properWord(m) || !s.near(m) || s.oneOf(k, "in", "bei", "at", "auf") && !english && s.at(m).know.City() == 0 || s.oneOf(k, "im", "am", "in", "at", "zur", "zum") && (s.has(m, ordinary) || s.plainWord(m) > 1 && !s.houseWord(m)) || s.oneOf(k, "and", "at", "of", "the") && !s.specific(m) && !s.houseWord(m) {
				break
			}
			right = s.hyphened(m)
			end = right
			if s.specific(m) || s.telling(m) || s.oneOf(k, "am", "im", "an") {
				specific = true
			}
			continue
		}
		if s.oneOf(k, "Dr", "Dres", "Drs") && s.oneOf(i, "praxis", "hausarztpraxis", "arztpraxis", "ordination", "gemeinschaftspraxis") {
			break // the title reads the name
		}
		if s.isSign(k, '-') && !s.glued(k) || s.isSign(k, '-') && s.glued(k) && s.capital(k+1) && s.glued(k+1) && right > i {
			if s.glued(k) {
				right = k + 2
				end = right
				if s.specific(k + 1) {
					specific = true
				}
				continue
			}
			break
		}
		if s.isSign(k, '.') && s.glued(k) && s.oneOf(k-1, "St", "Hl", "Bad", "Univ") && s.capital(k+1) {
			right = k + 1
			continue
		}
		if !s.properWord(k) || s.has(k, ordinary|doctor|credential) && !s.houseWord(k) {
			break
		}
		if english && !s.has(k, hospital|department|organization) && !s.specific(k) || s.has(k, ward) {
			break
		}
		if !english && !s.specific(k) && !s.houseWord(k) && !s.has(k, department) && !(specific && s.oneOf(k, "Nord", "Süd", "Ost", "West", "Mitte", "Stadt", "Land")) && s.at(k).class&(hospital|department) == 0 {
			break
		}
		if s.specific(k) || s.telling(k) {
			specific = true
		}
		right = s.hyphened(k)
		end = right
		if s.has(k, hospital|department) && s.capital(k) && t.class&hospital == 0 {
			strong = strong || s.has(k, hospital)
		}
	}
	// roman or plain number of the department: "Medizinische Klinik II"
	if s.isWord(end) && s.near(end) && s.oneOf(end, "I", "II", "III", "IV", "V") && s.at(end).shape != lower && end > i {
		end++
		specific = true
	}
	if !specific {
		return
	}
	// must not begin with a plain word of the sentence
	for from < i && s.has(from, ordinary|function|staffRole) && !s.houseWord(from) {
		from++
	}
	score := 0.7
	switch {
	case strong:
		score = 0.88
	case t.class&department != 0 && t.class&hospital == 0:
		score = 0.55
		if !english && !s.oneOfName(from, end) {
			return
		}
		if english && s.oneOf(i, "department", "institute", "center", "centre") && !s.has(i-1, ordinary) {
			score = 0.6
		}
	}
	if end-from < 2 && !compound {
		return
	}
	if s.add(from, end, phi.LocationHospital, score, sourceHospital) {
		s.houseTail(end)
	}
}

// famousHouses are known by these words alone, without a head.
var famousHouses = set(`mount|sinai johns|hopkins cleveland|clinic mass|general cedars|sinai sloan|kettering beth|israel massachusetts|general md|anderson
	guys|hospital great|ormond charing|cross john|radcliffe`)

// famousHouse reads such a house, and Mayo behind a preposition, where no tool is meant.
func (s *scan) famousHouse(i int) bool {
	if !s.cued(i, famousCue) || !s.capital(i) {
		return false
	}
	j := i + 1
	if s.isSign(j, '-') && s.glued(j) {
		j++
	}
	if s.capital(j) && s.near(j) && s.at(i).runes >= 2 && s.at(i).know != 0 && famousHouses[keyOf(s.surface(i))+"|"+keyOf(s.surface(j))] {
		end := j + 1
		for s.near(end) && s.has(end, hospital|department) && s.capital(end) {
			end++
		}
		return s.add(i, end, phi.LocationHospital, 0.85, sourceHospital)
	}
	if s.oneOf(i, "mayo", "charité") && s.near(i) && s.oneOf(i-1, "to", "from", "at", "in", "an", "der", "die", "zur") && !(s.isWord(i+1) && s.near(i+1) && s.oneOf(i+1, "scissors", "stand", "scissor", "table", "needle", "classification")) {
		end := i + 1
		if s.near(end) && s.oneOf(end, "clinic") {
			end++
		}
		return s.add(i, end, phi.LocationHospital, 0.8, sourceHospital)
	}
	return false
}

// oneOfPrefix says whether a compound of a hospital's head begins with something that names it: Elbklinikum, not
// Fachkrankenhaus.
func (s *scan) oneOfPrefix(i int) bool {
	return s.at(i).runes > 9
}

// oneOfName says whether a listed place or a saint is among the tokens.
func (s *scan) oneOfName(from, end int) bool {
	for k := from; k < end; k++ {
		if s.isWord(k) && (s.at(k).know.City() > 0 || s.houseWord(k)) && !s.has(k, department|hospital|ordinary) {
			return true
		}
	}
	return false
}

// houseTail reads the department or the ward behind a house: "Uniklinik Leipzig, Klinik für Neurologie".
func (s *scan) houseTail(end int) {
	if !s.isSign(end, ',') && !(s.isSign(end, '-') && s.at(end).gap > 0) || !s.near(end+1) {
		return
	}
	k := end + 1
	if s.has(k, hospital|department) && s.oneOf(k+1, "für", "fuer", "f", "of", "for") {
		d := s.departmentEnd(k + 2)
		if d > k+2 {
			s.add(k, d, phi.LocationHospital, 0.75, sourceHospital)
		}
	}
}

// headline says whether the tokens are a line of their own near the top of a letter.
func (s *scan) headline(from, end int) bool {
	if !(s.lineStart(from) || s.at(from).gap > 1) || !s.ends(end) {
		return false
	}
	return from < 120 && (s.lineEnd(end-1) || s.at(end).gap > 1 || s.isSign(end, ','))
}

// departmentEnd gives the end of what follows "Klinik für": "Allgemein-, Viszeral- und Gefäßchirurgie II".
func (s *scan) departmentEnd(i int) int {
	j := i
	for n := 0; n < 10 && j < len(s.toks); n++ {
		if j > i && (s.at(j).lines > 0 || s.at(j).gap > 1) {
			break
		}
		switch {
		case s.capital(j) && s.taken[j] == phi.NoCategory && !s.has(j, honorific|doctor):
			j = s.hyphened(j)
			if s.isSign(j, '-') && s.glued(j) && !s.glued(j+1) {
				j++
				if s.isSign(j, ',') {
					j++
				}
			}
			continue
		case s.oneOf(j, "und", "u", "and", "der", "des", "mit") && s.capital(j+1) && s.near(j+1), s.isSign(j, ',') && s.capital(j+1) && s.near(j+1) && s.oneOf(j+2, "und", "u", "-"):
			j++
			if s.isSign(j, '.') {
				j++
			}
			continue
		case s.isWord(j) && s.at(j).shape == lower && (s.oneOf(j, "innere", "allgemeine") || j == i) && s.capital(j+1):
			j++
			continue
		}
		break
	}
	return j
}

// wardNumber reads wards, rooms and beds with a number or a short code: "Station 7b", "Zi. 214", "Ward 6",
// "Room: CCU-4". "Station:" as a label stays outside; where the word is part of the name it goes in.
func (s *scan) wardNumber(i int) {
	t := s.at(i)
	if t.shape == lower && s.oneOf(i, "stat", "unit", "station", "saal", "bay", "pod", "bett", "zimmer", "room", "floor", "cot", "zi", "cubicle", "ward") && !(s.oneOf(i, "ward", "room", "bed", "station", "unit", "zimmer", "zi", "cubicle", "bay") && (s.isNumber(i+1) || s.at(i+1).runes == 1) && s.near(i+1)) {
		return
	}
	if s.glued(i) && s.isSign(i-1, '-') || s.is(i, "pod") && (s.isSign(i+1, '#') || s.isNumber(i+1)) {
		return // a post-operative day
	}
	j := i + 1
	label, outside := false, false
	if s.isSign(j, '.') && s.glued(j) && t.runes <= 5 {
		j++
		label = t.runes <= 2
	}
	if s.isSign(j, '-') && s.glued(j) && s.has(j+1, numberWord) {
		j += 2
		if s.isSign(j, '.') {
			j++
		}
	}
	for n := 0; n < 3 && (s.isSign(j, ':') || s.isSign(j, '/') && s.has(j+1, ward) || s.has(j, ward|numberWord) && label || s.isSign(j, '.') && label || s.isSign(j, '#') || s.isSign(j, '|') && s.at(i).shape != lower && s.at(i).gap != 1); n++ {
		label, outside = true, true
		j++
	}
	column := s.at(j).gap > 1 && s.at(j).lines == 0
	if s.at(j).lines > 0 || column && !label && !(s.lineStart(i) || s.at(i).gap > 1) || s.takenAs(min(j, len(s.toks)-1)) != phi.NoCategory {
		return
	}
	label = label || column
	end := s.wardCode(j, label)
	if end == j {
		return
	}
	if s.has(end, unitWord) && s.near(end) && s.isNumber(end-1) && s.at(end).shape == lower || s.isSign(end, '%') || s.isSign(end, '/') && s.glued(end) && s.isNumber(end+1) && s.isNumber(end-1) && !label || s.isSign(end, ',') && s.glued(end+1) && s.isNumber(end+1) && s.isNumber(end-1) {
		return
	}
	if s.isNumber(j) && end == j+1 && s.at(j).runes > 4 || s.year(j) {
		return
	}
	if s.oneOf(i, "unit", "units") && s.isNumber(j) && !s.capital(i) || s.oneOf(i, "stat", "op") && !label && !s.capital(i) {
		return
	}
	if s.oneOf(i, "stat") && s.isSign(i+1, '.') && s.looksLikeDate(j, end+3) || s.looksLikeDate(j, end+2) {
		return
	}
	from := i
	if outside || column {
		from = j
	}
	score := 0.88
	if s.isNumber(j) && end == j+1 && t.shape == lower {
		score = 0.7
	}
	s.add(from, end, phi.LocationHospital, score, sourceWard)
	if s.isSign(end, ',') && s.has(end+1, ward) {
		return
	}
}

// wardCode gives the end of the number or code of a ward: 7b, B 4.2, CCU-4, H3, 3 West, 4A/12, K4-Süd.
func (s *scan) wardCode(i int, label bool) int {
	if i >= len(s.toks) || s.at(i).kind == sign {
		return i
	}
	j := i
	digit := false
	for n := 0; n < 8 && j < len(s.toks) && (j == i || s.glued(j)); n++ {
		t := s.at(j)
		switch {
		case t.kind == number && t.runes <= 5:
			digit = true
		case t.kind == word && (t.runes <= 5 && t.shape != lower || t.runes <= 2 && j > i || t.runes == 1 || j > i && s.oneOf(j, "Süd", "Nord", "West", "Ost", "Mitte", "süd", "nord")):
		case (t.sign == '-' || t.sign == '/' || t.sign == '.') && t.kind == sign && s.glued(j+1) && s.at(j+1).kind != sign && s.at(j+1).runes <= 5:
			j++
			continue
		default:
			if j == i {
				return i
			}
			n = 8
			continue
		}
		if t.class&function != 0 && t.kind == word && t.runes > 1 {
			if j == i {
				return i
			}
			break
		}
		j++
	}
	for j > i && s.at(j-1).kind == sign {
		j--
	}
	if j == i {
		return i
	}
	if !digit {
		// "Station B 4.2", "Ward C 12"
		if s.near(j) && s.isNumber(j) && s.at(j).runes <= 3 && s.isWord(i) && s.at(i).runes <= 4 && j == i+1 {
			return s.wardCode(j, label)
		}
		w := s.surface(i)
		roman := s.oneOf(i, "I", "II", "III", "IV")
		if j == i+1 && !roman && !(len(w) == 1 && s.at(i).shape == title && (label || s.lang == phi.English) && !s.oneOf(i, "A", "I") && !s.capital(i+1)) {
			if !(label && s.at(i).shape == upper && s.at(i).runes >= 2 && s.at(i).runes <= 5 && s.has(i, 0)) {
				return i
			}
		}
	}
	if s.near(j) && s.oneOf(j, "West", "Ost", "Süd", "Nord", "Mitte", "North", "South", "East") && s.capital(j) {
		j++
	}
	if s.near(j) && !s.glued(j) && s.isWord(j) && s.at(j).runes == 1 && s.at(j).shape == title && s.isNumber(j-1) && !s.isSign(j+1, '.') && !s.oneOf(j, "I") {
		j++
	}
	return j
}
