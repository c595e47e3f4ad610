package known

import (
	"sort"
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// number finds an id, phone number or address of the net that begins at token i, whatever stands between its signs.
func (r *reader) number(i int) int {
	var buf [maxNumber]byte
	acc := buf[:0]
	end := i
	var found number
	for j := i; j < len(r.tokens); j++ {
		if j > i && !r.within(j) {
			break
		}
		w := r.word(j)
		if len(acc) == 0 {
			if w = strings.TrimLeft(w, "0"); w == "" {
				if j-i > 2 {
					break
				}
				continue
			}
			if !r.index.heads[w[0]] {
				break
			}
		}
		if len(acc)+len(w) > maxNumber {
			break
		}
		acc = append(acc, w...)
		at := sort.Search(len(r.index.numbers), func(n int) bool { return r.index.numbers[n].key >= string(acc) })
		if at == len(r.index.numbers) || !strings.HasPrefix(r.index.numbers[at].key, string(acc)) {
			break
		}
		if n := r.index.numbers[at]; len(n.key) == len(acc) && r.whole(i, j+1, n) {
			end, found = j+1, n
		}
	}
	if end == i {
		return i
	}
	r.emit(i, end, 0, found.kind, sure, found.source, found.entity)
	if last := &r.spans[len(r.spans)-1]; found.kind == phi.ContactPhone && last.Start > r.base {
		switch c := r.text[last.Start-r.base-1]; {
		case c == '+', c == '(' && strings.Contains(r.text[last.Start-r.base:last.End-r.base], ")"):
			last.Start--
		}
	}
	return end
}

// within says whether a number may go on with token j.
func (r *reader) within(j int) bool {
	switch r.tokens[j].gap {
	case glued, space, hyphen, dot, mark:
		return true
	}
	return false
}

// whole says whether tokens i to j, j not included, are the number itself and no part of a larger one, of a measure
// or of a date.
func (r *reader) whole(i, j int, n number) bool {
	numeric := strings.Trim(n.key, "0123456789") == ""
	if n.short && !r.labelled(i) {
		return false
	}
	if !numeric {
		return r.tokens[i].gap != glued && (j == len(r.tokens) || r.tokens[j].gap != glued) || len(n.key) > 7
	}
	if len(n.key) >= 9 {
		return true
	}
	if r.tokens[i].gap == glued && len(n.key) < 5 {
		return false
	}
	if i > 0 && r.tokens[i-1].digits && r.tight(i) || j < len(r.tokens) && r.tokens[j].digits && r.tight(j) {
		return r.labelled(i)
	}
	if j < len(r.tokens) && r.tokens[j].gap == glued {
		return false
	}
	return true
}

// tight says whether a stop, a comma or a slash and no blank stands before token j.
func (r *reader) tight(j int) bool {
	if r.tokens[j].start-r.tokens[j-1].end != 1 {
		return false
	}
	switch r.folded[r.tokens[j].start-1] {
	case '.', ',', '/', ':':
		return true
	}
	return false
}

// labelled says whether one of the two words before token i says that a number follows.
func (r *reader) labelled(i int) bool {
	for k := i - 1; k >= 0 && k >= i-2 && r.tokens[k+1].gap != far; k-- {
		if labels[r.word(k)] {
			return true
		}
	}
	return false
}

var labels = lists.Set(`nr nummer no number id mrn pid fall fallnummer fallnr case patient patientennummer patnr aktenzeichen akte chart acct account
kv versichertennummer versicherungsnummer vnr ssn nhs tel telefon phone fax dw durchwahl ext`)

// zip finds a postal code of the patient at token i. A number that happens to be the same is none: a code stands
// before a place, behind a state or a word for it, or alone in its line or cell.
func (r *reader) zip(i int) int {
	t := &r.tokens[i]
	if !t.digits || len(r.index.zips) == 0 {
		return i
	}
	entity, ok := r.index.zips[r.word(i)]
	end := i + 1
	if !ok {
		return i
	}
	if end < len(r.tokens) && r.tokens[end].gap == hyphen && r.tokens[end].digits && len(r.word(end)) == 4 && len(r.word(i)) == 5 {
		end++
	}
	if i > 0 && r.tokens[i-1].digits && (r.tight(i) || t.gap == hyphen || t.gap == glued) || end < len(r.tokens) && r.tokens[end].digits && (r.tight(end) || r.tokens[end].gap == glued) {
		return i
	}
	if !r.postal(i, end) {
		return i
	}
	r.emit(i, end, 0, phi.LocationZIP, sure, "known.zip", entity)
	return end
}

func (r *reader) postal(i, end int) bool {
	if i > 0 {
		w := r.word(i - 1)
		if postalWords[w] || len(w) == 2 && r.tokens[i-1].capitals && r.tokens[i].gap == space || len(w) <= 2 && r.tokens[i-1].capital && r.tokens[i].gap == hyphen {
			return true
		}
	}
	if end < len(r.tokens) {
		n := &r.tokens[end]
		w := r.word(end)
		if n.gap == space || n.gap == line || n.gap == comma {
			if n.capital && !n.capitals && (r.index.cities[squash(w)] || lists.Lookup(w).City() > 0) || n.capitals && len(w) > 3 && r.index.cities[squash(w)] {
				return true
			}
			if short[w] == "st" || w == "st" || w == "bad" || w == "new" || w == "los" || w == "san" {
				return n.capital
			}
		}
	}
	return r.alone(i, end)
}

// alone says whether tokens i to end fill a line or a cell.
func (r *reader) alone(i, end int) bool {
	before := strings.TrimRight(r.folded[max(0, r.tokens[i].start-8):r.tokens[i].start], " ")
	after := r.folded[r.tokens[end-1].end:min(len(r.folded), r.tokens[end-1].end+8)]
	after = strings.TrimLeft(after, " ")
	ends := func(s string, last bool) bool {
		if s == "" {
			return true
		}
		c := s[0]
		if last {
			c = s[len(s)-1]
		}
		return c == '\n' || c == '\r' || c == '|' || c == '\t' || c == ';'
	}
	return ends(before, true) && ends(after, false)
}

var postalWords = lists.Set(`plz zip postleitzahl postcode postal zipcode`)

// birth finds a date of birth or death that begins at token i, in any notation.
func (r *reader) birth(i int) int {
	if len(r.index.days) == 0 {
		return i
	}
	t := &r.tokens[i]
	if !t.digits && months[r.word(i)] == 0 {
		return i
	}
	if t.digits && len(r.word(i)) == 8 {
		for _, d := range r.index.days {
			if compactDate(r.word(i), d, r.lang) {
				r.emit(i, i+1, 0, d.kind, sure, "known.date", d.entity)
				return i + 1
			}
		}
		return i
	}
	if t.digits && i > 0 && r.tokens[i-1].digits && r.tight(i) {
		return i
	}
	items, end, ok := r.items(i)
	if !ok || end < len(r.tokens) && r.tokens[end].digits && (r.tokens[end].gap == glued || r.tight(end)) {
		return i
	}
	for _, d := range r.index.days {
		if d.is(items, r.lang) {
			r.emit(i, end, 0, d.kind, sure, "known.date", d.entity)
			return end
		}
	}
	return i
}

// item is a number or a month's name in a date.
type item struct {
	value, width int
	name         bool
}

// items reads the three parts of a date from token i on; end is the token behind them.
func (r *reader) items(i int) (list [3]item, end int, ok bool) {
	n := 0
	for j := i; j < len(r.tokens) && j-i < 8; j++ {
		t := &r.tokens[j]
		if j > i && (t.gap == far || t.gap == broken || t.gap == caret) {
			break
		}
		w := r.word(j)
		switch {
		case t.digits && len(w) <= 4:
			v := 0
			for k := range len(w) {
				v = 10*v + int(w[k]-'0')
			}
			list[n] = item{value: v, width: len(w)}
		case months[w] > 0:
			list[n] = item{value: months[w], name: true}
		case fillers[w]:
			continue
		default:
			return list, 0, false
		}
		if n++; n == 3 {
			return list, j + 1, true
		}
	}
	return list, 0, false
}

// is says whether three parts are the day, in an order that the language has.
func (d day) is(p [3]item, lang phi.Language) bool {
	year := func(i item, last bool) bool {
		return !i.name && (i.width == 4 && i.value == d.year || last && i.width == 2 && i.value == d.year%100)
	}
	dayOf := func(i item) bool { return !i.name && i.width <= 2 && i.value == d.day }
	month := func(i item) bool { return (i.name || i.width <= 2) && i.value == d.month }
	switch {
	case dayOf(p[0]) && month(p[1]) && year(p[2], true):
		return true
	case month(p[0]) && dayOf(p[1]) && year(p[2], true):
		return p[0].name || lang != phi.German
	case year(p[0], false) && month(p[1]) && dayOf(p[2]):
		return true
	}
	return false
}

// compactDate says whether eight digits are the day: 19481104, 04111948.
func compactDate(w string, d day, lang phi.Language) bool {
	n := func(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }
	year := func(s string) int { return 100*n(s) + n(s[2:]) }
	switch {
	case year(w) == d.year && n(w[4:]) == d.month && n(w[6:]) == d.day:
		return true
	case year(w[4:]) != d.year:
		return false
	case n(w) == d.day && n(w[2:]) == d.month:
		return true
	}
	return lang != phi.German && n(w) == d.month && n(w[2:]) == d.day
}

var fillers = lists.Set("st nd rd th of the den der")

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range []string{
		"january januar jan jaenner jaen", "february februar feb feber febr", "march maerz mar mrz mae maer", "april apr", "may mai", "june juni jun",
		"july juli jul", "august aug", "september sep sept", "october oktober oct okt", "november nov", "december dezember dec dez",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = i + 1
		}
	}
	return m
}()
