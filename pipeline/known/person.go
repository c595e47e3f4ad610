package known

import (
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// person finds a name that begins at token i, emits it, and gives the token behind it.
func (r *reader) person(i int) int {
	if n := r.initials(i); n > i {
		return n
	}
	h := &r.hits[i]
	if len(h.parts) == 0 {
		return max(r.spaced(i), r.monogram(i))
	}
	var best group
	seen := -1
	for _, p := range h.parts {
		if p.entity == seen {
			continue
		}
		seen = p.entity
		g := r.group(i, p.entity)
		if r.better(g, best, i) {
			best = g
		}
	}
	score := r.weigh(i, best)
	if score == 0 {
		return r.monogram(i)
	}
	kind := phi.NamePatient
	switch r.index.entities[best.entity].Role {
	case Relative:
		kind = phi.NameOther
	case Staff:
		kind = phi.NameStaff
	}
	start := best.start
	r.emit(start, best.end, best.cut, kind, score, "known.name", best.entity)
	if last := &r.spans[len(r.spans)-1]; best.stop && last.End-r.base < len(r.text) && r.text[last.End-r.base] == '.' {
		last.End++ // the stop of an initial is part of it
	}
	return best.end
}

// group is a run of tokens that are parts of one person's name.
type group struct {
	entity, start, end, cut int
	words                   int // parts that are written out
	family, given           bool
	initial, stop           bool
	sound                   bool // one part at least is written as the source writes it
	ok                      bool
}

// group gathers the parts of an entity's name from token i on, with initials and particles before it.
func (r *reader) group(i, entity int) group {
	g := group{entity: entity, start: i, ok: true}
	for j := i; j < len(r.tokens) && j-i < 16; {
		if j > i && !r.joined(j) {
			break
		}
		p, ok := r.partAt(j, entity)
		if j > i && r.tokens[j].gap == comma {
			// Only between the surname and the first name, else another name begins.
			if !ok || p.family || !g.family || g.given || r.fullName(j, entity) {
				break
			}
		}
		switch {
		case ok:
			h := &r.hits[j]
			g.words++
			g.family, g.given = g.family || p.family, g.given || !p.family
			g.sound = g.sound || h.how == spelt
			g.end, g.cut, g.stop = h.end, h.cut, false
			j = h.end
			continue
		case r.initial(j, entity) && r.tokens[j].gap != far:
			g.end, g.cut, g.stop, g.initial = j+1, 0, true, true
			j++
			continue
		case r.index.particle[r.word(j)] && r.partBehind(j+1, entity):
			j++
			continue
		}
		break
	}
	if g.end == 0 {
		g.end = i + 1
	}
	r.trailing(&g, entity)
	for k := i - 1; k >= 0 && i-k < 6 && r.joined(k+1) && r.tokens[k+1].gap != comma; k-- {
		if r.initial(k, entity) && (r.tokens[k+1].gap == dot || r.tokens[k+1].gap == space || r.tokens[k+1].gap == hyphen) {
			g.start, g.initial = k, true
			continue
		}
		if r.index.particle[r.word(k)] && r.hits[i].family(entity) {
			g.start = k
			continue
		}
		break
	}
	return g
}

// trailing adds the initials of given names behind a family name: "Begay,L", "Schönenberger U.-P.", "Stavrou, S".
func (r *reader) trailing(g *group, entity int) {
	if !g.family || g.given || g.initial {
		return
	}
	for n, j := 0, g.end; n < 3 && j < len(r.tokens); n, j = n+1, j+1 {
		t := &r.tokens[j]
		switch {
		case n == 0 && t.gap != comma && t.gap != space, n > 0 && t.gap != dot && t.gap != hyphen && t.gap != mark && t.gap != space:
			return
		case !r.initial(j, entity) || !strings.Contains(r.index.monograms[entity].given, r.word(j)):
			return
		case !r.stopped(j) && !r.closes(j+1), n == 0 && t.gap == space && !r.stopped(j) && !r.lineEnds(j):
			return
		}
		g.end, g.cut, g.stop, g.initial = j+1, 0, true, true
	}
}

// lineEnds says whether a line or a column ends behind token j.
func (r *reader) lineEnds(j int) bool {
	rest := r.text[r.tokens[j].stop:]
	return rest == "" || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\t' || rest[0] == '|' || strings.HasPrefix(rest, "  ")
}

func (h *hit) family(entity int) bool {
	for _, p := range h.parts {
		if p.entity == entity && p.family {
			return true
		}
	}
	return false
}

func (r *reader) partAt(j, entity int) (part, bool) {
	for _, p := range r.hits[j].parts {
		if p.entity == entity {
			return p, true
		}
	}
	return part{}, false
}

// partBehind says whether a part of the entity's family name stands at token j, or behind more particles.
func (r *reader) partBehind(j, entity int) bool {
	for k := j; k < len(r.tokens) && k < j+3 && r.joined(k); k++ {
		if _, ok := r.partAt(k, entity); ok {
			return true
		}
		if !r.index.particle[r.word(k)] {
			return false
		}
	}
	return false
}

// fullName says whether the first names from token j on have the family name behind them.
func (r *reader) fullName(j, entity int) bool {
	for n := 0; j < len(r.tokens) && n < 6; n++ {
		p, ok := r.partAt(j, entity)
		if !ok {
			return r.partBehind(j, entity)
		}
		if p.family {
			return true
		}
		if j = r.hits[j].end; j >= len(r.tokens) || !r.joined(j) || r.tokens[j].gap == comma {
			return false
		}
	}
	return false
}

// joined says whether token j may go on with the name before it.
func (r *reader) joined(j int) bool {
	switch r.tokens[j].gap {
	case space, line, hyphen, broken, comma, caret:
		return true
	case dot:
		return r.tokens[j-1].end-r.tokens[j-1].start <= 2
	}
	return false
}

// initial says whether token j is a capital that one of the entity's names begins with.
func (r *reader) initial(j, entity int) bool {
	t := &r.tokens[j]
	if t.end-t.start != 1 || !t.capital || t.digits || j+1 < len(r.tokens) && r.tokens[j+1].gap == glued {
		return false
	}
	c := r.folded[t.start]
	for _, o := range r.index.initials[entity] {
		if o == c {
			return true
		}
	}
	return false
}

// better says whether a explains the text at token i better than b.
func (r *reader) better(a, b group, i int) bool {
	if !b.ok {
		return true
	}
	if a.words != b.words {
		return a.words > b.words
	}
	if a.initial != b.initial {
		return a.initial
	}
	return r.fit(a, i) > r.fit(b, i)
}

// fit says how well the title before token i agrees with the group's entity.
func (r *reader) fit(g group, i int) int {
	if g.start == 0 {
		return 0
	}
	e := &r.index.entities[g.entity]
	title := r.word(g.start - 1)
	fit := 0
	if gender, ok := titleGender[title]; ok && e.Gender != 0 {
		if gender != e.Gender {
			return -1
		}
		fit++
	}
	if (title == "dr" || title == "prof" || title == "med") == (e.Role == Staff) {
		fit++
	}
	return fit
}

// weigh gives the score of a group that begins at token i, 0 for none.
func (r *reader) weigh(i int, g group) float64 {
	if g.words > 1 || g.words == 1 && g.initial && g.start < i {
		if g.sound {
			return sure
		}
		return likely
	}
	h := &r.hits[i]
	p, _ := r.partAt(i, g.entity)
	t := &r.tokens[i]
	context := r.titled(g.start) || g.initial && t.capital
	if h.how == misspelt {
		w := lists.Lookup(r.word(i))
		if (w.FirstName() >= 2 || w.Surname() >= 3) && !r.titled(g.start) && t.end-t.start < 7 {
			return 0 // another name of its own, unless it is so long that a slip is the likelier
		}
		return likely
	}
	short := t.end-t.start <= 3
	switch {
	case t.end-t.start < 3 && !context:
		return 0
	case r.term(i, g.end) && !r.titled(g.start):
		if p.common {
			return 0
		}
		return weak // a protected term of that name is stronger
	case t.capitals && short && !context && !r.shouting(i):
		return 0 // an abbreviation
	case !p.common && (t.capital || !short && !p.guess):
		return likely
	case !t.capital:
		if context && r.titled(g.start) {
			return likely
		}
		return 0
	case context:
		return likely
	case r.determined(i):
		return 0
	case r.lang != phi.German && !t.capitals && !r.startsSentence(i) && !lists.Lookup(r.word(i)).Eponym():
		return likely
	case short && p.guess:
		return 0
	}
	return weak
}

// titled says whether a title, a word for the patient or one for a relative stands before token i.
func (r *reader) titled(i int) bool {
	if i == 0 || r.tokens[i].gap == far || r.tokens[i].gap == comma {
		return false
	}
	return titles[r.word(i-1)]
}

// determined says whether the word before token i makes a noun of it: "im Sommer", "als Koch", "the bank".
func (r *reader) determined(i int) bool {
	return i > 0 && r.tokens[i].gap == space && determiners[r.word(i-1)]
}

// term says whether the name at tokens i to j is that of a disease, a sign or a tool.
func (r *reader) term(i, j int) bool {
	if i > 0 && (r.word(i-1) == "morbus" || r.word(i-1) == "m" && r.tokens[i].gap == dot) {
		return true
	}
	if j < len(r.tokens) && r.tokens[j].gap == caret && r.word(j) == "s" {
		j++
	}
	return j < len(r.tokens) && (r.tokens[j].gap == space || r.tokens[j].gap == hyphen) && heads[r.word(j)]
}

// shouting says whether the text around token i is all in capitals, where case says nothing.
func (r *reader) shouting(i int) bool {
	n := 0
	for j := max(0, i-3); j < min(len(r.tokens), i+4); j++ {
		if t := &r.tokens[j]; j != i && !t.digits && t.end-t.start > 3 {
			if !t.capitals {
				return false
			}
			n++
		}
	}
	return n > 0
}

func (r *reader) startsSentence(i int) bool {
	for at := r.tokens[i].start - 1; at >= 0; at-- {
		switch r.folded[at] {
		case ' ', '\t', '"', '(':
			continue
		case '.', '!', '?', ':', ';', '\n', '\r', '|', '*', '-':
			return true
		}
		return false
	}
	return true
}

// initials finds initials that stand for the name: "Herr S.", "Pat. K. S.", "B.-K.". They need a title or a word
// for the patient before them, and a stop.
func (r *reader) initials(i int) int {
	t := &r.tokens[i]
	if t.end-t.start != 1 || !t.capital || !r.titled(i) || !r.stopped(i) {
		return i
	}
	end := i + 1
	for end < len(r.tokens) && end-i < 4 && (r.tokens[end].gap == dot || r.tokens[end].gap == mark || r.tokens[end].gap == hyphen) &&
		r.tokens[end].end-r.tokens[end].start == 1 && r.tokens[end].capital && (r.stopped(end) || r.stopped(end-1)) {
		end++
	}
	if end < len(r.tokens) && r.tokens[end].gap == dot && (len(r.hits[end].parts) > 0 || r.index.particle[r.word(end)]) {
		return i // "Herr K. Schmidt": found as a name
	}
	if end < len(r.tokens) && r.tokens[end].gap == dot && r.tokens[end].capital && r.tokens[end].end-r.tokens[end].start > 1 && academic[r.word(i-1)] {
		return i // "Prof. Dr. H. Weber": somebody else's first name
	}
	for n := range r.index.entities {
		e := &r.index.entities[n]
		if gender, ok := titleGender[r.word(i-1)]; ok && e.Gender != 0 && gender != e.Gender || e.Role > Staff {
			continue
		}
		all := true
		for k := i; k < end; k++ {
			all = all && r.initial(k, n)
		}
		if !all || end-i == 1 && !r.familyInitial(i, n) {
			continue
		}
		kind := [...]phi.Type{phi.NamePatient, phi.NameOther, phi.NameStaff}[e.Role]
		r.emit(i, end, 0, kind, likely, "known.initials", n)
		if last := &r.spans[len(r.spans)-1]; last.End-r.base < len(r.text) && r.text[last.End-r.base] == '.' {
			last.End++
		}
		return end
	}
	return i
}

// stopped says whether a stop stands right behind token i.
func (r *reader) stopped(i int) bool {
	stop := r.tokens[i].stop
	return stop < len(r.text) && r.text[stop] == '.'
}

// familyInitial says whether one of the entity's family names begins with the letter at token i.
func (r *reader) familyInitial(i, entity int) bool {
	for _, f := range r.index.entities[entity].Family {
		for _, w := range canonical(f) {
			if w[0] == r.folded[r.tokens[i].start] && !particles[w] {
				return true
			}
		}
	}
	return false
}

var (
	titleGender = map[string]byte{
		"herr": 'm', "herrn": 'm', "hr": 'm', "hrn": 'm', "mr": 'm', "mister": 'm',
		"frau": 'f', "fr": 'f', "mrs": 'f', "ms": 'f', "miss": 'f', "fraeulein": 'f',
	}
	titles = lists.Set(`herr herrn hr hrn frau fr fraeulein mr mrs ms miss mister dr doctor doktor prof professor med pd oa oae familie fam
patient patientin patienten pat pt name nachname vorname familienname surname lastname firstname forename geb geborene geborener nee formerly
tochter sohn ehefrau ehemann mutter vater bruder schwester daughter son wife husband mother father brother sister partner partnerin kollege kollegin
kollegen called genannt rufname alias aka known`)
	academic    = lists.Set(`dr doctor doktor prof professor med pd oa oae`)
	determiners = lists.Set(`der die das des dem den ein eine einer eines einem einen kein keine keinen keinem im am vom zum zur ins ans als jeder jede jedes
dieser diese dieses diesen diesem jeden jedem seit the a an this that these his her their its our your no any each every of`)
	heads = lists.Set(`disease syndrome sign signs test tests reflex scale score index criteria classification grade stage type catheter scissors forceps clamp
retractor needle wire drain tube maneuver manoeuvre procedure operation technique position stain cell cells body bodies lymphoma sarcoma tumor tumour lobe
duct gland node nodes fracture hernia ulcer esophagus contracture palsy chorea dementia deformity syndrom krankheit erkrankung zeichen skala klassifikation
stadium grad typ lymphom sarkom karzinom katheter drainage naht schnitt zugang technik verfahren methode lagerung hernie fraktur kontraktur thyreoiditis ulkus
formel kriterien manoever versuch probe phaenomen faerbung atmung dreieck medikation therapie demenz`)
)
