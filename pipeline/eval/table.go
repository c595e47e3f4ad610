package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// JSON writes the report, indented.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// Table writes the report as text.
func (r *Report) Table(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d documents, %d words\n\n", strings.TrimPrefix(r.Name+" on "+r.Corpus, " on "), r.Documents, r.Words)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "score\trecall\tprecision\tF1\tgold\tfound\t")
	for _, row := range []struct {
		name string
		c    Count
	}{
		{"words", r.Word},
		{"tokens", r.Token},
		{"tokens, category", r.TokenCategory},
		{"tokens, type", r.TokenTyped},
		{"spans strict", r.Strict},
		{"spans strict, category", r.StrictCategory},
		{"spans strict, type", r.StrictTyped},
		{"spans relaxed", r.Relaxed},
		{"spans relaxed, category", r.RelaxedCategory},
		{"spans relaxed, type", r.RelaxedTyped},
	} {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t\n", row.name, share(row.c.Recall()), share(row.c.Precision()), share(row.c.F1()), row.c.Gold, row.c.Found)
	}
	fmt.Fprintf(t, "macro, categories\t%s\t%s\t%s\t\t\t\n", share(r.MacroCategories.Recall), share(r.MacroCategories.Precision), share(r.MacroCategories.F1))
	fmt.Fprintf(t, "macro, types\t%s\t%s\t%s\t\t\t\n", share(r.MacroTypes.Recall), share(r.MacroTypes.Precision), share(r.MacroTypes.F1))
	_ = t.Flush()
	fmt.Fprintf(&b, "\nrecall_merged %s; %s\n", share(r.RecallMerged), r.Leaks)
	fmt.Fprintf(&b, "%d spans beside the marks, %.2f per 1,000 words\n\n", r.Relaxed.Found-r.Relaxed.Right, r.SurplusRate())
	scores(&b, "category", r.Categories)
	b.WriteByte('\n')
	scores(&b, "type", r.Types)
	if len(r.Sources) > 0 {
		b.WriteByte('\n')
		t = tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "source\tspans\tright\tmarked words\t")
		for _, s := range r.Sources {
			fmt.Fprintf(t, "%s\t%d\t%s\t%d\t\n", s.Source, s.Spans, share(ratio(s.Right, s.Spans)), s.Words)
		}
		_ = t.Flush()
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String says in one line how the misses spread.
func (l Leaks) String() string {
	return fmt.Sprintf("%d of %d documents with PHI leak (%d words, worst %d); patient names found whole %d of %d; %d of %d documents without PHI touched",
		l.Leaky, l.Documents, l.Missed, l.Worst, l.PatientNames.Hit, l.PatientNames.Gold, l.Touched, l.Empty)
}

func scores(w io.Writer, title string, list []Score) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, title+"\tstrict R\tP\tF1\trelaxed R\tP\tword R\tP\trecall_merged\tgold\tfound\t")
	for _, s := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", s.Label,
			share(s.Strict.Recall()), share(s.Strict.Precision()), share(s.Strict.F1()),
			share(s.Relaxed.Recall()), share(s.Relaxed.Precision()),
			share(s.Word.Recall()), share(s.Word.Precision()), share(s.Merged.Recall()), s.Strict.Gold, s.Strict.Found)
	}
	_ = t.Flush()
}

// share writes a share with three places.
func share(x float64) string { return fmt.Sprintf("%.3f", x) }

// Compare writes one line for each run: the table of an ablation.
func Compare(w io.Writer, runs ...*Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "run\tword R\tP\tF1\tstrict typed F1\trelaxed typed F1\tmacro F1\tleaky\tpatient names\ttouched\t")
	for _, r := range runs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d/%d\t%s\t%d/%d\t\n", r.Name,
			share(r.Word.Recall()), share(r.Word.Precision()), share(r.Word.F1()), share(r.StrictTyped.F1()), share(r.RelaxedTyped.F1()),
			share(r.MacroCategories.F1), r.Leaks.Leaky, r.Leaks.Documents, share(r.Leaks.PatientNames.Recall()), r.Leaks.Touched, r.Leaks.Empty)
	}
	return t.Flush()
}
