package known

import (
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// phrase finds a street, place or organisation that begins at token i.
func (r *reader) phrase(i int) int {
	if w := r.word(i); !r.index.openings[w[0]] && short[w] == "" {
		return i
	}
	r.buf = appendCanon(r.buf[:0], r.word(i))
	list := r.index.phrases[string(r.buf)]
	if len(list) == 0 {
		return i
	}
	end := i
	var found phrase
	for _, p := range list {
		j := r.matchPhrase(i, p)
		if j > end && r.meant(i, j, p) {
			end, found = j, p
		}
	}
	if end == i {
		return i
	}
	if found.street {
		end = r.houseNumber(end)
	}
	r.emit(i, end, 0, found.kind, sure, found.source, found.entity)
	return end
}

// matchPhrase gives the token behind the phrase, or i where it does not stand at token i.
func (r *reader) matchPhrase(i int, p phrase) int {
	j := i
	for n, w := range p.words {
		if j == len(r.tokens) || n > 0 && (r.tokens[j].gap == far || r.tokens[j].gap == caret) {
			return i
		}
		if r.buf = appendCanon(r.buf[:0], r.word(j)); string(r.buf) != w {
			return i
		}
		j++
	}
	if j < len(r.tokens) && r.tokens[j].gap == glued && r.tokens[j].digits == r.tokens[j-1].digits {
		return i
	}
	return j
}

// meant says whether the words at tokens i to j are meant as the phrase: a place begins with a capital, and one that
// is an everyday word, or a name of people, stands where places do.
func (r *reader) meant(i, j int, p phrase) bool {
	t := &r.tokens[i]
	if t.gap == glued {
		return false
	}
	if !t.digits && !t.capital && (p.common || j-i == 1 && !p.street) {
		return false
	}
	if !p.common {
		return true
	}
	if i == 0 {
		return r.alone(i, j)
	}
	if t.gap == space && before[r.word(i-1)] || r.tokens[i-1].digits && len(r.word(i-1)) >= 4 && (t.gap == space || t.gap == line) {
		return true
	}
	if p.kind == phi.LocationCity && j < len(r.tokens) && r.tokens[j].gap == comma && r.tokens[j].capital {
		return r.tokens[j].capitals && r.tokens[j].end-r.tokens[j].start == 2 || r.tokens[j].digits
	}
	return r.alone(i, j)
}

// houseNumber goes on over the number behind a street, with its letter.
func (r *reader) houseNumber(j int) int {
	if j == len(r.tokens) || !r.tokens[j].digits || r.tokens[j].gap != space && r.tokens[j].gap != dot || r.tokens[j].end-r.tokens[j].start > 4 ||
		r.tokens[j-1].digits {
		if j < len(r.tokens) && r.tokens[j-1].digits && r.tokens[j].gap == glued && r.tokens[j].end-r.tokens[j].start == 1 {
			return j + 1
		}
		return j
	}
	j++
	if j < len(r.tokens) && r.tokens[j].gap == glued && r.tokens[j].end-r.tokens[j].start == 1 {
		j++
	}
	return j
}

var before = lists.Set(`in aus nach bei von from to near of at wohnhaft geboren ort stadt city town wohnort bad lives living resident bei`)
