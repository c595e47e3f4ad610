package gazetteer

import "fhirdeid/pipeline/phi/lists"

// trie holds phrases as sequences of whole words. What stands between the words, a space, a hyphen, a stop or one
// line break, does not count, so that no entry can match a part of a word.
//
// Its edges lie in one hash table without pointers to follow: of the words of a text most begin no phrase, and most of
// those that do go on otherwise, so that a step mostly costs one place of memory.
type trie struct {
	edges []edge
	slots []slot          // as many as a power of two, at most half of them used
	words []byte          // of the edges
	ends  []uint32        // value of each node; 0: nothing ends here
	depth int             // words of the longest phrase
	first [1 << 13]uint64 // a bit for each word that a phrase begins with, by its hash
}

// edge leads from a node to the next by a word.
type edge struct {
	node, next uint32
	word       uint32 // where it begins in words
	size       uint32 // of the word
}

// slot is a place of the hash table; edge is its index + 1, 0 where the place is free.
type slot struct{ hash, edge uint32 }

func newTrie() *trie {
	return &trie{slots: make([]slot, 1<<10), ends: make([]uint32, 1)}
}

// add enters a folded phrase; a value that is there already is joined by or.
func (t *trie) add(phrase string, value uint32) {
	node, n := uint32(0), 0
	for word := range wordsOf(phrase) {
		h := lists.Hash(word)
		if n == 0 {
			t.first[h>>6&(1<<13-1)] |= 1 << (h & 63)
		}
		next, ok := t.step(node, word, h)
		if !ok {
			next = uint32(len(t.ends))
			t.ends = append(t.ends, 0)
			t.edges = append(t.edges, edge{node: node, next: next, word: t.keep(word), size: uint32(len(word))})
			if 2*len(t.edges) > len(t.slots) {
				t.grow()
			} else {
				t.insert(uint32(len(t.edges)), edgeHash(node, h))
			}
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

// keep gives the place of a word's text.
func (t *trie) keep(word string) uint32 {
	at := len(t.words)
	t.words = append(t.words, word...)
	return uint32(at)
}

func (t *trie) insert(edge, h uint32) {
	mask := uint32(len(t.slots) - 1)
	at := h & mask
	for t.slots[at].edge != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = slot{hash: h, edge: edge}
}

// grow makes the table four times as large.
func (t *trie) grow() {
	t.slots = make([]slot, 4*len(t.slots))
	for i, e := range t.edges {
		word := string(t.words[e.word : e.word+e.size])
		t.insert(uint32(i+1), edgeHash(e.node, lists.Hash(word)))
	}
}

// step follows one word, of which h is the hash, from a node; ok is false where no phrase goes on like this.
func (t *trie) step(node uint32, word string, h uint32) (next uint32, ok bool) {
	h = edgeHash(node, h)
	mask := uint32(len(t.slots) - 1)
	for at := h & mask; t.slots[at].edge != 0; at = (at + 1) & mask {
		if t.slots[at].hash != h {
			continue
		}
		e := &t.edges[t.slots[at].edge-1]
		if e.node == node && int(e.size) == len(word) && string(t.words[e.word:e.word+e.size]) == word {
			return e.next, true
		}
	}
	return 0, false
}

// begins says whether a phrase may begin with the word whose hash is h; no is certain.
func (t *trie) begins(h uint32) bool { return t.first[h>>6&(1<<13-1)]>>(h&63)&1 != 0 }

// edgeHash is the hash of a word behind a node.
func edgeHash(node, h uint32) uint32 {
	h = (h ^ node*0x9e3779b9) * 0x2c1b3c6d
	return h ^ h>>16
}
