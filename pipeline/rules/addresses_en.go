package rules

import (
	"strings"

	"fhirdeid/pipeline/phi"
)

// states are the postal abbreviations of the US, Canada and Australia.
var states = set(`AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD
	TN TX UT VT VA WA WV WI WY DC PR GU VI ON QC BC AB MB SK NS NB NL PE NT YT NU NSW QLD VIC TAS ACT SA`)

// directions of English streets.
var directions = set("N S E W NE NW SE SW North South East West")

// units stand behind or before an English street.
var units = set("apt apartment suite ste unit flat rm room fl floor lot bldg building shop blk block plot no km trlr")

// americanZIP reads a state and a ZIP code with the place before them: "Worcester, MA 01604-1234".
func (s *scan) americanZIP(i int) {
	t := s.at(i)
	abbreviated := t.shape == upper && t.runes <= 3 && states[s.surface(i)]
	if !abbreviated && t.class&state == 0 && !(t.cue&stateCue != 0 && s.capital(i)) {
		return
	}
	first := i
	if s.oneOf(i, "J", "Y", "C") {
		if !(s.isSign(i-1, '.') && s.is(i-2, "N") && s.glued(i) && s.glued(i-1)) {
			return
		}
		first = i - 2
	}
	if s.oneOf(first-1, "New", "North", "South", "West", "Rhode") && !abbreviated {
		first--
	}
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	zip := j
	if s.isSign(zip, ',') {
		zip++
	}
	size := uint8(5)
	if abbreviated && s.oneOf(i, "NSW", "QLD", "VIC", "TAS", "ACT", "SA", "WA", "NT") {
		size = 4
	}
	if !s.isNumber(zip) || s.at(zip).runes != size && !(size == 4 && s.at(zip).runes == 5) || s.at(zip).lines > 1 {
		s.stateAfterCity(first, i+1, abbreviated)
		return
	}
	end := zip + 1
	if s.isSign(end, '-') && s.glued(end) && s.isNumber(end+1) && s.glued(end+1) && s.at(end+1).runes == 4 {
		end += 2
	}
	if s.glued(end) && s.at(end).kind != sign || size == 4 && s.year(zip) && !s.isSign(first-1, ',') && s.at(max(0, first-1)).kind != word {
		return
	}
	s.add(zip, end, phi.LocationZIP, 0.96, sourceZIP)
	s.add(first, i+1, phi.LocationState, 0.94, sourceState)
	s.cityBefore(first, 0.9)
	s.lineBefore(zip)
}

// stateAfterCity reads "Laurel MS" and "Toowoomba, QLD" where the place is listed; "LA mildly enlarged" is none.
func (s *scan) stateAfterCity(first, end int, abbreviated bool) {
	if first == 0 || !abbreviated && !s.isSign(first-1, ',') || s.oneOf(end, "plate", "card", "license", "licence") || abbreviated && s.oneOf(first, "OR", "ID", "VI", "MI", "IN", "OK", "ME", "HI", "PA", "MA", "MS", "LA", "PE", "NT", "AL", "CO") && s.plainWord(first-1) > 0 && !s.isSign(first-1, ',') {
		return
	}
	comma := s.isSign(first-1, ',')
	k := first - 1
	if comma {
		k--
	}
	if k < 0 || !s.near(first) || !s.capital(k) || s.takenAs(k) != phi.NoCategory || s.at(k).shape == upper {
		return
	}
	listed := s.at(k).know.City() > 0 || k > 0 && s.oneOf(k-1, "San", "Los", "Las", "New", "Fort", "Saint", "St", "Santa", "Bad")
	if !comma && (!listed || s.plainWord(k) > 1 || s.surface(first) == "MD" || s.surface(first) == "PA") || comma && abbreviated && !listed || abbreviated && s.has(first, credential) && !listed {
		return
	}
	if abbreviated && s.has(first, credential) && (s.at(k).know.Surname() >= 3 || s.at(k).know.FirstName() > 0) {
		return
	}
	if s.at(k).know.City() == 0 && s.plainWord(k) > 0 {
		return
	}
	s.add(first, end, phi.LocationState, 0.85, sourceState)
	s.cityBefore(first, 0.8)
}

// cityBefore reads the place that ends before token i: capitalised words back to a comma, a number, a line's begin or
// the head of a street.
func (s *scan) cityBefore(i int, score float64) {
	end := i
	if s.isSign(end-1, ',') || s.isSign(end-1, '|') {
		end--
	}
	if s.at(i).lines > 1 || s.at(i).gap > 1 && end == i {
		return
	}
	from := end
	for n := 0; n < 4 && from > 0 && s.taken[from-1] == phi.NoCategory; n++ {
		k := from - 1
		if from < end && (s.at(from).lines > 0 || s.at(from).gap > 1) {
			break
		}
		if s.isSign(k, '-') && s.glued(k) && s.glued(from) || s.isSign(k, '\'') || s.isSign(k, '.') && s.oneOf(k-1, "St", "Mt", "Ft") {
			from = k
			continue
		}
		if !s.capital(k) || s.has(k, hospital|honorific|doctor|credential) && !s.has(k, streetHeadEN) || s.has(k, streetHeadEN) && from < end && !s.oneOf(k, "st", "fort", "mount", "park") || s.oneOf(k, "ave", "rd", "blvd", "ln", "dr", "street", "road", "avenue", "lane", "drive", "suite", "apt", "box") {
			break
		}
		from = k
		if s.at(k).lines > 0 {
			break
		}
	}
	for from < end && s.at(from).kind == sign {
		from++
	}
	if from < end && s.has(end-1, streetHeadEN) && (s.isNumber(from-1) || s.isWord(from-1) && s.isNumber(from-2)) {
		return // a street
	}
	if from < end && s.isWord(end-1) {
		s.add(from, end, phi.LocationCity, score, sourceCity)
	}
}

// letteredZIP reads British, Irish and Canadian postcodes, and the place before them.
func (s *scan) letteredZIP(i int) {
	t := s.at(i)
	if t.runes > 2 || t.shape != upper && !(t.runes == 1 && t.shape == title) || !s.isNumber(i+1) || !s.glued(i+1) || s.glued(i) && (s.at(i-1).kind != sign || s.at(i-1).sign == '-' || s.at(i-1).sign == '/' || s.at(i-1).sign == '.') {
		return
	}
	j := i + 2
	size := s.at(i + 1).runes
	letter := s.isWord(j) && s.glued(j) && s.at(j).runes == 1
	if letter {
		j++
	}
	end := 0
	switch {
	case size <= 2 && s.near(j) && !s.glued(j) && s.isNumber(j) && s.at(j).runes == 1 && s.isWord(j+1) && s.glued(j+1) && s.at(j+1).runes == 2 && s.at(j+1).shape == upper && !s.has(j+1, unitWord):
		end = j + 2 // SW1A 1AA
	case t.runes == 1 && size == 1 && letter && s.near(j) && !s.glued(j) && s.isNumber(j) && s.at(j).runes == 1 && s.isWord(j+1) && s.glued(j+1) && s.at(j+1).runes == 1 && s.isNumber(j+2) && s.glued(j+2) && s.at(j+2).runes == 1:
		end = j + 3 // V0X 1L9
	case t.runes == 1 && (size == 2 && !letter || size == 1 && letter && s.is(j-1, "W")) && s.near(j) && !s.glued(j) && s.eircode(j) > j:
		end = s.eircode(j) // F94 X0X0
	}
	if end == 0 || s.glued(end) && s.at(end).kind != sign {
		return
	}
	s.add(i, end, phi.LocationZIP, 0.95, sourceZIP)
	s.cityBefore(i, 0.75)
	s.lineBefore(i)
}

// houseHeads end the names of streets and houses that do without a number.
var houseHeads = set(`gate approach yard bank green fold drove brow cottage cottages farm lodge house hall mews villas barn mill rise end oast forge
	rectory vicarage manor grange croft buildings terrace row street road lane walk hill court close avenue drive way crescent quay wharf parade place square`)

// lineBefore reads the part of an address before the place, between commas or line ends, whatever the street is called:
// "17 Quarry Bank, Ossett WF5 0ZZ", "71844 Road 433, Oconto, NE 68860". The postcode begins at token i.
func (s *scan) lineBefore(i int) {
	end := i
	for n := 0; n < 8 && end > 0 && (s.takenAs(end-1) == phi.CategoryLocation || s.isSign(end-1, ',') && s.takenAs(end-2) == phi.CategoryLocation); n++ {
		end--
	}
	switch {
	case end == i || end < 2:
		return
	case s.isSign(end-1, ','):
		end--
	case s.at(end).lines != 1:
		return
	}
	from, words, numbered := end, 0, false
	for n := 0; n < 8 && from > 0; n++ {
		k := from - 1
		if s.taken[k] != phi.NoCategory || from < end && (s.at(from).lines > 0 || s.at(from).gap > 1) {
			break
		}
		switch t := s.at(k); {
		case t.kind == number && t.runes <= 5:
			numbered = true
		case t.kind == word && (s.capital(k) || t.runes == 1 || s.oneOf(k, "of", "the", "at", "an", "na", "y")) && !s.has(k, phoneHead|idHead|honorific|doctor|month|credential|placeLabel|birth|patient):
			words++
		case t.sign == '-' || t.sign == '.' || t.sign == '\'' || t.sign == '#' || t.sign == '/':
		default:
			n = 8
			continue
		}
		from = k
		if s.at(k).lines > 0 {
			break
		}
	}
	for from < end && (s.at(from).kind == sign && s.at(from).sign != '#' || s.oneOf(from, "of", "the", "at")) {
		from++
	}
	if s.isWord(from) && units[keyOf(s.surface(from))] {
		return // the street stands before its unit
	}
	if !numbered && words > 1 && words <= 4 && s.isWord(end-1) && houseHeads[keyOf(s.surface(end-1))] && (s.at(max(from-1, 0)).kind == sign || s.lineStart(from)) {
		s.add(from, end, phi.LocationStreet, 0.7, sourceStreet)
		return
	}
	if words == 0 || !numbered || !(s.lineStart(from) || s.at(from).gap > 1 || s.at(from-1).kind == sign || s.has(from-1, placeLabel|function)) || s.year(from) {
		return
	}
	s.add(from, end, phi.LocationStreet, 0.8, sourceStreet)
}

// eircode gives the end of the four letters and digits of an Irish postcode's second half.
func (s *scan) eircode(i int) int {
	n, j, digit, letters := 0, i, 0, 0
	for ; j < len(s.toks) && n < 4 && (j == i || s.glued(j)) && s.at(j).kind != sign; j++ {
		if s.isWord(j) {
			if s.at(j).shape == lower {
				return i
			}
			letters++
		} else {
			digit++
		}
		n += int(s.at(j).runes)
	}
	if n != 4 || digit == 0 || letters == 0 || !s.isWord(i) {
		return i
	}
	return j
}

// box reads post office boxes and rural routes.
func (s *scan) box(i int) {
	if !s.cued(i, boxCue) {
		return
	}
	switch {
	case s.is(i, "Postfach") && s.isNumber(i+1) && s.near(i+1):
		end := i + 2
		for n := 0; n < 2 && s.isNumber(end) && s.near(end) && s.at(end).runes <= 3; n++ {
			end++
		}
		s.add(i, end, phi.LocationOther, 0.95, sourceBox)
	case s.is(i, "Box") && s.isNumber(i+1) && s.near(i+1):
		var from int
		switch {
		case s.is(i-1, "PO"):
			from = i - 1
		case s.isSign(i-1, '.') && s.is(i-2, "O") && s.isSign(i-3, '.') && s.is(i-4, "P"):
			from = i - 4
		case s.isSign(i-1, '.') && s.is(i-2, "O") && s.is(i-3, "P"):
			from = i - 3
		case s.isNumber(i-1) && s.oneOf(i-2, "RR", "Rt", "Route", "HC", "RFD"):
			end := i + 2
			if s.isSign(end, '-') && s.glued(end) && s.isWord(end+1) && s.glued(end+1) {
				end += 2
			}
			s.add(i-2, end, phi.LocationStreet, 0.93, sourceStreet)
			return
		case s.isNumber(i-1) && s.militaryUnit(i-2):
			s.add(i-2, i+2, phi.LocationStreet, 0.98, sourceStreet)
			return
		case s.isSign(i-1, ',') && s.isNumber(i-2) && s.militaryUnit(i-3):
			s.add(i-3, i+2, phi.LocationStreet, 0.98, sourceStreet)
			return
		default:
			return
		}
		s.add(from, i+2, phi.LocationOther, 0.95, sourceBox)
	case s.oneOf(i, "APO", "FPO", "DPO"):
		s.militaryZIP(i)
	case s.is(i, "Drawer") && s.isNumber(i+1) && s.near(i+1) && s.capital(i) && s.lineStart(i):
		s.add(i, i+2, phi.LocationOther, 0.8, sourceBox)
	}
}

// militaryUnit says whether the tokens from i on name a mail room of the American forces: "PSC 3", "Unit 3050".
func (s *scan) militaryUnit(i int) bool {
	return s.oneOf(i, "PSC", "CMR", "UPR") || s.is(i, "Unit") && s.at(i+1).runes >= 4
}

// militaryZIP reads the last line of an address of the American forces or embassies, "APO AE 09498", and the ship in the line
// above. (USPS Publication 28, section 238)
func (s *scan) militaryZIP(i int) {
	region := i + 1
	if s.isSign(region, ',') {
		region++
	}
	zip := region + 1
	if s.isSign(zip, ',') {
		zip++
	}
	if !s.oneOf(region, "AA", "AE", "AP") || !s.isNumber(zip) || s.at(zip).runes != 5 || !s.near(zip) || s.at(region).lines > 0 {
		return
	}
	end := zip + 1
	if s.isSign(end, '-') && s.glued(end) && s.isNumber(end+1) && s.glued(end+1) && s.at(end+1).runes == 4 {
		end += 2
	}
	if s.glued(end) && s.at(end).kind != sign {
		return
	}
	s.add(i, i+1, phi.LocationCity, 0.98, sourceCity)
	s.add(region, region+1, phi.LocationState, 0.98, sourceState)
	s.add(zip, end, phi.LocationZIP, 0.98, sourceZIP)
	const longest = 4 // words of a ship's name
	for ship := i - 1; ship >= max(0, i-longest-1) && s.isWord(ship); ship-- {
		if s.oneOf(ship, "USS", "USNS", "USCGC", "USNV") && ship < i-1 {
			s.add(ship, i, phi.LocationOther, 0.9, sourceBox)
			return
		}
	}
}

// englishStreet reads a street around its head: "12 Elm St., Apt 3B", "Flat 2, 14 High Street", "2290 NE Wyatt Ct",
// and, behind a preposition, "on Front St".
func (s *scan) englishStreet(i int) {
	if !s.capital(i) && !s.lowerText() {
		return
	}
	var lowBuf [32]byte
	head := string(appendAgeLower(lowBuf[:0], s.surface(i))) // short enough for the stack
	if s.near(i+1) && s.has(i+1, streetHeadEN) && s.capital(i+1) && !s.is(i+1, "st") {
		return // "Quarry Hill Rd": the last one is the head
	}
	if s.lang == phi.German && head != "street" && head != "avenue" && head != "road" && head != "lane" && head != "laan" && head != "straat" {
		return
	}
	if head == "dr" && (s.isSign(i+1, '.') && (s.capital(i+2) && s.near(i+2) || s.isWord(i+2) && s.at(i+2).runes == 1) || s.capital(i+1) && s.near(i+1) && !directions[s.surface(i+1)] || !s.capital(i)) {
		return
	}
	if s.oneOf(i, "rd", "road", "hwy", "highway", "route") && s.oneOf(i-1, "County", "Old", "State", "US", "Rural") && s.near(i) && s.isNumber(i+1) && s.near(i+1) && s.at(i+1).runes <= 4 {
		s.add(i-1, i+2, phi.LocationStreet, 0.8, sourceStreet)
		return
	}
	from, words := i, 0
	for n := 0; n < 5 && from > 0; n++ {
		k := from - 1
		if s.at(from).lines > 0 || s.at(from).gap > 1 || s.takenAs(k) != phi.NoCategory {
			break
		}
		if s.isSign(k, '.') && s.glued(k) && s.isWord(k-1) && s.at(k-1).runes <= 2 || (s.isSign(k, '-') || s.isSign(k, '\'')) && s.glued(k) && s.glued(from) {
			from = k
			continue
		}
		if s.isNumber(k) && s.isWord(from) && s.glued(from) && s.oneOf(from, "st", "nd", "rd", "th") {
			from = k
			words++
			continue
		}
		if !s.isWord(k) || !s.capital(k) && !s.lowerText() && !s.oneOf(k, "of", "the", "th", "st", "nd", "rd", "y", "na") || s.has(k, placeLabel|honorific|phoneHead|function) && !s.oneOf(k, "of", "the") {
			break
		}
		from = k
		words++
	}
	for from < i && (s.at(from).kind == sign || s.oneOf(from, "of", "the")) {
		from++
		if s.at(from).kind == word {
			break
		}
	}
	if from == i {
		if !s.isNumber(i-1) || !s.oneOf(i, "highway", "hwy", "route") || !s.isNumber(i+1) {
			if !(s.oneOf(i, "highway", "hwy") && s.isNumber(i+1)) {
				return
			}
		}
	}
	end := i + 1
	if s.isSign(end, '.') && s.glued(end) && s.at(i).runes <= 4 && !(s.lineEnd(end) || s.capital(end+1) && s.near(end+1) && !directions[s.surface(end+1)]) {
		end++
	}
	if s.oneOf(i, "highway", "hwy", "route", "st") && s.isNumber(end) && s.near(end) && s.at(end).runes <= 3 && !s.is(i, "st") {
		end++
	}
	if s.isWord(end) && s.near(end) && directions[s.surface(end)] && s.at(end).shape == upper {
		end++
	}
	num := s.numberBefore(from)
	if s.is(from-1, "of") && s.is(from-2, "block") && s.isNumber(from-3) {
		num = from - 3 // "900 block of Prospect Ave"
	}
	on := s.oneOf(from-1, "on", "at", "off", "along", "near", "from") && s.at(from).class&(hospital|ward|unitWord) == 0 && s.at(i).shape != lower
	switch {
	case num < from:
		if words == 0 && from == i {
			return
		}
		start := s.unitBefore(num)
		s.add(start, s.unitAfter(end), phi.LocationStreet, 0.94, sourceStreet)
	case words > 0 && s.capital(i) && s.lang != phi.German && (head == "street" || head == "st" || head == "ave" || head == "avenue" || head == "road" || head == "rd" || head == "lane" || head == "ln" || head == "blvd" || head == "boulevard" || head == "pkwy" || head == "hwy" || head == "highway" || head == "parkway" || head == "terrace" || head == "mews" || head == "crescent"):
		if s.has(from, ordinary|hospital|ward) && from == i-1 || from == i || s.oneOf(i-1, "high", "old") && head == "road" {
			return
		}
		if on && (head != "st" || !(s.capital(end) && s.near(end))) {
			s.add(from, s.unitAfter(end), phi.LocationStreet, 0.75, sourceStreet)
			return
		}
		if s.plainWord(from) > 2 || head == "st" && (s.capital(end) && s.near(end) || s.isSign(i+1, '.') && s.capital(i+2) && s.near(i+2)) {
			return
		}
		if s.has(from-1, function) || s.begins(from) {
			s.add(from, s.unitAfter(end), phi.LocationStreet, 0.75, sourceStreet)
		}
	case words > 0 && on && s.at(i).shape == title && s.at(from).shape == title && s.lang != phi.German && s.oneOf(i, "close", "walk", "grove", "way") && !s.has(from, ordinary|hospital|ward):
		s.add(from, s.unitAfter(end), phi.LocationStreet, 0.7, sourceStreet) // "on Sandpiper Close"
	}
}

// numberBefore gives the start of the house number before token i: 12, 12A, 94-1100, 3/112, or i.
func (s *scan) numberBefore(i int) int {
	k := i - 1
	if k < 0 || s.at(i).lines > 0 || s.at(i).gap > 1 {
		return i
	}
	if s.isWord(k) && s.at(k).runes == 1 && s.glued(k) && s.isNumber(k-1) {
		k--
	}
	if s.isSign(k, ',') && s.isNumber(k-1) {
		k--
	}
	if !s.isNumber(k) || s.at(k).runes > 5 || s.takenAs(k) != phi.NoCategory {
		return i
	}
	for n := 0; n < 3 && s.glued(k) && (s.isSign(k-1, '-') || s.isSign(k-1, '/')) && s.glued(k-1) && s.isNumber(k-2) && s.at(k-2).runes <= 4; n++ {
		k -= 2
	}
	if s.glued(k) && k > 0 && s.at(k-1).kind != sign {
		return i
	}
	if s.isSign(k-1, '.') && s.glued(k) || s.isSign(k-1, '#') {
		return i
	}
	return k
}

// unitBefore adds "Flat 2/1, " or "Lot " before a street's house number.
func (s *scan) unitBefore(i int) int {
	if i >= 1 && s.isWord(i-1) && s.near(i) && units[strings.ToLower(s.surface(i-1))] && s.taken[i-1] == phi.NoCategory && s.capital(i-1) {
		return i - 1
	}
	if s.isSign(i-1, '.') && s.oneOf(i-2, "no") && s.taken[i-2] == phi.NoCategory {
		return i - 2
	}
	if s.isSign(i-1, ',') && s.sameLine(i) {
		k := i - 2
		for n := 0; n < 4 && k > 0 && (s.isNumber(k) || s.isSign(k, '/') || s.at(k).runes == 1) && s.at(k+1).lines == 0; n++ {
			if s.isWord(k-1) && units[strings.ToLower(s.surface(k-1))] && s.taken[k-1] == phi.NoCategory {
				return k - 1
			}
			k--
		}
	}
	return i
}

// unitAfter adds ", Apt 3B" or " #410" behind a street.
func (s *scan) unitAfter(end int) int {
	j := end
	if s.isSign(j, ',') {
		j++
	}
	if !s.sameLine(j) || s.at(j).gap > 1 {
		return end
	}
	if s.isSign(j, '#') {
		j++
	} else if s.isWord(j) && units[strings.ToLower(s.surface(j))] && !s.oneOf(j, "no", "km", "lot") {
		j++
		if s.isSign(j, '.') && s.glued(j) {
			j++
		}
	} else {
		return end
	}
	if s.at(j).kind == sign || !s.near(j) || s.isWord(j) && s.at(j).runes > 2 {
		return end
	}
	j++
	for n := 0; n < 6 && (s.isSign(j, '-') || s.at(j).kind != sign) && s.glued(j) && j < len(s.toks); n++ {
		j++
	}
	return j
}
