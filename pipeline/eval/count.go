package eval

// Count holds what is needed for recall and precision. The two sides are counted apart, because one found span may
// meet several marks, and the reverse.
type Count struct {
	Gold  int `json:"gold"`  // marked
	Hit   int `json:"hit"`   // of these, met
	Found int `json:"found"` // predicted
	Right int `json:"right"` // of these, right
}

// Add sums two counts.
func (c Count) Add(o Count) Count {
	return Count{c.Gold + o.Gold, c.Hit + o.Hit, c.Found + o.Found, c.Right + o.Right}
}

// Recall is Hit over Gold; 1 where nothing is marked.
func (c Count) Recall() float64 { return ratio(c.Hit, c.Gold) }

// Precision is Right over Found; 1 where nothing is found.
func (c Count) Precision() float64 { return ratio(c.Right, c.Found) }

// F1 is the harmonic mean of recall and precision.
func (c Count) F1() float64 {
	r, p := c.Recall(), c.Precision()
	if r+p == 0 {
		return 0
	}
	return 2 * r * p / (r + p)
}

// Empty says that there was nothing to find and nothing was found.
func (c Count) Empty() bool { return c.Gold == 0 && c.Found == 0 }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Macro is the mean of recall, precision and F1 over several counts, empty ones left out.
type Macro struct {
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
	F1        float64 `json:"f1"`
	Of        int     `json:"of"` // how many counts were averaged
}

func macro(counts []Count) Macro {
	var m Macro
	for _, c := range counts {
		if c.Empty() {
			continue
		}
		m.Recall += c.Recall()
		m.Precision += c.Precision()
		m.F1 += c.F1()
		m.Of++
	}
	if m.Of > 0 {
		n := float64(m.Of)
		m.Recall, m.Precision, m.F1 = m.Recall/n, m.Precision/n, m.F1/n
	}
	return m
}
