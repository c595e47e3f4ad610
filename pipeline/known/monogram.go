package known

import (
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// monograms gives what an entity's name is cut down to: the first letters of its given names and of its family names, in
// the order of the source, without particles. A name of another script gives none.
func monograms(e Entity) (given, family string) {
	letters := func(names []string) string {
		var b []byte
		for _, name := range names {
			for _, word := range wordsOf(fold.Key(name)) {
				if c := word[0]; c-'a' < 26 && (!particles[word] || len(word) == 1) {
					b = append(b, c)
				}
			}
		}
		return string(b)
	}
	if e.Role > Staff {
		return "", ""
	}
	return letters(e.Given), letters(e.Family)
}

// monogram finds a person's initials without a title: "O. W.", "V.S.", "H-W", "T-v-R", "MKO". They must be those of a
// given and a family name, in either order, or all of a double given name; two letters need stops or hyphens.
func (r *reader) monogram(i int) int {
	t := &r.tokens[i]
	if !t.capital || t.gap == glued || t.gap == hyphen || t.gap == caret {
		return i
	}
	if n := t.end - t.start; n > 1 {
		if !t.capitals || n < 3 || n > 5 || !r.closes(i+1) {
			return i
		}
		w := lists.Lookup(r.word(i))
		if w.Common("") > 0 || w.Medical() || w.Drug() || w.FirstName() > 1 || w.Surname() > 3 {
			return i
		}
		return r.emitMonogram(i, i+1, r.word(i), false, weak)
	}
	var buf [8]byte
	letters := append(buf[:0], r.folded[t.start])
	end, stops, hyphens := i+1, 0, 0
	if r.stopped(i) {
		stops++
	}
run:
	for end < len(r.tokens) && len(letters) < 6 {
		n := &r.tokens[end]
		if n.digits || n.gap != dot && n.gap != hyphen && n.gap != mark || n.gap == mark && !strings.HasPrefix(r.text[r.tokens[end-1].stop:], ".-") {
			break
		}
		switch {
		case n.end-n.start == 1 && n.capital:
			letters = append(letters, r.folded[n.start])
		case n.gap == hyphen && (particles[r.word(end)] || r.word(end) == "v") && !n.capital && end+1 < len(r.tokens) && r.tokens[end+1].end-r.tokens[end+1].start == 1 && r.tokens[end+1].capital:
		case n.gap == hyphen:
			return i // part of a word
		default:
			break run
		}
		if r.stopped(end) {
			stops++
		}
		if n.gap == hyphen {
			hyphens++
		}
		end++
	}
	if end < len(r.tokens) && (r.tokens[end].gap == dot || r.tokens[end].gap == space) && (len(r.hits[end].parts) > 0 || r.index.particle[r.word(end)]) {
		return i // "W. O. von der Heyde": found with the name
	}
	if len(letters) < 2 || stops < len(letters) && hyphens == 0 || !r.closes(end) {
		return i
	}
	return r.emitMonogram(i, end, string(letters), stops == len(letters), likely)
}

// closes says whether the text before token end stands for itself: the next token is not glued to it.
func (r *reader) closes(end int) bool {
	if end >= len(r.tokens) {
		return true
	}
	switch r.tokens[end].gap {
	case glued, hyphen, caret:
		return false
	case mark:
		stop := r.tokens[end-1].stop
		return stop >= len(r.text) || !strings.ContainsRune("/_@\\", rune(r.text[stop]))
	}
	return true
}

func (r *reader) emitMonogram(i, end int, letters string, stopped bool, score float64) int {
	for n := range r.index.entities {
		m := &r.index.monograms[n]
		if !m.has(letters, stopped) {
			continue
		}
		kind := [...]phi.Type{phi.NamePatient, phi.NameOther, phi.NameStaff}[r.index.entities[n].Role]
		r.emit(i, end, 0, kind, score, "known.initials", n)
		if last := &r.spans[len(r.spans)-1]; stopped && last.End-r.base < len(r.text) && r.text[last.End-r.base] == '.' {
			last.End++
		}
		return end
	}
	return i
}

// initialLetters are those of an entity's given and family names.
type initialLetters struct{ given, family string }

// has says whether letters are initials of the name: some of the given and some of the family names, in either order, or,
// stopped, two or more given names alone.
func (m *initialLetters) has(letters string, stopped bool) bool {
	for cut := 1; cut < len(letters); cut++ {
		a, b := letters[:cut], letters[cut:]
		if within(a, m.given) && within(b, m.family) || within(a, m.family) && within(b, m.given) {
			return true
		}
	}
	return stopped && len(m.given) > 1 && letters == m.given
}

// within says whether part begins whole, or is its first letter and its end.
func within(part, whole string) bool { return part != "" && strings.HasPrefix(whole, part) }

// spaced finds a name that is written with a blank between its letters: "L a n g e n o h l".
func (r *reader) spaced(i int) int {
	if r.tokens[i].end-r.tokens[i].start > utf8.UTFMax || utf8.RuneCountInString(r.word(i)) != 1 && !umlaut(r.word(i)) || i+2 >= len(r.tokens) || r.tokens[i+1].gap != space {
		return i
	}
	end := i
	var joined []byte
	for end < len(r.tokens) && end-i < 24 {
		t := &r.tokens[end]
		if t.digits || end > i && t.gap != space || utf8.RuneCountInString(r.word(end)) != 1 && !umlaut(r.word(end)) {
			break
		}
		joined = append(joined, r.word(end)...)
		end++
	}
	if end-i < 3 {
		return i
	}
	for _, p := range r.spelt(r.parts(string(joined))) {
		kind := [...]phi.Type{phi.NamePatient, phi.NameOther, phi.NameStaff}[min(r.index.entities[p.entity].Role, Staff)]
		r.emit(i, end, 0, kind, likely, "known.name", p.entity)
		return end
	}
	return i
}

// umlaut says whether a folded word is one letter that folding made two of.
func umlaut(word string) bool {
	return word == "ae" || word == "oe" || word == "ue" || word == "ss"
}
