package date

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

// Match is a date expression found in a text.
type Match struct {
	Start, End  int          // byte offsets, half open
	Interval    phi.Interval // completed from the context where the expression lacks a year or month
	HasInterval bool
	Score       float64 // 0 to 1
	Kind        Kind
}

// scanner walks through a text once.
type scanner struct {
	grammar
	out     []Match
	refuted []Match
	*marks
	lastEnd int // end of the last match

	monthsSeen [14]bool // months of dates with slashes that can be nothing else
	lastYear   int      // latest year found
}

// marks is what the scanner notes of each match; its room is used for one text after the other.
type marks struct {
	years  []int16 // 0 where none is stated
	months []int16
	next   []int // the next match with a year, -1 where there is none
}

var allMarks = sync.Pool{New: func() any { return new(marks) }}

// Scan finds the date expressions of a text in its order. It takes linear time. An empty language means either.
func Scan(text string, lang phi.Language) []Match {
	dates, _ := Tell(text, lang)
	return dates
}

// Tell finds the date expressions of a text, and what looks like one but is made another thing by the words around it:
// "Levine 3/6", "36 3/7 weeks", "in 6/52".
func Tell(text string, lang phi.Language) (dates, refuted []Match) {
	m := allMarks.Get().(*marks)
	defer allMarks.Put(m)
	m.years, m.months = m.years[:0], m.months[:0]
	sc := scanner{grammar: grammar{s: text, lang: lang}, lastEnd: -1, marks: m}
	sc.order = sc.slashOrder(text)
	sc.noise = looksScanned(text)
	sc.run()
	sc.complete()
	return sc.out, sc.refuted
}

// slashOrder decides from the unambiguous dates of a text in which order its dates with slashes and hyphens are written.
func (sc *scanner) slashOrder(s string) order {
	days, months := 0, 0
	var asMonth, asDay [14]bool // the first or the second number as a month
	for p := 1; p < len(s); p++ {
		if !isDigit(s[p-1]) {
			if p = fold.NextDigit(s, p) + 1; p >= len(s) {
				break
			}
		}
		if s[p] != '/' && s[p] != '-' || p+1 >= len(s) || !isDigit(s[p+1]) {
			continue
		}
		if p > 2 && isDigit(s[p-2]) && (isDigit(s[p-3]) || s[p-3] == s[p]) || p > 1 && s[p-2] == s[p] {
			continue
		}
		a := int(s[p-1] - '0')
		if p > 1 && isDigit(s[p-2]) {
			a += 10 * int(s[p-2]-'0')
		}
		b := digits(s, p+1, false)
		if b.width > 2 || b.width == 0 {
			continue
		}
		full := b.end+2 < len(s) && s[b.end] == s[p] && isDigit(s[b.end+1]) && isDigit(s[b.end+2])
		if s[p] == '/' && (full || !isWordAt(s, b.end)) {
			if a >= 1 && a <= 12 && b.value >= 1 && b.value <= 31 && (full || b.value > 12 && b.value != 15 && b.value != 20 && b.value != 30) {
				asMonth[a] = true
			}
			if b.value >= 1 && b.value <= 12 && a >= 1 && a <= 31 && (full || a > 12) {
				asDay[b.value] = true
			}
		}
		if !full {
			continue
		}
		switch {
		case a > 12 && a <= 31 && b.value >= 1 && b.value <= 12:
			days++
		case b.value > 12 && b.value <= 31 && a >= 1 && a <= 12:
			months++
		}
	}
	sc.monthsSeen = asMonth
	switch {
	case days > months:
		sc.monthsSeen = asDay
		return dayFirst
	case months > days:
		return monthFirst
	}
	return noOrder
}

// looksScanned says whether letters stand for digits somewhere in the text, as in 2O13 or l0.3.2O18. Such a letter
// touches a digit, so that only the neighbours of digits are looked at.
func looksScanned(s string) bool {
	for d := 0; d < len(s); d++ {
		if !isDigit(s[d]) {
			if d = fold.NextDigit(s, d); d == len(s) {
				break
			}
		}
		if p := d + 1; p+1 < len(s) && lookAlike[s[p]] && s[p] != 'S' && (isDigit(s[p+1]) || s[p+1] == '.') {
			return true
		}
		if p := d - 1; p >= 1 && d+1 < len(s) && (s[p] == 'O' || s[p] == 'l' || s[p] == 'o') && (s[p-1] == '.' || s[p-1] == ' ') && (s[d+1] == '.' || isDigit(s[d+1])) {
			return true
		}
	}
	return false
}

// lookAlike are the letters that are read in the place of digits.
var lookAlike = func() (letters [256]bool) {
	for _, c := range []byte("OlIoSZ") {
		letters[c] = true
	}
	return letters
}()

func (sc *scanner) run() {
	s := sc.s
	for p := 0; p < len(s); {
		c := s[p]
		switch {
		case !beginBytes[c]:
			p++
		case isDigit(c):
			if sc.leftFree(p) {
				if end := sc.number(p); end > 0 && sc.take(p, &end) {
					p = end
					continue
				}
			}
			p++
			for p < len(s) && isDigit(s[p]) {
				p++
			}
		case isLetter(c) || c >= 0xc3 && apostrophe(s, p) == p:
			end := wordEnd(s, p)
			if end == p {
				p++
				continue
			}
			if sc.mayBegin(s[p:end]) && !isWordBefore(s, p) {
				if e := sc.at(p); e > 0 && sc.take(p, &e) {
					p = e
					continue
				}
			}
			p = end
		case (c == '\'' || c == 0xe2 || c == '`' || c == 0xc2) && !isWordBefore(s, p) && apostrophe(s, p) > p:
			if e := sc.at(p); e > 0 && sc.take(p, &e) {
				p = e
				continue
			}
			p++
		default:
			p++
		}
	}
}

// beginBytes are those that a number, a word or an apostrophe may begin with.
var beginBytes = func() (table [256]bool) {
	for i := range table {
		c := byte(i)
		table[c] = isDigit(c) || isLetter(c) || c == '\'' || c == '`' || c >= 0xc2
	}
	return table
}()

// mayBegin says cheaply whether an expression may begin with the word: most words of a text begin none.
func (sc *scanner) mayBegin(word string) bool {
	if dateWords.May(word) {
		return true
	}
	switch c := word[0]; c {
	case 'O', 'o', 'l':
		return sc.noise
	case 'I':
		return sc.noise || len(word) == 1
	case 'Q', 'H':
		return len(word) == 1
	}
	return false
}

// dateWords holds the words of two letters or more that grammar.word reads, some of them with others like them.
var dateWords = func() *fold.Filter {
	f := fold.FilterOf(maps.Keys(vocabulary))
	for w := range englishOrdinalNumbers {
		first, _, _ := strings.Cut(w, "-") // twenty-first
		f.Add(first)
	}
	for w := range germanSmall {
		f.AddStem(w, 5) // ordinals and years
	}
	for _, stem := range [...]string{"erst", "dritt", "siebt", "acht", "hundert", "tausend"} {
		f.AddStem(stem, 5)
	}
	for _, ten := range englishTens {
		if ten != "" {
			f.AddStem(ten, 7) // the nineties
		}
	}
	for w := range strings.FieldsSeq("the II III IV WS SS SoSe WiSe Wintersemester Sommersemester") {
		f.Add(w)
	}
	return f
}()

func (sc *scanner) number(p int) int {
	sc.e.reset()
	return sc.grammar.number(p)
}

// leftFree says whether a number may begin at p: it is no tail of a longer number, code or word.
func (sc *scanner) leftFree(p int) bool {
	if p == 0 || p == sc.lastEnd {
		return true
	}
	s := sc.s
	c := s[p-1]
	switch {
	case isDigit(c):
		return false
	case isLetter(c) || c == '_':
		return true // glued; take demands a full date then
	case c >= 0x80:
		return true
	case c == '.' || c == ',' || c == ':':
		return p < 2 || !isDigit(s[p-2]) || sc.lastEnd >= p-1
	case c == '-' || c == '/' || c == '#' || c == '+':
		return true
	}
	return true
}

// take decides whether the expression just read is a date in its context and records it.
func (sc *scanner) take(p int, end *int) bool {
	e := &sc.e
	if e.n > maxFields {
		return false
	}
	for i := 0; i < e.dates; i++ {
		if !e.points[i].valid() {
			return false
		}
	}
	if sc.dayElsewhere(p) {
		return false
	}
	score := sc.judge(p, end)
	if score == refuted {
		sc.refuted = append(sc.refuted, Match{Start: p, End: *end, Score: score})
	}
	if score <= 0 {
		return false
	}
	if e.shape != dayMonthShape && len(sc.s) > p+4 && strings.EqualFold(sc.s[p:p+3], "the") && !isWordAt(sc.s, p+3) {
		p = skipSpace(sc.s, p+3) // the article is no part of "the 5th of March" or of "the 5th"
	}
	kind := kindOf[e.shape]
	if e.ranged && e.splitAt[e.dates-1] > 0 {
		sc.split(p, *end, score, kind)
	} else {
		sc.record(p, *end, score, kind, 0, e.dates)
	}
	sc.lastEnd = *end
	return true
}

// dayElsewhere says whether the number before a month's name belongs to what stands before it, so that the date begins
// with the name: "C6 Jul 18", "at 22.\nAug 4".
func (sc *scanner) dayElsewhere(p int) bool {
	e := &sc.e
	if e.n < 2 || e.fields[0].unit != dayUnit || !isDigit(sc.s[p]) {
		return false
	}
	month := 1
	for month < e.n && e.fields[month].unit == textUnit {
		month++
	}
	if month == e.n || e.fields[month].unit != monthNameUnit {
		return false
	}
	if p > 0 && isLetter(sc.s[p-1]) && !isWordBefore(sc.s, p-1) {
		return true
	}
	between := sc.s[e.fields[0].to:e.fields[month].from]
	return sc.lang == phi.English && strings.HasPrefix(between, ".") && strings.Contains(between, "\n")
}

// split records the dates of "vom 12. bis 14.03.2021", "12.–14.03.2021" and "10./11.11." one by one.
func (sc *scanner) split(p, end int, score float64, kind Kind) {
	e := &sc.e
	from := p
	first := 0
	for i := 1; i < e.dates; i++ {
		at := int(e.splitAt[i])
		to := at
		for to > from && !isDigit(sc.s[to-1]) && sc.s[to-1] != '.' {
			to--
		}
		// the joint itself may end in a full stop: "u."
		if w := strings.LastIndex(sc.s[from:to], " u."); w > 0 && from+w+3 == to {
			to = from + w
		}
		sc.record(from, to, score, kind, first, i)
		from, first = at, i
	}
	sc.record(from, end, score, kind, first, e.dates)
}

func (sc *scanner) record(p, end int, score float64, kind Kind, first, last int) {
	e := &sc.e
	m := Match{Start: p, End: end, Score: score, Kind: kind}
	ok := true
	for i := first; i < last; i++ {
		from, to, precision, has := e.points[i].span()
		if !has {
			ok = false
			break
		}
		if i == first {
			m.Interval.From, m.Interval.To = from, to
		}
		m.Interval.From, m.Interval.To = min(m.Interval.From, from), max(m.Interval.To, to)
		m.Interval.Precision = precision
	}
	m.HasInterval = ok
	if !ok {
		m.Interval = phi.Interval{}
	}
	if sc.out == nil {
		sc.out = make([]Match, 0, 16)
	}
	sc.out = append(sc.out, m)
	pt := e.points[last-1]
	if pt.grain != decadeGrain {
		sc.lastYear = max(sc.lastYear, int(pt.year))
	}
	sc.years = append(sc.years, pt.year)
	month := pt.month
	if pt.grain == dayGrain && pt.month == 0 {
		month = -pt.day // a bare day, to be completed
	}
	sc.months = append(sc.months, month)
}

// complete gives expressions without a year the year of the nearest date with one before it, or else behind it, such
// that the distance is least; bare days take the month too.
func (sc *scanner) complete() {
	year := int16(0)
	var anchor int32
	sc.next = slices.Grow(sc.next[:0], len(sc.out))[:len(sc.out)]
	next := sc.next
	following := -1
	for i := len(sc.out) - 1; i >= 0; i-- {
		next[i] = following
		if sc.years[i] != 0 && sc.out[i].HasInterval {
			following = i
		}
	}
	lastMonth := -1 // the last match with a month
	for i := range sc.out {
		m := &sc.out[i]
		if sc.years[i] != 0 {
			if m.HasInterval && m.Interval.Precision != phi.ToYear {
				year, anchor = sc.years[i], m.Interval.From
			}
			if m.HasInterval && sc.months[i] > 0 {
				lastMonth = i
			}
			continue
		}
		ref, refYear := anchor, year
		if n := next[i]; n >= 0 && (refYear == 0 || n == i+1 && sc.out[n].Start-m.End <= 12) {
			ref, refYear = sc.out[n].Interval.From, sc.years[n]
		}
		switch {
		case sc.months[i] < 0:
			sc.completeDay(i, lastMonth)
		case m.HasInterval && refYear != 0:
			m.Interval = nearestYear(m.Interval, ref)
		}
		if m.HasInterval && (sc.months[i] > 0 || sc.months[i] < 0) {
			lastMonth = i
		}
	}
}

// nearestYear moves an interval without a year to the year that brings it nearest to ref.
func nearestYear(i phi.Interval, ref int32) phi.Interval {
	_, m, d := civil(i.From)
	ry, _, _ := civil(ref)
	best := i
	distance := int32(1 << 30)
	for y := ry - 1; y <= ry+1; y++ {
		if m == 2 && d == 29 && !leap(y) {
			continue
		}
		from := serial(y, m, d)
		dist := from - ref
		if dist < 0 {
			dist = -dist
		}
		if dist < distance {
			distance = dist
			best = phi.Interval{From: from, To: from + i.To - i.From, Precision: phi.ToPart}
		}
	}
	return best
}

// completeDay gives a bare day the month of the date next to it.
func (sc *scanner) completeDay(i, before int) {
	m := &sc.out[i]
	day := int(-sc.months[i])
	after := -1
	if i+1 < len(sc.out) && sc.months[i+1] > 0 && sc.out[i+1].HasInterval && sc.out[i+1].Start-m.End <= 12 {
		after = i + 1
	}
	ref := before
	if after >= 0 {
		ref = after
	}
	if ref < 0 || !sc.out[ref].HasInterval {
		return
	}
	y, mo, refDay := civil(sc.out[ref].Interval.From)
	switch {
	case after >= 0 && day > refDay:
		mo--
	case after < 0 && day < refDay-14:
		mo++
	}
	from := serial(y, mo, day)
	if _, _, d := civil(from); d != day {
		return
	}
	m.Interval = phi.Interval{From: from, To: from, Precision: phi.ToPart}
	m.HasInterval = true
}
