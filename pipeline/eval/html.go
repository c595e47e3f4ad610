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

// Page is a report for people: any number of runs side by side, what each part of a pipeline brings, and sweeps of
// lambda.
type Page struct {
	Title  string
	Runs   []*Report
	Parts  []Part // of the last run
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
	before, after := p.pair()
	if before != nil {
		view.Before, view.After = before.Name, after.Name
		view.Changes = changes(before, after)
	}
	if len(p.Runs) > 0 && len(p.Parts) > 0 {
		view.Whole = p.Runs[len(p.Runs)-1]
		view.Parts = partRows(view.Whole, p.Parts)
		view.Ensemble = ensembleRows(p.Parts)
	}
	view.Maps = heatMaps(slices.Concat(p.Runs, alone(p.Parts)))
	if len(p.Sweeps) > 0 {
		view.Plot = plot(p.Sweeps)
	}
	if len(p.Runs) > 0 {
		view.Surplus = p.Runs[len(p.Runs)-1].Surplus(100)
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
	Whole         *Report
	Parts         []partRow
	Ensemble      []*Report
	Maps          []grid
	Before, After string
	Changes       []changeRow
	Plot          *plotView
	Surplus       []Finding
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

// plotView is precision against recall, drawn: one line for each sweep, one point for each lambda.
type plotView struct {
	Curves       []curveView
	GridX, GridY []tick
}

type curveView struct {
	Name   string
	Colour string
	Line   string // points of a polyline
	Dots   []dot
	KeyY   float64 // of the name in the key
	Points []Point
}

// dot is one point. Its label stands beside it, or nowhere where another's stands already.
type dot struct {
	X, Y           float64
	Label          string
	LabelX, LabelY float64
	Anchor         string
	Title          string
}

type tick struct {
	At    float64
	Label string
}

// The drawing, in its own units.
const (
	plotWidth, plotHeight = 700.0, 420.0
	plotLeft, plotTop     = 60.0, 16.0
)

var plotColours = []string{"#2463a5", "#c2571a", "#3b7d3b", "#7a3fa0"}

func plot(sweeps []*Sweep) *plotView {
	lowX, lowY := 1.0, 1.0
	for _, s := range sweeps {
		for _, p := range s.Points {
			lowX, lowY = min(lowX, p.Word.Recall()), min(lowY, p.Word.Precision())
		}
	}
	lowX, lowY = floor(lowX), floor(lowY)
	x := func(recall float64) float64 { return round1(plotLeft + (recall-lowX)/(1-lowX)*plotWidth) }
	y := func(precision float64) float64 { return round1(plotTop + (1-precision)/(1-lowY)*plotHeight) }
	v := &plotView{}
	var taken []box
	for i, s := range sweeps {
		c := curveView{Name: s.Name, Points: s.Points, Colour: plotColours[i%len(plotColours)], KeyY: plotTop + plotHeight - 20 - 20*float64(len(sweeps)-1-i)}
		var line []string
		for _, p := range s.Points {
			d := dot{X: x(p.Word.Recall()), Y: y(p.Word.Precision()), Title: fmt.Sprintf(
				"%s, λ %g: recall %s, precision %s, strict typed F1 %s, %d documents leak", s.Name, p.Lambda,
				share(p.Word.Recall()), share(p.Word.Precision()), share(p.StrictTyped.F1()), p.Leaky)}
			d.place(fmt.Sprintf("λ %g", p.Lambda), i%2 == 1, &taken)
			c.Dots = append(c.Dots, d)
			line = append(line, fmt.Sprintf("%g,%g", d.X, d.Y))
		}
		c.Line = strings.Join(line, " ")
		v.Curves = append(v.Curves, c)
	}
	for i := range 6 {
		part := float64(i) / 5
		atX, atY := lowX+(1-lowX)*part, lowY+(1-lowY)*part
		v.GridX = append(v.GridX, tick{x(atX), share(atX)})
		v.GridY = append(v.GridY, tick{y(atY), share(atY)})
	}
	return v
}

// floor gives the value at which an axis begins, a little below the lowest point: a step of .05, of .01 near 1.
func floor(low float64) float64 {
	step := 0.05
	if low > 0.95 {
		step = 0.01
	}
	return math.Max(0, math.Floor((low-step/10)/step)*step)
}

// box is where a label stands.
type box struct{ left, top, right, bottom float64 }

// corner is a place for a label beside its point.
type corner struct {
	dx, dy float64
	anchor string
}

var corners = []corner{{7, -5, "start"}, {-7, -5, "end"}, {7, 15, "start"}, {-7, 15, "end"}}

// place puts the label at the first corner of the point where no other stands: above it, or below it first. Points that
// lie on each other share the labels that find room.
func (d *dot) place(label string, below bool, taken *[]box) {
	const width, height = 36.0, 12.0
	order := slices.Clone(corners)
	if below {
		slices.Reverse(order)
	}
	for _, at := range order {
		b := box{d.X + at.dx, d.Y + at.dy - height, d.X + at.dx + width, d.Y + at.dy}
		if at.anchor == "end" {
			b.left, b.right = d.X+at.dx-width, d.X+at.dx
		}
		if b.right > plotLeft+plotWidth+40 || slices.ContainsFunc(*taken, b.meets) {
			continue
		}
		d.Label, d.LabelX, d.LabelY, d.Anchor = label, round1(d.X+at.dx), round1(d.Y+at.dy), at.anchor
		*taken = append(*taken, b)
		return
	}
}

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

func round1(x float64) float64 { return math.Round(x*10) / 10 }
