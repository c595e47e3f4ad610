package eval

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// readCoNLL reads a token a line with its label in the last column (in the third where the first counts the tokens
// of a sentence). Sentences end at an empty line and become lines of the text; -DOCSTART- begins a document. The
// original spacing is lost: tokens are joined by single spaces.
func readCoNLL(name string, labels *table) ([]Document, error) {
	data, err := load(name)
	if err != nil {
		return nil, err
	}
	c := conll{labels: labels, file: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if err := c.line(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	return c.docs, nil
}

type conll struct {
	labels   *table
	file     string
	docs     []Document
	text     strings.Builder
	newline  bool
	numbered bool
	pending  []pending
}

// pending is a mark whose text is still being written.
type pending struct {
	label      string
	start, end int
	open       bool
}

func (c *conll) line(line string) error {
	columns := strings.Fields(line)
	if strings.Contains(line, "\t") {
		columns = strings.Split(line, "\t")
	}
	switch {
	case strings.TrimSpace(line) == "":
		c.newline = c.text.Len() > 0
		c.close()
		return nil
	case strings.HasPrefix(line, "-DOCSTART-"):
		return c.flush()
	case strings.HasPrefix(line, "#") && len(columns) != 2 && !c.numbered || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#\t"):
		return nil // a comment
	case len(columns) < 2:
		return fmt.Errorf("%w: neither a token with its label nor an empty line", ErrCorpus)
	}
	token, label := columns[0], columns[len(columns)-1]
	if _, err := strconv.Atoi(columns[0]); err == nil && len(columns) >= 3 && (columns[0] == "1" || c.numbered) {
		c.numbered = true
		token, label = columns[1], columns[2]
	}
	switch {
	case c.newline:
		c.text.WriteByte('\n')
	case c.text.Len() > 0:
		c.text.WriteByte(' ')
	}
	c.newline = false
	start := c.text.Len()
	c.text.WriteString(token)
	c.mark(label, start, c.text.Len())
	return nil
}

func (c *conll) mark(label string, start, end int) {
	prefix, bare := byte('I'), label
	if len(label) > 2 && (label[1] == '-' || label[1] == '_') && strings.IndexByte("BISELU", label[0]) >= 0 {
		prefix, bare = label[0], label[2:]
	}
	if bare == "O" || bare == "_" || bare == "-" {
		c.close()
		return
	}
	if n := len(c.pending); n > 0 && c.pending[n-1].open && c.pending[n-1].label == bare && strings.IndexByte("IEL", prefix) >= 0 {
		c.pending[n-1].end = end
		return
	}
	c.close()
	c.pending = append(c.pending, pending{bare, start, end, true})
}

func (c *conll) close() {
	if n := len(c.pending); n > 0 {
		c.pending[n-1].open = false
	}
}

func (c *conll) flush() error {
	if c.text.Len() == 0 {
		return nil
	}
	doc := Document{ID: c.file + ":" + strconv.Itoa(len(c.docs)+1), Source: "conll", Text: c.text.String()}
	for _, p := range c.pending {
		if err := doc.mark(c.labels, p.label, p.start, p.end); err != nil {
			return err
		}
	}
	c.docs = append(c.docs, doc)
	c.text.Reset()
	c.newline, c.pending = false, nil
	return nil
}
