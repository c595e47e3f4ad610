package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// certain is the score from which a span keeps its borders against a longer one of another category: a checksum or a
// known identifier knows better than a model where it begins.
const certain = 0.97

func splitProtected(spans []phi.Span) (protected, rest []phi.Span) {
	for _, s := range spans {
		if s.Type == phi.Protected {
			protected = append(protected, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortFunc(protected, phi.Compare)
	return protected, rest
}

// Protect drops every span that lies wholly inside a protected one and is weaker than it. A span that reaches beyond
// the protected text stays: "Parkinson" in "Parkinson-Meier" is no disease.
func Protect(spans, protected []phi.Span) []phi.Span {
	if len(protected) == 0 {
		return spans
	}
	protected, longest := byStart(protected)
	return slices.DeleteFunc(slices.Clone(spans), func(s phi.Span) bool {
		// Only protected spans that begin within the longest one's length before s can contain it.
		from, _ := slices.BinarySearchFunc(protected, s.Start-longest, func(p phi.Span, at int) int { return p.Start - at })
		for _, p := range protected[from:] {
			if p.Start > s.Start {
				break
			}
			if p.Contains(s) && s.Score < p.Score {
				return true
			}
		}
		return false
	})
}

func byStart(spans []phi.Span) (sorted []phi.Span, longest int) {
	sorted = slices.Clone(spans)
	slices.SortFunc(sorted, phi.Compare)
	for _, s := range sorted {
		longest = max(longest, s.Len())
	}
	return sorted, longest
}

// Resolve settles overlaps. The result is sorted and disjoint, does not depend on the order of the input, and every
// byte covered before is covered after, but for titles in front of a name and possessive endings behind it.
func Resolve(text string, spans []phi.Span) []phi.Span {
	work := make([]phi.Span, 0, len(spans))
	for _, s := range spans {
		if s = tidy(text, s); s.Start < s.End {
			work = append(work, s)
		}
	}
	slices.SortFunc(work, phi.Compare)
	work = slices.Compact(work)
	var out []phi.Span
	for i := 0; i < len(work); {
		j, end := i+1, work[i].End
		for j < len(work) && work[j].Start < end {
			end = max(end, work[j].End)
			j++
		}
		out = append(out, settleCluster(text, work[i:j])...)
		i = j
	}
	return joinParts(text, out)
}

// tidy grows a span to whole words and leaves titles and possessive endings outside.
func tidy(text string, s phi.Span) phi.Span {
	s.Start, s.End = growToWords(text, s.Start, s.End)
	if s.Type.Category() == phi.CategoryName && s.Type != phi.NameUsername && s.Score < certain {
		s.Start += titlePrefix(text[s.Start:s.End])
		s.End -= possessiveSuffix(text[s.Start:s.End])
	}
	return s
}

// growLimit bounds the growth, so that a run of letters without any border stays affordable.
const growLimit = 64

// growToWords moves both borders outwards to the nearest word border. A change from letters to digits or from lower to
// upper case is a border as well, because glued text ("Whitlock" + "E0048291") is split there by the rules; so is a
// genitive s, which stays in the text.
func growToWords(text string, start, end int) (int, int) {
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

// titles stand in front of names and are no PHI.
var titles = func() map[string]bool {
	m := map[string]bool{}
	for t := range strings.FieldsSeq(`herr herrn frau fr hr fräulein dr drs prof professor pd priv doz med dent vet rer nat phil
		dipl ing psych oa oä ass oberarzt oberärztin chefarzt chefärztin assistenzarzt assistenzärztin arzt ärztin mag
		mr mrs ms miss mx doctor sir dame nurse sister schwester pfleger sr lic univ habil mult hc`) {
		m[t] = true
	}
	return m
}()

// titlePrefix gives the length of the titles at the start of a name; 0 when the name would be nothing but titles.
func titlePrefix(name string) int {
	at := 0
	for {
		end := at
		for end < len(name) && wordAt(name[end:]) {
			_, n := utf8.DecodeRuneInString(name[end:])
			end += n
		}
		if end == at || !titles[strings.ToLower(name[at:end])] {
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

// settleCluster settles spans that overlap in a chain. Spans of one category unite; of two categories the winner keeps
// its borders and the loser keeps what is left of it, unless the winner holds it wholly.
func settleCluster(text string, cluster []phi.Span) []phi.Span {
	if len(cluster) == 1 {
		return []phi.Span{cluster[0]}
	}
	united := uniteCategories(cluster)
	slices.SortFunc(united, stronger)
	var out []phi.Span
	for _, s := range united {
		for _, rest := range subtract(s, out) {
			out = place(text, out, rest, rest.Start != s.Start || rest.End != s.End)
		}
	}
	slices.SortFunc(out, phi.Compare)
	return out
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
func uniteCategories(cluster []phi.Span) []phi.Span {
	var out []phi.Span
	for c := phi.CategoryName; c <= phi.CategoryOther; c++ {
		open := -1
		for _, s := range cluster {
			if s.Type.Category() != c {
				continue
			}
			if open < 0 || s.Start >= out[open].End {
				out = append(out, s)
				open = len(out) - 1
				continue
			}
			out[open] = unite(out[open], s)
		}
	}
	return out
}

// unite gives one span over two of the same category: the stronger one's type, a type rather than a bare category, and
// both sources. Street, ZIP and city stay apart only while they do not overlap.
func unite(a, b phi.Span) phi.Span {
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
	if other.Start < best.Start || other.End > best.End {
		best.Interval = nil // it meant a part only
	}
	best.Start, best.End = min(a.Start, b.Start), max(a.End, b.End)
	best.Score = max(a.Score, b.Score)
	best.Source = joinSources(a.Source, b.Source)
	return best
}

// typeRank says whether a decides the type against b: the longer one wins unless the shorter is certain, then the score,
// then the priority of the type.
func typeRank(a, b phi.Span) bool {
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

func joinSources(a, b string) string {
	if a == b || b == "" {
		return a
	}
	if a == "" {
		return b
	}
	parts := append(strings.Split(a, "+"), strings.Split(b, "+")...)
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "+")
}

// subtract gives what is left of s outside the placed spans.
func subtract(s phi.Span, placed []phi.Span) []phi.Span {
	left := []phi.Span{s}
	for _, p := range placed {
		var next []phi.Span
		for _, l := range left {
			if !l.Overlaps(p) {
				next = append(next, l)
				continue
			}
			if l.Start < p.Start {
				head := l
				head.End = p.Start
				next = append(next, head)
			}
			if l.End > p.End {
				tail := l
				tail.Start = p.End
				next = append(next, tail)
			}
		}
		left = next
	}
	return left
}

// place adds a span to those of the cluster. A remainder without any word is covered by its neighbour instead, so that a
// comma does not become an entity.
func place(text string, out []phi.Span, s phi.Span, remainder bool) []phi.Span {
	if remainder {
		s.Interval = nil
		if !strings.ContainsFunc(text[s.Start:s.End], isWordRune) {
			for i := range out {
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

// joinParts merges neighbours that are parts of one name or one date.
func joinParts(text string, spans []phi.Span) []phi.Span {
	slices.SortFunc(spans, phi.Compare)
	var out []phi.Span
	for _, s := range spans {
		if n := len(out); n > 0 && partsOfOne(text, out[n-1], s) {
			out[n-1] = unite(out[n-1], s)
			out[n-1].Interval = nil
			continue
		}
		out = append(out, s)
	}
	return out
}

func partsOfOne(text string, a, b phi.Span) bool {
	gap := text[a.End:b.Start]
	if a.Type.Category() != b.Type.Category() || a.Type != b.Type && !a.Type.Bare() && !b.Type.Bare() {
		return false
	}
	if a.Entity != "" && b.Entity != "" && a.Entity != b.Entity {
		return false
	}
	switch a.Type.Category() {
	case phi.CategoryName:
		return a.Type != phi.NameUsername && (gap == " " || gap == "-" || gap == "\u00a0")
	case phi.CategoryDate:
		return (gap == " " || gap == "") && (a.Interval == nil || b.Interval == nil)
	}
	return false
}
