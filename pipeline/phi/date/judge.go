package date

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// context holds the words around an expression.
type context struct {
	prev, prev2  string // the words before, with no blank line between, without punctuation
	gap          string // what stands between the word before and the expression
	glued        bool   // a letter or digit touches the expression
	next         string // the word after
	after        byte   // first byte after, 0 at the end
	nextIsWord   bool   // a blank and a word follow
	lineStart    bool
	afterDate    bool // the last date ends just before
	closeToDate  bool
	followedByNo bool // a digit follows after one blank
}

func (sc *scanner) context(p, end int) context {
	s := sc.s
	var c context
	c.glued = isWordBefore(s, p)
	q := p
	for q > 0 && p-q < 6 && !isWordBefore(s, q) && s[q-1] != '\n' {
		q--
		for q > 0 && !utf8.RuneStart(s[q]) {
			q--
		}
	}
	c.gap = s[q:p]
	c.lineStart = q == 0 || s[q-1] == '\n'
	if c.lineStart && q > 0 && strings.TrimSpace(c.gap) == "" { // the word before may end the line above
		r := q - 1
		if r > 0 && s[r-1] == '\r' {
			r--
		}
		if r > 0 && s[r-1] != '\n' {
			for r > 0 && (s[r-1] == ' ') {
				r--
			}
			q = r
		}
	}
	if start := wordStart(s, q); start < q {
		c.prev = s[start:q]
		r := start
		for r > 0 && start-r < 3 && !isWordBefore(s, r) && s[r-1] != '\n' {
			r--
			for r > 0 && !utf8.RuneStart(s[r]) {
				r--
			}
		}
		if st := wordStart(s, r); st < r {
			c.prev2 = s[st:r]
		}
	}
	if end < len(s) {
		c.after = s[end]
	}
	n := skipSpace(s, end)
	c.nextIsWord = n > end && isWordAt(s, n)
	if w := wordEnd(s, n); w > n {
		c.next = s[n:w]
	} else if n > end && n < len(s) && isDigit(s[n]) {
		c.followedByNo = true
	}
	if len(sc.out) > 0 && sc.lastEnd >= 0 {
		c.afterDate = p-sc.lastEnd <= 3
		c.closeToDate = p-sc.lastEnd <= 12 && !strings.Contains(s[sc.lastEnd:p], "\n")
	}
	return c
}

// wordStart gives the start of the word (letters and digits) that ends at p, going back at most 32 bytes.
func wordStart(s string, p int) int {
	q := p
	for q > 0 && p-q < 32 && isWordBefore(s, q) {
		q--
		for q > 0 && !utf8.RuneStart(s[q]) {
			q--
		}
	}
	return q
}

// set is a set of words in lower case.
type set struct {
	words *lists.Table[bool]
	may   fold.Filter
}

func words(list string) *set {
	m, s := map[string]bool{}, new(set)
	for w := range strings.FieldsSeq(list) {
		m[w] = true
		s.may.Add(w)
	}
	s.words = lists.NewTable(m)
	return s
}

func (m *set) has(s string) bool {
	var buf [32]byte
	if s == "" || len(s) > len(buf) || len(s) > 1 && !m.may.May(s) {
		return false
	}
	key := lower(buf[:0], s)
	return m.words.FindBytes(key, lists.Hash(key))
}

var (
	prepositionsDE   = words("am vom bis seit ab zum den dem der im in ans von nach vor um zwischen und oder zuletzt erstmals spätestens frühestens ende anfang mitte jahr jahre jahres jahren datum geb geboren gest verstorben ed erstdiagnose op impl implantation dat termin kontrolle zuletzt letzter letzte letzten letztes nächster nächste nächsten kommenden vergangenen voriges vorigen diesen diesem dieses jahrgang stand gültig eingang ausgang aufnahme entlassung entl aufn wv wiedervorstellung für aus")
	prepositionsEN   = words("on since from until till by before after in of through thru to between during around about dated date last next this circa ca approx approximately and early late mid spring summer fall autumn winter back year years yr exp expires due seen visit dob born died d/c dc admitted discharged labs lab appt w/c per")
	idWords          = words("nr no num nummer number id mrn mr ref az aktenzeichen zeichen fall fallnr fallnummer case acct account konto rechnung rg auftrag auftragsnr order probe tel telefon fon fax phone ext durchwahl dect app pager handy mobil zimmer zi room rm bett bed plz zip station stn haus raum model modell typ type version ver lot charge batch ch serial sn iban blz bic wohnort ort wohnhaft postfach kto code icd ops cpt ebm goä gop seite page artikel art § paragraph dan pzn")
	citationWords    = words("leitlinie leitlinien guideline guidelines kriterien criteria definition konsensus consensus klassifikation classification update edition auflage fassung standard standards empfehlung empfehlungen recommendation recommendations grade al tnm uicc ajcc who icd esc erc aha acc hrs acr eular kdigo awmf stiko rki nice sign bsg ecco easl esmo asco cap nccn ats ers idsa ilae bsh acog rcog uspstf acs acg acp ada easd dgk dgn dgim dgvs dgu dga figo enets escmid espen aasld asas ginat gina gold eau aua nyha kdoqi ishlt ash isth chest scs ssc esh esc/esh acc/aha esaic ehra das escardio fachinformation rote handbrief act gesetz berlin score katalog ebm goä dsm priscus beers stopp leitlinienprogramm hpo nih cdc fda ema esvs divi dgai dgho dgppn dgrh sgk escp eacts sts panel bmj lancet nejm jama pmid mcdonald itbcc isn rps society association physician acip expertenstandard red doi cochrane toronto atlanta rotterdam tokyo bethesda milan milano maastricht houston baveno kyoto sepsis asra bts bmj adqi istth ean pns asam eln cpg fleischner vorgabe")
	openPrepositions = words("am vom bis seit ab zum den dem ed geb op datum kontrolle termin on since next planned last from to auf")
	timeWords        = words("um gegen at @ uhr h")
)

// dayTimes are parts of a day, of which a bare day may follow.
var dayTimes = words("morgen morgens vormittag vormittags mittag mittags nachmittag nachmittags abend abends nacht tages")

// judge weighs the expression between p and *end in its context: 0 is no date. It may shorten the expression.
func (sc *scanner) judge(p int, end *int) float64 {
	s, e := sc.s, &sc.e
	c := sc.context(p, *end)
	english := sc.lang == phi.English
	if c.glued {
		if e.shape != fullShape || !isLetter(s[p-1]) || !e.year {
			if !(e.shape == compactShape && p > 0 && s[p-1] == '_') {
				return 0
			}
		}
		if e.points[0].year < 1900 || !fourDigitYear(e) && e.fields[0].unit != dayUnit {
			return 0
		}
	}
	if sc.insideCode(p, *end, c) {
		return 0
	}
	prep := prepositionsDE.has(c.prev) || prepositionsEN.has(c.prev)
	switch e.shape {
	case fullShape:
		return sc.judgeFull(p, *end, c)
	case dayMonthShape:
		return sc.judgeDayMonth(p, *end, c)
	case dayMonthOpen:
		if c.prev == "gestern" || c.prev == "heute" || c.prev == "morgen" {
			return 0.8
		}
		if !openPrepositions.has(c.prev) || c.after == '%' || isMeasure(c.next) || c.after == ',' && isWordAt(s, *end+1) {
			return 0
		}
		if e.prefix {
			return 0.9
		}
		if english && !(c.prev == "on" || c.prev == "On" || c.prev == "Next" || c.prev == "since" || c.prev == "planned" || c.prev == "last" || c.prev == "yesterday") {
			return 0
		}
		if c.prev == "bis" || c.prev == "auf" || c.prev == "from" || c.prev == "to" || c.prev == "ab" {
			if !(c.after == '\n' || c.after == ',' || c.after == 0 || c.after == ')' || c.after == ';') {
				return 0
			}
		}
		return 0.75
	case slashShape:
		return sc.judgeSlash(p, *end, c)
	case dashShape:
		return sc.judgeDash(p, *end, c)
	case monthYearShape, yearMonthShape:
		if idWords.has(c.prev) && !strings.Contains(c.gap, "(") || c.prev == "Az" {
			return 0
		}
		return 0.92
	case yearShape, yearPairShape:
		return sc.judgeYear(p, *end, c)
	case shortYearShape:
		if c.after == '\'' || isMeasure(c.next) || (c.after == '"' || c.after == 0xe2) && !prep {
			return 0
		}
		if !c.lineStart && !strings.HasSuffix(c.gap, " ") && !strings.HasSuffix(c.gap, "(") && !strings.HasSuffix(c.gap, "-") && !strings.HasSuffix(c.gap, "/") {
			return 0
		}
		return 0.85
	case dayShape:
		return sc.judgeDay(p, *end, c)
	case ordinalShape, theShape:
		return sc.judgeOrdinal(p, *end, c)
	case monthShape:
		return sc.judgeMonth(p, end, c)
	case monthDayShape:
		return sc.judgeMonthDay(p, *end, c)
	case monthNameYear:
		if citationWords.has(c.prev) {
			return 0
		}
		return 0.97
	case compactShape, stampShape:
		if c.glued && s[p-1] != '_' || idWords.has(c.prev) {
			return 0
		}
		if y := e.points[0].year; y < 1900 || y > 2040 {
			return 0
		}
		return 0.85
	case sixShape:
		if birthWord(c.prev) && len(c.gap) <= 4 || strings.HasSuffix(c.gap, "*") {
			return 0.85
		}
		if fourDigitYear(e) && len(c.next) == 1 && strings.Contains("mwfMWF", c.next) && c.prev != "" && !isDigit(c.prev[0]) && !idWords.has(c.prev) {
			return 0.7 // behind the name on a label, before the sex
		}
		return 0
	case spacedShape:
		if birthWord(c.prev) || strings.HasSuffix(c.gap, "*") || strings.EqualFold(c.prev, "datum") || strings.EqualFold(c.prev, "date") || c.prev == "vom" || c.prev == "am" {
			return 0.9
		}
		if fourDigitYear(e) && !idWords.has(c.prev) {
			return 0.7
		}
		return 0
	case weekShape, quarterShape, halfShape:
		return 0.9
	case seasonShape:
		return sc.judgeSeason()
	case holidayShape:
		return sc.judgeHoliday(p, *end, c)
	case thirdShape:
		return sc.judgeThird(c)
	case decadeShape:
		if c.after == '-' {
			return 0
		}
		if e.points[0].year != 0 {
			return 0.85
		}
		if strings.EqualFold(c.prev, "the") || strings.EqualFold(c.prev, "early") || strings.EqualFold(c.prev, "late") {
			return 0.8
		}
		return 0
	case wordsShape:
		if e.points[0].grain == yearGrain {
			if e.points[0].year%100 == 0 && !strings.EqualFold(c.prev, "jahr") && !strings.EqualFold(c.prev, "seit") {
				return 0
			}
			return 0.8
		}
		if !e.year && e.points[0].month != 0 && !e.hasMonthName() && !prep {
			return 0.6
		}
		return 0.9
	}
	return 0
}

func (e *expr) hasMonthName() bool {
	for i := 0; i < e.n; i++ {
		if e.fields[i].unit == monthNameUnit {
			return true
		}
	}
	return false
}

func fourDigitYear(e *expr) bool {
	for i := 0; i < e.n; i++ {
		if e.fields[i].unit == yearUnit {
			return true
		}
	}
	return false
}

// insideCode says that the expression is a part of an identifier, a path, a mail address or a longer number.
func (sc *scanner) insideCode(p, end int, c context) bool {
	s, e := sc.s, &sc.e
	switch e.shape {
	case weekShape, seasonShape, holidayShape, monthShape, wordsShape:
		return false
	}
	if end < len(s) {
		switch s[end] {
		case '-', '/', '+':
			if end+1 < len(s) && isDigit(s[end+1]) {
				// a range of dates goes on after its dash
				next := grammar{s: s, lang: sc.lang, order: sc.order}
				next.e.reset()
				if q := next.number(end + 1); q > 0 && next.e.shape != dayShape && (e.shape == fullShape || next.e.shape == e.shape || e.shape == dayMonthShape) {
					break
				}
				if e.shape == fullShape && s[end] != '+' && fourDigitYear(e) && strings.Contains(s[p:end], ".") {
					break
				}
				if e.shape == dayMonthShape {
					break
				}
				return true
			}
			if sc.noise && end+1 < len(s) && isLetter(s[end+1]) {
				if n := digits(s, end+1, true); n.width == 4 && n.real >= 2 {
					break
				}
			}
			if end+1 < len(s) && isLetter(s[end+1]) && e.shape != dayMonthShape && e.shape != dayShape {
				if e.shape == yearShape || e.shape == slashShape || e.shape == dashShape || e.shape == monthYearShape || e.shape == yearMonthShape {
					return s[end] != '/' || e.shape != slashShape
				}
			}
		case '@', '_', '#':
			return e.shape != fullShape && e.shape != compactShape || s[end] == '@' && end+1 < len(s) && isWordAt(s, end+1)
		case ':':
			if end+1 < len(s) && isDigit(s[end+1]) {
				return e.shape != fullShape && e.shape != stampShape && e.shape != compactShape && e.shape != dayMonthShape && e.shape != slashShape
			}
		case '%':
			return true
		}
	}
	if p > 0 {
		switch s[p-1] {
		case '-', '/', '+', '.', ',', ':', '#', '@', '=', '&', '\\':
			if p >= 2 && isWordBefore(s, p-1) && sc.lastEnd != p-1 && s[p-1] != '=' {
				if s[p-1] == ':' && (isLetter(s[p-2]) || s[p-2] >= 0x80) {
					return false
				}
				if (s[p-1] == '.' || s[p-1] == ',') && !isDigit(s[p-2]) {
					return false
				}
				if e.shape == fullShape && fourDigitYear(e) && isLetter(s[p-2]) {
					return false
				}
				if s[p-1] == '-' && isLetter(s[p-2]) && (e.shape == fullShape || e.shape == monthYearShape) && !isUpper(s[p-2]) {
					return false
				}
				if s[p-1] == '/' && isLetter(s[p-2]) && e.shape == fullShape {
					return false
				}
				return true
			}
			if s[p-1] == '#' {
				return true
			}
		case '$', '\xa3':
			return true
		}
	}
	return false
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func birthWord(w string) bool {
	switch strings.ToLower(w) {
	case "geb", "geboren", "geborene", "geborener", "geburtsdatum", "gebdat", "geb.dat", "dob", "born", "gdat", "b", "birth", "birthdate", "gebdatum", "geburtstag", "birthday", "yob":
		return true
	}
	return false
}

func (sc *scanner) judgeFull(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if e.ranged || e.prefix || e.hasMonthName() {
		return 0.98
	}
	text := s[p:end]
	switch {
	case strings.Contains(text, "/") || strings.Contains(text, "-"):
		if idWords.has(c.prev) && len(c.gap) <= 3 && !fourDigitYear(e) {
			return 0.3 * b2f(!strings.Contains(text, "-")) * 2
		}
		if fourDigitYear(e) {
			return 0.98
		}
		if scoreWords.has(c.prev) && e.points[0].year >= 2000 && e.points[0].year <= 2010 && !strings.Contains(text, "0") == (e.points[0].year != 2010) {
			return 0 // Apgar 9/10/10
		}
		return 0.93
	default:
		if !fourDigitYear(e) && !c.lineStart && len(c.gap) <= 1 && (strings.EqualFold(c.prev, "version") || strings.EqualFold(c.prev, "kapitel") || strings.EqualFold(c.prev, "v")) {
			return 0
		}
		if fourDigitYear(e) {
			return 0.99
		}
		return 0.95
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (sc *scanner) judgeDayMonth(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if e.prefix || e.ranged {
		return 0.95
	}
	if e.noisy && digitsIn(s[p:end]) < 2 && !(digitsIn(s[p:end]) >= 1 && prepositionsDE.has(c.prev)) {
		return 0
	}
	if timeWords.has(c.prev) && c.prev != "gegen" && strings.TrimSpace(c.gap) == "" || isMeasure(c.next) && !(len(c.next) == 1) || c.next == "Uhr" {
		return 0
	}
	d, m := int(e.points[0].day), int(e.points[0].month)
	tight := end-p == 6 && s[p+2] == '.' && isDigit(s[p+3]) && isDigit(s[p+4])
	if tight && d <= 23 && (m == 0 || m%5 == 0 || m < 10) && c.afterDate && !strings.Contains(c.gap, "-") && !strings.Contains(c.gap, "/") && !strings.Contains(c.gap, ")") && !strings.Contains(c.gap, "–") && !strings.ContainsAny(c.gap, ",\n") && !c.lineStart {
		return 0 // a date is followed by a time with a full stop: 17.2.2022 07.10.
	}
	if sc.lang == phi.English {
		switch c.prev { // a value at the end of a sentence: "a creatinine of 1.4."
		case "of", "and", "to", "at", "was", "is", "between":
			return 0
		}
		wrapped := p > 1 && s[p-2] != '\n' && end+1 < len(s) && s[end] == ' ' && s[end+1] >= 'A' && s[end+1] <= 'Z'
		if prepositionsEN.has(c.prev) || c.lineStart && !wrapped {
			return 0.7
		}
		return 0
	}
	if c.prev == "RECIST" || c.prev == "Version" || c.prev == "v" && len(c.gap) <= 1 && c.prev2 != "i" || c.prev == "Kap" || c.prev == "Kapitel" || c.prev == "Punkt" || c.prev == "Ziffer" || c.prev == "Abschnitt" {
		return 0
	}
	if end < len(s) && isDigit(s[end]) {
		return 0
	}
	return 0.93
}

// isWeekday says whether a word names a day of the week.
func isWeekday(s string) bool {
	w, ok := look(s)
	return ok && w.class == classWeekday
}

var (
	afterScore = words("sem systolic diastolic murmur rest bilat bilateral positive pos stool reaching sites probes trials nodes ppd rle lle rue lue up of strength power house-brackmann oriented correct day days course")

	// wordsOfDates are words of scores that stand beside dates as well.
	wordsOfDates = words("rest positive pos course of up add ir ppd bp bipap cpap hfnc pulse pulses ip visit tab tabs tablet tabletten dose doses grade rated kg op day days tag week woche wk n er he ta lot dose dash set sets line zeile nodes node trial trials page seite part teil copy entered session sitzung cycle zyklus step steps series serie version vers block lab uhr")

	strongIDWords = words("nr no id mrn az aktenzeichen tel telefon fax page pages seite seiten zimmer room artikel ref auftrag order box")

	scoreWords = words("strength power kraft kg kraftgrad pain schmerz schmerzen nrs vas motor mmt moca mmse mmst mocca gcs apgar score amts gds phq phq-9 gad hads barthel slums va visus vision visual bp rr pupils pupillen reflexes reflexe pulses pulse grade grad murmur levine oxford janda tinetti borg katz lawton fab ace abcde abcd nodes node lymph margins lk hwk lwk bwk zahn zähne tooth teeth lot apgars iop ph sao bipap cpap hfnc osd os ou od uk severity rated dash nyha stadium stufe n zoster entresto sacubitril sacubitril/valsartan tabletten tablet tab dose doses step steps dips insight kings ast alt ast/alt ratio mixtard novomix humalog mix ppd pack folstein demtect uhr pasat rivermead ashworth aims beighton bishop schober mallampati murphy trials trial probes zehn sets set wiederholungen deltoid delt biceps bizeps triceps quad quadriceps quadrizeps ehl ta ip fe ff grip grips er ir hf he ke kf df pf abd add norton braden percentile vers version serie cycle zyklus session sitzung day tag week woche part teil page seite copy entered line zeile kappa deltas delta zeile block hba1c wk pod ess iga easi deauville forrest epr ipi fleischner waterlow schirmer hurley mayo rutgeerts hla ciwa cows ymrs hamd ham-d madrs bprs bdi flacc allred lansky")
)

// refuted says of what looks like a date that the words around it make it something else: the share of a score, weeks
// and days, a duration.
const refuted = -1

// murmurFollows says whether what stands behind a number of six is loudness of a heart murmur: 2/6 PPS murmur.
func murmurFollows(s string, end, of int) bool {
	if of != 6 {
		return false
	}
	rest := s[end:min(len(s), end+32)]
	rest, _, _ = strings.Cut(rest, "\n")
	for w := range strings.FieldsFuncSeq(rest, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if murmurs.has(w) {
			return true
		}
	}
	return false
}

var murmurs = words("murmur murmurs systolikum diastolikum herzgeräusch strömungsgeräusch sem hsm esm psm dm em systolic diastolic holosystolic pansystolic geräusch")

func (sc *scanner) judgeSlash(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if e.prefix {
		return 0.95
	}
	pt := e.points[0]
	a, b := slashParts(s[p:end])
	if c.lineStart {
		c.prev, c.prev2 = "", ""
	}
	if pt.grain != monthGrain && sc.inRowOfDates(p) {
		return 0.8
	}
	share := a <= b && s[p] != '0' && s[end-2] != '0' // may be so many of so many
	scored, staged := scoreWords.has(c.prev), nodeStage(c.prev)
	if share && !strings.Contains(c.gap, ")") && (scored && !wordsOfDates.has(c.prev) || staged || murmurFollows(s, end, b) || b == 52 || b == 24 && sc.order == dayFirst && pt.grain != monthGrain) {
		return refuted
	}
	if scored || staged || isMeasure(c.next) && len(c.next) > 1 || c.after == '%' || c.after == '+' || strongIDWords.has(c.prev) {
		return 0
	}
	if c.after == '-' && end+1 < len(s) && !isDigit(s[end+1]) && s[end+1] != ' ' {
		return 0
	}
	strong := sc.slashPreposition(c)
	if pt.grain == monthGrain { // 03/84, 12/19
		if a > 12 || b >= 32 && b < 50 && !strong || b == 52 {
			return 0
		}
		if strong || birthWord(c.prev) {
			return 0.85
		}
		if b < 70 || b == 80 || b == 90 {
			return 0
		}
		return 0.6
	}
	if sc.lang == phi.German || sc.lang == "" && sc.order == dayFirst {
		if strong {
			if s[p] == '0' || b > 12 || end-p == 5 || a > 12 {
				return 0.85
			}
			if a == 5 && b == 5 || b == 5 || b == 10 || b == 6 {
				return 0
			}
			return 0.7
		}
		if s[p] == '0' && end-p == 5 || a <= 12 && s[end-2] == '0' {
			return 0.7
		}
		if c.lineStart && a <= 12 && b >= 10 && b <= 30 && (c.after == ' ' || c.after == '\t') {
			return 0.6
		}
		if a <= 12 && b >= 13 && b <= 30 && end-p >= 4 && c.prev != "" && !scoreWords.has(c.prev2) && !strings.Contains(c.gap, "(") {
			return 0.45
		}
		return 0
	}
	// English: month/day
	if scoreWords.has(c.prev2) && !strong && !strings.Contains(c.gap, "(") && c.prev != "to" && c.prev != "off" {
		return 0
	}
	month := a
	if sc.order == dayFirst {
		month = b
	}
	known := month <= 12 && (sc.monthsSeen[month] || sc.monthsSeen[month%12+1] || sc.monthsSeen[(month+10)%12+1])
	if c.closeToDate && sc.lastEnd == p-1 {
		return 0.8
	}
	if c.prev != "" && isDigit(c.prev[len(c.prev)-1]) && strings.TrimSpace(c.gap) == "" && !c.closeToDate && a < b && (b == 7 || b <= 4 || b == 8) && b <= 8 {
		if b == 7 && len(c.prev) == 2 {
			return refuted // 36 3/7 weeks
		}
		return 0
	}
	if afterScore.has(c.next) {
		if share && !wordsOfDates.has(c.next) {
			return refuted
		}
		return 0
	}
	duration := (b == 52 || b == 7 && a <= 14 || b == 12 && a <= 12) && sc.order != monthFirst && !(known && sc.order == dayFirst && strong)
	if sc.order != monthFirst && (b == 7 || b == 12 && a <= 12 || b == 52) && (c.prev == "in" || c.prev == "for" || c.prev == "x" || c.prev == "over") {
		return refuted
	}
	if duration && (sc.order == dayFirst || c.prev == "in" || c.prev == "for" || !known) {
		return 0
	}
	if strong {
		return 0.85
	}
	if sc.dateFollows(end) || c.closeToDate && (c.prev == "and" || c.prev == "to" || c.prev == "" || strings.ContainsAny(c.gap, "-,&+/")) {
		return 0.8
	}
	if a == b && a <= 6 || b == 5 || b == 10 || b == 30 && a > 12 || b == 6 && a <= 6 || b == 4 && a <= 4 || b == 2 && a == 1 || b == 3 && a <= 3 {
		if known && (a != b || c.lineStart || c.after == ':') || c.lineStart && (c.after == ' ' || c.after == ':') {
			return 0.6
		}
		return 0
	}
	if a > 12 && b > 12 {
		return 0
	}
	if s[end-2] == '0' && a <= 12 {
		return 0.7
	}
	if c.lineStart || c.after == ':' || c.followedByNo || strings.Contains(c.gap, "(") || strings.Contains(c.gap, ":") {
		return 0.75
	}
	if !known && sc.order != monthFirst {
		return 0.3
	}
	return 0.6
}

// inRowOfDates says whether the line at p is the head of a table whose columns are days: behind a label at most, three cells
// or more that all can be days and of which one cannot be a share, or which go up by the day in one month.
func (sc *scanner) inRowOfDates(p int) bool {
	line := sc.s[strings.LastIndexByte(sc.s[:p], '\n')+1:]
	line, _, _ = strings.Cut(line, "\n")
	if len(line) > maxRow {
		return false
	}
	cells, noShare, rising, first, last := 0, false, true, -1, -1
	for _, cell := range columns.Split(strings.Trim(line, " \t|"), -1) {
		if !slashed.MatchString(cell) {
			if cells > 0 || strings.ContainsAny(cell, "0123456789") {
				return false
			}
			continue
		}
		month, day := slashParts(cell)
		noShare = noShare || month > day
		if sc.order == dayFirst {
			month, day = day, month
		}
		if month < 1 || month > 12 || day < 1 || day > 31 {
			return false
		}
		rising = rising && (cells == 0 || month == first && day > last)
		if cells == 0 {
			first = month
		}
		last = day
		cells++
	}
	return cells >= 3 && (noShare || rising)
}

// maxRow is the length from which a line is no row of a table, in bytes.
const maxRow = 400

var (
	columns = regexp.MustCompile(`[ \t]*\|[ \t]*|\t+| {2,}`)
	slashed = regexp.MustCompile(`^\d{1,2}/\d{1,2}$`)
)

// nodeStage says whether a word is a node stage such as pN1b, behind which counts of nodes stand.
func nodeStage(w string) bool {
	for i := 0; i+1 < len(w) && i < 3; i++ {
		if w[i] == 'N' && (isDigit(w[i+1]) || w[i+1] == 'x' || w[i+1] == 'X') {
			return true
		}
	}
	return false
}

// slashPreposition says whether the word before calls for a date.
func (sc *scanner) slashPreposition(c context) bool {
	if !strings.ContainsAny(c.gap, "()|;") && len(strings.TrimRight(c.gap, " \n")) <= 1 {
		switch string(lower(make([]byte, 0, 32), truncate(c.prev))) {
		case "on", "since", "until", "till", "by", "before", "after", "from", "dated", "through", "thru", "am", "vom", "seit", "bis", "ab", "im", "in", "zum", "ed",
			"zuletzt", "erstmals", "date", "datum", "due", "exp", "next", "last", "around", "about", "early", "late", "mid", "eve", "week", "w/c", "w/e", "seen", "nächster",
			"mon", "tue", "tues", "wed", "weds", "thu", "thur", "thurs", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
			"admitted", "discharged", "dictated", "expires", "closed", "booked", "planned", "aufgenommen", "entlassen", "operiert", "verlegt", "verstorben", "gestorben", "erkrankt", "mo", "di", "mi", "do", "fr", "sa", "so", "admit", "dc", "op", "impl", "lmp", "edd", "et", "geb", "labs", "called", "adm", "filled", "faxed", "signed":
			return true
		}
	}
	return false
}

func truncate(s string) string {
	if len(s) > 32 {
		return ""
	}
	return s
}

func slashParts(s string) (a, b int) {
	n := digits(s, 0, false)
	m := digits(s, min(n.end+1, len(s)), false)
	return n.value, m.value
}

// dateFollows says whether another date with a slash follows closely, as in lists and ranges.
func (sc *scanner) dateFollows(end int) bool {
	s := sc.s
	q := end
	for q < len(s) && q < end+6 && (s[q] == ' ' || s[q] == ',' || s[q] == '-' || s[q] == '&' || s[q] == '+' || s[q] == ';') {
		q++
	}
	if q == end {
		return false
	}
	if strings.HasPrefix(s[q:], "to ") || strings.HasPrefix(s[q:], "and ") {
		q = strings.IndexByte(s[q:], ' ') + q + 1
	}
	next := grammar{s: s, lang: sc.lang, order: sc.order}
	next.e.reset()
	if q >= len(s) || !isDigit(s[q]) || next.number(q) < 0 {
		return false
	}
	if next.e.shape == fullShape {
		return true
	}
	if next.e.shape != slashShape {
		return false
	}
	d := next.e.points[0].day
	return d > 12 || d != 5 && d != 10
}

func (sc *scanner) judgeDash(p, end int, c context) float64 {
	s := sc.s
	if idWords.has(c.prev) || scoreWords.has(c.prev) || isMeasure(c.next) || c.after == '%' {
		return 0
	}
	if sc.lang == phi.German && !(end-p == 5 && s[p] == '0') {
		return 0
	}
	switch strings.ToLower(c.prev) {
	case "on", "since", "until", "till", "by", "before", "after", "dated", "date", "see", "out", "labs", "last", "next", "seen", "evaluated", "lost", "of", "appt", "faxed", "due":
		return 0.7
	}
	if end-p == 5 && s[p] == '0' && (c.lineStart || c.closeToDate) {
		return 0.7
	}
	if sc.lang == phi.English && (c.lineStart && c.after == ' ' && (len(sc.out) > 0 || strings.HasPrefix(s[end:], "  ")) ||
		(c.after == '\n' || c.after == '\r') && strings.HasSuffix(c.gap, "  ")) {
		return 0.5 // a column of dates
	}
	if c.after == ';' || c.after == ')' && strings.Contains(c.gap, "(") && !scoreWords.has(c.prev) {
		return 0
	}
	return 0
}

func (sc *scanner) judgeYear(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	y := int(e.points[0].year)
	if y > 2045 && y > sc.lastYear || y < 1880 || y < 1900 && !prepositionsDE.has(c.prev) && !prepositionsEN.has(c.prev) {
		return 0
	}
	if isMeasure(c.next) && c.after == ' ' && !strings.EqualFold(c.next, "w") && !strings.EqualFold(c.next, "l") && !strings.EqualFold(c.next, "u") && !strings.EqualFold(c.next, "x") && !strings.EqualFold(c.next, "e") && !strings.EqualFold(c.next, "m") && !strings.EqualFold(c.next, "h") || c.after == '%' {
		return 0
	}
	if (c.next == "E" || c.next == "h" || c.next == "H" || c.next == "m") && c.after == ' ' && isShortGap(s, end) {
		return 0
	}
	if e.noisy && digitsIn(s[p:end]) < 2 {
		return 0
	}
	if end+1 < len(s) && (s[end] == ',' || s[end] == '.' || s[end] == ':') && isDigit(s[end+1]) {
		return 0
	}
	if c.prev == "al" && c.prev2 == "et" {
		return refuted // Seror et al. (1993)
	}
	prevLower := string(lower(make([]byte, 0, 32), truncate(c.prev)))
	switch prevLower {
	case "seit", "im", "in", "since", "ca", "jahr", "jahre", "jahrgang", "jg", "geb", "geboren", "born", "ab", "bis", "vor", "nach", "von", "ende", "anfang", "mitte", "herbst", "sommer", "winter", "früjahr", "until", "by", "from", "of", "during", "about", "around", "early", "late":
		if (prevLower == "in" || prevLower == "of" || prevLower == "from" || prevLower == "von" || prevLower == "to" || prevLower == "nach") && citationWords.has(c.prev2) {
			return 0
		}
		if prevLower == "seit" && (c.prev2 == "ICD-11") {
			return 0
		}
		return 0.95
	}
	if idWords.has(c.prev) && !strings.Contains(c.gap, ")") && !strings.Contains(c.gap, ",") && !strings.Contains(c.gap, ";") && !strings.Contains(c.gap, "(") {
		return 0
	}
	if sc.citation(p, c) || plate(s, p, c) || trial(s, p, c) || citedAfter(s, end) {
		return 0
	}
	if c.followedByNo {
		if n := digits(s, skipSpace(s, end), false); n.width >= 3 && !validYear(n) && !strings.Contains(s[end:n.end], "\n") {
			return 0
		}
	}
	if y < 1920 {
		return 0
	}
	if p > 0 && (s[p-1] == '"' || s[p-1] == '=') && sc.lang != phi.German {
		return 0.3
	}
	if sc.lang == phi.English || sc.lang == "" {
		if military(y) && (c.lineStart && len(c.gap) < 6 || timeWords.has(c.prev) || strings.HasSuffix(c.gap, "@") || c.afterDate && strings.TrimSpace(c.gap) == "" || strings.EqualFold(c.next, "hrs") || strings.EqualFold(c.next, "hours")) && c.prev != "since" {
			return 0
		}
		if y >= 1900 && y < 1925 && !c.closeToDate && c.prev == "" {
			return 0
		}
	}
	if e.shape == yearPairShape {
		return 0.85
	}
	if y%100 == 0 && y != 2000 && c.prev == "" {
		return 0
	}
	if (y == 2000 || y == 1900) && !c.closeToDate && sc.numbersAround(p, end) {
		return 0
	}
	if c.gap == " " && len(c.prev) == 4 && isDigit(c.prev[0]) && c.followedByNo {
		return 0 // groups of an account number
	}
	if sc.numbersAround(p, end) && !strings.ContainsAny(s[p:min(end+1, len(s))], ";,)") && (p == 0 || s[p-1] != '(') && isDelimited(s, p, end) {
		return 0.4
	}
	return 0.9
}

// trial says whether the name before is one of a study, such as PARADIGM-HF or CRASH-2.
func trial(s string, p int, c context) bool {
	if c.prev == "NRS" || c.prev == "WHO" || len(c.gap) <= 2 && camel(c.prev) {
		return true
	}
	q := p - len(c.gap) - len(c.prev)
	if c.prev == "" || len(c.gap) > 3 || strings.ContainsAny(c.gap, ";:.") || q < 1 || s[q-1] != '-' {
		return false
	}
	if len(c.prev2) < 4 || c.prev2 != strings.ToUpper(c.prev2) || !isLetter(c.prev2[0]) || len(c.prev) > 6 || len(c.prev) > 2 && c.prev[1] >= 'a' && c.prev != "Trauma" {
		return false
	}
	return isWordBefore(s, q-1)
}

// camel says whether a word has capitals behind small letters, as names of studies and societies do: NoPAC, BaSICS.
func camel(w string) bool {
	for i := 1; i+1 < len(w); i++ {
		if w[i] >= 'a' && w[i] <= 'z' && isUpper(w[i+1]) && i+2 < len(w) && isUpper(w[0]) && isUpper(w[len(w)-1]) {
			return true
		}
	}
	return false
}

// citedAfter says whether a guideline or a society follows: the 2023 ACC/AHA guideline.
func citedAfter(s string, end int) bool {
	q := end
	for range 3 {
		if q >= len(s) || s[q] != ' ' && s[q] != '/' {
			return false
		}
		w := wordEnd(s, q+1)
		if w == q+1 {
			return false
		}
		if word := s[q+1 : w]; citationWords.has(word) && (isUpper(word[0]) && (len(word) < 2 || isUpper(word[1])) || len(word) > 5) {
			return true
		}
		q = w
	}
	return false
}

// plate says whether the number ends a German licence plate such as B-AB 1961.
func plate(s string, p int, c context) bool {
	if len(c.prev) < 1 || len(c.prev) > 2 || strings.TrimSpace(c.gap) != "" || c.prev != strings.ToUpper(c.prev) || c.prev2 == "TUR" {
		return false
	}
	q := p - len(c.gap) - len(c.prev)
	return q > 0 && s[q-1] == '-' && len(c.prev2) <= 3 && isWordBefore(s, q-1) && c.prev2 == strings.ToUpper(c.prev2)
}

func isShortGap(s string, end int) bool { return end+2 <= len(s) && s[end] == ' ' && s[end+1] != ' ' }

// military says whether the number can be a time of day such as 1930.
func military(y int) bool { return y/100 <= 23 && y%100 < 60 && y < 2060 }

func isDelimited(s string, p, end int) bool {
	return p > 0 && (s[p-1] == '\t' || s[p-1] == '|') && end < len(s) && (s[end] == '\t' || s[end] == '|')
}

// numbersAround says whether plain numbers stand on both sides, as in a row of measurements.
func (sc *scanner) numbersAround(p, end int) bool {
	s := sc.s
	q := p
	for q > 0 && (s[q-1] == ' ' || s[q-1] == '\t' || s[q-1] == '-' || s[q-1] == '/') {
		q--
	}
	r := end
	for r < len(s) && (s[r] == ' ' || s[r] == '\t' || s[r] == '-' || s[r] == '/') {
		r++
	}
	return q < p && r > end && q > 0 && isDigit(s[q-1]) && r < len(s) && isDigit(s[r]) && sc.lastEnd != q
}

// citation says whether the year belongs to a guideline, a paper or a classification.
func (sc *scanner) citation(p int, c context) bool {
	s := sc.s
	if c.lineStart && c.prev == "" {
		return false
	}
	from := max(0, p-48)
	if i := strings.LastIndexAny(s[from:p], "\n;"); i >= 0 {
		from += i + 1
	}
	if i := strings.LastIndex(s[from:p], ". "); i >= 0 && i+2 < p-from && !strings.HasSuffix(s[from:from+i+1], "al.") {
		from += i + 2
	}
	window := s[from:p]
	if strings.Contains(window, "et al") || strings.Contains(window, "eitlinie") || strings.Contains(window, "uideline") {
		return true
	}
	for q := 0; q < len(window); {
		if !isWordAt(window, q) {
			q++
			continue
		}
		w := q
		for w < len(window) && isWordAt(window, w) {
			_, n := utf8.DecodeRuneInString(window[w:])
			w += n
		}
		near := len(window)-w <= 22
		if word := window[q:w]; near && (citationWords.has(word) && (len(window)-w <= 10 || w-q > 5) && (w-q > 6 || isGeneric(word) || word == strings.ToUpper(word)) || hasCitationSuffix(word)) {
			return true
		}
		q = w
	}
	return false
}

// isGeneric says whether a short word of the citation list is no acronym and counts in lower case too.
func isGeneric(w string) bool {
	switch strings.ToLower(w) {
	case "al", "score", "act", "update", "gesetz", "grade", "berlin", "milan", "tokyo", "kyoto", "beers", "hand", "brief", "rote":
		return w != "hand" && w != "berlin"
	case "mcdonald":
		return true
	}
	return false
}

func hasCitationSuffix(w string) bool {
	for _, suffix := range [...]string{"leitlinie", "leitlinien", "kriterien", "empfehlung", "empfehlungen", "klassifikation", "konsensus", "definition", "brief", "katalog"} {
		if strings.HasSuffix(w, suffix) && suffix != "brief" {
			return true
		}
	}
	return false
}

func (sc *scanner) judgeDay(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if sc.lang == phi.English {
		return 0
	}
	if e.prefix {
		return 0.8
	}
	next := grammar{s: s, lang: sc.lang, order: sc.order}
	q := end
	if d := dash(s, blank(s, end)); d > blank(s, end) {
		q = blank(s, d)
	} else if d < len(s) && s[d] == '/' {
		q = d + 1
	} else if r := skipSpace(s, end); c.next == "bis" || c.next == "und" || c.next == "mit" {
		q = skipSpace(s, r+len(c.next))
		if strings.HasPrefix(s[q:], "zum ") {
			q += 4
		}
	}
	if q > end && q < len(s) && isDigit(s[q]) {
		next.e.reset()
		if next.number(q) > 0 && (next.e.shape == dayMonthShape || next.e.shape == fullShape || next.e.shape == monthDayShape) && next.e.points[0].grain == dayGrain {
			return 0.85
		}
	}
	if (isWeekday(c.prev) || c.prev == "gestern" || c.prev == "heute" || c.prev == "morgen") && strings.TrimSpace(c.gap) == "(" {
		return 0.7
	}
	switch c.prev {
	case "am", "vom", "zum", "seit", "bis", "ab", "dem", "den", "Am", "Seit", "Vom", "Ab", "OP":
	case "des": // am Morgen des 28.
		if !dayTimes.has(c.prev2) || c.next != "" && isUpper(c.next[0]) {
			return 0
		}
		return 0.6
	case "und", "u":
		if n := len(sc.out); n == 0 || !c.closeToDate || sc.out[n-1].Kind != Partial {
			return 0
		}
		return 0.6
	default:
		return 0
	}
	if strings.TrimSpace(c.gap) != "" {
		return 0
	}
	if end >= len(s) {
		return 0.6
	}
	switch s[end] {
	case ',', ';', ':', ')', '\n', '\r', '.', '/':
		r := skipSpace(s, end)
		if s[end] == '\n' && r < len(s) && isWordAt(s, r) { // the line goes on
			return 0
		}
		return 0.6
	}
	if c.prev == "zum" && strings.EqualFold(c.prev2, "nacht") {
		return 0.6
	}
	if r := skipSpace(s, end); c.prev == "am" || c.prev == "Am" || c.prev == "ab" || c.prev == "seit" || c.prev == "dem" && (c.prev2 == "seit" || c.prev2 == "ab" || c.prev2 == "vom") {
		if w := c.next; w != "" && r > end && w[0] >= 'a' && w[0] <= 'z' && w != "mal" && w != "und" && w != "postop" && w != "bis" && w != "präop" &&
			(w == "des" || !strings.HasSuffix(w, "es")) && !strings.HasSuffix(w, "en") && !strings.HasSuffix(w, "er") && !strings.HasSuffix(w, "em") {
			return 0.55
		}
	}
	if c.prev == "dem" || c.prev == "den" {
		return 0
	}
	switch c.next {
	case "bis", "und", "wieder", "um", "mit", "bei", "auf", "in", "durch", "nach", "wurde", "wegen", "zur", "zum", "gegen", "erneut", "noch", "keine", "kein":
		return 0.5
	}
	return 0
}

// What an ordinal number before it counts instead of days: countedWords wherever it is written, the others as far as the rules go.
var (
	countedWords = words("thoracic lumbar cervical sacral cranial intercostal rib ribs vertebra vertebrae vertebral metacarpal metacarpals metatarsal metatarsals finger fingers toe toes digit digits nerve ray interspace percentile centile grade grader floor edition")
	otherCounts  = words("degree day week month year time attempt line generation trimester stage heart space molar ventricle dose cycle visit street st ave avenue child pregnancy baby century rd opinion hand person party look place set cousin wife husband son daughter born grandchild birthday of")
)

// Counted says whether text, which follows an ordinal number, begins with what such a number counts in medicine and no day:
// "11th thoracic", "5th finger", "95th percentile".
func Counted(text string) bool {
	at := skipSpace(text, 0)
	return at > 0 && countedWords.has(text[at:wordEnd(text, at)])
}

func (sc *scanner) judgeOrdinal(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if sc.lang == phi.German {
		return 0
	}
	if e.prefix {
		return 0.85
	}
	if (countedWords.has(c.next) || otherCounts.has(c.next)) && c.nextIsWord || c.after == '-' {
		return 0
	}
	prev := strings.ToLower(truncate(c.prev))
	switch prev {
	case "on", "since", "until", "till", "by", "from", "of", "through", "thru", "around", "about", "before", "after", "for", "began", "ending", "due", "instant":
	case "and", "to", "or":
		if !c.closeToDate {
			return 0
		}
	default:
		if e.shape == theShape && e.points[0].day > 12 && !isDigit(c.after) { // the 19th and 20th
			break
		}
		if d := e.points[0].day; d < 13 || e.shape != ordinalShape || c.nextIsWord || !(c.after == '.' || c.after == ',' || c.after == '\n' || c.after == ';' || c.after == ')') {
			return 0
		}
		return 0.5
	}
	if e.shape == ordinalShape && c.nextIsWord {
		r := skipSpace(s, end)
		if !connects(s[r:wordEnd(s, r)]) {
			return 0
		}
	}
	if e.shape == theShape && c.nextIsWord {
		r := skipSpace(s, end)
		w := s[r:wordEnd(s, r)]
		if w != "" && !connects(w) && !strings.Contains(s[end:r], "\n") {
			return 0
		}
	}
	switch prev {
	case "on", "since", "until", "till", "by", "from", "through", "thru", "around", "before", "began", "ending", "due", "instant", "and", "to", "or":
		return 0.75
	}
	return 0.5
}

func connects(w string) bool {
	switch w {
	case "and", "to", "at", "with", "for", "when", "because", "he", "she", "I", "we", "they", "was", "is", "my", "after", "before", "but", "in", "the", "his", "her", "or", "through",
		"as", "if", "due", "via", "by", "per", "who", "until", "till", "instant", "inst", "x", "a", "an", "so", "then", "which", "yes", "no", "w", "pt", "it", "re", "having", "while", "had", "has", "did":
		return true
	}
	return false
}

func (sc *scanner) judgeMonth(p int, end *int, c context) float64 {
	s, e := sc.s, &sc.e
	f := e.fields[0]
	month := e.points[0].month
	text := s[p:int(f.to)]
	low := strings.ToLower(text)
	full := strings.TrimSuffix(low, ".")
	prev := strings.ToLower(truncate(c.prev))
	if c.after == '-' && isWordAt(s, *end+1) && !monthAfterDash(s, *end+1) {
		return 0
	}
	if c.after == '/' && isWordAt(s, *end+1) && !monthAfterDash(s, *end+1) {
		return 0
	}
	if p > 0 && (s[p-1] == '-' || s[p-1] == '@' || s[p-1] == '.') && isWordBefore(s, p-1) && sc.lastEnd != p-1 {
		return 0
	}
	if p > 2 && s[p-1] == ' ' && s[p-2] == '.' && isDigit(s[p-3]) && sc.lastEnd < p-2 {
		return 0 // its day was refused: Straße des 17. Juni
	}
	if sc.lang == phi.German && e.english {
		return 0
	}
	if sc.lang == phi.English && e.german {
		return 0
	}
	strong := prev == "dem" && (c.prev2 == "aus" || c.prev2 == "seit" || c.prev2 == "ab" || c.prev2 == "vom")
	switch prev {
	case "im", "seit", "ab", "bis", "anfang", "ende", "mitte", "letzten", "vergangenen", "nächsten", "kommenden", "diesen", "vorigen", "für", "in", "since", "until", "till", "by",
		"last", "next", "this", "early", "late", "mid", "through", "thru", "during", "from", "before", "of", "after", "to", "vom", "between", "around", "zum", "kontr", "kontrolle", "call", "frühestens", "spätestens", "erst", "etwa", "voraussichtlich", "than", "til", "nächste", "nächster", "vs", "was":
		strong = true
	}
	if prev == "of" || prev == "to" || prev == "from" || prev == "after" || prev == "before" || prev == "für" || prev == "vom" || prev == "by" || prev == "during" || prev == "was" {
		strong = strong && month != 5 && month != 3 && month != 4 && month != 6 && month != 8 || c.closeToDate
	}
	neighbour := c.closeToDate && (prev == "and" || prev == "und" || prev == "to" || prev == "bis" || prev == "or" || prev == "oder" || prev == "" || strings.Contains(c.gap, "/") || strings.Contains(c.gap, "-")) || monthAfterJoint(s, *end)
	title := c.next != "" && c.nextIsWord && isUpper(c.next[0]) && strings.HasPrefix(s[*end:], " ")
	switch full {
	case "may", "march", "mar", "jan", "april", "june", "august", "juni", "juli", "mai", "märz", "maerz", "jun", "jul", "dec", "sep", "apr", "aug", "nov", "oct", "feb", "okt", "dez", "sept", "mär", "mrz", "febr", "july":
		lowerCase := low == text
		if lowerCase && (full == "may" || full == "march" || full == "mar" || full == "sep" || full == "dec" || full == "jan") && !(strong && (prev == "in" || prev == "since" || prev == "last" || prev == "until" || prev == "im" || prev == "seit" || prev == "bis")) {
			return 0
		}
		if full == "may" && text == "MAY" && !strong {
			return 0
		}
		if strong || neighbour {
			return 0.85
		}
		if c.after == ')' && c.prev != "" && isDigit(c.prev[len(c.prev)-1]) {
			return 0.6
		}
		if strings.HasSuffix(strings.TrimRight(c.gap, " "), "(") && (c.after == ')' || c.after == ',') && len(full) <= 4 {
			return 0.7
		}
		switch full {
		case "okt", "sept", "feb", "febr", "nov", "oct":
			if !title && c.prev != "" && !isUpper(c.prev[0]) && (c.after == 0 || c.after == ',' || c.after == ';' || c.after == ')' || c.after == '\n') {
				return 0.55
			}
		}
		if (full == "july" || full == "juli" || full == "juni") && !title && !c.lineStart && prev != "frau" && prev != "herr" && prev != "dr" {
			return 0.6
		}
		// A month written as a name, inside a sentence and not before another one: "stopped by me March.", "Zeckenstich August".
		capital := isUpper(text[0]) && low[1:] == text[1:]
		switch {
		case !capital || title || c.lineStart || full == "may" || prev == "" || prev == "with" || prev == "and" || prev == "mit" || prev == "und" || prev == "an" || prev == "von" || prev == "the" || prev == "der" || prev == "die" || prev == "das" || prev == "a" || prev == "frau" || prev == "herr" || prev == "dr" || prev == "var" || prev == "mr" || prev == "mrs" || prev == "ms" || prev == "miss":
		case c.after == 0 || strings.IndexByte(",.;):\n]\"?!", c.after) >= 0 || c.after == ' ' && c.nextIsWord:
			if full == "jan" && c.nextIsWord && c.next != "" {
				return 0 // a first name
			}
			return 0.55
		}
		return 0
	}
	// January, Februar, Oktober …: nothing else is called so
	if prev == "frau" || prev == "herr" || prev == "dr" || prev == "mrs" || prev == "mr" || prev == "ms" {
		return 0
	}
	return 0.9
}

func monthAfterJoint(s string, p int) bool {
	q := p
	if d := dash(s, q); d > q {
		q = d
	} else if q < len(s) && s[q] == '/' {
		q++
	} else {
		q = skipSpace(s, p)
		w := wordEnd(s, q)
		switch s[q:w] {
		case "und", "bis", "and", "to", "or", "oder", "through":
			q = skipSpace(s, w)
		default:
			return false
		}
	}
	w, ok := look(s[q:wordEnd(s, q)])
	return ok && w.class == classMonth
}

func (sc *scanner) judgeMonthDay(p, end int, c context) float64 {
	s, e := sc.s, &sc.e
	if end-p > 4 && strings.HasSuffix(s[p:end], " may") { // Pages 11 to 12 may be copied
		return 0
	}
	if strings.EqualFold(c.prev, "des") && (strings.HasPrefix(c.prev2, "Str") || strings.HasPrefix(c.prev2, "Platz")) {
		return 0
	}
	f := e.fields[0]
	if f.unit == monthNameUnit {
		text := s[f.from:f.to]
		if (text == "may" || text == "march" || text == "mar" || text == "dec" || text == "sep") && !prepositionsEN.has(c.prev) {
			return 0
		}
		if c.after == '-' && end+1 < len(s) && isWordAt(s, end+1) && !e.ranged {
			return 0
		}
	}
	if c.after == '-' && end+1 < len(s) && isLetter(s[end+1]) && f.unit == dayUnit {
		return 0.6
	}
	return 0.95
}

// judgeSeason weighs a season: without its year it comes every year and says nothing of anybody.
func (sc *scanner) judgeSeason() float64 {
	if sc.e.year {
		return 0.93
	}
	return 0
}

func (sc *scanner) judgeHoliday(p, end int, c context) float64 {
	e := &sc.e
	h := holidays[e.points[0].n]
	if sc.lang == phi.English && h.german {
		return 0
	}
	if e.year {
		return 0.93
	}
	prev := strings.ToLower(truncate(c.prev))
	prep := false
	switch prev {
	case "seit", "zu", "an", "über", "bis", "nach", "vor", "am", "auf", "ab", "im", "in", "since", "at", "on", "over", "until", "till", "before", "after", "by", "around", "during", "last", "next", "letzten", "this", "for", "the", "from", "dem", "wir", "der", "den", "zum", "um", "haben", "bei", "when", "last_":
		prep = true
	}
	if !prep && (!h.alone || sc.lang == phi.German && !h.german) {
		return 0
	}
	if c.next == "disease" || c.next == "tree" || c.next == "card" || c.next == "cards" || c.next == "Cup" || c.after == '-' && isWordAt(sc.s, end+1) && !(h.german && end+1 < len(sc.s) && isUpper(sc.s[end+1])) {
		return 0
	}
	if h.name == "silvester" && !prep && c.nextIsWord && c.next != "" && isUpper(c.next[0]) {
		return 0
	}
	if h.alone && !prep {
		return 0.75
	}
	return 0.8
}

func (sc *scanner) judgeThird(c context) float64 {
	e := &sc.e
	if e.english && !e.year && e.fields[0].table == 2 && e.points[0].month == 0 {
		return 0
	}
	return 0.9
}
