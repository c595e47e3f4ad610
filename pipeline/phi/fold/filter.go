package fold

import "iter"

// Filter tells cheaply, before a word is folded and looked up, that it is in none of a set of words: by its first two
// bytes without regard to case, and its length. The zero value is the filter of the empty set.
type Filter [256]uint64

// FilterOf is the filter of a set of words.
func FilterOf(words iter.Seq[string]) *Filter {
	f := new(Filter)
	for w := range words {
		f.Add(w)
	}
	return f
}

// Add enters a word of two bytes or more.
func (f *Filter) Add(word string) {
	if len(word) > 1 {
		f[filterSlot(word)] |= 1 << min(len(word), 63)
	}
}

// AddStem enters all words of the length least or more that begin with the first two bytes of stem.
func (f *Filter) AddStem(stem string, least int) {
	f[filterSlot(stem)] |= ^uint64(0) << min(least, 63)
}

// AddAll enters the words of another filter.
func (f *Filter) AddAll(other *Filter) {
	for slot := range f {
		f[slot] |= other[slot]
	}
}

// May says whether the set can hold the word. Upper and lower case must have the same length in bytes, as in ASCII and
// Latin-1; words of fewer than two bytes are never held.
func (f *Filter) May(word string) bool {
	return len(word) > 1 && f[filterSlot(word)]>>min(len(word), 63)&1 != 0
}

func filterSlot(word string) byte { return (word[0]|0x20)*37 + (word[1] | 0x20) }
