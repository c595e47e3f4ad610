package rules

import "fhirdeid/pipeline/phi"

// studies finds the names of trials: a code in capitals beside Studie, protocol, trial or registry.
func (s *scan) studies() {
	for i := s.next(0, mayStudy); i < len(s.toks); i = s.next(i+1, mayStudy) {
		if !s.cued(i, studyCue) {
			continue
		}
		j := i + 1
		for n := 0; n < 3 && (s.isSign(j, ':') || s.isSign(j, '"') || s.isSign(j, '(') && n == 0); n++ {
			j++
		}
		if s.at(j).lines == 0 && s.at(j).gap < 2 || s.isSign(j-1, ':') && s.at(j).lines == 0 {
			if end := s.trialName(j); end > j {
				s.add(j, end, phi.IDStudy, 0.75, sourceID+"study")
				continue
			}
		}
		// before: "LIBERTY-AF registry", "the NORDPSOR-3 study"
		for k := i - 1; k >= 0 && k >= i-6 && s.near(k+1); k-- {
			if end := s.trialName(k); end == i || end == i-1 && s.isSign(i-1, '-') {
				from := k
				for from >= 2 && s.glued(from) && s.isSign(from-1, '-') && s.isWord(from-2) {
					from -= 2
				}
				s.add(from, end, phi.IDStudy, 0.75, sourceID+"study")
				break
			}
		}
	}
}

// trialName gives the end of a trial's name from token i on: capitals with a hyphen, a number or both. Capitals alone
// are as often a method.
func (s *scan) trialName(i int) int {
	if !s.isWord(i) || s.at(i).shape != upper || s.at(i).runes < 3 || s.at(i).know.Common(s.lang) > 1 || s.takenAs(i) != phi.NoCategory {
		return i
	}
	j, marks := i+1, 0
	for s.isSign(j, '-') && s.glued(j) && s.glued(j+1) && s.at(j+1).kind != sign && s.at(j+1).shape != lower {
		j += 2
		marks++
	}
	if s.isNumber(j) && s.glued(j) {
		j++
		marks++
	}
	if s.isNumber(j) && s.at(j).gap == 1 && s.at(j).lines == 0 && s.at(j).runes <= 2 && !s.measured(j) {
		j++
		marks++
		if s.isSign(j, '/') && s.glued(j) && s.isNumber(j+1) {
			j += 2
		}
		if s.isSign(j, '-') && s.glued(j) && s.isWord(j+1) && s.glued(j+1) && s.at(j+1).runes == 1 {
			j += 2
		}
	}
	if marks == 0 {
		return i
	}
	return j
}
