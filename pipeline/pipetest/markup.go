// Package pipetest is the acceptance kit that every detector passes: test sentences in mark-up, the checks of the
// Detector contract, and a word-wise score for small corpora.
package pipetest

import (
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// Parse reads a sentence in which PHI is marked as [CONTACT_EMAIL:a@b.example] and gives the plain text with the
// spans, in order. A bracket that does not open with a label of the taxonomy is text. Marks do not nest; a mark that
// never closes, or that names no label although it has the form of one, fails the test.
func Parse(t testing.TB, marked string) (string, []phi.Span) {
	t.Helper()
	var (
		text  strings.Builder
		spans []phi.Span
	)
	for {
		open := strings.IndexByte(marked, '[')
		if open < 0 {
			text.WriteString(marked)
			return text.String(), spans
		}
		text.WriteString(marked[:open])
		marked = marked[open:]
		label, rest, ok := cutLabel(marked)
		if !ok {
			text.WriteByte('[')
			marked = marked[1:]
			continue
		}
		typ, known := phi.ParseType(label)
		if !known {
			if !strings.Contains(label, "_") {
				text.WriteByte('[')
				marked = marked[1:]
				continue
			}
			t.Fatalf("mark-up: no label %s", label)
		}
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			t.Fatalf("mark-up: %s never closes", label)
		}
		start := text.Len()
		text.WriteString(rest[:end])
		spans = append(spans, phi.Span{Start: start, End: text.Len(), Type: typ, Score: 1})
		marked = rest[end+1:]
	}
}

// cutLabel splits "[LABEL:rest" into the label and the rest.
func cutLabel(s string) (label, rest string, ok bool) {
	i := 1
	for i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || s[i] == '_') {
		i++
	}
	if i == 1 || i >= len(s) || s[i] != ':' {
		return "", "", false
	}
	return s[1:i], s[i+1:], true
}

// Mark writes the spans of a text as mark-up, the inverse of Parse. Overlapping spans are shown as far as they stand
// after the one before.
func Mark(text string, spans []phi.Span) string {
	var out strings.Builder
	last := 0
	for _, s := range sorted(spans) {
		if s.Start < last {
			continue
		}
		out.WriteString(text[last:s.Start])
		out.WriteString("[" + s.Type.String() + ":" + text[s.Start:s.End] + "]")
		last = s.End
	}
	out.WriteString(text[last:])
	return out.String()
}
