package gazetteer

import (
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// first gives how surely the word at i is a first name, 0 to 3.
func (r *reader) first(i int) int {
	t := &r.tokens[i]
	level := t.word.FirstName()
	if level == 0 || !t.capital() || t.end-t.start < 2 || r.cue(i)&(noName|honorific) != 0 {
		return 0
	}
	switch common := t.word.Common(r.lang); {
	case common >= 2, t.word.Drug(), t.word.Medical():
		return min(level-1, 1)
	case common == 1, t.word.Country():
		level--
	}
	switch n := t.end - t.start; {
	case t.shape == capitals && n < 4:
		return 0 // an abbreviation
	case n < 3, t.shape == capitals && n == 4:
		level = min(level, 1)
	}
	return level
}

// surname gives how surely the word at i is a surname where one is expected, 0 to 3: 1 for a word that no list
// knows, or a listed one that is an everyday word too.
func (r *reader) surname(i int) int {
	t := &r.tokens[i]
	if !t.capital() || t.end-t.start < 2 || r.cue(i)&(noName|honorific) != 0 {
		return 0
	}
	rank, common := t.word.Surname(), t.word.Common(r.lang)
	if t.shape == capitals && t.end-t.start < 4 && rank < 4 || t.end-t.start < 5 && strings.Trim(strings.TrimRight(r.word(i), "abc"), "iv") == "" {
		return 0 // an abbreviation, a grade such as IIb
	}
	switch {
	case rank >= 4 && common == 0 && !t.word.Medical() && !t.word.Drug():
		return 3
	case rank >= 2 && common == 0 && !t.word.Medical():
		return 2
	case rank >= 3 && common <= 2:
		return 1
	case common > 0, t.word.Medical(), t.word.Drug(), t.word.Job(), t.word.Country(), t.word.State():
		return 0
	case t.word.FirstName() >= 2:
		return 2
	case t.word.City() >= 3, termLike(r.word(i)), t.shape == capitals && t.end-t.start < 6:
		return 0
	}
	return 1
}

// person looks for a name that begins at token i, emits it, and gives the token behind it.
func (r *reader) person(i int) int {
	if n := r.reversed(i); n > i {
		return n
	}
	level := r.first(i)
	if level == 0 {
		if n := r.abbreviated(i); n > i {
			return n
		}
		if n := r.strangers(i); n > i {
			return n
		}
		return r.bareSurname(i)
	}
	j, best := i+1, level
	for j < len(r.tokens) && j-i < 4 {
		t := &r.tokens[j]
		if t.gap != space && t.gap != wrap && t.gap != hyphen && t.gap != broken {
			break
		}
		l := r.first(j)
		if l == 0 || t.gap == wrap && r.lineBreaks(j) {
			break
		}
		best = max(best, l)
		j++
	}
	firsts := j
	end, last := r.family(j)
	if end == j && firsts-i > 1 && r.tokens[firsts-1].gap != hyphen {
		// The last first name is the surname: Peter Thomas, Sarah James.
		end, last = firsts, max(1, r.surname(firsts-1))
		firsts--
		best = 0
		for k := i; k < firsts; k++ {
			best = max(best, r.first(k))
		}
	}
	if end > firsts && !r.saint(i) {
		score := 0.0
		switch {
		case best >= 2 && last >= 2:
			score = 0.93
		case best >= 3 && last == 1:
			score = 0.87
		case best == 2 && last == 1:
			score = 0.7
		case best == 1 && last == 3:
			score = 0.8
		}
		if score > 0 {
			r.emit(i, end, phi.Name, score, "gazetteer.name")
			return end
		}
	}
	return r.bareFirst(i, firsts, best)
}

// family reads what may follow a first name: initials, particles, a surname with its hyphens. It gives the token
// behind it and how sure the surname is; end is i where there is none.
func (r *reader) family(i int) (end, level int) {
	j := i
	for j < len(r.tokens) && j-i < 2 && r.tokens[j].initial && r.near(j) {
		j++
	}
	if j < len(r.tokens) && j > i && r.tokens[j].gap == dot {
		// the stop after the initial
	} else if j >= len(r.tokens) || !r.near(j) {
		return i, 0
	}
	start := j
	for j < len(r.tokens) && j-start < 3 && r.cue(j)&particle != 0 && (j == start || r.near(j)) {
		j++
	}
	if j >= len(r.tokens) || j > start && !r.near(j) {
		return i, 0
	}
	level = r.surname(j)
	if w := r.tokens[j].word; j > start && (level > 0 || w.Surname() > 0 && w.Common("") == 0) {
		level = max(level, 2)
	}
	if level == 0 {
		return i, 0
	}
	if r.tokens[j].gap == wrap && r.lineBreaks(j) && level < 3 {
		return i, 0
	}
	j++
	for last := j; j < len(r.tokens) && j-last < 4 && (r.tokens[j].gap == hyphen || r.tokens[j].gap == broken) && r.tokens[j].shape != number &&
		(r.tokens[j].capital() || r.tokens[j].gap == broken) && r.cue(j)&eponymHead == 0; {
		if l := r.surname(j); l > level {
			level = l
		}
		j++
	}
	if j < len(r.tokens) && r.tokens[j].gap == space && r.surname(j) == 3 && r.first(j) < 3 && r.tokens[j].word.City() < 2 {
		j++
	}
	return j, level
}

// near says whether token j goes on with the phrase of the one before.
func (r *reader) near(j int) bool {
	switch r.tokens[j].gap {
	case space, wrap:
		return true
	case dot:
		return r.tokens[j-1].initial
	}
	return false
}

// lineBreaks says whether the line before token j ends early, so that its end is more than a wrap: lists, headers.
func (r *reader) lineBreaks(j int) bool {
	stop := r.tokens[j-1].stop
	return stop < 45 || strings.IndexByte(r.text[stop-45:stop], '\n') >= 0
}

// reversed finds "Surname, First" with its initial.
func (r *reader) reversed(i int) int {
	j := i + 1
	for j < len(r.tokens) && j-i < 4 && r.tokens[j].gap == hyphen && r.tokens[j].capital() {
		j++
	}
	if j >= len(r.tokens) || r.tokens[j].gap != comma || r.surname(i) < 2 && (r.surname(i) == 0 || r.tokens[i].word.Surname() < 4 || r.first(j) < 3) || r.first(j) < 2 || r.tokens[i].word.City() >= 2 {
		return i
	}
	if i > 0 && r.tokens[i].gap == space && r.first(i-1) > 0 {
		return i // "Anna Weber, Peter Kranz"
	}
	if i > 0 && r.tokens[i].gap == space && (r.cue(i)&kin != 0 || r.follows(i, "familie")) {
		return i // "mit einem Bruder, Luc", "Liebe Familie Weber, Luc hatte"
	}
	if r.tokens[i].shape != r.tokens[j].shape && r.tokens[j].shape == capitals {
		return i
	}
	if r.first(i) >= 2 && r.surname(i) < 3 {
		return i // a list of first names
	}
	j++
	for given := j; j < len(r.tokens) && j-given < 3 && (r.tokens[j].gap == hyphen || r.tokens[j].gap == space) && r.first(j) > 0; {
		j++
	}
	if j < len(r.tokens) && r.tokens[j].gap == space && r.tokens[j].initial {
		j++
	} else if j < len(r.tokens) && r.tokens[j].gap == space && r.surname(j) > 1 {
		return i // "Berger, Anna Klein": the comma ends a list's item
	}
	r.emit(i, j, phi.Name, 0.88, "gazetteer.name")
	return j
}

// bareFirst decides on first names i to j that no surname follows.
func (r *reader) bareFirst(i, j, level int) int {
	w := r.tokens[i].word
	if r.protectedWord(i) || r.headFollows(j) || r.saint(i) {
		return i
	}
	if i > 0 && r.cue(i-1)&kin != 0 && (r.tokens[i].gap == space || r.tokens[i].gap == comma) && level >= 1 && w.Common(r.lang) < 2 {
		r.emit(i, j, phi.NameOther, 0.86, "gazetteer.firstname")
		return j
	}
	if r.graded(j) || r.numberFollows(j) || r.follows(i, "nach") {
		return i
	}
	if level >= 2 && r.tokens[i].end-r.tokens[i].start > 3 && w.City() < 2 && !w.Eponym() && w.Common("") == 0 &&
		r.tokens[i].shape == title && (j == len(r.tokens) || r.tokens[j].gap != hyphen || !r.tokens[j].capital()) &&
		(i == 0 || r.tokens[i].gap != hyphen) {
		r.emit(i, j, phi.Name, 0.6, "gazetteer.firstname")
		return j
	}
	return i
}

// abbreviated finds "M. Fahrenkrug": an initial and a surname.
func (r *reader) abbreviated(i int) int {
	if !r.tokens[i].initial || i > 0 && r.tokens[i].gap != far && r.tokens[i].gap != space && r.tokens[i].gap != wrap && r.tokens[i].gap != slash && r.tokens[i].gap != comma ||
		i+1 >= len(r.tokens) || r.tokens[i+1].gap != dot && r.tokens[i+1].gap != hyphen {
		return i
	}
	start := i
	for i+1 < len(r.tokens) && i-start < 3 && r.tokens[i+1].initial && (r.tokens[i+1].gap == dot || r.tokens[i+1].gap == hyphen) {
		i++
	}
	if i+1 >= len(r.tokens) || r.tokens[i+1].gap != dot {
		return start
	}
	end, level := r.family(i + 1)
	if end == i+1 {
		return start
	}
	last := &r.tokens[end-1]
	w := last.word
	if i-start > 0 && last.initial || last.source-r.tokens[start].source > 60 || strings.Contains(r.text[r.tokens[i].stop:r.tokens[i+1].source], "  ") || last.end-last.start < 3 || r.protectedWord(end-1) || r.headFollows(end) || r.numberFollows(end) || w.Common("") > 1 && level < 3 || latin(r.word(end-1)) {
		return start
	}
	switch {
	case level >= 2 && w.Common("") == 0:
		r.emit(start, end, phi.Name, 0.88, "gazetteer.initial")
	case r.lang == phi.English && w.Common("") == 0 && !w.Eponym():
		r.emit(start, end, phi.Name, 0.7, "gazetteer.initial")
	default:
		return start
	}
	return end
}

// strangers finds two capitalised words that no list of words knows and of which one is a name, or that stand where
// a name does.
func (r *reader) strangers(i int) int {
	t := &r.tokens[i]
	if t.shape != title || t.end-t.start < 3 || t.word.Common("") > 0 || t.word.Medical() || t.word.Drug() || t.word.Eponym() || t.word.City() >= 2 ||
		t.word.Country() || t.word.State() || t.word.Job() || termLike(r.word(i)) || r.cue(i) != 0 || t.gap == hyphen || r.saint(i) {
		return i
	}
	if r.lang != phi.English && i+1 < len(r.tokens) && r.cue(i+1)&particle != 0 {
		return i // "Gegengelesen von": a preposition
	}
	end, level := r.family(i + 1)
	if end == i+1 || r.tokens[end-1].shape != title || r.tokens[i+1].gap == dot || r.headFollows(end) || r.tokens[end-1].word.Common("") > 0 ||
		r.tokens[end-1].word.City() >= 2 || r.tokens[i+1].gap == wrap {
		return i
	}
	if level >= 3 || level >= 2 && r.first(end-1) >= 2 || t.word.Surname() >= 3 && r.first(end-1) >= 2 {
		if r.lang != phi.English && t.word.Surname() == 0 && t.word.FirstName() == 0 {
			i++ // the first of the two may be any noun
			if t = &r.tokens[i]; end-i == 1 && (t.word.Surname() < 4 || t.word.City() > 1 || t.word.Common("") > 0) && r.first(i) < 2 || t.gap == hyphen {
				return end
			}
		}
		r.emit(i, end, phi.Name, 0.75, "gazetteer.name")
		return end
	}
	if level >= 1 && r.lang == phi.English {
		r.emit(i, end, phi.Name, 0.55, "gazetteer.strange")
		return end
	}
	return i
}

// latin says whether a folded word has an ending of Latin anatomy or biology: A. carotis, S. aureus.
func latin(word string) bool {
	for _, s := range []string{"us", "is", "um", "ae", "i", "es", "ia", "or", "ens"} {
		if strings.HasSuffix(word, s) && len(word) > 5 {
			return lists.Lookup(word).Surname() < 3
		}
	}
	return false
}

// headFollows says whether token j says that the name before it is a tool's or a disease's.
func (r *reader) headFollows(j int) bool {
	return j < len(r.tokens) && (r.tokens[j].gap == space || r.tokens[j].gap == wrap || r.tokens[j].gap == hyphen) && r.cue(j)&eponymHead != 0
}

// numberFollows says whether token j is a number: a dose, a grade, a room.
func (r *reader) numberFollows(j int) bool {
	return j < len(r.tokens) && r.tokens[j].gap == space && r.tokens[j].shape == number
}

// follows says whether the word before token i is the given one.
func (r *reader) follows(i int, word string) bool {
	return i > 0 && r.tokens[i].gap == space && r.word(i-1) == word
}

// saint says whether the name at i is a saint's, and so that of a house or a day.
func (r *reader) saint(i int) bool {
	if i == 0 {
		return false
	}
	switch r.word(i - 1) {
	case "st", "sankt", "saint", "san", "santa", "haus", "hl", "pater":
		return r.tokens[i].gap == space || r.tokens[i].gap == dot || r.tokens[i].gap == hyphen || r.tokens[i].gap == wrap
	}
	return false
}

// bareSurname decides on a surname that stands alone.
func (r *reader) bareSurname(i int) int {
	t := &r.tokens[i]
	w := t.word
	least := 5
	switch r.lang {
	case phi.German:
		least = 4
	case phi.English:
		least = 3
	}
	if w.Surname() < least || w.Common("") > 0 || w.City() >= 2 || w.Eponym() || w.Medical() || w.Drug() || w.FirstName() > 1 ||
		t.shape != title || t.end-t.start < 4 || r.startsSentence(i) || t.gap == hyphen || r.protectedWord(i) ||
		w.Job() || r.headFollows(i+1) || r.saint(i) || r.graded(i+1) || r.numberFollows(i+1) || r.follows(i, "nach") || r.follows(i, "by") {
		return i
	}
	if i+1 < len(r.tokens) && r.tokens[i+1].gap == hyphen {
		return i
	}
	r.emit(i, i+1, phi.Name, 0.5, "gazetteer.surname")
	return i + 1
}

// termLike says whether a folded word that no list knows has the ending of a term or of a German noun.
func termLike(word string) bool {
	if len(word) < 6 {
		return false
	}
	for _, s := range endings[word[len(word)-1]] {
		if strings.HasSuffix(word, s) {
			return true
		}
	}
	return false
}

var endings = byLast(`ung ungen heit keit schaft tion tionen itis ose osen ese graphie grafie skopie tomie stomie ektomie pathie logie
metrie plastik gramm therapie befund klinik station abteilung zentrum krankheit erkrankung syndrom schmerz schmerzen tumor karzinom
untersuchung kontrolle aufnahme entlassung infekt infarkt insuffizienz stenose fraktur ruptur luxation druck wert werte zeichen
medizin chirurgie aerztin arzt pfleger schwester tablette tabletten mg emie aemie urie ology ectomy otomy ostomy oscopy ography opathy
itis osis emia uria plasty tion ment ness ity ism ics cin mycin cillin pril olol sartan statin prazol azole azepam idine amide
haus dorf burg berg strasse weg platz verein versicherung kasse amt gmbh`)

// byLast groups endings by their last byte.
func byLast(list string) (table [256][]string) {
	for e := range strings.FieldsSeq(list) {
		table[e[len(e)-1]] = append(table[e[len(e)-1]], e)
	}
	return table
}
