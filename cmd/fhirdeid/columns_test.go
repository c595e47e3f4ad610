package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSideBySide(t *testing.T) {
	var b bytes.Buffer
	columns{w: &b, width: 24}.sideBySide("brief.txt", "Frau Schmidt kam heute mit ihrem Sohn.\n\ngleich\n"+strings.Repeat("x", 60), "Frau Kluge kam heute mit ihrem Sohn.\n\ngleich\n")
	want := `
brief.txt, before        | brief.txt, after
-------------------------+-------------------------
Frau Schmidt kam heute   » Frau Kluge kam heute mit
mit ihrem Sohn.          » ihrem Sohn.
                         |
gleich                   | gleich
xxxxxxxxxxxxxxxxxxxxxxxx »
xxxxxxxxxxxxxxxxxxxxxxxx »
xxxxxxxxxxxx             »
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestOnlyChangedWordsAreColoured(t *testing.T) {
	var b bytes.Buffer
	columns{w: &b, width: 40, color: true}.sideBySide("x", "Frau Schmidt kam am 03.05. her", "Frau Kluge kam am 14.02. her")
	want := "Frau " + gone + "Schmidt" + plain + " kam am " + gone + "03.05." + plain + " her" + strings.Repeat(" ", 10) + " » Frau " + fresh + "Kluge" + plain + " kam am " + fresh + "14.02." + plain + " her\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}

func TestWordsLoseNothing(t *testing.T) {
	for _, line := range []string{"", "a", "  a  b ", strings.Repeat("lang ", 50), strings.Repeat("ä", 100), "a\tb", strings.Repeat(" ", 60) + "Leipzig"} {
		for width := 5; width < 80; width += 7 {
			var back []string
			for _, row := range wrapWords(words(line), width) {
				if length(row) > width {
					t.Errorf("%q: a row of %d in %d", line, length(row), width)
				}
				for _, w := range row {
					back = append(back, w.text)
				}
			}
			want := strings.ReplaceAll(strings.ReplaceAll(line, "\t", ""), " ", "")
			if got := strings.Join(back, ""); got != want {
				t.Errorf("%q became %q", line, got)
			}
		}
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	columns{w: &b, width: 30}.table("Risk", [][]string{{"document", "risk", "replaced"}, {"brief.txt", "66 %", "10 NAME, 9 DATE, 4 LOCATION, 2 CONTACT, 1 AGE, 1 PROFESSION"}})
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 63 {
			t.Errorf("a line of %d", n)
		}
	}
	if !strings.Contains(b.String(), "  brief.txt  66 %  10 NAME,") {
		t.Errorf("got\n%s", b.String())
	}
}
