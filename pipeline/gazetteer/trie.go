package gazetteer

import "strings"

// trie holds phrases as sequences of whole words. What stands between the words, a space, a hyphen, a stop or one
// line break, does not count, so that no entry can match a part of a word.
type trie struct {
	words map[string]uint32 // number of each word, from 1
	edges map[uint64]uint32 // node and word: next node
	ends  []uint32          // value of each node; 0: nothing ends here
	depth int               // words of the longest phrase
	first [1 << 13]uint64   // a bit for each word that a phrase begins with, by its hash: most words of a text begin none
}

func newTrie() *trie {
	return &trie{words: map[string]uint32{}, edges: map[uint64]uint32{}, ends: make([]uint32, 1)}
}

// add enters a folded phrase; a value that is there already is joined by or.
func (t *trie) add(phrase string, value uint32) {
	node, n := uint32(0), 0
	for word := range wordsOf(phrase) {
		if n == 0 {
			slot, bit := firstBit(word)
			t.first[slot] |= bit
		}
		number, ok := t.words[word]
		if !ok {
			number = uint32(len(t.words) + 1)
			t.words[strings.Clone(word)] = number
		}
		edge := uint64(node)<<32 | uint64(number)
		next, ok := t.edges[edge]
		if !ok {
			next = uint32(len(t.ends))
			t.ends = append(t.ends, 0)
			t.edges[edge] = next
		}
		node = next
		n++
	}
	if n == 0 {
		return
	}
	t.ends[node] |= value
	t.depth = max(t.depth, n)
}

// step follows one word from a node; ok is false where no phrase goes on like this.
func (t *trie) step(node uint32, word string) (next uint32, ok bool) {
	number, ok := t.words[word]
	if !ok {
		return 0, false
	}
	next, ok = t.edges[uint64(node)<<32|uint64(number)]
	return next, ok
}

// begins says whether a phrase may begin with the word; no is certain.
func (t *trie) begins(word string) bool {
	slot, bit := firstBit(word)
	return t.first[slot]&bit != 0
}

func firstBit(word string) (slot int, bit uint64) {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	h ^= h >> 15
	return int(h >> 6 & (1<<13 - 1)), 1 << (h & 63)
}
