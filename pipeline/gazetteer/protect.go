package gazetteer

import (
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

const (
	wordScore   = 0.8
	eponymScore = 0.8
	termScore   = 0.97 // what names a drug and nobody, a score with its number, a term of medicine: no model is that certain
	shortScore  = 0.95 // a model must be all but certain
	blankScore  = 0.99
)

// protect looks for a term that must stay and begins at token i, emits it, and gives the token behind it.
func (r *reader) protect(i int) int {
	t := &r.tokens[i]
	if end := r.blank(i); end > i {
		r.emit(i, end, phi.Protected, blankScore, "gazetteer.blank")
		return end
	}
	if i > 0 && r.cue(i-1)&honorific != 0 && (t.gap == space || t.gap == dot) {
		return i // a person, whatever else bears the name
	}
	w := t.word
	if end := r.grade(i); end > i {
		r.emit(i, end, phi.Protected, termScore, "gazetteer.term")
		return end
	}
	if r.shorthandAt(i) {
		r.emit(i, i+1, phi.Protected, shortScore, "gazetteer.term")
		return i + 1
	}
	if w.Eponym() || r.citation(i) {
		if _, value := r.match(r.set.phrases, i); value&isProtected != 0 {
			return i // a listed term, which weighs more: Swan-Ganz
		}
		if j := r.eponym(i); j > i {
			return j
		}
	}
	if (w.Drug() || w.Medical() && t.capital()) && nameless(w) &&
		(i+1 == len(r.tokens) || r.tokens[i+1].gap != hyphen) && t.gap != hyphen {
		switch {
		case w.Drug():
			r.emit(i, i+1, phi.Protected, termScore, "gazetteer.term")
		case w.Common("") < 2:
			r.emit(i, i+1, phi.Protected, wordScore, "gazetteer.term")
		}
		return i + 1
	}
	return i
}

// nameless says whether hardly a person or place is called so.
func nameless(w lists.Word) bool {
	return w.FirstName() == 0 && w.Surname() < 2 && w.City() < 2 && !w.Country() && !w.State()
}

// eponym finds the term that the eponym at token i is part of.
func (r *reader) eponym(i int) int {
	end := i + 1
	// Several: Wolff-Parkinson-White, Guillain-Barré, Hill Sachs.
	for end < len(r.tokens) && (r.tokens[end].gap == hyphen || r.tokens[end].gap == slash || r.tokens[end].gap == space) &&
		r.tokens[end].word.Eponym() && r.tokens[end].capital() && end-i < 4 {
		end++
	}
	if r.citation(i) {
		r.emit(i, i+3, phi.Protected, termScore, "gazetteer.citation")
		if stop := r.tokens[i+2].stop; strings.HasPrefix(r.text[stop:], ".") { // of "al.", which models take along
			r.spans[len(r.spans)-1].End++
		}
		return i + 3
	}
	after := end
	if after < len(r.tokens) && r.tokens[after].gap == apostrophe && r.word(after) == "s" {
		after++ // Crohn's
	}
	head := after < len(r.tokens) && r.cue(after)&eponymHead != 0 &&
		(r.tokens[after].gap == space || r.tokens[after].gap == hyphen || r.tokens[after].gap == wrap || r.tokens[after].gap == broken)
	if head {
		after++
		r.emit(i, after, phi.Protected, r.eponymScore(i, end), "gazetteer.eponym")
		return after
	}
	if after < len(r.tokens) && r.tokens[after].gap == hyphen && !r.personal(end-1) {
		// Parkinson-Medikation, Bechterew-typisch: a compound of the eponym.
		if w := r.tokens[after].word; w.Common("") > 0 || w.Medical() || r.tokens[after].shape == small || termLike(r.word(after)) {
			r.emit(i, after+1, phi.Protected, r.eponymScore(i, end), "gazetteer.eponym")
			return after + 1
		}
	}
	if i > 0 && r.beforeEponym(i) {
		r.emit(i, end, phi.Protected, r.eponymScore(i, end), "gazetteer.eponym")
		return end
	}
	if end-i > 1 && r.tokens[i+1].gap == hyphen && !(r.tokens[i].word.FirstName() > 1) {
		r.emit(i, end, phi.Protected, r.eponymScore(i, end), "gazetteer.eponym")
		return end
	}
	if r.tokens[i].gap != hyphen && r.protectedWord(i) {
		if r.subgraded(end) {
			end++ // no surname
		}
		r.emit(i, end, phi.Protected, r.eponymScore(i, end), "gazetteer.eponym")
		return end
	}
	return i
}

// eponymScore is the weight of the eponym that ends before token end: more than a model's where nobody bears one of its words.
func (r *reader) eponymScore(i, end int) float64 {
	for ; i < end; i++ {
		if nameless(r.tokens[i].word) {
			return termScore
		}
	}
	return eponymScore
}

// beforeEponym says whether the word before token i makes it one: Morbus, M., nach.
func (r *reader) beforeEponym(i int) bool {
	t := &r.tokens[i]
	switch w := r.word(i - 1); w {
	case "morbus", "mb":
		return t.gap == space || t.gap == dot
	case "m":
		return t.gap == dot && !r.first3(i)
	case "nach":
		// Naht nach Donati; but "nach Heidelberg" is a place, and "nach Frau Weber" is no eponym.
		return t.gap == space && t.word.City() < 2 && t.word.FirstName() < 2
	}
	return false
}

// first3 says whether a surname may be meant behind an initial M.: "M. Weber" is a person, "M. Bechterew" is none.
func (r *reader) first3(i int) bool {
	w := r.tokens[i].word
	return w.Surname() >= 6 && !diseases[r.word(i)]
}

// protectedWord says whether the word at i alone is a term: an eponym that hardly anyone bears as a name, or one of
// which something is said that is not said of people.
func (r *reader) protectedWord(i int) bool {
	t := &r.tokens[i]
	if !t.word.Eponym() {
		return false
	}
	if diseases[r.word(i)] {
		return true
	}
	if r.subgraded(i + 1) {
		return true // Forrest Ib
	}
	if i+1 < len(r.tokens) {
		n := &r.tokens[i+1]
		if (n.gap == space || n.gap == comma) && r.cue(i+1)&clinical != 0 && n.shape == small {
			return true
		}
		if n.gap == space && n.shape == number && n.end-n.start <= 2 || n.gap == space && (n.shape == capitals || n.initial) && roman(r.word(i+1)) {
			return true // Gleason 7, Billroth II, Weber B
		}
	}
	return false
}

// subgrade holds the grades that are parted once more.
var subgrade = lists.Set("ia ib ic iia iib iic iiia iiib iiic iva ivb")

// subgraded says whether token i is such a grade behind a word.
func (r *reader) subgraded(i int) bool {
	return i < len(r.tokens) && r.tokens[i].gap == space && subgrade[r.word(i)]
}

func roman(w string) bool {
	return strings.Trim(w, "iv") == "" || w == "a" || w == "b" || w == "c"
}

// personal says whether the words up to i are a name of a person rather than an eponym's.
func (r *reader) personal(i int) bool { return r.tokens[i].word.FirstName() >= 2 }

// citation says whether token i is an author: Schulz et al.
func (r *reader) citation(i int) bool {
	if i+2 >= len(r.tokens) {
		return false
	}
	a := &r.tokens[i+1]
	return a.gap == space && r.word(i+1) == "et" && (r.word(i+2) == "al" || r.word(i+2) == "alii")
}

// diseases are eponyms that mean the disease, sign or tool also when they stand alone.
var diseases = lists.Set(`parkinson alzheimer hodgkin crohn basedow bechterew hashimoto addison cushing meniere raynaud klinefelter marfan kaposi
wegener behcet perthes scheuermann dupuytren ledderhose recklinghausen hirschsprung boeck waldenstroem werlhof gaucher fabry sudeck
apgar braden barthel forrest ormond paget osler tinetti gleason karnofsky ranson billroth whipple kocher pfannenstiel mcburney rovsing blumberg lasegue bragard
babinski romberg unterberger trendelenburg lachman apley mcmurray phalen tinel finkelstein rinne kernig brudzinski fallot eisenmenger ebstein
brugada valsalva doppler holter seldinger foley kirschner redon penrose hickman broviac tenckhoff langenbeck hegar veress bassini shouldice
lichtenstein nissen donati allgoewer fontaine rutherford leriche debakey frykman pauwels schatzker salter gustilo tscherne kellgren
outerbridge klatskin mirizzi barrett zenker meckel bartholin tanner sheehan quervain guillain huntington creutzfeldt korsakoff wernicke
broca tourette asperger gastaut dravet charcot duchenne sjoegren felty kawasaki takayasu goodpasture alport fanconi bartter liddle wilms
ewing burkitt sezary nikolsky auspitz koebner quincke heberden bouchard colles galeazzi monteggia lisfranc chopart maisonneuve volkmann
bankart hoffa kussmaul mobitz wenckebach janeway duroziez coombs ziehl giemsa papanicolaou mantoux wassermann widal coxsackie bosniak fuhrman
hounsfield agatston judkins amplatz dormia sengstaken guedel mallampati yankauer macintosh tuohy rorschach epworth folstein hachinski rankin forrest osler paget ormond
ashworth waterlow ramsay fagerstroem naegele bracht loefgren pancoast biermer moro lemierre bakri stroop goutallier
killip bhutani bezold fraumeni thurner chvostek dieulafoy boerhaave lhermitte mondor kienboeck tossy pfirrmann modic rutgeerts stener lysholm
capgras cotard yergason shirodkar heimlich sellick ponseti pirani sarnat papile hoehn zollinger romhilt westergren rockall caprini maddrey wexner
hinchey savary botallo spetzler meyerding jendrassik heubner goligher mcroberts briganti chompret fleischner ormond jarisch herxheimer`)
