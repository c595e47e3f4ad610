package rules

import (
	"sort"

	"fhirdeid/pipeline/phi"
)

// extend adds to streets and ids what their own scanners leave out: units and directions around a street, a check letter or
// a short last group behind an id.
func (s *scan) extend() {
	for n := range s.spans {
		f := &s.spans[n]
		switch {
		case f.Type == phi.LocationStreet:
			first, end := s.tokensOf(f)
			s.widen(f, first, end, s.unitLeft(first), s.unitRight(end))
		case f.Type.Category() == phi.CategoryID:
			first, end := s.tokensOf(f)
			s.widen(f, first, end, s.lettersLeft(first), s.checkLetters(first, end))
		}
	}
}

// tokensOf gives the tokens of a finding, half open.
func (s *scan) tokensOf(f *phi.Span) (first, end int) {
	first = sort.Search(len(s.toks), func(i int) bool { return s.toks[i].start >= f.Start })
	end = first + 1
	for end < len(s.toks) && s.toks[end].start < f.End {
		end++
	}
	return first, end
}

// widen gives the finding new borders if the tokens between are free.
func (s *scan) widen(f *phi.Span, first, end, from, to int) {
	if from < first && s.free(from, first) {
		for k := from; k < first; k++ {
			s.taken[k] = f.Type.Category()
		}
		f.Start = s.toks[from].start
	}
	if to > end && to <= len(s.toks) && s.free(end, to) {
		for k := end; k < to; k++ {
			s.taken[k] = f.Type.Category()
		}
		f.End = s.toks[to-1].end
	}
}

// unitLeft gives the start of what belongs to a street before it: "Suite 7, 218 Baylis St", "200 - 1881 Scarth Street", or i.
func (s *scan) unitLeft(i int) int {
	k := i - 1
	if k < 1 || s.at(i).lines > 0 || s.at(i).gap > 1 || s.at(k).kind != sign {
		if s.oneOf(k, "St", "Sankt") && s.near(i) {
			return k
		}
		return i
	}
	switch {
	case s.isSign(k, '.') && s.oneOf(k-1, "St") && s.glued(k):
		return k - 1
	case s.isSign(k, '-') && !s.glued(k) && !s.glued(i) && s.isNumber(k-1) && s.isNumber(i) && (s.lineStart(k-1) || s.isSign(k-2, ',')):
		return k - 1
	case s.isSign(k, ',') && k >= 2 && s.at(k-1).kind != sign && s.at(k-1).runes <= 4 && s.isWord(k-2) && units[keyOf(s.surface(k-2))] && !s.oneOf(k-2, "no", "km", "st"):
		return k - 2
	case s.isSign(k, '"') && k >= 2:
		for q := k - 1; q > 0 && q > k-6 && s.at(q).lines == 0; q-- {
			if s.isSign(q, '"') {
				return q
			}
		}
	case s.isSign(k, ',') && s.isSign(k-1, '"'):
		for q := k - 2; q > 0 && q > k-6 && s.at(q+1).lines == 0; q-- {
			if s.isSign(q, '"') {
				return q + 1
			}
		}
	}
	return i
}

// unitRight gives the end of what belongs to a street behind it: ", 4th Fl", "#410", "S.E.", ", 2. Etage", "VH 3. OG", or i.
func (s *scan) unitRight(i int) int {
	j := i
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	// compass: S.E., NW
	if s.near(j) && s.at(j).runes == 1 && s.oneOf(j, "n", "s", "e", "w") && s.isSign(j+1, '.') && s.glued(j+1) && s.oneOf(j+2, "e", "w") && s.glued(j+2) {
		end := j + 3
		if s.isSign(end, '.') && s.glued(end) {
			end++
		}
		return end
	}
	if s.near(j) && s.at(j).shape == upper && s.oneOf(j, "nw", "ne", "sw", "se") {
		i, j = j+1, j+1
	}
	if s.isSign(j, ',') && s.near(j+1) {
		j++
	}
	switch {
	case s.isSign(j, '#') && s.glued(j+1) && s.at(j+1).kind != sign:
		end := j + 2
		for s.isSign(end, '-') && s.glued(end) && s.isNumber(end+1) && s.glued(end+1) {
			end += 2
		}
		return end
	case s.near(j) && s.isWord(j) && units[keyOf(s.surface(j))] && !s.oneOf(j, "no", "km", "plot"):
		k := j + 1
		if s.isSign(k, '.') && s.glued(k) {
			k++
		}
		if s.isSign(k, '#') {
			k++
		}
		if s.near(k) && (s.isNumber(k) && s.at(k).runes <= 5 || s.isWord(k) && s.at(k).shape != lower && s.at(k).runes <= 2) {
			if s.isWord(k+1) && s.glued(k+1) && s.at(k+1).runes == 1 {
				k++
			}
			return k + 1
		}
	case s.near(j) && s.isNumber(j) && s.at(j).runes <= 2:
		k := j + 1
		if s.glued(k) && (s.isSign(k, '.') || s.oneOf(k, "st", "nd", "rd", "th")) && s.near(k+1) && s.oneOf(k+1, "og", "etage", "stock", "stg", "stiege", "fl", "floor", "dg", "ug") {
			return k + 2
		}
	case s.near(j) && s.at(j).shape == upper && s.oneOf(j, "vh", "hh", "hth", "gh", "sf"):
		if end := s.unitRight(j + 1); end > j+1 {
			return end
		}
		return j + 1
	}
	return i
}

// checkLetters gives the end of an id with the letters or the short group that stand behind it: "4418 207 933 KX",
// "604417 H", "(MSJ600418823 01)", or end.
func (s *scan) checkLetters(first, end int) int {
	digits := 0
	for k := first; k < end; k++ {
		if s.isNumber(k) {
			digits += int(s.at(k).runes)
		}
	}
	t := s.at(end)
	if digits < 6 || t.lines > 0 || t.gap != 1 || !s.isNumber(end-1) {
		return end
	}
	closed := end+1 >= len(s.toks) || s.at(end+1).lines > 0 || s.at(end+1).gap > 1 || s.at(end+1).kind == sign && !s.isSign(end+1, '.') && !s.isSign(end+1, ':')
	switch {
	case t.kind == word && t.shape != lower && t.runes <= 2 && closed && !s.has(end, state) && t.cue&vitalCue == 0:
		return end + 1
	case t.kind == number && t.runes <= 2 && s.isSign(end+1, ')') && s.isSign(first-1, '('):
		return end + 1
	}
	return end
}

// lettersLeft gives the start of the capitals that a hyphen joins to an id, "MR-2018-04417", unless they are its label; or i.
func (s *scan) lettersLeft(i int) int {
	k := i - 2
	if k < 0 || !s.isSign(i-1, '-') || !s.glued(i) || !s.glued(i-1) || !s.isWord(k) || s.at(k).shape != upper && !(s.at(k).runes == 1 && s.capital(k)) || s.at(k).runes > 5 || s.glued(k) {
		return i
	}
	if s.has(k, numberWord) && !s.has(k-1, numberWord) && !(s.isSign(k-1, '.') && s.has(k-2, numberWord)) {
		return i
	}
	return k
}

// courtFiles reads the file numbers of German guardianship and criminal courts: "XVII 714/21", "7 XIV 118/84".
func (s *scan) courtFiles() {
	for i := s.next(0, mayCourt); i < len(s.toks); i = s.next(i+1, mayCourt) {
		t := s.at(i)
		if t.kind != word || t.shape != upper || t.runes < 2 || t.runes > 5 || s.taken[i] != phi.NoCategory || !s.isNumber(i+1) || s.at(i+1).gap != 1 || !s.isSign(i+2, '/') || !s.glued(i+2) ||
			!s.isNumber(i+3) || !s.glued(i+3) || s.at(i+3).runes != 2 || s.at(i+1).runes < 2 || s.at(i+1).runes > 5 || s.at(i+1).lines > 0 || s.lang == phi.English {
			continue
		}
		roman := true
		for _, c := range []byte(s.surface(i)) {
			roman = roman && (c == 'X' || c == 'V' || c == 'I' || c == 'L')
		}
		if !roman || s.glued(i+4) && s.at(i+4).kind != sign {
			continue
		}
		from := i
		if s.isNumber(i-1) && s.at(i-1).runes <= 3 && s.near(i) {
			from--
		}
		s.add(from, i+4, phi.IDOther, 0.85, sourceID+"other")
	}
}
