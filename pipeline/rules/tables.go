package rules

import (
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

// cell is one field of a line: tokens from to to (half open), at a byte column and at an index where the separators
// are counted.
type cell struct {
	from, to      int
	column, index int
	kind          class // of the header above it: nameLabel, patientID, phoneHead, or 0
}

// separators of a line's cells.
const (
	byBar = iota
	bySemicolon
	byTab
	byColumn
)

const maxRows = 2000

// tables reads names, ids and telephone numbers below the headers of pipe, semicolon, tab and aligned tables.
func (s *scan) tables() {
	next := 0
	for _, i := range s.heads {
		if i < next {
			continue // a row of the table before
		}
		end := s.lineTo(i)
		if header, sep, ok := s.header(i, end); ok {
			next = s.rows(header, sep, end)
		}
	}
}

// lineTo gives the first token behind the line that begins with token i.
func (s *scan) lineTo(i int) int {
	for i++; i < len(s.toks) && s.at(i).lines == 0; i++ {
	}
	return i
}

// split cuts a line into its cells. The slice is the scan's own and valid until the next call.
func (s *scan) split(i, end, sep int) []cell {
	s.cells = s.cells[:0]
	if i >= end {
		return nil
	}
	lineAt := strings.LastIndexAny(s.text[:s.at(i).start], "\r\n") + 1
	index := 0
	if sep == byTab {
		index = strings.Count(s.text[lineAt:s.at(i).start], "\t")
	}
	open := false
	for k := i; k < end; k++ {
		t := s.at(k)
		switch sep {
		case byBar, bySemicolon:
			if t.kind == sign && (sep == byBar && s.text[t.start] == '|' || sep == bySemicolon && t.sign == ';') {
				index++
				open = false
				continue
			}
		default:
			if k > i && t.gap > 1 {
				open = false
				if sep == byTab {
					index += max(1, strings.Count(s.text[s.at(k-1).end:t.start], "\t"))
				}
			}
		}
		if t.sign == '"' {
			continue
		}
		if !open {
			s.cells = append(s.cells, cell{from: k, to: k + 1, column: t.start - lineAt, index: index})
			open = true
			continue
		}
		s.cells[len(s.cells)-1].to = k + 1
	}
	return s.cells
}

// header says whether the line is the head of a table: at least three cells without digits, most of them labels.
func (s *scan) header(i, end int) ([]cell, int, bool) {
	if end-i < 3 || end-i > 60 {
		return nil, 0, false
	}
	bars, semis, gaps, tab := 0, 0, 0, false
	for k := i; k < end; k++ {
		t := s.at(k)
		if t.kind == number || t.sign == ':' {
			return nil, 0, false
		}
		if t.kind == sign && s.text[t.start] == '|' {
			bars++
		}
		if t.sign == ';' {
			semis++
		}
		if k > i && t.gap > 1 {
			gaps++
			tab = tab || strings.IndexByte(s.text[s.at(k-1).end:t.start], '\t') >= 0
		}
	}
	sep := byColumn
	switch {
	case bars >= 2:
		sep = byBar
	case semis >= 2:
		sep = bySemicolon
	case gaps < 2:
		return nil, 0, false
	case tab:
		sep = byTab
	}
	cells := s.split(i, end, sep)
	if len(cells) < 3 {
		return nil, 0, false
	}
	labels, wanted := 0, 0
	for n := range cells {
		c := &cells[n]
		if c.to-c.from > 5 {
			return nil, 0, false
		}
		var all class
		for k := c.from; k < c.to; k++ {
			all |= s.at(k).class
		}
		if all&(nameLabel|patient|idHead|numberWord|phoneHead|birth|ward|doctor|staffRole|placeLabel|patientID|insurer|healthplan) != 0 || s.oneOf(c.from, "alter", "age", "sex", "geschlecht", "datum", "date", "time", "zeit", "diagnose", "dx", "jg", "uhrzeit", "note", "bemerkung", "pcp", "procedure", "op") {
			labels++
		}
		switch {
		case s.oneOf(c.from, "nr", "lfd", "no", "zeit", "time") && c.to-c.from <= 2:
		case all&(patientID|idHead) != 0 && (all&(idHead|numberWord) != 0 || s.oneOf(c.from, "fall")) && !s.oneOf(c.from, "zi", "op"):
			c.kind = patientID
		case all&nameLabel != 0 || all&patient != 0 && c.to-c.from <= 2:
			c.kind = nameLabel
		case all&phoneHead != 0:
			c.kind = phoneHead
		}
		if c.kind != 0 {
			wanted++
		}
	}
	if wanted == 0 || labels < 2 || 2*labels < len(cells) {
		return nil, 0, false
	}
	header := append([]cell(nil), cells...)
	for k := i; k < end; k++ {
		s.taken[k] = phi.CategoryOther // labels are no names
	}
	return header, sep, true
}

// rows reads the lines below a header up to a blank one and gives the token behind them.
func (s *scan) rows(header []cell, sep, i int) int {
	for range maxRows {
		if i >= len(s.toks) || s.at(i).lines > 1 {
			return i
		}
		end := s.lineTo(i)
		cells := s.split(i, end, sep)
		if s.at(i).sign != '-' && s.at(i).sign != '=' && s.at(i).sign != '_' {
			if len(cells) < 2 {
				return i
			}
			for _, c := range cells {
				s.field(c, kindAbove(header, c, sep))
			}
		}
		i = end
	}
	return i
}

// kindAbove gives the kind of the header over a cell: by index, or, in aligned tables, by column.
func kindAbove(header []cell, c cell, sep int) class {
	const slack = 3
	for n, h := range header {
		if sep != byColumn && h.index == c.index {
			return h.kind
		}
		if sep == byColumn && c.column >= h.column-slack && (n+1 == len(header) || c.column < header[n+1].column-slack) {
			return h.kind
		}
	}
	return 0
}

// field reads one cell of the kind that its header says; a cell of another form is left alone.
func (s *scan) field(c cell, kind class) {
	switch kind {
	case nameLabel:
		if !s.isWord(c.from) || s.at(c.from).runes < 3 && !s.initial(c.from) || s.has(c.from, honorific|doctor|function|unitWord|ward) || s.plainWord(c.from) >= 2 && s.at(c.from).know.Surname() == 0 && s.at(c.from).know.FirstName() == 0 {
			return
		}
		n := s.nameRun(c.from, promised)
		if n.parts == 0 {
			return
		}
		s.withFirst(&n, promised)
		if n.to > c.to || !n.believed() && !n.comma && n.initials == 0 && n.to < c.to {
			return
		}
		s.add(n.from, n.to, phi.NamePatient, 0.88, "rules.name.table")
	case patientID:
		id := s.code(c.from)
		if id.to > c.from && id.to <= c.to && id.digits >= 4 && !s.looksLikeDate(c.from, id.to) {
			s.add(c.from, id.to, phi.IDPatient, 0.9, sourceID+"table")
		}
	case phoneHead:
		if !s.isNumber(c.from) && !s.isSign(c.from, '+') && !s.isSign(c.from, '(') {
			return
		}
		if d := s.run(c.from); d.total >= 5 && d.to <= c.to && !d.date() {
			s.add(d.from, d.to, phi.ContactPhone, 0.9, sourcePhone)
		}
	}
}

// enumerators protects the numbers that a list begins its lines with: "1.)", "2)".
func (s *scan) enumerators() {
	for i := range s.toks {
		if !s.lineStart(i) || !s.isNumber(i) || s.at(i).runes > 2 {
			continue
		}
		j := i + 1
		if s.isSign(j, '.') && s.glued(j) {
			j++
		}
		if s.isSign(j, ')') && s.glued(j) {
			s.refute(i, j)
		}
	}
}

// measured is how many numbers side by side make a row of measurements.
const measured = 3

// measurements protects the numbers of a row that holds at least three of them in columns side by side, behind words:
// settings of a ventilator, weights, beds that are free. A row with a month lists days; a year may be a date.
func (s *scan) measurements() {
	for i := 0; i < len(s.toks); i++ {
		if !s.numberCell(i) || s.lineStart(i) {
			continue
		}
		from := i
		for s.sameLine(i+1) && s.numberCell(i+1) {
			i++
		}
		if i+1-from < measured || !s.named(from) {
			continue
		}
		for k := from; k <= i; k++ {
			if !s.year(k) {
				s.refute(k, k)
			}
		}
	}
}

// refute protects what begins with token i and ends with token j against the models, unless i is part of a finding.
func (s *scan) refute(i, j int) {
	if s.taken[i] == phi.NoCategory {
		s.spans = append(s.spans, phi.Span{Start: s.at(i).start, End: s.at(j).end, Type: phi.Protected, Score: refutedScore, Source: "rules.table"})
	}
}

// numberCell says whether token i is a number of at most four digits that fills a cell of an aligned line.
func (s *scan) numberCell(i int) bool {
	return s.isNumber(i) && s.at(i).runes <= 4 && s.at(i).gap > 1 && (s.lineEnd(i) || s.at(i+1).gap > 1)
}

// longestRow is how many tokens before a number are looked at, and behind it: a longer line is no row of a table.
const longestRow = 100

// named says whether a word stands before token i in its line, and no month anywhere in it.
func (s *scan) named(i int) bool {
	from, to, word := i, i+1, false
	for ; s.sameLine(from); from-- {
		if i-from == longestRow {
			return false
		}
		word = word || s.isWord(from-1)
	}
	for s.sameLine(to) && to-i < longestRow {
		to++
	}
	return word && !slices.ContainsFunc(s.toks[from:to], func(t token) bool { return t.class&month != 0 })
}
