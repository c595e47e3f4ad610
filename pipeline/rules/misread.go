package rules

import (
	"unicode/utf8"

	"fhirdeid/pipeline/phi/fold"
)

// misread gives the text as it was before character recognition took digits for letters, in the same length: O5121 is
// 05121, 3718l is 37181. Only a text with two numbers that hold such a letter between digits, or an O before three of them,
// is changed at all; so "O2" and "5l" stay what they are elsewhere.
func misread(text string) string {
	if !misreadTwice(text) {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(text); {
		if !digitLike(text[i]) {
			i++
			continue
		}
		end, digits, letters := misreadRun(text, i)
		if digits > 0 && letters > 0 && !(end-i == 2 && text[i] == 'O' && text[i+1] == '2') && bordered(text, i, end) {
			for k := i; k < end; k++ {
				switch text[k] {
				case 'l', 'I':
					b[k] = '1'
				case 'O', 'o':
					b[k] = '0'
				}
			}
		}
		i = end
	}
	return string(b)
}

// misreadTwice says whether two numbers of the text hold a letter in the place of a digit, beyond doubt.
func misreadTwice(text string) bool {
	seen, after := 0, 0
	for d := 2; d < len(text); d++ {
		if !digit(text[d]) {
			d = fold.NextDigit(text, d)
		}
		i := d - 1 // such a letter stands before a digit
		if d == len(text) || i < after || text[i] != 'l' && text[i] != 'I' && text[i] != 'O' && text[i] != 'o' {
			continue
		}
		leading := text[i] == 'O' && i+3 < len(text) && digit(text[i+2]) && digit(text[i+3]) && !letter(text[i-1]) && !digit(text[i-1])
		if !digit(text[i-1]) && !leading {
			continue
		}
		start := i
		for start > 0 && digitLike(text[start-1]) {
			start--
		}
		end, _, _ := misreadRun(text, start)
		if bordered(text, start, end) {
			if seen++; seen == 2 {
				return true
			}
		}
		after = end
	}
	return false
}

func misreadRun(text string, i int) (end, digits, letters int) {
	for end = i; end < len(text) && digitLike(text[end]); end++ {
		if digit(text[end]) {
			digits++
		} else {
			letters++
		}
	}
	return end, digits, letters
}

func digit(c byte) bool { return c-'0' < 10 }

func digitLike(c byte) bool { return digit(c) || c == 'l' || c == 'I' || c == 'O' || c == 'o' }

// bordered says whether no letter touches the run.
func bordered(text string, start, end int) bool {
	return (start == 0 || !letter(text[start-1]) && text[start-1] < utf8.RuneSelf) &&
		(end == len(text) || !letter(text[end]) && text[end] < utf8.RuneSelf)
}
