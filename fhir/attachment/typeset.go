package attachment

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/signintech/gopdf"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// What Go Regular has no glyph for, and what stands in for it.
var standIns = strings.NewReplacer(
	"\u2010", "-", "\u2011", "-", "\u2012", "–", "\u00ad", "-", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2007", " ",
	"\u2008", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\t", "    ", "\u2028", "\n", "\u2029", "\n", "\u200b", "", "\ufeff", "",
	"☐", "[ ]", "☑", "[x]", "☒", "[x]", "✓", "x", "✔", "x", "\u2192", "->", "\u21d2", "=>", "➔", "->", "\u25aa", "•", "\u25cf", "•", "\u2023", "•", "❖", "•",
)

var glyphs = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(goregular.TTF) })

// printable says whether the font has every character.
func printable(text string) (bool, error) {
	font, err := glyphs()
	if err != nil {
		return false, errors.New("attachment: font is broken")
	}
	var buf sfnt.Buffer
	known := map[rune]bool{'\n': true, '\f': true}
	for _, r := range text {
		ok, seen := known[r]
		if !seen {
			i, err := font.GlyphIndex(&buf, r)
			ok = err == nil && i != 0 && r <= 0xFFFF
			known[r] = ok
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

const (
	pageMargin  = 42.0
	normalSize  = 10.0
	leastSize   = 6.0
	lineSpacing = 1.25
)

// typeset makes a PDF of text whose pages are parted by form feeds. A page keeps its size; lines that are too long are
// broken at spaces; what does not fit is set smaller, and then on a page more. Text that the font cannot show
// becomes plain text.
func typeset(text string, pages []pdfPage) (data []byte, contentType string, err error) {
	shown := standIns.Replace(text)
	ok, err := printable(shown)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return []byte(text), "text/plain; charset=utf-8", nil
	}
	var pdf gopdf.GoPdf
	pdf.Start(gopdf.Config{PageSize: *gopdf.PageSizeA4})
	if err := pdf.AddTTFFontData("text", goregular.TTF); err != nil {
		return nil, "", errors.New("attachment: cannot set text")
	}
	for i, page := range strings.Split(shown, "\f") {
		size := gopdf.Rect{W: 595, H: 842}
		if i < len(pages) {
			size = gopdf.Rect{W: pages[i].width, H: pages[i].height}
		}
		if err := setPage(&pdf, page, size); err != nil {
			return nil, "", errors.New("attachment: cannot set text")
		}
	}
	data, err = pdf.GetBytesPdfReturnErr()
	if err != nil {
		return nil, "", errors.New("attachment: cannot set text")
	}
	return data, "application/pdf", nil
}

func setPage(pdf *gopdf.GoPdf, text string, size gopdf.Rect) error {
	room := size.H - 2*pageMargin
	points := normalSize
	var lines []string
	for ; ; points-- {
		if err := pdf.SetFont("text", "", points); err != nil {
			return err
		}
		var err error
		if lines, err = wrap(pdf, text, size.W-2*pageMargin); err != nil {
			return err
		}
		if float64(len(lines))*points*lineSpacing <= room || points <= leastSize {
			break
		}
	}
	pdf.AddPageWithOption(gopdf.PageOption{PageSize: &size})
	y := pageMargin
	for _, line := range lines {
		if y+points*lineSpacing > size.H-pageMargin {
			pdf.AddPageWithOption(gopdf.PageOption{PageSize: &size})
			y = pageMargin
		}
		if line != "" {
			pdf.SetXY(pageMargin, y)
			if err := pdf.Cell(nil, line); err != nil {
				return err
			}
		}
		y += points * lineSpacing
	}
	return nil
}

// wrap breaks lines that are wider than the page at spaces, and single words anywhere.
func wrap(pdf *gopdf.GoPdf, text string, width float64) ([]string, error) {
	var lines []string
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		if fits, err := pdf.MeasureTextWidth(line); err != nil {
			return nil, err
		} else if fits <= width {
			lines = append(lines, line)
			continue
		}
		current, used := "", 0.0
		for _, word := range strings.SplitAfter(line, " ") {
			for {
				w, err := pdf.MeasureTextWidth(word)
				if err != nil {
					return nil, err
				}
				if used+w <= width {
					current, used = current+word, used+w
					break
				}
				if current != "" {
					lines = append(lines, strings.TrimRight(current, " "))
					current, used = "", 0
					continue
				}
				head, err := fitting(pdf, word, width)
				if err != nil {
					return nil, err
				}
				lines = append(lines, head)
				word = word[len(head):]
			}
		}
		if current = strings.TrimRight(current, " "); current != "" {
			lines = append(lines, current)
		}
	}
	return lines, nil
}

// fitting gives the longest beginning of a word that fits, at least one character.
func fitting(pdf *gopdf.GoPdf, word string, width float64) (string, error) {
	used := 0.0
	for i, r := range word {
		w, err := pdf.MeasureTextWidth(string(r))
		if err != nil {
			return "", err
		}
		if used += w; used > width && i > 0 {
			return word[:i], nil
		}
		if i == 0 && used > width {
			_, size := utf8.DecodeRuneInString(word)
			return word[:size], nil
		}
	}
	return word, nil
}
