package eval

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
)

// Page is a report for people: any number of runs side by side, and sweeps of lambda.
type Page struct {
	Title  string
	Runs   []*Report
	Sweeps []*Sweep
	// Before and After name two runs to be compared type by type; both empty: the first and the last, if there are
	// two at least.
	Before, After string
}

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"share": share,
}).Parse(pageSource))

// HTML writes the page. It needs nothing from elsewhere: no script, no font, no style sheet.
func (p *Page) HTML(w io.Writer) error {
	view := view{Title: cmp.Or(p.Title, "De-identification: evaluation"), Runs: p.Runs}
	view.Maps = heatMaps(p.Runs)
	before, after := p.pair()
	if before != nil {
		view.Before, view.After = before.Name, after.Name
		view.Changes = changes(before, after)
	}
	for _, s := range p.Sweeps {
		view.Curves = append(view.Curves, curve(s))
	}
	for _, r := range p.Runs {
		view.Confusions = append(view.Confusions, confusionMap(r))
		view.Causes = append(view.Causes, causeTable(r))
		view.Worst = append(view.Worst, worst(r))
	}
	return pageTemplate.Execute(w, view)
}

type view struct {
	Title         string
	Runs          []*Report
	Maps          []grid
	Before, After string
	Changes       []changeRow
	Curves        []curveView
	Confusions    []grid
	Causes        []causeView
	Worst         []worstView
}

// grid is a heat map.
type grid struct {
	Title   string
	Note    string
	Columns []string
	Rows    []gridRow
}

type gridRow struct {
	Label string
	Cells []cell
}

type cell struct {
	Text  string
	Style template.CSS
	Title string
}

func (p *Page) pair() (before, after *Report) {
	if len(p.Runs) < 2 {
		return nil, nil
	}
	before, after = p.Runs[0], p.Runs[len(p.Runs)-1]
	for _, r := range p.Runs {
		if p.Before != "" && r.Name == p.Before {
			before = r
		}
		if p.After != "" && r.Name == p.After {
			after = r
		}
	}
	return before, after
}

// heatMaps shows types by runs, once for each kind of score.
func heatMaps(runs []*Report) []grid {
	var list []grid
	for _, kind := range []struct {
		title, note string
		of          func(Score) Count
		value       func(Count) float64
		missing     func(Count) bool
	}{
		{"recall_merged of words", "share of marked words that were found as any PHI", func(s Score) Count { return s.Merged }, Count.Recall, func(c Count) bool { return c.Gold == 0 }},
		{"Precision of words", "share of words found as this type that are any PHI", func(s Score) Count { return s.Merged }, Count.Precision, func(c Count) bool { return c.Found == 0 }},
		{"Strict F1", "spans with exact borders and of this type", func(s Score) Count { return s.Strict }, Count.F1, Count.Empty},
	} {
		g := grid{Title: kind.title, Note: kind.note}
		table := map[string][]cell{}
		for column, r := range runs {
			g.Columns = append(g.Columns, r.Name)
			// Categories come first; a zero byte keeps AGE the category apart from AGE the type.
			for _, group := range []struct {
				mark   string
				scores []Score
			}{{"\x00", r.Categories}, {"", r.Types}} {
				for _, s := range group.scores {
					row := table[group.mark+s.Label]
					for len(row) < len(runs) {
						row = append(row, cell{Text: "–"})
					}
					if c := kind.of(s); !kind.missing(c) {
						row[column] = heat(kind.value(c), fmt.Sprintf("%d marked, %d met, %d found, %d right", c.Gold, c.Hit, c.Found, c.Right))
					}
					table[group.mark+s.Label] = row
				}
			}
		}
		var labels []string
		for label := range table {
			labels = append(labels, label)
		}
		slices.SortFunc(labels, func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.IndexByte(b, 0), strings.IndexByte(a, 0)),
				cmp.Compare(rank(strings.TrimPrefix(a, "\x00")), rank(strings.TrimPrefix(b, "\x00"))))
		})
		for _, label := range labels {
			if !slices.ContainsFunc(table[label], func(c cell) bool { return c.Title != "" }) {
				continue // nothing to say, as of a bare category that nobody marks
			}
			name := label
			if bare, ok := strings.CutPrefix(label, "\x00"); ok {
				name = bare + " (all)"
			}
			g.Rows = append(g.Rows, gridRow{name, table[label]})
		}
		list = append(list, g)
	}
	return list
}

// heat colours a share: red below .5, yellow, green at 1. Steps near 1 are wider, where the differences matter.
func heat(x float64, title string) cell {
	hue := 0.0
	if x > 0.5 {
		hue = 120 * math.Pow((x-0.5)*2, 3)
	}
	return cell{Text: share(x), Style: template.CSS(fmt.Sprintf("background:hsl(%.0f 70%% 78%%)", hue)), Title: title}
}

type changeRow struct {
	Label         string
	Before, After string
	Change        cell
	Gold          int
}

// changes compares recall_merged and precision by type.
func changes(before, after *Report) []changeRow {
	old := map[string]Score{}
	for _, s := range before.Types {
		old[s.Label] = s
	}
	var rows []changeRow
	for _, s := range after.Types {
		was, ok := old[s.Label]
		if !ok || s.Merged.Gold == 0 {
			continue
		}
		write := func(s Score) string {
			return "R " + share(s.Merged.Recall()) + " P " + share(s.Merged.Precision()) + " F1 " + share(s.Strict.F1())
		}
		d := s.Merged.Recall() - was.Merged.Recall()
		hue, strength := 120.0, math.Min(1, math.Abs(d)*10)
		if d < 0 {
			hue = 0
		}
		rows = append(rows, changeRow{
			Label: s.Label, Before: write(was), After: write(s), Gold: s.Merged.Gold,
			Change: cell{Text: fmt.Sprintf("%+.3f", d), Style: template.CSS(fmt.Sprintf("background:hsl(%.0f 70%% %.0f%%)", hue, 98-25*strength))},
		})
	}
	return rows
}

// confusionMap shows what words are (rows) and what they were taken for (columns).
func confusionMap(r *Report) grid {
	g := grid{Title: "Confusion: " + r.Name, Note: "words; rows: what they are, columns: what they were taken for; the shade is the share of the row"}
	count, sums := map[[2]string]int{}, map[string]int{}
	columns := map[string]bool{}
	var rows []string
	for _, c := range r.Confusion {
		count[[2]string{c.Gold, c.Found}] += c.Words
		if sums[c.Gold] == 0 {
			rows = append(rows, c.Gold)
		}
		sums[c.Gold] += c.Words
		columns[c.Found] = true
	}
	byRank := func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) }
	slices.SortFunc(rows, byRank)
	for label := range columns {
		g.Columns = append(g.Columns, label)
	}
	slices.SortFunc(g.Columns, byRank)
	for _, row := range rows {
		line := gridRow{Label: row}
		for _, column := range g.Columns {
			n := count[[2]string{row, column}]
			c := cell{}
			if n > 0 {
				part := float64(n) / float64(sums[row])
				hue := 210
				if row != column {
					hue = 10
				}
				c = cell{Text: fmt.Sprint(n), Style: template.CSS(fmt.Sprintf("background:hsl(%d 80%% %.0f%%)", hue, 97-35*math.Sqrt(part)))}
			}
			line.Cells = append(line.Cells, c)
		}
		g.Rows = append(g.Rows, line)
	}
	return g
}

type causeView struct {
	Name  string
	Kinds []string
	Rows  []causeRow
}

type causeRow struct {
	Cause  string
	Counts []int
}

var errorKinds = []string{"missed", "partly", "type", "border", "surplus"}

// Causes counts the errors of a report by kind and by what the place looks like; a place may look like several things.
func (r *Report) Causes() map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, note := range r.Notes {
		for _, e := range note.Errors {
			for _, cause := range append([]string{"(all)"}, e.Causes...) {
				if counts[cause] == nil {
					counts[cause] = map[string]int{}
				}
				counts[cause][e.Kind]++
			}
		}
	}
	return counts
}

func causeTable(r *Report) causeView {
	v := causeView{Name: r.Name, Kinds: errorKinds}
	for cause, kinds := range r.Causes() {
		row := causeRow{Cause: cause}
		for _, kind := range errorKinds {
			row.Counts = append(row.Counts, kinds[kind])
		}
		v.Rows = append(v.Rows, row)
	}
	slices.SortFunc(v.Rows, func(a, b causeRow) int {
		return cmp.Or(cmp.Compare(b.Counts[0]+b.Counts[1], a.Counts[0]+a.Counts[1]), cmp.Compare(a.Cause, b.Cause))
	})
	return v
}

type worstView struct {
	Name  string
	Notes []Note
}

// worst lists the documents with the most words missed.
func worst(r *Report) worstView {
	notes := slices.Clone(r.Notes)
	missed := func(n Note) int { return n.Word.Gold - n.Word.Hit }
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(missed(b), missed(a)) })
	v := worstView{Name: r.Name}
	for _, n := range notes[:min(len(notes), 12)] {
		if missed(n) > 0 {
			v.Notes = append(v.Notes, n)
		}
	}
	return v
}

// curveView is recall against precision, drawn.
type curveView struct {
	Title   string
	Line    string // points of a polyline
	Dots    []dot
	GridX   []tick
	GridY   []tick
	LowNote string
}

type dot struct {
	X, Y  float64
	Label string
	Title string
}

type tick struct {
	At    float64
	Label string
}

// The drawing, in its own units.
const (
	plotWidth, plotHeight = 560.0, 340.0
	plotLeft, plotTop     = 56.0, 16.0
)

func curve(s *Sweep) curveView {
	v := curveView{Title: strings.TrimSpace(s.Name + " on " + s.Corpus)}
	low := 1.0
	for _, p := range s.Points {
		low = min(low, p.Word.Recall(), p.Word.Precision())
	}
	low = math.Max(0, math.Floor(low*20-0.2)/20)
	if low > 0.95 {
		low = 0.95
	}
	x := func(recall float64) float64 { return round1(plotLeft + (recall-low)/(1-low)*plotWidth) }
	y := func(precision float64) float64 { return round1(plotTop + (1-precision)/(1-low)*plotHeight) }
	var line []string
	for _, p := range s.Points {
		d := dot{x(p.Word.Recall()), y(p.Word.Precision()), fmt.Sprintf("λ %g", p.Lambda), fmt.Sprintf(
			"λ %g: recall %s, precision %s, strict typed F1 %s, %d documents leak", p.Lambda, share(p.Word.Recall()), share(p.Word.Precision()), share(p.StrictTyped.F1()), p.Leaky)}
		v.Dots = append(v.Dots, d)
		line = append(line, fmt.Sprintf("%g,%g", d.X, d.Y))
	}
	v.Line = strings.Join(line, " ")
	for i := range 6 {
		at := low + (1-low)*float64(i)/5
		v.GridX = append(v.GridX, tick{x(at), share(at)})
		v.GridY = append(v.GridY, tick{y(at), share(at)})
	}
	return v
}

func round1(x float64) float64 { return math.Round(x*10) / 10 }
