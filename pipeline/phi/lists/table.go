package lists

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"
)

// Hash is that of all tables of folded words, so that a word which is looked up in several of them is hashed once. It
// takes eight bytes at a time.
func Hash[T string | []byte](word T) uint32 {
	s := unsafe.Slice(unsafe.StringData(view(word)), len(word))
	h := uint64(len(s))
	for len(s) > 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(s))
		s = s[8:]
	}
	switch n := len(s); {
	case n == 8:
		h ^= binary.LittleEndian.Uint64(s)
	case n >= 4:
		h ^= uint64(binary.LittleEndian.Uint32(s)) | uint64(binary.LittleEndian.Uint32(s[n-4:]))<<32
	case n > 0:
		h ^= uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return uint32(mix(h) >> 32)
}

// view gives the bytes of a word as a string, without copying: a slice begins as a string does, with the place of its
// bytes and their number.
func view[T string | []byte](word T) string { return *(*string)(unsafe.Pointer(&word)) }

// mix makes each bit depend on each.
func mix(h uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
	return (high ^ low) * 0x94d049bb133111eb
}

// Table maps folded words to what a package says of them: a hash table without pointers to follow that costs one place
// of memory for a word that it does not hold.
type Table[V any] struct {
	slots  []uint32 // a power of two of them: bits of the hash, index + 1 in the low bits; 0: free
	keys   []string
	values []V
}

const (
	tableIndexBits = 14
	tableIndexMask = 1<<tableIndexBits - 1
)

// NewTable makes a table of a map of fewer than 16000 words.
func NewTable[V any](m map[string]V) *Table[V] {
	if len(m) >= tableIndexMask {
		panic("lists: too many words for a table") //nolint:forbidigo // the words are part of the binary
	}
	t := &Table[V]{slots: make([]uint32, 1<<(bits.Len(uint(len(m)))+1))}
	for key, v := range m {
		t.keys, t.values = append(t.keys, key), append(t.values, v)
		h := Hash(key)
		at := t.place(h)
		for t.slots[at] != 0 {
			at = (at + 1) & (len(t.slots) - 1)
		}
		t.slots[at] = h&^tableIndexMask | uint32(len(t.keys))
	}
	return t
}

// place is where the search for a word begins. The slots hold the upper bits of the hash.
func (t *Table[V]) place(h uint32) int { return int(h) & (len(t.slots) - 1) }

// Find gives the value of a word whose hash is h, or the zero value.
func (t *Table[V]) Find(word string, h uint32) (v V) {
	for at := t.place(h); ; at = (at + 1) & (len(t.slots) - 1) {
		slot := t.slots[at]
		if slot == 0 {
			return v
		}
		if (slot^h)&^tableIndexMask == 0 && t.keys[slot&tableIndexMask-1] == word {
			return t.values[slot&tableIndexMask-1]
		}
	}
}

// FindBytes does the same.
func (t *Table[V]) FindBytes(word []byte, h uint32) V {
	return t.Find(view(word), h)
}

// Set is the set of the words of a text, parted by white space.
func Set(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
