package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// columns prints texts side by side and tables, as wide as the terminal.
type columns struct {
	w     io.Writer
	width int // of one of the two columns, in characters
	color bool
}

// The widths of a column: what a pipe gets, and what is least and most on a terminal.
const (
	pipeColumn  = 64
	leastColumn = 36
	mostColumn  = 90
)

func newColumns(w io.Writer) columns {
	c := columns{w: w, width: pipeColumn}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return c
	}
	c.color = os.Getenv("NO_COLOR") == ""
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		c.width = min(max((width-3)/2, leastColumn), mostColumn)
	}
	return c
}

// ANSI codes: bold, what went, what came, and the end of both.
const (
	bold  = "\x1b[1m"
	gone  = "\x1b[31m"
	fresh = "\x1b[32m"
	plain = "\x1b[0m"
)

func (c columns) style(code, s string) string {
	if !c.color || s == "" {
		return s
	}
	return code + s + plain
}

func (c columns) heading(s string) {
	line := strings.Repeat("=", max(0, 2*c.width+3-utf8.RuneCountInString(s)-4))
	fmt.Fprintf(c.w, "\n%s\n", c.style(bold, "== "+s+" "+line))
}

// say prints sentences, as wide as the two columns.
func (c columns) say(parts ...string) {
	for _, row := range wrapWords(words(strings.Join(parts, " ")), 2*c.width+3) {
		fmt.Fprintln(c.w, c.row(row, ""))
	}
}

// sideBySide prints two texts. Words that differ are coloured; where there is no colour, their lines are marked.
func (c columns) sideBySide(title, left, right string) {
	rule := strings.Repeat("-", c.width)
	fmt.Fprintf(c.w, "\n%s | %s\n%s-+-%s\n", c.style(bold, c.pad(title+", before")), c.style(bold, title+", after"), rule, rule)
	l, r := strings.Split(strings.TrimRight(left, "\n"), "\n"), strings.Split(strings.TrimRight(right, "\n"), "\n")
	for i := range max(len(l), len(r)) {
		a, b := words(at(l, i)), words(at(r, i))
		markChanged(a, b)
		lw, rw := wrapWords(a, c.width), wrapWords(b, c.width)
		mark := "|"
		if at(l, i) != at(r, i) {
			mark = "»"
		}
		for j := range max(len(lw), len(rw)) {
			var x, y []word
			if j < len(lw) {
				x = lw[j]
			}
			if j < len(rw) {
				y = rw[j]
			}
			fill := strings.Repeat(" ", max(0, c.width-length(x)))
			fmt.Fprintln(c.w, strings.TrimRight(c.row(x, gone)+fill+" "+mark+" "+c.row(y, fresh), " "))
		}
	}
}

// table prints rows in columns as wide as their widest cell; the last cell is wrapped.
func (c columns) table(title string, rows [][]string) {
	fmt.Fprintf(c.w, "\n%s\n", c.style(bold, title))
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row[:len(row)-1] {
			b.WriteString("  " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		lead := utf8.RuneCountInString(b.String()) + 2
		for i, line := range wrapWords(words(row[len(row)-1]), max(leastColumn, 2*c.width+3-lead)) {
			if i > 0 {
				b.WriteString("\n" + strings.Repeat(" ", lead-2))
			}
			b.WriteString("  " + c.row(line, ""))
		}
		fmt.Fprintln(c.w, b.String())
	}
}

func (c columns) pad(s string) string {
	return s + strings.Repeat(" ", max(0, c.width-utf8.RuneCountInString(s)))
}

// row joins words; changed ones get the colour.
func (c columns) row(list []word, code string) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.space)
		if w.changed {
			b.WriteString(c.style(code, w.text))
		} else {
			b.WriteString(w.text)
		}
	}
	return b.String()
}

// word is a word with the white space before it.
type word struct {
	space, text string
	changed     bool
}

func (w word) length() int { return utf8.RuneCountInString(w.space) + utf8.RuneCountInString(w.text) }

func length(list []word) (n int) {
	for _, w := range list {
		n += w.length()
	}
	return n
}

// widestGap is how much white space is shown in one piece: letters that set a date to the right would fill lines.
const widestGap = 8

// words takes a line apart.
func words(line string) (list []word) {
	line = strings.ReplaceAll(line, "\t", "    ")
	for len(line) > 0 {
		bare := strings.TrimLeft(line, " ")
		gap := min(len(line)-len(bare), widestGap)
		text, _, _ := strings.Cut(bare, " ")
		if text == "" {
			break
		}
		list = append(list, word{strings.Repeat(" ", gap), text, false})
		line = bare[len(text):]
	}
	return list
}

// wrapWords breaks words into rows, at least one. Words longer than a row are cut.
func wrapWords(list []word, width int) [][]word {
	rows := [][]word{nil}
	for _, w := range list {
		last := len(rows) - 1
		if length(rows[last])+w.length() <= width {
			rows[last] = append(rows[last], w)
			continue
		}
		w.space = ""
		if len(rows[last]) > 0 {
			rows, last = append(rows, nil), last+1
		}
		runes := []rune(w.text)
		for len(runes) > width {
			rows[last] = []word{{"", string(runes[:width]), w.changed}}
			runes = runes[width:]
			rows, last = append(rows, nil), last+1
		}
		rows[last] = []word{{"", string(runes), w.changed}}
	}
	return rows
}

// markChanged marks the words of both lists that are in no longest common subsequence.
func markChanged(a, b []word) {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].text == b[j].text {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i].text == b[j].text:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && best[i+1][j] >= best[i][j+1]:
			a[i].changed = true
			i++
		default:
			b[j].changed = true
			j++
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
