package attachment

import (
	"context"
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// Work must grow with the input, not with its square, which of 1 MiB would keep the test busy until its time is up.
func TestHostileInputIsLinear(t *testing.T) {
	const n = 1 << 20
	for name, c := range map[string]struct{ media, data string }{
		"soft hyphens":   {"text/plain", strings.Repeat("a\u00ad", n/3)},
		"divisions":      {"text/plain", strings.Repeat("a-\n", n/3)},
		"spaces":         {"text/plain", strings.Repeat("a-\n                    ", n/24)},
		"line ends":      {"text/plain", strings.Repeat("\r\n", n/2)},
		"open tags":      {"text/html", strings.Repeat("<b>a", n/4)},
		"open brackets":  {"text/html", strings.Repeat("<", n)},
		"attributes":     {"text/html", "<p " + strings.Repeat("a=b ", n/4)},
		"ampersands":     {"text/html", strings.Repeat("&", n)},
		"elements":       {"application/xml", "<a>" + strings.Repeat("<b>x</b>", n/8) + "</a>"},
		"text sections":  {"application/xml", "<a>" + strings.Repeat("<![CDATA[x]]>", n/13) + "</a>"},
		"groups":         {"application/rtf", `{\rtf1 ` + strings.Repeat("{a}", n/3) + "}"},
		"notes":          {"application/rtf", `{\rtf1 ` + strings.Repeat(`{\footnote a}`, n/13) + "}"},
		"escapes":        {"application/rtf", `{\rtf1 ` + strings.Repeat(`\'e4`, n/4) + "}"},
		"array":          {"application/json", "[" + strings.Repeat(`"a",`, n/4) + `"a"]`},
		"escaped string": {"application/json", `"` + strings.Repeat(`\n`, n/2) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Decode(context.Background(), c.media, []byte(c.data), Limits{})
			if err == nil {
				var edits []phi.Edit
				for i, r := range d.text {
					if r == 'a' {
						edits = append(edits, phi.Edit{Start: i, End: i + 1, New: "xy"})
					}
				}
				if _, _, err := d.Encode(edits); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestErrorsNeverQuote(t *testing.T) {
	const canary = "Geheimrat"
	for media, data := range corpus(t) {
		for cut := 1; cut < len(data); cut += 1 + len(data)/40 {
			broken := append(append([]byte{}, data[:cut]...), []byte(canary+"\xff\x00<&\\'zz")...)
			if _, err := Decode(context.Background(), media, broken, Limits{}); err != nil && strings.Contains(err.Error(), canary) {
				t.Fatalf("%s: %v", media, err)
			}
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	data := []byte(strings.Repeat(letterText, 10<<20/len(letterText)))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := Decode(context.Background(), "text/plain", data, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := d.Encode(nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKinds(b *testing.B) {
	for media, data := range corpus(b) {
		b.Run(strings.ReplaceAll(media, "/", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				mustEncode(b, mustDecode(b, media, data))
			}
		})
	}
}
