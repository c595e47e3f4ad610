package fold

import (
	"strings"
	"testing"
)

func TestNextDigit(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			text := strings.Repeat("\xff", at) + string([]byte{byte(c)}) + strings.Repeat("/", 19-at)
			want := len(text)
			if '0' <= c && c <= '9' {
				want = at
			}
			for from := range at + 1 {
				if got := NextDigit(text, from); got != want {
					t.Fatalf("byte %#x at %d from %d: %d, want %d", c, at, from, got, want)
				}
			}
		}
	}
}

func TestASCIIEnd(t *testing.T) {
	for n := range 30 {
		for at := range n + 1 {
			text := strings.Repeat("a", at) + "\x80" + strings.Repeat("b", n)
			if got := asciiEnd(text); got != at {
				t.Fatalf("%d bytes, the first beyond ASCII at %d: %d", len(text), at, got)
			}
			if got := asciiEnd(text[:at]); got != at {
				t.Fatalf("%d bytes of ASCII: %d", at, got)
			}
		}
	}
}
