package phi

import "cmp"

// Language is an ISO 639-1 code, "de" or "en"; empty means not known.
type Language string

// The languages that are read.
const (
	German  Language = "de"
	English Language = "en"
)

// Span is one piece of PHI in a text.
type Span struct {
	Start, End int     // byte offsets, half open
	Type       Type    // what it is
	Score      float64 // 0 to 1: how sure the detector is; 1 is certain (a checksum, a known identifier)
	Source     string  // detector path such as rules.date; several joined by + when they agree
	Entity     string  // the same non-empty key means the same person, place …; never printed
	Interval   *Interval
	Roles      Roles // of a name, where a model has a view of it
}

// Roles are the weights that a model gives to the roles of a name: the patient's, of the staff, somebody else's. Only their
// proportion means something; all are zero where no model has a view.
type Roles struct{ Patient, Staff, Other float32 }

// Len gives the length in bytes.
func (s Span) Len() int { return s.End - s.Start }

// Overlaps says whether the two spans share a byte.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// Contains says whether every byte of o lies in s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Compare orders spans by place, longer ones first, then by type, score, source and the rest, so that sorting has no ties
// between different spans.
func Compare(a, b Span) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	if a.End != b.End {
		return cmp.Compare(b.End, a.End)
	}
	return cmp.Or(
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(b.Score, a.Score),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Entity, b.Entity),
		compareIntervals(a.Interval, b.Interval),
		cmp.Compare(a.Roles.Patient, b.Roles.Patient),
		cmp.Compare(a.Roles.Staff, b.Roles.Staff),
		cmp.Compare(a.Roles.Other, b.Roles.Other),
	)
}

// compareIntervals orders by the first day, the last day and the precision, no interval last.
func compareIntervals(a, b *Interval) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Precision, b.Precision))
}

// Edit replaces the bytes Start to End (half open) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// Precision says how exactly a date is given.
type Precision uint8

// The precisions. Part means that day or month is given without a year.
const (
	NoPrecision Precision = iota
	ToYear
	ToMonth
	ToDay
	ToWeek
	ToSeason
	ToPart
)

// Interval is what a date expression means: all days From to To, both included, counted from 1970-01-01.
type Interval struct {
	From, To  int32
	Precision Precision
}
