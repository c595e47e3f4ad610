package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Finding is what was found as one type in one wording beside all marks, and how often.
type Finding struct {
	Type, Text string
	Count      int
}

// SurplusRate is how many spans in 1,000 words touch no mark.
func (r *Report) SurplusRate() float64 {
	if r.Words == 0 {
		return 0
	}
	return 1000 * float64(r.Relaxed.Found-r.Relaxed.Right) / float64(r.Words)
}

// Surplus gives the most frequent findings beside the marks, at most n. It is empty where the run kept no text.
func (r *Report) Surplus(n int) []Finding {
	counts := map[[2]string]int{}
	for _, note := range r.Notes {
		for _, e := range note.Errors {
			if e.Kind == "surplus" && e.Text != "" {
				counts[[2]string{e.Found, strings.Join(strings.Fields(e.Text), " ")}]++
			}
		}
	}
	var list []Finding
	for key, count := range counts {
		list = append(list, Finding{key[0], key[1], count})
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(a.Text, b.Text))
	})
	return list[:min(n, len(list))]
}

// SurplusTable writes findings with the verdicts of a person, if there are any: type and text, parted by a tab, to verdict.
// The last lines sum them up.
func SurplusTable(w io.Writer, findings []Finding, verdicts map[string]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	sums := map[string]int{}
	for _, f := range findings {
		if verdicts == nil {
			fmt.Fprintf(t, "%d\t%s\t%s\n", f.Count, f.Type, f.Text)
			continue
		}
		verdict := cmp.Or(verdicts[f.Type+"\t"+f.Text], "not judged")
		sums[verdict] += f.Count
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", f.Count, verdict, f.Type, f.Text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var lines []string
	for verdict, n := range sums {
		lines = append(lines, fmt.Sprintf("%s: %d spans\n", verdict, n))
	}
	slices.Sort(lines)
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

// ReadVerdicts reads lines of verdict, type and text, parted by tabs; # begins a comment.
func ReadVerdicts(path string) (map[string]string, error) {
	data, err := load(path)
	if err != nil {
		return nil, err
	}
	verdicts := map[string]string{}
	for line := range strings.Lines(string(data)) {
		verdict, finding, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			verdicts[finding] = verdict
		}
	}
	return verdicts, nil
}
