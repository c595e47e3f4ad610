package fold

import "strings"

// Cut gives the length of the first piece of a text that is to be read piece by piece, at most size bytes: up to an
// empty line, else to a sentence's end, a line's end, a space, or a rune's end. Size must be at least 8.
func Cut(text string, size int) int {
	if len(text) <= size {
		return len(text)
	}
	head := text[:size]
	for _, border := range []string{"\n\n", "\n\r\n", ". ", "\n", " "} {
		if i := strings.LastIndex(head, border); i > size/2 {
			return i + len(border)
		}
	}
	for n := size; n > size-4; n-- {
		if text[n]&0xC0 != 0x80 {
			return n
		}
	}
	return size
}
