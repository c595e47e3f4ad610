package rules

import "fhirdeid/pipeline/phi"

const sourceVehicle = sourceID + "vehicle"

// vehicles finds licence plates: in their German form where something around speaks of a vehicle or the form is
// unlike anything else, in other forms only behind a word such as plate or Kennzeichen.
func (s *scan) vehicles() {
	for i := s.next(0, mayVehicle); i < len(s.toks); i = s.next(i+1, mayVehicle) {
		if !s.isWord(i) || s.takenAs(i) != phi.NoCategory {
			continue
		}
		t := s.at(i)
		if t.class&vehicle != 0 {
			s.plateAfter(i)
		}
		if (t.shape == upper || t.shape == title) && t.runes <= 3 && (t.shape == upper || t.runes == 1) {
			s.germanPlate(i)
		}
	}
}

// germanPlate reads B-MW 1234, BB-MY 1961, E-UK 12H.
func (s *scan) germanPlate(i int) {
	if s.glued(i) && s.at(i-1).kind != sign || !s.isSign(i+1, '-') || !s.glued(i+1) || !s.glued(i+2) || !s.isWord(i+2) || s.at(i+2).runes > 2 ||
		s.at(i+2).shape == lower || !s.isNumber(i+3) || s.at(i+3).runes > 4 || s.at(i+3).lines > 0 || s.at(i+3).gap != 1 || s.surface(i + 3)[0] == '0' {
		return
	}
	end := i + 4
	if s.isWord(end) && s.glued(end) {
		if !s.oneOf(end, "H", "E") {
			return
		}
		end++
	}
	if s.isSign(end, '/') && s.glued(end) || s.isSign(end, '.') && s.glued(end+1) && s.isNumber(end+1) || s.isSign(end, '%') || s.has(end, unitWord) && s.near(end) || s.isSign(end, ',') && s.glued(end+1) && s.isNumber(end+1) {
		return
	}
	switch {
	case s.vehicleBefore(i):
		s.add(i, end, phi.IDVehicle, 0.97, sourceVehicle)
	case s.isSign(i-1, '(') && s.isSign(end, ')') && s.lang != phi.English && s.at(i+3).runes >= 2:
		s.add(i, end, phi.IDVehicle, 0.7, sourceVehicle)
	}
}

// vehicleBefore says whether one of the words before token i speaks of a vehicle.
func (s *scan) vehicleBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-7; k-- {
		if s.has(k, vehicle) && !s.is(k, "reg") || s.is(k, "reg") {
			return true
		}
		if s.at(k+1).lines > 1 {
			return false
		}
	}
	return false
}

// plateAfter reads the plate behind a word such as Pkw or plate: capitals and digits in up to three groups.
func (s *scan) plateAfter(i int) {
	j := i + 1
	for ; j < i+5 && s.near(j); j++ {
		if s.isSign(j, ':') || s.isSign(j, '(') || s.isSign(j, '.') || s.isSign(j, ',') || s.isSign(j, '#') || s.has(j, numberWord|vehicle) || s.oneOf(j, "kennz", "is") {
			continue
		}
		break
	}
	if !s.near(j) || s.at(j).kind == sign {
		return
	}
	if s.isWord(j) && (s.at(j).shape == lower || s.at(j).shape == mixed || s.at(j).runes > 4 || s.at(j).shape == title && s.at(j).runes > 1) {
		return
	}
	digit, letters, end := 0, 0, j
	for k := j; k < len(s.toks) && k < j+7 && (k == j || s.near(k)); k++ {
		t := s.at(k)
		if t.kind == sign && !(t.sign == '-' && s.glued(k) && s.glued(k+1)) && !(t.sign == '|') {
			break
		}
		if t.kind == word && (t.shape == lower || t.shape == mixed || t.shape == title && t.runes > 1 || t.runes > 4 || s.has(k, function|unitWord) && t.gap > 0 && t.runes > 1) {
			break
		}
		if t.kind == number && t.runes > 6 {
			break
		}
		switch t.kind {
		case number:
			digit += int(t.runes)
		case word:
			letters += int(t.runes)
		}
		if t.kind != sign {
			end = k + 1
		}
	}
	if digit+letters < 4 || digit == 0 || letters == 0 || digit+letters > 10 || s.has(end, unitWord) && s.near(end) {
		return
	}
	s.add(j, end, phi.IDVehicle, 0.85, sourceVehicle)
}
