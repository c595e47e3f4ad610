package eval

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"fhirdeid/pipeline/phi"
)

// Agreement says how far annotators agree.
type Agreement struct {
	Annotators int `json:"annotators"`
	Documents  int `json:"documents"` // read by two annotators at least
	Tokens     int `json:"tokens"`
	// Alpha is Krippendorff's alpha for nominal data over tokens: 1 is perfect, 0 what chance gives. Types are the
	// categories of Alpha, PHI or not those of AlphaMerged.
	Alpha       float64 `json:"alpha"`
	AlphaMerged float64 `json:"alphaMerged"`
	Pairs       []Pair  `json:"pairs"`
	// F1 and F1Typed are the means over pairs of annotators, over spans with exact borders. Unlike alpha they do not
	// count the many tokens that nobody marked.
	F1      float64 `json:"f1"`
	F1Typed float64 `json:"f1Typed"`
}

// Pair compares two annotators; the first is taken as gold, which F1 does not depend on.
type Pair struct {
	A, B    string
	F1      float64
	F1Typed float64
}

// Agree compares annotators that marked the same documents, matched by id; each may have left some out.
func Agree(annotators ...*Corpus) (*Agreement, error) {
	if len(annotators) < 2 {
		return nil, errors.New("agreement needs two annotators at least")
	}
	byID := map[string][]*Document{}
	var order []string
	for i, corpus := range annotators {
		for j := range corpus.Documents {
			d := &corpus.Documents[j]
			if byID[d.ID] == nil {
				byID[d.ID] = make([]*Document, len(annotators))
				order = append(order, d.ID)
			}
			if byID[d.ID][i] != nil {
				return nil, fmt.Errorf("%w: document %s twice from one annotator", ErrCorpus, d.ID)
			}
			byID[d.ID][i] = d
		}
	}
	a := &Agreement{Annotators: len(annotators)}
	var typed, merged [][]int
	spans := map[[2]int]Count{}
	spansTyped := map[[2]int]Count{}
	for _, id := range order {
		var text *string
		readers := 0
		for _, d := range byID[id] {
			if d == nil {
				continue
			}
			if text != nil && *text != d.Text {
				return nil, fmt.Errorf("%w: the annotators read different texts of document %s", ErrCorpus, id)
			}
			text = &d.Text
			readers++
		}
		if readers < 2 {
			continue
		}
		a.Documents++
		tokens := Tokens(*text)
		a.Tokens += len(tokens)
		at := len(typed)
		typed = append(typed, make([][]int, len(tokens))...)
		merged = append(merged, make([][]int, len(tokens))...)
		for i, d := range byID[id] {
			if d == nil {
				continue
			}
			for t, g := range cover(tokens, d.Gold, Gold.at) {
				kind, any := phi.NoType, 0
				if g >= 0 {
					kind, any = d.Gold[g].Type, 1
				}
				typed[at+t] = append(typed[at+t], int(kind))
				merged[at+t] = append(merged[at+t], any)
			}
			for j := range i {
				if other := byID[id][j]; other != nil {
					s := score(other, asSpans(d), false)
					spans[[2]int{j, i}] = spans[[2]int{j, i}].Add(s.strict)
					spansTyped[[2]int{j, i}] = spansTyped[[2]int{j, i}].Add(s.strictTyped)
				}
			}
		}
	}
	if a.Documents == 0 {
		return nil, errors.New("no document was read by two annotators")
	}
	a.Alpha, a.AlphaMerged = alpha(typed), alpha(merged)
	for i := range annotators {
		for j := range i {
			key := [2]int{j, i}
			if _, ok := spans[key]; !ok {
				continue
			}
			p := Pair{annotators[j].Name, annotators[i].Name, spans[key].F1(), spansTyped[key].F1()}
			a.Pairs = append(a.Pairs, p)
			a.F1 += p.F1
			a.F1Typed += p.F1Typed
		}
	}
	a.F1 /= float64(len(a.Pairs))
	a.F1Typed /= float64(len(a.Pairs))
	return a, nil
}

// Table writes the agreement as text.
func (a *Agreement) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%d annotators, %d documents, %d tokens\n\nscore\ttyped\tPHI or not\t\n", a.Annotators, a.Documents, a.Tokens)
	fmt.Fprintf(t, "Krippendorff's alpha\t%s\t%s\t\n", share(a.Alpha), share(a.AlphaMerged))
	fmt.Fprintf(t, "F1, strict spans, mean of pairs\t%s\t%s\t\n", share(a.F1Typed), share(a.F1))
	for _, p := range a.Pairs {
		fmt.Fprintf(t, "%s, %s\t%s\t%s\t\n", p.A, p.B, share(p.F1Typed), share(p.F1))
	}
	return t.Flush()
}

func asSpans(d *Document) []phi.Span {
	spans := make([]phi.Span, 0, len(d.Gold))
	for _, g := range d.Gold {
		spans = append(spans, phi.Span{Start: g.Start, End: g.End, Type: g.Type})
	}
	return spans
}

// alpha is Krippendorff's coefficient for nominal values. Each unit lists the values that it was given; units with
// one value tell nothing.
func alpha(units [][]int) float64 {
	values := map[int]int{}
	for _, unit := range units {
		for _, v := range unit {
			if _, ok := values[v]; !ok {
				values[v] = len(values)
			}
		}
	}
	total := make([]float64, len(values)) // pairable values of each kind
	disagreed, n := 0.0, 0.0
	count := make([]float64, len(values))
	for _, unit := range units {
		m := float64(len(unit))
		if m < 2 {
			continue
		}
		clear(count)
		for _, v := range unit {
			count[values[v]]++
		}
		same := 0.0
		for i, c := range count {
			same += c * (c - 1)
			total[i] += c
		}
		disagreed += (m*(m-1) - same) / (m - 1)
		n += m
	}
	sameByChance := 0.0
	slices.Sort(total) // the sum must not depend on the order of the values
	for _, t := range total {
		sameByChance += t * (t - 1)
	}
	expected := n*(n-1) - sameByChance
	if expected == 0 {
		return 1 // only one value was ever given
	}
	return 1 - (n-1)*disagreed/expected
}
