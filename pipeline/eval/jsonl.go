package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// record is one line of our own format; offsets count code points.
type record struct {
	ID     string   `json:"id"`
	Lang   string   `json:"lang"`
	Source string   `json:"source"`
	Split  string   `json:"split"`
	Genre  string   `json:"genre"`
	Text   string   `json:"text"`
	Labels []string `json:"labels"`
	Spans  []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Label string `json:"label"`
	} `json:"spans"`
	// Slots are stretches of a text without marks where PHI stands or stood. Only what is found outside counts.
	Slots []struct {
		Start int `json:"start"`
		End   int `json:"end"`
	} `json:"slots"`
}

func readJSONL(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	var docs []Document
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%w: line %d is not a document", ErrCorpus, number)
		}
		doc := Document{
			ID: cmp.Or(r.ID, filepath.Base(name)+":"+strconv.Itoa(number)), Language: phi.Language(r.Lang),
			Source: r.Source, Split: r.Split, Genre: r.Genre, Text: r.Text, Marked: labels.marked(r.Labels),
		}
		at := codePoints(r.Text)
		for _, s := range r.Spans {
			if s.Start < 0 || s.Start > s.End || s.End >= len(at) {
				return nil, fmt.Errorf("%w: line %d: a span lies outside of the text", ErrCorpus, number)
			}
			if err := doc.mark(labels, s.Label, at[s.Start], at[s.End]); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		for _, s := range r.Slots {
			if s.Start < 0 || s.Start > s.End || s.End >= len(at) {
				return nil, fmt.Errorf("%w: line %d: a slot lies outside of the text", ErrCorpus, number)
			}
			doc.Ignore = append(doc.Ignore, Range{at[s.Start], at[s.End]})
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// codePoints gives the byte offset of each code point, and of the end.
func codePoints(text string) []int {
	at := make([]int, 0, utf8.RuneCountInString(text)+1)
	for i := range text {
		at = append(at, i)
	}
	return append(at, len(text))
}
