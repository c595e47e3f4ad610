package ner

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunk is a part of a text that is read at once, so that the memory needed does not grow with the text. What lies in
// start to end is decided; from and to reach a little further, so that a model sees what stands around it.
type chunk struct{ from, start, end, to int }

// The sizes of chunks, in bytes.
const (
	chunkSize   = 16 << 10
	chunkMargin = 512
)

// chunks covers the text. Borders lie behind a line end, else behind a space, else, in a text without any, on a rune.
func chunks(text string) []chunk {
	if len(text) <= chunkSize+chunkSize/2 {
		return []chunk{{0, 0, len(text), len(text)}}
	}
	var list []chunk
	for start := 0; start < len(text); {
		end := len(text)
		if end-start > chunkSize+chunkSize/2 {
			end = cutBefore(text, start+chunkSize, chunkSize/4, true)
		}
		c := chunk{start, start, end, end}
		if start > 0 {
			c.from = cutBefore(text, start-chunkMargin, chunkMargin, false)
		}
		if end < len(text) {
			c.to = cutBefore(text, min(len(text), end+chunkMargin), chunkMargin/2, false)
		}
		list = append(list, c)
		start = end
	}
	return list
}

// cutBefore gives a border at most reach bytes before at.
func cutBefore(text string, at, reach int, lines bool) int {
	low := max(0, at-reach)
	if lines {
		if i := strings.LastIndexByte(text[low:at], '\n'); i >= 0 {
			return low + i + 1
		}
	}
	for !utf8.RuneStart(text[low]) {
		low++
	}
	if i := strings.LastIndexFunc(text[low:at], unicode.IsSpace); i >= 0 {
		_, n := utf8.DecodeRuneInString(text[low+i:])
		return low + i + n
	}
	for at < len(text) && at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// window is a stretch of tokens, from inclusive to exclusive. It decides about those from first to last (exclusive);
// the others give it context and are decided by its neighbours.
type window struct{ from, to, first, last int }

// place tells how good it is to cut before a token.
type place uint8

const (
	insideWord  place = iota // never, unless the word is longer than a window
	betweenWord              // a word ends, as at a hyphen
	afterSpace
)

// cut covers the tokens, whose places are given, with windows of at most size tokens of which neighbours share about
// overlap. Windows are of about equal length. No window begins or ends, and no decision changes hands, inside a word
// that is shorter than the overlap.
func cut(places []place, size, overlap int) []window {
	n := len(places)
	if n == 0 {
		return nil
	}
	overlap = min(overlap, size/2)
	var list []window
	for from := 0; ; {
		rest := n - from
		if rest <= size {
			return own(places, append(list, window{from: from, to: n}))
		}
		parts := (rest - overlap + size - overlap - 1) / (size - overlap)
		length := min(size, (rest+(parts-1)*overlap+parts-1)/parts)
		to := snap(places, from+length, from+length/2)
		if places[to] == insideWord {
			to = snap(places, from+size, from+length/2)
		}
		list = append(list, window{from: from, to: to})
		next := snap(places, to-overlap, from+1)
		if next <= from || places[next] == insideWord {
			next = max(from+1, to-overlap)
		}
		from = next
	}
}

// own shares the overlaps between neighbours: each decides about what lies farther from its border.
func own(places []place, list []window) []window {
	for i := range list {
		list[i].last = list[i].to
		if i == 0 {
			list[i].first = list[i].from
			continue
		}
		a, b := list[i].from, list[i-1].to
		middle := b
		if a < b {
			middle = snap(places, a+(b-a)/2, a)
		}
		// An earlier window may have been given less than its neighbour leaves; never decide anything twice.
		middle = max(middle, list[i-1].first)
		list[i-1].last, list[i].first = middle, middle
	}
	return list
}

// snap gives the best place to cut at or before at, but not before low: behind a space if there is one in the nearer
// half, else between words, else at itself.
func snap(places []place, at, low int) int {
	low = max(low, 0)
	if at >= len(places) {
		at = len(places) - 1
	}
	near := at - (at-low)/2
	for i := at; i >= near; i-- {
		if places[i] == afterSpace {
			return i
		}
	}
	for i := at; i >= low; i-- {
		if places[i] != insideWord {
			return i
		}
	}
	return at
}

// placesOf tells for each token how good it is to cut before it.
func placesOf(text string, tokens []Token) []place {
	places := make([]place, len(tokens))
	for i, t := range tokens {
		switch {
		case spaceBefore(text, t.Start):
			places[i] = afterSpace
		case border(text, t.Start):
			places[i] = betweenWord
		}
	}
	if len(places) > 0 {
		places[0] = afterSpace
	}
	return places
}
