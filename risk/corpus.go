package risk

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// Row is one person or one entity with its quasi-identifiers, for the measures over a corpus.
type Row struct {
	Group     string   // who is counted: rows of one Group count once for k; empty: every row for itself
	Quasi     []string // values of the quasi-identifiers, such as age band, sex, ZIP3; or type and context cluster
	Sensitive string   // value of the sensitive attribute
}

// ErrEmpty says that there are no rows to measure.
var ErrEmpty = errors.New("no rows")

// Measures are the classical measures over a corpus.
type Measures struct {
	K          int     // k-anonymity: smallest number of Groups that share all quasi-identifiers
	L          int     // l-diversity: smallest number of distinct sensitive values in a class
	T          float64 // t-closeness: greatest Kullback-Leibler divergence of a class from the corpus, in nats
	Unicity    float64 // share of the combinations of quasi-identifiers that occur once
	Likelihood float64 // mean over the rows of 1 / number of rows with the same combination
	Classes    int     // combinations
}

// Smoothing is added to the count of every sensitive value before t-closeness is computed, in classes and in the
// corpus, so that a value that a class lacks does not make the divergence infinite.
const Smoothing = 0.5

// Measure computes the measures of a corpus.
func Measure(rows []Row) (Measures, error) {
	if len(rows) == 0 {
		return Measures{}, ErrEmpty
	}
	classes, keys := classesOf(rows)
	values := sensitiveValues(rows)
	all := distribution(rows, values)
	m := Measures{K: math.MaxInt, L: math.MaxInt, Classes: len(keys)}
	once := 0
	for _, key := range keys {
		class := classes[key]
		m.K = min(m.K, groups(class))
		m.L = min(m.L, len(sensitiveValues(class)))
		m.T = max(m.T, divergence(distribution(class, values), all))
		if len(class) == 1 {
			once++
		}
	}
	m.Unicity = float64(once) / float64(len(keys))
	// Each class of n rows adds n times 1/n.
	m.Likelihood = float64(len(keys)) / float64(len(rows))
	return m, nil
}

func classesOf(rows []Row) (map[string][]Row, []string) {
	classes := map[string][]Row{}
	var keys []string
	for _, r := range rows {
		key := strings.Join(r.Quasi, "\x1f")
		if classes[key] == nil {
			keys = append(keys, key)
		}
		classes[key] = append(classes[key], r)
	}
	return classes, keys
}

func groups(class []Row) int {
	seen := map[string]bool{}
	n := 0
	for _, r := range class {
		if r.Group == "" {
			n++
		} else if !seen[r.Group] {
			seen[r.Group] = true
			n++
		}
	}
	return n
}

func sensitiveValues(rows []Row) []string {
	values := make([]string, 0, len(rows))
	for _, r := range rows {
		values = append(values, r.Sensitive)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// distribution gives the smoothed share of each value.
func distribution(rows []Row, values []string) []float64 {
	p := make([]float64, len(values))
	for _, r := range rows {
		i, _ := slices.BinarySearch(values, r.Sensitive)
		p[i]++
	}
	total := float64(len(rows)) + Smoothing*float64(len(values))
	for i := range p {
		p[i] = (p[i] + Smoothing) / total
	}
	return p
}

func divergence(p, q []float64) (d float64) {
	for i := range p {
		d += p[i] * math.Log(p[i]/q[i])
	}
	return max(0, d)
}

// Clusters groups vectors: each goes to the first cluster whose first member is at least so similar, or opens a new
// one. It gives the number of each vector's cluster, in order.
func Clusters(vectors []Vector, threshold float64) []int {
	var leaders []Vector
	number := make([]int, len(vectors))
	for i, v := range vectors {
		at := slices.IndexFunc(leaders, func(l Vector) bool { return Cosine(l, v) >= threshold })
		if at < 0 {
			at = len(leaders)
			leaders = append(leaders, v)
		}
		number[i] = at
	}
	return number
}

// CorpusScore is equation 1 over a corpus: the share, in percent, that each document's unique contexts have of all
// contexts of all documents.
func CorpusScore(unique []int, contexts int) []float64 {
	scores := make([]float64, len(unique))
	for i, n := range unique {
		if contexts > 0 {
			scores[i] = 100 * float64(n) / float64(contexts)
		}
	}
	return scores
}
