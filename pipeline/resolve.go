package pipeline

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// certain is the score from which a span keeps its borders against a longer one of another category: a checksum or a
// known identifier knows better than a model where it begins.
const certain = 0.97

// splitProtected takes the protected spans out of the list, in place, and appends them to the others.
func splitProtected(protected, spans []phi.Span) (_, rest []phi.Span) {
	rest = spans[:0]
	for _, s := range spans {
		if s.Type == phi.Protected {
			protected = append(protected, s)
		} else {
			rest = append(rest, s)
		}
	}
	clear(spans[len(rest):])
	slices.SortFunc(protected, phi.Compare)
	return protected, rest
}

// Protect drops every span that lies wholly inside a protected one and is weaker than it. A span that reaches beyond
// the protected text stays: "Parkinson" in "Parkinson-Meier" is no disease.
func Protect(spans, protected []phi.Span) []phi.Span {
	if len(protected) == 0 {
		return spans
	}
	return protect(slices.Clone(spans), protected)
}

// protect does so in place.
func protect(spans, protected []phi.Span) []phi.Span {
	if len(protected) == 0 {
		return spans
	}
	if !slices.IsSortedFunc(protected, phi.Compare) {
		protected = slices.Clone(protected)
		slices.SortFunc(protected, phi.Compare)
	}
	longest := 0
	for _, s := range protected {
		longest = max(longest, s.Len())
	}
	kept := spans[:0]
	for _, s := range spans {
		// Only protected spans that begin within the longest one's length before s can contain it.
		from := sort.Search(len(protected), func(i int) bool { return protected[i].Start >= s.Start-longest })
		if !outweighs(protected[from:], s) {
			kept = append(kept, s)
		}
	}
	clear(spans[len(kept):])
	return kept
}

// outweighs says whether one of the protected spans, which are sorted, holds s and is stronger.
func outweighs(protected []phi.Span, s phi.Span) bool {
	for i := range protected {
		p := &protected[i]
		if p.Start > s.Start {
			return false
		}
		if s.End <= p.End && s.Score < p.Score {
			return true
		}
	}
	return false
}

// Resolve settles overlaps. The result is sorted and disjoint, does not depend on the order of the input, and every
// byte covered before is covered after, but for titles in front of a name, possessive endings and a sentence's full stop behind
// it, words that say what kind of place a name is of, what stands between two lines, what joins two dates, and brackets and
// blanks at the rim of a span.
func Resolve(text string, spans []phi.Span) []phi.Span {
	r := resolvers.Get().(*resolver)
	defer r.release()
	r.text = text
	r.work = slices.Grow(r.work[:0], len(spans))
	for _, s := range spans {
		r.take(s)
	}
	work := slices.Compact(r.sort())
	out := make([]phi.Span, 0, len(work))
	for i := 0; i < len(work); {
		j, end := i+1, work[i].End
		for j < len(work) && work[j].Start < end {
			end = max(end, work[j].End)
			j++
		}
		out = r.settle(out, work[i:j])
		i = j
	}
	out = r.joinParts(r.cutParts(out))
	r.agreeOnRoles(out)
	r.findBirthdates(out)
	return out
}

// resolver settles the spans of one text; its buffers are used for one cluster after the other.
type resolver struct {
	text               string
	work, sorted       []phi.Span
	keys               []uint64 // see sort
	united, left, next []phi.Span
	joints             [][2]int             // where two dates of a cluster are joined
	width              int                  // of the text's longest line, in code points; 0: not known yet
	joined             map[[2]string]string // sources that were joined before
}

var resolvers = sync.Pool{New: func() any { return &resolver{joined: map[[2]string]string{}} }}

// release forgets the text and keeps the buffers, unless a long text made them large.
func (r *resolver) release() {
	if cap(r.work) > 1<<12 || len(r.joined) > 1<<10 {
		*r = resolver{joined: map[[2]string]string{}}
	}
	r.text, r.width = "", 0
	clear(r.work)
	clear(r.sorted)
	for _, buffer := range [...][]phi.Span{r.united, r.left, r.next} {
		clear(buffer[:cap(buffer)])
	}
	resolvers.Put(r)
}

// Sorting keys hold where a span begins, its length, so that of those that begin together longer ones come first, and
// its index. Keys are sorted instead of the spans, which are large.
const (
	lengthBits = 12
	indexBits  = 20
)

// sort gives the spans in the order of phi.Compare.
func (r *resolver) sort() []phi.Span {
	if len(r.work) >= 1<<indexBits {
		slices.SortFunc(r.work, phi.Compare)
		return r.work
	}
	r.keys = r.keys[:0]
	for i := range r.work {
		s := &r.work[i]
		shortness := uint64(1<<lengthBits - 1 - min(s.Len(), 1<<lengthBits-1))
		r.keys = append(r.keys, uint64(s.Start)<<(lengthBits+indexBits)|shortness<<indexBits|uint64(i))
	}
	slices.Sort(r.keys)
	r.sorted = r.sorted[:0]
	for i := 0; i < len(r.keys); {
		first := len(r.sorted)
		place := r.keys[i] >> indexBits
		for ; i < len(r.keys) && r.keys[i]>>indexBits == place; i++ {
			r.sorted = append(r.sorted, r.work[r.keys[i]&(1<<indexBits-1)])
		}
		if len(r.sorted)-first > 1 {
			slices.SortFunc(r.sorted[first:], phi.Compare)
		}
	}
	return r.sorted
}

// take puts a span on the work list, tidied. A name or a place that goes on behind the end of a line that was not full is
// cut there: what stands below a short line of an address or a list is something else. Half a name goes on.
func (r *resolver) take(s phi.Span) {
	s = tidy(r.text, s)
	if s.Score < certain && oneLine(s.Type.Category()) {
		for at := s.Start; ; {
			n := strings.IndexByte(r.text[at:s.End], '\n')
			if n < 0 {
				break
			}
			end := at + n
			at = end + 1
			if !r.short(end) || s.Type.Category() == phi.CategoryName && halfName(r.text[s.Start:end]) {
				continue
			}
			rest := strings.TrimLeft(r.text[at:s.End], bullets)
			if rest == "" {
				break
			}
			head := s
			head.End = s.Start + len(strings.TrimRight(r.text[s.Start:end], bullets))
			head.Interval, s.Interval = nil, nil
			s.Start = s.End - len(rest)
			at = s.Start
			r.add(tidy(r.text, head))
		}
		s = tidy(r.text, s)
	}
	r.add(s)
}

// particle begins a surname, at the end of a line.
var particle = regexp.MustCompile(`[ ,](?:Mc|Mac|O['’]|von|van|zu|de|del|della|di|el|al|bin|ibn|ter|ten)$`)

// halfName says whether a name cannot end with what stands on its first line: one word, or a particle.
func halfName(line string) bool {
	return !strings.ContainsAny(line, " ,") || particle.MatchString(line)
}

// bullets are what may stand between two lines of a list.
const bullets = " \t\r\n\u00a0-–•*"

func (r *resolver) add(s phi.Span) {
	if s.Start < s.End {
		r.work = append(r.work, s)
	}
}

// oneLine says whether what is of the category stands on one line, but for lines that are full.
func oneLine(c phi.Category) bool {
	return c == phi.CategoryName || c == phi.CategoryLocation || c == phi.CategoryProfession
}

// fullLine is the length in code points from which a line counts as full in a text of longer ones: of the marks in our
// letters that go on behind the end of a line, four in five do so behind a longer line or a hyphen; what was joined wrongly
// nearly always did behind a shorter one.
const fullLine = 60

// short says whether the line that ends at end is not full and breaks no word.
func (r *resolver) short(end int) bool {
	line := r.text[strings.LastIndexByte(r.text[:end], '\n')+1 : end]
	if len(line) >= fullLine*utf8.UTFMax || strings.HasSuffix(strings.TrimRight(line, " \t\r"), "-") {
		return false
	}
	if r.width == 0 {
		for l := range strings.SplitSeq(r.text, "\n") {
			r.width = max(r.width, utf8.RuneCountInString(l))
		}
	}
	return utf8.RuneCountInString(line) < min(fullLine, r.width*2/3)
}

// unblanked leaves blanks at the rims of a span outside: they part it from its neighbours. Of a span of nothing else
// nothing is left.
func unblanked(text string, s phi.Span) phi.Span {
	const blanks = " \t\n"
	rest := strings.TrimLeft(text[s.Start:s.End], blanks)
	s.Start = s.End - len(rest)
	s.End = s.Start + len(strings.TrimRight(rest, blanks))
	return s
}

// tidy grows a span to whole words and leaves blanks, titles, possessive endings, the kinds of places and a sentence's full stop
// outside.
func tidy(text string, s phi.Span) phi.Span {
	if s = unblanked(text, s); s.Start == s.End {
		return s
	}
	s.Start, s.End = growToWords(text, s.Start, s.End)
	if s.Score >= certain {
		return s
	}
	switch {
	case s.Type == phi.LocationCity:
		behind := text[s.End:min(len(text), s.End+longestRegion)]
		s.End += len(region.FindString(behind))
		if m := smallState.FindStringSubmatch(behind); m != nil && strings.ToLower(text[s.Start:s.End]) == text[s.Start:s.End] {
			s.End += len(m[1]) // cut off again when all is settled
		}
	case s.Type == phi.LocationOrganization:
		s.Start += wordsBefore(text[s.Start:s.End], kinds)
	case s.Type.Category() == phi.CategoryName && s.Type != phi.NameUsername:
		s.Start += wordsBefore(text[s.Start:s.End], titles)
		s.Start -= len(big.FindString(text[max(0, s.Start-longestBig):s.Start]))
		s.End -= possessiveSuffix(text[s.Start:s.End])
	case s.Type == phi.Age:
		s.End += len(decade.FindString(text[s.End:min(len(text), s.End+2)]))
	case s.Type == phi.ContactPhone:
		if at := behindPhone.FindStringSubmatchIndex(text[s.Start:s.End]); at != nil {
			s.End = s.Start + at[2]
		}
	}
	s.End -= fullStop(text[s.Start:s.End], s.Type)
	return s
}

// The longest words of a name and of an institution that may be shortened: "Th.", "jun.", "Corp.". Towns are not, and a
// street is the same without its full stop.
const (
	shortName  = 3
	shortPlace = 4
)

// fullStop gives the length of a full stop behind a name or a place that ends the sentence rather than a shortened word.
func fullStop(inside string, kind phi.Type) int {
	if !strings.HasSuffix(inside, ".") {
		return 0
	}
	word := inside[strings.LastIndexAny(inside, " -\n")+1 : len(inside)-1]
	length := utf8.RuneCountInString(word)
	number := length > 0 && word[len(word)-1] >= '0' && word[len(word)-1] <= '9'
	switch {
	case length == 0 || strings.Contains(word, "."): // e.V.
		return 0
	case kind == phi.LocationStreet, kind == phi.LocationCity,
		kind.Category() == phi.CategoryLocation && (number || length > shortPlace),
		kind.Category() == phi.CategoryName && kind != phi.NameUsername && !number && length > shortName:
		return 1
	}
	return 0
}

// decade goes on behind the figures of an age: "40s", or a zero read as a letter.
var decade = regexp.MustCompile(`^(?:s|O)\b`)

// big begins what somebody is called: "Big Ed", "Big Mama Ernestine". Of 69 such marks in our letters 66 begin with it.
var big = regexp.MustCompile(`\bBig (?:(?:Mama|Momma|Mamma|Daddy|Papa|Sister|Brother) )?$`)

const longestBig = 12 // bytes

// behindPhone is a word in small letters that a model took along with a number: "0157 3382 9014 lg".
var behindPhone = regexp.MustCompile(`\d( \p{Ll}{2,})$`)

// region is what tells a town from others of its name, in short: Langnau i.E., Freiburg i. Br., Wangen b. Olten.
var region = regexp.MustCompile(`^ [iabuv]\. ?(?:d\. ?)?(?:Allg|Br|Brsg|E|Erzgeb|H|Inn|M|Main|N|O|Odw|Olten|OPf|Rh|Rügen|S|Sa|Saale|Schw|See|T|Th|Ts|W|Westf)\b\.?`)

const longestRegion = 24 // bytes

// smallState is a state in short behind a town, as people write in haste: "born elko nv 3-3-85". States that are words or terms in small
// letters, such as "in", "or" and "mi", are not looked for.
var smallState = regexp.MustCompile(`^(,? ` + smallStates + `)(?:[\s,.;)]|$)`)

const smallStates = `(?:ak|az|fl|ks|ky|mn|nc|nd|nh|nj|nm|nv|ny|tn|tx|ut|wi|wv|wy|bc|nsw|qld)`

// growLimit bounds the growth, so that a run of letters without any border stays affordable.
const growLimit = 64

// growToWords moves both borders outwards to the nearest word border. A change from letters to digits or from lower to
// upper case is a border as well, because glued text ("Whitlock" + "E0048291") is split there by the rules; so is a
// genitive s, which stays in the text.
func growToWords(text string, start, end int) (int, int) {
	if apart(text, start-1) && (start == len(text) || text[start] < utf8.RuneSelf) && apart(text, end) {
		return start, end
	}
	for limit := start - growLimit; start > 0 && start > limit; {
		before, n := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[start:])
		if !joined(before, after) {
			break
		}
		start -= n
	}
	if rest := text[end:]; strings.HasPrefix(rest, "s") && !wordAt(rest[1:]) {
		return start, end
	}
	for limit := end + growLimit; end < len(text) && end < limit; {
		before, _ := utf8.DecodeLastRuneInString(text[:end])
		after, n := utf8.DecodeRuneInString(text[end:])
		if !joined(before, after) {
			break
		}
		end += n
	}
	return start, end
}

// apart says whether what stands at i is of ASCII and joins nothing, or whether there is nothing.
func apart(text string, i int) bool {
	return i < 0 || i >= len(text) || text[i] < utf8.RuneSelf && (wordBytes[text[i]] == noWordByte || text[i] == '_')
}

func joined(before, after rune) bool {
	switch {
	case unicode.Is(unicode.M, after):
		return true
	case unicode.IsLetter(before) || unicode.Is(unicode.M, before):
		return unicode.IsLetter(after) && !(unicode.IsLower(before) && unicode.IsUpper(after))
	case unicode.IsDigit(before):
		return unicode.IsDigit(after)
	}
	return false
}

func wordAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return len(s) > 0 && isWordRune(r)
}

// isWordRune is \w of the word definition that all scores use, with combining marks.
func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// Words in front of a name that are no PHI themselves.
var (
	titles = prefixes(`herr herrn frau fr hr fräulein dr drs prof professor pd priv doz med dent vet rer nat phil
		dipl ing psych oa oä ass oberarzt oberärztin chefarzt chefärztin assistenzarzt assistenzärztin arzt ärztin mag
		mr mrs ms miss mx doctor sir dame nurse sister schwester pfleger sr lic univ habil mult hc
		mme mlle señor señora doña shri smt captain master mallam alhaji hofrat`)
	// kinds are those that our guidelines leave outside of the name of an organisation.
	kinds = prefixes(`die der das dem den fa firma kasse krankenkasse versicherung polizei kita kindergarten pflegedienst`)
)

// prefix is a set of such words, with a filter that tells cheaply that a word is none of them.
type prefix struct {
	words map[string]bool
	may   *fold.Filter
}

func prefixes(words string) prefix {
	set := lists.Set(words)
	return prefix{set, fold.FilterOf(maps.Keys(set))}
}

const longestPrefix = 24 // bytes

// wordsBefore gives the length of such words at the start of a name; 0 when it would be nothing else.
func wordsBefore(name string, p prefix) int {
	at := 0
	var buf [48]byte
	for {
		w, ok := nextWord(name, at)
		end := w.End
		if !ok || w.Start != at || end-at > longestPrefix || !p.may.May(name[at:end]) || !p.words[string(appendLower(buf[:0], name[at:end]))] {
			break
		}
		rest := strings.TrimLeft(name[end:], ". \t\u00a0")
		if len(rest) == len(name)-end || !wordAt(rest) {
			break // no border behind the word: "Frau" alone, "Prof-Meier"
		}
		at = len(name) - len(rest)
	}
	return at
}

func possessiveSuffix(name string) int {
	for _, suffix := range []string{"'s", "’s", "'S", "’S"} {
		if len(name) > len(suffix) && strings.HasSuffix(name, suffix) {
			return len(suffix)
		}
	}
	return 0
}

// settle appends what becomes of spans that overlap in a chain. Spans of one category unite; of two categories the winner
// keeps its borders and the loser keeps what is left of it, unless the winner holds it wholly.
func (r *resolver) settle(out, cluster []phi.Span) []phi.Span {
	if len(cluster) == 1 {
		return append(out, cluster[0])
	}
	r.uniteCategories(r.cutAtJoints(cluster))
	if len(r.united) == 1 {
		return append(out, r.united[0])
	}
	slices.SortFunc(r.united, stronger)
	first := len(out)
	for _, s := range r.united {
		for _, rest := range r.subtract(s, out[first:]) {
			out = r.place(out, first, rest, rest.Start != s.Start || rest.End != s.End)
		}
	}
	slices.SortFunc(out[first:], phi.Compare)
	return out
}

// cutAtJoints cuts spans that cover several dates with what joins them, as models see "12.–14.03.2021", where others know
// these dates one by one: each has a day of its own. The cluster is sorted, and so is what it gives.
func (r *resolver) cutAtJoints(cluster []phi.Span) []phi.Span {
	r.joints = r.joints[:0]
	last := -1
	for i := range cluster {
		if cluster[i].Interval == nil || cluster[i].Type.Category() != phi.CategoryDate {
			continue
		}
		if last >= 0 && cluster[last].End < cluster[i].Start && joint(r.text[cluster[last].End:cluster[i].Start]) {
			r.joints = append(r.joints, [2]int{cluster[last].End, cluster[i].Start})
		}
		if last < 0 || cluster[i].End > cluster[last].End {
			last = i
		}
	}
	if len(r.joints) == 0 {
		return cluster
	}
	r.next = r.next[:0]
	for _, s := range cluster {
		for _, j := range r.joints {
			if s.Interval == nil && s.Type.Category() == phi.CategoryDate && s.Start < j[0] && j[1] < s.End {
				before := s
				before.End = j[0]
				r.next = append(r.next, before)
				s.Start = j[1]
			}
		}
		r.next = append(r.next, s)
	}
	slices.SortFunc(r.next, phi.Compare)
	return r.next
}

// joint says whether a gap between two dates joins them: a dash, a slash, a plus, a comma or one word.
func joint(gap string) bool {
	switch word := strings.Trim(gap, " \u00a0-–—/+&,"); word {
	case "":
		return strings.Trim(gap, " \u00a0") != ""
	case "bis", "und", "u.", "sowie", "oder", "and", "to", "or", "until", "till", "through", "thru":
		return true
	default:
		return false
	}
}

// stronger orders the spans of a cluster: certain ones first, then longer ones, then by score and type.
func stronger(a, b phi.Span) int {
	ca, cb := a.Score >= certain, b.Score >= certain
	if ca != cb {
		if ca {
			return -1
		}
		return 1
	}
	if a.Len() != b.Len() {
		return b.Len() - a.Len()
	}
	if a.Score != b.Score {
		if a.Score > b.Score {
			return -1
		}
		return 1
	}
	return phi.Compare(a, b)
}

// uniteCategories merges overlapping spans of the same category; the cluster is sorted.
func (r *resolver) uniteCategories(cluster []phi.Span) {
	r.united = r.united[:0]
	var open [phi.CategoryOther + 1]int // index + 1 of the span that was united last
	for _, s := range cluster {
		c := s.Type.Category()
		if n := open[c]; n > 0 && s.Start < r.united[n-1].End {
			r.united[n-1] = r.unite(r.united[n-1], s)
			continue
		}
		r.united = append(r.united, s)
		open[c] = len(r.united)
	}
}

// unite gives one span over two of the same category: the stronger one's type, a type rather than a bare category, and
// both sources. Street, ZIP and city stay apart only while they do not overlap.
func (r *resolver) unite(a, b phi.Span) phi.Span {
	best, other := a, b
	if typeRank(b, a) {
		best, other = b, a
	}
	if best.Type.Bare() && !other.Type.Bare() {
		best.Type = other.Type
	}
	if best.Entity == "" {
		best.Entity = other.Entity
	}
	if best.Roles == (phi.Roles{}) {
		best.Roles = other.Roles
	}
	start, end := min(a.Start, b.Start), max(a.End, b.End)
	switch {
	case best.Interval != nil && best.Start == start && best.End == end:
	case other.Start == start && other.End == end:
		best.Interval = other.Interval
	default:
		best.Interval = nil // it meant a part only
	}
	best.Start, best.End = start, end
	best.Score = max(a.Score, b.Score)
	best.Source = r.joinSources(a.Source, b.Source)
	return best
}

// believable is the score from which the longer of two places says what both are.
const believable = 0.8

// typeRank says whether a decides the type against b: what is certain wins, then the higher score, then the priority of
// the type. Of places the longer one wins in any case: a hospital is no city, however well the city in its name is known.
func typeRank(a, b phi.Span) bool {
	if la, lb := labelled(a), labelled(b); la != lb {
		return la
	}
	if a.Type.Category() == phi.CategoryLocation && a.Len() != b.Len() && min(a.Score, b.Score) >= believable {
		return a.Len() > b.Len()
	}
	if ca, cb := a.Score >= certain, b.Score >= certain; ca != cb {
		return ca
	}
	if a.Len() != b.Len() && a.Type.Category() == phi.CategoryLocation {
		return a.Len() > b.Len()
	}
	if a.Score != b.Score {
		return a.Score > b.Score
	}
	return a.Type < b.Type
}

// labels are the rules that read the kind of an identifier from the text itself ("VSNR", "Polizze", "MRN"). A study is often
// named without a label, and "Nr." says nothing.
var labels = map[phi.Type]string{
	phi.IDPatient: "rules.id.patient", phi.IDSSN: "rules.id.social", phi.IDHealthplan: "rules.id.healthplan", phi.IDAccount: "rules.id.account",
	phi.IDLicense: "rules.id.license", phi.IDVehicle: "rules.id.vehicle", phi.IDDevice: "rules.id.device",
}

// labelled says whether such a rule gave the span its type: then nothing else knows it better.
func labelled(s phi.Span) bool {
	source := labels[s.Type]
	return source != "" && strings.Contains(s.Source, source)
}

func (r *resolver) joinSources(a, b string) string {
	if a == b || b == "" {
		return a
	}
	if a == "" {
		return b
	}
	pair := [2]string{a, b}
	joined, ok := r.joined[pair]
	if !ok {
		parts := append(strings.Split(a, "+"), strings.Split(b, "+")...)
		slices.Sort(parts)
		joined = strings.Join(slices.Compact(parts), "+")
		r.joined[pair] = joined
	}
	return joined
}

// subtract gives what is left of s outside the placed spans, in a buffer that the next call uses again.
func (r *resolver) subtract(s phi.Span, placed []phi.Span) []phi.Span {
	r.left = append(r.left[:0], s)
	for _, p := range placed {
		r.next = r.next[:0]
		for _, l := range r.left {
			if !l.Overlaps(p) {
				r.next = append(r.next, l)
				continue
			}
			if l.Start < p.Start {
				head := l
				head.End = p.Start
				r.next = append(r.next, head)
			}
			if l.End > p.End {
				tail := l
				tail.Start = p.End
				r.next = append(r.next, tail)
			}
		}
		r.left, r.next = r.next, r.left
	}
	return r.left
}

// place adds a span to those of the cluster, which begin at first. A remainder without any word is covered by its neighbour instead, so that a
// comma does not become an entity.
func (r *resolver) place(out []phi.Span, first int, s phi.Span, remainder bool) []phi.Span {
	if remainder {
		s.Interval = nil
		if s = unblanked(r.text, s); s.Start == s.End {
			return out
		}
		if !strings.ContainsFunc(r.text[s.Start:s.End], isWordRune) {
			for i := first; i < len(out); i++ {
				switch {
				case out[i].End == s.Start:
					out[i].End = s.End
					return out
				case out[i].Start == s.End:
					out[i].Start = s.Start
					return out
				}
			}
		}
	}
	return append(out, s)
}
