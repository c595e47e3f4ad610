package rules

import (
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/date"
)

const (
	sourceStreet  = "rules.address.street"
	sourceZIP     = "rules.address.zip"
	sourceCity    = "rules.address.city"
	sourceState   = "rules.address.state"
	sourceCountry = "rules.address.country"
	sourceBox     = "rules.address.box"
)

// addresses finds streets, postcodes with their places, boxes, states and countries; each part is a span of its own.
func (s *scan) addresses() {
	for i := s.next(0, mayZIP); i < len(s.toks); i = s.next(i+1, mayZIP) {
		if s.takenAs(i) != phi.NoCategory {
			continue
		}
		switch s.at(i).kind {
		case number:
			s.germanZIP(i)
		case word:
			if s.at(i).shape != lower {
				s.letteredZIP(i)
				s.americanZIP(i)
			}
			s.box(i)
		}
	}
	for i := s.next(0, mayStreet); i < len(s.toks); i = s.next(i+1, mayStreet) {
		if s.takenAs(i) != phi.NoCategory || s.at(i).kind != word {
			continue
		}
		t := s.at(i)
		if t.class&streetHead != 0 {
			s.germanStreet(i)
		}
		if t.class&streetPrefix != 0 && (s.capital(i) || t.shape == lower && s.lang != phi.English) {
			s.prefixStreet(i)
		}
		if t.class&streetHeadEN != 0 && (s.capital(i) || t.shape == lower) && s.taken[i] == phi.NoCategory {
			s.englishStreet(i)
		}
		if t.class&placeLabel != 0 {
			s.labelledPlace(i)
		}
	}
	for i := s.next(0, mayLand); i < len(s.toks); i = s.next(i+1, mayLand) {
		if s.taken[i] == phi.NoCategory && s.at(i).kind == word && s.at(i).shape != lower {
			s.dateLine(i)
			s.land(i)
		}
	}
}

// germanZIP reads a postcode of Germany, Austria or Switzerland with its place: "10623 Berlin", "D-10623",
// "A-8010 Graz", "8091 Zürich ZH".
func (s *scan) germanZIP(i int) {
	t := s.at(i)
	if t.runes != 4 && t.runes != 5 || s.glued(i+1) && (s.at(i+1).kind != sign || s.at(i+1).sign != ',' && s.at(i+1).sign != ')' && s.at(i+1).sign != '.' || s.at(i+1).sign == '.' && s.isNumber(i+2)) {
		return
	}
	from, sure := i, false
	if s.isSign(i-1, '-') && s.glued(i) && s.glued(i-1) && s.isWord(i-2) && s.oneOf(i-2, "D", "A", "CH", "F", "I", "L", "NL", "FL", "DE", "AT", "PL", "B") && s.at(i-2).shape != lower {
		from, sure = i-2, true
		if s.glued(from) && s.at(from-1).kind != sign {
			return
		}
	} else if s.glued(i) && (s.at(i-1).kind != sign || s.at(i-1).sign != '(' && s.at(i-1).sign != ',' && s.at(i-1).sign != '|' && s.at(i-1).sign != ':' && s.at(i-1).sign != '"') {
		return
	}
	labelled := s.zipLabel(from)
	city, cityTo := i+1, i+1
	if s.isSign(city, ',') && labelled {
		city++
	}
	if s.at(city).lines == 0 && (s.at(city).gap > 0 || sure) && (s.at(city).gap < 2 || labelled || s.lineStart(from) || t.runes == 5 && s.at(city).know.City() > 1) {
		cityTo = s.placeName(city)
	}
	if s.dutchZIP(i) {
		return
	}
	if cityTo == city {
		if k := s.streetBefore(from); t.runes == 5 && k > 0 && s.lang != phi.English && s.isSign(k, ',') {
			if s.add(from, i+1, phi.LocationZIP, 0.75, sourceZIP) {
				s.streetEnding(k)
			}
			return
		}
		if t.runes == 5 && s.lang == phi.English {
			s.cityThenZIP(i)
			return
		}
		if labelled || sure {
			s.add(from, i+1, phi.LocationZIP, 0.95, sourceZIP)
		}
		return
	}
	w := s.at(city).know
	listed := w.City() > 0 || s.oneOf(city, "Bad", "Sankt", "St")
	before := s.streetBefore(from)
	opened := s.lineStart(from) || s.at(from).gap > 1 || s.isSign(from-1, ',') || s.isSign(from-1, '|') || s.isSign(from-1, ';') || s.isSign(from-1, '-') && !s.glued(from) || s.isSign(from-1, '(') || s.isSign(from-1, '/') || s.isSign(from-1, '"')
	plain := s.plainWord(city)
	score := 0.0
	switch {
	case sure || labelled:
		score = 0.97
	case t.runes == 5 && s.has(city, unitWord|function|ordinary|month):
	case t.runes == 5 && listed && plain < 2:
		score = 0.95
	case t.runes == 5 && (before > 0 || opened && plain == 0):
		score = 0.92
	case t.runes == 5 && opened && (s.lineStart(from) || s.isSign(from-1, ',')) && s.lang != phi.English:
		score = 0.7
	case t.runes == 5:
	case s.lang == phi.English:
	case before > 0 && plain < 3:
		score = 0.92
	case s.year(i) && (!listed || !opened || w.City() < 1 || plain > 0 || w.FirstName() > 0):
	case listed && opened && plain < 2 && !s.has(city, month|unitWord|ordinary):
		score = 0.9
	case opened && plain == 0 && w.FirstName() == 0 && !s.year(i) && s.at(city).class == 0 && s.at(city).shape != upper && (s.lineStart(from) || s.isSign(from-1, ',')):
		score = 0.7
	case listed && plain == 0 && !s.year(i):
		score = 0.8
	}
	if score == 0 {
		return
	}
	s.add(from, i+1, phi.LocationZIP, score, sourceZIP)
	s.add(city, cityTo, phi.LocationCity, min(score, 0.93), sourceCity)
	s.canton(cityTo)
	if before > 0 {
		s.streetEnding(before)
	} else if k := s.beforeSeparator(from); k > 0 {
		s.streetEnding(k)
	}
	s.streetFollowing(cityTo)
}

// dutchZIP reads "5615 AB Eindhoven".
func (s *scan) dutchZIP(i int) bool {
	if s.at(i).runes != 4 || !s.near(i+1) || s.at(i+1).shape != upper || s.at(i+1).runes != 2 || !s.near(i+2) || s.placeName(i+2) == i+2 || s.at(i+2).know.City() == 0 {
		return false
	}
	s.add(i, i+2, phi.LocationZIP, 0.85, sourceZIP)
	s.add(i+2, s.placeName(i+2), phi.LocationCity, 0.85, sourceCity)
	return true
}

// cityThenZIP reads "Tucson, 85730", where no state stands between.
func (s *scan) cityThenZIP(i int) {
	k := i - 1
	comma := s.isSign(k, ',')
	if comma {
		k--
	}
	if k < 0 || !s.capital(k) || s.at(i).lines > 0 || s.at(i).gap != 1 || s.at(k).know.City() == 0 || s.plainWord(k) > 0 || s.glued(i+1) && s.isSign(i+1, '-') || s.has(i+1, unitWord) || s.has(k, idHead|weakIDHead|numberWord) {
		return
	}
	if !comma && s.at(k).know.City() < 2 {
		return
	}
	s.add(i, i+1, phi.LocationZIP, 0.7, sourceZIP)
	s.cityBefore(i, 0.7)
}

// canton reads the abbreviation behind a Swiss place: "Thal SG".
func (s *scan) canton(i int) {
	if s.near(i) && s.isWord(i) && s.at(i).shape == upper && s.at(i).runes == 2 && cantons[s.surface(i)] {
		s.add(i, i+1, phi.LocationState, 0.9, sourceState)
	}
}

var cantons = set("ZH BE LU UR SZ OW NW GL ZG FR SO BS BL SH AR AI SG GR AG TG TI VD VS NE GE JU NÖ OÖ")

// zipLabel says whether "PLZ", "PLZ/Ort" or "ZIP" stands before token i.
func (s *scan) zipLabel(i int) bool {
	for k := i - 1; k >= 0 && k >= i-5 && s.at(k+1).lines == 0; k-- {
		if s.oneOf(k, "plz", "zip", "postleitzahl", "postcode", "wohnort") {
			return true
		}
		if s.isWord(k) && !s.is(k, "ort") {
			return false
		}
	}
	return false
}

// placeName gives the end of the place name that begins at token i: "Bad Homburg", "Frankfurt am Main", "Spittal/Drau".
func (s *scan) placeName(i int) int {
	if !s.isWord(i) || s.takenAs(i) != phi.NoCategory {
		return i
	}
	if s.at(i).shape == lower || s.at(i).runes < 3 && !s.oneOf(i, "Au", "St", "Hof", "Ulm") || s.has(i, unitWord|phoneHead|honorific|doctor|month|function|idHead) && s.at(i).know.City() < 2 {
		return i
	}
	j := s.hyphened(i)
	if s.isSign(j, '.') && s.glued(j) && s.oneOf(i, "St") {
		j++
	}
	if s.oneOf(i, "Bad", "Sankt", "St", "Groß", "Gross", "Klein", "Alt", "Neu", "Markt", "Hohen", "Bergisch", "Hessisch", "Deutsch", "Königs", "Kirchen", "Lutherstadt", "Den", "La", "Le", "Maria", "Schwäbisch", "Mount", "San", "Santa", "Los", "Las", "New", "Fort", "Saint", "Ober", "Unter", "Horn-Bad") {
		if !s.capital(j) || !s.near(j) {
			if s.oneOf(i, "Bad", "Sankt", "St", "Groß") {
				return i
			}
		} else {
			j = s.hyphened(j)
		}
	} else if s.capital(j) && s.near(j) && s.at(j).know.City() > 0 && s.at(j).class == 0 && s.at(j).know.FirstName() == 0 && s.plainWord(j) == 0 && s.at(i).know.City() == 0 {
		j = s.hyphened(j)
	}
	if s.isSign(j, '/') && s.glued(j) && s.capital(j+1) && s.glued(j+1) {
		j += 2
	}
	if s.isSign(j, '(') && s.capital(j+1) && s.isSign(j+2, ')') && s.at(j+1).runes <= 8 && s.near(j) && s.at(j+1).class == 0 {
		return j
	}
	k := j
	for n := 0; n < 3 && s.near(k) && s.isWord(k) && s.at(k).shape == lower && s.oneOf(k, "am", "an", "der", "im", "in", "bei", "ob", "auf", "vor", "dem", "den", "unter", "a", "i", "d", "b", "v"); n++ {
		k++
		if s.isSign(k, '.') && s.glued(k) {
			k++
		}
	}
	if k > j && s.near(k) && s.capital(k) && !s.has(k, honorific|doctor|ordinary|month|department|hospital) && (s.isSign(k-1, '.') || s.at(k).know.City() > 0 || s.plainWord(k) == 0 || s.oneOf(k, "Wald", "See", "Berg", "Inn", "Rhein", "Donau", "Neckar", "Main")) && !s.is(j, "in") && !(s.is(j, "bei") && s.at(k).know.City() == 0) {
		j = s.hyphened(k)
		if s.isSign(j, '.') && s.glued(j) && s.at(k).runes <= 4 && s.isSign(k-1, '.') {
			j++
		}
	}
	return j
}

// beforeSeparator gives the end of what stands before a comma, bar or line end before token i.
func (s *scan) beforeSeparator(i int) int {
	k := i
	for n := 0; n < 3 && k > 0 && s.at(k-1).kind == sign && (s.at(k-1).sign == ',' || s.at(k-1).sign == '|' || s.at(k-1).sign == ';' || s.at(k-1).sign == '-' && s.at(k-1).gap > 0 || s.at(k-1).sign == '/' && s.at(k-1).gap > 0 || s.at(k-1).sign == '/' && s.isSign(k-2, '/')); n++ {
		k--
	}
	if k == i && s.at(i).lines == 0 && s.at(i).gap < 2 {
		return 0
	}
	if s.at(k).lines > 2 {
		return 0
	}
	return k
}

// streetBefore gives the end of the house number that stands before the postcode at token i, or 0.
func (s *scan) streetBefore(i int) int {
	k := s.beforeSeparator(i)
	if k < 2 {
		return 0
	}
	n := k - 1
	if s.isWord(n) && s.at(n).runes == 1 && (s.glued(n) || s.near(n)) && s.isNumber(n-1) {
		n--
	}
	if s.isNumber(n) && s.at(n).runes <= 4 && !s.year(n) && n > 0 && (s.isWord(n-1) || s.isSign(n-1, '.') || s.isSign(n-1, '-') || s.isSign(n-1, '/')) {
		return k
	}
	return 0
}

// streetEnding reads the street whose house number ends before token end, whatever the street is called.
func (s *scan) streetEnding(end int) {
	k := end - 1
	if !s.free(max(0, k-1), end) {
		return
	}
	// the house number: 12, 12a, 12 b, 12-14, 3/2/14
	seen := false
	for k >= 0 && k > end-8 {
		t := s.at(k)
		switch {
		case t.kind == number && t.runes <= 4:
			seen = true
		case t.kind == word && t.runes <= 2 && !seen && s.isNumber(k-1) && s.near(k), t.kind == word && t.runes <= 2 && s.isSign(k-1, '/') && s.glued(k):
		case (t.sign == '-' || t.sign == '/') && t.kind == sign && s.isNumber(k-1):
		default:
			goto words
		}
		if t.lines > 0 {
			return
		}
		k--
	}
words:
	if q := k; seen && q > 0 {
		if s.isSign(q, '.') && s.glued(q) {
			q--
		}
		if s.oneOf(q, "stg", "stiege", "top", "tür", "whg") && s.isSign(q-1, '/') {
			return // part of a house number that the street's own scanner reads
		}
	}
	if !seen || k < 0 || s.at(k+1).gap > 1 || s.at(k+1).lines > 0 {
		return
	}
	num := k + 1
	from := num
	words := 0
	for k >= 0 && words < 5 && s.taken[k] == phi.NoCategory {
		t := s.at(k)
		if s.at(k+1).lines > 0 || s.at(k+1).gap > 1 {
			break
		}
		switch {
		case t.sign == '.' && t.kind == sign && s.isWord(k-1) && s.glued(k), t.sign == '-' && t.kind == sign && s.glued(k) && s.glued(k+1), t.sign == '\'' && t.kind == sign && s.glued(k) && s.glued(k+1):
			k--
			continue
		case t.kind == word && s.capital(k) && !s.has(k, placeLabel|honorific|doctor|degree|phoneHead|idHead|hospital|month|birth|patient) && !(s.has(k, weakIDHead|ward) && words == 0):
			words++
			from = k
		case t.kind == word && t.shape == lower && words > 0 && s.oneOf(k, "der", "den", "dem", "des", "am", "im", "an", "in", "zum", "zur", "alten", "von", "de", "del", "della", "du", "la", "les"):
			from = k
		default:
			k = -1
			continue
		}
		k--
	}
	if words == 0 || s.at(from).shape == lower && !s.oneOf(from, "am", "im", "an") || words == 1 && s.oneOf(from, "Haus", "Stiege", "Top") && s.isSign(from-1, ',') {
		return
	}
	s.add(from, end, phi.LocationStreet, 0.88, sourceStreet)
}

// streetFollowing reads "…, Hauptplatz 6" behind a postcode and its place.
func (s *scan) streetFollowing(i int) {
	if !(s.isSign(i, ',') || s.isSign(i, '|') || s.isSign(i, '-') || s.isSign(i, ';')) || !s.sameLine(i+1) || !s.capital(i+1) || s.takenAs(i+1) != phi.NoCategory {
		return
	}
	j := i + 1
	for n := 0; n < 5 && j < len(s.toks); n++ {
		if s.capital(j) && !s.has(j, phoneHead|faxHead|honorific|doctor|birth|placeLabel|month|idHead|ward) || s.isWord(j) && s.oneOf(j, "der", "den", "dem", "am", "im", "an", "in", "zum", "zur", "alten", "de", "von", "des") {
			j = s.hyphened(j)
			if s.isSign(j, '.') && s.glued(j) {
				j++
			}
			if !s.near(j) {
				return
			}
			continue
		}
		break
	}
	end := s.houseNumber(j)
	if end > j {
		s.add(i+1, end, phi.LocationStreet, 0.88, sourceStreet)
	}
}

// houseNumber gives the end of the house number at token i: 12, 12a, 12 b, 12-14, 3/2/14, 17/EG/4, or i.
func (s *scan) houseNumber(i int) int {
	if !s.isNumber(i) || s.at(i).runes > 4 || s.at(i).lines > 0 || s.at(i).gap > 1 {
		return i
	}
	j := i + 1
	for n := 0; n < 5; n++ {
		switch {
		case s.stairs(j) > j:
			j = s.stairs(j)
		case s.isWord(j) && s.glued(j) && s.at(j).runes == 1 && s.at(j).shape != noShape:
			j++
		case s.isWord(j) && s.near(j) && s.at(j).runes == 1 && s.at(j).shape == lower && (!s.near(j+1) || s.at(j+1).kind == sign) && n == 0:
			j++
		case (s.isSign(j, '/') || s.isSign(j, '-')) && (s.glued(j+1) && (s.isNumber(j+1) && s.at(j+1).runes <= 4 || s.isWord(j+1) && s.at(j+1).runes <= 3 && s.at(j+1).shape != lower) && s.glued(j)):
			j += 2
		case s.isSign(j, '-') && s.near(j) && s.near(j+1) && s.isNumber(j+1) && s.at(j+1).runes <= 3 && s.at(j+1).gap == 1:
			j += 2
		default:
			n = 5
		}
	}
	if s.isSign(j, '.') && s.glued(j) && s.isNumber(j+1) && s.glued(j+1) || s.isSign(j, '%') || s.isSign(j, ',') && s.glued(j) && s.isNumber(j+1) && s.glued(j+1) && s.at(j+1).runes < 4 ||
		s.isSign(j, ':') && s.glued(j+1) && s.isNumber(j+1) || s.isSign(j, '.') && s.near(j+1) && s.has(j+1, month) {
		return i
	}
	if s.near(j) && s.has(j, unitWord) && s.at(j).shape == lower && !s.oneOf(j, "d", "g", "am", "a", "mal") {
		return i
	}
	return j
}

// spelledNumber says whether the word at token i is a German number: "neunundzwanzig".
func (s *scan) spelledNumber(i int) bool {
	n, ok := date.GermanNumber(s.surface(i))
	return ok && n > 0 && n < 1000
}

// stairs gives the end of the stair or the door behind a house number: "/Stg. 3", "/Top 9", or i.
func (s *scan) stairs(i int) int {
	j := i
	if !s.isSign(j, '/') || !s.glued(j) {
		return i
	}
	if j++; !s.oneOf(j, "stg", "stiege", "top", "tür", "haus", "whg", "og", "block") || !s.glued(j) {
		return i
	}
	if j++; s.isSign(j, '.') && s.glued(j) {
		j++
	}
	if !s.isNumber(j) || s.at(j).runes > 3 || !s.near(j) {
		return i
	}
	return j + 1
}

// surely lists street heads that name nothing else; the others need a house number and an end behind it.
func (s *scan) surely(i int) bool {
	t := s.at(i)
	w := s.surface(i)
	n := len(w)
	for _, e := range [...]string{"straße", "straBe", "StraBe", "strasse", "STRASSE", "STRAßE", "Straße", "Strasse", "gasse", "GASSE", "Gasse", "str", "Str", "STR", "allee", "Allee", "ALLEE", "chaussee", "Chaussee", "twiete", "weg", "Weg", "WEG"} {
		if n >= len(e) && w[n-len(e):] == e {
			return !(e == "weg" && t.shape == lower)
		}
	}
	return false
}

// germanStreet reads a street around its head: "Kurparkstraße 14", "Große Bergstraße 266", "Berliner Allee 41c",
// "Robert-Koch-Gasse 26", "Str. des 17. Juni 135", "Via Nosetto 8".
func (s *scan) germanStreet(i int) {
	t := s.at(i)
	if s.takenAs(i) != phi.NoCategory {
		return
	}
	if t.shape == lower && !s.lowerText() && !(s.glued(i) && s.isSign(i-1, '-')) && !s.oneOf(i, "str") && !s.is(i, "via") && !s.is(i, "rue") && !s.is(i, "chemin") && !s.is(i, "avenue") {
		return
	}
	if s.oneOf(i, "via", "rue", "chemin", "avenue", "piazza", "corso") {
		s.romanceStreet(i)
		return
	}
	standalone := t.class&derived == 0
	from := s.hyphenStart(i)
	hyphen := from < i
	if standalone && !hyphen {
		// "Straße des 17. Juni 135", "Platz der Republik 1"
		if s.oneOf(i, "straße", "strasse", "strabe", "str", "platz", "allee", "weg") {
			j := i + 1
			if s.isSign(j, '.') && s.glued(j) {
				j++
			}
			if s.near(j) && s.oneOf(j, "des", "der", "am", "zum", "zur", "im", "von", "an") {
				if end := s.longStreet(j); end > j {
					s.add(i, end, phi.LocationStreet, 0.93, sourceStreet)
					return
				}
			}
		}
		if from = s.wordsBefore(i); from == i {
			return
		}
	} else if k := from - 1; k >= 0 && s.near(from) && s.capital(k) && s.taken[k] == phi.NoCategory {
		// "Große Bergstraße", "Robert Löffler-Straße", "St.-Anna-Straße"
		if s.adjective(k) || hyphen && (s.at(k).know.FirstName() > 0 && s.at(k).class == 0) {
			from = k
		}
	}
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	end := s.houseNumber(j)
	surely := s.surely(i)
	labelled := s.placeBefore(from)
	switch {
	case end == j && surely && s.near(j) && s.isWord(j) && s.at(j).shape == lower && s.lang != phi.English && s.spelledNumber(j):
		s.add(from, j+1, phi.LocationStreet, 0.85, sourceStreet)
	case end > j && (surely || labelled):
		s.add(from, s.house(end), phi.LocationStreet, 0.94, sourceStreet)
	case end > j && s.oneOf(end, "in") && s.near(end) && (s.isNumber(end+1) && s.at(end+1).runes >= 4 || s.at(end+1).know.City() > 0 && s.capital(end+1)) && !s.year(j):
		s.add(from, end, phi.LocationStreet, 0.8, sourceStreet)
	case end > j && s.ends(end) && (s.begins(from) || s.isNumber(end+1)) && !(s.year(j) && end == j+1) && !s.oneOf(i, "bahnsteig") && (s.at(i).know.City() == 0 || standalone || s.zipNear(end) || s.isSign(end, ',') && s.at(end+1).know.City() > 0):
		s.add(from, end, phi.LocationStreet, 0.75, sourceStreet)
	case labelled && surely:
		s.add(from, i+1, phi.LocationStreet, 0.85, sourceStreet)
	case end == j && standalone && s.oneOf(i, "straße", "strasse", "allee") && from == i-1 && s.adjective(from) && s.oneOf(from-1, "der", "an", "Ecke") && s.lang != phi.English:
		s.add(from, i+1, phi.LocationStreet, 0.7, sourceStreet) // "in der Utenbacher Straße"
	case surely && end == j && !s.is(i, "weg") && (s.has(from-1, function|particle) || s.oneOf(from-1, "der", "an", "Ecke", "in")) && !standalone && s.at(i).runes > 7 && s.lang != phi.English && s.streetWord(i) && !s.isSign(i+1, '-'):
		s.add(from, i+1, phi.LocationStreet, 0.6, sourceStreet)
	}
}

// streetWord says whether a compound ends in straße or gasse and is no passage of the body or plain noun.
func (s *scan) streetWord(i int) bool {
	w := s.surface(i)
	for _, e := range [...]string{"straße", "strasse", "gasse"} {
		if len(w) > len(e)+2 && w[len(w)-len(e):] == e {
			return s.at(i).know.Common(phi.German) == 0
		}
	}
	return false
}

// lowerText says whether the text writes nouns small, as dictated and typed notes do.
func (s *scan) lowerText() bool { return s.names.lowerCase(s) }

// house adds ", Haus 14" to a house number.
func (s *scan) house(end int) int {
	if s.isSign(end, ',') && s.oneOf(end+1, "Haus", "Stiege", "Top", "Whg", "Apt") && s.isNumber(end+2) {
		return end + 3
	}
	return end
}

// zipNear says whether a postcode was found right behind token i.
func (s *scan) zipNear(i int) bool {
	for k := i; k < i+3 && k < len(s.toks); k++ {
		if s.taken[k] == phi.CategoryLocation {
			return true
		}
	}
	return false
}

// ends says whether something ends at token i: a line, a column, a clause.
func (s *scan) ends(i int) bool {
	if i >= len(s.toks) || s.at(i).lines > 0 || s.at(i).gap > 1 {
		return true
	}
	switch s.at(i).sign {
	case ',', ';', '|', ')', '/', '"':
		return true
	case '-':
		return s.at(i).gap > 0
	case '.':
		return !s.glued(i+1) && s.at(i+1).lines > 0 || i+1 >= len(s.toks)
	}
	return false
}

// begins says whether a line, a column or a clause begins at token i.
func (s *scan) begins(i int) bool {
	if i == 0 || s.at(i).lines > 0 || s.at(i).gap > 1 {
		return true
	}
	switch s.at(i - 1).sign {
	case ',', ';', '|', '(', ':', '"', '/':
		return true
	case '-':
		return s.at(i).gap > 0
	}
	return s.has(i-1, placeLabel)
}

// hyphenStart gives the first token of the words that hang on token i by hyphens, with a title at its head:
// "St.-Anna-Straße".
func (s *scan) hyphenStart(i int) int {
	for n := 0; n < 8 && i >= 2 && s.glued(i) && s.isSign(i-1, '-') && s.glued(i-1); n++ {
		switch {
		case s.isWord(i - 2):
			i -= 2
		case s.isSign(i-2, '.') && s.isWord(i-3) && s.glued(i-2):
			i -= 3
		default:
			return i
		}
	}
	return i
}

// wordsBefore gives the first of the words that belong to a standalone Weg, Allee, Platz: "Alter Postweg",
// "Große Elbstraße", "Bad Nauheimer Str.".
func (s *scan) wordsBefore(i int) int {
	from := i
	for n := 0; n < 3 && from > 0 && s.near(from) && s.taken[from-1] == phi.NoCategory; n++ {
		k := from - 1
		if !s.isWord(k) || !s.capital(k) && !s.lowerText() || s.has(k, placeLabel|honorific|doctor|function|birth|hospital|phoneHead|weakIDHead|patient|relative) && !s.adjective(k) {
			break
		}
		if n > 0 && !s.adjective(k) && !s.oneOf(k, "Bad", "Am", "An", "Im") && s.at(k).know.FirstName() == 0 {
			break
		}
		from = s.hyphenStart(k)
		if s.at(from).lines > 0 {
			break
		}
	}
	return from
}

// adjective says whether the word at token i has the form of a street's first word: Große, Alter, Berliner.
func (s *scan) adjective(i int) bool {
	w := s.surface(i)
	if len(w) < 4 || !s.capital(i) {
		return false
	}
	switch w[len(w)-2:] {
	case "er", "ER":
		return s.at(i).class&(honorific|doctor|staffRole|relative|patient) == 0
	}
	return s.oneOf(i, "Große", "Grosse", "Alte", "Alten", "Neue", "Kleine", "Obere", "Untere", "Hintere", "Vordere", "Lange", "Breite", "Hohe", "Sankt", "Innere", "Äußere", "Mittlere", "Altes", "Neues", "Bad", "Kurze", "Rote", "Schwarze", "Weiße", "Grüne", "Am", "An")
}

// longStreet reads "des 17. Juni 135" behind Straße and gives its end, or i.
func (s *scan) longStreet(i int) int {
	for j := i + 1; j < i+7 && j < len(s.toks) && s.near(j); j++ {
		if s.isNumber(j) && !(s.isSign(j+1, '.') && s.near(j+2) && s.isWord(j+2)) {
			if end := s.houseNumber(j); end > j && s.capital(j-1) {
				return end
			}
			return i
		}
		if s.at(j).kind == sign && !s.isSign(j, '.') && !s.isSign(j, '-') {
			return i
		}
	}
	return i
}

// romanceStreet reads "Via Maistra 18", "Rue de la Gare 5".
func (s *scan) romanceStreet(i int) {
	if !s.capital(i) && !(s.lineStart(i) || s.isSign(i-1, ',')) {
		return
	}
	j, words := i+1, 0
	for n := 0; n < 5 && s.near(j) && s.isWord(j); n++ {
		if !s.capital(j) && s.at(j).class&particle == 0 && !s.oneOf(j, "des", "alla", "ai") {
			break
		}
		if s.capital(j) {
			words++
		}
		j = s.hyphened(j)
	}
	if end := s.houseNumber(j); words > 0 && end > j {
		s.add(i, end, phi.LocationStreet, 0.92, sourceStreet)
	}
}

// prefixStreet reads "Am Anger 3", "An der Flutrinne 4", "Unter den Linden 7", "Im Brühl 22".
func (s *scan) prefixStreet(i int) {
	if s.at(i).shape == lower {
		s.lowerPrefixStreet(i)
		return
	}
	if !s.begins(i) && !s.has(i-1, function) {
		return
	}
	j := i + 1
	for n := 0; n < 3 && s.near(j) && s.isWord(j) && s.oneOf(j, "der", "den", "dem", "das", "die", "alten", "alter", "neuen", "am", "im", "großen", "kleinen", "langen", "hohen", "oberen", "unteren"); n++ {
		j++
	}
	words := 0
	for n := 0; n < 2 && s.near(j) && s.capital(j) && !s.has(j, month|unitWord|honorific|doctor|patient) && s.taken[j] == phi.NoCategory; n++ {
		if s.has(j, ordinary) && !s.has(j, streetHead) {
			return
		}
		words++
		j = s.hyphened(j)
	}
	if words == 0 {
		return
	}
	if s.oneOf(j-1, "Alter", "Tag", "Jahr", "Monat", "Abstand", "Bereich", "Fall", "Rahmen", "Durchschnitt", "Zimmer", "Bett", "Station", "Raum", "Haus", "Segment", "Lot", "Mittel", "KW", "LWK", "BWK", "HWK", "Quartal", "Stadium", "Ziffer") {
		return
	}
	end := s.houseNumber(j)
	if end == j || s.year(j) && end == j+1 {
		return
	}
	switch {
	case s.begins(i) && s.ends(end) && (s.zipNear(end) || s.placeBefore(i)):
		s.add(i, s.house(end), phi.LocationStreet, 0.95, sourceStreet)
	case s.begins(i) && s.ends(end) && !s.isSign(end, ':'):
		s.add(i, end, phi.LocationStreet, 0.8, sourceStreet)
	}
}

// lowerPrefixStreet reads "wohnt am Kirchriegel 9 in Ligist": a listed place or a postcode behind the number tells a street
// from a room or a count.
func (s *scan) lowerPrefixStreet(i int) {
	j := i + 1
	for n := 0; n < 2 && s.near(j) && s.oneOf(j, "der", "den", "dem"); n++ {
		j++
	}
	if !s.near(j) || !s.capital(j) || s.has(j, month|unitWord|honorific|doctor|patient|ward|hospital|department|ordinary) || s.taken[j] != phi.NoCategory || s.year(j+1) {
		return
	}
	end := s.houseNumber(s.hyphened(j))
	if end == s.hyphened(j) || !(s.isSign(end, ',') || s.oneOf(end, "in")) || !s.near(end+1) {
		return
	}
	place := end + 1
	if s.isNumber(place) && s.at(place).runes >= 4 && !s.year(place) || s.capital(place) && s.at(place).know.City() > 0 && s.plainWord(place) == 0 ||
		s.oneOf(end, "in") && s.capital(place) && s.plainWord(place) == 0 && s.at(place).know.FirstName() == 0 && s.takenAs(place) == phi.NoCategory {
		s.add(j, end, phi.LocationStreet, 0.8, sourceStreet)
	}
}

// placeBefore says whether "wohnhaft", "Adresse:" or the like stands before token i.
func (s *scan) placeBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if s.has(k, placeLabel) {
			return true
		}
		if s.at(k).kind == word && !s.oneOf(k, "in", "der", "an", "im", "am", "at") || s.at(k+1).lines > 1 {
			return false
		}
	}
	return false
}

// labelledPlace reads what follows "wohnhaft", "Adresse:", "lives in": a street without a usual head, or a place.
func (s *scan) labelledPlace(i int) {
	if s.oneOf(i, "straße", "ort") && !s.isSign(i+1, ':') {
		return
	}
	j := i + 1
	for n := 0; n < 6 && (s.isSign(j, ':') || s.isSign(j, '.') || s.isSign(j, '|') || s.isSign(j, '=') || s.isSign(j, ',')); n++ {
		j++
	}
	in := false
	if s.oneOf(j, "in", "at", "near", "bei") && s.near(j) {
		in = true
		j++
	}
	if s.isSign(j, '"') && j > i+1 {
		for q := j + 2; q < j+7 && q < len(s.toks) && s.at(q).lines == 0; q++ {
			if s.isSign(q, '"') && s.capital(j+1) {
				s.add(j+1, q, phi.LocationStreet, 0.8, sourceStreet)
				return
			}
		}
	}
	if j >= len(s.toks) || s.at(j).lines > 1 || !s.capital(j) || s.takenAs(j) != phi.NoCategory {
		return
	}
	end, words := j, 0
	for n := 0; n < 4 && (n == 0 || s.near(end)) && s.capital(end) && s.taken[end] == phi.NoCategory && !s.has(end, phoneHead|birth|honorific); n++ {
		words++
		end = s.hyphened(end)
		if s.isSign(end, '.') && s.glued(end) && s.near(end+1) && s.isNumber(end+1) {
			end++
		}
	}
	if number := s.houseNumber(end); number > end && words > 0 && (s.ends(number) || s.isNumber(number) && s.at(number).runes >= 4) && !(s.year(end) && number == end+1) {
		s.add(j, number, phi.LocationStreet, 0.9, sourceStreet)
		return
	}
	if in || s.oneOf(i, "wohnort", "ort", "resides", "residing") {
		to := s.placeName(j)
		if to > j && (s.at(j).know.City() > 0 || s.plainWord(j) == 0) && !s.has(j, ordinary|country|state|ward|hospital|department) && !s.has(to-1, streetHead|streetHeadEN) && !(s.near(to) && s.has(to, streetHeadEN)) {
			s.add(j, to, phi.LocationCity, 0.8, sourceCity)
		}
	}
}

// dateLine reads the place in "Bad Rodenfels, den 18. Februar 2022" and "Wien, 3.5.2021".
func (s *scan) dateLine(i int) {
	if !s.lineStart(i) && s.at(i).gap < 2 || s.has(i, ordinary|month|honorific|doctor|nameLabel|function) {
		return
	}
	j := s.placeName(i)
	if j == i || !s.isSign(j, ',') || !s.near(j+1) || s.plainWord(i) > 1 && s.at(i).know.City() < 2 {
		return
	}
	den := s.oneOf(j+1, "den", "am", "im", "dem", "le")
	k := j + 1
	if den {
		k++
	}
	dated := s.isNumber(k) && (s.isSign(k+1, '.') && s.at(k).runes <= 2 || s.has(k+1, month) && s.at(k).runes <= 2) || den && s.has(k, month)
	if !dated || !den && !s.looksLikeDate(k, k+5) && !s.has(k+2, month) {
		return
	}
	if !den && s.at(i).know.City() == 0 && (s.plainWord(i) > 0 || s.at(i).know.FirstName() > 0 || s.at(i).know.Surname() > 2) {
		return
	}
	score := 0.75
	if den || s.at(i).know.City() > 0 {
		score = 0.9
	}
	s.add(i, j, phi.LocationCity, score, sourceCity)
}

// land finds countries and states where a preposition, a parenthesis or an address speaks for them, or where the
// word is nothing else.
func (s *scan) land(i int) {
	t := s.at(i)
	if t.shape == upper && t.runes <= 3 && s.oneOf(i, "LA", "NYC", "DC", "SF") && s.near(i) && s.oneOf(i-1, "from", "in", "to") && s.oneOf(i-2, "is", "lives", "living", "lived", "moved", "flew", "originally", "family", "back") {
		s.add(i, i+1, phi.LocationCity, 0.8, sourceCity)
		return
	}
	isCountry, isState := t.class&country != 0 || t.know.Country(), t.class&state != 0 || t.know.State() && t.runes > 3
	if !isCountry && !isState || s.glued(i) && s.isSign(i-1, '-') && s.glued(i-1) || s.isSign(i+1, '-') && s.glued(i+1) && s.glued(i+2) {
		return
	}
	if t.shape == upper && t.runes <= 3 && !s.oneOf(i, "USA") || t.runes < 4 && !s.oneOf(i, "USA", "UK") {
		return
	}
	where := s.oneOf(i-1, "in", "from", "to", "aus", "nach", "near", "kanton", "canton", "land", "bundesland", "deployed", "republik", "of") && s.near(i) || s.isSign(i-1, '(') && s.isSign(i+1, ')') || s.isSign(i-1, ',') && s.near(i) ||
		(s.oneOf(i-1, "der", "die", "den", "dem", "the") && s.oneOf(i-2, "in", "aus", "from", "nach", "to"))
	name := t.know.FirstName() > 0 || t.know.Surname() >= 4 || s.plainWord(i) > 1
	if name && !where || s.capital(i+1) && s.near(i+1) && t.know.FirstName() > 0 {
		return
	}
	if s.isSign(i+1, '\'') || s.is(i, "Georgia") && !where || s.near(i+1) && s.has(i+1, streetHeadEN|streetHead) && s.capital(i+1) {
		return
	}
	score := 0.7
	if where {
		score = 0.88
	}
	typ, source := phi.LocationCountry, sourceCountry
	if isState && !isCountry {
		typ, source = phi.LocationState, sourceState
	}
	s.add(i, i+1, typ, score, source)
}
