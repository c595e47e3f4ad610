package eval

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"fhirdeid/pipeline/phi"
)

// inlineHead begins a document: === id | language | genre | region.
var inlineHead = regexp.MustCompile(`(?m)^=== ([^|\r\n]+)\|([^|\r\n]+)(?:\|([^|\r\n]*))?[^\r\n]*\r?\n`)

// inlineTag opens or closes a mark.
var inlineTag = regexp.MustCompile(`<(/?)([A-Z][A-Z_]*)>`)

// readInline reads texts with their marks written around the words, <NAME_PATIENT>Meier</NAME_PATIENT>; several
// documents to a file. Empty lines around a document are none of it.
func readInline(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	content := string(data)
	heads := inlineHead.FindAllStringSubmatchIndex(content, -1)
	if len(heads) == 0 {
		return nil, fmt.Errorf("%w: no line that begins a document (=== id | language)", ErrCorpus)
	}
	if strings.TrimSpace(content[:heads[0][0]]) != "" {
		return nil, fmt.Errorf("%w: text before the first document", ErrCorpus)
	}
	source := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(name, ".gz")), ".txt")
	docs := make([]Document, 0, len(heads))
	for i, h := range heads {
		end := len(content)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		doc := Document{
			ID: strings.TrimSpace(content[h[2]:h[3]]), Language: phi.Language(strings.TrimSpace(content[h[4]:h[5]])), Source: source,
		}
		if h[6] >= 0 {
			doc.Genre = strings.TrimSpace(content[h[6]:h[7]])
		}
		if err := doc.inline(labels, strings.Trim(content[h[1]:end], "\r\n")); err != nil {
			return nil, fmt.Errorf("document %s: %w", doc.ID, err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// inline takes the tags out of a text and keeps what they mark. Marks are not nested.
func (d *Document) inline(labels *table, marked string) error {
	type mark struct {
		label      string
		start, end int
	}
	var text strings.Builder
	var marks []mark
	at, open := 0, false
	for _, m := range inlineTag.FindAllStringSubmatchIndex(marked, -1) {
		text.WriteString(marked[at:m[0]])
		at = m[1]
		closing, label := m[2] < m[3], marked[m[4]:m[5]]
		switch {
		case !closing && !open:
			marks = append(marks, mark{label: label, start: text.Len()})
			open = true
		case closing && open && marks[len(marks)-1].label == label:
			marks[len(marks)-1].end = text.Len()
			open = false
		default:
			return fmt.Errorf("%w: mark %d is nested or not closed", ErrCorpus, len(marks))
		}
	}
	if open {
		return fmt.Errorf("%w: mark %d is not closed", ErrCorpus, len(marks))
	}
	text.WriteString(marked[at:])
	d.Text = text.String()
	for _, m := range marks {
		if err := d.mark(labels, m.label, m.start, m.end); err != nil {
			return err
		}
	}
	return nil
}
