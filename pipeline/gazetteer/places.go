package gazetteer

import (
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// place looks for a place, hospital, organisation or street that begins at token i, emits it, and gives the token
// behind it.
func (r *reader) place(i int) int {
	end, value := r.match(r.set.phrases, i)
	switch {
	case end == i:
		return r.oneWord(i)
	case value&isProtected != 0:
		r.emit(i, end, phi.Protected, termScore, "gazetteer.term")
		return end
	case value&isHospital != 0 && r.allCapital(i, end):
		r.emit(i, end, phi.LocationHospital, 0.88, "gazetteer.hospital")
		return end
	case value&isOrganisation != 0 && r.allCapital(i, end) && (end-i > 1 || r.lone(i)):
		r.emit(i, end, phi.LocationOrganization, 0.86, "gazetteer.organisation")
		return end
	case value&isStreet != 0 && r.houseNumber(end) && r.streetLike(i, end):
		r.emit(i, end+1, phi.LocationStreet, 0.86, "gazetteer.street")
		return end + 1
	case end-i > 1 && value&(isCity|isState|isCountry) != 0 && r.allCapital(i, end):
		return r.manyWords(i, end, value)
	}
	return r.oneWord(i)
}

// manyWords decides on a place whose name has several words.
func (r *reader) manyWords(i, end int, value uint32) int {
	score, t, source := 0.86, phi.LocationCity, "gazetteer.city"
	switch {
	case value&isCountry != 0:
		t, source = phi.LocationCountry, "gazetteer.country"
	case value&isState != 0:
		t, source = phi.LocationState, "gazetteer.state"
	default:
		everyday := true
		for k := i; k < end; k++ {
			w := lists.Lookup(r.word(k))
			everyday = everyday && (w.Common(r.lang) > 0 || w.Medical() || r.tokens[k].initial)
		}
		before := i > 0 && r.cue(i-1)&into != 0 && r.tokens[i].gap == space
		if everyday && !before && !r.stateFollows(end) {
			return i
		}
		if r.first(i) >= 2 && !before && !r.stateFollows(end) {
			return i // "Saint Paul" is a city, "Paul Smith" is none
		}
	}
	r.emit(i, end, t, score, source)
	return end
}

// oneWord decides on a place of one word.
func (r *reader) oneWord(i int) int {
	t := &r.tokens[i]
	w := t.word
	if t.end-t.start < 3 {
		return r.stateCode(i)
	}
	if w.City() == 0 && !w.Country() && !w.State() || r.cue(i)&noName != 0 {
		return i
	}
	if t.gap == hyphen || i+1 < len(r.tokens) && r.tokens[i+1].gap == hyphen && r.tokens[i+1].capital() {
		return i // a part of a longer name
	}
	if i > 0 && r.cue(i-1)&honorific != 0 && t.gap != far || r.protectedWord(i) {
		return i
	}
	before := i > 0 && (t.gap == space || t.gap == wrap) && r.cue(i-1)&into != 0 && r.tokens[i-1].shape == small
	if before && r.word(i-1) == "nach" && w.Surname() >= 2 {
		before = false // a method of that name
	}
	region := r.stateFollows(i + 1)
	person := w.FirstName() >= 2 || w.Surname() >= 3
	everyday := w.Common(r.lang) >= 1 || w.Common("") >= 2 || w.Medical() || w.Drug()
	source, kind := "gazetteer.city", phi.LocationCity
	switch {
	case w.Country():
		source, kind = "gazetteer.country", phi.LocationCountry
	case w.State() && w.City() < 3:
		source, kind = "gazetteer.state", phi.LocationState
	}
	sure := w.City() == 3 || w.Country() || w.State()
	score := 0.0
	switch {
	case region && !everyday:
		score = 0.9
	case region && before:
		score = 0.86
	case everyday:
	case sure && !person:
		score = 0.85
	case sure && before:
		score = 0.85
	case before && w.City() == 2 && w.Surname() < 4 && w.FirstName() < 2:
		score = 0.8
	case w.City() == 2 && !person && w.Surname() == 0 && w.FirstName() == 0 && w.Common("") == 0 && t.end-t.start > 4:
		score = 0.6
	}
	if t.shape == capitals && t.end-t.start < 4 && kind != phi.LocationCountry {
		score = 0
	}
	if score == 0 || person && r.nameAround(i) || r.graded(i+1) || r.saint(i) && w.City() < 3 {
		return i
	}
	r.emit(i, i+1, kind, score, source)
	return i + 1
}

// nameAround says whether token i stands beside a first name, so that it is a surname.
func (r *reader) nameAround(i int) bool {
	if i > 0 && r.tokens[i].gap == space && (r.first(i-1) >= 1 || r.tokens[i-1].initial) {
		return true
	}
	if r.tokens[i].word.FirstName() >= 2 && i+1 < len(r.tokens) && r.tokens[i+1].gap == space && r.surname(i+1) >= 2 {
		return true
	}
	return i+1 < len(r.tokens) && r.tokens[i+1].gap == comma && r.first(i+1) >= 2
}

// stateCode finds US state codes: behind a city and a comma they are certain, else only two of everyday speech are
// read, and those only behind a preposition.
func (r *reader) stateCode(i int) int {
	t := &r.tokens[i]
	if t.shape != capitals || !stateCodes[r.word(i)] {
		return i
	}
	if i > 0 && t.gap == comma && r.tokens[i-1].capital() && r.tokens[i-1].word.City() > 0 &&
		(!degrees[r.word(i)] || r.zip(i+1) || r.tokens[i-1].word.City() == 3 && r.tokens[i-1].word.Surname() < 4 && r.tokens[i-1].word.FirstName() < 2) {
		r.emit(i, i+1, phi.LocationState, 0.9, "gazetteer.state")
		return i + 1
	}
	if w := r.word(i); (w == "la" || w == "ny") && i > 0 && t.gap == space && movement[r.word(i-1)] &&
		(i+1 == len(r.tokens) || r.tokens[i+1].gap != space || lists.Lookup(r.word(i+1)).Common(phi.English) == 3) {
		r.emit(i, i+1, phi.LocationState, 0.7, "gazetteer.state")
		return i + 1
	}
	return i
}

// zip says whether token i is a US postal code.
func (r *reader) zip(i int) bool {
	return i < len(r.tokens) && r.tokens[i].gap == space && len(r.word(i)) == 5 && strings.Trim(r.word(i), "0123456789") == ""
}

// stateFollows says whether a comma and a state, or a US state code, stand at token i.
func (r *reader) stateFollows(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].gap != comma || !r.tokens[i].capital() {
		return false
	}
	t := &r.tokens[i]
	if t.shape == capitals && t.end-t.start == 2 {
		return stateCodes[r.word(i)] && (!degrees[r.word(i)] || r.zip(i+1) || r.tokens[i-1].word.City() == 3)
	}
	if t.word.State() || t.word.Country() {
		return true
	}
	_, value := r.match(r.set.phrases, i)
	return value&(isState|isCountry) != 0
}

// houseNumber says whether token i is a house number.
func (r *reader) houseNumber(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].gap != space || r.tokens[i].shape != number {
		return false
	}
	w := r.word(i)
	return len(w) <= 4 && w[0] >= '1' && w[0] <= '9' && strings.Trim(w[:len(w)-1], "0123456789") == ""
}

// streetLike says whether a listed street is hardly anything else.
func (r *reader) streetLike(i, end int) bool {
	t := &r.tokens[i]
	if r.lang == phi.English || t.shape != title {
		return false
	}
	return end-i > 1 || t.end-t.start > 6 && t.word.Surname() == 0 && t.word.Common("") == 0 && !t.word.Medical()
}

// graded says whether token i goes on as the name of a classification does: Prag C2, München III, Ottawa negativ.
func (r *reader) graded(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].gap != space && r.tokens[i].gap != slash {
		return false
	}
	t := &r.tokens[i]
	w := r.word(i)
	return r.cue(i)&(eponymHead|clinical) != 0 || grading[w] || t.shape == capitals && roman(w) ||
		t.shape == number && len(w) < 5 && (w[0] > '9' || len(w) < 3)
}

// allCapital says whether every word of note in tokens i to j begins with a capital.
func (r *reader) allCapital(i, j int) bool {
	for k := i; k < j; k++ {
		if r.tokens[k].shape == small && !links[r.word(k)] {
			return false
		}
	}
	return true
}

// lone says whether the single word at i is a name where it stands, not an everyday word.
func (r *reader) lone(i int) bool {
	t := &r.tokens[i]
	if t.word.Common("") == 0 && t.word.Surname() < 4 && t.word.FirstName() < 2 {
		return true
	}
	return i > 0 && t.gap == space && employers[r.word(i-1)] && !r.startsSentence(i) && t.word.Common("") < 3
}

var (
	stateCodes = lists.Set(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd
tn tx ut vt va wa wv wi wy dc`)
	degrees   = lists.Set(`md pa ma ms do or me in ok hi la co al mt`)
	grading   = lists.Set(`grad grade typ type klassifikation classification task guidelines criteria kriterien score skala scale stadium stage entfaellt rules`)
	movement  = lists.Set(`from in to near visiting`)
	employers = lists.Set(`bei at for der die firma company by with`)
	links     = lists.Set(`of the and at for in on de la le du del am an der den die das im in bei und ob vor auf von zu zur zum upon under sur sous les des`)
)
