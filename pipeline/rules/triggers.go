package rules

import (
	"math/bits"
	"slices"
)

// trigger is a set of scanners that may find something at a token.
//
// Most tokens begin nothing, and each scanner begins at few of them. So mark passes over the tokens once, after they
// were looked up, and notes for each of them which scanners it concerns, by what does not change while they run: the
// token's kind, case, class and cues, and the tokens beside it. A scanner then goes from one of its tokens to the next
// (scan.next) and decides all the rest there. A trigger may be set where its scanner finds nothing; it is never missing
// where the scanner could find something, so that the findings are those of a scanner that looks at every token.
type trigger uint32

const (
	mayElectronic   trigger = 1 << iota // mail, URL, IP address
	mayCheck                            // an id with check digits or a form of its own
	mayGlue                             // a long number glued to a word
	mayCourt                            // the file number of a court
	mayLabel                            // a label of a number or a code
	mayPhone                            // the first sign of a telephone number
	maySpeak                            // a spoken digit
	mayCall                             // call, page, erreichbar
	mayDash                             // a dash before a number
	mayTrail                            // what a number in parentheses or behind a comma follows
	mayVehicle                          // a plate or a word for a vehicle
	mayRegistration                     // the mark of an aircraft, a British plate
	mayZIP                              // a postcode, a state, a box
	mayStreet                           // a word of a street or a label of an address
	mayLand                             // a country, a state, or a place at the beginning of a line
	mayCode                             // a code without a label
	mayStudy                            // study, protocol
	mayHouse                            // a ward, a hospital
	mayOrganization                     // an insurer, a firm, a school
	mayPayer                            // a label of an organisation
	mayJob                              // an occupation or an employment status
	mayPerson                           // what announces a person
	mayPair                             // the first word of a name that nothing announces, the marks of author and typist
	mayVisum                            // the mark of staff at the end of an entry
)

// next gives the first token from i on that concerns a scanner, or the number of tokens.
func (s *scan) next(i int, t trigger) int {
	scanner := bits.TrailingZeros32(uint32(t))
	for b := i / blockSize; b < len(s.blocks); b++ {
		if left := s.blocks[b][scanner] >> (i % blockSize); left != 0 {
			return i + bits.TrailingZeros64(left)
		}
		i = (b + 1) * blockSize
	}
	return len(s.toks)
}

// block says of blockSize neighbouring tokens which of them concern each scanner, a bit for each token, so that a scanner
// passes over those that do not concern it at once.
type block [32]uint64

const blockSize = 64

// set notes the triggers of the token i.
func (b *block) set(i int, m trigger) {
	for ; m != 0; m &= m - 1 {
		b[bits.TrailingZeros32(uint32(m))] |= 1 << (i % blockSize)
	}
}

// labelHeads are the classes of words that announce a number or a code.
const labelHeads = phoneHead | extHead | faxHead | idHead | weakIDHead | numberWord | device | account | study | license |
	healthplan | social | vehicle | userLabel

// Classes of words that concern a scanner wherever they stand.
var classTriggers = [...]struct {
	class   class
	trigger trigger
}{
	{labelHeads, mayLabel},
	{vehicle, mayVehicle},
	{streetHead | streetPrefix | streetHeadEN | placeLabel, mayStreet},
	{ward | hospital | department, mayHouse},
	{status | jobHead, mayJob},
	{beforeNames, mayPerson},
}

// Classes and cues of words that concern a scanner only where they are written with a capital.
const (
	organizationHeads = insurer | legalForm | organization
	lands             = country | state
)

// triggeringClasses are those of which marks must look at each.
const triggeringClasses = labelHeads | vehicle | streetHead | streetPrefix | streetHeadEN | placeLabel | ward | hospital |
	department | status | jobHead | beforeNames

// cueTriggers are the same for cues.
var cueTriggers = [...]struct {
	cue     cue
	trigger trigger
}{
	{atCue | schemeCue, mayElectronic},
	{spokenCue, maySpeak},
	{callCue, mayCall},
	{boxCue, mayZIP},
	{studyCue, mayStudy},
	{famousCue, mayHouse},
	{payerCue, mayPayer},
	{jobCue | workCue | formerCue | formerENCue, mayJob},
	{agentCue | greetingCue, mayPerson},
}

// mark sets the triggers and what depends on single words and lines alone: how plain each word is, and which lines can
// be the head of a table.
func (s *scan) mark() {
	n := len(s.toks)
	s.blocks = slices.Grow(s.blocks[:0], n/blockSize+1)[:n/blockSize+1]
	clear(s.blocks)
	s.heads = s.heads[:0]
	var line lineForm
	before, next, after := &noToken, s.at(0), s.at(1)
	for i := range s.toks {
		t := next
		next, after = after, s.at(i+2)
		if i == 0 || t.lines > 0 {
			if line.head() {
				s.heads = append(s.heads, line.first)
			}
			line = lineForm{first: i}
		}
		line.add(t, s.text[t.start])
		var m trigger
		switch t.kind {
		case word:
			t.plain = s.plainness(t)
			m = s.markWord(i, before, t, next, after)
		case number:
			m = markNumber(before, t, next)
		default:
			m = markSign(i > 0 && t.tight(), t, next, after)
		}
		if (next.sign == '(' || next.sign == ',') && after.kind == number && next.close() && after.close() {
			m |= mayTrail
		}
		s.blocks[i/blockSize].set(i, m)
		before = t
	}
	if line.head() {
		s.heads = append(s.heads, line.first)
	}
}

// tight says whether the token follows the one before without any space; the first of a text follows none.
func (t *token) tight() bool { return t.gap|t.lines == 0 }

// close says whether it follows the one before on the same line and in the same column.
func (t *token) close() bool { return t.gap < 2 && t.lines == 0 }

// markSign gives the triggers of a sign.
func markSign(glued bool, t, next, after *token) trigger {
	switch t.sign {
	case '@':
		return mayElectronic
	case '.':
		if glued && next.tight() && next.kind == word {
			return mayElectronic
		}
	case ':':
		if next.tight() && (glued || next.sign == ':') {
			return mayElectronic
		}
	case '#':
		return mayLabel
	case '+':
		return mayPhone
	case '(':
		if next.kind == number || next.sign == '+' && after.kind == number {
			return mayPhone
		}
	case '*':
		if next.kind == number && next.close() {
			return mayPerson
		}
	case '-':
		if next.kind == number {
			return mayDash
		}
	}
	return 0
}

// hangs says whether something hangs on a token that a code or a form with check digits goes on with.
func hangs(next *token) bool {
	return next.tight() && (next.kind != sign || next.sign == '-')
}

// joints are the signs that join the parts of a code.
func joint(c byte) bool { return c == '-' || c == '/' || c == '_' || c == '.' || c == '\\' }

// markNumber gives the triggers of a number.
func markNumber(before, t, next *token) trigger {
	var m trigger
	glued := before != &noToken && t.tight()
	if next.sign == '.' && next.tight() {
		m |= mayElectronic
	}
	if !glued || before.kind == sign {
		inside := glued && (before.sign == '-' || before.sign == '/' || before.sign == '.' || before.sign == '_')
		if !inside && (!glued || before.sign != '@') {
			if t.runes >= 10 || next.kind == number || hangs(next) || next.sign == '-' || t.runes == 3 && next.sign == '.' {
				m |= mayCheck
			}
			if !glued || before.sign != ',' && before.sign != '*' && before.sign != '+' && before.sign != ':' {
				if t.runes >= 7 || next.tight() && (next.kind != sign || joint(next.sign)) {
					m |= mayCode
				}
			}
		}
		if !inside && (!glued || before.sign != ',' && before.sign != '#' && before.sign != '*') {
			m |= mayPhone
		}
	} else {
		m |= mayPhone
		if before.kind == word && t.runes >= 6 {
			m |= mayGlue
		}
	}
	if t.runes == 4 || t.runes == 5 {
		m |= mayZIP
	}
	return m
}

// markWord gives the triggers of a word.
func (s *scan) markWord(i int, before, t, next, after *token) trigger {
	var m trigger
	c := t.class
	if c&triggeringClasses != 0 {
		for _, k := range classTriggers {
			if c&k.class != 0 {
				m |= k.trigger
			}
		}
	}
	if t.cue != 0 {
		for _, k := range cueTriggers {
			if t.cue&k.cue != 0 {
				m |= k.trigger
			}
		}
	}
	starts := i == 0 || t.lines > 0 || t.gap > 1 // a line or a column
	if t.runes <= 4 {
		m |= s.markShort(t, next, after, starts)
	}
	glued := i > 0 && t.tight()
	free := !glued || before.kind == sign && before.sign != '-' && before.sign != '/' && before.sign != '.' && before.sign != '_' && before.sign != '@'
	if free && (next.kind == number || hangs(next)) {
		m |= mayCheck
	}
	if t.shape == lower && t.runes > 1 {
		return m
	}
	if free && t.runes <= 6 && (!glued || before.sign != ',' && before.sign != '*' && before.sign != '+' && before.sign != ':') &&
		(next.tight() && (next.kind != sign || joint(next.sign)) || t.shape == upper && next.kind == number && next.close()) {
		m |= mayCode
	}
	if t.shape != lower {
		m |= s.markCapital(i, t, next, starts)
	}
	return m
}

// markShort gives the triggers of a word of up to four letters.
func (s *scan) markShort(t, next, after *token, starts bool) trigger {
	var m trigger
	switch {
	case t.runes == 1:
		if next.kind == number || next.sign == '/' {
			m |= mayLabel // x5512, p 4417, S/N
		}
	case t.runes == 4 && s.text[t.start]|0x20 == 'l':
		m |= mayLabel // last 4
	}
	if t.runes <= 2 && next.sign == '.' && next.tight() && after.kind == word && after.tight() {
		m |= mayPerson // M.D.
	}
	if t.runes > 1 {
		if starts && (next.sign == '/' || next.sign == '-') && next.tight() {
			m |= mayPair
		}
		if t.lines == 0 && (next.lines > 0 || next.sign == ')' || next.sign == '*') {
			m |= mayVisum
		}
	}
	return m
}

// markCapital gives the triggers of a word that is not in small letters.
func (s *scan) markCapital(i int, t, next *token, starts bool) trigger {
	var m trigger
	c := t.class
	if c&organizationHeads != 0 || t.cue&firmCue != 0 {
		m |= mayOrganization
	}
	if c&state != 0 || t.cue&stateCue != 0 {
		m |= mayZIP
	}
	if starts || c&lands != 0 || t.know.Country() || t.know.State() {
		m |= mayLand
	}
	if t.shape == upper && t.runes <= 5 || t.runes <= 3 {
		m |= markAbbreviation(t, next)
	}
	if next.kind == number && next.close() || t.runes <= 2 && next.sign == '-' {
		m |= mayRegistration
	}
	if s.capital(i) && s.mayBeName(t, next) {
		m |= mayPair
	}
	return m
}

// markAbbreviation gives the triggers of a short word in capitals or a single one.
func markAbbreviation(t, next *token) trigger {
	var m trigger
	if t.shape == upper && t.runes <= 3 {
		m |= mayZIP | mayLand
	}
	if t.shape == upper && next.kind == number && next.gap == 1 {
		m |= mayCourt
	}
	if t.runes <= 2 && next.kind == number && next.tight() {
		m |= mayZIP
	}
	if t.runes <= 3 && next.sign == '-' && next.tight() {
		m |= mayVehicle
	}
	return m
}

// mayBeName says whether a name that nothing announces may begin at a capitalised word. It does not where the word is
// one of the language that neither a hyphen nor the lists of names make a name.
func (s *scan) mayBeName(t, next *token) bool {
	return t.plain == 0 || t.runes < 3 || t.class&particle != 0 || t.know.FirstName() >= 2 || t.know.Surname() >= 3 ||
		next.kind == sign && next.tight()
}

// lineForm counts what tells whether a line can be the head of a table.
type lineForm struct {
	first, tokens      int
	bars, semis, wides int
	filled             bool // it holds a number or a colon
}

func (l *lineForm) add(t *token, c byte) {
	l.tokens++
	switch {
	case t.kind == number || t.sign == ':':
		l.filled = true
	case t.kind == word:
	case t.sign == ';':
		l.semis++
	case c == '|':
		l.bars++
	}
	if l.tokens > 1 && t.gap > 1 {
		l.wides++
	}
}

// head says whether the line has the form of a head: at least three cells, nothing filled in.
func (l *lineForm) head() bool {
	return !l.filled && l.tokens >= 3 && l.tokens <= 60 && (l.bars >= 2 || l.semis >= 2 || l.wides >= 2)
}
