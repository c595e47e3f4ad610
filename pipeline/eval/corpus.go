// Package eval reads corpora with marked PHI, scores what a pipeline or a model finds in them, and reports the scores
// as a table, as JSON and as a page with heat maps. It is the only place where scores are computed.
package eval

import (
	"cmp"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

// Corpus is a set of documents with gold marks.
type Corpus struct {
	Name      string
	Documents []Document
}

// Document is one text with its gold marks.
type Document struct {
	ID       string
	Language phi.Language
	Source   string // where it comes from, as the corpus says
	Split    string // train, dev, test or empty
	Genre    string
	Text     string
	Gold     []Gold
	// Ignore holds stretches that count neither for nor against anything: marks whose meaning in our taxonomy is
	// open, and bare weekdays.
	Ignore []Range
	// Marked lists the types that the source marks; nil means all. What is found of any other type is not scored,
	// since nobody looked for it.
	Marked []phi.Type
}

// Range is a half-open stretch of bytes.
type Range struct{ Start, End int }

// Gold is one marked piece of PHI.
type Gold struct {
	Start, End int        // byte offsets, half open
	Type       phi.Type   // a bare category where the source says no more; it is met by each of its types
	Also       []phi.Type // further types that are as good
	Label      string     // as the source writes it
}

// Accepts says whether the type is what the mark asks for.
func (g Gold) Accepts(t phi.Type) bool {
	return accepts(g.Type, t) || slices.ContainsFunc(g.Also, func(a phi.Type) bool { return accepts(a, t) })
}

func accepts(gold, found phi.Type) bool {
	return gold == found || gold.Bare() && gold.Category() == found.Category()
}

// AcceptsCategory says whether the type has the category that the mark asks for.
func (g Gold) AcceptsCategory(t phi.Type) bool {
	return g.Type.Category() == t.Category() ||
		slices.ContainsFunc(g.Also, func(a phi.Type) bool { return a.Category() == t.Category() })
}

// Select gives the documents that keep wants, as a corpus of the same name.
func (c *Corpus) Select(keep func(*Document) bool) *Corpus {
	picked := &Corpus{Name: c.Name}
	for i := range c.Documents {
		if keep(&c.Documents[i]) {
			picked.Documents = append(picked.Documents, c.Documents[i])
		}
	}
	return picked
}

// Split gives the documents of one split.
func (c *Corpus) Split(name string) *Corpus {
	return c.Select(func(d *Document) bool { return d.Split == name })
}

// settle puts the marks in order and sets aside those that are not scored: empty ones, and weekdays that stand
// alone, which are no PHI.
func (d *Document) settle() {
	gold := d.Gold[:0]
	for _, g := range d.Gold {
		switch {
		case g.Start >= g.End:
		case g.Type.Category() == phi.CategoryDate && bareWeekday(d.Text[g.Start:g.End]):
			d.Ignore = append(d.Ignore, Range{g.Start, g.End})
		default:
			gold = append(gold, g)
		}
	}
	slices.SortStableFunc(gold, func(a, b Gold) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Type, b.Type))
	})
	d.Gold = slices.CompactFunc(gold, func(a, b Gold) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type })
	slices.SortFunc(d.Ignore, func(a, b Range) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
}

var weekdays = func() map[string]bool {
	m := map[string]bool{}
	for day := range strings.FieldsSeq(`montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
		mo di mi do fr sa so montags dienstags mittwochs donnerstags freitags samstags sonntags
		monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
		mondays tuesdays wednesdays thursdays fridays saturdays sundays`) {
		m[day] = true
	}
	return m
}()

func bareWeekday(s string) bool {
	return weekdays[strings.ToLower(strings.Trim(s, " .,'’"))]
}
