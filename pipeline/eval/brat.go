package eval

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// readBRAT reads a .txt and the .ann beside it; name may be either. Offsets count code points; each part of a mark
// in several parts becomes a mark of its own.
func readBRAT(name string, labels *table) ([]Document, error) {
	base := strings.TrimSuffix(strings.TrimSuffix(name, ".ann"), ".txt")
	text, err := load(base + ".txt")
	if err != nil {
		return nil, err
	}
	marks, err := load(base + ".ann")
	if err != nil {
		return nil, err
	}
	doc := Document{ID: filepath.Base(base), Source: "brat", Text: string(text)}
	at := codePoints(doc.Text)
	number := 0
	for line := range strings.Lines(string(marks)) {
		number++
		if !strings.HasPrefix(line, "T") {
			continue // relations, events, notes
		}
		fields := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		label, places, ok := "", "", false
		if len(fields) > 1 {
			label, places, ok = strings.Cut(fields[1], " ")
		}
		if !ok {
			return nil, fmt.Errorf("%w: line %d is not a mark", ErrCorpus, number)
		}
		for part := range strings.SplitSeq(places, ";") {
			from, to, _ := strings.Cut(part, " ")
			start, err1 := strconv.Atoi(from)
			end, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil || start < 0 || start > end || end >= len(at) {
				return nil, fmt.Errorf("%w: line %d: the mark lies outside of the text", ErrCorpus, number)
			}
			if err := doc.mark(labels, label, at[start], at[end]); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
	}
	return []Document{doc}, nil
}
