package gazetteer

import "strings"

// trie holds phrases as sequences of whole words. What stands between the words, a space, a hyphen, a stop or one
// line break, does not count, so that no entry can match a part of a word.
type trie struct {
	words map[string]uint32 // number of each word, from 1
	edges map[uint64]uint32 // node and word: next node
	ends  []uint32          // value of each node; 0: nothing ends here
	depth int               // words of the longest phrase
}

func newTrie() *trie {
	return &trie{words: map[string]uint32{}, edges: map[uint64]uint32{}, ends: make([]uint32, 1)}
}

// add enters a folded phrase; a value that is there already is joined by or.
func (t *trie) add(phrase string, value uint32) {
	node, n := uint32(0), 0
	for word := range wordsOf(phrase) {
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
