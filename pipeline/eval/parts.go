package eval

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"text/tabwriter"
)

// Part is one part of a pipeline in an ablation.
type Part struct {
	Name    string
	Without *Report // of all others; nil: not scored
	Alone   *Report // nil: it can find nothing alone
	Model   bool    // one of the models, or all of them together
}

// alone are the runs of single parts.
func alone(parts []Part) []*Report {
	var runs []*Report
	for _, p := range parts {
		if p.Alone != nil {
			runs = append(runs, p.Alone)
		}
	}
	return runs
}

// PartsTable writes what each part brings: the whole pipeline without it, and it alone.
func PartsTable(w io.Writer, whole *Report, parts []Part) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "left out\tword R\tpoints\tP\tpoints\tstrict typed F1\tpoints\tleaky\talone: word R\tP\tF1\tstrict typed F1\tleaky\t")
	fmt.Fprintf(t, "nothing\t%s\t\t%s\t\t%s\t\t%d\t\t\t\t\t\t\n", share(whole.Word.Recall()), share(whole.Word.Precision()), share(whole.StrictTyped.F1()), whole.Leaks.Leaky)
	for _, p := range parts {
		fmt.Fprintf(t, "%s\t", p.Name)
		if r := p.Without; r != nil {
			fmt.Fprintf(t, "%s\t%+.1f\t%s\t%+.1f\t%s\t%+.1f\t%d\t", share(r.Word.Recall()), points(r.Word.Recall(), whole.Word.Recall()),
				share(r.Word.Precision()), points(r.Word.Precision(), whole.Word.Precision()),
				share(r.StrictTyped.F1()), points(r.StrictTyped.F1(), whole.StrictTyped.F1()), r.Leaks.Leaky)
		} else {
			fmt.Fprint(t, "–\t\t–\t\t–\t\t–\t")
		}
		if r := p.Alone; r != nil {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t\n", share(r.Word.Recall()), share(r.Word.Precision()), share(r.Word.F1()), share(r.StrictTyped.F1()), r.Leaks.Leaky)
		} else {
			fmt.Fprint(t, "–\t–\t–\t–\t–\t\n")
		}
	}
	return t.Flush()
}

// points is by how many hundredths a share differs.
func points(x, from float64) float64 {
	d := math.Round((x-from)*1000) / 10
	return d + 0 // no -0.0
}

// partRow is a part in the page.
type partRow struct {
	Part
	Recall, Precision, Strict cell
}

func partRows(whole *Report, parts []Part) []partRow {
	var rows []partRow
	for _, p := range parts {
		row := partRow{Part: p, Recall: cell{Text: "–"}, Precision: cell{Text: "–"}, Strict: cell{Text: "–"}}
		if r := p.Without; r != nil {
			row.Recall = change(points(r.Word.Recall(), whole.Word.Recall()))
			row.Precision = change(points(r.Word.Precision(), whole.Word.Precision()))
			row.Strict = change(points(r.StrictTyped.F1(), whole.StrictTyped.F1()))
		}
		rows = append(rows, row)
	}
	return rows
}

// change colours a difference in points: red where something is lost, green where something is won.
func change(d float64) cell {
	if d == 0 {
		return cell{Text: "0.0"}
	}
	hue := 120
	if d < 0 {
		hue = 0
	}
	light := 98 - 25*math.Min(1, math.Abs(d)/5)
	return cell{Text: fmt.Sprintf("%+.1f", d), Style: template.CSS(fmt.Sprintf("background:hsl(%d 70%% %.0f%%)", hue, light))}
}

// ensembleRows are the models by themselves, one by one and together.
func ensembleRows(parts []Part) []*Report {
	var rows []*Report
	for _, p := range parts {
		if p.Model && p.Alone != nil {
			rows = append(rows, p.Alone)
		}
	}
	if len(rows) < 2 {
		return nil
	}
	return rows
}
